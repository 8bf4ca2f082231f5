//! Where the time of steps goes: the figures of a stored run agree with its spans.

use std::path::{Path, PathBuf};

use netloom_lab::summary::summary;
use netloom_lab::text::Look;
use netloom_lab::{Overrides, RunReport, RunRequest, Source, run};
use netloom_records::statistics::Over;
use netloom_records::{Activity, RunFolder, SpanRow};
use netloom_report::breakdown::{BoundKind, Breakdown, RankTimes};
use netloom_report::{ReportedRun, read};
use netloom_units::Time;
use tempfile::TempDir;

/// A stored run in a temporary folder.
struct Stored {
    _workspace: TempDir,
    folder: PathBuf,
    report: RunReport,
}

/// Runs `scenarios/jobs/groups.yaml` with changes.
fn stored(sets: &[(&str, &str)]) -> Stored {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/jobs/groups.yaml");
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let folder = workspace.path().join("run");
    let set = sets.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let overrides = Overrides { set, ..Overrides::default() };
    let request =
        RunRequest { folder: Some(folder.clone()), overrides, ..RunRequest::new(Source::file(path)) };
    Stored { report: run(request).expect("it runs"), folder, _workspace: workspace }
}

impl Stored {
    fn spans(&self) -> Vec<SpanRow> {
        let folder = RunFolder::open(&self.folder).expect("it is complete");
        let blocks = folder.rows::<SpanRow>().expect("it has spans");
        blocks.flat_map(|block| block.expect("it can be read")).collect()
    }

    fn jobs(&self) -> Vec<Breakdown> {
        let run = ReportedRun { name: "run".to_owned(), folder: self.folder.clone() };
        let mut report = read(&[run], Over::Jobs).expect("it can be read");
        report.timeline.remove(0).map(|found| found.jobs).unwrap_or_default()
    }
}

#[track_caller]
fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-4 * expected.abs(), "{found} is not {expected}");
}

#[test]
fn the_parts_of_a_step_sum_up_to_it_for_every_rank() {
    let stored = stored(&[]);
    let spans = stored.spans();
    let ranks: Vec<&[SpanRow]> =
        spans.chunk_by(|one, other| (one.step, one.rank) == (other.step, other.rank)).collect();
    assert_eq!(ranks.len(), 2 * 64);
    let times: Vec<RankTimes> = ranks.iter().map(|rows| RankTimes::of(rows, Time::ZERO)).collect();
    for RankTimes { step, compute, exposed, barrier, idle, .. } in &times {
        assert_eq!(compute + exposed + barrier + idle, *step);
    }
    let [found] = &stored.jobs()[..] else { panic!("one job") };
    assert_eq!((found.steps.as_slice(), found.ranks), (&[0, 1][..], 64));
    let mean = |read: fn(&RankTimes) -> u64| times.iter().map(read).sum::<u64>() as f64 / 1e12 / 128.0;
    close(found.times.exposed.mean, mean(|times| times.exposed));
    close(found.times.step.mean, mean(|times| times.step));
    close(found.times.exposed.share, mean(|times| times.exposed) / mean(|times| times.step));
    // Phases follow each other in this scenario, so their exposed times sum up.
    close(found.phases.rows.iter().filter_map(|row| row.exposed).sum(), found.times.exposed.mean);
}

#[test]
fn communicators_have_their_sizes_and_names() {
    let [found] = &stored(&[]).jobs()[..] else { panic!("one job") };
    let sizes = [("tp", 8, 0), ("ep", 32, 2), ("dp", 16, 4)];
    for (name, communicators, phase) in sizes {
        let row = found.bandwidths.rows.iter().find(|row| row.group == name).expect("it has a row");
        assert_eq!(
            (row.communicators, row.phase, row.bound_kind),
            (communicators, phase, Some(BoundKind::Nic))
        );
        assert!(row.lowest_communicator.starts_with(name), "{row:?}");
        assert!(row.from_first <= row.busbw && row.lowest <= row.busbw && row.share < Some(1.0), "{row:?}");
        let wait = found.waits.rows.iter().find(|row| row.group == name).expect("it has a row");
        assert_eq!((wait.collectives, wait.phase), (2 * communicators, phase));
    }
}

