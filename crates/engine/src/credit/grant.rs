//! Grants of transfers through a crossbar: which ingress an egress chooses, and the effects of a grant.
//!
//! Models: turns that stay with their holders, ingresses that bypass them and are skipped once, transfers of an ingress that follow
//! each other.
//! Leaves out: whether there are room and credits (`arbiter.rs`); the state itself (`crossbar.rs`).
//!
//! Source: round-robin pointers that move only with a grant, as in iSLIP (N. `McKeown` 1999); that a turn stays, and
//! skips, are modelling assumptions.

use super::crossbar::Crossbar;
use super::queues::NONE;
use crate::bits::bits;

/// Which ingress an egress would grant a transfer to, in a VL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// No ingress has a head for it.
    NoHead,
    /// All ingresses that have a head for it are busy for too long.
    Busy,
    /// This ingress.
    Ingress(u32),
}

/// A granted transfer, of one packet or of a train of them.
#[derive(Debug, Clone, Copy)]
pub struct Transfer {
    pub ingress: u32,
    pub egress: u32,
    /// The VL in which it leaves.
    pub vl: usize,
    /// When it ends, in ps.
    pub end: u64,
}

/// The longest waits of packets at the heads of their queues, for one egress.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waits {
    /// The most transfers to other ingresses that the egress granted, in a VL, while a packet of this VL was the head
    /// of its queue.
    pub most_bypasses: u32,
    /// The longest time from when a packet became the head of its queue until its transfer began, in ps.
    pub longest: u64,
}

impl Crossbar {
    /// Which ingress an egress would grant a transfer to in a VL: the holder of the turn if it is idle by `idle_by`, or
    /// has been bypassed often enough; else the next one that is idle by then. If no ingress holds the turn, one gets it.
    #[inline]
    pub fn choose<const SMALL: bool>(
        &mut self,
        egress: u32,
        vl: usize,
        idle_by: impl FnOnce() -> u64,
        now: u64,
    ) -> Choice {
        let number = self.vl_number::<SMALL>(egress, vl);
        let mut holder = self.output_vls[number].turn.holder;
        if holder == NONE {
            let Some(first) = self.next_holder::<SMALL>(number) else { return Choice::NoHead };
            holder = first;
            self.clear_skips(number, holder);
            self.output_vls[number].turn.assign(holder, self.inputs[holder as usize].n_grants);
        }
        let input = &self.inputs[holder as usize];
        if input.idle_at <= now {
            return Choice::Ingress(holder);
        }
        let idle_by = idle_by().max(now);
        let turn = &self.output_vls[number].turn;
        if input.idle_at <= idle_by || turn.is_due(input.n_grants) {
            return Choice::Ingress(holder);
        }
        let held = self.egress_word::<SMALL>(holder) + egress as usize / 64;
        self.outputs_with_turn[held] |= 1 << (egress % 64);
        let is_idle = |ingress: u32| self.inputs[ingress as usize].idle_at <= idle_by;
        let turn = &self.output_vls[number].turn;
        self.first_wanted::<SMALL>(number, turn.last_bypasser, is_idle).map_or(Choice::Busy, Choice::Ingress)
    }

    /// The next holder of the turn of a VL of an egress: the next ingress that has a head for it and is not skipped, or
    /// else the next one that has a head.
    #[inline]
    fn next_holder<const SMALL: bool>(&self, output_vl: usize) -> Option<u32> {
        let last = self.output_vls[output_vl].turn.last_holder;
        if SMALL || self.n_words == 1 {
            let wanted = self.requests_by_output[output_vl];
            let not_skipped = wanted & !self.skip_once[output_vl];
            return first_after(last, if not_skipped == 0 { wanted } else { not_skipped });
        }
        let next =
            self.first_wanted::<SMALL>(output_vl, last, |ingress| !self.is_skipped(output_vl, ingress));
        next.or_else(|| self.first_wanted::<SMALL>(output_vl, last, |_| true))
    }

