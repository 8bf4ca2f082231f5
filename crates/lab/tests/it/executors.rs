//! Points of a sweep that others compute: the same results, failures as rows, and what is kept of each point.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use netloom_lab::sweep::{
    EndOfSweep, Executor, Grid, GridReport, JOURNAL_FILE, Keep, PointAnswer, PointFailure, PointTask,
    SweepError, TaskSettings, UNFINISHED_FILE, grid,
};
use netloom_lab::{BUILD, ExitCode, LabError, Over, Seeds, Source, Style};
use netloom_records::{FolderSink, Names, Overwrite};

/// Eight hosts in pairs, one flow hash for each pair: results differ by seed.
const PAIRS: &str = "
netloom: 1
name: pairs
fabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 4, host_rate: 100Gbps } }
jobs: [ { name: pairs, steps: 3, phases: [ { permutation: { size: 128KiB } }, { compute: 10us } ] } ]
background: { mice: { end: 50us, interval: 10us } }
";

fn four(folder: &Path) -> Grid<'static> {
    Grid {
        scenarios: vec![Source::text("pairs.yaml", PAIRS)],
        vary: vec!["balance=ecmp,spray".parse().expect("it is one")],
        seeds: Some(Seeds(1..=2)),
        folder: folder.to_owned(),
        ..Grid::default()
    }
}

#[track_caller]
fn made(of: &Grid<'_>) -> GridReport {
    grid(of).unwrap_or_else(|error| panic!("{}", error.headed(Style::Plain)))
}

fn rows(folder: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(folder.join("points.csv")).expect("it was written");
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// The rows without a column.
fn without(mut rows: Vec<Vec<String>>, column: &str) -> Vec<Vec<String>> {
    let index = rows[0].iter().position(|name| name.starts_with(column)).expect("there is one");
    for row in &mut rows {
        row.remove(index);
    }
    rows
}

/// Passes tasks and answers as texts, the last task first, as a cluster does.
struct Elsewhere<F: Fn(usize, PointTask) -> PointAnswer + Sync>(F);

impl<F: Fn(usize, PointTask) -> PointAnswer + Sync> Executor for Elsewhere<F> {
    fn compute(
        &self,
        tasks: &Arc<Vec<PointTask>>,
        end: &EndOfSweep<'_>,
        answered: &(dyn Fn(usize, PointAnswer) + Sync),
    ) -> Result<(), LabError> {
        for (index, task) in tasks.iter().enumerate().rev() {
            if end.is_reached() {
                break;
            }
            let text = serde_json::to_string(task).expect("a task is data");
            let answer = (self.0)(index, serde_json::from_str(&text).expect("it was one"));
            let text = serde_json::to_string(&answer).expect("an answer is data");
            answered(index, serde_json::from_str(&text).expect("it was one"));
        }
        Ok(())
    }
}

fn compute(task: &PointTask) -> PointAnswer {
    task.compute(None, &AtomicBool::new(false), &mut |_, _| {})
}

#[test]
fn an_executor_elsewhere_gives_the_same_folder() {
    let home = tempfile::tempdir().expect("a folder");
    let [here, there] = ["here", "there"].map(|name| home.path().join(name));
    made(&four(&here));
    let elsewhere = Elsewhere(|_, task| compute(&task));
    let report = made(&Grid { executor: Some(&elsewhere), ..four(&there) });
    assert_eq!((report.made, report.kept), (4, 0));
    let read = |folder: &Path| fs::read(folder.join("points.parquet")).expect("it was written");
    assert_eq!(read(&here), read(&there));
    let manifest = |folder: &Path| {
        let path = folder.join("points/pairs/balance=spray/seed-2/manifest.json");
        let mut found: serde_json::Value =
            serde_json::from_slice(&fs::read(path).expect("it is there")).expect("it is JSON");
        found["wall_time_s"] = 0.into();
        found
    };
    assert_eq!(manifest(&here), manifest(&there));
    // What one side has computed, the other does not compute again.
    let again = Elsewhere(|_, _| panic!("nothing is missing"));
    assert_eq!(made(&Grid { executor: Some(&again), ..four(&here) }).kept, 4);
    assert_eq!(made(&four(&there)).kept, 4);
}

#[test]
fn a_worker_finds_what_another_one_has_finished() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("sweep");
    let twice = Elsewhere(|_, task| {
        assert!(matches!(compute(&task), PointAnswer::Finished { was_there: false, .. }));
        compute(&task)
    });
    let report = made(&Grid { executor: Some(&twice), ..four(&folder) });
    assert_eq!((report.made, report.kept), (0, 4));
}

