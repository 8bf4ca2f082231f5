//! An actor: the streams of operations of one rank, or of one host's background traffic.
//!
//! Models: streams that each run in order and in parallel with each other, joins, waiting for messages and barriers.
//! Leaves out: how messages are sent; effects go to the host.
//!
//! Invariants: an actor whose operations are exhausted is finished; an actor that could continue but has no more
//! operations reports so and must be refilled before its time advances. Messages that were created for an actor that
//! stopped before their turn never start; their number is at most one refill. Where several streams act at one instant, the
//! one with the lower number goes first, as far as its operations are there. An actor that does ever more operations at
//! one instant stops there: simulated time would never pass.

use std::collections::{BTreeMap, VecDeque};

use netloom_model::Mark;
use netloom_units::StateWriter;

/// An actor with fewer pending operations than this requests more.
const LOW_WATER: usize = 32;
/// Most operations of an actor at one instant, those that start messages aside: beyond that nothing will make it wait.
pub const MOST_AT_ONE_INSTANT: u32 = 1_000_000;

/// An operation with its message already in the flow table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Task {
    /// Be busy for a span in ps.
    Compute(u64),
    /// Wait until an instant in ps.
    Until(u64),
    /// Stop the actor if it is an instant in ps or later.
    StopAt(u64),
    /// Start the message in this slot of the flow table.
    Send(u32),
    /// Start it when a message with this tag has arrived.
    SendWhen {
        /// Its slot.
        flow: u32,
        /// The tag.
        tag: u64,
        /// Delay from that arrival until the start, in ps.
        after: u64,
        /// Whether the arrival stays for the next task that waits for this tag.
        keeps: bool,
    },
    /// Wait for messages with this tag.
    Receive {
        /// The tag.
        tag: u64,
        /// Number of messages.
        messages: u32,
    },
    /// Deliver a tag to an actor of this host.
    Notify {
        /// The actor's id.
        actor: u32,
        /// The tag.
        tag: u64,
    },
    /// Wait at a barrier for the other actors of a group.
    Barrier(u32),
    /// Report a mark.
    Mark(Mark),
    /// Wait for all streams.
    Join,
}

/// An action that an actor requests of its host.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Effect {
    /// Start a message.
    Send(u32),
    /// Start the next message of the delayed ones, at an instant in ps.
    Later(u64),
    /// Wake the stream at an instant.
    Wake {
        /// When, in ps.
        at: u64,
        /// Which stream.
        stream: u8,
    },
    /// Deliver a tag to another actor of the host.
    Notify {
        /// The actor's id.
        actor: u32,
        /// The tag.
        tag: u64,
    },
    /// Report a mark.
    Mark(Mark),
    /// Report the arrival at a barrier.
    Barrier(u32),
}

/// Whether an actor needs more operations from the coordinator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActorState {
    /// It has enough operations.
    Supplied,
    /// It should be refilled between windows.
    NeedsRefill,
    /// It cannot continue without more operations.
    OutOfTasks,
    /// It has done everything.
    Finished,
    /// It did so many operations at one instant that it was stopped.
    Standstill,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blocked {
    No,
    Timer,
    Receive { tag: u64, messages: u32 },
    Barrier,
}

#[derive(Debug)]
struct RankStream {
    tasks: VecDeque<Task>,
    blocked: Blocked,
}

/// A message that starts when one with its tag has arrived.
#[derive(Debug)]
struct WaitingSend {
    flow: u32,
    after: u64,
    keeps: bool,
}

