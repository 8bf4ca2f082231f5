//! Policies that send packets through intermediate groups: what they compare, and when they may choose.

use std::ops::Range;

use super::*;
use crate::balance::detour::{Behind, Detour, Groups, RemoteQueues};

const N_GROUPS: u32 = 6;
const OWN: u32 = 2;
/// The group of every destination.
const TO: u32 = 4;
/// Ports: a host, the minimal path, the path towards all other groups, and a global link.
const HOST: u32 = 0;
const MINIMAL: u32 = 1;
const LONGER: u32 = 2;
const BEHIND: [Behind; 4] = [Behind::Host, Behind::Local, Behind::Local, Behind::Global(5)];

/// Queues of the minimal and of the non-minimal path.
struct Two {
    minimal: u64,
    longer: u64,
    beyond: Option<RemoteQueues>,
    opened: Vec<u32>,
}

impl Ports for &mut Two {
    fn n_minimal(&self) -> usize {
        1
    }
    fn n_non_minimal(&self) -> usize {
        self.opened.len()
    }
    fn port(&self, candidate: usize) -> u32 {
        if candidate == 0 { MINIMAL } else { LONGER }
    }
    fn waiting_bytes(&mut self, candidate: usize) -> u64 {
        if candidate == 0 { self.minimal } else { self.longer }
    }
    fn waiting_packets(&mut self, candidate: usize) -> u64 {
        self.waiting_bytes(candidate)
    }
    fn open(&mut self, group: u32) -> Range<usize> {
        self.opened.push(group);
        self.opened.len()..self.opened.len() + 1
    }
    fn beyond(&mut self, _: usize, group: u32) -> Option<RemoteQueues> {
        self.beyond
            .map(|beyond| if group == TO { beyond } else { RemoteQueues { least: self.longer, ..beyond } })
    }
}

/// All hosts are in this group.
#[derive(Debug)]
struct AllIn(u32);

impl Senders for AllIn {
    fn sender(&self, _: u32, _: bool) -> HostId {
        HostId(0)
    }
    fn leaf(&self, host: HostId) -> NodeId {
        NodeId(host.0)
    }
    fn group(&self, _: HostId) -> u32 {
        self.0
    }
}

fn far(ingress: u32, tag: u32) -> PacketView<'static> {
    PacketView { ingress, tag, senders: &AllIn(TO), ..packet(1, 0) }
}

fn instantiated(name: &str, values: &[(&str, Value)]) -> Balancer {
    let number = number_of(name).expect("it is registered");
    let defaults = SPECS[number].defaults();
    let settings = values.iter().fold(defaults, |settings, (key, value)| settings.with(key, value.clone()));
    let groups = Some(Groups { n_groups: N_GROUPS, own: OWN, behind: &BEHIND });
    Balancer::instantiate(&Chosen::Registered { number, settings }, Position { groups, ..position(3) })
}

fn guides() -> impl Iterator<Item = &'static str> {
    SPECS.iter().map(|spec| spec.name).filter(|name| Chosen::named(name).is_guide())
}

/// Successive picks with the same random stream.
struct Scene {
    balancer: Balancer,
    random: Random,
}

impl Scene {
    fn new(name: &str, values: &[(&str, Value)]) -> Scene {
        Scene { balancer: instantiated(name, values), random: Random::stream(1, 2, 3) }
    }

    fn pick(&mut self, packet: PacketView<'static>, queues: &mut Two) -> Detour {
        let mut context = Context { now: Time(1_000), random: &mut self.random };
        let pick = self.balancer.pick(&mut context, || packet, || &mut *queues);
        let detour = Detour::of(pick.tag);
        assert_eq!(detour.through.is_some(), pick.candidate > 0, "the port is that of the path");
        detour
    }

