//! The paper's examples packet by packet, the race between a packet and its NACK, and real losses.

use std::collections::{BTreeMap, BTreeSet};

use netloom_units::{Random, Time};

use super::*;

/// Size of every packet on the last hop, in units.
const SIZE: u32 = 10;
/// Number of packets that the last hop carries until a host's response arrives.
const RESPONSE: u32 = 20;

/// A last hop on which responses take `ANSWER` packets, without margin.
fn last_hop() -> LastHop {
    let (packet, rate) = (Bytes(u64::from(SIZE) * UNIT), Rate(400_000_000_000));
    let response = Duration(u64::from(RESPONSE) * rate.serialization(packet).0);
    LastHop { rate, packet, response, coalesce: 1 }
}

fn themis(n_paths: u32, entries: u64, race: &'static str) -> Themis {
    let settings = SPEC.defaults().with("race", Value::Choice(race)).with("entries", Value::Count(entries));
    Themis::new(&settings.with("factor", Value::Fraction(1.0)), n_paths, &last_hop())
}

/// Nothing has been sent: the host may still respond to every packet.
fn nack(filter: &Themis, of: &mut QueuePair, psn: u32) -> Filter {
    filter.on_nack(of, psn, 0)
}

fn data(filter: &Themis, of: &mut QueuePair, psn: u32) -> Option<Compensation> {
    filter.on_data(of, psn, SIZE, 0)
}

const BOTH: [&str; 2] = ["scan", "literal"];

/// Packets that pass without a compensation.
fn pass(filter: &Themis, of: &mut QueuePair, psns: &[u32]) {
    for &psn in psns {
        assert_eq!(data(filter, of, psn), None, "packet {psn}");
    }
}

#[test]
fn entries_are_computed_as_the_paper_does() {
    let settings = SPEC.defaults().with("round_trip", Value::Duration(Duration::from_micros(2)));
    let hop = LastHop { packet: Bytes(1500), response: Duration::from_micros(1), ..last_hop() };
    assert_eq!(Themis::new(&settings, 256, &hop).entries(), 100);
    assert_eq!(themis(2, 8, "scan").entries(), 8);
    // With `literal` a ring has a fixed length even if no parameter gives it; else it is as long as the data in flight.
    let literal = SPEC.defaults().with("race", Value::Choice("literal"));
    assert_eq!(Themis::new(&literal, 256, &hop).entries(), 50);
    assert_eq!(Themis::new(&SPEC.defaults(), 256, &hop).entries(), 1 << 20);
}

#[test]
fn packets_take_paths_in_rotation_from_their_base() {
    let filter = themis(4, 8, "scan");
    let paths: Vec<_> = (0..6).map(|psn| filter.path(psn, 3)).collect();
    assert_eq!(paths, [3, 0, 1, 2, 3, 0]);
}

#[test]
fn the_example_of_nack_validation_in_the_paper() {
    for race in BOTH {
        let (filter, mut of) = (themis(2, 8, race), QueuePair::default());
        // 2 is overtaken by 3 on the other path: the NIC's NACK indicates reordering only.
        pass(&filter, &mut of, &[0, 1, 3]);
        assert_eq!(nack(&filter, &mut of, 2), Filter::Block, "{race}");
        pass(&filter, &mut of, &[2]);
        // 4 is lost, and 6, of the same path, causes the NIC's NACK.
        pass(&filter, &mut of, &[6]);
        assert_eq!(nack(&filter, &mut of, 4), Filter::Forward, "{race}");
        let counters = Counters { forwarded: 1, blocked: 1, ..Counters::default() };
        assert_eq!(of.counters(), counters, "{race}");
    }
}

#[test]
fn the_example_of_compensation_in_the_paper() {
    for race in BOTH {
        let (filter, mut of) = (themis(2, 8, race), QueuePair::default());
        pass(&filter, &mut of, &[0, 1, 3]);
        assert_eq!(nack(&filter, &mut of, 2), Filter::Block, "{race}");
        // 5 took the other path and proves nothing about 2; 4 took the same one: 2 is lost, and is reported once.
        pass(&filter, &mut of, &[5]);
        assert_eq!(data(&filter, &mut of, 4), Some(Compensation { psn: 2 }), "{race}");
        pass(&filter, &mut of, &[6, 8, 2]);
        assert_eq!(of.counters().compensated, 1, "{race}");
    }
}

