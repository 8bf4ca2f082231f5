//! Runs any work to its end without a network: a message arrives after a fixed or a random delay.
//!
//! It follows the rules of the interface between work and engine, refills an actor only when needed or far ahead, and
//! records everything that the tests check.

use std::collections::BTreeMap;

use netloom_model::{Mark, Message, Work};
use netloom_testkit::fixture::{Rank, Request};
use netloom_units::{ActorId, Random, Time};

/// How long a message takes.
pub enum Delay {
    /// The same for every message.
    Fixed(u64),
    /// Between 1 and a maximum, drawn per message.
    Random(Random, u32),
}

/// The recorded events.
#[derive(Debug, Default, PartialEq)]
pub struct Trace {
    /// Time, sending actor, message.
    pub sends: Vec<(u64, u32, Message)>,
    /// Time, actor, mark.
    pub marks: Vec<(u64, u32, Mark)>,
    /// Barriers released, by group.
    pub releases: BTreeMap<u32, u32>,
    /// Largest number of operations that an actor held at once.
    pub most_held: usize,
    /// When the last actor finished.
    pub end: u64,
}

impl Trace {
    pub fn bytes_sent(&self) -> u128 {
        self.sends.iter().map(|(_, _, message)| u128::from(message.size.0)).sum()
    }

    pub fn bytes_of(&self, actor: u32) -> u64 {
        self.sends.iter().filter(|send| send.1 == actor).map(|send| send.2.size.0).sum()
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Event {
    Wake { rank: usize, stream: usize },
    Release { rank: usize },
    Arrive { rank: usize, tag: u64 },
    Send { rank: usize, message: Message },
}

struct Executor<'a, W> {
    work: &'a mut W,
    delay: Delay,
    /// Number of operations below which a rank is refilled.
    ahead: usize,
    now: u64,
    events: BTreeMap<(u64, u64), Event>,
    n_events: u64,
    ranks: Vec<Rank>,
    at_barriers: BTreeMap<u32, Vec<usize>>,
    trace: Trace,
}

/// Runs work to its end.
///
/// # Panics
/// If it never ends, or if messages are left that no operation received.
pub fn run(work: &mut impl Work, delay: Delay, ahead: usize) -> Trace {
    let n = work.actors().len();
    let mut executor = Executor {
        work,
        delay,
        ahead,
        now: 0,
        events: BTreeMap::new(),
        n_events: 0,
        ranks: (0..n).map(|rank| Rank::new(ActorId(rank as u32))).collect(),
        at_barriers: BTreeMap::new(),
        trace: Trace::default(),
    };
    for rank in 0..n {
        executor.advance(rank, Vec::new());
    }
    while let Some(((time, _), event)) = executor.events.pop_first() {
        executor.now = time;
        executor.handle(event);
    }
    executor.ranks.iter().for_each(Rank::check_finished);
    executor.trace.most_held = executor.ranks.iter().map(Rank::most_held).max().unwrap_or(0);
    executor.trace.end = executor.now;
    executor.trace
}

impl<W: Work> Executor<'_, W> {
    fn schedule(&mut self, span: u64, event: Event) {
        self.n_events += 1;
        self.events.insert((self.now + span, self.n_events), event);
    }

    fn handle(&mut self, event: Event) {
        let mut requests = Vec::new();
        let rank = match event {
            Event::Send { rank, message } => return self.send(rank, message),
            Event::Wake { rank, stream } => {
                self.ranks[rank].wake(stream);
                rank
            }
            Event::Release { rank } => {
                self.ranks[rank].release();
                rank
            }
            Event::Arrive { rank, tag } => {
                self.ranks[rank].message_arrived(tag, &mut requests);
                rank
            }
        };
        self.advance(rank, requests);
    }

    fn advance(&mut self, rank: usize, mut requests: Vec<Request>) {
        self.ranks[rank].advance(Time(self.now), self.work, self.ahead, &mut requests);
        for request in requests {
            self.follow(rank, request);
        }
    }

    fn follow(&mut self, rank: usize, request: Request) {
        match request {
            Request::Wake { at, stream } => self.schedule(at.0 - self.now, Event::Wake { rank, stream }),
            Request::Send { message, delay } if delay.0 == 0 => self.send(rank, message),
            Request::Send { message, delay } => self.schedule(delay.0, Event::Send { rank, message }),
            Request::Notify { actor, tag } => self.schedule(0, Event::Arrive { rank: actor.index(), tag }),
            Request::Mark(mark) => self.trace.marks.push((self.now, rank as u32, mark)),
            Request::Barrier { group } => self.arrive_at_barrier(rank, group),
        }
    }

    fn send(&mut self, rank: usize, message: Message) {
        let hosts = self.work.actors();
        assert!(message.size.0 > 0, "an empty message");
        assert_ne!(message.to, hosts[rank], "a message from a host to itself");
        let span = match &mut self.delay {
            Delay::Fixed(span) => *span,
            Delay::Random(random, maximum) => 1 + u64::from(random.below(*maximum)),
        };
        self.trace.sends.push((self.now, rank as u32, message));
        if let Some(to) = message.notify {
            assert_eq!(hosts[to.index()], message.to, "the actor to notify is on another host");
            self.schedule(span, Event::Arrive { rank: to.index(), tag: message.tag });
        }
        if let Some(own) = message.completion {
            assert_eq!(own.index(), rank, "a message names another actor as its sender");
            self.schedule(2 * span, Event::Arrive { rank, tag: Message::completion_tag(message.tag) });
        }
    }

    fn arrive_at_barrier(&mut self, rank: usize, group: u32) {
        let size = self.work.barrier_size(group) as usize;
        let waiting = self.at_barriers.entry(group).or_default();
        waiting.push(rank);
        if waiting.len() < size {
            return;
        }
        let released = std::mem::take(waiting);
        *self.trace.releases.entry(group).or_default() += 1;
        for rank in released {
            self.schedule(0, Event::Release { rank });
        }
    }
}
