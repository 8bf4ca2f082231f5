//! Static routes: explicit entries of forwarding tables.
//!
//! Models: at a switch, packets to a host, or packets to it from one source, leave by one port of the switch.
//! Leaves out: packets without an entry; the balancing policy decides about them.
//!
//! Invariants: an entry with a source precedes one without; no two entries match the same destination and source.

use netloom_units::{HostId, NodeId};

/// One static entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The switch.
    pub at: NodeId,
    /// Destination of the packets.
    pub to: HostId,
    /// Source of the packets; `None` matches any.
    pub from: Option<HostId>,
    /// The switch's local port.
    pub port: u32,
}

/// The entries of one switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaticTable {
    /// Sorted by destination, then source; an entry for any source comes first.
    entries: Box<[Entry]>,
}

impl StaticTable {
    /// The entries of a switch; `None` if it has none.
    pub fn of(all: &[Entry], at: NodeId) -> Option<StaticTable> {
        let mut entries: Vec<Entry> = all.iter().filter(|entry| entry.at == at).copied().collect();
        entries.sort_unstable();
        (!entries.is_empty()).then(|| StaticTable { entries: entries.into() })
    }

    /// The egress port of a packet, if an entry matches.
    pub fn port(&self, to: HostId, from: impl FnOnce() -> HostId) -> Option<u32> {
        let entries = self.towards(to);
        let (first, others) = entries.split_first()?;
        let any = first.from.is_none().then_some(first.port);
        let sourced = if any.is_some() { others } else { entries };
        if sourced.is_empty() {
            return any;
        }
        let from = Some(from());
        let found = sourced.binary_search_by_key(&from, |entry| entry.from);
        found.map_or(any, |position| Some(sourced[position].port))
    }

    /// The entries for a destination, that for any source first.
    pub fn towards(&self, to: HostId) -> &[Entry] {
        let start = self.entries.partition_point(|entry| entry.to < to);
        let count = self.entries[start..].partition_point(|entry| entry.to == to);
        &self.entries[start..start + count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(at: u32, to: u32, from: Option<u32>, port: u32) -> Entry {
        Entry { at: NodeId(at), to: HostId(to), from: from.map(HostId), port }
    }

    #[test]
    fn entries_with_a_source_come_before_entries_without() {
        let all = [
            entry(9, 2, None, 1),
            entry(8, 2, None, 7),
            entry(9, 2, Some(5), 2),
            entry(9, 3, Some(4), 3),
            entry(9, 2, Some(0), 0),
        ];
        let table = StaticTable::of(&all, NodeId(9)).expect("it has entries");
        let port = |to, from| table.port(HostId(to), || HostId(from));
        assert_eq!([0, 1, 5, 6].map(|from| port(2, from)), [Some(0), Some(1), Some(2), Some(1)]);
        assert_eq!((port(3, 4), port(3, 5), port(4, 4)), (Some(3), None, None));
        assert_eq!(table.towards(HostId(2)).len(), 3);
        assert_eq!(StaticTable::of(&all, NodeId(7)), None);
    }

    #[test]
    fn the_source_is_looked_up_only_if_an_entry_has_one() {
        let table = StaticTable::of(&[entry(9, 2, None, 1)], NodeId(9)).expect("it has an entry");
        assert_eq!(table.port(HostId(2), || unreachable!("no entry has a source")), Some(1));
    }
}
