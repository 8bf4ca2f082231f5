//! Runs of earlier versions are read.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use netloom_records::{KnownSize, ReadError, RunFolder, SeriesRow, Table};
use netloom_units::Duration;
use parquet::arrow::ArrowWriter;
use serde_json::Value;

use crate::sample;

/// Tables that version 1 did not have.
const LATER: [&str; 3] = ["spans", "arbitration", "spurious_timeouts"];

/// Rewrites a run as version 1 left it: without later tables, and without the last two columns of table `series`.
fn make_earlier(folder: &Path) {
    let run = RunFolder::open(folder).unwrap();
    let batch = run.batches(Table::Series).unwrap().next().unwrap().unwrap();
    let batch = batch.project(&[0, 1, 2, 3, 4]).unwrap();
    let file = File::create(folder.join("series.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    for table in LATER {
        fs::remove_file(folder.join(format!("{table}.parquet"))).unwrap();
    }
    say(folder, |manifest| {
        manifest["schema"] = 1.into();
        let tables = manifest["tables"].as_object_mut().unwrap();
        for table in LATER {
            drop(tables.remove(table).unwrap());
        }
    });
}

/// Rewrites a run as version 2 left it: every port has a longest queue.
fn make_second(folder: &Path) {
    let run = RunFolder::open(folder).unwrap();
    let batch = run.batches(Table::Ports).unwrap().next().unwrap().unwrap();
    let schema = batch.schema();
    let field = |place: usize| {
        let field = schema.field(place).as_ref().clone();
        if field.name() == "peak_size" { field.with_nullable(false) } else { field }
    };
    let fields: Vec<_> = (0..schema.fields().len()).map(field).collect();
    let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
    let batch = RecordBatch::try_new(schema, batch.columns().to_vec()).unwrap();
    let file = File::create(folder.join("ports.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    say(folder, |manifest| manifest["schema"] = 2.into());
}

fn say(folder: &Path, change: impl Fn(&mut Value)) {
    let path = folder.join("manifest.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut manifest);
    fs::write(&path, manifest.to_string()).unwrap();
}

#[test]
fn what_a_run_of_an_earlier_version_did_not_count_is_read_as_zero() {
    let (_home, folder) = sample::place();
    let written = sample::run(21, 30);
    sample::write(&written, &folder);
    make_earlier(&folder);
    let run = RunFolder::open(&folder).unwrap();
    let without = |row: &SeriesRow| SeriesRow { paused: Duration::ZERO, dropped: 0, ..*row };
    let expected: Vec<SeriesRow> = written.series.iter().map(without).collect();
    assert_eq!(run.series().unwrap(), expected);
    assert_eq!(run.ports().unwrap(), written.ports);
    assert!(matches!(run.spans(), Err(ReadError::TableMissing { table: "spans", .. })));
    assert!(matches!(run.arbitration(), Err(ReadError::TableMissing { table: "arbitration", .. })));
}

#[test]
fn a_run_has_the_columns_of_the_version_it_states() {
    let (_home, folder) = sample::place();
    sample::write(&sample::run(22, 4), &folder);
    make_earlier(&folder);
    say(&folder, |manifest| manifest["schema"] = 2.into());
    let error = RunFolder::open(&folder).unwrap().series().unwrap_err().to_string();
    assert!(error.contains("a column is missing: paused"), "{error}");
}

#[test]
fn a_longest_queue_may_be_unknown_and_was_known_in_earlier_versions() {
    let (_home, folder) = sample::place();
    let mut written = sample::run(23, 6);
    sample::write(&written, &folder);
    make_second(&folder);
    assert_eq!(RunFolder::open(&folder).unwrap().ports().unwrap(), written.ports);
    netloom_records::verify(&folder).unwrap();
    written.ports[2].peak_size = KnownSize::UNKNOWN;
    let folder = folder.with_extension("measured");
    sample::write(&written, &folder);
    assert_eq!(RunFolder::open(&folder).unwrap().ports().unwrap(), written.ports);
    netloom_records::verify(&folder).unwrap();
}
