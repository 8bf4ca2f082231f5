//! Marks, CNPs and rates.

use super::*;
use crate::reference_roce::{
    Congestion, Dcqcn, Decision, Loss, MarkAt, Marking, NackMeans, NodeIdx, Notify, PathChoice, PortIdx,
    Recovery,
};

fn dcqcn(nack: NackMeans) -> Dcqcn {
    Dcqcn {
        alpha_period: 1_000_000,
        decrease_period: 4_000_000,
        increase_period: 900_000_000,
        gain_divisor: 256,
        fast_steps: 1,
        additive: 5_000_000,
        hyper: 10_000_000,
        smallest: 80_000_000,
        clamp_target: false,
        nack,
    }
}

/// A stream from host 0 to host 1, whose link has a quarter of the rate; packets are marked if any packet waits.
fn bottleneck(at: MarkAt, notify: Notify, n_packets: u64) -> Scene {
    let mut scene = star(&[RATE, RATE / 4]);
    scene.switches.marking = Some(Marking { at, minimum: 0, maximum: 0, probability: 1.0 });
    scene.transport.notify = notify;
    scene.transport.timeout = 10_000_000_000;
    send(&mut scene, 0, 0, 1, n_packets);
    scene
}

fn marked(outcome: &Outcome, node: NodeIdx, kind: Kind) -> Vec<u64> {
    let hops = sent(outcome, node, kind);
    hops.iter().filter(|hop| hop.packet.marked).map(|hop| hop.packet.position).collect()
}

#[test]
fn marks_count_packets_behind_on_leaving_and_ahead_on_joining() {
    let leaving = played(&bottleneck(MarkAt::Dequeue, Notify::Never, 5));
    // Packet 0 leaves before packet 1 arrives, and no packet is behind packet 4.
    assert_eq!(marked(&leaving, 2, Kind::Data), [1, 2, 3]);
    let joining = played(&bottleneck(MarkAt::Enqueue, Notify::Never, 5));
    // Packets 0 and 1 find an empty queue.
    assert_eq!(marked(&joining, 2, Kind::Data), [2, 3, 4]);
    assert!(marked(&joining, 0, Kind::Data).is_empty());
}

#[test]
fn an_ack_echoes_the_mark() {
    let outcome = played(&bottleneck(MarkAt::Dequeue, Notify::Acknowledgement, 5));
    assert_eq!(marked(&outcome, 1, Kind::Ack), [2, 3, 4]);
    assert_eq!(sent(&outcome, 1, Kind::Cnp), Vec::<&Hop>::new());
}

#[test]
fn a_marked_packet_gets_a_cnp_before_the_ack() {
    let interval = 5_000_000;
    let outcome = played(&bottleneck(MarkAt::Dequeue, Notify::Packet { interval }, 5));
    // Packets leave the switch every 4192 ns: the one after the first marked one comes too early.
    let arrived = 2_048_000 + 2 * 4_192_000 + DELAY;
    let cnps: Vec<_> = sent(&outcome, 1, Kind::Cnp).iter().map(|hop| hop.started_at).collect();
    assert_eq!(cnps, [arrived, arrived + 2 * 4_192_000]);
    assert_eq!(sent(&outcome, 1, Kind::Ack)[1].started_at, arrived + 4 * 64_000);
    assert!(marked(&outcome, 1, Kind::Ack).is_empty());
}

#[test]
fn a_nack_that_counts_as_a_cnp_cuts_the_rate_and_starts_the_increases() {
    let mut scene = star(&[RATE; 2]);
    scene.congestion = Congestion::Dcqcn(dcqcn(NackMeans::Cnp));
    scene.transport.recovery = Recovery::NicSr;
    scene.losses = vec![Loss { node: 0, port: 0, nth: 1 }];
    send(&mut scene, 0, 0, 1, 60);
    // The run has to continue while timers tick.
    send(&mut scene, 3_000_000_000, 0, 1, 1);
    let outcome = played(&scene);
    let reported = 2 * FULL + 2 * (FULL + DELAY) + BACK;
    let at: Vec<_> = outcome.rates.iter().map(|change| change.at - reported).collect();
    assert_eq!(at[..4], [4_000_000, 904_000_000, 1_804_000_000, 2_704_000_000]);
    let share: Vec<_> = outcome.rates.iter().map(|change| (change.rate * 1000 + RATE / 2) / RATE).collect();
    assert_eq!(share[..4], [508, 754, 877, 938]);
    // alpha = 1 - 1/256 four times, rounded up in 2^-32 each time.
    let alpha = (0..4).fold(1_u64 << 32, |alpha, _| alpha - alpha.div_ceil(256));
    assert_eq!(outcome.rates[0].rate, ((u128::from(RATE) * u128::from((2 << 32) - alpha)) >> 33) as u64);
}

