//! An interference study from its sweep to its table: pairs, ratios, bursts, and summaries without rows of messages.

use std::path::{Path, PathBuf};

use netloom_lab::reproduce::{Paper, Quantity, Report, Request, Verdict, reproduce};
use netloom_lab::show::interference::{Coordinates, Study, interference};
use netloom_lab::summary::summary;
use netloom_lab::sweep::{Grid, grid};
use netloom_lab::{LabError, Overrides, Overwrite, RunRequest, Seeds, Source, Style, run};
use netloom_records::{RunFolder, StepRow};

const STUDY: &str = "
netloom: 1
name: study
fabric: { leaf_spine: { leaves: 2, spines: 1, hosts_per_leaf: 4, host_rate: 100Gbps, fabric_rate: 400Gbps, \
host_delay: 100ns, fabric_delay: 100ns } }
transport: { ideal: { queue_pairs: pair, coalesce: 16 } }
queues: { credits: { order: fifo } }
hosts: { rendezvous: 32KiB }
interference: { hosts: 8, groups: random, victim: { ring_all_gather: { size: 128KiB } } }
record: { messages: summed }
";

const INCAST: &str = "{incast: {size: 128KiB}}";

fn swept(folder: &Path, vary: &[&str], seeds: Seeds) {
    let grid_of = Grid {
        scenarios: vec![Source::text("study.yaml", STUDY)],
        vary: vary.iter().map(|text| text.parse().expect("it is one")).collect(),
        seeds: Some(seeds),
        folder: folder.to_owned(),
        ..Grid::default()
    };
    grid(&grid_of).unwrap_or_else(|error| panic!("{}", error.headed(Style::Plain)));
}

fn shown(folders: &[PathBuf]) -> Result<Study, LabError> {
    interference(folders)
}

#[test]
fn every_congested_run_is_paired_with_the_baseline_of_its_seed() {
    let home = tempfile::tempdir().expect("a folder can be made");
    let folder = home.path().join("sweep");
    let aggressors = format!("interference.aggressor=none,{INCAST}");
    // Bursts of an absent aggressor do not give a second baseline.
    swept(&folder, &[&aggressors, "interference.bursts=none,{length: 10us, pause: 90us}"], Seeds(4..=6));
    let study = shown(&[folder]).expect("it is a study");
    assert_eq!(study.points.len(), 12);
    let at = |point: &Coordinates| (point.nodes, point.bytes, point.victim.clone());
    assert!(study.points.iter().all(|point| at(&point.at) == (8, 131_072, "ring_all_gather".to_owned())));
    for point in study.points.iter().filter(|point| point.at.aggressor.is_some()) {
        let alone =
            study.points.iter().find(|other| other.at.aggressor.is_none() && other.seed == point.seed);
        let alone = alone.expect("every seed has its baseline");
        let ratio = point.ratio.expect("it is paired").value;
        assert!((ratio - alone.mean_s / point.mean_s).abs() < 1e-12);
        assert_eq!(point.at.aggressor.as_deref(), Some("incast 128KiB"));
    }
    let [baseline, steady, bursty] = &study.cells[..] else { panic!("three cells: {:?}", study.cells) };
    assert!(baseline.ratio.is_none() && baseline.at.aggressor.is_none());
    assert_eq!((steady.at.bursts, bursty.at.bursts), (None, Some([1e-5, 9e-5])));
    let [steady, bursty] = [steady, bursty].map(|cell| cell.ratio.expect("it is paired"));
    assert_eq!((steady.seeds, bursty.seeds), (3, 3));
    assert!(steady.half.is_some_and(|half| half > 0.0), "random groups differ from seed to seed");
    assert!(steady.value < bursty.value && bursty.value < 1.0, "{steady:?} {bursty:?}");
}

fn run_into(folder: &Path, set: &[(&str, &str)]) -> netloom_lab::RunReport {
    let set = set.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let overrides = Overrides { set, ..Overrides::default() };
    let mut request = RunRequest::new(Source::text("study.yaml", STUDY));
    request.overrides = overrides;
    request.folder = Some(folder.to_owned());
    request.overwrite = Overwrite::Refuse;
    run(request).unwrap_or_else(|error| panic!("{}", error.render(Style::Plain)))
}

#[test]
fn a_summary_does_not_need_a_row_for_each_message() {
    let home = tempfile::tempdir().expect("a folder can be made");
    let folders = ["summed", "each"].map(|name| home.path().join(name));
    let [summed, each] = ["summed", "each"].map(|how| {
        let folder = home.path().join(how);
        run_into(&folder, &[("interference.aggressor", INCAST), ("record.messages", how)]).summary
    });
    assert_eq!(summary(&folders[0]).expect("it is a run folder"), summed);
    assert_eq!((summed.messages, &summed.jobs), (each.messages, &each.jobs));
    let [left, right] = [summed, each].map(|summary| summary.queue_pairs.expect("it has queue pairs"));
    // One of them counts the packets of messages in flight at the end, the other does not.
    assert!(left.packets <= right.packets && (left.goodput / right.goodput - 1.0).abs() < 1e-9);
}

#[test]
fn runs_without_a_baseline_have_no_ratio_and_runs_without_a_victim_are_not_a_study() {
    let home = tempfile::tempdir().expect("a folder can be made");
    let congested = home.path().join("congested");
    run_into(&congested, &[("interference.aggressor", INCAST)]);
    let study = shown(std::slice::from_ref(&congested)).expect("it has a victim");
    assert!(study.points[0].ratio.is_none() && study.cells[0].ratio.is_none());
    let plain = home.path().join("plain");
    run_into(&plain, &[("interference", "none"), ("jobs", "[{phases: [{ring_all_gather: {size: 1KiB}}]}]")]);
    let refused = shown(&[plain]).expect_err("nothing is measured");
    assert!(refused.to_string().contains("no run here has a measured job `victim`"), "{refused}");
}

