//! Data of the panel on kinds of traffic, against values calculated by hand.

use netloom_records::{ClassRow, MemorySink, Names, TrafficRow};
use netloom_units::{Bytes, Duration, LinkId, NodeId, PortId};
use serde_json::json;

use crate::sample::{SECOND, Workspace, names, rows, summary};

const BACKGROUND: u16 = u16::MAX;

fn kind(job: u16, traffic: u16, class: u16) -> TrafficRow {
    TrafficRow { job, step: 0, traffic, class, may_reorder: traffic == 0 }
}

fn class(port: u32, node: u32, class: u16, size: u64) -> ClassRow {
    ClassRow {
        port: PortId(port),
        class,
        node: NodeId(node),
        link: LinkId(0),
        peer: NodeId(1 - node.min(1)),
        packets: size / 1_000,
        size: Bytes(size),
        peak_size: Bytes(size / 2),
        dropped: 3,
        marked: 5,
        pauses: 1,
        paused: Duration(u64::from(port + 1) * SECOND / 10),
    }
}

#[test]
fn a_run_without_named_kinds_has_no_kinds_of_traffic() {
    assert_eq!(Workspace::small().data()["traffic"], json!([null]));
}

#[test]
fn kinds_have_the_times_and_throughputs_of_their_messages() {
    let classes =
        vec![class(0, 0, 1, 4_000), class(0, 0, 3, 10_000), class(3, 2, 1, 8_000), class(3, 2, 3, 6_000)];
    let traffic = vec![kind(0, 0, 3), kind(BACKGROUND, 1, 1)];
    let rows = MemorySink { traffic, classes, ..rows() };
    let named = Names { traffic: ["training", "storage"].map(str::to_owned).to_vec(), ..names("training") };
    let mut workspace = Workspace::new();
    workspace.run("two classes", &rows, named, summary("spray"));
    let found = &workspace.data()["traffic"][0];
    // Messages of 1000 bytes: of the job after 1, 2 and 4 s, background after 3 s, all from the start.
    assert_eq!(
        found["kinds"],
        json!([
            {
                "name": "training", "class": 3, "may_reorder": true, "messages": 3, "unfinished": 0,
                "times": { "mean": 2.33333, "p50": 2.0, "p99": 3.96 }, "throughput": 6000.0
            },
            {
                "name": "storage", "class": 1, "may_reorder": false, "messages": 1, "unfinished": 0,
                "times": { "mean": 3.0, "p50": 3.0, "p99": 3.0 }, "throughput": 2666.67
            },
        ])
    );
    let of = |class, sent, peak| {
        json!({
            "class": class, "sent": sent, "peak": peak, "marked": 10, "dropped": 6, "pauses": 2, "paused": 0.4
        })
    };
    assert_eq!(found["classes"], json!([of(1, 4_000, 4_000), of(3, 10_000, 5_000)]));
}
