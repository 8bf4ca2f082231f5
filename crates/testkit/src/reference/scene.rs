//! A scene: a fabric, a list of messages, and everything that happens to their packets.
//!
//! This is the interface for differential tests: generate a small fabric and some messages, give the same to the
//! engine, and compare packet by packet.
//! Leaves out: reactions of a scene's messages, which start at given times, whatever else happens; an application may
//! send instead.
//! Invariants: a flow's number is its message's position in the list; messages with the same start are injected in the
//! order of the list, before any of their packets leaves.
//!
//! Events at equal times run in the order of scheduling, so two simulators agree on ties only if they agree on which
//! times are equal. Doubles are exact, and ties are true ties, when all times are multiples of a power of two.
//! Multiples of 2^-12 s are whole picoseconds as well: for instance rates of 2^27 bit/s over a power of two, packets of
//! multiples of 4096 bytes, delays and start times in multiples of 2^-12 s.
//! Source: specification of the seed simulator, sections 3 and 4.

use super::choice::Choice;
use super::fabric::Fabric;
use super::network::{ActorIdx, Application, Network, Totals};
use super::packet::{FlowIdx, FlowRecord, Message};
use super::port::Hop;

/// A message and when it is sent.
#[derive(Clone, Debug)]
pub struct Sending {
    /// When it is injected, in seconds from the start.
    pub start_s: f64,
    /// The message.
    pub message: Message,
}

/// The input of a run.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Nodes, links and routes.
    pub fabric: Fabric,
    /// Messages; the position is the flow's number.
    pub sendings: Vec<Sending>,
    /// How many links a packet may cross before a switch drops it.
    pub ttl: u32,
}

/// The results of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Every packet leaving every node, in the order of transmission.
    pub hops: Vec<Hop>,
    /// The flows, in the order of the scene's messages, or as they were announced.
    pub flows: Vec<FlowRecord>,
    /// The longest queue of each port of each node, in packets.
    pub port_peaks: Vec<Vec<usize>>,
    /// Bytes over each link, both directions together.
    pub link_bytes: Vec<u64>,
    /// Seconds each link spent sending, both directions together.
    pub link_busy_s: Vec<f64>,
    /// Counts over the whole network.
    pub totals: Totals,
    /// Time of the last event, in seconds.
    pub end_s: f64,
}

/// An application that reacts to nothing.
struct Silent;

impl Application for Silent {
    fn wake(&mut self, _: &mut Network<'_>, _: ActorIdx) {}
    fn completed(&mut self, _: &mut Network<'_>, _: ActorIdx, _: FlowIdx) {}
}

/// Runs a scene to its end, with the given choice of paths.
pub fn play(scene: &Scene, choice: &mut dyn Choice) -> Outcome {
    let mut network = Network::new(&scene.fabric, choice, scene.ttl);
    for sending in &scene.sendings {
        let flow = network.announce(0, sending.message.clone());
        network.inject_after(sending.start_s, flow);
    }
    run(network, &mut Silent)
}

/// Runs an application to its end; its actor 0 is woken at the start. Flows are in the order in which it announces them.
pub fn play_application(
    fabric: &Fabric,
    ttl: u32,
    application: &mut dyn Application,
    choice: &mut dyn Choice,
) -> Outcome {
    let mut network = Network::new(fabric, choice, ttl);
    network.wake_after(0.0, 0);
    run(network, application)
}

fn run(mut network: Network<'_>, application: &mut dyn Application) -> Outcome {
    network.record_trace();
    let end_s = network.run(application);
    Outcome {
        port_peaks: network.port_peaks(),
        hops: network.trace.unwrap_or_default(),
        flows: network.flows,
        link_bytes: network.link_bytes,
        link_busy_s: network.link_busy_s,
        totals: network.totals,
        end_s,
    }
}
