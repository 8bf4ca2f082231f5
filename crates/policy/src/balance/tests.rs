//! Invariants of every registered policy, checked over the whole registry, and tests of single policies.

use netloom_units::{Duration, Random, Time, Value};

use super::*;

mod groups;
mod infiniband;
mod spectrum;

/// Candidates with given backlogs.
struct Fixed {
    packets: Vec<u64>,
}

impl Ports for &mut Fixed {
    fn n_minimal(&self) -> usize {
        self.packets.len()
    }
    fn n_non_minimal(&self) -> usize {
        0
    }
    fn port(&self, candidate: usize) -> u32 {
        candidate as u32
    }
    fn waiting_bytes(&mut self, candidate: usize) -> u64 {
        self.packets[candidate] * 1000
    }
    fn waiting_packets(&mut self, candidate: usize) -> u64 {
        self.packets[candidate]
    }
}

/// Each port leads to a different neighbour.
const NEIGHBOURS: [NodeId; 8] = {
    let mut nodes = [NodeId(0); 8];
    let mut index = 0;
    while index < nodes.len() {
        nodes[index] = NodeId(100 + index as u32);
        index += 1;
    }
    nodes
};

fn position(node: u32) -> Position<'static> {
    Position {
        seed: 1,
        node,
        neighbours: &NEIGHBOURS,
        bits_below: 0,
        deal: DestinationModulo::PLAIN,
        groups: None,
    }
}

/// A packet to the host with the flow's number.
fn packet(entropy: u32, sequence: u32) -> PacketView<'static> {
    let destination = HostId(entropy);
    let (senders, is_data) = (&HostId(7), true);
    PacketView {
        entropy,
        sequence,
        bytes: 1000,
        class: 0,
        tag: 0,
        is_data,
        may_reorder: true,
        is_drained: false,
        ingress: 8,
        destination,
        message: 0,
        senders,
    }
}

fn picks(chosen: &Chosen, node: u32, n_ports: usize, packets: &[(u64, u32, u32)]) -> Vec<usize> {
    let mut balancer = Balancer::instantiate(chosen, position(node));
    let mut random = Random::stream(1, 2, u64::from(node));
    let mut ports = Fixed { packets: vec![0; n_ports] };
    let pick = |&(now, entropy, sequence): &(u64, u32, u32)| {
        let mut context = Context { now: Time(now), random: &mut random };
        balancer.pick(&mut context, || packet(entropy, sequence), || &mut ports).candidate
    };
    packets.iter().map(pick).collect()
}

fn all() -> impl Iterator<Item = Chosen> {
    SPECS.iter().map(|spec| Chosen::named(spec.name))
}

#[test]
fn every_choice_is_a_candidate_and_repeats() {
    let stream: Vec<_> = (0..500).map(|i| (u64::from(i) * 1000, i % 7, i)).collect();
    for chosen in all() {
        for n_ports in 1..9 {
            let first = picks(&chosen, 3, n_ports, &stream);
            assert!(first.iter().all(|&candidate| candidate < n_ports), "{chosen:?}");
            assert_eq!(first, picks(&chosen, 3, n_ports, &stream), "{chosen:?}");
        }
    }
}

#[test]
fn every_policy_uses_every_candidate_over_many_flows() {
    let stream: Vec<_> = (0..2000).map(|i| (u64::from(i), i, 0)).collect();
    for chosen in all() {
        let mut used = [false; 8];
        for candidate in picks(&chosen, 0, 8, &stream) {
            used[candidate] = true;
        }
        assert!(used.iter().all(|&used| used), "{chosen:?}");
    }
}

#[test]
fn names_are_unique_and_specs_complete() {
    for (index, spec) in SPECS.iter().enumerate() {
        assert_eq!(number_of(spec.name), Some(index));
        assert!(!spec.summary.is_empty() && !spec.source.is_empty());
    }
}

