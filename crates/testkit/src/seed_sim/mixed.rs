//! The mixed scenario: a tensor-parallel and a pipeline-parallel job side by side, each on half of every rack.
//!
//! Models: many small all-reduces with computation between them; microbatches forward and backward through four stages.
//! Leaves out: dependencies between stages or microbatches (there is only the barrier of the phase), other placements.
//! Invariant: sizes are scaled and truncated to whole bytes; times of flows are absolute, so that only the first
//! forward phase is really staggered.
//! Source: specification of the seed simulator, section 9.

use super::config::Mixed;
use super::job::{Bucket, Phase, PlannedFlow};
use super::ring::{RingOrder, Rings};
use super::topology::ScalableUnit;
use crate::reference::NodeIdx;

/// The name of the tensor-parallel job.
pub(super) const TP_HEAVY: &str = "tp_heavy";
/// The name of the pipeline-parallel job.
pub(super) const PP_DP: &str = "pp_dp";
/// Stages of the pipeline.
const N_STAGES: usize = 4;

/// The steps of the tensor-parallel job.
pub(super) fn tp_heavy_steps(params: &Mixed, rings: &[RingOrder], unit: &ScalableUnit) -> Vec<Vec<Phase>> {
    let mut rings = Rings::of(TP_HEAVY, rings, unit);
    (0..params.tp_heavy_steps()).map(|_| tp_heavy_step(params, &mut rings)).collect()
}

fn tp_heavy_step(params: &Mixed, rings: &mut Rings<'_>) -> Vec<Phase> {
    let gap_us = params.tp_heavy_gap_us;
    let micro_bytes = params.scaled(params.tp_heavy_micro_collective_bytes_per_participant);
    let mut phases = vec![Phase::compute("tp_heavy_compute_front", params.tp_heavy_fwd_compute_ms)];
    for number in 0..params.tp_heavy_micro_collectives {
        let bucket = rings.next("all_reduce", micro_bytes, gap_us);
        phases.push(Phase::communicate(format!("tp_heavy_tp_micro_{number}"), vec![bucket]));
        phases.push(Phase::compute(format!("tp_heavy_gap_{number}"), params.tp_heavy_micro_compute_gap_ms));
    }
    let sync = sync_bucket(rings, params.scaled(params.tp_heavy_final_sync_bytes_per_participant), gap_us);
    phases.push(Phase::communicate("tp_heavy_dp_sync", vec![sync]));
    phases.push(Phase::compute("tp_heavy_compute_tail", params.tp_heavy_tail_compute_ms));
    phases
}

/// The steps of the pipeline-parallel job.
pub(super) fn pp_dp_steps(params: &Mixed, rings: &[RingOrder], unit: &ScalableUnit) -> Vec<Vec<Phase>> {
    let mut rings = Rings::of(PP_DP, rings, unit);
    let hosts = pp_dp_hosts(unit);
    let stages: Vec<_> = hosts.chunks(hosts.len() / N_STAGES).collect();
    (0..params.pp_dp_steps()).map(|_| pp_dp_step(params, &stages, &mut rings)).collect()
}

fn pp_dp_step(params: &Mixed, stages: &[&[NodeIdx]], rings: &mut Rings<'_>) -> Vec<Phase> {
    let backward: Vec<_> = stages.iter().rev().copied().collect();
    let activation = params.scaled(params.pp_dp_activation_bytes_per_microbatch);
    let gradient = params.scaled(params.pp_dp_grad_bytes_per_microbatch);
    let sync = sync_bucket(rings, params.scaled(params.pp_dp_dp_sync_bytes_per_participant), 0.0);
    vec![
        Phase::communicate("pp_dp_pp_fwd", vec![through(stages, params, activation)]),
        Phase::communicate("pp_dp_pp_bwd", vec![through(&backward, params, gradient)]),
        Phase::communicate("pp_dp_dp_sync", vec![sync]),
        Phase::compute("pp_dp_compute_tail", params.pp_dp_tail_compute_ms),
    ]
}

/// The second half of the servers of each leaf; the first half runs the tensor-parallel job.
fn pp_dp_hosts(unit: &ScalableUnit) -> Vec<NodeIdx> {
    (0..unit.n_hosts).filter(|&host| unit.server_of(host) >= unit.servers_per_leaf() / 2).collect()
}

/// Every microbatch over every pair of consecutive stages, host by host.
fn through(stages: &[&[NodeIdx]], params: &Mixed, bytes: u64) -> Bucket {
    let gap_s = params.pp_dp_microbatch_gap_us * 1e-6;
    let mut flows = Bucket::new();
    for microbatch in 0..params.pp_dp_microbatch_count {
        for (hop, pair) in stages.windows(2).enumerate() {
            let start_s = microbatch as f64 * gap_s + hop as f64 * gap_s;
            let hosts = pair[0].iter().zip(pair[1]);
            flows.extend(hosts.map(|(&src, &dst)| PlannedFlow { src, dst, bytes, start_s }));
        }
    }
    flows
}

fn sync_bucket(rings: &mut Rings<'_>, bytes: u64, gap_us: f64) -> Bucket {
    let mut flows = rings.next("reduce_scatter", bytes, gap_us);
    flows.extend(rings.next("all_gather", bytes, gap_us));
    flows
}
