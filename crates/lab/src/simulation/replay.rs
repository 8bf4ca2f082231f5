//! The scenario of a simulation: the given one with the messages of the program as finite flows.
//!
//! Models: that scenario before the run, with no flows yet, and after it, with all of them in a file; what the fabric
//! does with them is compiled from a file in both cases.
//! Leaves out: how messages are started during the run.
//!
//! Invariants: a message is the row of its number, so that its rows in the records are the same in a replay; instants
//! are written in picoseconds.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use netloom_model::{FabricService, FiniteFlow, FiniteFlows};
use netloom_scenario::{Overrides, compile_fabric, resolve_from};
use netloom_units::{Duration, HostId};

use super::error::SimulationError;
use super::exchange::Planned;
use crate::error::LabError;
use crate::prepare::{Prepared, as_data, prepare};
use crate::source::Source;

/// The file of the messages in a run folder.
pub(super) const MESSAGES: &str = "messages.csv";
/// The scenario beside it.
pub(super) const SCENARIO: &str = "scenario.yaml";
/// The heading of the file.
const HEADING: &str = "number,src,dst,size_bytes,start_ps\n";

/// A scenario before its simulation.
pub(super) struct Base {
    /// The given scenario, which may have nothing to do.
    alone: Prepared,
    /// The same with finite flows, of which there are none yet.
    pub prepared: Prepared,
}

impl Base {
    /// Reads, checks and compiles a scenario.
    pub fn new(source: &Source, overrides: &Overrides) -> Result<Base, LabError> {
        let resolved = resolve_from(&source.read()?, source, overrides)?;
        let has_own = |flows: &netloom_scenario::resolved::Flows| {
            flows.file.is_some() || flows.list.value.iter().any(netloom_scenario::resolved::Flow::is_finite)
        };
        if resolved.flows.as_ref().is_some_and(has_own) {
            return Err(SimulationError::OwnFlows(source.name()).into());
        }
        let compiled = compile_fabric(&resolved)?;
        let scenario = as_data(&compiled.resolved_yaml)?;
        let alone = Prepared { name: resolved.name, compiled, scenario, programs: None };
        if alone.n_hosts() < 2 {
            return Err(SimulationError::TooFewHosts(source.name()).into());
        }
        let prepared = without_flows(&alone)?;
        Ok(Base { alone, prepared })
    }

    /// How the fabric handles the messages.
    pub fn service(&self) -> Result<FabricService, LabError> {
        let finite = self.prepared.compiled.model.workload.finite.as_ref();
        let first = finite.and_then(|finite| finite.services.first().copied());
        first.ok_or_else(|| LabError::Internal("finite flows have no service".to_owned()))
    }

    /// The scenario with these messages, in memory only.
    pub fn with_messages(&self, messages: &[Planned]) -> Prepared {
        let n_hosts = self.alone.n_hosts();
        let flow = |message: &Planned| FiniteFlow {
            start: Duration(message.start.0),
            size: message.bytes,
            source: message.source.0,
            destination: message.destination.0,
            after: FiniteFlow::NONE,
            service: 0,
        };
        let mut prepared = self.prepared.clone();
        if let Some(finite) = &mut prepared.compiled.model.workload.finite {
            let flows = Arc::new(messages.iter().map(flow).collect());
            let ends = (0..n_hosts).map(HostId).collect();
            *finite = FiniteFlows { flows, ends, ..finite.clone() };
        }
        prepared
    }

    /// Writes the messages and the scenario that replays them to a folder; returns that scenario.
    pub fn write(&self, folder: &Path, messages: &[Planned]) -> Result<Prepared, LabError> {
        let path = folder.join(SCENARIO);
        let replay = if messages.is_empty() {
            self.alone.clone()
        } else {
            written(&folder.join(MESSAGES), &self.rows(messages))?;
            prepare(&Source::text_of(&path, &*self.alone.compiled.resolved_yaml), &naming_file(&self.alone))?
        };
        written(&path, &replay.compiled.resolved_yaml)?;
        Ok(replay)
    }

    /// The messages as a file of finite flows.
    fn rows(&self, messages: &[Planned]) -> String {
        let names = &self.alone.compiled.node_names[..self.alone.n_hosts() as usize];
        // A host is named by its number, unless that is the name of some host.
        let has_numbers = names.iter().any(|name| name.parse::<u64>().is_ok());
        let host = |host: HostId| {
            if has_numbers { format!("\"{}\"", names[host.index()]) } else { host.0.to_string() }
        };
        let mut text = HEADING.to_owned();
        for (number, message) in messages.iter().enumerate() {
            let Planned { start, bytes, source, destination } = *message;
            let (source, destination) = (host(source), host(destination));
            // Writing to text cannot fail.
            _ = writeln!(text, "{number},{source},{destination},{},{}", bytes.0, start.0);
        }
        text
    }
}

/// Compiles a scenario with a file of one flow, and removes that flow.
fn without_flows(alone: &Prepared) -> Result<Prepared, LabError> {
    let names = &alone.compiled.node_names;
    let rows = format!("{HEADING}0,\"{}\",\"{}\",1,0\n", names[0], names[1]);
    let texts = [(SCENARIO, alone.compiled.resolved_yaml.as_str()), (MESSAGES, rows.as_str())];
    let shelf: BTreeMap<PathBuf, Arc<str>> =
        texts.into_iter().map(|(path, text)| (PathBuf::from(path), text.into())).collect();
    let mut prepared = prepare(&Source::shelved(SCENARIO, Arc::new(shelf)), &naming_file(alone))?;
    if let Some(finite) = &mut prepared.compiled.model.workload.finite {
        finite.flows = Arc::default();
    }
    Ok(prepared)
}

/// Lets a scenario name the file of messages.
fn naming_file(alone: &Prepared) -> Overrides {
    let (key, value) = match alone.compiled.model.workload.staged {
        Some(_) => ("flows.file", MESSAGES.to_owned()),
        None => ("flows", format!("{{ file: {MESSAGES} }}")),
    };
    Overrides { set: vec![(key.to_owned(), value)], ..Overrides::default() }
}

fn written(path: &Path, text: &str) -> Result<(), LabError> {
    fs::write(path, text).map_err(|source| LabError::Unwritable { path: path.to_owned(), source })
}
