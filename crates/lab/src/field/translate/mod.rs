//! From a scenario to a plan: what simulation and machine have in common, and how they differ.
//!
//! Models: three kinds of scenarios: an interference study, a job whose collectives are timed, staged flows.
//! Leaves out: files; running anything.
//!
//! Invariants: a difference between scenario and machine is refused with its location, or stated in a note; all refusals
//! of a scenario are reported at once; the program accepts every plan.

mod collective;
mod interference;
mod iterations;
mod latency;
mod streams;

use netloom_model::Job;
use netloom_scenario::{Compiled, Diagnostics, Location, Objection, Resolved, resolved};
use netloom_units::HostId;

use super::plan::FieldPlan;
use super::study::no_digest;

pub(super) use interference::is_congested;
pub(super) use iterations::Wanted;

/// Names of the two jobs of an interference study.
pub(in crate::field) const VICTIM: &str = "victim";
pub(in crate::field) const AGGRESSOR: &str = "aggressor";

/// A plan, and the hosts of its ranks.
#[derive(Debug)]
pub(super) struct Translated {
    pub plan: FieldPlan,
    /// The host of each rank.
    pub hosts: Vec<HostId>,
    /// Differences between what is simulated and what is measured.
    pub notes: Vec<String>,
    pub kind: Kind,
}

/// The three kinds of scenarios.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Interference,
    Latency,
    Streams,
}

/// A job as written and as compiled.
#[derive(Clone, Copy)]
struct Pair<'a> {
    written: &'a resolved::Job,
    compiled: &'a Job,
}

/// State of a translation: its input and its findings.
struct Draft<'a> {
    resolved: &'a Resolved,
    compiled: &'a Compiled,
    wanted: Wanted,
    objections: Vec<Objection>,
    notes: Vec<String>,
}

/// The plan of a scenario.
///
/// # Errors
/// Everything in it that the program does not support, each with its location.
pub(super) fn translate(
    resolved: &Resolved,
    compiled: &Compiled,
    wanted: Wanted,
) -> Result<Translated, Diagnostics> {
    let mut draft = Draft { resolved, compiled, wanted, objections: Vec::new(), notes: Vec::new() };
    draft.check_sections();
    let kind = draft.kind();
    let made = match kind {
        Some(Kind::Interference) => draft.interference(),
        Some(Kind::Latency) => draft.latency(),
        Some(Kind::Streams) => draft.streams(),
        None => None,
    };
    match (kind, made) {
        (Some(kind), Some((plan, hosts))) if draft.objections.is_empty() => {
            Ok(Translated { plan, hosts, notes: draft.notes, kind })
        }
        _ => Err(resolved.refuse(draft.objections)),
    }
}

impl<'a> Draft<'a> {
    fn jobs(&self) -> Vec<Pair<'a>> {
        let jobs = self.resolved.jobs.iter().zip(&self.compiled.model.workload.jobs);
        jobs.map(|(written, compiled)| Pair { written, compiled }).collect()
    }

    fn job(&self, name: &str) -> Option<Pair<'a>> {
        self.jobs().into_iter().find(|job| job.written.name.value == name)
    }

    fn object(&mut self, location: Location, message: impl Into<String>, label: &str, help: &str) {
        let help = (!help.is_empty()).then(|| help.to_owned());
        self.objections.push(Objection { location, message: message.into(), label: label.to_owned(), help });
    }

    fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// The kind of a scenario; `None` if it is none of the three.
    fn kind(&mut self) -> Option<Kind> {
        let jobs = self.jobs();
        if jobs.iter().any(|job| job.written.name.value == VICTIM) {
            return Some(Kind::Interference);
        }
        match (jobs.as_slice(), &self.resolved.flows) {
            ([], Some(_)) => return Some(Kind::Streams),
            ([_], None) => return Some(Kind::Latency),
            ([], None) => self.object(
                Location::default(),
                "there is nothing to measure: the scenario has no section `interference`, no job and no staged flows",
                "this scenario is for simulation only",
                "add `interference: { hosts: 8, victim: { ring_all_gather: { size: 2MiB } }, aggressor: ... }`",
            ),
            ([_, second, ..], _) => self.object(
                second.written.name.location,
                "several jobs are measured on a machine only as `victim` and `aggressor`",
                "expected a single job",
                "write them as a section `interference`",
            ),
            ([_], Some(_)) => {}
        }
        None
    }

    /// Refuses sections without a counterpart on a machine.
    fn check_sections(&mut self) {
        if self.resolved.background.is_some() {
            self.object(
                Location::default(),
                "background traffic has no counterpart on a machine",
                "this scenario has background traffic",
                "add `--set background=none`",
            );
        }
        if self.compiled.model.workload.finite.is_some() {
            self.object(
                Location::default(),
                "finite flows have no counterpart on a machine",
                "this scenario has finite flows",
                "add `--set flows=none`, or list only flows with a `stop`",
            );
        }
        if self.resolved.flows.is_some() && !self.resolved.jobs.is_empty() {
            self.object(
                Location::default(),
                "staged flows beside jobs have no counterpart on a machine",
                "this scenario has both",
                "add `--set flows=none`",
            );
        }
        let faults = &self.resolved.faults;
        let n_faults =
            faults.failed.len() + faults.timed.len() + faults.processes.len() + faults.storms.len();
        if n_faults > 0 || faults.random.is_some() {
            self.note("Faults of the scenario occur only in simulation.");
        }
    }

    /// A plan without the digest of its study.
    fn plan(
        &self,
        roles: Vec<super::plan::Role>,
        work: super::plan::Work,
        segments: Vec<super::plan::Segment>,
    ) -> FieldPlan {
        let (seed, deadline_s) = (self.resolved.seed, self.wanted.deadline_s);
        FieldPlan { study: no_digest(), seed, roles, work, segments, deadline_s }
    }
}