#[test]
fn summaries_have_the_same_rows_without_run_folders_and_resume() {
    let home = tempfile::tempdir().expect("a folder");
    for over in [Over::Jobs, Over::All] {
        let [folders, summaries] =
            ["folders", "summaries"].map(|name| home.path().join(format!("{name} {over:?}")));
        made(&Grid { over, ..four(&folders) });
        let summary = || Grid { over, keep: Keep::Summary, ..four(&summaries) };
        let report = made(&summary());
        assert_eq!((report.made, report.kept), (4, 0));
        assert!(!summaries.join("points").exists() && !summaries.join(UNFINISHED_FILE).exists());
        let whole = rows(&summaries);
        assert_eq!(without(whole.clone(), "folder"), without(rows(&folders), "folder"));

        // A line that was cut off is not evidence; one of another part of the run is not of this one.
        let journal = summaries.join(JOURNAL_FILE);
        let text = fs::read_to_string(&journal).expect("it was written");
        assert_eq!(text.lines().count(), 4);
        fs::write(&journal, &text[..text.len() - 100]).expect("it can be written");
        let again = made(&summary());
        assert_eq!((again.made, again.kept), (1, 3));
        assert_eq!(rows(&summaries), whole);
        assert_eq!(made(&summary()).kept, 4);
        let elsewhere = Elsewhere(|_, task| compute(&task));
        assert_eq!(made(&Grid { executor: Some(&elsewhere), ..summary() }).kept, 4);
    }
}

#[test]
fn a_failed_point_is_a_row_and_is_run_again() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("sweep");
    let failing = Elsewhere(|index, task| match index {
        2 => PointAnswer::Failed(PointFailure {
            reason: "its worker was lost".to_owned(),
            ends_sweep: false,
            exit_code: 3,
        }),
        _ => compute(&task),
    });
    let report = made(&Grid { executor: Some(&failing), ..four(&folder) });
    assert_eq!((report.made, report.failed.len(), report.n_missing()), (3, 1, 0));
    assert_eq!(report.exit_code(), ExitCode::StoppedEarly);
    assert_eq!((report.failed[0].name.as_str(), report.failed[0].seed), ("balance=spray", 1));
    let failed = &rows(&folder)[3];
    assert!(failed.iter().any(|cell| cell == "failed"), "{failed:?}");
    assert!(failed.iter().any(|cell| cell == "its worker was lost"), "{failed:?}");
    assert!(folder.join(UNFINISHED_FILE).exists());
    let again = made(&four(&folder));
    assert_eq!((again.made, again.kept), (1, 3));
    assert!(!folder.join(UNFINISHED_FILE).exists());
}

#[test]
fn what_every_point_must_expect_ends_the_sweep_and_keeps_the_rest() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("sweep");
    let full = Elsewhere(|index, task| match index {
        0 => PointAnswer::Failed(PointFailure {
            reason: "no space is left on the device".to_owned(),
            ends_sweep: true,
            exit_code: 3,
        }),
        _ => compute(&task),
    });
    let error = grid(&Grid { executor: Some(&full), ..four(&folder) }).expect_err("it ended");
    assert_eq!(error.exit_code(), ExitCode::StoppedEarly);
    assert_eq!(error.to_string(), "balance=ecmp, seed 1: no space is left on the device");
    assert_eq!(rows(&folder).len(), 1 + 3);
    assert_eq!(made(&four(&folder)).kept, 3);
}

#[test]
fn an_executor_that_ends_early_says_how_far_it_came() {
    struct Lost;
    impl Executor for Lost {
        fn compute(
            &self,
            tasks: &Arc<Vec<PointTask>>,
            _: &EndOfSweep<'_>,
            answered: &(dyn Fn(usize, PointAnswer) + Sync),
        ) -> Result<(), LabError> {
            answered(1, compute(&tasks[1]));
            Err(SweepError::executor("the scheduler went away".to_owned()).into())
        }
    }
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("sweep");
    let error = grid(&Grid { executor: Some(&Lost), ..four(&folder) }).expect_err("it ended");
    assert_eq!(error.exit_code(), ExitCode::StoppedEarly);
    let text = "the scheduler went away; 1 of 4 points are done, and the same command continues from there";
    assert_eq!(error.to_string(), text);
    assert_eq!(made(&four(&folder)).kept, 1);
}

