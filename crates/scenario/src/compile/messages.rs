//! Messages with more packets than the counters can hold, each reported where its size is written.

use netloom_units::Bytes;

use crate::diagnostic::Problems;
use crate::location::Location;
use crate::resolve::Draft;
use crate::resolved::{Background, FlowFile, FlowTable, Parameters, Phase, PhaseEntry};

const TOO_LARGE: &str = "a message has more packets than can be counted";
const HELP: &str = "use larger packets or smaller messages";

/// Reports messages of `most` bytes and more.
pub(super) fn check(draft: &Draft, background: u64, most: u128, problems: &mut Problems) {
    if let Some(wanted) = draft.background.as_ref().filter(|_| u128::from(background) >= most) {
        report(location_of(wanted), most, problems);
    }
    if let Some(flows) = &draft.flows {
        bounded(&flows.settings, "message", most, problems);
        flows.finite().for_each(|flow| bounded(&flow.settings, "size", most, problems));
        if let Some(file) = &flows.file {
            rows(file, most, problems);
        }
    }
    for job in &draft.jobs {
        phases(&job.phases, most, problems);
    }
}

fn phases(all: &[PhaseEntry], most: u128, problems: &mut Problems) {
    for PhaseEntry { phase, .. } in all {
        match &phase.value {
            Phase::Collectives { each, .. } => {
                for collective in each {
                    bounded(&collective.common, "size", most, problems);
                }
            }
            Phase::PointToPoint { settings, .. } | Phase::Pipeline { settings, .. } => {
                bounded(settings, "size", most, problems);
            }
            Phase::Repeat { phases: inner, .. } => phases(inner, most, problems),
            Phase::Compute(_) | Phase::Barrier | Phase::Program => {}
        }
    }
}

fn bounded(parameters: &Parameters, key: &str, most: u128, problems: &mut Problems) {
    let Bytes(bytes) = parameters.settings.size(key);
    if u128::from(bytes) >= most {
        report(parameters.location_of(key), most, problems);
    }
}

/// Reports the first row of a file that is too large.
fn rows(file: &FlowFile, most: u128, problems: &mut Problems) {
    let flows = file.table.iter().flat_map(|table| table.flows.iter());
    let Some((row, _)) = (0..).zip(flows).find(|(_, flow)| u128::from(flow.size.0) >= most) else { return };
    let line = FlowTable::line_of(row);
    let report = problems.report(file.path.location, format!("line {line}: {TOO_LARGE}"));
    report.label(most_bytes(most)).help(HELP);
}

fn report(location: Location, most: u128, problems: &mut Problems) {
    problems.report(location, TOO_LARGE).label(most_bytes(most)).help(HELP);
}

fn most_bytes(most: u128) -> String {
    format!("expected less than {} GB with these packets", most / 1_000_000_000)
}

/// Where the sizes of background messages come from.
fn location_of(wanted: &Background) -> Location {
    if wanted.given.value.is_empty() { wanted.kind.location } else { wanted.given.location }
}
