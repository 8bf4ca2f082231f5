//! Grades of ports by the queue of a class, flows that keep their port, non-minimal paths.

use netloom_units::Rate;

use super::*;

const US: u64 = 1_000_000;

/// Candidates with all inputs of a grade. Ports are numbered from 10 on.
#[derive(Clone)]
struct Seen {
    n_minimal: usize,
    class: Vec<u64>,
    total: u64,
    sent: Vec<u64>,
    paused: Vec<u64>,
}

impl Seen {
    /// Candidates with these queue lengths in the packet's class, in bytes.
    fn waiting(class: &[u64]) -> Seen {
        let zeros = vec![0; class.len()];
        Seen { n_minimal: class.len(), class: class.to_vec(), total: 0, sent: zeros.clone(), paused: zeros }
    }

    /// The same, with the last `n_longer` on non-minimal paths.
    fn longer(self, n_longer: usize) -> Seen {
        Seen { n_minimal: self.class.len() - n_longer, ..self }
    }
}

impl Ports for &mut Seen {
    fn n_minimal(&self) -> usize {
        self.n_minimal
    }
    fn n_non_minimal(&self) -> usize {
        self.class.len() - self.n_minimal
    }
    fn port(&self, candidate: usize) -> u32 {
        10 + candidate as u32
    }
    fn waiting_bytes(&mut self, _: usize) -> u64 {
        self.total
    }
    fn waiting_packets(&mut self, _: usize) -> u64 {
        unreachable!("this policy does not read packet counts")
    }
    fn class_bytes(&mut self, candidate: usize, class: u8) -> u64 {
        assert_eq!(class, 0, "the packet's own class");
        self.class[candidate]
    }
    fn sent_bytes(&mut self, candidate: usize) -> u64 {
        self.sent[candidate]
    }
    fn rate(&self, _: usize) -> Rate {
        Rate(8_000_000_000)
    }
    fn paused_for(&mut self, candidate: usize, _: u8) -> Duration {
        Duration(self.paused[candidate])
    }
}

/// With these parameters, cells of 100 bytes, and thresholds of 10, 100 and 1000 cells.
fn spectrum(parameters: &[(&str, Value)]) -> Balancer {
    let number = number_of("adaptive_spectrum").expect("it is registered");
    let small = [("cell", Value::Size(Bytes(100))), ("low", Value::Count(10)), ("medium", Value::Count(100))];
    let all =
        small.iter().chain(&[("high", Value::Count(1_000)), ("sticky", Value::Absent)]).chain(parameters);
    let settings =
        all.fold(SPECS[number].defaults(), |settings, (key, value)| settings.with(key, value.clone()));
    let neighbours: &[NodeId] = &[NodeId(1); 20];
    Balancer::instantiate(&Chosen::Registered { number, settings }, Position { neighbours, ..position(3) })
}

/// How often each candidate is taken by `n_packets` packets, each of a different flow.
fn counts(balancer: &mut Balancer, seen: &Seen, n_packets: u32) -> Vec<u32> {
    let mut random = Random::stream(3, 4, 5);
    let mut counts = vec![0; seen.class.len()];
    let mut ports = seen.clone();
    for flow in 0..n_packets {
        let mut context = Context { now: Time(0), random: &mut random };
        counts[balancer.pick(&mut context, || packet(flow, 0), || &mut ports).candidate] += 1;
    }
    counts
}

#[test]
fn grades_change_at_their_thresholds() {
    for (step, threshold) in [1_000, 10_000, 100_000].into_iter().enumerate() {
        let taken = counts(&mut spectrum(&[]), &Seen::waiting(&[threshold, threshold - 1]), 200);
        assert_eq!(taken, [0, 200], "threshold {step}");
        let taken = counts(&mut spectrum(&[]), &Seen::waiting(&[threshold, 9 * threshold]), 200);
        assert!(taken.iter().all(|taken| (70..=130).contains(taken)), "one grade at {step}: {taken:?}");
    }
}

#[test]
fn equal_grades_share_evenly() {
    let taken = counts(&mut spectrum(&[]), &Seen::waiting(&[5, 999, 1_000, 0, 500]), 4_000);
    assert_eq!(taken[2], 0);
    assert!([0, 1, 3, 4].iter().all(|&index: &usize| (900..1_100).contains(&taken[index])), "{taken:?}");
}

#[test]
fn packets_that_may_not_be_reordered_take_the_port_of_ecmp() {
    let mut ecmp = Balancer::instantiate(&Chosen::named("ecmp"), position(3));
    let mut random = Random::stream(3, 4, 5);
    let mut ports = Seen::waiting(&[1 << 30, 0, 0, 1 << 20]).longer(1);
    let mut used = [0; 3];
    for (flow, is_data) in (0..300).map(|flow| (flow, flow % 2 == 0)) {
        let view = PacketView { may_reorder: false, is_data, ..packet(flow, 0) };
        let mut pick = |balancer: &mut Balancer| {
            let mut context = Context { now: Time(0), random: &mut random };
            balancer.pick(&mut context, || view, || &mut ports)
        };
        let expected = pick(&mut ecmp);
        assert_eq!(pick(&mut spectrum(&[])), expected);
        used[expected.candidate] += 1;
    }
    assert!(used.iter().all(|&used| used > 60), "{used:?}");
}

/// The candidates that packets of one flow take, one packet per instant.
fn path(balancer: &mut Balancer, instants: impl Iterator<Item = u64>) -> Vec<(u64, usize)> {
    let mut random = Random::stream(3, 4, 5);
    let mut ports = Seen::waiting(&[0; 8]);
    let mut pick = |now| {
        let mut context = Context { now: Time(now), random: &mut random };
        (now, balancer.pick(&mut context, || packet(7, 0), || &mut ports).candidate)
    };
    instants.map(&mut pick).collect()
}

