//! Crossbars in random states: no head waits for more grants of its egress than its bound, and none is granted late.

use std::collections::{BTreeMap, BTreeSet};

use netloom_model::{Credits, Forwarding, InputOrder, Port};
use netloom_units::{Bytes, Duration, LinkId, NodeId, PortId, Random, Rate};

use super::crossbar::{Crossbar, Output, in_turn};
use super::grant::{Choice, Transfer};
use super::turn::{MAX_BYPASSES, max_bypasses};
use super::{Returns, grant};
use crate::channel::{Channel, ReceiverLocation};
use crate::packet::{Address, HeaderFlags, Packet};
use crate::ring::ring;

/// The longest transfer, in ps.
const LONGEST: u64 = 100;
const N_VLS: u8 = 3;

fn crossbar(n_ports: usize, order: InputOrder, n_vls: u8) -> Crossbar {
    let credits = Credits {
        buffer: Bytes(1 << 20),
        vls: std::array::from_fn(|class| class as u8 % n_vls),
        n_steps: 1,
        order,
        speedup: 2,
        output_buffer: Bytes(1 << 20),
        forwarding: Forwarding::StoreAndForward,
        latency: Duration::ZERO,
        is_ideal: false,
    };
    let (rate, delay) = (Rate(8_000_000_000), Duration(1));
    let port = Port { node: NodeId(0), peer: PortId(0), link: LinkId(0), rate, delay };
    let returns = (0..n_ports)
        .map(|_| Returns::new(Channel::new(ring().0, ReceiverLocation::Inside(0)), None, 1, 0))
        .collect();
    Crossbar::new(&credits, Bytes(1_000), &vec![port; n_ports], returns, |_| true)
}

/// A head of a queue, and what the test records of its wait.
struct Head {
    /// Transfers that its egress has granted in its VL since it was the head.
    n_grants: u64,
    /// Ingresses that had a head for its egress in its VL meanwhile.
    rivals: BTreeSet<u32>,
    /// Whether its ingress was to be skipped there at first.
    is_skipped: bool,
}

/// The bound of a head whose ingress is not to be skipped, with `n_rivals` that compete: each other one holds the turn once.
fn once(n_rivals: u32) -> u64 {
    u64::from((n_rivals - 1) * (MAX_BYPASSES + 1) + MAX_BYPASSES)
}

/// A switch under random traffic.
struct Scene {
    crossbar: Crossbar,
    n_ports: u32,
    n_vls: usize,
    random: Random,
    now: u64,
    /// Heads by egress, VL and ingress.
    heads: BTreeMap<(u32, usize, u32), Head>,
    /// The longest wait of any head, as a fraction of its bound.
    worst: f64,
    n_due: u32,
}

impl Scene {
    fn new(seed: u64) -> Scene {
        let mut random = Random::stream(seed, 7, 7);
        let n_ports = 2 + random.below(7);
        let n_vls = if seed.is_multiple_of(3) { N_VLS } else { 1 };
        let order = if seed.is_multiple_of(2) { InputOrder::Voq } else { InputOrder::Fifo };
        let crossbar = crossbar(n_ports as usize, order, n_vls);
        let heads = BTreeMap::new();
        Scene { crossbar, n_ports, n_vls: usize::from(n_vls), random, now: 0, heads, worst: 0.0, n_due: 0 }
    }

    fn arrive(&mut self) {
        let (ingress, egress) = (self.random.below(self.n_ports), self.random.below(self.n_ports));
        let class = self.random.below(self.n_vls as u32) as u8;
        let to = Address { host: egress, slot: 0 };
        let packet = Packet::data(to, 0, 0, 0, 1 + self.random.below(1_000), HeaderFlags::new(class, true));
        self.crossbar.insert::<false>(self.now, (ingress, egress), &packet, self.now, None);
        self.see_heads();
    }

    /// Records heads that are new, and rivals.
    fn see_heads(&mut self) {
        for egress in 0..self.n_ports {
            for vl in 0..self.n_vls {
                let wanting: BTreeSet<u32> = (0..self.n_ports)
                    .filter(|&ingress| self.crossbar.has_request::<false>(ingress, vl, egress))
                    .collect();
                self.heads
                    .retain(|&(of, own, ingress), _| (of, own) != (egress, vl) || wanting.contains(&ingress));
                for &ingress in &wanting {
                    let is_skipped = self.crossbar.is_skipped(egress as usize * self.n_vls + vl, ingress);
                    let fresh = || Head { n_grants: 0, rivals: BTreeSet::new(), is_skipped };
                    self.heads.entry((egress, vl, ingress)).or_insert_with(fresh).rivals.extend(&wanting);
                }
            }
        }
    }

