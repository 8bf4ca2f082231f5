//! Packet conservation audit: every packet sent was received, was lost and counted, or is in flight.
//!
//! Models: messages on queue pairs are audited one by one, data and responses (ACKs, NACKs, CNPs) together; all other
//! messages together, data packets only, since nothing retransmits what they lose.
//! Leaves out: runs with hooks, which may create and absorb packets.
//!
//! Invariants: the audit changes no state.

use super::Coordinator;
use crate::packet::Packet;
use crate::port::Egress;

/// In debug builds a run is also audited once per this number of windows.
const INTERVAL: u64 = 512;

/// Number of packets in flight.
#[derive(Debug, Default)]
struct InFlightCounts {
    /// Data packets.
    data: u64,
    /// Packets of all kinds except frames, by flow slot.
    of_flow: Vec<i64>,
}

impl InFlightCounts {
    fn count(&mut self, packet: &Packet) {
        if packet.is_link_local() {
            return;
        }
        self.data += u64::from(packet.is_data());
        if let Some(count) = self.of_flow.get_mut(packet.flow as usize) {
            *count += 1;
        }
    }
}

impl Coordinator<'_, '_> {
    /// Audits the run at intervals, in debug builds only, since it is expensive.
    pub(super) fn audit_some(&self) {
        if cfg!(debug_assertions) && self.n_windows.is_multiple_of(INTERVAL) {
            self.audit();
        }
    }

    /// # Panics
    /// If a packet was lost without being counted, or exists without having been sent.
    pub(super) fn audit(&self) {
        if self.has_hooks {
            return;
        }
        let in_flight = self.count_in_flight();
        if self.model.transport.rdma().is_some() {
            for index in self.table.open() {
                let flow =
                    self.scheduler.round_state.read().expect("no thread panicked").flows[index as usize];
                let (sent, came) = self.at_ends(&flow);
                let left = sent.balance() + came.balance - self.table.n_lost(index);
                let found = in_flight.of_flow[index as usize];
                assert_eq!(left, found, "packets of {flow:?} unaccounted for at {} ps", self.now);
            }
            return;
        }
        let created = self.sum(|partition| partition.context.packets);
        let lost = self.sum(|partition| partition.context.drops.values().map(|tally| tally.data).sum());
        let arriving = self.table.unfinished().map(|index| {
            let flow = self.scheduler.round_state.read().expect("no thread panicked").flows[index as usize];
            u64::from(self.received(&flow).0)
        });
        let arrived = self.n_arrived + arriving.sum::<u64>();
        let totals = (arrived, lost, in_flight.data);
        assert_eq!(
            created,
            arrived + lost + in_flight.data,
            "data packets created, but (arrived, lost, in flight) are {totals:?} at {} ps",
            self.now
        );
    }

    fn count_in_flight(&self) -> InFlightCounts {
        let n_flows = self.scheduler.round_state.read().expect("no thread panicked").flows.len();
        let mut found = InFlightCounts { data: 0, of_flow: vec![0; n_flows] };
        for number in 0..self.scheduler.partitions.len() {
            let partition = self.scheduler.partition(number);
            for in_link in &partition.in_links {
                in_link.receiver.for_each(|entry| found.count(&entry.packet));
            }
            for node in &partition.nodes {
                node.ports.iter().flat_map(Egress::queued_packets).for_each(|packet| found.count(packet));
                let waiting = node.crossbar.iter().flat_map(|crossbar| crossbar.waiting());
                waiting.for_each(|(entry, _)| found.count(&entry.packet));
                found.data += node.n_posted();
            }
        }
        found
    }
}
