//! What the program and the thread of the engine say to each other.
//!
//! Invariants: every command has one reply, but for the last one, whose reply is the result of the thread. A side that
//! waits does not sleep at once: most answers take less time than waking it would.

use std::sync::mpsc::{Receiver, RecvError, RecvTimeoutError, TryRecvError};
use std::thread::yield_now;
use std::time::{Duration as WallTime, Instant};

use netloom_records::Outcome;
use netloom_units::{Bytes, Duration, HostId, Time};

/// The number of a message: messages are numbered from 0 in the order in which they are handed over, and have this
/// number as `step` in table `flows`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(pub u64);

/// A message that has completely arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    /// The message.
    pub message: MessageId,
    /// Its sender.
    pub source: HostId,
    /// Its receiver.
    pub destination: HostId,
    /// Its size.
    pub bytes: Bytes,
    /// When it was started.
    pub started: Time,
    /// When its last byte arrived.
    pub completed: Time,
}

/// How long a side waits before it sleeps.
const AWAKE: WallTime = WallTime::from_micros(50);

/// Called while a program waits for the engine.
pub type WhileWaiting = dyn FnMut() + Send;

/// Time between two calls of it.
const BETWEEN_CALLS: WallTime = WallTime::from_millis(100);

/// Waits for what the other side sends, with a function to call in the meantime; an error if it is gone.
pub(super) fn receive_meanwhile<T>(line: &Receiver<T>, meanwhile: &mut WhileWaiting) -> Result<T, RecvError> {
    if let Some(received) = receive_soon(line)? {
        return Ok(received);
    }
    loop {
        match line.recv_timeout(BETWEEN_CALLS) {
            Ok(received) => return Ok(received),
            Err(RecvTimeoutError::Disconnected) => return Err(RecvError),
            Err(RecvTimeoutError::Timeout) => meanwhile(),
        }
    }
}

/// Waits for what the other side sends; an error if it is gone.
pub(super) fn receive<T>(line: &Receiver<T>) -> Result<T, RecvError> {
    match receive_soon(line)? {
        Some(received) => Ok(received),
        None => line.recv(),
    }
}

/// Waits for as long as a side stays awake; `None` if nothing has come.
fn receive_soon<T>(line: &Receiver<T>) -> Result<Option<T>, RecvError> {
    let begun = Instant::now();
    while begun.elapsed() < AWAKE {
        match line.try_recv() {
            Ok(received) => return Ok(Some(received)),
            Err(TryRecvError::Disconnected) => return Err(RecvError),
            Err(TryRecvError::Empty) => yield_now(),
        }
    }
    Ok(None)
}

/// A message to be started.
#[derive(Debug, Clone, Copy)]
pub(super) struct Planned {
    pub start: Time,
    pub bytes: Bytes,
    pub source: HostId,
    pub destination: HostId,
}

/// How far the run is to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    /// Until everything before an instant has taken place.
    Until(Time),
    /// Until the next message of the program has arrived.
    Completion,
    /// To the end of the run.
    End,
}

#[derive(Debug)]
pub(super) struct Command {
    /// Messages since the last command, in the order of their numbers.
    pub messages: Vec<Planned>,
    pub goal: Goal,
}

#[derive(Debug)]
pub(super) struct Reply {
    /// The present instant.
    pub now: Time,
    /// The longest window.
    pub lookahead: Duration,
    /// Completions since the last reply, in the order of their instants and numbers.
    pub completions: Vec<Completion>,
    /// How the run ended, if it did.
    pub outcome: Option<Outcome>,
}
