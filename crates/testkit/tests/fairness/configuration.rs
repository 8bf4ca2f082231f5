//! The network settings that vary while the flows stay: policy, forwarding, virtual lanes, speedup.

use std::fmt;

use crate::path::Merging;

/// One combination of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Configuration {
    /// Whether each packet chooses its path by load; otherwise there are forwarding tables.
    pub is_adaptive: bool,
    /// Whether switches use store-and-forward.
    pub stores: bool,
    /// Whether ACKs have a virtual lane of their own.
    pub lane_apart: bool,
    /// Speedup of the crossbar.
    pub speedup: u32,
}

impl Configuration {
    /// The defaults of a scenario with `credits: {}`, with forwarding tables.
    pub const DEFAULT: Configuration =
        Configuration { is_adaptive: false, stores: false, lane_apart: false, speedup: 2 };

    /// All of them.
    pub fn all() -> Vec<Configuration> {
        let both = [false, true];
        let mut all = Vec::new();
        for is_adaptive in both {
            for speedup in [2, 1] {
                for stores in both {
                    for lane_apart in both {
                        all.push(Configuration { is_adaptive, stores, lane_apart, speedup });
                    }
                }
            }
        }
        all
    }

    /// The sections of a scenario with these settings; defaults are not written.
    pub fn sections(self) -> String {
        let policy = if self.is_adaptive { "adaptive" } else { "deterministic" };
        let mut settings = Vec::new();
        if self.speedup != Configuration::DEFAULT.speedup {
            settings.push(format!("speedup: {}", self.speedup));
        }
        if self.stores {
            settings.push("forwarding: store_and_forward".to_owned());
        }
        if self.lane_apart {
            settings.push("control_vl: 1".to_owned());
        }
        format!(
            "balance: {{host: {policy}, switch: {policy}}}\ntransport: ideal\nqueues: {{credits: {{{}}}}}\n",
            settings.join(", ")
        )
    }

    /// How links count for max-min shares.
    pub fn merging(self) -> Merging {
        if self.is_adaptive { Merging::Trunks } else { Merging::Single }
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let policy = if self.is_adaptive { "adaptive" } else { "deterministic" };
        let forwarding = if self.stores { "store and forward" } else { "cut-through" };
        let lanes = if self.lane_apart { "apart" } else { "shared" };
        write!(out, "{policy}, speedup {}, {forwarding}, {lanes}", self.speedup)
    }
}
