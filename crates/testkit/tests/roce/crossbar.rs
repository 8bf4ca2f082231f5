//! What holds of transfers through crossbars, in every scene.

use std::collections::{BTreeMap, BTreeSet};

use netloom_testkit::referee_roce::{Hop, NodeIdx, Order, Outcome, PortIdx, Transfer};

use crate::scene::RoceScene;

/// Number of transfers that may pass the holder of a turn.
const K: u32 = 4;

/// Holds a scene that was played to all of it.
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
    if credits.data_lane == credits.control_lane {
        no_head_waits_for_too_many_transfers(scene, outcome);
    }
}

/// Transfers by what they have in common, in the order of grants.
fn by<K: Ord>(outcome: &Outcome, key: impl Fn(&Transfer) -> K) -> BTreeMap<K, Vec<&Transfer>> {
    let mut groups: BTreeMap<K, Vec<&Transfer>> = BTreeMap::new();
    for transfer in &outcome.transfers {
        groups.entry(key(transfer)).or_default().push(transfer);
    }
    groups
}

/// Pairs of transfers, one granted right after the other, of those that have something in common.
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
        let Transfer { stood_at, granted_at, begins_at, ends_at, leaves_at, .. } = *transfer;
        let times = [stood_at, granted_at, begins_at, ends_at, leaves_at];
        assert!(times.is_sorted() && begins_at < ends_at, "scene {}: {transfer:?}", scene.seed);
    }
}

fn egresses_have_one_transfer_at_a_time(scene: &RoceScene, outcome: &Outcome) {
    let key = |transfer: &Transfer| (transfer.node, transfer.egress);
    pairs(outcome, key, |one, next| one.ends_at <= next.granted_at, scene.seed);
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

/// What a port sent, in order.
fn sent_by(outcome: &Outcome, node: NodeIdx, port: PortIdx) -> Vec<&Hop> {
    outcome.hops.iter().filter(|hop| (hop.node, hop.port) == (node, port)).collect()
}

/// No packet that passes a holder does so beyond the bound; and an egress waits for nobody but a holder that has been
/// passed by as many as may, unless its wire is busy meanwhile.
fn none_but_claims_wait_for_ingresses(scene: &RoceScene, outcome: &Outcome) {
    for ((node, egress), transfers) in by(outcome, |transfer| (transfer.node, transfer.egress)) {
        let hops = sent_by(outcome, node, egress);
        let rate = scene.scene.fabric.link(node, egress).rate;
        for (place, transfer) in transfers.iter().enumerate() {
            let is_holder = transfer.ingress == transfer.holder;
            assert!(is_holder || transfer.n_passed < K, "scene {}: {transfer:?}", scene.seed);
            let claims = is_holder && transfer.n_passed >= K;
            if transfer.begins_at > transfer.granted_at && !claims {
                let dry_at = runs_dry(rate, &transfers[..place], &hops, transfer.granted_at);
                assert!(transfer.begins_at <= dry_at, "scene {}: {transfer:?}, {dry_at}", scene.seed);
            }
        }
    }
}

/// When the wire of an egress runs dry: what was granted there, what it sent over time, the instant at which this is asked
/// and at which nothing starts any more.
fn runs_dry(rate: u64, granted: &[&Transfer], sent: &[&Hop], at: u64) -> u64 {
    let time = |bytes: u64| (u128::from(bytes) * 8_000_000_000_000).div_ceil(u128::from(rate)) as u64;
    let started: Vec<&&Hop> = sent.iter().filter(|hop| hop.started_at <= at).collect();
    let free_at = started.last().map_or(0, |hop| hop.started_at + time(hop.packet.bytes));
    let granted: u64 = granted.iter().map(|transfer| transfer.bytes).sum();
    free_at + time(granted - started.iter().map(|hop| hop.packet.bytes).sum::<u64>())
}

/// Of n ingresses that send to an egress, all in one virtual lane, each other one may hold the turn once before a head is
/// granted a transfer, twice if the head's own ingress owes a turn; each holder may be passed by K transfers.
fn no_head_waits_for_too_many_transfers(scene: &RoceScene, outcome: &Outcome) {
    let by_egress = by(outcome, |transfer| (transfer.node, transfer.egress));
    let is_fifo = scene.scene.credits.as_ref().is_some_and(|credits| credits.order == Order::Fifo);
    let mut granted: BTreeMap<(NodeIdx, PortIdx), Vec<(usize, &Transfer)>> = BTreeMap::new();
    let mut last_of_queue = BTreeMap::new();
    for (index, transfer) in outcome.transfers.iter().enumerate() {
        let queue = (transfer.node, transfer.ingress, (!is_fifo).then_some(transfer.egress));
        let head_since = last_of_queue.insert(queue, index);
        let key = (transfer.node, transfer.egress);
        let others = granted.entry(key).or_default();
        let waits = |&&(place, other): &&(usize, &Transfer)| {
            Some(place) > head_since && other.granted_at >= transfer.stood_at
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
