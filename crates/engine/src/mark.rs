//! Marking data packets by the queue they meet (RED/ECN).
//!
//! Models: never below a threshold, always above another, by chance between.
//!
//! Invariants: a draw from the port's own stream, and only between the thresholds.

use netloom_model::Marking;
use netloom_units::Random;

use crate::packet::Packet;

/// See the module.
#[derive(Debug)]
pub struct Marker {
    minimum: u64,
    maximum: u64,
    probability: u64,
    /// Whether packets are judged when they join the queue.
    pub at_enqueue: bool,
    random: Random,
    /// Packets marked.
    pub n_marked: u64,
}

impl Marker {
    /// A marker with the stream of its port.
    pub fn new(marking: &Marking, random: Random) -> Marker {
        let Marking { minimum, maximum, probability, at_enqueue } = *marking;
        Marker { minimum: minimum.0, maximum: maximum.0, probability, at_enqueue, random, n_marked: 0 }
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
