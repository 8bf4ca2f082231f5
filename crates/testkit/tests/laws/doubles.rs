//! Test doubles for the interfaces: a hook made of a closure, and one that records passing packets.

use std::sync::{Arc, Mutex};

use netloom_engine::hook::{Actions, Hook, PlacedHook, Verdict};
use netloom_engine::packet::Packet;
use netloom_engine::{Extensions, Options};
use netloom_model::Model;
use netloom_testkit::fixture::{ListedWork, Run, simulate_with};
use netloom_units::{NodeId, Time};

/// An event that a hook receives.
pub enum Event<'a> {
    /// A packet has arrived.
    Arrival(u32, &'a mut Packet),
    /// The transmission of a packet is about to start.
    Start(u32, &'a mut Packet),
    /// A timer has expired.
    Timer(u32),
}

/// A hook that is a closure.
pub struct Scripted<F>(pub F);

impl<F: FnMut(Time, Event<'_>, &mut Actions) -> Verdict + Send> Hook for Scripted<F> {
    fn on_arrival(&mut self, now: Time, ingress: u32, packet: &mut Packet, actions: &mut Actions) -> Verdict {
        (self.0)(now, Event::Arrival(ingress, packet), actions)
    }

    fn on_start(&mut self, now: Time, egress: u32, packet: &mut Packet, actions: &mut Actions) -> Verdict {
        (self.0)(now, Event::Start(egress, packet), actions)
    }

    fn on_timer(&mut self, now: Time, number: u32, actions: &mut Actions) {
        (self.0)(now, Event::Timer(number), actions);
    }
}

/// Runs with this closure as hook at a node.
pub fn with_hook<F>(model: &Model, work: &ListedWork, node: u32, script: F) -> Run
where
    F: FnMut(Time, Event<'_>, &mut Actions) -> Verdict + Send + 'static,
{
    let hooks = vec![PlacedHook { node: NodeId(node), hook: Box::new(Scripted(script)) }];
    simulate_with(model, work.clone(), Options::default(), Extensions { hooks, ..Extensions::default() })
}

/// A packet that passed: when, through which port, and what it was.
pub type Passed = (Time, u32, Packet);

/// Runs with a hook at a node that only records; all arrivals by in-link, all starts by port, each in order.
pub fn watched(model: &Model, work: &ListedWork, node: u32) -> (Run, Vec<Passed>, Vec<Passed>) {
    let seen = Arc::new(Mutex::new((Vec::new(), Vec::new())));
    let writer = Arc::clone(&seen);
    let run = with_hook(model, work, node, move |now, event, _| {
        let mut seen = writer.lock().expect("unbroken");
        match event {
            Event::Arrival(port, packet) => seen.0.push((now, port, *packet)),
            Event::Start(port, packet) => seen.1.push((now, port, *packet)),
            Event::Timer(_) => unreachable!("no timer was set"),
        }
        Verdict::Pass
    });
    let (arrivals, starts) = std::mem::take(&mut *seen.lock().expect("unbroken"));
    (run, arrivals, starts)
}

/// Implementations of ports: starts computed, queues by class, and starts as events.
pub fn port_forms() -> [Options; 3] {
    let plain = Options::default();
    [plain, Options { shortcut: false, ..plain }, Options { shortcut: false, coarsen: u32::MAX, ..plain }]
}
