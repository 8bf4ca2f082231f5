//! Papers as tests: the verdicts on a made-up paper, and the consistency of the real ones.

use std::sync::atomic::{AtomicBool, Ordering};

use netloom_lab::reproduce::{
    Paper, Quantity, Recorded, Report, ReproduceError, Request, Verdict, check_runs, papers, reproduce,
};
use netloom_lab::{ExitCode, Overrides, Seeds, Style, prepare};

/// Eight hosts send to each other in pairs, one flow hash for each pair.
const SCENARIO: &str = "
netloom: 1
fabric:
  leaf_spine: {leaves: 2, spines: 2, hosts_per_leaf: 4, host_rate: 100Gbps}
balance: ecmp
record: {queue_packets: true}
jobs:
  - {name: pairs, steps: 3, phases: [{permutation: {size: 256KiB}}, {compute: 10us}]}
background:
  mice: {end: 100us, interval: 10us}
";

const CLAIMS: &str = "
seeds: {look: 4, check: 6, more: [{group: slow, check: 8}]}
groups: {slow: [hashed], both: [slow, sprayed]}
experiments:
  - {name: sprayed, from: hashed, set: {balance: spray}, shows: no collisions}
  - {name: again, from: hashed, set: {seed: '1'}, shows: nothing}
figures:
  - name: Figure 1
    shows: How long steps take.
    quantities: [packets, step_mean, step_p95]
    at: [both]
  - name: Figure 2
    shows: What spraying gains.
    quantities: [packets, step_mean]
    at: [hashed/pairs]
    per: {at: [sprayed/pairs]}
claims:
  - id: packets
    said: table 1
    text: The number of packets.
    kind: predicted
    quantity: packets
    at: [hashed]
    near: {within: exact}
    recorded: reproduced
  - id: step
    said: table 1
    text: The mean step.
    kind: calibrated
    quantity: step_mean
    at: [hashed]
    near: {within: interval}
    recorded: reproduced
  - id: tail
    said: table 1
    text: The tail of the step.
    kind: predicted
    quantity: step_p95
    at: [hashed]
    near: {within: 1%}
    recorded: not reproduced
    reason: It was made up.
  - id: faster
    said: figure 1
    text: Spraying is faster than hashing.
    kind: predicted
    quantity: step_mean
    at: [hashed/pairs]
    per: {at: [sprayed/pairs]}
    relation: {at_least: 1.0}
    recorded: reproduced
  - id: same
    said: own prediction
    text: Equal runs are equal.
    kind: predicted
    quantity: simulator_end
    at: [hashed, again]
    relation: equal
    recorded: reproduced
";

fn paper(published: &str, claims: &str) -> Result<Paper, ReproduceError> {
    let files = [("published.csv", published), ("claims.yaml", claims), ("scenarios/hashed.yaml", SCENARIO)];
    Paper::new("made-up", files)
}

/// The figures of seed 1, except for the tail.
fn published() -> String {
    let blank = "run,part,step_mean_ms,step_p95_ms,packets\nhashed,pairs,0.1,9.0,1\n";
    let first = judged(blank, "1..1", false);
    let packets = first.runs[0].get(None, Quantity::Packets).expect("packets are counted");
    let step = first.runs[0].get(Some("pairs"), Quantity::StepMean).expect("steps are timed");
    format!("run,part,step_mean_ms,step_p95_ms,packets\nhashed,pairs,{step},9.0,{packets}\n")
}

fn judged(published: &str, seeds: &str, check: bool) -> Report {
    let seeds = (!seeds.is_empty()).then(|| seeds.parse::<Seeds>().expect("seeds"));
    let paper = paper(published, CLAIMS).unwrap_or_else(|error| panic!("{error}"));
    reproduce(paper, &Request { seeds, check, ..Request::default() })
        .unwrap_or_else(|error| panic!("{error}"))
}

fn verdict(report: &Report, claim: &str) -> Verdict {
    report.judged.iter().find(|judged| judged.claim == claim).expect("it was judged").verdict
}

