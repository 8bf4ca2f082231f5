//! Writing a run folder during the run.
//!
//! Models: rows collected into blocks, hashed, and streamed into one Parquet file per table; the manifest at the end.
//! Leaves out: the source of the rows.
//!
//! Invariants: memory does not grow with the number of rows, but for the metadata of row groups, about a thousandth of what
//! is written; the folder has the marker of an unfinished run until every table and the manifest are on disk;
//! after an error nothing more is written and the marker stays.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::convert::record_batch;
use crate::digest::Digester;
use crate::folder::mark::FolderClaim;
use crate::folder::marker::sync_folder;
use crate::folder::page_store::PagePool;
use crate::folder::table_file::TableFile;
use crate::folder::{FolderError, MANIFEST_DRAFT, MANIFEST_FILE};
use crate::manifest::{Manifest, RunSummary};
use crate::names::Names;
use crate::registry::{Batch, MemorySink, RowsVisitor, Table, TableVisitor};
use crate::row::Row;
use crate::sink::{Sink, SinkError};

/// Rows are passed to Parquet in blocks of this size, since small batches cost much more per row.
const BLOCK: usize = 8_192;

/// Beyond this size of the open row groups of all tables together, as they would be written, one is closed. One limit for
/// each table would let a long run grow for hours, until the row group of its slowest table is full. Small row groups cost
/// more memory than they save: the metadata of the columns of a closed one stays until the file is complete, some 700
/// bytes for each.
const OPEN_BYTES: usize = 32 << 20;

/// What to do if a complete run exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overwrite {
    /// Leave it unchanged and fail.
    #[default]
    Refuse,
    /// Overwrite it. It is lost at once, not only when the new run ends.
    Replace,
}

/// Writes a run folder.
#[derive(Debug)]
pub struct FolderSink {
    folder: PathBuf,
    mark: FolderClaim,
    names: Names,
    pending: MemorySink,
    digester: Digester,
    files: Vec<TableFile<File>>,
    /// Bytes put into row groups so far.
    n_bytes: u64,
    /// The same when the open row group of each table began.
    began_at: Vec<u64>,
    given_up: Option<String>,
}

impl FolderSink {
    /// Claims the folder, creating it if necessary, and creates the files of all tables in it.
    ///
    /// A folder with an unfinished run that no process is writing any more is cleared and used.
    ///
    /// # Errors
    /// If a complete run exists and must not be replaced, if another run is being written there, if the folder
    /// holds something else, or if the system fails.
    pub fn create(folder: &Path, names: Names, overwrite: Overwrite) -> Result<FolderSink, FolderError> {
        let mark = FolderClaim::claim(folder, overwrite)?;
        let pool = PagePool::default();
        let make = |table: &Table| TableFile::create(&folder.join(table.file_name()), table.spec(), &pool);
        Ok(FolderSink {
            folder: folder.to_owned(),
            mark,
            names,
            pending: MemorySink::default(),
            digester: Digester::new(),
            files: Table::ALL.iter().map(make).collect::<Result<_, _>>()?,
            n_bytes: 0,
            began_at: vec![0; Table::ALL.len()],
            given_up: None,
        })
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Finishes tables and manifest, however the run ended, and marks the folder as complete.
    ///
    /// # Errors
    /// If a row was refused before, or the system fails; the folder stays marked as incomplete.
    pub fn finish(mut self, summary: RunSummary) -> Result<Manifest, FolderError> {
        if let Some(reason) = self.given_up {
            return Err(FolderError::Aborted(reason));
        }
        for table in Table::ALL {
            table.visit(&mut Flush(&mut self))?;
        }
        self.files.into_iter().try_for_each(TableFile::close)?;
        sync_folder(&self.folder)?;
        let manifest = Manifest::new(summary, self.digester.finish());
        write_manifest(&self.folder, &manifest)?;
        self.mark.lift()?;
        Ok(manifest)
    }

    /// Hashes and writes the pending rows of a table.
    fn flush<R: Row>(&mut self) -> Result<(), FolderError> {
        let mut rows = std::mem::take(R::stored(&mut self.pending));
        if rows.is_empty() {
            return Ok(());
        }
        let batch = record_batch(&rows, &self.names)?;
        let names = &self.names;
        self.digester.update(&rows, |slot, nth| rows[slot].name(nth, names))?;
        let file = &mut self.files[R::TABLE.index()];
        let before = file.open_bytes();
        file.write(&batch)?;
        self.n_bytes += file.open_bytes().saturating_sub(before) as u64;
        rows.clear();
        *R::stored(&mut self.pending) = rows;
        self.bound_memory()
    }

    /// Closes a row group if the open ones are too large: that with the largest product of size and age, the age in bytes
    /// put into all of them since it began.
    ///
    /// If the largest were closed, all would close at one size, however slowly they fill. So a row group that fills four
    /// times faster becomes twice as large, which for the same memory makes the fewest row groups.
    fn bound_memory(&mut self) -> Result<(), FolderError> {
        let open: usize = self.files.iter().map(TableFile::open_bytes).sum();
        if open <= OPEN_BYTES {
            return Ok(());
        }
        let product = |(file, began_at): (&TableFile<File>, &u64)| {
            file.open_bytes() as u128 * u128::from(self.n_bytes - began_at)
        };
        let products = self.files.iter().zip(&self.began_at).map(product);
        let (_, number) = products.zip(0..).max().expect("there are tables");
        self.began_at[number] = self.n_bytes;
        self.files[number].close_row_group()
    }
}

impl RowsVisitor for FolderSink {
    type Output = Result<(), FolderError>;

    fn rows<R: Row>(&mut self, rows: &[R]) -> Self::Output {
        for block in rows.chunks(BLOCK) {
            let pending = R::stored(&mut self.pending);
            pending.extend_from_slice(block);
            if pending.len() >= BLOCK {
                self.flush::<R>()?;
            }
        }
        Ok(())
    }
}

impl Sink for FolderSink {
    fn accept(&mut self, batch: Batch<'_>) -> Result<(), SinkError> {
        if let Some(reason) = &self.given_up {
            return Err(SinkError(reason.clone()));
        }
        batch.visit(self).map_err(|error| {
            self.given_up = Some(error.to_string());
            error.into()
        })
    }
}

/// Flushes every table that it visits.
struct Flush<'a>(&'a mut FolderSink);

impl TableVisitor for Flush<'_> {
    type Output = Result<(), FolderError>;

    fn table<R: Row>(&mut self) -> Self::Output {
        self.0.flush::<R>()
    }
}

fn write_manifest(folder: &Path, manifest: &Manifest) -> Result<(), FolderError> {
    let mut text = serde_json::to_string_pretty(manifest).expect("a manifest is JSON");
    text.push('\n');
    write_whole(&folder.join(MANIFEST_FILE), &folder.join(MANIFEST_DRAFT), text.as_bytes())
}

/// Writes a file that appears under its name atomically; it is written as `draft` first.
///
/// # Errors
/// If the system fails.
pub fn write_whole(path: &Path, draft: &Path, bytes: &[u8]) -> Result<(), FolderError> {
    let mut file = File::create(draft).map_err(FolderError::io("make the file", draft))?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    written.map_err(FolderError::io("write the file", draft))?;
    fs::rename(draft, path).map_err(FolderError::io("rename the file", path))
}
