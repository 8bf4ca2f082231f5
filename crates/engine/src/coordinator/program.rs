//! The turns of a program, and the messages that it starts.
//!
//! Models: turns between windows, at the instants that the program asks for; turns within a window, at the completions
//! of its messages, whose hosts wait for it.
//! Leaves out: what the program does.
//!
//! Invariants: turns are in the order of time. Within a window the earliest of the hosts that wait continues first, and
//! what it does in this window cannot reach another host before the next one; so the others can wait, and no earlier
//! completion is still to come.

use netloom_model::Message;
use netloom_units::Time;

use super::Coordinator;
use crate::context::TimerKind;
use crate::observe::Control;
use crate::program::{NOTIFY_PROGRAM, Program, ProgramMessage};

/// The program of a run, and what waits for it.
pub(super) struct Turns<'h> {
    program: &'h mut dyn Program,
    /// Partitions in which messages of the program have completed at an instant, until it had its turn.
    held: Vec<(u64, u32)>,
    /// Messages that have started or will start in this window, and have not arrived.
    n_in_flight: u64,
    /// Whether the program ends the run.
    is_stopped: bool,
    /// Scratch memory.
    starts: Vec<ProgramMessage>,
}

impl<'h> Turns<'h> {
    pub fn new(program: &'h mut dyn Program) -> Turns<'h> {
        Turns { program, held: Vec::new(), n_in_flight: 0, is_stopped: false, starts: Vec::new() }
    }

    /// A message has completely arrived.
    pub fn arrived(&mut self, message: &Message, at: u64) {
        if message.notify == Some(NOTIFY_PROGRAM) {
            self.n_in_flight -= 1;
            self.program.arrived(message.step, Time(at));
        }
    }

    fn act(&mut self, now: u64) {
        self.is_stopped |= self.program.act(Time(now)) == Control::Stop;
    }

    fn has_next_start(&self) -> bool {
        self.program.next_start() != Time::NEVER
    }

    /// Whether partitions that wait may all go on to the end of a window.
    fn needs_no_turn(&self, end: u64) -> bool {
        self.is_stopped || (!self.program.wants_completions() && self.program.limit().0 >= end)
    }

    /// Moves the partitions that are held at an instant to a list.
    fn release(&mut self, at: u64, released: &mut Vec<u32>) {
        released.extend(self.held.iter().filter(|held| held.0 == at).map(|&(_, number)| number));
        self.held.retain(|held| held.0 != at);
    }
}

impl Coordinator<'_, '_> {
    /// The instant of the next event, or of the next message of the program.
    pub(super) fn earliest(&self) -> u64 {
        let earliest = self.scheduler.activity.earliest();
        self.turns.as_ref().map_or(earliest, |turns| earliest.min(turns.program.next_start().0))
    }

    /// The instant that the next window must not exceed.
    pub(super) fn program_limit(&self) -> u64 {
        self.turns.as_ref().map_or(u64::MAX, |turns| turns.program.limit().0)
    }

    /// Gives the program a turn if everything before the instant that it asks for has taken place; the next event is at
    /// `earliest`.
    ///
    /// Where nothing is left to do, pending events are left for later: they concern no message, and whether they count
    /// depends on whether the program starts another one.
    pub(super) fn turn_between_windows(&mut self, earliest: u64) -> Option<Control> {
        let turns = self.turns.as_ref()?;
        if turns.is_stopped {
            return Some(Control::Stop);
        }
        let limit = turns.program.limit().0;
        let may_be_idle = turns.n_in_flight == 0 && !turns.has_next_start();
        if limit == u64::MAX || (earliest < limit && !(may_be_idle && self.is_work_done())) {
            return None;
        }
        self.turns.as_mut()?.act(limit);
        Some(Control::Continue)
    }

    /// Whether the program starts no more messages.
    pub(super) fn has_program_ended(&self) -> bool {
        self.turns.as_ref().is_none_or(|turns| turns.program.has_ended() && !turns.has_next_start())
    }

    /// Hands out the messages that start before the end of a window.
    pub(super) fn start_messages(&mut self, end: u64) {
        let Some(turns) = &mut self.turns else { return };
        let mut starts = std::mem::take(&mut turns.starts);
        turns.program.take_starts(Time(end), &mut starts);
        turns.n_in_flight += starts.len() as u64;
        for ProgramMessage { start, source, message } in starts.drain(..) {
            let flow = self.insert(source, message);
            let (partition, node) = self.placement.of_node[self.model.fabric.host_node(source).index()];
            let kind = TimerKind::ProgramStart { number: message.step, flow };
            self.scheduler.partition(partition as usize).context.set_timer(start.0, node, kind);
            self.scheduler.activity.bring_forward(partition as usize, start.0);
        }
        if let Some(turns) = &mut self.turns {
            turns.starts = starts;
        }
    }

    /// Of partitions that paused, keeps those that may continue in the window: all that do not wait for the program, or
    /// else the earliest that do, after its turn.
    pub(super) fn keep_continuing(&mut self, paused: &mut Vec<u32>, end: u64) {
        let Some(turns) = &mut self.turns else { return };
        paused.retain(|&number| {
            let context = &mut self.scheduler.partition(number as usize).context;
            let is_held = std::mem::take(&mut context.is_held);
            if is_held {
                turns.held.push((context.now, number));
            }
            !is_held
        });
        if paused.is_empty() {
            self.release_held(paused, end);
            paused.sort_unstable();
        }
    }

    fn release_held(&mut self, released: &mut Vec<u32>, end: u64) {
        while let Some(turns) = &mut self.turns {
            let Some(first) = turns.held.iter().map(|held| held.0).min() else { return };
            if turns.needs_no_turn(end) {
                released.extend(turns.held.drain(..).map(|(_, number)| number));
                return;
            }
            let limit = turns.program.limit().0;
            if first < limit && !turns.program.wants_completions() {
                return turns.release(first, released);
            }
            turns.act(first.min(limit));
            self.start_messages(end);
            if let Some(turns) = self.turns.as_mut().filter(|_| first < limit) {
                return turns.release(first, released);
            }
        }
    }

    /// Whether partitions wait for the program.
    pub(super) fn is_holding(&self) -> bool {
        self.turns.as_ref().is_some_and(|turns| !turns.held.is_empty())
    }
}
