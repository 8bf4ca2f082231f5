//! Columns: name, storage, unit and meaning, and the Arrow schema made of them.
//!
//! Models: what a reader of a table must know about a column to use it without this program.
//! Leaves out: values (`cell`), which columns exist (`rows`).
//!
//! Invariants: unit and meaning are in the metadata of every Arrow field, the sort order in that of the schema.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, StringArray, UInt16Array, UInt32Array};
use arrow_schema::{DataType, Field, Schema};

use crate::registry::Table;

/// Version of the set of tables and columns; a reader refuses a newer one.
pub const SCHEMA_VERSION: u32 = 4;

/// Columns added to the end of a table later: the table, and the version that added them. For earlier runs, which did
/// not record them, they are read as zero.
const ADDED: &[(Table, u32)] = &[(Table::Series, 2), (Table::Series, 2)];

/// Columns that version 4 renamed: the table, the earlier name and the present one.
const RENAMED_IN_4: &[(Table, &str, &str)] = &[
    (Table::Repairs, "again", "retransmitted"),
    (Table::Repairs, "nacks_blocked", "nacks_suppressed"),
    (Table::Repairs, "nacks_made", "nacks_generated"),
    (Table::Repairs, "notified", "notifications"),
    (Table::Signals, "nacks_blocked", "nacks_suppressed"),
    (Table::Signals, "nacks_made", "nacks_generated"),
    (Table::Rates, "again", "retransmitted"),
    (Table::Rates, "notified", "notifications"),
    (Table::Stages, "judged", "measured_from"),
    (Table::Congestion, "starved", "credit_stalled"),
    (Table::Congestion, "held", "blocked_size"),
    (Table::Events, "noticed", "detected"),
    (Table::Reordering, "late_again", "late_retransmitted"),
    (Table::Reordering, "held_packets", "buffered_packets"),
    (Table::Reordering, "held_size", "buffered_size"),
    (Table::Reordering, "back_one", "extent_1"),
    (Table::Reordering, "back_two", "extent_2"),
    (Table::Reordering, "back_four", "extent_4"),
    (Table::Reordering, "back_eight", "extent_8"),
    (Table::Reordering, "back_sixteen", "extent_16"),
    (Table::Reordering, "back_thirty_two", "extent_32"),
    (Table::Reordering, "back_sixty_four", "extent_64"),
    (Table::Reordering, "back_more", "extent_128"),
    (Table::Tallies, "again", "retransmitted"),
    (Table::Tallies, "notified", "notifications"),
    (Table::Tallies, "on_pairs", "on_queue_pairs"),
    (Table::Arbitration, "longest", "longest_wait"),
];

/// How the values of a column are stored.
///
/// Quantities of 64 bits are stored signed, because users subtract columns from one another and an unsigned difference
/// wraps around silently in most data frame libraries; 2^63 ps are 106 days, longer than any run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// Signed 64-bit integer, never negative.
    Integer64,
    /// Unsigned 32-bit integer.
    Unsigned32,
    /// Unsigned 16-bit integer.
    Unsigned16,
    /// Double.
    Float64,
    /// True or false.
    Flag,
    /// UTF-8 text.
    Text,
}

impl Storage {
    /// The Arrow type.
    pub fn data_type(self) -> DataType {
        match self {
            Storage::Integer64 => DataType::Int64,
            Storage::Unsigned32 => DataType::UInt32,
            Storage::Unsigned16 => DataType::UInt16,
            Storage::Float64 => DataType::Float64,
            Storage::Flag => DataType::Boolean,
            Storage::Text => DataType::Utf8,
        }
    }

    /// An array of `count` zeros, or empty texts.
    pub(crate) fn zeros(self, count: usize) -> ArrayRef {
        match self {
            Storage::Integer64 => Arc::new(Int64Array::from(vec![0; count])),
            Storage::Unsigned32 => Arc::new(UInt32Array::from(vec![0; count])),
            Storage::Unsigned16 => Arc::new(UInt16Array::from(vec![0; count])),
            Storage::Float64 => Arc::new(Float64Array::from(vec![0.0; count])),
            Storage::Flag => Arc::new(BooleanArray::from(vec![false; count])),
            Storage::Text => Arc::new(StringArray::from(vec![""; count])),
        }
    }
}

/// One column of one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name, unique in the table.
    pub name: &'static str,
    /// How values are stored.
    pub storage: Storage,
    /// Whether values may be absent.
    pub nullable: bool,
    /// The unit, or the kind of number or word.
    pub unit: &'static str,
    /// One line for users.
    pub meaning: &'static str,
}

