//! # Idea
//! The fabric sprays packets by their sequence number, so the switch at the receiver knows which of them shared a path.
//! A NACK caused by a packet of another path than the missing one indicates reordering only and is suppressed.
//!
//! # Source
//! Themis, section 3.2 for the path (equation 1) and for what a shared path means (2 and 3), 3.3 for the ring and the
//! cause of a NACK, 3.4 for compensation. `race: scan` is a modelling assumption, including its model of the last hop;
//! so is the action if no cause is found. On a failure the paper falls back to ECMP and leaves subsets of paths to
//! later work; these, and what happens to the ring, are modelling assumptions, too.
//!
//! # Parameters
//! `race`, `entries`, and for the paper's number of entries `round_trip` and `factor`; `failure`.
//!
//! # Invariants
//! State follows from the packets and NACKs of one queue pair, in the order in which the switch receives them. Numbers
//! have 24 bits and wrap; they are compared as serial numbers. Every NACK is forwarded or suppressed; the switch
//! generates one only for a number that a host has sent a NACK for, at most once each time that the packet has passed
//! or is awaited. Without loss `scan` forwards and generates none, as long as hosts respond within the last hop's round
//! trip and the ring is long enough.
//!
//! # When it misleads
//! It needs paths that keep the order of packets, NICs that send at most one NACK per expected number, and a ring that
//! covers the packets in flight and queued on the last hop. The last packets of a queue pair have no later one on their
//! path, or none after the round trip of the last hop: if one of them is lost and its NACK suppressed, only a timeout
//! recovers it. Sequence numbers are stored whole here; switches store their lowest byte.

use std::num::NonZeroU32;

use netloom_units::{Bytes, Duration, Kind, Parameter, Rate, Settings, Spec, StateWriter, Value};

use super::memory::Setup;
use super::recent::{Entry, Recent};

mod hole;

use hole::ExpectedPsn;

/// The specification.
pub static SPEC: Spec = Spec {
    name: "themis",
    summary: "packets are sprayed by sequence number; the switch at the receiver suppresses NACKs that only \
              indicate reordering",
    source: "Themis, section 3; `scan`: modelling assumption",
    parameters: &[
        Parameter {
            name: "race",
            kind: Kind::Choice(&["scan", "literal"]),
            default: Some(Value::Choice("scan")),
            meaning: "whether packets that passed since the cause of a NACK are searched for the missing \
                      one (`scan`), or not, as in the paper (`literal`)",
        },
        Parameter {
            name: "entries",
            kind: Kind::Optional(&Kind::Count { minimum: 1, maximum: 1 << 20 }),
            default: Some(Value::Absent),
            meaning: "number of packets of a queue pair that the switch keeps; `none`: computed from \
                      `round_trip`",
        },
        Parameter {
            name: "round_trip",
            kind: Kind::Optional(&Kind::Duration),
            default: Some(Value::Absent),
            meaning: "time from the enqueueing of a packet for the last hop to its NACK (with `entries: \
                      none`); `none`: that of the last hop, queueing included",
        },
        Parameter {
            name: "factor",
            kind: Kind::Fraction { minimum: 1.0, maximum: 100.0 },
            default: Some(Value::Fraction(1.5)),
            meaning: "safety factor on rate times `round_trip`, if `entries` is `none`",
        },
        Parameter {
            name: "failure",
            kind: Kind::Choice(&["ecmp", "subset"]),
            default: Some(Value::Choice("ecmp")),
            meaning: "when a link between switches is reported failed: each flow keeps to one path and no \
                      NACK is suppressed, as in the paper (`ecmp`), or packets are sprayed over the \
                      remaining paths (`subset`)",
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

/// How the handling of a suppressed NACK treats packets that have passed since its cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Race {
    /// They are searched for the missing packet.
    Scan,
    /// They are not: the switch awaits the missing packet although it may have passed.
    Literal,
}

/// What happens when a link between switches is reported failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// Flows keep to one path each, and nothing is suppressed, until all links are up again.
    Ecmp,
    /// Packets are sprayed over the remaining paths between two switches; whether two share a path follows from their
    /// numbers.
    Subset,
}

/// The decision about a NACK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// It is forwarded to the sender.
    Forward,
    /// It is suppressed.
    Block,
}

/// A NACK that the switch itself sends to the sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compensation {
    /// The expected sequence number that it carries.
    pub psn: u32,
}

/// Bytes of data on the last hop are counted in units of this size: 32 bits of them are 256 GiB.
pub const UNIT: u64 = 64;

