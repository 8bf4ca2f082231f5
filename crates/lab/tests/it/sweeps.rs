//! Many runs at once.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use netloom_lab::{ExitCode, Options, Over, Point, Source, Sweep, SweepProgress, sweep};

use crate::scenes::{TWO_JOBS, prepared, simulated};

fn points(seeds: std::ops::RangeInclusive<u64>) -> Vec<Point> {
    seeds.map(|seed| Point::new(Source::text("two", TWO_JOBS)).seed(seed)).collect()
}

#[test]
fn points_are_in_order_and_equal_to_single_runs() {
    let reported = Mutex::new(Vec::new());
    let on_progress = |progress: &SweepProgress| reported.lock().expect("no thread panicked").push(*progress);
    let done = sweep(&Sweep {
        points: points(1..=5),
        over: Over::All,
        threads: Some(3),
        on_progress: Some(&on_progress),
        ..Sweep::default()
    });
    for (seed, report) in (1..=5).zip(&done) {
        let report = report.as_ref().expect("it runs");
        assert_eq!(report.seed, seed);
        let prepared = prepared(TWO_JOBS, Some(seed));
        let (alone, sink) = simulated(&prepared, Options::default());
        assert_eq!(report.summary, alone.summary);
        assert_eq!(report.digest, sink.digest(&prepared.names()).expect("in order").digest);
    }
    let reported = reported.into_inner().expect("no thread panicked");
    assert!(reported.iter().any(|progress| progress.finished == 5 && progress.share >= 1.0), "{reported:?}");
}

#[test]
fn an_error_in_one_point_does_not_affect_the_others() {
    let mut points = points(1..=3);
    points[1] = points[1].clone().set("balance", "moon");
    let done = sweep(&Sweep { points, ..Sweep::default() });
    assert_eq!(done.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
}

#[test]
fn points_may_store_run_folders() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let folder = workspace.path().join("deep/one");
    let points = vec![points(4..=4)[0].clone().into_folder(&folder)];
    let done = sweep(&Sweep { points, command: vec!["test".to_owned()], ..Sweep::default() });
    let report = done[0].as_ref().expect("it runs");
    let verified = netloom_records::verify(&folder).expect("it is intact");
    assert_eq!(verified.digest(), report.digest);
    assert_eq!(verified.manifest.command, ["test"]);
}

#[test]
fn a_stop_flag_ends_a_sweep() {
    let stop = AtomicBool::new(true);
    let done = sweep(&Sweep { points: points(1..=2), stop: Some(&stop), ..Sweep::default() });
    assert!(
        done.iter()
            .all(|point| { point.as_ref().is_err_and(|error| error.exit_code() == ExitCode::StoppedEarly) })
    );
}
