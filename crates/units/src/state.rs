//! Writing state relative to an instant, so that two instants of a run can be compared.
//!
//! Exact reuse of repeated phases will rely on this: a node whose words are equal at two instants behaves the same from
//! both on. Future instants are written as durations from the base; past instants are written as zero, because a node
//! must not depend on how long ago they passed (a field that does is written as a duration).

use crate::{Random, Time};

/// Collects state as words, instants relative to a base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateWriter {
    base: Time,
    words: Vec<u64>,
}

impl StateWriter {
    /// A writer relative to `base`.
    pub fn new(base: Time) -> StateWriter {
        StateWriter { base, words: Vec::new() }
    }

    /// The instant that others are relative to.
    pub fn base(&self) -> Time {
        self.base
    }

    /// A number that does not depend on time.
    pub fn word(&mut self, word: u64) {
        self.words.push(word);
    }

    /// A future instant; a past one counts as now.
    pub fn instant(&mut self, instant: Time) {
        self.words.push(instant.since(self.base).0);
    }

    /// An instant in the past whose age matters.
    pub fn age(&mut self, instant: Time) {
        self.words.push(self.base.since(instant).0);
    }

    /// A random stream.
    pub fn random(&mut self, random: &Random) {
        self.words.extend(random.words());
    }

    /// The words written.
    pub fn into_words(self) -> Vec<u64> {
        self.words
    }
}

/// State that can be listed, compared and written out relative to an instant.
pub trait WriteState {
    /// Writes the state that future behaviour depends on.
    fn write_state(&self, out: &mut StateWriter);
}