#[test]
fn a_flow_changes_its_port_once_per_interval() {
    let every_tenth = || (0..400).map(|k| k * US / 10);
    let sticky = [("sticky", Value::Duration(Duration(US)))];
    let taken = path(&mut spectrum(&sticky), every_tenth());
    let runs: Vec<_> = taken.chunk_by(|a, b| a.1 == b.1).collect();
    // Of 39 draws one in eight repeats the port before.
    assert!((26..=40).contains(&runs.len()), "{} changes", runs.len());
    assert!(runs.iter().all(|run| run[0].0.is_multiple_of(US)));
    for none in [Value::Absent, Value::Duration(Duration(0))] {
        let taken = path(&mut spectrum(&[("sticky", none)]), every_tenth());
        let n_changes = taken.windows(2).filter(|pair| pair[0].1 != pair[1].1).count();
        assert!((310..390).contains(&n_changes), "{n_changes} changes");
    }
}

#[test]
fn a_flow_leaves_a_port_that_is_no_candidate_or_paused_too_long() {
    let parameters =
        [("sticky", Value::Duration(Duration(US))), ("paused_limit", Value::Duration(Duration(5_000)))];
    let mut balancer = spectrum(&parameters);
    let mut random = Random::stream(3, 4, 5);
    let mut take = |now, mut seen: Seen| {
        let mut context = Context { now: Time(now), random: &mut random };
        balancer.pick(&mut context, || packet(7, 0), || &mut seen).candidate
    };
    assert_eq!(take(0, Seen::waiting(&[5_000, 5_000, 0])), 2);
    assert_eq!(take(1, Seen::waiting(&[0, 0, 500_000])), 2, "it is kept whatever its grade below 4");
    assert!(take(2, Seen::waiting(&[0, 0])) < 2, "the port is no candidate any more");
    assert_eq!(take(US + 2, Seen::waiting(&[0, 5_000, 5_000])), 0);
    let paused = |span| Seen { paused: vec![span, 0, 0], ..Seen::waiting(&[0, 5_000, 5_000]) };
    assert_eq!(take(US + 3, paused(5_000)), 0);
    assert!(take(US + 4, paused(5_001)) > 0, "paused for longer than the limit");
    assert!(take(9 * US, paused(5_001)) > 0, "and it is not chosen");
}

#[test]
fn a_busy_link_has_one_grade_more() {
    let parameters =
        [("utilization", Value::Fraction(0.5)), ("utilization_window", Value::Duration(Duration(US)))];
    let mut balancer = spectrum(&parameters);
    let mut random = Random::stream(3, 4, 5);
    let mut taken_at = |now, sent: [u64; 2], class: [u64; 2]| {
        let mut ports = Seen { sent: sent.to_vec(), ..Seen::waiting(&class) };
        let mut counts = [0; 2];
        for _ in 0..100 {
            let mut context = Context { now: Time(now), random: &mut random };
            counts[balancer.pick(&mut context, || packet(7, 0), || &mut ports).candidate] += 1;
        }
        counts
    };
    // 1 byte per ns: half of the rate is 500 bytes in a microsecond.
    assert!(taken_at(US, [500, 0], [0, 0]).iter().all(|&taken| taken > 20), "no more than half");
    assert_eq!(taken_at(2 * US, [1_001, 0], [0, 0]), [0, 100], "501 bytes more");
    assert_eq!(taken_at(2 * US + 1, [1_001, 0], [0, 0]), [0, 100], "until the next window ends");
    assert!(
        taken_at(2 * US + 2, [1_001, 0], [0, 1_000]).iter().all(|&taken| taken > 20),
        "both have grade 1"
    );
    assert!(taken_at(3 * US, [1_501, 0], [0, 0]).iter().all(|&taken| taken > 20), "no more than half again");
    let full = taken_at(4 * US, [9_000, 0], [200_000, 200_000]);
    assert!(full.iter().all(|&taken| taken > 20), "at most grade 3: {full:?}");
}

#[test]
fn non_minimal_paths_are_used_only_if_minimal_ones_are_congested() {
    let grades = [0, 1_000, 10_000, 100_000];
    for above in 0..4 {
        for (shortest, &waits) in grades.iter().enumerate() {
            for (longer, &beside) in grades.iter().enumerate() {
                let mut balancer = spectrum(&[("non_minimal_above", Value::Count(above))]);
                let seen = Seen::waiting(&[waits, 200_000, beside]).longer(1);
                let goes_round = shortest as u64 > above && longer < shortest;
                let expected = if goes_round { [0, 0, 50] } else { [50, 0, 0] };
                let taken = counts(&mut balancer, &seen, 50);
                if shortest < 3 {
                    assert_eq!(taken, expected, "above {above}, {shortest} against {longer}");
                } else {
                    assert_eq!(taken[2], expected[2], "above {above}, {shortest} against {longer}");
                }
            }
        }
    }
}

#[test]
fn a_packet_takes_a_limited_number_of_non_minimal_steps() {
    let mut balancer = spectrum(&[("non_minimal_hops", Value::Count(2))]);
    let mut random = Random::stream(3, 4, 5);
    let mut ports = Seen::waiting(&[200_000, 0]).longer(1);
    let mut next = |tag| {
        let mut context = Context { now: Time(0), random: &mut random };
        let view = PacketView { tag, ..packet(7, 0) };
        let pick = balancer.pick(&mut context, || view, || &mut ports);
        (pick.candidate, pick.tag)
    };
    assert_eq!([next(0), next(1), next(2)], [(1, 1), (1, 2), (0, 2)]);
}
