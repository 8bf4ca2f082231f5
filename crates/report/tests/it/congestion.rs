//! Data of the panel on congestion trees, against values calculated by hand.

use netloom_records::{CongestedFlowRow, CongestionRow, MemorySink, Part, Role};
use netloom_units::{Bytes, Duration, HostId, NodeId, PortId, Time};
use serde_json::{Value, json};

use crate::sample::{SECOND, Workspace, names, rows, summary};

/// The span of one second that ends at `end`.
fn span(end: u64) -> (Time, Time) {
    (Time((end - 1) * SECOND), Time(end * SECOND))
}

/// From leaf1 to its host, from the spine to leaf1, and from the host of leaf0.
const ROOT: (u32, u32, u32) = (4, 3, 1);
const BRANCH: (u32, u32, u32) = (7, 4, 3);
const LEAF: (u32, u32, u32) = (0, 0, 2);

/// A port with the tenths of a second in which it sent and starved, and the number of bytes waiting.
fn port(
    end: u64,
    (port, node, peer): (u32, u32, u32),
    role: Role,
    tenths: (u64, u64),
    waiting: u64,
) -> CongestionRow {
    let (start, end) = span(end);
    let at_switch = node > 1;
    let blocked_by =
        matches!(role, Role::Branch | Role::Leaf).then_some(PortId(if at_switch { 4 } else { 7 }));
    CongestionRow {
        start,
        end,
        port: PortId(port),
        node: NodeId(node),
        peer: NodeId(peer),
        role,
        occupied: at_switch.then_some(Duration(SECOND)),
        sending: Duration(tenths.0 * SECOND / 10),
        credit_stalled: Duration(tenths.1 * SECOND / 10),
        mean_waiting: at_switch.then_some(Bytes(waiting)),
        peak_waiting: at_switch.then_some(Bytes(2 * waiting)),
        blocked_by,
        blocked_size: blocked_by.map(|_| Bytes(waiting)),
    }
}

fn flow(
    end: u64,
    from: u32,
    part: Part,
    (port, node, peer): (u32, u32, u32),
    role: Role,
) -> CongestedFlowRow {
    let (start, end) = span(end);
    CongestedFlowRow {
        start,
        end,
        source: HostId(from),
        destination: HostId(1 - from),
        part,
        port: PortId(port),
        node: NodeId(node),
        peer: NodeId(peer),
        role,
        mean_waiting: None,
    }
}

fn data(mut congestion: Vec<CongestionRow>, congested_flows: Vec<CongestedFlowRow>) -> Value {
    congestion.sort_by_key(|row| (row.end, row.port));
    let mut workspace = Workspace::new();
    let rows = MemorySink { congestion, congested_flows, ..rows() };
    workspace.run("a", &rows, names("training"), summary("spray"));
    workspace.data()["congestion"][0].clone()
}

#[test]
fn a_run_without_recorded_congestion_has_no_tree() {
    assert_eq!(Workspace::small().data()["congestion"], json!([null]));
    // Nor has a run without congestion.
    assert_eq!(data(vec![port(1, ROOT, Role::Free, (5, 0), 10)], Vec::new()), Value::Null);
}

#[test]
fn consecutive_spans_with_the_same_roles_are_one_scene() {
    let tree = |end, tenths, waiting| {
        [
            port(end, ROOT, Role::Root, (10, 0), waiting),
            port(end, BRANCH, Role::Branch, tenths, 10),
            port(end, LEAF, Role::Leaf, tenths, 0),
        ]
    };
    let alone = port(4, ROOT, Role::Root, (10, 0), 10);
    let congestion =
        [tree(1, (6, 4), 100), tree(2, (4, 6), 300)].concat().into_iter().chain([alone]).collect();
    let flows = vec![
        flow(1, 0, Part::Contributor, ROOT, Role::Root),
        flow(1, 0, Part::Contributor, BRANCH, Role::Branch),
        flow(2, 0, Part::Contributor, ROOT, Role::Root),
        flow(2, 1, Part::Victim, BRANCH, Role::Branch),
    ];
    let found = data(congestion, flows);
    assert_eq!(found["total_scenes"], json!(2));
    let tiers: Vec<_> = found["nodes"].as_array().unwrap().iter().map(|node| node["tier"].clone()).collect();
    assert_eq!(tiers, [0, 0, 1, 1, 2]);
    assert_eq!(found["links"], json!([[0, 2], [1, 3], [2, 4], [3, 4]]));

    let first = &found["scenes"][0];
    assert_eq!((&first["start"], &first["end"]), (&json!(0.0), &json!(2.0)));
    let [root, branch, leaf] = [0, 1, 2].map(|nth| &first["ports"][nth]);
    assert_eq!((&root["name"], &root["role"]), (&json!("leaf1 → leaf1.host0"), &json!("root")));
    assert_eq!(
        [&root["waiting"], &root["peak"], &root["blocked_by"]],
        [&json!(200.0), &json!(600), &Value::Null]
    );
    assert_eq!([&branch["from"], &branch["to"]], [&json!(4), &json!(3)]);
    assert_eq!(
        [&branch["sending"], &branch["credit_stalled"], &branch["occupied"]],
        [&json!(0.5), &json!(0.5), &json!(1.0)]
    );
    assert_eq!(branch["blocked_by"], json!("leaf1 → leaf1.host0"));
    assert_eq!([&leaf["role"], &leaf["waiting"]], [&json!("leaf"), &Value::Null]);
    // A pair counts once in a span, at any number of ports.
    let [there, back] = ["leaf0.host0 → leaf1.host0", "leaf1.host0 → leaf0.host0"];
    assert_eq!(first["contributors"], json!([{ "source": 0, "name": there, "share": 1.0 }]));
    assert_eq!(first["victims"], json!([{ "source": 1, "name": back, "share": 0.5 }]));

    let second = &found["scenes"][1];
    assert_eq!((&second["start"], &second["ports"].as_array().unwrap().len()), (&json!(3.0), &1));
}

#[test]
fn of_many_scenes_the_longest_are_reported_in_order_of_time() {
    let lengths = [1, 3, 1, 1, 2, 1, 1, 1, 4];
    let mut end = 0;
    let mut congestion = Vec::new();
    for (nth, length) in lengths.into_iter().enumerate() {
        // Roles alternate, so that each span is a scene of its own.
        let tree = if nth % 2 == 0 { ROOT } else { BRANCH };
        for _ in 0..length {
            end += 1;
            congestion.push(port(end, tree, Role::Root, (10, 0), 10));
        }
    }
    let found = data(congestion, Vec::new());
    assert_eq!(found["total_scenes"], json!(9));
    let starts: Vec<_> =
        found["scenes"].as_array().unwrap().iter().map(|scene| scene["start"].as_f64().unwrap()).collect();
    assert_eq!(starts, [0.0, 1.0, 4.0, 5.0, 6.0, 11.0]);
}