#[test]
fn the_cause_is_the_first_packet_after_the_expected_one() {
    let (filter, mut of) = (themis(4, 16, "scan"), QueuePair::default());
    // The host expects 2 and sends a NACK because of 5; the packets after 5 are not the cause.
    pass(&filter, &mut of, &[0, 1, 5, 6, 3]);
    assert_eq!(nack(&filter, &mut of, 2), Filter::Forward, "6 passed on the path of 2");
    let (filter, mut of) = (themis(4, 16, "literal"), QueuePair::default());
    pass(&filter, &mut of, &[0, 1, 5, 6, 3]);
    assert_eq!(nack(&filter, &mut of, 2), Filter::Block);
}

#[test]
fn a_packet_is_the_cause_of_one_nack_only() {
    for race in BOTH {
        let (filter, mut of) = (themis(4, 16, race), QueuePair::default());
        pass(&filter, &mut of, &[0, 1, 5]);
        assert_eq!(nack(&filter, &mut of, 2), Filter::Block, "{race}: 5 took another path than 2");
        // The host has 2 and 5 now. 7, not 5, causes its NACK for 3.
        pass(&filter, &mut of, &[2, 7]);
        assert_eq!(nack(&filter, &mut of, 3), Filter::Forward, "{race}");
    }
}

#[test]
fn a_packet_that_passed_before_its_nack_is_not_awaited() {
    for (race, spurious) in [("scan", None), ("literal", Some(Compensation { psn: 2 }))] {
        let (filter, mut of) = (themis(2, 8, race), QueuePair::default());
        pass(&filter, &mut of, &[0, 1, 3, 2]);
        assert_eq!(nack(&filter, &mut of, 2), Filter::Block);
        assert_eq!(data(&filter, &mut of, 4), spurious, "{race}");
    }
}

#[test]
fn a_later_packet_of_the_path_that_passed_before_the_nack_proves_the_loss() {
    let (filter, mut of) = (themis(2, 8, "scan"), QueuePair::default());
    // 3 is the cause and took the other path, but 4 has passed on the path of 2 since then.
    pass(&filter, &mut of, &[0, 1, 3, 5, 4]);
    assert_eq!(nack(&filter, &mut of, 2), Filter::Forward);
    pass(&filter, &mut of, &[6, 8]);
}

#[test]
fn sequence_numbers_wrap() {
    let top = (1 << 24) - 1;
    for race in BOTH {
        let (filter, mut of) = (themis(2, 8, race), QueuePair::default());
        pass(&filter, &mut of, &[top - 2, 0]);
        assert_eq!(
            nack(&filter, &mut of, top),
            Filter::Block,
            "{race}: 0 comes after and took the other path"
        );
        assert_eq!(data(&filter, &mut of, 1), Some(Compensation { psn: top }), "{race}");
        pass(&filter, &mut of, &[2, 4]);
        assert_eq!(nack(&filter, &mut of, 3), Filter::Block, "{race}");
    }
    assert!(is_after(0, top) && !is_after(top, 0) && !is_after(7, 7));
}

#[test]
fn an_overwritten_ring_entry_is_no_cause() {
    let (filter, mut of) = (themis(2, 2, "scan"), QueuePair::default());
    pass(&filter, &mut of, &[5, 3, 2]);
    // 5 was overwritten; 3 is taken for the cause.
    assert_eq!(nack(&filter, &mut of, 2), Filter::Block);
    // Nothing after 9 is in the ring: a NACK whose cause is not found is forwarded.
    assert_eq!(nack(&filter, &mut of, 9), Filter::Forward);
    let counters =
        Counters { forwarded: 1, unexplained: 1, blocked: 1, overwritten: 1, ..Counters::default() };
    assert_eq!(of.counters(), counters);
}

#[test]
fn equal_histories_give_equal_state() {
    let history = |last| {
        let (filter, mut of) = (themis(2, 4, "scan"), QueuePair::default());
        pass(&filter, &mut of, &[0, 1, 3]);
        nack(&filter, &mut of, 2);
        pass(&filter, &mut of, &[last]);
        let mut out = StateWriter::new(Time::ZERO);
        of.write_state(&mut out, 4 * SIZE);
        out.into_words()
    };
    assert_eq!(history(7), history(7));
    assert_ne!(history(7), history(2));
}

