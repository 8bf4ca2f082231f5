//! The reference simulator's hosts: ranks that carry out the operations of the scene's work.
//!
//! Models: messages that start when a rank sends them, all of their packets at once; a rank that continues when a message
//! for it has completely arrived; barriers that release all ranks some time after the last one has come.
//! Leaves out: completions at the sender, which an open loop does not report.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use netloom_model::{Message, Work};
use netloom_testkit::fixture::{Rank, Request};
use netloom_testkit::reference::{self, ActorIdx, Application, FlowIdx, Network};
use netloom_units::{ActorId, Time};

use crate::reference_side::picoseconds;
use crate::scene::{Draft, Traffic};

/// What an alarm is for.
#[derive(Debug, Clone, Copy)]
enum Alarm {
    Begin,
    Wake { rank: usize, stream: usize },
    Send(FlowIdx),
    Notify { rank: usize, tag: u64 },
    Release { group: u32 },
}

/// Numbers the messages of each host in the order in which they start.
#[derive(Debug, Default)]
pub struct Numbers {
    n_started: BTreeMap<usize, u32>,
    by_flow: BTreeMap<FlowIdx, u32>,
}

impl Numbers {
    fn start(&mut self, flow: FlowIdx, source: usize) {
        let next = self.n_started.entry(source).or_default();
        self.by_flow.insert(flow, *next);
        *next += 1;
    }

    /// The number of a message that has started.
    pub fn of(&self, flow: FlowIdx) -> u32 {
        self.by_flow[&flow]
    }
}

/// See the module.
pub struct Ranks {
    work: Traffic,
    ranks: Vec<Rank>,
    mtu: u64,
    /// Time from the last arrival at a barrier to its release.
    barrier_delay_s: f64,
    /// By number; alarms are the actors of the network.
    alarms: Vec<Alarm>,
    /// By flow: the rank to notify, and the tag.
    notified: Vec<Option<(usize, u64)>>,
    at_barriers: BTreeMap<u32, Vec<usize>>,
    numbers: Rc<RefCell<Numbers>>,
}

impl Ranks {
    /// The ranks of a scene; they begin at the alarm of number 0.
    pub fn new(draft: &Draft, numbers: Rc<RefCell<Numbers>>) -> Ranks {
        let work = draft.work();
        let n_ranks = work.actors().len();
        Ranks {
            work,
            ranks: (0..n_ranks).map(|rank| Rank::new(ActorId(rank as u32))).collect(),
            mtu: draft.model.transport.packet.0,
            barrier_delay_s: draft.model.coordination_delay.0 as f64 * 1e-12,
            alarms: vec![Alarm::Begin],
            notified: Vec::new(),
            at_barriers: BTreeMap::new(),
            numbers,
        }
    }

    fn set_alarm(&mut self, network: &mut Network<'_>, delay_s: f64, alarm: Alarm) {
        self.alarms.push(alarm);
        network.wake_after(delay_s, self.alarms.len() - 1);
    }

    fn advance(&mut self, network: &mut Network<'_>, rank: usize, mut requests: Vec<Request>) {
        let now = Time(picoseconds(network.now()));
        self.ranks[rank].advance(now, &mut self.work, 0, &mut requests);
        for request in requests {
            self.follow(network, rank, request);
        }
    }

    fn follow(&mut self, network: &mut Network<'_>, rank: usize, request: Request) {
        match request {
            Request::Wake { at, stream } => {
                let delay_s = at.0 as f64 * 1e-12 - network.now();
                self.set_alarm(network, delay_s, Alarm::Wake { rank, stream });
            }
            Request::Send { message, delay } => {
                let flow = self.announce(network, rank, message);
                match delay.0 {
                    0 => self.inject(network, flow),
                    delay => self.set_alarm(network, delay as f64 * 1e-12, Alarm::Send(flow)),
                }
            }
            Request::Notify { actor, tag } => {
                self.set_alarm(network, 0.0, Alarm::Notify { rank: actor.index(), tag });
            }
            Request::Mark(_) => {}
            Request::Barrier { group } => self.arrive_at_barrier(network, rank, group),
        }
    }

    /// Registers a message; its actor is the rank and what the rank does, of which several may be in progress at once.
    fn announce(&mut self, network: &mut Network<'_>, rank: usize, message: Message) -> FlowIdx {
        let (src, dst) = (self.work.actors()[rank].index(), message.to.index());
        self.notified.push(message.notify.map(|to| (to.index(), message.tag)));
        let activity = (rank << 32) | usize::from(message.phase) << 16 | usize::from(message.bucket);
        network.announce(activity, reference::Message { src, dst, bytes: message.size.0, mtu: self.mtu })
    }

    fn inject(&mut self, network: &mut Network<'_>, flow: FlowIdx) {
        self.numbers.borrow_mut().start(flow, network.flows()[flow].message.src);
        network.inject(flow);
    }

    fn arrive_at_barrier(&mut self, network: &mut Network<'_>, rank: usize, group: u32) {
        let waiting = self.at_barriers.entry(group).or_default();
        waiting.push(rank);
        if waiting.len() == self.work.barrier_size(group) as usize {
            self.set_alarm(network, self.barrier_delay_s, Alarm::Release { group });
        }
    }

    fn notify(&mut self, network: &mut Network<'_>, rank: usize, tag: u64) {
        let mut requests = Vec::new();
        self.ranks[rank].message_arrived(tag, &mut requests);
        self.advance(network, rank, requests);
    }
}

impl Application for Ranks {
    fn wake(&mut self, network: &mut Network<'_>, alarm: ActorIdx) {
        match self.alarms[alarm] {
            Alarm::Begin => (0..self.ranks.len()).for_each(|rank| self.advance(network, rank, Vec::new())),
            Alarm::Wake { rank, stream } => {
                self.ranks[rank].wake(stream);
                self.advance(network, rank, Vec::new());
            }
            Alarm::Send(flow) => self.inject(network, flow),
            Alarm::Notify { rank, tag } => self.notify(network, rank, tag),
            Alarm::Release { group } => {
                for rank in self.at_barriers.remove(&group).unwrap_or_default() {
                    self.ranks[rank].release();
                    self.advance(network, rank, Vec::new());
                }
            }
        }
    }

    fn completed(&mut self, network: &mut Network<'_>, _: ActorIdx, flow: FlowIdx) {
        if let Some((rank, tag)) = self.notified[flow] {
            self.notify(network, rank, tag);
        }
    }
}