    /// Whether a new packet takes the minimal path.
    fn is_minimal(&mut self, minimal: u64, longer: u64, beyond: Option<RemoteQueues>) -> bool {
        let mut queues = Two { minimal, longer, beyond, opened: Vec::new() };
        self.pick(far(HOST, 0), &mut queues).through.is_none()
    }
}

#[test]
fn tags_encode_and_decode_path_state() {
    assert_eq!(Detour::of(0), Detour::default());
    for through in [None, Some(0), Some(1), Some(4_000)] {
        for is_decided in [false, true] {
            let detour = Detour { through, is_decided };
            assert_eq!(Detour::of(detour.tag()), detour);
        }
    }
    assert_eq!(Detour::through(7).arrived_in(7), Detour { through: None, is_decided: true });
    assert_eq!(Detour::through(7).arrived_in(6), Detour::through(7));
}

#[test]
fn the_intermediate_group_is_neither_source_nor_destination() {
    let mut scene = Scene::new("valiant", &[]);
    let mut counts = [0; N_GROUPS as usize];
    for _ in 0..4_000 {
        let mut queues = Two { minimal: 0, longer: 0, beyond: None, opened: Vec::new() };
        let detour = scene.pick(far(HOST, 0), &mut queues);
        counts[detour.through.expect("always through one") as usize] += 1;
    }
    assert_eq!((counts[OWN as usize], counts[TO as usize]), (0, 0));
    for group in [0, 1, 3, 5] {
        assert!((900..1_100).contains(&counts[group]), "{counts:?}");
    }
}

#[test]
fn decided_packets_and_control_packets_do_not_choose() {
    let far_worse = || Two { minimal: 1 << 40, longer: 0, beyond: None, opened: Vec::new() };
    for name in guides() {
        let mut scene = Scene::new(name, &[]);
        assert!(scene.pick(far(HOST, 0), &mut far_worse()).through.is_some(), "{name}");
        let decided = Detour { through: None, is_decided: true }.tag();
        let control = PacketView { is_data: false, ..far(HOST, 0) };
        for packet in [far(HOST, decided), far(3, 0), control] {
            assert!(scene.pick(packet, &mut far_worse()).through.is_none(), "{name}");
        }
        let is_asked_again = scene.pick(far(MINIMAL, 0), &mut far_worse()).through.is_some();
        assert_eq!(is_asked_again, name == "par" || name == "progressive", "{name}");
    }
}

#[test]
fn a_minimal_path_is_undecided_only_if_packets_choose_again() {
    for name in guides().filter(|&name| name != "valiant") {
        let mut scene = Scene::new(name, &[]);
        let mut idle = Two { minimal: 0, longer: 0, beyond: None, opened: Vec::new() };
        let detour = scene.pick(far(HOST, 0), &mut idle);
        assert_eq!(detour.through, None, "{name}");
        assert_eq!(detour.is_decided, !["par", "progressive"].contains(&name), "{name}");
    }
}

#[test]
fn weights_and_threshold_are_exact_to_the_byte() {
    for name in ["ugal_l", "par"] {
        let mut booksim = Scene::new(name, &[]);
        assert!(booksim.is_minimal(1_920, 0, None) && !booksim.is_minimal(1_921, 0, None), "{name}");
        assert!(booksim.is_minimal(3_920, 1_000, None) && !booksim.is_minimal(3_921, 1_000, None), "{name}");
        let macros = [
            ("minimal_weight", Value::Count(3)),
            ("non_minimal_weight", Value::Count(5)),
            ("threshold", Value::Size(Bytes(0))),
        ];
        let mut macros = Scene::new(name, &macros);
        assert!(macros.is_minimal(5, 3, None) && !macros.is_minimal(6, 3, None), "{name}");
    }
}