#[test]
fn a_task_is_refused_by_another_build() {
    let home = tempfile::tempdir().expect("a folder");
    let other = Elsewhere(|_, task| {
        let settings = TaskSettings { build: "0.0.9-0123".to_owned(), ..TaskSettings::clone(&task.settings) };
        let answer = compute(&PointTask { settings: Arc::new(settings), ..task });
        assert_eq!(answer, PointAnswer::OtherBuild { build: BUILD.to_owned() });
        PointAnswer::OtherBuild { build: "0.0.9-0123".to_owned() }
    });
    let error =
        grid(&Grid { executor: Some(&other), ..four(&home.path().join("sweep")) }).expect_err("refused");
    assert!(error.to_string().contains(&format!("has netloom 0.0.9-0123, and this is {BUILD}")), "{error}");
}

#[test]
fn a_task_has_the_texts_of_the_bases() {
    let home = tempfile::tempdir().expect("a folder");
    let [base, heir] = ["base.yaml", "heir.yaml"].map(|name| home.path().join(name));
    fs::write(&base, PAIRS).expect("it can be written");
    fs::write(&heir, "netloom: 1\nfrom: base.yaml\nname: heir\n").expect("it can be written");
    let gone = Elsewhere(|_, task| {
        fs::remove_file(&base).unwrap_or_default();
        fs::remove_file(&heir).unwrap_or_default();
        compute(&task)
    });
    let folder = home.path().join("sweep");
    let scenarios = vec![Source::file(&heir)];
    let report = made(&Grid { executor: Some(&gone), scenarios, ..four(&folder) });
    assert_eq!((report.made, report.failed.len()), (4, 0));
}

#[test]
fn a_point_over_its_limit_has_failed_with_the_reason() {
    let home = tempfile::tempdir().expect("a folder");
    let long = PAIRS.replace("steps: 3", "steps: 1000000");
    for keep in [Keep::Folders, Keep::Summary] {
        let folder = home.path().join(format!("{keep:?}"));
        let scenarios = vec![Source::text("pairs.yaml", long.as_str())];
        let point_limit = Some(Duration::from_millis(300));
        let report = made(&Grid { scenarios, point_limit, keep, ..four(&folder) });
        assert_eq!((report.made, report.failed.len()), (0, 4));
        let reason = &report.failed[0].reason;
        assert!(reason.starts_with("it took longer than the limit of 0.3 s, and had simulated "), "{reason}");
        assert_eq!(report.exit_code(), ExitCode::StoppedEarly);
    }
}

#[test]
fn a_point_that_another_process_is_writing_is_waited_for() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("sweep");
    let whole = Elsewhere(|_, task: PointTask| {
        let path = task.settings.root.as_ref().expect("run folders").join(&task.folder);
        let held = FolderSink::create(&path, Names::default(), Overwrite::Refuse).expect("it is free");
        thread::scope(|scope| {
            let answer = scope.spawn(|| compute(&task));
            thread::sleep(Duration::from_millis(100));
            assert!(!answer.is_finished(), "it waits");
            drop(held);
            answer.join().expect("no panic")
        })
    });
    let report = made(&Grid { executor: Some(&whole), ..four(&folder) });
    assert_eq!((report.made, report.failed.len()), (4, 0));
}

#[test]
fn a_panic_of_a_point_is_its_failure() {
    let home = tempfile::tempdir().expect("a folder");
    let counted = AtomicUsize::new(0);
    let panicking = Elsewhere(|_, task| {
        let mut first = |_: u64, _: f64| {
            assert!(counted.fetch_add(1, Ordering::Relaxed) > 0, "an error in a point");
        };
        task.compute(None, &AtomicBool::new(false), &mut first)
    });
    let long = PAIRS.replace("steps: 3", "steps: 20000");
    let scenarios = vec![Source::text("pairs.yaml", long.as_str())];
    let grid = Grid { scenarios, executor: Some(&panicking), ..four(&home.path().join("sweep")) };
    let report = made(&Grid { vary: Vec::new(), seeds: Some(Seeds(1..=1)), ..grid });
    assert_eq!(report.failed.len(), 1);
    assert_eq!(report.failed[0].reason, "internal error: an error in a point");
    assert_eq!(report.exit_code(), ExitCode::Internal);
}
