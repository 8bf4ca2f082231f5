//! Invariants of transfers through crossbars, in every scene.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use netloom_testkit::reference_roce::{Hop, NodeIdx, Order, Outcome, PortIdx, Transfer};

use crate::scene::RoceScene;

/// Number of transfers that may pass the holder of a turn.
const K: u32 = 4;

/// Checks all invariants of a scene that was run.
pub fn check(scene: &RoceScene, outcome: &Outcome) {
    let credits = scene.scene.credits.as_ref().expect("there are credits");
    transfers_are_in_order(scene, outcome);
    egresses_have_one_transfer_at_a_time(scene, outcome);
    if !credits.is_ideal {
        ingresses_have_one_transfer_at_a_time(scene, outcome);
    }
    packets_leave_the_buffer_in_the_order_of_grants(scene, outcome);
    transmissions_start_after_transfers_begin(scene, outcome);
    none_but_claims_wait_for_ingresses(scene, outcome);
    trains_are_one_transfer(scene, outcome);
    trains_fit(scene, outcome);
    trains_are_as_long_as_may_be(scene, outcome);
    if credits.data_lane == credits.control_lane {
        no_head_waits_for_too_many_transfers(scene, outcome);
    }
}

/// Transfers by a common key, in the order of grants; of trains all parts.
fn by<K: Ord>(outcome: &Outcome, key: impl Fn(&Transfer) -> K) -> BTreeMap<K, Vec<&Transfer>> {
    let mut groups: BTreeMap<K, Vec<&Transfer>> = BTreeMap::new();
    for transfer in &outcome.transfers {
        groups.entry(key(transfer)).or_default().push(transfer);
    }
    groups
}

/// Pairs of consecutively granted transfers of those with a common key.
fn pairs<K: Ord>(
    outcome: &Outcome,
    key: impl Fn(&Transfer) -> K,
    holds: impl Fn(&Transfer, &Transfer) -> bool,
    seed: u64,
) {
    for group in by(outcome, key).values() {
        for pair in group.windows(2) {
            assert!(holds(pair[0], pair[1]), "scene {seed}: {pair:?}");
        }
    }
}

fn transfers_are_in_order(scene: &RoceScene, outcome: &Outcome) {
    for transfer in &outcome.transfers {
        let Transfer { buffered_at, granted_at, begins_at, ends_at, leaves_at, .. } = *transfer;
        let times = [buffered_at, granted_at, begins_at, ends_at, leaves_at];
        assert!(times.is_sorted() && begins_at < ends_at, "scene {}: {transfer:?}", scene.seed);
    }
}

fn egresses_have_one_transfer_at_a_time(scene: &RoceScene, outcome: &Outcome) {
    let key = |transfer: &Transfer| (transfer.node, transfer.egress);
    let follows = |one: &Transfer, next: &Transfer| {
        if next.index > 0 { one.ends_at == next.begins_at } else { one.ends_at <= next.granted_at }
    };
    pairs(outcome, key, follows, scene.seed);
}

fn ingresses_have_one_transfer_at_a_time(scene: &RoceScene, outcome: &Outcome) {
    let key = |transfer: &Transfer| (transfer.node, transfer.ingress);
    pairs(outcome, key, |one, next| one.ends_at <= next.begins_at, scene.seed);
}

fn packets_leave_the_buffer_in_the_order_of_grants(scene: &RoceScene, outcome: &Outcome) {
    let key = |transfer: &Transfer| (transfer.node, transfer.ingress);
    pairs(outcome, key, |one, next| one.leaves_at <= next.leaves_at, scene.seed);
}

/// Packets of a virtual lane start in the order of grants, each when its transfer has begun.
fn transmissions_start_after_transfers_begin(scene: &RoceScene, outcome: &Outcome) {
    let credits = scene.scene.credits.as_ref().expect("there are credits");
    for ((node, egress, lane), transfers) in
        by(outcome, |transfer| (transfer.node, transfer.egress, transfer.lane))
    {
        let is_control = |hop: &&&Hop| hop.packet.kind.is_control();
        let in_lane =
            |hop: &&&Hop| lane == if is_control(hop) { credits.control_lane } else { credits.data_lane };
        let hops = sent_by(outcome, node, egress);
        let hops: Vec<&&Hop> = hops.iter().filter(in_lane).collect();
        assert_eq!(hops.len(), transfers.len(), "scene {}, port {egress} of node {node}", scene.seed);
        for (hop, transfer) in hops.iter().zip(transfers) {
            let is_same = hop.packet.bytes == transfer.bytes;
            let is_later = hop.started_at >= transfer.begins_at;
            assert!(is_same && is_later, "scene {}: {hop:?} {transfer:?}", scene.seed);
        }
    }
}

