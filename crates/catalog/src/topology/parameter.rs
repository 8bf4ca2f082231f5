//! Parameters that topologies share: numbers, parallel links, rates, delays.
//!
//! Models: how each is declared, and how it is read.
//! Leaves out: their meaning; each topology defines it.
//!
//! Invariants: no number exceeds what the limits on links allow.

use netloom_units::{Duration, Kind, Parameter, Rate, Settings, Value};

use super::{MAXIMUM_LINKS, TopologyError};

const ANY: Kind = Kind::Count { minimum: 1, maximum: MAXIMUM_LINKS };

/// A required number.
pub(super) const fn number(name: &'static str, meaning: &'static str) -> Parameter {
    Parameter { name, kind: ANY, default: None, meaning }
}

/// A number that defaults to one.
pub(super) const fn links(name: &'static str, meaning: &'static str) -> Parameter {
    Parameter { name, kind: ANY, default: Some(Value::Count(1)), meaning }
}

/// A number that follows from others if it is not given.
pub(super) const fn optional(name: &'static str, meaning: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Optional(&ANY), default: Some(Value::Absent), meaning }
}

/// The rate of host links.
pub(super) const fn host_rate(meaning: &'static str) -> Parameter {
    let default = Some(Value::Rate(Rate(400_000_000_000)));
    Parameter { name: "host_rate", kind: Kind::Rate, default, meaning }
}

/// A rate that follows from another one if it is not given.
pub(super) const fn rate(name: &'static str, meaning: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Optional(&Kind::Rate), default: Some(Value::Absent), meaning }
}

/// A propagation delay.
pub(super) const fn delay(name: &'static str, meaning: &'static str) -> Parameter {
    let default = Some(Value::Duration(Duration::from_micros(1)));
    Parameter { name, kind: Kind::Duration, default, meaning }
}

/// The downlink capacity over the uplink capacity.
pub(super) const fn ratio(name: &'static str, meaning: &'static str) -> Parameter {
    let kind = Kind::Optional(&Kind::Fraction { minimum: 0.001, maximum: 1000.0 });
    Parameter { name, kind, default: Some(Value::Absent), meaning }
}

/// The value of an optional number.
pub(super) fn given(settings: &Settings, name: &str) -> Option<u64> {
    match settings.optional(name) {
        Some(Value::Count(number)) => Some(number),
        _ => None,
    }
}

/// The values of numbers, none of which may be zero.
pub(super) fn numbers<const N: usize>(
    settings: &Settings,
    names: [&'static str; N],
) -> Result<[u64; N], TopologyError> {
    match names.into_iter().find(|name| settings.count(name) == 0) {
        Some(name) => Err(TopologyError::Zero(name)),
        None => Ok(names.map(|name| settings.count(name))),
    }
}

/// The rate of host links.
pub(super) fn rate_of_hosts(settings: &Settings) -> Result<Rate, TopologyError> {
    match settings.rate("host_rate") {
        Rate(0) => Err(TopologyError::Zero("host_rate")),
        rate => Ok(rate),
    }
}

/// An optional rate, or its replacement.
pub(super) fn rate_or(settings: &Settings, name: &'static str, or: Rate) -> Result<Rate, TopologyError> {
    match settings.optional(name) {
        Some(Value::Rate(Rate(0))) => Err(TopologyError::Zero(name)),
        Some(Value::Rate(rate)) => Ok(rate),
        _ => Ok(or),
    }
}
