//! Instants at which something ends at an egress, in order.
//!
//! Models: a few lines, each in order of instants: an entry goes to the end of the first line where it is the last, so that
//! short, long and granted-ahead transfers keep to lines of their own; where there is none it finds its place in a line.

use std::collections::VecDeque;

/// Enough for small and large packets, at once and ahead of time.
const N_LINES: usize = 4;

/// See the module.
#[derive(Debug)]
pub struct Ends {
    lines: [VecDeque<(u64, u32)>; N_LINES],
    /// The next instant, `u64::MAX` for none.
    next: u64,
}

impl Default for Ends {
    fn default() -> Ends {
        Ends { lines: Default::default(), next: u64::MAX }
    }
}

impl Ends {
    /// Something will end at `at` at an egress.
    #[inline]
    pub fn push(&mut self, at: u64, egress: u32) {
        self.next = self.next.min(at);
        for line in &mut self.lines {
            if line.back().is_none_or(|last| last.0 <= at) {
                return line.push_back((at, egress));
            }
        }
        insert(&mut self.lines[N_LINES - 1], at, egress);
    }

    /// The next instant, `u64::MAX` for none.
    #[inline]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Takes an egress at which something ends at `now` or before.
    #[inline]
    pub fn take(&mut self, now: u64) -> Option<u32> {
        if self.next > now {
            return None;
        }
        let line = self.lines.iter_mut().find(|line| first(line) == self.next)?;
        let egress = line.pop_front().map(|entry| entry.1);
        self.next = self.lines.iter().map(first).fold(u64::MAX, u64::min);
        egress
    }

    /// All of them, in order of instants.
    pub fn sorted(&self) -> Vec<(u64, u32)> {
        let mut all: Vec<_> = self.lines.iter().flatten().copied().collect();
        all.sort_unstable();
        all
    }
}

#[inline]
fn first(line: &VecDeque<(u64, u32)>) -> u64 {
    line.front().map_or(u64::MAX, |entry| entry.0)
}

/// Something ends before what was the last of its line.
#[inline(never)]
fn insert(line: &mut VecDeque<(u64, u32)>, at: u64, egress: u32) {
    let n_later = line.iter().rev().take_while(|entry| entry.0 > at).count();
    line.insert(line.len() - n_later, (at, egress));
}
