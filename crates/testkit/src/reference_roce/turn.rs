//! Turns of ingresses: the ingress that an egress grants a transfer next in a VL, and those that may pass it.
//!
//! Models: a turn that stays with its holder until the holder is granted a transfer; others pass while its ingress is
//! busy, but at most [`K`] of them, and those that passed are skipped once.
//! Leaves out: which ingresses are busy and the other conditions of a grant (see `crossbar`).
//! Invariant: the holder of a turn has been passed less than [`K`] times, or is next.

use super::fabric::PortIdx;

/// Number of transfers that may pass a holder.
pub(super) const K: u32 = 4;

/// The turn of one VL of an egress.
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
    /// Ingresses that have passed a holder and have not been skipped for it.
    owes: Vec<bool>,
}

/// The ingress that a VL would grant a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// No ingress has a head for it.
    Empty,
    /// All ingresses that have one are busy for too long.
    Busy,
    /// This ingress.
    Ingress(PortIdx),
}

/// Numbers below `n` in cyclic order, beginning after the last one.
pub(super) fn in_turn(last: Option<usize>, n: usize) -> impl Iterator<Item = usize> {
    let first = last.map_or(0, |last| last + 1);
    (0..n).map(move |step| (first + step) % n)
}

impl Turn {
    /// The turn of a VL shared by this number of ingresses, before the first holder.
    pub(super) fn new(n_ingresses: usize) -> Turn {
        Turn {
            holder: None,
            n_passed: 0,
            last_holder: None,
            last_passer: None,
            owes: vec![false; n_ingresses],
        }
    }

    /// The choice of a VL that could grant a transfer, given the ingresses with a head for it and those that are idle
    /// in time.
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

    /// An ingress without a head does not hold the turn; if any ingress has a head, one of them does.
    fn hand_on(&mut self, has_head: &[bool]) {
        self.holder = self.holder.filter(|&holder| has_head[holder]);
        if self.holder.is_none() {
            self.holder = self.next_holder(has_head);
            self.n_passed = 0;
        }
    }

    /// The first ingress with a head that owes no turn; the debts of those before it are cleared. If all owe one, the
    /// first, and all debts are cleared.
    fn next_holder(&mut self, has_head: &[bool]) -> Option<PortIdx> {
        let order: Vec<PortIdx> = in_turn(self.last_holder, has_head.len()).collect();
        if let Some(index) = order.iter().position(|&ingress| has_head[ingress] && !self.owes[ingress]) {
            order[..index].iter().for_each(|&ingress| self.owes[ingress] = false);
            return Some(order[index]);
        }
        let first = order.into_iter().find(|&ingress| has_head[ingress])?;
        self.owes.fill(false);
        Some(first)
    }

    /// This VL of this egress grants a transfer.
    pub(super) fn grant(&mut self, ingress: PortIdx) {
        if self.holder == Some(ingress) {
            self.last_holder = self.holder.take();
        } else {
            self.last_passer = Some(ingress);
            self.owes[ingress] = true;
            self.n_passed += 1;
        }
    }

    /// Another egress grants a transfer, or another VL of this one.
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

    /// A mask of four ingresses.
    fn only(those: &[PortIdx]) -> [bool; 4] {
        std::array::from_fn(|ingress| those.contains(&ingress))
    }

    /// Chooses and grants, until this number of transfers is granted.
    fn granted(turn: &mut Turn, has_head: &[bool], is_idle: &[bool], n: usize) -> Vec<PortIdx> {
        let mut grant = || {
            let Choice::Ingress(ingress) = turn.choose(has_head, is_idle) else {
                panic!("no transfer can be granted")
            };
            turn.grant(ingress);
            ingress
        };
        (0..n).map(|_| grant()).collect()
    }

    #[test]
    fn idle_ingresses_are_served_round_robin() {
        assert_eq!(granted(&mut Turn::new(4), &ALL, &ALL, 6), [0, 1, 2, 3, 0, 1]);
        assert_eq!(granted(&mut Turn::new(4), &only(&[1, 3]), &ALL, 3), [1, 3, 1]);
    }

