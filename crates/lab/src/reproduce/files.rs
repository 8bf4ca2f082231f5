//! Papers as tests: the files of `papers/`, which are part of the library, and the fabrics that their scenarios
//! inherit.
//!
//! Models: finding a paper's scenarios and claims by name, independent of where the command is installed.
//! Leaves out: what a claim is and how it is evaluated.

use std::path::{Path, PathBuf};

/// Path below `papers/`, and text; sorted by path.
static FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/papers.rs"));

/// Path below `fabrics/`, and text.
static FABRICS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/fabrics.rs"));

/// The fabrics: path from the folder above that of papers, and text.
pub fn fabrics() -> impl Iterator<Item = (PathBuf, &'static str)> {
    FABRICS.iter().map(|(path, text)| (Path::new("fabrics").join(path), *text))
}

/// The names of all papers, in order.
pub fn papers() -> Vec<&'static str> {
    let mut ids: Vec<&str> = FILES.iter().filter_map(|(path, _)| Some(path.split_once('/')?.0)).collect();
    ids.dedup();
    ids
}

/// The files of a paper: path below its folder, and text.
pub fn files(paper: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let below = format!("{paper}/");
    FILES.iter().filter_map(move |(path, text)| Some((path.strip_prefix(&below)?, *text)))
}

/// One file of a paper.
pub fn file(paper: &str, path: &str) -> Option<&'static str> {
    files(paper).find(|(found, _)| *found == path).map(|(_, text)| text)
}
