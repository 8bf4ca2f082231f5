//! Rows to Arrow record batches and back.
//!
//! Models: the one mapping that files, the Python package and the report share. Leaves out: files.
//!
//! Invariants: `rows_of(record_batch(rows)) == rows` for every table; text in a batch is the names, as given.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};

use crate::column::SCHEMA_VERSION;
use crate::names::Names;
use crate::row::{Row, RowError};

/// Why a record batch cannot be converted to rows of a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// Its columns are not those of the table.
    #[error("the columns of table `{table}` are not those this version knows: {difference}")]
    Schema {
        /// The expected table.
        table: &'static str,
        /// The first difference.
        difference: String,
    },
    /// It contains a value that this program never writes.
    #[error("table `{table}`, row {row}: a value no run writes, in column: {column}")]
    Value {
        /// The table.
        table: &'static str,
        /// The row.
        row: usize,
        /// The column.
        column: &'static str,
    },
}

/// Rows as Arrow columns with their names.
///
/// # Errors
/// If a value is too large or a name is missing.
pub fn record_batch<R: Row>(rows: &[R], names: &Names) -> Result<RecordBatch, RowError> {
    let mut columns = R::arrays(rows)?;
    for nth in 0..R::NAMES.len() {
        let named: Result<Vec<&str>, RowError> = rows.iter().map(|row| row.name(nth, names)).collect();
        columns.push(Arc::new(StringArray::from(named?)));
    }
    let schema = Arc::new(R::SPEC.schema());
    Ok(RecordBatch::try_new(schema, columns).expect("columns and schema come from one table"))
}

/// Reads rows from Arrow columns.
///
/// # Errors
/// If the columns are not those of the table, or contain a value that this program never writes.
pub fn rows_of<R: Row>(batch: &RecordBatch) -> Result<Vec<R>, BatchError> {
    let table = R::TABLE.name();
    if let Some(difference) = R::SPEC.difference(&batch.schema(), SCHEMA_VERSION) {
        return Err(BatchError::Schema { table, difference });
    }
    let mut rows = Vec::new();
    R::decode(batch.columns(), &mut rows).map_err(|bad| BatchError::Value {
        table,
        row: bad.row,
        column: bad.column,
    })?;
    Ok(rows)
}

/// The columns of names in a batch whose schema was checked.
pub(crate) fn name_columns<R: Row>(batch: &RecordBatch) -> Vec<&StringArray> {
    let first = R::SPEC.columns.len() - R::NAMES.len();
    batch.columns()[first..].iter().map(text).collect()
}

fn text(column: &ArrayRef) -> &StringArray {
    column.as_any().downcast_ref().expect("the schema was checked")
}
