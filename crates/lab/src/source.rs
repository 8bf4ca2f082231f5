//! Sources of scenarios: a file, or text with a name, possibly from a shelf of texts.
//!
//! Invariants: never reads more than [`LIMIT`] bytes, whatever kind of file the path denotes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use netloom_policy::balance::OutsidePolicies;
use serde::{Deserialize, Serialize};

use crate::error::LabError;

/// Most bytes of a scenario.
const LIMIT: u64 = 64 << 20;

/// Texts by path, not files, that may inherit from each other.
pub type Shelf = BTreeMap<PathBuf, Arc<str>>;

/// A scenario before it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// Text in memory.
    Text(SourceText),
    /// Text from a shelf, where its bases are as well.
    Shelved {
        /// Its path on the shelf, and its name in messages.
        path: PathBuf,
        /// The shelf.
        shelf: Arc<Shelf>,
    },
    /// A scenario that may name policies from outside this repository.
    WithPolicies {
        /// The scenario.
        source: Box<Source>,
        /// The policies.
        policies: OutsidePolicies,
    },
}

/// A scenario as a text in memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceText {
    /// Its name in messages, and the name of a scenario without a name of its own.
    pub name: String,
    /// The scenario.
    pub text: Arc<str>,
    /// The file it was read from, relative to which its bases are found; absent for text that is not from a file.
    pub path: Option<PathBuf>,
    /// The texts of bases that were read already, by their paths.
    #[serde(default)]
    pub bases: Arc<Shelf>,
}

impl Source {
    /// A file.
    pub fn file(path: impl Into<PathBuf>) -> Source {
        Source::File(path.into())
    }

    /// A file; what is no regular file, such as a pipe, is read now, since it may be read only once and may block.
    ///
    /// # Errors
    /// If it cannot be read, is too large to be a scenario, or is no text.
    pub fn file_or_stream(path: impl Into<PathBuf>) -> Result<Source, LabError> {
        let path = path.into();
        if path.is_file() || path.is_dir() || !path.exists() {
            return Ok(Source::File(path));
        }
        let text =
            String::from_utf8(read(&path)?).map_err(|error| io::Error::new(ErrorKind::InvalidData, error));
        Ok(Source::text_of(&path, text.map_err(|error| refused(&path, error))?))
    }

    /// Text in memory.
    pub fn text(name: impl Into<String>, text: impl Into<Arc<str>>) -> Source {
        Source::Text(SourceText { name: name.into(), text: text.into(), path: None, bases: Arc::default() })
    }

    /// The same scenario, which may name these policies.
    #[must_use]
    pub fn with_policies(self, policies: OutsidePolicies) -> Source {
        if policies == OutsidePolicies::default() {
            return self;
        }
        Source::WithPolicies { source: Box::new(self), policies }
    }

    /// Text from a shelf.
    pub(crate) fn shelved(path: impl Into<PathBuf>, shelf: Arc<Shelf>) -> Source {
        Source::Shelved { path: path.into(), shelf }
    }

    /// The current text of a file.
    pub(crate) fn text_of(path: &Path, text: impl Into<Arc<str>>) -> Source {
        let name = path.display().to_string();
        let path = Some(path.to_owned());
        Source::Text(SourceText { name, text: text.into(), path, bases: Arc::default() })
    }

    /// The file that it is or was read from.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Source::File(path) => Some(path),
            Source::Text(text) => text.path.as_deref(),
            Source::Shelved { .. } => None,
            Source::WithPolicies { source, .. } => source.path(),
        }
    }

    /// Its name in messages.
    pub fn name(&self) -> String {
        match self {
            Source::File(path) | Source::Shelved { path, .. } => path.display().to_string(),
            Source::Text(text) => text.name.clone(),
            Source::WithPolicies { source, .. } => source.name(),
        }
    }

    /// Its bytes.
    ///
    /// # Errors
    /// If it is not a readable file, or too large to be a scenario.
    pub fn read(&self) -> Result<Vec<u8>, LabError> {
        match self {
            Source::File(path) => read(path),
            Source::Text(text) => Ok(text.text.as_bytes().to_vec()),
            Source::Shelved { path, shelf } => {
                let text = shelf.get(path).ok_or_else(|| LabError::Missing(path.clone()))?;
                Ok(text.as_bytes().to_vec())
            }
            Source::WithPolicies { source, .. } => source.read(),
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, LabError> {
    let mut bytes = Vec::new();
    open(path)?.take(LIMIT + 1).read_to_end(&mut bytes).map_err(|error| refused(path, error))?;
    if bytes.len() as u64 > LIMIT {
        return Err(LabError::TooLarge { path: path.to_owned(), limit: LIMIT });
    }
    Ok(bytes)
}

/// Opens a file.
pub(crate) fn open(path: &Path) -> Result<File, LabError> {
    if path.is_dir() {
        return Err(LabError::NotAFile(path.to_owned()));
    }
    File::open(path).map_err(|error| refused(path, error))
}

fn refused(path: &Path, source: io::Error) -> LabError {
    match source.kind() {
        ErrorKind::NotFound => LabError::Missing(path.to_owned()),
        ErrorKind::IsADirectory => LabError::NotAFile(path.to_owned()),
        _ => LabError::Unreadable { path: path.to_owned(), source },
    }
}
