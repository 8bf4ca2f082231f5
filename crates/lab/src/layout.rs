//! The layouts of jobs for the manifest: names of groups and phases, and bytes of collectives by size of communicator.
//!
//! Models: jobs that compute or have groups; of other jobs exposure and groups are of no interest.
//! Leaves out: where ranks are placed, which the tables have.
//!
//! Invariants: equal buckets that follow each other are one entry, so a layout grows with what was written.

use std::collections::{BTreeMap, BTreeSet};

use netloom_catalog::workload::collective::{Demand, Plan};
use netloom_model::{Bucket, Collective, Job, Phase, Pipeline, PointToPoint};
use netloom_records::{BucketLayout, CollectiveLayout, GroupLayout, JobLayout, LackedBytes, PhaseLayout};
use netloom_units::Bytes;

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
        Phase::Compute { .. } | Phase::Barrier | Phase::Program => (Vec::new(), None),
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
    let mut by_group: BTreeMap<Option<u16>, Vec<&Collective>> = BTreeMap::new();
    for collective in collectives {
        by_group.entry(collective.groups).or_default().push(collective);
    }
    by_group.into_iter().map(|(group, found)| collective_layout(job, group, &found)).collect()
}

fn collective_layout(job: &Job, group: Option<u16>, collectives: &[&Collective]) -> CollectiveLayout {
    let sizes: BTreeSet<u32> =
        collectives.first().map(|one| job.communicator_sizes(one).collect()).unwrap_or_default();
    // The compiler refuses collectives that have no plan.
    let plans = |size: u32| {
        let plan = move |one: &&Collective| Some((Plan::new(one, size).ok()?, one.size));
        collectives.iter().filter_map(plan)
    };
    let bus_bytes = |size| plans(size).map(|(plan, bytes)| plan.bus_factor().of(bytes).0).sum();
    let lacked = |size| {
        let of_one = |(plan, bytes): (Plan, Bytes)| lacked_bytes(plan.demand(), bytes.0);
        let sum = plans(size).try_fold(LackedBytes::default(), |sum, one| Some(sum.plus(of_one(one)?)));
        sum.map(|sum| (size, sum))
    };
    CollectiveLayout {
        group,
        bus_bytes: sizes.iter().map(|&size| (size, bus_bytes(size))).collect(),
        lacked: sizes.iter().filter_map(|&size| lacked(size)).collect(),
    }
}

fn lacked_bytes(demand: Demand, size: u64) -> Option<LackedBytes> {
    let none = LackedBytes::default();
    match demand {
        Demand::Blocks(times) => Some(LackedBytes { shared: times * size, ..none }),
        Demand::Pairs => Some(LackedBytes { each: size, ..none }),
        Demand::Vector => Some(LackedBytes { whole: size, ..none }),
        Demand::Unknown => None,
    }
}
