//! Data of the panel on bandwidths of collectives by size, against values calculated by hand.

use netloom_records::{CollectiveRow, MemorySink};
use netloom_units::{Bytes, Time};
use serde_json::{Value, json};

use crate::sample::{SECOND, Workspace, names, rows, summary};

/// A collective of `bytes` bytes that took `seconds` seconds; bus bandwidth is `factor` times algorithm bandwidth.
fn collective(number: u64, bytes: u64, seconds: u64, factor: f64) -> CollectiveRow {
    let algbw = bytes as f64 / seconds as f64;
    CollectiveRow {
        start: Time(number * SECOND),
        end: Time((number + seconds) * SECOND),
        job: 0,
        step: number as u32,
        phase: 0,
        bucket: 0,
        ranks: 4,
        size: Bytes(bytes),
        algbw,
        busbw: algbw * factor,
    }
}

fn data(mut collectives: Vec<CollectiveRow>) -> Value {
    collectives.sort_by_key(|row| (row.end, row.step));
    let mut workspace = Workspace::new();
    let rows = MemorySink { collectives, ..rows() };
    workspace.run("a", &rows, names("training"), summary("spray"));
    workspace.data()["bandwidth"][0].clone()
}

#[test]
fn a_run_without_collectives_of_several_sizes_has_no_bandwidths() {
    assert_eq!(Workspace::small().data()["bandwidth"], json!([null]));
    assert!(data(vec![collective(0, 1000, 1, 1.5), collective(1, 1000, 2, 1.5)]).is_null());
}

#[test]
fn bandwidth_is_bytes_over_time_and_factors_are_distinguished() {
    let lines = data(vec![
        collective(0, 1000, 1, 1.5),
        // Twice 3000 bytes in 1 and 3 s: 1500 per second, not the mean of 3000 and 1000.
        collective(1, 3000, 1, 1.5),
        collective(2, 3000, 3, 1.5),
        collective(5, 3000, 1, 0.75),
        collective(6, 4000, 2, 0.75),
        // This factor has one size.
        collective(8, 4000, 2, 1.0),
    ]);
    let point = |bytes: u64, count: u64, time: f64, algbw: f64, busbw: f64| json!({ "bytes": bytes, "count": count, "time": time, "algbw": algbw, "busbw": busbw });
    let line = |factor: f64, points: [Value; 2]| json!({ "job": "training", "ranks": 4, "factor": factor, "points": points });
    let expected = [
        line(0.75, [point(3000, 1, 1.0, 3000.0, 2250.0), point(4000, 1, 2.0, 2000.0, 1500.0)]),
        line(1.5, [point(1000, 1, 1.0, 1000.0, 1500.0), point(3000, 2, 2.0, 1500.0, 2250.0)]),
    ];
    assert_eq!(lines, json!(expected));
}

#[test]
fn factors_that_differ_by_rounding_are_one_line() {
    // Of 32 ranks the factor of an all-reduce is 1.9375, which lies between two thousandths.
    let row = |number, bytes, factor| CollectiveRow { ranks: 32, ..collective(number, bytes, 1, factor) };
    let lines = data(vec![row(0, 1000, 1.937_5 - 1e-12), row(1, 2000, 1.937_5 + 1e-12)]);
    assert_eq!((&lines[0]["factor"], &lines[1]), (&json!(1.9375), &Value::Null));
}
