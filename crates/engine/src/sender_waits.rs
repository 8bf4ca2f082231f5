//! What a message waits for at its sender, if causes are recorded.
//!
//! Models: the wire of each port, read when a message is posted and when its last packet is handed over. In between the
//! wire was busy with packets of the message, with packets of earlier messages of its queue pair, and with others; or
//! idle. Idle time is, in this order and as far as each lasted: waiting for a timeout, waiting for acknowledgements
//! (the queue pair had nothing that it was allowed to send), a blocked link, and pacing.
//! Leaves out: whether these coincided with the time in which the wire was idle.
//!
//! Invariants: the parts add up to the time from the start until the last packet is on the wire, unless something else
//! is sent first. Nothing is done for packets that are neither the first nor the last of their message.

use netloom_model::TransportKind;

/// How a wire has been used from the beginning of the run up to an instant.
#[derive(Debug, Clone, Copy, Default)]
pub struct WireUse {
    /// The instant, in ps.
    pub at: u64,
    /// How long it was busy, in ps.
    pub busy: u64,
    /// How long it will be busy with what was accepted, in ps.
    pub backlog: u64,
    /// How long it was blocked, in ps.
    pub blocked: u64,
}

/// How long a queue pair had nothing that it was allowed to send, up to an instant, in ps.
#[derive(Debug, Clone, Copy, Default)]
pub struct PairWaits {
    /// Until acknowledgements came.
    pub window: u64,
    /// Until timeouts expired.
    pub timeout: u64,
}

/// An event at the sender of a message, for the coordinator.
#[derive(Debug, Clone, Copy)]
pub enum SenderEvent {
    /// A message has been posted, and its packets may leave by a port.
    Posted(Posting),
    /// The last packet of a message has been handed over.
    HandedOver(HandOver),
    /// A message, by its slot in the flow table, has been posted and handed over as a whole.
    Sent(u32, SenderWaits),
}

/// The events at the senders of a partition, in order.
#[derive(Debug, Default)]
pub struct SenderEvents(pub Vec<SenderEvent>);

/// A message when it was posted.
#[derive(Debug, Clone, Copy)]
pub struct Posting {
    /// Slot of the message in the flow table.
    pub flow: u32,
    /// A port by which its packets may leave, among those of its host.
    pub port: u32,
    /// The wire of that port.
    pub wire: WireUse,
    /// Its queue pair.
    pub pair: PairWaits,
    /// Serialization of earlier messages of the queue pair that were still to be sent, in ps.
    pub earlier: u64,
}

/// A message when its last packet was handed over.
#[derive(Debug, Clone, Copy)]
pub struct HandOver {
    /// Slot of the message in the flow table.
    pub flow: u32,
    /// The port by which the packet leaves.
    pub port: u32,
    /// The wire of that port before.
    pub wire: WireUse,
    /// Its queue pair.
    pub pair: PairWaits,
    /// Serialization of the packets of the message sent before, if all were of full size, in ps.
    pub own: u64,
    /// How much shorter the last packet is, in ps.
    pub shorter: u64,
    /// What delays packets while the wire is idle.
    pub limit: Limit,
}

/// What delays packets of a host while its wire is idle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Only the link.
    Link,
    /// A window.
    Window,
    /// A rate.
    Rate,
    /// Its queue pair.
    QueuePair,
}

impl Limit {
    /// The limit of a message, which may have a rate of its own.
    pub fn of(transport: TransportKind, has_rate: bool) -> Limit {
        match transport {
            TransportKind::Window { .. } => Limit::Window,
            TransportKind::OpenLoop { rate } if rate.is_some() || has_rate => Limit::Rate,
            TransportKind::OpenLoop { .. } => Limit::Link,
            TransportKind::Rdma(_) => Limit::QueuePair,
        }
    }
}

/// What a message waited for until its last packet was handed over; in ps.
#[derive(Debug, Clone, Copy, Default)]
pub struct SenderWaits {
    /// When that was.
    pub at: u64,
    /// The wire was busy with its own packets.
    pub own: u64,
    /// The wire was busy with earlier messages of its queue pair.
    pub earlier: u64,
    /// The wire was busy with other packets.
    pub turn: u64,
    /// The wire was idle: waiting for acknowledgements.
    pub window: u64,
    /// The wire was idle: waiting for the rate allowed.
    pub pacing: u64,
    /// The wire was idle: waiting for a timeout.
    pub timeout: u64,
    /// The wire was idle: the link was blocked.
    pub pause: u64,
}

impl SenderWaits {
    /// Of a message that was handed over as a whole, when this much was to be sent before its last packet, of which at
    /// most `own` by itself; all in ps.
    pub fn of_backlog(at: u64, backlog: u64, own: u64) -> SenderWaits {
        let own = own.min(backlog);
        SenderWaits { at, own, turn: backlog - own, ..SenderWaits::default() }
    }

    /// Between two events of a message whose last packet had been sent `n_last` times before.
    pub fn between(posting: &Posting, hand_over: &HandOver, n_last: u64) -> SenderWaits {
        let (before, wire) = (&posting.wire, &hand_over.wire);
        let idle = (wire.at - before.at).saturating_sub(wire.busy.saturating_sub(before.busy));
        // What is ahead leaves before this packet does; packets of a queue pair are handed over when the wire is free.
        let ahead = if hand_over.limit == Limit::QueuePair { 0 } else { wire.backlog };
        let busy = (wire.busy + ahead).saturating_sub(before.busy);
        let own = hand_over.own.saturating_sub(n_last * hand_over.shorter).min(busy);
        let earlier = posting.earlier.min(busy - own);
        let blocked = wire.blocked.saturating_sub(before.blocked);
        let mut found =
            SenderWaits { at: wire.at, own, earlier, turn: busy - own - earlier, ..SenderWaits::default() };
        match hand_over.limit {
            Limit::Link => found.pause = idle,
            Limit::Window => (found.pause, found.window) = split(idle, blocked),
            Limit::Rate => (found.pause, found.pacing) = split(idle, blocked),
            Limit::QueuePair => {
                let (pair, pair_before) = (hand_over.pair, posting.pair);
                let (timeout, idle) = split(idle, pair.timeout - pair_before.timeout);
                let (window, idle) = split(idle, pair.window - pair_before.window);
                let (pause, pacing) = split(idle, blocked);
                found = SenderWaits { window, pacing, timeout, pause, ..found };
            }
        }
        found
    }

    /// Lets the parts add up to the time until the last packet was on the wire: it may have waited for the link after
    /// it was handed over, if links may be blocked, else for packets of a higher class; or have been sent before others
    /// that were ahead.
    pub fn fit(&mut self, time: u64, are_links_blocked: bool) {
        let total =
            self.own + self.earlier + self.turn + self.window + self.pacing + self.timeout + self.pause;
        *(if are_links_blocked { &mut self.pause } else { &mut self.turn }) += time.saturating_sub(total);
        let mut excess = total.saturating_sub(time);
        let parts = [
            &mut self.turn,
            &mut self.earlier,
            &mut self.own,
            &mut self.pause,
            &mut self.pacing,
            &mut self.window,
            &mut self.timeout,
        ];
        for part in parts {
            let less = excess.min(*part);
            *part -= less;
            excess -= less;
        }
    }
}

/// As much of `time` as lasted, and the rest.
fn split(time: u64, lasted: u64) -> (u64, u64) {
    let part = time.min(lasted);
    (part, time - part)
}
