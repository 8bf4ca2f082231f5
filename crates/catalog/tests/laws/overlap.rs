//! Phases that overlap: each begins when the one before it in its stream and those that it waits for have ended.

use std::collections::BTreeMap;

use netloom_catalog::workload::WorkloadError;
use netloom_catalog::workload::collective::{self, SPECS};
use netloom_catalog::{TrainingWork, expand};
use netloom_model::{
    Bucket, Collective, FabricService, Hosts, Job, Mark, Order, Phase, Repetition, ScheduledPhase, Workload,
};
use netloom_units::{Bytes, Duration, HostId, Random, Rate, Time};

use crate::executor::{Delay, Trace, run};

const DELAY: u64 = 1000;
const N_RANKS: u32 = 6;
const STEPS: u32 = 3;

fn workload(phases: Vec<Phase>, schedule: Vec<ScheduledPhase>) -> Workload {
    let job = Job {
        ranks: (0..N_RANKS).map(HostId).collect(),
        groups: Vec::new(),
        steps: STEPS,
        phases,
        schedule,
        start: Time::ZERO,
        handling: FabricService::default(),
        repetition: Repetition::default(),
    };
    Workload { jobs: vec![job], background: None, staged: None, finite: None, hosts: Hosts::default() }
}

fn work(workload: &Workload) -> Result<TrainingWork, WorkloadError> {
    expand(workload, N_RANKS as usize, 1)
}

fn trace(workload: &Workload, ahead: usize) -> Trace {
    run(&mut work(workload).expect("the workload is valid"), Delay::Fixed(DELAY), ahead)
}

fn compute(span: u64) -> Phase {
    Phase::Compute { span: Duration(span) }
}

/// Buckets of collectives with dependences, so that a bucket of several takes a stream for each.
fn communicate(random: &mut Random) -> Phase {
    let names = ["ring_all_reduce", "all_to_all_pairwise", "bruck_all_gather", "all_to_all_linear"];
    let mut one = || {
        let algorithm = collective::number_of(names[random.below(4) as usize]).expect("in the registry");
        let settings = SPECS[usize::from(algorithm)].defaults();
        let size = Bytes(u64::from(6 * (1 + random.below(500))));
        Collective { algorithm, settings, size, dependent: true, order: Order::Shuffled, groups: None }
    };
    let mut bucket = |n: u32| collective::bucket((0..n).map(|_| one()).collect(), |_| N_RANKS).unwrap();
    let buckets: Vec<Bucket> = vec![bucket(1), bucket(2)];
    Phase::Communicate { buckets, concurrent: random.below(2) == 0, barrier: false }
}

/// Phases over some streams, each waiting for some before it.
fn random_phases(random: &mut Random) -> (Vec<Phase>, Vec<ScheduledPhase>) {
    let (n_phases, n_streams) = (2 + random.below(8), 2 + random.below(3));
    let mut phases = Vec::new();
    let mut schedule = Vec::new();
    for number in 0..n_phases {
        let is_compute = random.below(2) == 0;
        phases.push(if is_compute { compute(u64::from(random.below(9)) * 700) } else { communicate(random) });
        let stream = if number + 1 == n_phases { n_streams - 1 } else { random.below(n_streams) } as u16;
        let after = (0..number as u16).filter(|_| random.below(4) == 0).collect();
        schedule.push(ScheduledPhase { stream, after });
    }
    (phases, schedule)
}

/// The spans of phases: begin and end by step, rank and phase.
fn spans(trace: &Trace) -> BTreeMap<(u32, u32, u16), (u64, u64)> {
    let mut spans = BTreeMap::new();
    for &(at, rank, mark) in &trace.marks {
        match mark {
            Mark::PhaseBegins { step, phase, .. } => {
                assert!(spans.insert((step, rank, phase), (at, u64::MAX)).is_none(), "it begins once");
            }
            Mark::PhaseEnds { step, phase, .. } => {
                spans.get_mut(&(step, rank, phase)).expect("it has begun").1 = at;
            }
            _ => {}
        }
    }
    spans
}

/// How long a phase takes that has the ranks for itself; messages take the same time, whatever else is in progress.
fn span_alone(phase: &Phase) -> u64 {
    let alone = trace(&workload(vec![phase.clone()], Vec::new()), 0);
    let (begin, end) = spans(&alone)[&(0, 0, 0)];
    end - begin
}

/// Begin and end of each phase of a step that begins at an instant, phase by phase.
fn expected(phases: &[Phase], schedule: &[ScheduledPhase], start: u64) -> Vec<(u64, u64)> {
    let mut found: Vec<(u64, u64)> = Vec::new();
    for (number, (phase, scheduled)) in phases.iter().zip(schedule).enumerate() {
        let in_stream = (0..number).rev().find(|&before| schedule[before].stream == scheduled.stream);
        let awaited = scheduled.after.iter().map(|&before| usize::from(before)).chain(in_stream);
        let begin = awaited.map(|before| found[before].1).max().unwrap_or(start);
        found.push((begin, begin + span_alone(phase)));
    }
    found
}

