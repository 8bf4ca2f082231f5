//! Explicit entries of forwarding tables (static routes): switch, packets, egress port.
//!
//! Invariants: an entry leads to a next hop, or to another switch if it says `any: true`; then the run ends at a
//! deadline, even if packets never arrive.

use std::collections::BTreeMap;

use netloom_model::static_routes::Entry;
use netloom_policy::balance::deterministic;
use netloom_units::{HostId, LinkId, NodeId, PortId};

use super::built_fabric::BuiltFabric;
use super::consistency::also;
use crate::diagnostic::Problems;
use crate::location::{Located, Location};
use crate::resolve::Draft;
use crate::resolved::{Balance, Parameters, Route};
use crate::suggest;

/// All entries, sorted.
pub(super) fn routes(draft: &Draft, built_fabric: &BuiltFabric, problems: &mut Problems) -> Vec<Entry> {
    if draft.routes.is_empty() {
        return Vec::new();
    }
    if let Some(balance) = &draft.balance {
        check_algorithm(balance, &draft.routes, problems);
    }
    let mut locations: BTreeMap<(NodeId, HostId, Option<HostId>), Location> = BTreeMap::new();
    let (mut entries, mut not_minimal) = (Vec::new(), None);
    for route in &draft.routes {
        let Some(entry) = entry(route, built_fabric, problems) else { continue };
        if let Some(first) = locations.insert((entry.at, entry.to, entry.from), route.location) {
            let message = format!("two entries of `{}` for the same packets", route.value.at.value);
            let report = problems.report(route.location, message);
            report
                .label("again here")
                .related(first, "first here")
                .help("a table has one egress port for each");
        }
        let hop = HopChoice { at: entry.at, to: entry.to, built_fabric };
        if not_minimal.is_none() && !hop.is_next_hop(entry.port) {
            not_minimal = Some(route.value.settings.location_of("any"));
        }
        entries.push(entry);
    }
    if let Some(location) = not_minimal.filter(|_| draft.deadline.is_none()) {
        let report = problems.report(location, "packets may loop forever");
        report.label("their arrival is not checked").help("add `deadline: 10ms`, the end of the run");
    }
    entries.sort_unstable();
    entries
}

/// What entries require of the policies.
fn check_algorithm(balance: &Balance, routes: &[Located<Route>], problems: &mut Problems) {
    let has_tables = |policy: &Parameters| policy.spec.name == deterministic::SPEC.name;
    let first = routes[0].location;
    if !has_tables(&balance.switch) {
        let name = balance.switch.spec.name;
        let report = problems.report(first, format!("`{name}` does not use forwarding tables"));
        report.label("static routes").help("write `balance: deterministic`, or remove `routes`");
        also(&balance.switch, "the policy of switches", report);
        return;
    }
    let control = balance.control.as_ref().filter(|policy| has_tables(policy));
    let by_destination =
        |policy: &&Parameters| !policy.has_stand_ins && !deterministic::is_by_pair(&policy.settings);
    let tables = [Some(&balance.switch), control].into_iter().flatten().find(by_destination);
    let sourced = routes.iter().find_map(|route| route.value.from.as_ref());
    if let (Some(policy), Some(from)) = (tables, sourced) {
        let report = problems.report(from.location, "tables by destination do not distinguish sources");
        report.label("a source").help("write `deterministic: {key: pair}`, or leave `from` out");
        also(policy, "by destination", report);
    }
}

fn entry(route: &Located<Route>, built_fabric: &BuiltFabric, problems: &mut Problems) -> Option<Entry> {
    let Route { at: switch, from, to, link, settings } = &route.value;
    let at = built_fabric.switch(switch, problems);
    let destination = built_fabric.host(to, problems);
    let source = from.as_ref().map(|name| built_fabric.host(name, problems));
    let cable = built_fabric.link(link, problems);
    let (at, destination, cable) = (at?, destination?, cable?);
    let source = source.map_or(Some(None), |host| host.map(Some))?;
    if source == Some(destination) {
        let report = problems.report(to.location, "packets go from one host to another");
        report.label("source and destination are the same");
        return None;
    }
    let hop = HopChoice { at, to: destination, built_fabric };
    let Some(port) = hop.port(cable) else {
        let report =
            problems.report(link.location, format!("`{}` does not end at `{}`", link.value, switch.value));
        report.label("a link of other nodes").help(hop.next_hops());
        return None;
    };
    if !hop.is_next_hop(port) {
        let is_any = settings.settings.flag("any") || settings.has_stand_ins;
        let good = if is_any { hop.may_stray(port, link, problems) } else { hop.refuse(link, to, problems) };
        if !good {
            return None;
        }
    }
    Some(Entry { at, to: destination, from: source, port })
}

/// A switch and the routes from there.
struct HopChoice<'a> {
    at: NodeId,
    to: HostId,
    built_fabric: &'a BuiltFabric,
}

impl HopChoice<'_> {
    /// The switch's port at one end of a link.
    fn port(&self, link: LinkId) -> Option<u32> {
        let fabric = &self.built_fabric.built.fabric;
        let end = fabric.links()[link.index()].ends.into_iter().find(|&end| fabric.port(end).node == self.at);
        end.map(|end| fabric.local_index(end))
    }

    fn is_next_hop(&self, port: u32) -> bool {
        self.built_fabric.built.routing.next_hops(self.at, self.to).iter().any(|next| next == port)
    }

    /// The possible links, as text.
    fn next_hops(&self) -> String {
        const MOST: usize = 8;
        let built = &self.built_fabric.built;
        let ports = built.fabric.ports_of(self.at);
        let next = built.routing.next_hops(self.at, self.to);
        let mut names: Vec<&str> = next
            .iter()
            .take(MOST)
            .map(|port| self.built_fabric.link_name(ports[port as usize].link))
            .collect();
        if names.is_empty() {
            return "no link of this switch leads there".to_owned();
        }
        if next.len() > MOST {
            names.push("...");
        }
        format!("shortest paths leave by {}", suggest::quoted(&names))
    }

    /// Reports a link that is not a next hop.
    fn refuse(&self, link: &Located<String>, to: &Located<String>, problems: &mut Problems) -> bool {
        let message = format!("`{}` is on no shortest path to `{}`", link.value, to.value);
        let report = problems.report(link.location, message);
        report.label("not a next hop").help(format!("{}; `any: true` allows it", self.next_hops()));
        false
    }

    /// Whether packets may use a link that is not a next hop: not to a host that is not their destination.
    fn may_stray(&self, port: u32, link: &Located<String>, problems: &mut Problems) -> bool {
        let fabric = &self.built_fabric.built.fabric;
        let end = fabric.neighbour(PortId(fabric.port_range(self.at).start + port));
        if !fabric.is_host(end) {
            return true;
        }
        let message =
            format!("`{}` leads to `{}`", link.value, self.built_fabric.built.node_names[end.index()]);
        let report = problems.report(link.location, message);
        report.label("hosts do not forward").help("choose a link to another switch");
        false
    }
}
