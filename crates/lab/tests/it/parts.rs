//! Claims about parts of runs: stages, flows in stages, ports and groups of ports; and the paper that uses them.

use std::fs;
use std::path::Path;

use netloom_lab::reproduce::{Paper, Quantity, Report, ReproduceError, Request, reproduce};
use netloom_lab::show::routes::{Selection, routes};
use netloom_lab::{Overrides, Style};

/// Two flows to one host, and from 300 us on a third one from another switch.
const BASE: &str = "
netloom: 1
fabric: {leaf_spine: {leaves: 2, spines: 1, hosts_per_leaf: 2, host_rate: 100Gbps, host_delay: 100ns, fabric_delay: 100ns}}
balance: deterministic
transport: {ideal: {coalesce: 16}}
queues: {credits: {}}
flows:
  warm_up: 100us
  list:
    - {name: near, from: leaf0.host1, to: leaf0.host0, stop: 600us}
    - {name: far, from: leaf1.host0, to: leaf0.host0, stop: 600us}
    - {name: late, from: leaf1.host1, to: leaf0.host0, start: 300us, stop: 600us}
";

const CLAIMS: &str = "
seeds: {look: 1, check: 1}
groups: {}
experiments:
  - {name: hurried, from: heir, set: {flows.list.2.start: 200us}, shows: another stage}
claims:
  - id: shares
    said: own prediction
    text: Half is for who is near.
    kind: predicted
    quantity: flow_throughput
    at: [heir]
    near: {within: 1%}
    recorded: reproduced
  - id: shares-of-the-hurried
    said: own prediction
    text: So it is in another run, whose stages are those of the one it changes.
    kind: predicted
    quantity: flow_throughput
    at: [hurried/stage1/near]
    near: {within: 1%}
    recorded: reproduced
  - id: sums
    said: own prediction
    text: The link is full.
    kind: predicted
    quantity: stage_sum
    at: [heir]
    near: {within: 1%}
    recorded: reproduced
  - id: even
    said: own prediction
    text: It is even at first, and not later.
    kind: predicted
    quantity: stage_jain
    at: [heir/stage0]
    per: {at: [heir/stage1]}
    relation: {between: [1.1, 1.15]}
    recorded: reproduced
  - id: variance
    said: own prediction
    text: The mean of the variances is half that of the second stage.
    kind: predicted
    quantity: stage_variance
    at: [heir/stage1]
    per: {quantity: variance_mean}
    relation: {between: [1.99, 2.01]}
    recorded: reproduced
";

const PORTS: &str = "
  - id: ports
    said: own prediction
    text: Links beyond hosts carry more than these send.
    kind: predicted
    quantity: port_bytes
    at: [heir/leaf1.host0/leaf1.host0.nic0, heir/leaf0.host1/leaf0.host1.nic0]
    per: {at: [heir/leaf1/leaf1-spine0.0, heir/leaf0/leaf0.host0.nic0]}
    relation: {between: [0.4, 0.9]}
    recorded: reproduced
  - id: tables
    said: own prediction
    text: At a downlink of a leaf an uplink meets one other host.
    kind: predicted
    quantity: arbitrated_most
    at: [heir/tier1/down]
    relation: {between: [2, 2]}
    recorded: reproduced
";

/// Payload is 4096 of 4158 bytes: 98.51 Gb/s of 100.
const PUBLISHED: &str = "run,part,flow_throughput_gbps,stage_sum_gbps
heir,stage0,,98.5
heir,stage0/near,49.25,
heir,stage0/far,49.25,
heir,stage1,,98.5
heir,stage1/near,49.25,
heir,stage1/far,24.63,
heir,stage1/late,24.63,
";

const HEIR: &str = "netloom: 1\nfrom: ../common/base.yaml\n";

fn paper(claims: &str, heir: &str) -> Result<Paper, ReproduceError> {
    let files = [
        ("published.csv", PUBLISHED),
        ("claims.yaml", claims),
        ("common/base.yaml", BASE),
        ("scenarios/heir.yaml", heir),
    ];
    Paper::new("made-up", files)
}

