//! # Idea
//! The receiver accepts packets in order only; it answers a gap by one NACK, and the sender goes back to the gap.
//!
//! # Source
//! `InfiniBand` reliable connection as in RoCE NICs; the rule of the public RDMA models for ns-3.
//!
//! # Invariants
//! One NACK for each expected packet: a second gap at the same position causes none.
//!
//! # When it misleads
//! Real NICs also have a timer after which they repeat the NACK; here only the sender's timeout helps then.

use super::{Arrivals, Receipt, Response, SendProgress};

/// A data packet arrives.
pub(super) fn receive(arrivals: &mut Arrivals, refused: &mut u64, position: u64) -> Receipt {
    let expected = arrivals.expected();
    let distance = position.saturating_sub(expected);
    let is_new = position == expected && arrivals.add(position);
    let response = match position {
        _ if is_new => Response::Acknowledge,
        _ if position < expected => Response::AcknowledgeNow,
        _ if *refused == expected + 1 => Response::Nothing,
        _ => {
            *refused = expected + 1;
            Response::Nack
        }
    };
    Receipt { is_new, is_duplicate: position < expected, distance, response }
}

/// A NACK: the sender goes back to it.
pub(super) fn refused(progress: &mut SendProgress, expected: u64) -> bool {
    if expected < progress.una {
        return false;
    }
    let is_news = progress.acknowledged(expected);
    progress.next = expected;
    is_news
}

/// A timeout: the sender goes back to the first unacknowledged packet.
pub(super) fn timeout(progress: &mut SendProgress) {
    progress.next = progress.una;
}