#[test]
fn phases_name_the_groups_that_they_run_in() {
    let stages_of = |stages: &str| {
        let [found] = &stored(&[("jobs.0.phases.3.point_to_point.stages", stages)]).jobs()[..] else {
            panic!("one job")
        };
        let mut groups: Vec<_> = found.phases.rows.iter().map(|row| (row.phase, row.group.clone())).collect();
        groups.sort();
        groups.into_iter().map(|(_, group)| group).collect::<Vec<_>>()
    };
    assert_eq!(stages_of("pp"), ["tp", "all", "ep", "pp", "dp"]);
    assert_eq!(stages_of("2"), ["tp", "all", "ep", "all", "dp"]);
}

#[test]
fn waits_are_those_of_the_begins_of_members() {
    let stored = stored(&[]);
    // Groups of `tp` are eight ranks one after the other; their collectives are the first phase.
    let spans = stored.spans();
    let first = |row: &&SpanRow| row.activity == Activity::Collective && row.phase == Some(0);
    let mut groups: Vec<Vec<u64>> = vec![Vec::new(); 2 * 8];
    for row in spans.iter().filter(first) {
        groups[(row.step * 8 + row.rank / 8) as usize].push(row.start.0);
    }
    let latest = |starts: &Vec<u64>| *starts.iter().max().expect("it has members");
    let wait =
        |starts: &Vec<u64>| starts.iter().map(|start| latest(starts) - start).sum::<u64>() as f64 / 8.0;
    let [found] = &stored.jobs()[..] else { panic!("one job") };
    let row = found.waits.rows.iter().find(|row| row.group == "tp").expect("it has a row");
    close(row.mean, groups.iter().map(wait).sum::<f64>() / 16.0 / 1e12);
    let spreads = groups.iter().map(|starts| latest(starts) - starts.iter().min().expect("it has members"));
    close(row.largest, spreads.max().expect("there are groups") as f64 / 1e12);
}

#[test]
fn ranks_of_one_host_are_bounded_by_the_rate_within_it() {
    let sets = [
        ("jobs.0.ranks_per_host", "8"),
        ("jobs.0.placement", "{contiguous: {ranks: 64}}"),
        ("hosts.local_rate", "1600Gbps"),
    ];
    let [found] = &stored(&sets).jobs()[..] else { panic!("one job") };
    let bound = |name: &str| {
        let row = found.bandwidths.rows.iter().find(|row| row.group == name).expect("it has a row");
        (row.bound_kind, row.bound)
    };
    assert_eq!(bound("tp"), (Some(BoundKind::Local), Some(200e9)));
    assert_eq!(bound("dp").0, Some(BoundKind::Nic));
}

#[test]
fn the_summary_of_a_folder_has_the_exposed_communication_of_its_run() {
    let stored = stored(&[]);
    let exposed = stored.report.summary.jobs[0].exposed.clone().expect("the job has groups");
    assert_eq!(summary(&stored.folder).expect("it can be read").jobs[0].exposed, Some(exposed.clone()));
    let [found] = &stored.jobs()[..] else { panic!("one job") };
    assert_eq!((exposed.steps, exposed.exposed.mean_s), (found.steps.clone(), found.times.exposed.mean));
}

#[test]
fn a_run_without_recorded_steps_has_none_of_these_figures() {
    let stored = stored(&[("record.timeline", "0")]);
    assert_eq!(stored.report.summary.jobs[0].exposed, None);
    assert_eq!(stored.jobs(), []);
    let text = crate::scenes::text(std::slice::from_ref(&stored.folder), Over::Jobs, Look::PLAIN)
        .expect("it can be read");
    assert!(!text.contains("Exposed communication"), "{text}");
}

#[test]
fn a_run_that_ends_within_its_first_step_has_no_means() {
    let stored = stored(&[("deadline", "60us")]);
    assert_eq!(stored.report.summary.jobs[0].exposed, None);
    assert_eq!(stored.jobs(), []);
}
