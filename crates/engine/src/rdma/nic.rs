//! A host's RDMA NIC: its queue pairs and messages.

use netloom_model::{Model, Port, Rdma};
use netloom_policy::congestion::{Controller, Senses, Site, State};
use netloom_policy::transport::{Receiver, Sender};
use netloom_units::{HostId, Rate, StateWriter, Time};

use super::ack_feedback::Signals;
use super::by_class::ByClass;
use super::injection::Injection;
use super::message::{Incoming, Outgoing};
use super::pair::{ReceivePair, SendPair};
use super::ready::{Ready, ReadyEntry};
use super::share::RateShare;
use crate::port::Egress;
use crate::reordering::Reordering;
use crate::run::FailedQueuePair;
use crate::slab::Slab;

/// See the module.
#[derive(Debug)]
pub struct Nic {
    /// Sending ends of queue pairs.
    pub sends: Slab<SendPair>,
    /// Receiving ends of queue pairs.
    pub receives: Slab<ReceivePair>,
    /// Messages being sent.
    pub outgoing: Slab<Outgoing>,
    /// Messages being received.
    pub incoming: Slab<Incoming>,
    /// State of each port.
    pub ports: Vec<NicPort>,
    /// Ports whose links end in the same partition.
    pub inner_ports: Vec<u32>,
    /// Whether a queue pair may be ready at one of these.
    pub has_inner_work: bool,
    /// No data packet starts before this instant: a lower bound, reduced when a packet may start earlier.
    pub idle_until: u64,
    /// Number of queue pairs that have sent.
    pub n_pairs: u32,
    /// The injection rate limit, if there is one.
    pub injection: Option<Box<Injection>>,
    /// Rates that switches allow towards other hosts.
    pub(super) shares: Vec<RateShare>,
    /// Scratch memory for lists of queue pairs.
    pub(super) concerned: Vec<u32>,
    /// Reordering of received packets, if it is recorded.
    pub reordering: Option<Box<Reordering>>,
}

/// State of one NIC port.
#[derive(Debug)]
pub struct NicPort {
    /// The congestion control of its queue pairs.
    pub controller: Controller,
    /// Queue pairs with something to send, where data is not separated by class.
    pub ready: Ready,
    /// The same by class.
    pub by_class: Option<Box<ByClass>>,
    /// Whether data is not separated by class and congestion control reacts to notifications only.
    pub is_default: bool,
    /// Whether its link ends in the same partition.
    pub is_inner: bool,
    /// The rate state after all notifications to the port, for congestion control that acts per port; new queue pairs
    /// start from it.
    pub feedback: State,
}

impl Nic {
    /// An idle NIC.
    pub fn new(model: &Model, ports: &[Port]) -> Nic {
        let nic_port = |port: &Port| {
            let n_hosts = model.fabric.n_hosts() as u32;
            let site = Site { line: port.rate, packet: model.transport.packet, n_hosts };
            let controller = Controller::new(&model.congestion, site);
            let by_class = ByClass::of(model);
            NicPort {
                feedback: controller.start(),
                is_default: by_class.is_none() && controller.senses() == Senses::Notifications,
                controller,
                ready: Ready::default(),
                by_class,
                is_inner: false,
            }
        };
        Nic {
            sends: Slab::default(),
            receives: Slab::default(),
            outgoing: Slab::default(),
            incoming: Slab::default(),
            ports: ports.iter().map(nic_port).collect(),
            inner_ports: Vec::new(),
            has_inner_work: false,
            idle_until: 0,
            n_pairs: 0,
            injection: Injection::of(model),
            shares: Vec::new(),
            concerned: Vec::new(),
            reordering: Reordering::of(model),
        }
    }

    /// Creates a sending end in a class, with a rate limit if it has one.
    pub fn insert_send(&mut self, rdma: &Rdma, destination: u32, class: u8, limit: Option<Rate>) -> u32 {
        let start = self.ports[0].controller.start();
        let (slot, pair) = self.sends.allocate(|| SendPair::new(Sender::new(rdma.rule, rdma.window), start));
        (pair.destination, pair.class) = (destination, class);
        if pair.signals.is_none() {
            pair.signals = Signals::of(&self.ports[0].controller);
        }
        pair.limit = limit.unwrap_or(Rate(u64::MAX));
        slot
    }

    /// Creates a receiving end.
    pub fn insert_receive(&mut self, rdma: &Rdma, source: u32) -> u32 {
        let (slot, pair) = self.receives.allocate(|| ReceivePair::new(Receiver::new(rdma.rule)));
        pair.source = source;
        slot
    }

    /// Frees a sending end that nothing refers to any more.
    pub fn forget_send(&mut self, slot: u32) {
        self.sends.get_mut(slot).clear(self.ports[0].controller.start());
        self.sends.remove(slot);
    }

