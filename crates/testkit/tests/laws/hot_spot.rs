//! Congestion control of InfiniBand: a victim gets its link rate back while the hot flows share theirs; only roots of
//! congestion mark; exactly the notified senders are slowed; and records do not depend on execution options.
//!
//! The scenario is that of `scenarios/infiniband/hot_spot.yaml`.

use std::collections::BTreeMap;

use netloom_catalog::expand;
use netloom_engine::{Extensions, Options, Status};
use netloom_model::{Model, NamedFlow, Recording};
use netloom_records::{DropReason, DropRow, RateRow};
use netloom_scenario::{Style, compile, resolve};
use netloom_testkit::fixture::{Run, everything_joined, simulate_with};
use netloom_units::{Duration, HostId};

const SCENE: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/infiniband/hot_spot.yaml"));
/// Payload of a link of 200 Gb/s, in packets of 4096 bytes and 62 of header.
const FULL: f64 = 200e9 * 4096.0 / 4158.0;
/// Nodes as the scenario numbers them: hosts first, in their order.
const NODE1: u32 = 0;
const NODE4: u32 = 3;
const NODE28: u32 = 6;
const NODE37: u32 = 9;
const LID7: u32 = 12;
const LID6: u32 = 17;

fn scene(more: &str) -> Model {
    compiled(&format!("{SCENE}{more}\n"))
}

fn compiled(text: &str) -> Model {
    let resolved =
        resolve(text, "hot_spot.yaml").unwrap_or_else(|wrong| panic!("{}", wrong.render(Style::Plain)));
    compile(&resolved).unwrap_or_else(|wrong| panic!("{}", wrong.render(Style::Plain))).model
}

fn simulated(model: &Model, options: Options) -> Run {
    let work = expand(&model.workload, model.fabric.n_hosts(), model.seed).expect("the flows are valid");
    simulate_with(model, work, options, Extensions::default())
}

/// The share of a link that each flow got, in the order of the scenario.
fn shares(model: &Model) -> Vec<f64> {
    let run = simulated(model, Options::default());
    assert!(run.records.drops.is_empty());
    run.records.stages.iter().map(|row| row.throughput / FULL).collect()
}

#[test]
fn the_victim_recovers_its_link_and_the_hot_flows_keep_half_each() {
    for seed in 1..=4 {
        let [free, controlled] = ["", "congestion: infiniband"].map(|more| {
            let shares = shares(&Model { seed, ..scene(more) });
            <[f64; 3]>::try_from(shares).expect("there are three flows")
        });
        assert!(free.iter().all(|share| (0.45..0.55).contains(share)), "seed {seed}: {free:?}");
        let [first, second, victim] = controlled;
        assert!((0.9..=1.001).contains(&victim), "seed {seed}: {controlled:?}");
        assert!(
            [first, second].iter().all(|share| (0.4..0.6).contains(share)),
            "seed {seed}: {controlled:?}"
        );
        assert!((0.9..=1.001).contains(&(first + second)), "seed {seed}: {controlled:?}");
    }
}

/// Packets marked at each port, by its node and the neighbour there.
fn marked(model: &Model) -> BTreeMap<(u32, u32), u64> {
    let run = simulated(model, Options::default());
    let rows = run.records.signals.iter().filter(|row| row.marked > 0);
    rows.map(|row| ((row.node.0, row.peer.0), row.marked)).collect()
}

/// Two switches between two hosts, the last link of half the rate, and one flow.
const BOTTLENECK: &str = "
netloom: 1
fabric:
  custom:
    hosts: [a, b]
    switches: [near, far]
    links:
      - {from: a, to: near, rate: 200Gbps, delay: 500ns}
      - {from: near, to: far, rate: 200Gbps, delay: 500ns}
      - {from: far, to: b, rate: 100Gbps, delay: 500ns}
transport: ideal
queues: {credits: {}}
flows: {list: [{from: a, to: b, stop: 500us}]}
";

#[test]
fn a_port_without_credits_does_not_mark() {
    // No sender slows down, so congestion stays, and both switches before the last link are full.
    let marked = |more| {
        let more = format!("congestion: {{ infiniband: {{ ccti_increase: 0, marking_rate: 1, {more} }} }}");
        marked(&compiled(&format!("{BOTTLENECK}{more}\n")))
    };
    let (root, victim) = ((3, 1), (2, 3));
    let only_root = marked("mark_victims: false");
    assert_eq!(only_root.keys().collect::<Vec<_>>(), [&root]);
    let both = marked("mark_victims: true");
    assert_eq!(both[&root], only_root[&root]);
    assert!(both[&victim].abs_diff(both[&root]) * 10 < both[&root], "{both:?}");
    assert!(marked("threshold: 0").is_empty());
    assert!(marked("packet_size: 4159B").is_empty());
    assert_eq!(marked("packet_size: 4158B"), only_root);
}

#[test]
fn in_a_congestion_tree_the_root_marks_by_far_the_most() {
    let reported = |victims| {
        marked(&scene(&format!(
            "congestion: {{ infiniband: {{ ccti_increase: 0, mark_victims: {victims}, marking_rate: 1 }} }}"
        )))
    };
    let of_others = |marked: &BTreeMap<_, u64>| {
        let others = marked.iter().filter(|(port, _)| **port != (LID7, NODE4));
        others.map(|(_, count)| count).sum::<u64>() as f64 / marked[&(LID7, NODE4)] as f64
    };
    let (roots, all) = (reported(false), reported(true));
    // Both links of the leaf of 37 and 39 are on the path of 39.
    assert!(of_others(&all) > 0.5 && of_others(&roots) < 0.05, "{roots:?} {all:?}");
}