#[test]
fn unsalted_ecmp_is_the_same_everywhere_and_salted_is_not() {
    let flows: Vec<_> = (0..64).map(|flow| (0, flow, 0)).collect();
    let salted = Chosen::named("ecmp");
    assert_ne!(picks(&salted, 1, 8, &flows), picks(&salted, 2, 8, &flows));
    let number = number_of("ecmp").unwrap();
    let settings = SPECS[number].defaults().with("salt", Value::Choice("none"));
    let unsalted = Chosen::Registered { number, settings };
    assert_eq!(picks(&unsalted, 1, 8, &flows), picks(&unsalted, 2, 8, &flows));
}

#[test]
fn flowlets_by_packets_are_one_short_at_first() {
    let number = number_of("flowlet").unwrap();
    let settings =
        SPECS[number].defaults().with("by", Value::Choice("packets")).with("packets", Value::Count(4));
    let chosen = Chosen::Registered { number, settings };
    let stream: Vec<_> = (0..15).map(|i| (0, 9, i)).collect();
    // Over 1009 candidates two labels almost never collide by chance.
    let path = picks(&chosen, 0, 1009, &stream);
    let lengths: Vec<_> = path.chunk_by(|a, b| a == b).map(<[usize]>::len).collect();
    assert_eq!(lengths, [3, 4, 4, 4]);
}

#[test]
fn flowlets_by_gap_change_only_after_a_gap() {
    let gap = Duration::from_micros(100).0;
    let mut now = 0;
    let stream: Vec<_> = (0..40)
        .map(|i| {
            now += if i % 10 == 0 { gap + 1 } else { gap };
            (now, 5, i)
        })
        .collect();
    let path = picks(&Chosen::named("flowlet"), 0, 1_000_003, &stream);
    let lengths: Vec<_> = path.chunk_by(|a, b| a == b).map(<[usize]>::len).collect();
    assert_eq!(lengths, [10, 10, 10, 10]);
}

#[test]
fn round_robin_takes_turns() {
    let stream: Vec<_> = (0..30).map(|i| (0, i, i)).collect();
    let path = picks(&Chosen::named("round_robin"), 0, 5, &stream);
    assert!(path.windows(2).all(|pair| pair[1] == (pair[0] + 1) % 5));
}

#[test]
fn adaptive_takes_the_least_and_breaks_ties_evenly() {
    let mut balancer = Balancer::instantiate(&Chosen::named("adaptive"), position(0));
    let mut random = Random::stream(1, 2, 3);
    let mut ports = Fixed { packets: vec![3, 1, 2, 1] };
    let mut counts = [0; 4];
    for _ in 0..1000 {
        let mut context = Context { now: Time::ZERO, random: &mut random };
        counts[balancer.pick(&mut context, || packet(0, 0), || &mut ports).candidate] += 1;
    }
    assert_eq!((counts[0], counts[2]), (0, 0));
    assert!((400..600).contains(&counts[1]), "{counts:?}");
}

#[test]
fn a_linear_hash_takes_the_bits_above_those_of_the_tiers_below() {
    let chosen = Chosen::named("ecmp");
    let Chosen::Registered { number, settings } = chosen else { unreachable!("it is registered") };
    let choices = |bits_below, salt| {
        let settings =
            settings.clone().with("hash", Value::Choice("linear")).with("salt", Value::Choice(salt));
        let position = Position { bits_below, ..position(3) };
        let mut balancer = Balancer::instantiate(&Chosen::Registered { number, settings }, position);
        let mut random = Random::stream(1, 2, 3);
        let mut pick = |entropy: u32| {
            let mut context = Context { now: Time(0), random: &mut random };
            let mut ports = Fixed { packets: vec![0; 4] };
            balancer.pick(&mut context, || packet(entropy.wrapping_mul(2_654_435_761), 0), || &mut ports)
        };
        (0..4_000).map(|entropy| pick(entropy).candidate).collect::<Vec<_>>()
    };
    let pairs = |salt| {
        let mut counts = [0_u32; 16];
        let both = choices(0, salt).into_iter().zip(choices(2, salt));
        both.for_each(|(lower, upper)| counts[lower * 4 + upper] += 1);
        counts
    };
    assert!(pairs("switch").iter().all(|&count| (200..300).contains(&count)), "{:?}", pairs("switch"));
    // Without a salt all tiers use the same bits and make the same choice.
    assert_eq!(pairs("none").iter().filter(|&&count| count > 0).count(), 4);
}
