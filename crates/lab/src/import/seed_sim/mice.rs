//! The background messages.

use netloom_units::Duration;

use super::read::{Form, Reader, flag, positive, whole};

/// The background messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mice {
    pub seed: u64,
    pub start: Duration,
    pub end: Duration,
    pub interval: Duration,
    pub minimum_packets: u64,
    pub maximum_packets: u64,
    pub cross_rack: bool,
}

const KEYS: &[&str] = &[
    "enabled",
    "seed",
    "start_delay_s",
    "end_time_s",
    "interarrival_s",
    "min_packets",
    "max_packets",
    "force_cross_rack",
];

/// Reads the section: `Some(None)` if there are no such messages, `None` if there is a mistake.
#[expect(clippy::option_option, reason = "a mistake and an absent section are different results")]
pub(super) fn mice(reader: &mut Reader, params: &Form<'_>) -> Option<Option<Mice>> {
    let form = reader.optional(params, "mice", KEYS);
    if !form.is_present() || !reader.need(&form, "enabled", flag)? {
        return Some(None);
    }
    let seed = reader.need(&form, "seed", whole);
    let start = reader.span(&form, "start_delay_s", "s");
    let end = reader.span(&form, "end_time_s", "s");
    let interval = reader.span(&form, "interarrival_s", "s");
    let minimum = reader.need(&form, "min_packets", positive);
    let maximum = reader.need(&form, "max_packets", positive);
    let cross_rack = reader.need(&form, "force_cross_rack", flag);
    Some(Some(Mice {
        seed: seed?,
        start: start?,
        end: end?,
        interval: interval?,
        minimum_packets: minimum?,
        maximum_packets: maximum?,
        cross_rack: cross_rack?,
    }))
}
