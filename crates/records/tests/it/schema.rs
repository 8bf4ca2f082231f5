//! What a stored table says about itself.

use std::fs::File;

use netloom_records::{TABLES, Table};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::sample;

#[test]
fn every_stored_column_has_unit_and_meaning_and_every_table_its_order() {
    let (_home, folder) = sample::workspace();
    sample::write(&sample::run(1, 3), &folder);
    for spec in TABLES {
        let file = File::open(folder.join(spec.table.file_name())).unwrap();
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        let schema = builder.schema();
        assert_eq!(schema.metadata()["sorted_by"], spec.sorted_by);
        assert_eq!(schema.metadata()["table"], spec.table.name());
        assert_eq!(schema.fields().len(), spec.columns.len());
        for (field, column) in schema.fields().iter().zip(spec.columns) {
            assert_eq!(field.name(), column.name);
            assert_eq!(field.metadata()["unit"], column.unit);
            assert_eq!(field.metadata()["meaning"], column.meaning);
        }
    }
}

#[test]
fn names_follow_the_ids() {
    let columns = |table: Table| table.spec().columns.iter().map(|column| column.name).collect::<Vec<_>>();
    let named = |table| columns(table).into_iter().filter(|name| name.ends_with("_name")).collect::<Vec<_>>();
    assert_eq!(named(Table::Ports), ["node_name", "link_name", "peer_name"]);
    assert_eq!(named(Table::Drops), ["node_name"]);
    assert_eq!(named(Table::Faults), ["link_name"]);
    assert_eq!(named(Table::Jobs), ["job_name"]);
    assert_eq!(named(Table::Packets), ["node_name"]);
    assert_eq!(named(Table::Arbitration), ["node_name", "link_name", "peer_name"]);
    assert_eq!(named(Table::Paths), ["node_name", "link_name", "peer_name"]);
    assert!(named(Table::Flows).is_empty() && named(Table::Series).is_empty());
    assert_eq!(columns(Table::Steps), ["start", "end", "job", "step"]);
}

#[test]
fn times_are_picoseconds() {
    for spec in TABLES {
        for column in spec.columns {
            let is_time = [
                "start",
                "end",
                "time",
                "first",
                "last",
                "busy",
                "interval",
                "ideal",
                "arrival",
                "sent",
                "waited",
                "longest_wait",
                "serialization",
                "propagation",
                "paused",
                "measured_from",
                "occupied",
                "sending",
                "credit_stalled",
                "detected",
                "period",
                "mean",
                "half_interval",
                "burst",
                "baseline_half_interval",
                "baseline",
                "median",
                "pause",
                "transmission",
                "earlier",
                "turn",
                "window",
                "pacing",
                "timeout",
                "queues",
                "recovery",
                "wait_1",
                "wait_2",
                "wait_3",
            ]
            .contains(&column.name);
            assert_eq!(is_time, column.unit == "ps", "{}", column.name);
        }
    }
}
