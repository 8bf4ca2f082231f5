//! The digest of every scenario of the repository, with all options of the engine.
//!
//! `make golden` updates the list; a changed list needs a line in the changelog that names its hash.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use netloom_lab::{Digest, Options, Overrides, Prepared, Source, Style, Watch, prepare, simulate};
use netloom_records::DigestSink;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Paths of all scenarios, relative to the root, with `/` between their parts.
fn scenarios() -> Vec<String> {
    let mut found = Vec::new();
    walk(&root(), Path::new("scenarios"), &mut found);
    found.sort();
    found
}

fn walk(root: &Path, folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(root.join(folder)).expect("the folder can be read").flatten() {
        let path = folder.join(entry.file_name());
        if entry.path().is_dir() {
            walk(root, &path, found);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            found.push(path.to_string_lossy().replace('\\', "/"));
        }
    }
}

fn prepared(path: &str) -> Prepared {
    let prepared = prepare(&Source::file(root().join(path)), &Overrides::default());
    prepared.unwrap_or_else(|error| panic!("{}", error.render(Style::Plain)))
}

fn digest(prepared: &Prepared, options: Options) -> Digest {
    let mut sink = DigestSink::new(prepared.names());
    simulate(prepared, &mut sink, options, Watch::default()).expect("rows are in order");
    sink.finish().digest
}

/// The digest of a scenario, which must be the same with all options.
fn agreed(path: &str) -> Digest {
    let prepared = prepared(path);
    let plain = Options::default();
    let first = digest(&prepared, plain);
    let variants = [
        ("2 threads", Options { threads: 2, ..plain }),
        ("4 threads", Options { threads: 4, ..plain }),
        ("no shortcut", Options { shortcut: false, ..plain }),
        ("coarser partitions", Options { coarsen: 3, ..plain }),
    ];
    for (variant, options) in variants {
        assert_eq!(digest(&prepared, options), first, "{path} with {variant}");
    }
    first
}

#[test]
fn golden_digests() {
    let found: BTreeMap<String, Digest> =
        scenarios().into_iter().map(|path| (path.clone(), agreed(&path))).collect();
    let lines: Vec<String> = found.iter().map(|(path, digest)| format!("{path} {digest}\n")).collect();
    let list = lines.concat();
    let file = root().join("scenarios/golden.digests");
    if std::env::var("NETLOOM_UPDATE_GOLDEN").is_ok_and(|value| value == "1") {
        fs::write(&file, &list).expect("the list can be written");
        return;
    }
    let stored = fs::read_to_string(&file).unwrap_or_default();
    let differ: Vec<&str> = list.lines().filter(|line| !stored.lines().any(|other| other == *line)).collect();
    assert!(
        stored == list,
        "results differ from scenarios/golden.digests; if intended, run `make golden` and explain in CHANGELOG.md:\n  {}",
        differ.join("\n  ")
    );
}
