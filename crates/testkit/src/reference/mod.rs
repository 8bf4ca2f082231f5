//! The network core: nodes, ports, links, one event queue, and nothing about workloads.
//!
//! What it models: hosts that split messages into packets, output-queued store-and-forward switches with unlimited FIFO
//! queues, full-duplex links with a rate and a delay, one routing decision per packet and node.
//! What it leaves out: acknowledgements, loss other than for lack of a route, pause frames, marking, processing delay.
//!
//! Time is an IEEE double in seconds, because the rounding of doubles is part of what the reference simulator has to
//! reproduce. For the same reason its interfaces use bare doubles, with the unit in the name.
//!
//! Invariants
//! - Events run in order of (time, order of scheduling); there is no other tie-break.
//! - The time of an event is `now + delay`, rounded once, also where the caller started from an absolute time.
//! - No path is decided here: that is the [`Choice`] supplied by the caller.
//!
//! There are three entry points: [`play`] runs a [`Scene`] (a fabric and a list of messages) and returns everything that
//! happened; so does [`play_application`] for an [`Application`], which sends messages in reaction to completions and
//! alarms; [`Network::run`] leaves it to the caller what to look at.
//!
//! ```
//! use netloom_testkit::reference::{EcmpHash, Fabric, Message, Scene, Sending, play};
//!
//! let mut fabric = Fabric::default();
//! let (left, right) = (fabric.add_host(), fabric.add_host());
//! fabric.connect(left, right, 8e9, 1e-6);
//! fabric.set_route(left, right, vec![0]);
//! let message = Message { src: left, dst: right, bytes: 1000, mtu: 1000 };
//! let scene = Scene { fabric, sendings: vec![Sending { start_s: 0.0, message }], ttl: 64 };
//! let mut paths = EcmpHash::new(vec!["10.1.1.1".into(), "10.1.1.2".into()], 0);
//! assert_eq!(play(&scene, &mut paths).flows[0].completed_at, Some(1e-6 + 1e-6));
//! ```
//!
//! Source: behavioural specification of the seed paper's simulator, sections 1 to 5.

mod choice;
mod clock;
mod fabric;
mod host;
mod mersenne;
mod network;
mod node;
mod packet;
mod port;
mod python;
mod scene;

pub use choice::adaptive::AdaptiveTwister;
pub use choice::hash::EcmpHash;
pub use choice::recorded::{RecordedDraw, RecordedHash};
pub use choice::{Choice, Decision, shortest};
pub use fabric::{Fabric, Link, LinkIdx, NodeIdx, NodeKind, PortIdx};
pub use mersenne::Twister;
pub use network::{ActorIdx, Application, Network, Totals};
pub use packet::{FlowIdx, FlowRecord, Message};
pub use port::Hop;
pub use python::{float_repr, folded_hash};
pub use scene::{Outcome, Scene, Sending, play, play_application};
