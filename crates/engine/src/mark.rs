//! Marking of data packets by queue length.
//!
//! Models: RED/ECN: no packet up to a minimum threshold, every packet above a maximum, by chance in between. FECN: by
//! chance above one threshold, at ports that have not waited for credits recently.
//!
//! Invariants: random draws come from the port's own stream, and only where chance decides.

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
    /// Whether the decision is made when a packet joins the queue, not when its transmission starts.
    pub at_enqueue: bool,
    /// FECN only: smaller packets are never marked.
    smallest: u64,
    /// FECN only: minimum time since the port last waited for credits, in ps.
    free_for: u64,
    random: Random,
    /// Number of packets marked.
    pub n_marked: u64,
    /// Adapts the thresholds to the traffic, where configured.
    adapt: Option<Box<Adapt>>,
}

impl Marker {
    /// A marker with the random stream of its port.
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

    /// Whether the thresholds adapt to the traffic.
    pub fn adapts(&self) -> bool {
        self.adapt.is_some()
    }

    /// A data packet starts at `at` with serialization time `busy`, and `waiting` bytes remain queued behind it;
    /// returns whether the thresholds have changed.
    #[cold]
    pub fn observe(&mut self, at: u64, busy: u64, waiting: u64) -> bool {
        let (marked, maximum) = (self.n_marked, self.maximum);
        let Some(adapt) = &mut self.adapt else { return false };
        let Some(thresholds) = adapt.start(at, (busy, waiting), marked, maximum) else { return false };
        (self.minimum, self.maximum) = thresholds;
        true
    }

    /// Writes the state that later marks depend on, where thresholds adapt to the traffic.
    pub fn write_state(&self, out: &mut StateWriter) {
        if let Some(adapt) = &self.adapt {
            adapt.write_state(self.n_marked, out);
        }
    }

    /// A FECN marker, which decides about packets by [`Marker::mark_root`].
    ///
    /// A port that waited for credits counts as a victim of congestion until it has had the time to send the contents
    /// of one input buffer.
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

    /// No packet is marked while the number of waiting bytes is at most this.
    pub fn minimum(&self) -> u64 {
        self.minimum
    }

    /// The packet, marked if the number of waiting bytes requires it.
    #[inline(always)]
    pub fn mark(&mut self, waiting: u64, packet: Packet) -> Packet {
        if waiting <= self.minimum || !packet.is_data() {
            return packet;
        }
        self.mark_above(waiting, packet)
    }

    /// A data packet that starts with `waiting` bytes queued behind it, `free_for` ps after its port last waited for
    /// credits: marked by chance if the port is a root of congestion.
    pub fn mark_root(&mut self, waiting: u64, packet: Packet, free_for: u64) -> Packet {
        let is_candidate =
            waiting > self.minimum && u64::from(packet.bytes) >= self.smallest && free_for >= self.free_for;
        if !is_candidate || u64::from(self.random.next_u32()) >= self.probability {
            return packet;
        }
        self.n_marked += 1;
        packet.with(Packet::MARKED)
    }

    fn mark_above(&mut self, waiting: u64, packet: Packet) -> Packet {
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