/// See the module.
#[derive(Debug)]
pub struct Actor {
    /// Its id over all hosts.
    pub id: u32,
    queue: VecDeque<(u8, Task)>,
    streams: Vec<RankStream>,
    /// Operations in the queue and in streams.
    n_pending: usize,
    /// Messages that have arrived and were not yet waited for: (tag, count).
    mailbox: Vec<(u64, u32)>,
    /// Messages that start after one with a tag has arrived, by tag and number: there may be very many of them.
    waiting_sends: BTreeMap<(u64, u64), WaitingSend>,
    /// Number of messages that have waited so far.
    n_waited: u64,
    /// Of these, those released since the last [`Actor::advance`]: slot, delay.
    released: Vec<(u32, u64)>,
    /// Delayed messages with their starts in ps, each with a timer set, in the order of their starts.
    delayed_sends: VecDeque<(u64, u32)>,
    /// Tags that its streams have delivered to it and that are not in the mailbox yet.
    own_tags: Vec<u64>,
    exhausted: bool,
    /// Whether it has requested a refill.
    asked: bool,
    finished: bool,
    /// The instant of its last operation, in ps.
    instant: u64,
    /// Number of its operations then, messages that it started aside.
    n_at_instant: u32,
}

impl Actor {
    /// An actor without operations yet.
    pub fn new(id: u32) -> Actor {
        Actor {
            id,
            queue: VecDeque::new(),
            streams: Vec::new(),
            n_pending: 0,
            mailbox: Vec::new(),
            waiting_sends: BTreeMap::new(),
            n_waited: 0,
            released: Vec::new(),
            delayed_sends: VecDeque::new(),
            own_tags: Vec::new(),
            exhausted: false,
            asked: false,
            finished: false,
            instant: 0,
            n_at_instant: 0,
        }
    }

    /// Adds operations; an empty refill means that there will be no more.
    pub fn refill(&mut self, tasks: impl Iterator<Item = (u8, Task)>) {
        let before = self.queue.len();
        self.queue.extend(tasks);
        let n_new = self.queue.len() - before;
        self.n_pending += n_new;
        self.exhausted = n_new == 0;
        self.asked = false;
    }

    /// Whether it should be refilled once more.
    pub fn wants_more(&self) -> bool {
        !self.exhausted && self.n_pending < LOW_WATER
    }

    /// Whether it has done everything.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// A timer set for a stream has fired, or a barrier has released it; it continues at the next [`Actor::advance`].
    pub fn wake(&mut self, stream: u8) {
        self.streams[stream as usize].blocked = Blocked::No;
    }

    /// The barrier it waits at has released it.
    pub fn release(&mut self) {
        for stream in &mut self.streams {
            if stream.blocked == Blocked::Barrier {
                stream.blocked = Blocked::No;
            }
        }
    }

    /// A message with this tag has completely arrived; returns whether the actor can continue because of it.
    pub fn message_arrived(&mut self, tag: u64) -> bool {
        if !self.waiting_sends.is_empty() && self.release_sends(tag) {
            return true;
        }
        match self.mailbox.iter_mut().find(|(waiting, _)| *waiting == tag) {
            Some((_, count)) => *count += 1,
            None => self.mailbox.push((tag, 1)),
        }
        let mut woken = !self.released.is_empty();
        for stream in &mut self.streams {
            if let Blocked::Receive { tag: wanted, messages } = stream.blocked
                && wanted == tag
                && take(&mut self.mailbox, tag, messages)
            {
                stream.blocked = Blocked::No;
                woken = true;
            }
        }
        woken
    }

    /// The start time of the next delayed message has come.
    pub fn start_later(&mut self) {
        self.released.extend(self.delayed_sends.pop_front().map(|(_, flow)| (flow, 0)));
    }

    /// Releases the messages that wait for this tag, up to the first that consumes its arrival; returns whether one
    /// did.
    #[inline(never)]
    fn release_sends(&mut self, tag: u64) -> bool {
        while let Some((&next, _)) = self.waiting_sends.range((tag, 0)..=(tag, u64::MAX)).next() {
            let Some(WaitingSend { flow, after, keeps }) = self.waiting_sends.remove(&next) else { break };
            self.released.push((flow, after));
            if !keeps {
                return true;
            }
        }
        false
    }

