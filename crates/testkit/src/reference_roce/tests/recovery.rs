//! Losses and their recovery.

use super::*;
use crate::reference_roce::{BufferRule, DropReason, Loss, Recovery};

const TIMEOUT: u64 = 50_000_000;

/// One message of this number of packets, of which host 0 loses some, counted by starts.
fn lossy(recovery: Recovery, n_packets: u64, lost: &[u64]) -> Scene {
    let mut scene = star(&[RATE; 2]);
    scene.transport.recovery = recovery;
    scene.transport.timeout = TIMEOUT;
    send(&mut scene, 0, 0, 1, n_packets);
    scene.losses = lost.iter().map(|&nth| Loss { node: 0, port: 0, nth }).collect();
    scene
}

fn positions(outcome: &Outcome) -> Vec<u64> {
    data_starts(outcome, 0).iter().map(|start| start.1).collect()
}

/// When the packet that starts at an instant at host 0 has reached host 1 and the answer host 0.
fn responded_at(start: u64) -> u64 {
    start + 2 * (FULL + DELAY) + BACK
}

#[test]
fn go_back_n_retransmits_from_the_loss_on() {
    let outcome = played(&lossy(Recovery::GoBackN, 12, &[1]));
    assert_eq!(positions(&outcome), [0, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    // The NACK arrives at 8320 ns, in the middle of packet 7.
    assert_eq!(responded_at(2 * FULL), 8_320_000);
    assert_eq!(data_starts(&outcome, 0)[8], (8 * FULL, 1));
    let nacks = sent(&outcome, 1, Kind::Nack);
    assert_eq!(nacks.iter().map(|hop| hop.packet.position).collect::<Vec<_>>(), [1]);
    let again = sent(&outcome, 0, Kind::Data).iter().filter(|hop| hop.packet.again).count();
    assert_eq!((again, outcome.messages[0].timeouts), (7, 0));
    assert_eq!(outcome.messages[0].arrived_at, Some(19 * FULL + DELAY + FULL + DELAY));
    assert_eq!((outcome.drops.len(), outcome.drops[0].reason), (1, DropReason::Link));
}

#[test]
fn an_idle_sender_goes_back_when_the_nack_arrives() {
    let outcome = played(&lossy(Recovery::GoBackN, 6, &[1]));
    assert_eq!(data_starts(&outcome, 0)[6], (8_320_000, 1));
}

#[test]
fn nic_sr_sends_one_nack_for_every_loss() {
    let outcome = played(&lossy(Recovery::NicSr, 60, &[1, 20, 40]));
    let nacks = sent(&outcome, 1, Kind::Nack);
    assert_eq!(nacks.iter().map(|hop| hop.packet.position).collect::<Vec<_>>(), [1, 19, 38]);
    let starts = sent(&outcome, 0, Kind::Data);
    let again: Vec<_> = starts.iter().filter(|hop| hop.packet.again).map(|hop| hop.packet.position).collect();
    assert_eq!(again, [1, 19, 38]);
    assert_eq!((starts.len(), outcome.messages[0].timeouts), (63, 0));
    assert!(outcome.messages[0].arrived_at.is_some());
}

#[test]
fn irn_retransmits_two_losses_within_one_round_trip() {
    let recovery = Recovery::Irn { window: 8, timeout_low: TIMEOUT };
    let outcome = played(&lossy(recovery, 12, &[1, 3]));
    // The NACK that names 2 causes the retransmission of 1, the one that names 4 that of 3.
    let starts = data_starts(&outcome, 0);
    let again: Vec<_> = sent(&outcome, 0, Kind::Data)
        .iter()
        .filter(|hop| hop.packet.again)
        .map(|hop| hop.packet.position)
        .collect();
    assert_eq!(again, [1, 3]);
    assert_eq!(starts.len(), 14);
    // The NACK for 1 arrives in the middle of packet 7.
    assert_eq!(starts[8], (8 * FULL, 1));
    let nacks: Vec<_> = sent(&outcome, 1, Kind::Nack).iter().map(|hop| hop.packet.names.unwrap()).collect();
    assert_eq!(nacks[..3], [2, 4, 5]);
    assert_eq!(outcome.messages[0].timeouts, 0);
}

#[test]
fn irn_keeps_its_window() {
    let recovery = Recovery::Irn { window: 3, timeout_low: TIMEOUT };
    let outcome = played(&lossy(recovery, 5, &[]));
    let starts = data_starts(&outcome, 0);
    assert_eq!(starts[2], (2 * FULL, 2));
    assert_eq!(starts[3], (responded_at(0), 3));
    assert_eq!(starts[4], (responded_at(FULL), 4));
}

#[test]
fn the_last_packet_is_retransmitted_after_the_timeout() {
    for recovery in [Recovery::GoBackN, Recovery::NicSr, Recovery::Ideal] {
        let outcome = played(&lossy(recovery, 3, &[2, 3]));
        let first = responded_at(FULL) + TIMEOUT;
        let starts = data_starts(&outcome, 0);
        assert_eq!(starts[3..], [(first, 2), (first + TIMEOUT, 2)], "{recovery:?}");
        assert_eq!(outcome.messages[0].timeouts, 2);
        assert!(outcome.messages[0].acknowledged_at.is_some());
    }
}

#[test]
fn irn_uses_the_short_timeout_for_few_packets() {
    let recovery = Recovery::Irn { window: 99_999, timeout_low: 20_000_000 };
    let outcome = played(&lossy(recovery, 3, &[2]));
    assert_eq!(data_starts(&outcome, 0)[3], (responded_at(FULL) + 20_000_000, 2));
}

#[test]
fn acks_are_coalesced() {
    let mut scene = lossy(Recovery::GoBackN, 10, &[]);
    scene.transport.coalesce = 4;
    let outcome = played(&scene);
    let acks: Vec<_> = sent(&outcome, 1, Kind::Ack).iter().map(|hop| hop.packet.position).collect();
    assert_eq!(acks, [4, 8, 10]);
}

#[test]
fn every_transport_repairs_the_drops_of_a_full_switch() {
    let irn = Recovery::Irn { window: 28, timeout_low: 20_000_000 };
    for recovery in [Recovery::GoBackN, Recovery::NicSr, irn, Recovery::Ideal] {
        let mut scene = star(&[RATE; 4]);
        scene.transport.recovery = recovery;
        scene.transport.timeout = TIMEOUT;
        scene.switches.rule = BufferRule::Lossy;
        scene.switches.buffer = 12_000;
        (1..4).for_each(|from| send(&mut scene, from as u64 * 77, from, 0, 20));
        let outcome = played(&scene);
        assert!(outcome.messages.iter().all(|fate| fate.acknowledged_at.is_some()), "{recovery:?}");
        assert!(
            outcome.drops.iter().all(|drop| drop.reason == DropReason::Buffer) && outcome.drops.len() > 5
        );
    }
}
