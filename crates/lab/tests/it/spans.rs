//! Figures over a part of a run, computed a second time by plain loops over exported tables, for every golden scenario
//! with background traffic.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use netloom_lab::compare::compare_folders;
use netloom_lab::summary::Summary;
use netloom_lab::{
    Over, Overrides, Overwrite, ReportOutputs, RunRequest, Source, Style, export, prepare, run,
};
use netloom_records::RunFolder;
use netloom_report::{ReportedRun, read};
use netloom_units::Time;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Golden scenarios whose model has background traffic.
fn with_background() -> Vec<PathBuf> {
    let list = fs::read_to_string(root().join("scenarios/golden.digests")).expect("the list is there");
    let paths = list.lines().filter_map(|line| line.split_once(' ')).map(|(path, _)| root().join(path));
    let has_background = |path: &PathBuf| {
        let prepared = prepare(&Source::file(path.clone()), &Overrides::default());
        let prepared = prepared.unwrap_or_else(|error| panic!("{}", error.render(Style::Plain)));
        prepared.compiled.model.workload.background.is_some()
    };
    paths.filter(has_background).collect()
}

/// A table, row by row: names of columns to texts.
fn table(folder: &Path, name: &str) -> Vec<BTreeMap<String, String>> {
    let text = fs::read_to_string(folder.join(name).with_extension("csv")).expect("it was exported");
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().expect("it has a head").split(',').collect();
    let cells = |line: &str| -> Vec<String> { line.split(',').map(str::to_owned).collect() };
    lines.map(|line| head.iter().map(|name| (*name).to_owned()).zip(cells(line)).collect()).collect()
}

fn number(row: &BTreeMap<String, String>, column: &str) -> Option<f64> {
    row[column].parse().ok()
}

/// Figures by plain loops; instants in ps.
#[derive(Debug, Default)]
struct Plain {
    count: usize,
    mean_s: f64,
    p99_s: f64,
    slowdown: f64,
    utilization: f64,
    busiest: f64,
    to_hosts_bps: f64,
}

/// The parts of the run in which some job runs, by a check at every boundary.
fn parts(folder: &Path, over: Over, end: f64) -> Vec<[f64; 2]> {
    if let Over::Between(from, to) = over {
        return vec![[from.0 as f64, to.0 as f64]];
    }
    let jobs: Vec<[f64; 2]> = table(folder, "jobs")
        .iter()
        .filter_map(|row| Some([number(row, "start")?, number(row, "end").unwrap_or(end)]))
        .collect();
    if over == Over::All || jobs.is_empty() {
        return vec![[0.0, end]];
    }
    let mut borders: Vec<f64> = jobs.iter().flatten().copied().collect();
    borders.sort_by(f64::total_cmp);
    let pieces = borders.windows(2).filter(|two| two[0] < two[1]).map(|two| [two[0], two[1]]);
    let runs = |piece: &[f64; 2]| jobs.iter().any(|job| job[0] <= piece[0] && piece[1] <= job[1]);
    pieces.filter(runs).collect()
}

fn plain(folder: &Path, over: Over, end: f64, n_hosts: f64) -> Plain {
    let parts = parts(folder, over, end);
    let length: f64 = parts.iter().map(|part| part[1] - part[0]).sum();
    let is_whole = (length - end).abs() < 0.5;
    let mut found = Plain::default();
    let mut times = Vec::new();
    let mut slowdowns = Vec::new();
    for row in table(folder, "flows") {
        let start = number(&row, "start").expect("every message started");
        let is_in = is_whole
            || parts
                .iter()
                .any(|part| part[0] <= start && (start < part[1] || start >= end && part[1] >= end));
        let (true, Some(arrived)) = (row["job"] == "65535" && is_in, number(&row, "end")) else { continue };
        times.push(arrived - start);
        slowdowns.push(((arrived - start) / number(&row, "ideal").expect("it has one")).max(1.0));
    }
    times.sort_by(f64::total_cmp);
    found.count = times.len();
    found.mean_s = times.iter().sum::<f64>() / times.len() as f64 / 1e12;
    let rank = 0.99 * (times.len() - 1) as f64;
    let (low, high) = (times[rank.floor() as usize], times[rank.ceil() as usize]);
    found.p99_s = (low + (high - low) * rank.fract()) / 1e12;
    found.slowdown = slowdowns.iter().sum::<f64>() / slowdowns.len() as f64;
    links(folder, &parts, end, n_hosts, &mut found);
    found
}

/// Bytes that ports sent, each sample weighted by the share of its interval within the parts.
fn links(folder: &Path, parts: &[[f64; 2]], end: f64, n_hosts: f64, found: &mut Plain) {
    let length: f64 = parts.iter().map(|part| part[1] - part[0]).sum();
    let (mut within, mut all) = (BTreeMap::<String, f64>::new(), BTreeMap::<String, f64>::new());
    for row in table(folder, "series") {
        let [time, interval, size] =
            ["time", "interval", "size"].map(|column| number(&row, column).expect("it is there"));
        let (from, to) = (time - interval, time.min(end));
        let mut covered = 0.0;
        for part in parts {
            covered += (part[1].min(to) - part[0].max(from)).max(0.0);
        }
        *within.entry(row["port"].clone()).or_default() += size * covered / (to - from);
        *all.entry(row["port"].clone()).or_default() += size;
    }
    let (mut bytes, mut capacity) = (0.0, 0.0);
    for row in table(folder, "ports") {
        let [size, busy, rate, node, peer] =
            ["size", "busy", "rate", "node", "peer"].map(|column| number(&row, column).expect("it is there"));
        let port = &row["port"];
        let sampled = all.get(port).copied().unwrap_or(0.0);
        let share = if length >= end {
            1.0
        } else if sampled > 0.0 {
            within[port] / sampled
        } else {
            0.0
        };
        bytes += size * share;
        capacity += rate / 8.0 * length / 1e12;
        found.busiest = found.busiest.max((busy * share / length).min(1.0));
        if peer < n_hosts && node >= 0.0 {
            found.to_hosts_bps += within.get(port).copied().unwrap_or(0.0) * 8e12 / length;
        }
    }
    found.utilization = bytes / capacity;
}

