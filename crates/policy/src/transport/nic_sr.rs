//! # Idea
//! The receiver keeps out-of-order packets, and sends at most one NACK for each expected packet; the NACK names nothing
//! else. The sender retransmits exactly that packet.
//!
//! # Source
//! Themis (APNET 2025), section 2.2: selective repeat in commodity RNICs.
//!
//! # Invariants
//! On a path that keeps order, k lost packets followed by traffic cost k NACKs and k retransmissions. If paths differ
//! and nothing is lost, each NACK costs one spurious retransmission.
//!
//! # When it misleads
//! The action of a NIC on a timeout is not published: here the first unacknowledged packet is retransmitted (modelling
//! assumption). The bitmap is as long as needed; a real one is bounded.

use std::collections::VecDeque;

use super::{Arrivals, Receipt, Response, SendItem, SendProgress};

/// A data packet arrives.
#[inline]
pub(super) fn receive(arrivals: &mut Arrivals, refused: &mut u64, position: u64) -> Receipt {
    let expected = arrivals.expected();
    let distance = position.saturating_sub(expected);
    let is_new = arrivals.add(position);
    let response = match position {
        _ if position == expected => Response::Acknowledge,
        _ if !is_new => Response::AcknowledgeNow,
        _ if *refused == expected + 1 => Response::Nothing,
        _ => {
            *refused = expected + 1;
            Response::Nack
        }
    };
    Receipt { is_new, is_duplicate: !is_new, distance, response }
}

/// The packets to retransmit, before any new one.
#[derive(Debug, Clone, Default)]
pub struct Repeats {
    positions: VecDeque<u64>,
}

impl Repeats {
    pub(super) fn clear(&mut self) {
        self.positions.clear();
    }

    #[inline(always)]
    pub(super) fn has_work(&mut self, progress: &SendProgress) -> bool {
        while self.positions.front().is_some_and(|&position| position < progress.una) {
            self.positions.pop_front();
        }
        !self.positions.is_empty() || progress.has_more()
    }

    /// The next packet to retransmit.
    pub(super) fn first(&self) -> Option<u64> {
        self.positions.front().copied()
    }

    #[inline(always)]
    pub(super) fn take(&mut self, progress: &mut SendProgress) -> SendItem {
        match self.positions.pop_front() {
            Some(position) => SendItem { position, is_again: true },
            None => progress.forward(),
        }
    }

    pub(super) fn refused(&mut self, progress: &mut SendProgress, expected: u64) -> bool {
        if expected < progress.una {
            return false;
        }
        let is_news = progress.acknowledged(expected);
        self.repeat(progress, expected);
        is_news
    }

    pub(super) fn timeout(&mut self, progress: &SendProgress) {
        self.repeat(progress, progress.una);
    }

    fn repeat(&mut self, progress: &SendProgress, position: u64) {
        if position < progress.highest && !self.positions.contains(&position) {
            self.positions.push_back(position);
        }
    }

    pub(super) fn write(&self, progress: &SendProgress, words: &mut Vec<u64>) {
        let open = self.positions.iter().filter(|&&position| position >= progress.una);
        words.extend(open.map(|position| position - progress.una));
    }
}
