//! Comparison of runs.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use netloom_lab::compare::{Comparison, METRICS, compare_folders};
use netloom_lab::explain::ExplainError;
use netloom_lab::{LabError, Over, Overrides, ReasonRequest, RunRequest, Source, run};

use crate::scenes::TWO_JOBS;

#[test]
fn each_run_is_shown_relative_to_the_first() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let folders = ["ecmp", "adaptive"].map(|policy| {
        let folder = workspace.path().join(policy);
        let set = [("balance", policy), ("record.reordering", "true")];
        let set = set.map(|(path, value)| (path.to_owned(), value.to_owned())).to_vec();
        run(RunRequest {
            folder: Some(folder.clone()),
            overrides: Overrides { set, ..Overrides::default() },
            ..RunRequest::new(Source::text("two", TWO_JOBS))
        })
        .expect("it runs");
        folder
    });
    let comparison = compare_folders(&folders, Over::Jobs, None, None).expect("they can be read");
    let names: Vec<_> = comparison.rows.iter().map(|row| (row.run.as_str(), row.job.as_deref())).collect();
    let expected = [("ecmp", "large"), ("ecmp", "small"), ("adaptive", "large"), ("adaptive", "small")];
    assert_eq!(names, expected.map(|(run, job)| (run, Some(job))));
    for (column, metric) in METRICS.iter().enumerate().filter(|(_, metric)| !metric.key.starts_with("stage_"))
    {
        let [first, _, other, other_job] = [0, 1, 2, 3].map(|row: usize| comparison.rows[row].cells[column]);
        let (first, other) = (first.expect("measured"), other.expect("measured"));
        assert_eq!(first.ratio, None, "{}", metric.key);
        if first.value > 0.0 {
            let ratio = other.ratio.expect("there is something to compare with");
            assert!((ratio - other.value / first.value).abs() < 1e-12, "{}", metric.key);
        }
        assert_eq!(
            other_job.is_some(),
            metric.key.starts_with("step") || metric.key == "job_time_s",
            "{} is in the row of its job",
            metric.key
        );
    }
    let json = comparison.to_json();
    let rows = &json["rows"];
    assert!(rows[2]["relative"]["step_mean_s"].is_f64() && rows[0]["relative"]["step_mean_s"].is_null());
    assert_eq!(json["baseline"], "ecmp");
    let answer = comparison.answer.expect("there are two variants");
    let jobs: Vec<_> = answer.verdicts.iter().map(|verdict| verdict.job.as_deref()).collect();
    assert_eq!(jobs, [Some("large"), Some("small")]);
    let against_adaptive =
        compare_folders(&folders, Over::Jobs, Some("adaptive"), None).expect("they can be read");
    assert_eq!(against_adaptive.baseline, "adaptive");
    let ratio = |comparison: &Comparison, row: usize| comparison.rows[row].cells[0].map(|cell| cell.ratio);
    assert_eq!(ratio(&against_adaptive, 2), Some(None));
    assert!(ratio(&against_adaptive, 0).flatten().is_some());
    let unknown =
        compare_folders(&folders, Over::Jobs, Some("other"), None).expect_err("there is none").to_string();
    assert_eq!(unknown, "no variant is called `other`: these are ecmp; adaptive");
}

#[test]
fn a_slower_variant_comes_with_the_causes_of_a_typical_step() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let folders = ["100Gbps", "10Gbps"].map(|rate| {
        let folder = workspace.path().join(rate);
        let set = vec![
            ("fabric.leaf_spine.host_rate".to_owned(), rate.to_owned()),
            ("record.causes".to_owned(), "none".to_owned()),
        ];
        let overrides = Overrides { set, ..Overrides::default() };
        let request = RunRequest::new(Source::text("two", TWO_JOBS));
        run(RunRequest { folder: Some(folder.clone()), overrides, ..request }).expect("it runs");
        folder
    });
    let found = compare_folders(&folders, Over::Jobs, None, Some(&ReasonRequest::default()));
    let answer = found.expect("they can be read").answer.expect("there are two variants");
    let compared = &answer.verdicts[0].compared[0];
    let reason = compared.reason.as_ref().expect("it is slower");
    assert!(reason.sentence.starts_with("why: ") && !reason.causes.is_empty(), "{}", reason.sentence);
    assert!(reason.causes.iter().all(|cause| cause.time_s > cause.baseline_time_s), "{:?}", reason.causes);
    for step in [&reason.own, &reason.baseline] {
        let sum: f64 = step.causes.iter().map(|(_, time)| time).sum();
        assert!((sum / step.time_s - 1.0).abs() < 1e-9, "{step:?}");
    }
    let stop = AtomicBool::new(true);
    let request = ReasonRequest { stop: Some(&stop), ..ReasonRequest::default() };
    let stopped = compare_folders(&folders, Over::Jobs, None, Some(&request));
    assert!(matches!(stopped, Err(LabError::Explain(ExplainError::Stopped))));
}

#[test]
fn staged_flows_are_compared_stage_by_stage() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let staged = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/flows/staged.yaml");
    let folders = ["100Gbps", "50Gbps"].map(|rate| {
        let folder = workspace.path().join(rate);
        let set = vec![("fabric.leaf_spine.host_rate".to_owned(), rate.to_owned())];
        let overrides = Overrides { set, ..Overrides::default() };
        let request = RunRequest::new(Source::file(&staged));
        run(RunRequest { folder: Some(folder.clone()), overrides, ..request }).expect("it runs");
        folder
    });
    let comparison = compare_folders(&folders, Over::Jobs, None, None).expect("they can be read");
    let stages: Vec<_> = comparison.rows.iter().map(|row| (row.run.as_str(), row.stage)).collect();
    let expected = ["100Gbps", "50Gbps"].map(|run| [0, 1, 2].map(|stage| (run, Some(stage)))).concat();
    assert_eq!(stages, expected);
    let cell = |row: usize, key: &str| {
        let column = METRICS.iter().position(|metric| metric.key == key).expect("there is such a metric");
        comparison.rows[row].cells[column]
    };
    // The receiver's link is full in the first two stages; half the rate is half the sum.
    for stage in 0..2 {
        let (first, other) =
            cell(stage, "stage_sum_bps").zip(cell(3 + stage, "stage_sum_bps")).expect("measured");
        assert!((other.ratio.expect("there is a first") - 0.5).abs() < 0.01, "{first:?} {other:?}");
        assert!(cell(stage, "stage_jain").expect("measured").value > 0.9);
    }
    assert!(cell(0, "dropped_packets").is_some() && cell(1, "dropped_packets").is_none());
    assert_eq!(comparison.to_json()["rows"][4]["stage"], 1);
}
