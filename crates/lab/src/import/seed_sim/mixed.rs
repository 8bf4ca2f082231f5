//! The mixed workload: a tensor-parallel and a pipeline-parallel job, each on half of the hosts.

use netloom_units::Duration;

use super::heavy::gap;
use super::read::{Form, Reader, flag, number, positive, word};
use super::topology::Topology;

/// The two jobs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mixed {
    pub scale: f64,
    pub placement: Placement,
    pub tensor: Tensor,
    pub pipeline: Pipeline,
}

/// How hosts are assigned to the jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placement {
    /// Half of each rack.
    RackBalanced,
    /// One half of all hosts.
    Contiguous,
}

/// The tensor-parallel job; sizes are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tensor {
    pub steps: u64,
    pub before: Duration,
    pub micro_collectives: u64,
    pub micro_bytes: u64,
    pub micro_compute: Duration,
    pub final_bytes: u64,
    pub after: Duration,
}

/// The pipeline-parallel job; sizes are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pipeline {
    pub steps: u64,
    pub microbatches: u64,
    pub gap: Duration,
    pub forward_bytes: u64,
    pub backward_bytes: u64,
    pub sync_bytes: u64,
    pub after: Duration,
}

pub(super) const KEYS: &[&str] = &[
    "steps",
    "seed",
    "traffic_scale",
    "allocation_mode",
    "stage_placement_mode",
    "jobs",
    "tp_heavy_fwd_compute_ms",
    "tp_heavy_micro_collectives",
    "tp_heavy_micro_collective_bytes_per_participant",
    "tp_heavy_micro_compute_gap_ms",
    "tp_heavy_final_sync_bytes_per_participant",
    "tp_heavy_tail_compute_ms",
    "tp_heavy_gap_us",
    "pp_dp_microbatch_count",
    "pp_dp_microbatch_gap_us",
    "pp_dp_activation_bytes_per_microbatch",
    "pp_dp_grad_bytes_per_microbatch",
    "pp_dp_dp_sync_bytes_per_participant",
    "pp_dp_tail_compute_ms",
    "record_first_step_flow_signatures",
    "mice",
];

/// Reads both jobs.
pub(super) fn mixed(reader: &mut Reader, params: &Form<'_>, topology: Option<&Topology>) -> Option<Mixed> {
    reader.or(params, "record_first_step_flow_signatures", flag, false);
    let scale = reader.or(params, "traffic_scale", number, 1.0);
    let placement = placement(reader, params, topology);
    let jobs = reader.optional(params, "jobs", &["tp_heavy", "pp_dp"]);
    let tensor = tensor(reader, params, &jobs, scale);
    let pipeline = pipeline(reader, params, &jobs, scale);
    if let (Some(tensor), Some(topology)) = (&tensor, topology) {
        gap(reader, params, "tp_heavy_gap_us", topology.n_hosts() / 2, tensor.before);
    }
    Some(Mixed { scale: scale?, placement: placement?, tensor: tensor?, pipeline: pipeline? })
}

fn placement(reader: &mut Reader, params: &Form<'_>, topology: Option<&Topology>) -> Option<Placement> {
    if let Some(mode) = reader.need(params, "stage_placement_mode", word)
        && mode != "topology_aware"
    {
        let message = format!(
            "`stage_placement_mode: {mode}` cannot be imported: the original shuffles the hosts again in every run"
        );
        reader.report(params.location_of("stage_placement_mode"), message, "expected `topology_aware`");
    }
    let mode = reader.need(params, "allocation_mode", word)?;
    match mode.as_str() {
        "rack_balanced" if topology.is_some_and(|topology| !topology.hosts_per_leaf.is_multiple_of(2)) => {
            let message = "an odd number of servers cannot be halved in every rack";
            reader.report(params.location_of("allocation_mode"), message, "`servers_per_leaf` is odd");
            None
        }
        "rack_balanced" => Some(Placement::RackBalanced),
        "contiguous" => Some(Placement::Contiguous),
        _ => {
            let message = format!("there is no allocation mode `{mode}`");
            reader.report(
                params.location_of("allocation_mode"),
                message,
                "expected `rack_balanced` or `contiguous`",
            );
            None
        }
    }
}

/// Steps of a job: its own number, or the common one.
fn steps(reader: &mut Reader, params: &Form<'_>, jobs: &Form<'_>, job: &'static str) -> Option<u64> {
    let own = reader.optional(jobs, job, &["steps"]);
    if own.has("steps") {
        reader.need(&own, "steps", positive)
    } else {
        reader.need(params, "steps", positive)
    }
}

/// A number of bytes, scaled and truncated to an integer as in the original.
fn bytes(reader: &mut Reader, params: &Form<'_>, key: &str, scale: Option<f64>) -> Option<u64> {
    let written = reader.need(params, key, positive)?;
    let scaled = (written as f64 * scale?) as u64;
    if scaled == 0 {
        reader.report(params.location_of(key), format!("`{key}` is zero after scaling"), "too small");
    }
    Some(scaled)
}

fn tensor(reader: &mut Reader, params: &Form<'_>, jobs: &Form<'_>, scale: Option<f64>) -> Option<Tensor> {
    let steps = steps(reader, params, jobs, "tp_heavy");
    let before = reader.span(params, "tp_heavy_fwd_compute_ms", "ms");
    let micro_collectives = reader.need(params, "tp_heavy_micro_collectives", positive);
    let micro_bytes = bytes(reader, params, "tp_heavy_micro_collective_bytes_per_participant", scale);
    let micro_compute = reader.span(params, "tp_heavy_micro_compute_gap_ms", "ms");
    let final_bytes = bytes(reader, params, "tp_heavy_final_sync_bytes_per_participant", scale);
    let after = reader.span(params, "tp_heavy_tail_compute_ms", "ms");
    Some(Tensor {
        steps: steps?,
        before: before?,
        micro_collectives: micro_collectives?,
        micro_bytes: micro_bytes?,
        micro_compute: micro_compute?,
        final_bytes: final_bytes?,
        after: after?,
    })
}

fn pipeline(reader: &mut Reader, params: &Form<'_>, jobs: &Form<'_>, scale: Option<f64>) -> Option<Pipeline> {
    let steps = steps(reader, params, jobs, "pp_dp");
    let microbatches = reader.need(params, "pp_dp_microbatch_count", positive);
    let gap = reader.span(params, "pp_dp_microbatch_gap_us", "us");
    let forward_bytes = bytes(reader, params, "pp_dp_activation_bytes_per_microbatch", scale);
    let backward_bytes = bytes(reader, params, "pp_dp_grad_bytes_per_microbatch", scale);
    let sync_bytes = bytes(reader, params, "pp_dp_dp_sync_bytes_per_participant", scale);
    let after = reader.span(params, "pp_dp_tail_compute_ms", "ms");
    Some(Pipeline {
        steps: steps?,
        microbatches: microbatches?,
        gap: gap?,
        forward_bytes: forward_bytes?,
        backward_bytes: backward_bytes?,
        sync_bytes: sync_bytes?,
        after: after?,
    })
}
