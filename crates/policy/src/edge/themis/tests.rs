//! The paper's examples packet by packet, the race between a packet and its NACK, and real losses.

use std::collections::{BTreeMap, BTreeSet};

use netloom_units::{Random, Time};

use super::*;

fn themis(n_paths: u32, entries: u64, race: &'static str) -> Themis {
    let settings = SPEC.defaults().with("race", Value::Choice(race)).with("entries", Value::Count(entries));
    Themis::new(&settings, n_paths, Rate(400_000_000_000), Bytes(1500))
}

const BOTH: [&str; 2] = ["scan", "literal"];

/// Packets that pass without a compensation.
fn pass(filter: &Themis, of: &mut QueuePair, psns: &[u32]) {
    for &psn in psns {
        assert_eq!(filter.on_data(of, psn), None, "packet {psn}");
    }
}

#[test]
fn entries_are_computed_as_the_paper_does() {
    let filter = Themis::new(&SPEC.defaults(), 256, Rate(400_000_000_000), Bytes(1500));
    assert_eq!(filter.entries(), 100);
    assert_eq!(themis(2, 8, "scan").entries(), 8);
}

#[test]
fn packets_take_paths_in_turn_from_their_base() {
    let filter = themis(4, 8, "scan");
    let paths: Vec<_> = (0..6).map(|psn| filter.path(psn, 3)).collect();
    assert_eq!(paths, [3, 0, 1, 2, 3, 0]);
}

#[test]
fn the_example_of_validation() {
    for race in BOTH {
        let (filter, mut of) = (themis(2, 8, race), QueuePair::default());
        // 2 is overtaken by 3 on the other path: the NIC's NACK tells of reordering only.
        pass(&filter, &mut of, &[0, 1, 3]);
        assert_eq!(filter.on_nack(&mut of, 2), Filter::Block, "{race}");
        pass(&filter, &mut of, &[2]);
        // 4 is lost, and 6, of the same path, is what the NIC complains about.
        pass(&filter, &mut of, &[6]);
        assert_eq!(filter.on_nack(&mut of, 4), Filter::Forward, "{race}");
        let counters = Counters { forwarded: 1, blocked: 1, ..Counters::default() };
        assert_eq!(of.counters(), counters, "{race}");
    }
}

#[test]
fn the_example_of_compensation() {
    for race in BOTH {
        let (filter, mut of) = (themis(2, 8, race), QueuePair::default());
        pass(&filter, &mut of, &[0, 1, 3]);
        assert_eq!(filter.on_nack(&mut of, 2), Filter::Block, "{race}");
        // 5 took the other path and says nothing of 2; 4 took the same one: 2 is lost, and is told once.
        pass(&filter, &mut of, &[5]);
        assert_eq!(filter.on_data(&mut of, 4), Some(Compensation { psn: 2 }), "{race}");
        pass(&filter, &mut of, &[6, 8, 2]);
        assert_eq!(of.counters().compensated, 1, "{race}");
    }
}

#[test]
fn the_cause_is_the_first_packet_after_the_expected_one() {
    let (filter, mut of) = (themis(4, 16, "scan"), QueuePair::default());
    // The host expects 2 and complains about 5; what passed since then is not the cause.
    pass(&filter, &mut of, &[0, 1, 5, 6, 3]);
    assert_eq!(filter.on_nack(&mut of, 2), Filter::Forward, "6 passed on the path of 2");
    let (filter, mut of) = (themis(4, 16, "literal"), QueuePair::default());
    pass(&filter, &mut of, &[0, 1, 5, 6, 3]);
    assert_eq!(filter.on_nack(&mut of, 2), Filter::Block);
}

#[test]
fn a_cause_is_the_cause_of_one_nack_only() {
    for race in BOTH {
        let (filter, mut of) = (themis(4, 16, race), QueuePair::default());
        pass(&filter, &mut of, &[0, 1, 5]);
        assert_eq!(filter.on_nack(&mut of, 2), Filter::Block, "{race}: 5 took another path than 2");
        // The host has 2 and 5 now. 7, not 5, is why it asks for 3.
        pass(&filter, &mut of, &[2, 7]);
        assert_eq!(filter.on_nack(&mut of, 3), Filter::Forward, "{race}");
    }
}

