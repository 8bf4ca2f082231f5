//! The layouts of jobs for the manifest: names of groups and phases, and bytes of collectives by size of communicator.
//!
//! Models: jobs that compute or have groups; of other jobs exposure and groups are of no interest.
//! Leaves out: where ranks are placed, which the tables have.
//!
//! Invariants: equal buckets that follow each other are one entry, so a layout grows with what was written.

use std::collections::BTreeMap;

use netloom_catalog::workload::collective::Plan;
use netloom_model::{Bucket, Collective, Job, Phase, Pipeline, PointToPoint};
use netloom_records::{BucketLayout, CollectiveLayout, GroupLayout, JobLayout, PhaseLayout};

use crate::line::phase_name;
use crate::prepare::Prepared;

/// The layouts of the jobs that compute or have groups.
pub(crate) fn layouts(prepared: &Prepared) -> Vec<JobLayout> {
    let compiled = &prepared.compiled;
    let local_rate = compiled.model.workload.hosts.local.map(|rate| rate.0);
    let jobs = compiled.model.workload.jobs.iter().zip(&compiled.group_names).enumerate();
    let concerned = jobs.filter(|(_, (job, _))| computes(job) || !job.groups.is_empty());
    concerned.map(|(number, (job, names))| layout(number as u16, job, names, local_rate)).collect()
}

fn computes(job: &Job) -> bool {
    job.phases.iter().any(|phase| matches!(phase, Phase::Compute { .. } | Phase::Pipeline(_)))
}

fn layout(number: u16, job: &Job, names: &[String], local_rate: Option<u64>) -> JobLayout {
    let groups = names.iter().zip(&job.groups);
    JobLayout {
        job: number,
        ranks: job.ranks.len() as u32,
        groups: groups
            .map(|(name, kind)| GroupLayout { name: name.clone(), lists: kind.lists.clone() })
            .collect(),
        phases: job.phases.iter().map(|phase| phase_layout(job, phase)).collect(),
        local_rate,
    }
}

fn phase_layout(job: &Job, phase: &Phase) -> PhaseLayout {
    let (buckets, stages) = match phase {
        Phase::Communicate { buckets, .. } => (bucket_layouts(job, buckets), None),
        Phase::PointToPoint(PointToPoint { groups, .. }) | Phase::Pipeline(Pipeline { groups, .. }) => {
            (Vec::new(), *groups)
        }
        Phase::Compute { .. } | Phase::Barrier => (Vec::new(), None),
    };
    PhaseLayout { name: phase_name(phase), buckets, stages }
}

fn bucket_layouts(job: &Job, buckets: &[Bucket]) -> Vec<BucketLayout> {
    let runs = buckets.chunk_by(|one, other| one.collectives == other.collectives);
    let one = |run: &[Bucket]| BucketLayout {
        count: run.len() as u32,
        collectives: collective_layouts(job, &run[0].collectives),
    };
    runs.map(one).collect()
}

/// The collectives of a bucket; those of one kind of groups run in the same communicators.
fn collective_layouts(job: &Job, collectives: &[Collective]) -> Vec<CollectiveLayout> {
    let mut by_group: BTreeMap<Option<u16>, BTreeMap<u32, u64>> = BTreeMap::new();
    for collective in collectives {
        let bus_bytes = by_group.entry(collective.groups).or_default();
        let mut sizes: Vec<u32> = job.communicator_sizes(collective).collect();
        sizes.sort_unstable();
        sizes.dedup();
        for size in sizes {
            *bus_bytes.entry(size).or_default() += bytes_on_bus(collective, size);
        }
    }
    by_group.into_iter().map(|(group, bus_bytes)| CollectiveLayout { group, bus_bytes }).collect()
}

/// Bytes that bus bandwidth counts in a communicator of this size; none for one that the compiler would refuse.
fn bytes_on_bus(collective: &Collective, n_ranks: u32) -> u64 {
    Plan::new(collective, n_ranks).map_or(0, |plan| plan.bus_factor().of(collective.size).0)
}