    #[test]
    fn four_transfers_pass_a_busy_holder_then_it_is_granted() {
        // Ingress 0 holds the turn; the others pass it, and their own order continues where it was.
        let mut turn = Turn::new(4);
        let idle = only(&[1, 2, 3]);
        assert_eq!(granted(&mut turn, &ALL, &idle, 5), [1, 2, 3, 1, 0]);
        // All others owe a turn, ingress 0 does not: the turn is its own again, and all debts are cleared.
        assert_eq!(granted(&mut turn, &ALL, &idle, 5), [2, 3, 1, 2, 0]);
        assert_eq!(turn.owes, only(&[1, 2, 3]));
    }

    #[test]
    fn an_ingress_that_passed_is_skipped_once() {
        let mut turn = Turn::new(4);
        assert_eq!(granted(&mut turn, &ALL, &only(&[2]), 1), [2]);
        // The holder, 0, then 1, not 2, then 3 and all in order again.
        assert_eq!(granted(&mut turn, &ALL, &ALL, 7), [0, 1, 3, 0, 1, 2, 3]);
    }

    #[test]
    fn if_all_owe_a_turn_the_debts_are_cleared() {
        let mut turn = Turn::new(4);
        assert_eq!(granted(&mut turn, &ALL, &only(&[1, 2]), 2), [1, 2]);
        assert_eq!(granted(&mut turn, &only(&[0]), &ALL, 1), [0]);
        // Ingress 3 has no head; 1 and 2 owe a turn each.
        assert_eq!(turn.choose(&only(&[1, 2]), &only(&[])), Choice::Busy);
        assert_eq!((turn.holder, turn.owes), (Some(1), vec![false; 4]));
    }

    #[test]
    fn a_debt_is_cleared_even_without_a_head() {
        let mut turn = Turn::new(4);
        assert_eq!(granted(&mut turn, &ALL, &only(&[1]), 1), [1]);
        assert_eq!(granted(&mut turn, &only(&[0]), &ALL, 1), [0]);
        assert_eq!(granted(&mut turn, &only(&[2]), &ALL, 1), [2]);
        assert_eq!(turn.owes, [false; 4]);
    }

    #[test]
    fn a_turn_stays_with_its_holder_while_it_is_busy() {
        let mut turn = Turn::new(4);
        assert_eq!(turn.choose(&ALL, &only(&[])), Choice::Busy);
        assert_eq!(granted(&mut turn, &ALL, &only(&[2]), 1), [2]);
        assert_eq!(granted(&mut turn, &ALL, &ALL, 2), [0, 1]);
    }

    #[test]
    fn a_turn_moves_on_if_its_holder_has_no_head() {
        let mut turn = Turn::new(4);
        assert_eq!(turn.choose(&only(&[]), &ALL), Choice::Empty);
        assert_eq!(turn.choose(&only(&[2]), &only(&[])), Choice::Busy);
        // The turn was passed while ingress 2 held it; ingress 1 begins with none.
        (0..4).for_each(|_| turn.see_grant(2, false));
        assert_eq!(turn.choose(&only(&[1]), &only(&[])), Choice::Busy);
        assert_eq!((turn.holder, turn.n_passed), (Some(1), 0));
    }

    #[test]
    fn grants_elsewhere_count_as_passes_where_they_delay_the_holder() {
        let mut turn = Turn::new(4);
        turn.see_grant(0, true);
        assert_eq!(turn.choose(&only(&[0]), &only(&[])), Choice::Busy);
        assert_eq!(turn.n_passed, 0, "there was no holder");
        // To another ingress by another egress; to the holder's; in another VL of this egress; both at once.
        let passed = [(1, false), (0, false), (1, true), (0, true)].map(|(ingress, was_busy)| {
            turn.see_grant(ingress, was_busy);
            turn.n_passed
        });
        assert_eq!(passed, [0, 1, 2, 3]);
        assert_eq!(turn.choose(&only(&[0]), &only(&[])), Choice::Busy);
        turn.see_grant(0, false);
        assert_eq!(turn.choose(&only(&[0]), &only(&[])), Choice::Ingress(0));
        assert_eq!(turn.owes, [false; 4], "they passed in another place");
    }
}
