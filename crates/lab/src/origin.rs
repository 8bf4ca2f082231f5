//! Finds the bases of a scenario, and the files of rows that it names: relative to it, in the file system or on the shelf that it is from.
//!
//! Leaves out: what is inherited, and in which order (crate `netloom-scenario`).
//!
//! Invariants: a base is a regular file, and so is a file of rows, so no scenario can make a run wait for a pipe or a
//! terminal.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{Cursor, Read};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use netloom_policy::balance::OutsidePolicies;
use netloom_scenario::Origin;

use crate::error::LabError;
use crate::source::{Shelf, Source, SourceText, open};

impl Origin for Source {
    fn name(&self) -> String {
        Source::name(self)
    }

    fn policies(&self) -> OutsidePolicies {
        match self {
            Source::WithPolicies { policies, .. } => policies.clone(),
            _ => OutsidePolicies::default(),
        }
    }

    fn base(&self, from: &str) -> Result<Source, String> {
        if let Source::WithPolicies { source, .. } = self {
            return source.base(from);
        }
        if let Source::Shelved { path, shelf } = self {
            return Ok(Source::shelved(plain(&beside(path, from)), Arc::clone(shelf)));
        }
        let path = self
            .path()
            .ok_or("a scenario that is not a file cannot inherit: there is no folder to find its base in")?;
        let path = beside(path, from);
        match self {
            Source::Text(SourceText { bases, .. }) if bases.contains_key(&plain(&path)) => {
                let (name, text) = (path.display().to_string(), Arc::clone(&bases[&plain(&path)]));
                let bases = Arc::clone(bases);
                Ok(Source::Text(SourceText { name, text, path: Some(path), bases }))
            }
            _ => Ok(Source::file(path)),
        }
    }

    fn read(&self) -> Result<Vec<u8>, String> {
        self.refuse_unreadable_kinds().and_then(|()| Source::read(self)).map_err(|error| error.to_string())
    }

    fn rows(&self, path: &str) -> Result<(String, Box<dyn Read>), String> {
        if let Source::WithPolicies { source, .. } = self {
            return source.rows(path);
        }
        if let Source::Shelved { path: own, shelf } = self {
            let found = plain(&beside(own, path));
            let text = shelf.get(&found).cloned();
            let text = text.ok_or_else(|| LabError::Missing(found.clone()).to_string())?;
            return Ok((found.display().to_string(), Box::new(Cursor::new(text.as_bytes().to_vec()))));
        }
        let own = self
            .path()
            .ok_or("a scenario that is not a file cannot name files: there is no folder to find them in")?;
        let source = Source::file(beside(own, path));
        let opened = source.refuse_unreadable_kinds().and_then(|()| source.open());
        Ok((Source::name(&source), Box::new(opened.map_err(|error| error.to_string())?)))
    }

    fn is_same(&self, other: &Source) -> bool {
        match (self, other) {
            (Source::WithPolicies { source, .. }, other) | (other, Source::WithPolicies { source, .. }) => {
                source.is_same(other)
            }
            (Source::Shelved { path: one, .. }, Source::Shelved { path: two, .. }) => one == two,
            _ => self.path().zip(other.path()).is_some_and(|(one, two)| is_same_file(one, two)),
        }
    }
}

/// A source that collects the texts of the bases that are read through it.
#[derive(Clone)]
pub(crate) struct CollectingSource {
    source: Source,
    bases: Rc<RefCell<Shelf>>,
}

impl CollectingSource {
    /// A scenario of which nothing has been read.
    pub fn new(source: Source) -> CollectingSource {
        CollectingSource { source, bases: Rc::default() }
    }

    /// The texts read so far, by their paths.
    pub fn bases(&self) -> Shelf {
        self.bases.borrow().clone()
    }
}

impl Origin for CollectingSource {
    fn name(&self) -> String {
        self.source.name()
    }

    fn policies(&self) -> OutsidePolicies {
        self.source.policies()
    }

    fn base(&self, from: &str) -> Result<Self, String> {
        Ok(CollectingSource { source: self.source.base(from)?, bases: Rc::clone(&self.bases) })
    }

    fn read(&self) -> Result<Vec<u8>, String> {
        let bytes = Origin::read(&self.source)?;
        // What is no text is refused by the reader of scenarios.
        if let (Some(path), Ok(text)) = (self.source.path(), str::from_utf8(&bytes)) {
            self.bases.borrow_mut().insert(plain(path), text.into());
        }
        Ok(bytes)
    }

    fn rows(&self, path: &str) -> Result<(String, Box<dyn Read>), String> {
        self.source.rows(path)
    }

    fn is_same(&self, other: &Self) -> bool {
        self.source.is_same(&other.source)
    }
}

/// A path relative to the folder of another.
fn beside(path: &Path, from: &str) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).join(from)
}

/// A path without `.` and `..`, as texts on a shelf are named.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            _ => plain.push(part),
        }
    }
    plain
}

impl Source {
    /// Opens its file.
    fn open(&self) -> Result<File, LabError> {
        open(self.path().unwrap_or(Path::new("")))
    }

    fn refuse_unreadable_kinds(&self) -> Result<(), LabError> {
        match self {
            // A missing file or a folder is refused with a better message when it is read.
            Source::File(path) => match fs::metadata(path) {
                Ok(found) if !found.is_file() && !found.is_dir() => Err(LabError::NotPlain(path.clone())),
                _ => Ok(()),
            },
            Source::Text(_) | Source::Shelved { .. } => Ok(()),
            Source::WithPolicies { source, .. } => source.refuse_unreadable_kinds(),
        }
    }
}

/// Whether two paths lead to the same file.
fn is_same_file(one: &Path, two: &Path) -> bool {
    match (one.canonicalize(), two.canonicalize()) {
        (Ok(one), Ok(two)) => one == two,
        _ => one == two,
    }
}
