//! A grid of runs in a folder: complete, resumed, refused, and with seeds added until means are precise enough.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use netloom_lab::sweep::{
    Grid, GridReport, PLAN_FILE, Precision, SweepError, UNFINISHED_FILE, Variation, grid,
};
use netloom_lab::{ExitCode, LabError, Seeds, Source, Style, SweepProgress};
use tempfile::TempDir;

/// Eight hosts in pairs, one flow hash for each pair: results differ by seed.
const PAIRS: &str = "
netloom: 1
name: pairs
fabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 4, host_rate: 100Gbps } }
jobs: [ { name: pairs, steps: 3, phases: [ { permutation: { size: 128KiB } }, { compute: 10us } ] } ]
background: { mice: { end: 50us, interval: 10us } }
";

fn workspace() -> (TempDir, PathBuf) {
    let home = tempfile::tempdir().expect("a folder can be made");
    let folder = home.path().join("deep/sweep");
    (home, folder)
}

fn vary(texts: &[&str]) -> Vec<Variation> {
    texts.iter().map(|text| text.parse().expect("it is one")).collect()
}

/// Two policies, two sizes, three seeds.
fn twelve(folder: &Path) -> Grid<'static> {
    Grid {
        scenarios: vec![Source::text("pairs.yaml", PAIRS)],
        vary: vary(&["balance=ecmp,spray", "jobs.0.steps=2,3"]),
        seeds: Some(Seeds(3..=5)),
        folder: folder.to_owned(),
        command: vec!["test".to_owned()],
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

fn table(folder: &Path) -> (Vec<u8>, Vec<u8>) {
    let read = |name| fs::read(folder.join(name)).expect("it was written");
    (read("points.csv"), read("points.parquet"))
}

fn point(folder: &Path, balance: &str, seed: u64) -> PathBuf {
    folder.join(format!("points/pairs/balance={balance},jobs.0.steps=2/seed-{seed}"))
}

#[test]
fn a_grid_is_all_combinations_with_the_same_seeds() {
    let (_home, folder) = workspace();
    let report = made(&twelve(&folder));
    assert_eq!((report.total, report.made, report.kept), (12, 12, 0));
    assert!(report.n_missing() == 0 && report.exit_code() == ExitCode::Good);
    assert!(!folder.join(UNFINISHED_FILE).exists());
    let run = netloom_records::verify(&point(&folder, "spray", 4)).expect("it is intact");
    assert_eq!((run.manifest.seed, run.manifest.command), (Some(4), vec!["test".to_owned()]));

    let text = String::from_utf8(table(&folder).0).expect("it is text");
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with("scenario,variant,balance,jobs.0.steps,seed,folder,outcome,reason,digest,job,")
    );
    assert_eq!(lines.len(), 1 + 12);
    let first =
        "pairs,\"balance=ecmp, jobs.0.steps=2\",ecmp,2,3,\"points/pairs/balance=ecmp,jobs.0.steps=2/seed-3\"";
    assert!(lines[1].starts_with(first), "{}", lines[1]);
    let digest = run.manifest.digest.to_string();
    assert!(lines[8].contains(&digest) && lines[8].contains(",spray,2,4,"), "{}", lines[8]);

    let plan = fs::read(folder.join(PLAN_FILE)).expect("it was written");
    let plan: serde_json::Value = serde_json::from_slice(&plan).expect("it is JSON");
    assert_eq!(plan["digest"], report.plan.to_string());
    assert_eq!(plan["variants"].as_array().map(Vec::len), Some(4));
    assert_eq!(plan["sources"][0], "pairs.yaml");
    assert!(plan["scenarios"][0]["resolved"].as_str().is_some_and(|text| text.contains("hosts_per_leaf")));
}

