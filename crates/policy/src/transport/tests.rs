//! The rules of every transport, compared with a very simple model.

use std::collections::BTreeSet;

use netloom_units::Random;

use super::{Arrivals, Receiver, Reliability, Response, Sender};

const ALL: [Reliability; 4] =
    [Reliability::GoBackN, Reliability::NicSr, Reliability::Irn, Reliability::Ideal];

/// The responses of a receiver that gets these positions in order.
fn responses(rule: Reliability, positions: &[u64]) -> Vec<(Response, u64)> {
    let mut receiver = Receiver::new(rule);
    let response = |&position: &u64| (receiver.receive(position).response, receiver.expected());
    positions.iter().map(response).collect()
}

#[test]
fn arrivals_are_a_set() {
    let mut random = Random::stream(7, 1, 1);
    let (mut arrivals, mut set, mut low) = (Arrivals::default(), BTreeSet::new(), 0);
    for _ in 0..20_000 {
        let position = low + u64::from(random.below(300));
        assert_eq!(arrivals.add(position), set.insert(position), "{position}");
        if random.below(50) == 0 {
            let jump = low + u64::from(random.below(100));
            arrivals.advance_to(jump);
            set.extend(low..jump);
        }
        while set.contains(&low) {
            low += 1;
        }
        assert_eq!(arrivals.expected(), low);
        assert_eq!(arrivals.n_ahead(), set.range(low..).count() as u64);
        let probe = low + u64::from(random.below(400));
        assert_eq!(arrivals.has(probe), set.contains(&probe));
    }
}

#[test]
fn each_transport_responds_to_a_gap() {
    use Response::{Acknowledge, AcknowledgeNow, Nack, Nothing};
    let order = [0, 2, 3, 1, 2, 5, 4];
    assert_eq!(
        responses(Reliability::GoBackN, &order),
        [
            (Acknowledge, 1),
            (Nack, 1),
            (Nothing, 1),
            (Acknowledge, 2),
            (Acknowledge, 3),
            (Nack, 3),
            (Nothing, 3)
        ]
    );
    assert_eq!(
        responses(Reliability::NicSr, &order),
        [
            (Acknowledge, 1),
            (Nack, 1),
            (Nothing, 1),
            (Acknowledge, 4),
            (AcknowledgeNow, 4),
            (Nack, 4),
            (Acknowledge, 6)
        ]
    );
    assert_eq!(
        responses(Reliability::Irn, &order),
        [
            (Acknowledge, 1),
            (Nack, 1),
            (Nack, 1),
            (Acknowledge, 4),
            (AcknowledgeNow, 4),
            (Nack, 4),
            (Acknowledge, 6)
        ]
    );
    assert!(responses(Reliability::Ideal, &order).iter().all(|(response, _)| *response != Nack));
}

#[test]
fn go_back_n_retransmits_from_the_gap_on() {
    let mut sender = Sender::new(Reliability::GoBackN, 0);
    sender.post(10);
    let sent: Vec<u64> = (0..8).map(|_| sender.take().position).collect();
    assert_eq!(sent, [0, 1, 2, 3, 4, 5, 6, 7]);
    assert!(sender.refused(3, 3));
    let again: Vec<(u64, bool)> =
        (0..7).map(|_| sender.take()).map(|turn| (turn.position, turn.is_again)).collect();
    assert_eq!(again, [(3, true), (4, true), (5, true), (6, true), (7, true), (8, false), (9, false)]);
    assert!(!sender.has_work());
}

#[test]
fn nic_sr_retransmits_one_packet() {
    let mut sender = Sender::new(Reliability::NicSr, 0);
    sender.post(10);
    for _ in 0..8 {
        sender.take();
    }
    assert!(sender.refused(3, 3));
    let next: Vec<(u64, bool)> =
        (0..2).map(|_| sender.take()).map(|turn| (turn.position, turn.is_again)).collect();
    assert_eq!(next, [(3, true), (8, false)]);
    // Acknowledged before its retransmission, it is not sent.
    sender.refused(5, 5);
    sender.acknowledged(9, || 8);
    assert!(sender.has_work());
    assert_eq!(sender.take().position, 9);
    assert!(!sender.has_work());
}

#[test]
fn irn_retransmits_each_gap_once_and_keeps_to_its_window() {
    let mut sender = Sender::new(Reliability::Irn, 6);
    sender.post(20);
    let sent: Vec<u64> = std::iter::from_fn(|| sender.has_work().then(|| sender.take().position)).collect();
    assert_eq!(sent, [0, 1, 2, 3, 4, 5]);
    sender.refused(1, 2);
    sender.refused(1, 4);
    let sent: Vec<u64> = std::iter::from_fn(|| sender.has_work().then(|| sender.take().position)).collect();
    // 0, 2 and 4 have arrived: three gaps (1 and 3 below the highest named), three new ones.
    assert_eq!(sent, [1, 3, 6, 7, 8]);
    assert_eq!(sender.in_flight(), 6);
    sender.timeout();
    let sent: Vec<u64> = std::iter::from_fn(|| sender.has_work().then(|| sender.take().position)).collect();
    assert_eq!(sent, [1, 3], "a retransmission may be lost, too");
}

/// With any loss, duplication and delay, every packet arrives in the end.
#[test]
fn with_losses_every_packet_arrives() {
    for rule in ALL {
        for seed in 0..40 {
            let mut random = Random::stream(seed, 2, 3);
            let (mut sender, mut receiver) = (Sender::new(rule, 12), Receiver::new(rule));
            let n_packets = 200;
            sender.post(n_packets);
            let (mut data, mut responses) = (Vec::new(), Vec::new());
            let mut quiet = 0;
            for _ in 0..200_000 {
                if sender.progress().una == n_packets {
                    break;
                }
                quiet += 1;
                match random.below(3) {
                    0 if sender.has_work() => {
                        let turn = sender.take();
                        assert!(turn.position >= sender.progress().una && turn.position < n_packets);
                        data.push(turn.position);
                    }
                    1 if !data.is_empty() => {
                        // Mostly the oldest, sometimes a later one; one in ten is lost.
                        let index = if random.below(4) == 0 { random.below(data.len() as u32) } else { 0 };
                        let position = data.remove(index as usize);
                        if random.below(10) > 0 {
                            let receipt = receiver.receive(position);
                            responses.push((receipt.response, receiver.expected(), position));
                        }
                    }
                    _ if !responses.is_empty() => {
                        let (response, expected, named) = responses.remove(0);
                        let is_news = match response {
                            Response::Nothing => false,
                            Response::Nack => sender.refused(expected, named),
                            _ => sender.acknowledged(expected, || named),
                        };
                        quiet = if is_news { 0 } else { quiet };
                    }
                    _ => {}
                }
                if quiet > 2_000 {
                    sender.timeout();
                    quiet = 0;
                }
            }
            assert_eq!(sender.progress().una, n_packets, "{rule:?} {seed}");
            assert_eq!(receiver.expected(), n_packets, "{rule:?} {seed}");
        }
    }
}
