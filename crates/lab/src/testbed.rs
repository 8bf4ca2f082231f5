//! A scenario's fabric as a real network of namespaces on this machine.
//!
//! Models: from a source to a plan; starting the testbed around a command.
//! Leaves out: how it is planned and made; `netloom-testbed` does that.

use std::env;
use std::ffi::OsString;
use std::process::ExitStatus;

use netloom_policy::balance::{Chosen, deterministic};
use netloom_scenario::{Overrides, quantity};
pub use netloom_testbed::{Access, Ignored, Plan, Refusal, RouteMode, Scale, ScaleChoice, require};
use netloom_testbed::{
    ON_HOST_NAME, Options, find_command, make_network, plan, require_bytes, run_inside, start,
};
pub use netloom_units::{Bytes, Rate};

use crate::error::LabError;
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

/// Plans the testbed of a scenario, or of a fabric that scenarios inherit from; makes nothing.
///
/// # Errors
/// If the scenario is wrong, or a testbed cannot be made from its fabric.
pub fn testbed(source: &Source, overrides: &Overrides, request: &Request) -> Result<Plan, LabError> {
    let shown = fabric(source, overrides)?;
    let compiled = &shown.prepared.compiled;
    let routes = routes(&compiled.model.balances.switch, request.is_pinned);
    let options = Options { scale: request.scale, routes, queue: request.queue };
    Ok(plan(&compiled.model, &compiled.node_names, &options)?)
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

/// Makes the network and runs the command in it; inside of the namespaces that [`enclose`] makes. Of a command that ended
/// well it is checked that hosts sent what was expected.
///
/// # Errors
/// If the kernel refuses something, or less was sent.
pub fn run(plan: &Plan, command: &[OsString], expected: Option<Bytes>) -> Result<ExitStatus, LabError> {
    make_network(plan)?;
    let status = run_inside(plan, command)?;
    if let Some(expected) = expected.filter(|_| status.success()) {
        require_bytes(plan, expected)?;
    }
    Ok(status)
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
