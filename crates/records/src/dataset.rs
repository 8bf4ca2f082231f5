//! A table over many runs; its columns are defined when it is made.
//!
//! Models: columns of text, integers and doubles, each with unit and meaning, as Parquet and as CSV.
//! Leaves out: which columns exist; reading, which any Parquet library does.
//!
//! Invariants: unit and meaning are in the metadata of every Arrow field, as in the tables of a run; the same columns
//! give the same bytes; a number reads back from the CSV as the same number.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::column::owned;
use crate::csv::quoted;
use crate::folder::{CREATED_BY, FolderError, write_whole};

/// The values of a column, row by row; any may be absent.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Words and names.
    Text(Vec<Option<String>>),
    /// Integers; those of 2^63 and more cannot be stored and are absent.
    Whole(Vec<Option<u64>>),
    /// Doubles.
    Real(Vec<Option<f64>>),
}

/// One column.
#[derive(Debug, Clone, PartialEq)]
pub struct DatasetColumn {
    /// Its name.
    pub name: String,
    /// The unit, or the kind of number or word.
    pub unit: String,
    /// One line for users.
    pub meaning: String,
    /// Its values.
    pub values: Values,
}

/// A table over many runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// Its name.
    pub name: String,
    /// One line: what a row is.
    pub meaning: String,
    /// The columns, all of the same length.
    pub columns: Vec<DatasetColumn>,
}

impl Values {
    fn array(&self) -> ArrayRef {
        match self {
            Values::Text(values) => Arc::new(values.iter().map(Option::as_deref).collect::<StringArray>()),
            Values::Whole(values) => {
                let fitting = values.iter().map(|value| value.and_then(|value| i64::try_from(value).ok()));
                Arc::new(fitting.collect::<Int64Array>())
            }
            Values::Real(values) => Arc::new(values.iter().copied().collect::<Float64Array>()),
        }
    }

    fn data_type(&self) -> DataType {
        match self {
            Values::Text(_) => DataType::Utf8,
            Values::Whole(_) => DataType::Int64,
            Values::Real(_) => DataType::Float64,
        }
    }

    fn cell(&self, row: usize) -> String {
        match self {
            Values::Text(values) => values[row].as_deref().map(quoted).unwrap_or_default(),
            Values::Whole(values) => values[row].map(|value| value.to_string()).unwrap_or_default(),
            Values::Real(values) => values[row].map(|value| value.to_string()).unwrap_or_default(),
        }
    }

    fn len(&self) -> usize {
        match self {
            Values::Text(values) => values.len(),
            Values::Whole(values) => values.len(),
            Values::Real(values) => values.len(),
        }
    }
}

impl Dataset {
    /// As CSV, with a header line.
    pub fn csv(&self) -> String {
        let line = |cells: Vec<String>| cells.join(",") + "\n";
        let mut text = line(self.columns.iter().map(|column| quoted(&column.name)).collect());
        for row in 0..self.columns.first().map_or(0, |column| column.values.len()) {
            text.push_str(&line(self.columns.iter().map(|column| column.values.cell(row)).collect()));
        }
        text
    }

    /// As the bytes of a Parquet file.
    ///
    /// # Errors
    /// If the library fails.
    pub fn parquet(&self) -> Result<Vec<u8>, ParquetError> {
        let schema = Arc::new(self.schema());
        let arrays = self.columns.iter().map(|column| column.values.array()).collect();
        let batch = RecordBatch::try_new(Arc::clone(&schema), arrays)?;
        let level = ZstdLevel::try_new(1)?;
        let properties = WriterProperties::builder()
            .set_created_by(CREATED_BY.to_owned())
            .set_compression(Compression::ZSTD(level));
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties.build()))?;
        writer.write(&batch)?;
        writer.close()?;
        Ok(bytes)
    }

    /// Writes `<name>.parquet` and `<name>.csv` into a folder; each appears atomically.
    ///
    /// # Errors
    /// If the system or the library fails.
    pub fn write(&self, folder: &Path) -> Result<(), FolderError> {
        let path = |kind: &str| folder.join(format!("{}.{kind}", self.name));
        let table = path("parquet");
        let bytes = self
            .parquet()
            .map_err(|error| FolderError::Parquet { path: table.clone(), detail: error.to_string() })?;
        write_whole(&table, &path("parquet.draft"), &bytes)?;
        write_whole(&path("csv"), &path("csv.draft"), self.csv().as_bytes())
    }

    fn schema(&self) -> Schema {
        let field = |column: &DatasetColumn| {
            let metadata = owned([("unit", column.unit.as_str()), ("meaning", &column.meaning)]);
            Field::new(&column.name, column.values.data_type(), true).with_metadata(metadata)
        };
        let fields: Vec<Field> = self.columns.iter().map(field).collect();
        Schema::new_with_metadata(fields, owned([("table", self.name.as_str()), ("meaning", &self.meaning)]))
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, Int64Type};
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    use super::*;

    fn sample() -> Dataset {
        let column = |name: &str, unit: &str, values| DatasetColumn {
            name: name.to_owned(),
            unit: unit.to_owned(),
            meaning: format!("What {name} means."),
            values,
        };
        Dataset {
            name: "points".to_owned(),
            meaning: "One point.".to_owned(),
            columns: vec![
                column(
                    "balance",
                    "word",
                    Values::Text(vec![Some("ecmp".into()), Some("a,\"b\"".into()), None]),
                ),
                column("seed", "number", Values::Whole(vec![Some(1), Some(u64::MAX), None])),
                column("step_mean", "s", Values::Real(vec![Some(0.1), None, Some(1e-7)])),
            ],
        }
    }

    #[test]
    fn units_and_meanings_travel_with_the_values() {
        let home = tempfile::tempdir().unwrap();
        sample().write(home.path()).unwrap();
        let file = std::fs::File::open(home.path().join("points.parquet")).unwrap();
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        let schema = Arc::clone(builder.schema());
        assert_eq!(schema.metadata()["meaning"], "One point.");
        assert_eq!(schema.field(2).metadata()["unit"], "s");
        assert_eq!(schema.field(2).metadata()["meaning"], "What step_mean means.");
        let batch = builder.build().unwrap().next().unwrap().unwrap();
        assert_eq!(batch.column(0).as_string::<i32>().value(1), "a,\"b\"");
        let seeds = batch.column(1).as_primitive::<Int64Type>();
        assert_eq!(seeds.iter().collect::<Vec<_>>(), [Some(1), None, None]);
        let means = batch.column(2).as_primitive::<Float64Type>();
        assert_eq!(means.iter().collect::<Vec<_>>(), [Some(0.1), None, Some(1e-7)]);
    }

    #[test]
    fn cells_of_csv_are_quoted_where_they_must_be() {
        let lines =
            "balance,seed,step_mean\necmp,1,0.1\n\"a,\"\"b\"\"\",18446744073709551615,\n,,0.0000001\n";
        assert_eq!(sample().csv(), lines);
    }

    #[test]
    fn equal_tables_are_equal_files() {
        assert_eq!(sample().parquet().unwrap(), sample().parquet().unwrap());
    }
}
