//! Jobs expand into the operations of their description, lazily, and end whatever the skew.

use std::collections::{BTreeMap, BTreeSet};

use netloom_catalog::workload::collective::{self, SPECS};
use netloom_catalog::{TrainingWork, WorkloadError, expand};
use netloom_model::{
    Bucket, Collective, FabricService, Hosts, Job, Mark, Message, Order, Phase, PointToPoint, Repetition,
    Work, Workload,
};
use netloom_units::{Bytes, Duration, HostId, Random, Time, Value};

use crate::background;
use crate::executor::{Delay, Trace, run};

const DELAY: u64 = 1000;

fn collective(name: &str, size: u64, dependent: bool, order: Order) -> Collective {
    let algorithm = collective::number_of(name).expect("in the registry");
    let settings = SPECS[usize::from(algorithm)].defaults();
    Collective { algorithm, settings, size: Bytes(size), dependent, order, groups: None }
}

fn bucket(names: &[&str], dependent: bool) -> Bucket {
    let each = |name: &&str| collective(name, 1 << 20, dependent, Order::Shuffled);
    collective::bucket(names.iter().map(each).collect(), |_| 8).unwrap()
}

fn communicate(buckets: Vec<Bucket>, concurrent: bool, barrier: bool) -> Phase {
    Phase::Communicate { buckets, concurrent, barrier }
}

fn job(n: u32, steps: u32, phases: Vec<Phase>) -> Workload {
    let ranks = (0..n).map(HostId).collect();
    Workload {
        jobs: vec![Job {
            ranks,
            groups: Vec::new(),
            schedule: Vec::new(),
            steps,
            phases,
            start: Time::ZERO,
            handling: FabricService::default(),
            repetition: Repetition::default(),
        }],
        background: None,
        staged: None,
        finite: None,
        hosts: Hosts::default(),
    }
}

fn work(workload: &Workload) -> TrainingWork {
    expand(workload, 64, 3).unwrap()
}

fn trace(workload: &Workload) -> Trace {
    run(&mut work(workload), Delay::Fixed(DELAY), 0)
}

const BOTH: [&str; 2] = ["ring_reduce_scatter", "ring_all_gather"];

fn a_busy_step() -> Vec<Phase> {
    vec![
        Phase::Compute { span: Duration(500) },
        communicate(vec![bucket(&BOTH, true), bucket(&BOTH, false)], false, true),
        communicate(
            vec![bucket(&["ring_all_reduce"], true), bucket(&["all_to_all_linear"], true)],
            true,
            true,
        ),
        Phase::Barrier,
        communicate(vec![bucket(&["all_to_all_pairwise"], true)], false, false),
    ]
}

#[test]
fn marks_and_barriers_are_complete_and_in_order() {
    let trace = trace(&job(8, 3, a_busy_step()));
    // Two buckets in sequence with a barrier each, one for the concurrent ones, one phase of its own.
    assert_eq!(trace.releases, BTreeMap::from([(0, 3 * 4)]));
    let mut count: BTreeMap<Mark, u32> = BTreeMap::new();
    let mut open: BTreeSet<(u32, u32, u16, u16)> = BTreeSet::new();
    // Phases and barriers of a rank, which follow each other.
    let mut inside: BTreeMap<u32, (u16, bool)> = BTreeMap::new();
    for &(_, actor, mark) in &trace.marks {
        *count.entry(mark).or_default() += 1;
        match mark {
            Mark::CollectiveBegins { step, phase, bucket, .. } => {
                assert!(open.insert((actor, step, phase, bucket)));
            }
            Mark::CollectiveEnds { step, phase, bucket, .. } => {
                assert!(open.remove(&(actor, step, phase, bucket)));
            }
            Mark::PhaseBegins { phase, .. } | Mark::BarrierBegins { phase, .. } => {
                assert!(open.iter().all(|entry| entry.0 != actor));
                let is_barrier = matches!(mark, Mark::BarrierBegins { .. });
                assert_eq!(inside.insert(actor, (phase, is_barrier)), None);
            }
            Mark::PhaseEnds { phase, .. } | Mark::BarrierEnds { phase, .. } => {
                assert!(open.iter().all(|entry| entry.0 != actor));
                let is_barrier = matches!(mark, Mark::BarrierEnds { .. });
                assert_eq!(inside.remove(&actor), Some((phase, is_barrier)));
            }
            Mark::ComputeBegins { .. } | Mark::ComputeEnds { .. } => panic!("there is no pipeline"),
            Mark::StepBegins { .. } | Mark::StepEnds { .. } => {
                assert!(open.iter().all(|entry| entry.0 != actor) && !inside.contains_key(&actor));
            }
        }
    }
    assert!(open.is_empty());
    // Two buckets of phase 1 have a barrier each: two spans of communication, and two barriers.
    let is_twice = |mark: &Mark| {
        matches!(
            mark,
            Mark::PhaseBegins { phase: 1, .. }
                | Mark::PhaseEnds { phase: 1, .. }
                | Mark::BarrierBegins { phase: 1, .. }
                | Mark::BarrierEnds { phase: 1, .. }
        )
    };
    assert!(count.iter().all(|(mark, &n)| n == if is_twice(mark) { 16 } else { 8 }), "{count:?}");
    // Of a step: itself, five buckets, four phases, and barriers of three phases.
    assert_eq!(count.len(), 3 * 2 * (1 + 5 + 4 + 3));
}

