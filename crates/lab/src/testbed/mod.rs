//! A scenario's fabric as a real network of namespaces on this machine.
//!
//! Models: from a source to a plan; starting the testbed around a command; what ports did meanwhile, as a run folder.
//! Leaves out: how it is planned and made; `netloom-testbed` does that.

mod folder;
mod measurement;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{env, path};

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
use crate::prepare::Prepared;
use crate::show::fabric::fabric;
use crate::source::Source;

/// What may be chosen about a testbed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request {
    /// How much slower than the scenario's links are.
    pub scale: ScaleChoice,
    /// Whether each destination has one next hop; if unset, where the scenario has `balance: deterministic`.
    pub is_pinned: Option<bool>,
    /// Queue limit of every switch port, instead of the one that follows from the scenario.
    pub queue: Option<Bytes>,
}

/// A network as it will be made, and the scenario it is of.
#[derive(Debug, Clone)]
pub struct Testbed {
    /// Namespaces, links, routes.
    pub plan: Plan,
    pub(crate) prepared: Prepared,
}

/// Plans the testbed of a scenario, or of a fabric that scenarios inherit from; makes nothing.
///
/// # Errors
/// If the scenario is wrong, or a testbed cannot be made from its fabric.
pub fn testbed(source: &Source, overrides: &Overrides, request: &Request) -> Result<Testbed, LabError> {
    let prepared = fabric(source, overrides)?.prepared;
    let compiled = &prepared.compiled;
    let routes = routes(&compiled.model.balances.switch, request.is_pinned);
    let options = Options { scale: request.scale, routes, queue: request.queue };
    let plan = plan(&compiled.model, &compiled.node_names, &options)?;
    Ok(Testbed { plan, prepared })
}

/// Pinned routes are those of the scenario's forwarding tables, where it has some.
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

/// Starts this program again inside of new namespaces, with these arguments, which must lead to [`run`], and waits.
///
/// # Errors
/// If the command that is to be run inside is not there, or the namespaces cannot be started.
pub fn enclose(access: Access, command: &[OsString], arguments: &[OsString]) -> Result<ExitStatus, LabError> {
    let is_absent = |name: &&OsString| *name != ON_HOST_NAME && find_command(name).is_none();
    if let Some(name) = command.first().filter(is_absent) {
        return Err(Refusal::NoCommand(name.to_string_lossy().into_owned()).into());
    }
    let program = env::current_exe()
        .map_err(|error| LabError::Internal(format!("this program cannot be found again: {error}")))?;
    Ok(start(access, program.as_os_str(), arguments)?)
}

/// What is recorded of a command, and where.
#[derive(Debug, Clone)]
pub struct Recording {
    /// The run folder.
    pub folder: PathBuf,
    /// What to do where a complete run is already.
    pub overwrite: Overwrite,
    /// From one reading of all counters to the next, at first.
    pub interval: Duration,
    /// The command line, for the manifest.
    pub command_line: Vec<String>,
    /// Raised by whoever ends the command early.
    pub stop: &'static AtomicBool,
}

impl Recording {
    /// How often counters are read where nobody says it.
    pub const DEFAULT_INTERVAL: Duration = Duration::from_millis(20);

    /// Refuses a folder that would vanish with the network, and one where something is that shall stay.
    ///
    /// # Errors
    /// Why it cannot be used.
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

/// Folders that are others inside of a testbed.
const PRIVATE: [&str; 3] = ["/run", "/dev", "/proc"];

/// Makes the network and runs the command in it; inside of the namespaces that [`enclose`] makes. Of a command that ended
/// well it is checked that hosts sent what was expected. With a recording the counters of all ports become a run folder,
/// however the command ends.
///
/// # Errors
/// If the kernel refuses something, less was sent, or the folder cannot be written.
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

/// A time between readings, at least a millisecond.
///
/// # Errors
/// What is wrong with it.
pub fn interval(text: &str) -> Result<Duration, String> {
    let interval = quantity::duration(text).map_err(|refusal| refusal.message)?;
    if interval < Duration::from_millis(1) {
        return Err("at least 1ms is expected: the kernel is asked for the counters of all ports each time"
            .to_owned());
    }
    Ok(interval)
}

/// A rate above zero with its unit.
///
/// # Errors
/// What is wrong with it.
pub fn rate(text: &str) -> Result<Rate, String> {
    match quantity::rate(text).map_err(|refusal| refusal.message)? {
        Rate(0) => Err("a rate above zero is expected".to_owned()),
        rate => Ok(rate),
    }
}
