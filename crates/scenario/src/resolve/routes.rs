//! The `routes` section: explicit entries of forwarding tables (static routes).

use super::fields::items;
use super::{plugin, value};
use crate::diagnostic::Problems;
use crate::location::Located;
use crate::resolved::{Route, sections};
use crate::written::Node;

/// Reads the section.
pub(super) fn routes(node: Option<&Node>, problems: &mut Problems) -> Vec<Located<Route>> {
    let nodes = node.and_then(|node| items(node, "routes", problems)).unwrap_or_default();
    let one = |node| Some(Located::new(route(node, problems)?, Node::head(node)));
    nodes.iter().filter_map(one).collect()
}

fn route(node: &Node, problems: &mut Problems) -> Option<Route> {
    let by_hand = &["at", "from", "to", "link"];
    let (settings, fields) =
        plugin::section_at(Some(node), node.location, &sections::ROUTE, by_hand, problems)?;
    let name = |key, example, expected, problems: &mut Problems| {
        fields.need(key, example, problems).and_then(|node| value::name(node, expected, problems))
    };
    let at = name("at", "SWITCH", "the name of a switch", problems);
    let to = name("to", "HOST", "the name of a host", problems);
    let link = name("link", "LINK", "the name of a link", problems);
    let from = fields.get("from").map(|node| value::name(node, "the name of a host", problems));
    // An entry for one source must not become one for all.
    let from = from.map_or(Some(None), |name| name.map(Some))?;
    Some(Route { at: at?, from, to: to?, link: link?, settings: settings? })
}
