//! Heat maps of a paper's figures: positions of cells, and simulated beside published values.

use std::path::Path;

use netloom_lab::reproduce::{Paper, Quantity, Report, ReproduceError, Request, reproduce};
use netloom_report::page_data;
use serde_json::{Value, json};

const SCENARIO: &str = "
netloom: 1
fabric:
  leaf_spine: {leaves: 2, spines: 2, hosts_per_leaf: 4, host_rate: 100Gbps}
balance: ecmp
jobs:
  - {name: pairs, steps: 1, phases: [{permutation: {size: 64KiB}}, {compute: 1us}]}
";

/// Two rows of two cells, one of which is left out of scores, and one of which is missing.
const CLAIMS: &str = "
seeds: {look: 2, check: 2}
groups:
  above: [grid_ecmp]
  below: [grid_spray]
experiments:
  - name: grid
    from: pairs
    shows: small and large steps
    vary:
      - &policies [{name: ecmp, set: {balance: ecmp}}, {name: spray, set: {balance: spray}}]
      - [{name: '1', set: {jobs.0.phases.1.compute: 1us}}, {name: '2', set: {jobs.0.phases.1.compute: 2us}}]
  - {name: odd, from: pairs, shows: more, vary: [*policies, [{name: '1'}]]}
figures:
  - name: 'Figure 7, odd & even'
    shows: What spraying gains.
    quantities: [step_mean]
    at: [above]
    per: {at: [below]}
    map:
      left_out: {at: [odd_ecmp], per: {at: [odd_spray]}, reason: they are odd}
      panels:
        - title: Hashed over sprayed
          across: {name: compute, words: ['1', '2'], labels: [1 us, 2 us]}
          up: {name: kind, words: [grid, odd]}
          cells: ['{up}_spray_{across}']
claims:
  - id: all
    said: own prediction
    text: Spraying gains.
    kind: predicted
    quantity: step_mean
    at: [above, odd_ecmp]
    per: {at: [below, odd_spray]}
    relation: {at_least: 0.1}
    recorded: not judged
  - id: first
    said: own prediction
    text: Spraying gains.
    kind: predicted
    quantity: step_mean
    at: [grid_ecmp_1]
    per: {at: [grid_spray_1]}
    relation: {at_least: 0.1}
    recorded: not judged
  - id: apart
    said: own prediction
    text: No cell of a map is about this.
    kind: predicted
    quantity: step_mean
    at: [pairs]
    relation: {at_least: 0.0}
    recorded: not judged
";

const PUBLISHED: &str = "run,part,step_mean_ms
pairs,pairs,1
grid_ecmp_1,pairs,3
grid_spray_1,pairs,4
grid_ecmp_2,pairs,1
grid_spray_2,pairs,8
odd_ecmp_1,pairs,5
odd_spray_1,pairs,5
";

fn paper(claims: &str) -> Result<Paper, ReproduceError> {
    let files = [("published.csv", PUBLISHED), ("claims.yaml", claims), ("scenarios/pairs.yaml", SCENARIO)];
    Paper::new("made-up", files)
}