#[test]
fn concurrent_buckets_share_the_time_and_each_ends_by_itself() {
    let two = vec![bucket(&["ring_all_gather"], true), bucket(&["ring_all_reduce"], true)];
    let ends = |concurrent| {
        let trace = trace(&job(8, 1, vec![communicate(two.clone(), concurrent, false)]));
        let end = |wanted| {
            let ends = trace.marks.iter().filter(
                move |(_, _, mark)| matches!(mark, Mark::CollectiveEnds { bucket, .. } if *bucket == wanted),
            );
            ends.map(|mark| mark.0).max().unwrap()
        };
        [end(0), end(1)]
    };
    assert_eq!(ends(true), [7 * DELAY, 14 * DELAY]);
    assert_eq!(ends(false), [7 * DELAY, 21 * DELAY]);
}

#[test]
fn collectives_of_a_bucket_run_concurrently() {
    for (names, expected) in [(&BOTH[..], 7), (&["ring_all_reduce", "all_to_all_linear", "incast"][..], 14)] {
        let phases = vec![communicate(vec![bucket(names, true)], false, false)];
        assert_eq!(trace(&job(8, 1, phases)).end, expected * DELAY);
    }
}

#[test]
fn the_size_of_refills_has_no_effect() {
    let workload = job(8, 4, a_busy_step());
    for seed in 0..5 {
        let delay = || Delay::Random(Random::stream(seed, 2, 2), 50_000);
        let mut lean = run(&mut work(&workload), delay(), 0);
        let mut eager = run(&mut work(&workload), delay(), 500);
        (lean.most_held, eager.most_held) = (0, 0);
        assert_eq!(lean, eager);
    }
}

#[test]
fn operations_are_made_as_they_are_needed() {
    let lone = communicate(vec![bucket(&["ring_all_reduce"], true); 10], false, true);
    let trace_of = |phases| trace(&job(64, 20, phases)).most_held;
    assert!(trace_of(vec![lone.clone()]) <= 80, "one stream");
    // A rank with several streams holds at most what one stream is ahead of the others, never more than a bucket.
    let lanes = communicate(vec![bucket(&BOTH, true)], false, false);
    let held = trace_of(vec![lanes, lone, Phase::Compute { span: Duration(1) }]);
    assert!(held <= 300, "several streams, then one: {held}");
}

#[test]
fn seventeen_streams_are_rejected_but_bursts_share_one() {
    let buckets = |n, dependent| vec![bucket(&["ring_all_gather"], dependent); n];
    let refused = expand(&job(8, 1, vec![communicate(buckets(17, true), true, false)]), 8, 1);
    let expected = WorkloadError::TooManyStreams { job: 0, phase: 0, wanted: 17, limit: 16 };
    assert_eq!(refused.err(), Some(expected));
    let sixteen = trace(&job(8, 1, vec![communicate(buckets(16, true), true, false)]));
    assert_eq!(sixteen.end, 7 * DELAY);
    let names = ["ring_all_gather"; 40];
    let shared = trace(&job(8, 1, vec![communicate(vec![bucket(&names, false)], true, false)]));
    assert_eq!((shared.end, shared.sends.len()), (DELAY, 40 * 8 * 7));
}

