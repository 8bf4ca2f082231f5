//! A flow set in a configuration: the throughput of each flow, that with an ideal crossbar, and its max-min share.

use crate::configuration::Configuration;
use crate::flow_set::FlowSet;
use crate::max_min::{self, Overhead};
use crate::measurement::{ACK, Crossbar, PACKET, PAYLOAD, measure, model};
use crate::path::resources;

const OVERHEAD: Overhead =
    Overhead { data: PACKET as f64 / PAYLOAD as f64, acks: ACK as f64 / PAYLOAD as f64 };

/// Throughputs of one flow, in bit/s of payload.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    /// In the network as it is.
    pub found: f64,
    /// With an ideal crossbar.
    pub ideal: f64,
    /// By water-filling. It bounds the least share of a flow set, not that of a single flow: a flow may get more if
    /// another cannot use its share, because its packets wait behind others without credits.
    pub max_min: f64,
}

impl Share {
    /// Throughput relative to that with an ideal crossbar.
    pub fn of_ideal(&self) -> f64 {
        self.found / self.ideal
    }

    /// Throughput relative to its max-min share.
    pub fn of_max_min(&self) -> f64 {
        self.found / self.max_min
    }
}

/// A flow set with its throughputs in a configuration.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The flow set.
    pub set: FlowSet,
    /// The shares of each flow.
    pub shares: Vec<Share>,
    /// Conditions of every run that either run violates.
    pub faults: Vec<String>,
}

/// No allocation has a least share above the least max-min share, except for the limits of the measured interval, and
/// for ACKs, whose number depends on the shares.
const SLACK: f64 = 1.03;

fn least(rates: &[f64]) -> f64 {
    rates.iter().copied().fold(f64::MAX, f64::min)
}

/// Measures a flow set.
pub fn compare(set: &FlowSet, configuration: Configuration) -> Comparison {
    let text = set.scenario(configuration);
    let runs = [Crossbar::AsWritten, Crossbar::Ideal].map(|crossbar| measure(&text, crossbar));
    let links = resources(&model(&text, Crossbar::AsWritten), &set.flows, configuration.merging());
    let max_min = max_min::shares(set.flows.len(), &links, OVERHEAD);
    let [found, ideal] = &runs;
    assert_eq!([found, ideal].map(|run| run.throughputs.len()), [set.flows.len(); 2], "{text}");
    let share = |flow: usize| Share {
        found: found.throughputs[flow],
        ideal: ideal.throughputs[flow],
        max_min: max_min[flow],
    };
    let shares: Vec<Share> = (0..set.flows.len()).map(share).collect();
    let is_possible = runs.iter().all(|run| least(&run.throughputs) <= SLACK * least(&max_min));
    let impossible = (!is_possible).then(|| "every flow gets more than the links allow".to_owned());
    let faults = runs.into_iter().flat_map(|run| run.faults).chain(impossible).collect();
    Comparison { set: set.clone(), shares, faults }
}

impl Comparison {
    /// The lowest throughput of a flow relative to its ideal.
    pub fn worst_of_ideal(&self) -> f64 {
        self.shares.iter().map(Share::of_ideal).fold(f64::MAX, f64::min)
    }

    /// The lowest throughput of a flow relative to its max-min share.
    pub fn worst_of_max_min(&self) -> f64 {
        self.shares.iter().map(Share::of_max_min).fold(f64::MAX, f64::min)
    }

    /// The scenario, with the figures of all flows as a comment, in Gb/s.
    pub fn text(&self, configuration: Configuration) -> String {
        let mut text =
            format!("# flow set {}: {configuration}\n{}", self.set.number, self.set.scenario(configuration));
        text += "# Gb/s:   found   ideal max-min\n";
        for (flow, share) in self.shares.iter().enumerate() {
            let [found, ideal, max_min] = [share.found, share.ideal, share.max_min].map(|rate| rate / 1e9);
            text += &format!("#   f{flow:<4} {found:7.2} {ideal:7.2} {max_min:7.2}\n");
        }
        text
    }
}