#[test]
fn a_packet_that_passed_before_its_nack_is_not_awaited() {
    for (race, spurious) in [("scan", None), ("literal", Some(Compensation { psn: 2 }))] {
        let (filter, mut of) = (themis(2, 8, race), QueuePair::default());
        pass(&filter, &mut of, &[0, 1, 3, 2]);
        assert_eq!(filter.on_nack(&mut of, 2), Filter::Block);
        assert_eq!(filter.on_data(&mut of, 4), spurious, "{race}");
    }
}

#[test]
fn a_later_packet_of_the_path_that_passed_before_the_nack_proves_the_loss() {
    let (filter, mut of) = (themis(2, 8, "scan"), QueuePair::default());
    // 3 is the cause and took the other path, but 4 has passed on the path of 2 since then.
    pass(&filter, &mut of, &[0, 1, 3, 5, 4]);
    assert_eq!(filter.on_nack(&mut of, 2), Filter::Forward);
    pass(&filter, &mut of, &[6, 8]);
}

#[test]
fn numbers_wrap() {
    let top = (1 << 24) - 1;
    for race in BOTH {
        let (filter, mut of) = (themis(2, 8, race), QueuePair::default());
        pass(&filter, &mut of, &[top - 2, 0]);
        assert_eq!(
            filter.on_nack(&mut of, top),
            Filter::Block,
            "{race}: 0 comes after and took the other path"
        );
        assert_eq!(filter.on_data(&mut of, 1), Some(Compensation { psn: top }), "{race}");
        pass(&filter, &mut of, &[2, 4]);
        assert_eq!(filter.on_nack(&mut of, 3), Filter::Block, "{race}");
    }
    assert!(is_after(0, top) && !is_after(top, 0) && !is_after(7, 7));
}

#[test]
fn what_the_ring_has_forgotten_is_no_cause() {
    let (filter, mut of) = (themis(2, 2, "scan"), QueuePair::default());
    pass(&filter, &mut of, &[5, 3, 2]);
    // 5 was overwritten; 3 is taken for the cause.
    assert_eq!(filter.on_nack(&mut of, 2), Filter::Block);
    // Nothing after 9 is remembered: a NACK that cannot be explained goes on.
    assert_eq!(filter.on_nack(&mut of, 9), Filter::Forward);
    let counters = Counters { forwarded: 1, unexplained: 1, blocked: 1, compensated: 0 };
    assert_eq!(of.counters(), counters);
}

#[test]
fn equal_histories_leave_equal_words() {
    let history = |last| {
        let (filter, mut of) = (themis(2, 4, "scan"), QueuePair::default());
        pass(&filter, &mut of, &[0, 1, 3]);
        filter.on_nack(&mut of, 2);
        pass(&filter, &mut of, &[last]);
        let mut out = StateWriter::new(Time::ZERO);
        of.write_state(&mut out);
        out.into_words()
    };
    assert_eq!(history(7), history(7));
    assert_ne!(history(7), history(2));
}

/// What can happen in the model of the race; numbers are positions.
#[derive(Debug, Clone, Copy)]
enum Event {
    AtSwitch(u32),
    AtHost(u32),
    NackAtSwitch(u32),
    NackAtSender(u32),
}

/// One sender, four paths that keep their order, a switch, and a host that answers like NIC-SR.
///
/// Time is counted in packets. A path delays each packet by up to 12; the last hop takes 5 each way.
struct Toy {
    filter: Themis,
    of: QueuePair,
    random: Random,
    first: u32,
    events: BTreeMap<(u64, u64), Event>,
    n_events: u64,
    path_free: [u64; 4],
    lost: BTreeSet<u32>,
    expected: u32,
    beyond: BTreeSet<u32>,
    has_nacked: bool,
    spurious: u64,
}

