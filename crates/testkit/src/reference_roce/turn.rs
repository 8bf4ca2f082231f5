//! Turns of ingresses: whose packet an egress is to grant next in a lane, and who may pass.
//!
//! Models: a turn that stays with its holder until that is granted a transfer; others pass while its ingress is busy, but
//! no more than [`K`] of them, and those that passed are left out once.
//! Leaves out: which ingresses are busy and what else a grant takes (see `crossbar`).
//! Invariant: a turn that is held has been passed less than [`K`] times, or its holder is next.

use super::fabric::PortIdx;

/// Number of transfers that may pass a holder.
pub(super) const K: u32 = 4;

/// The turn of one lane of an egress.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    /// The ingress that holds it.
    pub(super) holder: Option<PortIdx>,
    /// Number of transfers that have passed the holder.
    pub(super) n_passed: u32,
    /// The last ingress that was granted a transfer as the holder.
    last_holder: Option<PortIdx>,
    /// The last ingress that passed a holder.
    last_passer: Option<PortIdx>,
    /// Ingresses that have passed a holder, and not been left out for it.
    owes: Vec<bool>,
}

/// Whom a lane would grant a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// No ingress has a head for it.
    Empty,
    /// All those that have one are busy for too long.
    Busy,
    /// This ingress.
    Ingress(PortIdx),
}

/// Numbers below `n` in turn, beginning after the last one.
pub(super) fn in_turn(last: Option<usize>, n: usize) -> impl Iterator<Item = usize> {
    let first = last.map_or(0, |last| last + 1);
    (0..n).map(move |step| (first + step) % n)
}

impl Turn {
    /// The turn of a lane that ingresses of this number share, before the first of them.
    pub(super) fn new(n_ingresses: usize) -> Turn {
        Turn {
            holder: None,
            n_passed: 0,
            last_holder: None,
            last_passer: None,
            owes: vec![false; n_ingresses],
        }
    }

    /// The lane is asked, and could grant a transfer to an ingress: who has a head for it, and who is idle in time.
    pub(super) fn choose(&mut self, has_head: &[bool], is_idle: &[bool]) -> Choice {
        let n = has_head.len();
        self.hand_on(has_head);
        let Some(holder) = self.holder else { return Choice::Empty };
        if is_idle[holder] || self.n_passed >= K {
            return Choice::Ingress(holder);
        }
        let may_pass = |&ingress: &PortIdx| has_head[ingress] && is_idle[ingress];
        in_turn(self.last_passer, n).find(may_pass).map_or(Choice::Busy, Choice::Ingress)
    }

    /// Nobody holds it without a head; somebody does if there is any.
    fn hand_on(&mut self, has_head: &[bool]) {
        self.holder = self.holder.filter(|&holder| has_head[holder]);
        if self.holder.is_none() {
            self.holder = self.next_holder(has_head);
            self.n_passed = 0;
        }
    }

    /// The first with a head that owes no turn, those before it being quits; if all owe one, the first, and all are quits.
    fn next_holder(&mut self, has_head: &[bool]) -> Option<PortIdx> {
        let order: Vec<PortIdx> = in_turn(self.last_holder, has_head.len()).collect();
        if let Some(place) = order.iter().position(|&ingress| has_head[ingress] && !self.owes[ingress]) {
            order[..place].iter().for_each(|&ingress| self.owes[ingress] = false);
            return Some(order[place]);
        }
        let first = order.into_iter().find(|&ingress| has_head[ingress])?;
        self.owes.fill(false);
        Some(first)
    }

    /// This lane of this egress grants a transfer.
    pub(super) fn grant(&mut self, ingress: PortIdx) {
        if self.holder == Some(ingress) {
            self.last_holder = self.holder.take();
        } else {
            self.last_passer = Some(ingress);
            self.owes[ingress] = true;
            self.n_passed += 1;
        }
    }

