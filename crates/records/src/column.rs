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
pub const SCHEMA_VERSION: u32 = 3;

/// Columns added to the end of a table later: the table, and the version that added them. For earlier runs, which did
/// not record them, they are read as zero.
const ADDED: &[(Table, u32)] = &[(Table::Series, 2), (Table::Series, 2)];

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

    /// The schema, with nullability as stored: in earlier versions some columns were never null.
    pub(crate) fn schema_as_stored(&self, stored: &Schema) -> Schema {
        let schema = self.schema();
        let both = schema.fields().iter().zip(stored.fields());
        let fields: Vec<Field> =
            both.map(|(own, found)| own.as_ref().clone().with_nullable(found.is_nullable())).collect();
        Schema::new_with_metadata(fields, schema.metadata)
    }

    /// The table as in runs of a version.
    pub(crate) fn of_version(&self, version: u32) -> TableSpec {
        let n_later = ADDED.iter().filter(|&&(table, since)| table == self.table && since > version).count();
        TableSpec { columns: &self.columns[..self.columns.len() - n_later], ..*self }
    }

    /// Reports how a schema differs from this table's, if it does.
    ///
    /// Meanings are not compared: their wording may change without a new schema version.
    pub(crate) fn difference(&self, found: &Schema) -> Option<String> {
        let expected = self.schema();
        for (place, field) in expected.fields().iter().enumerate() {
            let Some(other) = found.fields().get(place) else {
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
