//! Forwarding tables, and groups of ports that packets are spread over.

use super::*;

/// Candidates at some ports of a node, with given backlogs.
struct At<'a> {
    ports: &'a [u32],
    bytes: &'a [u64],
}

impl Ports for At<'_> {
    fn n_minimal(&self) -> usize {
        self.ports.len()
    }
    fn n_non_minimal(&self) -> usize {
        0
    }
    fn port(&self, candidate: usize) -> u32 {
        self.ports[candidate]
    }
    fn waiting_bytes(&mut self, candidate: usize) -> u64 {
        self.bytes[candidate]
    }
    fn waiting_packets(&mut self, _: usize) -> u64 {
        unreachable!("these policies do not read packet counts")
    }
}

fn with(name: &str, parameters: &[(&str, &'static str)]) -> Chosen {
    let number = number_of(name).expect("it is registered");
    let defaults = SPECS[number].defaults();
    let settings = parameters.iter().fold(defaults, |all, (key, word)| all.with(key, Value::Choice(word)));
    Chosen::Registered { number, settings }
}

/// The port that a packet takes.
fn take(balancer: &mut Balancer, packet: PacketView<'_>, ports: &[u32]) -> u32 {
    let mut random = Random::stream(5, 6, 7);
    let mut context = Context { now: Time::ZERO, random: &mut random };
    let bytes = vec![0; ports.len()];
    ports[balancer.pick(&mut context, || packet, || At { ports, bytes: &bytes }).candidate]
}

fn between(senders: &HostId, destination: u32, sequence: u32) -> PacketView<'_> {
    PacketView { senders, destination: HostId(destination), ingress: 0, ..packet(sequence, sequence) }
}

#[test]
fn tables_by_destination_depend_on_the_destination_only() {
    for seed in [1, 2] {
        let mut balancer = Balancer::instantiate(
            &Chosen::named("deterministic"),
            Position { seed, ..position(seed as u32) },
        );
        for destination in 0..20 {
            for (source, sequence) in [(0, 0), (0, 9), (3, 2), (8, 7)].map(|(host, at)| (HostId(host), at)) {
                let packet = between(&source, destination, sequence);
                assert_eq!(take(&mut balancer, packet, &[4, 5, 7]), [4, 5, 7][destination as usize % 3]);
            }
        }
    }
}

#[test]
fn tables_by_pair_are_fixed_and_use_all_next_hops_evenly() {
    let chosen = with("deterministic", &[("key", "pair")]);
    let table = |position: Position| {
        let mut balancer = Balancer::instantiate(&chosen, position);
        let mut port = |pair: u32, sequence| {
            take(&mut balancer, between(&HostId(pair % 40), 40 + pair / 40, sequence), &[0, 1, 2, 3])
        };
        let first: Vec<u32> = (0..1_600).map(|pair| port(pair, 0)).collect();
        assert!((0..1_600).all(|pair| port(pair, pair) == first[pair as usize]), "same for all packets");
        first
    };
    let counts =
        |table: &[u32]| [0, 1, 2, 3].map(|port| table.iter().filter(|&&taken| taken == port).count());
    let one = table(position(1));
    assert!(counts(&one).iter().all(|&count| (330..470).contains(&count)), "{:?}", counts(&one));
    for other in [position(2), Position { seed: 9, ..position(1) }] {
        let n_alike = one.iter().zip(table(other)).filter(|(one, other)| *one == other).count();
        assert!((330..470).contains(&n_alike), "another switch or seed has a table of its own: {n_alike}");
    }
}

/// Packets by ingress port and set of next hops, in this order; how often each port was taken, by ingress port and set.
fn counts(chosen: &Chosen, packets: &[(u32, usize)], sets: &[&[u32]]) -> Vec<Vec<usize>> {
    let mut balancer = Balancer::instantiate(chosen, position(3));
    let mut counts: std::collections::BTreeMap<(u32, usize, u32), usize> = std::collections::BTreeMap::new();
    for &(ingress, set) in packets {
        let packet = PacketView { ingress, ..packet(0, 0) };
        *counts.entry((ingress, set, take(&mut balancer, packet, sets[set]))).or_default() += 1;
    }
    let of = |ingress: u32, set: usize| -> Vec<usize> {
        sets[set].iter().map(|&port| counts.get(&(ingress, set, port)).copied().unwrap_or(0)).collect()
    };
    let mut streams = packets.to_vec();
    streams.sort_unstable();
    streams.dedup();
    streams.into_iter().map(|(ingress, set)| of(ingress, set)).collect()
}

#[test]
fn round_robin_counts_differ_by_at_most_one_per_ingress_and_group() {
    // Next hops that overlap, with gaps, and with the same ends.
    let sets: [&[u32]; 5] = [&[0, 1], &[2, 3], &[0, 2, 5], &[0, 3, 5], &[0, 1, 2, 3, 4, 5, 6]];
    let in_step: Vec<_> = (0..420).map(|number| (0, number % 2)).collect();
    let mut random = Random::stream(1, 2, 3);
    let mixed = (0..3_000).map(|_| (random.below(9), random.below(5) as usize)).collect::<Vec<_>>();
    for packets in [in_step, mixed] {
        for counts in counts(&Chosen::named("adaptive_infiniband"), &packets, &sets) {
            let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            assert!(most - least <= 1, "{counts:?}");
        }
    }
}

#[test]
fn round_robin_pointers_of_ingresses_start_at_different_ports() {
    let mut balancer = Balancer::instantiate(&Chosen::named("adaptive_infiniband"), position(3));
    let mut first =
        |ingress| take(&mut balancer, PacketView { ingress, ..packet(0, 0) }, &[0, 1, 2, 3, 4, 5, 6, 7]);
    let firsts: std::collections::BTreeSet<u32> = (0..9).map(&mut first).collect();
    assert!(firsts.len() > 3, "{firsts:?}");
}

#[test]
fn a_lag_is_the_links_to_the_neighbour_of_the_destination() {
    // Ports of two neighbours, interleaved, and one of a third.
    let neighbours = [10, 11, 10, 12, 11, 10].map(NodeId);
    let position = Position { neighbours: &neighbours, ..position(3) };
    let groups: [&[u32]; 3] = [&[0, 2, 5], &[1, 4], &[3]];
    for choice in ["turns", "load"] {
        let chosen = with("adaptive_infiniband", &[("group", "lag"), ("choice", choice)]);
        let mut balancer = Balancer::instantiate(&chosen, position);
        for destination in 0..9 {
            let group = groups[destination as usize % 3];
            let packet = between(&HostId(0), destination, 0);
            let mut taken = [0; 6];
            for _ in 0..group.len() * 100 {
                taken[take(&mut balancer, packet, &[0, 1, 2, 3, 4, 5]) as usize] += 1;
            }
            let stray = (0..6).find(|port| taken[*port as usize] > 0 && !group.contains(port));
            assert_eq!(stray, None, "{choice} to {destination}");
            if choice == "turns" {
                assert!(group.iter().all(|&port| taken[port as usize] == 100), "{taken:?}");
            }
            let may = balancer.may_take(&packet, &At { ports: &[0, 1, 2, 3, 4, 5], bytes: &[0; 6] });
            assert_eq!(may, group.iter().map(|&port| port as usize).collect::<Vec<_>>());
        }
    }
}

#[test]
fn by_load_the_least_loaded_port_of_the_group_is_taken_with_even_ties() {
    let neighbours = [10, 10, 10, 11, 11].map(NodeId);
    let position = Position { neighbours: &neighbours, ..position(3) };
    for (group, expected) in [("tree", [0, 0, 0, 1_000, 0]), ("lag", [500, 0, 500, 0, 0])] {
        let chosen = with("adaptive_infiniband", &[("group", group), ("choice", "load")]);
        let mut balancer = Balancer::instantiate(&chosen, position);
        let mut random = Random::stream(1, 2, 3);
        let mut taken = [0_i32; 5];
        for _ in 0..1_000 {
            let mut context = Context { now: Time::ZERO, random: &mut random };
            let ports = At { ports: &[0, 1, 2, 3, 4], bytes: &[2, 3, 2, 1, 9] };
            taken[balancer.pick(&mut context, || between(&HostId(0), 0, 0), || ports).candidate] += 1;
        }
        assert!(
            taken.iter().zip(expected).all(|(taken, expected)| (taken - expected).abs() < 80),
            "{taken:?}"
        );
    }
}

#[test]
fn a_port_that_is_avoided_is_taken_only_if_all_of_its_group_are() {
    let kinds: [&[(&str, &str)]; 2] = [&[], &[("choice", "load")]];
    for kind in kinds {
        let Chosen::Registered { number, settings } = with("adaptive_infiniband", kind) else {
            unreachable!("it is registered")
        };
        let settings = settings
            .with("notify_above", Value::Size(Bytes(1)))
            .with("notify_hold", Value::Duration(Duration(50)));
        let mut balancer = Balancer::instantiate(&Chosen::Registered { number, settings }, position(3));
        // The notification is valid from 100 to 150 ps; every packet of these tests is forwarded at one instant.
        let taken = |balancer: &mut Balancer, now: u64, destination: u32| {
            let mut ports = Fixed { packets: vec![0; 4] };
            let mut random = Random::stream(now, 0, u64::from(destination));
            let taken: std::collections::BTreeSet<usize> = (0..64)
                .map(|sequence| {
                    let mut context = Context { now: Time(now), random: &mut random };
                    balancer.pick(&mut context, || packet(destination, sequence), || &mut ports).candidate
                })
                .collect();
            taken.into_iter().collect::<Vec<_>>()
        };
        balancer.avoid(Time(100), 2, NodeId(5));
        assert!(balancer.avoids(Time(149), 2, NodeId(5)) && !balancer.avoids(Time(150), 2, NodeId(5)));
        assert_eq!(taken(&mut balancer, 149, 5), [0, 1, 3]);
        assert_eq!(taken(&mut balancer, 149, 6), [0, 1, 2, 3], "another leaf");
        assert_eq!(taken(&mut balancer, 150, 5), [0, 1, 2, 3], "the notification has expired");
        for port in 0..4 {
            balancer.avoid(Time(200), port, NodeId(5));
        }
        assert_eq!(taken(&mut balancer, 201, 5), [0, 1, 2, 3], "all are avoided");
    }
}

#[test]
fn without_notifications_no_port_is_avoided() {
    let mut balancer = Balancer::instantiate(&Chosen::named("adaptive_infiniband"), position(3));
    balancer.avoid(Time(100), 2, NodeId(5));
    assert!(balancer.notifications().is_none() && !balancer.avoids(Time(101), 2, NodeId(5)));
}
