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
    pub(super) fn has_work(&mut self, progress: &SendProgress) -> bool {
        self.missing(progress).is_some() || progress.has_more()
    }

    #[inline]
    pub(super) fn take(&mut self, progress: &mut SendProgress) -> SendItem {
        let Some(position) = self.missing(progress) else { return progress.forward() };
        self.again.0 = position + 1;
        SendItem { position, is_again: true }
    }

    #[inline]
    pub(super) fn missing(&mut self, progress: &SendProgress) -> Option<u64> {
        let (from, to) = self.again;
        if from >= to {
            return None;
        }
        self.again.0 = (from.max(progress.una)..to).find(|&position| !self.named.has(position)).unwrap_or(to);
        (self.again.0 < to).then_some(self.again.0)
    }

    #[inline]
    pub(super) fn acknowledged(&mut self, progress: &mut SendProgress, expected: u64, named: u64) -> bool {
        let is_news = progress.acknowledged(expected);
        if is_news {
            self.named.advance_to(expected);
        }
        self.named.add(named);
        is_news
    }

    pub(super) fn timeout(&mut self, progress: &SendProgress) {
        self.again = (progress.una, progress.highest);
    }

    #[inline]
    pub(super) fn in_flight(&self, progress: &SendProgress) -> u64 {
        progress.highest - progress.una - self.named.n_ahead()
    }

    pub(super) fn write(&self, progress: &SendProgress, words: &mut Vec<u64>) {
        let una = progress.una;
        words.extend([self.again.0.saturating_sub(una), self.again.1.saturating_sub(una)]);
        words.extend(self.named.words());
    }
}
