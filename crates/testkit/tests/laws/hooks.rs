//! Middleboxes: a packet that a hook holds, sends, drops or changes takes effect at the exact instant.
//!
//! Links take a nanosecond per byte and a microsecond of delay, packets have 1000 bytes: a packet that leaves a host at
//! t microseconds arrives at the switch at t + 2 and at the other host at t + 4.

use std::sync::{Arc, Mutex};

use netloom_engine::hook::{Actions, PlacedHook, Verdict};
use netloom_engine::{Extensions, Stall, Status};
use netloom_model::FabricBuilder;
use netloom_records::{DropReason, DropRow};
use netloom_testkit::fixture::{
    Cable, Clos, ListedWork, Sending, Wiring, model, policy, simulate_with, star,
};
use netloom_units::{Bytes, NodeId, Time};

use crate::doubles::{Event, Scripted, port_forms, with_hook};

const CABLE: Cable = Cable::new(8_000_000_000, MICROSECOND);
const MICROSECOND: u64 = 1_000_000;
/// The switch of a star of three hosts, and its port to the last of them.
const SWITCH: u32 = 3;
const TO_LAST: u32 = 2;

fn three_packets() -> ListedWork {
    ListedWork::new(&[Sending::new(0, 0, 2, 3000)])
}

/// One packet from each of the first two hosts and one more, all of which meet in the queue to the third host.
fn a_queue_of_three() -> ListedWork {
    ListedWork::new(&[Sending::new(0, 0, 2, 2000), Sending::new(0, 1, 2, 1000)])
}

#[test]
fn a_packet_held_by_a_hook_is_delayed_by_that_time() {
    let mut held = Vec::new();
    let run = with_hook(&model(star(3, CABLE)), &three_packets(), SWITCH, move |now, event, actions| {
        match event {
            Event::Arrival(_, packet) => {
                actions.timers.push((Time(now.0 + 700_001), packet.sequence));
                held.push(*packet);
                return Verdict::Absorb;
            }
            Event::Timer(number) => {
                let slot = held.iter().position(|packet| packet.sequence == number).expect("it is held");
                actions.emit.push(held.remove(slot));
            }
            Event::Start(..) => {}
        }
        Verdict::Pass
    });
    assert_eq!(run.outcome.status, Status::Complete);
    assert_eq!(run.records.flows[0].end, Some(Time(6 * MICROSECOND + 700_001)));
    assert_eq!(run.records.flows[0].hops, 6);
}

#[test]
fn timers_expire_at_their_instants_in_the_order_of_their_numbers() {
    let reported = Arc::new(Mutex::new(Vec::new()));
    let writer = Arc::clone(&reported);
    let work = ListedWork::new(&[Sending::new(0, 0, 2, 1000)]);
    with_hook(&model(star(3, CABLE)), &work, SWITCH, move |now, event, actions| {
        match event {
            Event::Arrival(..) => {
                actions.timers = vec![(Time(now.0 + 5), 2), (Time(now.0 + 5), 1), (now, 9), (Time(0), 8)];
            }
            Event::Timer(number) => writer.lock().expect("unbroken").push((now.0, number)),
            Event::Start(..) => {}
        }
        Verdict::Pass
    });
    let now = 2 * MICROSECOND;
    assert_eq!(*reported.lock().expect("unbroken"), [(now, 8), (now, 9), (now + 5, 1), (now + 5, 2)]);
}

#[test]
fn a_packet_dropped_at_arrival_is_counted_there() {
    let run = with_hook(&model(star(3, CABLE)), &three_packets(), SWITCH, |_, event, _| match event {
        Event::Arrival(_, packet) if packet.sequence == 1 => Verdict::Drop,
        _ => Verdict::Pass,
    });
    let instant = Time(3 * MICROSECOND);
    let row = DropRow {
        node: NodeId(SWITCH),
        port: None,
        reason: DropReason::Hook,
        packets: 1,
        size: Bytes(1000).into(),
        first: instant,
        last: instant,
    };
    assert_eq!(run.records.drops, [row]);
    assert_eq!((run.records.flows[0].end, run.records.flows[0].packets), (None, 2));
    assert_eq!(
        run.outcome.status,
        Status::Stalled(Stall { waiting: Vec::new(), given_up: Vec::new(), unfinished: 1 })
    );
}

