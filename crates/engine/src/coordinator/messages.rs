//! The life of a message from creation to release: its slots at both hosts, and its queue pair.
//!
//! Models: a queue pair for each message, or one for each pair of hosts that exchange messages; one per direction for
//! each staged flow.
//! Leaves out: sending and receiving.
//!
//! Invariants: the slots of a message on a queue pair are freed when none of its packets is in flight: the number sent
//! equals the number received plus the number lost, for data packets and responses together.

use std::collections::BTreeMap;

use netloom_model::{Message, QueuePairs, Rdma};
use netloom_units::HostId;

use super::Coordinator;
use crate::edge::TorFilter;
use crate::flow::Flow;
use crate::host::{Host, IncomingMessage, OutgoingMessage};
use crate::rdma::{Incoming, Nic, Outgoing};

/// The key of messages that share a queue pair: both hosts, the staged flow if there is one, and the class.
type Sharing = (HostId, HostId, Option<u32>, u8);

/// Shared queue pairs, and messages about to be freed.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// Slots of shared queue pairs: at the sender, and at the switch above the receiver.
    shared: BTreeMap<Sharing, (u32, u32)>,
    /// Messages that both ends have finished, but of which packets may still be in flight.
    closing: Vec<u32>,
}

impl Coordinator<'_, '_> {
    /// Allocates a message's slots at both hosts and in the flow table.
    pub(super) fn insert(&mut self, source: HostId, message: Message) -> u32 {
        let followed = self.tracer.may_follow(source, message.to);
        let flow = if let Some(rdma) = self.model.transport.rdma() {
            self.on_pair(rdma, source, message, followed)
        } else {
            let send_slot = self.at_host(source, |host| host.sends.insert(OutgoingMessage::default()));
            let receive_slot =
                self.at_host(message.to, |host| host.receives.insert(IncomingMessage::default()));
            let (send_pair, edge_pair) = (u32::MAX, u32::MAX);
            Flow { message, source, send_slot, receive_slot, send_pair, edge_pair, followed }
        };
        let mut round_state = self.scheduler.round_state.write().expect("no thread panicked");
        let slot = self.table.insert(&mut round_state.flows, flow);
        drop(round_state);
        if flow.send_pair == u32::MAX {
            let (source, send_slot) = (source.0, flow.send_slot);
            let expected = IncomingMessage {
                missing: message.size.0,
                flow: slot,
                source,
                send_slot,
                ..IncomingMessage::default()
            };
            self.at_host(message.to, |host| *host.receives.get_mut(flow.receive_slot) = expected);
        }
        slot
    }

    fn on_pair(&mut self, rdma: &Rdma, source: HostId, message: Message, followed: bool) -> Flow {
        let (send_pair, edge_pair) = self.pair_for(rdma, source, &message);
        let send_slot = self.at_host(source, |host| nic(host).outgoing.insert(Outgoing::default()));
        let incoming = Incoming { missing: message.size.0, ..Incoming::default() };
        let receive_slot = self.at_host(message.to, |host| nic(host).incoming.insert(incoming));
        Flow { message, source, send_slot, receive_slot, send_pair, edge_pair, followed }
    }

    fn pair_for(&mut self, rdma: &Rdma, source: HostId, message: &Message) -> (u32, u32) {
        if has_own_pair(rdma, message) {
            return self.make_pair(rdma, source, message);
        }
        let key = (source, message.to, message.staged_flow(), self.model.class_of(message));
        if let Some(&pair) = self.pairs.shared.get(&key) {
            return pair;
        }
        let pair = self.make_pair(rdma, source, message);
        self.pairs.shared.insert(key, pair);
        pair
    }

    fn make_pair(&self, rdma: &Rdma, source: HostId, message: &Message) -> (u32, u32) {
        let (to, class) = (message.to, self.model.class_of(message));
        let send = self.at_host(source, |host| nic(host).insert_send(rdma, to.0, class, message.rate));
        let receive = self.at_host(to, |host| nic(host).insert_receive(rdma, source.0));
        self.at_host(source, |host| nic(host).sends.get_mut(send).peer_slot = receive);
        self.at_host(to, |host| nic(host).receives.get_mut(receive).peer_slot = send);
        let n_left = self.paths_left(source, to);
        (
            send,
            self.at_edge(to, |edge| edge.expect_pair(source, (to, class), n_left))
                .flatten()
                .unwrap_or(u32::MAX),
        )
    }

