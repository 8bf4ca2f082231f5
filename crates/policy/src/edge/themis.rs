//! # Idea
//! The fabric sprays packets by their sequence number, so the switch at the receiver knows which of them shared a path.
//! A NACK caused by a packet of another path than the missing one tells of reordering and is kept back.
//!
//! # Source
//! Themis, section 3.2 for the path (equation 1) and for what a shared path means (2 and 3), 3.3 for the ring and the
//! cause of a NACK, 3.4 for compensation. `race: scan` is ours; so is what happens when no cause is found. On a failure the
//! paper falls back to ECMP and leaves subsets of paths to later work; these, and what becomes of what is remembered, are
//! ours.
//!
//! # Parameters
//! `race`, `entries`, and for the paper's count of entries `round_trip` and `factor`; `failure`.
//!
//! # Invariants
//! State follows from the packets and NACKs of one queue pair, in the order in which the switch has them. Numbers have
//! 24 bits and wrap; they are compared as serial numbers. Every NACK is forwarded or kept back; the switch makes one of
//! its own only for a number that it kept back before, and at most once for each time.
//!
//! # When it misleads
//! It needs paths that keep the order of packets, NICs that send at most one NACK per expected number, and a ring that
//! reaches back as far as the last hop, with what waits for it. The last packets of a message have no later one on
//! their path: if one of them is lost and its NACK kept back, only a timeout helps. Numbers are whole here; switches
//! keep their lowest byte.

use std::num::NonZeroU32;

use netloom_units::{Bytes, Duration, Kind, Parameter, Rate, Settings, Spec, StateWriter, Value};

use super::memory::Setup;
use super::recent::Recent;

/// The specification.
pub static SPEC: Spec = Spec {
    name: "themis",
    summary: "packets are sprayed by number, and NACKs that only tell of reordering are kept back at the last switch",
    source: "Themis, section 3; `scan` is ours",
    parameters: &[
        Parameter {
            name: "race",
            kind: Kind::Choice(&["scan", "literal"]),
            default: Some(Value::Choice("scan")),
            meaning: "whether a kept back NACK looks at the packets that passed since its cause, or not, as the paper has it",
        },
        Parameter {
            name: "entries",
            kind: Kind::Optional(&Kind::Count { minimum: 1, maximum: 1 << 20 }),
            default: Some(Value::Absent),
            meaning: "packets of a queue pair that are remembered; `none` computes them",
        },
        Parameter {
            name: "round_trip",
            kind: Kind::Duration,
            default: Some(Value::Duration(Duration::from_micros(2))),
            meaning: "from a packet's enqueueing for the last hop to its NACK (with `entries: none`)",
        },
        Parameter {
            name: "factor",
            kind: Kind::Fraction { minimum: 1.0, maximum: 100.0 },
            default: Some(Value::Fraction(1.5)),
            meaning: "room beyond rate times `round_trip` (with `entries: none`)",
        },
        Parameter {
            name: "failure",
            kind: Kind::Choice(&["ecmp", "subset"]),
            default: Some(Value::Choice("ecmp")),
            meaning: "when a link between switches is reported failed: each flow keeps to one path and every NACK passes, as the paper has it, or packets are sprayed over the paths that are left",
        },
    ],
};

/// Sequence numbers have 24 bits.
const MASK: u32 = (1 << 24) - 1;

/// Whether `psn` comes after `other`, as serial numbers modulo 2^24 do.
#[inline]
fn is_after(psn: u32, other: u32) -> bool {
    let ahead = psn.wrapping_sub(other) & MASK;
    ahead != 0 && ahead < 1 << 23
}

/// How a NACK that was kept back treats packets that have passed since its cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Race {
    /// They are looked through.
    Scan,
    /// They are not: the missing one is waited for though it may have passed.
    Literal,
}

/// What happens when a link between switches is reported failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// Flows keep to one path each, and nothing is kept back, until all links work again.
    Ecmp,
    /// Packets are sprayed over the paths that are left between two switches, and judged by their number.
    Subset,
}

/// What happens to a NACK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// It goes on to the sender.
    Forward,
    /// It is kept back.
    Block,
}

/// A NACK that the switch sends to the sender itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compensation {
    /// The expected number that it carries.
    pub psn: u32,
}

/// The parameters that the queue pairs of a switch share.
#[derive(Debug, Clone)]
pub struct Themis {
    n_paths: u32,
    capacity: u32,
    race: Race,
    failure: Failure,
}

/// How often something happened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// NACKs that went on.
    pub forwarded: u64,
    /// Of these, the ones whose cause was not found.
    pub unexplained: u64,
    /// NACKs that were kept back.
    pub blocked: u64,
    /// NACKs that the switch made.
    pub compensated: u64,
}

/// What the switch remembers of one queue pair that ends at one of its hosts.
#[derive(Debug, Clone, Default)]
pub struct QueuePair {
    /// Numbers in the order in which they were enqueued for the last hop; grows to the capacity as it is used.
    ring: Recent,
    /// The number whose NACK was kept back, while it may be lost (`BePSN` while `Valid`).
    awaited: Option<u32>,
    /// Paths that are left to it after failures; none if that is all there are.
    n_left: Option<NonZeroU32>,
    counters: Counters,
}

