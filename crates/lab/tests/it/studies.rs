//! Sweeps without run folders: compared, reported and drawn from what they stored.

use std::fs;
use std::path::{Path, PathBuf};

use netloom_lab::compare::{Comparison, compare_folders};
use netloom_lab::figures::{Format, Wanted, figures};
use netloom_lab::sweep::{Grid, JOURNAL_FILE, Keep, STUDY_FILE, Variation, grid};
use netloom_lab::{ExitCode, LabError, Over, Overwrite, ReportOutputs, Seeds, Source, report};
use netloom_report::page_data;
use serde_json::Value;

/// A training step beside background traffic, which differs from seed to seed.
const BUSY: &str = "
netloom: 1
name: busy
fabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 2, host_rate: 100Gbps } }
balance: ecmp
jobs: [ { name: train, steps: 2, phases: [ { compute: 20us }, { ring_all_reduce: { size: 256KiB } } ] } ]
background: { poisson: { load: 10%, sizes: alistorage, end: 200us } }
";

fn on<'a>(folder: &Path, keep: Keep, vary: &[&str]) -> Grid<'a> {
    Grid {
        scenarios: vec![Source::text("busy.yaml", BUSY)],
        vary: vary.iter().map(|text| text.parse::<Variation>().expect("it is one")).collect(),
        folder: folder.to_owned(),
        seeds: Some(Seeds(1..=3)),
        keep,
        ..Grid::default()
    }
}

const POLICIES: [&str; 2] = ["balance=ecmp,spray", "jobs.0.phases.1.ring_all_reduce.size=128KiB,256KiB"];
const RATES: &str = "fabric.leaf_spine.host_rate=100Gbps..25Gbps";

fn compared(folder: &Path, baseline: Option<&str>) -> Result<Comparison, LabError> {
    compare_folders(&[folder.to_owned()], Over::Jobs, baseline, None)
}

fn page_of(folder: &Path, file: &Path) -> Result<Value, LabError> {
    let page = Some((file, Overwrite::Replace));
    report(&[folder.to_owned()], Over::Jobs, None, None, ReportOutputs { page, text: None })?;
    let text = page_data(&fs::read_to_string(file).expect("it was written")).expect("it has data");
    Ok(serde_json::from_str(&text).expect("it is JSON"))
}

#[track_caller]
fn refusal<T>(of: Result<T, LabError>) -> String {
    let Err(error) = of else { panic!("it is refused") };
    assert_eq!(error.exit_code(), ExitCode::BadInput, "{error}");
    error.to_string()
}

#[test]
fn points_compare_as_their_run_folders_would() {
    let home = tempfile::tempdir().expect("a folder");
    let [folders, summaries] = ["a", "b"].map(|name| home.path().join(name).join("sweep"));
    for (folder, keep) in [(&folders, Keep::Folders), (&summaries, Keep::Summary)] {
        grid(&on(folder, keep, &POLICIES)).expect("it runs");
    }
    let rows = |folder: &Path, baseline| {
        let found = compared(folder, baseline).expect("it is compared");
        (found.to_json()["rows"].clone(), found.baseline)
    };
    assert_eq!(rows(&summaries, None), rows(&folders, None));
    let spray = Some("spray, size 128KiB, seed 1");
    assert_eq!(rows(&summaries, spray), rows(&folders, spray));
    assert!(refusal(compared(&summaries, Some("no such"))).contains("no variant is called"));

    // Means of three seeds say which variant is better exactly as the steps do.
    let verdicts = |folder: &Path| {
        let answer = compared(folder, None).expect("it is compared").answer.expect("there are several");
        let key =
            |compared: &netloom_report::Compared| (compared.time, compared.baseline_time, compared.speedup);
        let all = answer.verdicts.iter().flat_map(|verdict| &verdict.compared);
        all.map(|compared| (key(compared), compared.outcome)).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(&summaries), verdicts(&folders));

    // Beside runs, in the order of the folders.
    let both = [summaries.clone(), folders.clone()];
    let mixed = compare_folders(&both, Over::Jobs, None, None).expect("they are compared");
    assert_eq!(mixed.rows.len(), 24);
    assert!(mixed.answer.is_none() && mixed.notes.is_empty());
    assert!(!folders.join(STUDY_FILE).exists());
}

