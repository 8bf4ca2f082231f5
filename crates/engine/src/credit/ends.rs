//! Instants at which something ends at an egress, in order.
//!
//! Models: two lines, one for what ends soon and one for what takes long: what begins later in the same line mostly ends
//! later, so an entry finds its place at the back.

use std::collections::VecDeque;

/// See the module.
#[derive(Debug)]
pub struct Ends {
    lines: [VecDeque<(u64, u32)>; 2],
    /// The next instant, `u64::MAX` for none.
    next: u64,
}

impl Default for Ends {
    fn default() -> Ends {
        Ends { lines: [VecDeque::new(), VecDeque::new()], next: u64::MAX }
    }
}

impl Ends {
    /// Something will end at `at` at an egress.
    #[inline]
    pub fn push(&mut self, at: u64, egress: u32, is_long: bool) {
        self.next = self.next.min(at);
        let [short, long] = &mut self.lines;
        let line = if is_long { long } else { short };
        match line.back() {
            Some(last) if last.0 > at => insert(line, at, egress),
            _ => line.push_back((at, egress)),
        }
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
        let [short, long] = &mut self.lines;
        let line = if first(short) == self.next { short } else { long };
        let egress = line.pop_front().map(|entry| entry.1);
        self.next = first(&self.lines[0]).min(first(&self.lines[1]));
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
