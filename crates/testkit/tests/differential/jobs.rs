//! Random small jobs: any collective, in groups or of all ranks, computing beside it, pipelines, several ranks on a
//! host.

use netloom_catalog::expand;
use netloom_catalog::workload::collective::{self, SPECS};
use netloom_model::{
    Bucket, Collective, FabricService, Hosts, Job, Order, Phase, Pipeline, PipelineOrder, PointToPoint,
    RankGroups, Repetition, ScheduledPhase, Workload,
};
use netloom_units::{Bytes, Duration, HostId, Random, Rate, Time};

/// The jobs of a scene; those that cannot be expanded are drawn again.
pub fn random(seed: u64, n_hosts: u32) -> Workload {
    let mut random = Random::stream(seed, 91, 0);
    loop {
        let workload = draw(&mut random, n_hosts);
        if expand(&workload, n_hosts as usize, seed).is_ok() {
            return workload;
        }
    }
}

/// One job, or two on different hosts.
fn draw(random: &mut Random, n_hosts: u32) -> Workload {
    let mut hosts: Vec<HostId> = (0..n_hosts).map(HostId).collect();
    random.shuffle(&mut hosts);
    let second =
        hosts.split_off(if n_hosts >= 4 { 2 + random.below(n_hosts - 3) as usize } else { hosts.len() });
    let mut jobs = vec![job(random, hosts)];
    if second.len() > 1 {
        jobs.push(job(random, second));
    }
    let hosts = Hosts {
        send_overhead: Duration(u64::from(random.below(2)) * 1_237),
        local: Some(Rate(97_000_000_000)),
        ..Hosts::default()
    };
    Workload { jobs, background: None, staged: None, finite: None, hosts }
}

fn job(random: &mut Random, mut hosts: Vec<HostId>) -> Job {
    if random.below(4) == 0 {
        hosts = hosts.into_iter().flat_map(|host| [host, host]).collect();
    }
    let n_ranks = hosts.len() as u32;
    let groups = vec![random_groups(random, n_ranks)];
    let n_phases = 1 + random.below(4);
    let phases: Vec<Phase> = (0..n_phases).map(|_| phase(random, n_ranks, &groups)).collect();
    let schedule = if random.below(2) == 0 { schedule(random, &phases) } else { Vec::new() };
    Job {
        ranks: hosts,
        groups,
        steps: 1 + random.below(2),
        phases,
        schedule,
        start: Time(u64::from(random.below(50_000))),
        handling: FabricService::default(),
        repetition: Repetition::default(),
    }
}

/// Disjoint groups of at least one rank, not necessarily of all ranks.
fn random_groups(random: &mut Random, n_ranks: u32) -> RankGroups {
    let mut ranks: Vec<u32> = (0..n_ranks).collect();
    random.shuffle(&mut ranks);
    let mut lists = vec![ranks.split_off(ranks.len() - 1 - random.below(n_ranks) as usize)];
    if !ranks.is_empty() {
        lists.push(ranks);
    }
    RankGroups { lists }
}

fn schedule(random: &mut Random, phases: &[Phase]) -> Vec<ScheduledPhase> {
    let index = |number: usize| ScheduledPhase {
        stream: if phases[number].has_barrier() { 0 } else { random.below(2) as u16 },
        after: (0..number as u16).filter(|_| random.below(3) == 0).collect(),
    };
    (0..phases.len()).map(index).collect()
}

fn phase(random: &mut Random, n_ranks: u32, groups: &[RankGroups]) -> Phase {
    match random.below(8) {
        0 | 1 => Phase::Compute { span: span(random) },
        2 => Phase::Pipeline(Pipeline {
            stages: stages(n_ranks),
            groups: None,
            microbatches: 1 + random.below(4),
            size: size(random),
            forward: span(random),
            backward: span(random),
            order: [PipelineOrder::ForwardFirst, PipelineOrder::OneForwardOneBackward]
                [random.below(2) as usize],
        }),
        3 => Phase::PointToPoint(PointToPoint {
            stages: stages(n_ranks),
            groups: None,
            microbatches: 1 + random.below(3),
            size: size(random),
            backward: random.below(2) == 0,
            dependent: true,
            gap: Duration(0),
            gap_from_run_start: false,
            barrier: random.below(2) == 0,
        }),
        _ => Phase::Communicate {
            buckets: (0..=random.below(2)).map(|_| bucket(random, groups, n_ranks)).collect(),
            concurrent: random.below(2) == 0,
            barrier: random.below(3) == 0,
        },
    }
}

/// Stages of one rank each.
fn stages(n_ranks: u32) -> Vec<Vec<u32>> {
    (0..n_ranks).map(|rank| vec![rank]).collect()
}

fn bucket(random: &mut Random, groups: &[RankGroups], n_ranks: u32) -> Bucket {
    loop {
        let algorithm = random.below(SPECS.len() as u32) as u16;
        let collective = Collective {
            algorithm,
            settings: SPECS[usize::from(algorithm)].defaults(),
            size: size(random),
            dependent: random.below(3) > 0,
            order: if random.below(2) == 0 { Order::Rank } else { Order::Shuffled },
            groups: (random.below(2) == 0).then_some(0),
        };
        let largest = match collective.groups {
            Some(_) => groups[0].lists.iter().map(|list| list.len() as u32).max().unwrap_or(0),
            None => n_ranks,
        };
        if let Ok(bucket) = collective::bucket(vec![collective], |_| largest) {
            return bucket;
        }
    }
}

fn size(random: &mut Random) -> Bytes {
    Bytes(64 + u64::from(random.below(20_000)))
}

/// A time that is unlikely to be that of anything else.
fn span(random: &mut Random) -> Duration {
    Duration(1 + u64::from(random.below(4_000_000)))
}
