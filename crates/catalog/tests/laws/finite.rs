//! Finite flows: when each starts, for which others it waits, and that few are handed out ahead of time.

use std::collections::BTreeMap;
use std::sync::Arc;

use netloom_catalog::{WorkloadError, expand};
use netloom_model::{FabricService, FiniteFlow, FiniteFlows, KnownAt, Message, Workload};
use netloom_units::{Bytes, Duration, HostId, Random, Rate};

use crate::executor::{Delay, Trace, run};

const N_HOSTS: u32 = 6;
/// Delay of every message.
const SPAN: u64 = 500;

fn flow(from: u32, to: u32, start: u64, after: Option<u32>) -> FiniteFlow {
    FiniteFlow {
        start: Duration(start),
        size: Bytes(100),
        source: from,
        destination: to,
        after: after.unwrap_or(FiniteFlow::NONE),
        service: 0,
    }
}

fn workload(flows: &[FiniteFlow]) -> Workload {
    let finite = FiniteFlows {
        flows: Arc::new(flows.to_vec()),
        ends: (0..N_HOSTS).map(HostId).collect(),
        services: vec![FabricService::default()],
        // 100 bytes take 400 ps, less than any message.
        fastest: Rate(2_000_000_000_000),
    };
    Workload { finite: Some(finite), ..Workload::default() }
}

fn trace(flows: &[FiniteFlow], delay: Delay, ahead: usize) -> Trace {
    let mut work = expand(&workload(flows), N_HOSTS as usize, 1).expect("the flows are valid");
    run(&mut work, delay, ahead)
}

/// Random flows in order of their starts, of which two thirds wait for an earlier one.
fn random(seed: u64, n_flows: u32) -> Vec<FiniteFlow> {
    let mut random = Random::stream(seed, 1, 1);
    let mut start = 0;
    let mut flows: Vec<FiniteFlow> = Vec::new();
    for number in 0..n_flows {
        let to_other = |from: u32, random: &mut Random| (from + 1 + random.below(N_HOSTS - 1)) % N_HOSTS;
        if number > 0 && random.below(3) > 0 {
            let before = number - 1 - random.below(number.min(20));
            let FiniteFlow { source, destination, .. } = flows[before as usize];
            let from = if random.below(2) == 0 { source } else { destination };
            let delay = u64::from(random.below(4)) * 250;
            flows.push(flow(from, to_other(from, &mut random), delay, Some(before)));
        } else {
            start += u64::from(random.below(3_000));
            let from = random.below(N_HOSTS);
            flows.push(flow(from, to_other(from, &mut random), start, None));
        }
    }
    flows
}

#[test]
fn a_flow_starts_at_its_time_or_when_the_one_before_has_completed() {
    for (seed, ahead) in (0..40).zip([0, 1, 5, 200].into_iter().cycle()) {
        let flows = random(seed, 400);
        let finite = workload(&flows).finite.expect("there are flows");
        let found = trace(&flows, Delay::Fixed(SPAN), ahead);
        let starts: BTreeMap<u32, u64> =
            found.sends.iter().map(|(at, _, message)| (message.step, *at)).collect();
        assert_eq!((found.sends.len(), starts.len()), (flows.len(), flows.len()), "each starts once");
        for (number, flow) in (0..).zip(&flows) {
            let expected = flow.waits_for().map_or(0, |before| {
                // Its receiver knows after the delay of the message, its sender after that of the answer, too.
                let is_there = finite.known_at(flow, &flows[before as usize]) == Some(KnownAt::Destination);
                starts[&before] + if is_there { SPAN } else { 2 * SPAN }
            });
            assert_eq!(starts[&number], expected + flow.start.0, "seed {seed}, flow {number}");
        }
        let is_own = |(_, actor, message): &(u64, u32, Message)| {
            let flow = &flows[message.step as usize];
            let sender = flows.iter().map(|flow| flow.source).filter(|source| *source < flow.source);
            let n_before = sender.collect::<std::collections::BTreeSet<_>>().len();
            (message.job, message.to.0, *actor) == (Message::FINITE, flow.destination, n_before as u32)
        };
        assert!(found.sends.iter().all(is_own));
    }
}

#[test]
fn the_order_of_arrivals_does_not_matter() {
    for seed in 0..20 {
        let flows = random(seed, 300);
        let found = trace(&flows, Delay::Random(Random::stream(seed, 9, 9), 5_000), 3);
        let starts: BTreeMap<u32, u64> =
            found.sends.iter().map(|(at, _, message)| (message.step, *at)).collect();
        assert_eq!(starts.len(), flows.len());
        for (number, flow) in (0..).zip(&flows) {
            let earliest = flow.waits_for().map_or(0, |before| starts[&before]);
            assert!(starts[&number] >= earliest + flow.start.0, "seed {seed}, flow {number}");
        }
    }
}

#[test]
fn few_flows_are_handed_out_before_they_may_start() {
    let in_turn: Vec<FiniteFlow> = (0..20_000).map(|number| flow(0, 1, number * 600, None)).collect();
    assert!(trace(&in_turn, Delay::Fixed(SPAN), 0).most_held <= 64);
    // A chain between two hosts: each knows only when the one before arrives.
    let chain = |number: u32| flow(number % 2, (number + 1) % 2, 0, number.checked_sub(1));
    let found = trace(&(0..20_000).map(chain).collect::<Vec<_>>(), Delay::Fixed(SPAN), 0);
    assert_eq!(found.sends.last().map(|send| send.0), Some(19_999 * SPAN));
    assert!(found.most_held <= 64, "{}", found.most_held);
}

#[test]
fn invalid_flows_are_refused() {
    let refused =
        |flows: &[FiniteFlow]| expand(&workload(flows), N_HOSTS as usize, 1).unwrap_err().to_string();
    let first = flow(0, 1, 0, None);
    assert_eq!(refused(&[flow(2, 2, 0, None)]), "flow 0 goes from a host to itself");
    assert_eq!(
        refused(&[first, flow(1, 2, 0, Some(1))]),
        "flow 1 waits for one that does not come before it"
    );
    let elsewhere = "flow 1 waits for one that neither starts nor ends at its sender";
    assert_eq!(refused(&[first, flow(2, 1, 0, Some(0))]), elsewhere);
    assert_eq!(refused(&[FiniteFlow { size: Bytes(0), ..first }]), "flow 0 has no bytes");
    assert_eq!(refused(&[FiniteFlow { service: 1, ..first }]), "flow 0 has a service that is not listed");
    assert_eq!(refused(&[flow(0, N_HOSTS, 0, None)]), "flow 0 has an end that is not listed");
    let few = expand(&workload(&[first]), 3, 1).unwrap_err();
    assert_eq!(few, WorkloadError::NoSuchHost { host: HostId(3), n_hosts: 3 });
}
