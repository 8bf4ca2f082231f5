//! Writing one table as Parquet.
//!
//! Models: compressed row groups; the same rows and the same ends of row groups give the same bytes.
//! Leaves out: which rows, when a row group ends, and the digest.
//!
//! Invariants: memory is that of the open row group, and the metadata of those before it; the file is complete only after
//! `close`.

use std::error::Error;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use crate::column::{Column, Storage, TableSpec};
use crate::folder::FolderError;
use crate::folder::page_store::PagePool;

/// Fixed, not the library's name and version, so that the same rows give the same bytes after an upgrade, if possible.
pub(crate) const CREATED_BY: &str = "netloom";

/// The file of one table.
#[derive(Debug)]
pub(crate) struct TableFile<W: io::Write + Send> {
    path: PathBuf,
    writer: ArrowWriter<W>,
}

impl TableFile<File> {
    /// Creates the file, which must not exist; the pages of its open row group are in the pool.
    pub(crate) fn create(
        path: &Path,
        spec: &TableSpec,
        pool: &PagePool,
    ) -> Result<TableFile<File>, FolderError> {
        let made = File::create_new(path).map_err(FolderError::io("make the file", path))?;
        TableFile::new(made, path, spec, pool)
    }

    /// Writes the end of the file and waits until all of it is on disk.
    pub(crate) fn close(mut self) -> Result<(), FolderError> {
        self.end()?;
        let file = self.writer.inner();
        file.sync_all().map_err(FolderError::io("write the file to the disk", self.path))
    }
}

impl<W: io::Write + Send> TableFile<W> {
    pub(crate) fn new(out: W, path: &Path, spec: &TableSpec, pool: &PagePool) -> Result<Self, FolderError> {
        let schema = Arc::new(spec.schema());
        let options = ArrowWriterOptions::new()
            .with_properties(properties(spec))
            .with_page_store_factory(Arc::new(pool.clone()));
        let made = ArrowWriter::try_new_with_options(out, schema, options);
        Ok(TableFile { path: path.to_owned(), writer: made.map_err(write_error(path))? })
    }

    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), FolderError> {
        self.writer.write(batch).map_err(write_error(&self.path))
    }

    /// Size of the open row group as it would be written.
    pub(crate) fn open_bytes(&self) -> usize {
        self.writer.in_progress_size()
    }

    /// Closes the row group, which frees its memory.
    pub(crate) fn close_row_group(&mut self) -> Result<(), FolderError> {
        self.writer.flush().map_err(write_error(&self.path))
    }

    fn end(&mut self) -> Result<(), FolderError> {
        self.writer.finish().map(drop).map_err(write_error(&self.path))
    }
}

fn properties(spec: &TableSpec) -> WriterProperties {
    let level = ZstdLevel::try_new(1).expect("level 1 exists");
    let mut properties = WriterProperties::builder()
        .set_created_by(CREATED_BY.to_owned())
        .set_compression(Compression::ZSTD(level))
        .set_max_row_group_row_count(None)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        // Positions of pages, which no reader of whole columns needs, would stay in memory, too.
        .set_offset_index_disabled(true);
    for column in spec.columns.iter().filter(|column| is_integer(column)) {
        // For a million flows, delta encoding took 8 bytes and 0.36 us each, dictionary encoding 7 bytes and 0.51 us.
        let path = ColumnPath::from(column.name);
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
    }
    properties.build()
}

fn is_integer(column: &Column) -> bool {
    matches!(column.storage, Storage::Integer64 | Storage::Unsigned32 | Storage::Unsigned16)
}

/// The system's own error if there is one, since the library's wrapper does not help users.
fn write_error(path: &Path) -> impl FnOnce(ParquetError) -> FolderError {
    let path = path.to_owned();
    move |error| match io_error(&error) {
        Some(source) => FolderError::Io { action: "write the table", path, source },
        None => FolderError::Parquet { path, detail: error.to_string() },
    }
}

fn io_error(error: &ParquetError) -> Option<io::Error> {
    let inner = error.source()?.downcast_ref::<io::Error>()?;
    Some(match inner.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(inner.kind(), inner.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::record_batch;
    use crate::names::Names;
    use crate::row::Row;
    use crate::rows::StepRow;
    use netloom_units::Time;

    /// A disk with a limited number of free bytes.
    struct SmallDisk(usize);

    impl io::Write for SmallDisk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.0 < bytes.len() {
                return Err(io::Error::from(io::ErrorKind::StorageFull));
            }
            self.0 -= bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_is_an_error_that_names_the_file() {
        let rows: Vec<StepRow> = (0..1_000)
            .map(|step| StepRow { start: Time(0), end: Time(u64::from(step)), job: 0, step })
            .collect();
        let batch = record_batch(&rows, &Names::default()).unwrap();
        let path = Path::new("some/steps.parquet");
        let mut file = TableFile::new(SmallDisk(100), path, &StepRow::SPEC, &PagePool::default()).unwrap();
        let error = file.write(&batch).and_then(|()| file.end());
        let message = error.unwrap_err().to_string();
        assert_eq!(message, "cannot write the table (no storage space): some/steps.parquet");
    }
}
