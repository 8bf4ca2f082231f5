//! Figures of sweeps: lines with intervals, and a threshold.

use netloom_figures::{Format, study};
use netloom_report::{CurveData, CurveLine, CurvePoint, FoundThreshold, StudyData, ThresholdData, ValueAxis};

fn line(name: &str, means: &[f64]) -> CurveLine {
    let point = |(nth, mean): (usize, &f64)| CurvePoint {
        value: format!("{}us", nth + 1),
        number: (nth as f64 + 1.0) * 1e-6,
        seeds: 5,
        mean: *mean,
        half: Some(mean.abs() * 0.1),
    };
    CurveLine { name: name.to_owned(), points: means.iter().enumerate().map(point).collect() }
}

fn sample() -> StudyData {
    let axis = || ValueAxis { path: "jobs.0.start".to_owned(), unit: "s", log: false, names: Vec::new() };
    let curve = |axis, is_joined| CurveData {
        quantity: "mean step time".to_owned(),
        axis,
        is_joined,
        lines: vec![
            line("balance=ecmp", &[1e-3, 1.1e-3, 1.4e-3]),
            line("balance=<spray>", &[1e-3, 1e-3, 1.2e-3]),
        ],
    };
    let names =
        ValueAxis { path: String::new(), names: ["a", "b", "c", "d"].map(str::to_owned).into(), ..axis() };
    let log = ValueAxis { log: true, ..axis() };
    let found = |name: &str, means: &[f64]| FoundThreshold {
        words: String::new(),
        estimate: Some(2.5e-6),
        interval: Some([2e-6, 3e-6]),
        tried: line(name, means),
    };
    StudyData {
        name: "sweep".to_owned(),
        scenarios: vec!["busy".to_owned()],
        netloom: "1".to_owned(),
        varied: Vec::new(),
        seeds: [1, 5],
        over: String::new(),
        points: 30,
        total: 30,
        failed: Vec::new(),
        variants: Vec::new(),
        baseline: 0,
        answer: None,
        curves: vec![curve(axis(), true), curve(log, true), curve(names, false)],
        thresholds: Some(ThresholdData {
            axis: axis(),
            threshold: 0.05,
            found: vec![
                found("balance=ecmp", &[0.0, 0.04, 0.2]),
                found("balance=<spray>", &[0.0, -0.01, 0.1]),
            ],
        }),
    }
}

#[test]
fn a_sweep_is_drawn_in_every_format_with_its_data() {
    let drawn = study(&sample(), 84.6).expect("it can be drawn");
    let [times, threshold] = &drawn.figures[..] else { panic!("two figures: {:?}", drawn.left_out) };
    assert_eq!((times.name, threshold.name), ("study", "threshold"));
    for figure in &drawn.figures {
        let svg = String::from_utf8(figure.file(Format::Svg).expect("it fits")).expect("it is text");
        assert!(
            svg.contains("jobs.0.start (µs)") && svg.contains("balance=&lt;spray&gt;"),
            "{}",
            figure.name
        );
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", figure.name);
        assert!(figure.file(Format::Pdf).expect("it fits").starts_with(b"%PDF"));
    }
    let svg = String::from_utf8(threshold.file(Format::Svg).expect("it fits")).expect("it is text");
    assert!(svg.contains("threshold 5 %") && svg.contains("step time longer by (%)"));
    let csv = threshold.csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 7);
    let cells: Vec<&str> = lines[3].split(',').collect();
    assert_eq!(cells[..7], ["balance=ecmp", "jobs.0.start", "3us", "0.000003", "s", "5", "20"]);
    let half: f64 = cells[7].parse().expect("a number");
    assert!((half - 2.0).abs() < 1e-9 && cells[8..10] == ["5", "0.0000025"], "{}", lines[3]);
    assert_eq!(times.csv().lines().count(), 1 + 3 * 6);
}

#[test]
fn a_sweep_without_times_has_no_figure() {
    let nothing = StudyData { curves: Vec::new(), thresholds: None, ..sample() };
    let error = study(&nothing, 84.6).expect_err("there is nothing to draw");
    assert!(error.to_string().contains("no times over several values"), "{error}");
}
