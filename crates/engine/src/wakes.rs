//! Wake-up times: when each egress port of a switch, or each node of a partition, is next to be evaluated.
//!
//! Models: one instant per item in groups of eight, the first instants of groups in groups of eight above them, and so on
//! up to one group: a change costs a comparison of eight instants for each level, and the first of all is known.
//! Leaves out: the reason; an item evaluated too early does nothing.

/// Number of instants in a group.
const GROUP: usize = 8;

/// Instants in ps, `u64::MAX` for items that are not scheduled.
type Group = [u64; GROUP];

/// See the module.
#[derive(Debug)]
pub struct WakeTimes {
    /// The top group, then those below it level by level, and those of the items last.
    groups: Box<[Group]>,
    /// The first group of items.
    lowest: usize,
    /// The first instant of all.
    next: u64,
}

impl WakeTimes {
    /// Nothing is scheduled for any of a number of items.
    pub fn new(n_items: usize) -> WakeTimes {
        let (mut lowest, mut width) = (0, 1);
        while width * GROUP < n_items {
            lowest += width;
            width *= GROUP;
        }
        let n_groups = if n_items == 0 { 0 } else { lowest + n_items.div_ceil(GROUP) };
        WakeTimes { groups: vec![[u64::MAX; GROUP]; n_groups].into(), lowest, next: u64::MAX }
    }

    /// Schedules an item for an instant, unless it is scheduled earlier.
    #[inline]
    pub fn bring_forward(&mut self, number: u32, at: u64) {
        let (mut group, mut index) = self.position(number);
        loop {
            let instant = &mut self.groups[group][index];
            if *instant <= at {
                return;
            }
            *instant = at;
            if group == 0 {
                break;
            }
            (group, index) = above(group);
        }
        self.next = at.min(self.next);
    }

    /// Schedules an item for an instant, `u64::MAX` for none, whatever it was scheduled for.
    #[inline]
    pub fn set(&mut self, number: u32, at: u64) {
        let (mut group, mut index) = self.position(number);
        let mut first = at;
        loop {
            let instants = &mut self.groups[group];
            if instants[index] == first {
                return;
            }
            instants[index] = first;
            first = instants.iter().fold(u64::MAX, |first, &at| first.min(at));
            if group == 0 {
                break;
            }
            (group, index) = above(group);
        }
        self.next = first;
    }

    /// An item is evaluated now: it is no longer scheduled.
    #[inline]
    pub fn forget(&mut self, number: u32) {
        self.set(number, u64::MAX);
    }

    /// The next instant, `u64::MAX` for none.
    #[inline(always)]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// The first of the items that are scheduled for the next instant; there must be one.
    #[inline]
    pub fn first(&self) -> u32 {
        let mut group = 0;
        loop {
            let first = self.groups[group].iter().position(|&at| at == self.next);
            let index = first.expect("something is scheduled");
            if group >= self.lowest {
                return ((group - self.lowest) * GROUP + index) as u32;
            }
            group = group * GROUP + 1 + index;
        }
    }

    /// Takes the items that are due at `now` or before.
    #[inline]
    pub fn take_due(&mut self, now: u64, mut take: impl FnMut(u32)) {
        while self.next <= now {
            let number = self.first();
            self.forget(number);
            take(number);
        }
    }

    /// The group of an item, and its index there.
    #[inline(always)]
    fn position(&self, number: u32) -> (usize, usize) {
        (self.lowest + number as usize / GROUP, number as usize % GROUP)
    }
}

/// The group above another one, and the index of the other one's first instant there.
#[inline(always)]
fn above(group: usize) -> (usize, usize) {
    ((group - 1) / GROUP, (group - 1) % GROUP)
}

#[cfg(test)]
mod tests {
    use netloom_units::Random;

    use super::*;

    #[test]
    fn every_egress_is_due_at_its_instant_once() {
        for n_egresses in [1, 8, 21, 64, 65, 600] {
            check(n_egresses);
        }
    }

    fn check(n_egresses: usize) {
        let mut random = Random::stream(1, 2, 3);
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
                    wakes.set(egress, at);
                    *known = at;
                }
                _ => {
                    wakes.bring_forward(egress, at);
                    *known = at.min(*known);
                }
            }
            assert_eq!(wakes.next(), *plain.iter().min().unwrap());
            let first = plain.iter().position(|&at| at == wakes.next()).unwrap();
            assert!(wakes.next() == u64::MAX || wakes.first() == first as u32);
            let mut due = Vec::new();
            wakes.take_due(now, |egress| due.push(egress));
            due.sort_unstable();
            let expected: Vec<u32> =
                (0..n_egresses as u32).filter(|&egress| plain[egress as usize] <= now).collect();
            assert_eq!(due, expected);
            for egress in expected {
                plain[egress as usize] = u64::MAX;
            }
        }
    }
}
