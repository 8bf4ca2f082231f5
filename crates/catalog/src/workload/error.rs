//! Why a workload cannot be expanded.
//!
//! Every error names the job by number, and the phase where there is one; the scenario crate turns numbers into places.

use netloom_units::HostId;

/// Why a workload cannot be expanded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkloadError {
    /// More jobs, phases or buckets than their numbers can tell apart.
    #[error("{count} {what} are more than the {limit} that can be told apart")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many are allowed.
        limit: usize,
    },
    /// A job without ranks.
    #[error("job {job} has no ranks")]
    NoRanks {
        /// Job number.
        job: usize,
    },
    /// A host that is not in the fabric.
    #[error("host {host} is used, but the fabric has {n_hosts} hosts", host = host.0)]
    NoSuchHost {
        /// The host.
        host: HostId,
        /// How many there are.
        n_hosts: usize,
    },
    /// Two ranks of a job on one host.
    #[error("two ranks of job {job} are on host {host}", host = host.0)]
    RepeatedHost {
        /// Job number.
        job: usize,
        /// The host.
        host: HostId,
    },
    /// A collective that cannot be planned.
    #[error("job {job}, phase {phase}: {reason}")]
    Collective {
        /// Job number.
        job: usize,
        /// Phase of the step.
        phase: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A given order that is not a permutation of the ranks.
    #[error("job {job}, phase {phase}: the given order is not a permutation of the {n_ranks} ranks")]
    Order {
        /// Job number.
        job: usize,
        /// Phase of the step.
        phase: usize,
        /// How many ranks there are.
        n_ranks: usize,
    },
    /// More collectives side by side than a rank has lanes.
    #[error("job {job}, phase {phase}: {wanted} collectives run side by side, at most {limit} can")]
    TooManyStreams {
        /// Job number.
        job: usize,
        /// Phase of the step.
        phase: usize,
        /// Lanes they would need.
        wanted: usize,
        /// Lanes there are.
        limit: usize,
    },
    /// Stages of different sizes, or a rank that is not there or in two of them.
    #[error("job {job}, phase {phase}: {reason}")]
    Stages {
        /// Job number.
        job: usize,
        /// Phase of the step.
        phase: usize,
        /// What is wrong with them.
        reason: String,
    },
    /// Endless steps in which a rank waits for nothing.
    #[error("rank {rank} of job {job} waits for nothing, so that endless steps would never pass any time")]
    NeverWaits {
        /// Job number.
        job: usize,
        /// The rank.
        rank: u32,
    },
    /// More messages than tags.
    #[error("the jobs have more messages than there are tags")]
    TooManyTags,
    /// A staged flow that makes no sense.
    #[error("flow {flow} {reason}")]
    Staged {
        /// Which.
        flow: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// Background traffic that makes no sense.
    #[error("the background traffic {reason}")]
    Background {
        /// What is wrong with it.
        reason: String,
    },
}