#[test]
fn verdicts_follow_from_the_figures() {
    let report = judged(&published(), "", false);
    // Runs: hashed, again and sprayed, four seeds each.
    assert_eq!(report.runs.len(), 12);
    let expected = [
        ("packets", Verdict::Reproduced),
        ("step", Verdict::Reproduced),
        ("tail", Verdict::NotReproduced),
        ("faster", Verdict::Reproduced),
    ];
    for (claim, wanted) in expected {
        assert_eq!(verdict(&report, claim), wanted, "{claim}\n{}", report.table());
    }
    let tally = report.tally();
    assert_eq!((tally.calibrated, tally.not_reproduced, tally.too_few_seeds), (1, 1, 0));
    assert!(report.broken_laws().next().is_none());
    let last = report.table();
    let last = last.trim_end().lines().last().expect("there is a last line");
    assert_eq!(last, "made-up: 3 reproduced, 1 calibrated, 1 not reproduced");
    assert!(report.is_as_recorded() && report.differences().is_empty());
}

#[test]
fn verdicts_that_differ_from_the_record_are_named() {
    let other = published().replace(",9.0,", ",0.0,").replace("hashed,pairs,0.", "hashed,pairs,7.");
    let report = judged(&other, "", false);
    assert_eq!(verdict(&report, "step"), Verdict::NotReproduced);
    assert_eq!(report.differences(), "not as recorded: step at hashed/pairs is not reproduced\n");
    assert!(!report.is_as_recorded());
    let step = report.judged.iter().find(|judged| judged.claim == "step").expect("it was judged");
    assert_eq!(step.recorded, Recorded::Reproduced);
}

#[test]
fn one_seed_is_too_few_for_an_interval() {
    let report = judged(&published(), "3..3", false);
    assert_eq!(verdict(&report, "step"), Verdict::TooFewSeeds);
    assert_eq!(verdict(&report, "packets"), Verdict::Reproduced);
    assert!(report.table().trim_end().ends_with("1 with too few seeds"));
    assert!(!report.is_as_recorded());
}

#[test]
fn a_check_runs_more_seeds() {
    let report = judged(&published(), "", true);
    let count = |run: &str| report.runs.iter().filter(|found| found.run == run).count();
    assert_eq!((count("hashed"), count("sprayed"), count("again")), (8, 6, 6));
}

#[test]
fn selected_claims_are_evaluated() {
    let only = |claim: &str| {
        let request = Request {
            seeds: Some("2".parse().expect("seeds")),
            only: vec![claim.into()],
            ..Request::default()
        };
        reproduce(paper(&published(), CLAIMS).expect("it fits"), &request)
    };
    let report = only("packets").expect("there is such a claim");
    assert_eq!((report.judged.len(), report.runs.len()), (1, 2));
    let unknown = only("speed").expect_err("there is none");
    assert_eq!(unknown.exit_code(), ExitCode::BadInput);
    assert!(unknown.to_string().contains("`speed`"));
}

#[test]
fn figures_show_published_beside_simulated_numbers() {
    let figures = judged(&published(), "", false).figures();
    let lines: Vec<&str> = figures.lines().skip_while(|line| !line.starts_with("## ")).collect();
    assert_eq!(lines[0], "## Figure 1");
    assert!(lines[4].contains("| step_mean_ms, published | step_mean_ms, simulated |"), "{figures}");
    let cells: Vec<&str> = lines[6].split('|').map(str::trim).collect();
    assert_eq!(&cells[1..3], ["hashed/pairs", "4"]);
    // Packets are the same with every seed; the tail is made up and outside of the interval.
    assert!(!cells[4].contains('±') && cells[6].contains('±'), "{figures}");
    assert!(!cells[5].ends_with('*') && cells[7] == "9*", "{figures}");
}

