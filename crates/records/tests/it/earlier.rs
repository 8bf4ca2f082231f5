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

/// The columns of the tables that version 4 renamed, as version 3 wrote them.
const COLUMNS_OF_VERSION_3: [(Table, &[&str]); 9] = [
    (
        Table::Repairs,
        &[
            "end",
            "source",
            "destination",
            "number",
            "job",
            "packets",
            "again",
            "duplicates",
            "nacks",
            "nacks_blocked",
            "nacks_made",
            "marked",
            "cnps",
            "notified",
            "timeouts",
            "distance",
        ],
    ),
    (
        Table::Signals,
        &[
            "port",
            "node",
            "link",
            "peer",
            "marked",
            "pauses",
            "paused",
            "nacks_forwarded",
            "nacks_blocked",
            "nacks_made",
            "node_name",
            "link_name",
            "peer_name",
        ],
    ),
    (
        Table::Rates,
        &[
            "time",
            "interval",
            "source",
            "destination",
            "number",
            "packets",
            "again",
            "duplicates",
            "nacks",
            "marked",
            "notified",
            "size",
            "queue_pairs",
            "rate",
        ],
    ),
    (
        Table::Stages,
        &[
            "stage",
            "start",
            "judged",
            "end",
            "flow",
            "source",
            "destination",
            "size",
            "throughput",
            "flow_name",
        ],
    ),
    (
        Table::Congestion,
        &[
            "start",
            "end",
            "port",
            "node",
            "peer",
            "role",
            "occupied",
            "sending",
            "starved",
            "mean_waiting",
            "peak_waiting",
            "blocked_by",
            "held",
            "node_name",
            "peer_name",
        ],
    ),
    (
        Table::Events,
        &[
            "time",
            "noticed",
            "target",
            "link",
            "node",
            "action",
            "rate",
            "loss",
            "period",
            "link_name",
            "node_name",
        ],
    ),
    (
        Table::Reordering,
        &[
            "end",
            "source",
            "destination",
            "number",
            "job",
            "packets",
            "late",
            "late_again",
            "extent",
            "degree",
            "held_packets",
            "held_size",
            "back_one",
            "back_two",
            "back_four",
            "back_eight",
            "back_sixteen",
            "back_thirty_two",
            "back_sixty_four",
            "back_more",
        ],
    ),
    (
        Table::Tallies,
        &[
            "job",
            "source",
            "messages",
            "size",
            "time",
            "packets",
            "hops",
            "again",
            "duplicates",
            "nacks",
            "marked",
            "cnps",
            "notified",
            "timeouts",
            "distance",
            "on_pairs",
        ],
    ),
    (
        Table::Arbitration,
        &[
            "port",
            "node",
            "link",
            "peer",
            "transfers",
            "most_passes",
            "bound",
            "longest",
            "node_name",
            "link_name",
            "peer_name",
        ],
    ),
];

/// Rewrites the tables that version 4 renamed with the columns of version 3.
fn name_columns_as_version_3(folder: &Path) {
    let run = RunFolder::open(folder).unwrap();
    for (table, names) in COLUMNS_OF_VERSION_3 {
        let Some(batch) = run.batches(table).unwrap().next().map(Result::unwrap) else { continue };
        let schema = batch.schema();
        assert_eq!(schema.fields().len(), names.len(), "{table:?}");
        let renamed =
            schema.fields().iter().zip(names).map(|(field, name)| field.as_ref().clone().with_name(*name));
        let fields: Vec<_> = renamed.collect();
        let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
        store(folder, table, &RecordBatch::try_new(schema, batch.columns().to_vec()).unwrap());
    }
}

