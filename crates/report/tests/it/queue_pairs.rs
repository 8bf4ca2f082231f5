//! Data of a page on runs with queue pairs, against the tables and values calculated by hand.

use netloom_records::{
    DropReason, DropRow, FlowRow, MemorySink, PortRow, RateRow, RepairRow, RunSummary, SignalRow, TallyRow,
};
use netloom_units::{Bytes, Duration, HostId, NodeId, PortId, Rate, Time};
use serde_json::{Value, json};

use crate::sample::{SECOND, Workspace, names, rows, summary};

/// Packets, retransmissions, duplicates, NACKs, marked packets, distance.
type Repaired = [u32; 6];

fn repair(number: u32, [packets, retransmitted, duplicates, nacks, marked, distance]: Repaired) -> RepairRow {
    RepairRow {
        end: Some(Time(SECOND * u64::from(number + 1))),
        source: HostId(0),
        destination: HostId(1),
        number,
        job: 0,
        packets,
        retransmitted,
        duplicates,
        nacks,
        nacks_suppressed: nacks / 2,
        nacks_generated: nacks / 6,
        marked,
        cnps: marked / 3,
        notifications: marked / 3 + nacks / 2,
        timeouts: nacks / 4,
        distance,
    }
}

fn signal(port: &PortRow, marked: u64, paused: u64, nacks: [u64; 3]) -> SignalRow {
    let [nacks_forwarded, nacks_suppressed, nacks_generated] = nacks;
    SignalRow {
        port: port.port,
        node: port.node,
        link: port.link,
        peer: port.peer,
        marked,
        pauses: 2,
        paused: Duration(paused * SECOND),
        nacks_forwarded,
        nacks_suppressed,
        nacks_generated,
    }
}

/// One second of the flow from host 0 to host 1: packets, retransmissions among these, bytes, queue pairs, their rates
/// in Gbit/s.
fn rate(
    second: u64,
    packets: u64,
    retransmitted: u64,
    size: u64,
    (queue_pairs, gigabits): (u32, u64),
) -> RateRow {
    RateRow {
        time: Time(SECOND * (second + 1)),
        interval: Duration(SECOND),
        source: HostId(0),
        destination: HostId(1),
        number: None,
        packets,
        retransmitted,
        duplicates: retransmitted / 2,
        nacks: retransmitted,
        marked: 3,
        notifications: 1,
        size: Bytes(size),
        queue_pairs,
        rate: (queue_pairs > 0).then_some(Rate(gigabits * 1_000_000_000)),
    }
}

fn lost(port: Option<u32>, reason: DropReason, packets: u64) -> DropRow {
    let size = Bytes(1000 * packets).into();
    DropRow { node: NodeId(4), port: port.map(PortId), reason, packets, size, first: Time(1), last: Time(2) }
}

fn with_queue_pairs() -> MemorySink {
    let plain = rows();
    let repairs = vec![
        repair(0, [100, 0, 0, 0, 0, 0]),
        repair(1, [100, 9, 4, 12, 7, 30]),
        repair(2, [200, 3, 3, 3, 1, 5]),
    ];
    let signals = vec![signal(&plain.ports[0], 0, 5, [2, 40, 1]), signal(&plain.ports[6], 60, 0, [0, 0, 0])];
    MemorySink { repairs, signals, ..plain }
}

fn data(rows: &MemorySink) -> Value {
    let mut workspace = Workspace::new();
    workspace.run("a", rows, names("training"), summary("spray"));
    workspace.data()
}

#[test]
fn a_run_without_queue_pairs_has_no_goodput_and_no_retransmissions() {
    let data = Workspace::small().data();
    for panel in ["goodput", "repairs", "rates", "signals"] {
        assert_eq!(data[panel], json!([null]), "{panel}");
    }
    assert_eq!(data["by_setting"], Value::Null);
}

