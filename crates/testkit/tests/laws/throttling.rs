//! Throttling at the last hop: an incast does not slow other flows, loses no packet on its own link, is fair, and
//! leaves no throttling behind when it ends; and records do not depend on execution options.

use netloom_catalog::expand;
use netloom_engine::{Extensions, Options, Status};
use netloom_model::Model;
use netloom_records::RateRow;
use netloom_scenario::{Style, compile, resolve};
use netloom_testkit::fixture::{Run, everything_joined, simulate_with};

/// Payload of a link of 200 Gb/s, in packets of 4096 bytes and 62 of header.
const FULL: f64 = 200e9 * 4096.0 / 4158.0;

fn compiled(text: &str) -> Model {
    let resolved =
        resolve(text, "throttling.yaml").unwrap_or_else(|wrong| panic!("{}", wrong.render(Style::Plain)));
    compile(&resolved).unwrap_or_else(|wrong| panic!("{}", wrong.render(Style::Plain))).model
}

fn simulated(model: &Model, options: Options) -> Run {
    let work = expand(&model.workload, model.fabric.n_hosts(), model.seed).expect("the flows are valid");
    simulate_with(model, work, options, Extensions::default())
}

/// This number of senders in four racks to one host, and beside them a stream to its neighbour: the first of the flows.
fn scene(n_aggressors: usize, control: &str, stops: &str) -> String {
    let aggressor = |number: usize| {
        let (leaf, host) = (number % 4, number / 4 + if number.is_multiple_of(4) { 2 } else { 1 });
        format!("    - {{from: leaf{leaf}.host{host}, to: leaf0.host0, stop: {stops}}}\n")
    };
    let aggressors: String = (0..n_aggressors).map(aggressor).collect();
    format!(
        "netloom: 1
fabric:
  leaf_spine: {{leaves: 4, spines: 10, hosts_per_leaf: 10, host_rate: 200Gbps, host_delay: 300ns, fabric_delay: 300ns}}
balance: spray
transport: {{ideal: {{queue_pairs: pair}}}}
queues: {{credits: {{buffer: 64KiB}}}}
congestion: {control}
flows:
  message: 128KiB
  warm_up: 0s
  list:
    - {{from: leaf1.host0, to: leaf0.host1, stop: 3ms}}
{aggressors}
"
    )
}

/// The share of a link that the victim got, and those of the aggressors.
fn shares(run: &Run) -> (f64, Vec<f64>) {
    let mut shares: Vec<f64> = run.records.stages.iter().map(|row| row.throughput / FULL).collect();
    (shares.remove(0), shares)
}

fn jain(shares: &[f64]) -> f64 {
    let (sum, squares) = shares.iter().fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
    sum * sum / (shares.len() as f64 * squares)
}

#[test]
fn an_incast_does_not_slow_other_flows() {
    let got = |n_aggressors, control| {
        let run = simulated(&compiled(&scene(n_aggressors, control, "3ms")), Options::default());
        assert!(run.records.drops.is_empty());
        shares(&run)
    };
    let (alone, _) = got(0, "none");
    assert!(alone > 0.98, "{alone}");
    let (held_up, _) = got(31, "none");
    assert!(held_up < 0.5 * alone, "{held_up}");
    for n_aggressors in [4, 31] {
        let (victim, aggressors) = got(n_aggressors, "slingshot");
        assert!(victim > 0.95 * alone, "{n_aggressors}: {victim} of {alone}");
        let used: f64 = aggressors.iter().sum();
        assert!((0.95..1.001).contains(&used), "{n_aggressors}: {used}");
        assert!(jain(&aggressors) > 0.95, "{n_aggressors}: {aggressors:?}");
    }
}

#[test]
fn hosts_that_send_elsewhere_are_not_notified() {
    // The host of the victim takes part in the incast, too: only its traffic to the incast's root is slowed.
    let mut text = scene(16, "slingshot", "3ms");
    text.push_str("    - {from: leaf1.host0, to: leaf0.host0, stop: 3ms}\n");
    text.push_str("record: {rates: 20us, rates_from: [leaf1.host0]}\n");
    let run = simulated(&compiled(&text), Options::default());
    let rates = |destination: u32| {
        let rows = run.records.rates.iter().filter(move |row| row.destination.0 == destination);
        rows.filter_map(|row: &RateRow| row.rate.map(|rate| rate.0)).collect::<Vec<_>>()
    };
    assert!(rates(1).iter().all(|&rate| rate == 200_000_000_000), "{:?}", rates(1));
    assert!(rates(0).iter().filter(|&&rate| rate < 30_000_000_000).count() > 100, "{:?}", rates(0));
}

#[test]
fn the_remaining_sender_recovers_its_rate_when_the_incast_ends() {
    // Fifteen of sixteen stop; only the last one continues.
    let mut text = scene(16, "slingshot", "1ms");
    text = text.replacen("to: leaf0.host0, stop: 1ms", "to: leaf0.host0, stop: 2ms", 1);
    text.push_str("record: {rates: 10us, rates_of: [leaf0.host2->leaf0.host0]}\n");
    let run = simulated(&compiled(&text), Options::default());
    let rates: Vec<(u64, u64)> =
        run.records.rates.iter().filter_map(|row| Some((row.time.0 / 1_000_000, row.rate?.0))).collect();
    let back = rates.iter().rfind(|(_, rate)| *rate < 200_000_000_000).expect("it was slowed").0;
    // The messages of the others that were posted before 1 ms are still sent: two of 128 KiB each, at a sixteenth.
    let rest = 15.0 * 2.0 * 131_072.0 * 8.0 / FULL * 1e6;
    assert!((1_000..1_000 + rest as u64 + 60).contains(&back), "{back} us, {rest} us");
}

#[test]
fn execution_options_do_not_change_records() {
    let mut text = scene(20, "slingshot", "500us").replace("3ms", "500us");
    text.push_str("record: {packets_from: [leaf1.host0]}\n");
    let model = compiled(&text);
    let first = simulated(&model, Options::default());
    assert_eq!(first.outcome.status, Status::Complete);
    let plain = Options::default();
    for variant in [
        Options { threads: 2, ..plain },
        Options { coarsen: 2, shortcut: false, ..plain },
        Options { threads: 2, ..everything_joined() },
    ] {
        assert!(simulated(&model, variant).records == first.records, "{variant:?}");
    }
}
