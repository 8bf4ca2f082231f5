//! The links of hosts, and the rate at which a host exchanges data with the others of a communicator.
//!
//! Models: links to switches that all members have, such as the switch inside a server or the leaf of a rail; else, where
//! no two members share a switch without further links, links to switches with such links.
//! Leaves out: paths; where neither rule applies the bound is that of all links together.
//!
//! Invariants: the rate is never below that of the links which the communicator can use.

use std::collections::{BTreeMap, BTreeSet};

use netloom_records::PortRow;
use netloom_units::{HostId, NodeId, Rate};

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct HostLinks {
    /// Rates of the links of each host in bit/s, by the switch at the other end.
    rates: BTreeMap<HostId, BTreeMap<NodeId, u64>>,
    /// Switches with links to other switches.
    onward: BTreeSet<NodeId>,
}

impl HostLinks {
    /// Adds ports; hosts come first among the nodes.
    pub fn take(&mut self, rows: &[PortRow], n_hosts: u32) {
        for row in rows {
            if row.node.0 < n_hosts {
                self.add(HostId(row.node.0), row.peer, row.rate);
            } else if row.peer.0 >= n_hosts {
                self.onward.insert(row.node);
            }
        }
    }

    pub(super) fn add(&mut self, host: HostId, switch: NodeId, rate: Rate) {
        *self.rates.entry(host).or_default().entry(switch).or_default() += rate.0;
    }

    /// The rate of the slowest of these hosts towards the others.
    pub(super) fn slowest(&self, hosts: &BTreeSet<HostId>) -> Option<Rate> {
        let links: Vec<&BTreeMap<NodeId, u64>> =
            hosts.iter().filter_map(|host| self.rates.get(host)).collect();
        let used = self.used(&links);
        let rate = |links: &&BTreeMap<NodeId, u64>| {
            let used =
                links.iter().filter(|(switch, _)| used.as_ref().is_none_or(|used| used.contains(switch)));
            used.map(|(_, rate)| rate).sum()
        };
        links.iter().map(rate).min().map(Rate)
    }

    /// The switches over which these hosts exchange data; `None` if it may be any.
    fn used(&self, links: &[&BTreeMap<NodeId, u64>]) -> Option<BTreeSet<NodeId>> {
        let mut counts: BTreeMap<NodeId, usize> = BTreeMap::new();
        for switch in links.iter().flat_map(|links| links.keys()) {
            *counts.entry(*switch).or_default() += 1;
        }
        let common: BTreeSet<NodeId> =
            counts.iter().filter(|(_, count)| **count == links.len()).map(|(switch, _)| *switch).collect();
        if !common.is_empty() {
            return Some(common);
        }
        let leads_on = |switch: &NodeId| self.onward.contains(switch);
        let is_onward_only = counts.iter().all(|(switch, &count)| count == 1 || leads_on(switch));
        let all_have_one = links.iter().all(|links| links.keys().any(leads_on));
        (is_onward_only && all_have_one).then(|| self.onward.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GBPS: u64 = 1_000_000_000;

    /// Two blocks of two servers of two GPUs: hosts 0 to 7, inner switches 10 to 13, leaves 20 to 23 (rail 0 and 1 of
    /// block 0, then of block 1).
    fn rails() -> HostLinks {
        let mut links = HostLinks { onward: (20..24).map(NodeId).collect(), ..HostLinks::default() };
        for host in 0..8 {
            links.add(HostId(host), NodeId(10 + host / 2), Rate(3600 * GBPS));
            links.add(HostId(host), NodeId(20 + 2 * (host / 4) + host % 2), Rate(400 * GBPS));
        }
        links
    }

    #[test]
    fn the_rate_is_that_of_the_links_between_the_members() {
        let slowest = |hosts: &[u32]| {
            let hosts = hosts.iter().map(|&host| HostId(host)).collect();
            rails().slowest(&hosts).map(|rate| rate.0 / GBPS)
        };
        assert_eq!(slowest(&[0, 1]), Some(3600), "in a server");
        assert_eq!(slowest(&[0, 2]), Some(400), "on a rail");
        assert_eq!(slowest(&[1, 3, 5, 7]), Some(400), "on a rail, in two blocks");
        assert_eq!(slowest(&[0, 3]), Some(400), "across rails");
        // The inner switches carry a part of it.
        assert_eq!(slowest(&[0, 1, 2, 3]), Some(4000));
        assert_eq!(slowest(&[8]), None);
    }

    #[test]
    fn hosts_of_one_switch_use_all_links_to_it() {
        let mut links = HostLinks::default();
        for (host, rate) in [(0, 100), (0, 100), (1, 100)] {
            links.add(HostId(host), NodeId(9), Rate(rate));
        }
        assert_eq!(links.slowest(&[HostId(0), HostId(1)].into()), Some(Rate(100)));
        assert_eq!(links.slowest(&[HostId(0)].into()), Some(Rate(200)));
    }
}
