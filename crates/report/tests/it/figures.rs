//! Figures of a page, against values calculated by hand.

use netloom_records::{DropReason, DropRow, EventRow, FaultAction, FaultRow, MemorySink, StepRow, Target};
use netloom_units::{Bytes, LinkId, NodeId, Rate, Time};
use serde_json::{Value, json};

use crate::sample::{SECOND, Workspace, flow, names, rows, summary};

#[track_caller]
fn close(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{found} is no number"));
    assert!((found - expected).abs() <= 1e-5 * expected.abs(), "{found}, not {expected}");
}

#[test]
fn percentiles_of_a_few_steps_are_exact() {
    let data = Workspace::small().data();
    let steps = &data["steps"][0];
    assert_eq!((&steps["job"], &steps["steps"], &steps["run"]), (&json!("training"), &json!(4), &json!(0)));
    close(&steps["time"], 9.0);
    close(&steps["times"]["mean"]["value"], 3.75);
    // numpy.percentile([1, 2, 4, 8], [95, 99]) gives 7.4, 7.88.
    close(&steps["times"]["p95"]["value"], 7.4);
    close(&steps["times"]["p99"]["value"], 7.88);
    assert_eq!(steps["times"]["p95"]["high"], Value::Null, "four steps bound no 95th percentile from above");
    assert_eq!(steps["times"]["exact"], true);
    assert_eq!(
        steps["times"]["cdf"],
        json!({"values": [1.0, 2.0, 4.0, 8.0], "shares": [0.25, 0.5, 0.75, 1.0], "whole": true})
    );
}

#[test]
fn background_messages_are_distinguished() {
    let data = Workspace::small().data();
    let of = |group: &str| data["fct"][0][group]["arrived"].clone();
    assert_eq!((&of("jobs")["count"], &of("background")["count"]), (&json!(3), &json!(1)));
    close(&of("jobs")["mean"], 7.0 / 3.0);
    close(&of("jobs")["p50"], 2.0);
    close(&of("background")["maximum"], 3.0);
    close(&data["summary"][0]["whole"]["fct_mean"], 3.0);
}

#[test]
fn the_heat_map_has_the_utilization_of_each_direction() {
    let data = Workspace::small().data();
    let tiers = &data["links"][0]["tiers"];
    assert_eq!(tiers["leaves"], json!([["leaf0", "leaf0"], ["leaf1", "leaf1"]]));
    assert_eq!(tiers["spines"], json!([["spine0", "spine0"]]));
    let usage = |direction: &str, leaf: usize| tiers[direction][leaf][0]["mean"].as_f64();
    assert_eq!((usage("up", 0), usage("up", 1)), (Some(0.4), Some(0.2)));
    assert_eq!((usage("down", 0), usage("down", 1)), (Some(0.8), Some(0.0)));
    let expected = json!({"links": 2, "mean": 0.35, "busiest": 0.5});
    assert_eq!(data["links"][0]["from_hosts"], expected);
    assert_eq!(data["links"][0]["to_hosts"], json!({"links": 2, "mean": 0.2, "busiest": 0.3}));
    assert_eq!(data["links"][0]["between"], json!({"links": 4, "mean": 0.35, "busiest": 0.8}));
}

#[test]
fn parallel_links_share_a_cell() {
    let mut workspace = Workspace::new();
    let mut rows = rows();
    // A second link from leaf0 to the spine, idle.
    let mut second = rows.ports[3];
    second.busy.0 = 0;
    second.port.0 = 8;
    rows.ports.push(second);
    workspace.run("a", &rows, names("training"), summary("ecmp"));
    let cell = &workspace.data()["links"][0]["tiers"]["up"][0][0];
    assert_eq!(*cell, json!({"links": 2, "mean": 0.2, "busiest": 0.4}));
}

