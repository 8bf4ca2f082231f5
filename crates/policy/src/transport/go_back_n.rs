//! # Idea
//! The receiver takes packets in order only; a gap is answered by one NACK, and the sender goes back to the gap.
//!
//! # Source
//! `InfiniBand` reliable connection as RoCE NICs have it; the rule of the public RDMA models for ns-3.
//!
//! # Invariants
//! One NACK for each expected packet: a second gap at the same place is silent.
//!
//! # When it misleads
//! Real NICs also have a timer after which they answer a gap again; here only the sender's timeout helps then.

use super::{Answer, Arrivals, Course, Receipt, Turn};

/// A data packet arrives.
pub(super) fn receive(arrivals: &mut Arrivals, refused: &mut u64, position: u64) -> Receipt {
    let expected = arrivals.expected();
    let distance = position.saturating_sub(expected);
    let is_new = position == expected && arrivals.add(position);
    let answer = match position {
        _ if is_new => Answer::Acknowledge,
        _ if position < expected => Answer::AcknowledgeNow,
        _ if *refused == expected + 1 => Answer::Nothing,
        _ => {
            *refused = expected + 1;
            Answer::Refuse
        }
    };
    Receipt { is_new, is_duplicate: position < expected, distance, answer }
}

/// The sending end.
#[derive(Debug, Clone, Default)]
pub struct Sender {
    pub(super) course: Course,
}

impl Sender {
    #[inline]
    pub(super) fn has_work(&self) -> bool {
        self.course.next < self.course.end
    }

    #[inline]
    pub(super) fn take(&mut self) -> Turn {
        self.course.forward()
    }

    pub(super) fn refused(&mut self, expected: u64) -> bool {
        if expected < self.course.una {
            return false;
        }
        let is_news = self.course.acknowledged(expected);
        self.course.next = expected;
        is_news
    }

    pub(super) fn timeout(&mut self) {
        self.course.next = self.course.una;
    }

    #[inline]
    pub(super) fn under_way(&self) -> u64 {
        self.course.next - self.course.una
    }

    #[expect(clippy::unused_self, reason = "the senders have one face")]
    pub(super) fn write(&self, _: &mut Vec<u64>) {}
}
