//! Marking thresholds that ports adapt by themselves: a link that was idle for lack of buffered packets is kept busy,
//! step times vary less; and records do not depend on execution options.

use netloom_catalog::expand;
use netloom_engine::{Extensions, Options};
use netloom_model::Model;
use netloom_scenario::{Style, compile, resolve};
use netloom_testkit::fixture::{Run, everything_joined, simulate_with};

fn compiled(text: &str) -> Model {
    let resolved =
        resolve(text, "adapting.yaml").unwrap_or_else(|wrong| panic!("{}", wrong.render(Style::Plain)));
    compile(&resolved).unwrap_or_else(|wrong| panic!("{}", wrong.render(Style::Plain))).model
}

fn simulated(model: &Model, options: Options) -> Run {
    let work = expand(&model.workload, model.fabric.n_hosts(), model.seed).expect("the flows are valid");
    simulate_with(model, work, options, Extensions::default())
}

/// Two senders of messages of 16 MiB, one after the other, to one host.
fn scene(marking: &str, stop: &str, more: &str) -> Model {
    compiled(&format!(
        "netloom: 1
fabric:
  leaf_spine: {{leaves: 2, spines: 2, hosts_per_leaf: 2, host_rate: 100Gbps, host_delay: 500ns, fabric_delay: 500ns}}
transport: {{ideal: {{queue_pairs: pair}}}}
congestion: {{dcqcn: {{preset: simai}}}}
queues:
  marking: {{minimum: 10KB, maximum: 40KB{marking}}}
flows:
  message: 16MiB
  posted: 1
  warm_up: 1ms
  list:
    - {{from: leaf0.host1, to: leaf0.host0, stop: {stop}}}
    - {{from: leaf1.host0, to: leaf0.host0, stop: {stop}}}
{more}
"
    ))
}

/// Repeated all-to-all of 16 MiB in two racks, whose flows sometimes share the links between the racks.
fn exchange(marking: &str) -> Model {
    compiled(&format!(
        "netloom: 1
fabric:
  leaf_spine: {{leaves: 2, spines: 4, hosts_per_leaf: 4, host_rate: 100Gbps, host_delay: 500ns, fabric_delay: 500ns}}
transport: {{ideal: {{queue_pairs: pair}}}}
congestion: {{dcqcn: {{preset: hpcc_paper, notify: packet, cnp_interval: 50us}}}}
queues:
  marking: {{minimum: 7KB, maximum: 60KB, probability: 0.3{marking}}}
jobs:
  - {{name: exchange, steps: 24, phases: [all_to_all_linear: {{size: 16MiB}}]}}
"
    ))
}

/// Mean and coefficient of variation of the bandwidths of steps, in Gb/s, from the ninth step on.
fn mean_and_variation(run: &Run) -> (f64, f64) {
    let bits = (16 << 20) as f64 * 7.0 / 8.0 * 8.0;
    let bandwidth = |span: u64| bits / (span as f64 / 1e3);
    let rows = run.records.steps.iter().filter(|row| row.step >= 8);
    let values: Vec<f64> = rows.map(|row| bandwidth(row.end.0 - row.start.0)).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
    (mean, (variance / values.len() as f64).sqrt() / mean)
}

#[test]
fn adaptive_thresholds_raise_the_bandwidth_of_steps_and_lower_its_variation() {
    let [fixed, moved] = ["", ", ai_ecn: 500us"]
        .map(|marking| mean_and_variation(&simulated(&exchange(marking), Options::default())));
    assert!(fixed.1 > 0.08, "{fixed:?}");
    assert!(moved.1 < 0.02, "{moved:?}");
    assert!(moved.0 > 1.2 * fixed.0, "{fixed:?} {moved:?}");
}

#[test]
fn execution_options_do_not_change_records() {
    for at in ["dequeue", "enqueue"] {
        let marking = format!(", ai_ecn: 50us, at: {at}");
        let model = scene(&marking, "3ms", "record: {series: 50us}");
        let first = simulated(&model, Options::default());
        assert!(first.records.signals.iter().any(|row| row.marked > 0));
        let fixed =
            simulated(&scene(&format!(", at: {at}"), "3ms", "record: {series: 50us}"), Options::default());
        assert!(first.records.signals != fixed.records.signals, "{at}");
        let plain = Options::default();
        for variant in [
            Options { threads: 2, ..plain },
            Options { coarsen: 2, shortcut: false, ..plain },
            Options { threads: 2, ..everything_joined() },
        ] {
            assert!(simulated(&model, variant).records == first.records, "{at} {variant:?}");
        }
    }
}
