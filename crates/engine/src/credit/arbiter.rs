//! Who goes next through a crossbar, and from an egress onto its wire.
//!
//! Models: one egress at one instant: staged packets first, then one way through the crossbar; turns among lanes and
//! among ingresses.
//! Leaves out: which egresses are asked, and when (`switch.rs`).

use netloom_model::Credits;

use super::crossbar::Crossbar;
use super::queues::{Entry, NONE};
use crate::desk::Desk;
use crate::port::Egress;
use crate::round::Round;

/// An egress that is asked what it can do.
pub struct Arbiter<'a, 'r> {
    pub crossbar: &'a mut Crossbar,
    pub egress: &'a mut Egress,
    /// Its local number.
    pub number: u32,
    pub now: u64,
    pub desk: &'a mut Desk,
    pub round: &'a Round<'r>,
}

/// Whether a packet may leave an input buffer, and how.
enum Passage {
    /// Its transmission starts at the same instant.
    Through,
    /// It waits for its wire.
    Staged,
    /// There are no credits for it.
    NoCredits,
    /// Its wire is busy, and what may be staged is.
    NoRoom,
}

impl Arbiter<'_, '_> {
    /// Lets happen what can.
    pub fn ask(&mut self) {
        let mut lacks_credits = self.crossbar.stages && self.is_free() && self.start_staged();
        if self.crossbar.outputs[self.number as usize].taking == NONE {
            lacks_credits |= self.begin_way();
        }
        let is_starving = lacks_credits && self.is_free();
        if is_starving != self.egress.is_starving() {
            self.egress.starve(self.now, is_starving);
        }
    }

    #[inline]
    fn is_free(&self) -> bool {
        self.egress.free_at() <= self.now
    }

    /// A staged packet starts, if one can; tells whether credits are lacking.
    #[inline]
    fn start_staged(&mut self) -> bool {
        let mut lacks_credits = false;
        let mut lane = self.crossbar.outputs[self.number as usize].wire_lane;
        for _ in 0..self.crossbar.n_lanes {
            lane = self.crossbar.lane_after(lane);
            let first = self.crossbar.output_lane(self.number, lane).staged.first;
            if first == NONE {
                continue;
            }
            if !self.egress.has_credits(&self.crossbar.queues.entry(first).packet) {
                lacks_credits = true;
                continue;
            }
            let place = self.crossbar.take_staged(self.number, lane);
            self.start(place, lane);
            return false;
        }
        lacks_credits
    }

    /// A packet begins its way through the crossbar, if one can; tells whether credits are lacking.
    #[inline]
    fn begin_way(&mut self) -> bool {
        let mut lacks_credits = false;
        let mut lane = self.crossbar.outputs[self.number as usize].lane;
        for _ in 0..self.crossbar.n_lanes {
            lane = self.crossbar.lane_after(lane);
            let Some(ingress) = self.crossbar.next_ingress(self.number, lane) else { continue };
            let before = self.crossbar.lane_before(ingress, self.number, lane);
            match self.way((ingress, before), lane) {
                way @ (Passage::Through | Passage::Staged) => {
                    self.go((ingress, before), lane, &way);
                    // On a free wire nothing is staged but for want of credits.
                    return matches!(way, Passage::Staged) && self.is_free();
                }
                Passage::NoCredits => {
                    lacks_credits = true;
                    self.crossbar.starve(self.number);
                }
                Passage::NoRoom => {}
            }
        }
        lacks_credits
    }

    /// How the head of an ingress, in the lane that it came by, may go in a lane of this egress.
    #[inline]
    fn way(&mut self, (ingress, before): (u32, usize), lane: usize) -> Passage {
        let is_first = self.is_free() && self.crossbar.output_lane(self.number, lane).staged.first == NONE;
        let packet = &self.crossbar.queues.head(ingress, before, self.number).packet;
        if is_first && self.egress.has_credits(packet) {
            Passage::Through
        } else if self.crossbar.has_room(self.number, lane) {
            Passage::Staged
        } else if is_first {
            Passage::NoCredits
        } else {
            Passage::NoRoom
        }
    }

    #[inline]
    fn go(&mut self, (ingress, before): (u32, usize), lane: usize, way: &Passage) {
        let place = self.crossbar.take_head((ingress, before), lane, self.number);
        let entry = self.crossbar.queues.entry(place);
        let (bytes, end) = (entry.packet.bytes, self.end_of_way(entry));
        let is_long = self.crossbar.is_long(bytes);
        self.crossbar.begin(ingress, self.number, lane, end, is_long);
        if let Some(returns) = &mut self.crossbar.inputs[ingress as usize].returns {
            returns.give(end, before, Credits::blocks(bytes), self.desk, self.round);
        }
        if matches!(way, Passage::Through) {
            self.start(place, lane);
        } else {
            self.crossbar.stage(self.number, lane, place);
        }
    }

    /// When a packet that leaves its buffer now has left it: no sooner than its last bit has come.
    #[inline]
    fn end_of_way(&self, entry: &Entry) -> u64 {
        let span = self.egress.serialization_of(entry.packet.bytes);
        let span = if self.crossbar.speedup == 1 { span } else { span.div_ceil(self.crossbar.speedup) };
        (self.now + span).max(entry.whole_at)
    }

    /// The transmission of a packet of a lane starts that is in no queue any more.
    #[inline]
    fn start(&mut self, place: u32, lane: usize) {
        self.crossbar.outputs[self.number as usize].wire_lane = lane;
        let (packet, found) = self.crossbar.remove(self.number, place);
        let end = self.egress.launch(self.now, &packet, found, self.desk, self.round);
        let is_long = self.crossbar.is_long(packet.bytes);
        self.crossbar.occupy(self.number, end, is_long);
    }
}
