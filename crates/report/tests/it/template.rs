//! The committed template is built from the sources in `web/`, and these never parse text as HTML.
//!
//! Needs no Node: the head of the template has a mark of its sources, which `web/build/mark.ts` and this test compute.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders of `web/` that are not part of the page.
const LEFT_OUT: [&str; 2] = ["node_modules", "tests"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web")
}

/// Paths of all sources, relative, in the order of their bytes, with their contents.
fn sources() -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    walk(&root(), "", &mut found);
    found.sort();
    found
}

fn walk(folder: &Path, path: &str, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).expect("the folder can be read").flatten() {
        let name = entry.file_name().into_string().expect("names are text");
        let below = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
        if !entry.path().is_dir() {
            found.push((below, fs::read(entry.path()).expect("the file can be read")));
        } else if !LEFT_OUT.contains(&name.as_str()) {
            walk(&entry.path(), &below, found);
        }
    }
}

/// FNV-1a over paths and contents.
fn mark(sources: &[(String, Vec<u8>)]) -> String {
    let parts = sources.iter().flat_map(|(path, bytes)| [path.as_bytes(), b"\0", bytes, b"\0"]);
    let take = |mark: u64, byte: &u8| (mark ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    let mark = parts.flatten().fold(0xcbf2_9ce4_8422_2325, take);
    format!("{mark:016x}")
}

#[test]
fn the_template_is_built_from_the_current_sources() {
    let template = include_str!("../../template/report.html");
    let (_, rest) = template.split_once(r#"name="netloom-source" content=""#).expect("the head has a mark");
    let found = &rest[..16];
    assert_eq!(
        found,
        mark(&sources()),
        "the sources in web/ have changed: `make web` builds the template anew"
    );
}

#[test]
fn the_template_contains_the_licences_of_its_libraries() {
    let template = include_str!("../../template/report.html");
    for library in ["echarts 6.1.0 (Apache-2.0)", "zrender 6.1.0 (BSD-3-Clause)", "tslib 2.3.0 (0BSD)"] {
        assert!(template.contains(library), "{library}");
    }
}

#[test]
fn the_page_never_parses_text_as_markup() {
    let parsing = ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser", "eval("];
    for (path, bytes) in sources().iter().filter(|(path, _)| path.starts_with("src/")) {
        let text = String::from_utf8_lossy(bytes);
        for word in parsing {
            assert!(!text.contains(word), "{path}: {word}");
        }
    }
}

#[test]
fn the_lock_file_contains_no_download_addresses() {
    let lock = fs::read_to_string(root().join("package-lock.json")).expect("there is one");
    assert!(
        !lock.contains("\"resolved\""),
        "`npm install --omit-lockfile-registry-resolved` leaves them out"
    );
}