    /// Another egress grants a transfer, or another lane of this one.
    pub(super) fn see_grant(&mut self, ingress: PortIdx, was_busy: bool) {
        if self.holder.is_some() && (was_busy || self.holder == Some(ingress)) {
            self.n_passed += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [bool; 4] = [true; 4];

    /// Which of four ingresses are those.
    fn only(those: &[PortIdx]) -> [bool; 4] {
        std::array::from_fn(|ingress| those.contains(&ingress))
    }

    /// Asks and grants, until this number of transfers is granted.
    fn granted(turn: &mut Turn, has_head: &[bool], is_idle: &[bool], n: usize) -> Vec<PortIdx> {
        let mut grant = || {
            let Choice::Ingress(ingress) = turn.choose(has_head, is_idle) else { panic!("nobody can go") };
            turn.grant(ingress);
            ingress
        };
        (0..n).map(|_| grant()).collect()
    }

    #[test]
    fn idle_ingresses_go_round() {
        assert_eq!(granted(&mut Turn::new(4), &ALL, &ALL, 6), [0, 1, 2, 3, 0, 1]);
        assert_eq!(granted(&mut Turn::new(4), &only(&[1, 3]), &ALL, 3), [1, 3, 1]);
    }

    #[test]
    fn four_pass_a_busy_holder_then_it_is_granted() {
        // Ingress 0 holds the turn; the others pass it, and go on to do so where they were.
        let mut turn = Turn::new(4);
        let idle = only(&[1, 2, 3]);
        assert_eq!(granted(&mut turn, &ALL, &idle, 5), [1, 2, 3, 1, 0]);
        // All others owe a turn, but ingress 0 does not: it is its turn again, and nobody owes one any more.
        assert_eq!(granted(&mut turn, &ALL, &idle, 5), [2, 3, 1, 2, 0]);
        assert_eq!(turn.owes, only(&[1, 2, 3]));
    }

    #[test]
    fn who_passed_is_left_out_once() {
        let mut turn = Turn::new(4);
        assert_eq!(granted(&mut turn, &ALL, &only(&[2]), 1), [2]);
        // The holder, 0, then 1, not 2, then 3 and all in turn again.
        assert_eq!(granted(&mut turn, &ALL, &ALL, 7), [0, 1, 3, 0, 1, 2, 3]);
    }

    #[test]
    fn where_all_owe_a_turn_nobody_does() {
        let mut turn = Turn::new(4);
        assert_eq!(granted(&mut turn, &ALL, &only(&[1, 2]), 2), [1, 2]);
        assert_eq!(granted(&mut turn, &only(&[0]), &ALL, 1), [0]);
        // Ingress 3 has no head; 1 and 2 owe a turn each.
        assert_eq!(turn.choose(&only(&[1, 2]), &only(&[])), Choice::Busy);
        assert_eq!((turn.holder, turn.owes), (Some(1), vec![false; 4]));
    }

    #[test]
    fn who_has_no_head_when_left_out_is_quits_as_well() {
        let mut turn = Turn::new(4);
        assert_eq!(granted(&mut turn, &ALL, &only(&[1]), 1), [1]);
        assert_eq!(granted(&mut turn, &only(&[0]), &ALL, 1), [0]);
        assert_eq!(granted(&mut turn, &only(&[2]), &ALL, 1), [2]);
        assert_eq!(turn.owes, [false; 4]);
    }

    #[test]
    fn a_turn_stays_while_its_holder_is_busy() {
        let mut turn = Turn::new(4);
        assert_eq!(turn.choose(&ALL, &only(&[])), Choice::Busy);
        assert_eq!(granted(&mut turn, &ALL, &only(&[2]), 1), [2]);
        assert_eq!(granted(&mut turn, &ALL, &ALL, 2), [0, 1]);
    }

    #[test]
    fn a_turn_without_a_head_goes_on() {
        let mut turn = Turn::new(4);
        assert_eq!(turn.choose(&only(&[]), &ALL), Choice::Empty);
        assert_eq!(turn.choose(&only(&[2]), &only(&[])), Choice::Busy);
        // It was passed while ingress 2 held it; ingress 1 gets a turn of its own.
        (0..4).for_each(|_| turn.see_grant(2, false));
        assert_eq!(turn.choose(&only(&[1]), &only(&[])), Choice::Busy);
        assert_eq!((turn.holder, turn.n_passed), (Some(1), 0));
    }

    #[test]
    fn what_others_grant_passes_where_it_keeps_the_holder_waiting() {
        let mut turn = Turn::new(4);
        turn.see_grant(0, true);
        assert_eq!(turn.choose(&only(&[0]), &only(&[])), Choice::Busy);
        assert_eq!(turn.n_passed, 0, "nobody held it");
        // To another ingress by another egress; to the holder's; in another lane of this egress; both at once.
        let passed = [(1, false), (0, false), (1, true), (0, true)].map(|(ingress, was_busy)| {
            turn.see_grant(ingress, was_busy);
            turn.n_passed
        });
        assert_eq!(passed, [0, 1, 2, 3]);
        assert_eq!(turn.choose(&only(&[0]), &only(&[])), Choice::Busy);
        turn.see_grant(0, false);
        assert_eq!(turn.choose(&only(&[0]), &only(&[])), Choice::Ingress(0));
        assert_eq!(turn.owes, [false; 4], "they passed elsewhere");
    }
}
