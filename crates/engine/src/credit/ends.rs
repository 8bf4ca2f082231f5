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
    /// The first instant of each line, `u64::MAX` for none.
    firsts: [u64; N_LINES],
    /// The last instant of each line, 0 for none.
    lasts: [u64; N_LINES],
    /// The next instant, `u64::MAX` for none.
    next: u64,
}

impl Default for Ends {
    fn default() -> Ends {
        let (firsts, lasts) = ([u64::MAX; N_LINES], [0; N_LINES]);
        Ends { lines: Default::default(), firsts, lasts, next: u64::MAX }
    }
}

impl Ends {
    /// Something will end at `at` at an egress.
    #[inline]
    pub fn push(&mut self, at: u64, egress: u32) {
        self.next = self.next.min(at);
        let Some(number) = self.lasts.iter().position(|&last| last <= at) else {
            return self.insert(at, egress);
        };
        self.lines[number].push_back((at, egress));
        self.lasts[number] = at;
        self.firsts[number] = self.firsts[number].min(at);
    }

    /// Something ends before what was the last of every line.
    #[inline(never)]
    fn insert(&mut self, at: u64, egress: u32) {
        let line = &mut self.lines[N_LINES - 1];
        let n_later = line.iter().rev().take_while(|entry| entry.0 > at).count();
        line.insert(line.len() - n_later, (at, egress));
        self.firsts[N_LINES - 1] = self.firsts[N_LINES - 1].min(at);
    }

    /// The next instant, `u64::MAX` for none.
    #[inline]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Takes an egress at which something ends at `now` or before.
    #[inline(always)]
    pub fn take(&mut self, now: u64) -> Option<u32> {
        if self.next > now { None } else { self.take_first() }
    }

    #[inline]
    fn take_first(&mut self) -> Option<u32> {
        let number = self.firsts.iter().position(|&first| first == self.next)?;
        let line = &mut self.lines[number];
        let egress = line.pop_front()?.1;
        self.firsts[number] = line.front().map_or(u64::MAX, |entry| entry.0);
        if line.is_empty() {
            self.lasts[number] = 0;
        }
        self.next = self.firsts.into_iter().fold(u64::MAX, u64::min);
        Some(egress)
    }

    /// All of them, in order of instants.
    pub fn sorted(&self) -> Vec<(u64, u32)> {
        let mut all: Vec<_> = self.lines.iter().flatten().copied().collect();
        all.sort_unstable();
        all
    }
}
