//! `netloom show`: single packets and the slowest messages of a run.

use serde_json::Value;

use crate::command::{Answer, SMALL, Workspace};

fn workspace() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    let record = "record={ packets_of: [leaf0.host0->leaf0.host1], slowest_flows: 2 }";
    let run = workspace.netloom(&["run", "small.yaml", "-o", "a", "--set", record]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    workspace
}

fn good(answer: Answer) -> String {
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""), "{}", answer.out);
    answer.out
}

#[test]
fn flows_a_packet_and_paths_are_shown() {
    let workspace = workspace();
    let flows = good(workspace.netloom(&["show", "packets", "a"]));
    assert!(flows.starts_with("flow ") && flows.contains("leaf0.host0->leaf0.host1#0"), "{flows}");
    let flow = ["show", "packets", "a", "--flow", "leaf0.host0->leaf0.host1#0"];
    let life = good(workspace.netloom(&flow));
    assert!(life.contains(", the last one delivered or dropped") && life.contains("delivered"), "{life}");
    assert!(life.contains(" waited + ") && life.contains(" in total"), "{life}");
    let first = good(workspace.netloom(&[&flow[..], &["--packet", "0"]].concat()));
    assert!(first.starts_with("packet 0 of leaf0.host0->leaf0.host1#0\n"), "{first}");
    let paths = good(workspace.netloom(&["show", "paths", "a"]));
    assert!(paths.starts_with("1. leaf") && paths.contains("\n2. leaf"), "{paths}");
}

#[test]
fn packets_and_paths_are_printed_as_json() {
    let workspace = workspace();
    let json = |more: &[&str]| -> Value {
        let out = good(workspace.netloom(&[&["show"], more, &["--json"]].concat()));
        serde_json::from_str(&out).expect("it is JSON")
    };
    let flows = json(&["packets", "a"]);
    let flow = flows[0]["flow"].as_str().expect("it has a name");
    let life = json(&["packets", "a", "--flow", flow, "--packet", "0"]);
    let data = &life["data"];
    let ps = |key: &str| data[key].as_u64().expect("a time");
    assert_eq!(ps("total_ps"), ps("waited_ps") + ps("serialization_ps") + ps("propagation_ps"));
    assert_eq!(data["hops"].as_array().map(Vec::len), Some(2));
    assert_eq!(json(&["paths", "a"])[1]["rank"], 1);
}

#[test]
fn runs_without_the_requested_records_are_refused() {
    let workspace = workspace();
    assert_eq!(workspace.netloom(&["run", "small.yaml", "-o", "plain"]).code, Some(0));
    let idle = ["--set", "record.packets_of=[leaf0.host0->leaf1.host1]"];
    assert_eq!(workspace.netloom(&[&["run", "small.yaml", "-o", "idle"][..], &idle].concat()).code, Some(0));
    for (arguments, why) in [
        (&["show"][..], "Usage"),
        (&["show", "packets"], "<RUN>"),
        (&["show", "packets", "a", "--packet", "1"], "--flow"),
        (&["show", "packets", "nowhere"], "no such run folder: nowhere"),
        (&["show", "packets", "plain"], "recorded no packets"),
        (&["show", "packets", "idle"], "none of the flows under `packets_of` sent a packet"),
        (&["show", "paths", "plain"], "recorded no paths"),
        (&["show", "packets", "a", "--flow", "leaf0.host0"], "not the name of a flow"),
        (&["show", "packets", "a", "--flow", "leaf0.host0->leaf0.hots1"], "did you mean `leaf0.host1`?"),
        (
            &["show", "packets", "a", "--flow", "leaf1.host0->leaf0.host1"],
            "recorded were leaf0.host0->leaf0.host1#0",
        ),
        (
            &["show", "packets", "a", "--flow", "leaf0.host0->leaf0.host1#0", "--packet", "4000000"],
            "recorded: 0 to ",
        ),
    ] {
        let answer = workspace.netloom(arguments);
        assert_eq!(answer.code, Some(2), "{arguments:?}: {}{}", answer.out, answer.err);
        assert!(answer.err.contains(why), "expected `{why}` in:\n{}", answer.err);
    }
}