fn close(left: f64, right: f64, within: f64, what: &str) {
    assert!((left - right).abs() <= within * left.abs().max(right.abs()), "{what}: {left} or {right}");
}

/// Checks that all views agree with the loops.
fn judge(folder: &Path, over: Over, summary: &Summary, expected: &Plain, what: &str) {
    let background = summary.background.as_ref().expect("there are background messages");
    let fct = background.fct.expect("some arrived");
    assert_eq!(fct.count, expected.count as u64, "{what}");
    close(fct.mean_s, expected.mean_s, 1e-9, what);
    close(fct.p99_s, expected.p99_s, 1e-9, what);
    let slowdown = background.slowdown.as_ref().expect("they have ideal times").all.mean;
    // Slowdowns are stored in millionths.
    close(slowdown, expected.slowdown, 2e-6, what);
    close(summary.links.utilization, expected.utilization, 1e-9, what);
    close(summary.links.busiest, expected.busiest, 1e-9, what);
    // The page, the text and the comparison: six digits, and hundredths of a percent.
    let reported = read(&[ReportedRun { name: "it".to_owned(), folder: folder.to_owned() }], over)
        .expect("it can be read");
    let page = reported.fct[0].background.arrived.as_ref().expect("some arrived");
    assert_eq!(page.count, expected.count as u64, "{what}");
    close(page.mean, expected.mean_s, 1e-5, what);
    close(page.p99, expected.p99_s, 1e-5, what);
    let busiest = reported.links[0]
        .from_hosts
        .iter()
        .chain(&reported.links[0].to_hosts)
        .chain(&reported.links[0].between);
    let busiest = busiest.map(|usage| usage.busiest).fold(0.0, f64::max);
    assert!((busiest - expected.busiest).abs() < 1e-4, "{what}: {busiest} or {}", expected.busiest);
    close(reported.over_time[0].as_ref().expect("it was sampled").mean, expected.to_hosts_bps, 1e-5, what);
    let compared = compare_folders(&[folder.to_owned()], over, None, None).expect("it can be read");
    let values = compared.to_json();
    close(
        values["rows"][0]["values"]["fct_mean_s"].as_f64().expect("it is there"),
        expected.mean_s,
        1e-9,
        what,
    );
    close(
        values["rows"][0]["values"]["fct_p99_s"].as_f64().expect("it is there"),
        expected.p99_s,
        1e-9,
        what,
    );
    assert!(values["rows"][0]["span"]["is_whole"].is_boolean(), "{values}");
}

#[test]
fn figures_over_a_part_of_a_run_agree_with_plain_loops_over_its_tables() {
    let scenarios = with_background();
    assert!(scenarios.len() >= 13, "background traffic of all kinds: {scenarios:?}");
    let mut n_cut = 0;
    for path in scenarios {
        let workspace = tempfile::tempdir().expect("a folder can be made");
        let folder = workspace.path().join("run");
        let request =
            RunRequest { folder: Some(folder.clone()), ..RunRequest::new(Source::file(path.clone())) };
        let report = run(request).unwrap_or_else(|error| panic!("{}", error.render(Style::Plain)));
        let tables = workspace.path().join("tables");
        export::csv(&folder, &[], &tables, Overwrite::Refuse).expect("it can be exported");
        let end = report.manifest.simulated_ps;
        let n_hosts = report.manifest.engine["hosts"].as_f64().expect("it is there");
        n_cut += u32::from(!report.summary.span.is_whole);
        for over in [Over::Jobs, Over::All, Over::Between(Time(end / 8), Time(end / 2))] {
            let what = format!("{} over {over}", path.display());
            let stored = RunFolder::open(&folder).expect("it is complete");
            let summary = Summary::of_folder(&stored, over).expect("it can be read");
            if over == Over::Jobs {
                assert_eq!(summary, report.summary, "{what}");
            }
            judge(&folder, over, &summary, &plain(&tables, over, end as f64, n_hosts), &what);
        }
    }
    assert!(n_cut >= 3, "in some of them background messages continue after the job");
}

#[test]
fn a_span_outside_of_the_run_is_refused_by_every_view() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let folder = workspace.path().join("run");
    let source = || Source::file(root().join("scenarios/background/mice.yaml"));
    let outside = Over::Between(Time(1), Time(u64::MAX / 2));
    let refused = |error: String| assert!(error.contains("is not within the run, which ended at"), "{error}");
    let request = RunRequest { folder: Some(folder.clone()), over: outside, ..RunRequest::new(source()) };
    refused(run(request).expect_err("it is outside").to_string());
    // The simulated run is stored nevertheless.
    let folders = [folder.clone()];
    assert!(compare_folders(&folders, Over::Jobs, None, None).is_ok());
    refused(compare_folders(&folders, outside, None, None).expect_err("it is outside").to_string());
    refused(
        crate::scenes::text(&folders, outside, netloom_lab::text::Look::PLAIN)
            .expect_err("it is outside")
            .to_string(),
    );
    let file = workspace.path().join("page.html");
    let outputs = ReportOutputs { page: Some((&file, Overwrite::Refuse)), ..ReportOutputs::default() };
    let page = netloom_lab::report(&folders, outside, None, None, outputs);
    refused(page.expect_err("it is outside").to_string());
    assert!(!file.exists());
}