#[test]
fn ugal_g_compares_the_queues_of_global_links() {
    let mut scene = Scene::new("ugal_g", &[]);
    let beyond = |least| Some(RemoteQueues { least, sum: least, count: 2 });
    // The queue of the minimal path's global link decides, whatever waits here; that of the non-minimal one is
    // `longer`.
    assert!(scene.is_minimal(1 << 30, 0, beyond(1_920)) && !scene.is_minimal(0, 0, beyond(1_921)));
    assert!(scene.is_minimal(0, 1_000, beyond(3_920)) && !scene.is_minimal(0, 1_000, beyond(3_921)));
}

#[test]
fn piggyback_avoids_marked_global_links_of_other_switches() {
    let mut scene = Scene::new("piggyback", &[("marked_above", Value::Size(Bytes(10_000)))]);
    let beyond = |least, sum, count| Some(RemoteQueues { least, sum, count });
    // Three of four times the mean of two links is 1.5 times the mean: not above it.
    assert!(scene.is_minimal(0, 0, beyond(30_000, 40_000, 2)));
    assert!(!scene.is_minimal(0, 0, beyond(30_001, 40_000, 2)));
    assert!(scene.is_minimal(0, 0, beyond(10_000, 10_000, 2)), "a short queue is not marked");
    assert!(!scene.is_minimal(0, 0, beyond(10_001, 10_001, 2)));
    assert!(!scene.is_minimal(1_921, 0, beyond(0, 0, 2)), "local queues count as well");
}

/// Port 0 leads to a host, the others to switches of the group; the minimal ones lead to the destination.
struct Joined<'a> {
    opened: bool,
    minimal: &'a [u32],
    queues: [u64; 5],
}

impl Ports for &mut Joined<'_> {
    fn n_minimal(&self) -> usize {
        self.minimal.len()
    }
    fn n_non_minimal(&self) -> usize {
        if self.opened { 4 } else { 0 }
    }
    fn port(&self, candidate: usize) -> u32 {
        candidate
            .checked_sub(self.minimal.len())
            .map_or_else(|| self.minimal[candidate], |index| index as u32 + 1)
    }
    fn waiting_bytes(&mut self, candidate: usize) -> u64 {
        self.queues[self.port(candidate) as usize]
    }
    fn waiting_packets(&mut self, candidate: usize) -> u64 {
        self.waiting_bytes(candidate)
    }
    fn open(&mut self, group: u32) -> Range<usize> {
        assert_eq!(group, OWN);
        self.opened = true;
        self.minimal.len()..self.minimal.len() + 4
    }
}

/// How often packets to a destination in the own group take each port.
fn taken(within: &'static str, minimal: &[u32], queues: [u64; 5]) -> [u32; 5] {
    const JOINED: [Behind; 5] = [Behind::Host, Behind::Local, Behind::Local, Behind::Local, Behind::Local];
    let number = number_of("slingshot").expect("it is registered");
    let settings = SPECS[number].defaults().with("within_group", Value::Choice(within));
    let groups = Some(Groups { n_groups: 2, own: OWN, behind: &JOINED });
    let mut balancer =
        Balancer::instantiate(&Chosen::Registered { number, settings }, Position { groups, ..position(3) });
    let mut random = Random::stream(1, 2, 3);
    let mut counts = [0; 5];
    for _ in 0..1_200 {
        let mut ports = Joined { opened: false, minimal, queues };
        let packet =
            PacketView { ingress: HOST, tag: 0, senders: &AllIn(OWN), is_drained: true, ..packet(1, 0) };
        let mut context = Context { now: Time(1_000), random: &mut random };
        let pick = balancer.pick(&mut context, || packet, || &mut ports);
        let ports = &mut ports;
        counts[ports.port(pick.candidate) as usize] += 1;
    }
    counts
}

#[test]
fn within_a_group_any_other_switch_may_be_intermediate() {
    // Twice the queue plus 8 KiB must be less than the queue of the minimal path.
    assert_eq!(taken("through_switches", &[2], [0, 0, 8_192, 0, 0]), [0, 0, 1_200, 0, 0]);
    assert_eq!(taken("minimal", &[2], [0, 0, 1 << 30, 0, 0]), [0, 0, 1_200, 0, 0]);
    // A destination attached to this switch needs no path choice.
    assert_eq!(taken("through_switches", &[0], [1 << 30, 0, 0, 0, 0]), [1_200, 0, 0, 0, 0]);
}

