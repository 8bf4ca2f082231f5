//! A study as a file, from its sweep without run folders to comparison, page and figures.

use serde_json::Value;

use crate::command::Workspace;

const SCENARIO: &str = "
netloom: 1
name: pair
fabric: { single_switch: { hosts: 2, host_rate: 100Gbps } }
jobs: [ { name: pair, steps: 2, phases: [ { compute: 80us }, { permutation: { size: 1MB } } ] } ]
";

const STUDY: &str = "
study: 1
scenarios: pair.yaml
vary: { fabric.single_switch.host_rate: 400Gbps..50Gbps }
bisect: 10%
seeds: 2
keep: summary
";

fn workspace() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("pair.yaml", SCENARIO);
    workspace.write("study.yaml", STUDY);
    workspace
}

#[test]
fn a_study_is_searched_compared_reported_and_drawn() {
    let workspace = workspace();
    let made = workspace.netloom(&["sweep", "study.yaml", "-o", "study"]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    assert!(made.out.contains("steps take 10 % longer than at 400Gbps from"), "{}", made.out);
    assert!(!workspace.path("study/points").exists());
    let compared = workspace.netloom(&["compare", "study"]);
    assert!(
        compared.code == Some(0) && compared.out.contains("times as long as host_rate 400Gbps"),
        "{}{}",
        compared.out,
        compared.err
    );
    let page = workspace.netloom(&["report", "study", "-o", "study.html"]);
    assert!(page.code == Some(0) && workspace.path("study.html").is_file(), "{}", page.err);
    let drawn = workspace.netloom(&["figures", "study", "-o", "drawn", "--format", "svg"]);
    assert_eq!(drawn.code, Some(0), "{}", drawn.err);
    for name in ["study", "threshold"] {
        assert!(workspace.path(&format!("drawn/{name}.svg")).is_file(), "{}", drawn.out);
    }
}

#[test]
fn options_replace_what_a_study_says() {
    let workspace = workspace();
    let options = ["--vary", "fabric.single_switch.host_rate=100Gbps,50Gbps", "--set", "jobs.0.steps=3"];
    let words = [&["sweep", "study.yaml", "-o", "study", "--seeds", "1", "--json"], &options[..]].concat();
    // The search needs a range.
    let refused = workspace.netloom(&words);
    assert!(refused.code == Some(2) && refused.err.contains("exactly one range"), "{}", refused.err);
    workspace.write("study.yaml", &STUDY.replace("bisect: 10%\n", ""));
    let made = workspace.netloom(&words);
    assert_eq!(made.code, Some(0), "{}", made.err);
    let report: Value = serde_json::from_str(&made.out).expect("it is JSON");
    assert_eq!((&report["made"], report["variants"].as_array().map(Vec::len)), (&Value::from(2), Some(2)));
}

#[test]
fn mistakes_in_a_study_have_lines() {
    let workspace = workspace();
    workspace.write("study.yaml", &STUDY.replace("bisect: 10%", "bisection: 10%"));
    let refused = workspace.netloom(&["sweep", "study.yaml", "-o", "study"]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.err.contains("study.yaml:5:1") && refused.err.contains("did you mean `bisect`"),
        "{}",
        refused.err
    );
    let run = workspace.netloom(&["run", "study.yaml"]);
    assert!(run.code == Some(2) && run.err.contains("netloom sweep"), "{}", run.err);
}
