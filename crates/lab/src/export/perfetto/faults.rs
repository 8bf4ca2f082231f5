//! Faults on the timeline: the fault events, and the state of each link.
//!
//! Models: table `events` (faults that the scenario names or samples) and table `faults` (links that carried nothing),
//! each as slices from the begin of a fault until its end; an end without a begin is an instant.
//! Leaves out: where packets were lost; rows of table `faults` after the end of the run.
//!
//! Invariants: a slice joins two rows, or is one row whose fault had not ended when the run ended.

use std::collections::BTreeMap;

use netloom_records::{EventRow, FaultAction, FaultRow, Target};
use netloom_units::Time;

use super::lanes::Lanes;
use super::schema::DebugAnnotation;
use super::trace::{Slice, Trace, Track, number, real, text};
use crate::error::LabError;
use crate::show::Recorded;

/// Slices that have begun and not ended, by subject.
struct Open<K> {
    lanes: Lanes,
    open: BTreeMap<K, Slice>,
}

/// Adds both tables.
///
/// # Errors
/// If a table cannot be read, or the operating system reports an error.
pub fn add(run: &Recorded, trace: &mut Trace) -> Result<(), LabError> {
    let stated = |table: &str| run.folder.manifest().tables.get(table).map_or(0, |table| table.rows);
    let (events, faults) = (stated("events"), stated("faults"));
    let mut group = None;
    if events > 0 {
        add_events(run, &mut group, trace)?;
    }
    if faults > 0 {
        add_faults(run, &mut group, trace)?;
    }
    Ok(())
}

/// The parent track of both tables, created for the first that has rows.
fn above(group: &mut Option<Track>, trace: &mut Trace) -> Track {
    *group.get_or_insert_with(|| trace.below(None, "faults"))
}

fn add_events(run: &Recorded, group: &mut Option<Track>, trace: &mut Trace) -> Result<(), LabError> {
    let mut open = Open::new(above(group, trace), "events");
    for rows in run.folder.rows::<EventRow>()? {
        for row in rows? {
            let (kind, begins, word) = meaning(row.action);
            let name = format!("{} {}", called(run, &row), if begins { word } else { row.action.word() });
            // The subject is the target and the kind of event.
            let subject = (row.target, row.link, row.node, kind);
            open.row(subject, begins, row.time, name, about(&row), trace)?;
        }
    }
    open.end(trace)
}

fn add_faults(run: &Recorded, group: &mut Option<Track>, trace: &mut Trace) -> Result<(), LabError> {
    let mut open = None;
    let end = trace.end();
    for rows in run.folder.rows::<FaultRow>()? {
        // The table continues for as long as the scenario has faults, also after all jobs have ended.
        for row in rows?.into_iter().filter(|row| row.time <= end) {
            let open = open.get_or_insert_with(|| Open::new(above(group, trace), "links down"));
            let link = run.names.links.get(row.link.index()).cloned().unwrap_or_default();
            let name = format!("link {link} {}", if row.up { "up" } else { "down" });
            open.row(row.link, !row.up, row.time, name, Vec::new(), trace)?;
        }
    }
    open.map_or(Ok(()), |open| open.end(trace))
}

/// The action that begins this kind of fault, whether `action` is it, and the name of its slice.
fn meaning(action: FaultAction) -> (FaultAction, bool, &'static str) {
    match action {
        FaultAction::Down => (FaultAction::Down, true, "down"),
        FaultAction::Up => (FaultAction::Down, false, "down"),
        FaultAction::Flap => (FaultAction::Flap, true, "flapping"),
        FaultAction::Steady => (FaultAction::Flap, false, "flapping"),
        FaultAction::Degrade => (FaultAction::Degrade, true, "slow"),
        FaultAction::Restore => (FaultAction::Degrade, false, "slow"),
        FaultAction::Errors => (FaultAction::Errors, true, "losing packets"),
        FaultAction::Clear => (FaultAction::Errors, false, "losing packets"),
    }
}

fn called(run: &Recorded, row: &EventRow) -> String {
    let name = match row.target {
        Target::Link | Target::Nic => run.names.links.get(row.link.index()).cloned().unwrap_or_default(),
        Target::Switch | Target::Host => run.names.node(row.node),
    };
    format!("{} {name}", row.target.word())
}

fn about(row: &EventRow) -> Vec<DebugAnnotation> {
    let mut about = vec![text("action", row.action.word())];
    about.extend(row.detected.map(|at| number("detected_ps", at.0)));
    about.extend(row.rate.map(|rate| number("rate_bits_per_second", rate.0)));
    about.extend(row.loss.map(|loss| real("loss", loss)));
    about.extend(row.period.map(|period| number("period_ps", period.0)));
    about
}

impl<K: Ord> Open<K> {
    fn new(group: Track, name: &str) -> Open<K> {
        Open { lanes: Lanes::new(Some(group), name), open: BTreeMap::new() }
    }

    /// Ends a slice of this subject, if one is open, and begins another one if the row says so.
    fn row(
        &mut self,
        subject: K,
        begins: bool,
        at: Time,
        name: String,
        about: Vec<DebugAnnotation>,
        trace: &mut Trace,
    ) -> Result<(), LabError> {
        let before = self.open.remove(&subject);
        let was_open = before.is_some();
        if let Some(slice) = before {
            self.lanes.slice(trace, Slice { end: Some(at), ..slice })?;
        }
        if begins {
            self.open.insert(subject, Slice { name, start: at, end: None, about });
        } else if !was_open {
            let track = self.lanes.first(trace);
            trace.instant(track, at, name, about)?;
        }
        Ok(())
    }

    /// Writes the slices that had not ended when the run ended.
    fn end(mut self, trace: &mut Trace) -> Result<(), LabError> {
        self.open.into_values().try_for_each(|slice| self.lanes.slice(trace, slice))
    }
}
