//! Claims about completion times over the ideal, loads of uplinks and bandwidths by size; and the paper that uses them.

use netloom_lab::reproduce::{Paper, Quantity, Report, Request, Verdict, reproduce};
use netloom_lab::{ExitCode, Overrides, Overwrite, RunRequest, Source, run};
use netloom_records::{FlowRow, PortRow, RunFolder};

/// Three of four hosts send over one uplink, the fourth over the other; then a ring of eight.
const SCENARIO: &str = "
netloom: 1
fabric: {leaf_spine: {leaves: 2, spines: 2, hosts_per_leaf: 4, host_rate: 100Gbps, host_delay: 10ns, fabric_delay: 10ns}}
balance: {switch: {deterministic: {key: pair}}}
routes:
  - {at: leaf0, from: leaf0.host0, to: leaf1.host0, link: leaf0-spine0.0}
  - {at: leaf0, from: leaf0.host1, to: leaf1.host1, link: leaf0-spine0.0}
  - {at: leaf0, from: leaf0.host2, to: leaf1.host2, link: leaf0-spine0.0}
  - {at: leaf0, from: leaf0.host3, to: leaf1.host3, link: leaf0-spine1.0}
jobs:
  - name: crossing
    phases: [point_to_point: {size: 4MiB, stages: 2}]
";

const CLAIMS: &str = "
seeds: {look: 1, check: 1}
groups: {}
experiments:
  - name: sized
    from: crossing
    set:
      jobs.0.phases: '[{ring_all_reduce: {size: 64KiB}}, barrier, {ring_all_reduce: {size: 8MiB}}]'
    shows: two sizes
figures:
  - {name: Figure 1, shows: Shares., quantities: [flows_beyond], at: [crossing/2.9]}
claims:
  - id: last
    said: own prediction
    text: Three on one uplink take three times as long.
    kind: predicted
    quantity: flow_longest
    at: [crossing]
    near: {within: '0.01'}
    recorded: reproduced
  - id: first
    said: own prediction
    text: One alone takes the ideal time.
    kind: predicted
    quantity: flow_shortest
    at: [crossing]
    relation: {between: [1.0, 1.01]}
    recorded: reproduced
  - id: mean
    said: own prediction
    text: The mean is that of three and one.
    kind: predicted
    quantity: flow_mean
    at: [crossing]
    relation: {between: [2.49, 2.51]}
    recorded: reproduced
  - id: slow
    said: own prediction
    text: Three of four flows are slow.
    kind: predicted
    quantity: flows_beyond
    at: [crossing]
    near: {within: exact}
    recorded: reproduced
  - id: loaded
    said: own prediction
    text: One of two uplinks carries more than 1.4 times the mean.
    kind: predicted
    quantity: links_beyond
    at: [crossing/leaf0/1.4]
    relation: {between: [0.5, 0.5]}
    recorded: reproduced
  - id: clear
    said: own prediction
    text: It is exactly 1.5 times the mean, and not beyond.
    kind: predicted
    quantity: links_clear
    at: [crossing/leaf0/1.5]
    relation: {between: [1, 1]}
    recorded: reproduced
  - id: bandwidth
    said: own prediction
    text: Large vectors come nearer to the line, 12.5 GB/s.
    kind: predicted
    quantity: collective_busbw
    at: [sized/crossing/ring_all_reduce/vector/65536, sized/crossing/ring_all_reduce/vector/8388608]
    relation: rising
    recorded: reproduced
";

const PUBLISHED: &str = "run,part,flow_longest_over_ideal,flows_beyond_share
crossing,,3.0,
crossing,1.1,,0.75
crossing,3.1,,0.0
";

fn made_up(claims: &str) -> Result<Paper, String> {
    let files =
        [("published.csv", PUBLISHED), ("claims.yaml", claims), ("scenarios/crossing.yaml", SCENARIO)];
    Paper::new("made-up", files).map_err(|error| error.to_string())
}

#[test]
fn completion_times_and_loads_are_reported_relative_to_the_ideal_and_the_mean() {
    let paper = made_up(CLAIMS).unwrap_or_else(|error| panic!("{error}"));
    let report = reproduce(paper, &Request::default()).unwrap_or_else(|error| panic!("{error}"));
    assert!(report.is_as_recorded(), "{}", report.table());
    assert_eq!(report.tally().reproduced, 8, "{}", report.table());
    let crossing = &report.runs[0];
    // Only the parts that claims and figures name.
    let multiples: Vec<&str> = crossing.parts.keys().map(String::as_str).collect();
    assert_eq!(multiples, ["1.1", "2.9", "3.1", "crossing", "leaf0/1.4", "leaf0/1.5"]);
    assert_eq!(crossing.get(Some("leaf0/1.5"), Quantity::LinksBeyond), Some(0.0));
    // A run without claims about loads has none, and no bandwidth is above the line rate.
    let sized = &report.runs[1];
    assert!(sized.parts.keys().all(|part| part.starts_with("crossing")), "{:?}", sized.parts.keys());
    let part = "crossing/ring_all_reduce/vector/8388608";
    let busbw = sized.get(Some(part), Quantity::CollectiveBusbw).expect("it is there");
    assert!(busbw > 9.0 && busbw < 12.5, "{busbw}");
}

