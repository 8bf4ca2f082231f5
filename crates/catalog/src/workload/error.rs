//! Why a workload cannot be expanded.
//!
//! Every error names the job by number, and the phase if there is one; the scenario crate turns numbers into locations.

use netloom_units::HostId;

/// Why a workload cannot be expanded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkloadError {
    /// More jobs, phases or buckets than their numbers can distinguish.
    #[error("{count} {what} are more than the limit of {limit}")]
    TooMany {
        /// What exceeds the limit.
        what: &'static str,
        /// Number of them.
        count: usize,
        /// Number allowed.
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
        /// Number of hosts in the fabric.
        n_hosts: usize,
    },
    /// Two ranks of a job on one host, without a rate between them.
    #[error("two ranks of job {job} are on host {host}, without a rate between ranks of a host", host = host.0)]
    NoLocalRate {
        /// Job number.
        job: usize,
        /// The host.
        host: HostId,
    },
    /// Groups that are not disjoint, or a rank that does not exist.
    #[error("job {job}: {reason}")]
    Groups {
        /// Job number.
        job: usize,
        /// What is wrong with them.
        reason: String,
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
        /// Number of ranks.
        n_ranks: usize,
    },
    /// More concurrent collectives than a rank has streams.
    #[error("job {job}, phase {phase}: {wanted} collectives run concurrently, but the limit is {limit}")]
    TooManyStreams {
        /// Job number.
        job: usize,
        /// Phase of the step.
        phase: usize,
        /// Number of streams needed.
        wanted: usize,
        /// Number of streams available.
        limit: usize,
    },
    /// A phase that cannot run where it is scheduled.
    #[error("job {job}, phase {phase}: {reason}")]
    Schedule {
        /// Job number.
        job: usize,
        /// Phase of the step.
        phase: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// More waits between streams of phases than there are signals.
    #[error("job {job}, phase {phase}: the phases of this job wait for too many others")]
    TooManyWaits {
        /// Job number.
        job: usize,
        /// The first phase that is too many, or the last phase.
        phase: usize,
    },
    /// Stages of different sizes, or a rank that does not exist or is in two of them.
    #[error("job {job}, phase {phase}: {reason}")]
    Stages {
        /// Job number.
        job: usize,
        /// Phase of the step.
        phase: usize,
        /// What is wrong with them.
        reason: String,
    },
    /// Endless or very many steps in which a rank waits for nothing.
    #[error("rank {rank} of job {job} waits for nothing, so all its steps would be at one instant")]
    NeverWaits {
        /// Job number.
        job: usize,
        /// The rank.
        rank: u32,
    },
    /// More messages than tags.
    #[error("the jobs have more messages than there are tags")]
    TooManyTags,
    /// An invalid staged flow.
    #[error("flow {flow} {reason}")]
    Staged {
        /// Number of the flow.
        flow: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// An invalid finite flow.
    #[error("flow {flow} {reason}")]
    Finite {
        /// Number of the flow.
        flow: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Invalid background traffic.
    #[error("the background traffic {reason}")]
    Background {
        /// What is wrong with it.
        reason: String,
    },
}
