//! Switches that never drop: input buffers, credits and a crossbar, as InfiniBand has them.

use netloom_units::{Bytes, Duration};

/// Credits on every link. See `docs/concepts/credits.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Credits {
    /// What the receiving end of a link can hold of each virtual lane.
    pub buffer: Bytes,
    /// The first virtual lane of each traffic class.
    pub vls: [u8; 8],
    /// Lanes that each class has, one for each lane step ([`crate::steps`]); one where no step is ever taken.
    pub n_steps: u8,
    /// Which packets of an input buffer may leave it.
    pub order: InputOrder,
    /// How many times faster than a link the crossbar is.
    pub speedup: u32,
    /// What waits at an egress for its wire, of each virtual lane.
    pub output_buffer: Bytes,
    /// When a packet may leave an input buffer.
    pub forwarding: Forwarding,
    /// From then until it stands there.
    pub latency: Duration,
    /// Whether ingresses are never busy: several packets leave an input buffer at once. A yardstick for fairness, which
    /// tests set and scenarios cannot.
    pub is_ideal: bool,
}

impl Credits {
    /// Bytes that one credit stands for (InfiniBand Architecture Specification, volume 1, flow control).
    pub const BLOCK: u64 = 64;
    /// Virtual lanes for data that a link can have.
    pub const MAX_VLS: u8 = 15;

    /// Credits that a packet takes.
    #[inline]
    pub const fn blocks(bytes: u32) -> u32 {
        bytes.div_ceil(Credits::BLOCK as u32)
    }

    /// Credits that the sender of a link has at first, of each virtual lane.
    pub fn initial(&self) -> u32 {
        u32::try_from(self.buffer.0 / Credits::BLOCK).unwrap_or(u32::MAX)
    }

    /// How many virtual lanes are in use or have a lower number than one that is.
    pub fn n_vls(&self) -> usize {
        self.vls.iter().map(|&vl| usize::from(vl) + usize::from(self.n_steps)).max().unwrap_or(1)
    }
}

/// Which packets of an input buffer may leave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputOrder {
    /// The one that came first, of each virtual lane.
    Fifo,
    /// The one that came first, of each virtual lane and egress (virtual output queues).
    Voq,
}

/// When a packet may leave an input buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forwarding {
    /// When its last bit has come.
    StoreAndForward,
    /// When so much of it has come, on links as fast as any that leaves the switch; else when its last bit has.
    CutThrough {
        /// What must have come.
        header: Bytes,
    },
}
