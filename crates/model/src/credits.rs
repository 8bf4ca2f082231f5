//! Lossless switches: input buffers, credits and a crossbar, as in InfiniBand.

use netloom_units::{Bytes, Duration};

/// Credits on every link. See `docs/concepts/credits.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Credits {
    /// Buffer space of each virtual lane at the receiving end of a link.
    pub buffer: Bytes,
    /// The first virtual lane of each traffic class.
    pub vls: [u8; 8],
    /// Number of virtual lanes of each class, one for each VL step ([`crate::steps`]); one if no step is ever taken.
    pub n_steps: u8,
    /// Which packets of an input buffer may leave it.
    pub order: InputOrder,
    /// Rate of the crossbar over that of a link.
    pub speedup: u32,
    /// Bytes that may wait at an egress port for the wire, of each virtual lane.
    pub output_buffer: Bytes,
    /// When a packet may leave an input buffer.
    pub forwarding: Forwarding,
    /// Latency of the switch: from that instant until the packet is available in the input buffer.
    pub latency: Duration,
    /// Whether ingress ports are never busy: several packets leave an input buffer at once. A reference for fairness,
    /// which tests set and scenarios cannot.
    pub is_ideal: bool,
}

impl Credits {
    /// Bytes that one credit stands for (InfiniBand Architecture Specification, volume 1, flow control).
    pub const BLOCK: u64 = 64;
    /// Largest number of virtual lanes for data on a link.
    pub const MAX_VLS: u8 = 15;

    /// Number of credits that a packet takes.
    #[inline]
    pub const fn blocks(bytes: u32) -> u32 {
        bytes.div_ceil(Credits::BLOCK as u32)
    }

    /// Number of credits that the sender of a link has initially, of each virtual lane.
    pub fn initial(&self) -> u32 {
        u32::try_from(self.buffer.0 / Credits::BLOCK).unwrap_or(u32::MAX)
    }

    /// Number of virtual lanes up to the highest one in use.
    pub fn n_vls(&self) -> usize {
        self.vls.iter().map(|&vl| usize::from(vl) + usize::from(self.n_steps)).max().unwrap_or(1)
    }
}

/// Which packets of an input buffer may leave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputOrder {
    /// The oldest one of each virtual lane.
    Fifo,
    /// The oldest one of each virtual lane and egress port (virtual output queues).
    Voq,
}

/// When a packet may leave an input buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forwarding {
    /// When its last bit has arrived.
    StoreAndForward,
    /// When its header has arrived, on links at least as fast as any that leaves the switch; else when its last bit
    /// has.
    CutThrough {
        /// The bytes that must have arrived.
        header: Bytes,
    },
}
