//! Figures of real runs, from the scenario to the files.

use std::fs;

use netloom_lab::page_data;
use serde_json::Value;

use crate::command::Workspace;

/// A job beside background traffic, on a fabric of two tiers with a link that is slow for some time.
const BUSY: &str = "
netloom: 1
fabric: { leaf_spine: { leaves: 3, spines: 2, hosts_per_leaf: 2 } }
balance: spray
jobs: [ { name: train, steps: 6, phases: [ { compute: 5us }, { ring_all_reduce: { size: 64KiB } } ] } ]
background: { poisson: { load: 20%, sizes: alistorage, end: 60us } }
faults: { timed: [ { at: 10us, link: leaf0-spine0.0, action: { degrade: { rate: 20Gbps } } }, { at: 40us, link: leaf0-spine0.0, action: restore } ] }
record: { series: 1us }
";

const NAMES: [&str; 7] =
    ["slowdown", "step_time", "step_time_cdf", "fct_cdf", "links", "throughput", "queues_over_time"];

/// Two runs, `a` and `b`.
fn workspace() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("busy.yaml", BUSY);
    for (name, balance) in [("a", "balance=spray"), ("b", "balance=ecmp")] {
        let run = workspace.netloom(&["run", "busy.yaml", "-o", name, "--set", balance]);
        assert_eq!(run.code, Some(0), "{}", run.err);
    }
    workspace
}

/// The rows of a table, split into cells; no name in these runs has a comma.
fn table(workspace: &Workspace, path: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(workspace.path(path)).expect("it is there");
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[test]
fn runs_are_drawn_as_figures_in_every_format() {
    let workspace = workspace();
    for (format, magic) in [("pdf", b"%PDF".as_slice()), ("svg", b"<svg"), ("png", b"\x89PNG")] {
        let made = workspace.netloom(&["figures", "a", "b", "-o", "paper", "--format", format]);
        assert_eq!(made.code, Some(0), "{}", made.err);
        for name in NAMES {
            let file = format!("paper/{name}.{format}");
            assert!(made.out.contains(&format!("figure {file}\ndata paper/{name}.csv\n")), "{}", made.out);
            assert!(fs::read(workspace.path(&file)).expect("it is there").starts_with(magic), "{file}");
            assert!(table(&workspace, &format!("paper/{name}.csv")).len() > 2, "{name}");
        }
    }
    let throughput = table(&workspace, "paper/throughput.csv");
    let events = throughput.iter().filter(|row| row[4].starts_with("link leaf0-spine0.0 ")).count();
    assert_eq!(events, 4, "two in each run");
}

#[test]
fn figures_and_report_of_the_same_runs_agree() {
    let workspace = workspace();
    assert_eq!(workspace.netloom(&["figures", "a", "b", "-o", "paper"]).code, Some(0));
    assert_eq!(workspace.netloom(&["report", "a", "b", "-o", "page.html"]).code, Some(0));
    let page = fs::read_to_string(workspace.path("page.html")).expect("it is there");
    let data = page_data(&page).expect("there is data");
    let data: Value = serde_json::from_str(&data).expect("it is JSON");
    let number = |value: &Value| value.as_f64().expect("it is a number").to_string();

    let slowdown = table(&workspace, "paper/slowdown.csv");
    let buckets = |run: usize| data["slowdown"][run]["buckets"].as_array().expect("there are some").iter();
    let reported: Vec<[String; 2]> =
        (0..2).flat_map(buckets).map(|bucket| [number(&bucket["mean"]), number(&bucket["p99"])]).collect();
    let drawn: Vec<[String; 2]> = slowdown[1..].iter().map(|row| [row[3].clone(), row[4].clone()]).collect();
    assert!(!reported.is_empty() && reported == drawn);

    let steps = table(&workspace, "paper/step_time.csv");
    for (run, row) in steps[1..].iter().enumerate() {
        let times = &data["steps"][run]["times"];
        let reported = [&times["mean"]["value"], &times["mean"]["low"], &times["p99"]["value"]].map(number);
        assert_eq!([row[3].clone(), row[4].clone(), row[7].clone()], reported);
    }
    let fct = table(&workspace, "paper/fct_cdf.csv");
    for (run, name) in ["a", "b"].into_iter().enumerate() {
        for group in ["background", "jobs"] {
            let reported: Vec<String> = data["fct"][run][group]["arrived"]["cdf"]["values"]
                .as_array()
                .expect("messages arrived")
                .iter()
                .map(number)
                .collect();
            let rows = fct.iter().filter(|row| row[0] == name && row[1] == group);
            assert_eq!(rows.map(|row| row[2].clone()).collect::<Vec<_>>(), reported);
        }
    }
    let throughput = table(&workspace, "paper/throughput.csv");
    for (run, name) in ["a", "b"].into_iter().enumerate() {
        let reported = data["over_time"][run]["throughput"].as_array().expect("ports were sampled").iter();
        let rows = throughput.iter().filter(|row| row[0] == name && !row[3].is_empty());
        let drawn: Vec<String> = rows.map(|row| row[3].clone()).collect();
        assert!(!drawn.is_empty() && drawn == reported.map(number).collect::<Vec<_>>());
    }
}

#[test]
fn figures_without_data_are_reported_and_existing_files_are_kept() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", crate::command::SMALL);
    assert_eq!(
        workspace.netloom(&["run", "small.yaml", "-o", "a", "--set", "record.series=none"]).code,
        Some(0)
    );
    let made = workspace.netloom(&["figures", "a", "-o", "paper"]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    assert!(made.out.contains("left out slowdown: no background message"), "{}", made.out);
    assert!(made.out.contains("left out throughput: nothing was sampled over time"), "{}", made.out);
    // Files with the same content are no conflict; other pictures are.
    assert_eq!(workspace.netloom(&["figures", "a", "-o", "paper"]).code, Some(0));
    let other = workspace.netloom(&["figures", "a", "-o", "paper", "--width", "176"]);
    let (error, hint) = other.err.split_once("\nhint: ").expect("the hint comes after its error");
    assert!(
        other.code == Some(2) && error.contains("step_time.pdf") && hint.contains("--force"),
        "{}",
        other.err
    );
    assert_eq!(
        workspace.netloom(&["figures", "a", "-o", "paper", "--width", "176", "--force"]).code,
        Some(0)
    );
}

#[test]
fn invalid_runs_and_options_are_refused() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", crate::command::SMALL);
    assert_eq!(workspace.netloom(&["run", "small.yaml", "-o", "a"]).code, Some(0));
    fs::create_dir(workspace.path("empty")).expect("it is new");
    for (arguments, what) in [
        (["figures", "nowhere", "-o", "paper"].as_slice(), "nowhere"),
        (&["figures", "empty", "-o", "paper"], "empty"),
        (&["figures", "a", "-o", "small.yaml"], "small.yaml"),
        (&["figures", "a", "-o", "paper", "--dpi", "600"], "dots per inch are for `png`"),
        (&["figures", "a", "-o", "paper", "--width", "3"], "from 50 to 500"),
        (&["figures", "a", "-o", "paper", "--width", "NaN"], "from 50 to 500"),
        (&["figures", "a", "-o", "paper", "--format", "gif"], "possible values: pdf, svg, png"),
        (&["figures", "a", "-o", "paper", "--format", "png", "--dpi", "2400", "--width", "500"], "more than"),
    ] {
        let refused = workspace.netloom(arguments);
        assert!(refused.code == Some(2) && refused.err.contains(what), "{arguments:?}: {}", refused.err);
        assert!(!workspace.path("paper").exists(), "{arguments:?}");
    }
}
