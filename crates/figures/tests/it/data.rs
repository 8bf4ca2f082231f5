//! The data of figures: those of the small run, against values calculated by hand and against the report.

use netloom_figures::{FigureError, Figures, figures};
use netloom_records::statistics::Over;
use netloom_records::{EventRow, FaultAction, MemorySink, SeriesRow, Target};
use netloom_units::{Bytes, Duration, LinkId, NodeId, PortId, Time};

use crate::sample::{SECOND, Workspace, names, rows, summary};

/// A row of the table of samples: bytes that a port sent in a second, and its backlog at the end of it.
fn sampled(port: u32, end: u64, size: u64, waiting: u64) -> SeriesRow {
    SeriesRow {
        time: Time(end * SECOND),
        interval: Duration(SECOND),
        port: PortId(port),
        size: Bytes(size),
        waiting: Bytes(waiting),
        paused: Duration(0),
        dropped: 0,
    }
}

/// The small run with samples of its ports and a link that goes down.
pub fn with_samples() -> MemorySink {
    let event = EventRow {
        time: Time(4 * SECOND),
        detected: None,
        target: Target::Link,
        link: LinkId(2),
        node: NodeId(0),
        action: FaultAction::Down,
        rate: None,
        loss: None,
        period: None,
    };
    MemorySink {
        series: vec![
            sampled(2, 2, 1_000_000_000, 5),
            sampled(3, 2, 77, 3_000),
            sampled(4, 2, 250_000_000, 0),
            sampled(5, 2, 77, 2_000),
            sampled(2, 9, 500_000_000, 0),
        ],
        events: vec![event],
        ..rows()
    }
}

/// The figures of a folder, one column wide.
pub fn drawn(workspace: &Workspace) -> Result<Figures, FigureError> {
    figures(workspace.runs(), 84.6, Over::Jobs)
}

/// The table of a figure, by rows.
fn table(workspace: &Workspace, name: &str) -> Vec<String> {
    let drawn = drawn(workspace).unwrap();
    let found = drawn.figures.iter().find(|figure| figure.name == name).expect("it is drawn");
    found.csv().lines().map(str::to_owned).collect()
}

#[test]
fn tables_agree_with_values_calculated_by_hand() {
    let mut workspace = Workspace::new();
    workspace.run("spray", &with_samples(), names("training"), summary("spray"));
    // One background message of 1,000 B took 3 s and would have taken 1.5 s.
    assert_eq!(table(&workspace, "slowdown")[1..], ["spray,1000,1,2,2,0,9"]);
    let steps =
        ["spray,training,1,0.25", "spray,training,2,0.5", "spray,training,4,0.75", "spray,training,8,1"];
    assert_eq!(table(&workspace, "step_time_cdf")[1..], steps);
    let fct = [
        "spray,background,3,1,0,9",
        "spray,jobs,1,0.333333,0,10",
        "spray,jobs,2,0.666667,0,10",
        "spray,jobs,4,1,0,10",
    ];
    assert_eq!(table(&workspace, "fct_cdf")[1..], fct);
    // The job ran for 9 s: all samples of leaf 0, which sent for 4 s, and of leaf 1, which sent for 2 s, are within;
    // there
    // are no samples of the spine, which sent for 8 s and not at all, so nine tenths count.
    let links = [
        "spray,up,leaf0,leaf0,spine0,spine0,1,44.44,44.44,0,9",
        "spray,up,leaf1,leaf1,spine0,spine0,1,22.22,22.22,0,9",
        "spray,down,leaf0,leaf0,spine0,spine0,1,80,80,0,9",
        "spray,down,leaf1,leaf1,spine0,spine0,1,0,0,0,9",
    ];
    assert_eq!(table(&workspace, "links")[1..], links);
}

#[test]
fn intervals_without_samples_are_zero() {
    let mut workspace = Workspace::new();
    workspace.run("spray", &with_samples(), names("training"), summary("spray"));
    let throughput = table(&workspace, "throughput");
    assert_eq!(throughput[0], "run,time_s,interval_s,throughput_bit_per_s,event");
    let of = |second: usize| throughput[second].as_str();
    assert_eq!((of(1), of(2), of(9)), ("spray,1,1,0,", "spray,2,1,10000000000,", "spray,9,1,4000000000,"));
    assert_eq!((of(10), of(11)), ("spray,10,1,0,", "spray,4,,,link leaf0-spine0.0 down"));
    assert_eq!(throughput.len(), 12);
    let queues = table(&workspace, "queues_over_time");
    assert_eq!((queues[2].as_str(), queues[3].as_str()), ("spray,2,1,3005,", "spray,3,1,0,"));
}

#[test]
fn tables_agree_with_the_report() {
    let workspace = Workspace::small();
    let data = workspace.data();
    let times = &data["steps"][0]["times"];
    let reported = |what: &str, end: &str| times[what][end].as_f64().map(|seconds| seconds.to_string());
    let row = [
        Some("4".to_owned()),
        reported("mean", "value"),
        reported("mean", "low"),
        reported("mean", "high"),
        reported("p95", "value"),
        reported("p99", "value"),
    ];
    let row: Vec<String> = row.into_iter().map(|cell| cell.expect("the report has it")).collect();
    assert_eq!(table(&workspace, "step_time")[1], format!("spray,training,{}", row.join(",")));
    let fct = &data["fct"][0]["jobs"]["arrived"]["cdf"];
    let table = table(&workspace, "fct_cdf");
    for (nth, value) in fct["values"].as_array().expect("it has values").iter().enumerate() {
        let row =
            format!("spray,jobs,{},{},0,10", value.as_f64().unwrap(), fct["shares"][nth].as_f64().unwrap());
        assert!(table.contains(&row), "{row} {table:?}");
    }
}

#[test]
fn figures_without_data_are_left_out_with_the_reason() {
    let mut workspace = Workspace::small();
    let drawn_names = |workspace: &Workspace| -> Vec<&str> {
        drawn(workspace).unwrap().figures.iter().map(|figure| figure.name).collect()
    };
    assert_eq!(drawn_names(&workspace), ["slowdown", "step_time", "step_time_cdf", "fct_cdf", "links"]);
    let left_out = drawn(&workspace).unwrap().left_out;
    assert!(
        left_out.len() == 2 && left_out.iter().all(|figure| figure.reason.contains("series")),
        "{left_out:?}"
    );
    // A run without data for a figure is reported, too.
    workspace.run(
        "idle",
        &MemorySink { ports: rows().ports, ..MemorySink::default() },
        names("training"),
        summary("ecmp"),
    );
    let found = drawn(&workspace).unwrap();
    let without: Vec<_> =
        found.figures.iter().map(|figure| (figure.name, figure.without.join(" "))).collect();
    assert!(
        without.contains(&("slowdown", "idle".to_owned())) && without.contains(&("links", String::new()))
    );
}

#[test]
fn no_figure_at_all_is_an_error_with_the_reasons() {
    let mut workspace = Workspace::new();
    workspace.run("idle", &MemorySink::default(), names("training"), summary("ecmp"));
    let error = drawn(&workspace).unwrap_err().to_string();
    for word in ["no figure is left", "`slowdown`: no background message", "`links`: no fabric has two tiers"]
    {
        assert!(error.contains(word), "{error}");
    }
}