#[test]
fn background_traffic_is_reported_without_a_job() {
    let (_home, folder) = workspace();
    let text = PAIRS.lines().filter(|line| !line.starts_with("jobs")).collect::<Vec<_>>().join("\n");
    let vary = vary(&["balance=ecmp,spray"]);
    let report = made(&Grid { scenarios: vec![Source::text("pairs.yaml", text)], vary, ..twelve(&folder) });
    let points = String::from_utf8(table(&folder).0).expect("it is text");
    let mut lines = points.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let titles = lines.next().expect("a heading");
    let rows: Vec<Vec<&str>> = lines.collect();
    let mean_of_first = |title: &str| {
        let workspace = titles.iter().position(|name| *name == title).expect("there is such a column");
        rows[..3].iter().map(|row| row[workspace].parse::<f64>().expect("a number")).sum::<f64>() / 3.0
    };
    let found = report.variants[0].background.as_ref().expect("messages arrived");
    assert!(report.variants[0].jobs.is_empty() && found.seeds == 3);
    for (title, value) in [
        ("fct_mean", Some(found.fct.mean_s)),
        ("fct_p99", Some(found.fct_p99_s)),
        ("slowdown_mean", found.slowdown_mean),
        ("slowdown_p99", found.slowdown_p99),
    ] {
        let (value, expected) = (value.expect("it is known"), mean_of_first(title));
        assert!((value - expected).abs() <= 1e-9 * expected && expected > 0.0, "{title}: {value} {expected}");
    }
}

#[test]
fn differences_are_taken_seed_by_seed() {
    let (_home, folder) = workspace();
    let report = made(&twelve(&folder));
    let text = String::from_utf8(table(&folder).0).expect("it is text");
    let mean = text.lines().next().expect("a heading").split(',').position(|name| name == "step_mean");
    // Two cells before it are quoted and hold one comma each.
    let mean = mean.expect("there is one") + 2;
    let means: Vec<f64> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(mean).expect("a cell").parse().expect("a number"))
        .collect();
    let (base, other) = (report.baseline, if report.baseline == 0 { 2 } else { 0 });
    let differences: Vec<f64> = (0..3).map(|seed| means[3 * other + seed] - means[3 * base + seed]).collect();
    let expected = differences.iter().sum::<f64>() / 3.0;
    let found = report.variants[other].jobs[0].difference.expect("there is a baseline");
    assert_eq!(found.seeds, 3);
    assert!((found.mean.mean_s - expected).abs() < 1e-12, "{found:?} {expected}");
    assert!(found.mean.half_s.is_some_and(|half| half > 0.0));
    assert_eq!(report.variants[base].jobs[0].difference, None);
    let step = report.variants[0].jobs[0].step.expect("there are steps");
    assert!((step.mean_s - means[..3].iter().sum::<f64>() / 3.0).abs() < 1e-12);
}

#[test]
fn a_second_call_runs_only_the_missing_points() {
    let (_home, folder) = workspace();
    made(&twelve(&folder));
    let whole = table(&folder);
    let again = made(&twelve(&folder));
    assert_eq!((again.made, again.kept), (0, 12));
    // Names of folders are not evidence: these two runs are swapped.
    let (one, other) = (point(&folder, "ecmp", 3), point(&folder, "ecmp", 4));
    fs::rename(&one, folder.join("aside")).expect("it is there");
    fs::rename(&other, &one).expect("it is there");
    fs::rename(folder.join("aside"), &other).expect("it is there");
    // A run that was killed, one that was stopped, one that lacks a table, one that is missing.
    fs::write(point(&folder, "ecmp", 5).join("INCOMPLETE"), "").expect("it can be written");
    let manifest = point(&folder, "spray", 3).join("manifest.json");
    let text = fs::read_to_string(&manifest).expect("it is there");
    fs::write(&manifest, text.replace("\"complete\"", "\"stopped\"")).expect("it can be written");
    fs::remove_file(point(&folder, "spray", 4).join("series.parquet")).expect("it is there");
    fs::remove_dir_all(point(&folder, "spray", 5)).expect("it is there");
    let again = made(&twelve(&folder));
    assert_eq!((again.made, again.kept), (6, 6));
    assert_eq!(table(&folder), whole);
}

