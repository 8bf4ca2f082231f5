//! The scenarios of queue pairs show what they say they show.

use std::path::Path;

use netloom_lab::{Options, Overrides, Source, Style, prepare};
use netloom_records::{DropReason, DropRow, MemorySink};
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

/// Packets lost in the incast of `lossless` without marks, by reason, and what the run's end tells of them.
fn incast(headroom: &str) -> (Vec<DropRow>, Vec<String>) {
    let set = [("congestion", "none"), ("queues.marking", "none"), ("queues.headroom", headroom)];
    let set = set.map(|(path, value)| (path.to_owned(), value.to_owned())).to_vec();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/rdma/lossless.yaml");
    let prepared = prepare(&Source::file(path), &Overrides { set, ..Overrides::default() });
    let prepared = prepared.unwrap_or_else(|error| panic!("{}", error.render(Style::Plain)));
    let (simulated, rows) = simulated(&prepared, Options::default());
    assert!(rows.signals.iter().any(|row| row.pauses > 0), "nobody was paused");
    (rows.drops, simulated.outcome.details)
}

#[test]
fn enough_headroom_loses_nothing_and_half_of_it_says_where() {
    assert_eq!(incast("auto"), (Vec::new(), Vec::new()));
    // 100 Gbit/s x 1 us, three packets of 1,086 bytes at most, and a frame make 15.8 KB.
    let (drops, details) = incast("7900B");
    assert!(!drops.is_empty());
    for row in &drops {
        assert_eq!(row.reason, DropReason::HeadroomFull);
        assert!(row.port.is_some() && row.packets > 0, "{row:?}");
    }
    let told: Vec<&String> =
        details.iter().filter(|line| line.contains("the headroom of a paused ingress was full")).collect();
    assert_eq!(told.len(), drops.len(), "{details:?}");
    assert!(told.iter().any(|line| line.contains("lost at leaf0 towards link leaf0.host0.nic0")), "{told:?}");
}

#[test]
fn with_losses_names_beat_one_nack_at_a_time() {
    let [irn, nic_sr] = ["loss_irn", "loss_nic_sr"].map(|name| end(&rows(name)));
    assert!(irn.0 * 5 < nic_sr.0, "{irn:?} against {nic_sr:?}");
}
