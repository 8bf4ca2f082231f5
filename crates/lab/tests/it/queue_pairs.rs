//! The scenarios of queue pairs demonstrate what their descriptions state.

use std::path::Path;

use netloom_lab::{Options, Overrides, Source, Style, prepare};
use netloom_records::{DropReason, DropRow, MemorySink};
use netloom_units::{NodeId, Time};

use crate::scenes::simulated;

/// The rows of a scenario.
fn rows(name: &str) -> MemorySink {
    rows_with(&format!("rdma/{name}"), &[])
}

/// The rows of a scenario with changed values, in which all messages arrive.
fn rows_with(name: &str, set: &[(&str, &str)]) -> MemorySink {
    let rows = rows_unfinished(name, set);
    assert!(rows.flows.iter().all(|flow| flow.end.is_some()), "{name}: a message is missing");
    rows
}

/// The rows of a scenario with changed values.
fn rows_unfinished(name: &str, set: &[(&str, &str)]) -> MemorySink {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(format!("{name}.yaml"));
    let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let prepared = prepare(&Source::file(path), &Overrides { set, ..Overrides::default() });
    let prepared = prepared.unwrap_or_else(|error| panic!("{}", error.render(Style::Plain)));
    simulated(&prepared, Options::default()).1
}

/// Numbers of packets lost, retransmitted, and spuriously retransmitted.
fn repairs(rows: &MemorySink) -> [u64; 3] {
    let sum =
        |of: fn(&netloom_records::RepairRow) -> u32| rows.repairs.iter().map(|row| u64::from(of(row))).sum();
    let dropped = rows.drops.iter().map(|row| row.packets).sum();
    [dropped, sum(|row| row.retransmitted), sum(|row| row.duplicates)]
}

fn end(rows: &MemorySink) -> Time {
    rows.flows.iter().filter_map(|flow| flow.end).max().expect("there are messages")
}

#[test]
fn go_back_n_retransmits_many_packets_for_few_losses() {
    let [dropped, again, _] = repairs(&rows("go_back_n"));
    assert!(dropped > 0 && again > 3 * dropped, "{again} retransmitted, {dropped} lost");
}

#[test]
fn nic_sr_retransmits_on_reordering_and_direct_placement_does_not() {
    let [dropped, again, duplicates] = repairs(&rows("nic_sr"));
    assert!(
        dropped == 0 && again > 0 && again == duplicates,
        "{again} retransmitted, {duplicates} spuriously"
    );
    let ideal = rows("ideal");
    assert_eq!(repairs(&ideal), [0, 0, 0]);
    assert!(ideal.repairs.iter().any(|row| row.distance > 0), "no packet was reordered");
}

#[test]
fn irn_recovers_the_losses_of_a_small_buffer() {
    let [dropped, again, _] = repairs(&rows("irn"));
    assert!(dropped > 0 && again > 0, "{again} retransmitted, {dropped} lost");
}

#[test]
fn pause_frames_and_marks_make_an_incast_lossless() {
    let rows = rows("lossless");
    assert_eq!(repairs(&rows), [0, 0, 0]);
    let marked: u64 = rows.signals.iter().map(|row| row.marked).sum();
    let pauses: u64 = rows.signals.iter().map(|row| row.pauses).sum();
    assert!(marked > 0 && pauses > 0, "{marked} marked, {pauses} pauses");
}

/// Packets lost in the incast of `lossless` without marks, by reason, and the lines about them in the outcome.
fn incast(headroom: &str) -> (Vec<DropRow>, Vec<String>) {
    let set = [("congestion", "none"), ("queues.marking", "none"), ("queues.headroom", headroom)];
    let set = set.map(|(path, value)| (path.to_owned(), value.to_owned())).to_vec();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/rdma/lossless.yaml");
    let prepared = prepare(&Source::file(path), &Overrides { set, ..Overrides::default() });
    let prepared = prepared.unwrap_or_else(|error| panic!("{}", error.render(Style::Plain)));
    let (simulated, rows) = simulated(&prepared, Options::default());
    assert!(rows.signals.iter().any(|row| row.pauses > 0), "no port was paused");
    (rows.drops, simulated.outcome.details)
}

#[test]
fn sufficient_headroom_prevents_loss_and_half_of_it_reports_where_packets_are_lost() {
    assert_eq!(incast("auto"), (Vec::new(), Vec::new()));
    // 100 Gbit/s x 1 us, three packets of at most 1,086 bytes, and a frame add up to 15.8 KB.
    let (drops, details) = incast("7900B");
    assert!(!drops.is_empty());
    for row in &drops {
        assert_eq!(row.reason, DropReason::HeadroomFull);
        assert!(row.port.is_some() && row.packets > 0, "{row:?}");
    }
    let reported: Vec<&String> =
        details.iter().filter(|line| line.contains("the headroom of a paused ingress was full")).collect();
    assert_eq!(reported.len(), drops.len(), "{details:?}");
    assert!(
        reported.iter().any(|line| line.contains("lost at leaf0 towards link leaf0.host0.nic0")),
        "{reported:?}"
    );
}