/// Converts a number of bytes enqueued, or sent, to the unit of rings.
#[inline(always)]
pub fn units(bytes: u64) -> u32 {
    (bytes / UNIT) as u32
}

/// The links from a switch to its hosts, and the response time of hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastHop {
    /// The rate.
    pub rate: Rate,
    /// The largest packet on the wire.
    pub packet: Bytes,
    /// The longest time from a packet's last bit on this link to the end of its ACK or NACK at the switch.
    pub response: Duration,
    /// Number of packets after which a host must send an ACK.
    pub coalesce: u32,
}

/// The parameters that the queue pairs of a switch share.
#[derive(Debug, Clone)]
pub struct Themis {
    n_paths: u32,
    capacity: u32,
    race: Race,
    failure: Failure,
    /// Data that the last hop carries until the response to a packet that was sent is known, in units.
    response: u32,
    coalesce: u32,
}

/// Event counters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// NACKs that were forwarded.
    pub forwarded: u64,
    /// Of these, NACKs whose cause was not found.
    pub unexplained: u64,
    /// NACKs that were suppressed.
    pub blocked: u64,
    /// NACKs that the switch generated.
    pub compensated: u64,
    /// Ring entries overwritten while a NACK that they cause could still arrive.
    pub overwritten: u64,
}

/// The state that the switch keeps for one queue pair that ends at one of its hosts.
#[derive(Debug, Clone, Default)]
pub struct QueuePair {
    /// Numbers in the order in which they were enqueued for the last hop; grows up to the capacity.
    ring: Recent,
    /// The number for which the host has sent its last NACK, and its state.
    hole: ExpectedPsn,
    /// Number of remaining paths after failures; `None` while all are up.
    n_left: Option<NonZeroU32>,
    counters: Counters,
}

/// Capacity of a ring if no parameter gives it.
const LONGEST: u64 = 1 << 20;

impl Themis {
    /// The filter of a switch for its hosts.
    pub fn new(settings: &Settings, n_paths: u32, last_hop: &LastHop) -> Themis {
        let race = if settings.choice("race") == "literal" { Race::Literal } else { Race::Scan };
        let given = match settings.optional("round_trip") {
            Some(Value::Duration(round_trip)) => Some(round_trip),
            _ => None,
        };
        let carried = |round_trip: Duration, packet: Bytes| {
            let factor_thousandths = (settings.fraction("factor") * 1000.0 + 0.5) as u64;
            Setup { rate: last_hop.rate, round_trip, packet, factor_thousandths, ..Setup::default() }
                .entries()
        };
        let capacity = match (settings.optional("entries"), given) {
            (Some(Value::Count(entries)), _) => entries,
            (_, Some(round_trip)) => carried(round_trip, last_hop.packet),
            // The paper's ring has a fixed length; one that removes answered packets needs none.
            _ if race == Race::Literal => carried(last_hop.response, last_hop.packet),
            _ => LONGEST,
        };
        let longest = last_hop.response.max(given.unwrap_or(Duration::ZERO));
        Themis {
            n_paths: n_paths.max(1),
            capacity: capacity.clamp(1, 1 << 31) as u32,
            race,
            failure: Failure::of(settings),
            // One more: both ends of the counted span are rounded down.
            response: carried(longest, Bytes(UNIT)).saturating_add(1).min(1 << 30) as u32,
            coalesce: last_hop.coalesce.max(1),
        }
    }

    /// Number of paths between two switches without failures.
    pub fn n_paths(&self) -> u32 {
        self.n_paths
    }

    /// What happens when a link between switches is reported failed.
    pub fn failure(&self) -> Failure {
        self.failure
    }

    /// Largest number of packets of a queue pair that are kept.
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

    /// While a queue pair has fewer entries than this, [`QueuePair::remember`] suffices for the next packet, if nothing
    /// else happens before.
    pub fn limit(&self, of: &QueuePair) -> u32 {
        if of.hole == ExpectedPsn::None { self.capacity.min(of.ring.n_slots() as u32) } else { 0 }
    }

    /// A data packet is about to be enqueued for the last hop; the data enqueued there ends with it at `end`, and of
    /// that `left` has been sent (both in [`UNIT`]s, modulo 2^32).
    ///
    /// Returns a NACK to send, if this packet shows that the packet which the host waits for is lost.
    pub fn on_data(&self, of: &mut QueuePair, psn: u32, end: u32, left: u32) -> Option<Compensation> {
        if of.ring.room(self.capacity) == 0 {
            self.make_room(of, left);
        }
        of.ring.push(Entry { psn, end });
        self.on_data_with_hole(of, Entry { psn, end }, true, left)
    }