#[test]
fn links_of_a_fabric_without_two_tiers_are_listed_busiest_first() {
    let mut workspace = Workspace::new();
    let mut rows = rows();
    // The leaves are connected directly, so there are no two tiers.
    for (port, peer) in [(3, 3), (5, 2)] {
        rows.ports[port].peer = NodeId(peer);
    }
    workspace.run("ring", &rows, names("training"), summary("ecmp"));
    let links = &workspace.data()["links"][0];
    assert_eq!(links["tiers"], Value::Null);
    assert_eq!(links["list"]["total"], 4);
    let first = &links["list"]["links"][0];
    assert_eq!(*first, json!({"link": "leaf0-spine0.0", "from": "spine0", "to": "leaf0", "usage": 0.8}));
}

#[test]
fn links_of_a_fabric_with_a_third_tier_are_listed() {
    let mut workspace = Workspace::new();
    let mut rows = rows();
    // Without its host the second leaf is a switch above the spine.
    rows.ports.retain(|port| port.node != NodeId(1) && port.peer != NodeId(1));
    workspace.run("tree", &rows, names("training"), summary("ecmp"));
    let links = &workspace.data()["links"][0];
    assert_eq!(links["tiers"], Value::Null);
    assert_eq!((&links["list"]["total"], &links["between"]["links"]), (&json!(4), &json!(4)));
}

#[test]
fn queues_at_hosts_and_at_switches_are_distinguished() {
    let data = Workspace::small().data();
    let (hosts, switches) = (&data["queues"][0]["hosts"], &data["queues"][0]["switches"]);
    assert_eq!((&hosts["longest"], &hosts["ports"]), (&json!(2000), &json!(2)));
    assert_eq!((&switches["longest"], &switches["ports"]), (&json!(8000), &json!(6)));
    assert_eq!((&switches["node"], &switches["peer"]), (&json!("spine0"), &json!("leaf1")));
    close(&switches["mean"], 5500.0);
}

#[test]
fn faults_and_losses_are_reported_by_name() {
    let mut workspace = Workspace::new();
    let lost = |node, packets| DropRow {
        node: NodeId(node),
        port: None,
        reason: DropReason::QueueFull,
        packets,
        size: Bytes(1000 * packets).into(),
        first: Time(SECOND * packets),
        last: Time(SECOND * (packets + 1)),
    };
    let fault =
        |number: u64| FaultRow { time: Time(SECOND / 100 * number), link: LinkId(2), up: number % 2 == 1 };
    // The last ones are after the end of the run, at ten seconds.
    let faults = (0..300).chain(1001..1005).map(fault).collect();
    let rows = MemorySink { drops: vec![lost(2, 3), lost(4, 5)], faults, ..rows() };
    workspace.run("a", &rows, names("training"), summary("ecmp"));
    let data = workspace.data();
    let expected = json!([{
        "reason": "queue_full", "packets": 8, "bytes": 8000, "first": 3.0, "last": 6.0, "worst": "spine0",
    }]);
    assert_eq!(data["faults"][0]["drops"], expected);
    assert_eq!(data["faults"][0]["total"], 300);
    let changes = data["faults"][0]["changes"].as_array().expect("there is a list");
    assert_eq!(changes.len(), 200, "the page says that it shows 200 of 300");
    assert_eq!(changes[1], json!({"time": 0.01, "link": "leaf0-spine0.0", "up": true}));
    assert_eq!(data["summary"][0]["whole"]["dropped"], 8);
}

#[test]
fn fault_events_are_reported_by_the_names_of_the_scenario() {
    let mut workspace = Workspace::new();
    let event = |target, action| EventRow {
        time: Time(SECOND),
        detected: Some(Time(2 * SECOND)),
        target,
        link: LinkId(2),
        node: NodeId(4),
        action,
        rate: (action == FaultAction::Degrade).then_some(Rate(1_000_000)),
        loss: None,
        period: None,
    };
    let events = vec![event(Target::Link, FaultAction::Degrade), event(Target::Switch, FaultAction::Down)];
    workspace.run("a", &MemorySink { events, ..rows() }, names("training"), summary("ecmp"));
    let reported = workspace.data()["faults"][0].clone();
    let common = json!({"time": 1.0, "detected": 2.0, "rate": null, "loss": null, "period": null});
    let with = |more: Value| {
        let mut all = common.clone();
        let fields = more.as_object().expect("fields").clone();
        all.as_object_mut().expect("fields").extend(fields);
        all
    };
    let link = with(json!({"target": "link", "name": "leaf0-spine0.0", "action": "degrade", "rate": 1e6}));
    let switch = with(json!({"target": "switch", "name": "spine0", "action": "down"}));
    assert_eq!(reported["events"], json!([link, switch]));
    assert_eq!(reported["total_events"], 2);
}

