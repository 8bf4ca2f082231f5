//! Sweeps of which points are missing: what is there is shown, and what is not is reported; sweeps that were altered.

use std::fs;

use netloom_lab::page_data;
use netloom_records::INCOMPLETE_FILE;
use serde_json::{Value, json};

use crate::command::{Answer, SMALL, Workspace};

/// The end of a run folder's path, and the words of its point.
const LOST: (&str, &str) = ("points/small/balance=spray/seed-2", "balance=spray seed 2");

/// Two policies, two seeds.
fn swept(more: &[&str]) -> Workspace {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    let words = ["sweep", "small.yaml", "--vary", "balance=ecmp,spray", "--seeds", "2", "-o", "a"];
    let made = workspace.netloom(&[&words[..], more].concat());
    assert_eq!(made.code, Some(0), "{}", made.err);
    workspace
}

#[track_caller]
fn reports(answer: &Answer, words: &str) {
    assert_eq!(answer.code, Some(3), "{}{}", answer.out, answer.err);
    let said = format!("an unfinished sweep, {words}");
    assert!(answer.out.contains(&said) || answer.err.contains(&said), "{}{}", answer.out, answer.err);
}

#[test]
fn a_missing_point_is_reported_by_all_that_show_the_others() {
    let workspace = swept(&[]);
    let finished = workspace.netloom(&["check", "a"]);
    assert_eq!((finished.code, finished.out.as_str()), (Some(0), "a: a finished sweep, 4 of 4 points\n"));
    fs::remove_dir_all(workspace.path("a").join(LOST.0)).expect("it is there");
    let said = format!("3 of 4 points; missing: {}", LOST.1);
    reports(&workspace.netloom(&["check", "a"]), &said);
    reports(&workspace.netloom(&["compare", "a"]), &said);
    reports(&workspace.netloom(&["figures", "a", "-o", "drawn"]), &said);
    reports(&workspace.netloom(&["report", "a", "--text"]), &said);
    reports(&workspace.netloom(&["report", "a", "-o", "page.html"]), &said);
    let page = fs::read_to_string(workspace.path("page.html")).expect("it was written");
    let data: Value = serde_json::from_str(&page_data(&page).expect("it has data")).expect("it is JSON");
    assert_eq!(data["remarks"], json!([format!("an unfinished sweep, {said}: a")]));
    let missing = json!([{ "variant": "balance=spray", "seed": 2 }]);
    let checked: Value =
        serde_json::from_str(&workspace.netloom(&["check", "a", "--json"]).out).expect("it is JSON");
    let state = json!({
        "folder": "a", "is_finished": false, "points": 3, "total": 4, "failed": [], "missing": missing,
    });
    assert_eq!((&checked[0]["kind"], &checked[0]["sweep"]), (&json!("sweep"), &state));
    let compared = workspace.netloom(&["compare", "a", "--json"]);
    let compared_json: Value = serde_json::from_str(&compared.out).expect("it is JSON");
    assert_eq!((compared.code, &compared_json["unfinished"]), (Some(3), &json!([state])));
    // The same command computes the missing point.
    let words = ["sweep", "small.yaml", "--vary", "balance=ecmp,spray", "--seeds", "2", "-o", "a"];
    assert_eq!(workspace.netloom(&words).code, Some(0));
    assert_eq!(workspace.netloom(&["compare", "a"]).code, Some(0));
}

#[test]
fn a_point_that_was_killed_after_its_manifest_is_missing() {
    let workspace = swept(&[]);
    fs::write(workspace.path("a").join(LOST.0).join(INCOMPLETE_FILE), "").expect("it can be written");
    let said = format!("3 of 4 points; missing: {}", LOST.1);
    reports(&workspace.netloom(&["check", "a"]), &said);
    reports(&workspace.netloom(&["compare", "a"]), &said);
    reports(&workspace.netloom(&["report", "a", "--text"]), &said);
}

#[test]
fn a_report_of_altered_tables_is_refused() {
    let workspace = swept(&[]);
    assert_eq!(
        workspace.netloom(&["run", "small.yaml", "--set", "jobs.0.steps=2", "-o", "other"]).code,
        Some(0)
    );
    let altered = workspace.path("a").join(LOST.0).join("flows.parquet");
    fs::copy(workspace.path("other/flows.parquet"), altered).expect("it can be copied");
    let answer = workspace.netloom(&["report", "a", "-o", "page.html"]);
    assert_eq!(answer.code, Some(2), "{}{}", answer.out, answer.err);
    for part in [LOST.0, "`flows`"] {
        assert!(answer.err.contains(part), "`{part}` in {}", answer.err);
    }
    assert!(!workspace.path("page.html").exists());
}

#[test]
fn points_missing_in_a_journal_are_reported() {
    let workspace = swept(&["--keep", "summary"]);
    assert_eq!(workspace.netloom(&["check", "a"]).code, Some(0));
    let journal = workspace.path("a/points.jsonl");
    let text = fs::read_to_string(&journal).expect("it was written");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4);
    fs::write(&journal, format!("{}\n", lines[..2].join("\n"))).expect("it can be written");
    for verb in ["check", "compare"] {
        reports(&workspace.netloom(&[verb, "a"]), "2 of 4 points; missing: ");
    }
    reports(&workspace.netloom(&["report", "a", "-o", "page.html"]), "2 of 4 points; missing: ");
    fs::write(&journal, format!("{}\n{}\n{}\n", lines[0], &lines[1][9..], lines[2])).expect("it can be");
    let damaged = workspace.netloom(&["check", "a"]);
    assert!(
        damaged.code == Some(2) && damaged.err.contains("1 line of the journal are not points"),
        "{}",
        damaged.err
    );
}

#[test]
fn a_failed_point_is_reported_as_such() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    let words = ["sweep", "small.yaml", "--vary", "jobs.0.steps=1,2000000", "--point-limit", "2s", "-o", "a"];
    let made = workspace.netloom(&words);
    assert!(made.code == Some(3) && made.err.contains("failed: jobs.0.steps=2000000"), "{}", made.err);
    reports(&workspace.netloom(&["check", "a"]), "1 of 2 points; failed: jobs.0.steps=2000000 seed 1");
    reports(&workspace.netloom(&["compare", "a"]), "1 of 2 points; failed: jobs.0.steps=2000000 seed 1");
}

#[test]
fn an_altered_or_misplaced_point_is_found() {
    let workspace = swept(&[]);
    let manifest = workspace.path("a").join(LOST.0).join("manifest.json");
    let text = fs::read_to_string(&manifest).expect("it is there");
    fs::write(&manifest, text.replace("\"complete\"", "\"stalled\"")).expect("it can be written");
    let altered = workspace.netloom(&["check", "a"]);
    assert!(
        altered.code == Some(2)
            && altered.err.contains("the manifest was altered")
            && altered.err.contains(LOST.0),
        "{}",
        altered.err
    );
    fs::remove_dir_all(workspace.path("a").join(LOST.0)).expect("it is there");
    let other = workspace.path("a/points/small/balance=ecmp/seed-2");
    fs::rename(other, workspace.path("a").join(LOST.0)).expect("it can be moved");
    let misplaced = workspace.netloom(&["check", "a"]);
    assert!(
        misplaced.code == Some(2) && misplaced.err.contains("one of another scenario or seed"),
        "{}",
        misplaced.err
    );
}
