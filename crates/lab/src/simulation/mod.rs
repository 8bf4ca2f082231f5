//! A simulated network that a program uses step by step.
//!
//! Models: messages that a program starts at instants of its choice, and their completions; the run goes on as far as
//! the program lets it, with everything else that the scenario describes: faults, background traffic, jobs.
//! Leaves out: data; a message has a size and no content.
//!
//! Invariants: what the program causes takes place at stated instants, so results do not depend on how often it calls,
//! or on the number of threads; the run folder replays them without the program. No call waits for anything but the
//! engine, which always comes to an end: at a completion, at an instant, or where the run ends.

mod driver;
mod error;
mod exchange;
mod instants;
mod replay;
mod thread;

use std::any::Any;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use netloom_engine::Options;
use netloom_records::{FolderSink, Manifest, Outcome, Overwrite};
use netloom_scenario::{Overrides, hint};
use netloom_units::{Bytes, Duration, HostId, Time};

use crate::error::{LabError, check_threads};
use crate::line::fitting_threads;
use crate::memory::{MemoryLimit, check_memory};
use crate::source::Source;
use crate::summary::Summary;
use driver::Line;
pub use error::SimulationError;
use exchange::{Command, Goal, Planned, Reply, receive, receive_meanwhile};
pub use exchange::{Completion, MessageId, WhileWaiting};
use instants::Instants;
use replay::Base;
use thread::Run;

/// The longest time that can be simulated, as in files of flows: 100 days.
const LONGEST: Time = Time(8_640_000_000_000_000_000);

/// How to simulate; none of these options changes a result.
#[derive(Debug, Clone, Default)]
pub struct SimulationOptions {
    /// The run folder; `None` stores nothing.
    pub folder: Option<PathBuf>,
    /// Whether a complete run that is there already may be replaced.
    pub overwrite: Overwrite,
    /// Number of threads; `None` chooses by the size of the fabric.
    pub threads: Option<usize>,
    /// The most memory that it may be expected to need, without the messages of the program; `None` for that of this
    /// machine.
    pub memory_limit: Option<MemoryLimit>,
    /// The command line of the program, for the manifest.
    pub command: Vec<String>,
    /// Set by another thread to end the run at its next window.
    pub stop: Option<Arc<AtomicBool>>,
}

/// A host, by its number or by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostRef<'a> {
    /// By its number.
    Id(HostId),
    /// By its name.
    Name(&'a str),
}

impl From<HostId> for HostRef<'_> {
    fn from(id: HostId) -> Self {
        HostRef::Id(id)
    }
}

impl<'a> From<&'a str> for HostRef<'a> {
    fn from(name: &'a str) -> Self {
        HostRef::Name(name)
    }
}

/// The result of a simulation.
#[derive(Debug, Clone)]
pub struct SimulationReport {
    /// The name of the scenario.
    pub name: String,
    /// Where its records are, with `scenario.yaml` and `messages.csv`, which replay it.
    pub folder: Option<PathBuf>,
    /// The manifest there, with the digest.
    pub manifest: Option<Manifest>,
    /// How the run ended.
    pub outcome: Outcome,
    /// Its figures.
    pub summary: Summary,
    /// Completions that had not been taken.
    pub completions: Vec<Completion>,
}