/// Packets through a switch, with the data enqueued and the data sent, in packets.
struct Hop {
    filter: Themis,
    of: QueuePair,
    enqueued: u32,
}

impl Hop {
    fn new(coalesce: u32) -> Hop {
        let settings = SPEC.defaults().with("factor", Value::Fraction(1.0));
        let filter = Themis::new(&settings, 4, &LastHop { coalesce, ..last_hop() });
        Hop { filter, of: QueuePair::default(), enqueued: u32::MAX - 100 }
    }

    /// Packets that pass while `n_waiting` packets wait.
    fn pass(&mut self, psns: &[u32], n_waiting: u32) -> Vec<u32> {
        let mut made = Vec::new();
        for &psn in psns {
            self.enqueued = self.enqueued.wrapping_add(SIZE);
            let left = self.enqueued.wrapping_sub((n_waiting + 1) * SIZE);
            let compensation = self.filter.on_data(&mut self.of, psn, self.enqueued, left);
            made.extend(compensation.map(|compensation| compensation.psn));
        }
        made
    }

    fn nack(&mut self, psn: u32) -> Filter {
        self.filter.on_nack(&mut self.of, psn, self.enqueued)
    }
}

#[test]
fn a_packet_that_passed_before_the_cause_is_lost_on_the_last_hop() {
    let mut hop = Hop::new(1);
    assert!(hop.pass(&[0, 1, 2, 3], 0).is_empty());
    // 3 took another path than 2, but 2 was on the wire before it.
    assert_eq!(hop.nack(2), Filter::Forward);
    // So is the packet that passed before the true cause: 9 caused no NACK, before the host had 2, and 5 before 10.
    assert!(hop.pass(&[9, 5, 2, 10], 0).is_empty());
    hop.filter.on_response(&mut hop.of, 4);
    assert_eq!(hop.nack(5), Filter::Forward);
}

#[test]
fn without_a_response_a_passed_packet_counts_as_lost() {
    for coalesce in [1, 3] {
        for (is_awaited, history) in [(true, [3, 5, 6]), (false, [3, 5, 2])] {
            let mut hop = Hop::new(coalesce);
            assert!(hop.pass(&[0, 1], 0).is_empty());
            assert!(hop.pass(&history, 0).is_empty());
            if is_awaited {
                // 6 shares the path of 2, and has not arrived yet when the NACK comes back.
                hop.of.ring.pop_newest(6);
            }
            assert_eq!(hop.nack(2), Filter::Block);
            if is_awaited {
                assert!(hop.pass(&[2], 0).is_empty());
            }
            // The response to 2, if there is one, has arrived when as much data as fits in the round trip has been sent
            // behind it and behind the packets that it may wait for.
            let n_silent = RESPONSE + coalesce;
            let later: Vec<u32> = (0..n_silent).map(|number| 7 + 4 * number).collect();
            assert_eq!(hop.pass(&later, 0), [], "{coalesce}");
            assert_eq!(hop.pass(&[100, 101, 102], 0), [2], "{coalesce}");
            // The retransmission is lost there, too.
            assert_eq!(hop.pass(&[2], 0), []);
            let later: Vec<u32> = (0..n_silent + 2).map(|number| 201 + number).collect();
            assert_eq!(hop.pass(&later, 0), [2], "{coalesce}");
        }
    }
}

#[test]
fn after_a_response_a_passed_packet_counts_as_received() {
    let mut hop = Hop::new(1);
    assert!(hop.pass(&[0, 1, 3, 2], 0).is_empty());
    assert_eq!(hop.nack(2), Filter::Block);
    assert!(hop.of.has_hole());
    hop.filter.on_response(&mut hop.of, 2);
    assert!(hop.of.has_hole(), "2 is still expected");
    hop.filter.on_response(&mut hop.of, 4);
    assert!(!hop.of.has_hole());
    assert!(hop.pass(&(4..100).collect::<Vec<_>>(), 0).is_empty());
}