/// The figures of the measured steps of a run's victim, from its table of steps.
fn counted(folder: &Path, warm_up: u32) -> Vec<f64> {
    let run = RunFolder::open(folder).expect("it is a run folder");
    let blocks = run.rows::<StepRow>().expect("steps are recorded");
    let steps: Vec<StepRow> = blocks.flat_map(|block| block.expect("it can be read")).collect();
    let of_victim = steps.iter().filter(|row| row.job == 0 && row.step >= warm_up);
    of_victim.map(|row| row.end.since(row.start).as_seconds()).collect()
}

#[test]
fn the_deviation_excludes_the_warm_up() {
    let home = tempfile::tempdir().expect("a folder can be made");
    let folder = home.path().join("run");
    let set =
        [("interference.aggressor", INCAST), ("interference.steps", "30"), ("interference.warm_up", "7")];
    let found = run_into(&folder, &set).summary.jobs[0].measured.expect("the victim is measured");
    assert_eq!((found.steps, found.warm_up), (23, 7));
    let times = counted(&folder, 7);
    assert_eq!(times.len(), 23);
    let mean = times.iter().sum::<f64>() / 23.0;
    let squares: f64 = times.iter().map(|time| (time - mean).powi(2)).sum();
    let deviation = found.deviation_s.expect("there are more steps than one");
    assert!((deviation / (squares / 22.0).sqrt() - 1.0).abs() < 1e-6, "{deviation}");
    assert!(deviation > 0.0);
    let one = [("interference.steps", "8"), ("interference.warm_up", "7")];
    let found = run_into(&home.path().join("one"), &one).summary.jobs[0].measured.expect("it is measured");
    assert_eq!((found.steps, found.deviation_s), (1, None));
}

/// A paper about the study, with these claims.
fn claimed(claims: &str) -> Report {
    let head = "
seeds: {look: 11, check: 11}
groups: {}
experiments:
  - {name: alone, from: study, set: {interference.aggressor: none}, shows: the baseline}
  - {name: beside, from: study, set: {interference.aggressor: '{incast: {size: 128KiB}}'}, shows: the harm}
claims:
";
    let claims = format!("{head}{claims}");
    let published = "run,part,measured_mean_us\n";
    let files = [("published.csv", published), ("claims.yaml", &claims), ("scenarios/study.yaml", STUDY)];
    let paper = Paper::new("made-up", files).unwrap_or_else(|error| panic!("{error}"));
    reproduce(paper, &Request::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// A claim about the ratio.
fn ratio_claim(id: &str, relation: &str) -> String {
    format!(
        "  - {{id: {id}, said: own prediction, text: The ratio., kind: predicted, quantity: measured_mean, at: [alone/victim], \
         per: {{at: [beside/victim]}}, relation: {{{relation}}}, recorded: not judged}}\n"
    )
}

#[test]
fn claims_use_ratios_seed_by_seed() {
    let first = claimed(&ratio_claim("any", "at_least: 0"));
    // An endless aggressor has no number of steps and leaves messages in flight, which violates no invariant.
    assert_eq!(first.broken_laws().count(), 0, "{:?}", first.broken_laws().collect::<Vec<_>>());
    let of = |run: &str| {
        let runs = first.runs.iter().filter(|found| found.run == run).collect::<Vec<_>>();
        let get =
            |quantity| runs.iter().map(move |run| run.get(Some("victim"), quantity).expect("it has it"));
        (get(Quantity::MeasuredMean).collect::<Vec<_>>(), get(Quantity::StepVariation).collect::<Vec<_>>())
    };
    let ((alone, still), (beside, moved)) = (of("alone"), of("beside"));
    // In isolation steps have no random draws; beside an incast most placements of the victim are affected.
    assert!(still.iter().all(|variation| *variation == 0.0), "{still:?}");
    assert!(moved.iter().filter(|variation| **variation > 0.01).count() > 5, "{moved:?}");
    let mut ratios: Vec<f64> = alone.iter().zip(&beside).map(|(alone, beside)| alone / beside).collect();
    ratios.sort_by(f64::total_cmp);
    let mean = ratios.iter().sum::<f64>() / 11.0;
    assert!(ratios[0] < ratios[10], "random groups differ from seed to seed");
    // The 10th percentile of eleven values is the second.
    let claims = [
        ("lowest", format!("every_seed_at_least: {}", ratios[0] - 1e-9), true),
        ("above", format!("every_seed_at_least: {}", ratios[0] + 1e-9), false),
        ("mean", format!("mean_between: [{}, {}]", mean - 1e-9, mean + 1e-9), true),
        ("beyond", format!("mean_between: [{}, 1.0]", mean + 1e-9), false),
        ("among", format!("among_seeds: {}", ratios[1] + 1e-9), true),
        ("outside", format!("among_seeds: {}", ratios[1] - 1e-9), false),
    ];
    let text: String = claims.iter().map(|(id, relation, _)| ratio_claim(id, relation)).collect();
    let report = claimed(&text);
    for (judged, (id, relation, holds)) in report.judged.iter().zip(&claims) {
        assert_eq!(judged.claim, *id);
        assert_eq!(judged.verdict == Verdict::Reproduced, *holds, "{id}: {relation} of {ratios:?}");
        assert!((judged.simulated[0] - mean).abs() < 1e-9);
    }
}