fn store(folder: &Path, table: Table, batch: &RecordBatch) {
    let file = File::create(folder.join(format!("{}.parquet", table.name()))).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

/// Rewrites a run as version 3 left it: with the earlier names of columns, and of assumptions in the manifest.
fn make_third(folder: &Path) {
    name_columns_as_version_3(folder);
    say(folder, |manifest| {
        manifest["schema"] = 3.into();
        let manifest = manifest.as_object_mut().unwrap();
        let assumptions = manifest.remove("assumptions").unwrap();
        manifest.insert("ours".to_owned(), assumptions);
    });
}

/// Rewrites a run as version 1 left it: without later tables, and without the last two columns of table `series`.
fn make_earlier(folder: &Path) {
    let run = RunFolder::open(folder).unwrap();
    let batch = run.batches(Table::Series).unwrap().next().unwrap().unwrap();
    let batch = batch.project(&[0, 1, 2, 3, 4]).unwrap();
    store(folder, Table::Series, &batch);
    name_columns_as_version_3(folder);
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
    let field = |workspace: usize| {
        let field = schema.field(workspace).as_ref().clone();
        if field.name() == "peak_size" { field.with_nullable(false) } else { field }
    };
    let fields: Vec<_> = (0..schema.fields().len()).map(field).collect();
    let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
    let batch = RecordBatch::try_new(schema, batch.columns().to_vec()).unwrap();
    store(folder, Table::Ports, &batch);
    name_columns_as_version_3(folder);
    say(folder, |manifest| manifest["schema"] = 2.into());
}

fn say(folder: &Path, change: impl Fn(&mut Value)) {
    let path = folder.join("manifest.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut manifest);
    // Earlier versions wrote no digest of the manifest.
    manifest.as_object_mut().unwrap().remove("manifest_digest");
    fs::write(&path, manifest.to_string()).unwrap();
}

#[test]
fn what_a_run_of_an_earlier_version_did_not_count_is_read_as_zero() {
    let (_home, folder) = sample::workspace();
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
    let (_home, folder) = sample::workspace();
    sample::write(&sample::run(22, 4), &folder);
    make_earlier(&folder);
    say(&folder, |manifest| manifest["schema"] = 2.into());
    let error = RunFolder::open(&folder).unwrap().series().unwrap_err().to_string();
    assert!(error.contains("a column is missing: paused"), "{error}");
}

#[test]
fn a_longest_queue_may_be_unknown_and_was_known_in_earlier_versions() {
    let (_home, folder) = sample::workspace();
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

#[test]
fn columns_of_version_3_are_read_by_their_earlier_names() {
    let (_home, folder) = sample::workspace();
    let written = sample::run(24, 40);
    sample::write(&written, &folder);
    let assumptions = RunFolder::open(&folder).unwrap().manifest().assumptions.clone();
    make_third(&folder);
    let run = RunFolder::open(&folder).unwrap();
    assert_eq!(run.manifest().assumptions, assumptions);
    assert!(!assumptions.is_empty() && !written.repairs.is_empty() && !written.tallies.is_empty());
    assert_eq!(run.repairs().unwrap(), written.repairs);
    assert_eq!(run.signals().unwrap(), written.signals);
    assert_eq!(run.rates().unwrap(), written.rates);
    assert_eq!(run.stages().unwrap(), written.stages);
    assert_eq!(run.congestion().unwrap(), written.congestion);
    assert_eq!(run.events().unwrap(), written.events);
    assert_eq!(run.reordering().unwrap(), written.reordering);
    assert_eq!(run.tallies().unwrap(), written.tallies);
    assert_eq!(run.arbitration().unwrap(), written.arbitration);
    netloom_records::verify(&folder).unwrap();
}

#[test]
fn a_run_of_this_version_does_not_have_columns_with_earlier_names() {
    let (_home, folder) = sample::workspace();
    sample::write(&sample::run(25, 20), &folder);
    name_columns_as_version_3(&folder);
    let error = RunFolder::open(&folder).unwrap().rates().unwrap_err().to_string();
    assert!(error.contains("again") && error.contains("retransmitted"), "{error}");
}
