//! An outline of a fabric: its tiers, the links between them, its groups, and its settings.
//!
//! Models: layers of nodes of one kind, from hosts up; the sums of the links between every two layers;
//! oversubscription.
//! Leaves out: single nodes and links; the drawing.
//!
//! Invariants: everything follows from the compiled model and its names, so fabrics given as lists are covered as well;
//! a layer is a tier (the distance from the nearest host) or, where a tier has nodes of several kinds by their names,
//! one of these kinds.

mod layers;
mod names;
mod settings;

use std::path::Path;

use netloom_model::Model;
use netloom_records::RunFolder;
use netloom_report::panel_data::TierPorts;
use netloom_scenario::{Overrides, compile_fabric, resolve_from};
use netloom_units::{NodeId, PortId};
use serde::Serialize;

use crate::error::LabError;
use crate::prepare::{Prepared, as_data};
use crate::show::check_scenario;
use crate::source::Source;

pub(crate) use layers::Layers;
pub use layers::{Joint, Kind, Layer, Reach};
pub use names::ranges;

/// The outline of a fabric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FabricOutline {
    /// The name of the scenario.
    pub name: String,
    /// Its topology, by its name in scenarios.
    pub topology: String,
    /// Names of the texts that it inherits from, the nearest first.
    pub inherits_from: Vec<String>,
    /// Whether it has no workload: it serves only as a base.
    pub is_idle: bool,
    /// Number of hosts.
    pub hosts: u64,
    /// Number of switches.
    pub switches: u64,
    /// Number of links.
    pub links: u64,
    /// Layers, from the lowest: hosts, or switches that are connected only to hosts.
    pub layers: Vec<Layer>,
    /// Links between and within layers.
    pub joints: Vec<Joint>,
    /// Groups of switches, where a fabric has them.
    pub groups: Option<Groups>,
    /// Its settings, by section of the scenario.
    pub settings: Vec<Setting>,
}

/// Groups of switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Groups {
    /// Number of groups.
    pub groups: u32,
    /// Switches in each.
    pub switches: u64,
    /// Hosts in each.
    pub hosts: u64,
    /// Fewest links between two groups.
    pub least_links: u64,
    /// Most links between two groups.
    pub most_links: u64,
}

/// The settings of a section in one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// The section.
    pub section: &'static str,
    /// The choice, followed by the values that are not at their defaults.
    pub text: String,
}

/// A scenario or a base fabric, with everything it inherits.
#[derive(Debug, Clone)]
pub struct ShownFabric {
    pub(crate) prepared: Prepared,
    /// Its outline.
    pub outline: FabricOutline,
    /// What the ports of a run did, tier by tier.
    pub(crate) ports: Option<TierPorts>,
}

/// The fabric at a path: of a scenario, of a base that others inherit from, or of a run folder, by its stored scenario.
///
/// # Errors
/// As [`fabric`]; also if it is a folder but not a run folder.
pub fn of_path(path: &Path, overrides: &Overrides) -> Result<ShownFabric, LabError> {
    if !path.is_dir() {
        return fabric(&Source::file(path), overrides);
    }
    let folder = RunFolder::open(path)?;
    check_scenario(&folder)?;
    let shown = stored(&folder, path.display().to_string(), overrides)?;
    // Of a changed fabric the ports may be others.
    let ports = if overrides.set.is_empty() { Some(netloom_report::tier_ports(&folder)?) } else { None };
    Ok(ShownFabric { ports, ..shown })
}

/// The scenario of a run folder, without flows if they were read from a file, as that is not stored with the run.
///
/// # Errors
/// If this version cannot read it.
pub(crate) fn stored(
    folder: &RunFolder,
    name: String,
    overrides: &Overrides,
) -> Result<ShownFabric, LabError> {
    let manifest = folder.manifest();
    let has_file = manifest.scenario["flows"]["file"].as_str().is_some_and(|path| path != "none");
    let mut overrides = overrides.clone();
    if has_file {
        overrides.set.insert(0, ("flows".to_owned(), "none".to_owned()));
    }
    fabric(&Source::text(name, manifest.scenario_yaml.as_str()), &overrides)
}

/// Reads a scenario, or a base fabric that others inherit from, which may have no workload.
///
/// # Errors
/// If it cannot be read; otherwise all errors in it.
pub fn fabric(source: &Source, overrides: &Overrides) -> Result<ShownFabric, LabError> {
    let resolved = resolve_from(&source.read()?, source, overrides)?;
    let compiled = compile_fabric(&resolved)?;
    let scenario = as_data(&compiled.resolved_yaml)?;
    let inherits_from = resolved.bases();
    let prepared = Prepared { name: resolved.name, compiled, scenario, programs: None };
    Ok(ShownFabric { outline: outline(&prepared, inherits_from), prepared, ports: None })
}

fn outline(prepared: &Prepared, inherits_from: Vec<String>) -> FabricOutline {
    let model = &prepared.compiled.model;
    let layers = Layers::of(model, &prepared.compiled.node_names);
    let size = prepared.size();
    let workload = &model.workload;
    FabricOutline {
        name: prepared.name.clone(),
        topology: topology(prepared),
        inherits_from,
        is_idle: workload.jobs.is_empty()
            && workload.background.is_none()
            && workload.staged.is_none()
            && workload.finite.is_none(),
        hosts: size.hosts,
        switches: size.switches,
        links: size.links,
        joints: layers.joints(model),
        groups: groups(model),
        settings: settings::settings(prepared),
        layers: layers.described(&prepared.compiled.node_names),
    }
}

/// The one key below `fabric`.
fn topology(prepared: &Prepared) -> String {
    let fabric = prepared.scenario["fabric"].as_object();
    fabric.and_then(|fabric| fabric.keys().next().cloned()).unwrap_or_default()
}

fn groups(model: &Model) -> Option<Groups> {
    let (n_groups, fabric) = (model.routing.n_groups(), &model.fabric);
    if n_groups == 0 {
        return None;
    }
    let mut pairs = vec![0_u64; (n_groups * n_groups) as usize];
    for link in fabric.links() {
        let [one, other] = link.ends.map(|port: PortId| model.routing.group_of(fabric.port(port).node));
        if one != other {
            pairs[(one.min(other) * n_groups + one.max(other)) as usize] += 1;
        }
    }
    let counts =
        || (0..n_groups).flat_map(|one| (one + 1..n_groups).map(move |other| one * n_groups + other));
    let of_first = |from: usize, to: usize| {
        (from..to).filter(|&node| model.routing.group_of(NodeId(node as u32)) == 0).count() as u64
    };
    Some(Groups {
        groups: n_groups,
        switches: of_first(fabric.n_hosts(), fabric.n_nodes()),
        hosts: of_first(0, fabric.n_hosts()),
        least_links: counts().map(|pair| pairs[pair as usize]).min().unwrap_or(0),
        most_links: counts().map(|pair| pairs[pair as usize]).max().unwrap_or(0),
    })
}
