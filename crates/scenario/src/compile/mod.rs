//! Compilation of a complete scenario into a model with numbers and ids.
//!
//! Models: building the fabric, looking names up in it, placing jobs, unrolling phases, drawing failed links.
//! Leaves out: reading; all values here already have the right kind.
//!
//! Invariants: all errors are found, not only the first; what compiles, the engine can run without failing.

mod background;
mod buffer;
mod built_fabric;
mod central;
mod choices;
mod classes;
mod communicators;
mod consistency;
mod credits;
mod fabric;
mod faults;
mod finite;
mod flows;
mod grades;
mod groups;
mod hosts;
mod job;
mod limits;
mod longest_path;
mod messages;
mod notes;
mod notes_of_fabric;
mod overlap;
mod paths;
mod placement;
mod rdma;
mod repetition;
mod rings;
mod routes;
mod stages;
mod without_effect;

use std::sync::Arc;

use netloom_catalog::workload::expand;
use netloom_model::static_routes::Entry;
use netloom_model::{
    Background, FiniteFlows, Hosts, Job, Model, Queues, Recording, StagedFlows, Storm, Workload,
};
use netloom_policy::edge::path_map::PathMap;
use netloom_units::Duration;

use crate::describe::changed::Changed;
use crate::diagnostic::{Diagnostics, Problems};
use crate::former;
use crate::resolve::Draft;
use crate::resolved::{Flows, Resolved};
use built_fabric::BuiltFabric;

/// A scenario ready to run, with the names that the model leaves out.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// The input of the engine.
    pub model: Model,
    /// The name of each node.
    pub node_names: Vec<String>,
    /// The name of each link.
    pub link_names: Vec<String>,
    /// The name of each job.
    pub job_names: Vec<String>,
    /// The names of the kinds of groups of each job, in their order.
    pub group_names: Vec<Vec<String>>,
    /// The name of each kind of traffic.
    pub traffic_names: Vec<String>,
    /// The name of each staged flow.
    pub flow_names: Vec<String>,
    /// Its times as a share of those of its source, such as `1/1000`, if the scenario states it.
    pub time_scale: Option<String>,
    /// The scenario with every default written out.
    pub resolved_yaml: String,
    /// The settings that are not at their defaults.
    pub changed: Vec<Changed>,
    /// Notes for readers of the results: modelling assumptions, randomly chosen links.
    pub notes: Vec<String>,
    /// Settings without effect and former names of keys; often none.
    pub warnings: Diagnostics,
}

/// The parts of a model that need the fabric.
pub(crate) struct Parts {
    built_fabric: BuiltFabric,
    jobs: Vec<Job>,
    background: Option<Background>,
    staged: Option<StagedFlows>,
    finite: Option<FiniteFlows>,
    hosts: Hosts,
    damage: Damage,
    coordination_delay: Duration,
    recording: Recording,
    /// Largest number of packets in flight of a queue pair.
    window: u64,
    /// The largest round trip without queues.
    round_trip: Duration,
    path_map: Option<Arc<PathMap>>,
    routes: Vec<Entry>,
    notes: Vec<String>,
}

/// The faults.
struct Damage {
    failing: faults::Failing,
    storms: Vec<Storm>,
}

/// Compiles a resolved scenario.
///
/// # Errors
/// All errors that need the fabric to be found: unknown hosts or links, numbers of ranks that do not fit, and so on.
pub fn compile(resolved: &Resolved) -> Result<Compiled, Diagnostics> {
    compiled(resolved, &Draft::of(resolved))
}

/// The same for a scenario that may have nothing to do, such as a fabric that others inherit from.
///
/// # Errors
/// As [`compile`].
pub fn compile_fabric(resolved: &Resolved) -> Result<Compiled, Diagnostics> {
    compiled(resolved, &Draft { may_be_idle: true, ..Draft::of(resolved) })
}

fn compiled(resolved: &Resolved, draft: &Draft) -> Result<Compiled, Diagnostics> {
    let mut problems = Problems::default();
    let parts = parts(draft, &mut problems).filter(|_| problems.is_empty());
    let Some(parts) = parts else { return Err(problems.finish(&resolved.sources)) };
    Ok(finish(resolved, draft, parts))
}

