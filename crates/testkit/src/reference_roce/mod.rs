//! A second implementation of RDMA over Ethernet: hosts with NICs, reliable transports, congestion control, shared
//! buffers, pause frames and marking, around one global heap of events; and of the same hosts around switches with
//! credits.
//!
//! Models: `docs/concepts/roce.md`, from which it was written: queue pairs and their order at the NIC; the transports
//! `go_back_n`, `nic_sr`, `irn` and `ideal`; ACKs, NACKs and CNPs in a class above data; output-queued
//! store-and-forward switches with a shared buffer, lossy or with pause frames; ECN; DCQCN in its vendors' form;
//! packets lost by a list. Also `docs/concepts/credits.md`, from which it was written as well: credits on every link,
//! input buffers, a crossbar and its arbitration, output buffers, cut-through, virtual lanes; and, as an upper bound, a
//! crossbar whose ingresses are never busy.
//! Leaves out: how paths are chosen (the caller decides for every packet and node), hosts with several links, failing
//! links, more than one class of data.
//!
//! Invariants
//! - All quantities are integers: picoseconds, bytes, bits per second. The one double is the marking probability.
//! - Events run in order of time; at one instant arrivals, then credits, then packets that leave input buffers, then
//!   messages posted, then the timers of congestion control (alpha, decrease, increase), then timeouts, then starts,
//!   then arbitration. See `clock`.
//! - There is no random generator here: random numbers come from the caller's [`PathChoice`].
//! - Timers tick one by one, sums are counted anew where they are needed: simplicity before speed.
//!
//! ```
//! use netloom_testkit::reference_roce::{Fabric, Message, Packet, Scene, play};
//!
//! let mut fabric = Fabric::default();
//! let (left, right) = (fabric.add_host(), fabric.add_host());
//! fabric.connect(left, right, 8_000_000_000, 500);
//! let mut scene = Scene::new(fabric);
//! scene.packets.header = 0;
//! scene.messages.push(Message { at: 0, from: left, to: right, bytes: 1000, first_psn: 0 });
//! let outcome = play(&scene, &mut |_: usize, _: &Packet| 0);
//! assert_eq!(outcome.messages[0].arrived_at, Some(1_000_000 + 500));
//! ```
//!
//! Source: `docs/concepts/roce.md`, `docs/concepts/credits.md`, `docs/concepts/queues.md` and `docs/concepts/time.md`.

mod account;
mod buffer;
mod clock;
mod congestion;
mod crossbar;
mod dcqcn;
mod fabric;
mod host;
mod input;
mod nic;
mod outcome;
mod packet;
mod receiver;
mod scene;
mod sender;
mod share;
mod switch;
mod turn;
mod wire;
mod world;

#[cfg(test)]
mod tests;

pub use fabric::{Fabric, Link, LinkIdx, NodeIdx, PortIdx};
pub use outcome::{Arrival, Drop, DropReason, Fate, Hop, Mark, Outcome, Pause, RateChange, Transfer};
pub use packet::{Kind, Packet, QpIdx};
pub use scene::{
    BufferRule, Congestion, Credits, Dcqcn, Decision, Forwarding, Headroom, Lane, Loss, MarkAt, Marking,
    Message, MessageIdx, NackMeans, Notify, Order, PacketSizes, PathChoice, QueuePairs, Recovery, Scene,
    Switches, Transport,
};
pub use world::play;