#[test]
fn figures_show_the_ratios_of_claims() {
    let made_up = published() + "sprayed,pairs,0.01,9.0,1\n";
    let report = judged(&made_up, "", false);
    let figures = report.figures();
    let lines: Vec<&str> = figures.lines().skip_while(|line| *line != "## Figure 2").collect();
    assert!(lines[4].contains("`hashed/pairs` over `sprayed/pairs`"), "{figures}");
    assert!(
        lines[6].ends_with("| step_mean_ms, ratio, published | step_mean_ms, ratio, simulated |"),
        "{figures}"
    );
    let cells: Vec<&str> = lines[8].split('|').map(str::trim).collect();
    let number = |cell: usize| -> f64 {
        let text = cells[cell].split(' ').next().expect("a number").trim_end_matches('*');
        text.parse().unwrap_or_else(|_| panic!("{figures}"))
    };
    // Packets, their ratio, steps, their ratio: each published and simulated.
    assert_eq!((number(5), number(6)), (number(3), 1.0));
    assert!((number(9) / number(7) - 100.0).abs() < 0.01 && cells[9].ends_with('*'), "{figures}");
    let faster = report.judged.iter().find(|judged| judged.claim == "faster").expect("it was judged");
    assert!((number(10) / faster.simulated[0] - 1.0).abs() < 1e-4, "{figures}");
    assert!(cells[10].contains('±'), "{figures}");
    assert!((number(8) - number(10)).abs() > 0.1, "not the figure itself");
}

#[test]
fn the_number_of_divisors_must_equal_that_of_figures() {
    let more = CLAIMS.replace("    per: {at: [sprayed/pairs]}\nclaims", "    per: {at: [both]}\nclaims");
    assert_ne!(more, CLAIMS);
    let error = paper(&published(), &more).expect_err("one row, two divisors");
    assert!(error.to_string().contains("figure `Figure 2`: the number of divisors differs"), "{error}");
}

#[test]
fn stored_runs_are_evaluated_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let report = judged(&published(), "1..3", false);
    report.write(folder.path()).expect("it can be written");
    let again =
        |paper: Paper| reproduce(paper, &Request { stored: Some(folder.path()), ..Request::default() });
    let read = again(paper(&published(), CLAIMS).expect("it fits")).expect("the runs are there");
    assert_eq!((&read.runs, &read.judged), (&report.runs, &report.judged));
    // Claims may have changed since; the runs of a new experiment are missing.
    let more = CLAIMS.replace("from: hashed, set: {balance: spray}", "from: hashed, set: {balance: ecmp}");
    let more = more.replace("name: sprayed", "name: other").replace("sprayed", "other");
    let read = again(paper(&published(), &more).expect("it fits")).expect("the runs are there");
    assert_eq!(verdict(&read, "faster"), Verdict::TooFewSeeds);
    let text = std::fs::read_to_string(folder.path().join("report.json")).expect("it was written");
    for (wrong, why) in
        [(text.replace("\"made-up\"", "\"other\""), "`other`"), (text[..100].to_owned(), "EOF")]
    {
        std::fs::write(folder.path().join("report.json"), wrong).expect("it can be written");
        let error = again(paper(&published(), CLAIMS).expect("it fits")).expect_err("no runs of this paper");
        assert!(error.to_string().contains(why), "{error}");
        assert_eq!(error.exit_code(), ExitCode::BadInput);
    }
}

#[test]
fn confidence_intervals_of_ratios_follow_from_paired_seeds() {
    let report = judged(&published(), "", false);
    let half = |claim: &str| {
        let judged = report.judged.iter().find(|judged| judged.claim == claim).expect("it was judged");
        judged.halves.clone()
    };
    assert!(half("faster")[0].is_some_and(|half| half > 0.0));
    assert_eq!(half("packets"), [Some(0.0)]);
    assert_eq!(judged(&published(), "3", false).judged[1].halves.len(), 1);
}

#[test]
fn results_are_written_as_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    let report = judged(&published(), "2", false);
    report.write(folder.path()).expect("it can be written");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("it was written");
    assert_eq!(read("claims.csv").lines().count(), 1 + 5);
    assert_eq!(read("runs.csv").lines().count(), 1 + 6);
    assert!(read("points.csv").contains("hashed,pairs,step_mean_ms,"));
    let document: serde_json::Value = serde_json::from_str(&read("report.json")).expect("it is JSON");
    assert_eq!(document["claims"].as_array().map(Vec::len), Some(5));
    assert!(document["runs"][0]["parts"]["pairs"]["step_mean"].is_f64());
}

