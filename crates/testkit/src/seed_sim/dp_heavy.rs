//! The data-parallel scenario: all hosts compute, then exchange gradients bucket by bucket.
//!
//! Models: per bucket a reduce-scatter and an all-gather, injected at once behind one barrier.
//! Leaves out: overlap of computation and communication.
//! Source: specification of the seed simulator, section 8.

use super::config::DpHeavy;
use super::job::{Bucket, Phase};
use super::ring::{RingOrder, Rings};
use super::topology::ScalableUnit;

/// The name of the only job.
pub(super) const JOB: &str = "job";

/// The steps of the job.
pub(super) fn steps(params: &DpHeavy, rings: &[RingOrder], unit: &ScalableUnit) -> Vec<Vec<Phase>> {
    let mut rings = Rings::of(JOB, rings, unit);
    (0..params.steps).map(|_| step(params, &mut rings)).collect()
}

fn step(params: &DpHeavy, rings: &mut Rings<'_>) -> Vec<Phase> {
    let buckets = (0..params.num_buckets).map(|_| bucket(params, rings)).collect();
    vec![
        Phase::compute("fwd_bwd_compute", params.t_fwd_bwd_ms),
        Phase::communicate("gradient_sync", buckets),
        Phase::compute("optimizer_compute", params.optimizer_ms),
    ]
}

fn bucket(params: &DpHeavy, rings: &mut Rings<'_>) -> Bucket {
    let bytes = params.bucket_bytes_per_participant;
    let mut flows = rings.next("reduce_scatter", bytes, params.gap_us);
    flows.extend(rings.next("all_gather", bytes, params.gap_us));
    flows
}
