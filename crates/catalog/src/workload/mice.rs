//! # Idea
//! Small messages between random hosts at a steady pace, the same in every run: the background traffic of
//! `zeltser2026`.
//!
//! # Source
//! The simulator behind `zeltser2026`, with the draws of Python's standard library: MT19937 (Matsumoto, Nishimura,
//! 1998) seeded with a key of one word; a number below n is the top bits of a word, as many as n has, drawn until
//! below n.
//!
//! # Parameters
//! Seed, the interval between messages of the whole network, first and last instant, size in packets, whether a
//! message must leave its leaf.
//!
//! # Invariants
//! Instants are doubles in seconds to which the interval is added again and again, times 10^12 rounded to the nearest
//! picosecond, ties to even: the rounding errors are part of the published sequence. Hosts are drawn in the order of
//! leaves and places, which is the order of names there for up to ten leaves.
//!
//! # When it misleads
//! The pace is constant, not Poisson, and one message at a time: it probes the network rather than loads it.

use netloom_model::Mouse;
use netloom_units::{Bytes, Duration, HostId, Kind, Parameter, Settings, Spec, Time, Value};
use rand_mt::Mt;

use super::error::WorkloadError;

/// The specification.
pub static SPEC: Spec = Spec {
    name: "mice",
    summary: "small messages between random hosts at a steady pace",
    source: "the simulator behind zeltser2026",
    parameters: &[
        Parameter {
            name: "seed",
            kind: Kind::Count { minimum: 0, maximum: u32::MAX as u64 },
            default: Some(Value::Count(2026)),
            meaning: "seeds the sequence, which is the same in every run",
        },
        Parameter {
            name: "start",
            kind: Kind::Duration,
            default: Some(Value::Duration(Duration::ZERO)),
            meaning: "when the first message starts",
        },
        Parameter {
            name: "end",
            kind: Kind::Duration,
            default: None,
            meaning: "no message starts at this instant or later",
        },
        Parameter {
            name: "interval",
            kind: Kind::Duration,
            default: Some(Value::Duration(Duration::from_millis(1))),
            meaning: "time between messages, counted over the whole network",
        },
        packets("minimum_packets", 1, "fewest packets of a message"),
        packets("maximum_packets", 4, "most packets of a message"),
        Parameter {
            name: "packet",
            kind: Kind::Size,
            default: Some(Value::Size(Bytes(4096))),
            meaning: "bytes of a packet",
        },
        Parameter {
            name: "cross_rack",
            kind: Kind::Flag,
            default: Some(Value::Flag(true)),
            meaning: "whether a message must leave its leaf",
        },
    ],
};

const fn packets(name: &'static str, default: u64, meaning: &'static str) -> Parameter {
    let kind = Kind::Count { minimum: 1, maximum: 1 << 20 };
    Parameter { name, kind, default: Some(Value::Count(default)), meaning }
}

/// What the sequence is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeedSimMice {
    /// Seed of the Mersenne Twister.
    pub seed: u32,
    /// Number of leaves.
    pub leaves: u32,
    /// Hosts below each leaf, numbered leaf by leaf.
    pub hosts_per_leaf: u32,
    /// When the first message starts.
    pub start: Duration,
    /// No message starts at this instant or later.
    pub end: Duration,
    /// Time between messages, counted over the whole network.
    pub interval: Duration,
    /// Fewest packets of a message.
    pub minimum_packets: u32,
    /// Most packets of a message.
    pub maximum_packets: u32,
    /// Bytes of a packet.
    pub packet: Bytes,
    /// Whether a message must leave its leaf.
    pub cross_rack: bool,
}

impl SeedSimMice {
    /// Reads the settings for a fabric of this shape.
    pub fn from_settings(settings: &Settings, leaves: u32, hosts_per_leaf: u32) -> SeedSimMice {
        SeedSimMice {
            seed: settings.count("seed") as u32,
            leaves,
            hosts_per_leaf,
            start: settings.duration("start"),
            end: settings.duration("end"),
            interval: settings.duration("interval"),
            minimum_packets: settings.count("minimum_packets") as u32,
            maximum_packets: settings.count("maximum_packets") as u32,
            packet: settings.size("packet"),
            cross_rack: settings.flag("cross_rack"),
        }
    }

    fn check(&self) -> Result<(), WorkloadError> {
        let wrong = |reason| Err(WorkloadError::Background { number: 0, reason });
        if self.interval == Duration::ZERO {
            return wrong("would be followed by infinitely many: the interval is zero");
        }
        if self.minimum_packets > self.maximum_packets {
            return wrong("would have more packets at least than at most");
        }
        if self.leaves < 2 && (self.cross_rack || self.hosts_per_leaf < 2) {
            return wrong("has nowhere to go");
        }
        let count = (self.end.0.saturating_sub(self.start.0) / self.interval.0) as usize;
        let limit = u32::MAX as usize;
        if count > limit {
            return Err(WorkloadError::TooMany { what: "background messages", count, limit });
        }
        Ok(())
    }
}

/// The sequence of messages.
///
/// # Errors
/// When there is no pair of hosts to draw, the bounds are crossed, or it would have no end.
pub fn seed_sim_mice(wanted: &SeedSimMice) -> Result<Vec<Mouse>, WorkloadError> {
    wanted.check()?;
    let mut twister = Mt::new_with_key([wanted.seed]);
    let n_hosts = wanted.leaves * wanted.hosts_per_leaf;
    let leaf_of = |host: u32| host / wanted.hosts_per_leaf;
    let (mut now, end, interval) = (seconds(wanted.start), seconds(wanted.end), seconds(wanted.interval));
    let mut mice = Vec::new();
    while now < end {
        let from = below(&mut twister, n_hosts);
        let too_near = |to| if wanted.cross_rack { leaf_of(to) == leaf_of(from) } else { to == from };
        let mut to = below(&mut twister, n_hosts);
        while too_near(to) {
            to = below(&mut twister, n_hosts);
        }
        let range = wanted.maximum_packets - wanted.minimum_packets + 1;
        let n_packets = wanted.minimum_packets + below(&mut twister, range);
        mice.push(Mouse {
            at: Time((now * 1e12).round_ties_even() as u64),
            from: HostId(from),
            to: HostId(to),
            size: Bytes(u64::from(n_packets) * wanted.packet.0),
        });
        now += interval;
    }
    Ok(mice)
}

/// The double nearest to a span in seconds: both numbers are exact, so the quotient is rounded once.
fn seconds(span: Duration) -> f64 {
    span.0 as f64 / 1e12
}

/// An integer in `0..bound`, as Python draws it.
fn below(twister: &mut Mt, bound: u32) -> u32 {
    let n_bits = u32::BITS - bound.leading_zeros();
    loop {
        let draw = twister.next_u32() >> (u32::BITS - n_bits);
        if draw < bound {
            return draw;
        }
    }
}
