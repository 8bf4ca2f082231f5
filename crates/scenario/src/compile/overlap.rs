//! Phases that overlap: the numbers of streams, and of the phases that a phase waits for.
//!
//! Invariants: a name means the last phase of that name before, repeats unrolled, so that no phase waits for a later one.

use std::collections::BTreeMap;

use netloom_model::ScheduledPhase;

use crate::diagnostic::Problems;
use crate::location::Located;
use crate::resolved::{Overlap, Phase, PhaseEntry};

/// Most phases that all phases of a job wait for together; the catalog allows as many signals.
const MOST_AWAITED: usize = u16::MAX as usize;
/// Most streams of a job.
const MOST_STREAMS: usize = netloom_model::Item::STREAMS;

/// The schedule of the phases of a job, as they are unrolled.
pub(super) struct Scheduler<'a> {
    /// Numbers of streams by name, and the largest number.
    streams: BTreeMap<&'a str, u16>,
    /// The last phase of each name.
    by_name: BTreeMap<&'a str, u16>,
    /// All names of the job, with where they are written.
    names: BTreeMap<&'a str, &'a Located<String>>,
    phases: Vec<ScheduledPhase>,
    n_awaited: usize,
}

impl<'a> Scheduler<'a> {
    pub(super) fn new(wanted: &'a [PhaseEntry]) -> Scheduler<'a> {
        let mut names = BTreeMap::new();
        collect_names(wanted, &mut names);
        let streams = BTreeMap::from([(Overlap::MAIN, 0)]);
        Scheduler { streams, by_name: BTreeMap::new(), names, phases: Vec::new(), n_awaited: 0 }
    }

    /// Adds the next phase.
    pub(super) fn add(&mut self, overlap: &'a Overlap, problems: &mut Problems) -> Option<()> {
        let stream = match &overlap.stream {
            Some(name) => self.stream(name, problems),
            None => Some(0),
        };
        let after: Vec<_> = overlap.after.iter().map(|name| self.before(name, problems)).collect();
        // Even if it is wrong, so that phases that wait for it are not reported, too.
        if let Some(name) = &overlap.name {
            self.by_name.insert(&name.value, self.phases.len() as u16);
        }
        let stream = stream?;
        let mut after = after.into_iter().collect::<Option<Vec<u16>>>()?;
        after.sort_unstable();
        after.dedup();
        self.n_awaited += after.len();
        if self.n_awaited > MOST_AWAITED {
            let location = overlap.after.first().map(|name| name.location).unwrap_or_default();
            let report =
                problems.report(location, format!("phases wait for more than {MOST_AWAITED} others"));
            report.label("too many from here on, repeats unrolled");
            return None;
        }
        self.phases.push(ScheduledPhase { stream, after });
        Some(())
    }

    /// The schedule; empty if all phases follow each other.
    pub(super) fn finish(self) -> Vec<ScheduledPhase> {
        if self.streams.len() == 1 { Vec::new() } else { self.phases }
    }

    fn stream(&mut self, name: &'a Located<String>, problems: &mut Problems) -> Option<u16> {
        let next = self.streams.len();
        let found = *self.streams.entry(&name.value).or_insert(next as u16);
        if usize::from(found) >= MOST_STREAMS {
            let report = problems.report(name.location, format!("more than {MOST_STREAMS} streams"));
            report.label("one too many").help("phases that do not overlap may share a stream");
            return None;
        }
        Some(found)
    }

    /// The number of the phase of a name before this one.
    fn before(&self, name: &Located<String>, problems: &mut Problems) -> Option<u16> {
        if let Some(found) = self.by_name.get(name.value.as_str()) {
            return Some(*found);
        }
        if let Some(later) = self.names.get(name.value.as_str()) {
            let message = format!("`{}` does not come before this phase", name.value);
            let report = problems.report(name.location, message);
            report.label("expected an earlier phase").related(later.location, "it is here");
            report.help("list it first; the order of a list is that of phases of one stream only");
        } else {
            let help = problems.hint(&name.value, self.by_name.keys().copied());
            let report = problems.report(name.location, format!("there is no phase named `{}`", name.value));
            let help = help.or_else(|| Some("name it: `{ compute: 10ms, name: forward }`".to_owned()));
            report.label("expected the name of an earlier phase").maybe_help(help);
        }
        None
    }
}

fn collect_names<'a>(wanted: &'a [PhaseEntry], names: &mut BTreeMap<&'a str, &'a Located<String>>) {
    for PhaseEntry { phase, overlap } in wanted {
        if let Some(name) = &overlap.name {
            names.entry(&name.value).or_insert(name);
        }
        if let Phase::Repeat { phases, .. } = &phase.value {
            collect_names(phases, names);
        }
    }
}
