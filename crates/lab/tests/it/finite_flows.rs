//! Finite flows from a file: every mistake by line, the digest in the manifest, slowdown by size, paths in overrides.

use std::fs;
use std::path::{Path, PathBuf};

use netloom_lab::{
    LabError, Over, Overrides, Overwrite, RunReport, RunRequest, Source, Style, cost, prepare, run,
};
use netloom_records::Digest;
use netloom_report::{ReportedRun, read};

const SCENARIO: &str = "netloom: 1\nfabric: {leaf_spine: {leaves: 2, spines: 2, hosts_per_leaf: 2, host_rate: 100Gbps}}\n\
                        transport: ideal\nflows: {file: trace.csv}\n";
const ROWS: &str =
    "src,dst,size,start_us,after\nleaf0.host0,leaf1.host0,1MiB,0,\n2,0,64KiB,5,0\n0,3,4KiB,20,\n";

fn folder(rows: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("scenario.yaml"), SCENARIO).expect("it can be written");
    fs::write(folder.path().join("trace.csv"), rows).expect("it can be written");
    folder
}

fn source(folder: &Path) -> Source {
    Source::file(folder.join("scenario.yaml"))
}

fn mistakes(source: &Source, set: &[(&str, &str)]) -> String {
    let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let overrides = Overrides { set, ..Overrides::default() };
    prepare(source, &overrides).expect_err("it has mistakes").render(Style::Plain)
}

fn stored(folder: &Path, name: &str) -> Result<(RunReport, PathBuf), LabError> {
    let to = folder.join(name);
    let request = RunRequest {
        folder: Some(to.clone()),
        overwrite: Overwrite::Refuse,
        over: Over::Jobs,
        ..RunRequest::new(source(folder))
    };
    Ok((run(request)?, to))
}

#[test]
fn a_run_has_the_digest_of_its_file_and_slowdowns_by_size() {
    let workspace = folder(ROWS);
    let (report, to) = stored(workspace.path(), "out").expect("the scenario is right");
    let digest = Digest::of(ROWS.as_bytes()).to_string();
    let manifest = fs::read_to_string(to.join("manifest.json")).expect("it is there");
    assert!(manifest.contains(&digest));
    assert_eq!(report.manifest.scenario["flows"]["digest"], digest.as_str());
    let alone = report.summary.background.expect("there are flows");
    assert_eq!((alone.messages, alone.finite_flows, alone.what()), (3, 3, "flows"));
    let slowdown = alone.slowdown.expect("they have an ideal time");
    assert_eq!(slowdown.buckets.iter().map(|bucket| bucket.count).sum::<u64>(), 3);
    assert_eq!(slowdown.all.largest_bytes, 1 << 20);
    let reported = ReportedRun { name: "trace".to_owned(), folder: to.clone() };
    let panels = read(&[reported], Over::Jobs).expect("the run can be read");
    assert_eq!((panels.fct[0].independent, panels.fct[0].background.unfinished), ("finite flows", 0));
    assert_eq!(panels.slowdown[0].as_ref().map(|found| found.all.count), Some(3));
    let estimate =
        cost(&prepare(&source(workspace.path()), &Overrides::default()).expect("right")).expect("right");
    assert!(
        (estimate.messages - 3.0).abs() < 1e-9 && (estimate.packets - 273.0).abs() < 1e-9,
        "{estimate:?}"
    );
}

#[test]
fn every_mistake_of_a_file_is_reported_by_line() {
    let rows = "src,dest,size,start\n";
    let wrong = mistakes(&source(folder(rows).path()), &[]);
    assert!(wrong.contains("there is no column `dest`") && wrong.contains("trace.csv:1:5"), "{wrong}");
    let rows =
        "src,dst,size,start,after\n0,1,-1KiB,9us,\n0,leaf7.host0,1KiB,9us,\n0,1,1KiB,5us,\n0,1,1KiB,9us,7\n";
    let wrong = mistakes(&source(folder(rows).path()), &[]);
    for (message, workspace) in [
        ("`-1KiB` is negative", "trace.csv:2:5"),
        ("there is no host `leaf7.host0`", "trace.csv:3:3"),
        ("this row starts before one above it", "trace.csv:4:10"),
        ("there is no row 7 before this one", "trace.csv:5:14"),
    ] {
        assert!(wrong.contains(message) && wrong.contains(workspace), "{wrong}");
    }
    assert!(wrong.contains("4 mistakes in"), "{wrong}");
}

#[test]
fn a_file_is_found_beside_the_text_that_names_it() {
    let workspace = folder(ROWS);
    let path = workspace.path();
    let below = path.join("below");
    fs::create_dir(&below).expect("it can be made");
    fs::write(below.join("heir.yaml"), "netloom: 1\nfrom: ../scenario.yaml\nseed: 2\n")
        .expect("it can be written");
    assert!(prepare(&Source::file(below.join("heir.yaml")), &Overrides::default()).is_ok());
    let missing = mistakes(&source(path), &[("flows.file", "other.csv")]);
    assert!(missing.contains("other.csv"), "{missing}");
    let folder = mistakes(&source(path), &[("flows.file", "below")]);
    assert!(folder.contains("below"), "{folder}");
    let text = mistakes(&Source::text("text.yaml", SCENARIO), &[]);
    assert!(text.contains("there is no folder to find them in"), "{text}");
    let other = mistakes(&source(path), &[("flows.digest", &"0".repeat(64))]);
    assert!(other.contains("has another digest"), "{other}");
}
