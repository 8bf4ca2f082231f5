//! Background traffic: drawing its messages for the shape of the fabric.

use netloom_catalog::workload::{SeedSimMice, seed_sim_mice};
use netloom_model::{Background, Routing};

use super::choices::optional_rate;
use super::ground::Ground;
use crate::diagnostic::Problems;
use crate::resolve::Draft;
use crate::resolved::{Background as Wanted, Parameters};

/// Most background messages of a run; they are drawn before it starts.
const MOST_MESSAGES: u64 = 10_000_000;

/// The messages, or a report of why there can be none.
pub(super) fn background(draft: &Draft, ground: &Ground, problems: &mut Problems) -> Option<Background> {
    let wanted = draft.background.as_ref()?;
    let rate = optional_rate(&wanted.common, "rate");
    if rate.is_some() {
        pace_is_possible(wanted, draft.transport.as_ref(), problems);
    }
    let settings = &wanted.kind.settings;
    let (leaves, hosts_per_leaf) = match &ground.built.routing {
        Routing::LeafSpine(shape) => (shape.leaves, shape.hosts_per_leaf),
        // Without leaves every host is a rack of its own.
        Routing::Tables(_) => {
            if settings.flag("cross_rack") {
                let place = wanted.kind.place_of("cross_rack");
                let report = problems.report(place, "a custom fabric has no racks");
                report.label("`cross_rack` means nothing here").help("add `cross_rack: false`");
                return None;
            }
            (ground.n_hosts(), 1)
        }
    };
    let interval = settings.duration("interval").0;
    let span = settings.duration("end").0.saturating_sub(settings.duration("start").0);
    if interval > 0 && span / interval > MOST_MESSAGES {
        let report = problems.report(wanted.kind.place_of("interval"), "too much background traffic");
        report.label(format!("{} messages, at most {MOST_MESSAGES} are drawn", span / interval));
        return None;
    }
    match seed_sim_mice(&SeedSimMice::from_settings(settings, leaves, hosts_per_leaf)) {
        Ok(mice) => Some(Background { mice, rate }),
        Err(error) => {
            problems.report(wanted.kind.place, error.to_string()).label("these cannot be drawn");
            None
        }
    }
}

/// A pace means something only where the transport has one.
fn pace_is_possible(wanted: &Wanted, transport: Option<&Parameters>, problems: &mut Problems) {
    let Some(transport) = transport.filter(|transport| transport.spec.parameter("rate").is_none()) else {
        return;
    };
    let name = transport.spec.name;
    let report = problems.report(wanted.common.place_of("rate"), format!("transport `{name}` has no pace"));
    report.label("means nothing here").help("remove it, or choose `transport: open_loop`");
}
