//! The text of a scenario, with comments that describe the original's behaviour.
//!
//! Invariants: every value that the original fixes is written, never left to a default.

use std::fmt::{Display, Write as _};

use netloom_scenario::quantity::{self, Dimension};
use netloom_units::{Duration, Rate};

use super::config::Config;
use super::heavy::Heavy;
use super::mice::Mice;
use super::mixed::{Mixed, Pipeline, Placement, Tensor};
use super::rings::Rings;
use super::topology::{Routing, Topology};

/// Adds a line; writing into a string cannot fail.
macro_rules! line {
    ($text:expr, $($arguments:tt)*) => { writeln!($text, $($arguments)*).expect("a string takes text") };
}

/// A scenario of the data-parallel job.
pub(super) fn heavy(name: &str, config: &Config, heavy: &Heavy, rings: &Rings) -> String {
    let ranks = config.topology.n_hosts();
    let mut text = String::new();
    line!(
        text,
        "# {name}: data-parallel training on {ranks} hosts, {} paths.",
        routing_word(config.topology.routing)
    );
    line!(text, "#");
    line!(
        text,
        "# Imported from a configuration of the simulator of zeltser2026; its code behaves as follows:"
    );
    line!(
        text,
        "# - gradients in buckets of {} per host, one bucket after the other, {} in a step;",
        size(heavy.bytes),
        heavy.buckets
    );
    line!(
        text,
        "# - a bucket is a reduce-scatter and an all-gather at the same time, each over a newly shuffled ring;"
    );
    line!(
        text,
        "# - no message waits for another: all {} of a host and ring start at once, over one path if hashed;",
        ranks - 1
    );
    line!(text, "# - a bucket ends for all hosts when its last message has arrived.");
    common(&mut text, name, config);
    line!(text, "jobs:");
    line!(text, "  - name: dp_heavy");
    line!(text, "    placement: all");
    line!(text, "    steps: {}", heavy.steps);
    line!(text, "    phases:");
    line!(text, "      - compute: {}  # forward and backward", span(heavy.before));
    line!(text, "      - collectives:");
    line!(text, "          buckets: {}", heavy.buckets);
    line!(text, "          barrier: true");
    line!(text, "          each:");
    both(&mut text, "            ", heavy.bytes, order(&rings.heavy));
    line!(text, "      - compute: {}  # optimizer", span(heavy.after));
    orders(&mut text, &rings.heavy);
    background(&mut text, config);
    line!(text, "# The original counts the packets that wait at each port.");
    line!(text, "record: {{queue_packets: true}}");
    text
}

/// A scenario of the two jobs side by side.
pub(super) fn mixed(name: &str, config: &Config, mixed: &Mixed, rings: &Rings) -> String {
    let mut text = String::new();
    line!(
        text,
        "# {name}: a tensor-parallel and a pipeline-parallel job side by side, {} paths.",
        routing_word(config.topology.routing)
    );
    line!(text, "#");
    line!(
        text,
        "# Imported from a configuration of the simulator of zeltser2026; its code behaves as follows:"
    );
    line!(text, "# - sizes are those of its file times {};", mixed.scale);
    line!(text, "# - its all-reduce sends what a reduce-scatter sends, half of a real one (`volume: half`);");
    line!(
        text,
        "# - no message waits for another, not even from stage to stage: everything of a phase starts at once;"
    );
    line!(
        text,
        "# - the gaps between microbatches count from the start of the run, so they affect only the first phase;"
    );
    line!(text, "# - a phase ends for all hosts of a job when its last message has arrived.");
    common(&mut text, name, config);
    line!(text, "jobs:");
    tensor(&mut text, config, mixed, &rings.tensor);
    pipeline(&mut text, config, mixed, &rings.pipeline);
    background(&mut text, config);
    line!(text, "# The original counts the packets that wait at each port.");
    line!(text, "record: {{queue_packets: true}}");
    text
}

fn common(text: &mut String, name: &str, config: &Config) {
    let Topology { leaves, spines, hosts_per_leaf, host_links, fabric_links, .. } = config.topology;
    line!(text, "netloom: 1");
    line!(text, "name: {name}");
    line!(text, "seed: {}", config.seed);
    line!(text, "fabric:");
    line!(text, "  leaf_spine:");
    line!(text, "    leaves: {leaves}");
    line!(text, "    spines: {spines}");
    line!(text, "    hosts_per_leaf: {hosts_per_leaf}");
    line!(text, "    host_links: {host_links}");
    line!(text, "    fabric_links: {fabric_links}");
    line!(text, "    host_rate: {}", rate(config.topology.host_rate));
    line!(text, "    fabric_rate: {}", rate(config.topology.fabric_rate));
    line!(text, "    host_delay: 1us");
    line!(text, "    fabric_delay: 1us");
    routing(text, config.topology.routing);
    line!(text, "# No headers, no ACKs, no windows; messages of a pair that start together share one hash.");
    line!(text, "transport:");
    line!(text, "  open_loop: {{packet: {}, hash_input: start}}", size(config.topology.packet));
    failures(text, config.topology.failure_percent);
}

fn routing_word(routing: Routing) -> &'static str {
    match routing {
        Routing::Ecmp => "hashed",
        Routing::Flowlet(_) => "hashed (flowlet)",
        Routing::Adaptive => "adaptive",
    }
}