/// A simulated network that a program uses step by step.
///
/// # Instants
/// The simulation is at an instant, [`Simulation::now`].
/// At its start, and after [`Simulation::run_until`], everything before that instant has taken place and nothing at it:
/// every host can start messages there.
/// After [`Simulation::run_until_completion`] it is at the completion, and so is the receiver of that message:
/// it can start messages at that instant. Every other host may be ahead by up to [`Simulation::lookahead`], as nothing
/// in a real network reaches it sooner, and can start messages from then on.
/// [`Simulation::earliest_start`] is that instant for any host, and the default of [`Simulation::send`].
///
/// ```
/// use netloom_lab::{Overrides, Simulation, SimulationOptions, Source};
///
/// let fabric = "netloom: 1\nfabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 2 } }\n";
/// let scenario = Source::text("stepwise", fabric);
/// let mut network = Simulation::start(&scenario, &Overrides::default(), SimulationOptions::default())?;
/// let request = network.send("leaf0.host0", "leaf1.host1", 4096, None)?;
/// let arrived = network.run_until_completion()?.expect("nothing is lost");
/// assert_eq!((arrived.message, arrived.completed), (request, network.now()));
/// // The receiver answers at the instant at which the request has arrived.
/// network.send(arrived.destination, arrived.source, 1 << 20, None)?;
/// let answer = network.run_until_completion()?.expect("nothing is lost");
/// assert_eq!(answer.started, arrived.completed);
/// let report = network.finish()?;
/// assert_eq!(report.summary.background.map(|messages| messages.messages), Some(2));
/// # Ok::<(), netloom_lab::LabError>(())
/// ```
pub struct Simulation {
    names: Vec<String>,
    by_name: BTreeMap<String, HostId>,
    deadline: Time,
    instants: Instants,
    /// Messages that the engine does not know of yet.
    messages: Vec<Planned>,
    n_messages: u32,
    n_completed: u32,
    /// Completions that were not taken.
    completions: VecDeque<Completion>,
    outcome: Option<Outcome>,
    commands: Option<Sender<Command>>,
    replies: Receiver<Reply>,
    while_waiting: Option<Box<WhileWaiting>>,
    thread: Option<JoinHandle<Result<Option<SimulationReport>, LabError>>>,
}

impl fmt::Debug for Simulation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = formatter.debug_struct("Simulation");
        fields.field("now", &self.now()).field("in_flight", &self.in_flight());
        fields.field("outcome", &self.outcome).finish_non_exhaustive()
    }
}

impl Simulation {
    /// Starts a simulation of a scenario, which may be a fabric alone, up to its first instant.
    ///
    /// # Errors
    /// If the scenario has errors, or finite flows of its own, or needs more memory than the limit, or the folder cannot
    /// be written.
    pub fn start(
        source: &Source,
        overrides: &Overrides,
        options: SimulationOptions,
    ) -> Result<Simulation, LabError> {
        let base = Base::new(source, overrides)?;
        let threads = options.threads.unwrap_or_else(|| fitting_threads(&base.prepared));
        check_threads(threads)?;
        check_memory(&base.prepared, options.memory_limit)?;
        let names = base.prepared.compiled.node_names[..base.prepared.n_hosts() as usize].to_vec();
        let by_name = names.iter().cloned().zip((0..).map(HostId)).collect();
        let deadline = base.prepared.compiled.model.deadline.unwrap_or(LONGEST).min(LONGEST);
        let folder = match options.folder {
            Some(path) => {
                let sink = FolderSink::create(&path, base.prepared.names(), options.overwrite)?;
                Some((path, sink))
            }
            None => None,
        };
        let (commands, to_engine) = channel();
        let (to_program, replies) = channel();
        let line = Line { commands: to_engine, replies: to_program };
        let engine = Options { threads, ..Options::default() };
        let run = Run { base, line, options: engine, command: options.command, stop: options.stop, folder };
        let thread = std::thread::Builder::new().name("netloom engine".to_owned());
        let thread = thread.spawn(|| run.simulate());
        let thread =
            thread.map_err(|error| LabError::Internal(format!("no thread can be started: {error}")))?;
        let mut simulation = Simulation {
            names,
            by_name,
            deadline,
            instants: Instants::default(),
            messages: Vec::new(),
            n_messages: 0,
            n_completed: 0,
            completions: VecDeque::new(),
            outcome: None,
            commands: Some(commands),
            replies,
            while_waiting: None,
            thread: Some(thread),
        };
        simulation.take_reply()?;
        Ok(simulation)
    }

