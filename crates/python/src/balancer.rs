//! A balancing policy in Python.
//!
//! Models: one object for each switch, one call for each packet that has several next hops on shortest paths, with what
//! the packet says and the state of these ports.
//! Leaves out: non-minimal paths, classes and tags, which a policy in Rust may use.
//!
//! Invariants: an answer that is none of the ports is an error of the program, which ends the run; from then on packets
//! take the first port and no call is made.

use std::sync::Arc;

use netloom_lab::OutsidePolicies;
use netloom_lab::policy::{Context, DynBalance, PacketView, Pick, Ports, Position};
use netloom_lab::policy::{Settings, Spec};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::programs::Ending;

/// The name in scenarios.
static SPEC: Spec = Spec {
    name: "program",
    summary: "a program chooses the next hop: `netloom.run(..., balance=...)` in Python",
    source: "the program",
    parameters: &[],
};

/// A packet for which a port is chosen.
#[pyclass(frozen, get_all, module = "netloom")]
pub struct Packet {
    /// The hash input of its flow: equal for all packets of a flow.
    flow: u32,
    /// Its number in its message, from 0.
    sequence: u32,
    /// Its bytes on the wire.
    bytes: u32,
    /// Its traffic class.
    traffic_class: u8,
    /// Whether it is a data packet; others are acknowledgements and the like.
    is_data: bool,
    /// The port of the switch at which it arrived.
    ingress: u32,
    /// The number of the host that sent it.
    source: u32,
    /// The number of the host to which it goes.
    destination: u32,
    /// The present instant, in picoseconds.
    now: u64,
    /// A random number from 0 to 2^32 - 1 of this choice, from a stream of the switch.
    random: u32,
}

/// A port that a packet may take.
#[pyclass(frozen, get_all, module = "netloom")]
pub struct Port {
    /// Its number among the ports of the switch.
    number: u32,
    /// Bytes that wait there, the rest of the packet on the wire included.
    queue_bytes: u64,
    /// Packets that wait there, the one on the wire not included.
    queue_packets: u64,
    /// Bytes sent there so far.
    sent_bytes: u64,
    /// The rate of its link, in bits per second.
    rate: u64,
}

/// A switch, for which a balancer is made.
#[pyclass(frozen, get_all, module = "netloom")]
pub struct Switch {
    /// Its number; hosts come first.
    number: u32,
    /// The seed of the run.
    seed: u64,
    /// The number of the node behind each of its ports.
    neighbours: Vec<u32>,
}

/// The policy `program`, whose instances are what `make` returns.
pub fn policies(make: Py<PyAny>, ending: &Ending) -> OutsidePolicies {
    let (make, ending) = (Arc::new(make), ending.clone());
    let instance = move |_: &Settings, position: Position| -> Box<dyn DynBalance> {
        let ending = ending.clone();
        let neighbours = position.neighbours.iter().map(|node| node.0).collect();
        let switch = Switch { number: position.node, seed: position.seed, neighbours };
        let made = Python::attach(|py| make.call1(py, (switch,))?.getattr(py, "pick"));
        let pick = made.map_err(|error| ending.fail(error)).ok();
        Box::new(Balancer { pick, ending })
    };
    OutsidePolicies::default().with(&SPEC, instance)
}

struct Balancer {
    /// The method `pick`; `None` if the object could not be made.
    pick: Option<Py<PyAny>>,
    ending: Ending,
}

impl Balancer {
    fn call(&self, context: &mut Context, packet: &PacketView, ports: &mut dyn Ports) -> PyResult<usize> {
        let Some(pick) = self.pick.as_ref().filter(|_| !self.ending.has_come()) else { return Ok(0) };
        let n_ports = ports.n_minimal();
        let described = Packet {
            flow: packet.entropy,
            sequence: packet.sequence,
            bytes: packet.bytes,
            traffic_class: packet.class,
            is_data: packet.is_data,
            ingress: packet.ingress,
            source: packet.sender().0,
            destination: packet.destination.0,
            now: context.now.0,
            random: context.random.next_u32(),
        };
        Python::attach(|py| {
            let all: Vec<_> = (0..n_ports)
                .map(|candidate| {
                    let port = Port {
                        number: ports.port(candidate),
                        queue_bytes: ports.waiting_bytes(candidate),
                        queue_packets: ports.waiting_packets(candidate),
                        sent_bytes: ports.sent_bytes(candidate),
                        rate: ports.rate(candidate).0,
                    };
                    Py::new(py, port)
                })
                .collect::<PyResult<_>>()?;
            let answer = pick.bind(py).call1((described, PyList::new(py, all)?))?;
            let chosen = answer.extract::<usize>().ok().filter(|&chosen| chosen < n_ports);
            chosen.ok_or_else(|| {
                PyTypeError::new_err(format!(
                    "`pick` returned {answer}: expected the index of one of {n_ports} ports, from 0 to {}",
                    n_ports - 1
                ))
            })
        })
    }
}

impl DynBalance for Balancer {
    fn pick(&mut self, context: &mut Context, packet: &PacketView, ports: &mut dyn Ports) -> Pick {
        let chosen = self.call(context, packet, ports);
        let candidate = chosen.unwrap_or_else(|error| {
            self.ending.fail(error);
            0
        });
        Pick::unchanged(candidate, packet)
    }
}
