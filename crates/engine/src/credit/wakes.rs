//! When each egress of a switch is to be asked next.
//!
//! Models: one instant for each egress, and the first of every eight beside them, so that the next one of all is found without
//! a sorted list.
//! Leaves out: why; an egress that is asked too early does nothing.

/// Egresses whose first instant is kept.
const GROUP: usize = 8;

/// See the module.
#[derive(Debug)]
pub struct Wakes {
    /// Instants in ps, `u64::MAX` for none.
    at: Box<[[u64; GROUP]]>,
    /// The first of each group.
    first: Box<[u64]>,
}

impl Wakes {
    /// Nothing is to happen at so many egresses.
    pub fn new(n_egresses: usize) -> Wakes {
        let n_groups = n_egresses.div_ceil(GROUP);
        Wakes { at: vec![[u64::MAX; GROUP]; n_groups].into(), first: vec![u64::MAX; n_groups].into() }
    }

    /// An egress is to be asked at an instant, `u64::MAX` for never, and no sooner.
    #[inline]
    pub fn set(&mut self, egress: u32, at: u64) {
        let (group, place) = (egress as usize / GROUP, egress as usize % GROUP);
        let instants = &mut self.at[group];
        let before = std::mem::replace(&mut instants[place], at);
        let first = &mut self.first[group];
        if at <= *first {
            *first = at;
        } else if before == *first {
            *first = least(instants);
        }
    }

    /// An egress is to be asked at an instant or sooner.
    #[inline]
    pub fn bring_forward(&mut self, egress: u32, at: u64) {
        let (group, place) = (egress as usize / GROUP, egress as usize % GROUP);
        let instant = &mut self.at[group][place];
        *instant = at.min(*instant);
        self.first[group] = at.min(self.first[group]);
    }

    /// The next instant, `u64::MAX` for none.
    #[inline]
    pub fn next(&self) -> u64 {
        self.first.iter().fold(u64::MAX, |next, &first| next.min(first))
    }

    /// Takes the egresses that are to be asked at `now` or before, a bit for each of up to eight with the number of the first.
    #[inline]
    pub fn take_due(&mut self, now: u64, mut take: impl FnMut(u32, u64)) {
        for (number, (first, instants)) in self.first.iter_mut().zip(&mut self.at).enumerate() {
            if *first > now {
                continue;
            }
            let mut due = 0;
            for (place, instant) in instants.iter_mut().enumerate() {
                let is_due = *instant <= now;
                due |= u64::from(is_due) << place;
                *instant = if is_due { u64::MAX } else { *instant };
            }
            *first = least(instants);
            take((number * GROUP) as u32, due);
        }
    }
}

#[inline]
fn least(instants: &[u64; GROUP]) -> u64 {
    instants.iter().fold(u64::MAX, |least, &at| least.min(at))
}

#[cfg(test)]
mod tests {
    use netloom_units::Random;

    use super::*;

    #[test]
    fn every_egress_is_due_at_its_instant_once() {
        let mut random = Random::stream(1, 2, 3);
        let n_egresses = 21;
        let (mut wakes, mut plain) = (Wakes::new(n_egresses), vec![u64::MAX; n_egresses]);
        for now in 0..2_000 {
            let (egress, at) = (random.below(n_egresses as u32), now + u64::from(random.below(50)));
            let known = &mut plain[egress as usize];
            match random.below(3) {
                0 => {
                    wakes.set(egress, u64::MAX);
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
            let mut due = Vec::new();
            wakes.take_due(now, |first, bits| {
                due.extend((0..8).filter(|bit| bits >> bit & 1 == 1).map(|bit| first + bit))
            });
            let expected: Vec<u32> =
                (0..n_egresses as u32).filter(|&egress| plain[egress as usize] <= now).collect();
            assert_eq!(due, expected);
            expected.iter().for_each(|&egress| plain[egress as usize] = u64::MAX);
        }
    }
}