    /// Whether an ingress has bypassed a holder, and is skipped once when its turn comes.
    #[inline]
    pub fn is_skipped(&self, output_vl: usize, ingress: u32) -> bool {
        self.skip_once[output_vl * self.n_words + ingress as usize / 64] >> (ingress % 64) & 1 == 1
    }

    /// An ingress gets the turn: clears the skips of those between the last holder and it, and all skips if it was to be
    /// skipped itself.
    #[inline]
    pub(super) fn clear_skips(&mut self, output_vl: usize, holder: u32) {
        if self.output_vls[output_vl].has_skips {
            self.clear_some_skips(output_vl, holder);
        }
    }

    #[inline(never)]
    fn clear_some_skips(&mut self, output_vl: usize, holder: u32) {
        let last = self.output_vls[output_vl].turn.last_holder;
        let clears_all = self.is_skipped(output_vl, holder);
        let n_inputs = self.inputs.len() as u32;
        let distance = |ingress: u32| (ingress + n_inputs - last - 1) % n_inputs;
        let words = &mut self.skip_once[output_vl * self.n_words..][..self.n_words];
        for (word, first) in words.iter_mut().zip((0..).step_by(64)) {
            for ingress in bits(*word).map(|bit| first + bit) {
                if clears_all || distance(ingress) < distance(holder) {
                    *word &= !(1 << (ingress % 64));
                }
            }
        }
        self.output_vls[output_vl].has_skips = words.iter().any(|&word| word != 0);
    }