#[test]
fn an_interrupted_sweep_resumes_to_the_same_result() {
    let (_home, folder) = workspace();
    let whole = folder.with_file_name("whole");
    made(&twelve(&whole));
    let stop = AtomicBool::new(false);
    let on_progress = |progress: &SweepProgress| stop.store(progress.finished >= 4, Ordering::Relaxed);
    let stopped =
        Grid { stop: Some(&stop), on_progress: Some(&on_progress), threads: Some(1), ..twelve(&folder) };
    let report = made(&stopped);
    assert!(report.n_missing() > 0 && report.exit_code() == ExitCode::StoppedEarly);
    assert_eq!(report.made, 4);
    assert!(folder.join(UNFINISHED_FILE).exists());
    assert_eq!(String::from_utf8(table(&folder).0).expect("text").lines().count(), 1 + 4);
    let report = made(&twelve(&folder));
    assert_eq!((report.made, report.kept), (8, 4));
    assert_eq!(table(&folder), table(&whole));
    assert!(!folder.join(UNFINISHED_FILE).exists());
}

#[test]
fn all_errors_are_reported_at_once() {
    let (_home, folder) = workspace();
    let wrong = Grid {
        scenarios: vec![Source::text("pairs.yaml", PAIRS), Source::file("missing.yaml")],
        vary: vary(&["balance=ecmp,spary", "nothing.here=1", "jobs.0.steps=2,,2,2", "seed=1", "deadline=1"]),
        set: vec![("deadline".to_owned(), "1s".to_owned()), ("jobs.7.steps".to_owned(), "1".to_owned())],
        seeds: Some(Seeds(1..=3)),
        until: Some(Precision(2.0)),
        ..twelve(&folder)
    };
    let reported = refused(&wrong);
    for part in [
        "missing.yaml",
        "spary",
        "did you mean",
        "[--vary:1:",
        "nothing",
        "--vary jobs.0.steps: a value is empty",
        "--vary jobs.0.steps: the value is given twice: 2",
        "--vary seed",
        "--set deadline: the path is varied too",
        "no item `7`",
        "at least 5 seeds",
    ] {
        assert!(reported.contains(part), "`{part}` is not in:\n{reported}");
    }
    assert_eq!(reported.matches("nothing.here=1").count(), 1, "once, not for every point:\n{reported}");
    assert!(!folder.exists(), "nothing is written for a sweep with errors");
}

#[test]
fn points_with_equal_names_or_scenarios_are_refused() {
    let (_home, folder) = workspace();
    let twice = Grid {
        scenarios: ["a.yaml", "b.yaml"].map(|name| Source::text(name, PAIRS)).into(),
        ..twelve(&folder)
    };
    assert!(refused(&twice).contains("two scenarios have the name `pairs`: a.yaml and b.yaml"));
    let same = Grid { vary: vary(&["jobs.0.phases.0.permutation.size=1KiB,1024B"]), ..twelve(&folder) };
    assert!(refused(&same).contains("the same resolved scenario"));
    let none = Grid { scenarios: Vec::new(), ..twelve(&folder) };
    assert!(refused(&none).contains("needs a scenario"));
    let many = Grid { seeds: Some(Seeds(1..=1_000_000)), ..twelve(&folder) };
    assert!(refused(&many).contains("4000000 points (4 variants, 1000000 seeds each)"));
}