#[test]
fn a_phase_begins_when_all_that_it_waits_for_has_ended() {
    let mut random = Random::stream(5, 0, 0);
    for case in 0..80 {
        let (phases, schedule) = random_phases(&mut random);
        let workload = workload(phases.clone(), schedule.clone());
        if let Err(WorkloadError::TooManyStreams { wanted, limit, .. }) = work(&workload) {
            assert!(wanted > limit);
            continue;
        }
        let trace = trace(&workload, random.below(60) as usize);
        let spans = spans(&trace);
        let mut start = 0;
        for step in 0..STEPS {
            let expected = expected(&phases, &schedule, start);
            for rank in 0..N_RANKS {
                let found: Vec<_> =
                    (0..phases.len() as u16).map(|phase| spans[&(step, rank, phase)]).collect();
                assert_eq!(found, expected, "case {case} step {step} rank {rank}: {schedule:?}");
            }
            // A step ends when all of its streams have ended it.
            start = expected.iter().map(|span| span.1).max().unwrap_or(start);
        }
        assert_eq!(trace.end, start, "case {case}");
    }
}

#[test]
fn results_do_not_depend_on_how_far_operations_are_handed_out() {
    let mut random = Random::stream(6, 0, 0);
    for case in 0..40 {
        let (phases, schedule) = random_phases(&mut random);
        let mut workload = workload(phases, schedule);
        // Grants and adding at hosts use tags of their own.
        if random.below(2) == 0 {
            workload.hosts = Hosts {
                send_overhead: Duration(30),
                rendezvous: Some(Bytes(300)),
                reduction: Some(Rate(80_000_000_000)),
                ..Hosts::default()
            };
        }
        if work(&workload).is_err() {
            continue;
        }
        let sorted = |ahead| {
            let Trace { mut sends, mut marks, end, .. } = trace(&workload, ahead);
            sends.sort_by_key(|(at, actor, message)| (*at, *actor, message.tag, message.to));
            marks.sort_unstable();
            (sends, marks, end)
        };
        let first = sorted(0);
        assert!(first.1.len() > 12, "there are marks");
        for ahead in [7, 100] {
            assert_eq!(sorted(ahead), first, "case {case}");
        }
    }
}

#[test]
fn a_stream_alone_is_the_job_without_streams() {
    let mut random = Random::stream(7, 0, 0);
    for _ in 0..20 {
        let (phases, schedule) = random_phases(&mut random);
        let in_one = |ScheduledPhase { after, .. }| ScheduledPhase { stream: 0, after };
        let one = schedule.into_iter().map(in_one).collect();
        assert_eq!(trace(&workload(phases.clone(), one), 3), trace(&workload(phases, Vec::new()), 3));
    }
}

#[test]
fn communication_behind_computing_costs_no_time() {
    // Three layers: gradients of one are reduced while the next one computes.
    let mut random = Random::stream(8, 0, 0);
    let reduce = communicate(&mut random);
    let span = span_alone(&reduce);
    let layer = compute(span + 1);
    let phases = vec![layer.clone(), reduce.clone(), layer.clone(), reduce.clone(), layer, reduce];
    let schedule = (0..6_u16).map(|number| match number % 2 {
        0 => ScheduledPhase { stream: 0, after: vec![] },
        _ => ScheduledPhase { stream: 1, after: vec![number - 1] },
    });
    let overlapped = trace(&workload(phases.clone(), schedule.collect()), 0);
    // Only the last reduction is exposed.
    assert_eq!(overlapped.end, u64::from(STEPS) * (3 * (span + 1) + span));
    let sequential = trace(&workload(phases, Vec::new()), 0);
    assert_eq!(sequential.end, u64::from(STEPS) * (3 * (span + 1) + 3 * span));
    assert_eq!(sequential.bytes_sent(), overlapped.bytes_sent());
}

#[test]
fn impossible_schedules_are_refused() {
    let in_stream = |stream, after: &[u16]| ScheduledPhase { stream, after: after.to_vec() };
    let refused = |phases: Vec<Phase>, schedule: Vec<ScheduledPhase>| {
        work(&workload(phases, schedule)).expect_err("it is impossible").to_string()
    };
    let two = || vec![compute(1), compute(1)];
    let forward = refused(two(), vec![in_stream(0, &[1]), in_stream(1, &[])]);
    assert_eq!(forward, "job 0, phase 0: it waits for a phase that does not come before it");
    let barrier = refused(vec![compute(1), Phase::Barrier], vec![in_stream(0, &[]), in_stream(1, &[])]);
    assert_eq!(barrier, "job 0, phase 1: only phases of the first stream may have a barrier");
    let short = refused(two(), vec![in_stream(1, &[])]);
    assert_eq!(short, "job 0, phase 0: the schedule is not one of these phases");
    let many = (0..17).map(|stream| in_stream(stream, &[])).collect();
    let wide = refused((0..17).map(|_| compute(1)).collect(), many);
    assert_eq!(wide, "job 0, phase 16: 17 collectives run concurrently, but the limit is 16");
}

#[test]
fn streams_meet_in_any_number_of_steps() {
    let mut random = Random::stream(9, 0, 0);
    let bucket = |phase| match phase {
        Phase::Communicate { buckets, .. } => {
            Phase::Communicate { buckets, concurrent: true, barrier: false }
        }
        other => other,
    };
    let phases = vec![compute(10), bucket(communicate(&mut random)), compute(20)];
    let schedule = [(0, vec![]), (1, vec![0]), (0, vec![1])];
    let schedule = schedule.map(|(stream, after)| ScheduledPhase { stream, after });
    let mut workload = workload(phases, schedule.to_vec());
    let three = trace(&workload, 0).end;
    // More steps than an eight-bit number has values.
    workload.jobs[0].steps = 300;
    assert_eq!(trace(&workload, 0).end, 100 * three);
}
