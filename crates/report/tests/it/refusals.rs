//! Run folders of which no report is made, and paths to which none is written.

use std::fs;

use netloom_records::statistics::Over;
use netloom_records::{INCOMPLETE_FILE, Overwrite};
use netloom_report::{ReportError, ReportedRun, read, render, write};
use serde_json::Map;

use crate::sample::{Workspace, names, rows, summary};

#[track_caller]
fn refused<T>(result: Result<T, ReportError>, why: &str) {
    let error = result.err().expect("it is refused").to_string();
    assert!(error.contains(why), "expected `{why}` in: {error}");
}

#[test]
fn an_incomplete_run_is_rejected_with_its_name() {
    let workspace = Workspace::small();
    let folder = &workspace.runs()[0].folder;
    fs::write(folder.join(INCOMPLETE_FILE), "").unwrap();
    refused(workspace.page(), "incomplete");
    refused(workspace.page(), &folder.display().to_string());
}

#[test]
fn a_path_that_is_no_run_folder_is_rejected() {
    let workspace = Workspace::new();
    let run = |name: &str| [ReportedRun { name: name.to_owned(), folder: workspace.path(name) }];
    refused(render(&run("missing"), Over::Jobs, None), "no such run folder");
    fs::create_dir(workspace.path("other")).unwrap();
    refused(render(&run("other"), Over::Jobs, None), "no run folder");
    fs::write(workspace.path("file"), "x").unwrap();
    refused(render(&run("file"), Over::Jobs, None), "a file, not a run folder");
}

#[test]
fn a_damaged_table_is_rejected_with_its_name() {
    let workspace = Workspace::small();
    let file = workspace.runs()[0].folder.join("flows.parquet");
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    refused(workspace.page(), "flows");
}

#[test]
fn a_table_of_another_run_is_rejected() {
    let mut workspace = Workspace::small();
    let mut more = rows();
    more.steps.pop();
    workspace.run("shorter", &more, names("training"), summary("ecmp"));
    let [one, other] = [0, 1].map(|run: usize| workspace.runs()[run].folder.join("steps.parquet"));
    fs::copy(other, one).unwrap();
    refused(workspace.page(), "table `steps` has 3 rows, but the manifest says 4");
}

#[test]
fn a_manifest_without_the_number_of_hosts_is_rejected() {
    let mut workspace = Workspace::new();
    let mut summary = summary("ecmp");
    summary.engine = Map::new();
    workspace.run("a", &rows(), names("training"), summary);
    refused(workspace.page(), "lacks `hosts`");
}

#[test]
fn a_report_replaces_a_file_only_on_request() {
    let workspace = Workspace::small();
    let file = workspace.path("below/report.html");
    let report = read(workspace.runs(), Over::Jobs).unwrap();
    write(&report, &file, Overwrite::Refuse).unwrap();
    let page = fs::read_to_string(&file).unwrap();
    assert_eq!(page, workspace.page().unwrap());
    refused(write(&report, &file, Overwrite::Refuse), "already exists");
    fs::write(&file, "something else").unwrap();
    write(&report, &file, Overwrite::Replace).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), page);
    refused(write(&report, &workspace.path("below"), Overwrite::Replace), "this is a folder");
    assert_eq!(fs::read_dir(workspace.path("below")).unwrap().count(), 1, "no draft is left");
}