fn report(claims: &str, only: &str, stored: Option<&Path>) -> Report {
    let paper = paper(claims).unwrap_or_else(|error| panic!("{error}"));
    let only = vec![only.to_owned()];
    reproduce(paper, &Request { only, stored, ..Request::default() })
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The data of the page.
fn reported(page: &str) -> Value {
    serde_json::from_str(&page_data(page).expect("there is data")).expect("it is JSON")
}

fn page(report: &Report) -> Value {
    reported(&report.maps().expect("it is small").expect("there are maps"))
}

#[test]
fn cells_have_the_positions_of_the_claims() {
    let report = report(CLAIMS, "all", None);
    let page = page(&report);
    assert_eq!(page["maps"]["paper"], "made-up");
    let figure = &page["maps"]["figures"][0];
    assert_eq!(
        (&figure["name"], &figure["exclusion"]),
        (&json!("Figure 7, odd & even"), &json!("they are odd"))
    );
    assert_eq!(figure["quantities"], json!(["step_mean_ms", "step_mean_ms"]));
    let panel = &figure["panels"][0];
    assert_eq!(panel["across"], json!({"name": "compute", "labels": ["1 us", "2 us"]}));
    assert_eq!(panel["up"], json!({"name": "kind", "labels": ["grid", "odd"]}));
    let cells = panel["cells"].as_array().expect("there are cells");
    let reported = |cell: &Value| {
        let workspace = [&cell["across"], &cell["up"]].map(|workspace| workspace.as_u64().expect("a place"));
        (workspace, cell["measured"]["ratio"].as_f64().expect("published"), cell["excluded"] == true)
    };
    let reported: Vec<_> = cells.iter().map(reported).collect();
    assert_eq!(reported, [([0, 0], 0.75, false), ([0, 1], 1.0, true), ([1, 0], 0.125, false)]);
    assert_eq!(cells[0]["runs"], json!(["grid_ecmp_1/pairs", "grid_spray_1/pairs"]));
}

#[test]
fn cells_show_mean_over_mean_and_scores_exclude_cells_that_are_left_out() {
    let report = report(CLAIMS, "all", None);
    let page = page(&report);
    let figure = &page["maps"]["figures"][0];
    let mean = |run: &str| {
        let seeds = report.runs.iter().filter(|found| found.run == run);
        let values: Vec<f64> =
            seeds.map(|seed| seed.get(Some("pairs"), Quantity::StepMean).expect("timed")).collect();
        assert_eq!(values.len(), 2);
        values.iter().sum::<f64>() / 2.0
    };
    let near = |found: &Value, expected: f64| {
        let found = found.as_f64().expect("a number");
        assert!((found / expected - 1.0).abs() < 1e-5, "{found} is not {expected}");
    };
    let mut errors = Vec::new();
    for cell in figure["panels"][0]["cells"].as_array().expect("there are cells") {
        let run = cell["runs"][0].as_str().and_then(|name| name.strip_suffix("/pairs")).expect("its name");
        let (above, below) = (mean(run), mean(&run.replace("ecmp", "spray")));
        near(&cell["simulated"]["above"], above);
        near(&cell["simulated"]["below"], below);
        near(&cell["simulated"]["ratio"], above / below);
        assert_eq!(cell["seeds"], 2);
        assert!(cell["half"].as_f64().is_some_and(|half| half >= 0.0));
        if cell["excluded"] == false {
            errors.push((above / below / cell["measured"]["ratio"].as_f64().expect("published")).ln().abs());
        }
    }
    assert_eq!(figure["scores"]["cells"], 2);
    near(&figure["scores"]["median_error"], f64::midpoint(errors[0], errors[1]));
    let n_near = errors.iter().filter(|error| **error <= 0.1).count();
    assert_eq!(figure["scores"]["share_near"].as_f64(), Some(n_near as f64 / 2.0));
    // 3/4 and 1/8 are published, so the errors of 1 are ln(4/3) and ln(8); their median is half of ln(32/3).
    near(&figure["scores"]["trivial"]["median_error"], (32.0_f64 / 3.0).ln() / 2.0);
    assert_eq!(figure["scores"]["trivial"]["share_near"], 0.0);
}

#[test]
fn cells_that_were_not_run_are_absent_and_not_zero() {
    let some = page(&report(CLAIMS, "first", None));
    let figure = &some["maps"]["figures"][0];
    let cells = figure["panels"][0]["cells"].as_array().expect("there are cells");
    let simulated: Vec<bool> = cells.iter().map(|cell| cell["simulated"]["ratio"].is_f64()).collect();
    assert_eq!(simulated, [true, false, false]);
    assert_eq!(cells[2]["simulated"], json!({"above": null, "below": null, "ratio": null}));
    assert_eq!((&cells[2]["seeds"], &cells[2]["half"]), (&json!(0), &json!(null)));
    assert_eq!(figure["scores"]["cells"], 1);
    assert_eq!(report(CLAIMS, "apart", None).maps().expect("nothing is small"), None);
}

#[test]
fn a_folder_has_the_page_of_its_own_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("maps.html");
    let first = report(CLAIMS, "all", None);
    first.write(folder.path()).expect("it can be written");
    let written = std::fs::read_to_string(&file).expect("there are maps");
    assert!(!written.contains("odd & even"), "texts of a paper are escaped");
    // Stored runs give the same page in another folder.
    let other = tempfile::tempdir().expect("a folder");
    report(CLAIMS, "all", Some(folder.path())).write(other.path()).expect("it can be written");
    assert_eq!(std::fs::read_to_string(other.path().join("maps.html")).expect("there are maps"), written);
    // A report without a map removes the map of an earlier one.
    report(CLAIMS, "apart", None).write(folder.path()).expect("it can be written");
    assert!(!file.exists());
}