    /// From now on calls a function about ten times a second while a call waits for the engine, for example to look for
    /// signals; it may set [`SimulationOptions::stop`].
    pub fn while_waiting(&mut self, meanwhile: Box<WhileWaiting>) {
        self.while_waiting = Some(meanwhile);
    }

    /// The names of the hosts, by number.
    pub fn hosts(&self) -> &[String] {
        &self.names
    }

    /// The number of a host.
    ///
    /// # Errors
    /// If there is none of this name or number.
    pub fn host<'a>(&self, host: impl Into<HostRef<'a>>) -> Result<HostId, LabError> {
        match host.into() {
            HostRef::Id(id) if id.index() < self.names.len() => Ok(id),
            HostRef::Id(HostId(number)) => {
                let n_hosts = self.names.len() as u32;
                Err(SimulationError::NoHostNumber { number, n_hosts }.into())
            }
            HostRef::Name(name) => self.by_name.get(name).copied().ok_or_else(|| {
                let hint = hint(name, self.names.iter().map(String::as_str));
                SimulationError::NoHost { name: name.to_owned(), hint }.into()
            }),
        }
    }

    /// The present instant.
    pub fn now(&self) -> Time {
        self.instants.now
    }

    /// By how much hosts may be ahead of a completion; it follows from the delays of the links.
    pub fn lookahead(&self) -> Duration {
        self.instants.lookahead
    }

    /// How the run ended, if it has ended.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// Number of messages that have not completely arrived.
    pub fn in_flight(&self) -> u64 {
        u64::from(self.n_messages - self.n_completed)
    }

    /// The earliest instant at which a host can start a message.
    ///
    /// # Errors
    /// If there is no such host.
    pub fn earliest_start<'a>(&self, host: impl Into<HostRef<'a>>) -> Result<Time, LabError> {
        Ok(self.instants.earliest(self.host(host)?))
    }

    /// Starts a message at an instant, by default at the earliest at which its sender can start one.
    ///
    /// Messages that start at one host at one instant start in the order of their numbers.
    ///
    /// # Errors
    /// If the message is invalid, its instant is too early or not before the deadline, or the run has ended.
    pub fn send<'a, 'b>(
        &mut self,
        source: impl Into<HostRef<'a>>,
        destination: impl Into<HostRef<'b>>,
        bytes: u64,
        at: Option<Time>,
    ) -> Result<MessageId, LabError> {
        self.check_running()?;
        let (source, destination) = (self.host(source)?, self.host(destination)?);
        let name = |host: HostId| self.names[host.index()].clone();
        if source == destination {
            return Err(SimulationError::SameHost(name(source)).into());
        }
        if bytes == 0 {
            let (source_host, destination) = (name(source), name(destination));
            return Err(SimulationError::NoBytes { source_host, destination }.into());
        }
        let start = self.start_of(source, at)?;
        if self.n_messages == u32::MAX - 1 {
            return Err(SimulationError::TooMany(u32::MAX - 1).into());
        }
        let number = self.n_messages;
        self.n_messages += 1;
        self.messages.push(Planned { start, bytes: Bytes(bytes), source, destination });
        Ok(MessageId(u64::from(number)))
    }

    /// The start of a message, checked.
    fn start_of(&self, source: HostId, at: Option<Time>) -> Result<Time, SimulationError> {
        let (earliest, now) = (self.instants.earliest(source), self.instants.now);
        let start = at.unwrap_or(earliest);
        if start < now {
            return Err(SimulationError::Past { found: start, now });
        }
        if start < earliest {
            let host = self.names[source.index()].clone();
            return Err(SimulationError::TooEarly { host, found: start, earliest, now });
        }
        if start >= self.deadline {
            return Err(SimulationError::AfterDeadline { found: start, deadline: self.deadline });
        }
        Ok(start)
    }

    /// Lets everything before an instant take place, and nothing at it.
    ///
    /// # Errors
    /// If the instant has passed, or the run had ended before.
    pub fn run_until(&mut self, instant: Time) -> Result<(), LabError> {
        self.check_running()?;
        let now = self.instants.now;
        if instant < now {
            return Err(SimulationError::Past { found: instant, now }.into());
        }
        if instant == now {
            return Ok(());
        }
        self.go_on(Goal::Until(instant))
    }

    /// Goes on until the next message has completely arrived, and takes that completion.
    ///
    /// `None` if no message is in flight, or the run has ended before one arrived: then [`Simulation::outcome`] says how.
    ///
    /// # Errors
    /// If records cannot be stored.
    pub fn run_until_completion(&mut self) -> Result<Option<Completion>, LabError> {
        if self.completions.is_empty() && self.in_flight() > 0 && self.outcome.is_none() {
            self.go_on(Goal::Completion)?;
        }
        Ok(self.completions.pop_front())
    }

    /// Takes all completions that were not taken, in the order of their instants and then their messages.
    pub fn completed(&mut self) -> Vec<Completion> {
        self.completions.drain(..).collect()
    }

    /// Lets the rest of the run take place, to its last event or its deadline, and stores it.
    ///
    /// # Errors
    /// If it cannot be stored.
    pub fn finish(mut self) -> Result<SimulationReport, LabError> {
        let messages = std::mem::take(&mut self.messages);
        if let Some(commands) = self.commands.take() {
            // Where the thread has failed, its result says why.
            _ = commands.send(Command { messages, goal: Goal::End });
        }
        let report = self.join()?;
        let mut report = report.ok_or_else(|| LabError::Internal("the engine has no result".to_owned()))?;
        report.completions.splice(..0, self.completions.drain(..));
        Ok(report)
    }

    fn check_running(&self) -> Result<(), SimulationError> {
        let Some(outcome) = &self.outcome else { return Ok(()) };
        let details = outcome.details.first().cloned();
        let outcome = details.unwrap_or_else(|| "all other work was done".to_owned());
        Err(SimulationError::Ended { now: self.instants.now, outcome })
    }

    fn go_on(&mut self, goal: Goal) -> Result<(), LabError> {
        let messages = std::mem::take(&mut self.messages);
        let is_sent = self.commands.as_ref().map(|line| line.send(Command { messages, goal }).is_ok());
        if is_sent != Some(true) {
            return self.failed();
        }
        self.take_reply()
    }

    fn take_reply(&mut self) -> Result<(), LabError> {
        let reply = match &mut self.while_waiting {
            Some(meanwhile) => receive_meanwhile(&self.replies, meanwhile),
            None => receive(&self.replies),
        };
        let Ok(Reply { now, lookahead, completions, outcome }) = reply else {
            return self.failed();
        };
        self.instants.lookahead = lookahead;
        self.n_completed += completions.len() as u32;
        // Those before the present instant held nothing up: all hosts have gone on to it.
        for completion in completions.iter().filter(|completion| completion.completed == now) {
            self.instants.completed(completion.destination, completion.completed);
        }
        self.instants.reached(now);
        self.completions.extend(completions);
        self.outcome = outcome;
        Ok(())
    }

    /// The thread has ended without a reply.
    fn failed(&mut self) -> Result<(), LabError> {
        self.commands = None;
        self.join()?;
        Err(LabError::Internal("the engine ended without an outcome".to_owned()))
    }

    fn join(&mut self) -> Result<Option<SimulationReport>, LabError> {
        let Some(thread) = self.thread.take() else {
            return Err(LabError::Internal("the engine has failed before".to_owned()));
        };
        thread.join().unwrap_or_else(|reason| Err(LabError::Internal(panic_message(&*reason).to_owned())))
    }
}

/// The message of a panic.
pub fn panic_message(reason: &(dyn Any + Send)) -> &str {
    let text = reason.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| reason.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message")
}

impl Drop for Simulation {
    /// Ends the run: the engine finds the program gone at its next turn, at which it is whenever no call is in progress.
    fn drop(&mut self) {
        self.commands = None;
        if let Some(thread) = self.thread.take() {
            // A failure can no longer be reported.
            _ = thread.join();
        }
    }
}
