//! The results that must agree.

use netloom_records::{DropReason, FlowRow};
use netloom_testkit::reference::{Hop, Outcome};
use netloom_units::{NodeId, PortId, Time};

use crate::reference_side::{Played, neighbour, picoseconds};
use crate::scene::Draft;
use crate::witness::Witnessed;

/// Compares everything; panics with the scene's number.
pub fn check(draft: &Draft, witnessed: &Witnessed, played: &Played) {
    let side = Sides { draft, witnessed, reference: &played.outcome, messages: &played.messages };
    side.packets_agree();
    side.flows_agree();
    side.ports_agree();
    side.losses_agree();
}

struct Sides<'a> {
    draft: &'a Draft,
    witnessed: &'a Witnessed,
    reference: &'a Outcome,
    /// Of each flow: its number among the messages of its source, and its flow-hash input.
    messages: &'a [(u32, u32)],
}

impl Sides<'_> {
    fn is_host(&self, node: usize) -> bool {
        node < self.draft.model.fabric.n_hosts()
    }

    /// Every hop of every packet: port, start, and arrival by the right in-link.
    fn packets_agree(&self) {
        let notes = &self.witnessed.notes;
        let (mut n_starts, mut n_arrivals) = (0, 0);
        for hop in &self.reference.hops {
            let seed = self.draft.seed;
            let sight = |node: usize| (node as u32, self.messages[hop.flow].1, hop.packet as u32);
            if !self.is_host(hop.node) {
                let expected = (hop.port as u32, Time(picoseconds(hop.started_at)));
                assert_eq!(notes.started.get(&sight(hop.node)), Some(&expected), "scene {seed}, {hop:?}");
                n_starts += 1;
            }
            let next = neighbour(self.draft, hop);
            if !self.is_host(next) {
                let expected = (self.in_link(hop), Time(picoseconds(hop.arrives_at)));
                assert_eq!(notes.arrived.get(&sight(next)), Some(&expected), "scene {seed}, {hop:?}");
                n_arrivals += 1;
            }
        }
        assert_eq!((notes.started.len(), notes.arrived.len()), (n_starts, n_arrivals));
        assert_eq!(self.witnessed.run.outcome.hops, self.reference.hops.len() as u64);
    }

    fn in_link(&self, hop: &Hop) -> u32 {
        let fabric = &self.draft.model.fabric;
        let port = PortId(fabric.port_range(NodeId(hop.node as u32)).start + hop.port as u32);
        fabric.local_index(fabric.port(port).peer)
    }

    fn flows_agree(&self) {
        let rows = &self.witnessed.run.records.flows;
        assert_eq!(rows.len(), self.reference.flows.len(), "scene {}", self.draft.seed);
        for flow in 0..rows.len() {
            self.flow_agrees(flow, rows);
        }
        let packets: u64 = rows.iter().map(|row| u64::from(row.packets)).sum();
        assert_eq!(packets, self.reference.totals.delivered);
        assert_eq!(rows.iter().map(|row| row.hops).sum::<u64>(), self.reference.totals.hops);
    }

    fn flow_agrees(&self, flow: usize, rows: &[FlowRow]) {
        let record = &self.reference.flows[flow];
        let message = &record.message;
        let at = |seconds: Option<f64>| seconds.map(|at| Time(picoseconds(at)));
        let expected = (at(record.injected_at), message.dst, message.bytes, at(record.completed_at));
        let is_this =
            |row: &&FlowRow| (row.source.index(), row.number) == (message.src, self.messages[flow].0);
        let row = rows.iter().find(is_this).expect("every message has a number of its own");
        let found = (Some(row.start), row.destination.index(), row.size.0, row.end);
        assert_eq!(found, expected, "scene {}, flow {flow}", self.draft.seed);
    }

    fn ports_agree(&self) {
        let mut link_bytes = vec![0; self.reference.link_bytes.len()];
        let mut link_busy = vec![0; self.reference.link_bytes.len()];
        for row in &self.witnessed.run.records.ports {
            let peak = self.reference.port_peaks[row.node.index()][row.index as usize];
            assert_eq!(
                row.peak_packets.map(|n| n as usize),
                Some(peak),
                "scene {}, {row:?}",
                self.draft.seed
            );
            link_bytes[row.link.index()] += row.size.0;
            link_busy[row.link.index()] += row.busy.0;
        }
        assert_eq!(link_bytes, self.reference.link_bytes, "scene {}", self.draft.seed);
        let busy: Vec<u64> = self.reference.link_busy_s.iter().map(|&seconds| picoseconds(seconds)).collect();
        assert_eq!(link_busy, busy, "scene {}", self.draft.seed);
    }

    fn losses_agree(&self) {
        let drops = &self.witnessed.run.records.drops;
        assert!(drops.iter().all(|drop| drop.reason == DropReason::Unreachable));
        assert_eq!(drops.iter().map(|drop| drop.packets).sum::<u64>(), self.reference.totals.dropped);
        assert_eq!(self.witnessed.run.outcome.packets, self.reference.totals.created);
    }
}
