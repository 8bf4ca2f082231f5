//! A program that acts during a run: it starts messages, and is called when they have arrived.
//!
//! Models: messages that start at instants the program chooses; its turns, at instants up to which everything has taken
//! place, and at the completions of its messages.
//! Leaves out: where the program is; it may be another thread that waits for a turn's answer.
//!
//! Invariants: the bounds of windows decide when the program is called, never what it may cause. At a turn no event at
//! or after that instant has taken place at the hosts where messages of the program have just completed, so they may
//! start messages at that instant. Other hosts may be ahead by at most a window ([`Program::begin`]). A message starts
//! where it would if an actor had waited until that instant.

use netloom_model::Message;
use netloom_units::{ActorId, Duration, HostId, Time};

use crate::observe::Control;

/// What [`Message::notify`] is set to in messages of a program.
pub const NOTIFY_PROGRAM: ActorId = ActorId(u32::MAX);

/// A message of a program; its number is [`Message::step`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProgramMessage {
    /// When it starts.
    pub start: Time,
    /// Where.
    pub source: HostId,
    /// The message.
    pub message: Message,
}

/// See the module.
pub trait Program {
    /// The run begins: the longest window, by which hosts may be ahead of a turn at a completion.
    fn begin(&mut self, window: Duration);

    /// The start of its next message; [`Time::NEVER`] if none is known.
    fn next_start(&self) -> Time;

    /// Moves the messages that start before an instant to a list, in the order of their starts and numbers.
    fn take_starts(&mut self, before: Time, starts: &mut Vec<ProgramMessage>);

    /// One of its messages has completely arrived. Within a window the calls are in no order.
    fn arrived(&mut self, number: u32, at: Time);

    /// The instant at which it wants a turn, before any event at it; [`Time::NEVER`] for none.
    fn limit(&self) -> Time;

    /// Whether it wants a turn at the next completion of its messages.
    fn wants_completions(&self) -> bool;

    /// Its turn: everything before this instant has taken place, and at a completion that completion.
    fn act(&mut self, now: Time) -> Control;

    /// Whether it wants no more turns and starts no messages but those that it has announced.
    fn has_ended(&self) -> bool;
}