#[test]
fn packets_queued_for_the_last_hop_do_not_count_as_lost() {
    let mut hop = Hop::new(1);
    assert!(hop.pass(&[0, 1, 3, 2], 4).is_empty());
    assert_eq!(hop.filter.on_nack(&mut hop.of, 2, hop.enqueued - 4 * SIZE), Filter::Block);
    for n_waiting in 5..200 {
        assert!(hop.pass(&[n_waiting], n_waiting).is_empty(), "nothing leaves");
    }
}

#[test]
fn a_packet_that_is_dropped_before_the_last_hop_is_awaited() {
    let mut hop = Hop::new(1);
    assert!(hop.pass(&[0, 1, 3], 0).is_empty());
    assert_eq!(hop.nack(2), Filter::Block);
    assert!(hop.pass(&[2], 0).is_empty());
    hop.filter.undo(&mut hop.of, 2);
    assert_eq!(hop.pass(&[5, 6], 0), [2], "6 shares its path");
}

#[test]
fn rings_hold_packets_in_flight_and_count_overwritten_entries() {
    for (n_waiting, capacity) in [(0, 1 << 20), (300, 1 << 20), (300, 100), (40, 100)] {
        let mut hop = Hop { filter: themis(4, capacity, "scan"), ..Hop::new(1) };
        hop.pass(&(0..10_000).collect::<Vec<_>>(), n_waiting);
        let in_flight = n_waiting + RESPONSE + 2;
        let (len, slots) = (hop.of.ring.len(), hop.of.ring.n_slots() as u32);
        assert!(
            len >= in_flight.min(capacity as u32) - 3 && slots <= 8 * in_flight,
            "{len} {slots} {n_waiting}"
        );
        let overwritten = hop.of.counters().overwritten;
        assert_eq!(overwritten > 0, u64::from(in_flight) > capacity, "{overwritten} {n_waiting}");
    }
}

/// Events of the model of the race; numbers are positions.
#[derive(Debug, Clone, Copy)]
enum Event {
    AtSwitch(u32),
    AtHost(u32),
    AckAtSwitch(u32),
    NackAtSwitch(u32),
    NackAtSender(u32),
}

/// One sender, four paths that keep order, a switch, and a host that responds like NIC-SR.
///
/// Time is counted in half packets. A path delays each packet by up to 24; the last hop takes one per packet, so it is
/// half loaded, and 10 in each direction.
struct Toy {
    filter: Themis,
    of: QueuePair,
    random: Random,
    first: u32,
    events: BTreeMap<(u64, u64), Event>,
    n_events: u64,
    path_free: [u64; 4],
    hop_free: u64,
    n_enqueued: u32,
    lost: BTreeSet<u32>,
    /// The lost packets that are lost on the last hop.
    lost_late: BTreeSet<u32>,
    expected: u32,
    beyond: BTreeSet<u32>,
    has_nacked: bool,
    spurious: u64,
}

/// Number of packets of a run.
const N_PACKETS: u32 = 20_000;

impl Toy {
    fn run(race: &'static str, entries: u64, loss: f64, seed: u64) -> Toy {
        let mut random = Random::stream(seed, 0, 0);
        // The tail is not lost: no later packet would reveal it.
        let lost: BTreeSet<u32> = (0..N_PACKETS - 100).filter(|_| random.unit() < loss).collect();
        let lost_late = lost.iter().copied().filter(|_| random.unit() < 0.5).collect();
        let mut toy = Toy {
            filter: themis(4, entries, race),
            of: QueuePair::default(),
            random,
            // Numbers wrap in the middle of the run.
            first: MASK - N_PACKETS / 2,
            events: BTreeMap::new(),
            n_events: 0,
            path_free: [0; 4],
            hop_free: 0,
            n_enqueued: 0,
            lost,
            lost_late,
            expected: 0,
            beyond: BTreeSet::new(),
            has_nacked: false,
            spurious: 0,
        };
        for position in 0..N_PACKETS {
            if toy.lost.contains(&position) && !toy.lost_late.contains(&position) {
                continue;
            }
            toy.send(position, 2 * u64::from(position));
        }
        while let Some(((now, _), event)) = toy.events.pop_first() {
            toy.take(now, event);
        }
        toy
    }

    fn psn(&self, position: u32) -> u32 {
        (self.first + position) & MASK
    }

    fn position(&self, psn: u32) -> u32 {
        psn.wrapping_sub(self.first) & MASK
    }