#[test]
fn paths_through_switches_are_drawn_among_those_that_are_not_minimal() {
    for minimal in [&[1_u32][..], &[2], &[4], &[1, 2], &[2, 3], &[3, 4], &[1, 4], &[1, 2, 3]] {
        let is_minimal = |port: usize| minimal.contains(&(port as u32));
        let queues = std::array::from_fn(|port| if is_minimal(port) { 8_193 } else { 0 });
        let counts = taken("through_switches", minimal, queues);
        let share = 1_200 / (4 - minimal.len() as u32);
        for (port, count) in counts.into_iter().enumerate().skip(1) {
            let expected = if is_minimal(port) { 0..1 } else { share * 4 / 5..share * 6 / 5 + 1 };
            assert!(expected.contains(&count), "{minimal:?}: {counts:?}");
        }
        assert_eq!(counts[0], 0, "{minimal:?}");
    }
    // All other switches are on minimal paths to the destination: none is left to draw.
    assert_eq!(taken("through_switches", &[1, 2, 3, 4], [0, 9_000, 9_000, 9_000, 9_000])[0], 0);
}

#[test]
fn without_groups_all_paths_are_minimal() {
    for name in guides() {
        let mut balancer = Balancer::instantiate(&Chosen::named(name), position(3));
        let mut random = Random::stream(1, 2, 3);
        let mut queues = Two { minimal: 1 << 30, longer: 0, beyond: None, opened: Vec::new() };
        // Group 0 is the one that a host could take for its own group.
        let packet = PacketView { senders: &HostId(0), ..far(HOST, 0) };
        let mut context = Context { now: Time(1_000), random: &mut random };
        let pick = balancer.pick(&mut context, || packet, || &mut queues);
        assert_eq!((pick.candidate, pick.tag), (0, 0), "{name}");
    }
}

#[test]
fn progressive_tries_path_classes_in_order() {
    let mut scene = Scene::new("progressive", &[("threshold", Value::Size(Bytes(5_000)))]);
    assert!(scene.is_minimal(4_999, 0, None), "the first class is accepted");
    assert!(!scene.is_minimal(5_000, 4_999, None));
    assert!(!scene.is_minimal(9_000, 8_000, None), "no class is accepted: the least loaded port");
    assert!(scene.is_minimal(8_000, 8_000, None), "ties go to the minimal path");
}

#[test]
fn a_flow_keeps_its_path_until_it_has_drained() {
    let mut scene = Scene::new("slingshot", &[("bias", Value::Size(Bytes(1_000)))]);
    assert!(scene.is_minimal(3_000, 1_000, None));
    let mut busy = Two { minimal: 3_001, longer: 1_000, beyond: None, opened: Vec::new() };
    let follows = far(HOST, 0);
    assert_eq!(scene.pick(follows, &mut busy).through, None, "it follows the first packet");
    let drained = PacketView { is_drained: true, ..follows };
    let moved = scene.pick(drained, &mut busy);
    assert!(moved.through.is_some());
    let mut idle = Two { minimal: 0, longer: 1_000, beyond: None, opened: Vec::new() };
    assert_eq!(scene.pick(follows, &mut idle), moved);
    let other = PacketView { entropy: 77, ..follows };
    assert_eq!(scene.pick(other, &mut idle).through, None, "another flow chooses separately");

    let mut free = Scene::new("slingshot", &[("order", Value::Choice("free"))]);
    assert!(free.pick(follows, &mut Two { minimal: 1 << 20, ..busy }).through.is_some());
    assert!(free.pick(follows, &mut idle).through.is_none());
}
