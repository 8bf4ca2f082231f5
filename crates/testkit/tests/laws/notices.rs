//! Congestion notifications to upstream switches (ARN): traffic leaves a path that is congested further on, over one
//! switch or several, other traffic does not, and records do not depend on execution options.

use netloom_catalog::expand;
use netloom_engine::{Extensions, Options};
use netloom_model::Model;
use netloom_scenario::{Style, compile, resolve};
use netloom_testkit::fixture::{Run, everything_joined, simulate_with};

const SCENE: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/infiniband/notifications.yaml"));
const NOTIFIED: &str = "{notify_above: 16KiB}";
const SILENT: &str = "{notify_above: none}";
/// Payload of a link of 200 Gb/s, in packets of 4096 bytes and 62 of header.
const FULL: f64 = 200e9 * 4096.0 / 4158.0;

/// Two paths of two switches each between the leaves; the last link of the second one is slow.
const NON_MINIMAL_PATHS: &str = "
netloom: 1
fabric:
  custom:
    hosts: [a, b]
    switches: [near, far, up0, up1, down0, down1]
    links:
      - {from: a, to: near, rate: 200Gbps, delay: 500ns}
      - {from: b, to: far, rate: 200Gbps, delay: 500ns}
      - {from: near, to: up0, rate: 200Gbps, delay: 500ns}
      - {from: near, to: up1, rate: 200Gbps, delay: 500ns}
      - {from: up0, to: down0, rate: 200Gbps, delay: 500ns}
      - {from: up1, to: down1, rate: 200Gbps, delay: 500ns}
      - {from: down0, to: far, rate: 200Gbps, delay: 500ns}
      - {from: down1, to: far, rate: 50Gbps, delay: 500ns}
balance: {host: deterministic, switch: {adaptive_infiniband: {notify_above: 16KiB}}}
transport: ideal
queues: {credits: {}}
flows: {message: 1MiB, warm_up: 200us, list: [{from: a, to: b, stop: 1ms}]}
";

fn compiled(text: &str) -> Model {
    let resolved =
        resolve(text, "test.yaml").unwrap_or_else(|wrong| panic!("{}", wrong.render(Style::Plain)));
    compile(&resolved).unwrap_or_else(|wrong| panic!("{}", wrong.render(Style::Plain))).model
}

fn simulated(model: &Model, options: Options) -> Run {
    let work = expand(&model.workload, model.fabric.n_hosts(), model.seed).expect("the flows are valid");
    simulate_with(model, work, options, Extensions::default())
}

/// The share of a link that the flows got, and the share of packets of the first leaf on its second path.
fn outcome(text: &str, leaf: u32, second: u32) -> (Vec<f64>, f64) {
    let run = simulated(&compiled(text), Options::default());
    assert!(run.records.drops.is_empty());
    let shares = run.records.stages.iter().map(|row| row.throughput / FULL).collect();
    let packets = |peer: Option<u32>| {
        let rows = run.records.ports.iter().filter(|row| row.node.0 == leaf && row.peer.0 >= second - 1);
        let rows = rows.filter(|row| peer.is_none_or(|peer| row.peer.0 == peer));
        rows.map(|row| row.packets).sum::<u64>() as f64
    };
    (shares, packets(Some(second)) / packets(None))
}

#[test]
fn traffic_leaves_the_spine_that_reports_congestion() {
    let (silent, half) = outcome(&SCENE.replace(NOTIFIED, SILENT), 4, 7);
    assert!((half - 0.5).abs() < 0.001, "{half}");
    // That half goes at a quarter of the rate, and the other half at the same pace.
    assert!((silent[0] - 0.5).abs() < 0.02, "{silent:?}");
    let (notified, little) = outcome(SCENE, 4, 7);
    assert!((0.9..=1.001).contains(&notified[0]), "{notified:?}");
    assert!((0.001..0.15).contains(&little), "{little}");
}

#[test]
fn a_choice_by_load_respects_notifications_as_well() {
    let by_load = |policy: &str| SCENE.replace(NOTIFIED, &policy.replace('}', ", choice: load}"));
    let ((silent, some), (notified, little)) =
        (outcome(&by_load(SILENT), 4, 7), outcome(&by_load(NOTIFIED), 4, 7));
    // The near leaf sees that the port waits for credits, once it does.
    assert!(silent[0] > 0.9 && notified[0] > 0.9, "{silent:?} {notified:?}");
    assert!(little < some / 2.0, "{some} and {little}");
}

#[test]
fn only_packets_to_the_leaf_concerned_avoid_the_port() {
    // A second near leaf, to which nothing is slow, on the same spines.
    let more = SCENE
        .replace("switches: [near, far, spine0, spine1]", "switches: [near, far, spine0, spine1, fast]")
        .replace("hosts: [a, b, c, d]", "hosts: [a, b, c, d, e]")
        .replace(
            "    links:\n",
            "    links:\n      - {from: e, to: fast, rate: 200Gbps, delay: 500ns}\n      \
             - {from: fast, to: spine0, rate: 200Gbps, delay: 500ns}\n      \
             - {from: fast, to: spine1, rate: 200Gbps, delay: 500ns}\n",
        );
    let model = compiled(&format!("{more}    - {{name: beside, from: b, to: e, stop: 1ms, rate: 50Gbps}}\n"));
    let run = simulated(&model, Options::default());
    // Towards the fast leaf, node 9, each spine sends half.
    let to_fast = |spine: u32| {
        let rows = run.records.ports.iter().filter(|row| (row.node.0, row.peer.0) == (spine, 9));
        rows.map(|row| row.packets).sum::<u64>() as f64
    };
    assert!((to_fast(7) / to_fast(8) - 1.0).abs() < 0.02, "{} and {}", to_fast(7), to_fast(8));
    assert!(to_fast(7) > 500.0);
}

#[test]
fn a_switch_without_an_alternative_path_forwards_the_notification() {
    let silent = outcome(&NON_MINIMAL_PATHS.replace(NOTIFIED, SILENT), 2, 5);
    let notified = outcome(NON_MINIMAL_PATHS, 2, 5);
    assert!(silent.0[0] < 0.6 && (silent.1 - 0.5).abs() < 0.001, "{silent:?}");
    assert!(notified.0[0] > 0.9 && notified.1 < 0.15, "{notified:?}");
}

#[test]
fn execution_options_do_not_change_records() {
    for text in [SCENE, NON_MINIMAL_PATHS] {
        let mut model = compiled(text);
        model.recording.packets_from = vec![netloom_units::HostId(0)];
        let first = simulated(&model, Options::default());
        let plain = Options::default();
        for variant in [
            Options { threads: 2, ..plain },
            Options { coarsen: 2, shortcut: false, ..plain },
            Options { threads: 2, ..everything_joined() },
        ] {
            let run = simulated(&model, variant);
            assert!(run.records == first.records && run.outcome.hops == first.outcome.hops, "{variant:?}");
        }
    }
}
