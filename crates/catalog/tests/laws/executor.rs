//! Runs any work to its end without a network: a message arrives after a fixed or a random delay.
//!
//! It follows the rules of the interface between work and engine, refills an actor only when needed or far ahead, and
//! records everything that the tests check.

use std::collections::{BTreeMap, VecDeque};

use netloom_model::{Item, Mark, Message, Operation, Work};
use netloom_units::{ActorId, Random};

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
    Wake { actor: usize, lane: usize },
    Arrive { actor: usize, tag: u64 },
    Send { actor: usize, message: Message },
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Blocked {
    No,
    Timer,
    Receive(u64, u32),
    Barrier,
}

struct Lane {
    tasks: VecDeque<Operation>,
    blocked: Blocked,
}

struct Actor {
    queue: VecDeque<Item>,
    lanes: Vec<Lane>,
    mailbox: BTreeMap<u64, u32>,
    /// Messages that are sent when one with a tag arrives: the tag, the delay, and whether the arrival is consumed.
    kept: VecDeque<(u64, Message, u64, bool)>,
    exhausted: bool,
    /// Whether it was stopped before its end.
    stopped: bool,
}

impl Actor {
    fn new() -> Actor {
        let (queue, lanes, mailbox) = (VecDeque::new(), Vec::new(), BTreeMap::new());
        Actor { queue, lanes, mailbox, kept: VecDeque::new(), exhausted: false, stopped: false }
    }

    fn busy(&self) -> bool {
        self.lanes.iter().any(|lane| lane.blocked != Blocked::No || !lane.tasks.is_empty())
    }

    fn held(&self) -> usize {
        self.queue.len() + self.lanes.iter().map(|lane| lane.tasks.len()).sum::<usize>()
    }

    /// Moves operations to their streams, up to a join that must still wait.
    fn hand_out(&mut self) {
        while let Some(item) = self.queue.front().copied() {
            if item.operation == Operation::Join {
                if self.busy() {
                    return;
                }
            } else {
                let lane = usize::from(item.stream);
                assert!(lane < Item::STREAMS, "there is no stream {lane}");
                while self.lanes.len() <= lane {
                    self.lanes.push(Lane { tasks: VecDeque::new(), blocked: Blocked::No });
                }
                self.lanes[lane].tasks.push_back(item.operation);
            }
            self.queue.pop_front();
        }
    }

    fn stop(&mut self) {
        self.queue.clear();
        self.lanes.iter_mut().for_each(|lane| *lane = Lane { tasks: VecDeque::new(), blocked: Blocked::No });
        (self.exhausted, self.stopped) = (true, true);
    }

    fn take(&mut self, tag: u64, messages: u32) -> bool {
        let Some(count) = self.mailbox.get_mut(&tag) else { return false };
        if *count < messages {
            return false;
        }
        *count -= messages;
        if *count == 0 {
            self.mailbox.remove(&tag);
        }
        true
    }
}

struct Executor<'a, W> {
    work: &'a mut W,
    delay: Delay,
    /// Number of operations below which an actor is refilled.
    ahead: usize,
    now: u64,
    events: BTreeMap<(u64, u64), Event>,
    n_events: u64,
    actors: Vec<Actor>,
    waiting: BTreeMap<u32, Vec<usize>>,
    trace: Trace,
}

/// Runs work to its end.
///
/// # Panics
/// If it never ends, or if messages are left that no operation received.
pub fn run(work: &mut impl Work, delay: Delay, ahead: usize) -> Trace {
    let n = work.actors().len();
    let actors = (0..n).map(|_| Actor::new()).collect();
    let mut executor = Executor {
        work,
        delay,
        ahead,
        now: 0,
        events: BTreeMap::new(),
        n_events: 0,
        actors,
        waiting: BTreeMap::new(),
        trace: Trace::default(),
    };
    for actor in 0..n {
        executor.advance(actor);
    }
    while let Some(((time, _), event)) = executor.events.pop_first() {
        executor.now = time;
        executor.happen(event);
    }
    for (number, actor) in executor.actors.iter().enumerate() {
        let blocked: Vec<_> = actor.lanes.iter().map(|lane| lane.blocked).collect();
        assert!(actor.exhausted && !actor.busy(), "actor {number} never ends: {blocked:?}");
        assert!(
            actor.stopped || (actor.mailbox.is_empty() && actor.kept.is_empty()),
            "actor {number} never receives {:?}",
            actor.mailbox
        );
    }
    executor.trace.end = executor.now;
    executor.trace
}