    /// A data packet is about to be enqueued for the last hop while NACKs are not checked: a number that is still
    /// awaited is reported to the sender, as its loss can no longer be detected.
    pub fn on_data_unjudged(
        &self,
        of: &mut QueuePair,
        psn: u32,
        end: u32,
        left: u32,
    ) -> Option<Compensation> {
        self.on_data_with_hole(of, Entry { psn, end }, false, left)
    }

    /// The last packet passed to [`Themis::on_data`] was not enqueued.
    pub fn undo(&self, of: &mut QueuePair, psn: u32) {
        of.ring.pop_newest(psn);
        of.hole.undo(psn);
    }

    /// The host has sent an ACK or NACK, and has everything below `expected`.
    pub fn on_response(&self, of: &mut QueuePair, expected: u32) {
        // The paper's switch ignores ACKs.
        if self.race == Race::Scan {
            of.hole.be_responded_to(expected);
        }
    }

    /// The host sends a NACK for `expected`; of the data enqueued `left` has been sent.
    pub fn on_nack(&self, of: &mut QueuePair, expected: u32, left: u32) -> Filter {
        let response = match self.race {
            Race::Literal => self.judge_by_letter(of, expected),
            Race::Scan => self.classify(of, expected, left),
        };
        match response {
            Filter::Forward => of.counters.forwarded += 1,
            Filter::Block => of.counters.blocked += 1,
        }
        response
    }

    /// The rule of the paper.
    fn judge_by_letter(&self, of: &mut QueuePair, expected: u32) -> Filter {
        while let Some(Entry { psn, .. }) = of.ring.pop() {
            if !is_after(psn, expected) {
                continue;
            }
            if self.same_path(of, psn, expected) {
                return Filter::Forward;
            }
            of.hole = ExpectedPsn::Awaited(expected);
            return Filter::Block;
        }
        of.counters.unexplained += 1;
        Filter::Forward
    }

    /// The rule of `scan`: the packets before and after the cause show where the missing packet is.
    fn classify(&self, of: &mut QueuePair, expected: u32, left: u32) -> Filter {
        self.retire(of, left);
        let found = PassedPacket::around(&of.ring, expected);
        let proof = |psn: u32| is_after(psn, expected) && self.same_path(of, psn, expected);
        let Some(cause) = found.cause else {
            of.hole = ExpectedPsn::Reported(expected);
            of.counters.unexplained += 1;
            return Filter::Forward;
        };
        let since = || of.ring.iter().skip(cause as usize + 1);
        let (hole, response) = if let Some(at) = since().position(|entry| entry.psn == expected) {
            // It is on the last hop, or is lost there: the host's next response shows which.
            let behind = since().skip(at).map(|entry| entry.end);
            (self.delivered(expected, behind), Filter::Block)
        } else if found.is_before || of.ring.iter().skip(cause as usize).any(|entry| proof(entry.psn)) {
            (ExpectedPsn::Reported(expected), Filter::Forward)
        } else {
            (ExpectedPsn::Awaited(expected), Filter::Block)
        };
        of.hole = hole;
        of.ring.drop_first(cause + 1);
        response
    }

    /// State of a number that has passed: the host must have responded when `coalesce` packets, this one included, have
    /// been sent and the response time has passed. `behind` are the ends of it and of the packets after it.
    fn delivered(&self, psn: u32, behind: impl Iterator<Item = u32>) -> ExpectedPsn {
        let mut missing = self.coalesce;
        for end in behind {
            missing -= 1;
            if missing == 0 {
                return ExpectedPsn::Passed { psn, missing, until: end.wrapping_add(self.response) };
            }
        }
        ExpectedPsn::Passed { psn, missing, until: 0 }
    }

    /// As [`Themis::on_data`], if the host waits for a number; `is_judged` is false if it is unknown which packets
    /// share a path.
    fn on_data_with_hole(
        &self,
        of: &mut QueuePair,
        Entry { psn, end }: Entry,
        is_judged: bool,
        left: u32,
    ) -> Option<Compensation> {
        let expected = of.hole.psn()?;
        if psn == expected {
            of.hole = match self.race {
                Race::Scan => self.delivered(psn, std::iter::once(end)),
                Race::Literal => ExpectedPsn::None,
            };
            return None;
        }
        let is_lost = match &mut of.hole {
            ExpectedPsn::None | ExpectedPsn::Reported(_) => false,
            ExpectedPsn::Awaited(_) => {
                is_after(psn, expected) && (!is_judged || self.same_path(of, psn, expected))
            }
            ExpectedPsn::Passed { missing: 0, until, .. } => has_left(*until, left),
            ExpectedPsn::Passed { missing, until, .. } => {
                *missing -= 1;
                *until = end.wrapping_add(self.response);
                false
            }
        };
        if !is_lost {
            return None;
        }
        of.hole = match self.race {
            Race::Scan => ExpectedPsn::Reported(expected),
            Race::Literal => ExpectedPsn::None,
        };
        of.counters.compensated += 1;
        Some(Compensation { psn: expected })
    }

