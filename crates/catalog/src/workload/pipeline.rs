//! Pipeline parallelism: the forward and backward passes of microbatches at the stages of a model.
//!
//! Models: a stage computes the forward pass of a microbatch when its activations have arrived from the stage before,
//! and the backward pass when its gradients have arrived from the stage behind; it sends the results on at once. Order of
//! the passes of a stage: all forward passes first (`GPipe`), or one backward pass after each forward pass (1F1B).
//! Leaves out: several stages of a rank (interleaved schedules), recomputation, passes of different length.
//!
//! Invariants: the n-th operation of a rank follows from its stage alone; no state is kept. Without delays of messages a
//! phase of m microbatches over p stages takes (m + p - 1) times both passes.
//! Source: `GPipe`, Huang et al., 2019; 1F1B, Narayanan et al., SC 2021.

use netloom_model::{Pipeline, PipelineOrder};
use netloom_units::Duration;

use super::stages::{StagePosition, StageStep, positions, receive};

/// Operations of a pass: wait, begin, compute, end, send.
const PER_PASS: u64 = 5;

/// A pipeline, compiled.
#[derive(Debug)]
pub(super) struct PipelinePlan {
    pub(super) phase: u16,
    /// Its index among all that take tags in a step.
    pub(super) sequence: u64,
    position_of_rank: Vec<Option<StagePosition>>,
    pipeline: Pipeline,
}

/// The forward or the backward pass of a microbatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pass {
    microbatch: u64,
    is_backward: bool,
}

impl PipelinePlan {
    /// Compiles a phase; an error is a sentence about what does not fit.
    pub(super) fn new(
        pipeline: &Pipeline,
        phase: u16,
        sequence: u64,
        n_ranks: usize,
    ) -> Result<PipelinePlan, String> {
        let position_of_rank = positions(&pipeline.stages, n_ranks)?;
        Ok(PipelinePlan { phase, sequence, position_of_rank, pipeline: pipeline.clone() })
    }

    fn n_microbatches(&self) -> u64 {
        self.pipeline.microbatches.into()
    }

    /// Whether the passes of a rank take time: computation, or messages of a neighbour.
    pub(super) fn takes_time(&self, rank: u32) -> bool {
        let Pipeline { forward, backward, size, stages, .. } = &self.pipeline;
        let waits = size.0 > 0 && stages.len() > 1;
        self.position_of_rank[rank as usize].is_some() && (waits || *forward + *backward > Duration::ZERO)
    }

    /// Tags are below this: one of each microbatch and direction.
    pub(super) fn n_tags(&self) -> u64 {
        2 * self.n_microbatches()
    }

    /// The `index`-th operation of a rank; `None` past the last one.
    pub(super) fn operation(&self, rank: u32, index: u64) -> Option<StageStep> {
        let position = self.position_of_rank[rank as usize]?;
        let pass = self.pass(position.hop, index / PER_PASS)?;
        let span = if pass.is_backward { self.pipeline.backward } else { self.pipeline.forward };
        Some(match index % PER_PASS {
            0 => receive(self.tag(pass), u32::from(self.sends(self.before(position.hop, pass)))),
            1 => StageStep::Begins(pass.microbatch as u16),
            2 => StageStep::Pause(span),
            3 => StageStep::Ends(pass.microbatch as u16),
            _ => self.send(position, pass),
        })
    }

    /// The pass that a stage is at; `None` past the last one.
    fn pass(&self, stage: u32, number: u64) -> Option<Pass> {
        let m = self.n_microbatches();
        // Forward passes before the first backward pass, but the one that is directly before it.
        let ahead = match self.pipeline.order {
            PipelineOrder::ForwardFirst => m,
            PipelineOrder::OneForwardOneBackward => (self.n_stages() - 1 - u64::from(stage)).min(m),
        };
        let forward = |microbatch| Pass { microbatch, is_backward: false };
        let backward = |microbatch| Pass { microbatch, is_backward: true };
        if number < ahead {
            return Some(forward(number));
        }
        let alternating = number - ahead;
        if alternating < 2 * (m - ahead) {
            let pair = alternating / 2;
            let is_forward = alternating.is_multiple_of(2);
            return Some(if is_forward { forward(ahead + pair) } else { backward(pair) });
        }
        (number < 2 * m).then(|| backward(number - m))
    }

    fn n_stages(&self) -> u64 {
        self.pipeline.stages.len() as u64
    }

    fn tag(&self, pass: Pass) -> u64 {
        pass.microbatch + if pass.is_backward { self.n_microbatches() } else { 0 }
    }

    /// The stage whose result a pass needs, if there is one.
    fn before(&self, stage: u32, pass: Pass) -> Option<u32> {
        if pass.is_backward { self.stage(stage + 1) } else { stage.checked_sub(1) }
    }

    /// The stage that needs the result of a pass, if there is one.
    fn behind(&self, stage: u32, pass: Pass) -> Option<u32> {
        if pass.is_backward { stage.checked_sub(1) } else { self.stage(stage + 1) }
    }

    fn stage(&self, stage: u32) -> Option<u32> {
        (u64::from(stage) < self.n_stages()).then_some(stage)
    }

    /// Whether a neighbour sends something.
    fn sends(&self, neighbour: Option<u32>) -> bool {
        neighbour.is_some() && self.pipeline.size.0 > 0
    }

    fn send(&self, position: StagePosition, pass: Pass) -> StageStep {
        let behind = self.behind(position.hop, pass);
        match behind.filter(|_| self.sends(behind)) {
            Some(stage) => StageStep::Send {
                to_rank: self.pipeline.stages[stage as usize][position.index as usize],
                tag: self.tag(pass),
                bytes: self.pipeline.size.0,
            },
            None => StageStep::Nothing,
        }
    }
}