impl<W: Work> Executor<'_, W> {
    fn later(&mut self, span: u64, event: Event) {
        self.n_events += 1;
        self.events.insert((self.now + span, self.n_events), event);
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Wake { actor, lane } => {
                self.actors[actor].lanes[lane].blocked = Blocked::No;
                self.advance(actor);
            }
            Event::Send { actor, message } => self.send(actor, message),
            Event::Arrive { actor: number, tag } => {
                while let Some(place) = self.actors[number].kept.iter().position(|waiting| waiting.0 == tag) {
                    let waiting = self.actors[number].kept.remove(place).expect("it is there");
                    self.send_after(number, waiting.1, waiting.2);
                    if waiting.3 {
                        return;
                    }
                }
                let actor = &mut self.actors[number];
                *actor.mailbox.entry(tag).or_default() += 1;
                for lane in 0..actor.lanes.len() {
                    if let Blocked::Receive(wanted, messages) = actor.lanes[lane].blocked
                        && actor.take(wanted, messages)
                    {
                        actor.lanes[lane].blocked = Blocked::No;
                    }
                }
                self.advance(number);
            }
        }
    }

    /// Runs an actor until it is blocked, and refills it as the interface requires.
    fn advance(&mut self, number: usize) {
        loop {
            let actor = &mut self.actors[number];
            let before = actor.held();
            actor.hand_out();
            let idle = actor.lanes.iter().any(|lane| lane.blocked == Blocked::No && lane.tasks.is_empty());
            let must = actor.queue.is_empty() && (idle || actor.lanes.is_empty());
            if !actor.exhausted && (must || actor.held() < self.ahead) {
                let handed = actor.queue.len();
                self.work.refill(ActorId(number as u32), &mut actor.queue);
                actor.exhausted = actor.queue.len() == handed;
                self.trace.most_held = self.trace.most_held.max(actor.held());
                continue;
            }
            for lane in 0..self.actors[number].lanes.len() {
                self.run_lane(number, lane);
            }
            if self.actors[number].held() == before {
                return;
            }
        }
    }

    fn run_lane(&mut self, number: usize, lane: usize) {
        while self.actors[number].lanes[lane].blocked == Blocked::No {
            let Some(operation) = self.actors[number].lanes[lane].tasks.pop_front() else { return };
            let blocked = self.start(number, lane, operation);
            // A barrier may have been released, and this stream with it.
            if blocked != Blocked::No {
                self.actors[number].lanes[lane].blocked = blocked;
            }
            self.release_barriers();
        }
    }

    fn start(&mut self, number: usize, lane: usize, operation: Operation) -> Blocked {
        match operation {
            Operation::Join => unreachable!("joins are not handed out"),
            Operation::Mark(mark) => self.trace.marks.push((self.now, number as u32, mark)),
            Operation::Send(message) => self.send(number, message),
            Operation::SendWhen { message, tag, .. } if self.actors[number].take(tag, 1) => {
                self.send(number, message);
            }
            Operation::SendWhen { message, tag, .. } => {
                self.actors[number].kept.push_back((tag, message, 0, true));
            }
            Operation::SendAfter { message, tag, delay, is_last } => {
                let actor = &mut self.actors[number];
                let has_arrived = if is_last { actor.take(tag, 1) } else { actor.mailbox.contains_key(&tag) };
                if has_arrived {
                    self.send_after(number, message, delay.0);
                } else {
                    actor.kept.push_back((tag, message, delay.0, is_last));
                }
            }
            Operation::Compute(span) => {
                self.later(span.0, Event::Wake { actor: number, lane });
                return Blocked::Timer;
            }
            Operation::Until(at) if at.0 > self.now => {
                self.later(at.0 - self.now, Event::Wake { actor: number, lane });
                return Blocked::Timer;
            }
            Operation::Until(_) => {}
            Operation::StopAt(at) if at.0 > self.now => {}
            Operation::StopAt(_) => self.actors[number].stop(),
            Operation::Receive { tag, messages } => {
                assert!(messages > 0, "a wait for nothing");
                if !self.actors[number].take(tag, messages) {
                    return Blocked::Receive(tag, messages);
                }
            }
            Operation::Notify { actor, tag } => self.later(0, Event::Arrive { actor: actor.index(), tag }),
            Operation::Barrier { group } => {
                self.waiting.entry(group).or_default().push(number);
                return Blocked::Barrier;
            }
        }
        Blocked::No
    }

    fn send_after(&mut self, number: usize, message: Message, delay: u64) {
        match delay {
            0 => self.send(number, message),
            delay => self.later(delay, Event::Send { actor: number, message }),
        }
    }

    fn send(&mut self, number: usize, message: Message) {
        let actors = self.work.actors();
        assert!(message.size.0 > 0, "an empty message");
        assert_ne!(message.to, actors[number], "a message from a host to itself");
        let span = match &mut self.delay {
            Delay::Fixed(span) => *span,
            Delay::Random(random, maximum) => 1 + u64::from(random.below(*maximum)),
        };
        self.trace.sends.push((self.now, number as u32, message));
        if let Some(to) = message.notify {
            assert_eq!(actors[to.index()], message.to, "the actor to notify is on another host");
            self.later(span, Event::Arrive { actor: to.index(), tag: message.tag });
        }
        if let Some(own) = message.completion {
            assert_eq!(own.index(), number, "a message names another actor as its sender");
            self.later(2 * span, Event::Arrive { actor: number, tag: message.tag });
        }
    }

    fn release_barriers(&mut self) {
        for (group, actors) in std::mem::take(&mut self.waiting) {
            let size = self.work.barrier_size(group) as usize;
            assert!(actors.len() <= size, "an actor twice at a barrier");
            if actors.len() < size {
                self.waiting.insert(group, actors);
                continue;
            }
            *self.trace.releases.entry(group).or_default() += 1;
            for actor in actors {
                let lanes = &self.actors[actor].lanes;
                let lane = lanes.iter().position(|lane| lane.blocked == Blocked::Barrier);
                let lane = lane.expect("it waits in one of its streams");
                self.later(0, Event::Wake { actor, lane });
            }
        }
    }
}
