//! Reading a run folder.
//!
//! Models: the manifest; tables as Arrow batches, as rows, and as whole vectors.
//! Leaves out: whether the rows match the manifest (`verify`); only their number is checked.
//!
//! Invariants: any folder content gives rows or an error; an incomplete run is never read.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use serde_json::Value;

use crate::column::SCHEMA_VERSION;
use crate::convert::{BatchError, name_columns, rows_of};
use crate::digest::TableSummary;
use crate::folder::bounded::{read_bounded, refuse_irregular};
use crate::folder::guard::{Panicked, guard};
use crate::folder::{INCOMPLETE_FILE, MANIFEST_FILE, ReadError, SWEEP_FILE};
use crate::manifest::Manifest;
use crate::names::{Family, Names};
use crate::registry::Table;
use crate::row::Row;
use crate::rows::{
    ArbitrationRow, CauseRow, CellRow, ClassRow, CollectiveRow, CongestedFlowRow, CongestionRow, DropRow,
    EventRow, FaultRow, FlowRow, JobRow, MeasureRow, PacketRow, PathRow, PortRow, RateRow, ReorderingRow,
    RepairRow, RingRow, SeriesRow, SignalRow, SpanRow, SpuriousTimeoutRow, StageRow, StepRow, TallyRow,
    TrafficRow,
};

/// Rows per batch read.
const BLOCK: usize = 8_192;

/// A complete run folder.
#[derive(Debug, Clone)]
pub struct RunFolder {
    path: PathBuf,
    manifest: Manifest,
}

