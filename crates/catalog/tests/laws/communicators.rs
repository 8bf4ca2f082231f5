//! A collective in groups sends what the same collective sends in a job of each group, at the same times.

use netloom_catalog::expand;
use netloom_catalog::workload::collective::{self, SPECS};
use netloom_model::{
    Bucket, Collective, FabricService, Hosts, Job, Order, Phase, RankGroups, Repetition, Work, Workload,
};
use netloom_units::{Bytes, HostId, Random, Time};

use crate::executor::{Delay, run};

const DELAY: u64 = 1000;

fn job(ranks: Vec<HostId>, groups: Vec<RankGroups>, collectives: &[Collective]) -> Job {
    let bucket = |collective: &Collective| Bucket {
        collectives: vec![collective.clone()],
        size: Bytes(0),
        bus_bytes: Bytes(0),
    };
    let buckets = collectives.iter().map(bucket).collect();
    Job {
        ranks,
        groups,
        schedule: Vec::new(),
        steps: 2,
        phases: vec![Phase::Communicate { buckets, concurrent: false, barrier: false }],
        start: Time::ZERO,
        handling: FabricService::default(),
        repetition: Repetition::default(),
    }
}

/// Every message: when, from which host to which one, and its size; in order.
fn messages(jobs: Vec<Job>, n_hosts: usize) -> Vec<(u64, HostId, HostId, u64)> {
    let workload = Workload { jobs, background: None, staged: None, finite: None, hosts: Hosts::default() };
    let mut work = expand(&workload, n_hosts, 1).unwrap();
    let hosts = work.actors().to_vec();
    let trace = run(&mut work, Delay::Fixed(DELAY), 0);
    let sends = trace.sends.iter();
    let mut all: Vec<_> =
        sends.map(|(at, actor, message)| (*at, hosts[*actor as usize], message.to, message.size.0)).collect();
    all.sort_unstable();
    all
}

/// Disjoint groups of some of the ranks, in any order.
fn random_groups(random: &mut Random, n_ranks: u32) -> RankGroups {
    let mut ranks: Vec<u32> = (0..n_ranks).collect();
    random.shuffle(&mut ranks);
    ranks.truncate(1 + random.below(n_ranks) as usize);
    let mut lists = Vec::new();
    while !ranks.is_empty() {
        let size = 1 + random.below(ranks.len().min(6) as u32) as usize;
        lists.push(ranks.split_off(ranks.len() - size));
    }
    RankGroups { lists }
}

#[test]
fn groups_are_jobs_of_their_own() {
    let mut random = Random::stream(11, 0, 0);
    for case in 0..60 {
        let n_ranks = 2 + random.below(20);
        let mut hosts: Vec<HostId> = (0..n_ranks).map(HostId).collect();
        random.shuffle(&mut hosts);
        let groups = random_groups(&mut random, n_ranks);
        let algorithm = random.below(SPECS.len() as u32) as u16;
        let collective = Collective {
            algorithm,
            settings: SPECS[usize::from(algorithm)].defaults(),
            size: Bytes(u64::from(1 + random.below(5000))),
            dependent: random.below(2) == 0,
            order: Order::Rank,
            groups: Some(0),
        };
        let alone = Collective { groups: None, ..collective.clone() };
        let members = |list: &Vec<u32>| list.iter().map(|&rank| hosts[rank as usize]).collect();
        let jobs =
            groups.lists.iter().map(|list| job(members(list), Vec::new(), std::slice::from_ref(&alone)));
        let expected = messages(jobs.collect(), n_ranks as usize);
        let one = job(hosts.clone(), vec![groups], &[collective]);
        assert_eq!(messages(vec![one], n_ranks as usize), expected, "case {case}");
    }
}

#[test]
fn kinds_of_groups_follow_each_other_rank_by_rank() {
    // Six ranks as 3 x 2: a ring along rows, then one along columns, which starts where both are done.
    let kinds = vec![
        RankGroups { lists: vec![vec![0, 1, 2], vec![3, 4, 5]] },
        RankGroups { lists: vec![vec![0, 3], vec![1, 4], vec![2, 5]] },
    ];
    let ring = collective::number_of("ring_all_gather").expect("in the registry");
    let along = |kind| Collective {
        algorithm: ring,
        settings: SPECS[usize::from(ring)].defaults(),
        size: Bytes(600),
        dependent: true,
        order: Order::Rank,
        groups: Some(kind),
    };
    let hosts = (0..6).map(HostId).collect();
    let all = messages(vec![job(hosts, kinds, &[along(0), along(1)])], 6);
    let at = |time: u64| all.iter().filter(|message| message.0 == time).map(|message| message.3).sum::<u64>();
    // Two rounds of 200 bytes from each of six ranks, then one of 300, in each of two steps.
    assert_eq!([0, 1, 2, 3, 4, 5].map(|round| at(round * DELAY)), [1200, 1200, 1800, 1200, 1200, 1800]);
}
