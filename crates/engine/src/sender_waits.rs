//! What a message waits for at its sender, if causes are recorded.
//!
//! Models: the wire of each port, read when a message is posted and when its last packet is handed over. In between the
//! wire was busy with packets of the message, with packets of earlier messages of its queue pair, and with others; or
//! idle. Idle time is, in this order and as far as each lasted: waiting for a timeout, waiting for acknowledgements
//! (the queue pair had nothing that it was allowed to send), a blocked link, and pacing.
//! Leaves out: whether these coincided with the time in which the wire was idle.
//!
//! Invariants: the parts add up to the time from the start until the last packet is on the wire, unless something else
//! is sent first. Nothing is done for packets that are not the last of their message.

use netloom_model::{Model, TransportKind};

use crate::port::Egress;

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

/// Wires and queue pairs when messages were posted.
#[derive(Debug)]
pub struct SenderWaits {
    /// By slot of the message, one entry for each port that it may use.
    posted: Vec<Posting>,
    /// Ports by which the packets of one message may leave.
    n_ports: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct Posting {
    wire: WireUse,
    pair: PairWaits,
    /// Serialization of earlier messages of the queue pair that were still to be sent, in ps.
    earlier: u64,
    /// How often its last packet has been sent.
    n_last: u64,
}

/// What a message waited for until its last packet was handed over; in ps.
#[derive(Debug, Clone, Copy, Default)]
pub struct HandedOver {
    /// Slot of the message in the flow table.
    pub flow: u32,
    /// When, in ps.
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
    /// Of a host with this many ports; `None` if causes are not recorded.
    pub fn of(model: &Model, n_ports: usize) -> Option<Box<SenderWaits>> {
        // A queue pair uses one port.
        let n_ports = if model.transport.rdma().is_some() { 1 } else { n_ports };
        model.recording.causes.then(|| Box::new(SenderWaits { posted: Vec::new(), n_ports }))
    }

    /// A message without queue pair has started; the ports must be advanced to `now`.
    #[inline(never)]
    pub fn started(&mut self, now: u64, slot: u32, ports: &[Egress]) {
        for (index, port) in ports.iter().enumerate() {
            *self.posting(slot, index) = Posting { wire: port.wire_use(now), ..Posting::default() };
        }
    }

    /// A message has been posted on a queue pair that uses this port, behind `earlier` bytes that are still to be sent.
    #[inline(never)]
    pub fn posted(&mut self, now: u64, slot: u32, port: &Egress, (pair, earlier): (PairWaits, u64)) {
        *self.posting(slot, 0) =
            Posting { wire: port.wire_use(now), pair, earlier: port.span(earlier), n_last: 0 };
    }

    fn posting(&mut self, slot: u32, port: usize) -> &mut Posting {
        let index = slot as usize * self.n_ports + port;
        if index >= self.posted.len() {
            self.posted.resize_with(index + 1, Posting::default);
        }
        &mut self.posted[index]
    }

    /// The last packet of a message without queue pair joins the queue of a port, whose use until then is given; the
    /// message has handed over `own` ps of packets before.
    pub fn handed_over(
        &mut self,
        (slot, port): (u32, usize),
        wire: WireUse,
        own: u64,
        is_limited_by: Limit,
    ) -> HandedOver {
        let before = self.posting(slot, port).wire;
        let idle = (wire.at - before.at).saturating_sub(wire.busy.saturating_sub(before.busy));
        let blocked = wire.blocked.saturating_sub(before.blocked);
        // What is ahead leaves before this packet does.
        let busy = (wire.busy + wire.backlog).saturating_sub(before.busy);
        let own = own.min(busy);
        let mut found = HandedOver { at: wire.at, own, turn: busy - own, ..HandedOver::default() };
        match is_limited_by {
            Limit::Link => found.pause = idle,
            Limit::Window => (found.pause, found.window) = split(idle, blocked),
            Limit::Rate => (found.pause, found.pacing) = split(idle, blocked),
        }
        found
    }

    /// The last packet of a message on a queue pair starts on the wire of a port; `n_before` packets of the message were
    /// sent before, of a size that is given with that of the last packet, in bytes.
    #[inline(never)]
    pub fn sent(
        &mut self,
        slot: u32,
        (port, start): (&Egress, u64),
        pair: PairWaits,
        (n_before, (whole, last)): (u64, (u64, u64)),
    ) -> HandedOver {
        let wire = port.wire_use(start);
        let posting = self.posting(slot, 0);
        let own = port.span((n_before - posting.n_last) * whole + posting.n_last * last);
        posting.n_last += 1;
        let before = *posting;
        let busy = wire.busy.saturating_sub(before.wire.busy);
        let idle = (wire.at - before.wire.at).saturating_sub(busy);
        let own = own.min(busy);
        let earlier = before.earlier.min(busy - own);
        let (timeout, idle) = split(idle, pair.timeout - before.pair.timeout);
        let (window, idle) = split(idle, pair.window - before.pair.window);
        let (pause, pacing) = split(idle, wire.blocked.saturating_sub(before.wire.blocked));
        let turn = busy - own - earlier;
        HandedOver { at: start, own, earlier, turn, window, pacing, timeout, pause, ..HandedOver::default() }
    }
}

/// What delays packets of a host without queue pairs, while its wire is idle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Only the link.
    Link,
    /// A window.
    Window,
    /// A rate.
    Rate,
}

impl Limit {
    /// The limit of a message, which may have a rate of its own.
    pub fn of(transport: TransportKind, has_rate: bool) -> Limit {
        match transport {
            TransportKind::Window { .. } => Limit::Window,
            TransportKind::OpenLoop { rate } if rate.is_some() || has_rate => Limit::Rate,
            TransportKind::OpenLoop { .. } | TransportKind::Rdma(_) => Limit::Link,
        }
    }
}

/// As much of `time` as lasted, and the rest.
fn split(time: u64, lasted: u64) -> (u64, u64) {
    let part = time.min(lasted);
    (part, time - part)
}

impl HandedOver {
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