#[test]
fn a_new_rate_applies_from_the_packet_after_the_next_start_on() {
    let mut scene = star(&[RATE; 2]);
    scene.congestion = Congestion::Dcqcn(dcqcn(NackMeans::Cnp));
    scene.losses = vec![Loss { node: 0, port: 0, nth: 1 }];
    send(&mut scene, 0, 0, 1, 60);
    let outcome = played(&scene);
    let change = outcome.rates[0];
    let starts = data_starts(&outcome, 0);
    let after = starts.iter().position(|start| start.0 >= change.at).unwrap();
    assert_eq!(starts[after].0 - starts[after - 1].0, FULL);
    let slow = (1048 * 8_000_000_000_000_u64).div_ceil(change.rate);
    assert_eq!(starts[after + 1].0 - starts[after].0, slow);
    assert_eq!(starts[after + 2].0 - starts[after + 1].0, slow);
}

#[test]
fn a_cut_restarts_the_timer_of_the_increase() {
    let mut scene = bottleneck(MarkAt::Dequeue, Notify::Acknowledgement, 80);
    let increase_period = 6_100_000;
    scene.congestion = Congestion::Dcqcn(Dcqcn { increase_period, ..dcqcn(NackMeans::Nothing) });
    let outcome = played(&scene);
    let pairs = || outcome.rates.iter().zip(&outcome.rates[1..]);
    let rises: Vec<_> = pairs().filter(|(before, after)| after.rate > before.rate).collect();
    let cuts =
        pairs().filter(|(before, after)| after.rate < before.rate && after.at - before.at == 4_000_000);
    assert!(rises.len() > 2 && cuts.count() > 2);
    assert!(rises.iter().all(|(before, after)| after.at - before.at == increase_period));
}

#[test]
fn slow_start_falls_to_the_minimum_rate_at_once() {
    let mut scene = star(&[RATE; 2]);
    scene.congestion = Congestion::Dcqcn(dcqcn(NackMeans::SlowStart));
    scene.losses = vec![Loss { node: 0, port: 0, nth: 1 }];
    send(&mut scene, 0, 0, 1, 60);
    let outcome = played(&scene);
    let reported = 2 * FULL + 2 * (FULL + DELAY) + BACK;
    let rates: Vec<_> = outcome.rates.iter().map(|change| (change.at - reported, change.rate)).collect();
    assert_eq!(rates[..2], [(0, 80_000_000), (900_000_000, RATE / 2 + 40_000_000)]);
}

/// A star whose only port with a marking probability gets these random numbers.
struct Drawn(Vec<f64>);

impl PathChoice for Drawn {
    fn port(&mut self, decision: &Decision<'_>) -> PortIdx {
        decision.packet.destination
    }

    fn draw(&mut self, node: NodeIdx, port: PortIdx) -> f64 {
        assert_eq!((node, port), (2, 1));
        self.0.remove(0)
    }
}

#[test]
fn between_the_thresholds_packets_are_marked_at_random() {
    let mut scene = bottleneck(MarkAt::Enqueue, Notify::Never, 6);
    // Packets 2 to 5 find 1, 2, 3 and 3 packets waiting: packet 1 leaves just after packet 4 has arrived.
    scene.switches.marking =
        Some(Marking { at: MarkAt::Enqueue, minimum: 1048, maximum: 3 * 1048, probability: 0.5 });
    let mut numbers = Drawn(vec![0.24, 0.5, 0.49]);
    let outcome = play(&scene, &mut numbers);
    // No random number is needed at the minimum; 0.24 < 0.25, 0.5 is not below 0.5, 0.49 is.
    assert_eq!(marked(&outcome, 2, Kind::Data), [3, 5]);
    assert!(numbers.0.is_empty());
}