#[test]
fn eligible_packets_are_marked_at_the_marking_rate() {
    let reported =
        |rate| format!("congestion: {{ infiniband: {{ ccti_increase: 0, marking_rate: {rate} }} }}");
    let n_marked = |rate| {
        let run = simulated(&scene(&reported(rate)), Options::default());
        run.records.signals.iter().map(|row| row.marked).sum::<u64>() as f64
    };
    let all = n_marked(1);
    for rate in [4, 10, 50] {
        let expected = all / f64::from(rate);
        // Four standard deviations of the binomial distribution.
        let bound = 4.0 * expected.sqrt();
        assert!((n_marked(rate) - expected).abs() < bound, "{rate}: {} of {all}", n_marked(rate));
    }
}

/// The rates that congestion control allows two flows of one host over time: to the hot receiver, and to another.
fn allowed(control: &str) -> [Vec<u64>; 2] {
    let more = format!("congestion: {{ infiniband: {{ port_control: {control} }} }}");
    let mut model = scene(&more);
    let staged = model.workload.staged.as_mut().expect("the scenario has flows");
    staged.flows[2].source = HostId(NODE37);
    let flow =
        |destination| NamedFlow { source: HostId(NODE37), destination: HostId(destination), number: None };
    model.recording = Recording {
        rates: Some(Duration::from_micros(20)),
        rates_of: vec![flow(NODE4), flow(NODE28)],
        ..Recording::default()
    };
    let run = simulated(&model, Options::default());
    // While both are active.
    let rates = |destination| {
        let is_of =
            move |row: &&RateRow| row.destination == HostId(destination) && row.time.0 <= 1_900_000_000;
        let rate = |row: &RateRow| row.rate.expect("the flow is active").0 / u64::from(row.queue_pairs);
        run.records.rates.iter().filter(is_of).map(rate).collect::<Vec<_>>()
    };
    [rates(NODE4), rates(NODE28)]
}

#[test]
fn a_notification_slows_its_queue_pair_or_its_whole_port() {
    let line = 200_000_000_000;
    let [hot, other] = allowed("queue_pair");
    assert!(hot.iter().any(|&rate| rate < line * 9 / 10), "{hot:?}");
    assert!(other.iter().all(|&rate| rate == line), "{other:?}");
    let [hot, other] = allowed("port");
    assert!(hot.iter().any(|&rate| rate < line * 9 / 10), "{hot:?}");
    assert_eq!(hot, other);
}

#[test]
fn a_link_that_fails_with_full_buffers_loses_only_packets_queued_for_it() {
    // Without control both spines are full of packets for node 4 when the link of one of them goes down and up again.
    let fault = |at, action| format!("{{at: {at}, action: {action}, link: lid7-lid6}}");
    let faults = format!("faults: {{timed: [{}, {}]}}", fault("500us", "down"), fault("700us", "up"));
    for more in ["", "congestion: infiniband\n"] {
        let run = simulated(&scene(&format!("{more}{faults}")), Options::default());
        assert_eq!(run.outcome.status, Status::Complete);
        let is_there = |row: &&DropRow| [LID6, LID7].contains(&row.node.0);
        assert_eq!(run.records.drops.iter().filter(is_there).count(), run.records.drops.len());
        assert!(!more.is_empty() || run.records.drops.iter().any(|row| row.reason == DropReason::LinkDown));
    }
}

#[test]
fn no_packet_waits_for_a_link_that_stays_down() {
    // Packets staged for the dead port are lost too, and so are those that reach the head of a queue later: otherwise a
    // FIFO would block all packets behind one for the dead port.
    for order in ["voq", "fifo"] {
        let down = "faults: {awareness: up_down, timed: [{at: 500us, action: down, link: lid7-lid6}]}";
        let model = compiled(
            &format!("{SCENE}{down}\n").replace("credits: {}", &format!("credits: {{order: {order}}}")),
        );
        let run = simulated(&model, Options::default());
        assert_eq!(run.outcome.status, Status::Complete, "{order}");
        assert!(run.records.drops.iter().any(|row| row.node.0 == LID6), "{order}");
        assert!(run.records.flows.iter().all(|row| row.end.is_some()), "{order}");
    }
}

#[test]
fn execution_options_do_not_change_records() {
    for control in ["queue_pair", "port"] {
        let more =
            format!("congestion: {{ infiniband: {{ port_control: {control}, notify: acknowledgement }} }}");
        let mut model = scene(&more);
        model.recording.packets_from = vec![HostId(NODE1)];
        let first = simulated(&model, Options::default());
        assert!(first.records.signals.iter().any(|row| row.marked > 0));
        let plain = Options::default();
        for variant in [
            Options { threads: 2, ..plain },
            Options { coarsen: 2, shortcut: false, ..plain },
            Options { threads: 2, ..everything_joined() },
        ] {
            assert!(simulated(&model, variant).records == first.records, "{control} {variant:?}");
        }
    }
}