fn judged(claims: &str) -> Report {
    let paper = paper(claims, HEIR).unwrap_or_else(|error| panic!("{error}"));
    reproduce(paper, &Request::default()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn stages_and_flows_are_evaluated_like_jobs() {
    let report = judged(CLAIMS);
    assert!(report.is_as_recorded(), "{}", report.table());
    let shares = report.judged.iter().filter(|judged| judged.claim == "shares");
    let at: Vec<&str> = shares.map(|judged| judged.at.as_str()).collect();
    // Only the published parts, and no stage as a whole.
    let expected =
        ["heir/stage0/far", "heir/stage0/near", "heir/stage1/far", "heir/stage1/late", "heir/stage1/near"];
    assert_eq!(at, expected);
    let run = &report.runs[0];
    assert!(run.get(Some("stage0/late"), Quantity::FlowThroughput).is_none(), "it had not begun");
    assert!(run.get(None, Quantity::StageSum).is_none(), "a run has no quantities of stages");
    let far = |stage: &str| run.get(Some(&format!("{stage}/far")), Quantity::FlowThroughput);
    let (first, second) = far("stage0").zip(far("stage1")).expect("it sends in both");
    assert!((first / second - 2.0).abs() < 0.02, "{first} {second}");
}

#[test]
fn ports_and_tables_are_examined_only_if_a_claim_uses_them() {
    let report = judged(&format!("{CLAIMS}{PORTS}"));
    assert!(report.is_as_recorded(), "{}", report.table());
    let ports = |report: &Report| {
        let parts = report.runs[0].parts.values();
        parts.filter(|values| values.contains_key(&Quantity::PortBytes)).count()
    };
    // Six links, two ends each.
    assert_eq!((ports(&report), ports(&judged(CLAIMS))), (12, 0));
    let folder = tempfile::tempdir().expect("a folder");
    report.write(folder.path()).expect("it can be written");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("it was written");
    assert!(read("points.csv").contains("heir,stage1/late,flow_throughput_gbps,24.63,1,24."));
    assert!(read("runs.csv").lines().any(|line| line.starts_with("heir,1,tier1/down,")));
}

#[test]
fn a_scenario_of_a_paper_inherits_only_from_the_papers_files() {
    let wrong = |heir: &str| {
        let paper = paper(CLAIMS, heir).expect("scenarios are read when they are run");
        match reproduce(paper, &Request::default()).expect_err("it cannot be run") {
            ReproduceError::Run(error) => error.render(Style::Plain),
            other => other.to_string(),
        }
    };
    let missing = wrong("netloom: 1\nfrom: base.yaml\n");
    assert!(missing.contains("papers/made-up/scenarios/base.yaml"), "{missing}");
    // A file that exists but is not one of the paper's.
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/flows/staged.yaml");
    let outside = wrong(&format!("netloom: 1\nfrom: {}\n", here.display()));
    assert!(outside.contains("staged.yaml") && outside.contains("no such file"), "{outside}");
    let circle = wrong("netloom: 1\nfrom: ./../scenarios/heir.yaml\n");
    assert!(circle.contains("inherits from itself"), "{circle}");
}

/// The formula of section V of the paper for K uplinks, L local and F remote flows: shares of the receiver's link.
fn law(uplinks: f64, local: f64, remote: f64) -> (f64, f64) {
    (1.0 / (uplinks + local), uplinks / (uplinks + local) / remote)
}

#[test]
fn published_throughputs_follow_the_papers_formula() {
    let paper = Paper::open("infiniband-ar").expect("it is there");
    let runs = [("k3_l1", 3.0), ("k3_l2", 3.0), ("k3_wide", 3.0), ("k4_l2", 4.0), ("k4_l3", 4.0)];
    let mut n_figures = 0;
    for (run, uplinks) in runs {
        for (name, uplinks) in [(format!("{run}_dr"), 1.0), (format!("{run}_ar"), uplinks)] {
            let parts: Vec<&str> = paper.published.parts(&name).collect();
            for part in &parts {
                let Some((stage, flow)) = part.split_once('/').filter(|(_, flow)| !flow.is_empty()) else {
                    continue;
                };
                let Some(published) = paper.published.get(&name, Some(part), Quantity::FlowThroughput) else {
                    continue;
                };
                // Each stage adds one remote flow.
                let remote = 1.0 + stage.trim_start_matches("stage").parse::<f64>().expect("a number");
                let is_local = |part: &&&str| part.starts_with(&format!("{stage}/local"));
                let (local, each) = law(uplinks, parts.iter().filter(is_local).count() as f64, remote);
                let share = if flow.starts_with("local") { local } else { each };
                assert!((published - 188.0 * share).abs() < 1e-3, "{name} {part}: {published}");
                n_figures += 1;
            }
        }
    }
    assert!(n_figures > 100, "{n_figures}");
}

#[test]
fn the_evaluation_of_infiniband_is_as_recorded() {
    let paper = Paper::open("infiniband-ar").expect("it is there");
    let report = reproduce(paper, &Request { check: true, ..Request::default() });
    let report = report.unwrap_or_else(|error| panic!("{error}"));
    assert!(report.is_as_recorded(), "{}", report.differences());
    let tally = report.tally();
    assert!(tally.reproduced > 450 && tally.too_few_seeds == 0, "{tally:?}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers/infiniband-ar/figures.md");
    let stored = fs::read_to_string(path).expect("it is there");
    assert_eq!(stored, report.figures(), "`netloom reproduce infiniband-ar --check -o FOLDER` updates it");
}

#[test]
fn tables_of_the_tree_are_those_of_the_text() {
    let paper = Paper::open("infiniband-ar").expect("it is there");
    let source = paper.source("sc1").expect("it is there");
    let set = vec![("balance".to_owned(), "deterministic".to_owned())];
    let overrides = Overrides { set, ..Overrides::default() };
    let links = |at: &str, to: &str| {
        let selection = Selection { at: Some(at.to_owned()), to: Some(to.to_owned()), from: None };
        let tables = routes(&source, &overrides, &selection).expect("it can be shown");
        tables.switches[0].rows[0].links.clone()
    };
    // Flows to the hot receiver share LID 6, the flow from 39 to 28 uses the other root switch.
    for leaf in ["LID8", "LID14", "fourth"] {
        assert_eq!(links(leaf, "node4"), [format!("{leaf}-LID6")]);
    }
    assert_eq!(links("LID14", "node28"), ["LID14-other"]);
    // The two flows in the opposite direction leave LID 7 by two links.
    assert_eq!(links("LID7", "node3"), ["LID7-other"]);
    assert_eq!(links("LID7", "node31"), ["LID7-LID6"]);
}