#[test]
fn another_sweep_is_not_overwritten() {
    let (_home, folder) = workspace();
    made(&twelve(&folder));
    let more = Grid { seeds: Some(Seeds(3..=6)), ..twelve(&folder) };
    let error = grid(&more).expect_err("it is another one");
    assert!(error.is_occupied() && matches!(error, LabError::Sweep(SweepError::Other { .. })));
    assert!(error.to_string().contains("--seeds 3..5, now 3..6"), "{error}");
    let vary = vary(&["balance=ecmp", "jobs.0.steps=2,3"]);
    let set = vec![("deadline".to_owned(), "1s".to_owned())];
    let error = refused(&Grid { vary, set, ..twelve(&folder) });
    let varied =
        "--vary balance=ecmp,spray --vary jobs.0.steps=2,3, now --vary balance=ecmp --vary jobs.0.steps=2,3";
    assert!(error.contains(varied) && error.contains("no --set, now --set deadline=1s"), "{error}");
    let changed = PAIRS.replace("10us }", "11us }");
    let changed = Grid { scenarios: vec![Source::text("pairs.yaml", changed)], ..twelve(&folder) };
    assert!(refused(&changed).contains("the scenario has changed"));
    let forced = made(&Grid { force: true, ..more });
    assert_eq!((forced.made, forced.kept), (4, 12));
    assert_eq!(String::from_utf8(table(&folder).0).expect("text").lines().count(), 1 + 16);

    let (home, _) = workspace();
    fs::write(home.path().join("letter.txt"), "dear").expect("it can be written");
    let foreign = Grid { force: true, ..twelve(home.path()) };
    assert!(refused(&foreign).contains("holds other files"));
    assert!(refused(&twelve(&home.path().join("letter.txt"))).contains("this is a file"));
}

/// Three seeds of a scenario that only inherits.
fn heirs(home: &Path, base: &str) -> Grid<'static> {
    let (base_file, heir) = (home.join("base.yaml"), home.join("heir.yaml"));
    fs::write(base_file, base).expect("it can be written");
    fs::write(&heir, "netloom: 1\nfrom: base.yaml\n").expect("it can be written");
    let (seeds, folder) = (Some(Seeds(1..=3)), home.join("sweep"));
    Grid { scenarios: vec![Source::file(heir)], seeds, folder, threads: Some(1), ..Grid::default() }
}

#[test]
fn inherited_values_are_part_of_the_plan() {
    let (home, _) = workspace();
    made(&heirs(home.path(), PAIRS));
    let again = made(&heirs(home.path(), PAIRS));
    assert_eq!((again.made, again.kept), (0, 3));
    let changed = heirs(home.path(), &PAIRS.replace("10us }", "11us }"));
    assert!(refused(&changed).contains("the scenario has changed"));
    let forced = made(&Grid { force: true, ..changed });
    assert_eq!((forced.made, forced.kept), (3, 0));
}

#[test]
fn a_base_that_changes_during_the_sweep_does_not_affect_it() {
    let (home, _) = workspace();
    let of = heirs(home.path(), PAIRS);
    let base = home.path().join("base.yaml");
    let meddle = |progress: &SweepProgress| {
        if progress.finished == 1 {
            fs::write(&base, PAIRS.replace("10us }", "11us }")).expect("it can be written");
        }
    };
    let report = made(&Grid { on_progress: Some(&meddle), ..of.clone() });
    assert_eq!((report.made, report.failed.len()), (3, 0));
    assert!(refused(&of).contains("the scenario has changed"), "a later sweep is another one");
    fs::write(&base, PAIRS).expect("it can be written");
    assert_eq!(made(&of).kept, 3);
}

#[test]
fn a_point_that_fails_does_not_affect_the_others() {
    let (_home, folder) = workspace();
    let stranger = point(&folder, "ecmp", 3);
    made(&twelve(&folder));
    fs::remove_dir_all(&stranger).expect("it is there");
    fs::create_dir(&stranger).expect("it can be made");
    fs::write(stranger.join("letter.txt"), "dear").expect("it can be written");
    let report = made(&twelve(&folder));
    assert_eq!((report.made, report.kept, report.failed.len()), (0, 11, 1));
    assert!(report.failed[0].reason.contains("holds other files"), "{:?}", report.failed);
    assert_eq!(report.exit_code(), ExitCode::BadInput);
    assert!(folder.join(UNFINISHED_FILE).exists());
    fs::remove_dir_all(&stranger).expect("it is there");
    let report = made(&twelve(&folder));
    assert_eq!((report.made, report.kept), (1, 11));
}

