//! Estimates the relative length of a run before it is made.
//!
//! Models: the bytes that its jobs, its background traffic and its finite flows send.
//! Leaves out: hops and queueing; the estimate only decides the order of runs.

use netloom_catalog::workload::background::arrivals;
use netloom_catalog::workload::volume::bytes_of_step;
use netloom_model::{Job, Model};

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

fn of_job(job: &Job) -> u128 {
    // The length of an endless job depends on the others: it counts as a long one.
    let steps = if job.repetition.endless { ENDLESS } else { job.steps };
    bytes_of_step(job).saturating_mul(u128::from(steps))
}