#[test]
fn damaged_and_other_points_are_named_and_never_a_panic() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("sweep");
    grid(&on(&folder, Keep::Summary, &POLICIES[..1])).expect("it runs");
    assert!(
        refusal(compare_folders(std::slice::from_ref(&folder), Over::All, None, None))
            .contains("--over jobs")
    );
    let journal = folder.join(JOURNAL_FILE);
    let text = fs::read_to_string(&journal).expect("it was written");

    let damaged = text.replacen("\"report\"", "\"repo", 2);
    fs::write(&journal, damaged).expect("it can be written");
    let some = compared(&folder, None).expect("the others are compared");
    assert_eq!(some.rows.len(), 4);
    assert!(some.notes[0].starts_with("an unfinished sweep, 4 of 6 points; missing: "), "{:?}", some.notes);
    let page = page_of(&folder, &home.path().join("page.html")).expect("it is reported");
    assert_eq!((&page["study"]["points"], &page["study"]["total"]), (&4.into(), &6.into()));

    fs::write(&journal, b"\xff\n{}\n[1]\n").expect("it can be written");
    assert!(refusal(compared(&folder, None)).contains("the same command of the sweep computes"));
    let other = text.replace("\"key\":\"", "\"key\":\"0000");
    fs::write(&journal, other).expect("it can be written");
    refusal(compared(&folder, None));
    fs::remove_file(&journal).expect("it was there");
    refusal(compared(&folder, None));

    // Without a study, as after a kill, the plan has the variants.
    fs::write(&journal, &text).expect("it can be written");
    fs::remove_file(folder.join(STUDY_FILE)).expect("it was written");
    assert_eq!(compared(&folder, None).expect("it is compared").rows.len(), 6);
    fs::write(folder.join("sweep.json"), "{").expect("it can be written");
    refusal(compared(&folder, None));
}

#[test]
fn a_search_is_a_page_and_figures_with_its_threshold() {
    let home = tempfile::tempdir().expect("a folder");
    for keep in [Keep::Summary, Keep::Folders] {
        let folder = home.path().join(format!("{keep:?}"));
        let bisection = Some("10%".parse().expect("a threshold"));
        let found = grid(&Grid { bisection, ..on(&folder, keep, &[RATES]) }).expect("it runs");
        let [threshold] = &found.thresholds[..] else { panic!("one threshold: {:?}", found.thresholds) };

        let page = page_of(&folder, &home.path().join("page.html")).expect("it is reported");
        let (study, data) = match keep {
            Keep::Summary => (Some(&page["study"]), &page["study"]["thresholds"]),
            _ => (None, &page["thresholds"]),
        };
        assert_eq!(data["found"][0]["words"], threshold.words());
        assert_eq!((&data["axis"]["unit"], &data["axis"]["log"]), (&"bit/s".into(), &false.into()));
        let tried = data["found"][0]["tried"]["points"].as_array().expect("a list");
        assert_eq!(tried.len(), threshold.tried.len());
        let numbers: Vec<f64> = tried.iter().filter_map(|point| point["number"].as_f64()).collect();
        assert!(numbers.is_sorted() && (numbers[0] - 25e9).abs() < 1.0, "{numbers:?}");
        let ends: Vec<f64> =
            data["found"][0]["interval"].as_array().expect("two").iter().filter_map(Value::as_f64).collect();
        let estimate = data["found"][0]["estimate"].as_f64().expect("it was found");
        assert!(ends[0] <= estimate && estimate <= ends[1], "{estimate} in {ends:?}");
        if let Some(study) = study {
            assert_eq!(study["variants"].as_array().map(Vec::len), Some(found.variants.len()));
            let curve = &study["curves"][0];
            assert_eq!(curve["lines"][0]["points"].as_array().map(Vec::len), Some(found.variants.len()));
        }

        let drawn = home.path().join(format!("figures {keep:?}"));
        let wanted =
            Wanted { format: Format::Svg, width_mm: 84.6, over: Over::Jobs, overwrite: Overwrite::Refuse };
        let made = figures(&[folder], &drawn, wanted).expect("they are drawn");
        let names: Vec<String> = made
            .figures
            .iter()
            .filter_map(|figure| Some(figure.picture.file_stem()?.to_string_lossy().into_owned()))
            .collect();
        assert_eq!(names.contains(&"study".to_owned()), study.is_some());
        assert!(names.contains(&"threshold".to_owned()), "{names:?}");
        let rows = fs::read_to_string(drawn.join("threshold.csv")).expect("it was written");
        assert_eq!(rows.lines().count(), 1 + threshold.tried.len());
    }
}

#[test]
fn what_needs_run_folders_is_refused() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("sweep");
    grid(&on(&folder, Keep::Summary, &POLICIES[..1])).expect("it runs");
    let file = home.path().join("page.html");
    let outputs = || ReportOutputs { page: Some((&file, Overwrite::Refuse)), text: None };
    let two: Vec<PathBuf> = vec![folder.clone(), folder.clone()];
    assert!(refusal(report(&two, Over::Jobs, None, None, outputs())).contains("takes its folder alone"));
    let request = netloom_lab::ReasonRequest::default();
    let of = [folder.clone()];
    assert!(
        refusal(report(&of, Over::Jobs, None, Some(&request), outputs())).contains("--why needs run folders")
    );
    assert!(
        refusal(compare_folders(&of, Over::Jobs, None, Some(&request))).contains("--why needs run folders")
    );
    assert!(!file.exists());
    // Names of variants are an axis, if they are no numbers.
    let page = page_of(&folder, &file).expect("it is reported");
    let curve = &page["study"]["curves"][0];
    assert_eq!(curve["axis"]["names"], serde_json::json!(["balance=ecmp", "balance=spray"]));
    assert_eq!(curve["is_joined"], false);
}
