//! The plan of the MPI program: a few lines of text.
//!
//! Models: format 1 of `field/FORMATS.md`, as far as scenarios need it.
//! Leaves out: latency between pairs of ranks, which no scenario states.
//!
//! Invariants: equal plans are equal texts.

use std::fmt;

use netloom_records::Digest;
use serde::{Deserialize, Serialize};

/// Seconds from the deadline until the program is killed, if a plan does not state them.
pub(super) const GRACE_S: u64 = 30;
/// Nanoseconds in a second.
const NS_PER_S: u64 = 1_000_000_000;

/// The task of the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldPlan {
    /// Digest of the study.
    pub study: Digest,
    /// Seed of exponential bursts.
    pub seed: u64,
    /// The role of each rank.
    pub roles: Vec<Role>,
    /// What is measured.
    pub work: Work,
    /// Segments of the job, in order.
    pub segments: Vec<Segment>,
    /// Deadline of the whole program, in seconds.
    pub deadline_s: u64,
}

/// The role of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Its iterations are timed.
    Victim,
    /// It creates interfering traffic.
    Aggressor,
}

impl Role {
    /// Its name in the program.
    pub fn word(self) -> &'static str {
        match self {
            Role::Victim => "victim",
            Role::Aggressor => "aggressor",
        }
    }
}

/// What is measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// A collective, in isolation or beside an aggressor.
    Interference {
        /// The victim's collective.
        victim: SizedCollective,
        /// The aggressor's, if there is one.
        aggressor: Option<SizedCollective>,
        /// The burst pattern of the aggressor.
        bursts: Option<PlannedBursts>,
    },
    /// A collective in several sizes, one after the other.
    Latency {
        /// The collective.
        collective: String,
        /// Bytes of its vector.
        sizes: Vec<u64>,
    },
    /// Streams between pairs of ranks.
    Streams(Vec<Stream>),
}

/// A collective with its size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizedCollective {
    /// Its name in scenarios and in the program.
    pub collective: String,
    /// Bytes of the vector.
    pub bytes: u64,
}

/// The burst pattern of an aggressor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedBursts {
    /// Whether lengths and pauses are exponentially distributed.
    pub is_exponential: bool,
    /// Length of a burst, or its mean.
    pub length_ns: u64,
    /// Length of a pause, or its mean.
    pub pause_ns: u64,
}

/// A stream of messages from one rank to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream {
    /// Sending rank.
    pub from: u32,
    /// Receiving rank.
    pub to: u32,
    /// Start, since the segment's barrier.
    pub start_ns: u64,
    /// Stop, since the segment's barrier.
    pub stop_ns: u64,
    /// Bytes of a message.
    pub bytes: u64,
}

/// A part of the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// Whether the aggressor sends.
    pub is_congested: bool,
    /// Warm-up iterations, which do not count.
    pub warm_up: u32,
    /// Number of iterations that count.
    pub iterations: Iterations,
}

/// Number of iterations that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Iterations {
    /// A fixed number.
    Count(u32),
    /// As many as a precise mean needs.
    Precise {
        /// Half of the 95 % interval over the mean, in units of 1e-9.
        target_ppb: u64,
        /// Minimum number.
        at_least: u32,
        /// Maximum number.
        at_most: u32,
    },
}

impl Iterations {
    /// Minimum number that counts, unless the deadline is reached first.
    pub fn fewest(self) -> u32 {
        match self {
            Iterations::Count(n) => n,
            Iterations::Precise { at_least, .. } => at_least,
        }
    }

    /// Maximum number that counts.
    pub fn most(self) -> u32 {
        match self {
            Iterations::Count(n) => n,
            Iterations::Precise { at_most, .. } => at_most,
        }
    }
}

impl Segment {
    /// Its name in the program.
    pub fn name(self) -> &'static str {
        if self.is_congested { "congested" } else { "baseline" }
    }

    /// Maximum number of iterations, warm-up included.
    pub fn most(self) -> u64 {
        u64::from(self.warm_up) + u64::from(self.iterations.most())
    }

    /// Minimum number of iterations, warm-up included, unless the deadline is reached first.
    pub fn fewest(self) -> u64 {
        u64::from(self.warm_up) + u64::from(self.iterations.fewest())
    }
}

impl FieldPlan {
    /// Number of ranks.
    pub fn n_ranks(&self) -> usize {
        self.roles.len()
    }

    /// The ranks with a role, in order.
    pub fn ranks_of(&self, role: Role) -> Vec<u32> {
        (0..).zip(&self.roles).filter(|(_, own)| **own == role).map(|(rank, _)| rank).collect()
    }

    /// Sizes in the plan's order, as the program writes them; 0 for streams.
    pub fn sizes(&self) -> Vec<u64> {
        match &self.work {
            Work::Interference { victim, .. } => vec![victim.bytes],
            Work::Latency { sizes, .. } => sizes.clone(),
            Work::Streams(_) => vec![0],
        }
    }

    /// The streams, in the plan's order.
    pub fn streams(&self) -> &[Stream] {
        match &self.work {
            Work::Streams(streams) => streams,
            Work::Interference { .. } | Work::Latency { .. } => &[],
        }
    }

    /// The name of this distribution of roles, or the role of each rank.
    fn groups(&self) -> String {
        let n = self.roles.len();
        let has_rule = |is_victim: fn(usize, usize) -> bool| {
            let role = |rank| if is_victim(rank, n) { Role::Victim } else { Role::Aggressor };
            n.is_multiple_of(2) && (0..n).map(role).eq(self.roles.iter().copied())
        };
        if has_rule(|rank, _| rank % 2 == 0) {
            return "interleaved".to_owned();
        }
        if has_rule(|rank, n| rank < n / 2) {
            return "contiguous".to_owned();
        }
        let letters = self.roles.iter().map(|role| if *role == Role::Victim { " v" } else { " a" });
        "listed".to_owned() + &letters.collect::<String>()
    }
}

