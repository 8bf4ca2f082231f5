//! Random flow sets: 2 to 12 flows between random hosts of a small leaf-spine fabric or fat tree, all links alike.
//!
//! Delays are such that a buffer holds more than the bandwidth-delay product, so that only links limit a flow without
//! competition.

use netloom_units::{HostId, Random};

use crate::configuration::Configuration;

/// A random flow set.
#[derive(Debug, Clone)]
pub struct FlowSet {
    /// Its number, which is also the seed.
    pub number: u32,
    /// The fabric, as written in a scenario.
    fabric: String,
    /// The names of hosts.
    hosts: Vec<String>,
    /// Sender and receiver of each flow.
    pub flows: Vec<(HostId, HostId)>,
}

impl FlowSet {
    /// The flow set of a number, always the same.
    pub fn random(number: u32) -> FlowSet {
        let mut random = Random::stream(u64::from(number), 0xfa1f, 0);
        let (shape, hosts) =
            if random.below(3) == 0 { fat_tree(&mut random) } else { leaf_spine(&mut random) };
        let n_hosts = hosts.len() as u32;
        let n_flows = 2 + random.below(11);
        // Often the same few hosts, so that flows compete.
        let n_used = n_hosts.min(2 + random.below(n_hosts - 1));
        let flow = |_| {
            let from = random.below(n_hosts);
            let to = (from + 1 + random.below(n_used - 1)) % n_hosts;
            (HostId(from), HostId(to))
        };
        let flows = (0..n_flows).map(flow).collect();
        FlowSet { number, fabric: shape, hosts, flows }
    }

    /// Each host of a fat tree of radix 4 sends to one other, and receives from one.
    pub fn permutation(number: u32) -> FlowSet {
        let mut random = Random::stream(u64::from(number), 0xfa1f, 1);
        let links = links(&mut random, &["leaf_delay", "core_delay"]);
        let shape = format!(
            "pods: 4, leaves_per_pod: 2, hosts_per_leaf: 2, aggregations_per_pod: 2, \
             cores_per_aggregation: 2, {links}"
        );
        let hosts: Vec<String> =
            (0..16).map(|host| format!("pod{}.leaf{}.host{}", host / 4, host / 2 % 2, host % 2)).collect();
        // One cycle through all hosts in random order.
        let mut order: Vec<u32> = (0..16).collect();
        for last in (1..16).rev() {
            order.swap(last, random.below(last as u32 + 1) as usize);
        }
        let flow = |slot: usize| (HostId(order[slot]), HostId(order[(slot + 1) % 16]));
        FlowSet {
            number,
            fabric: format!("{{fat_tree: {{{shape}}}}}"),
            hosts,
            flows: (0..16).map(flow).collect(),
        }
    }

    /// The scenario: 200 us of warm-up, 400 us that are measured.
    pub fn scenario(&self, configuration: Configuration) -> String {
        let FlowSet { number, fabric, .. } = self;
        let mut text = format!("netloom: 1\nseed: {number}\nfabric: {fabric}\n{}", configuration.sections());
        // Two messages hold more than the buffers of a path.
        text += "flows:\n  message: 512KiB\n  warm_up: 200us\n  list:\n";
        for (flow, (from, to)) in self.flows.iter().enumerate() {
            let [from, to] = [from, to].map(|host| &self.hosts[host.index()]);
            text += &format!("    - {{name: f{flow}, from: {from}, to: {to}, stop: 600us}}\n");
        }
        text
    }
}

/// The link of all tiers: a rate, and the delay of hosts' and of other links.
fn links(random: &mut Random, others: &[&str]) -> String {
    let mut pick = |words: &[&str]| words[random.below(words.len() as u32) as usize].to_owned();
    let rate = pick(&["100Gbps", "199Gbps", "200Gbps", "200Gbps", "400Gbps"]);
    let host = pick(&["100ns", "300ns"]);
    let other = pick(&["100ns", "300ns"]);
    let mut text = format!("host_rate: {rate}, host_delay: {host}");
    for name in others {
        text += &format!(", {name}: {other}");
    }
    text
}

fn leaf_spine(random: &mut Random) -> (String, Vec<String>) {
    let [leaves, spines, below] = [2 + random.below(4), 1 + random.below(4), 2 + random.below(3)];
    let links = links(random, &["fabric_delay"]);
    let shape = format!("leaves: {leaves}, spines: {spines}, hosts_per_leaf: {below}, {links}");
    let hosts = (0..leaves * below).map(|host| format!("leaf{}.host{}", host / below, host % below));
    (format!("{{leaf_spine: {{{shape}}}}}"), hosts.collect())
}

fn fat_tree(random: &mut Random) -> (String, Vec<String>) {
    let [pods, leaves, below] = [2 + random.below(3), 1 + random.below(2), 2 + random.below(2)];
    let [aggregations, cores] = [1 + random.below(2), 1 + random.below(2)];
    let links = links(random, &["leaf_delay", "core_delay"]);
    let shape = format!(
        "pods: {pods}, leaves_per_pod: {leaves}, hosts_per_leaf: {below}, aggregations_per_pod: {aggregations}, \
         cores_per_aggregation: {cores}, {links}"
    );
    let name = |host: u32| {
        let leaf = host / below;
        format!("pod{}.leaf{}.host{}", leaf / leaves, leaf % leaves, host % below)
    };
    (format!("{{fat_tree: {{{shape}}}}}"), (0..pods * leaves * below).map(name).collect())
}
