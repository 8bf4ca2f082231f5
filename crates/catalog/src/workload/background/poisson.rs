//! # Idea
//! Every host starts messages independently: gaps are exponential, sizes follow a distribution, receivers are drawn
//! uniformly, from all hosts or from the next group. It is the load under which transports and load balancing are
//! usually compared.
//!
//! # Source
//! The traffic generator of HPCC (Li et al., SIGCOMM 2019), also that of ConWeave (Song et al., SIGCOMM 2023). Three
//! differences: a host's last message before the end is kept, sizes are rounded to the nearest byte and not down, and
//! instants are picoseconds and not nanoseconds.
//!
//! # Parameters
//! The load, first and last instant, the sizes, whether a message must leave its leaf, its possible receivers.
//!
//! # Invariants
//! The mean gap of a host is mean size / (load x rate of all its NIC ports together), so a host has the requested load
//! whatever its NIC. The first message comes one gap after the start: a Poisson process has no message at its origin.
//! Gaps, sizes and receivers are three random streams per host: no host changes what another one does, and another load
//! changes the instants only. Instants are rounded to the nearest picosecond.
//!
//! # When it misleads
//! Senders are open loop: a slow network does not reduce the offered load, and above the capacity of the fabric queues
//! grow as long as it lasts. The network starts empty, so the first messages are faster than those of a network under
//! load. Large messages are rare: a short run may be far from its load, which is right only on average.

use netloom_model::{Background, Sender};
use netloom_units::{Duration, HostId, Kind, Parameter, Random, Settings, Spec, Time, Value};

use super::sizes::Sizes;
use super::{Arrival, Arrivals, Bound, nowhere, wrong};
use crate::workload::error::WorkloadError;

/// The specification.
pub static SPEC: Spec = Spec {
    name: "poisson",
    summary: "Poisson arrivals: every host starts messages with exponential gaps and random sizes from a \
              distribution",
    source: "Li et al. 2019 (HPCC), its traffic generator",
    parameters: &[
        Parameter {
            name: "load",
            kind: Kind::Fraction { minimum: 0.0, maximum: 1.0 },
            default: None,
            meaning: "offered load, as a share of the rate of all NIC ports of the sending host",
        },
        Parameter {
            name: "sizes",
            kind: Kind::Choice(&["websearch", "alistorage", "solar", "given"]),
            default: Some(Value::Choice("websearch")),
            meaning: "distribution of sizes: a published one, or the points listed under `given`",
        },
        Parameter {
            name: "start",
            kind: Kind::Duration,
            default: Some(Value::Duration(Duration::ZERO)),
            meaning: "when the process begins; a host's first message comes one gap later",
        },
        Parameter {
            name: "end",
            kind: Kind::Duration,
            default: None,
            meaning: "no message starts at this instant or later",
        },
        Parameter {
            name: "cross_rack",
            kind: Kind::Flag,
            default: Some(Value::Flag(false)),
            meaning: "whether the receiver must be below another leaf than the sender",
        },
        Parameter {
            name: "to",
            kind: Kind::Choice(&["any", "next_group"]),
            default: Some(Value::Choice("any")),
            meaning: "receivers of a host: any other host, or the hosts of the next group of a fabric of \
                      groups (after the last group the first)",
        },
    ],
};

/// Purposes of the random streams.
const GAPS: u64 = 0x7067_6170_7300;
const SIZES: u64 = 0x7073_697a_6573;
const RECEIVERS: u64 = 0x7074_6f77_6172;

/// The processes of all senders.
#[derive(Debug)]
pub struct Poisson {
    processes: Vec<Process>,
    receivers: Receivers,
    sizes: Sizes,
    start: u64,
    end: u64,
}

/// The messages of one host.
#[derive(Debug)]
struct Process {
    host: HostId,
    /// Start of the last message generated, in ps.
    now: u64,
    /// In ps; infinite for a load of zero.
    mean_gap: f64,
    gaps: Random,
    sizes: Random,
    receivers: Random,
}

impl Poisson {
    /// The processes of a description under the run's seed.
    ///
    /// # Errors
    /// When the sizes are no distribution, or a sender has no receiver.
    pub fn new(background: &Background, seed: u64) -> Result<Poisson, WorkloadError> {
        let settings = &background.settings;
        let sizes = Sizes::new(&background.sizes)?;
        let (start, end) = (settings.duration("start").0, settings.duration("end").0);
        let receivers = match settings.choice("to") {
            "next_group" => Receivers::NextGroup(NextGroup::new(&background.groups)?),
            _ => Receivers::Any(Any::new(&background.racks, settings.flag("cross_rack"))),
        };
        if background.senders.iter().any(|sender| receivers.of(sender.host) == 0) {
            return Err(nowhere(settings.flag("cross_rack") && background.racks.len() > 1));
        }
        let process = |sender: &Sender| {
            let stream = |purpose| Random::stream(seed, purpose, u64::from(sender.host.0));
            Process {
                host: sender.host,
                now: start,
                mean_gap: mean_gap(settings, &sizes, sender.capacity.0),
                gaps: stream(GAPS),
                sizes: stream(SIZES),
                receivers: stream(RECEIVERS),
            }
        };
        let processes = background.senders.iter().map(process).collect();
        Ok(Poisson { processes, receivers, sizes, start, end })
    }
}

