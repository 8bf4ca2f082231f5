//! Puts the files of `papers/` into the library, so that an installed command has them at hand.
//!
//! Writes a table of (path below `papers/`, text) in the order of paths.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Kinds of files that are taken.
const TAKEN: [&str; 3] = ["yaml", "csv", "json"];

fn main() -> io::Result<()> {
    // Asked for when it runs, not when it is compiled: a build folder may serve several checkouts.
    let here = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let papers = Path::new(&here).join("../../papers");
    println!("cargo::rerun-if-changed={}", papers.display());
    let mut files = Vec::new();
    if papers.is_dir() {
        walk(&papers, &mut files)?;
    }
    files.sort();
    let mut table = String::from("&[\n");
    for file in &files {
        let below = file.strip_prefix(&papers).expect("it was found below it");
        let below = below.to_str().expect("names are plain").replace('\\', "/");
        let path = file.to_str().expect("names are plain");
        writeln!(table, "    ({below:?}, include_str!({path:?})),").expect("a string takes text");
    }
    table.push_str("]\n");
    let out = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(PathBuf::from(out).join("papers.rs"), table)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|kind| TAKEN.iter().any(|taken| kind == *taken)) {
            files.push(path);
        }
    }
    Ok(())
}
