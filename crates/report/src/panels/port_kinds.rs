//! The ports of a fabric by the kinds of the nodes at both ends of their links, for each direction.
//!
//! Models: kinds of nodes by their names, so that ports from GPUs to the switch of their server, to a rail, and from a
//! rail to a spine are apart; of a fabric whose names have too many kinds, the tiers of its nodes.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use netloom_records::{PortRow, node_kind};
use netloom_units::NodeId;

use crate::drawing::tiers::tiers;

/// Most pairs of kinds; names of other fabrics say nothing about the kinds of their nodes.
const MOST: usize = 24;

/// The ports of one kind of node towards another one, in their order.
pub(super) type PortsOfKinds<'a> = ([String; 2], Vec<&'a PortRow>);

/// The ports of each pair of kinds: upwards from the hosts, within a tier, downwards.
pub(super) fn ports_by_kinds<'a>(
    n_hosts: u32,
    name: &dyn Fn(NodeId) -> String,
    ports: &'a [PortRow],
) -> Vec<PortsOfKinds<'a>> {
    let tiers: Vec<u32> = tiers(n_hosts, ports).into_iter().map(|tier| tier.unwrap_or(u32::MAX)).collect();
    let by_tier = |node: NodeId| match tiers[node.index()] {
        0 => "host".to_owned(),
        u32::MAX => "switch without hosts".to_owned(),
        tier => format!("switch of tier {tier}"),
    };
    let found = grouped(ports, &tiers, |node| node_kind(&name(node)));
    let found = if found.len() > MOST { grouped(ports, &tiers, by_tier) } else { found };
    found.into_iter().map(|((_, kinds), ports)| (kinds, ports)).collect()
}

/// The rank of a direction in the list: upwards, from the hosts; within a tier; downwards, towards the hosts.
type Rank = (u8, u32);

fn grouped<'a>(
    ports: &'a [PortRow],
    tiers: &[u32],
    kind: impl Fn(NodeId) -> String,
) -> BTreeMap<(Rank, [String; 2]), Vec<&'a PortRow>> {
    let kinds: Vec<String> = (0..tiers.len()).map(|node| kind(NodeId(node as u32))).collect();
    let mut found: BTreeMap<(Rank, [String; 2]), Vec<&PortRow>> = BTreeMap::new();
    for port in ports {
        let [from, to] = [port.node, port.peer].map(|node| tiers[node.index()]);
        let rank = match from.cmp(&to) {
            Ordering::Less => (0, from),
            Ordering::Equal => (1, from),
            Ordering::Greater => (2, u32::MAX - from),
        };
        let ends = [port.node, port.peer].map(|node| kinds[node.index()].clone());
        found.entry((rank, ends)).or_default().push(port);
    }
    found
}
