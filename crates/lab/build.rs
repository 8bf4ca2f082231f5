//! Puts the files of `papers/` and `fabrics/` into the library, so that an installed command has them at hand, and embeds
//! a digest of the sources that results depend on: stored results are reused only by the build that made them.
//!
//! Writes a table of (path below the folder, text) for each folder, in the order of paths. The digest is over the Rust
//! sources of the crates below; versions of libraries are pinned by the lock file, and do not change results.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Kinds of files that are taken.
const TAKEN: [&str; 3] = ["yaml", "csv", "json"];
/// The crates that records, and the figures taken from them, depend on.
const CRATES: [&str; 9] =
    ["units", "policy", "model", "catalog", "scenario", "records", "report", "engine", "lab"];
/// Digits of the digest that are kept.
const DIGITS: usize = 16;

fn main() -> io::Result<()> {
    // Asked for when it runs, not when it is compiled: a build folder may serve several checkouts.
    let here = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let out = env::var_os("OUT_DIR").expect("cargo sets it");
    for name in ["papers", "fabrics"] {
        let folder = Path::new(&here).join("../..").join(name);
        println!("cargo::rerun-if-changed={}", folder.display());
        fs::write(Path::new(&out).join(format!("{name}.rs")), table(&folder)?)?;
    }
    println!("cargo::rustc-env=NETLOOM_SOURCES={}", digest(&Path::new(&here).join(".."))?);
    Ok(())
}

/// The table of what is in a folder.
fn table(folder: &Path) -> io::Result<String> {
    let mut table = String::from("&[\n");
    for file in files(folder, &TAKEN)? {
        let path = file.to_str().expect("names are plain");
        writeln!(table, "    ({:?}, include_str!({path:?})),", below(&file, folder))
            .expect("a string takes text");
    }
    table.push_str("]\n");
    Ok(table)
}

/// The digest of the sources, the same on every machine.
fn digest(crates: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    for name in CRATES {
        let source = crates.join(name).join("src");
        println!("cargo::rerun-if-changed={}", source.display());
        let found = files(&source, &["rs"])?;
        assert!(!found.is_empty(), "there are no sources in {}", source.display());
        for file in found {
            let (path, text) = (below(&file, crates), fs::read(&file)?);
            hasher.update(&(path.len() as u64).to_le_bytes()).update(path.as_bytes());
            hasher.update(&(text.len() as u64).to_le_bytes()).update(&text);
        }
    }
    Ok(hasher.finalize().to_hex()[..DIGITS].to_owned())
}

/// The path of a file below a folder.
fn below(file: &Path, folder: &Path) -> String {
    let below = file.strip_prefix(folder).expect("it was found below it");
    below.to_str().expect("names are plain").replace('\\', "/")
}

/// The files of some kinds in a folder, in the order of their paths.
fn files(folder: &Path, kinds: &[&str]) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    if folder.is_dir() {
        walk(folder, kinds, &mut found)?;
    }
    found.sort();
    Ok(found)
}

fn walk(folder: &Path, kinds: &[&str], found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, kinds, found)?;
        } else if path.extension().is_some_and(|kind| kinds.iter().any(|taken| kind == *taken)) {
            found.push(path);
        }
    }
    Ok(())
}
