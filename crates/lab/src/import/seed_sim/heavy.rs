//! The data-parallel workload: all hosts compute, then exchange gradients bucket by bucket, then compute.

use netloom_units::Duration;

use super::read::{Form, Reader, number, positive, whole};
use super::topology::Topology;

/// The data-parallel job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Heavy {
    pub steps: u64,
    pub buckets: u64,
    /// Bytes of one bucket, per host.
    pub bytes: u64,
    pub before: Duration,
    pub after: Duration,
}

pub(super) const KEYS: &[&str] = &[
    "steps",
    "seed",
    "num_buckets",
    "bucket_bytes_per_participant",
    "gap_us",
    "t_fwd_bwd_ms",
    "optimizer_ms",
    "mice",
];

/// Reads the job.
pub(super) fn heavy(reader: &mut Reader, params: &Form<'_>, topology: Option<&Topology>) -> Option<Heavy> {
    let steps = reader.need(params, "steps", positive);
    let buckets = reader.need(params, "num_buckets", positive);
    let bytes = reader.need(params, "bucket_bytes_per_participant", positive);
    let before = reader.span(params, "t_fwd_bwd_ms", "ms");
    let after = reader.span(params, "optimizer_ms", "ms");
    if let (Some(before), Some(topology)) = (before, topology) {
        gap(reader, params, "gap_us", topology.n_hosts(), before);
    }
    Some(Heavy { steps: steps?, buckets: buckets?, bytes: bytes?, before: before?, after: after? })
}

/// The seed of ring orders.
pub(super) fn seed(reader: &mut Reader, params: &Form<'_>) -> Option<u64> {
    reader.need(params, "seed", whole)
}

/// Refuses a gap between the rounds of a ring that has an effect.
///
/// Round s of a ring starts no earlier than s gaps after the start of the run; a gap does not affect a ring that begins
/// later than all of these instants.
pub(super) fn gap(reader: &mut Reader, params: &Form<'_>, key: &str, ranks: u64, first: Duration) {
    let Some(gap_us) = reader.or(params, key, number, 0.0) else { return };
    let last_s = ranks.saturating_sub(2) as f64 * gap_us * 1e-6;
    if last_s > first.as_seconds() {
        let message =
            format!("`{key}` spreads the rounds of the first ring, which a scenario cannot express");
        reader.report(
            params.location_of(key),
            message,
            "the gaps last longer than the computation before the ring",
        );
    }
}
