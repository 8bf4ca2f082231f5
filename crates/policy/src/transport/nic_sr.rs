//! # Idea
//! The receiver keeps packets that come early, and sends at most one NACK for each expected packet; the NACK names
//! nothing else. The sender sends exactly that packet again.
//!
//! # Source
//! Themis (APNET 2025), section 2.2: how commodity RNICs repeat selectively.
//!
//! # Invariants
//! On a path that keeps order, k lost packets with traffic behind them cost k NACKs and k packets sent again. Where paths
//! differ and nothing is lost, each NACK costs one packet that was sent for nothing.
//!
//! # When it misleads
//! What a NIC does on a timeout is not published: here the first unacknowledged packet is sent again (ours). The bitmap is
//! as long as it needs to be; a real one is bounded.

use std::collections::VecDeque;

use super::{Answer, Arrivals, Course, Receipt, Turn};

/// A data packet arrives.
#[inline]
pub(super) fn receive(arrivals: &mut Arrivals, refused: &mut u64, position: u64) -> Receipt {
    let expected = arrivals.expected();
    let distance = position.saturating_sub(expected);
    let is_new = arrivals.add(position);
    let answer = match position {
        _ if position == expected => Answer::Acknowledge,
        _ if !is_new => Answer::AcknowledgeNow,
        _ if *refused == expected + 1 => Answer::Nothing,
        _ => {
            *refused = expected + 1;
            Answer::Refuse
        }
    };
    Receipt { is_new, is_duplicate: !is_new, distance, answer }
}

/// The sending end.
#[derive(Debug, Clone, Default)]
pub struct Sender {
    pub(super) course: Course,
    /// What is to be sent again, before anything new.
    again: VecDeque<u64>,
}

impl Sender {
    #[inline]
    pub(super) fn has_work(&mut self) -> bool {
        while self.again.front().is_some_and(|&position| position < self.course.una) {
            self.again.pop_front();
        }
        !self.again.is_empty() || self.course.next < self.course.end
    }

    #[inline]
    pub(super) fn take(&mut self) -> Turn {
        match self.again.pop_front() {
            Some(position) => Turn { position, is_again: true },
            None => self.course.forward(),
        }
    }

    pub(super) fn refused(&mut self, expected: u64) -> bool {
        if expected < self.course.una {
            return false;
        }
        let is_news = self.course.acknowledged(expected);
        self.repeat(expected);
        is_news
    }

    pub(super) fn timeout(&mut self) {
        self.repeat(self.course.una);
    }

    fn repeat(&mut self, position: u64) {
        if position < self.course.highest && !self.again.contains(&position) {
            self.again.push_back(position);
        }
    }

    #[inline]
    pub(super) fn under_way(&self) -> u64 {
        self.course.highest - self.course.una
    }

    pub(super) fn write(&self, words: &mut Vec<u64>) {
        let open = self.again.iter().filter(|&&position| position >= self.course.una);
        words.extend(open.map(|position| position - self.course.una));
    }
}
