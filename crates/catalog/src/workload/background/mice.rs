//! # Idea
//! Small messages between random hosts at a constant rate, the same in every run: the background traffic of
//! `zeltser2026`.
//!
//! # Source
//! The simulator behind `zeltser2026`, with the random numbers of Python's standard library: MT19937 (Matsumoto,
//! Nishimura, 1998) seeded with a key of one word; a number below n is the top bits of a word, as many as n has, drawn
//! again until it is below n.
//!
//! # Parameters
//! Seed, the interval between messages of the whole network, first and last instant, size in packets, whether a
//! message must leave its leaf.
//!
//! # Invariants
//! Instants are doubles in seconds to which the interval is added repeatedly, times 10^12 rounded to the nearest
//! picosecond, ties to even: the rounding errors are part of the published sequence. Hosts are drawn in the order of
//! leaves and places, which is the order of names there for up to ten leaves.
//!
//! # When it misleads
//! The rate is constant, not Poisson, with one message at a time: it probes the network rather than loads it.

use std::collections::VecDeque;

use netloom_model::Background;
use netloom_units::{Bytes, Duration, HostId, Kind, Parameter, Settings, Spec, Time, Value};
use rand_mt::Mt;

use super::{Arrival, Arrivals, Bound, nowhere, wrong};
use crate::workload::error::WorkloadError;

/// The specification.
pub static SPEC: Spec = Spec {
    name: "mice",
    summary: "small messages between random hosts at constant intervals",
    source: "the simulator of Zeltser 2026",
    parameters: &[
        Parameter {
            name: "seed",
            kind: Kind::Count { minimum: 0, maximum: u32::MAX as u64 },
            default: Some(Value::Count(2026)),
            meaning: "seed of the sequence of messages, which is the same in every run",
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
            meaning: "time between two messages of the whole network",
        },
        packets("minimum_packets", 1, "smallest number of packets of a message"),
        packets("maximum_packets", 4, "largest number of packets of a message"),
        Parameter {
            name: "packet",
            kind: Kind::Size,
            default: Some(Value::Size(Bytes(4096))),
            meaning: "size of a packet",
        },
        Parameter {
            name: "cross_rack",
            kind: Kind::Flag,
            default: Some(Value::Flag(true)),
            meaning: "whether the receiver must be below another leaf than the sender",
        },
    ],
};

const fn packets(name: &'static str, default: u64, meaning: &'static str) -> Parameter {
    let kind = Kind::Count { minimum: 1, maximum: 1 << 20 };
    Parameter { name, kind, default: Some(Value::Count(default)), meaning }
}

/// The sequence, and the part of it that has been generated but not handed out.
///
/// All hosts are equally likely, so they need messages at about the same time: the part kept for other hosts grows with
/// the hosts and not with the messages still to come.
#[derive(Debug)]
pub struct Mice {
    hosts: Vec<HostId>,
    /// The rack of each host.
    racks: Vec<u32>,
    cross_rack: bool,
    minimum_packets: u32,
    maximum_packets: u32,
    packet: Bytes,
    n_messages: u64,
    twister: Mt,
    starts: Starts,
    /// Generated but not handed out, host by host.
    pending: Vec<VecDeque<Arrival>>,
}

impl Mice {
    /// The sequence of a description.
    ///
    /// # Errors
    /// When there is no pair of hosts to draw, the bounds are crossed, or the sequence would be endless.
    pub fn new(background: &Background) -> Result<Mice, WorkloadError> {
        let settings = &background.settings;
        let hosts: Vec<HostId> = background.senders.iter().map(|sender| sender.host).collect();
        let mice = Mice {
            racks: hosts.iter().map(|host| background.racks[host.index()]).collect(),
            cross_rack: settings.flag("cross_rack"),
            minimum_packets: settings.count("minimum_packets") as u32,
            maximum_packets: settings.count("maximum_packets") as u32,
            packet: settings.size("packet"),
            n_messages: n_messages(settings)?,
            twister: Mt::new_with_key([settings.count("seed") as u32]),
            starts: Starts::new(settings),
            pending: vec![VecDeque::new(); hosts.len()],
            hosts,
        };
        mice.check()?;
        Ok(mice)
    }

    fn check(&self) -> Result<(), WorkloadError> {
        if self.minimum_packets > self.maximum_packets {
            return Err(wrong("has more `minimum_packets` than `maximum_packets`"));
        }
        let is_near = |rack: &u32| self.cross_rack && *rack == self.racks[0];
        if self.hosts.len() < 2 || self.racks.iter().all(is_near) {
            return Err(nowhere(self.cross_rack && self.hosts.len() > 1));
        }
        Ok(())
    }

    /// The next message of the sequence, with its sender.
    fn draw(&mut self) -> Option<(usize, Arrival)> {
        let at = self.starts.next()?;
        let n_hosts = self.hosts.len() as u32;
        let from = below(&mut self.twister, n_hosts) as usize;
        let mut to = below(&mut self.twister, n_hosts) as usize;
        while self.is_too_near(from, to) {
            to = below(&mut self.twister, n_hosts) as usize;
        }
        let range = self.maximum_packets - self.minimum_packets + 1;
        let n_packets = self.minimum_packets + below(&mut self.twister, range);
        let size = Bytes(u64::from(n_packets) * self.packet.0);
        Some((from, Arrival { at, to: self.hosts[to], size }))
    }

    fn is_too_near(&self, from: usize, to: usize) -> bool {
        if self.cross_rack { self.racks[from] == self.racks[to] } else { from == to }
    }
}

impl Arrivals for Mice {
    fn next(&mut self, sender: usize) -> Option<Arrival> {
        loop {
            if let Some(arrival) = self.pending[sender].pop_front() {
                return Some(arrival);
            }
            let (from, arrival) = self.draw()?;
            self.pending[from].push_back(arrival);
        }
    }

    fn bound(&self) -> Bound {
        let largest = u64::from(self.maximum_packets).saturating_mul(self.packet.0);
        let bytes = u128::from(self.n_messages) * u128::from(largest);
        Bound { messages: self.n_messages, bytes, largest: Bytes(largest) }
    }
}

/// An upper bound on the number of messages; the rounding errors of the sequence may add one to the number that follows
/// from the interval.
fn n_messages(settings: &Settings) -> Result<u64, WorkloadError> {
    let span = settings.duration("end").0.saturating_sub(settings.duration("start").0);
    let whole = span.checked_div(settings.duration("interval").0);
    Ok(whole.ok_or_else(|| wrong("has no end: its `interval` is zero"))? + 2)
}

/// When the messages start.
#[derive(Debug, Clone)]
pub struct Starts {
    now: f64,
    end: f64,
    interval: f64,
}

impl Starts {
    /// The instants of the sequence with these settings.
    pub fn new(settings: &Settings) -> Starts {
        let [now, end, interval] = ["start", "end", "interval"].map(|name| seconds(settings.duration(name)));
        Starts { now, end, interval }
    }
}

impl Iterator for Starts {
    type Item = Time;

    fn next(&mut self) -> Option<Time> {
        if self.now >= self.end {
            return None;
        }
        let at = Time((self.now * 1e12).round_ties_even() as u64);
        self.now += self.interval;
        Some(at)
    }
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
