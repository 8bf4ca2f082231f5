//! Studies whose values lie within ranges: sampled, searched by bisection, or chosen by a strategy.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use netloom_lab::sweep::{
    Bisection, ChosenPoint, Design, Grid, GridReport, Keep, Sampling, Strategy, ThresholdOutcome, Variation,
    grid,
};
use netloom_lab::{ExitCode, LabError, Seeds, Source, Style, SweepProgress};

/// One message of 1 MB between two hosts on a link: a step is compute time, serialization and a fixed part.
const ONE_MESSAGE: &str = "
netloom: 1
name: pair
fabric: { single_switch: { hosts: 2, host_rate: 100Gbps } }
jobs:
  - name: pair
    steps: 2
    phases: [ { compute: 80us }, { permutation: { size: 1000000B } } ]
";

fn on(folder: &Path, vary: &[&str]) -> Grid<'static> {
    Grid {
        scenarios: vec![Source::text("pair.yaml", ONE_MESSAGE)],
        vary: vary.iter().map(|text| text.parse::<Variation>().expect("it is one")).collect(),
        folder: folder.to_owned(),
        keep: Keep::Summary,
        ..Grid::default()
    }
}

#[track_caller]
fn made(of: &Grid<'_>) -> GridReport {
    grid(of).unwrap_or_else(|error| panic!("{}", error.headed(Style::Plain)))
}

#[track_caller]
fn refused(of: &Grid<'_>) -> String {
    let error = grid(of).expect_err("it is refused");
    assert_eq!(error.exit_code(), ExitCode::BadInput, "{error}");
    error.headed(Style::Plain)
}

#[test]
fn every_combination_of_lists_has_the_same_sampled_values() {
    let home = tempfile::tempdir().expect("a folder");
    let vary = ["jobs.0.steps=1,2", "fabric.single_switch.host_rate=50Gbps..400Gbps log"];
    for design in [Design::LatinHypercube, Design::Random] {
        let folder = home.path().join(format!("{design:?}"));
        let of = Grid { sampling: Some(Sampling { points: 6, design, seed: 3 }), ..on(&folder, &vary) };
        let report = made(&of);
        assert_eq!((report.total, report.variants.len()), (12, 12));
        let text = fs::read_to_string(folder.join("points.csv")).expect("it was written");
        let column = |name: &str| {
            let header = text.lines().next().expect("a header");
            let mut names = header.split(',').map(|cell| cell.split(" [").next().unwrap_or(cell));
            names.position(|cell| cell == name).unwrap_or_else(|| panic!("no {name} in {header}"))
        };
        let rate = column("fabric.single_switch.host_rate");
        let cell = |line: &str, index: usize| csv_cells(line)[index].clone();
        let of_steps = |steps: &str| -> Vec<String> {
            let lines = text.lines().skip(1).filter(|line| cell(line, column("jobs.0.steps")) == steps);
            lines.map(|line| cell(line, rate)).collect()
        };
        assert_eq!(of_steps("1"), of_steps("2"));
        assert_eq!(of_steps("1").iter().collect::<BTreeSet<_>>().len(), 6);
        assert_eq!(made(&of).kept, 12);
    }
}

/// The cells of a line, commas within quotes excepted.
fn csv_cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    for c in line.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            _ => cells.last_mut().expect("there is one").push(c),
        }
    }
    cells
}

/// The rate at which the step is longer by a share, by the closed form: with serialization at both links as packets
/// follow each other, the time is compute + size / rate + a part of one packet.
fn rate_for(share: f64) -> f64 {
    let bits = 8.0e6;
    let base = 80e-6 + bits / 400e9;
    bits / (base * (1.0 + share) - 80e-6)
}

