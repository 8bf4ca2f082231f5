//! Chunks: pieces of equal size that messages are cut into, so that a member sends on what it has while more arrives.
//!
//! Invariants: chunks are not empty; the last one of a message may be smaller; their number fits in 32 bits.

use netloom_units::{Kind, Parameter, Settings, Value};

/// The `chunk` parameter of collectives that otherwise send whole parts.
pub(super) const CHUNK: Parameter = Parameter {
    name: "chunk",
    kind: Kind::Optional(&Kind::Size),
    default: Some(Value::Absent),
    meaning: "size of the chunks that are sent on as soon as they have been received; `none`: the whole \
              part of a round",
};

/// The size of chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chunks {
    chunk: u64,
}

impl Chunks {
    /// Reads `chunk`; messages have at most `largest` bytes.
    pub(super) fn new(settings: &Settings, largest: u64) -> Result<Chunks, String> {
        let chunk = match settings.get("chunk") {
            Value::Size(chunk) => chunk.0,
            _ => largest.max(1),
        };
        if chunk == 0 {
            return Err(String::from("`chunk` must not be zero"));
        }
        if u32::try_from(largest.div_ceil(chunk)).is_err() {
            return Err(format!("`chunk` of {chunk} bytes cuts {largest} bytes into too many pieces"));
        }
        Ok(Chunks { chunk })
    }

    /// Number of chunks of a message.
    pub(super) fn count(self, bytes: u64) -> u64 {
        bytes.div_ceil(self.chunk)
    }

    /// Size of a chunk of a message; zero past its last one.
    pub(super) fn size(self, bytes: u64, number: u64) -> u64 {
        bytes.saturating_sub(number.saturating_mul(self.chunk)).min(self.chunk)
    }
}