    fn at(&mut self, time: u64, event: Event) {
        self.n_events += 1;
        self.events.insert((time, self.n_events), event);
    }

    fn send(&mut self, position: u32, now: u64) {
        let path = self.filter.path(self.psn(position), 0) as usize;
        let arrives = (now + u64::from(self.random.below(25))).max(self.path_free[path] + 2);
        self.path_free[path] = arrives;
        self.at(arrives, Event::AtSwitch(position));
    }

    fn take(&mut self, now: u64, event: Event) {
        match event {
            Event::AtSwitch(position) => {
                let (psn, left) = (self.psn(position), self.left(now));
                self.n_enqueued += 1;
                let made = self.filter.on_data(&mut self.of, psn, self.n_enqueued * SIZE, left);
                if let Some(Compensation { psn }) = made {
                    self.at(now + 20, Event::NackAtSender(self.position(psn)));
                }
                self.hop_free = self.hop_free.max(now) + 1;
                if !self.lost_late.remove(&position) {
                    self.at(self.hop_free + 10, Event::AtHost(position));
                }
            }
            Event::AckAtSwitch(expected) => {
                let psn = self.psn(expected);
                self.filter.on_response(&mut self.of, psn);
            }
            Event::AtHost(position) => self.receive(now, position),
            Event::NackAtSwitch(position) => {
                let (psn, left) = (self.psn(position), self.left(now));
                if self.filter.on_nack(&mut self.of, psn, left) == Filter::Forward {
                    self.at(now + 20, Event::NackAtSender(position));
                }
            }
            Event::NackAtSender(position) => {
                if !self.lost.remove(&position) {
                    self.spurious += 1;
                    return;
                }
                // A retransmission queues behind the packets on its path.
                let path = self.filter.path(self.psn(position), 0) as usize;
                self.path_free[path] = 0;
                self.send(position, now + 20);
            }
        }
    }

    /// Data sent to the host, in units.
    fn left(&self, now: u64) -> u32 {
        (self.n_enqueued - self.hop_free.saturating_sub(now) as u32) * SIZE
    }

    fn receive(&mut self, now: u64, position: u32) {
        if position < self.expected || !self.beyond.insert(position) {
            return;
        }
        let before = self.expected;
        while self.beyond.remove(&self.expected) {
            self.expected += 1;
        }
        if self.expected > before {
            self.has_nacked = false;
            self.at(now + 10, Event::AckAtSwitch(self.expected));
        } else if !self.has_nacked {
            self.has_nacked = true;
            self.at(now + 10, Event::NackAtSwitch(self.expected));
        }
    }
}

#[test]
fn without_loss_no_nack_reaches_the_sender_with_scan_only() {
    let (mut blocked, mut fired) = (0, 0);
    for seed in 0..10 {
        let scan = Toy::run("scan", 100, 0.0, seed);
        let counters = scan.of.counters();
        assert_eq!((counters.forwarded, counters.compensated, scan.spurious), (0, 0, 0));
        assert!(counters.blocked > 1000, "{counters:?}");
        assert_eq!(scan.expected, N_PACKETS);
        let literal = Toy::run("literal", 100, 0.0, seed).of.counters();
        blocked += literal.blocked;
        fired += literal.compensated;
    }
    let share = fired as f64 / blocked as f64;
    assert!((0.4..0.8).contains(&share), "{share} of the blocked NACKs were compensated spuriously");
}

#[test]
fn with_losses_scan_repairs_all_without_spurious_retransmissions() {
    // One gap is repaired per round trip of about 36 packets, so losses must be rarer than that, or a timeout is
    // needed.
    for loss in [0.0005, 0.002, 0.01] {
        for seed in 0..10 {
            let scan = Toy::run("scan", 100, loss, seed);
            let counters = scan.of.counters();
            assert_eq!((scan.expected, scan.lost.len()), (N_PACKETS, 0), "{loss}: {counters:?}");
            assert_eq!(scan.spurious, 0, "{loss}: {counters:?}");
            assert!(counters.forwarded + counters.compensated > 0, "{loss}");
        }
    }
}

#[test]
fn a_ring_that_is_too_short_forwards_nacks_for_reordering() {
    let short = Toy::run("scan", 4, 0.0, 1);
    assert!(short.spurious > 100, "{:?}", short.of.counters());
}