/// The packets that a port sent, in order.
fn sent_by(outcome: &Outcome, node: NodeIdx, port: PortIdx) -> Vec<&Hop> {
    outcome.hops.iter().filter(|hop| (hop.node, hop.port) == (node, port)).collect()
}

/// Credits that a packet takes.
fn blocks(bytes: u64) -> u64 {
    bytes.div_ceil(64)
}

/// A VL of a port: node, port, VL.
type LaneOfPort = (NodeIdx, PortIdx, usize);

/// Granted and sent bytes of every VL of every port: the index of the transfer or the instant, and the sum of bytes up
/// to then, inclusive.
struct Ports {
    granted: BTreeMap<LaneOfPort, Vec<(usize, u64)>>,
    sent: BTreeMap<LaneOfPort, Vec<(u64, u64)>>,
}

impl Ports {
    fn new(scene: &RoceScene, outcome: &Outcome) -> Ports {
        let credits = scene.scene.credits.as_ref().expect("there are credits");
        let mut ports = Ports { granted: BTreeMap::new(), sent: BTreeMap::new() };
        for (index, part) in outcome.transfers.iter().enumerate() {
            let sums = ports.granted.entry((part.node, part.egress, part.lane)).or_default();
            sums.push((index, sums.last().map_or(0, |last| last.1) + part.bytes));
        }
        for hop in &outcome.hops {
            let is_control = hop.packet.kind.is_control();
            let lane = if is_control { credits.control_lane } else { credits.data_lane };
            let sums = ports.sent.entry((hop.node, hop.port, lane)).or_default();
            sums.push((hop.started_at, sums.last().map_or(0, |last| last.1) + hop.packet.bytes));
        }
        ports
    }

    /// Bytes that were granted before an index and not sent before an instant, in the VL of a transfer.
    fn staged(&self, part: &Transfer, slot: usize, instant: u64) -> u64 {
        let lane = (part.node, part.egress, part.lane);
        let granted = self.granted.get(&lane).map_or(0, |sums| sum_before(sums, &slot));
        granted - self.sent.get(&lane).map_or(0, |sums| sum_before(sums, &instant))
    }
}

/// The sum at the last entry before a limit.
fn sum_before<T: Ord>(sums: &[(T, u64)], end: &T) -> u64 {
    let n_before = sums.partition_point(|(at, _)| at < end);
    n_before.checked_sub(1).map_or(0, |last| sums[last].1)
}

/// Trains, as ranges of transfers: the first part of each, and the one behind its last.
pub fn trains(outcome: &Outcome) -> Vec<Range<usize>> {
    let is_first = |&index: &usize| outcome.transfers[index].index == 0;
    let firsts: Vec<usize> = (0..outcome.transfers.len()).filter(is_first).collect();
    let ends = firsts.iter().copied().skip(1).chain([outcome.transfers.len()]);
    firsts.iter().copied().zip(ends).map(|(first, end)| first..end).collect()
}

/// The packets of a train are granted together, and their parts are consecutive.
fn trains_are_one_transfer(scene: &RoceScene, outcome: &Outcome) {
    let common = |part: &Transfer| {
        let Transfer { node, ingress, egress, lane, granted_at, holder, n_passed, .. } = *part;
        (node, ingress, egress, lane, granted_at, holder, n_passed)
    };
    for train in trains(outcome) {
        for pair in outcome.transfers[train].windows(2) {
            let follows = (pair[0].index + 1, pair[0].ends_at) == (pair[1].index, pair[1].begins_at);
            assert!(follows && common(&pair[0]) == common(&pair[1]), "scene {}: {pair:?}", scene.seed);
        }
    }
}

/// Only a head is granted a transfer without room at the egress; no train exceeds the blocks of a full packet.
fn trains_fit(scene: &RoceScene, outcome: &Outcome) {
    let largest = scene.scene.packets.largest();
    let output_buffer = scene.scene.credits.as_ref().expect("there are credits").output_buffer;
    let ports = Ports::new(scene, outcome);
    for train in trains(outcome).into_iter().filter(|train| train.len() > 1) {
        let n_blocks: u64 = outcome.transfers[train.clone()].iter().map(|part| blocks(part.bytes)).sum();
        assert!(n_blocks <= blocks(largest), "scene {}: {:?}", scene.seed, &outcome.transfers[train]);
        for index in train.skip(1) {
            let part = &outcome.transfers[index];
            let staged = ports.staged(part, index, part.granted_at + 1);
            assert!(staged + largest <= output_buffer, "scene {}: {staged}, {part:?}", scene.seed);
        }
    }
}

