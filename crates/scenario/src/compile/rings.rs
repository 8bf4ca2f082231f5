//! Whether Themis rings of a given length cover the last hop.

use netloom_model::Rdma;
use netloom_policy::edge::themis::{LastHop, Themis};
use netloom_units::{Bytes, NodeId, Value};

use super::built_fabric::BuiltFabric;
use super::rdma;
use crate::quantity::{self, Dimension};
use crate::resolve::Draft;
use crate::resolved::{Parameters, queue_pairs};

/// Adds a note if a given ring is shorter than an empty last hop needs.
pub(super) fn add(draft: &Draft, built_fabric: &BuiltFabric, notes: &mut Vec<String>) {
    let (Some(balance), Some(transport)) = (&draft.balance, &draft.transport) else { return };
    let (Some(edge), Some(rule)) = (&balance.edge, queue_pairs::rule(transport.spec)) else { return };
    let is_given = |name| edge.settings.optional(name).is_some();
    if !is_given("entries") && !is_given("round_trip") {
        return;
    }
    let rdma = rdma::rdma(transport, rule, 0);
    let Some((last_hop, host)) = largest(built_fabric, &rdma, rdma::packet(transport)) else { return };
    let entries = Themis::new(&edge.settings, 1, &last_hop).entries();
    let needed = needed(edge, &last_hop);
    if entries < needed {
        let response = quantity::print(last_hop.response.0, Dimension::Duration);
        notes.push(format!(
            "rings of {entries} entries are short: `{host}` answers within {response}, for which {needed} are needed \
             even without queueing; entries overwritten too early are counted in table `rings`"
        ));
    }
}

/// The last hop that needs the most entries, and its host.
fn largest<'a>(built_fabric: &'a BuiltFabric, rdma: &Rdma, packet: Bytes) -> Option<(LastHop, &'a str)> {
    let fabric = &built_fabric.built.fabric;
    let hosts = (0..fabric.n_hosts() as u32).map(NodeId);
    let hops = hosts.flat_map(|host| fabric.ports_of(host).iter().map(move |port| (host, port)));
    let (host, port) = hops.max_by_key(|(host, port)| {
        let bits = u128::from(port.rate.0) * u128::from(rdma.response_time(port, packet).0);
        (bits, std::cmp::Reverse(*host))
    })?;
    let response = rdma.response_time(port, packet);
    let last_hop = LastHop { rate: port.rate, packet, response, coalesce: rdma.coalesce };
    Some((last_hop, &built_fabric.built.node_names[host.index()]))
}

/// Entries for the response time, without the safety `factor`.
fn needed(edge: &Parameters, last_hop: &LastHop) -> u32 {
    let response = Value::Duration(last_hop.response);
    let settings = edge.settings.clone().with("entries", Value::Absent).with("round_trip", response);
    Themis::new(&settings.with("factor", Value::Fraction(1.0)), 1, last_hop).entries()
}
