//! The page as a file: no text of a run is markup, and nothing is fetched.

use netloom_report::MOST_BYTES;

use crate::sample::{Workspace, names, rows, summary};

const HOSTILE: &str = "</script><img src=x onerror=alert(1)><!-- & \u{2028}";

#[test]
fn a_name_with_markup_stays_text() {
    let mut workspace = Workspace::new();
    let mut summary = summary(HOSTILE);
    summary.command = vec![HOSTILE.to_owned()];
    summary.outcome.details = vec![HOSTILE.to_owned()];
    workspace.run(HOSTILE, &rows(), names(HOSTILE), summary);
    let page = workspace.page().unwrap();
    assert!(!page.contains("onerror"), "the name occurs nowhere as markup");
    let data = workspace.data();
    let shown = HOSTILE.replace('\u{2028}', r"\u{2028}");
    assert_eq!(data["steps"][0]["job"], shown);
    assert_eq!(data["runs"][0]["name"], shown);
}

#[test]
fn the_page_fetches_nothing() {
    let page = Workspace::small().page().unwrap();
    assert!(page.contains("default-src 'none'"), "the page forbids the browser to fetch anything");
    for reference in
        ["<script src", "<link rel=\"stylesheet\"", "<link rel=\"modulepreload\"", "@import", "<img"]
    {
        assert!(!page.contains(reference), "{reference}");
    }
    assert!(page.len() < MOST_BYTES / 5, "{} bytes", page.len());
}

#[test]
fn the_same_runs_make_the_same_page() {
    let workspace = Workspace::small();
    assert_eq!(workspace.page().unwrap(), workspace.page().unwrap());
}