fn routing(text: &mut String, routing: Routing) {
    match routing {
        Routing::Ecmp => {
            line!(
                text,
                "# One hash for all nodes on the path, the sending host's choice of NIC port included."
            );
            line!(text, "balance:");
            line!(text, "  ecmp: {{salt: none}}");
        }
        Routing::Flowlet(packets) => {
            line!(
                text,
                "# One hash for all nodes on the path; a new one after every {packets} packets of a message."
            );
            line!(text, "balance:");
            line!(text, "  flowlet: {{by: packets, packets: {packets}, salt: none}}");
        }
        Routing::Adaptive => {
            line!(
                text,
                "# The shortest queue at every node, in packets, the sending host's choice of NIC port included."
            );
            line!(text, "balance:");
            line!(text, "  adaptive: {{backlog: packets}}");
        }
    }
}

fn failures(text: &mut String, percent: f64) {
    if percent > 0.0 {
        line!(
            text,
            "# Each link, host links included, fails at random before the run; only the nodes at its ends detect it."
        );
        line!(text, "faults:");
        line!(text, "  awareness: local");
        line!(text, "  random: {{fraction: {percent}%, among: all, draw: coin}}");
    }
}

fn tensor(text: &mut String, config: &Config, mixed: &Mixed, rings: &[Vec<u32>]) {
    let Tensor { steps, before, micro_collectives, micro_bytes, micro_compute, final_bytes, after } =
        mixed.tensor;
    line!(text, "  - name: tp_heavy");
    line!(text, "    placement: {}", placement(config, mixed));
    line!(text, "    steps: {steps}");
    line!(text, "    phases:");
    line!(text, "      - compute: {}", span(before));
    line!(text, "      - repeat:");
    line!(text, "          times: {micro_collectives}");
    line!(text, "          phases:");
    line!(text, "            - collectives:");
    line!(text, "                barrier: true");
    line!(text, "                each:");
    let (bytes, order) = (size(micro_bytes), order(rings));
    line!(
        text,
        "                  - ring_all_reduce: {{size: {bytes}, volume: half, dependent: false, order: {order}}}"
    );
    line!(text, "            - compute: {}", span(micro_compute));
    line!(text, "      - collectives:");
    line!(text, "          barrier: true");
    line!(text, "          each:");
    both(text, "            ", final_bytes, order);
    line!(text, "      - compute: {}", span(after));
    orders(text, rings);
}

fn pipeline(text: &mut String, config: &Config, mixed: &Mixed, rings: &[Vec<u32>]) {
    let Pipeline { steps, microbatches, gap, forward_bytes, backward_bytes, sync_bytes, after } =
        mixed.pipeline;
    line!(text, "  - name: pp_dp");
    line!(text, "    placement: {}", placement(config, mixed));
    line!(text, "    steps: {steps}");
    line!(text, "    phases:");
    for (bytes, backward) in [(forward_bytes, false), (backward_bytes, true)] {
        line!(text, "      - point_to_point:");
        line!(text, "          stages: 4");
        line!(text, "          size: {}", size(bytes));
        line!(text, "          microbatches: {microbatches}");
        line!(text, "          backward: {backward}");
        line!(text, "          dependent: false");
        line!(text, "          gap: {}", span(gap));
        line!(text, "          gap_from: run");
        line!(text, "          barrier: true");
    }
    line!(text, "      - collectives:");
    line!(text, "          barrier: true");
    line!(text, "          each:");
    both(text, "            ", sync_bytes, order(rings));
    line!(text, "      - compute: {}", span(after));
    orders(text, rings);
}

/// Half of the hosts; the first job takes the first hosts, and the second job the others.
fn placement(config: &Config, mixed: &Mixed) -> impl Display {
    let rule = match mixed.placement {
        Placement::RackBalanced => "rack_balanced",
        Placement::Contiguous => "contiguous",
    };
    format!("{{{rule}: {{ranks: {}}}}}", config.topology.n_hosts() / 2)
}

/// The two rings of a bucket, in parallel.
fn both(text: &mut String, indent: &str, bytes: u64, order: &str) {
    for ring in ["ring_reduce_scatter", "ring_all_gather"] {
        line!(text, "{indent}- {ring}: {{size: {}, dependent: false, order: {order}}}", size(bytes));
    }
}

fn order(rings: &[Vec<u32>]) -> &'static str {
    if rings.is_empty() { "shuffled" } else { "given" }
}

fn orders(text: &mut String, rings: &[Vec<u32>]) {
    if rings.is_empty() {
        return;
    }
    line!(text, "    orders:");
    for ring in rings {
        let ranks: Vec<String> = ring.iter().map(u32::to_string).collect();
        line!(text, "      - [{}]", ranks.join(", "));
    }
}

fn background(text: &mut String, config: &Config) {
    let Some(Mice { seed, start, end, interval, minimum_packets, maximum_packets, cross_rack }) = config.mice
    else {
        return;
    };
    line!(
        text,
        "# The same messages in every run, independent of the seed: one at a time over the whole network."
    );
    line!(text, "background:");
    line!(text, "  mice:");
    line!(text, "    seed: {seed}");
    line!(text, "    start: {}", span(start));
    line!(text, "    end: {}", span(end));
    line!(text, "    interval: {}", span(interval));
    line!(text, "    minimum_packets: {minimum_packets}");
    line!(text, "    maximum_packets: {maximum_packets}");
    line!(text, "    packet: {}", size(config.topology.packet));
    line!(text, "    cross_rack: {cross_rack}");
}

fn size(bytes: u64) -> String {
    quantity::print(bytes, Dimension::Size)
}

fn rate(rate: Rate) -> String {
    quantity::print(rate.0, Dimension::Rate)
}

fn span(span: Duration) -> String {
    quantity::print(span.0, Dimension::Duration)
}