#[test]
fn needed_and_spurious_retransmissions_are_distinguished() {
    let repairs = &data(&with_queue_pairs())["repairs"][0];
    let of = |key: &str| repairs[key].as_u64();
    assert_eq!((of("messages"), of("packets")), (Some(3), Some(400)));
    assert_eq!((of("needed"), of("spurious")), (Some(5), Some(7)));
    assert_eq!((of("nacks"), of("marked"), of("reordered")), (Some(15), Some(8), Some(2)));
    assert_eq!((of("cnps"), of("notifications"), of("timeouts")), (Some(2), Some(9), Some(3)));
    assert_eq!((of("farthest"), of("affected")), (Some(30), Some(2)));
    assert_eq!(repairs["distance"], json!(11.6667));
    assert_eq!(repairs["edge"], json!({"forwarded": 2, "blocked": 40, "made": 1}));
    let worst = json!({
        "flow": "leaf0.host0 → leaf1.host0 #1",
        "packets": 100, "needed": 5, "spurious": 4, "nacks": 12, "blocked": 6, "made": 2,
        "marked": 7, "cnps": 2, "notifications": 8, "timeouts": 3, "distance": 30,
    });
    assert_eq!(repairs["worst"][0], worst);
    assert_eq!(
        repairs["worst"].as_array().map(Vec::len),
        Some(2),
        "a message without anything is no bad one"
    );
}

#[test]
fn messages_that_are_only_in_sums_are_counted() {
    let tally = TallyRow {
        messages: 10,
        on_queue_pairs: 9,
        packets: 600,
        retransmitted: 4,
        duplicates: 1,
        marked: 2,
        distance: 50,
        ..TallyRow::default()
    };
    let repairs = &data(&MemorySink { tallies: vec![tally], ..with_queue_pairs() })["repairs"][0];
    let of = |key: &str| repairs[key].as_u64();
    assert_eq!((of("messages"), of("packets"), of("single")), (Some(12), Some(1_000), Some(3)));
    assert_eq!((of("needed"), of("spurious"), of("marked")), (Some(8), Some(8), Some(10)));
    assert_eq!((of("farthest"), of("reordered")), (Some(50), Some(2)));
    assert_eq!(repairs["distance"], json!(11.6667), "of those that are known one by one");
}

#[test]
fn of_many_messages_the_worst_are_listed() {
    let bad = |number| repair(number, [100, number % 37, 0, 1, 0, 0]);
    let rows = MemorySink { repairs: (0..200).map(bad).collect(), ..rows() };
    let repairs = &data(&rows)["repairs"][0];
    assert_eq!(repairs["affected"], 200);
    let retransmitted: Vec<u64> =
        repairs["worst"].as_array().unwrap().iter().map(|row| row["needed"].as_u64().unwrap()).collect();
    assert_eq!(retransmitted, [36, 36, 36, 36, 36, 35, 35, 35, 35, 35, 34, 34]);
}

#[test]
fn ports_report_marks_pauses_and_reasons_of_losses() {
    let drops = vec![
        lost(None, DropReason::Unreachable, 100),
        lost(Some(6), DropReason::HeadroomFull, 5),
        lost(Some(6), DropReason::Corrupted, 2),
        lost(Some(7), DropReason::HeadroomFull, 1),
    ];
    let signals = &data(&MemorySink { drops, ..with_queue_pairs() })["signals"][0];
    assert_eq!((&signals["total"], &signals["paused"]), (&json!(3), &json!(1)));
    assert_eq!((&signals["marked"], &signals["pauses"]), (&json!(60), &json!(4)));
    assert_eq!(
        (&signals["lost"], &signals["reasons"]),
        (&json!(108), &json!({"corrupted": 2, "headroom_full": 6, "unreachable": 100}))
    );
    assert_eq!(signals["lost_without_port"], json!(100));
    // 5 s of 10 s.
    let host = &signals["ports"][0];
    assert_eq!((&host["from"], &host["to"]), (&json!("leaf0.host0"), &json!("leaf0")));
    assert_eq!((&host["paused"], &host["paused_share"]), (&json!(5.0), &json!(0.5)));
    let spine = json!({
        "from": "spine0", "to": "leaf0", "packets": 8, "marked": 60, "pauses": 2, "paused": 0.0, "paused_share": 0.0,
        "lost": 7, "reasons": {"corrupted": 2, "headroom_full": 5},
    });
    assert_eq!(signals["ports"][1], spine);
    assert_eq!(signals["ports"][2]["reasons"], json!({"headroom_full": 1}));
}

