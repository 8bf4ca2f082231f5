//! Congestion control by acknowledgements: behaviour of HPCC, TIMELY and Swift at one bottleneck; windows are
//! respected; telemetry agrees with the state of ports; and records do not depend on execution options.

use netloom_catalog::expand;
use netloom_engine::{Extensions, Options, Status};
use netloom_model::Model;
use netloom_scenario::{Style, compile, resolve};
use netloom_testkit::fixture::{Run, everything_joined, simulate_with};

/// Payload of 100 Gb/s, in packets of 4096 bytes and 62 of header.
const FULL: f64 = 100e9 * 4096.0 / 4158.0;
/// The transmission time of a packet.
const PACKET: u64 = 4158;

fn compiled(text: &str) -> Model {
    let resolved =
        resolve(text, "senses.yaml").unwrap_or_else(|wrong| panic!("{}", wrong.render(Style::Plain)));
    compile(&resolved).unwrap_or_else(|wrong| panic!("{}", wrong.render(Style::Plain))).model
}

fn simulated(model: &Model, options: Options) -> Run {
    let work = expand(&model.workload, model.fabric.n_hosts(), model.seed).expect("the flows are valid");
    simulate_with(model, work, options, Extensions::default())
}

/// This number of senders, half of them in the rack of the receiver, under a congestion control.
fn scene(n_senders: usize, control: &str, more: &str) -> String {
    let per_leaf = n_senders.div_ceil(2) + 1;
    let sender = |number: usize| {
        let (leaf, host) = if number.is_multiple_of(2) { (1, number / 2) } else { (0, number / 2 + 1) };
        format!("    - {{from: leaf{leaf}.host{host}, to: leaf0.host0, stop: 3ms}}\n")
    };
    let senders: String = (0..n_senders).map(sender).collect();
    format!(
        "netloom: 1
fabric:
  leaf_spine: {{leaves: 2, spines: {per_leaf}, hosts_per_leaf: {per_leaf}, host_rate: 100Gbps, host_delay: 500ns, fabric_delay: 500ns}}
congestion: {control}
flows:
  message: 256KiB
  warm_up: 1500us
  list:
{senders}{more}
"
    )
}

const IDEAL: &str = "transport: {ideal: {queue_pairs: pair}}";

/// The shares of the receiver's link that flows got, and the peak of the queue before it.
fn at_bottleneck(run: &Run) -> (Vec<f64>, u64) {
    let shares = run.records.stages.iter().map(|row| row.throughput / FULL).collect();
    let last = run.records.ports.iter().filter(|row| row.peer.0 == 0);
    (shares, last.map(|row| row.peak_size.simulated().0).max().expect("the receiver has a link"))
}

fn jain(shares: &[f64]) -> f64 {
    let (sum, squares) = shares.iter().fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
    sum * sum / (shares.len() as f64 * squares)
}

#[test]
fn hpcc_uses_nearly_all_of_a_bottleneck_and_shares_it() {
    for n_senders in [1, 2, 4] {
        let run =
            simulated(&compiled(&scene(n_senders, "{hpcc: {additive: 400Mbps}}", IDEAL)), Options::default());
        let (shares, _) = at_bottleneck(&run);
        let used: f64 = shares.iter().sum();
        assert!((0.92..0.995).contains(&used), "{n_senders}: {shares:?}");
        assert!(jain(&shares) > 0.97, "{n_senders}: {shares:?}");
    }
}

/// Bytes before the receiver's link at the ends of intervals, from half time on.
fn queue_later(model: &Model) -> f64 {
    let mut model = model.clone();
    model.recording.series = Some(netloom_model::Sampling::every(netloom_units::Duration::from_micros(20)));
    let run = simulated(&model, Options::default());
    let rows = run.records.series.iter().filter(|row| {
        let is_last = model.fabric.neighbour(row.port).0 == 0;
        is_last && (1_500_000_000..2_900_000_000).contains(&row.time.0)
    });
    let (sum, count) = rows.fold((0.0, 0.0), |(sum, count), row| (sum + row.waiting.0 as f64, count + 1.0));
    sum / count
}

#[test]
fn under_hpcc_the_queue_is_short_and_without_control_it_is_long() {
    let queues = ["{hpcc: {additive: 400Mbps}}", "none"]
        .map(|control| queue_later(&compiled(&scene(4, control, IDEAL))));
    // Base round trip of 5 us: 62 kB at line rate.
    assert!(queues[0] < 12_000.0, "{queues:?}");
    assert!(queues[1] > 500_000.0, "{queues:?}");
}

