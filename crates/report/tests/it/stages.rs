//! Data of the panel on staged flows, against values calculated by hand.

use netloom_records::{MemorySink, RateRow, RunSummary, StageRow};
use netloom_units::{Bytes, Duration, HostId, Rate, Time};
use serde_json::{Value, json};

use crate::sample::{SECOND, Workspace, names, rows, summary};

/// A flow in a stage of four seconds, the first of which is warm-up, with its bytes in the three others.
fn stage(stage: u32, flow: u16, gigabytes: u64) -> StageRow {
    let start = u64::from(stage) * 4;
    let (source, destination) = if flow == 1 { (HostId(1), HostId(0)) } else { (HostId(0), HostId(1)) };
    StageRow {
        stage,
        start: Time(SECOND * start),
        measured_from: Time(SECOND * (start + 1)),
        end: Time(SECOND * (start + 4)),
        flow,
        source,
        destination,
        size: Bytes(gigabytes * 1_000_000_000),
        throughput: gigabytes as f64 * 8e9 / 3.0,
    }
}

fn rate(second: u64, source: u32, size: u64) -> RateRow {
    RateRow {
        time: Time(SECOND * (second + 1)),
        interval: Duration(SECOND),
        source: HostId(source),
        destination: HostId(1 - source),
        number: None,
        packets: 9,
        retransmitted: 0,
        duplicates: 0,
        nacks: 0,
        marked: 0,
        notifications: 0,
        size: Bytes(size),
        queue_pairs: 1,
        rate: Some(Rate(8)),
    }
}

fn stages() -> Vec<StageRow> {
    vec![stage(0, 0, 6), stage(1, 0, 6), stage(1, 1, 3), stage(1, 2, 3), stage(2, 2, 0)]
}

fn data(rows: &MemorySink, time_scale: Option<&str>) -> Value {
    let mut workspace = Workspace::new();
    let summary = RunSummary { time_scale: time_scale.map(str::to_owned), ..summary("spray") };
    workspace.run("a", rows, names("training"), summary);
    workspace.data()["stages"][0].clone()
}

#[test]
fn a_run_without_staged_flows_has_no_stages() {
    assert_eq!(Workspace::small().data()["stages"], json!([null]));
}

#[test]
fn stages_have_throughputs_sums_and_fairness() {
    let found = data(&MemorySink { stages: stages(), ..rows() }, Some("1/1000"));
    assert_eq!((&found["scale"], &found["lines"]), (&json!("1/1000"), &json!([])));
    let [there, back] = ["leaf0.host0 → leaf1.host0", "leaf1.host0 → leaf0.host0"];
    let flow = |name: &str, pair: &str| json!({ "name": name, "pair": pair });
    assert_eq!(found["flows"], json!([flow("there", there), flow("back", back), flow("there again", there)]));
    let [alone, shared, idle] = [0, 1, 2].map(|nth| &found["stages"][nth]);
    assert_eq!(alone["throughputs"], json!([16e9, null, null]));
    assert_eq!((&alone["sum"], &alone["jain"], &alone["variance"]), (&json!(16e9), &json!(1.0), &json!(0.0)));
    assert_eq!(
        [&shared["start"], &shared["measured_from"], &shared["end"]],
        [&json!(4.0), &json!(5.0), &json!(8.0)]
    );
    assert_eq!(shared["throughputs"], json!([16e9, 8e9, 8e9]));
    // 32^2 / (3 * (256 + 64 + 64)); the mean of (16/3)^2 and twice (8/3)^2.
    assert_eq!((&shared["sum"], &shared["flows"]), (&json!(32e9), &json!(3)));
    assert_eq!((&shared["jain"], &shared["variance"]), (&json!(0.888_889), &json!(1.42222e19)));
    assert_eq!((&idle["throughputs"], &idle["jain"]), (&json!([null, null, 0.0]), &json!(null)));
}

#[test]
fn pairs_of_hosts_are_lines_over_time_and_single_messages_are_not() {
    let single = RateRow { number: Some(3), ..rate(0, 0, 7) };
    let rates = vec![rate(0, 0, 1_000_000_000), single, rate(0, 1, 500_000_000), rate(1, 0, 250_000_000)];
    let mut rates_in_order = rates;
    rates_in_order.sort_by_key(RateRow::order);
    let found = data(&MemorySink { stages: stages(), rates: rates_in_order, ..rows() }, None);
    assert_eq!(found["scale"], Value::Null);
    let [first, second] = [0, 1].map(|nth| &found["lines"][nth]);
    assert_eq!((&first["name"], &second["name"]), (&json!("there, there again"), &json!("back")));
    // The last second is combined with the one before, as the run may end within it.
    assert_eq!((&first["begin"], &first["interval"]), (&json!(0.0), &json!(1.0)));
    assert_eq!((&first["goodputs"], &second["goodputs"]), (&json!([5e9]), &json!([4e9])));
    assert_eq!(found["lines"].as_array().map(Vec::len), Some(2));
}

#[test]
fn of_many_flows_and_stages_the_first_are_listed_and_sums_cover_all() {
    let flow = |nth: u16| StageRow { throughput: 1e9, ..stage(0, nth, 0) };
    let later = |nth: u32| stage(nth, 0, 3);
    let stages: Vec<StageRow> = (0..40).map(flow).chain((1..300).map(later)).collect();
    let mut workspace = Workspace::new();
    let mut names = names("training");
    names.flows = (0..40).map(|nth| format!("flow {nth}")).collect();
    workspace.run("a", &MemorySink { stages, ..rows() }, names, summary("spray"));
    let found = &workspace.data()["stages"][0];
    assert_eq!((&found["total_flows"], &found["total_stages"]), (&json!(40), &json!(300)));
    let of = |value: &Value| value.as_array().map(Vec::len);
    assert_eq!([of(&found["flows"]), of(&found["stages"])], [Some(16), Some(100)]);
    let first = &found["stages"][0];
    assert_eq!((of(&first["throughputs"]), &first["sum"]), (Some(16), &json!(40e9)));
}

#[test]
fn messages_of_staged_flows_have_no_completion_times_but_unfinished_ones_are_counted() {
    let mut rows = MemorySink { stages: stages(), ..rows() };
    rows.flows.truncate(2);
    for row in &mut rows.flows {
        row.job = u16::MAX - 1;
    }
    rows.flows[1].end = None;
    let mut workspace = Workspace::new();
    workspace.run("a", &rows, names("training"), summary("spray"));
    let data = workspace.data();
    assert_eq!(data["fct"][0]["jobs"]["arrived"], Value::Null);
    assert_eq!(data["fct"][0]["background"]["arrived"], Value::Null);
    assert_eq!(data["summary"][0]["whole"]["unfinished"], json!(1));
}
