//! Bus bandwidth of the communicators of a phase, against the rate of the network interfaces of their hosts.
//!
//! Models: the bound of one communicator by itself.
//! Leaves out: that several communicators may share the network interfaces of a host; the sum of theirs has that bound.

use std::collections::{BTreeMap, BTreeSet};

use netloom_records::{JobLayout, SpanRow};
use netloom_units::HostId;
use serde::Serialize;

use super::{CommunicatorKey, HostLinks, communicator_name, for_each_communicator, phase_name};
use crate::round::{share, six_digits};

/// Bandwidth of the communicators of one phase and one kind of groups, in bytes per second.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupBandwidth {
    /// The kind of groups; `all` for all ranks together.
    pub group: String,
    /// The phase by its number.
    pub phase: u16,
    /// The name of the phase.
    pub name: String,
    /// Number of communicators.
    pub communicators: usize,
    /// Bus bandwidth from the last begin of a member to the last end, mean over communicators.
    pub busbw: f64,
    /// The same from the first begin.
    pub from_first: f64,
    /// The lowest of a communicator, from the last begin.
    pub lowest: f64,
    /// That communicator.
    pub lowest_communicator: String,
    /// The lowest bound of one of these communicators; absent if it is unknown.
    pub bound: Option<f64>,
    /// What the bound is.
    pub bound_kind: Option<BoundKind>,
    /// Bus bandwidth as a share of the bound, each communicator of its own, mean over communicators.
    pub share: Option<f64>,
}

/// What bounds a communicator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BoundKind {
    /// The rate of the slowest of its hosts towards the others.
    Nic,
    /// The rate between ranks of one host, which all of its members share.
    Local,
}

/// Sums of a communicator over buckets and steps.
#[derive(Debug, Default)]
struct BusTally {
    bytes: f64,
    from_last: f64,
    from_first: f64,
    hosts: BTreeSet<HostId>,
}

impl BusTally {
    fn add(&mut self, bytes: u64, members: &[&SpanRow]) {
        let starts = || members.iter().map(|row| row.start.0);
        let end = members.iter().filter_map(|row| row.end).map(|end| end.0).max().unwrap_or(0);
        self.bytes += bytes as f64;
        self.from_last += end.saturating_sub(starts().max().unwrap_or(end)) as f64;
        self.from_first += end.saturating_sub(starts().min().unwrap_or(end)) as f64;
        self.hosts.extend(members.iter().map(|row| row.host));
    }

    /// Bytes per second.
    fn over(&self, ps: f64) -> f64 {
        if ps > 0.0 { self.bytes / (ps / 1e12) } else { 0.0 }
    }

    fn bound(&self, local_rate: Option<u64>, links: &HostLinks) -> Option<(u64, BoundKind)> {
        if self.hosts.len() == 1 {
            return Some((local_rate?, BoundKind::Local));
        }
        Some((links.slowest(&self.hosts)?.0, BoundKind::Nic))
    }
}

/// All of them, the lowest share of the bound first.
pub(super) fn bandwidths(layout: &JobLayout, steps: &[&[SpanRow]], links: &HostLinks) -> Vec<GroupBandwidth> {
    let mut tallies: BTreeMap<(Option<u16>, u16), BTreeMap<CommunicatorKey, BusTally>> = BTreeMap::new();
    for_each_communicator(layout, steps, |key, bytes, members| {
        let phase = members[0].phase.unwrap_or(0);
        tallies.entry((key.group, phase)).or_default().entry(key).or_default().add(bytes, members);
    });
    let mut rows: Vec<GroupBandwidth> = Vec::new();
    for (key, all) in tallies {
        for tallies in by_kind_of_bound(all, layout.local_rate, links) {
            rows.extend(row(layout, key, &tallies, links));
        }
    }
    let order = |row: &GroupBandwidth| row.share.unwrap_or(f64::INFINITY);
    rows.sort_by(|one, other| order(one).total_cmp(&order(other)));
    rows
}

/// Communicators on one host and those on several have rows of their own.
fn by_kind_of_bound(
    all: BTreeMap<CommunicatorKey, BusTally>,
    local_rate: Option<u64>,
    links: &HostLinks,
) -> impl Iterator<Item = BTreeMap<CommunicatorKey, BusTally>> {
    let mut parts: BTreeMap<Option<BoundKind>, BTreeMap<CommunicatorKey, BusTally>> = BTreeMap::new();
    for (key, tally) in all {
        let kind = tally.bound(local_rate, links).map(|(_, kind)| kind);
        parts.entry(kind).or_default().insert(key, tally);
    }
    parts.into_values()
}

/// A row; none if no communicator took time.
fn row(
    layout: &JobLayout,
    (group, phase): (Option<u16>, u16),
    tallies: &BTreeMap<CommunicatorKey, BusTally>,
    links: &HostLinks,
) -> Option<GroupBandwidth> {
    let timed = || tallies.iter().filter(|(_, tally)| tally.from_last > 0.0 && tally.bytes > 0.0);
    let (lowest, slowest) = timed().map(|(key, tally)| (*key, tally.over(tally.from_last))).reduce(lower)?;
    let count = timed().count();
    let mean = |read: fn(&BusTally) -> f64| {
        timed().map(|(_, tally)| tally.over(read(tally))).sum::<f64>() / count as f64
    };
    let busbw = mean(|tally| tally.from_last);
    let bounds = || timed().filter_map(|(_, tally)| Some((tally, tally.bound(layout.local_rate, links)?)));
    let bound = bounds().map(|(_, bound)| bound).min();
    let in_bytes = bound.map(|(rate, _)| rate as f64 / 8.0);
    let shares = || bounds().map(|(tally, (rate, _))| tally.over(tally.from_last) / (rate as f64 / 8.0));
    Some(GroupBandwidth {
        group: layout.group_name(group).to_owned(),
        phase,
        name: phase_name(layout, phase),
        communicators: count,
        busbw: six_digits(busbw),
        from_first: six_digits(mean(|tally| tally.from_first)),
        lowest: six_digits(slowest),
        lowest_communicator: communicator_name(layout, lowest),
        bound: in_bytes.map(six_digits),
        bound_kind: bound.map(|(_, kind)| kind),
        share: in_bytes
            .filter(|bound| *bound > 0.0)
            .map(|_| share(shares().sum::<f64>() / shares().count() as f64)),
    })
}

fn lower(one: (CommunicatorKey, f64), other: (CommunicatorKey, f64)) -> (CommunicatorKey, f64) {
    if other.1 < one.1 { other } else { one }
}
