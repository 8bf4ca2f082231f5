//! Costs of messages at hosts: grants are sent once and used once, posting takes time, receives match the messages.

use std::collections::BTreeMap;

use netloom_catalog::workload::collective::{self, Plan, SPECS, Step};
use netloom_catalog::{WorkloadError, expand};
use netloom_model::{
    Bucket, Collective, FabricService, Hosts, Job, Message, Operation, Order, Phase, Repetition, Work,
    Workload,
};
use netloom_units::{ActorId, Bytes, Duration, HostId, Random, Rate, Settings, Time, Value};

use crate::executor::{Delay, Trace, run};

/// Every algorithm that lists its receives, and some with other parameters.
fn cases() -> Vec<(&'static str, Settings)> {
    let all = SPECS.iter().map(|spec| (spec.name, spec.defaults()));
    let variant = |name, key, value| {
        let spec = SPECS.iter().find(|spec| spec.name == name).expect("in the registry");
        (spec.name, spec.defaults().with(key, value))
    };
    let same = variant("all_to_all_linear", "posting", Value::Choice("same"));
    let chunks =
        ["ring_all_reduce", "tree_all_reduce"].map(|name| variant(name, "chunk", Value::Size(Bytes(300))));
    let servers =
        ["hierarchical_all_reduce", "pxn_all_to_all"].map(|name| variant(name, "server", Value::Count(2)));
    all.chain([same])
        .chain(chunks)
        .chain(servers)
        .filter(|case| Plan::new(&collective(case, 1000, true), 4).unwrap().lists_receives())
        .collect()
}