#[test]
fn under_loss_irn_is_faster_than_nic_sr() {
    let [irn, nic_sr] = ["loss_irn", "loss_nic_sr"].map(|name| end(&rows(name)));
    assert!(irn.0 * 5 < nic_sr.0, "{irn:?} against {nic_sr:?}");
}

/// Numbers of NACKs that switches suppressed, and that they forwarded or generated.
fn nacks(rows: &MemorySink) -> [u64; 2] {
    let sum = |of: fn(&netloom_records::SignalRow) -> u64| rows.signals.iter().map(of).sum::<u64>();
    [sum(|row| row.nacks_suppressed), sum(|row| row.nacks_forwarded + row.nacks_generated)]
}

#[test]
fn over_three_tiers_themis_suppresses_every_nack_of_reordering() {
    let named = rows("themis_three_tiers");
    assert_eq!(repairs(&named), [0, 0, 0]);
    let [blocked, passed] = nacks(&named);
    assert!(blocked > 100 && passed == 0, "{blocked} suppressed, {passed} not");
}

#[test]
fn after_a_link_failure_themis_uses_one_path_or_the_remaining_ones() {
    let [ecmp, subset] = ["themis_failed_link", "themis_subset"].map(rows);
    for rows in [&ecmp, &subset] {
        let [dropped, again, _] = repairs(rows);
        assert!(dropped > 0 && again > 0, "losses on the link are retransmitted: {dropped} {again}");
    }
    assert!(end(&subset) < end(&ecmp), "three paths carry more than those of a flow hash");
}

/// The arrival of the victim's message, and the number of pause frames of each node: `a`, `v`, `x`, `y` and three
/// switches.
fn storm(set: &[(&str, &str)]) -> (Time, Vec<u64>) {
    let rows = rows_with("faults/pfc_storm", set);
    assert!(rows.drops.is_empty());
    let victim = rows.flows.iter().find(|flow| flow.source.0 == 1).and_then(|flow| flow.end);
    let of = |node| rows.signals.iter().filter(|row| row.node == NodeId(node)).map(|row| row.pauses).sum();
    (victim.expect("it arrives"), (0..7).map(of).collect())
}

#[test]
fn a_pfc_storm_blocks_a_flow_on_other_links_and_the_fabric_recovers() {
    let (calm, pauses) = storm(&[("faults.storms", "[]")]);
    assert_eq!(pauses.iter().sum::<u64>(), 0, "no buffer is full");
    let (hit, pauses) = storm(&[]);
    // 5 MB take 400 us; during the storm's 1000 us the victim sends only what buffers absorb.
    let lost = hit.since(calm).0 / 1_000_000;
    assert!((900..1_010).contains(&lost), "{lost} us late");
    assert_eq!(pauses[2], 100, "the NIC of `x` sends a frame every 10 us");
    assert!(pauses[4..].iter().all(|&frames| frames > 0), "each switch pauses its senders: {pauses:?}");
    // The rate during the storm is negligible.
    let carried = carried_in_the_storm();
    assert!(carried < 11_250_000 / 20, "{carried} bytes, of 11.25 MB at line rate");
}

/// Bytes of the victim that left the last switch for `y` between 200 us and 1100 us.
fn carried_in_the_storm() -> u64 {
    let at = |set: &[(&str, &str)]| {
        let rows = rows_unfinished("faults/pfc_storm", set);
        let port = rows.ports.iter().find(|row| row.node == NodeId(6) && row.peer == NodeId(3));
        port.expect("it is there").size.0
    };
    at(&[("deadline", "1100us")]) - at(&[("deadline", "200us")])
}

#[test]
fn the_summary_is_the_sum_of_the_rows() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/rdma/nic_sr.yaml");
    let prepared = prepare(&Source::file(path), &Overrides::default()).expect("it is right");
    let (done, rows) = simulated(&prepared, Options::default());
    let found = done.summary.queue_pairs.expect("there are queue pairs");
    let [_, again, duplicates] = repairs(&rows);
    assert_eq!([found.retransmitted, found.duplicates], [again, duplicates]);
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
fn runs_without_queue_pairs_have_no_figures_of_them() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/policies/ecmp.yaml");
    let prepared = prepare(&Source::file(path), &Overrides::default()).expect("it is right");
    let (done, _) = simulated(&prepared, Options::default());
    assert_eq!(done.summary.queue_pairs, None);
    let json = serde_json::to_value(&done.summary).expect("it is data");
    assert!(json.get("queue_pairs").is_none() && json.get("drops").is_some());
}
