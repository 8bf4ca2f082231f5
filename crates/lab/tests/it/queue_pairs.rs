//! The scenarios of queue pairs show what they say they show.

use std::path::Path;

use netloom_lab::{Options, Overrides, Source, Style, prepare};
use netloom_records::MemorySink;
use netloom_units::Time;

use crate::scenes::simulated;

/// The rows of a scenario.
fn rows(name: &str) -> MemorySink {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/rdma").join(format!("{name}.yaml"));
    let prepared = prepare(&Source::file(path), &Overrides::default());
    let prepared = prepared.unwrap_or_else(|error| panic!("{}", error.render(Style::Plain)));
    let (_, rows) = simulated(&prepared, Options::default());
    assert!(rows.flows.iter().all(|flow| flow.end.is_some()), "{name}: a message is missing");
    rows
}

/// Packets that were lost, sent again, and sent again for nothing.
fn repairs(rows: &MemorySink) -> [u64; 3] {
    let sum =
        |of: fn(&netloom_records::RepairRow) -> u32| rows.repairs.iter().map(|row| u64::from(of(row))).sum();
    let dropped = rows.drops.iter().map(|row| row.packets).sum();
    [dropped, sum(|row| row.again), sum(|row| row.duplicates)]
}

fn end(rows: &MemorySink) -> Time {
    rows.flows.iter().filter_map(|flow| flow.end).max().expect("there are messages")
}

#[test]
fn go_back_n_sends_much_again_for_little() {
    let [dropped, again, _] = repairs(&rows("go_back_n"));
    assert!(dropped > 0 && again > 3 * dropped, "{again} again for {dropped}");
}

#[test]
fn a_nic_takes_reordering_for_loss_and_direct_placement_does_not() {
    let [dropped, again, duplicates] = repairs(&rows("nic_sr"));
    assert!(dropped == 0 && again > 0 && again == duplicates, "{again} again, {duplicates} for nothing");
    let ideal = rows("ideal");
    assert_eq!(repairs(&ideal), [0, 0, 0]);
    assert!(ideal.repairs.iter().any(|row| row.distance > 0), "nothing came out of order");
}

#[test]
fn a_window_and_names_mend_what_a_small_buffer_drops() {
    let [dropped, again, _] = repairs(&rows("irn"));
    assert!(dropped > 0 && again > 0, "{again} again for {dropped}");
}

#[test]
fn pause_frames_and_marks_keep_an_incast_from_loss() {
    let rows = rows("lossless");
    assert_eq!(repairs(&rows), [0, 0, 0]);
    let marked: u64 = rows.signals.iter().map(|row| row.marked).sum();
    let pauses: u64 = rows.signals.iter().map(|row| row.pauses).sum();
    assert!(marked > 0 && pauses > 0, "{marked} marked, {pauses} pauses");
}

#[test]
fn with_losses_names_beat_one_nack_at_a_time() {
    let [irn, nic_sr] = ["loss_irn", "loss_nic_sr"].map(|name| end(&rows(name)));
    assert!(irn.0 * 5 < nic_sr.0, "{irn:?} against {nic_sr:?}");
}

#[test]
fn the_summary_adds_up_what_the_rows_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/rdma/nic_sr.yaml");
    let prepared = prepare(&Source::file(path), &Overrides::default()).expect("it is right");
    let (done, rows) = simulated(&prepared, Options::default());
    let found = done.summary.queue_pairs.expect("there are queue pairs");
    let [_, again, duplicates] = repairs(&rows);
    assert_eq!([found.again, found.duplicates], [again, duplicates]);
    let packets: u64 = rows.flows.iter().map(|flow| u64::from(flow.packets)).sum();
    assert_eq!(found.packets, packets);
    let nacks: u64 = rows.repairs.iter().map(|row| u64::from(row.nacks)).sum();
    assert!(found.nacks == nacks && nacks > 0);
    let close =
        |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-9, "{found}, {expected}");
    close(found.spurious, duplicates as f64 / (packets + again) as f64);
    // All NICs of the scenario have one port each, of the same rate.
    let line = rows.ports[0].rate.0 as f64 / 8.0;
    let of = |flow: &netloom_records::FlowRow| flow.end.map_or(0.0, |end| end.since(flow.start).as_seconds());
    let time: f64 = rows.flows.iter().map(of).sum();
    let bytes: u64 = rows.flows.iter().map(|flow| flow.size.0).sum();
    close(found.goodput, bytes as f64 / (time * line));
    assert!(found.sending_rate > found.goodput && found.sending_rate < 1.0);
}

#[test]
fn runs_without_queue_pairs_say_nothing_of_them() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/policies/ecmp.yaml");
    let prepared = prepare(&Source::file(path), &Overrides::default()).expect("it is right");
    let (done, _) = simulated(&prepared, Options::default());
    assert_eq!(done.summary.queue_pairs, None);
    let json = serde_json::to_value(&done.summary).expect("it is data");
    assert!(json.get("queue_pairs").is_none() && json.get("drops").is_some());
}
