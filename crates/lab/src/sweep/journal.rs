//! The journal of a sweep: finished points of which no run folder is kept here, a line of JSON for each.
//!
//! Models: lines appended as points finish; read when the sweep is resumed.
//! Leaves out: points whose run folders are below the sweep's folder: these are their own evidence.
//!
//! Invariants: a line is written whole or ignored; lines of another build or of another scenario are ignored; a line that
//! could not be written is an error, so no finished point is lost silently.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use netloom_records::{Digest, FolderError};
use serde::{Deserialize, Serialize};

use super::points::PointReport;
use crate::error::LabError;

/// Name of the journal in the folder of a sweep.
pub const JOURNAL_FILE: &str = "points.jsonl";

/// A line.
#[derive(Serialize, Deserialize)]
struct Entry<R> {
    key: Digest,
    report: R,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    /// By key and by the part of the run that the figures are over.
    known: BTreeMap<(Digest, String), PointReport>,
    /// Lines that are not points, without the last one.
    pub n_unreadable: usize,
    file: Mutex<Option<File>>,
}

impl Journal {
    /// Reads the journal of a folder.
    pub fn open(folder: &Path) -> Result<Journal, LabError> {
        let path = folder.join(JOURNAL_FILE);
        let mut known = BTreeMap::new();
        let mut unreadable = 0;
        let mut is_last_unreadable = false;
        if path.is_file() {
            let file = File::open(&path).map_err(|source| refused("read the journal", &path, source))?;
            for line in BufReader::new(file).split(b'\n') {
                let line = line.map_err(|source| refused("read the journal", &path, source))?;
                unreadable += usize::from(is_last_unreadable);
                let entry = serde_json::from_slice::<Entry<PointReport>>(&line);
                is_last_unreadable = entry.is_err();
                if let Ok(entry) = entry {
                    let over = entry.report.summary.span.over.clone();
                    known.insert((entry.key, over), entry.report);
                }
            }
        }
        // The last line may be cut off by a kill or a full disk.
        Ok(Journal { path, known, n_unreadable: unreadable, file: Mutex::new(None) })
    }

    /// All finished points, with figures over any part of the run.
    pub fn points(&self) -> impl Iterator<Item = &PointReport> {
        self.known.values()
    }

    /// A finished point with figures over any part of the run.
    pub fn find_any(&self, key: Digest) -> Option<&PointReport> {
        self.known
            .range((key, String::new())..)
            .next()
            .filter(|(found, _)| found.0 == key)
            .map(|(_, report)| report)
    }

    /// The report of a finished point, with figures over this part of the run.
    pub fn find(&self, key: Digest, over: &str) -> Option<&PointReport> {
        self.known.get(&(key, over.to_owned()))
    }

    /// Appends a finished point.
    pub fn append(&self, key: Digest, report: &PointReport) -> Result<(), LabError> {
        let mut line = serde_json::to_vec(&Entry { key, report })
            .map_err(|error| LabError::Internal(format!("a point cannot be written as JSON: {error}")))?;
        line.push(b'\n');
        let mut slot = self.file.lock().map_err(|_| LabError::Internal("a journal's lock".to_owned()))?;
        let written = match &mut *slot {
            Some(file) => file.write_all(&line),
            None => opened(&self.path).and_then(|file| slot.insert(file).write_all(&line)),
        };
        // A message like that of a run folder on a full disk, which ends a sweep as well.
        written.map_err(|source| {
            let error = FolderError::Io { action: "write the journal", path: self.path.clone(), source };
            LabError::Storing(error.into())
        })
    }
}

/// Opens the journal to append to it; a last line without its end is cut off.
fn opened(path: &Path) -> std::io::Result<File> {
    let mut file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
    let (mut end, mut whole) = (0, 0);
    let mut reader = BufReader::new(&file);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        end += line.len() as u64;
        if line.last() == Some(&b'\n') {
            whole = end;
        }
        line.clear();
    }
    if whole < end {
        file.set_len(whole)?;
    }
    file.seek(SeekFrom::End(0))?;
    Ok(file)
}

fn refused(action: &'static str, path: &Path, source: std::io::Error) -> LabError {
    FolderError::Io { action, path: path.to_owned(), source }.into()
}
