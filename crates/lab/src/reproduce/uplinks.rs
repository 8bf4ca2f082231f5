//! How evenly a switch loads its links to other switches.
//!
//! Models: the share of these links that carry more bytes than a multiple of their mean, and whether none does.
//! Leaves out: load over time; links to hosts.
//!
//! Invariants: idle links count.

use std::collections::BTreeMap;

use netloom_records::PortRow;
use netloom_units::NodeId;

use super::parts::Parts;
use super::quantity::Quantity;
use crate::prepare::Prepared;

/// The figures of each part `NODE/MULTIPLE`; none for an unknown node.
pub(super) fn parts<'a>(
    prepared: &Prepared,
    rows: &[PortRow],
    names: impl IntoIterator<Item = &'a str>,
) -> Parts {
    let part = |name: &str| {
        let (node, multiple) = name.rsplit_once('/')?;
        let node = prepared.compiled.node_names.iter().position(|known| known == node)?;
        let values = beyond(prepared, rows, NodeId(node as u32), multiple.parse().ok()?)?;
        Some((name.to_owned(), values))
    };
    names.into_iter().filter_map(part).collect()
}

fn beyond(
    prepared: &Prepared,
    rows: &[PortRow],
    node: NodeId,
    multiple: f64,
) -> Option<BTreeMap<Quantity, f64>> {
    let n_hosts = prepared.compiled.model.fabric.n_hosts();
    let is_up = |row: &&PortRow| row.node == node && row.peer.index() >= n_hosts;
    let loads: Vec<f64> = rows.iter().filter(is_up).map(|row| row.size.0 as f64).collect();
    let count = loads.len() as f64;
    let sum: f64 = loads.iter().sum();
    // Integers on both sides: a load of exactly that multiple is not beyond it.
    let n_beyond = loads.iter().filter(|load| **load * count > multiple * sum).count();
    let clear = if n_beyond == 0 { 1.0 } else { 0.0 };
    let values = [(Quantity::LinksBeyond, n_beyond as f64 / count), (Quantity::LinksClear, clear)];
    (count > 0.0).then(|| values.into())
}