impl fmt::Display for SizedCollective {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.collective, self.bytes)
    }
}

impl fmt::Display for Work {
    /// The measurement, as in the line `victim` of a plan.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Work::Interference { victim, .. } => victim.fmt(formatter),
            Work::Latency { collective, sizes } => {
                write!(formatter, "latency {collective}")?;
                sizes.iter().try_for_each(|size| write!(formatter, " {size}"))
            }
            Work::Streams(_) => formatter.write_str("pair_streams"),
        }
    }
}

impl fmt::Display for PlannedBursts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_exponential { "exponential" } else { "regular" };
        write!(formatter, "{kind} {} {}", self.length_ns, self.pause_ns)
    }
}

impl fmt::Display for Stream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stream { from, to, start_ns, stop_ns, bytes } = self;
        write!(formatter, "stream {from} {to} {} {} {bytes}", decimal(*start_ns), decimal(*stop_ns))
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "segment {} {} ", self.name(), self.warm_up)?;
        match self.iterations {
            Iterations::Count(n) => write!(formatter, "{n}"),
            Iterations::Precise { target_ppb, at_least, at_most } => {
                write!(formatter, "precision {} {at_least} {at_most}", decimal(target_ppb))
            }
        }
    }
}

impl fmt::Display for FieldPlan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (aggressor, bursts) = match &self.work {
            Work::Interference { aggressor, bursts, .. } => (aggressor.as_ref(), bursts.as_ref()),
            Work::Latency { .. } | Work::Streams(_) => (None, None),
        };
        writeln!(formatter, "netloom-field plan 1")?;
        writeln!(formatter, "study {}", self.study)?;
        writeln!(formatter, "seed {}", self.seed)?;
        writeln!(formatter, "groups {}", self.groups())?;
        writeln!(formatter, "victim {}", self.work)?;
        writeln!(formatter, "aggressor {}", aggressor.map_or("none".to_owned(), ToString::to_string))?;
        writeln!(formatter, "size_of vector")?;
        writeln!(formatter, "bursts {}", bursts.map_or("steady".to_owned(), ToString::to_string))?;
        self.segments.iter().try_for_each(|segment| writeln!(formatter, "{segment}"))?;
        self.streams().iter().try_for_each(|stream| writeln!(formatter, "{stream}"))?;
        writeln!(formatter, "deadline_s {}", self.deadline_s)
    }
}

/// Billionths as a decimal number, exactly.
fn decimal(billionths: u64) -> String {
    let (whole, rest) = (billionths / NS_PER_S, billionths % NS_PER_S);
    if rest == 0 {
        return whole.to_string();
    }
    format!("{whole}.{rest:09}").trim_end_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(roles: &str) -> FieldPlan {
        let role = |letter| if letter == 'v' { Role::Victim } else { Role::Aggressor };
        let segment = |is_congested| Segment { is_congested, warm_up: 10, iterations: Iterations::Count(90) };
        let collective =
            |collective: &str, bytes| SizedCollective { collective: collective.to_owned(), bytes };
        FieldPlan {
            study: Digest::of(b"study"),
            seed: 3,
            roles: roles.chars().map(role).collect(),
            work: Work::Interference {
                victim: collective("ring_all_gather", 2_097_152),
                aggressor: Some(collective("incast", 4096)),
                bursts: Some(PlannedBursts { is_exponential: true, length_ns: 1_000, pause_ns: 5 }),
            },
            segments: [false, true, false].map(segment).to_vec(),
            deadline_s: 60,
        }
    }

    #[test]
    fn a_plan_is_written_line_by_line() {
        let study = Digest::of(b"study");
        let lines = format!(
            "netloom-field plan 1\nstudy {study}\nseed 3\ngroups interleaved\nvictim ring_all_gather 2097152\n\
             aggressor incast 4096\nsize_of vector\nbursts exponential 1000 5\nsegment baseline 10 90\n\
             segment congested 10 90\nsegment baseline 10 90\ndeadline_s 60\n"
        );
        assert_eq!(plan("vava").to_string(), lines);
    }

    #[test]
    fn streams_latencies_and_precision_are_written_as_the_program_reads_them() {
        let mut plan = plan("vvv");
        plan.work =
            Work::Streams(vec![Stream { from: 0, to: 2, start_ns: 0, stop_ns: 1_500_000_001, bytes: 8 }]);
        let text = plan.to_string();
        assert!(text.contains("victim pair_streams\naggressor none\n"), "{text}");
        assert!(text.contains("\nstream 0 2 0 1.500000001 8\n"), "{text}");
        plan.work = Work::Latency { collective: "ring_all_reduce".to_owned(), sizes: vec![8, 64] };
        plan.segments[0].iterations =
            Iterations::Precise { target_ppb: 14_000_000, at_least: 20, at_most: 500 };
        let text = plan.to_string();
        assert!(text.contains("victim latency ring_all_reduce 8 64\n"), "{text}");
        assert!(text.contains("segment baseline 10 precision 0.014 20 500\n"), "{text}");
    }

    #[test]
    fn groups_are_written_as_a_word_if_one_exists() {
        let groups = |roles| plan(roles).groups();
        assert_eq!(groups("vava"), "interleaved");
        assert_eq!(groups("vvaa"), "contiguous");
        assert_eq!(groups("avva"), "listed a v v a");
        assert_eq!(groups("vvvv"), "listed v v v v");
        assert_eq!(groups("vav"), "listed v a v");
        assert_eq!(plan("avva").ranks_of(Role::Victim), [1, 2]);
    }
}
