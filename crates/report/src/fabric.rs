//! The kind of fabric of a run, derived from its ports.
//!
//! Models: two tiers, if every link between switches connects one with hosts (a leaf) to one without (a spine); any
//! other fabric, such as one with a third tier, is only a list of links.
//! Leaves out: the kind named in the scenario, so that a fabric given as lists is recognized as well.

use std::collections::BTreeSet;

use netloom_records::PortRow;
use netloom_units::NodeId;

use crate::collect::About;

/// Leaves and spines, each in the order of their ids.
#[derive(Debug, PartialEq, Eq)]
pub struct TwoTiers {
    /// Switches with hosts and with links to spines.
    pub leaves: Vec<NodeId>,
    /// Switches without.
    pub spines: Vec<NodeId>,
}

impl TwoTiers {
    /// The two tiers of a fabric, if it has them.
    pub fn of(about: &About, ports: &[PortRow]) -> Option<TwoTiers> {
        let between = |port: &&PortRow| !about.is_host(port.node) && !about.is_host(port.peer);
        let from_hosts = ports.iter().filter(|port| about.is_host(port.node) && !about.is_host(port.peer));
        let leaves: BTreeSet<NodeId> = from_hosts.map(|port| port.peer).collect();
        let mut spines = BTreeSet::new();
        for port in ports.iter().filter(between) {
            match (leaves.contains(&port.node), leaves.contains(&port.peer)) {
                (true, false) => spines.insert(port.peer),
                (false, true) => spines.insert(port.node),
                _ => return None,
            };
        }
        // A switch inside a server has hosts, but no link to a spine.
        let linked: BTreeSet<NodeId> = ports.iter().filter(between).map(|port| port.node).collect();
        let leaves = leaves.intersection(&linked).copied().collect();
        let found = TwoTiers { leaves, spines: spines.into_iter().collect() };
        (!found.spines.is_empty()).then_some(found)
    }
}
