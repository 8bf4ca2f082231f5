//! The `fabric` section: a topology of the catalog, or lists of nodes and links.

use netloom_catalog::topology;
use netloom_units::{Duration, Kind, Rate, Value};

use super::fields::{Fields, items, named};
use super::{plugin, report_repeats, value};
use crate::diagnostic::Problems;
use crate::location::{Located, Location};
use crate::resolved::{Bundle, Custom, Fabric};
use crate::written::{Node, Tree};

/// Largest number of nodes of a kind that a bare number may generate: a text that links more would be too long.
pub(crate) const MOST_NUMBERED: u32 = 250_000;

/// Reads the section.
pub(super) fn fabric(node: &Node, problems: &mut Problems) -> Option<Fabric> {
    let found = named(node, "fabric", problems)?;
    let spec = plugin::find(found.name, found.location, "topology", topology::SPECS, problems)?;
    if spec.name == topology::custom::SPEC.name {
        return custom(found.body, found.location, problems).map(Fabric::Custom);
    }
    let (parameters, _) = plugin::section_at(found.body, found.location, spec, &[], problems)?;
    parameters.map(Fabric::Parametric)
}

fn custom(body: Option<&Node>, location: Location, problems: &mut Problems) -> Option<Custom> {
    let Some(body) = body else {
        let report = problems.report_absence(location, "`custom` needs hosts and links");
        report
            .label("nothing is listed")
            .help("write `custom: { hosts: [...], switches: [...], links: [...] }`");
        return None;
    };
    let fields = Fields::open(body, "custom", &["hosts", "switches", "links"], problems)?;
    let hosts_node = fields.need("hosts", "[a, b]", problems);
    let hosts = hosts_node.and_then(|node| nodes(node, "hosts", "host", problems));
    let switches = match fields.get("switches") {
        Some(node) => nodes(node, "switches", "switch", problems),
        None => Some(Vec::new()),
    };
    let links_node = fields.need("links", "[{ from: a, to: s, rate: 100Gbps, delay: 1us }]", problems);
    let links = links_node.and_then(|node| links(node, problems));
    let (hosts, switches) = (hosts?, switches?);
    report_repeats(hosts.iter().chain(&switches), problems);
    let hosts = Located::new(hosts, hosts_node.map_or(location, Node::head));
    Some(Custom { hosts, switches, links: links? })
}

/// Names of nodes: a list, or a number of nodes, then named `host0`, `host1` and so on.
fn nodes(node: &Node, key: &str, stem: &str, problems: &mut Problems) -> Option<Vec<Located<String>>> {
    if matches!(&node.tree, Tree::Text(_)) {
        let n = value::count_u32(node, 0, MOST_NUMBERED, problems)?;
        return Some((0..n).map(|number| Located::new(format!("{stem}{number}"), node.location)).collect());
    }
    let items = items(node, key, problems)?;
    let names: Vec<_> = items.iter().map(|item| value::new_name(item, "a name", problems)).collect();
    names.into_iter().collect()
}

fn links(node: &Node, problems: &mut Problems) -> Option<Vec<Located<Bundle>>> {
    let items = items(node, "links", problems)?;
    let links: Vec<_> = items.iter().map(|item| link(item, problems)).collect();
    links.into_iter().collect()
}

fn link(node: &Node, problems: &mut Problems) -> Option<Located<Bundle>> {
    let fields = Fields::open(node, "link", &["from", "to", "rate", "delay", "count"], problems)?;
    let from = fields.need("from", "NODE", problems).and_then(|node| value::name(node, "a node", problems));
    let to = fields.need("to", "NODE", problems).and_then(|node| value::name(node, "a node", problems));
    let rate = match fields
        .need("rate", "100Gbps", problems)
        .and_then(|node| value::value(node, &Kind::Rate, problems))
    {
        Some(Value::Rate(rate)) => Some(rate),
        _ => None,
    };
    let delay = match fields
        .need("delay", "1us", problems)
        .and_then(|node| value::value(node, &Kind::Duration, problems))
    {
        Some(Value::Duration(delay)) => Some(delay),
        _ => None,
    };
    let count = fields.get("count").map_or(Some(1), |node| value::count_u32(node, 1, u32::MAX, problems));
    // The ends of links can be checked even if the rest was refused; nothing is built from such values.
    let rate = rate.unwrap_or(Rate(u64::MAX));
    let bundle =
        Bundle { from: from?, to: to?, rate, delay: delay.unwrap_or(Duration(1)), count: count.unwrap_or(1) };
    Some(Located::new(bundle, node.location))
}
