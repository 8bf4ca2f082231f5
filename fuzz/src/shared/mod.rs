//! What targets share: several texts in one input, folders of texts, refusals.

#![allow(dead_code, reason = "each target uses a part")]

use std::fs;
use std::path::{Path, PathBuf};

use netloom_lab::import::Measurements;
use netloom_lab::{LabError, Overwrite, Style};

/// Parts texts of an input.
pub const SEPARATOR: &[u8] = b"\n%%%\n";
/// Most bytes of a refusal.
const LONGEST: usize = 200_000;

/// The texts of an input.
pub fn texts(input: &[u8]) -> Vec<&[u8]> {
    let mut texts = Vec::new();
    let mut rest = input;
    while let Some(at) = rest.windows(SEPARATOR.len()).position(|bytes| bytes == SEPARATOR) {
        // The line before a separator keeps its end.
        texts.push(&rest[..=at]);
        rest = &rest[at + SEPARATOR.len()..];
    }
    texts.push(rest);
    texts
}

/// A folder of this process with these files, and nothing else.
pub fn folder(files: &[(&str, &[u8])]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("netloom-fuzz-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    for (name, bytes) in files {
        let path = folder.join("input").join(name);
        fs::create_dir_all(path.parent().expect("it is below the folder")).expect("a folder can be made");
        fs::write(path, bytes).expect("a file can be written");
    }
    folder
}

/// Measurements that were accepted can be written, and are intact; a refusal is readable.
pub fn answered(answer: Result<Measurements, LabError>, folder: &Path) {
    match answer {
        Ok(found) => {
            let places = found.write(&folder.join("out"), Overwrite::Refuse, &[]);
            let places = places.unwrap_or_else(|error| panic!("{}", error.headed(Style::Plain)));
            for place in places {
                netloom_lab::check(&place).unwrap_or_else(|error| panic!("{}", error.headed(Style::Plain)));
            }
        }
        Err(error) => refused(&error.headed(Style::Plain)),
    }
}

/// A refusal is of bounded length and steers no terminal.
pub fn refused(text: &str) {
    assert!(!text.is_empty() && text.len() < LONGEST, "{} bytes", text.len());
    let steers = |c: char| c.is_control() && c != '\n';
    assert!(!text.contains(steers), "{text:?}");
}