/// Mean time between two messages of a host, in ps.
fn mean_gap(settings: &Settings, sizes: &Sizes, capacity: u64) -> f64 {
    let bits_ps = sizes.mean() * 8e12;
    bits_ps / (settings.fraction("load") * capacity as f64)
}

impl Process {
    /// The next gap in ps. The pinned `libm` has the same logarithm on every processor.
    fn gap(&mut self) -> u64 {
        let exponential = -libm::log(1.0 - self.gaps.unit());
        (exponential * self.mean_gap).round() as u64
    }
}

impl Arrivals for Poisson {
    fn next(&mut self, sender: usize) -> Option<Arrival> {
        let process = &mut self.processes[sender];
        if process.now >= self.end {
            return None;
        }
        process.now = process.now.saturating_add(process.gap());
        if process.now >= self.end {
            return None;
        }
        let size = self.sizes.draw(&mut process.sizes);
        let to = self.receivers.draw(process.host, &mut process.receivers);
        Some(Arrival { at: Time(process.now), to, size })
    }

    /// Twice the expectation and 64 messages more, the largest ones where bytes count: by Bernstein's inequality the
    /// probability of more is below e^-70.
    fn bound(&self) -> Bound {
        const MORE: u64 = 64;
        let span = self.end.saturating_sub(self.start) as f64;
        let expected: f64 = self.processes.iter().map(|process| span / process.mean_gap).sum();
        let largest = self.sizes.largest();
        Bound {
            messages: ((2.0 * expected).ceil() as u64).saturating_add(MORE),
            bytes: ((2.0 * expected * self.sizes.mean()).ceil() as u128)
                .saturating_add(u128::from(MORE) * u128::from(largest.0)),
            largest,
        }
    }
}

/// The possible receivers of a host.
#[derive(Debug)]
enum Receivers {
    Any(Any),
    NextGroup(NextGroup),
}

impl Receivers {
    /// Number of receivers of a host.
    fn of(&self, sender: HostId) -> u32 {
        match self {
            Receivers::Any(any) => any.of(sender),
            Receivers::NextGroup(next) => next.of(sender).len() as u32,
        }
    }

    fn draw(&self, sender: HostId, random: &mut Random) -> HostId {
        let position = random.below(self.of(sender));
        match self {
            Receivers::Any(any) => any.at(sender, position),
            Receivers::NextGroup(next) => next.of(sender)[position as usize],
        }
    }
}

/// Hosts of the next group.
#[derive(Debug)]
struct NextGroup {
    /// The hosts of each group.
    hosts: Vec<Vec<HostId>>,
    of_host: Vec<u32>,
}

impl NextGroup {
    fn new(groups: &[u32]) -> Result<NextGroup, WorkloadError> {
        let n_groups = groups.iter().max().map_or(0, |&last| last as usize + 1);
        if n_groups < 2 {
            return Err(wrong("has no receivers: `to: next_group` requires a fabric of groups"));
        }
        let mut hosts = vec![Vec::new(); n_groups];
        for (host, &group) in (0..).map(HostId).zip(groups) {
            hosts[group as usize].push(host);
        }
        Ok(NextGroup { hosts, of_host: groups.to_vec() })
    }

    fn of(&self, sender: HostId) -> &[HostId] {
        &self.hosts[(self.of_host[sender.index()] as usize + 1) % self.hosts.len()]
    }
}

/// All hosts except some.
#[derive(Debug)]
struct Any {
    /// All hosts, rack by rack.
    hosts: Vec<HostId>,
    /// The hosts excluded for each host: the indices `start..end` in `hosts`.
    near: Vec<(u32, u32)>,
}

impl Any {
    /// All hosts except the sender, or except those of its rack.
    fn new(racks: &[u32], cross_rack: bool) -> Any {
        let rack_of = |host: &HostId| if cross_rack { racks[host.index()] } else { host.0 };
        let mut hosts: Vec<HostId> = (0..racks.len() as u32).map(HostId).collect();
        hosts.sort_by_key(rack_of);
        let mut near = vec![(0, 0); hosts.len()];
        let mut start = 0;
        for rack in hosts.chunk_by(|left, right| rack_of(left) == rack_of(right)) {
            let end = start + rack.len() as u32;
            for host in rack {
                near[host.index()] = (start, end);
            }
            start = end;
        }
        Any { hosts, near }
    }

    /// Number of receivers of a host.
    fn of(&self, sender: HostId) -> u32 {
        let (start, end) = self.near[sender.index()];
        self.hosts.len() as u32 - (end - start)
    }

    fn at(&self, sender: HostId, position: u32) -> HostId {
        let (start, end) = self.near[sender.index()];
        self.hosts[if position < start { position } else { position + (end - start) } as usize]
    }
}
