//! # Idea
//! The root cuts S bytes into chunks; every member forwards each chunk to the next one as soon as it has it.
//!
//! # Source
//! The pipelined chain (one pass round the ring) of NCCL and MPI libraries.
//!
//! # Parameters
//! `root`: the member that has the data. `chunk`: size of a piece; the last one may be smaller.
//!
//! # Invariants
//! Every member but the last sends S bytes once; ideal time (S / c + n - 2)(a + c / B) for steps of latency a.
//!
//! # When it misleads
//! One slow link on the chain slows all members behind it. With `dependent: false` members forward data they do not have.

use netloom_units::{Bytes, Kind, Parameter, Settings, Spec, Value};

use super::chunks::Chunks;
use super::{Algorithm, Demand, Factor, Frame, Step, at_once};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "broadcast_chain",
    summary: "pipelined broadcast in chunks along a chain",
    source: "pipelined chain of NCCL and MPI libraries",
    parameters: &[
        ROOT,
        Parameter {
            name: "chunk",
            kind: Kind::Size,
            default: Some(Value::Size(Bytes(512 * 1024))),
            meaning: "size of the chunks that are forwarded",
        },
    ],
};

/// The `root` parameter, shared by all broadcasts.
pub(super) const ROOT: Parameter = Parameter {
    name: "root",
    kind: Kind::Count { minimum: 0, maximum: u32::MAX as u64 },
    default: Some(Value::Count(0)),
    meaning: "position, in the order of ranks, of the rank that has the data",
};

/// Reads `root`.
pub(super) fn root(frame: Frame, settings: &Settings) -> Result<u32, String> {
    let root = settings.count("root");
    if root < u64::from(frame.n_ranks) {
        return Ok(root as u32);
    }
    Err(format!("`root` is {root}, but the last of {} positions is {}", frame.n_ranks, frame.n_ranks - 1))
}

/// The plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroadcastChain {
    frame: Frame,
    root: u32,
    chunks: Chunks,
    n_chunks: u32,
}

impl BroadcastChain {
    fn chunk_size(&self, number: u64) -> u64 {
        self.chunks.size(self.frame.size, number)
    }
}

impl Algorithm for BroadcastChain {
    fn new(frame: Frame, settings: &Settings) -> Result<Self, String> {
        let chunks = Chunks::new(settings, frame.size)?;
        let n_chunks = chunks.count(frame.size) as u32;
        Ok(BroadcastChain { frame, root: root(frame, settings)?, chunks, n_chunks })
    }

    fn operation(&self, position: u32, index: u64) -> Option<Step> {
        let link = self.frame.before(position, self.root);
        let (is_first, is_last) = (link == 0, link == self.frame.n_ranks - 1);
        let next = self.frame.after(position, 1);
        let n_chunks = u64::from(self.n_chunks);
        if is_first || !self.frame.dependent {
            let n_sends = if is_last { 0 } else { n_chunks };
            let n_messages = if is_first { 0 } else { self.n_chunks };
            // In the dependent form every chunk has its own tag, in the independent one all have the first.
            let sent = at_once(index, n_sends, n_messages, |number| (next, self.chunk_size(number)));
            return match sent {
                Some(Step::Send { to, bytes, .. }) if self.frame.dependent => {
                    Some(Step::Send { to, tag: index, bytes })
                }
                other => other,
            };
        }
        let number = index / 2;
        if number >= n_chunks {
            return None;
        }
        Some(match index % 2 {
            0 => Step::receive(number, 1),
            _ if is_last => Step::Nothing,
            _ => Step::send(next, number, self.chunk_size(number)),
        })
    }

    fn n_tags(&self) -> u64 {
        u64::from(self.n_chunks)
    }

    fn bus_factor(&self) -> Factor {
        Factor::ONE
    }

    fn demand(&self) -> Demand {
        Demand::Vector
    }

    fn total_bytes(&self) -> u128 {
        u128::from(self.frame.n_ranks - 1) * u128::from(self.frame.size)
    }

    fn sends_first(&self) -> bool {
        !self.frame.dependent
    }
}
