//! The points of a study: every combination of the varied parameters, each congested one with its baseline.
//!
//! Models: the grid of a sweep; a baseline that belongs to a congested point is measured there and needs no plan of its own.
//! Leaves out: files.
//!
//! Invariants: all mistakes are reported at once; all points differ.

use std::collections::BTreeSet;

use netloom_records::ChangedSetting;
use netloom_scenario::{Compiled, Diagnostics, Overrides, Resolved, compile, resolve_from};
use netloom_units::HostId;

use super::error::FieldError;
use super::prepare::Preparation;
use super::study::{RunKind, StudyPoint, StudyRun};
use super::translate::{AGGRESSOR, Kind, Translated, Wanted, is_congested, translate};
use crate::error::LabError;
use crate::names::descriptive_name;
use crate::sweep::{Grid, Plan, Variant};

/// A variant with a seed, translated.
struct Draft {
    variant: usize,
    seed: u64,
    resolved: Resolved,
    compiled: Compiled,
    translated: Translated,
}

/// All points of a study, and its name.
///
/// # Errors
/// All mistakes of the scenario, and everything that the program does not support.
pub(super) fn points(asked: &Preparation<'_>) -> Result<(String, Vec<StudyPoint>), LabError> {
    let plan = Plan::new(&Grid {
        scenarios: vec![asked.scenario.clone()],
        set: asked.set.clone(),
        vary: asked.vary.clone(),
        seeds: asked.seeds.clone(),
        stop: asked.stop,
        ..Grid::default()
    })?;
    let name = plan.variants.first().map_or_else(String::new, |variant| variant.scenario.clone());
    let drafts = drafts(&plan, asked.wanted())?;
    check_iterations(asked, &drafts)?;
    let has_seeds = plan.seeds.0.start() != plan.seeds.0.end();
    let mut baselines = BTreeSet::new();
    let mut points = Vec::new();
    let (congested, alone): (Vec<Draft>, Vec<Draft>) =
        drafts.into_iter().partition(|draft| is_congested(&draft.resolved));
    for draft in congested {
        let mut alone = draft.resolved.clone();
        alone.jobs.retain(|job| job.name.value != AGGRESSOR);
        let baseline = run(RunKind::Baseline, &compile(&alone)?);
        baselines.insert(baseline.scenario_yaml.clone());
        let runs = vec![baseline, run(RunKind::Congested, &draft.compiled)];
        points.push((draft.variant, draft.into_point(&plan, has_seeds, runs)));
    }
    for draft in alone {
        let kind = match draft.translated.kind {
            Kind::Interference => RunKind::Baseline,
            Kind::Latency => RunKind::Latency,
            Kind::Streams => RunKind::Streams,
        };
        let own = run(kind, &draft.compiled);
        if baselines.insert(own.scenario_yaml.clone()) {
            points.push((draft.variant, draft.into_point(&plan, has_seeds, vec![own])));
        }
    }
    points.sort_by_key(|(variant, point)| (*variant, point.seed));
    Ok((name, points.into_iter().map(|(_, point)| point).collect()))
}

/// Every variant with every seed, translated.
fn drafts(plan: &Plan, wanted: Wanted) -> Result<Vec<Draft>, LabError> {
    let (mut drafts, mut diagnostics) = (Vec::new(), Vec::new());
    for (number, variant) in plan.variants.iter().enumerate() {
        for seed in plan.seeds.0.clone() {
            match Draft::new(number, variant, seed, wanted) {
                Ok(draft) => drafts.push(draft),
                Err(LabError::Scenario(found)) => diagnostics.push(*found),
                Err(other) => return Err(other),
            }
        }
    }
    if diagnostics.is_empty() { Ok(drafts) } else { Err(Diagnostics::join(diagnostics).into()) }
}

impl Draft {
    fn new(number: usize, variant: &Variant, seed: u64, wanted: Wanted) -> Result<Draft, LabError> {
        let overrides = Overrides { seed: Some(seed), ..variant.overrides.clone() };
        let source = &variant.source;
        let resolved = resolve_from(&source.read()?, source, &overrides)?;
        let compiled = compile(&resolved)?;
        let translated = translate(&resolved, &compiled, wanted)?;
        Ok(Draft { variant: number, seed, resolved, compiled, translated })
    }

    fn into_point(self, plan: &Plan, has_seeds: bool, runs: Vec<StudyRun>) -> StudyPoint {
        let Translated { plan: translated, hosts, notes, .. } = self.translated;
        let name = |host: &HostId| self.compiled.node_names[host.index()].clone();
        StudyPoint {
            name: point_name(&plan.variants[self.variant], has_seeds.then_some(self.seed)),
            seed: self.seed,
            plan: translated,
            hosts: hosts.iter().map(name).collect(),
            notes,
            runs,
        }
    }
}

/// Streams are run once: their starts and stops define the duration.
fn check_iterations(asked: &Preparation<'_>, drafts: &[Draft]) -> Result<(), FieldError> {
    let has_streams = drafts.iter().any(|draft| draft.translated.kind == Kind::Streams);
    let options = [("--iterations", asked.iterations), ("--warm-up", asked.warm_up)];
    match options.into_iter().find(|(_, value)| has_streams && value.is_some()) {
        Some((option, _)) => {
            let problem = "staged flows are run once, from their first start to their last stop".to_owned();
            Err(FieldError::Option { option, problem })
        }
        None => Ok(()),
    }
}

/// The name of a point: the varied parameters, or the scenario, and the seed if there are several.
fn point_name(variant: &Variant, seed: Option<u64>) -> String {
    let folder = variant.folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let folder = folder.unwrap_or_default();
    match seed {
        None => folder,
        // A shortened name ends with a hash and is not changed again.
        Some(seed) if folder.contains('~') => format!("{folder},seed={seed}"),
        Some(seed) => descriptive_name(&format!("{folder},seed={seed}")),
    }
}

fn run(kind: RunKind, compiled: &Compiled) -> StudyRun {
    let stored = |setting: &netloom_scenario::Changed| ChangedSetting {
        path: setting.path.clone(),
        value: setting.value.clone(),
        default: setting.default.clone(),
    };
    StudyRun {
        kind,
        scenario_yaml: compiled.resolved_yaml.clone(),
        changed: compiled.changed.iter().map(stored).collect(),
    }
}