#[test]
fn maps_that_do_not_fit_their_figure_are_refused() {
    let cases = [
        (
            "quantities: [step_mean]\n    at: [above]",
            "quantities: [step_mean, step_p95]\n    at: [above]",
            "the figure has 2",
        ),
        ("    per: {at: [below]}\n    map", "    map", "no `per`"),
        (
            "labels: [1 us, 2 us]",
            "labels: [1 us]",
            "panel `Hashed over sprayed`: across: 1 labels for 2 words",
        ),
        ("words: ['1', '2']", "words: []", "across: has no words"),
        ("words: [grid, odd]", "words: [grid, odd, grid]", "up: `grid` occurs twice"),
        ("words: [grid, odd]", "words: [grid, odd, even]", "up: no cell of the figure is at `even`"),
        ("words: [grid, odd]", "words: [grid]", "`odd_spray_1/pairs` is in no panel"),
        ("'{up}_spray_{across}'", "'odd_spray_{across}'", "across: no cell of the figure is at `2`"),
        (
            "['{up}_spray_{across}']",
            "['{up}_spray_{across}', '{up}_mist_{across}']",
            "`{up}_mist_{across}` is not a cell",
        ),
        (
            "['{up}_spray_{across}']",
            "['{up}_spray_{across}', 'grid_spray_2']",
            "and `grid_spray_2/pairs` are at `1`, `grid`",
        ),
        (
            "at: [odd_ecmp], per: {at: [odd_spray]}",
            "at: [odd_ecmp], per: {at: [below]}",
            "left_out: the number of divisors",
        ),
        ("at: [odd_ecmp], per", "at: [even_ecmp], per", "left_out: there is no run `even_ecmp`"),
        ("reason: they are odd", "because: they are odd", "because"),
    ];
    for (right, wrong, why) in cases {
        assert_eq!(CLAIMS.matches(right).count(), 1, "{right}");
        let said = paper(&CLAIMS.replace(right, wrong)).expect_err("it does not fit").to_string();
        assert!(said.contains(why) && said.contains("made-up"), "`{why}` is not in: {said}");
    }
    let (before, panels) = CLAIMS.split_once("      panels:\n").expect("there are panels");
    let (_, after) = panels.split_once("claims:\n").expect("claims follow");
    let none = format!("{before}      panels: []\nclaims:\n{after}");
    let said = paper(&none).expect_err("it does not fit").to_string();
    assert!(said.contains("figure `Figure 7, odd & even`: map: it has no panels"), "{said}");
}

#[test]
fn a_cell_has_one_position() {
    let (before, panel) = CLAIMS.split_once("        - title").expect("there is a panel");
    let (panel, after) = panel.split_once("claims:\n").expect("claims follow");
    let twice = format!("{before}        - title{panel}        - title{panel}claims:\n{after}");
    let said = paper(&twice).expect_err("it does not fit").to_string();
    assert!(said.contains("map: `grid_spray_1/pairs` has two positions"), "{said}");
}