#[test]
fn an_edge_that_suppresses_nacks_is_not_listed_as_a_port_with_marks() {
    let mut rows = with_queue_pairs();
    for row in &mut rows.signals {
        (row.marked, row.pauses, row.paused) = (0, 0, Duration(0));
    }
    let data = data(&rows);
    assert_eq!(data["signals"], json!([null]));
    assert_eq!(data["repairs"][0]["edge"]["blocked"], 40);
}

#[test]
fn goodput_is_payload_over_the_time_with_a_message_in_flight() {
    let message = |start: u64, end: u64, number: u32| FlowRow {
        start: Time(SECOND * start),
        end: Some(Time(SECOND * end)),
        number,
        size: Bytes(1_000_000_000),
        ..rows().flows[0]
    };
    // From 0 to 3 s and from 6 to 8 s: 3 GB in 5 s, on a link of 8 Gbit/s.
    let flows = vec![message(0, 2, 0), message(1, 3, 1), message(6, 8, 2)];
    let data = data(&MemorySink { flows, ..with_queue_pairs() });
    let goodput = json!({
        "hosts": 1, "mean": 4.8e9, "slowest": 4.8e9, "slowest_host": "leaf0.host0", "fastest": 4.8e9, "line": 8e9,
    });
    assert_eq!(data["goodput"], json!([goodput]));
}

#[test]
fn flows_over_time_agree_with_the_table() {
    // No row in the fourth second.
    let rates = vec![
        rate(0, 100, 0, 1_000_000_000, (1, 8)),
        rate(1, 50, 10, 500_000_000, (2, 6)),
        rate(2, 0, 0, 250_000_000, (0, 0)),
        rate(4, 10, 5, 125_000_000, (1, 1)),
        rate(5, 10, 0, 125_000_000, (0, 0)),
    ];
    let rates = &data(&MemorySink { rates, ..with_queue_pairs() })["rates"][0];
    assert_eq!((&rates["total"], &rates["interval"]), (&json!(1), &json!(1.0)));
    let flow = &rates["flows"][0];
    assert_eq!(flow["flow"], "leaf0.host0 → leaf1.host0");
    assert_eq!(
        (&flow["packets"], &flow["retransmitted"], &flow["spurious"]),
        (&json!(170), &json!(15), &json!(7))
    );
    assert_eq!(
        (&flow["nacks"], &flow["marked"], &flow["notifications"]),
        (&json!(15), &json!(15), &json!(5))
    );
    // The last second is combined with the one before: 5 of 20 packets, 2 Gbit in 2 s.
    assert_eq!(flow["shares"], json!([0.0, 0.2, null, null, 0.25]));
    assert_eq!(flow["rates"], json!([8e9, 3e9, null, null, 1e9]));
    assert_eq!(flow["goodputs"], json!([8e9, 4e9, 2e9, 0.0, 1e9]));
    // Rates of a queue pair at three ends; 2 GB in 6 s.
    assert_eq!((&flow["mean_rate"], &flow["mean_goodput"]), (&json!(4e9), &json!(2.66667e9)));
}