    /// Runs every stream as far as possible at `now`; effects are appended in order.
    pub fn advance(&mut self, now: u64, effects: &mut Vec<Effect>) -> ActorState {
        if now != self.instant {
            (self.instant, self.n_at_instant) = (now, 0);
        }
        loop {
            self.start_released(now, effects);
            self.hand_out();
            let mut moved = self.deliver_own_tags();
            for number in 0..self.streams.len() {
                moved |= self.run_stream(number, now, effects);
            }
            if !moved {
                break;
            }
        }
        self.state()
    }

    /// Starts the messages whose tags have arrived.
    #[inline]
    fn start_released(&mut self, now: u64, effects: &mut Vec<Effect>) {
        if !self.released.is_empty() {
            let Actor { released, delayed_sends, .. } = self;
            let start = |(flow, after)| start_after(flow, now, after, delayed_sends);
            effects.extend(released.drain(..).map(start));
        }
    }

    /// Delivers the tags that its streams have given; returns whether there were any.
    #[inline]
    fn deliver_own_tags(&mut self) -> bool {
        if self.own_tags.is_empty() {
            return false;
        }
        for tag in std::mem::take(&mut self.own_tags) {
            self.message_arrived(tag);
        }
        true
    }

    fn state(&mut self) -> ActorState {
        if self.n_at_instant > MOST_AT_ONE_INSTANT {
            self.stop();
            self.finished = true;
            return ActorState::Standstill;
        }
        let idle = |stream: &RankStream| stream.blocked == Blocked::No && stream.tasks.is_empty();
        if self.exhausted {
            let starts_more = !self.waiting_sends.is_empty() || !self.delayed_sends.is_empty();
            let finished = self.queue.is_empty() && !starts_more && self.streams.iter().all(idle);
            let newly = finished && !self.finished;
            self.finished = finished;
            return if newly { ActorState::Finished } else { ActorState::Supplied };
        }
        // The next operation might belong to any idle stream, or to a new one.
        if self.queue.is_empty() && (self.streams.is_empty() || self.streams.iter().any(idle)) {
            return ActorState::OutOfTasks;
        }
        if self.n_pending < LOW_WATER && !self.asked {
            self.asked = true;
            return ActorState::NeedsRefill;
        }
        ActorState::Supplied
    }

    /// Moves operations to their streams up to a join that is not yet complete.
    fn hand_out(&mut self) {
        while let Some(&(number, task)) = self.queue.front() {
            if task == Task::Join {
                let busy = |stream: &RankStream| stream.blocked != Blocked::No || !stream.tasks.is_empty();
                if self.streams.iter().any(busy) {
                    return;
                }
                self.n_pending -= 1;
            } else {
                while self.streams.len() <= number as usize {
                    self.streams.push(RankStream { tasks: VecDeque::new(), blocked: Blocked::No });
                }
                self.streams[number as usize].tasks.push_back(task);
            }
            self.queue.pop_front();
        }
    }

