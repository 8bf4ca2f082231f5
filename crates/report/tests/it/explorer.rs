//! Data of the explorer on a fabric over time, recorded steps and the slowest messages, against values calculated by
//! hand.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::ZlibDecoder;
use netloom_records::{Activity, DropReason, DropRow, FaultRow, MemorySink, PathRow, SeriesRow, SpanRow};
use netloom_units::{Bytes, Duration, HostId, LinkId, NodeId, PortId, Time};
use serde_json::{Value, json};

use crate::sample::{SECOND, Workspace, flow, names, rows, summary};

/// The data of the page about one run with these rows.
fn reported(rows: &MemorySink) -> Value {
    let mut workspace = Workspace::new();
    workspace.run("run", rows, names("training"), summary("ecmp"));
    workspace.data()
}

/// Unpacks packed numbers.
fn unpack(text: &Value) -> Vec<u64> {
    let compressed = STANDARD.decode(text.as_str().unwrap()).unwrap();
    let mut bytes = Vec::new();
    ZlibDecoder::new(&compressed[..]).read_to_end(&mut bytes).unwrap();
    let (mut numbers, mut number, mut shift) = (Vec::new(), 0, 0);
    for byte in bytes {
        number |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            numbers.push(number);
            (number, shift) = (0, 0);
        }
    }
    numbers
}

/// A sample of one second that ends at `end`.
fn sample(end: u64, port: u32, [size, waiting, paused, dropped]: [u64; 4]) -> SeriesRow {
    SeriesRow {
        time: Time(end * SECOND),
        interval: Duration(SECOND),
        port: PortId(port),
        size: Bytes(size),
        waiting: Bytes(waiting),
        paused: Duration(paused),
        dropped,
    }
}

#[test]
fn every_port_is_an_edge_and_every_node_a_square() {
    let mut rows = rows();
    let (node, port) = (NodeId(4), Some(PortId(6)));
    let (packets, size, first, last) = (7, Bytes(9).into(), Time(1), Time(2));
    rows.drops = vec![DropRow { node, port, reason: DropReason::QueueFull, packets, size, first, last }];
    let reported = reported(&rows);
    let fabric = &reported["fabric"][0];
    let squares: Vec<&str> =
        fabric["squares"].as_array().unwrap().iter().map(|square| square["name"].as_str().unwrap()).collect();
    assert_eq!(squares, ["leaf0.host0", "leaf1.host0", "leaf0", "leaf1", "spine0"]);
    let tiers: Vec<u64> =
        fabric["squares"].as_array().unwrap().iter().map(|square| square["tier"].as_u64().unwrap()).collect();
    assert_eq!(tiers, [0, 0, 1, 1, 2]);
    assert_eq!(fabric["squares"][4]["dropped"], 7);
    assert_eq!(fabric["edges"].as_array().unwrap().len(), 8);
    let busiest = fabric["edges"].as_array().unwrap().iter().find(|edge| edge["port"] == 6).unwrap();
    assert_eq!(
        (&busiest["from"], &busiest["to"], &busiest["busy"], &busiest["sent"], &busiest["peak"]),
        (&json!(4), &json!(2), &json!(0.8), &json!(8_000_000_000_u64), &json!(7000))
    );
    assert_eq!(fabric["frames"], Value::Null, "nothing is known of any span");
}

