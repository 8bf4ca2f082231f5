//! Runs side by side.

use netloom_lab::compare::{METRICS, compare_folders};
use netloom_lab::{Overrides, RunRequest, Source, run};

use crate::scenes::TWO_JOBS;

#[test]
fn each_run_is_shown_relative_to_the_first() {
    let place = tempfile::tempdir().expect("a folder can be made");
    let folders = ["ecmp", "adaptive"].map(|policy| {
        let folder = place.path().join(policy);
        let set = vec![("balance".to_owned(), policy.to_owned())];
        run(RunRequest {
            folder: Some(folder.clone()),
            overrides: Overrides { set, ..Overrides::default() },
            ..RunRequest::new(Source::text("two", TWO_JOBS))
        })
        .expect("it runs");
        folder
    });
    let comparison = compare_folders(&folders).expect("they can be read");
    let names: Vec<_> = comparison.rows.iter().map(|row| (row.run.as_str(), row.job.as_deref())).collect();
    let expected = [("ecmp", "large"), ("ecmp", "small"), ("adaptive", "large"), ("adaptive", "small")];
    assert_eq!(names, expected.map(|(run, job)| (run, Some(job))));
    for (place, metric) in METRICS.iter().enumerate() {
        let [first, _, other, other_job] = [0, 1, 2, 3].map(|row: usize| comparison.rows[row].cells[place]);
        let (first, other) = (first.expect("measured"), other.expect("measured"));
        assert_eq!(first.ratio, None, "{}", metric.key);
        if first.value > 0.0 {
            let ratio = other.ratio.expect("there is something to compare with");
            assert!((ratio - other.value / first.value).abs() < 1e-12, "{}", metric.key);
        }
        assert_eq!(other_job.is_some(), place < 4, "{} stands with the job it belongs to", metric.key);
    }
    let json = comparison.to_json();
    assert!(json[2]["relative"]["step_mean_s"].is_f64() && json[0]["relative"]["step_mean_s"].is_null());
}
