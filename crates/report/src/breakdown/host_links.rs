//! The links of hosts, and the cuts that the data of a communicator must cross.
//!
//! Models: links to switches that all members have, such as the switch inside a server or the leaf of a rail; else all
//! links of each host, and of each server (hosts that share a switch without further links) those to switches that lead
//! on.
//! Leaves out: paths, and links between switches; links of hosts that are not members.
//!
//! Invariants: a cut is never narrower than the links which its members can use.

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

    #[cfg(test)]
    pub(super) fn set_onward(&mut self, switches: &[u32]) {
        self.onward = switches.iter().copied().map(NodeId).collect();
    }

    /// The sets of members whose links must carry what the set lacks; `members` are numbers of ranks by host.
    pub(super) fn cuts(&self, members: &BTreeMap<HostId, u32>) -> Vec<Cut> {
        let links = |&host: &HostId| self.rates.get(&host);
        if !members.keys().all(|host| links(host).is_some()) {
            return Vec::new();
        }
        let hosts: Vec<(u32, &BTreeMap<NodeId, u64>)> =
            members.iter().filter_map(|(host, &count)| Some((count, links(host)?))).collect();
        let common = common_switches(&hosts);
        let by_host = hosts.iter().map(|&(members, links)| {
            let is_used = |switch: &NodeId| common.is_empty() || common.contains(switch);
            Cut { members, rate: rate_to(links, is_used) }
        });
        let by_server = if common.is_empty() { self.servers(&hosts) } else { Vec::new() };
        by_host.chain(by_server).collect()
    }

    /// Hosts in servers: those that share a switch without links to others leave it over their links to switches that
    /// lead on; none if a host has no such link.
    fn servers(&self, hosts: &[(u32, &BTreeMap<NodeId, u64>)]) -> Vec<Cut> {
        let leads_on = |switch: &NodeId| self.onward.contains(switch);
        if !hosts.iter().all(|(_, links)| links.keys().any(leads_on)) {
            return Vec::new();
        }
        let mut servers: BTreeMap<Option<NodeId>, Vec<Cut>> = BTreeMap::new();
        for &(members, links) in hosts {
            let inner = links.keys().copied().find(|switch| !leads_on(switch));
            let cuts = servers.entry(inner).or_default();
            let rate = rate_to(links, leads_on);
            match cuts.first_mut().filter(|_| inner.is_some()) {
                Some(cut) => *cut = Cut { members: cut.members + members, rate: cut.rate + rate },
                None => cuts.push(Cut { members, rate }),
            }
        }
        servers.into_values().flatten().collect()
    }
}

/// A set of members of a communicator, and the links over which it can exchange data with the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    /// Number of members in the set.
    pub(super) members: u32,
    /// Rate of the links, in bit/s.
    pub(super) rate: u64,
}

/// The switches that all of these have links to.
fn common_switches(hosts: &[(u32, &BTreeMap<NodeId, u64>)]) -> BTreeSet<NodeId> {
    let Some((_, first)) = hosts.first() else { return BTreeSet::new() };
    first.keys().copied().filter(|switch| hosts.iter().all(|(_, links)| links.contains_key(switch))).collect()
}

fn rate_to(links: &BTreeMap<NodeId, u64>, is_used: impl Fn(&NodeId) -> bool) -> u64 {
    links.iter().filter(|(switch, _)| is_used(switch)).map(|(_, rate)| rate).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GBPS: u64 = 1_000_000_000;

    /// Two blocks of two servers of two GPUs: hosts 0 to 7, inner switches 10 to 13, leaves 20 to 23 (rail 0 and 1 of
    /// block 0, then of block 1).
    fn rails() -> HostLinks {
        let mut links = HostLinks::default();
        links.set_onward(&[20, 21, 22, 23]);
        for host in 0..8 {
            links.add(HostId(host), NodeId(10 + host / 2), Rate(3600 * GBPS));
            links.add(HostId(host), NodeId(20 + 2 * (host / 4) + host % 2), Rate(400 * GBPS));
        }
        links
    }

    /// Cuts of communicators with one rank on each of these hosts: members and Gbit/s.
    fn cuts(links: &HostLinks, hosts: &[u32]) -> Vec<(u32, u64)> {
        let members = hosts.iter().map(|&host| (HostId(host), 1)).collect();
        links.cuts(&members).iter().map(|cut| (cut.members, cut.rate / GBPS)).collect()
    }

    #[test]
    fn members_of_one_switch_use_their_links_to_it() {
        assert_eq!(cuts(&rails(), &[0, 1]), [(1, 3600); 2], "in a server");
        assert_eq!(cuts(&rails(), &[0, 2]), [(1, 400); 2], "on a rail");
    }

    #[test]
    fn servers_are_left_over_the_rails() {
        let all = |n| vec![(1, 4000); n];
        let with = |n, servers: &[(u32, u64)]| [all(n), servers.to_vec()].concat();
        assert_eq!(cuts(&rails(), &[1, 3, 5, 7]), with(4, &[(1, 400); 4]), "on a rail, in two blocks");
        assert_eq!(cuts(&rails(), &[0, 3]), with(2, &[(1, 400); 2]), "across rails");
        assert_eq!(cuts(&rails(), &[0, 1, 2, 3]), with(4, &[(2, 800); 2]), "two servers");
        assert_eq!(cuts(&rails(), &[0, 1, 2]), with(3, &[(2, 800), (1, 400)]), "unequal servers");
        assert_eq!(cuts(&rails(), &[0, 8]), [], "of a host without links nothing is known");
    }

    #[test]
    fn hosts_without_switches_that_lead_on_use_all_links() {
        let mut links = HostLinks::default();
        for (host, switch) in [(0, 9), (0, 9), (1, 9), (1, 8), (2, 8)] {
            links.add(HostId(host), NodeId(switch), Rate(100 * GBPS));
        }
        assert_eq!(cuts(&links, &[0, 1]), [(1, 200), (1, 100)]);
        assert_eq!(cuts(&links, &[0, 1, 2]), [(1, 200), (1, 200), (1, 100)]);
    }
}
