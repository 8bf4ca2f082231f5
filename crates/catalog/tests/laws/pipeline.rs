//! Pipelines: every pass begins when its stage is free and what it needs has arrived.

use std::collections::BTreeMap;

use netloom_catalog::expand;
use netloom_model::{FabricService, Hosts, Job, Mark, Phase, Pipeline, PipelineOrder, Repetition, Workload};
use netloom_units::{Bytes, Duration, HostId, Random, Time};

use crate::executor::{Delay, Trace, run};

const ORDERS: [PipelineOrder; 2] = [PipelineOrder::ForwardFirst, PipelineOrder::OneForwardOneBackward];
const FORWARD: u64 = 1_000;
const BACKWARD: u64 = 2_300;

/// A pipeline of this many stages of two ranks, the ranks of a stage not side by side.
fn pipeline(n_stages: u32, microbatches: u32, order: PipelineOrder, size: u64) -> Pipeline {
    Pipeline {
        stages: (0..n_stages).map(|stage| vec![stage, n_stages + stage]).collect(),
        groups: None,
        microbatches,
        size: Bytes(size),
        forward: Duration(FORWARD),
        backward: Duration(BACKWARD),
        order,
    }
}

fn trace(pipeline: &Pipeline, delay: u64, ahead: usize) -> Trace {
    let n_ranks = 2 * pipeline.stages.len() as u32;
    let job = Job {
        ranks: (0..n_ranks).map(HostId).collect(),
        groups: Vec::new(),
        steps: 2,
        phases: vec![Phase::Pipeline(pipeline.clone())],
        schedule: Vec::new(),
        start: Time::ZERO,
        handling: FabricService::default(),
        repetition: Repetition::default(),
    };
    let jobs = vec![job];
    let workload = Workload { jobs, background: None, staged: None, finite: None, hosts: Hosts::default() };
    let mut work = expand(&workload, n_ranks as usize, 1).expect("the workload is valid");
    run(&mut work, Delay::Fixed(delay), ahead)
}

/// Passes of a rank in a step: microbatch and begin, in order.
fn passes(trace: &Trace, rank: u32) -> Vec<(u16, u64)> {
    let of_rank = trace.marks.iter().filter(|mark| mark.1 == rank);
    let begins = of_rank.filter_map(|&(at, _, mark)| match mark {
        Mark::ComputeBegins { step: 0, microbatch, .. } => Some((microbatch, at)),
        _ => None,
    });
    begins.collect()
}

/// When the passes of the stages begin, by relaxation: stage, microbatch and direction.
fn expected(pipeline: &Pipeline, delay: u64) -> BTreeMap<(u32, u16, bool), u64> {
    let (p, m) = (pipeline.stages.len() as u32, pipeline.microbatches as u16);
    let order_of = |stage: u32| -> Vec<(u16, bool)> {
        let ahead = match pipeline.order {
            PipelineOrder::ForwardFirst => m,
            // One more is in progress when its stage alternates.
            PipelineOrder::OneForwardOneBackward => (p - stage).min(u32::from(m)) as u16,
        };
        let mut order: Vec<(u16, bool)> = (0..ahead).map(|forward| (forward, false)).collect();
        for backward in 0..m {
            order.push((backward, true));
            order.extend((ahead + backward < m).then_some((ahead + backward, false)));
        }
        order
    };
    let mut begins: BTreeMap<(u32, u16, bool), u64> = BTreeMap::new();
    let span = |is_backward| if is_backward { BACKWARD } else { FORWARD };
    loop {
        let before = begins.clone();
        for stage in 0..p {
            let mut free = 0;
            for (microbatch, is_backward) in order_of(stage) {
                let behind = Some(stage + 1).filter(|stage| *stage < p);
                let needed = if is_backward { behind } else { stage.checked_sub(1) };
                let arrived = needed.map_or(0, |neighbour| {
                    let sent = before.get(&(neighbour, microbatch, is_backward)).copied().unwrap_or(0);
                    sent + span(is_backward) + delay
                });
                let begin = arrived.max(free);
                begins.insert((stage, microbatch, is_backward), begin);
                free = begin + span(is_backward);
            }
        }
        if begins == before {
            return begins;
        }
    }
}

#[test]
fn passes_begin_when_the_stage_is_free_and_what_they_need_has_arrived() {
    let mut random = Random::stream(21, 0, 0);
    for case in 0..60 {
        let (n_stages, microbatches) = (2 + random.below(6), 1 + random.below(9));
        let order = ORDERS[random.below(2) as usize];
        let (delay, ahead) = (u64::from(random.below(3)) * 700 + 1, random.below(40) as usize);
        let pipeline = pipeline(n_stages, microbatches, order, 5000);
        let trace = trace(&pipeline, delay, ahead);
        let expected = expected(&pipeline, delay);
        for rank in 0..2 * n_stages {
            let mut forward = vec![true; microbatches as usize];
            let passes = passes(&trace, rank);
            assert_eq!(passes.len(), 2 * microbatches as usize);
            for (microbatch, at) in passes {
                let is_backward = !std::mem::replace(&mut forward[usize::from(microbatch)], false);
                let key = (rank % n_stages, microbatch, is_backward);
                assert_eq!(at, expected[&key], "case {case}: {order:?} {key:?}");
            }
        }
        let n_messages = 2 * 2 * 2 * u64::from(n_stages - 1) * u64::from(microbatches);
        assert_eq!(trace.sends.len() as u64, n_messages, "two ranks, two directions, two steps");
    }
}

#[test]
fn the_bubble_is_that_of_the_papers() {
    for order in ORDERS {
        for (p, m) in [(2, 1), (4, 8), (8, 8), (3, 17), (8, 2)] {
            // A delay that is small against a pass.
            let end = trace(&pipeline(p, m, order, 1), 1, 0).end;
            let ideal = 2 * u64::from(m + p - 1) * (FORWARD + BACKWARD);
            let delays = end - ideal;
            assert!(delays <= 2 * 4 * u64::from(p + m), "{order:?} {p} {m}: {delays}");
        }
    }
}

#[test]
fn one_forward_one_backward_holds_few_activations() {
    for (p, m) in [(4, 8), (8, 32)] {
        let most_held = |order| {
            let trace = trace(&pipeline(p, m, order, 1), 1, 0);
            (0..p).map(|rank| held(&passes(&trace, rank))).collect::<Vec<_>>()
        };
        let stages: Vec<usize> = (0..p as usize).map(|stage| p as usize - stage).collect();
        assert_eq!(most_held(PipelineOrder::OneForwardOneBackward), stages);
        assert_eq!(most_held(PipelineOrder::ForwardFirst), vec![m as usize; p as usize]);
    }
}

/// The largest number of microbatches between their forward and their backward pass.
fn held(passes: &[(u16, u64)]) -> usize {
    let mut open = std::collections::BTreeSet::new();
    let mut most = 0;
    for &(microbatch, _) in passes {
        if !open.insert(microbatch) {
            open.remove(&microbatch);
        }
        most = most.max(open.len());
    }
    most
}
