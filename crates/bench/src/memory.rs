//! Memory of hosts, ports and queue pairs, and its check against the budget.
//!
//! Models: the difference between the peak heaps of two runs that differ in one number, per additional host, port or
//! queue
//! pair; including traffic, model and engine.
//! Leaves out: records (a run writes them to its folder while it goes on), the program itself, stacks.
//!
//! Invariants: one thread, so that the peak is reproducible to the byte.

use netloom_units::Bytes;

use crate::dhat;
use crate::workload::{Case, REFERENCE, Style};

/// A limit on the bytes of one additional item.
#[derive(Debug, Clone, Copy)]
pub struct MemoryBudget {
    network: Network,
    of: Of,
    limit: f64,
}

/// How messages travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Network {
    Window,
    Roce,
    InfiniBand,
}

/// The kind of item of which the larger of two runs has more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Of {
    /// A host without traffic, with its link and the leaf's port.
    Host,
    /// A port between leaf and spine, with its share of the spine.
    Port,
    /// A message in flight: state of its sender and its receiver, and its packets in the fabric.
    Message,
}

/// The base of every pair of runs: 256 hosts, 512 ports between leaves and spines, 1,792 messages of eight packets.
const BASE: Case = Case { group: 8, groups: 32, message: Bytes(8 * 4096), ..REFERENCE };

/// All memory budgets: the measured value plus 1 %.
pub const MEMORY_BUDGETS: &[MemoryBudget] = &[
    MemoryBudget { network: Network::Window, of: Of::Host, limit: 514.0 },
    MemoryBudget { network: Network::Window, of: Of::Port, limit: 3_453.0 },
    MemoryBudget { network: Network::Window, of: Of::Message, limit: 717.0 },
    MemoryBudget { network: Network::Roce, of: Of::Host, limit: 1_458.0 },
    MemoryBudget { network: Network::Roce, of: Of::Port, limit: 3_561.0 },
    MemoryBudget { network: Network::Roce, of: Of::Message, limit: 1_716.0 },
    MemoryBudget { network: Network::InfiniBand, of: Of::Host, limit: 6_858.0 },
    MemoryBudget { network: Network::InfiniBand, of: Of::Port, limit: 5_166.0 },
    MemoryBudget { network: Network::InfiniBand, of: Of::Message, limit: 1_735.0 },
];

impl Network {
    const ALL: [Network; 3] = [Network::Window, Network::Roce, Network::InfiniBand];

    fn name(self) -> &'static str {
        match self {
            Network::Window => "window",
            Network::Roce => "roce",
            Network::InfiniBand => "infiniband",
        }
    }

    /// The base with this network.
    fn base(self) -> Case {
        match self {
            Network::Window => BASE,
            Network::Roce => Case { control: 1, balance: "psn_spray", style: Style::Roce, ..BASE },
            Network::InfiniBand => {
                Case { control: 1, balance: "round_robin", style: Style::InfiniBand, ..BASE }
            }
        }
    }
}

impl Of {
    const ALL: [Of; 3] = [Of::Host, Of::Port, Of::Message];

    fn name(self) -> &'static str {
        match self {
            Of::Host => "hosts",
            Of::Port => "ports",
            Of::Message => "messages",
        }
    }

    /// A run that has more of this item than the base, and is otherwise equal.
    fn more(self, base: Case) -> Case {
        match self {
            Of::Host => Case { hosts_per_leaf: 2 * base.hosts_per_leaf, ..base },
            Of::Port => Case { spines: 2 * base.spines, ..base },
            Of::Message => Case { group: 2 * base.group, groups: base.groups / 2, ..base },
        }
    }

    /// The number of these items.
    fn count(self, case: &Case) -> u32 {
        match self {
            Of::Host => case.leaves * case.hosts_per_leaf,
            Of::Port => 2 * case.leaves * case.spines,
            Of::Message => case.groups * case.group * (case.group - 1),
        }
    }

    fn what(self, network: Network) -> &'static str {
        match (self, network) {
            (Of::Host, _) => "per host without traffic, with its link",
            (Of::Port, _) => "per port between leaf and spine, with its share of the spine",
            (Of::Message, Network::Window) => "per message of 8 packets in flight, both ends",
            (Of::Message, _) => "per queue pair with 8 packets in flight, both ends",
        }
    }
}

/// A run by its name: a network such as `window`, or one with more items such as `window/hosts`.
pub fn named(name: &str) -> Option<Case> {
    let (network, more) = name.split_once('/').map_or((name, None), |(network, more)| (network, Some(more)));
    let base = Network::ALL.into_iter().find(|known| known.name() == network)?.base();
    match more {
        None => Some(base),
        Some(more) => Some(Of::ALL.into_iter().find(|known| known.name() == more)?.more(base)),
    }
}

impl MemoryBudget {
    /// Its name in the budget.
    pub fn name(&self) -> String {
        format!("{}/{}", self.network.name(), self.of.name())
    }

    /// Its description.
    pub fn what(&self) -> &'static str {
        self.of.what(self.network)
    }

    /// Its limit, in bytes per item.
    pub fn limit(&self) -> f64 {
        self.limit
    }

    /// Bytes per additional item.
    ///
    /// # Errors
    /// If bytes cannot be counted on this machine.
    pub fn measure(&self) -> Result<f64, String> {
        let base = self.network.base();
        let n_more = self.of.count(&self.of.more(base)) - self.of.count(&base);
        let fewer = dhat::peak_bytes(&["memory", self.network.name()])?;
        let more = dhat::peak_bytes(&["memory", &self.name()])?;
        Ok((more as f64 - fewer as f64) / f64::from(n_more))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_run_has_more_of_one_thing_and_the_same_of_the_others() {
        for base in Network::ALL.map(Network::base) {
            for of in Of::ALL {
                let more = of.more(base);
                for other in Of::ALL {
                    let (count, before) = (other.count(&more), other.count(&base));
                    assert_eq!(count > before, other == of, "{of:?} {other:?}: {before} and {count}");
                    assert!(count >= before, "{of:?} {other:?}: {before} and {count}");
                }
            }
        }
    }

    #[test]
    fn every_budget_has_its_runs() {
        for budget in MEMORY_BUDGETS {
            assert!(named(&budget.name()).is_some() && named(budget.network.name()).is_some());
        }
        assert!(named("window/switches").is_none() && named("token_ring").is_none());
    }
}
