//! The files of the project, and the list of complaints about them.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders that hold no sources: build outputs, results of runs, version control.
const SKIPPED: [&str; 6] = ["target", "out", ".git", ".venv", "node_modules", "__pycache__"];

/// A text file of the project.
pub struct Text {
    /// Path relative to the root, with `/` between its parts.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// The root of the project.
pub fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the workspace root exists")
}

/// Every text file of the project, sorted by path.
pub fn texts() -> Vec<Text> {
    let root = root();
    let mut paths = Vec::new();
    walk(&root, &mut paths);
    paths.sort();
    let text = |path: PathBuf| {
        let text = fs::read_to_string(&path).ok()?;
        let relative = path.strip_prefix(&root).expect("it was found below the root");
        Some(Text { path: relative.to_string_lossy().into_owned(), text })
    };
    paths.into_iter().filter_map(text).collect()
}

/// The text files below a folder (`""` for all) whose names end with `suffix`.
pub fn texts_below(folder: &str, suffix: &str) -> Vec<Text> {
    let wanted = |file: &Text| file.path.starts_with(folder) && file.path.ends_with(suffix);
    texts().into_iter().filter(wanted).collect()
}

/// The text of a file that must exist.
pub fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn walk(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be read").flatten() {
        let name = entry.file_name();
        let kind = entry.file_type().expect("the kind of a file can be read");
        if kind.is_dir() && !SKIPPED.iter().any(|own_files| name == *own_files) {
            walk(&entry.path(), paths);
        } else if kind.is_file() {
            paths.push(entry.path());
        }
    }
}

/// Fails with all complaints at once.
#[track_caller]
pub fn refuse(rule: &str, complaints: &[String]) {
    assert!(complaints.is_empty(), "{rule}\n  {}\n", complaints.join("\n  "));
}