#[test]
fn a_multiple_is_a_number() {
    for (known, wrong) in [("crossing/leaf0/1.4", "crossing/leaf0/half"), ("crossing/2.9", "crossing/all")] {
        let error = made_up(&CLAIMS.replace(known, wrong)).expect_err("it is no number");
        assert!(error.contains("has no part"), "{error}");
    }
}

/// Rows of the paper's switch with a seed.
fn switch(seed: u64, policy: &str) -> (Vec<FlowRow>, Vec<PortRow>) {
    let paper = Paper::open("spectrum-ar").expect("it is there");
    let source: Source = paper.source("uplinks").expect("it is there");
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let folder = workspace.path().join("run");
    let set = vec![("balance".to_owned(), policy.to_owned())];
    let overrides = Overrides { set, seed: Some(seed), ..Overrides::default() };
    let request = RunRequest {
        folder: Some(folder.clone()),
        overwrite: Overwrite::Refuse,
        overrides,
        ..RunRequest::new(source)
    };
    run(request).expect("it runs");
    let folder = RunFolder::open(&folder).expect("it is complete");
    let flows = folder.rows::<FlowRow>().expect("it has messages");
    let flows: Vec<FlowRow> = flows.flat_map(|block| block.expect("it can be read")).collect();
    (flows, folder.ports().expect("it has ports"))
}

/// Bytes of a flow, and their time at its rate, in ps.
const FLOW: u64 = 1 << 20;
const IDEAL: f64 = FLOW as f64 * 8e12 / 25e9;

#[test]
fn completion_times_of_flows_follow_only_from_the_loads_of_their_uplinks() {
    for seed in 1..=3 {
        let (flows, ports) = switch(seed, "ecmp");
        assert_eq!(flows.len(), 256);
        // leaf0 is the first node after 128 hosts, and its uplinks follow 64 ports to hosts.
        let uplinks = ports.iter().filter(|port| port.node.0 == 128 && port.index >= 64);
        let loads: Vec<u64> = uplinks.map(|port| port.size.0 / FLOW).collect();
        assert_eq!((loads.len(), loads.iter().sum::<u64>()), (64, 256));
        let of_uplink = |load: &u64| vec![(*load as f64 / 4.0).max(1.0); *load as usize];
        let mut expected: Vec<f64> = loads.iter().flat_map(of_uplink).collect();
        let time = |flow: &FlowRow| flow.end.expect("it arrived").since(flow.start).0 as f64 / IDEAL;
        let mut found: Vec<f64> = flows.iter().map(time).collect();
        expected.sort_by(f64::total_cmp);
        found.sort_by(f64::total_cmp);
        // The last packets of an uplink leave it one after the other, at most 4 KiB each; a path takes 0.4 % of T.
        let packets = |load: f64| load * 4.0 / 256.0 / 4.0;
        for (found, expected) in found.iter().zip(&expected) {
            let range = expected - packets(*expected)..=expected + 0.01;
            assert!(range.contains(found), "seed {seed}: {found} where {expected} is expected");
        }
    }
}

fn judged(seeds: &str, only: &[&str]) -> Report {
    let paper = Paper::open("spectrum-ar").expect("it is there");
    let only = only.iter().map(|id| (*id).to_owned()).collect();
    let request = Request { seeds: Some(seeds.parse().expect("seeds")), only, ..Request::default() };
    reproduce(paper, &request).unwrap_or_else(|error| panic!("{error}"))
}

/// With few seeds only verdicts far from their bounds are reliable; `--check` has 2000.
#[test]
fn the_switch_and_the_pairs_are_as_recorded() {
    let bins = ["last-flow", "first-flow", "slow-flows", "loaded-uplinks", "half-load-switch"];
    let others = ["adaptive-all-at-ideal", "adaptive-even", "roce-adaptive", "pairs-best", "pairs-adaptive"];
    let report = judged("1..20", &[bins, others].concat());
    assert!(report.is_as_recorded(), "{}", report.table());
    let of = |verdict| report.judged.iter().filter(|judged| judged.verdict == verdict).count();
    assert_eq!((of(Verdict::NotReproduced), of(Verdict::TooFewSeeds)), (3, 0), "{}", report.table());
    let pairs = judged("1..40", &["pairs-worst"]);
    assert!(pairs.is_as_recorded(), "{}", pairs.table());
    let few = judged("1..39", &["pairs-worst"]);
    assert_eq!(few.judged[0].verdict, Verdict::TooFewSeeds, "39 seeds exclude none");
}

#[test]
fn the_collectives_of_the_testbed_are_as_recorded() {
    let report = judged("1..1", &["alltoall-gain", "allreduce-gain", "allreduce-gain-in-order"]);
    assert!(report.is_as_recorded(), "{}", report.table());
    let paper = Paper::open("spectrum-ar").expect("it is there");
    let unknown = Request { only: vec!["gain".into()], ..Request::default() };
    let error = reproduce(paper, &unknown).expect_err("there is no such claim");
    assert_eq!(error.exit_code(), ExitCode::BadInput);
}