    /// Lets the slots of a finished message be freed.
    ///
    /// Not before the end of the window, as partitions that have not paused may still report of it: in the meantime a
    /// message that is handed out must not take its slot.
    pub(super) fn retire(&mut self, slot: u32) {
        if self.table.is_over(slot) {
            self.pairs.closing.push(slot);
        }
    }

    /// Frees the slots of finished messages that have no packets in flight any more.
    pub(super) fn retire_quiet(&mut self) {
        let mut closing = std::mem::take(&mut self.pairs.closing);
        if self.model.transport.rdma().is_some() {
            closing.retain(|&slot| !self.retire_if_quiet(slot));
        } else {
            closing.drain(..).for_each(|slot| self.retire_without_pair(slot));
        }
        self.pairs.closing = closing;
    }

    fn retire_without_pair(&mut self, slot: u32) {
        let flow = self.scheduler.round_state.read().expect("no thread panicked").flows[slot as usize];
        self.at_host(flow.source, |host| host.sends.remove(flow.send_slot));
        self.at_host(flow.message.to, |host| host.receives.remove(flow.receive_slot));
        self.table.retire(slot);
    }

    fn retire_if_quiet(&mut self, slot: u32) -> bool {
        let flow = self.scheduler.round_state.read().expect("no thread panicked").flows[slot as usize];
        let (sent, came) = self.at_ends(&flow);
        if sent.balance() + came.balance != self.table.n_lost(slot) {
            return false;
        }
        let row = self.repair_row(slot, &flow, &sent, &came);
        self.repairs.insert(self.table.number_in_line(slot), row);
        if self.rates.is_some() {
            self.rate_forget(slot);
        }
        let rdma = self.model.transport.rdma().expect("only messages on queue pairs close");
        let is_last = has_own_pair(rdma, &flow.message);
        let receive_pair = self.at_host(flow.source, |host| {
            let nic = nic(host);
            nic.outgoing.remove(flow.send_slot);
            let far = nic.sends.get_mut(flow.send_pair).peer_slot;
            if is_last {
                nic.forget_send(flow.send_pair);
            }
            far
        });
        self.at_host(flow.message.to, |host| {
            let nic = nic(host);
            nic.incoming.remove(flow.receive_slot);
            if is_last {
                nic.forget_receive(receive_pair);
            }
        });
        if is_last && flow.edge_pair != u32::MAX {
            self.at_edge(flow.message.to, |edge| edge.forget(flow.edge_pair));
        }
        self.table.retire(slot)
    }

    /// The state of a message on a queue pair at its sender and at its receiver.
    #[inline]
    pub(super) fn at_ends(&self, flow: &Flow) -> (Outgoing, Incoming) {
        let sent = self.at_host(flow.source, |host| *nic(host).outgoing.get_mut(flow.send_slot));
        (sent, self.at_host(flow.message.to, |host| *nic(host).incoming.get_mut(flow.receive_slot)))
    }

    /// Applies a function to the edge state of the switch above a host, if that switch tracks queue pairs.
    fn at_edge<R>(&self, host: HostId, act: impl FnOnce(&mut TorFilter) -> R) -> Option<R> {
        let (partition, slot) = self.placement.of_node[self.switch_above(host)?.index()];
        let mut partition = self.scheduler.partition(partition as usize);
        partition.nodes[slot as usize].edge.as_deref_mut().map(act)
    }

    /// What has been received of a message: packets, and the sum of the links they crossed.
    pub(super) fn received(&self, flow: &Flow) -> (u32, u64) {
        self.at_host(flow.message.to, |host| {
            if let Some(nic) = host.nic.as_deref_mut() {
                let incoming = nic.incoming.get_mut(flow.receive_slot);
                return (incoming.packets, incoming.hops);
            }
            let receive = host.receives.get_mut(flow.receive_slot);
            (receive.packets, receive.hops)
        })
    }
}

/// Whether the message has a queue pair of its own.
fn has_own_pair(rdma: &Rdma, message: &Message) -> bool {
    rdma.queue_pairs == QueuePairs::Message && message.staged_flow().is_none()
}

pub(super) fn nic(host: &mut Host) -> &mut Nic {
    host.nic.as_deref_mut().expect("hosts have queue pairs")
}
