//! Mice: short background flows at a fixed pace, from and to random hosts.
//!
//! Models: one flow per tick for the whole network, with a generator of its own, so that the sequence is always the
//! same.
//! Leaves out: random arrival.
//! Invariant: the times of ticks are sums of delays, rounded each time. The tick at or after the end sends no flow: it
//! lists the flows that have finished by then.
//! Source: specification of the seed simulator, section 10.

use super::config::MiceConfig;
use super::topology::ScalableUnit;
use crate::reference::{ActorIdx, FlowIdx, Message, Network, NodeIdx, Twister};

/// One short flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MiceFlow {
    /// Sender.
    pub src: NodeIdx,
    /// Receiver.
    pub dst: NodeIdx,
    /// Size, in packets.
    pub n_packets: u32,
}

/// The endless sequence of short flows.
pub struct MiceSource<'a> {
    config: &'a MiceConfig,
    unit: &'a ScalableUnit,
    hosts: Vec<NodeIdx>,
    twister: Twister,
}

impl<'a> MiceSource<'a> {
    /// The sequence from its beginning.
    pub fn new(config: &'a MiceConfig, unit: &'a ScalableUnit) -> Self {
        MiceSource { config, unit, hosts: (0..unit.n_hosts).collect(), twister: Twister::new(config.seed) }
    }
}

impl Iterator for MiceSource<'_> {
    type Item = MiceFlow;

    fn next(&mut self) -> Option<MiceFlow> {
        let src = *self.twister.choice(&self.hosts);
        let mut dst = src;
        while dst == src || self.config.force_cross_rack && self.unit.leaf_of(dst) == self.unit.leaf_of(src) {
            dst = *self.twister.choice(&self.hosts);
        }
        let n_packets = self.twister.in_range(self.config.min_packets, self.config.max_packets);
        Some(MiceFlow { src, dst, n_packets })
    }
}

/// The mice as an actor of a run.
pub(super) struct Mice<'a> {
    actor: ActorIdx,
    mtu: u64,
    source: MiceSource<'a>,
    completion_times_s: Vec<f64>,
    /// Completion times of the flows that had finished by the last tick, in order of completion.
    pub(super) summary_s: Vec<f64>,
}

impl<'a> Mice<'a> {
    pub(super) fn new(actor: ActorIdx, mtu: u64, source: MiceSource<'a>) -> Self {
        Mice { actor, mtu, source, completion_times_s: Vec::new(), summary_s: Vec::new() }
    }

    /// One tick.
    pub(super) fn wake(&mut self, network: &mut Network<'_>) {
        if network.now() >= self.source.config.end_time_s {
            self.summary_s.clone_from(&self.completion_times_s);
            return;
        }
        let MiceFlow { src, dst, n_packets } = self.source.next().expect("mice never end");
        let bytes = u64::from(n_packets) * self.mtu;
        let flow = network.announce(self.actor, Message { src, dst, bytes, mtu: self.mtu });
        network.inject(flow);
        network.wake_after(self.source.config.interarrival_s, self.actor);
    }

    /// One of its flows is complete.
    pub(super) fn completed(&mut self, network: &mut Network<'_>, flow: FlowIdx) {
        let injected_at = network.flows()[flow].injected_at.expect("a completed flow was injected");
        self.completion_times_s.push(network.now() - injected_at);
    }
}