/// One experiment for each of two policies at each of two sizes of step, more steps at full size; a run with losses.
const VARIED: &str = "
seeds: {look: 1, check: 1, more: [{group: same_spray, look: 2, check: 3}]}
groups: {}
lossy: [leaking]
experiments:
  - name: same
    from: hashed
    set: {background: none, jobs.pairs.steps: '1'}
    full: {jobs.pairs.steps: '2'}
    vary:
      - [{name: ecmp, set: {balance: ecmp}}, {name: spray, set: {balance: spray}}]
      - [{name: '1', set: {jobs.0.phases.1.compute: 1us}}, {name: '2', set: {jobs.0.phases.1.compute: 2us}}]
    shows: combinations
  - {name: leaking, from: hashed, set: {background: none, transport: nic_sr, faults.loss: 1%}, shows: losses}
  - {name: torn, from: hashed, set: {background: none, transport: nic_sr, faults.loss: 1%}, shows: losses}
claims:
  - id: packets
    said: own prediction
    text: Packets of a step.
    kind: calibrated
    quantity: packets
    at: [same]
    relation: {between: [512, 512]}
    scale: quick
    recorded: reproduced
  - id: more-packets
    said: own prediction
    text: Packets of two steps.
    kind: predicted
    quantity: packets
    at: [same_ecmp, same_spray]
    relation: {between: [1024, 1024]}
    scale: full
    recorded: reproduced
  - id: losses
    said: own prediction
    text: Lost packets are retransmitted.
    kind: predicted
    quantity: packets_retransmitted
    at: [leaking]
    per: {quantity: dropped}
    relation: {between: [0.5, 1.5]}
    recorded: reproduced
";

fn varied(claims: &str) -> Paper {
    let published = "run,part,packets\nhashed,pairs,1\n";
    let files = [("published.csv", published), ("claims.yaml", claims), ("scenarios/hashed.yaml", SCENARIO)];
    Paper::new("varied", files).unwrap_or_else(|error| panic!("{error}"))
}

fn made(report: &Report) -> Vec<(&str, u64)> {
    report.runs.iter().map(|found| (found.run.as_str(), found.seed)).collect()
}

#[test]
fn an_experiment_with_variants_is_expanded_to_all_combinations() {
    let report = reproduce(varied(VARIED), &Request::default()).expect("it runs");
    let expected = [
        ("leaking", 1),
        ("same_ecmp_1", 1),
        ("same_ecmp_2", 1),
        ("same_spray_1", 1),
        ("same_spray_1", 2),
        ("same_spray_2", 1),
        ("same_spray_2", 2),
    ];
    assert_eq!(made(&report), expected);
    assert!(report.is_as_recorded(), "{}", report.table());
    assert_eq!((report.tally().calibrated, report.tally().reproduced), (1, 1));
    assert!(report.table().contains("packets (own prediction; packets; calibrated)"), "{}", report.table());
    let wrong = varied(&VARIED.replace("jobs.0.phases.1.compute: 2us", "jobs.0.phases.1.compute: 2"));
    let error = reproduce(wrong, &Request::default()).expect_err("a unit is missing");
    assert_eq!(error.exit_code(), ExitCode::BadInput);
    // A loss in a run that is not listed as lossy violates an invariant.
    let torn = varied(&VARIED.replace("at: [leaking]", "at: [torn]"));
    let report = reproduce(torn, &Request::default()).expect("it runs");
    assert!(report.broken_laws().any(|law| law.contains("packets were lost")));
}

#[test]
fn at_full_size_other_claims_are_evaluated() {
    let folder = tempfile::tempdir().expect("a folder");
    let full = Request { full: true, ..Request::default() };
    let report = reproduce(varied(VARIED), &full).expect("it runs");
    let claims: Vec<&str> = report.judged.iter().map(|judged| judged.claim.as_str()).collect();
    assert_eq!(claims, ["more-packets", "losses"]);
    assert!(report.is_as_recorded(), "{}", report.table());
    let only = Request { only: vec!["more-packets".into()], ..Request::default() };
    let error = reproduce(varied(VARIED), &only).expect_err("it is about full size");
    assert!(error.exit_code() == ExitCode::BadInput && error.to_string().contains("--full"), "{error}");
    // Stored runs keep the size they were made with.
    report.write(folder.path()).expect("it can be written");
    let stored = Request { stored: Some(folder.path()), ..Request::default() };
    assert_eq!(reproduce(varied(VARIED), &stored).expect("the runs are there").judged, report.judged);
}