    /// An egress grants a transfer as the arbiter does, with room and credits for all packets.
    fn ask(&mut self, egress: u32) {
        let closed_until = self.crossbar.outputs[egress as usize].closed_until;
        if closed_until > self.now {
            return;
        }
        let mut busy = 0;
        let Output { vls_with_heads, vl: last, .. } = self.crossbar.outputs[egress as usize];
        for vl in in_turn(vls_with_heads, last) {
            let idle_by = self.now + u64::from(self.random.below(2) * self.random.below(150));
            match self.crossbar.choose::<false>(egress, vl, || idle_by, self.now) {
                Choice::NoHead => {}
                Choice::Busy => busy |= 1 << vl,
                Choice::Ingress(ingress) => {
                    self.crossbar.bypass_holders(egress, busy, ingress);
                    let begin = self.crossbar.begin_at(ingress, self.now);
                    let is_due = begin > idle_by;
                    assert!(
                        !is_due || begin - self.now <= LONGEST * u64::from(self.n_ports),
                        "held too long"
                    );
                    self.n_due += u32::from(is_due);
                    return self.grant(ingress, egress, vl, begin);
                }
            }
        }
    }

    fn grant(&mut self, ingress: u32, egress: u32, vl: usize, begin: u64) {
        let head = self.heads.remove(&(egress, vl, ingress)).expect("it was seen");
        let n_rivals = head.rivals.len() as u32;
        let bound = if head.is_skipped { max_bypasses(n_rivals as usize) } else { once(n_rivals) };
        assert!(head.n_grants <= bound, "{} of {bound} with {n_rivals} that compete", head.n_grants);
        self.worst = self.worst.max(head.n_grants as f64 / bound as f64);
        let of_vl = self.heads.iter_mut().filter(|(key, _)| (key.0, key.1) == (egress, vl));
        of_vl.for_each(|(_, head)| head.n_grants += 1);
        let index = self.crossbar.take_granted::<false>(self.now, (ingress, vl), vl, egress);
        self.crossbar.note_wait::<false>(index, egress, vl, begin);
        // Small packets come between large ones, as ACKs between data.
        let span = if self.random.below(3) == 0 { 2 } else { LONGEST };
        let transfer = Transfer { ingress, egress, vl, end: begin + span };
        self.crossbar.grant::<false>(transfer);
        self.crossbar.remove(egress, index);
        self.see_heads();
    }

    fn arbitrate(&mut self) {
        self.crossbar.request_due_arbitrations(self.now);
        while let Some(egress) = self.crossbar.take_next_egress() {
            self.ask(egress);
            let until = self.crossbar.outputs[egress as usize].closed_until;
            let next = if until > self.now { until } else { self.crossbar.next_idle(egress, self.now) };
            if next != u64::MAX {
                self.crossbar.wakes.bring_forward(egress, next);
            }
        }
    }
}

#[test]
fn while_a_packet_is_a_head_no_more_transfers_pass_it_than_the_bound_allows() {
    let (mut worst, mut n_due) = (0.0_f64, 0);
    for seed in 0..300 {
        let mut scene = Scene::new(seed);
        for _ in 0..40 {
            scene.arrive();
        }
        // More packets come than can leave, so that all queues are filled.
        for _ in 0..1_500 {
            scene.arrive();
            scene.arbitrate();
            scene.now = match scene.crossbar.wakes.next() {
                u64::MAX => scene.now + 1,
                end => end.max(scene.now).min(scene.now + u64::from(scene.random.below(60))),
            };
        }
        worst = worst.max(scene.worst);
        n_due += scene.n_due;
    }
    assert!(n_due > 1_000, "no holder was ever passed so often that its egress waited for it: {n_due}");
    assert!(worst > 0.3, "waits near the bound do not occur: {worst}");
}

#[test]
fn a_head_without_competitors_is_never_passed() {
    assert_eq!(grant::Waits::default().most_bypasses, 0);
    let mut scene = Scene::new(1);
    for _ in 0..200 {
        let (ingress, egress) = (0, scene.random.below(scene.n_ports));
        let packet = Packet::data(Address { host: egress, slot: 0 }, 0, 0, 0, 100, HeaderFlags::new(0, true));
        scene.crossbar.insert::<false>(scene.now, (ingress, egress), &packet, scene.now, None);
        scene.see_heads();
        scene.arbitrate();
        scene.now = scene.crossbar.wakes.next().min(scene.now + 50);
    }
    assert!(scene.crossbar.outputs.iter().all(|output| output.waits.most_bypasses == 0));
}
