//! Estimates the relative length of a run before it is made.
//!
//! Models: the bytes that its jobs, its background traffic and its finite flows send.
//! Leaves out: hops and queueing; the estimate only decides the order of runs.

use netloom_catalog::workload::background::arrivals;
use netloom_catalog::workload::collective::Plan;
use netloom_model::{Collective, Job, Model, Phase};

/// Number of steps that are counted for an endless job.
const ENDLESS: u32 = 1_000;

/// Bytes that are sent in a run, as far as they can be estimated.
pub(super) fn expected_bytes(model: &Model) -> u64 {
    let jobs = model.workload.jobs.iter().map(of_job);
    let background = model.workload.background.as_ref().and_then(|background| arrivals(background, 0).ok());
    let beside = background.map(|arrivals| arrivals.bound().bytes);
    let finite = model.workload.finite.iter().flat_map(|finite| finite.flows.iter());
    let finite = finite.map(|flow| u128::from(flow.size.0)).sum::<u128>();
    let total = jobs.chain(beside).chain([finite]).fold(0_u128, u128::saturating_add);
    u64::try_from(total).unwrap_or(u64::MAX)
}

/// Bytes of a collective in all of its communicators.
fn of_collective(job: &Job, collective: &Collective) -> u128 {
    let bytes = |size| Plan::new(collective, size).map_or(0, |plan| plan.total_bytes());
    job.communicator_sizes(collective).map(bytes).fold(0, u128::saturating_add)
}

/// Bytes that the ranks of a job send in a step.
pub(crate) fn bytes_of_step(job: &Job) -> u128 {
    let n_ranks = job.ranks.len();
    let of_phase = |phase: &Phase| match phase {
        Phase::Compute { .. } | Phase::Barrier => 0,
        Phase::Communicate { buckets, .. } => buckets
            .iter()
            .flat_map(|bucket| &bucket.collectives)
            .map(|collective| of_collective(job, collective))
            .fold(0_u128, u128::saturating_add),
        Phase::PointToPoint(what) => {
            n_ranks as u128 * u128::from(what.microbatches) * u128::from(what.size.0)
        }
        Phase::Pipeline(what) => {
            2 * n_ranks as u128 * u128::from(what.microbatches) * u128::from(what.size.0)
        }
    };
    job.phases.iter().map(of_phase).fold(0_u128, u128::saturating_add)
}

fn of_job(job: &Job) -> u128 {
    // The length of an endless job depends on the others: it counts as a long one.
    let steps = if job.repetition.endless { ENDLESS } else { job.steps };
    bytes_of_step(job).saturating_mul(u128::from(steps))
}