#[test]
fn a_variant_may_have_a_full_size_of_its_own() {
    let compute = "set: {jobs.0.phases.1.compute: 2us}}";
    let claims = VARIED.replace(compute, &compute.replace("}}", "}, full: {jobs.pairs.steps: '3'}}"));
    let packets = |full: bool| {
        let only = vec![if full { "more-packets" } else { "packets" }.to_owned()];
        let seeds = Some(Seeds(1..=1));
        let request = Request { full, only, seeds, ..Request::default() };
        let report = reproduce(varied(&claims), &request).expect("it runs");
        let each = report.runs.iter().map(|run| run.get(None, Quantity::Packets));
        each.map(|packets| packets.expect("they are counted")).collect::<Vec<f64>>()
    };
    // One step, and two or three steps: the variant's setting takes precedence over the experiment's.
    assert_eq!(packets(false), [512.0; 4]);
    assert_eq!(packets(true), [1024.0, 1536.0, 1024.0, 1536.0]);
}

#[test]
fn a_claim_without_a_recorded_verdict_is_never_a_difference() {
    let claims = VARIED.replace("[0.5, 1.5]}\n    recorded:", "[9, 9]}\n    recorded:");
    let surprises = |claims: &str, full: bool| {
        let request = Request { full, only: vec!["losses".into()], ..Request::default() };
        let report = reproduce(varied(claims), &request).expect("it runs");
        assert_eq!(verdict(&report, "losses"), Verdict::NotReproduced);
        report.surprises().count()
    };
    assert_eq!((surprises(&claims, false), surprises(&claims, true)), (1, 1));
    let open_at_full = format!("{claims}    recorded_full: not judged\n");
    assert_eq!((surprises(&open_at_full, false), surprises(&open_at_full, true)), (1, 0));
    let open = claims.replace("[9, 9]}\n    recorded: reproduced", "[9, 9]}\n    recorded: not judged");
    assert_eq!((surprises(&open, false), surprises(&open, true)), (0, 0));
}

#[test]
fn a_reproduction_that_was_stopped_is_resumed() {
    let folder = tempfile::tempdir().expect("a folder");
    let stop = AtomicBool::new(false);
    let reported = |progress: &netloom_lab::SweepProgress| {
        stop.fetch_or(progress.finished >= 4, Ordering::Relaxed);
    };
    let request = Request {
        full: true,
        store: Some(folder.path()),
        threads: Some(1),
        stop: Some(&stop),
        on_progress: Some(&reported),
        ..Request::default()
    };
    let stopped = reproduce(varied(VARIED), &request).expect_err("it was stopped");
    assert_eq!(stopped.exit_code(), ExitCode::StoppedEarly);
    let kept = || {
        let files = std::fs::read_dir(folder.path().join("unfinished")).expect("runs are kept");
        let mut names: Vec<_> = files.map(|file| file.expect("it is there").path()).collect();
        names.sort();
        names
    };
    let before = kept();
    assert_eq!(before.len(), 4);
    // One file is truncated, one is of another scenario, one of another build; the last one is reused, which shows by a
    // false figure.
    let text = |number: usize| std::fs::read_to_string(&before[number]).expect("it is there");
    let [first, second, third, fourth] = [0, 1, 2, 3].map(text);
    std::fs::write(&before[0], &first[..first.len() / 2]).expect("it can be written");
    let mut other: serde_json::Value = serde_json::from_str(&second).expect("it is JSON");
    other["scenario"] = "0".into();
    std::fs::write(&before[1], other.to_string()).expect("it can be written");
    for (number, text, build) in [(2, third, Some("0")), (3, fourth, None)] {
        let mut marked: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        marked["run"]["wall_time_s"] = 1e9.into();
        if let Some(build) = build {
            marked["build"] = build.into();
        }
        std::fs::write(&before[number], marked.to_string()).expect("it can be written");
    }

    let request = Request { stop: None, on_progress: None, ..request };
    let report = reproduce(varied(VARIED), &request).expect("it goes on");
    assert_eq!(report.runs.len(), 7);
    assert_eq!(report.runs.iter().filter(|run| run.wall_time_s > 1e8).count(), 1);
    assert!(
        report.table().contains("stored runs: 1 reused, 1 of another build ignored\n"),
        "{}",
        report.table()
    );
    let fresh = reproduce(varied(VARIED), &Request { full: true, ..Request::default() }).expect("it runs");
    assert_eq!(report.judged, fresh.judged);
    // Reports of other runs do not remove them: of the other size, of one claim, or of runs that were not made now.
    assert_eq!(kept().len(), 7);
    let quick = reproduce(varied(VARIED), &Request { full: false, ..request }).expect("it runs");
    assert_eq!(kept().len(), 7 + 6, "the lossy run is the same at both sizes");
    quick.write(folder.path()).expect("it can be written");
    assert_eq!(kept().len(), 6);
    fresh.write(folder.path()).expect("it can be written");
    assert_eq!(kept().len(), 6);
    // The report has them now, and no files remain.
    report.write(folder.path()).expect("it can be written");
    assert!(!folder.path().join("unfinished").exists());
}

