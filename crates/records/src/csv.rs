//! Tables as comma-separated values.
//!
//! Models: a header with the names of the columns, a line for each row; the meaning of the columns, as a table of its
//! own.
//! Leaves out: files.
//!
//! Invariants: lines end with a line feed; an absent value is an empty field, an empty text a pair of quotes; a number
//! is written to the last bit; fields are quoted only where necessary.
//!
//! Source: RFC 4180, except for the line ends.

use std::fmt::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt16Type, UInt32Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;

use crate::column::{Column, TableSpec};

/// Header of [`csv_columns`].
pub const CSV_COLUMNS_HEAD: &str = "table,column,unit,meaning\n";

/// The header of a table: the names of its columns.
pub fn csv_head(table: &TableSpec) -> String {
    let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
    names.join(",") + "\n"
}

/// The meaning of the columns of a table: a line for each, with table, column, unit and meaning.
pub fn csv_columns(table: &TableSpec) -> String {
    let name = table.table.name();
    let line = |column: &Column| {
        format!("{name},{},{},{}\n", column.name, quoted(column.unit), quoted(column.meaning))
    };
    table.columns.iter().map(line).collect()
}

/// Appends the rows of a batch.
pub fn csv_lines(batch: &RecordBatch, text: &mut String) {
    for row in 0..batch.num_rows() {
        for (index, column) in batch.columns().iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            cell(column, row, text);
        }
        text.push('\n');
    }
}

fn cell(column: &ArrayRef, row: usize, text: &mut String) {
    if column.is_null(row) {
        return;
    }
    // Writing to a `String` cannot fail.
    let _ = match column.data_type() {
        DataType::Int64 => write!(text, "{}", column.as_primitive::<Int64Type>().value(row)),
        DataType::UInt32 => write!(text, "{}", column.as_primitive::<UInt32Type>().value(row)),
        DataType::UInt16 => write!(text, "{}", column.as_primitive::<UInt16Type>().value(row)),
        DataType::Float64 => write!(text, "{}", column.as_primitive::<Float64Type>().value(row)),
        DataType::Boolean => write!(text, "{}", column.as_boolean().value(row)),
        DataType::Utf8 => {
            text.push_str(&text_cell(column.as_string::<i32>().value(row)));
            Ok(())
        }
        other => unreachable!("no column is stored as {other}"),
    };
}

/// A present text; an empty one is quoted, to differ from an absent one.
fn text_cell(value: &str) -> String {
    if value.is_empty() { "\"\"".to_owned() } else { quoted(value) }
}

/// A field of a CSV file, quoted only if necessary.
pub fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::{LinkId, NodeId, Rate, Time};

    use super::*;
    use crate::convert::record_batch;
    use crate::names::Names;
    use crate::registry::TABLES;
    use crate::row::Row;
    use crate::rows::{EventRow, FaultAction, Target};

    #[test]
    fn absent_values_are_empty_and_words_are_words() {
        let names = Names {
            nodes: vec![String::new(), "a,\"b\"".to_owned()],
            links: vec!["left-right".to_owned()],
            ..Names::default()
        };
        let row = EventRow {
            time: Time(5),
            detected: None,
            target: Target::Switch,
            link: LinkId(0),
            node: NodeId(1),
            action: FaultAction::Degrade,
            rate: Some(Rate(7)),
            loss: None,
            period: None,
        };
        let lossy =
            EventRow { node: NodeId(0), action: FaultAction::Errors, rate: None, loss: Some(1e-7), ..row };
        let mut text = csv_head(&EventRow::SPEC);
        csv_lines(&record_batch(&[row, lossy], &names).expect("all are named"), &mut text);
        assert_eq!(
            text,
            "time,detected,target,link,node,action,rate,loss,period,link_name,node_name\n\
             5,,switch,0,1,degrade,7,,,left-right,\"a,\"\"b\"\"\"\n\
             5,,switch,0,0,errors,,0.0000001,,left-right,\"\"\n"
        );
    }

    #[test]
    fn the_page_lists_every_column_of_every_table() {
        let mut text = CSV_COLUMNS_HEAD.to_owned();
        for table in TABLES {
            text.push_str(&csv_columns(table));
        }
        let n_columns: usize = TABLES.iter().map(|table| table.columns.len()).sum();
        assert_eq!(text.lines().count(), 1 + n_columns);
        assert!(text.contains("\nflows,start,ps,When its first packet was handed to the NIC.\n"));
        assert!(text.contains("\nflows,end,ps,When its last byte arrived; absent if it never did.\n"));
        assert!(
            text.contains("\nflows,job,id,\"Job; 65535 for background traffic, 65534 for staged flows, 65533 for finite flows.\"\n")
        );
    }
}
