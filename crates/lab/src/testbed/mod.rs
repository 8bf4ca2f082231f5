//! A scenario's fabric as a real network of namespaces on this machine.
//!
//! Models: from a source to a plan; running a command inside the testbed; the counters of ports in that time, as a run
//! folder.
//! Leaves out: planning and creating the network; `netloom-testbed` does that.

mod folder;
mod measurement;

use std::ffi::OsString;
use std::path;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};

use netloom_policy::balance::{Chosen, deterministic};
use netloom_records::{FolderError, FolderSink, Overwrite, RunFolder};
use netloom_scenario::{Overrides, quantity};
pub use netloom_testbed::{Access, Ignored, Plan, Refusal, RouteMode, Scale, ScaleChoice, require};
use netloom_testbed::{
    ON_HOST_NAME, Options, find_command, make_network, plan, require_bytes, run_inside, start,
};
pub use netloom_units::{Bytes, Duration, Rate};

use self::measurement::measure;
use crate::error::LabError;
use crate::invocation::Invocation;
use crate::prepare::Prepared;
use crate::show::fabric::fabric;
use crate::source::Source;

/// Options of a testbed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request {
    /// The ratio of link rates to those of the scenario.
    pub scale: ScaleChoice,
    /// Whether each destination has one next hop; if unset, where the scenario has `balance: deterministic`.
    pub is_pinned: Option<bool>,
    /// Queue limit of every switch port, instead of the one derived from the scenario.
    pub queue: Option<Bytes>,
}

/// A planned network, and its scenario.
#[derive(Debug, Clone)]
pub struct Testbed {
    /// Namespaces, links, routes.
    pub plan: Plan,
    pub(crate) prepared: Prepared,
}

/// Plans the testbed of a scenario, or of a fabric from which scenarios inherit; creates nothing.
///
/// # Errors
/// If the scenario is invalid, or a testbed cannot be created from its fabric.
pub fn testbed(source: &Source, overrides: &Overrides, request: &Request) -> Result<Testbed, LabError> {
    let prepared = fabric(source, overrides)?.prepared;
    let compiled = &prepared.compiled;
    let routes = routes(&compiled.model.balances.switch, request.is_pinned);
    let options = Options { scale: request.scale, routes, queue: request.queue };
    let plan = plan(&compiled.model, &compiled.node_names, &options)?;
    Ok(Testbed { plan, prepared })
}

/// Pinned routes are those of the scenario's forwarding tables, if it has any.
fn routes(balance: &Chosen, is_pinned: Option<bool>) -> RouteMode {
    let together = match balance {
        Chosen::Registered { settings, .. } if balance.is(deterministic::SPEC.name) => {
            (!deterministic::is_by_pair(settings)).then(|| settings.count(deterministic::TOGETHER) as u32)
        }
        _ => None,
    };
    if is_pinned.unwrap_or(together.is_some()) {
        RouteMode::Pinned { together: together.unwrap_or(1) }
    } else {
        RouteMode::Ecmp
    }
}

/// Starts this program again in new namespaces, with these arguments, which must lead to [`run`], and waits.
///
/// # Errors
/// If the command to run inside does not exist, or the namespaces cannot be created.
pub fn enclose(access: Access, command: &[OsString], arguments: &[OsString]) -> Result<ExitStatus, LabError> {
    let is_absent = |name: &&OsString| *name != ON_HOST_NAME && find_command(name).is_none();
    if let Some(name) = command.first().filter(is_absent) {
        return Err(Refusal::NoCommand(name.to_string_lossy().into_owned()).into());
    }
    let netloom = Invocation::current().map_err(|error| LabError::unknown_program(&error))?;
    let words = netloom.words(arguments.iter().cloned());
    Ok(start(access, &words[0], &words[1..])?)
}

/// What to record of a command, and the destination.
#[derive(Debug, Clone)]
pub struct Recording {
    /// The run folder.
    pub folder: PathBuf,
    /// What to do if a complete run is already there.
    pub overwrite: Overwrite,
    /// Initial interval between readings of all counters.
    pub interval: Duration,
    /// The command line, for the manifest.
    pub command_line: Vec<String>,
    /// Set if the command is to be ended early.
    pub stop: &'static AtomicBool,
}

impl Recording {
    /// Default interval between readings of the counters.
    pub const DEFAULT_INTERVAL: Duration = Duration::from_millis(20);

    /// Refuses a folder that would vanish with the network, and one with contents that may not be replaced.
    ///
    /// # Errors
    /// The reason why it cannot be used.
    pub fn check(&self) -> Result<(), LabError> {
        let whole = path::absolute(&self.folder).unwrap_or_else(|_| self.folder.clone());
        if PRIVATE.iter().any(|private| whole.starts_with(private)) {
            return Err(Refusal::PrivateFolder(self.folder.clone()).into());
        }
        if self.overwrite == Overwrite::Refuse && RunFolder::open(&self.folder).is_ok() {
            return Err(FolderError::Complete(self.folder.clone()).into());
        }
        Ok(())
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Folders that differ inside a testbed.
const PRIVATE: [&str; 3] = ["/run", "/dev", "/proc"];

/// Creates the network and runs the command in it; called inside the namespaces that [`enclose`] creates. If the
/// command succeeds, it checks that hosts sent the expected bytes. With a recording the counters of all ports become a
/// run folder, however the command ends.
///
/// # Errors
/// If the kernel reports an error, fewer bytes were sent, or the folder cannot be written.
pub fn run(
    testbed: &Testbed,
    command: &[OsString],
    expected: Option<Bytes>,
    recording: Option<&Recording>,
) -> Result<ExitStatus, LabError> {
    let plan = &testbed.plan;
    let status = match recording {
        None => {
            make_network(plan)?;
            run_inside(plan, command)?
        }
        Some(recording) => run_recorded(testbed, command, recording)?,
    };
    if let Some(expected) = expected.filter(|_| status.success()) {
        require_bytes(plan, expected)?;
    }
    Ok(status)
}

fn run_recorded(
    testbed: &Testbed,
    command: &[OsString],
    recording: &Recording,
) -> Result<ExitStatus, LabError> {
    let sink = FolderSink::create(&recording.folder, testbed.prepared.names(), recording.overwrite)?;
    let plan = &testbed.plan;
    make_network(plan)?;
    let machine = folder::machine(command);
    let (status, measurement) = measure(plan, recording.interval, || run_inside(plan, command))?;
    folder::write(sink, testbed, command, recording, status, machine, measurement)?;
    Ok(status)
}

/// Parses an interval between readings of at least a millisecond.
///
/// # Errors
/// The mistake.
pub fn interval(text: &str) -> Result<Duration, String> {
    let interval = quantity::duration(text).map_err(|refusal| refusal.message)?;
    if interval < Duration::from_millis(1) {
        return Err(
            "expected at least 1ms, since each reading requests the counters of all ports from the kernel"
                .to_owned(),
        );
    }
    Ok(interval)
}

/// Parses a rate above zero with its unit.
///
/// # Errors
/// The mistake.
pub fn rate(text: &str) -> Result<Rate, String> {
    match quantity::rate(text).map_err(|refusal| refusal.message)? {
        Rate(0) => Err("expected a rate above zero".to_owned()),
        rate => Ok(rate),
    }
}
