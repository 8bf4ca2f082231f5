//! # Idea
//! Packets carry the offset of their bytes, so the receiver accepts them in any order and acknowledges each one by its
//! position; the sender retransmits only after a timeout, and then only what is missing.
//!
//! # Source
//! Direct data placement with out-of-order delivery, as in NICs made for packet spraying; here without any heuristic.
//!
//! # Invariants
//! Without loss, reordering costs nothing.
//!
//! # When it misleads
//! A lost packet costs a whole timeout; hardware of this kind detects losses sooner (trimming, probes).

use super::{Arrivals, Receipt, Response, SendItem, SendProgress};

/// A data packet arrives.
#[inline]
pub(super) fn receive(arrivals: &mut Arrivals, position: u64) -> Receipt {
    let distance = position.saturating_sub(arrivals.expected());
    let is_new = arrivals.add(position);
    let response = if is_new && distance == 0 { Response::Acknowledge } else { Response::AcknowledgeNow };
    Receipt { is_new, is_duplicate: !is_new, distance, response }
}

/// The positions known to have arrived, and those to retransmit.
#[derive(Debug, Clone, Default)]
pub struct Repeats {
    named: Arrivals,
    /// The range to retransmit after a timeout, from the first up to the second, except the named positions.
    again: (u64, u64),
}

impl Repeats {
    pub(super) fn clear(&mut self) {
        self.named.clear();
        self.again = (0, 0);
    }

    #[inline]
    pub(super) fn has_work(&mut self, course: &SendProgress) -> bool {
        self.missing(course).is_some() || course.has_more()
    }

    #[inline]
    pub(super) fn take(&mut self, course: &mut SendProgress) -> SendItem {
        let Some(position) = self.missing(course) else { return course.forward() };
        self.again.0 = position + 1;
        SendItem { position, is_again: true }
    }

    #[inline]
    pub(super) fn missing(&mut self, course: &SendProgress) -> Option<u64> {
        let (from, to) = self.again;
        if from >= to {
            return None;
        }
        self.again.0 = (from.max(course.una)..to).find(|&position| !self.named.has(position)).unwrap_or(to);
        (self.again.0 < to).then_some(self.again.0)
    }

    #[inline]
    pub(super) fn acknowledged(&mut self, course: &mut SendProgress, expected: u64, named: u64) -> bool {
        let is_news = course.acknowledged(expected);
        if is_news {
            self.named.advance_to(expected);
        }
        self.named.add(named);
        is_news
    }

    pub(super) fn timeout(&mut self, course: &SendProgress) {
        self.again = (course.una, course.highest);
    }

    #[inline]
    pub(super) fn in_flight(&self, course: &SendProgress) -> u64 {
        course.highest - course.una - self.named.n_ahead()
    }

    pub(super) fn write(&self, course: &SendProgress, words: &mut Vec<u64>) {
        let una = course.una;
        words.extend([self.again.0.saturating_sub(una), self.again.1.saturating_sub(una)]);
        words.extend(self.named.words());
    }
}