#[test]
fn inconsistent_files_are_refused() {
    let fits = "run,part,step_mean_ms,step_p95_ms,packets\nhashed,pairs,1,1,1\n";
    assert!(paper(fits, CLAIMS).is_ok());
    let cases = [
        (CLAIMS.replace("at: [hashed]", "at: [hushed]"), "no run `hushed`"),
        (CLAIMS.replace("id: step", "id: packets"), "two claims of this name"),
        (CLAIMS.replace("    reason: It was made up.\n", ""), "without a reason"),
        (CLAIMS.replace("within: exact", "within: reach"), "`within: reach`"),
        (CLAIMS.replace("    relation: equal\n", ""), "either `near` or `relation`"),
        (CLAIMS.replace("from: hashed", "from: sprayed"), "no scenario `sprayed`"),
        (CLAIMS.replace("group: slow", "group: fast"), "no run `fast`"),
        (CLAIMS.replace("groups:", "lossy: [leaky]\ngroups:"), "no run `leaky`"),
        (
            CLAIMS.replace(
                "name: again, from: hashed, set: {seed: '1'}",
                "name: slow, from: hashed, vary: [[{name: '1'}]]",
            ),
            "a group",
        ),
        (CLAIMS.replace("quantity: packets", "quantity: speed"), "speed"),
    ];
    for (claims, part) in cases {
        let said = paper(fits, &claims).expect_err("it does not fit").to_string();
        assert!(said.contains(part), "`{part}` is not in: {said}");
    }
    assert!(paper("job,run\n", CLAIMS).is_err());
    let missing = Paper::new("made-up", [("published.csv", fits)]).expect_err("claims are missing");
    assert!(missing.to_string().contains("claims.yaml"));
    assert!(Paper::open("unwritten").expect_err("no such paper").to_string().contains("zeltser2026"));
}

#[test]
fn every_paper_of_the_library_is_consistent() {
    assert!(papers().contains(&"zeltser2026"));
    for id in papers() {
        let paper = Paper::open(id).unwrap_or_else(|error| panic!("{error}"));
        for run in paper.published.runs() {
            assert!(paper.has_run(run), "{id}: `{run}` is published and cannot be run");
        }
        for name in paper.scenarios() {
            let source = paper.source(name).expect("it is listed");
            let prepared = prepare(&source, &Overrides::default());
            let prepared = prepared.unwrap_or_else(|error| panic!("{}", error.render(Style::Plain)));
            assert_eq!(prepared.name, name);
        }
    }
    for id in papers() {
        for full in [false, true] {
            let paper = Paper::open(id).unwrap_or_else(|error| panic!("{error}"));
            check_runs(paper, full).unwrap_or_else(|error| panic!("{id}: {error}"));
        }
    }
    let themis = Paper::open("themis2025").expect("it is there");
    assert!(check_runs(themis.clone(), true).expect("seen above") >= 72);
    assert_eq!(themis.scenarios().count(), 8);
    let zeltser = Paper::open("zeltser2026").expect("it is there");
    assert_eq!((zeltser.published.runs().len(), zeltser.scenarios().count()), (24, 28));
}
