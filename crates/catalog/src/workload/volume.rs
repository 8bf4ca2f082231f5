//! The bytes that jobs send in a step.
//!
//! Models: all messages of a step, of all ranks.
//! Leaves out: grants and headers, which hosts and the network add; what programs send.

use netloom_model::{Collective, Job, Phase};

use super::collective::Plan;

/// Bytes of a collective in all of its communicators; of one that is not possible there, none.
pub fn bytes_of_collective(job: &Job, collective: &Collective) -> u128 {
    let bytes = |size| Plan::new(collective, size).map_or(0, |plan| plan.total_bytes());
    job.communicator_sizes(collective).map(bytes).fold(0, u128::saturating_add)
}

/// Bytes that the ranks of a job send in a step; of stages an upper bound, as the last one sends none.
pub fn bytes_of_step(job: &Job) -> u128 {
    let n_ranks = job.ranks.len() as u128;
    let of_phase = |phase: &Phase| match phase {
        Phase::Compute { .. } | Phase::Barrier | Phase::Program => 0,
        Phase::Communicate { buckets, .. } => buckets
            .iter()
            .flat_map(|bucket| &bucket.collectives)
            .map(|collective| bytes_of_collective(job, collective))
            .fold(0_u128, u128::saturating_add),
        Phase::PointToPoint(what) => n_ranks * u128::from(what.microbatches) * u128::from(what.size.0),
        Phase::Pipeline(what) => 2 * n_ranks * u128::from(what.microbatches) * u128::from(what.size.0),
    };
    job.phases.iter().map(of_phase).fold(0_u128, u128::saturating_add)
}
