//! Port statistics: the rows that are known only at the end, and what an observer reads during the run.
//!
//! Invariants: reading changes nothing.

use std::collections::BTreeMap;

use netloom_model::Sampling;
use netloom_records::{ArbitrationRow, Batch, DropReason, DropRow, PortRow, RingRow, SignalRow, SinkError};
use netloom_units::{Bytes, Duration, NodeId, PortId, Time};

use super::Coordinator;
use crate::context::DropTally;
use crate::credit;
use crate::edge::NackCounts;
use crate::observe::{PortState, States};
use crate::port::Totals;
use crate::sampler::PortSample;

/// What an observer may read after a window.
impl States for Coordinator<'_, '_> {
    fn ports(&self) -> Vec<PortState> {
        let state = |totals: Totals| PortState {
            sent: Bytes(totals.bytes),
            waiting: Bytes(totals.waiting),
            paused: Duration(totals.paused),
            dropped: totals.dropped,
        };
        self.ports_at(self.now, self.now).map(state).collect()
    }

    fn n_partitions(&self) -> usize {
        self.scheduler.partitions.len()
    }

    fn state(&self, partition: usize, base: Time) -> Vec<u64> {
        self.scheduler.partition(partition).state(base)
    }
}

impl Coordinator<'_, '_> {
    pub(super) fn port_rows(&self) -> Vec<PortRow> {
        let fabric = &self.model.fabric;
        let row = |(id, totals): (usize, Totals)| {
            let id = PortId(id as u32);
            let port = fabric.port(id);
            PortRow {
                port: id,
                node: port.node,
                index: fabric.local_index(id),
                link: port.link,
                peer: fabric.neighbour(id),
                rate: port.rate,
                packets: totals.packets,
                size: Bytes(totals.bytes),
                busy: totals.busy.map_or_else(|| port.rate.serialization(Bytes(totals.bytes)), Duration),
                peak_packets: totals.peak_packets,
                peak_size: Bytes(totals.peak_bytes).into(),
                dropped: totals.dropped,
            }
        };
        self.ports_at(self.now, self.now).enumerate().map(row).collect()
    }

    /// Emits the time series of the ports, up to the end.
    pub(super) fn close_series(&mut self, end: u64) -> Result<(), SinkError> {
        let Some(mut sampler) = self.sampler.take() else { return Ok(()) };
        let sample = |Totals { bytes, waiting, paused, dropped, .. }| PortSample {
            sent: bytes,
            waiting,
            paused,
            dropped,
        };
        sampler.finish(self.ports_at(self.now, end).map(sample).collect());
        if let Some(hops) = self.model.recording.series.and_then(|sampling| sampling.hops_per_row) {
            sampler.coarsen((self.hops / u64::from(hops)).max(Sampling::FEW_ROWS));
        }
        sampler.emit_rows(|rows| self.sink.accept(Batch::Series(rows)))
    }

    pub(super) fn signal_rows(&self, end: u64) -> Vec<SignalRow> {
        let fabric = &self.model.fabric;
        let row = |(id, totals): (usize, Totals)| {
            let id = PortId(id as u32);
            let port = fabric.port(id);
            let Totals { marked, pauses, paused, .. } = totals;
            let nacks = self.nacks_at(port.node, fabric.local_index(id));
            let is_quiet = marked + pauses + paused == 0 && nacks == NackCounts::default();
            (!is_quiet).then(|| SignalRow {
                port: id,
                node: port.node,
                link: port.link,
                peer: fabric.neighbour(id),
                marked,
                pauses,
                paused: Duration(paused),
                nacks_forwarded: nacks.forwarded,
                nacks_suppressed: nacks.suppressed,
                nacks_generated: nacks.generated,
            })
        };
        self.ports_at(self.now, end).enumerate().filter_map(row).collect()
    }

    /// What a switch did with the NACKs from the host at a port.
    fn nacks_at(&self, node: NodeId, port: u32) -> NackCounts {
        let (partition, slot) = self.placement.of_node[node.index()];
        let partition = self.scheduler.partition(partition as usize);
        let edge = partition.nodes[slot as usize].edge.as_ref();
        edge.map_or_else(NackCounts::default, |edge| edge.tally(port as usize))
    }

    /// Hosts for whose queue pairs the ring buffer at the switch overwrote entries that were still needed.
    pub(super) fn psn_ring_rows(&self) -> Vec<RingRow> {
        let n_hosts = self.model.fabric.n_hosts() as u32;
        let switches = (n_hosts..self.model.fabric.n_nodes() as u32).map(NodeId);
        let rows = switches.flat_map(|node| {
            let (partition, slot) = self.placement.of_node[node.index()];
            let partition = self.scheduler.partition(partition as usize);
            let edge = partition.nodes[slot as usize].edge.as_ref();
            let found: Vec<_> = edge.iter().flat_map(|edge| edge.overwritten()).collect();
            found.into_iter().map(move |(host, overwritten)| RingRow { node, host, overwritten })
        });
        rows.collect()
    }

    /// How long packets waited at the heads of their queues, at ports of switches with credits.
    pub(super) fn arbitration_rows(&self) -> Vec<ArbitrationRow> {
        let fabric = &self.model.fabric;
        let mut rows = Vec::new();
        for (node, &(partition, slot)) in self.placement.of_node.iter().enumerate() {
            let partition = self.scheduler.partition(partition as usize);
            let Some(crossbar) = partition.nodes[slot as usize].crossbar.as_deref() else { continue };
            let bound = credit::max_bypasses(crossbar.n_competing());
            let ids = fabric.port_range(NodeId(node as u32)).map(PortId);
            let granted = ids.zip(&crossbar.outputs).filter(|(_, output)| output.n_grants > 0);
            rows.extend(granted.map(|(id, output)| ArbitrationRow {
                port: id,
                node: fabric.port(id).node,
                link: fabric.port(id).link,
                peer: fabric.neighbour(id),
                transfers: output.n_grants,
                most_passes: u64::from(output.waits.most_bypasses),
                bound,
                longest_wait: Duration(output.waits.longest),
            }));
        }
        rows
    }

    pub(super) fn drop_rows(&self) -> Vec<DropRow> {
        let mut all: BTreeMap<(u32, Option<u32>, DropReason), DropTally> = BTreeMap::new();
        for number in 0..self.scheduler.partitions.len() {
            all.extend(
                self.scheduler.partition(number).context.drops.iter().map(|(key, tally)| (*key, *tally)),
            );
        }
        let row = |((node, port, reason), tally): ((u32, Option<u32>, DropReason), DropTally)| DropRow {
            node: NodeId(node),
            port: port.map(|port| PortId(self.model.fabric.port_range(NodeId(node)).start + port)),
            reason,
            packets: tally.packets,
            size: Bytes(tally.bytes).into(),
            first: Time(tally.span.0),
            last: Time(tally.span.1),
        };
        all.into_iter().map(row).collect()
    }
}