fn stages(dependent: bool, backward: bool, gap: u64) -> PointToPoint {
    PointToPoint {
        stages: (0..4).map(|stage| (4 * stage..4 * stage + 4).collect()).collect(),
        groups: None,
        microbatches: 4,
        size: Bytes(100),
        backward,
        dependent,
        gap: Duration(gap),
        gap_from_run_start: true,
        barrier: true,
    }
}

/// Message starts as (time, from, to), sorted.
fn starts(trace: &Trace) -> Vec<(u64, u32, u32)> {
    let mut starts: Vec<_> = trace.sends.iter().map(|send| (send.0, send.1, send.2.to.0)).collect();
    starts.sort_unstable();
    starts
}

#[test]
fn stages_without_dependence_start_on_the_clock_of_the_run() {
    let phases =
        vec![Phase::PointToPoint(stages(false, false, 75)), Phase::PointToPoint(stages(false, true, 75))];
    let trace = trace(&job(16, 2, phases));
    let mut expected = Vec::new();
    for (microbatch, hop, position) in
        (0..4).flat_map(|m| (0..3).flat_map(move |j| (0..4).map(move |i| (m, j, i))))
    {
        let from = 4 * hop + position;
        expected.push(((microbatch + u64::from(hop)) * 75, from, from + 4));
    }
    expected.sort_unstable();
    assert_eq!(starts(&trace)[..48], expected);
    // All start times have passed by then, so later phases are one burst.
    let back: Vec<_> = trace.sends[48..96].iter().map(|send| (send.0, send.2.to.0 + 4 == send.1)).collect();
    assert!(back.iter().all(|&(at, backwards)| at == back[0].0 && backwards));
    assert_eq!(trace.sends.len(), 4 * 48);
    assert_eq!(trace.releases, BTreeMap::from([(0, 4)]));
}

#[test]
fn dependent_stages_forward_received_messages() {
    let trace = trace(&job(16, 1, vec![Phase::PointToPoint(stages(true, false, 0))]));
    assert_eq!(trace.end, 3 * DELAY);
    for (at, from, _) in starts(&trace) {
        assert_eq!(at, u64::from(from / 4) * DELAY);
    }
    let random = Delay::Random(Random::stream(9, 9, 9), 5000);
    let workload =
        job(16, 6, vec![Phase::PointToPoint(PointToPoint { barrier: false, ..stages(true, false, 0) })]);
    assert_eq!(run(&mut work(&workload), random, 0).sends.len(), 6 * 48);
}

#[test]
fn a_gap_may_count_from_the_phase() {
    let mut from_phase = stages(false, false, 75);
    from_phase.gap_from_run_start = false;
    let phases = vec![Phase::Compute { span: Duration(10_000) }, Phase::PointToPoint(from_phase.clone())];
    let all = starts(&trace(&job(16, 1, phases)));
    assert_eq!((all[0].0, all[47].0), (10_000, 10_000 + 5 * 75));
    from_phase.dependent = true;
    let refused = expand(&job(16, 1, vec![Phase::PointToPoint(from_phase)]), 16, 1);
    assert!(matches!(refused, Err(WorkloadError::Stages { .. })));
}