    /// Frees a receiving end that nothing refers to any more.
    pub fn forget_receive(&mut self, slot: u32) {
        self.receives.get_mut(slot).clear();
        self.receives.remove(slot);
        if let Some(reordering) = &mut self.reordering {
            reordering.forget_stream(slot);
        }
    }

    /// Re-evaluates whether a queue pair has something to send, from `now` on.
    pub fn wake(&mut self, now: u64, slot: u32) {
        if let Some(has_work) = self.sends.get_mut(slot).queue_change() {
            self.queue(now, slot, has_work);
        }
    }

    /// Adds a queue pair to the ready queue of its port, or removes it.
    #[inline(never)]
    pub fn queue(&mut self, now: u64, slot: u32, has_work: bool) {
        let pair = self.sends.get_mut(slot);
        pair.is_queued = has_work;
        if has_work {
            pair.waits.window += now - pair.idle_since;
        } else {
            pair.idle_since = now;
        }
        let (nic_port, class) = (&mut self.ports[pair.port as usize], pair.class);
        if !has_work {
            return nic_port.remove(class, slot);
        }
        let number = pair.number.expect("a queue pair with work has a number");
        let turn = ReadyEntry { from: now.max(pair.next_at), number, slot };
        self.idle_until = self.idle_until.min(turn.from);
        self.has_inner_work |= nic_port.is_inner;
        nic_port.push(class, turn);
    }

    /// Queue pairs of this host that have exceeded their retries, by number.
    pub fn given_up(&self, host: HostId, retries: u32) -> impl Iterator<Item = FailedQueuePair> {
        let given_up = |pair: &SendPair| {
            let number = pair.number.filter(|_| pair.n_timeouts > retries && pair.is_in_flight())?;
            Some(FailedQueuePair {
                source: host,
                number,
                destination: HostId(pair.destination),
                timeouts: pair.n_timeouts,
            })
        };
        let mut found: Vec<FailedQueuePair> = self.sends.iter().filter_map(given_up).collect();
        found.sort_unstable();
        found.into_iter()
    }

    /// Writes the state that later behaviour depends on, without slot numbers.
    pub fn write_state(&self, out: &mut StateWriter) {
        let now = out.base();
        let mut sends: Vec<&SendPair> = self.sends.iter().filter(|pair| pair.is_in_flight()).collect();
        sends.sort_unstable_by_key(|pair| pair.number);
        for pair in sends {
            out.word(u64::from(pair.destination) | (u64::from(pair.entropy) << 32));
            pair.sender.words().into_iter().for_each(|word| out.word(word));
            self.ports[pair.port as usize].controller.write_state(&pair.rate, now, out);
            if let Some(signals) = &pair.signals {
                signals.write_state(*pair.sender.progress(), out);
            }
            out.instant(Time(pair.next_at.max(now.0)));
            out.word(pair.deadline.saturating_sub(now.0));
        }
        self.shares.iter().for_each(|share| share.write_state(out));
        let words = self.receives.iter().map(|pair| {
            let own = [u64::from(pair.source), u64::from(pair.unanswered)];
            own.into_iter().chain(pair.receiver.words()).collect::<Vec<_>>()
        });
        let mut words: Vec<_> = words.filter(|words| words[1..].iter().any(|&word| word > 0)).collect();
        words.sort_unstable();
        words.into_iter().flatten().for_each(|word| out.word(word));
    }
}

impl NicPort {
    fn push(&mut self, class: u8, turn: ReadyEntry) {
        match &mut self.by_class {
            Some(by_class) => by_class.push(class, turn),
            None => self.ready.push(turn),
        }
    }

    fn remove(&mut self, class: u8, slot: u32) {
        match &mut self.by_class {
            Some(by_class) => by_class.remove(class, slot),
            None => self.ready.remove(slot),
        }
    }

    /// Whether no queue pair has something to send.
    pub fn is_empty(&self) -> bool {
        match &self.by_class {
            Some(by_class) => by_class.is_empty(),
            None => self.ready.len() == 0,
        }
    }

    /// The earliest instant from which a queue pair that is not paused is ready; data not separated by class is in
    /// class `data`.
    pub fn first_from(&self, egress: &Egress, data: u8) -> Option<u64> {
        match &self.by_class {
            Some(by_class) => by_class.first_from(|class| egress.is_paused(class)),
            None => self.ready.first().filter(|_| !egress.is_paused(data)).map(|turn| turn.from),
        }
    }
}

impl SendPair {
    /// Whether something was posted that is not yet acknowledged.
    pub(super) fn is_in_flight(&self) -> bool {
        self.sender.progress().una < self.sender.progress().end
    }
}
