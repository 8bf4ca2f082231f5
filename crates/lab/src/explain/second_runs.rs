//! The runs that are made again to explain messages.
//!
//! Models: a run that records the packets and causes of some messages; a run that records the packets on the links at
//! which these waited. If the first run recorded causes, these links are known beforehand, and one run serves for both.
//!
//! Invariants: none goes on behind the last arrival among the messages.

use std::collections::BTreeMap;
use std::time::Instant;

use netloom_engine::Options;
use netloom_model::{Fabric, NamedFlow, RecordedCauses, Recording};
use netloom_records::{Batch, CauseRow, Sink, SinkError};
use netloom_units::{LinkId, PortId, Time};

use super::ExplainError;
use super::ahead::{Ahead, MessageWait, Shares};
use super::chain::Member;
use super::departures::Departures;
use super::parts::{Collector, Key, Parts, key};
use crate::error::LabError;
use crate::prepare::Prepared;
use crate::second_run::second_run;
use crate::watch::{RunProgress, Watch};

/// Runs the scenario again, up to an instant.
pub(super) struct SecondRuns<'a, 'w> {
    prepared: &'a Prepared,
    last: Time,
    threads: usize,
    watch: Watch<'w>,
    /// Number of runs that are expected and that have been made, and when the first one began.
    n_expected: u32,
    n_made: u32,
    begun: Instant,
}

/// Collects the parts of messages, and the packets that were ahead.
struct Both {
    collector: Collector,
    departures: Option<Departures>,
}

impl Sink for Both {
    fn accept(&mut self, batch: Batch<'_>) -> Result<(), SinkError> {
        if let Some(departures) = &mut self.departures {
            departures.accept(batch)?;
        }
        self.collector.accept(batch)
    }
}

impl<'a, 'w> SecondRuns<'a, 'w> {
    /// Of a scenario, with the number of runs that are expected.
    pub fn new(
        prepared: &'a Prepared,
        last: Time,
        threads: usize,
        watch: Watch<'w>,
        n_expected: u32,
    ) -> SecondRuns<'a, 'w> {
        SecondRuns { prepared, last, threads, watch, n_expected, n_made: 0, begun: Instant::now() }
    }

    /// The parts of these messages, which may be listed more than once; with their recorded causes also the packets that
    /// were ahead, as far as they can be kept.
    pub fn parts(
        &mut self,
        members: &[&Member],
        causes: Option<&[(&Member, CauseRow)]>,
    ) -> Result<(BTreeMap<Key, Parts>, Option<Departures>), LabError> {
        let named = |member: &&Member| NamedFlow {
            source: member.row.source,
            destination: member.row.destination,
            number: Some(member.row.number),
        };
        let packets_of = members.iter().map(named).collect();
        let model = &self.prepared.compiled.model;
        let collector = Collector::new(members.iter().map(|member| key(&member.row)));
        let departures = causes.map(|causes| Departures::of(causes, &model.fabric));
        let ports = departures.iter().flat_map(Departures::ports);
        let packets_on = links_of(ports, &model.fabric);
        let recording =
            Recording { packets_of, packets_on, causes: RecordedCauses::All, ..Recording::default() };
        let mut both = Both { collector, departures };
        self.run(recording, &mut both)?;
        let parts = both.collector.finish().map_err(LabError::Internal)?;
        let differs = |member: &&&Member| parts[&key(&member.row)].total() != member.time().0;
        match members.iter().find(differs) {
            None => Ok((parts, both.departures)),
            Some(member) => Err(LabError::Internal(format!(
                "the parts of message {:?} do not add up to its completion time",
                key(&member.row)
            ))),
        }
    }

    /// Who was ahead during these waits, from the packets that were kept or from another run.
    pub fn ahead(
        &mut self,
        waits: &[MessageWait],
        departures: Option<Departures>,
    ) -> Result<Vec<Shares>, LabError> {
        if let Some(shares) = departures.and_then(|kept| kept.during(waits)) {
            return Ok(shares);
        }
        if waits.is_empty() {
            return Ok(Vec::new());
        }
        let fabric = &self.prepared.compiled.model.fabric;
        let packets_on = links_of(waits.iter().map(|waiting| waiting.wait.port), fabric);
        let mut ahead = Ahead::new(waits);
        self.run(Recording { packets_on, ..Recording::default() }, &mut ahead)?;
        Ok(ahead.finish())
    }

    fn run(&mut self, recording: Recording, sink: &mut dyn Sink) -> Result<(), LabError> {
        if self.last == Time::ZERO {
            return Ok(());
        }
        let options = Options { threads: self.threads, ..Options::default() };
        let (last, n_made, begun) = (self.last, self.n_made, self.begun);
        let n_runs = self.n_expected.max(n_made + 1);
        self.n_made += 1;
        let mut on_progress = self.watch.on_progress.as_deref_mut().map(|report| {
            move |now: &RunProgress| {
                let of_this = (now.simulated.0 as f64 / last.0 as f64).min(1.0);
                let share = (f64::from(n_made) + of_this) / f64::from(n_runs);
                report(&now.within(begun.elapsed(), share));
            }
        });
        let watch = Watch {
            stop: self.watch.stop,
            on_progress: on_progress.as_mut().map(|call| -> &mut dyn FnMut(&RunProgress) { call }),
            ..Watch::default()
        };
        if second_run(self.prepared, recording, self.last, sink, options, watch)? {
            return Ok(());
        }
        Err(ExplainError::Stopped.into())
    }
}

/// The links of these ports, each once.
fn links_of(ports: impl Iterator<Item = PortId>, fabric: &Fabric) -> Vec<LinkId> {
    let mut links: Vec<LinkId> = ports.map(|port| fabric.port(port).link).collect();
    links.sort_unstable();
    links.dedup();
    links
}