impl Column {
    fn field(&self) -> Field {
        let metadata = [("unit", self.unit), ("meaning", self.meaning)];
        Field::new(self.name, self.storage.data_type(), self.nullable).with_metadata(owned(metadata))
    }
}

/// One table: the source of documentation, schema and readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableSpec {
    /// The table.
    pub table: Table,
    /// One line: what a row is.
    pub meaning: &'static str,
    /// The columns rows are sorted by.
    pub sorted_by: &'static str,
    /// The columns, in stored order.
    pub columns: &'static [Column],
}

impl TableSpec {
    /// The Arrow schema with its metadata.
    pub fn schema(&self) -> Schema {
        let fields: Vec<Field> = self.columns.iter().map(Column::field).collect();
        let version = SCHEMA_VERSION.to_string();
        let metadata = [
            ("table", self.table.name()),
            ("meaning", self.meaning),
            ("sorted_by", self.sorted_by),
            ("schema", &version),
        ];
        Schema::new_with_metadata(fields, owned(metadata))
    }

    /// The schema with names and nullability as stored: in earlier versions some columns had other names, and some were
    /// never null.
    pub(crate) fn schema_as_stored(&self, stored: &Schema) -> Schema {
        let schema = self.schema();
        let both = schema.fields().iter().zip(stored.fields());
        let as_stored = |(own, found): (&Arc<Field>, &Arc<Field>)| {
            own.as_ref().clone().with_name(found.name()).with_nullable(found.is_nullable())
        };
        let fields: Vec<Field> = both.map(as_stored).collect();
        Schema::new_with_metadata(fields, schema.metadata)
    }

    /// The table with the columns that runs of a version have.
    pub(crate) fn of_version(&self, version: u32) -> TableSpec {
        let n_later = ADDED.iter().filter(|&&(table, since)| table == self.table && since > version).count();
        TableSpec { columns: &self.columns[..self.columns.len() - n_later], ..*self }
    }

    fn schema_of_version(&self, version: u32) -> Schema {
        let schema = self.schema();
        let named = |field: &Arc<Field>| {
            let name = name_of_version(self.table, field.name(), version);
            field.as_ref().clone().with_name(name)
        };
        let fields: Vec<Field> = schema.fields().iter().map(named).collect();
        Schema::new_with_metadata(fields, schema.metadata)
    }

    /// Reports how the schema of a table stored in a version differs from this table's, if it does.
    ///
    /// Meanings are not compared: their wording may change without a new schema version.
    pub(crate) fn difference(&self, found: &Schema, version: u32) -> Option<String> {
        let expected = self.schema_of_version(version);
        for (index, field) in expected.fields().iter().enumerate() {
            let Some(other) = found.fields().get(index) else {
                return Some(format!("a column is missing: {}", field.name()));
            };
            if let Some(difference) = field_difference(field, other) {
                return Some(difference);
            }
        }
        let extra = found.fields().get(expected.fields().len())?;
        Some(format!("there is a column too many: {}", extra.name()))
    }
}

/// The name of a column in runs of a version.
fn name_of_version(table: Table, name: &str, version: u32) -> &str {
    let renamed = RENAMED_IN_4.iter().find(|&&(in_table, _, present)| in_table == table && present == name);
    match renamed {
        Some(&(_, earlier, _)) if version < 4 => earlier,
        _ => name,
    }
}

fn field_difference(expected: &Field, found: &Field) -> Option<String> {
    let name = expected.name();
    if name != found.name() {
        return Some(format!("column `{}` stands in the place of: {name}", found.name()));
    }
    if expected.data_type() != found.data_type() {
        let (is, should) = (found.data_type(), expected.data_type());
        return Some(format!("column `{name}` is not of type {should} but: {is}"));
    }
    // Columns that were never null in earlier versions may be nullable in later ones.
    if found.is_nullable() && !expected.is_nullable() {
        return Some(format!("column `{name}` has absent values, which it never has: {found}"));
    }
    // Data frame libraries drop metadata; a unit that is present must be the right one.
    let unit = |field: &Field| field.metadata().get("unit").cloned();
    let (should, is) = (unit(expected)?, unit(found)?);
    (is != should).then(|| format!("column `{name}` is not in `{should}` but: {is}"))
}

/// Arrow's form of metadata; it is only looked up and written in sorted order, never iterated here.
pub(crate) fn owned<const N: usize>(pairs: [(&str, &str); N]) -> HashMap<String, String> {
    pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).into()
}
