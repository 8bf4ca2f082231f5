//! Bus bandwidth of the communicators of a phase, against that at which the links of their hosts or servers are full.
//!
//! Models: the bound of one communicator by itself: for each cut of its members, what they lack over the rate.
//! Leaves out: that several communicators may share the network interfaces of a host; the sum of theirs has that bound.

use std::collections::BTreeMap;

use netloom_records::{CollectiveLayout, JobLayout, LackedBytes, SpanRow};
use netloom_units::HostId;
use serde::Serialize;

use super::host_links::Cut;
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
    /// The links of one of its hosts or servers, full with what its members lack.
    Nic,
    /// The rate between ranks of one host, which all of its members share.
    Local,
}

/// Sums of a communicator over buckets and steps.
#[derive(Debug, Default)]
struct BusTally {
    bytes: f64,
    /// What sets of members lacked; absent if a collective does not say.
    lacked: Option<LackedBytes>,
    from_last: f64,
    from_first: f64,
    ranks: BTreeMap<u32, HostId>,
}

impl BusTally {
    fn add(&mut self, collectives: &CollectiveLayout, members: &[&SpanRow]) {
        let n_ranks = members.len() as u32;
        let starts = || members.iter().map(|row| row.start.0);
        let end = members.iter().filter_map(|row| row.end).map(|end| end.0).max().unwrap_or(0);
        let is_first = self.ranks.is_empty();
        let lacked = collectives.lacked.get(&n_ranks).copied();
        let sum = if is_first { Some(LackedBytes::default()) } else { self.lacked };
        self.lacked = sum.zip(lacked).map(|(sum, more)| sum.plus(more));
        self.bytes += collectives.bus_bytes.get(&n_ranks).copied().unwrap_or(0) as f64;
        self.from_last += end.saturating_sub(starts().max().unwrap_or(end)) as f64;
        self.from_first += end.saturating_sub(starts().min().unwrap_or(end)) as f64;
        self.ranks.extend(members.iter().map(|row| (row.rank, row.host)));
    }

    /// Bytes per second.
    fn over(&self, ps: f64) -> f64 {
        if ps > 0.0 { self.bytes / (ps / 1e12) } else { 0.0 }
    }

    /// The largest bus bandwidth in bytes per second.
    fn bound(&self, local_rate: Option<u64>, links: &HostLinks) -> Option<(f64, BoundKind)> {
        let mut hosts: BTreeMap<HostId, u32> = BTreeMap::new();
        for &host in self.ranks.values() {
            *hosts.entry(host).or_default() += 1;
        }
        if hosts.len() == 1 {
            return Some((local_rate? as f64 / 8.0, BoundKind::Local));
        }
        let bounds = links.cuts(&hosts).into_iter().filter_map(|cut| self.bound_of(cut));
        bounds.min_by(f64::total_cmp).map(|bound| (bound, BoundKind::Nic))
    }

    /// The bus bandwidth at which the links of a cut are full; unknown of several members whose demand is.
    fn bound_of(&self, cut: Cut) -> Option<f64> {
        let n_ranks = self.ranks.len() as u32;
        let rate = cut.rate as f64 / 8.0;
        match self.lacked {
            Some(lacked) => Some(rate * self.bytes / lacked.of(cut.members, n_ranks)),
            None if cut.members == 1 => Some(rate),
            None => None,
        }
    }
}

/// All of them, the lowest share of the bound first.
pub(super) fn bandwidths(layout: &JobLayout, steps: &[&[SpanRow]], links: &HostLinks) -> Vec<GroupBandwidth> {
    let mut tallies: BTreeMap<(Option<u16>, u16), BTreeMap<CommunicatorKey, BusTally>> = BTreeMap::new();
    for_each_communicator(layout, steps, |key, collectives, members| {
        let phase = members[0].phase.unwrap_or(0);
        tallies.entry((key.group, phase)).or_default().entry(key).or_default().add(collectives, members);
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
    let bound = bounds().map(|(_, bound)| bound).min_by(|(one, _), (other, _)| one.total_cmp(other));
    let shares = || bounds().map(|(tally, (bound, _))| tally.over(tally.from_last) / bound);
    Some(GroupBandwidth {
        group: layout.group_name(group).to_owned(),
        phase,
        name: phase_name(layout, phase),
        communicators: count,
        busbw: six_digits(busbw),
        from_first: six_digits(mean(|tally| tally.from_first)),
        lowest: six_digits(slowest),
        lowest_communicator: communicator_name(layout, lowest),
        bound: bound.map(|(bound, _)| six_digits(bound)),
        bound_kind: bound.map(|(_, kind)| kind),
        share: bound
            .filter(|(bound, _)| *bound > 0.0)
            .map(|_| share(shares().sum::<f64>() / shares().count() as f64)),
    })
}

fn lower(one: (CommunicatorKey, f64), other: (CommunicatorKey, f64)) -> (CommunicatorKey, f64) {
    if other.1 < one.1 { other } else { one }
}