#[test]
fn samples_and_outages_are_counted_at_their_edges_and_spans() {
    let mut rows = rows();
    rows.series =
        vec![sample(1, 3, [500, 40, 0, 0]), sample(3, 3, [70, 9, 5, 2]), sample(10, 6, [1, 0, 0, 0])];
    // The last outages share a span.
    let half = |halves: u64| Time(halves * SECOND / 2);
    rows.faults = [(4, false), (8, true), (14, false), (15, true), (18, false), (18, true), (19, false)]
        .map(|(time, up)| FaultRow { time: half(time), link: LinkId(2), up })
        .to_vec();
    let reported = reported(&rows);
    let frames = &reported["fabric"][0]["frames"];
    assert_eq!(
        (&frames["count"], &frames["length"], &frames["joined"]),
        (&json!(10), &json!(1.0), &json!(1))
    );
    let numbers = unpack(&frames["packed"]);
    let edges = reported["fabric"][0]["edges"].as_array().unwrap();
    let edge = |port: u64| edges.iter().position(|edge| edge["port"] == port).unwrap();
    let of = |kind: usize, port: u64| &numbers[(kind * 8 + edge(port)) * 10..][..10];
    assert_eq!(of(0, 3), [500, 0, 70, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(of(1, 3), [40, 0, 9, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(of(2, 3), [0, 0, 5, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(of(3, 3), [0, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(of(0, 6), [0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    // Both directions of the link are down in every span that an outage overlaps, and to the end.
    for port in [3, 6] {
        assert_eq!(of(4, port), [0, 0, 1, 1, 0, 0, 0, 1, 0, 1]);
    }
    assert_eq!(of(4, 5), [0; 10]);
    assert_eq!(numbers.len(), 6 * 8 * 10 + 5 * 10);
}

#[test]
fn neighbouring_samples_are_combined_if_there_are_too_many() {
    let mut rows = rows();
    let interval = SECOND / 100;
    let short = |number: u64| SeriesRow {
        time: Time(number * interval),
        interval: Duration(interval),
        ..sample(0, 3, [number, 1000 - number, 0, 0])
    };
    rows.series = (1..=1000).map(short).collect();
    let reported = reported(&rows);
    let frames = &reported["fabric"][0]["frames"];
    assert_eq!((&frames["count"], &frames["joined"]), (&json!(334), &json!(3)));
    let numbers = unpack(&frames["packed"]);
    assert_eq!(numbers.iter().take(8 * 334).sum::<u64>(), 500_500, "no byte is lost");
    assert_eq!(numbers.iter().skip(8 * 334).take(8 * 334).max(), Some(&999), "nor the longest queue");
}

/// A span of a rank in step 3, by its start and end in seconds after the start of the step at 5 s.
fn span(rank: u32, activity: Activity, (start, end): (u64, Option<u64>), workspace: (u16, u16)) -> SpanRow {
    let (phase, bucket) = workspace;
    SpanRow {
        start: Time((5 + start) * SECOND),
        end: end.map(|end| Time((5 + end) * SECOND)),
        job: 0,
        step: 3,
        rank,
        host: HostId(rank),
        activity,
        phase: (activity != Activity::Step).then_some(phase),
        bucket: (activity == Activity::Collective).then_some(bucket),
    }
}

#[test]
fn time_in_a_step_is_reported_for_each_rank() {
    let mut rows = rows();
    rows.spans = vec![
        span(0, Activity::Step, (0, Some(4)), (0, 0)),
        span(0, Activity::Compute, (0, Some(1)), (0, 0)),
        span(0, Activity::Communicate, (1, Some(3)), (1, 0)),
        span(0, Activity::Collective, (1, Some(3)), (1, 7)),
        span(0, Activity::Barrier, (3, Some(4)), (1, 0)),
        span(1, Activity::Step, (0, None), (0, 0)),
        span(1, Activity::Compute, (0, Some(2)), (0, 0)),
        span(1, Activity::Communicate, (2, None), (1, 0)),
    ];
    let reported = reported(&rows);
    let step = &reported["timeline"][0]["steps"][0];
    assert_eq!((&step["name"], &step["step"], &step["start"]), (&json!("training"), &json!(3), &json!(5.0)));
    assert_eq!((&step["time"], &step["ranks"], &step["drawn"]), (&Value::Null, &json!(2), &json!(8)));
    assert_eq!(step["compute"], json!({ "mean": 1.5, "least": 1.0, "most": 2.0 }));
    // A span that is not completed lasts to the end of the run, at 10 s.
    assert_eq!(step["exposed"], json!({ "mean": 2.5, "least": 2.0, "most": 3.0 }));
    assert_eq!(step["barrier"], json!({ "mean": 0.5, "least": 0.0, "most": 1.0 }));
    let numbers = unpack(&reported["timeline"][0]["packed"]);
    assert_eq!(numbers.len(), 8 * 6);
    assert_eq!(numbers[3 * 6..4 * 6], [0, 5, 2, 8, SECOND, 2 * SECOND + 1]);
    assert_eq!(numbers[5 * 6..6 * 6], [1, 0, 0, 0, 0, 0]);
}

#[test]
fn the_slowest_messages_come_first_with_their_paths() {
    let mut rows = rows();
    let slow = |end: u64, ideal: u64| netloom_records::FlowRow {
        ideal: Some(Duration(ideal)),
        number: end as u32,
        ..flow(end, u16::MAX)
    };
    rows.flows = (1..=100).map(|n| slow(1000 + n, 1000 - n)).collect();
    let hop = |hop: u16, port: u32, packets: u32| PathRow {
        rank: 0,
        source: HostId(0),
        destination: HostId(1),
        number: 1040,
        hop,
        port: PortId(port),
        node: NodeId(port),
        link: LinkId(0),
        peer: NodeId(4),
        packets,
        size: Bytes(1),
        waited: Duration(6 * SECOND),
        longest_wait: Duration(5 * SECOND),
        serialization: Duration(1),
        propagation: Duration(1),
    };
    rows.paths = vec![hop(0, 0, 3), hop(1, 2, 1), hop(1, 3, 2)];
    let reported = reported(&rows);
    let worst = &reported["worst"][0];
    let numbers: Vec<u64> =
        worst["slowed"].as_array().unwrap().iter().map(|one| one["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1089..=1100).rev().collect::<Vec<u64>>());
    assert_eq!(worst["total_followed"], 1);
    let hops = &worst["followed"][0]["hops"];
    assert_eq!((hops.as_array().unwrap().len(), &hops[1]["total"]), (2, &json!(2)));
    // The port that most packets passed comes first; they waited six seconds in total.
    let first =
        json!({ "from": "leaf1", "to": "spine0", "port": 3, "packets": 2, "waited": 3.0, "longest": 5.0 });
    assert_eq!(hops[1]["ports"][0], first);
}
