//! Puts the files of `papers/` and `fabrics/` into the library, so that an installed command has them at hand.
//!
//! Writes a table of (path below the folder, text) for each, in the order of paths.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Kinds of files that are taken.
const TAKEN: [&str; 3] = ["yaml", "csv", "json"];

fn main() -> io::Result<()> {
    // Asked for when it runs, not when it is compiled: a build folder may serve several checkouts.
    let here = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let out = env::var_os("OUT_DIR").expect("cargo sets it");
    for name in ["papers", "fabrics"] {
        let folder = Path::new(&here).join("../..").join(name);
        println!("cargo::rerun-if-changed={}", folder.display());
        fs::write(Path::new(&out).join(format!("{name}.rs")), table(&folder)?)?;
    }
    Ok(())
}

/// The table of what is in a folder.
fn table(folder: &Path) -> io::Result<String> {
    let mut files = Vec::new();
    if folder.is_dir() {
        walk(folder, &mut files)?;
    }
    files.sort();
    let mut table = String::from("&[\n");
    for file in &files {
        let below = file.strip_prefix(folder).expect("it was found below it");
        let below = below.to_str().expect("names are plain").replace('\\', "/");
        let path = file.to_str().expect("names are plain");
        writeln!(table, "    ({below:?}, include_str!({path:?})),").expect("a string takes text");
    }
    table.push_str("]\n");
    Ok(table)
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