    /// The first ingress after `last`, in turn, of those that have a head for a VL of an egress and meet a condition.
    #[inline]
    fn first_wanted<const SMALL: bool>(
        &self,
        output_vl: usize,
        last: u32,
        meets: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        if SMALL {
            let (wanted, after) = (self.requests_by_output[output_vl], u64::MAX << 1 << (last & 63));
            let next = bits(wanted & after).find(|&ingress| meets(ingress));
            return next.or_else(|| bits(wanted & !after).find(|&ingress| meets(ingress)));
        }
        let words = &self.requests_by_output[output_vl * self.n_words..][..self.n_words];
        let (last_word, last_bit) = (last as usize / 64, last % 64);
        let after = u64::MAX << 1 << last_bit;
        // The word of `last` is visited twice: first for the ingresses after it, at the end for the others.
        for step in 0..=self.n_words {
            let word = if last_word + step < self.n_words {
                last_word + step
            } else {
                last_word + step - self.n_words
            };
            let wanted = match step {
                0 => words[word] & after,
                step if step == self.n_words => words[word] & !after,
                _ => words[word],
            };
            let found = bits(wanted).map(|bit| word as u32 * 64 + bit).find(|&ingress| meets(ingress));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// An ingress that has a head for a VL of an egress: the holder of the turn, or the one that would get it.
    pub fn next_ingress(&self, egress: u32, vl: usize) -> Option<u32> {
        let number = egress as usize * self.n_vls + vl;
        let holder = self.output_vls[number].turn.holder;
        if holder == NONE { self.next_holder::<false>(number) } else { Some(holder) }
    }

    /// When a transfer begins that is granted at an ingress at `now`.
    #[inline]
    pub fn begin_at(&self, ingress: u32, now: u64) -> u64 {
        self.inputs[ingress as usize].idle_at.max(now)
    }

    /// Takes the head of an ingress out of its queue for a transfer that will be granted; returns its slot.
    #[inline]
    pub fn take_granted<const SMALL: bool>(
        &mut self,
        now: u64,
        (ingress, input_vl): (u32, usize),
        vl: usize,
        egress: u32,
    ) -> u32 {
        // Counted first: the transfer does not pass the packet that is the head from now on.
        self.outputs[egress as usize].n_grants += 1;
        let own = self.output_vl::<SMALL>(egress, vl);
        own.n_grants = own.n_grants.wrapping_add(1);
        self.take_head::<SMALL>(now, (ingress, input_vl), vl, egress)
    }

    /// Records a granted transfer.
    #[inline]
    pub fn grant<const SMALL: bool>(&mut self, transfer: Transfer) {
        let Transfer { ingress, egress, vl, end } = transfer;
        let (word, bit) = (egress as usize / 64, 1 << (egress % 64));
        self.n_grants += 1;
        let output = &mut self.outputs[egress as usize];
        (output.closed_until, output.last_grant, output.vl) = (end, self.n_grants, vl as u8);
        let own = self.output_vl::<SMALL>(egress, vl);
        let is_holder = own.turn.holder == ingress;
        own.turn.grant(ingress);
        own.has_skips |= !is_holder;
        if !is_holder {
            let word = self.ingress_word::<SMALL>(egress, vl) + ingress as usize / 64;
            self.skip_once[word] |= 1 << (ingress % 64);
        }
        let first = self.egress_word::<SMALL>(ingress);
        if is_holder && self.outputs_with_turn[first + word] & bit != 0 {
            let holds_more = !SMALL
                && (0..self.n_vls).any(|vl| self.output_vl::<false>(egress, vl).turn.holder == ingress);
            self.outputs_with_turn[first + word] ^= if holds_more { 0 } else { bit };
        }
        let input = &mut self.inputs[ingress as usize];
        input.n_grants = input.n_grants.wrapping_add(1);
        if !self.is_ideal {
            input.idle_at = end;
        }
        // Egresses where a head of this ingress blocked a smaller one of another may grant that now; where this ingress
        // holds the turn, it has been bypassed once more.
        let n_words = if SMALL { 1 } else { self.egresses.len() };
        let (wants, holds) =
            (&self.requests_by_input[first..][..n_words], &self.outputs_with_turn[first..][..n_words]);
        for ((bits, wants), holds) in self.egresses[..n_words].iter_mut().zip(wants).zip(holds) {
            bits.to_arbitrate |= wants & bits.head_lacks_credits | holds;
        }
    }

    /// Records how long a packet was the head of its queue whose transfer begins at `begin`.
    #[inline]
    pub fn note_wait<const SMALL: bool>(&mut self, index: u32, egress: u32, vl: usize, begin: u64) {
        let entry = self.queues.entry(index);
        let n_grants = self.output_vls[self.vl_number::<SMALL>(egress, vl)].n_grants;
        // Its own transfer is counted already.
        let passes = n_grants.wrapping_sub(entry.grants).wrapping_sub(1);
        let waits = &mut self.outputs[egress as usize].waits;
        waits.most_bypasses = waits.most_bypasses.max(passes);
        waits.longest = waits.longest.max(begin - entry.since);
    }

    /// Number of ingresses that compete for an egress: all ports, and the switch's own packets if there ever were any.
    pub fn n_competing(&self) -> usize {
        let own = self.inputs.len() - 1;
        let is_idle = self.inputs[own].n_grants == 0
            && (0..self.n_vls).all(|vl| self.queues.heads(own as u32, vl).next().is_none());
        if is_idle { own } else { own + 1 }
    }

    /// Counts a transfer from an ingress as bypassing the holders in VLs, a bit each, that were blocked since their
    /// ingresses are busy.
    #[cold]
    pub fn bypass_holders(&mut self, egress: u32, vls: u32, ingress: u32) {
        for vl in (0..self.n_vls).filter(|vl| vls >> vl & 1 == 1) {
            let turn = &mut self.output_vl::<false>(egress, vl).turn;
            // A transfer from the holder's own ingress is counted there.
            if turn.holder != ingress {
                turn.bypass();
            }
        }
    }

    /// Releases all turns of an egress.
    #[cold]
    pub fn forget_turns(&mut self, egress: u32) {
        (0..self.n_vls).for_each(|vl| self.output_vl::<false>(egress, vl).turn.holder = NONE);
    }
}

/// The first of the bits that are set, in turn after bit `last`.
#[inline]
fn first_after(last: u32, bits: u64) -> Option<u32> {
    let after = bits & (u64::MAX << 1 << (last & 63));
    (bits != 0).then(|| if after == 0 { bits } else { after }.trailing_zeros())
}