/// Packets of a story.
const STORY: u32 = 20_000;

impl Toy {
    fn run(race: &'static str, entries: u64, loss: f64, seed: u64) -> Toy {
        let mut random = Random::stream(seed, 0, 0);
        // The tail is not lost: nothing comes after it that would tell.
        let lost = (0..STORY - 100).filter(|_| random.unit() < loss).collect();
        let mut toy = Toy {
            filter: themis(4, entries, race),
            of: QueuePair::default(),
            random,
            // Numbers wrap in the middle of the story.
            first: MASK - STORY / 2,
            events: BTreeMap::new(),
            n_events: 0,
            path_free: [0; 4],
            lost,
            expected: 0,
            beyond: BTreeSet::new(),
            has_nacked: false,
            spurious: 0,
        };
        for position in 0..STORY {
            if toy.lost.contains(&position) {
                continue;
            }
            toy.send(position, u64::from(position));
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
        let arrives = (now + u64::from(self.random.below(13))).max(self.path_free[path] + 1);
        self.path_free[path] = arrives;
        self.at(arrives, Event::AtSwitch(position));
    }

    fn take(&mut self, now: u64, event: Event) {
        match event {
            Event::AtSwitch(position) => {
                let psn = self.psn(position);
                if let Some(Compensation { psn }) = self.filter.on_data(&mut self.of, psn) {
                    self.at(now + 10, Event::NackAtSender(self.position(psn)));
                }
                self.at(now + 5, Event::AtHost(position));
            }
            Event::AtHost(position) => self.receive(now, position),
            Event::NackAtSwitch(position) => {
                let psn = self.psn(position);
                if self.filter.on_nack(&mut self.of, psn) == Filter::Forward {
                    self.at(now + 10, Event::NackAtSender(position));
                }
            }
            Event::NackAtSender(position) => {
                if !self.lost.remove(&position) {
                    self.spurious += 1;
                    return;
                }
                // What is sent again queues behind what its path holds already.
                let path = self.filter.path(self.psn(position), 0) as usize;
                self.path_free[path] = 0;
                self.send(position, now + 10);
            }
        }
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
        } else if !self.has_nacked {
            self.has_nacked = true;
            self.at(now + 5, Event::NackAtSwitch(self.expected));
        }
    }
}

#[test]
fn without_loss_scan_tells_the_sender_nothing_and_literal_does() {
    let (mut blocked, mut fired) = (0, 0);
    for seed in 0..10 {
        let scan = Toy::run("scan", 100, 0.0, seed);
        let counters = scan.of.counters();
        assert_eq!((counters.forwarded, counters.compensated, scan.spurious), (0, 0, 0));
        assert!(counters.blocked > 1000, "{counters:?}");
        assert_eq!(scan.expected, STORY);
        let literal = Toy::run("literal", 100, 0.0, seed).of.counters();
        blocked += literal.blocked;
        fired += literal.compensated;
    }
    let share = fired as f64 / blocked as f64;
    assert!((0.4..0.8).contains(&share), "{share} of the blocked NACKs were compensated for nothing");
}

#[test]
fn with_losses_scan_repairs_every_one_and_nothing_else() {
    // One hole is mended per round trip of some 36 packets, so losses must be rarer than that, or a timeout is needed.
    for loss in [0.0005, 0.002, 0.01] {
        for seed in 0..10 {
            let scan = Toy::run("scan", 100, loss, seed);
            let counters = scan.of.counters();
            assert_eq!((scan.expected, scan.lost.len()), (STORY, 0), "{loss}: {counters:?}");
            assert_eq!(scan.spurious, 0, "{loss}: {counters:?}");
            assert!(counters.forwarded + counters.compensated > 0, "{loss}");
        }
    }
}

#[test]
fn a_ring_that_is_too_short_lets_reordering_through() {
    let short = Toy::run("scan", 4, 0.0, 1);
    assert!(short.spurious > 100, "{:?}", short.of.counters());
}
