//! Tables of a run as comma-separated values: one file per table, and one that describes their columns.
//!
//! Models: a folder with `<table>.csv`, whose heading holds the plain names of the columns, and `columns.csv` with
//! table, column, unit and meaning.
//! Leaves out: the manifest.
//!
//! Invariants: the folder appears complete or not at all; a folder is replaced only if it holds nothing but such files;
//! rows are read and written block by block.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use netloom_records::csv::{CSV_COLUMNS_HEAD, csv_columns, csv_head, csv_lines};
use netloom_records::{Overwrite, RunFolder, Table, fresh};
use serde::Serialize;

use super::ExportError;
use super::location::{NewFile, refused};
use crate::error::LabError;

/// Name of the file that describes the columns.
const COLUMNS: &str = "columns.csv";

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CsvReport {
    /// Table by table, in the order of the run folder.
    pub tables: Vec<CsvTable>,
}

/// A table that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CsvTable {
    /// Its name.
    pub table: &'static str,
    /// Number of rows.
    pub rows: u64,
}

/// Writes tables of a run folder into a new folder; all of them if `tables` is empty.
///
/// # Errors
/// If the folder is no complete run, lacks a table, or cannot be read; if the destination exists and may not or cannot
/// be replaced; if the operating system reports an error.
pub fn csv(
    run: &Path,
    tables: &[String],
    location: &Path,
    overwrite: Overwrite,
) -> Result<CsvReport, LabError> {
    let run = RunFolder::open(run)?;
    let tables = chosen(&run, tables)?;
    check(location, overwrite)?;
    let draft = Draft::make(location)?;
    let mut report = CsvReport { tables: Vec::new() };
    let mut columns = CSV_COLUMNS_HEAD.to_owned();
    for table in tables {
        let rows = write(&run, table, &draft.folder)?;
        report.tables.push(CsvTable { table: table.name(), rows });
        columns.push_str(&csv_columns(table.spec()));
    }
    let mut file = NewFile::create(&draft.folder.join(COLUMNS), Overwrite::Replace)?;
    file.write(columns.as_bytes())?;
    file.finish()?;
    draft.finish(location)?;
    Ok(report)
}

/// The requested tables, in the order of the run folder.
fn chosen(run: &RunFolder, names: &[String]) -> Result<BTreeSet<Table>, LabError> {
    let has = |table: &Table| run.manifest().tables.contains_key(table.name());
    if names.is_empty() {
        return Ok(Table::ALL.iter().copied().filter(has).collect());
    }
    let unknown = |name: &String| {
        let known: Vec<&str> = Table::ALL.iter().map(|table| table.name()).collect();
        ExportError::NoTable { name: name.clone(), known: known.join(", ") }
    };
    let find = |name: &String| {
        let table = Table::from_name(name).ok_or_else(|| unknown(name))?;
        if has(&table) {
            return Ok(table);
        }
        let version = run.manifest().netloom.clone();
        Err(ExportError::Lacking { table: table.name(), version, path: run.path().to_owned() })
    };
    let mut found = BTreeSet::new();
    let mut errors: Vec<LabError> = Vec::new();
    for answer in names.iter().map(find) {
        match answer {
            Ok(table) => drop(found.insert(table)),
            Err(error) => errors.push(error.into()),
        }
    }
    if errors.is_empty() { Ok(found) } else { Err(LabError::several(errors)) }
}

fn write(run: &RunFolder, table: Table, folder: &Path) -> Result<u64, LabError> {
    let mut file = NewFile::create(&folder.join(file_name(table)), Overwrite::Replace)?;
    let mut text = csv_head(table.spec());
    let mut rows = 0;
    for batch in run.batches(table)? {
        let batch = batch?;
        rows += batch.num_rows() as u64;
        csv_lines(&batch, &mut text);
        file.write(text.as_bytes())?;
        text.clear();
    }
    file.write(text.as_bytes())?;
    file.finish()?;
    Ok(rows)
}

fn file_name(table: Table) -> String {
    format!("{}.csv", table.name())
}

/// Checks whether a folder may be created here.
fn check(location: &Path, overwrite: Overwrite) -> Result<(), ExportError> {
    let entries = match fs::read_dir(location) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Err(ExportError::File(location.to_owned()));
        }
        Err(error) => return Err(refused(location)(error)),
    };
    let names = entries.map(|entry| entry.map(|entry| entry.file_name())).collect::<Result<Vec<_>, _>>();
    let names = names.map_err(refused(location))?;
    if names.is_empty() {
        return Ok(());
    }
    let is_own_temporary = |name: &std::ffi::OsString| {
        let stem = name.to_str().and_then(|name| name.strip_suffix(".csv"));
        name == COLUMNS || stem.is_some_and(|stem| Table::from_name(stem).is_some())
    };
    if !names.iter().any(|name| name == COLUMNS) || !names.iter().all(is_own_temporary) {
        return Err(ExportError::Foreign(location.to_owned()));
    }
    match overwrite {
        Overwrite::Refuse => Err(ExportError::Exists(location.to_owned())),
        Overwrite::Replace => Ok(()),
    }
}

/// A folder being written, next to its destination.
struct Draft {
    folder: PathBuf,
}

impl Draft {
    fn make(location: &Path) -> Result<Draft, ExportError> {
        let location = whole(location)?;
        if let Some(above) = location.parent() {
            fs::create_dir_all(above).map_err(refused(above))?;
        }
        let (folder, ()) =
            fresh(&location, "draft", |folder| fs::create_dir(folder)).map_err(refused(&location))?;
        Ok(Draft { folder })
    }

    /// Renames it to its final name; a folder that was there is then removed.
    fn finish(self, location: &Path) -> Result<(), ExportError> {
        let location = whole(location)?;
        if !location.exists() {
            return fs::rename(&self.folder, &location).map_err(refused(&location));
        }
        // A rename may replace an empty folder.
        let (old, ()) = fresh(&location, "old", |old| fs::create_dir(old)).map_err(refused(&location))?;
        fs::rename(&location, &old).map_err(refused(&location))?;
        if let Err(error) = fs::rename(&self.folder, &location) {
            // The previous folder is still complete.
            let _ = fs::rename(&old, &location);
            return Err(refused(&location)(error));
        }
        clear(&old)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // A failure here does no harm: the next draft takes another name.
        let _ = clear(&self.folder);
    }
}

/// The path with a last part that is a name, which `.` is not.
fn whole(location: &Path) -> Result<PathBuf, ExportError> {
    if location.exists() {
        fs::canonicalize(location).map_err(refused(location))
    } else {
        Ok(location.to_owned())
    }
}

/// Removes a folder that an export wrote, if it is there.
///
/// Files are removed by name, so that no file is deleted that netloom did not write.
fn clear(folder: &Path) -> Result<(), ExportError> {
    if !folder.exists() {
        return Ok(());
    }
    for name in Table::ALL.iter().map(|table| file_name(*table)).chain([COLUMNS.to_owned()]) {
        let path = folder.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(refused(&path)(error)),
            _ => {}
        }
    }
    fs::remove_dir(folder).map_err(|error| match error.kind() {
        ErrorKind::DirectoryNotEmpty => ExportError::Foreign(folder.to_owned()),
        _ => refused(folder)(error),
    })
}
