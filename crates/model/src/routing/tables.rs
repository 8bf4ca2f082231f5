//! Next hops by table.
//!
//! Models: any graph; each list of ports is stored once, and nodes with equal next hops share a row.
//! Leaves out: how tables are made: [`crate::reroute`].
//!
//! Invariants: memory is switches times destination groups, never hosts squared.

use netloom_units::{HostId, NodeId};

use super::PortSet;

/// Lists of local port indices, each stored once and identified by its number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lists {
    /// Start of each list in `ports`, with one closing entry.
    pub(crate) starts: Vec<u32>,
    /// Local port indices, list after list.
    pub(crate) ports: Vec<u32>,
}

impl Lists {
    #[inline]
    pub(super) fn get(&self, number: u32) -> &[u32] {
        let number = number as usize;
        &self.ports[self.starts[number] as usize..self.starts[number + 1] as usize]
    }

    /// Bytes held on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        4 * (self.starts.len() + self.ports.len())
    }
}

/// Next hops by table: per node and destination group, the number of a shared list.
///
/// Hosts attached to the same switches share a group, and nodes whose next hops are the same share a row. The last hop,
/// which distinguishes the hosts of a group, is looked up first. Built by [`crate::reroute::tables`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tables {
    pub(crate) group_of_host: Vec<u32>,
    pub(crate) row_of_node: Vec<u32>,
    pub(crate) n_groups: u32,
    /// Cells of a row: one for each group, and one more for each where non-minimal paths are known.
    pub(crate) n_columns: u32,
    /// The list of each (row, group), row-major.
    pub(crate) cells: Vec<u32>,
    /// Start of each node's entries in `direct`, with one closing entry.
    pub(crate) direct_starts: Vec<u32>,
    /// Host neighbours, node by node, in rising order of hosts.
    pub(crate) direct: Vec<Direct>,
    pub(crate) lists: Lists,
}

/// The ports of a node that lead directly to `host`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Direct {
    /// The host at the other end.
    pub(crate) host: HostId,
    /// The list of ports.
    pub(crate) list: u32,
}

impl Tables {
    /// All shortest-path next hops, by table.
    pub fn next_hops(&self, node: NodeId, destination: HostId) -> PortSet<'_> {
        PortSet::List(self.lists.get(self.list_towards(node, destination)))
    }

    #[inline]
    fn list_towards(&self, node: NodeId, destination: HostId) -> u32 {
        let neighbours = self.neighbours(node);
        if let Ok(found) = neighbours.binary_search_by_key(&destination, |entry| entry.host) {
            return neighbours[found].list;
        }
        self.cells[self.cell(node, destination)]
    }

    #[inline]
    fn cell(&self, node: NodeId, destination: HostId) -> usize {
        let row = self.row_of_node[node.index()] as usize;
        let group = self.group_of_host[destination.index()] as usize;
        row * self.n_columns as usize + group
    }

    /// Whether non-minimal paths are known, and there are any.
    pub(crate) fn has_longer(&self) -> bool {
        let of_row =
            |row: &[u32]| row[self.n_groups as usize..].iter().any(|&list| !self.lists.get(list).is_empty());
        self.cells.chunks_exact(self.n_columns.max(1) as usize).any(of_row)
    }

    /// Next hops on paths one link longer than minimal, where they are known. None at the last hop.
    #[inline]
    pub(super) fn longer(&self, node: NodeId, destination: HostId) -> &[u32] {
        if self.n_columns == self.n_groups || self.is_last(node, destination) {
            return &[];
        }
        self.lists.get(self.cells[self.cell(node, destination) + self.n_groups as usize])
    }

    fn neighbours(&self, node: NodeId) -> &[Direct] {
        &self.direct[self.direct_starts[node.index()] as usize..self.direct_starts[node.index() + 1] as usize]
    }

    /// Whether a port leads directly to a host.
    pub(super) fn leads_to_host(&self, node: NodeId, port: u32) -> bool {
        self.neighbours(node).iter().any(|entry| self.lists.get(entry.list).contains(&port))
    }

    fn is_last(&self, node: NodeId, destination: HostId) -> bool {
        self.neighbours(node).binary_search_by_key(&destination, |entry| entry.host).is_ok()
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let words =
            self.group_of_host.len() + self.row_of_node.len() + self.cells.len() + self.direct_starts.len();
        4 * words + self.lists.heap_bytes() + size_of::<Direct>() * self.direct.len()
    }
}