#[test]
fn step_times_over_time_keep_the_slowest_of_steps_that_share_a_point() {
    let course = |n: u64| {
        let mut workspace = Workspace::new();
        // One slow step among fast ones.
        let step = |number: u64| StepRow {
            start: Time(SECOND * number),
            end: Time(SECOND * number + if number == n / 2 { SECOND } else { SECOND / 2 }),
            job: 0,
            step: number as u32,
        };
        workspace.run(
            "a",
            &MemorySink { steps: (0..n).map(step).collect(), ..rows() },
            names("training"),
            summary("ecmp"),
        );
        workspace.data()["steps"][0]["course"].clone()
    };
    let few = course(5);
    assert_eq!(
        few,
        json!({"each": 1, "starts": [0.0, 1.0, 2.0, 3.0, 4.0], "times": [0.5, 0.5, 1.0, 0.5, 0.5]})
    );
    let many = course(5_000);
    let times = many["times"].as_array().expect("a list");
    assert!(
        (300..=600).contains(&times.len()) && many["each"] == json!(16),
        "{} {}",
        times.len(),
        many["each"]
    );
    let slow = times.iter().position(|time| *time == json!(1.0)).expect("it is reported");
    assert_eq!(many["starts"][slow], json!(2500.0));
    assert_eq!(times.iter().filter(|time| **time == json!(1.0)).count(), 1);
}

#[test]
fn settings_are_compared_between_runs_and_with_the_defaults() {
    let mut workspace = Workspace::small();
    workspace.run("adaptive", &rows(), names("training"), summary("adaptive"));
    let settings = &workspace.data()["settings"];
    let row = json!({"path": "balance.switch", "values": ["spray", "adaptive"]});
    assert_eq!(settings["between"], json!({"total": 1, "rows": [row]}));
    let row = json!({"path": "balance.switch", "default": "ecmp", "values": ["spray", "adaptive"]});
    assert_eq!(settings["changed"], json!({"total": 1, "rows": [row]}));
    assert_eq!(settings["known"], json!([true, true]));
}

#[test]
fn the_provenance_of_a_run_is_complete() {
    let data = Workspace::small().data();
    let run = &data["runs"][0];
    assert_eq!((&run["name"], &run["scenario"]), (&json!("spray"), &json!("small")));
    assert_eq!(run["seed"], u64::MAX.to_string(), "as text, since JavaScript would round it");
    assert_eq!(run["command"], "netloom run 'a b.yaml'");
    assert_eq!(run["status"], "complete");
    assert_eq!(run["digest"].as_str().map(str::len), Some(64));
    assert_eq!(run["assumptions"], json!(["modelling assumption: the barrier is modelled"]));
    assert_eq!(run["yaml"], "netloom: 1\nbalance: spray\n");
}

#[test]
fn the_page_does_not_grow_with_the_number_of_messages() {
    let size = |n: u64| {
        let mut workspace = Workspace::new();
        let flows = (1..=n).map(|number| flow(number * 1_000, 0)).collect();
        workspace.run("a", &MemorySink { flows, ..rows() }, names("training"), summary("ecmp"));
        let data = workspace.data();
        assert_eq!(data["fct"][0]["jobs"]["arrived"]["count"], n);
        (data["fct"][0]["jobs"]["arrived"]["exact"].clone(), workspace.page().unwrap().len())
    };
    let (few, many) = (size(2_000), size(200_000));
    assert_eq!((few.0, many.0), (json!(true), json!(false)));
    assert!(many.1.abs_diff(few.1) < 4_000, "{} and {} bytes", few.1, many.1);
}