    /// Removes the entries whose NACK would have arrived by now.
    fn retire(&self, of: &mut QueuePair, left: u32) {
        of.ring.drop_while(|entry| has_left(entry.end.wrapping_add(self.response), left));
    }

    /// Makes room for one more entry.
    fn make_room(&self, of: &mut QueuePair, left: u32) {
        if self.race == Race::Scan {
            self.retire(of, left);
        }
        // With half of it free, the next call comes only after a while.
        let n_slots = of.ring.n_slots();
        if n_slots < self.capacity as usize && of.ring.len() as usize * 2 >= n_slots {
            return of.ring.grow();
        }
        if of.ring.len() < self.capacity {
            return;
        }
        let oldest = of.ring.pop().expect("a ring has room for one at least");
        of.counters.overwritten += u64::from(!has_left(oldest.end.wrapping_add(self.response), left));
    }
}

/// Whether data that ends at `end` has been sent, when `left` has.
fn has_left(end: u32, left: u32) -> bool {
    left.wrapping_sub(end) < 1 << 31
}

/// Position of the cause of a NACK in a ring.
struct PassedPacket {
    /// Its index.
    cause: Option<u32>,
    /// Whether the expected number passed before it.
    is_before: bool,
}

impl PassedPacket {
    /// The host sent NACK(e) for the first packet after e that arrived when it had all below e: the first one in the
    /// ring after the last one below e. This is exact if no packet arrives twice.
    fn around(ring: &Recent, expected: u32) -> PassedPacket {
        let mut found = PassedPacket { cause: None, is_before: false };
        let mut has_passed = false;
        for (index, Entry { psn, .. }) in ring.iter().enumerate() {
            if psn == expected {
                has_passed = true;
            } else if is_after(expected, psn) {
                found.cause = None;
            } else if found.cause.is_none() {
                found = PassedPacket { cause: Some(index as u32), is_before: has_passed };
            }
        }
        found
    }
}

impl Failure {
    /// As the parameter says.
    pub fn of(settings: &Settings) -> Failure {
        if settings.choice("failure") == "subset" { Failure::Subset } else { Failure::Ecmp }
    }
}

impl QueuePair {
    /// The number of packets in the ring.
    #[inline(always)]
    pub fn n_remembered(&self) -> u32 {
        self.ring.len()
    }

    /// A data packet within [`Themis::limit`] is about to be enqueued for the last hop; the data enqueued there ends
    /// with it at `end`, in [`UNIT`]s.
    #[inline(always)]
    pub fn remember(&mut self, psn: u32, end: u32) {
        self.ring.push(Entry { psn, end });
    }

    /// Resets the state; memory is kept.
    pub fn clear(&mut self) {
        self.ring.clear();
        (self.hole, self.n_left, self.counters) = (ExpectedPsn::None, None, Counters::default());
    }

    /// Removes all packets: it is no longer known which ones shared a path.
    pub fn forget_packets(&mut self) {
        self.ring.clear();
    }

    /// From now on packets share a path if their numbers agree modulo `n_left`; `None` is the switch's own number of
    /// paths.
    pub fn leave_paths(&mut self, n_left: Option<NonZeroU32>) {
        if self.n_left != n_left {
            self.n_left = n_left;
            self.forget_packets();
        }
    }

    /// The event counters.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Whether the host waits for a number.
    #[inline(always)]
    pub fn has_hole(&self) -> bool {
        self.hole != ExpectedPsn::None
    }

    /// Writes the state that later answers depend on, when `enqueued` is enqueued for the last hop.
    pub fn write_state(&self, out: &mut StateWriter, enqueued: u32) {
        self.hole.write_state(out, enqueued);
        if let Some(n_left) = self.n_left {
            out.word(u64::from(n_left.get()) << 32);
        }
        out.word(u64::from(self.ring.len()));
        for Entry { psn, end } in self.ring.iter() {
            out.word(u64::from(psn) | u64::from(enqueued.wrapping_sub(end)) << 32);
        }
    }
}

#[cfg(test)]
mod tests;
