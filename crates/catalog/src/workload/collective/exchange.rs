//! Rounds in which every member sends one message and then waits for one.
//!
//! Models: the operations and posted receives of such rounds; the round's number is the tag.
//! Leaves out: who sends what to whom; each algorithm states that for a round.

use super::{Frame, Posted, Step, in_form};

/// The messages of a member in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exchange {
    /// The member that receives, and the bytes sent to it.
    pub(super) sent: (u32, u64),
    /// The member that sends, and the bytes that it sends.
    pub(super) received: (u32, u64),
}

/// The `index`-th operation of a member in these rounds: a send and a wait in each.
pub(super) fn operation(
    frame: &Frame,
    index: u64,
    n_rounds: u64,
    exchange: impl FnOnce(u32) -> Exchange,
) -> Option<Step> {
    in_form(frame.dependent, index, 2 * n_rounds, |index| {
        let round = index / 2;
        let Exchange { sent: (to, bytes), received } = exchange(round as u32);
        if index.is_multiple_of(2) {
            return Step::send(to, round, bytes);
        }
        Step::receive(round, u32::from(received.1 > 0))
    })
}

/// The receive that is posted just before the send of a round.
pub(super) fn posted(
    index: u64,
    number: u32,
    n_rounds: u64,
    exchange: impl FnOnce(u32) -> Exchange,
) -> Option<Posted> {
    let round = index / 2;
    if number > 0 || !index.is_multiple_of(2) || round >= n_rounds {
        return None;
    }
    let (from, bytes) = exchange(round as u32).received;
    Some(Posted { from, tag: round, bytes })
}
