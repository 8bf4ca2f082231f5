//! Deficit round robin among weighted classes (Shreedhar and Varghese, SIGCOMM 1995).
//!
//! Models: backlogged classes form the active list; the first one's deficit grows by its quantum when its turn comes,
//! it sends while its deficit covers its next packet, and then moves to the end of the list.
//! Leaves out: strict classes, which the caller has already passed over, and the packets waiting in a class.
//!
//! Invariants: the position and deficit of a class depend only on the backlog at starts of weighted packets, so they do
//! not depend on when they are read; a class without backlog has no deficit.

use netloom_model::{DataClasses, Schedule};
use netloom_units::Bytes;

/// See the module.
#[derive(Debug)]
pub struct DeficitRoundRobin {
    /// Quantum of each class, in bytes; 0 for classes without weight.
    quanta: [u64; 8],
    deficits: [u64; 8],
    /// The active list: backlogged classes, in order.
    active: [u8; 8],
    n_in_line: usize,
    /// The same as a bit mask.
    members: u8,
    /// Whether the turn of the first class has begun.
    has_begun: bool,
}

impl DeficitRoundRobin {
    /// With an empty active list; the quantum of weight 1 is the largest packet.
    pub fn new(classes: &DataClasses, packet: Bytes) -> DeficitRoundRobin {
        let mut quanta = [0; 8];
        for (number, class) in classes.iter() {
            if let Schedule::Weighted { weight } = class.schedule {
                quanta[usize::from(number)] = packet.0 * u64::from(weight);
            }
        }
        DeficitRoundRobin {
            quanta,
            deficits: [0; 8],
            active: [0; 8],
            n_in_line: 0,
            members: 0,
            has_begun: false,
        }
    }

    /// The weighted classes, as a bit mask.
    pub fn weighted(&self) -> u8 {
        (0..8).filter(|&class| self.quanta[class] > 0).fold(0, |bits, class| bits | 1 << class)
    }

    /// The class that sends next, out of a non-empty bit mask of backlogged ones; `first` returns the size of a class's
    /// first packet.
    pub fn next(&mut self, backlogged: u8, mut first: impl FnMut(u8) -> u64) -> u8 {
        self.line_up(backlogged);
        loop {
            let class = self.active[0];
            let deficit = &mut self.deficits[usize::from(class)];
            if !self.has_begun {
                *deficit += self.quanta[usize::from(class)];
                self.has_begun = true;
            }
            if first(class) <= *deficit {
                return class;
            }
            self.active[..self.n_in_line].rotate_left(1);
            self.has_begun = false;
        }
    }

    /// The packet has started; `is_last` if its class has no other packet.
    pub fn sent(&mut self, class: u8, bytes: u32, is_last: bool) {
        self.deficits[usize::from(class)] -= u64::from(bytes);
        if is_last {
            self.leave(class);
        }
    }

    /// Classes backlogged since the last packet join the end of the list, the higher class first (modelling
    /// assumption); classes without backlog leave the list.
    fn line_up(&mut self, backlogged: u8) {
        for class in classes_high_first(self.members & !backlogged) {
            self.leave(class);
        }
        for class in classes_high_first(backlogged & !self.members) {
            self.active[self.n_in_line] = class;
            self.n_in_line += 1;
        }
        self.members = backlogged;
    }

    fn leave(&mut self, class: u8) {
        let index = self.active[..self.n_in_line].iter().position(|&other| other == class);
        let index = index.expect("every member is in line");
        self.has_begun &= index != 0;
        self.active[index..self.n_in_line].rotate_left(1);
        self.n_in_line -= 1;
        self.members &= !(1 << class);
        self.deficits[usize::from(class)] = 0;
    }

    /// Writes the state that later behaviour depends on.
    pub fn write_state(&self, out: &mut netloom_units::StateWriter) {
        out.word(u64::from(u8::from(self.has_begun)) | u64::from(self.members) << 8);
        for &class in &self.active[..self.n_in_line] {
            out.word(u64::from(class) | self.deficits[usize::from(class)] << 8);
        }
    }
}

/// Classes of a bit mask, the highest first.
pub fn classes_high_first(mut classes: u8) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let class = classes.checked_ilog2()? as u8;
        classes &= !(1 << class);
        Some(class)
    })
}

#[cfg(test)]
mod tests {
    use netloom_model::DataClass;

    use super::*;

    fn turns(weights: &[(u8, u32)]) -> DeficitRoundRobin {
        let mut classes = DataClasses::default();
        for &(number, weight) in weights {
            let schedule = Schedule::Weighted { weight };
            classes.by_number[usize::from(number)] =
                Some(DataClass { schedule, marking: None, alpha: 1024, pause: false });
        }
        DeficitRoundRobin::new(&classes, Bytes(1000))
    }

    /// The order of service of classes that always have packets of these sizes.
    fn order(turns: &mut DeficitRoundRobin, sizes: [u32; 8], backlogged: u8, n_packets: usize) -> Vec<u8> {
        let mut one = || {
            let class = turns.next(backlogged, |class| u64::from(sizes[usize::from(class)]));
            turns.sent(class, sizes[usize::from(class)], false);
            class
        };
        (0..n_packets).map(|_| one()).collect()
    }

    #[test]
    fn a_turn_is_worth_its_quantum_plus_the_remaining_deficit() {
        let mut turns = turns(&[(3, 1), (1, 2)]);
        assert_eq!(turns.weighted(), 0b1010);
        let sizes = [0, 700, 0, 600, 0, 0, 0, 0];
        // Class 3: 1000 - 600 leaves 400; then 1400 covers two packets, 200 left; then 1200 covers two.
        // Class 1: 2000 covers two of 700, 600 left; then 2600 covers three, 500 left; then 2500, three.
        assert_eq!(order(&mut turns, sizes, 0b1010, 13), [3, 1, 1, 3, 3, 1, 1, 1, 3, 3, 1, 1, 1]);
    }

    #[test]
    fn an_empty_class_loses_its_deficit_and_returns_last() {
        let mut turns = turns(&[(3, 1), (2, 1), (1, 1)]);
        let sizes = [0, 400, 400, 400, 0, 0, 0, 0];
        assert_eq!(order(&mut turns, sizes, 0b1110, 3), [3, 3, 2]);
        // Class 2 became empty during its turn, with a deficit of 600.
        assert_eq!(order(&mut turns, sizes, 0b1010, 2), [1, 1]);
        assert_eq!(order(&mut turns, sizes, 0b1110, 7), [3, 3, 3, 2, 2, 1, 1]);
        turns.sent(2, 0, true);
        assert_eq!((turns.deficits[2], turns.members), (0, 0b1010));
    }
}