#[test]
fn a_packet_dropped_at_its_start_leaves_the_wire_to_the_next() {
    // Both first packets arrive at 2 us, that of host 0 on the lower in-link; its second one arrives at 3 us.
    let run = with_hook(&model(star(3, CABLE)), &a_queue_of_three(), SWITCH, |now, event, _| match event {
        Event::Start(port, _) if now.0 == 3 * MICROSECOND => {
            assert_eq!(port, TO_LAST);
            Verdict::Drop
        }
        _ => Verdict::Pass,
    });
    // All packets due at 3 us are dropped then: the packet of host 1, and after it the last of host 0.
    let drops = &run.records.drops[0];
    assert_eq!((drops.packets, drops.first, drops.last), (2, Time(3_000_000), Time(3_000_000)));
    let port = run.records.ports.iter().find(|port| port.node.0 == SWITCH && port.index == TO_LAST);
    let port = port.expect("the switch has this port");
    assert_eq!(drops.port, Some(port.port));
    assert_eq!((port.packets, port.size), (1, Bytes(1000)));
    assert_eq!(port.dropped, 2, "a packet dropped at a port is counted at the port");
}

#[test]
fn a_packet_held_at_its_start_crosses_its_link_once() {
    let mut held = Vec::new();
    let work = ListedWork::new(&[Sending::new(0, 0, 2, 1000)]);
    let run = with_hook(&model(star(3, CABLE)), &work, SWITCH, move |now, event, actions| {
        match event {
            Event::Start(_, packet) if now.0 == 2 * MICROSECOND => {
                held.push(*packet);
                actions.timers.push((Time(5 * MICROSECOND), 0));
                return Verdict::Absorb;
            }
            Event::Timer(_) => actions.emit.append(&mut held),
            _ => {}
        }
        Verdict::Pass
    });
    let flow = run.records.flows[0];
    assert_eq!(flow.end, Some(Time(7 * MICROSECOND)));
    assert_eq!(flow.hops, 2, "two links were crossed");
}

/// Hosts 0 and 1, a switch with the hook, a second switch without, a slow link to host 2.
fn narrow_end() -> Wiring {
    let mut builder = FabricBuilder::new(3, 2);
    CABLE.lay(&mut builder, 0, 3);
    CABLE.lay(&mut builder, 1, 3);
    Cable::new(80_000_000_000, MICROSECOND).lay(&mut builder, 3, 4);
    Cable::new(800_000_000, MICROSECOND).lay(&mut builder, 4, 2);
    Wiring::shortest(builder)
}

#[test]
fn a_class_set_by_a_hook_applies_at_every_later_switch() {
    let work = ListedWork::new(&[Sending::new(0, 0, 2, 5000), Sending::new(1_500_000, 1, 2, 1000)]);
    for options in port_forms() {
        let raise = |_: Time, event: Event<'_>, _: &mut Actions| {
            if let Event::Arrival(1, packet) = event {
                packet.set_class(5);
            }
            Verdict::Pass
        };
        let hooks = vec![PlacedHook { node: NodeId(3), hook: Box::new(Scripted(raise)) }];
        let extensions = Extensions { hooks, ..Extensions::default() };
        let run = simulate_with(&model(narrow_end()), work.clone(), options, extensions);
        // The first packet is on the slow wire from 3.1 to 13.1 us; the raised one is next, four low ones follow.
        let ends: Vec<_> = run.records.flows.iter().map(|flow| flow.end.map(|end| end.0)).collect();
        assert_eq!(ends, [Some(24_100_000), Some(64_100_000)], "{options:?}");
    }
}

/// Round robin has a pointer for each in-link: packets sent by a hook have one of their own, whatever in-link they
/// arrived on.
#[test]
fn packets_sent_by_a_hook_have_an_in_link_of_their_own() {
    let mut model = model(Clos::new(2, 2, 2).wiring());
    model.balances.switch = policy("round_robin", &[]);
    let work = ListedWork::new(&[Sending::new(0, 0, 2, 10_000), Sending::new(0, 1, 3, 10_000)]);
    let near_leaf = 4;
    let ports = Arc::new(Mutex::new(Vec::new()));
    let writer = Arc::clone(&ports);
    let run = with_hook(&model, &work, near_leaf, move |_, event, actions| match event {
        Event::Arrival(_, packet) => {
            actions.emit.push(*packet);
            Verdict::Absorb
        }
        Event::Start(port, _) => {
            writer.lock().expect("unbroken").push(port);
            Verdict::Pass
        }
        Event::Timer(_) => Verdict::Pass,
    });
    assert_eq!(run.outcome.status, Status::Complete);
    // Two packets arrive at a time; with one pointer for all they take different paths, with one per in-link they might
    // not.
    let ports = ports.lock().expect("unbroken");
    assert_eq!(ports.len(), 20);
    assert!(ports.chunks(2).all(|pair| pair[0] != pair[1]), "{ports:?}");
}