#[test]
fn bisection_finds_the_rate_of_the_closed_form() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("sweep");
    let of = Grid {
        bisection: Some("10%".parse().expect("a threshold")),
        seeds: Some(Seeds(1..=2)),
        ..on(&folder, &["fabric.single_switch.host_rate=400Gbps..50Gbps"])
    };
    let report = made(&of);
    let [threshold] = &report.thresholds[..] else { panic!("one threshold: {:?}", report.thresholds) };
    assert_eq!(threshold.outcome, ThresholdOutcome::Found);
    assert!(threshold.is_monotonic);
    let rate = |text: &str| text.trim_end_matches("Gbps").parse::<f64>().expect("a rate") * 1e9;
    let estimate = rate(threshold.estimate.as_deref().expect("found"));
    // The fixed part, and headers of packets, are some percent of the time.
    assert!((estimate / rate_for(0.1) - 1.0).abs() < 0.05, "{estimate:e}, expected {:e}", rate_for(0.1));
    let [low, high] = threshold.bracket.as_ref().expect("found");
    assert!(rate(low) > estimate && estimate > rate(high) && rate(low) - rate(high) <= 0.0101 * 350e9);
    assert_eq!(threshold.interval.as_ref(), threshold.bracket.as_ref(), "seeds do not matter here");
    assert!(
        threshold.words().contains("steps take 10 % longer than at 400Gbps from"),
        "{}",
        threshold.words()
    );
    assert!(threshold.tried.len() < 12, "{}", threshold.tried.len());
    let again = made(&of);
    assert_eq!((again.made, again.thresholds.clone()), (0, report.thresholds.clone()));
}

/// Steps among background messages, which differ from seed to seed.
const AMONG_OTHERS: &str = "
netloom: 1
name: others
fabric: { single_switch: { hosts: 8, host_rate: 400Gbps } }
jobs:
  - name: train
    steps: 4
    phases: [ { compute: 80us }, { ring_all_reduce: { size: 256KiB } } ]
background: { poisson: { load: 5%, sizes: alistorage, end: 1ms } }
";

#[test]
fn certainty_ends_close_to_the_ends_of_the_interval() {
    let home = tempfile::tempdir().expect("a folder");
    let of = Grid {
        scenarios: vec![Source::text("others.yaml", AMONG_OTHERS)],
        bisection: Some("10%".parse().expect("a threshold")),
        seeds: Some(Seeds(1..=4)),
        ..on(home.path().join("s").as_path(), &["fabric.single_switch.host_rate=400Gbps..50Gbps"])
    };
    let report = made(&of);
    let found = &report.thresholds[0];
    assert_eq!(found.outcome, ThresholdOutcome::Found);
    let (tried, ends) = (&found.tried, found.interval.as_ref().expect("there are seeds"));
    let at = |value: &String| tried.iter().position(|tried| tried.value == *value).expect("it was tried");
    let [first, last] = [at(&ends[0]), at(&ends[1])];
    assert!(last - first > 1, "seeds matter: {tried:?}");
    let half = |index: usize| tried[index].half.expect("there are seeds");
    let is_below = |index: usize| tried[index].relative + half(index) < 0.1;
    let is_above = |index: usize| tried[index].relative - half(index) > 0.1;
    assert!((0..=first).all(is_below) && !is_below(first + 1), "{tried:?}");
    assert!((last..tried.len()).all(is_above) && !is_above(last - 1), "{tried:?}");
    // Four brackets of 1 % of the range.
    let share = |index: usize| (400e9 - tried[index].number) / 350e9;
    assert!(share(first + 1) - share(first) < 0.041 && share(last) - share(last - 1) < 0.041, "{tried:?}");
    assert_eq!(made(&of).made, 0);
}

#[test]
fn an_interrupted_search_resumes_to_the_same_result() {
    let home = tempfile::tempdir().expect("a folder");
    let [whole, parts] = ["whole", "parts"].map(|name| home.path().join(name));
    let of = |folder: &Path| Grid {
        bisection: Some("10%".parse().expect("a threshold")),
        seeds: Some(Seeds(1..=2)),
        threads: Some(1),
        ..on(folder, &["fabric.single_switch.host_rate=400Gbps..50Gbps"])
    };
    let expected = made(&of(&whole));
    let mut made_in_parts = 0;
    for _ in 0..50 {
        let stop = AtomicBool::new(false);
        let on_progress = |progress: &SweepProgress| stop.store(progress.finished >= 1, Ordering::Relaxed);
        let report = made(&Grid { stop: Some(&stop), on_progress: Some(&on_progress), ..of(&parts) });
        made_in_parts += report.made;
        if report.n_missing() == 0 {
            assert_eq!(report.thresholds, expected.thresholds);
            break;
        }
        assert_eq!(report.thresholds[0].outcome, ThresholdOutcome::Stopped);
    }
    assert_eq!(made_in_parts, expected.made);
    let table = |folder: &Path| fs::read(folder.join("points.parquet")).expect("it was written");
    assert_eq!(table(&whole), table(&parts));
}