#[test]
fn actors_are_ranks_job_by_job_and_then_background_by_host() {
    let one = |hosts: &[u32], start| Job {
        groups: Vec::new(),
        schedule: Vec::new(),
        ranks: hosts.iter().copied().map(HostId).collect(),
        steps: 2,
        phases: vec![communicate(vec![bucket(&["all_to_all_linear"], true)], false, true)],
        start: Time(start),
        handling: FabricService::default(),
        repetition: Repetition::default(),
    };
    let background = background::of_mice(3, 8, &[("end", Value::Duration(Duration::from_millis(3)))]);
    let drawn = background::drained(&background);
    let workload = Workload {
        jobs: vec![one(&[3, 1], 0), one(&[7, 5, 4], 777)],
        background: Some(background),
        staged: None,
        finite: None,
        hosts: Hosts::default(),
    };
    let mut work = expand(&workload, 24, 3).unwrap();
    assert!(work.actors().iter().map(|host| host.0).eq([3, 1, 7, 5, 4].into_iter().chain(0..24)));
    assert_eq!((work.barrier_size(0), work.barrier_size(1)), (2, 3));
    let trace = run(&mut work, Delay::Fixed(1), 0);
    let of_job = |job| trace.sends.iter().filter(move |send| send.2.job == job);
    assert_eq!(of_job(1).map(|send| send.0).min(), Some(777));
    let tags = |job| of_job(job).map(|send| send.2.tag).collect::<BTreeSet<_>>();
    assert!(tags(0).is_disjoint(&tags(1)));
    let sent: Vec<_> = of_job(Message::BACKGROUND).map(|send| (send.0, send.1 - 5, send.2.to)).collect();
    assert_eq!(drawn.len(), 3);
    assert!(sent.into_iter().eq(drawn.iter().map(|sent| (sent.at, sent.from, HostId(sent.to)))));
}

#[test]
fn given_orders_are_used_in_the_order_of_collectives() {
    let lists = vec![vec![0, 1, 2], vec![0, 2, 1], vec![2, 1, 0]];
    let two = BOTH.map(|name| collective(name, 300, false, Order::Given(lists.clone())));
    let bucket = collective::bucket(two.to_vec(), |_| 3).unwrap();
    let trace = trace(&job(3, 2, vec![communicate(vec![bucket], false, true)]));
    let next_of_rank_0: Vec<u32> =
        trace.sends.iter().filter(|send| send.1 == 0).map(|send| send.2.to.0).collect();
    // Step 0 takes lists 0 and 1, step 1 lists 2 and 0; two messages each.
    assert_eq!(next_of_rank_0, [1, 1, 2, 2, 2, 2, 1, 1]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |workload: &Workload| expand(workload, 8, 1).expect_err("refused");
    assert_eq!(refused(&job(0, 1, vec![])), WorkloadError::NoRanks { job: 0 });
    assert_eq!(refused(&job(9, 1, vec![])), WorkloadError::NoSuchHost { host: HostId(8), n_hosts: 8 });
    let mut twice = job(3, 1, vec![]);
    twice.jobs[0].ranks[2] = HostId(1);
    assert_eq!(refused(&twice), WorkloadError::NoLocalRate { job: 0, host: HostId(1) });
    let with = |one: Collective| {
        let bucket = Bucket { collectives: vec![one], size: Bytes(0), bus_bytes: Bytes(0) };
        refused(&job(3, 1, vec![communicate(vec![bucket], false, false)]))
    };
    let bad_order = collective("incast", 1, true, Order::Given(vec![vec![0, 1, 1]]));
    assert_eq!(with(bad_order), WorkloadError::Order { job: 0, phase: 0, n_ranks: 3 });
    let mut unknown = collective("incast", 1, true, Order::Rank);
    unknown.algorithm = 999;
    assert!(matches!(with(unknown), WorkloadError::Collective { .. }));
    let uneven = PointToPoint { stages: vec![vec![0, 1], vec![2]], ..stages(true, false, 0) };
    let twice = PointToPoint { stages: vec![vec![0], vec![0]], ..stages(true, false, 0) };
    let absent = PointToPoint { stages: vec![vec![0], vec![7]], ..stages(true, false, 0) };
    for wrong in [uneven, twice, absent] {
        let error = refused(&job(3, 1, vec![Phase::PointToPoint(wrong)]));
        assert!(matches!(error, WorkloadError::Stages { .. }), "{error}");
    }
    let very_many =
        job(8, u32::MAX, vec![communicate(vec![bucket(&["ring_all_reduce"], true)], false, false)]);
    assert!(
        expand(&very_many, 8, 1).is_ok(),
        "expansion is lazy: four thousand million steps take no memory"
    );
}
