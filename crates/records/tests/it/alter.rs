//! A change of any one stored value is found.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt16Type, UInt32Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, UInt16Array,
    UInt32Array,
};
use arrow_schema::DataType;
use netloom_records::{Problem, RunFolder, Table, verify};
use parquet::arrow::ArrowWriter;
use proptest::prelude::*;

use crate::sample;

/// Changes one value by flipping one bit of it, or one letter, or its presence.
fn altered(column: &ArrayRef, row: usize, bit: u32) -> ArrayRef {
    match column.data_type() {
        DataType::Int64 => {
            let mut values: Vec<Option<i64>> = column.as_primitive::<Int64Type>().iter().collect();
            values[row] = match values[row] {
                Some(_) if bit == 63 && column.is_nullable() => None,
                value => Some(value.map_or(0, |value| value ^ (1 << (bit % 63)))),
            };
            Arc::new(Int64Array::from(values))
        }
        DataType::UInt32 => {
            let mut values: Vec<Option<u32>> = column.as_primitive::<UInt32Type>().iter().collect();
            values[row] = Some(values[row].map_or(0, |value| value ^ (1 << (bit % 32))));
            Arc::new(UInt32Array::from(values))
        }
        DataType::UInt16 => {
            let mut values = column.as_primitive::<UInt16Type>().values().to_vec();
            values[row] ^= 1 << (bit % 16);
            Arc::new(UInt16Array::from(values))
        }
        DataType::Float64 => {
            let mut values = column.as_primitive::<Float64Type>().values().to_vec();
            values[row] = f64::from_bits(values[row].to_bits() ^ (1 << bit));
            Arc::new(Float64Array::from(values))
        }
        DataType::Boolean => {
            let values = column.as_boolean().iter().enumerate();
            let other = |value: Option<bool>| Some(!value.unwrap_or(false));
            let flipped =
                values.map(|(workspace, value)| if workspace == row { other(value) } else { value });
            Arc::new(flipped.collect::<BooleanArray>())
        }
        DataType::Utf8 => {
            let mut words: Vec<Option<&str>> = column.as_string::<i32>().iter().collect();
            words[row] = if words[row] == Some("hook") { Some("link_down") } else { Some("hook") };
            Arc::new(StringArray::from(words))
        }
        other => panic!("no table has columns of type {other}"),
    }
}

/// Rewrites a table with one value changed.
fn alter(folder: &Path, table: Table, column: usize, row: usize, bit: u32) {
    let run = RunFolder::open(folder).unwrap();
    let batch = run.batches(table).unwrap().next().unwrap().unwrap();
    let mut columns = batch.columns().to_vec();
    let changed = altered(&columns[column], row, bit);
    assert_ne!(&columns[column], &changed, "the test changes something");
    columns[column] = changed;
    let batch = RecordBatch::try_new(batch.schema(), columns).unwrap();
    let file = File::create(folder.join(table.file_name())).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn is_found(folder: &Path, table: Table) -> bool {
    let problems = verify(folder).unwrap_err();
    let about = |problem: &Problem| problem.to_string().contains(&format!("`{}`", table.name()));
    problems.len() == 1 && about(&problems[0])
}

#[test]
fn a_change_in_any_column_is_found() {
    const N_ROWS: usize = 6;
    let (home, folder) = sample::workspace();
    sample::write(&sample::run(12, N_ROWS), &folder);
    for table in Table::ALL {
        for column in 0..table.spec().columns.len() {
            let copy = home.path().join(format!("{}-{column}", table.name()));
            sample::copy(&folder, &copy);
            alter(&copy, *table, column, column % N_ROWS, 0);
            assert!(is_found(&copy, *table), "{} {column}", table.name());
        }
    }
}

proptest! {
    #[test]
    fn a_change_of_any_value_is_found(
        seed: u64,
        table in 0..Table::ALL.len(),
        column in 0_usize..100,
        row in 0_usize..9,
        bit in 0_u32..64,
    ) {
        let (_home, folder) = sample::workspace();
        sample::write(&sample::run(seed, 9), &folder);
        let table = Table::ALL[table];
        alter(&folder, table, column % table.spec().columns.len(), row, bit);
        prop_assert!(is_found(&folder, table));
    }
}

#[test]
fn a_value_no_run_writes_is_named() {
    let (_home, folder) = sample::workspace();
    sample::write(&sample::run(13, 4), &folder);
    alter(&folder, Table::Series, 0, 2, 0);
    let run = RunFolder::open(&folder).unwrap();
    let batch = run.batches(Table::Series).unwrap().next().unwrap().unwrap();
    let mut columns = batch.columns().to_vec();
    columns[3] = Arc::new(Int64Array::from(vec![1, -1, 1, 1]));
    let batch = RecordBatch::try_new(batch.schema(), columns).unwrap();
    let file = File::create(folder.join("series.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let error = run.series().unwrap_err().to_string();
    assert!(error.starts_with("table `series`, row 1: a value no run writes, in column: size: "), "{error}");
}