    /// Runs one stream until it blocks or is empty; returns whether it did anything.
    fn run_stream(&mut self, number: usize, now: u64, effects: &mut Vec<Effect>) -> bool {
        let Actor { id, streams, mailbox, delayed_sends: later, n_pending, own_tags, n_at_instant, .. } =
            self;
        let stream = &mut streams[number];
        let mut moved = false;
        while stream.blocked == Blocked::No {
            let Some(task) = stream.tasks.pop_front() else { break };
            *n_pending -= 1;
            // Messages, and the instants before each of many that start together, are finite work.
            let is_of_step = !matches!(task, Task::Send(_) | Task::SendWhen { .. } | Task::Until(_));
            *n_at_instant += u32::from(is_of_step);
            moved = true;
            let wake = |at| Effect::Wake { at, stream: number as u8 };
            match task {
                Task::Send(flow) => effects.push(Effect::Send(flow)),
                Task::SendWhen { flow, tag, after, keeps } if has_arrived(mailbox, tag, keeps) => {
                    effects.push(start_after(flow, now, after, later));
                }
                Task::SendWhen { flow, tag, after, keeps } => {
                    self.waiting_sends.insert((tag, self.n_waited), WaitingSend { flow, after, keeps });
                    self.n_waited += 1;
                }
                Task::Mark(mark) => effects.push(Effect::Mark(mark)),
                Task::Compute(0) | Task::Join => {}
                Task::Compute(span) => {
                    stream.blocked = Blocked::Timer;
                    effects.push(wake(now + span));
                }
                Task::Until(at) if at <= now => {}
                Task::Until(at) => {
                    stream.blocked = Blocked::Timer;
                    effects.push(wake(at));
                }
                Task::StopAt(at) if now < at => {}
                Task::StopAt(_) => {
                    self.stop();
                    break;
                }
                Task::Receive { tag, messages } => {
                    if !take(mailbox, tag, messages) {
                        stream.blocked = Blocked::Receive { tag, messages };
                    }
                }
                Task::Notify { actor, tag } if actor == *id => own_tags.push(tag),
                Task::Notify { actor, tag } => effects.push(Effect::Notify { actor, tag }),
                Task::Barrier(group) => {
                    stream.blocked = Blocked::Barrier;
                    effects.push(Effect::Barrier(group));
                }
            }
        }
        moved
    }

    /// Drops all remaining operations.
    pub fn stop(&mut self) {
        self.queue.clear();
        self.waiting_sends.clear();
        self.delayed_sends.clear();
        self.own_tags.clear();
        for stream in &mut self.streams {
            stream.tasks.clear();
            stream.blocked = Blocked::No;
        }
        self.n_pending = 0;
        self.exhausted = true;
    }

    /// What it waits for, for display: (tag, messages still missing) of each stream and of each message that waits.
    pub fn waits_for(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        let of_sends = self.waiting_sends.keys().map(|&(tag, _)| (tag, 1));
        let of_streams = self.streams.iter().filter_map(|stream| match stream.blocked {
            Blocked::Receive { tag, messages } => {
                let here = self.mailbox.iter().find(|(waiting, _)| *waiting == tag);
                Some((tag, messages - here.map_or(0, |&(_, count)| count)))
            }
            _ => None,
        });
        of_streams.chain(of_sends)
    }

    /// Whether a stream waits at a barrier.
    pub fn waits_at_barrier(&self) -> bool {
        self.streams.iter().any(|stream| stream.blocked == Blocked::Barrier)
    }

    /// Writes the state that later behaviour depends on, without the operations still to come: the number already
    /// handed over changes nothing, and a comparison of their contents is left to the workload.
    pub fn write_state(&self, out: &mut StateWriter) {
        out.word(u64::from(self.finished));
        for stream in &self.streams {
            out.word(match stream.blocked {
                Blocked::No => 0,
                Blocked::Timer => 1,
                Blocked::Receive { messages, .. } => 2 | (u64::from(messages) << 8),
                Blocked::Barrier => 3,
            });
        }
        self.mailbox.iter().for_each(|&(_, count)| out.word(u64::from(count)));
        if !self.waiting_sends.is_empty() || !self.delayed_sends.is_empty() {
            out.word((self.waiting_sends.len() + self.delayed_sends.len()) as u64);
        }
    }
}

/// A message starts `after` ps after `now`; of messages with one start, the one that was delayed first starts first.
fn start_after(flow: u32, now: u64, after: u64, later: &mut VecDeque<(u64, u32)>) -> Effect {
    if after == 0 {
        return Effect::Send(flow);
    }
    let at = now + after;
    let index = later.partition_point(|&(start, _)| start <= at);
    later.insert(index, (at, flow));
    Effect::Later(at)
}

/// Whether a message with this tag has arrived, which is consumed unless it is kept for others.
fn has_arrived(mailbox: &mut Vec<(u64, u32)>, tag: u64, keeps: bool) -> bool {
    if keeps { mailbox.iter().any(|&(waiting, _)| waiting == tag) } else { take(mailbox, tag, 1) }
}

