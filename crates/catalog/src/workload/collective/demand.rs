//! The data that a set of members of a collective lacks, whatever the algorithm: what must enter its links.
//!
//! Models: collectives by what each member has before and after.
//! Leaves out: what an algorithm sends beyond that; data that only some members need.
//!
//! Invariants: a set of one member lacks what bus bandwidth counts, except where [`Demand::Vector`] says otherwise.

/// See the module. S is the size of the vector per rank, n the number of ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// The blocks of S/n of the members outside, this many times: an all-gather and a reduce-scatter once, an all-reduce
    /// twice.
    Blocks(u64),
    /// For each of its members a block of S/n from each member outside: an all-to-all.
    Pairs,
    /// The vector: a broadcast, and a reduction by switches.
    Vector,
    /// It depends on who sends to whom.
    Unknown,
}
