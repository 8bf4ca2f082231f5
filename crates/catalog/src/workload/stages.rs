//! Messages from stage to stage, as in pipeline parallelism.
//!
//! Models: rank i of a stage sends every microbatch to rank i of the next stage; with dependence a stage forwards only
//! what it has received; a gap staggers microbatches and hops.
//! Leaves out: computation per microbatch; that is a pipeline.
//!
//! Invariants: the n-th operation of a rank follows from its stage alone; no state is kept.
//! Source: the schedule of the simulator behind `zeltser2026`; the chain of `GPipe` (Huang et al., 2019).

use netloom_model::PointToPoint;
use netloom_units::{Duration, Time};

/// A point-to-point phase, compiled.
#[derive(Debug)]
pub(super) struct Stages {
    pub(super) phase: u16,
    /// Its index among all that take tags in a step.
    pub(super) sequence: u64,
    /// Position of each rank: the number of stages that the message has passed, and the rank's index in its stage.
    position_of_rank: Vec<Option<StagePosition>>,
    /// The ranks of each hop.
    ranks_at_hop: Vec<Vec<u32>>,
    n_microbatches: u32,
    size: u64,
    dependent: bool,
    gap: Duration,
    from_run_start: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct StagePosition {
    /// Number of stages before it.
    pub(super) hop: u32,
    /// Its position among the ranks of its stage.
    pub(super) index: u32,
}

/// One operation of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StageStep {
    Until(Time),
    Pause(Duration),
    Send {
        to_rank: u32,
        tag: u64,
        bytes: u64,
    },
    Receive {
        tag: u64,
        messages: u32,
    },
    /// The computing of a microbatch begins.
    Begins(u16),
    /// It ends.
    Ends(u16),
    Nothing,
}

impl Stages {
    /// Compiles a phase; an error is a sentence about what does not fit.
    pub(super) fn new(
        what: &PointToPoint,
        phase: u16,
        sequence: u64,
        n_ranks: usize,
    ) -> Result<Stages, String> {
        if what.dependent && what.gap > Duration::ZERO && !what.gap_from_run_start {
            // A rank can wait for the start of its phase or for a message, but not for both in one operation.
            return Err(String::from(
                "a `gap` that counts from the phase needs `dependent: false`; dependent stages start when \
                 their messages arrive",
            ));
        }
        let mut ranks_at_hop = what.stages.clone();
        if what.backward {
            ranks_at_hop.reverse();
        }
        let latest = u64::from(what.microbatches) + ranks_at_hop.len() as u64;
        if what.gap.0.checked_mul(latest).is_none() {
            return Err(String::from("the `gap` is so long that the last message never starts"));
        }
        Ok(Stages {
            phase,
            sequence,
            position_of_rank: positions(&ranks_at_hop, n_ranks)?,
            ranks_at_hop,
            n_microbatches: what.microbatches,
            size: what.size.0,
            dependent: what.dependent,
            gap: what.gap,
            from_run_start: what.gap_from_run_start,
        })
    }

    pub(super) fn n_tags(&self) -> u64 {
        if self.dependent { u64::from(self.n_microbatches) } else { 1 }
    }

    /// The `index`-th operation of a rank; `None` past the last one.
    pub(super) fn operation(&self, rank: u32, index: u64) -> Option<StageStep> {
        let position = self.position_of_rank[rank as usize]?;
        let n = u64::from(self.n_microbatches);
        let is_first = position.hop == 0;
        if !self.dependent {
            let messages = if is_first || self.size == 0 { 0 } else { self.n_microbatches };
            return match index.checked_sub(2 * n) {
                Some(0) => Some(receive(0, messages)),
                Some(_) => None,
                None if index.is_multiple_of(2) => Some(self.pace(position, index / 2)),
                None => Some(self.send(position, 0)),
            };
        }
        let microbatch = index / 3;
        (microbatch < n).then(|| match index % 3 {
            0 => receive(microbatch, u32::from(!is_first && self.size > 0)),
            1 => self.pace(position, microbatch),
            _ => self.send(position, microbatch),
        })
    }

    fn send(&self, position: StagePosition, tag: u64) -> StageStep {
        match self.ranks_at_hop.get(position.hop as usize + 1) {
            Some(next) if self.size > 0 => {
                StageStep::Send { to_rank: next[position.index as usize], tag, bytes: self.size }
            }
            _ => StageStep::Nothing,
        }
    }

    /// Waits until microbatch m may leave on hop j: (m + j) gaps after the origin.
    fn pace(&self, position: StagePosition, microbatch: u64) -> StageStep {
        let sends = position.hop as usize + 1 < self.ranks_at_hop.len();
        if self.gap == Duration::ZERO || !sends {
            return StageStep::Nothing;
        }
        let gaps = u64::from(position.hop);
        if self.from_run_start {
            return StageStep::Until(Time((microbatch + gaps) * self.gap.0));
        }
        StageStep::Pause(Duration(if microbatch == 0 { gaps * self.gap.0 } else { self.gap.0 }))
    }
}

/// Waits for messages, if there are some.
pub(super) fn receive(tag: u64, messages: u32) -> StageStep {
    if messages == 0 { StageStep::Nothing } else { StageStep::Receive { tag, messages } }
}

/// The position of each rank in stages; an error is a sentence about ranks that do not fit.
pub(super) fn positions(
    ranks_at_hop: &[Vec<u32>],
    n_ranks: usize,
) -> Result<Vec<Option<StagePosition>>, String> {
    let mut position_of_rank = vec![None; n_ranks];
    for (hop, ranks) in (0_u32..).zip(ranks_at_hop) {
        if ranks.len() != ranks_at_hop[0].len() {
            return Err(format!("stages have {} and {} ranks", ranks_at_hop[0].len(), ranks.len()));
        }
        for (index, &rank) in (0_u32..).zip(ranks) {
            let Some(position) = position_of_rank.get_mut(rank as usize) else {
                return Err(format!("rank {rank} is in a stage, but the job has {n_ranks} ranks"));
            };
            if position.replace(StagePosition { hop, index }).is_some() {
                return Err(format!("rank {rank} is in two stages, or twice in one"));
            }
        }
    }
    Ok(position_of_rank)
}