/// Takes `messages` messages with this tag out of the mailbox if that many are there.
fn take(mailbox: &mut Vec<(u64, u32)>, tag: u64, messages: u32) -> bool {
    if messages == 0 {
        return true;
    }
    let Some(index) = mailbox.iter().position(|&(waiting, _)| waiting == tag) else { return false };
    let count = &mut mailbox[index].1;
    if *count < messages {
        return false;
    }
    *count -= messages;
    if *count == 0 {
        mailbox.swap_remove(index);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn actor(tasks: &[(u8, Task)]) -> Actor {
        let mut actor = Actor::new(0);
        actor.refill(tasks.iter().copied());
        actor.exhausted = true;
        actor
    }

    #[test]
    fn a_join_waits_for_all_streams() {
        let tasks = [(0, Task::Compute(5)), (1, Task::Send(1)), (0, Task::Join), (1, Task::Send(2))];
        let mut actor = actor(&tasks);
        let mut effects = Vec::new();
        assert_eq!(actor.advance(10, &mut effects), ActorState::Supplied);
        assert_eq!(effects, [Effect::Wake { at: 15, stream: 0 }, Effect::Send(1)]);
        actor.wake(0);
        assert_eq!(actor.advance(15, &mut effects), ActorState::Finished);
        assert_eq!(effects[2..], [Effect::Send(2)]);
    }

    #[test]
    fn a_stopped_actor_ignores_further_operations() {
        let tasks = [(0, Task::StopAt(7)), (0, Task::Send(1)), (1, Task::Compute(9)), (0, Task::Until(7))];
        let mut actor = Actor::new(0);
        actor.refill(tasks.into_iter().chain([(0, Task::StopAt(7)), (0, Task::Send(2))]));
        let mut effects = Vec::new();
        assert_eq!(actor.advance(6, &mut effects), ActorState::NeedsRefill);
        let before = [Effect::Send(1), Effect::Wake { at: 7, stream: 0 }, Effect::Wake { at: 15, stream: 1 }];
        assert_eq!(effects, before);
        actor.wake(0);
        assert_eq!(actor.advance(7, &mut effects), ActorState::Finished);
        // It requested a refill before it stopped, and its other stream was about to wake.
        assert!(actor.is_finished());
        actor.wake(1);
        assert_eq!(actor.advance(15, &mut effects), ActorState::Supplied);
        assert!(!actor.wants_more());
        assert_eq!(effects, before);
    }

    #[test]
    fn early_messages_are_kept() {
        let tasks = [(0, Task::Receive { tag: 7, messages: 2 }), (0, Task::Send(1))];
        let mut actor = actor(&tasks);
        let mut effects = Vec::new();
        assert!(!actor.message_arrived(7));
        actor.advance(0, &mut effects);
        assert!(effects.is_empty());
        assert!(!actor.message_arrived(8));
        assert!(actor.message_arrived(7));
        assert_eq!(actor.advance(3, &mut effects), ActorState::Finished);
        assert_eq!(effects, [Effect::Send(1)]);
    }

    #[test]
    fn a_stream_wakes_another_one_at_the_same_instant() {
        let (wait, notify) = (Task::Receive { tag: 7, messages: 1 }, Task::Notify { actor: 0, tag: 7 });
        let tasks = [(0, wait), (0, Task::Send(1)), (1, Task::Compute(5)), (1, notify)];
        let mut actor = actor(&tasks);
        let mut effects = Vec::new();
        actor.advance(0, &mut effects);
        actor.wake(1);
        assert_eq!(actor.advance(5, &mut effects), ActorState::Finished);
        assert_eq!(effects, [Effect::Wake { at: 5, stream: 1 }, Effect::Send(1)]);
        // Tags of other actors are the host's business.
        let mut other = Actor::new(3);
        other.refill([(0, notify)].into_iter());
        effects.clear();
        other.advance(9, &mut effects);
        assert_eq!(effects, [Effect::Notify { actor: 0, tag: 7 }]);
    }

    #[test]
    fn a_message_waits_for_its_tag_without_blocking_others() {
        let when = |flow, tag| (0, Task::SendWhen { flow, tag, after: 0, keeps: false });
        let mut actor = actor(&[when(1, 7), when(2, 8), when(3, 7), (0, Task::Send(4))]);
        let mut effects = Vec::new();
        assert!(!actor.message_arrived(8), "no operation waits for it yet");
        actor.advance(0, &mut effects);
        assert_eq!(effects, [Effect::Send(2), Effect::Send(4)]);
        // The first message that waits for a tag goes first; surplus arrivals stay in the mailbox.
        for (flow, at) in [(1, 5), (3, 6)] {
            assert!(actor.message_arrived(7));
            effects.clear();
            actor.advance(at, &mut effects);
            assert_eq!(effects, [Effect::Send(flow)]);
        }
        assert!(!actor.message_arrived(7));
    }

    #[test]
    fn several_messages_wait_for_one_with_delays_of_their_own() {
        let when = |flow, after, keeps| (0, Task::SendWhen { flow, tag: 7, after, keeps });
        let mut actor = actor(&[when(1, 9, true), when(2, 0, true), when(3, 4, false), when(4, 0, false)]);
        let mut effects = Vec::new();
        assert_eq!(actor.advance(0, &mut effects), ActorState::Supplied, "it still has messages to start");
        assert!(effects.is_empty());
        assert!(actor.message_arrived(7));
        actor.advance(10, &mut effects);
        // The last of them consumes the arrival, so the fourth waits for another one.
        assert_eq!(effects, [Effect::Later(19), Effect::Send(2), Effect::Later(14)]);
        effects.clear();
        for at in [14, 19] {
            actor.start_later();
            assert_eq!(actor.advance(at, &mut effects), ActorState::Supplied);
        }
        assert_eq!(effects, [Effect::Send(3), Effect::Send(1)]);
        assert!(actor.message_arrived(7));
        assert_eq!(actor.advance(20, &mut effects), ActorState::Finished);
        // An arrival that comes first stays until the last has taken it.
        let mut early = Actor::new(0);
        assert!(!early.message_arrived(7));
        early.refill([when(1, 0, true), when(2, 0, false), when(3, 0, false)].into_iter());
        effects.clear();
        early.advance(0, &mut effects);
        assert_eq!(effects, [Effect::Send(1), Effect::Send(2)]);
    }

    #[test]
    fn an_actor_with_enough_operations_needs_no_refill() {
        let until = |at| (0, Task::Until(at));
        let mut actor = Actor::new(0);
        actor.refill((1..=100).map(until));
        assert!(!actor.wants_more());
        let mut asked = 0;
        for now in 0..=68 {
            if now > 0 {
                actor.wake(0);
            }
            asked += u32::from(actor.advance(now, &mut Vec::new()) == ActorState::NeedsRefill);
            // At each instant it waits for the next one; below the low-water mark it requests a refill, once.
            assert_eq!(asked, u32::from(100 - (now as usize + 1) < LOW_WATER), "{now}");
        }
        assert!(actor.wants_more());
    }

    #[test]
    fn without_operations_an_actor_needs_a_refill() {
        let mut actor = Actor::new(0);
        assert_eq!(actor.advance(0, &mut Vec::new()), ActorState::OutOfTasks);
        actor.refill([(0, Task::Compute(1))].into_iter());
        assert_eq!(actor.advance(0, &mut Vec::new()), ActorState::NeedsRefill);
        actor.wake(0);
        assert_eq!(actor.advance(1, &mut Vec::new()), ActorState::OutOfTasks);
        actor.refill(std::iter::empty());
        assert_eq!(actor.advance(1, &mut Vec::new()), ActorState::Finished);
    }
}
