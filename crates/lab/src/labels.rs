//! What runs are called where several are shown.

use std::path::PathBuf;

/// The last part of each path where these differ, else the whole path.
pub(crate) fn labels(paths: &[PathBuf]) -> Vec<String> {
    let last = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut short: Vec<_> = paths.iter().map(last).collect();
    short.sort_unstable();
    short.dedup();
    let differ = short.len() == paths.len() && !short.contains(&None);
    let whole = |path: &PathBuf| path.display().to_string();
    paths.iter().map(|path| last(path).filter(|_| differ).unwrap_or_else(|| whole(path))).collect()
}
