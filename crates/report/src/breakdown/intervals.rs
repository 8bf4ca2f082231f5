//! Sets of instants as intervals: unions, differences and lengths.
//!
//! Models: half-open intervals in ps.
//! Leaves out: empty intervals, which have no length.
//!
//! Invariants: the intervals of a set are in order, disjoint, and do not touch.

/// A set of instants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Intervals(Vec<(u64, u64)>);

impl Intervals {
    /// The union of these intervals, which may overlap, in any order.
    pub fn union(parts: impl IntoIterator<Item = (u64, u64)>) -> Intervals {
        let mut parts: Vec<(u64, u64)> = parts.into_iter().filter(|(start, end)| start < end).collect();
        parts.sort_unstable();
        let mut merged: Vec<(u64, u64)> = Vec::new();
        for (start, end) in parts {
            match merged.last_mut().filter(|last| start <= last.1) {
                Some(last) => last.1 = last.1.max(end),
                None => merged.push((start, end)),
            }
        }
        Intervals(merged)
    }

    /// What is in this set or in the other.
    pub fn with(&self, other: &Intervals) -> Intervals {
        Intervals::union(self.0.iter().chain(&other.0).copied())
    }

    /// Its length.
    pub fn length(&self) -> u64 {
        self.0.iter().map(|(start, end)| end - start).sum()
    }

    /// The length of what is in this set and not in the other.
    pub fn length_without(&self, other: &Intervals) -> u64 {
        self.with(other).length() - other.length()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_and_touching_intervals_are_counted_once() {
        let set = Intervals::union([(5, 9), (0, 3), (8, 12), (3, 4), (7, 7)]);
        assert_eq!(set, Intervals(vec![(0, 4), (5, 12)]));
        assert_eq!(set.length(), 11);
        assert_eq!(set.length_without(&Intervals::union([(2, 6), (11, 20)])), 2 + 5);
        assert_eq!(Intervals::default().length_without(&set), 0);
    }

    /// Numbers below a limit, of a linear congruential generator.
    fn numbers(mut state: u64) -> impl FnMut(u64) -> u64 {
        move |limit| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % limit
        }
    }

    #[test]
    fn lengths_are_those_of_a_count_of_instants() {
        let mut below = numbers(7);
        for _ in 0..500 {
            let mut parts = || -> Vec<(u64, u64)> {
                let n_parts = below(8);
                let mut part = |_| {
                    let start = below(100);
                    (start, start + below(30))
                };
                (0..n_parts).map(&mut part).collect()
            };
            let (one, other) = (parts(), parts());
            let has =
                |parts: &[(u64, u64)], at: u64| parts.iter().any(|(start, end)| (*start..*end).contains(&at));
            let count = |is_in: &dyn Fn(u64) -> bool| (0..200).filter(|at| is_in(*at)).count() as u64;
            let [set, cover] = [&one, &other].map(|parts| Intervals::union(parts.iter().copied()));
            assert_eq!(set.length(), count(&|at| has(&one, at)));
            assert_eq!(set.with(&cover).length(), count(&|at| has(&one, at) || has(&other, at)));
            assert_eq!(set.length_without(&cover), count(&|at| has(&one, at) && !has(&other, at)));
        }
    }
}