/// Checks as much of a scenario as could be read, and builds the parts that are valid.
pub(crate) fn parts(draft: &Draft, problems: &mut Problems) -> Option<Parts> {
    let seed = draft.seed.unwrap_or(1);
    consistency::check(draft, problems);
    grades::check(draft, problems);
    let mut built = fabric::build(draft.fabric.as_ref()?, problems)?;
    credits::scale(draft, &mut built.fabric);
    let built_fabric = BuiltFabric::new(built);
    let mut notes = Vec::new();
    let coordination_delay = choices::coordination_delay(draft, &built_fabric, &mut notes, problems);
    let window = rdma::window(draft, &built_fabric, &mut notes, problems);
    let round_trip = rdma::round_trip(draft, &built_fabric, &mut notes);
    buffer::check(draft, &built_fabric, problems);
    classes::check(draft, problems);
    credits::check(draft, problems);
    groups::check(draft, &built_fabric, problems);
    let path_map = paths::path_map(draft, &built_fabric, problems);
    let routes = routes::routes(draft, &built_fabric, problems);
    paths::one_edge(draft, &built_fabric, problems);
    paths::subset(draft, &built_fabric, problems);
    central::check(draft, &built_fabric, problems);
    let mut staged = flows::flows(draft, &built_fabric, problems);
    let finite = finite::flows(draft, &built_fabric, problems);
    let recording = choices::recording(draft.record.as_ref(), staged.as_ref(), &built_fabric, problems);
    let failing = faults::failing(draft, seed, &built_fabric, &mut notes, problems);
    let storms = faults::storms(draft, &built_fabric, problems);
    let hosts = hosts::hosts(draft, problems);
    let mut jobs = job::jobs(&draft.jobs, seed, (&built_fabric, hosts), problems);
    let mut background = background::background(draft, seed, &built_fabric, problems);
    classes::handle(draft, &mut jobs, background.as_mut(), staged.as_mut());
    let is_idle = draft.jobs.is_empty() && draft.background.is_none() && draft.flows.is_none();
    if is_idle && !draft.may_be_idle && problems.is_empty() {
        let text = "there is nothing to do: no jobs, no background traffic and no flows";
        let report = problems.report(draft.fabric_location, text);
        report.label("only a fabric").help("add `jobs: [{ phases: [...] }]`");
    }
    repetition::check(draft, problems);
    let traffic = limits::Traffic {
        jobs: &jobs,
        background: background.as_ref(),
        staged: staged.as_ref(),
        finite: finite.as_ref(),
        hosts,
    };
    limits::check(draft, &built_fabric, traffic, coordination_delay.0, problems);
    notes::add(draft, &jobs, &mut notes);
    groups::notes(draft, &built_fabric, &mut notes);
    notes_of_fabric::add(draft, &built_fabric, &mut notes);
    rings::add(draft, &built_fabric, &mut notes);
    let jobs = jobs.into_iter().map(|(_, job)| job).collect();
    let damage = Damage { failing, storms };
    let parts = Parts {
        built_fabric,
        jobs,
        background,
        staged,
        finite,
        hosts,
        damage,
        coordination_delay,
        recording,
        window,
        round_trip,
        path_map,
        routes,
        notes,
    };
    if problems.is_empty() {
        expands(&parts, draft, problems);
    }
    Some(parts)
}

/// The final check is the catalog's: a workload that it cannot expand must not reach the engine.
fn expands(parts: &Parts, draft: &Draft, problems: &mut Problems) {
    let workload = parts.workload();
    if let Err(error) = expand(&workload, parts.built_fabric.built.fabric.n_hosts(), draft.seed.unwrap_or(1))
    {
        // Each job by itself was valid, so the last one exceeded the limit.
        let location = draft.jobs.last().map_or(draft.fabric_location, |job| job.name.location);
        problems.report(location, error.to_string()).label("together with all jobs before it");
    }
}

impl Parts {
    fn workload(&self) -> Workload {
        Workload {
            jobs: self.jobs.clone(),
            background: self.background.clone(),
            staged: self.staged.clone(),
            finite: self.finite.clone(),
            hosts: self.hosts,
        }
    }
}

fn finish(resolved: &Resolved, draft: &Draft, parts: Parts) -> Compiled {
    let workload = parts.workload();
    let classes = classes::Plan::new(draft).expect("a whole scenario has classes");
    let built = parts.built_fabric.built;
    let balances = choices::balances((&resolved.balance, &resolved.outside), parts.path_map, parts.routes);
    let routing =
        if balances.switch.takes_longer() { built.routing.with_longer(&built.fabric) } else { built.routing };
    let written = resolved.queues.credits.as_ref();
    let n_steps = groups::vl_steps(written, &balances.switch, &routing);
    let model = Model {
        fabric: built.fabric,
        routing,
        balances,
        transport: choices::transport(&resolved.transport, parts.window),
        congestion: choices::congestion(&resolved.congestion, parts.round_trip),
        queues: classes.queues(&Queues {
            credits: credits::credits(written, classes.map().control, n_steps),
            root_marking: credits::root_marking(&resolved.congestion, written),
            ..choices::queues(&resolved.queues)
        }),
        loss: faults::loss(&resolved.faults),
        classes: classes.map(),
        workload,
        kinds: classes::kinds(draft),
        faults: parts.damage.failing.faults,
        switch_faults: parts.damage.failing.switches,
        events: parts.damage.failing.events,
        reaction: faults::reaction(&resolved.faults),
        storms: parts.damage.storms,
        awareness: faults::awareness(&resolved.faults),
        coordination_delay: parts.coordination_delay,
        deadline: repetition::deadline(resolved),
        recording: parts.recording,
        seed: resolved.seed,
    };
    let mut warnings = without_effect::find(draft, &model);
    former::warn(&resolved.former_keys, &mut warnings);
    let warnings = warnings.finish_as_warnings(&resolved.sources);
    Compiled {
        model,
        node_names: built.node_names,
        link_names: built.link_names,
        job_names: resolved.jobs.iter().map(|job| job.name.value.clone()).collect(),
        group_names: resolved.jobs.iter().map(crate::resolved::Job::group_names).collect(),
        traffic_names: resolved.traffic.iter().map(|kind| kind.name.value.clone()).collect(),
        flow_names: resolved.flows.iter().flat_map(Flows::names).collect(),
        time_scale: resolved.flows.as_ref().and_then(Flows::time_scale),
        resolved_yaml: resolved.to_yaml(),
        changed: resolved.changed(),
        notes: parts.notes,
        warnings,
    }
}
