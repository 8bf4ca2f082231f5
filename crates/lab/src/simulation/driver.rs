//! The program as the engine sees it: its messages, and turns that wait for commands from another thread.
//!
//! Models: messages ordered by their starts until they are near, and the list of all messages for the replay.
//! Leaves out: which instants are possible; the side of the program checks that.
//!
//! Invariants: the engine is given no message before its window; a turn without anything new is passed on at once; a
//! program that is gone ends the run.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::mpsc::{Receiver, Sender};

use netloom_engine::observe::Control;
use netloom_engine::program::{NOTIFY_PROGRAM, Program, ProgramMessage};
use netloom_model::{FabricService, Message};
use netloom_records::Outcome;
use netloom_units::{Duration, Time};

use super::exchange::{Command, Completion, Goal, MessageId, Planned, Reply, receive};

/// The ends of the channels on the side of the engine.
pub(super) struct Line {
    pub commands: Receiver<Command>,
    pub replies: Sender<Reply>,
}

pub(super) struct Driver {
    line: Line,
    /// How the fabric is to handle the messages.
    service: FabricService,
    /// All messages, by number.
    pub messages: Vec<Planned>,
    /// Messages that the engine does not have yet.
    waiting: BinaryHeap<Reverse<(Time, u32)>>,
    /// Completions that were not reported to the program.
    completed: BinaryHeap<Reverse<(Time, u32)>>,
    goal: Goal,
    lookahead: Duration,
    /// Whether the program is gone.
    is_abandoned: bool,
}

impl Driver {
    pub fn new(line: Line, service: FabricService) -> Driver {
        Driver {
            line,
            service,
            messages: Vec::new(),
            waiting: BinaryHeap::new(),
            completed: BinaryHeap::new(),
            goal: Goal::Until(Time::ZERO),
            lookahead: Duration::ZERO,
            is_abandoned: false,
        }
    }

    /// The run has ended by itself: reports how, and waits until the program wants its result; returns whether it does.
    pub fn end(&mut self, now: Time, outcome: Outcome) -> bool {
        if self.goal != Goal::End {
            self.reply(now, Time::NEVER, Some(outcome));
            self.take_command();
        }
        !self.is_abandoned
    }

    /// Takes the completions before an instant that were not reported.
    pub fn take_completions(&mut self, before: Time) -> Vec<Completion> {
        let mut taken = Vec::new();
        while let Some(&Reverse((at, number))) = self.completed.peek().filter(|first| first.0.0 < before) {
            self.completed.pop();
            let Planned { start, bytes, source, destination } = self.messages[number as usize];
            let (message, started, completed) = (MessageId(u64::from(number)), start, at);
            taken.push(Completion { message, source, destination, bytes, started, completed });
        }
        taken
    }

    fn reply(&mut self, now: Time, before: Time, outcome: Option<Outcome>) {
        let completions = self.take_completions(before);
        // A program that is gone is noticed when its next command is waited for.
        _ = self.line.replies.send(Reply { now, lookahead: self.lookahead, completions, outcome });
    }

    fn take_command(&mut self) {
        let Ok(Command { messages, goal }) = receive(&self.line.commands) else {
            (self.goal, self.is_abandoned) = (Goal::End, true);
            return;
        };
        let first = self.messages.len() as u32;
        let starts = messages.iter().map(|message| message.start);
        self.waiting.extend(starts.zip(first..).map(Reverse));
        self.messages.extend(messages);
        self.goal = goal;
    }

    fn message(&self, number: u32) -> ProgramMessage {
        let Planned { start, bytes, source, destination } = self.messages[number as usize];
        let message = Message {
            to: destination,
            notify: Some(NOTIFY_PROGRAM),
            completion: None,
            tag: u64::from(number),
            size: bytes,
            rate: None,
            class: self.service.class,
            may_reorder: self.service.may_reorder,
            job: Message::FINITE,
            step: number,
            phase: 0,
            bucket: 0,
        };
        ProgramMessage { start, source, message }
    }
}

impl Program for Driver {
    fn begin(&mut self, window: Duration) {
        self.lookahead = window;
    }

    fn next_start(&self) -> Time {
        self.waiting.peek().map_or(Time::NEVER, |first| first.0.0)
    }

    fn take_starts(&mut self, before: Time, starts: &mut Vec<ProgramMessage>) {
        while let Some(&Reverse((start, number))) = self.waiting.peek()
            && start < before
        {
            self.waiting.pop();
            starts.push(self.message(number));
        }
    }

    fn arrived(&mut self, number: u32, at: Time) {
        self.completed.push(Reverse((at, number)));
    }

    fn limit(&self) -> Time {
        match self.goal {
            Goal::Until(limit) => limit,
            Goal::Completion | Goal::End => Time::NEVER,
        }
    }

    fn wants_completions(&self) -> bool {
        self.goal == Goal::Completion
    }

    fn act(&mut self, now: Time) -> Control {
        let before = match self.goal {
            Goal::Until(limit) => limit,
            Goal::Completion | Goal::End => Time(now.0 + 1),
        };
        // Two messages that complete at one instant at one host cause two turns.
        let has_news = self.completed.peek().is_some_and(|first| first.0.0 < before);
        if self.goal == Goal::Completion && !has_news {
            return Control::Continue;
        }
        self.reply(now, before, None);
        self.take_command();
        if self.is_abandoned { Control::Stop } else { Control::Continue }
    }

    fn has_ended(&self) -> bool {
        self.goal == Goal::End
    }
}
