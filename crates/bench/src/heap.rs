//! The alternative design that was rejected: one global event heap for all links, for comparison on the same workload.
//!
//! Models: all-to-all in groups over a leaf-spine fabric, packets sprayed, a window per message, an ACK per packet; the
//! departure is computed at enqueue, so that a hop is one event. Queues, ties and random streams are simpler than the
//! engine's: the comparison favours the heap.
//! Leaves out: all other features of the engine (classes, limits, faults, records, actors).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use netloom_units::Random;

use crate::workload::Case;

/// Bytes of a data packet and of an ACK; packets in flight per message.
const DATA: u64 = 4096;
const ACKNOWLEDGEMENT: u64 = 64;
const WINDOW: u32 = 16;
/// Picoseconds per byte at 400 Gb/s.
const PS_PER_BYTE: u64 = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    at: u64,
    /// Resolves ties by the order of scheduling.
    number: u64,
    node: u32,
    flow: u32,
    to: u32,
    is_acknowledgement: bool,
}

struct Flow {
    source: u32,
    destination: u32,
    next: u32,
    n_packets: u32,
}

/// A run of the heap design.
pub struct HeapRun<'a> {
    case: &'a Case,
    heap: BinaryHeap<Reverse<Event>>,
    n_events: u64,
    /// The time at which each directed link is free: up and down links of hosts, then of leaf-spine pairs.
    free_at: Vec<u64>,
    flows: Vec<Flow>,
    random: Random,
    hops: u64,
}

impl<'a> HeapRun<'a> {
    /// Runs the case (its rounds one after the other as one long message) and returns the number of hops.
    pub fn play(case: &'a Case) -> u64 {
        let n_hosts = case.leaves * case.hosts_per_leaf;
        let n_links = 2 * n_hosts + 2 * case.leaves * case.spines;
        let mut run = HeapRun {
            case,
            heap: BinaryHeap::new(),
            n_events: 0,
            free_at: vec![0; n_links as usize],
            flows: Vec::new(),
            random: Random::stream(1, 1, 1),
            hops: 0,
        };
        run.start();
        while let Some(Reverse(event)) = run.heap.pop() {
            run.hops += 1;
            run.arrive(event);
        }
        run.hops
    }

    fn start(&mut self) {
        let n_hosts = self.case.leaves * self.case.hosts_per_leaf;
        let stride = n_hosts / self.case.group;
        let n_packets = (self.case.message.0 / DATA) as u32 * self.case.rounds;
        for group in 0..self.case.groups {
            for (from, to) in (0..self.case.group).flat_map(|a| (0..self.case.group).map(move |b| (a, b))) {
                if from != to {
                    let (source, destination) = (group + from * stride, group + to * stride);
                    self.flows.push(Flow { source, destination, next: 0, n_packets });
                }
            }
        }
        for flow in 0..self.flows.len() as u32 {
            (0..WINDOW).for_each(|_| self.send(0, flow));
        }
    }

    fn send(&mut self, now: u64, flow: u32) {
        let Flow { source, destination, next, n_packets } = self.flows[flow as usize];
        if next < n_packets {
            self.flows[flow as usize].next += 1;
            self.leave_host(now, source, flow, destination, false);
        }
    }

    fn leave_host(&mut self, now: u64, host: u32, flow: u32, to: u32, is_acknowledgement: bool) {
        let leaf = self.n_hosts() + host / self.case.hosts_per_leaf;
        self.transmit(now, host, self.case.host_delay.0, leaf, flow, to, is_acknowledgement);
    }

    fn n_hosts(&self) -> u32 {
        self.case.leaves * self.case.hosts_per_leaf
    }

    fn arrive(&mut self, event: Event) {
        let Event { at, node, flow, to, is_acknowledgement, .. } = event;
        let n_hosts = self.n_hosts();
        if node < n_hosts {
            if is_acknowledgement {
                return self.send(at, flow);
            }
            let source = self.flows[flow as usize].source;
            return self.leave_host(at, node, flow, source, true);
        }
        let leaf_of_destination = to / self.case.hosts_per_leaf;
        let switch = node - n_hosts;
        let (host_delay, fabric_delay) = (self.case.host_delay.0, self.case.fabric_delay.0);
        if switch == leaf_of_destination {
            self.transmit(at, n_hosts + to, host_delay, to, flow, to, is_acknowledgement);
        } else if switch < self.case.leaves {
            let spine = self.random.below(self.case.spines);
            let link = 2 * n_hosts + switch * self.case.spines + spine;
            let next = n_hosts + self.case.leaves + spine;
            self.transmit(at, link, fabric_delay, next, flow, to, is_acknowledgement);
        } else {
            let pairs = self.case.leaves * self.case.spines;
            let spine = switch - self.case.leaves;
            let link = 2 * n_hosts + pairs + leaf_of_destination * self.case.spines + spine;
            let next = n_hosts + leaf_of_destination;
            self.transmit(at, link, fabric_delay, next, flow, to, is_acknowledgement);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a design for comparison only, not worth a struct")]
    fn transmit(&mut self, now: u64, link: u32, delay: u64, node: u32, flow: u32, to: u32, ack: bool) {
        let bytes = if ack { ACKNOWLEDGEMENT } else { DATA };
        let free_at = &mut self.free_at[link as usize];
        *free_at = (*free_at).max(now) + bytes * PS_PER_BYTE;
        let at = *free_at + delay;
        self.n_events += 1;
        let number = self.n_events;
        self.heap.push(Reverse(Event { at, number, node, flow, to, is_acknowledgement: ack }));
    }
}