impl RunFolder {
    /// Opens a complete run folder.
    ///
    /// # Errors
    /// If it is not a run folder, or is incomplete, or its manifest cannot be parsed.
    pub fn open(path: &Path) -> Result<RunFolder, ReadError> {
        check_folder(path)?;
        let value = read_manifest_value(path)?;
        let manifest = parse_manifest(path, value)?;
        Ok(RunFolder { path: path.to_owned(), manifest })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// A table as Arrow batches.
    ///
    /// # Errors
    /// If the file is missing or damaged, has other columns, or does not have the number of rows stated in the
    /// manifest.
    pub fn batches(&self, table: Table) -> Result<BatchReader, ReadError> {
        self.checked(table, BLOCK)
    }

    /// As [`RunFolder::batches`], with at most `block` rows in each.
    fn checked(&self, table: Table, block: usize) -> Result<BatchReader, ReadError> {
        let reader = BatchReader::open(&self.path, table, self.manifest.schema, block)?;
        match self.manifest.tables.get(table.name()) {
            Some(TableSummary { rows: stated, .. }) if reader.n_rows != *stated => Err(ReadError::Rows {
                table: table.name(),
                found: reader.n_rows,
                stated: *stated,
                path: reader.path,
            }),
            _ => Ok(reader),
        }
    }

    /// A table as Arrow batches, with any number of rows.
    pub(crate) fn batches_as_they_are(&self, table: Table) -> Result<BatchReader, ReadError> {
        BatchReader::open(&self.path, table, self.manifest.schema, BLOCK)
    }

    /// A table as one Arrow batch, each column in one piece of memory.
    ///
    /// # Errors
    /// As [`RunFolder::batches`].
    pub fn whole(&self, table: Table) -> Result<RecordBatch, ReadError> {
        let mut reader = self.checked(table, usize::MAX)?;
        let empty = || RecordBatch::new_empty(Arc::new(table.spec().schema()));
        let whole = reader.next().unwrap_or_else(|| Ok(empty()))?;
        if whole.num_rows() as u64 == reader.n_rows {
            return Ok(whole);
        }
        Err(damaged(table, &reader.path, &"it has fewer rows than it states"))
    }

    /// A table as rows, block by block.
    ///
    /// # Errors
    /// As [`RunFolder::batches`].
    pub fn rows<R: Row>(&self) -> Result<RowReader<R>, ReadError> {
        Ok(RowReader { batches: self.batches(R::TABLE)?, row: PhantomData })
    }

    fn all<R: Row>(&self) -> Result<Vec<R>, ReadError> {
        let mut all = Vec::new();
        for block in self.rows::<R>()? {
            all.append(&mut block?);
        }
        Ok(all)
    }

    /// Names of nodes, links, jobs, staged flows, kinds of traffic and collectives, as far as tables contain them; gaps
    /// are empty.
    ///
    /// # Errors
    /// As [`RunFolder::batches`].
    pub fn names(&self) -> Result<Names, ReadError> {
        let mut names = Names::default();
        self.collect_names::<PortRow>(&mut names)?;
        self.collect_names::<FaultRow>(&mut names)?;
        self.collect_names::<JobRow>(&mut names)?;
        // Folders of earlier versions lack these tables.
        if self.manifest.tables.contains_key(Table::Stages.name()) {
            self.collect_names::<StageRow>(&mut names)?;
        }
        if self.manifest.tables.contains_key(Table::Traffic.name()) {
            self.collect_names::<TrafficRow>(&mut names)?;
        }
        if self.manifest.tables.contains_key(Table::Cells.name()) {
            self.collect_names::<CellRow>(&mut names)?;
        }
        Ok(names)
    }

    fn collect_names<R: Row>(&self, names: &mut Names) -> Result<(), ReadError> {
        for batch in self.batches(R::TABLE)? {
            let batch = batch?;
            let rows = self.decode::<R>(&batch)?;
            for (nth, column) in name_columns::<R>(&batch).into_iter().enumerate() {
                let family: Family = R::NAMES[nth];
                for (index, row) in rows.iter().enumerate() {
                    names.set(family, row.name_id(nth), column.value(index));
                }
            }
        }
        Ok(())
    }

    fn decode<R: Row>(&self, batch: &RecordBatch) -> Result<Vec<R>, ReadError> {
        decode(batch, &self.path.join(R::TABLE.file_name()))
    }
}

macro_rules! whole_tables {
    ($($table:ident $row:ident;)*) => {
        /// Whole tables.
        impl RunFolder {
            $(
                #[doc = concat!("All rows of table `", stringify!($table), "`.")]
                ///
                /// # Errors
                /// If the file is missing or damaged, or has other columns.
                pub fn $table(&self) -> Result<Vec<$row>, ReadError> {
                    self.all()
                }
            )*
        }
    };
}

whole_tables! {
    flows FlowRow;
    collectives CollectiveRow;
    steps StepRow;
    jobs JobRow;
    ports PortRow;
    series SeriesRow;
    drops DropRow;
    faults FaultRow;
    packets PacketRow;
    paths PathRow;
    repairs RepairRow;
    signals SignalRow;
    rates RateRow;
    stages StageRow;
    congestion CongestionRow;
    congested_flows CongestedFlowRow;
    classes ClassRow;
    traffic TrafficRow;
    events EventRow;
    reordering ReorderingRow;
    measures MeasureRow;
    tallies TallyRow;
    spans SpanRow;
    arbitration ArbitrationRow;
    spurious_timeouts SpuriousTimeoutRow;
    rings RingRow;
    cells CellRow;
    causes CauseRow;
}

/// The Arrow batches of a table.
pub struct BatchReader {
    table: Table,
    path: PathBuf,
    /// Number of rows according to the file.
    n_rows: u64,
    /// Version of the tables of the run.
    version: u32,
    /// `None` after a panic of the library.
    inner: Option<ParquetRecordBatchReader>,
}

impl BatchReader {
    fn open(folder: &Path, table: Table, version: u32, block: usize) -> Result<BatchReader, ReadError> {
        let path = folder.join(table.file_name());
        let opened = refuse_irregular(&path).and_then(|()| File::open(&path));
        let file = opened.map_err(|source| match source.kind() {
            ErrorKind::NotFound => ReadError::TableMissing { table: table.name(), path: path.clone() },
            _ => ReadError::Io { path: path.clone(), source },
        })?;
        let opened = guard(|| open_parquet(file, (table, version), block, &path));
        let opened = opened.unwrap_or_else(|Panicked| Err(damaged(table, &path, &"its description")));
        let (inner, n_rows) = opened?;
        Ok(BatchReader { table, path, n_rows, version, inner: Some(inner) })
    }

    /// The path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Iterator for BatchReader {
    type Item = Result<RecordBatch, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let inner = self.inner.as_mut()?;
        let Ok(next) = guard(|| inner.next()) else {
            self.inner = None;
            return Some(Err(damaged(self.table, &self.path, &"its pages")));
        };
        let batch = next?.map_err(|error| damaged(self.table, &self.path, &error));
        Some(batch.map(|batch| upgraded(batch, self.table, self.version)))
    }
}

/// Gives a batch of an earlier version the names and columns of this one; columns added since are zero.
fn upgraded(batch: RecordBatch, table: Table, version: u32) -> RecordBatch {
    if version == SCHEMA_VERSION {
        return batch;
    }
    let spec = table.spec();
    let added = &spec.columns[spec.of_version(version).columns.len()..];
    let mut columns = batch.columns().to_vec();
    columns.extend(added.iter().map(|column| column.storage.zeros(batch.num_rows())));
    RecordBatch::try_new(Arc::new(spec.schema()), columns)
        .expect("the columns found were checked, the others follow the table")
}