#[test]
fn each_combination_has_its_threshold_and_some_have_none() {
    let home = tempfile::tempdir().expect("a folder");
    let vary = ["jobs.0.phases.0.compute=20us,10ms", "fabric.single_switch.host_rate=400Gbps..100Gbps"];
    let of = Grid {
        bisection: Some("50%".parse().expect("a threshold")),
        ..on(home.path().join("s").as_path(), &vary)
    };
    let found = made(&of).thresholds;
    assert_eq!(found[0].name, "jobs.0.phases.0.compute=20us");
    assert_eq!(found[0].outcome, ThresholdOutcome::Found);
    assert_eq!(found[1].outcome, ThresholdOutcome::NotReached);
    assert!(found[1].words().contains("do not take 50 % longer"), "{}", found[1].words());
    assert_eq!(found[0].tried[0].seeds, 5, "the default of a search");
}

#[test]
fn what_ranges_are_for_must_be_said() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("sweep");
    let range = "fabric.single_switch.host_rate=400Gbps..50Gbps";
    let sampling = Some(Sampling { points: 3, design: Design::Random, seed: 1 });
    let bisection: Option<Bisection> = Some("5%".parse().expect("a threshold"));
    assert!(refused(&on(&folder, &[range])).contains("a range needs --sample N"));
    assert!(refused(&Grid { sampling, ..on(&folder, &[]) }).contains("--sample needs a range"));
    assert!(refused(&Grid { bisection, ..on(&folder, &[]) }).contains("exactly one range"));
    let two = [range, "jobs.0.start=0us..10us"];
    assert!(refused(&Grid { bisection, ..on(&folder, &two) }).contains("and there are 2"));
    assert!(refused(&Grid { bisection, sampling, ..on(&folder, &[range]) }).contains("exclude each other"));
    assert!("5".parse::<Bisection>().is_err() && "0%".parse::<Bisection>().is_err());
}

/// Tries the middle of what is left on the better side, a vector at a time.
struct Halving {
    rounds: Mutex<Vec<f64>>,
}

impl Strategy for Halving {
    fn name(&self) -> String {
        "halving".to_owned()
    }

    fn next(&self, results: &[ChosenPoint<'_>]) -> Result<Vec<Vec<String>>, LabError> {
        let mut rounds = self.rounds.lock().expect("no thread panicked");
        if let Some(report) = results.first().and_then(|result| result.report) {
            rounds.push(report.summary.jobs[0].step.expect("it has steps").mean_s);
        }
        let next = [vec!["100Gbps"], vec!["200Gbps", "100Gbps"], vec!["400Gbps"]];
        let next =
            next.get(rounds.len()).map(|round| round.iter().map(|rate| vec![(*rate).to_owned()]).collect());
        Ok(next.unwrap_or_default())
    }
}

#[test]
fn a_strategy_chooses_by_results_and_is_resumed() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("sweep");
    let strategy = Halving { rounds: Mutex::default() };
    let of = Grid {
        strategy: Some(&strategy),
        seeds: Some(Seeds(1..=2)),
        ..on(&folder, &["fabric.single_switch.host_rate=50Gbps..400Gbps"])
    };
    let report = made(&of);
    // What was asked for twice was computed once.
    assert_eq!((report.made, report.kept, report.variants.len()), (6, 0, 3));
    let times = strategy.rounds.lock().expect("no thread panicked").clone();
    assert!(times[0] > times[1] && times[1] > times[2], "{times:?}");
    let again = Halving { rounds: Mutex::default() };
    let report = made(&Grid { strategy: Some(&again), ..of });
    assert_eq!((report.made, report.kept), (0, 6));
    assert_eq!(*again.rounds.lock().expect("no thread panicked"), times);
}
