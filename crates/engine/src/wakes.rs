//! Wake-up times: when each egress port of a switch, or each node of a partition, is next to be evaluated.
//!
//! Models: one instant per item, and the first of every eight beside them, so that the first of all is found without a
//! sorted list.
//! Leaves out: the reason; an item evaluated too early does nothing.

use crate::bits::bits;

/// Number of items whose first instant is kept.
const GROUP: usize = 8;

/// See the module.
#[derive(Debug)]
pub struct WakeTimes {
    groups: Box<[Group]>,
    /// The first instant of each group, `u64::MAX` for none.
    first: Box<[u64]>,
}

#[derive(Debug, Clone, Copy)]
struct Group {
    /// Instants in ps; undefined for items that are not scheduled.
    at: [u64; GROUP],
    /// Items that are scheduled, one bit each.
    filled: u8,
}

impl WakeTimes {
    /// Nothing is scheduled for any of a number of items.
    pub fn new(n_things: usize) -> WakeTimes {
        let n_groups = n_things.div_ceil(GROUP);
        let group = Group { at: [0; GROUP], filled: 0 };
        WakeTimes { groups: vec![group; n_groups].into(), first: vec![u64::MAX; n_groups].into() }
    }

    /// Schedules an item for an instant, unless it is scheduled earlier.
    #[inline]
    pub fn bring_forward(&mut self, number: u32, at: u64) {
        let (number, place) = (number as usize / GROUP, number as usize % GROUP);
        let group = &mut self.groups[number];
        let is_filled = group.filled >> place & 1 == 1;
        group.filled |= 1 << place;
        let instant = &mut group.at[place];
        *instant = if is_filled { at.min(*instant) } else { at };
        self.first[number] = at.min(self.first[number]);
    }

    /// An item is evaluated now: it is no longer scheduled.
    #[inline]
    pub fn forget(&mut self, number: u32) {
        let (number, place) = (number as usize / GROUP, number as usize % GROUP);
        let group = &mut self.groups[number];
        if group.filled >> place & 1 == 1 {
            group.filled &= !(1 << place);
            if group.at[place] == self.first[number] {
                self.first[number] = group.first();
            }
        }
    }

    /// The next instant, `u64::MAX` for none.
    #[inline]
    pub fn next(&self) -> u64 {
        self.first.iter().fold(u64::MAX, |next, &first| next.min(first))
    }

    /// Takes the items due at `now` or before, as bit masks of up to eight items, each with the number of its first
    /// item.
    #[inline]
    pub fn take_due(&mut self, now: u64, mut take: impl FnMut(u32, u64)) {
        for (number, (first, group)) in self.first.iter_mut().zip(&mut self.groups).enumerate() {
            if *first <= now {
                let due = group.take_due(now);
                *first = group.first();
                take((number * GROUP) as u32, due.into());
            }
        }
    }
}

impl Group {
    #[inline]
    fn first(&self) -> u64 {
        bits(self.filled.into()).fold(u64::MAX, |first, place| first.min(self.at[place as usize % GROUP]))
    }

    #[inline]
    fn take_due(&mut self, now: u64) -> u8 {
        let is_due = |&place: &u32| self.at[place as usize % GROUP] <= now;
        let due = bits(self.filled.into()).filter(is_due).fold(0, |due, place| due | 1 << place);
        self.filled &= !due;
        due
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::Random;

    use super::*;

    #[test]
    fn every_egress_is_due_at_its_instant_once() {
        let mut random = Random::stream(1, 2, 3);
        let n_egresses = 21;
        let (mut wakes, mut plain) = (WakeTimes::new(n_egresses), vec![u64::MAX; n_egresses]);
        for now in 0..2_000 {
            let (egress, at) = (random.below(n_egresses as u32), now + u64::from(random.below(50)));
            let known = &mut plain[egress as usize];
            match random.below(3) {
                0 => {
                    wakes.forget(egress);
                    *known = u64::MAX;
                }
                1 => {
                    wakes.forget(egress);
                    wakes.bring_forward(egress, at);
                    *known = at;
                }
                _ => {
                    wakes.bring_forward(egress, at);
                    *known = at.min(*known);
                }
            }
            assert_eq!(wakes.next(), *plain.iter().min().unwrap());
            let mut due = Vec::new();
            wakes.take_due(now, |first, due_bits| due.extend(bits(due_bits).map(|bit| first + bit)));
            let expected: Vec<u32> =
                (0..n_egresses as u32).filter(|&egress| plain[egress as usize] <= now).collect();
            assert_eq!(due, expected);
            for egress in expected {
                plain[egress as usize] = u64::MAX;
            }
        }
    }
}