#[test]
fn swift_keeps_the_queue_at_its_target() {
    // Round trip without a queue over two switches within the rack: 4 links of 500 ns, 2 packets and 2 ACKs: 2.7 us.
    let control = "{swift: {base_target: 10us, hop_target: 0s, range: 0s, initial: 12}}";
    let queue = queue_later(&compiled(&scene(2, control, IDEAL)));
    // 10 us of round trip, less 3 to 5 us of path latency: 60 to 90 kB.
    assert!((50_000.0..100_000.0).contains(&queue), "{queue}");
    let run = simulated(&compiled(&scene(4, control, IDEAL)), Options::default());
    let (shares, _) = at_bottleneck(&run);
    assert!(shares.iter().sum::<f64>() > 0.97, "{shares:?}");
}

#[test]
fn windows_apply_from_the_first_packet_on() {
    // At most twelve packets each, however long the queue: four senders send at most 48 before the first ACK.
    let control = "{swift: {base_target: 1ms, initial: 12, additive: 0.001}}";
    let run = simulated(&compiled(&scene(4, control, IDEAL)), Options::default());
    let (_, peak) = at_bottleneck(&run);
    assert!(peak <= 48 * PACKET, "{}", peak / PACKET);
    assert!(peak > 24 * PACKET, "{}", peak / PACKET);
}

#[test]
fn below_a_packet_per_round_trip_senders_pace() {
    // Thirty senders and no room for a packet of each: the queue stays below thirty packets.
    let control = "{swift: {base_target: 4us, hop_target: 0s, range: 0s}}";
    let queue = queue_later(&compiled(&scene(30, control, IDEAL)));
    assert!(queue < 15.0 * PACKET as f64, "{queue}");
    let run = simulated(&compiled(&scene(30, control, IDEAL)), Options::default());
    let (shares, _) = at_bottleneck(&run);
    assert!(shares.iter().sum::<f64>() > 0.8, "{shares:?}");
}

#[test]
fn timely_keeps_the_queue_between_its_thresholds() {
    let control = "{timely: {low: 20us, high: 100us, minimum_rtt: 5us, additive: 1Gbps, hyper: 5Gbps}}";
    let queue = queue_later(&compiled(&scene(2, control, IDEAL)));
    // A queue that delays by 100 us: 1.25 MB.
    assert!(queue < 1_250_000.0, "{queue}");
    let run = simulated(&compiled(&scene(2, control, IDEAL)), Options::default());
    let (shares, _) = at_bottleneck(&run);
    // Which senders are slowed when is random, and nothing makes shares equal again (Zhu et al., CoNEXT 2016).
    assert!((0.7..1.0).contains(&shares.iter().sum::<f64>()), "{shares:?}");
}

#[test]
fn execution_options_do_not_change_records() {
    let pausing = "queues: {buffer: 400KB, pause: true}\ntransport: {go_back_n: {queue_pairs: pair}}";
    let credits = "queues: {credits: {}}\ntransport: {ideal: {queue_pairs: pair}}";
    let lossy = "queues: {switch_limit: 100KB}\ntransport: {irn: {queue_pairs: pair, timeout: 50us, timeout_low: 20us}}";
    let failing = "transport: {nic_sr: {queue_pairs: pair, nack: as_cnp}}\nbalance: spray\nfaults: {timed: [{at: 700us, action: down, link: leaf0-spine1.0}, {at: 900us, action: up, link: leaf0-spine1.0}]}";
    for control in ["hpcc", "{timely: {low: 5us, high: 50us}}", "{swift: {base_target: 4us}}"] {
        for more in [pausing, credits, lossy, failing] {
            let text = scene(4, control, more).replace("3ms", "1ms").replace("1500us", "100us");
            let mut model = compiled(&text);
            model.recording.series =
                Some(netloom_model::Sampling::every(netloom_units::Duration::from_micros(50)));
            let first = simulated(&model, Options::default());
            assert_eq!(first.outcome.status, Status::Complete, "{control} {more}");
            let plain = Options::default();
            for variant in [
                Options { threads: 2, ..plain },
                Options { coarsen: 2, shortcut: false, ..plain },
                Options { threads: 2, ..everything_joined() },
            ] {
                assert!(simulated(&model, variant).records == first.records, "{control} {more} {variant:?}");
            }
        }
    }
}