impl Themis {
    /// The filter before hosts of this rate, for packets of this size on the wire.
    pub fn new(settings: &Settings, n_paths: u32, rate: Rate, packet: Bytes) -> Themis {
        let computed = || {
            let factor_thousandths = (settings.fraction("factor") * 1000.0 + 0.5) as u64;
            let round_trip = settings.duration("round_trip");
            Setup { rate, round_trip, packet, factor_thousandths, ..Setup::default() }.entries()
        };
        let capacity = match settings.optional("entries") {
            Some(Value::Count(entries)) => entries,
            _ => computed(),
        };
        let race = if settings.choice("race") == "literal" { Race::Literal } else { Race::Scan };
        let failure = Failure::of(settings);
        Themis { n_paths: n_paths.max(1), capacity: capacity.clamp(1, 1 << 31) as u32, race, failure }
    }

    /// Paths between two switches while none has failed.
    pub fn n_paths(&self) -> u32 {
        self.n_paths
    }

    /// What happens when a link between switches is reported failed.
    pub fn failure(&self) -> Failure {
        self.failure
    }

    /// How many packets of a queue pair are remembered.
    pub fn entries(&self) -> u32 {
        self.capacity
    }

    /// The path of a packet (equation 1), where the path of number 0 is `base`.
    #[inline]
    pub fn path(&self, psn: u32, base: u32) -> u32 {
        (psn % self.n_paths + base % self.n_paths) % self.n_paths
    }

    /// Whether two packets of a queue pair share a path (equation 3).
    #[inline]
    fn same_path(&self, of: &QueuePair, psn: u32, other: u32) -> bool {
        let n_paths = of.n_left.map_or(self.n_paths, NonZeroU32::get);
        psn % n_paths == other % n_paths
    }

    /// A data packet is about to be enqueued for the last hop.
    ///
    /// The answer is a NACK to send, if this packet shows that the awaited one is lost.
    #[inline(always)]
    pub fn on_data(&self, of: &mut QueuePair, psn: u32) -> Option<Compensation> {
        of.ring.push(psn, self.capacity);
        let awaited = of.awaited?;
        if psn == awaited {
            of.awaited = None;
            return None;
        }
        if !is_after(psn, awaited) || !self.same_path(of, psn, awaited) {
            return None;
        }
        of.awaited = None;
        of.counters.compensated += 1;
        Some(Compensation { psn: awaited })
    }

    /// A data packet is about to be enqueued for the last hop while nothing is judged: a number that is still awaited is
    /// told, as nobody can know any more whether it is lost.
    pub fn on_data_unjudged(&self, of: &mut QueuePair, psn: u32) -> Option<Compensation> {
        let awaited = of.awaited.filter(|&awaited| psn == awaited || is_after(psn, awaited))?;
        of.awaited = None;
        if psn == awaited {
            return None;
        }
        of.counters.compensated += 1;
        Some(Compensation { psn: awaited })
    }

    /// A NACK for `expected` comes back from the host.
    pub fn on_nack(&self, of: &mut QueuePair, expected: u32) -> Filter {
        let answer = match of.pop_cause(expected) {
            Some(cause) if self.same_path(of, cause, expected) => Filter::Forward,
            Some(_) => self.on_reordered(of, expected),
            None => {
                of.counters.unexplained += 1;
                Filter::Forward
            }
        };
        match answer {
            Filter::Forward => of.counters.forwarded += 1,
            Filter::Block => of.counters.blocked += 1,
        }
        answer
    }

    /// The cause took another path: the NACK is kept back, unless a later packet already shows that it is right.
    fn on_reordered(&self, of: &mut QueuePair, expected: u32) -> Filter {
        if self.race == Race::Literal {
            of.awaited = Some(expected);
            return Filter::Block;
        }
        // A host that expects this number has all below, the one awaited until now among them.
        of.awaited = None;
        let tells =
            |&psn: &u32| psn == expected || (is_after(psn, expected) && self.same_path(of, psn, expected));
        match of.ring.iter().find(tells) {
            Some(psn) if psn == expected => Filter::Block,
            Some(_) => Filter::Forward,
            None => {
                of.awaited = Some(expected);
                Filter::Block
            }
        }
    }
}

impl Failure {
    /// As the parameter says.
    pub fn of(settings: &Settings) -> Failure {
        if settings.choice("failure") == "subset" { Failure::Subset } else { Failure::Ecmp }
    }
}

impl QueuePair {
    /// Forgets everything; memory is kept.
    pub fn clear(&mut self) {
        self.ring.clear();
        (self.awaited, self.n_left, self.counters) = (None, None, Counters::default());
    }

    /// Nothing remembered says any more which packets shared a path.
    pub fn forget_packets(&mut self) {
        self.ring.clear();
    }

    /// From now on packets share a path if their numbers agree modulo so many; `None` is the switch's own number.
    pub fn leave_paths(&mut self, n_left: Option<NonZeroU32>) {
        if self.n_left != n_left {
            self.n_left = n_left;
            self.forget_packets();
        }
    }

    /// How often what happened.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// The first remembered number after `expected`; it and all before it are forgotten.
    fn pop_cause(&mut self, expected: u32) -> Option<u32> {
        while let Some(psn) = self.ring.pop() {
            if is_after(psn, expected) {
                return Some(psn);
            }
        }
        None
    }

    /// Writes the state that later answers depend on.
    pub fn write_state(&self, out: &mut StateWriter) {
        out.word(self.awaited.map_or(u64::MAX, u64::from));
        if let Some(n_left) = self.n_left {
            out.word(u64::from(n_left.get()) << 32);
        }
        out.word(u64::from(self.ring.len()));
        for psn in self.ring.iter() {
            out.word(u64::from(psn));
        }
    }
}

#[cfg(test)]
mod tests;