#[test]
fn seeds_are_added_until_the_means_are_precise_enough() {
    let (_home, folder) = workspace();
    let until = |percent: f64, most: u64, folder: &Path| Grid {
        vary: vary(&["balance=ecmp,spray"]),
        seeds: Some(Seeds(1..=most)),
        until: Some(Precision(percent)),
        ..twelve(folder)
    };
    let report = made(&until(5.0, 60, &folder));
    let seeds: Vec<usize> = report.variants.iter().map(|variant| variant.points).collect();
    assert!(seeds[0] == seeds[1] && seeds[0] >= 5, "seeds are the same for all: {seeds:?}");
    assert_eq!(report.total, 2 * seeds[0]);
    for variant in report.variants.iter().filter(|variant| variant.precise == Some(true)) {
        let step = variant.jobs[0].step.expect("there are steps");
        assert!(step.half_s.is_some_and(|half| half <= 0.05 * step.mean_s), "{step:?}");
    }
    assert!(report.imprecise().count() == 0 || seeds[0] == 60, "{seeds:?}");
    let again = made(&until(5.0, 60, &folder));
    assert_eq!((again.made, again.kept), (0, report.total));

    let report = made(&until(0.001, 6, &folder.with_file_name("narrow")));
    assert_eq!(report.variants[0].points, 6);
    assert_eq!(report.imprecise().next().map(|variant| variant.name.as_str()), Some("balance=ecmp"));
    assert_eq!(report.exit_code(), ExitCode::Good);
}

/// A flow from the receiver's leaf, and two from another leaf; flow hashes decide which share a spine.
const STAGED: &str = "
netloom: 1
name: staged
fabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 3, host_rate: 100Gbps } }
balance: ecmp
transport: ideal
flows:
  warm_up: 50us
  list:
    - { from: leaf1.host0, to: leaf0.host0, stop: 200us }
    - { from: leaf1.host1, to: leaf0.host1, start: 100us, stop: 200us }
";

#[test]
fn stages_have_rows_and_means_of_their_own() {
    let (_home, folder) = workspace();
    let report = made(&Grid {
        scenarios: vec![Source::text("staged.yaml", STAGED)],
        seeds: Some(Seeds(1..=4)),
        folder: folder.clone(),
        ..Grid::default()
    });
    let text = String::from_utf8(table(&folder).0).expect("it is text");
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let titles = lines.next().expect("a heading");
    let rows: Vec<Vec<&str>> = lines.collect();
    assert_eq!(rows.len(), 4 * 2);
    let column = |title: &str, stage: &str| -> Vec<f64> {
        let workspace =
            |title: &str| titles.iter().position(|name| *name == title).expect("there is such a column");
        let of_stage = rows.iter().filter(|row| row[workspace("stage")] == stage);
        of_stage.map(|row| row[workspace(title)].parse().expect("a number")).collect()
    };
    let stages = &report.variants[0].stages;
    assert!(stages.len() == 2 && report.variants[0].jobs.is_empty());
    for (stage, name) in stages.iter().zip(["0", "1"]) {
        let mean = |title: &str| column(title, name).iter().sum::<f64>() / 4.0;
        let figures = [
            ("stage_sum", stage.sum_bps),
            ("stage_jain", stage.jain.expect("there is throughput")),
            ("stage_variance", stage.variance_bps2),
        ];
        for (title, found) in figures {
            let expected = mean(title);
            assert!((found - expected).abs() <= 1e-9 * expected, "{title}: {found} {expected}");
        }
        assert_eq!(stage.seeds, 4);
    }
    // A single flow is the same with every seed; two flows share a spine with some seeds only.
    assert_eq!(stages[0].sum_half_bps, Some(0.0));
    assert!(stages[1].sum_half_bps.is_some_and(|half| half > 0.0), "{stages:?}");
}
