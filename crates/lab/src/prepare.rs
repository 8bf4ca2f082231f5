//! The first part of the pipeline: from a scenario's text to a compiled model.
//!
//! Invariants: a prepared scenario can be simulated; errors are reported all at once.

use netloom_catalog::{TrainingWork, expand};
use netloom_records::Names;
use netloom_records::statistics::HostPorts;
use netloom_scenario::{Compiled, Origin, Overrides, compile, resolve_from};
use serde_json::Value;

use crate::error::LabError;
use crate::programs::Programs;
use crate::source::Source;

/// A scenario ready to be simulated.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The name of the scenario.
    pub name: String,
    /// The model, names, the resolved text and its modelling assumptions.
    pub compiled: Compiled,
    /// The resolved scenario as data.
    pub scenario: Value,
    /// The programs that supply operations, if there are any.
    pub programs: Option<Programs>,
}

/// Reads, checks and compiles a scenario.
///
/// # Errors
/// If it cannot be read; otherwise all errors in it.
pub fn prepare(source: &Source, overrides: &Overrides) -> Result<Prepared, LabError> {
    prepare_from(&source.read()?, source, overrides)
}

/// The same, given the text; its bases are found through `origin`.
///
/// # Errors
/// All errors in it.
pub(crate) fn prepare_from(
    text: &[u8],
    origin: &impl Origin,
    overrides: &Overrides,
) -> Result<Prepared, LabError> {
    let resolved = resolve_from(text, origin, overrides)?;
    let compiled = compile(&resolved)?;
    let scenario = as_data(&compiled.resolved_yaml)?;
    Ok(Prepared { name: resolved.name, compiled, scenario, programs: None })
}

/// The size of a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScenarioSize {
    /// Hosts.
    pub hosts: u64,
    /// Switches.
    pub switches: u64,
    /// Links.
    pub links: u64,
    /// Jobs.
    pub jobs: u64,
}

impl Prepared {
    /// Its size.
    pub fn size(&self) -> ScenarioSize {
        let model = &self.compiled.model;
        ScenarioSize {
            hosts: model.fabric.n_hosts() as u64,
            switches: model.fabric.n_switches() as u64,
            links: model.fabric.links().len() as u64,
            jobs: model.workload.jobs.len() as u64,
        }
    }

    /// The names of nodes, links, jobs, staged flows and kinds of traffic.
    pub fn names(&self) -> Names {
        Names {
            nodes: self.compiled.node_names.clone(),
            links: self.compiled.link_names.clone(),
            jobs: self.compiled.job_names.clone(),
            flows: self.compiled.flow_names.clone(),
            traffic: self.compiled.traffic_names.clone(),
            collectives: Vec::new(),
        }
    }

    /// The ports of hosts.
    pub(crate) fn host_ports(&self) -> HostPorts {
        let fabric = &self.compiled.model.fabric;
        let ends = fabric.ports().iter().map(|port| (port.node, fabric.port(port.peer).node, port.rate));
        HostPorts::of(self.n_hosts(), ends)
    }

    /// Number of hosts.
    pub fn n_hosts(&self) -> u32 {
        self.compiled.model.fabric.n_hosts() as u32
    }

    /// The work of its jobs, background traffic and staged flows.
    ///
    /// # Errors
    /// If a program is needed that is not there.
    pub fn work(&self) -> Result<TrainingWork, LabError> {
        self.check_programs()?;
        let work = self.work_without_programs()?;
        Ok(match self.start_programs() {
            Some(supply) => work.supplied_by(supply),
            None => work,
        })
    }

    /// The same without what programs supply.
    pub(crate) fn work_without_programs(&self) -> Result<TrainingWork, LabError> {
        let model = &self.compiled.model;
        let expanded = expand(&model.workload, model.fabric.n_hosts(), model.seed);
        expanded.map_err(|error| LabError::Internal(format!("the compiled workload was refused: {error}")))
    }
}

/// The canonical text as JSON, for programs that read the manifest.
pub(crate) fn as_data(yaml: &str) -> Result<Value, LabError> {
    // The text was written by netloom, so no budget against hostile input is needed; a fabric given as lists may be
    // long.
    let options = serde_saphyr::options! { budget: None };
    serde_saphyr::from_str_with_options(yaml, options)
        .map_err(|error| LabError::Internal(format!("the resolved scenario cannot be read back: {error}")))
}
