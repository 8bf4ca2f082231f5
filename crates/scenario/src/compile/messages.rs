//! Messages with more packets than the counters can hold, each reported where its size is written.

use netloom_units::Bytes;

use crate::diagnostic::Problems;
use crate::place::{Place, Placed};
use crate::resolve::Draft;
use crate::resolved::{Background, Parameters, Phase};

/// Reports messages of `most` bytes and more.
pub(super) fn check(draft: &Draft, background: u64, most: u128, problems: &mut Problems) {
    if let Some(wanted) = draft.background.as_ref().filter(|_| u128::from(background) >= most) {
        report(place_of(wanted), most, problems);
    }
    if let Some(flows) = &draft.flows {
        bounded(&flows.settings, "message", most, problems);
    }
    for job in &draft.jobs {
        phases(&job.phases, most, problems);
    }
}

fn phases(all: &[Placed<Phase>], most: u128, problems: &mut Problems) {
    for phase in all {
        match &phase.value {
            Phase::Collectives { each, .. } => {
                for collective in each {
                    bounded(&collective.common, "size", most, problems);
                }
            }
            Phase::PointToPoint { settings, .. } => bounded(settings, "size", most, problems),
            Phase::Repeat { phases: inner, .. } => phases(inner, most, problems),
            Phase::Compute(_) | Phase::Barrier => {}
        }
    }
}

fn bounded(parameters: &Parameters, key: &str, most: u128, problems: &mut Problems) {
    let Bytes(bytes) = parameters.settings.size(key);
    if u128::from(bytes) >= most {
        report(parameters.place_of(key), most, problems);
    }
}

fn report(place: Place, most: u128, problems: &mut Problems) {
    let report = problems.report(place, "a message has more packets than can be counted");
    report.label(format!("expected less than {} GB with these packets", most / 1_000_000_000));
    report.help("use larger packets or smaller messages");
}

/// Where the sizes of background messages come from.
fn place_of(wanted: &Background) -> Place {
    if wanted.given.value.is_empty() { wanted.kind.place } else { wanted.given.place }
}