/// Whether an algorithm is possible with this number of ranks.
fn fits(case: &(&'static str, Settings), n: u32) -> bool {
    Plan::new(&collective(case, 1, true), n).is_ok()
}

fn collective((name, settings): &(&'static str, Settings), size: u64, dependent: bool) -> Collective {
    let algorithm = collective::number_of(name).expect("in the registry");
    Collective {
        algorithm,
        settings: settings.clone(),
        size: Bytes(size),
        dependent,
        order: Order::Shuffled,
        groups: None,
    }
}

fn job(n: u32, collectives: Vec<Collective>, hosts: Hosts, repetition: Repetition) -> Workload {
    let bucket = Bucket { collectives, size: Bytes(0), bus_bytes: Bytes(0) };
    let phases = vec![Phase::Communicate { buckets: vec![bucket], concurrent: false, barrier: false }];
    let ranks = (0..n).map(HostId).collect();
    let handling = FabricService::default();
    let steps = if repetition.endless { u32::MAX } else { 3 };
    let job = Job {
        ranks,
        groups: Vec::new(),
        schedule: Vec::new(),
        steps,
        phases,
        start: Time::ZERO,
        handling,
        repetition,
    };
    Workload { jobs: vec![job], background: None, staged: None, finite: None, hosts }
}

fn traced(workload: &Workload, n: u32, delay: Delay) -> Trace {
    run(&mut expand(workload, n as usize, 1).unwrap(), delay, 0)
}

#[test]
fn listed_receives_match_the_messages() {
    assert_eq!(cases().len(), 20);
    for case in cases() {
        for (n, size) in
            (1..9).filter(|&n| fits(&case, n)).flat_map(|n| [0, 1, 5, 1000, 1 << 20].map(|size| (n, size)))
        {
            let plan = Plan::new(&collective(&case, size, true), n).unwrap();
            // (receiver, sender, tag, bytes), and their number.
            let [mut reported, mut sent] = [BTreeMap::new(), BTreeMap::new()];
            for position in 0..n {
                for index in 0.. {
                    let Some(step) = plan.operation(position, index) else { break };
                    for receive in (0..).map_while(|number| plan.posted(position, index, number)) {
                        if receive.bytes > 0 {
                            *reported
                                .entry((position, receive.from, receive.tag, receive.bytes))
                                .or_insert(0) += 1;
                        }
                    }
                    if let Step::Send { to, tag, bytes } = step {
                        *sent.entry((to, position, tag, bytes)).or_insert(0) += 1;
                    }
                }
            }
            assert_eq!(reported, sent, "{} n {n} size {size}", case.0);
        }
    }
}

/// Hosts add what was posted before a wait: over a reduction every byte of every rank once.
#[test]
fn every_byte_is_added_once() {
    for case in cases() {
        for (n, size) in
            (1..20).filter(|&n| fits(&case, n)).flat_map(|n| [0, 1, 5, 1000, 6 << 10].map(|size| (n, size)))
        {
            let plan = Plan::new(&collective(&case, size, true), n).unwrap();
            let mut added = 0;
            for position in 0..n {
                let mut posted = 0;
                for (index, step) in (0..).map_while(|index| Some((index, plan.operation(position, index)?)))
                {
                    let receives = (0..).map_while(|number| plan.posted(position, index, number));
                    posted += receives.map(|receive| receive.bytes).sum::<u64>();
                    if matches!(step, Step::Receive { .. }) {
                        added += if plan.adds(index) { posted } else { 0 };
                        posted = 0;
                    }
                }
                assert_eq!(posted, 0, "{}: posted and not waited for", case.0);
            }
            let is_reduction = case.0.contains("reduce") && case.0 != "in_network_all_reduce";
            let expected = if is_reduction { u64::from(n - 1) * size } else { 0 };
            assert_eq!(added, expected, "{} n {n} size {size}", case.0);
        }
    }
}

#[test]
fn every_large_message_is_granted_once_and_awaited_by_its_sender() {
    let hosts = Hosts { rendezvous: Some(Bytes(100)), ..Hosts::default() };
    for case in cases() {
        for (n, seed) in (1..7).filter(|&n| fits(&case, n)).flat_map(|n| [(n, 3), (n, 4)]) {
            // Small ones as well, concurrent with large ones.
            let collectives = vec![collective(&case, 1 << 12, true), collective(&case, 7, true)];
            let plain = job(n, collectives.clone(), Hosts::default(), Repetition::default());
            let granted = job(n, collectives, hosts, Repetition::default());
            let random = || Delay::Random(Random::stream(seed, 1, 0), 900);
            let [plain, granted] = [&plain, &granted].map(|workload| traced(workload, n, random()));
            let is_large = |bytes: u64| bytes >= 100;
            let n_large = plain.sends.iter().filter(|send| is_large(send.2.size.0)).count();
            let waited = granted.sends.iter().filter(|send| send.2.completion.is_some());
            assert!(waited.clone().all(|send| is_large(send.2.size.0)), "{}", case.0);
            assert_eq!(waited.count(), n_large, "{}", case.0);
            let n_grants = granted.sends.len() - plain.sends.len();
            assert_eq!(n_grants, n_large, "{} n {n}", case.0);
            assert_eq!(
                granted.bytes_sent(),
                plain.bytes_sent() + u128::from(Hosts::GRANT.0) * n_grants as u128
            );
        }
    }
}

#[test]
fn a_message_starts_after_its_receiver_has_posted() {
    let hosts = Hosts { rendezvous: Some(Bytes(1)), ..Hosts::default() };
    for case in cases().into_iter().filter(|case| fits(case, 5)) {
        let all = traced(
            &job(5, vec![collective(&case, 5000, true)], hosts, Repetition::default()),
            5,
            Delay::Fixed(100),
        );
        for (at, actor, message) in all.sends.iter().filter(|send| send.2.completion.is_some()) {
            let grants = all.sends.iter().filter(|(granted, from, grant)| {
                let back = message.to.0 == *from && grant.to.0 == *actor;
                back && grant.completion.is_none() && grant.step == message.step && granted + 100 <= *at
            });
            assert!(grants.count() > 0, "{}: {message:?}", case.0);
        }
    }
}

#[test]
fn granted_chunks_are_sent_on_only_once_they_have_arrived() {
    let hosts = Hosts { rendezvous: Some(Bytes(1)), ..Hosts::default() };
    let chunks =
        |case: &(&'static str, Settings)| case.1.iter().any(|(_, value)| value == Value::Size(Bytes(300)));
    let case = cases().into_iter().find(|case| case.0 == "ring_all_reduce" && chunks(case));
    // All parts of 3000 bytes have the same number of chunks.
    let ring = Collective { order: Order::Rank, ..collective(&case.expect("it is listed"), 3000, true) };
    for (n, seed) in (3..6).flat_map(|n| (0..10).map(move |seed| (n, seed))) {
        let workload = job(n, vec![ring.clone()], hosts, Repetition::default());
        let all = traced(&workload, n, Delay::Random(Random::stream(seed, 2, 0), 900));
        let of_step = |step| {
            let is_data =
                move |send: &&(u64, u32, Message)| send.2.completion.is_some() && send.2.step == step;
            all.sends.iter().filter(is_data)
        };
        for step in 0..2 {
            let first = of_step(step).map(|send| send.2.tag).min().expect("it sends");
            let started: BTreeMap<(u32, u64), u64> =
                of_step(step).map(|(at, rank, message)| ((*rank, message.tag - first), *at)).collect();
            let n_chunks = started.len() as u64 / u64::from(n) / u64::from(2 * (n - 1));
            assert!(n_chunks > 1, "{n_chunks}");
            for (&(rank, transfer), at) in started.iter().filter(|(key, _)| key.1 >= n_chunks) {
                let received = started[&((rank + n - 1) % n, transfer - n_chunks)];
                assert!(received < *at, "n {n}, seed {seed}: rank {rank}, transfer {transfer}");
            }
        }
    }
}

#[test]
fn a_rank_posts_one_message_after_the_other() {
    let linear = cases()
        .into_iter()
        .find(|case| case.1.iter().any(|(_, value)| value == Value::Choice("same")))
        .unwrap();
    let hosts = Hosts { send_overhead: Duration(10), receive_overhead: Duration(7), ..Hosts::default() };
    let mut one = collective(&linear, 1000, true);
    one.order = Order::Rank;
    let workload = Workload {
        jobs: job(4, vec![one], hosts, Repetition::default())
            .jobs
            .into_iter()
            .map(|job| Job { steps: 1, ..job })
            .collect(),
        ..job(4, Vec::new(), hosts, Repetition::default())
    };
    let all = traced(&workload, 4, Delay::Fixed(100));
    let of =
        |rank: u32| all.sends.iter().filter(move |send| send.1 == rank).map(|send| (send.0, send.2.to.0));
    for rank in 0..4 {
        let to = (0..4).filter(|&to| to != rank);
        assert!(of(rank).eq((1..=3).map(|posted| posted * 10).zip(to)), "rank {rank}");
    }
    // The last message starts after three postings and takes 100; three messages are received.
    assert_eq!(all.end, 30 + 100 + 3 * 7);
}

#[test]
fn received_chunks_are_reduced_and_copied_before_the_next_round() {
    let rate = |bytes_per_ps: u64| Some(Rate(bytes_per_ps * 8_000_000_000_000));
    let hosts = Hosts { reduction: rate(2), copy: rate(5), ..Hosts::default() };
    for (name, adding, rounds) in
        [("ring_all_gather", 0, 3), ("ring_reduce_scatter", 3, 3), ("ring_all_reduce", 3, 6)]
    {
        let case = cases().into_iter().find(|case| case.0 == name).unwrap();
        let workload = job(4, vec![collective(&case, 4000, true)], hosts, Repetition::default());
        let all = traced(&workload, 4, Delay::Fixed(100));
        assert_eq!(all.end, 3 * (rounds * (100 + 1000 / 5) + adding * 1000 / 2), "{name}");
    }
}

#[test]
fn algorithms_without_known_senders_are_rejected() {
    let hosts = Hosts { rendezvous: Some(Bytes(100)), ..Hosts::default() };
    for name in ["broadcast_tree", "broadcast_chain", "permutation"] {
        let spec = SPECS.iter().find(|spec| spec.name == name).expect("in the registry");
        let one = collective(&(name, spec.defaults()), 1000, true);
        let refused = expand(&job(4, vec![one.clone()], hosts, Repetition::default()), 4, 1);
        let Err(WorkloadError::Collective { reason, .. }) = refused else { panic!("{name} is accepted") };
        assert!(reason.contains(name) && reason.contains("rendezvous"), "{reason}");
        assert!(expand(&job(4, vec![one], Hosts::default(), Repetition::default()), 4, 1).is_ok());
    }
}

#[test]
fn endless_steps_must_wait_for_something() {
    let incast = cases().into_iter().find(|case| case.0 == "incast").unwrap();
    let endless = Repetition { endless: true, ..Repetition::default() };
    let granting = Hosts { rendezvous: Some(Bytes(100)), ..Hosts::default() };
    let of = |size, hosts, repetition| {
        expand(&job(4, vec![collective(&incast, size, true)], hosts, repetition), 4, 1)
    };
    // A sender without rendezvous waits for nothing.
    for (size, hosts) in [(1000, Hosts::default()), (99, granting)] {
        let refused = of(size, hosts, endless).expect_err("rank 1 never waits");
        assert_eq!(refused, WorkloadError::NeverWaits { job: 0, rank: 1 });
        assert!(of(size, hosts, Repetition { aligned: true, ..endless }).is_ok());
    }
    // So are very many steps, which would all be at one instant.
    for (steps, is_refused) in [(50_000, false), (500_001, true)] {
        let mut many = job(4, vec![collective(&incast, 1000, true)], Hosts::default(), Repetition::default());
        many.jobs[0].steps = steps;
        assert_eq!(
            expand(&many, 4, 1).err(),
            is_refused.then_some(WorkloadError::NeverWaits { job: 0, rank: 1 })
        );
    }
    let mut work = of(1000, granting, endless).expect("every sender waits for its grants");
    let mut handed = std::collections::VecDeque::new();
    for _ in 0..50 {
        work.refill(ActorId(1), &mut handed);
    }
    let n_sends = handed.iter().filter(|item| matches!(item.operation, Operation::SendWhen { .. })).count();
    assert!(n_sends > 100, "{n_sends}: the steps do not end");
}

#[test]
fn ranks_of_one_host_pass_data_at_the_local_rate_and_send_the_rest() {
    // Eight ranks on four hosts, in a ring: every second message stays on its host.
    let local = Some(Rate(8_000_000_000));
    for rendezvous in [None, Some(Bytes(1))] {
        let hosts = Hosts { local, rendezvous, ..Hosts::default() };
        let ring = collective(&("ring_all_gather", SPECS[0].defaults()), 8000, true);
        let mut workload =
            job(8, vec![Collective { order: Order::Rank, ..ring }], hosts, Repetition::default());
        workload.jobs[0].ranks = (0..8).map(|rank| HostId(rank / 2)).collect();
        workload.jobs[0].steps = 1;
        let trace = traced(&workload, 4, Delay::Fixed(1000));
        let data = trace.sends.iter().filter(|(_, _, message)| message.size == Bytes(1000));
        assert!(data.clone().all(|(_, rank, message)| rank % 2 == 1 && message.to.0 == (rank / 2 + 1) % 4));
        assert_eq!(data.count(), 4 * 7);
        if rendezvous.is_none() {
            // A chunk takes a microsecond within a host and a nanosecond between hosts: each rank waits for the
            // slower of the two, in each of seven rounds but the first of a sender to another host.
            assert_eq!(trace.end, 7 * 1_000_000);
        }
        workload.hosts.local = None;
        let refused = expand(&workload, 4, 1).expect_err("refused");
        assert_eq!(refused, WorkloadError::NoLocalRate { job: 0, host: HostId(0) });
    }
}