/// Opens a Parquet file by its own schema and adds the metadata of this version; also returns the number of rows.
///
/// The copy of the Arrow schema in the file is ignored: the library panics if it is damaged, and other programs that
/// rewrite a table put other, equivalent types there.
fn open_parquet(
    file: File,
    (table, version): (Table, u32),
    block: usize,
    path: &Path,
) -> Result<(ParquetRecordBatchReader, u64), ReadError> {
    let spec = table.spec().of_version(version);
    let damaged = |error: ParquetError| damaged(table, path, &error);
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let stored = ArrowReaderMetadata::load(&file, options.clone()).map_err(damaged)?;
    if let Some(difference) = spec.difference(stored.schema(), version) {
        let error = BatchError::Schema { table: table.name(), difference };
        return Err(ReadError::Batch { error, path: path.to_owned() });
    }
    let options = options.with_schema(Arc::new(spec.schema_as_stored(stored.schema())));
    let known = ArrowReaderMetadata::try_new(stored.metadata().clone(), options).map_err(damaged)?;
    let n_rows = known.metadata().file_metadata().num_rows();
    let n_rows =
        u64::try_from(n_rows).map_err(|_| self::damaged(table, path, &"a negative number of rows"))?;
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, known);
    Ok((builder.with_batch_size(block).build().map_err(damaged)?, n_rows))
}

/// The rows of a table, block by block.
pub struct RowReader<R> {
    batches: BatchReader,
    row: PhantomData<R>,
}

impl<R: Row> Iterator for RowReader<R> {
    type Item = Result<Vec<R>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.batches.next()?;
        Some(batch.and_then(|batch| decode(&batch, &self.batches.path)))
    }
}

pub(crate) fn decode<R: Row>(batch: &RecordBatch, path: &Path) -> Result<Vec<R>, ReadError> {
    rows_of(batch).map_err(|error| ReadError::Batch { error, path: path.to_owned() })
}

fn damaged(table: Table, path: &Path, error: &impl ToString) -> ReadError {
    ReadError::Damaged { table: table.name(), path: path.to_owned(), detail: error.to_string() }
}

fn check_folder(path: &Path) -> Result<(), ReadError> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => {}
        Ok(_) => return Err(ReadError::File(path.to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(ReadError::Missing(path.to_owned()));
        }
        Err(source) => return Err(ReadError::Io { path: path.to_owned(), source }),
    }
    if path.join(INCOMPLETE_FILE).exists() {
        return Err(ReadError::Incomplete(path.to_owned()));
    }
    Ok(())
}

/// The manifest as JSON, if it is one of netloom's.
pub(crate) fn read_manifest_value(folder: &Path) -> Result<Value, ReadError> {
    let path = folder.join(MANIFEST_FILE);
    let bytes = match read_bounded(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(no_manifest(folder)),
        Err(source) => return Err(ReadError::Io { path, source }),
    };
    let value: Value = serde_json::from_slice(&bytes)
        .map_err(|error| ReadError::Manifest { path, detail: error.to_string() })?;
    if value.get("netloom").is_none() || value.get("schema").is_none() {
        return Err(ReadError::Foreign(folder.to_owned()));
    }
    Ok(value)
}

/// Tables without a manifest belong to an interrupted run, a plan to a sweep; anything else is no run folder.
fn no_manifest(folder: &Path) -> ReadError {
    let has_table = Table::ALL.iter().any(|table| folder.join(table.file_name()).exists());
    if has_table {
        ReadError::Incomplete(folder.to_owned())
    } else if folder.join(SWEEP_FILE).exists() {
        ReadError::Sweep(folder.to_owned())
    } else {
        ReadError::Foreign(folder.to_owned())
    }
}

/// The version is checked first, since a newer manifest need not have the fields of this one.
fn parse_manifest(folder: &Path, value: Value) -> Result<Manifest, ReadError> {
    let version = value.get("schema").and_then(Value::as_u64).unwrap_or(0);
    let found = u32::try_from(version).unwrap_or(u32::MAX);
    if found > SCHEMA_VERSION {
        return Err(ReadError::Newer { path: folder.to_owned(), found });
    }
    serde_json::from_value(value)
        .map_err(|error| ReadError::Manifest { path: folder.join(MANIFEST_FILE), detail: error.to_string() })
}
