//! The YAML of the seed simulator, as far as it has an effect.
//!
//! Leaves out: keys without effect on a run (verbosity, `max_path`, echoes); they are accepted and ignored.
//! Invariant: field names are the keys, units as in the keys.
//! Source: the 28 published configurations; specification, sections 2 to 10.

use serde::Deserialize;

/// One configuration file.
#[derive(Clone, Debug, Deserialize)]
pub struct Config {
    /// The fabric and how it routes.
    pub topology: Topology,
    /// The workload.
    pub scenario: Scenario,
}

/// `topology`.
#[derive(Clone, Debug, Deserialize)]
pub struct Topology {
    /// Largest packet, in bytes.
    pub mtu: u64,
    /// Hop limit.
    pub ttl: u32,
    /// Size of the fabric.
    pub ai_factory_su: Dimensions,
    /// How paths are chosen.
    pub routing: Routing,
    /// Rates and failures.
    pub links: Links,
}

/// `topology.ai_factory_su`.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "the keys give the meanings")]
pub struct Dimensions {
    pub leaves: usize,
    pub spines: usize,
    pub servers_per_leaf: usize,
    pub server_parallel_links: usize,
    pub leaf_to_spine_parallel_links: usize,
}

/// `topology.routing`.
#[derive(Clone, Debug, Deserialize)]
pub struct Routing {
    /// The policy, at every node.
    pub mode: RoutingMode,
    /// Packets per flowlet; 0 for none.
    pub ecmp_flowlet_n_packets: usize,
}

/// The two policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RoutingMode {
    /// By hash.
    #[serde(alias = "hash")]
    Ecmp,
    /// By shortest local queue.
    #[serde(alias = "adapt")]
    Adaptive,
}

/// `topology.links`.
#[derive(Clone, Debug, Deserialize)]
pub struct Links {
    /// Probability that a link is down, in percent.
    pub failure_percent: f64,
    /// Rates.
    pub bandwidth_bps: Bandwidths,
}

/// `topology.links.bandwidth_bps`.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "the keys give the meanings")]
pub struct Bandwidths {
    pub server_to_leaf: f64,
    pub leaf_to_spine: f64,
}

/// `scenario`: a name and the parameters that go with it.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "name", content = "params")]
pub enum Scenario {
    /// One data-parallel job on all hosts.
    #[serde(rename = "ai-factory-su-workload1-dp-heavy")]
    DpHeavy(DpHeavy),
    /// A tensor-parallel and a pipeline-parallel job, on half of the hosts each.
    #[serde(rename = "ai-factory-su-mixed_scenario")]
    Mixed(Mixed),
}

/// Parameters of the data-parallel scenario.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "the keys give the meanings")]
pub struct DpHeavy {
    pub steps: usize,
    pub num_buckets: usize,
    pub bucket_bytes_per_participant: u64,
    pub gap_us: f64,
    pub t_fwd_bwd_ms: f64,
    pub optimizer_ms: f64,
    pub mice: Option<MiceConfig>,
}

/// Parameters of the mixed scenario.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "the keys give the meanings")]
pub struct Mixed {
    pub steps: usize,
    pub traffic_scale: f64,
    pub allocation_mode: AllocationMode,
    pub stage_placement_mode: StagePlacementMode,
    pub jobs: Option<MixedJobs>,
    pub tp_heavy_fwd_compute_ms: f64,
    pub tp_heavy_micro_collectives: usize,
    pub tp_heavy_micro_collective_bytes_per_participant: u64,
    pub tp_heavy_micro_compute_gap_ms: f64,
    pub tp_heavy_final_sync_bytes_per_participant: u64,
    pub tp_heavy_tail_compute_ms: f64,
    pub tp_heavy_gap_us: f64,
    pub pp_dp_microbatch_count: usize,
    pub pp_dp_microbatch_gap_us: f64,
    pub pp_dp_activation_bytes_per_microbatch: u64,
    pub pp_dp_grad_bytes_per_microbatch: u64,
    pub pp_dp_dp_sync_bytes_per_participant: u64,
    pub pp_dp_tail_compute_ms: f64,
    pub mice: Option<MiceConfig>,
}

/// The hosts of a job of the mixed scenario. All published files have the same value.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AllocationMode {
    /// The first half of the servers of each leaf, and the second half.
    RackBalanced,
}

/// The placement of the pipeline on hosts. All published files have the same value.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StagePlacementMode {
    /// Consecutive hosts form a stage.
    TopologyAware,
}

/// `jobs`: settings of a job that differ from the scenario.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "the keys give the meanings")]
pub struct MixedJobs {
    pub tp_heavy: Option<JobOverride>,
    pub pp_dp: Option<JobOverride>,
}

/// `jobs.*`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[expect(missing_docs, reason = "the keys give the meanings")]
pub struct JobOverride {
    pub steps: Option<usize>,
}

/// `mice`: short background flows.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "the keys give the meanings")]
pub struct MiceConfig {
    pub enabled: bool,
    pub seed: u32,
    pub start_delay_s: f64,
    pub end_time_s: f64,
    pub interarrival_s: f64,
    pub min_packets: u32,
    pub max_packets: u32,
    pub force_cross_rack: bool,
}

impl Scenario {
    /// The mice, if there are any.
    pub fn mice(&self) -> Option<&MiceConfig> {
        let mice = match self {
            Scenario::DpHeavy(params) => &params.mice,
            Scenario::Mixed(params) => &params.mice,
        };
        mice.as_ref().filter(|mice| mice.enabled)
    }
}

impl Mixed {
    /// A size after scaling, in bytes.
    pub(super) fn scaled(&self, bytes: u64) -> u64 {
        (bytes as f64 * self.traffic_scale) as u64
    }

    pub(super) fn tp_heavy_steps(&self) -> usize {
        self.steps_of(|jobs| jobs.tp_heavy)
    }

    pub(super) fn pp_dp_steps(&self) -> usize {
        self.steps_of(|jobs| jobs.pp_dp)
    }

    fn steps_of(&self, job: impl Fn(&MixedJobs) -> Option<JobOverride>) -> usize {
        self.jobs.as_ref().and_then(job).and_then(|job| job.steps).unwrap_or(self.steps)
    }
}
