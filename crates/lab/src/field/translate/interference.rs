//! An interference study: the jobs `victim` and `aggressor`.

use netloom_model::{Bursts, Phase};
use netloom_scenario::{Resolved, resolved};
use netloom_units::{Duration, HostId};

use super::collective::{Part, only_collective};
use super::{AGGRESSOR, Draft, Pair, VICTIM};
use crate::field::plan::{FieldPlan, PlannedBursts, Role, Segment, SizedCollective, Work};

/// Whether a scenario has an aggressor.
pub(in crate::field) fn is_congested(resolved: &Resolved) -> bool {
    resolved.jobs.iter().any(|job| job.name.value == AGGRESSOR)
}

impl Draft<'_> {
    /// Plan and hosts of the study.
    pub(super) fn interference(&mut self) -> Option<(FieldPlan, Vec<HostId>)> {
        for job in self.jobs() {
            match job.written.name.value.as_str() {
                VICTIM => self.check_group(job, Part::Victim),
                AGGRESSOR => self.check_group(job, Part::Aggressor),
                other => {
                    let text = format!("the job `{other}` is neither `victim` nor `aggressor`");
                    self.object(job.written.name.location, text, "not measured on a machine", "remove it");
                }
            }
        }
        let victim = self.job(VICTIM)?;
        let (warm_up, iterations) = self.iterations(victim)?;
        if !self.objections.is_empty() {
            return None;
        }
        let aggressor = self.job(AGGRESSOR);
        let segment = |is_congested| Segment { is_congested, warm_up, iterations };
        let segments = if aggressor.is_some() { &[false, true, false][..] } else { &[false] };
        let others = aggressor.map_or(&[][..], |job| &job.compiled.ranks);
        let ranks = in_order(&victim.compiled.ranks, others);
        let bursts = aggressor.and_then(|job| job.compiled.repetition.bursts);
        let work = Work::Interference {
            victim: self.sized(victim)?,
            aggressor: aggressor.and_then(|job| self.sized(job)),
            bursts: bursts.map(|bursts| self.bursts(bursts)),
        };
        self.note(if aggressor.is_some() {
            "The baseline is measured in the same job, before and after the congested segment, each time with the same \
             number of iterations."
        } else {
            "The victim in isolation is measured on its own hosts; no other hosts take part."
        });
        let roles = ranks.iter().map(|(_, role)| *role).collect();
        let plan = self.plan(roles, work, segments.iter().copied().map(segment).collect());
        Some((plan, ranks.into_iter().map(|(host, _)| host).collect()))
    }

    fn check_group(&mut self, job: Pair<'_>, part: Part) {
        let (written, name) = (job.written, &job.written.name.value);
        let Some(one) = repeated(written) else {
            let text = format!("the job `{name}` does not repeat a single collective");
            let help = "write it as a section `interference`";
            self.object(written.name.location, text, "expected one collective", help);
            return;
        };
        let repetition = &job.compiled.repetition;
        if part == Part::Victim && !repetition.measured {
            let help = "write it as a section `interference`";
            self.object(
                written.name.location,
                "the job `victim` is not measured",
                "it has no `warm_up`",
                help,
            );
        }
        if part == Part::Victim && repetition.bursts.is_some() {
            self.object(
                written.name.location,
                "the victim pauses",
                "only aggressors may have bursts",
                "remove `bursts`",
            );
        }
        if part == Part::Aggressor && !repetition.endless {
            let text = "the aggressor has a fixed number of steps";
            self.object(
                written.steps.location,
                text,
                "on a machine it runs until the victim ends",
                "write `steps: endless`",
            );
        }
        self.check_job(job);
        self.check_collective(one, part, job.compiled.ranks.len());
    }

    /// The collective of a checked job.
    fn sized(&mut self, job: Pair<'_>) -> Option<SizedCollective> {
        let one = repeated(job.written)?;
        self.note_posting(one, &job.written.name.value);
        let [Phase::Communicate { buckets, .. }] = job.compiled.phases.as_slice() else { return None };
        let bytes = buckets.iter().map(|bucket| bucket.size.0).sum();
        let collective = one.algorithm.spec.name.to_owned();
        self.note_words(&collective, bytes, job.compiled.ranks.len());
        Some(SizedCollective { collective, bytes })
    }

    fn bursts(&mut self, bursts: Bursts) -> PlannedBursts {
        const PS_PER_NS: u64 = 1_000;
        if bursts.slack > Duration::ZERO {
            self.note(
                "`slack` of bursts is only simulated: a pause on the machine is longer by the error of its timers.",
            );
        }
        if [bursts.length, bursts.pause].iter().any(|span| !span.0.is_multiple_of(PS_PER_NS)) {
            self.note("Lengths and pauses of bursts are rounded up to whole nanoseconds on the machine.");
        }
        PlannedBursts {
            is_exponential: bursts.exponential,
            length_ns: bursts.length.0.div_ceil(PS_PER_NS),
            pause_ns: bursts.pause.0.div_ceil(PS_PER_NS),
        }
    }
}

/// The collective that a job repeats, if the job does nothing else.
fn repeated(job: &resolved::Job) -> Option<&resolved::Collective> {
    let [phase] = job.phases.as_slice() else { return None };
    only_collective(&phase.phase.value)
}

/// Hosts in the order of ranks. If both groups are in ascending order of host numbers, so are ranks; otherwise groups
/// alternate.
fn in_order(victims: &[HostId], aggressors: &[HostId]) -> Vec<(HostId, Role)> {
    let of = |hosts: &[HostId], role| hosts.iter().map(move |&host| (host, role)).collect::<Vec<_>>();
    let (victims, aggressors) = (of(victims, Role::Victim), of(aggressors, Role::Aggressor));
    let rises = |hosts: &[(HostId, Role)]| hosts.is_sorted_by_key(|(host, _)| *host);
    if rises(&victims) && rises(&aggressors) {
        let mut all = [victims, aggressors].concat();
        all.sort_by_key(|(host, _)| *host);
        return all;
    }
    let n = victims.len().max(aggressors.len());
    let turn = |turn: usize| victims.get(turn).into_iter().chain(aggressors.get(turn)).copied();
    (0..n).flat_map(turn).collect()
}
