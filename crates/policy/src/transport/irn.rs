//! # Idea
//! Selective repeat over lossy Ethernet: the receiver keeps every out-of-order packet and answers with a NACK that
//! names it; the sender retransmits the missing ones, and keeps at most a bandwidth-delay product in flight.
//!
//! # Source
//! Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM 2018 (IRN).
//!
//! # Invariants
//! Within one recovery every missing packet is retransmitted once. A NACK starts a recovery if none is in progress, a
//! timeout restarts it.
//!
//! # When it misleads
//! The window is a fixed number of packets; the published scheme derives it from the topology.

use super::{Arrivals, Receipt, Response, SendItem, SendProgress};

/// A data packet arrives.
pub(super) fn receive(arrivals: &mut Arrivals, position: u64) -> Receipt {
    let expected = arrivals.expected();
    let distance = position.saturating_sub(expected);
    let is_new = arrivals.add(position);
    let response = match position {
        _ if position == expected => Response::Acknowledge,
        _ if is_new => Response::Nack,
        _ => Response::AcknowledgeNow,
    };
    Receipt { is_new, is_duplicate: !is_new, distance, response }
}

/// The state of retransmission, and the limit on packets in flight.
#[derive(Debug, Clone)]
pub struct Repeats {
    window: u64,
    /// The positions known to have arrived.
    named: Arrivals,
    /// One beyond the highest position named.
    above: u64,
    /// The position at which the recovery in progress ends.
    recovery: Option<u64>,
    /// The next position that the recovery checks.
    scan: u64,
    /// The packet to retransmit after a timeout.
    late: Option<u64>,
}

impl Repeats {
    pub(super) fn new(window: u64) -> Repeats {
        let named = Arrivals::default();
        Repeats { window: window.max(1), named, above: 0, recovery: None, scan: 0, late: None }
    }

    pub(super) fn clear(&mut self) {
        self.named.clear();
        let named = std::mem::take(&mut self.named);
        *self = Repeats { named, ..Repeats::new(self.window) };
    }

    #[inline(always)]
    pub(super) fn has_work(&mut self, progress: &SendProgress) -> bool {
        (self.may_have_hole() && self.hole(progress).is_some())
            || (progress.has_more() && self.in_flight(progress) < self.window)
    }

    #[inline(always)]
    pub(super) fn take(&mut self, progress: &mut SendProgress) -> SendItem {
        if self.may_have_hole() { self.take_with_holes(progress) } else { progress.forward() }
    }

    /// Whether a retransmission may be due: mostly no recovery is in progress.
    #[inline(always)]
    fn may_have_hole(&self) -> bool {
        self.recovery.is_some() || self.late.is_some()
    }

    fn take_with_holes(&mut self, progress: &mut SendProgress) -> SendItem {
        let Some(position) = self.hole(progress) else { return progress.forward() };
        self.late = None;
        self.scan = self.scan.max(position + 1);
        SendItem { position, is_again: true }
    }

    /// The next packet to retransmit.
    pub(super) fn hole(&mut self, progress: &SendProgress) -> Option<u64> {
        self.late = self.late.filter(|&late| late >= progress.una);
        if self.late.is_some() {
            return self.late;
        }
        self.recovery?;
        self.scan = self.scan.max(progress.una);
        while self.scan < self.above && self.named.has(self.scan) {
            self.scan += 1;
        }
        (self.scan < self.above).then_some(self.scan)
    }

    #[inline(always)]
    pub(super) fn acknowledged(&mut self, progress: &mut SendProgress, expected: u64) -> bool {
        let is_news = progress.acknowledged(expected);
        if is_news {
            self.named.advance_to(expected);
            self.recovery = self.recovery.filter(|&end| expected < end);
        }
        is_news
    }

    pub(super) fn refused(&mut self, progress: &mut SendProgress, expected: u64, named: u64) -> bool {
        let is_news = self.acknowledged(progress, expected);
        if expected < progress.una {
            return is_news;
        }
        self.named.add(named);
        self.above = self.above.max(named + 1);
        if self.recovery.is_none() {
            self.recovery = Some(progress.next);
            self.scan = progress.una;
        }
        is_news
    }

    /// Restarts the recovery: the retransmissions of the last one may be lost, too.
    pub(super) fn timeout(&mut self, progress: &SendProgress) {
        self.late = Some(progress.una);
        self.recovery = Some(progress.next);
        self.scan = progress.una;
    }

    #[inline]
    pub(super) fn in_flight(&self, progress: &SendProgress) -> u64 {
        progress.next - progress.una - self.named.n_ahead()
    }

    pub(super) fn write(&self, progress: &SendProgress, words: &mut Vec<u64>) {
        let una = progress.una;
        words.push(self.recovery.map_or(0, |end| end - una + 1));
        words.push(self.scan.saturating_sub(una));
        words.push(self.above.saturating_sub(una));
        words.push(self.late.map_or(0, |late| late - una + 1));
        words.extend(self.named.words());
    }
}