#[test]
fn of_many_intervals_neighbours_are_combined() {
    let rates = (0..1000).map(|nth| rate(nth, 10, nth % 2, 1_000_000_000, (1, nth))).collect();
    let data = data(&MemorySink { rates, ..with_queue_pairs() });
    let (rates, flow) = (&data["rates"][0], &data["rates"][0]["flows"][0]);
    assert_eq!((&rates["recorded"], &rates["interval"]), (&json!(1.0), &json!(4.0)));
    let of = |key: &str| flow[key].as_array().unwrap().clone();
    assert_eq!([of("shares").len(), of("rates").len(), of("goodputs").len()], [249; 3]);
    // 2 of 40 packets; the rate at the end.
    assert_eq!((&of("shares")[7], &of("rates")[7]), (&json!(0.05), &json!(31e9)));
    assert_eq!((&flow["packets"], &flow["retransmitted"]), (&json!(10_000), &json!(500)));
}

#[test]
fn of_many_flows_those_that_sent_most_are_drawn() {
    let flow = |host: u32| RateRow {
        destination: HostId(host),
        packets: u64::from(host % 40),
        ..rate(0, 0, 0, 0, (0, 0))
    };
    let rates = &data(&MemorySink { rates: (0..100).map(flow).collect(), ..with_queue_pairs() })["rates"][0];
    let packets: Vec<u64> =
        rates["flows"].as_array().unwrap().iter().map(|flow| flow["packets"].as_u64().unwrap()).collect();
    assert_eq!((&rates["total"], &packets[..]), (&json!(100), &[39, 39, 38, 38, 37, 37, 36, 36][..]));
}

/// A run with this balancing policy and this timer of DCQCN, whose job takes `seconds` seconds.
fn setting(workspace: &mut Workspace, seed: u64, balance: &Value, times: [&str; 2], seconds: u64) {
    let mut rows = rows();
    rows.jobs[0].end = Some(Time(SECOND * seconds));
    let plain = summary("ecmp");
    let scenario = json!({
        "seed": seed.to_string(),
        "balance": balance,
        "congestion": { "dcqcn": { "increase_time": times[0], "decrease_time": times[1] } },
    });
    let name = format!("{balance} {times:?} {seed}");
    workspace.run(&name, &rows, names("training"), RunSummary { scenario, ..plain });
}

#[test]
fn runs_are_grouped_by_their_settings_with_a_bar_for_each_balancing() {
    let mut workspace = Workspace::new();
    let adaptive = json!({ "switch": "adaptive", "edge": "none" });
    let themis = json!({ "switch": "psn_spray", "edge": { "themis": { "capacity": "9" } } });
    for (balance, times, seconds) in [
        (&adaptive, ["900us", "4us"], 8),
        (&adaptive, ["10us", "4us"], 6),
        (&themis, ["900us", "4us"], 4),
        (&adaptive, ["10us", "50us"], 5),
    ] {
        setting(&mut workspace, 1, balance, times, seconds);
    }
    setting(&mut workspace, 2, &adaptive, ["900us", "4us"], 9);
    let found = &workspace.data()["by_setting"];
    let settings = ["congestion.dcqcn.decrease_time", "congestion.dcqcn.increase_time"];
    assert_eq!(found["settings"], json!(settings));
    assert_eq!(
        found["groups"],
        json!(["4us / 10us", "4us / 900us", "50us / 10us"]),
        "by size, not by letters"
    );
    assert_eq!(found["bars"], json!(["adaptive", "psn_spray with themis"]));
    let one = |seconds: f64| json!({"runs": 1, "mean": seconds, "low": seconds, "high": seconds});
    let both = json!({"runs": 2, "mean": 8.5, "low": 8.0, "high": 9.0});
    assert_eq!(found["times"], json!([[one(6.0), null], [both, one(4.0)], [one(5.0), null]]));
}

#[test]
fn runs_that_differ_only_in_balancing_form_no_groups() {
    let mut workspace = Workspace::new();
    for policy in ["ecmp", "adaptive"] {
        setting(&mut workspace, 1, &json!({ "switch": policy }), ["10us", "4us"], 5);
    }
    assert_eq!(workspace.data()["by_setting"], Value::Null);
}
