//! A job whose collectives are timed: one collective, in one or more sizes.

use std::collections::BTreeSet;

use netloom_scenario::resolved::PhaseEntry;
use netloom_scenario::{Located, resolved};
use netloom_units::HostId;

use super::collective::{Part, only_collective};
use super::{Draft, Pair};
use crate::field::plan::{FieldPlan, Role, Segment, Work};

impl Draft<'_> {
    /// Plan and hosts of the measurement.
    pub(super) fn latency(&mut self) -> Option<(FieldPlan, Vec<HostId>)> {
        let job = self.jobs().into_iter().next()?;
        self.check_job(job);
        if job.compiled.repetition.bursts.is_some() {
            let text = "the job pauses between bursts of steps";
            self.object(
                job.written.name.location,
                text,
                "only aggressors may have bursts",
                "remove `bursts`",
            );
        }
        let timed = self.timed(job)?;
        let (warm_up, iterations) = self.iterations(job)?;
        if !self.objections.is_empty() {
            return None;
        }
        self.note_posting(timed.first()?, &job.written.name.value);
        let n_ranks = job.compiled.ranks.len();
        let collective = timed.first()?.algorithm.spec.name.to_owned();
        let sizes: Vec<u64> = timed.iter().map(|one| one.common.settings.size("size").0).collect();
        for &bytes in &sizes {
            self.note_words(&collective, bytes, n_ranks);
        }
        if sizes.len() > 1 {
            self.note("On the machine all iterations of a size are run before the next size begins.");
        }
        if !job.compiled.repetition.aligned {
            self.note(
                "Ranks wait at a barrier before each iteration on the machine; in simulation only with `warm_up`.",
            );
        }
        let work = Work::Latency { collective, sizes };
        let segments = vec![Segment { is_congested: false, warm_up, iterations }];
        let plan = self.plan(vec![Role::Victim; n_ranks], work, segments);
        Some((plan, job.compiled.ranks.clone()))
    }

    /// The collectives of a job that does nothing else, all of one kind and each with a different size.
    fn timed<'a>(&mut self, job: Pair<'a>) -> Option<Vec<&'a resolved::Collective>> {
        let mut timed: Vec<&resolved::Collective> = Vec::new();
        let mut sizes = BTreeSet::new();
        for PhaseEntry { phase: Located { value, location }, .. } in &job.written.phases {
            if *value == resolved::Phase::Barrier {
                continue;
            }
            let Some(one) = only_collective(value) else {
                let text = "on a machine a job that is not an interference study times single collectives";
                self.object(*location, text, "not a single collective", "remove it");
                continue;
            };
            self.check_collective(one, Part::Victim, job.compiled.ranks.len());
            let name = one.algorithm.spec.name;
            if let Some(first) = timed.first().map(|first| first.algorithm.spec.name)
                && first != name
            {
                let text =
                    format!("a plan times one kind of collective, and the job has `{first}` and `{name}`");
                self.object(
                    one.algorithm.location,
                    text,
                    &format!("expected `{first}`"),
                    "write one scenario for each",
                );
            }
            let size = one.common.settings.size("size");
            if !sizes.insert(size) {
                let text = format!("the size of {} B occurs twice", size.0);
                self.object(
                    one.common.location_of("size"),
                    text,
                    "expected each size once",
                    "use more `steps` instead",
                );
            }
            timed.push(one);
        }
        if timed.is_empty() && self.objections.is_empty() {
            let text = "the job has no collective to time";
            self.object(job.written.name.location, text, "expected at least one", "");
        }
        (!timed.is_empty()).then_some(timed)
    }
}
