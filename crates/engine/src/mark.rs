//! Marking data packets by the queue they meet.
//!
//! Models: RED/ECN: never below a threshold, always above another, by chance between. FECN: above a threshold by chance,
//! where the port has not had to wait for credits lately.
//!
//! Invariants: a draw from the port's own stream, and only where chance decides.

use netloom_model::{Adapting, Marking, RootMarking};
use netloom_units::{Duration, Random, StateWriter};

use crate::adapt::Adapt;
use crate::packet::Packet;

/// See the module.
#[derive(Debug)]
pub struct Marker {
    minimum: u64,
    maximum: u64,
    probability: u64,
    /// Whether packets are judged when they join the queue.
    pub at_enqueue: bool,
    /// Of roots: smaller packets are not judged.
    smallest: u64,
    /// Of roots: how long ago the port must have waited for credits last, in ps.
    free_for: u64,
    random: Random,
    /// Packets marked.
    pub n_marked: u64,
    /// How thresholds follow the traffic, where they do.
    adapt: Option<Box<Adapt>>,
}

impl Marker {
    /// A marker with the stream of its port.
    pub fn new(marking: &Marking, adapting: Option<&Adapting>, random: Random) -> Marker {
        let Marking { minimum, maximum, probability, at_enqueue } = *marking;
        Marker {
            minimum: minimum.0,
            maximum: maximum.0,
            probability,
            at_enqueue,
            smallest: 0,
            free_for: 0,
            random,
            n_marked: 0,
            adapt: adapting.map(|rule| Box::new(Adapt::new(marking, rule))),
        }
    }

    /// Whether thresholds follow the traffic.
    pub fn adapts(&self) -> bool {
        self.adapt.is_some()
    }

    /// A data packet starts at `at`, with its time on the wire and the bytes that wait behind it: tells whether thresholds have
    /// changed.
    #[cold]
    pub fn observe(&mut self, at: u64, busy: u64, waiting: u64) -> bool {
        let (marked, maximum) = (self.n_marked, self.maximum);
        let Some(adapt) = &mut self.adapt else { return false };
        let Some(thresholds) = adapt.start(at, (busy, waiting), marked, maximum) else { return false };
        (self.minimum, self.maximum) = thresholds;
        true
    }

    /// Writes what later marks depend on, where thresholds follow the traffic.
    pub fn write_state(&self, out: &mut StateWriter) {
        if let Some(adapt) = &self.adapt {
            adapt.write_state(self.n_marked, out);
        }
    }

    /// A marker of roots of congestion, which judges by [`Marker::judge_root`].
    ///
    /// A port that waited for credits is a victim until it has had the time to send what is in one input buffer.
    pub fn of_roots(marking: &RootMarking, buffer: Duration, random: Random) -> Marker {
        let RootMarking { threshold, chance, smallest, victims } = *marking;
        Marker {
            minimum: threshold.0,
            maximum: u64::MAX,
            probability: chance,
            at_enqueue: false,
            smallest: smallest.0,
            free_for: if victims { 0 } else { buffer.0 },
            random,
            n_marked: 0,
            adapt: None,
        }
    }

    /// No packet is marked while no more bytes wait.
    pub fn minimum(&self) -> u64 {
        self.minimum
    }

    /// The packet, marked if so many bytes waiting say so.
    #[inline(always)]
    pub fn judge(&mut self, waiting: u64, packet: Packet) -> Packet {
        if waiting <= self.minimum || !packet.is_data() {
            return packet;
        }
        self.judge_above(waiting, packet)
    }

    /// A data packet that starts, so many bytes waiting behind it, so long after its port waited for credits last: marked
    /// if the port is a root of congestion and chance says so.
    pub fn judge_root(&mut self, waiting: u64, packet: Packet, free_for: u64) -> Packet {
        let is_judged =
            waiting > self.minimum && u64::from(packet.bytes) >= self.smallest && free_for >= self.free_for;
        if !is_judged || u64::from(self.random.next_u32()) >= self.probability {
            return packet;
        }
        self.n_marked += 1;
        packet.with(Packet::MARKED)
    }

    fn judge_above(&mut self, waiting: u64, packet: Packet) -> Packet {
        let is_marked = waiting > self.maximum || {
            let above = u128::from(waiting - self.minimum) * u128::from(self.probability);
            let chance = above / u128::from(self.maximum - self.minimum);
            u128::from(self.random.next_u32()) < chance
        };
        if !is_marked {
            return packet;
        }
        self.n_marked += 1;
        packet.with(Packet::MARKED)
    }
}