/// The packet behind the last one of a train had no room, or did not fit.
fn trains_are_as_long_as_may_be(scene: &RoceScene, outcome: &Outcome) {
    let largest = scene.scene.packets.largest();
    let credits = scene.scene.credits.as_ref().expect("there are credits");
    let ports = Ports::new(scene, outcome);
    let queue = |part: &Transfer| {
        let egress = (credits.order == Order::Voq).then_some(part.egress);
        (part.node, part.ingress, part.lane, egress)
    };
    let mut next_of_queue = BTreeMap::new();
    for train in trains(outcome).into_iter().rev() {
        let parts = &outcome.transfers[train.clone()];
        let Some(next) = next_of_queue.insert(queue(&parts[0]), &parts[0]) else { continue };
        let n_blocks: u64 = parts.iter().chain([next]).map(|part| blocks(part.bytes)).sum();
        let may_join = next.egress == parts[0].egress
            && next.buffered_at <= parts[0].granted_at
            && n_blocks <= blocks(largest);
        // A packet that started at that instant may have started later, and is assumed to have been staged.
        if may_join {
            let staged = ports.staged(&parts[0], train.end, parts[0].granted_at);
            let lacks_room = staged + largest > credits.output_buffer;
            assert!(lacks_room, "scene {}: {parts:?}, {next:?}", scene.seed);
        }
    }
}

/// A holder is passed at most as often as the bound allows; and an egress waits only for a holder that has been passed
/// that often, unless its wire is busy meanwhile.
fn none_but_claims_wait_for_ingresses(scene: &RoceScene, outcome: &Outcome) {
    for ((node, egress), transfers) in by(outcome, |transfer| (transfer.node, transfer.egress)) {
        let hops = sent_by(outcome, node, egress);
        let rate = scene.scene.fabric.link(node, egress).rate;
        for (slot, transfer) in transfers.iter().enumerate() {
            let is_holder = transfer.ingress == transfer.holder;
            assert!(is_holder || transfer.n_passed < K, "scene {}: {transfer:?}", scene.seed);
            let claims = is_holder && transfer.n_passed >= K;
            let is_ahead = transfer.begins_at > transfer.granted_at && transfer.index == 0;
            if is_ahead && !claims {
                let dry_at = runs_dry(rate, &transfers[..slot], &hops, transfer.granted_at);
                assert!(transfer.begins_at <= dry_at, "scene {}: {transfer:?}, {dry_at}", scene.seed);
            }
        }
    }
}

/// When the wire of an egress becomes idle, from the transfers granted there and the packets it sent, evaluated at an
/// instant, if nothing more is granted.
fn runs_dry(rate: u64, granted: &[&Transfer], sent: &[&Hop], at: u64) -> u64 {
    let time = |bytes: u64| (u128::from(bytes) * 8_000_000_000_000).div_ceil(u128::from(rate)) as u64;
    let started: Vec<&&Hop> = sent.iter().filter(|hop| hop.started_at <= at).collect();
    let free_at = started.last().map_or(0, |hop| hop.started_at + time(hop.packet.bytes));
    let granted: u64 = granted.iter().map(|transfer| transfer.bytes).sum();
    free_at + time(granted - started.iter().map(|hop| hop.packet.bytes).sum::<u64>())
}

/// Of n ingresses that send to an egress, all in one virtual lane, each other one may hold the turn once before a head
/// is granted a transfer, twice if the head's own ingress owes a turn; each holder may be passed by K transfers. A
/// train counts as one.
fn no_head_waits_for_too_many_transfers(scene: &RoceScene, outcome: &Outcome) {
    let by_egress = by(outcome, |transfer| (transfer.node, transfer.egress));
    let is_fifo = scene.scene.credits.as_ref().is_some_and(|credits| credits.order == Order::Fifo);
    let mut granted: BTreeMap<(NodeIdx, PortIdx), Vec<(usize, &Transfer)>> = BTreeMap::new();
    let mut last_of_queue = BTreeMap::new();
    for (index, transfer) in outcome.transfers.iter().enumerate() {
        let queue = (transfer.node, transfer.ingress, (!is_fifo).then_some(transfer.egress));
        let head_since = last_of_queue.insert(queue, index);
        if transfer.index > 0 {
            continue;
        }
        let key = (transfer.node, transfer.egress);
        let others = granted.entry(key).or_default();
        let waits = |&&(slot, other): &&(usize, &Transfer)| {
            Some(slot) > head_since && other.granted_at >= transfer.buffered_at
        };
        let n_waited = others.iter().filter(waits).count();
        let last = others.iter().rev().find(|(_, other)| other.ingress == transfer.ingress);
        let may_owe = last.is_some_and(|(_, last)| last.ingress != last.holder);
        let ingresses: BTreeSet<PortIdx> = by_egress[&key].iter().map(|other| other.ingress).collect();
        let n_turns = (ingresses.len() - 1) * if may_owe { 2 } else { 1 };
        let bound = n_turns * (K as usize + 1) + K as usize;
        assert!(n_waited <= bound, "scene {}: {n_waited} > {bound}, {transfer:?}", scene.seed);
        others.push((index, transfer));
    }
}
