//! The congestion tree over a run: for how long each port was a root, a branch or a leaf, and each pair of hosts a
//! victim.
//!
//! Invariants: roles are those of tables `congestion` and `congested_flows`; memory grows with ports and with pairs of
//! hosts whose flows pass congested ports.

use std::collections::BTreeMap;

use netloom_records::{CongestedFlowRow, CongestionRow, Names, Part, Role};
use netloom_units::{Duration, HostId, NodeId, PortId, Time};
use serde::{Deserialize, Serialize};

/// The congestion tree of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CongestionSummary {
    /// Time in which any port was congested or starved.
    pub judged_s: f64,
    /// Ports that were a root, those with the longest time first.
    pub roots: Vec<PortTime>,
    /// Ports that were a branch, those with the longest time first.
    pub branches: Vec<PortTime>,
    /// Ports of hosts that were a leaf, those with the longest time first.
    pub leaves: Vec<PortTime>,
    /// Pairs of hosts whose flows were victims, those with the longest time first.
    pub victims: Vec<PairTime>,
    /// Pairs of hosts whose flows passed a root, those with the longest time first.
    pub contributors: Vec<PairTime>,
}

/// A port and the time in which it had a role.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PortTime {
    /// Global port number.
    pub port: u32,
    /// The node it belongs to.
    pub node: String,
    /// The node at the other end of its link.
    pub towards: String,
    /// For how long.
    pub time_s: f64,
}

/// A pair of hosts and the time in which its flows had a role.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairTime {
    /// The host that sends.
    pub source: String,
    /// The host that receives.
    pub destination: String,
    /// For how long.
    pub time_s: f64,
}

/// Collects the rows.
#[derive(Debug, Default)]
pub(super) struct Tally {
    judged: Duration,
    latest: Option<Time>,
    ports: BTreeMap<(Role, PortId), (NodeId, NodeId, Duration)>,
    pairs: BTreeMap<(Part, HostId, HostId), Duration>,
    /// The span and pair of the last row: a pair has a row for each port it passes.
    last_pair: Option<(Time, HostId, HostId)>,
}

impl Tally {
    pub(super) fn ports(&mut self, rows: &[CongestionRow]) {
        for row in rows {
            let span = row.end.since(row.start);
            if self.latest != Some(row.end) {
                self.latest = Some(row.end);
                self.judged = Duration(self.judged.0 + span.0);
            }
            let of_port =
                self.ports.entry((row.role, row.port)).or_insert((row.node, row.peer, Duration::ZERO));
            of_port.2 = Duration(of_port.2.0 + span.0);
        }
    }

    pub(super) fn flows(&mut self, rows: &[CongestedFlowRow]) {
        for row in rows {
            let pair = Some((row.end, row.source, row.destination));
            if self.last_pair != pair {
                self.last_pair = pair;
                let time = self.pairs.entry((row.part, row.source, row.destination)).or_default();
                *time = Duration(time.0 + row.end.since(row.start).0);
            }
        }
    }

    pub(super) fn finish(&self, names: &Names) -> Option<CongestionSummary> {
        self.latest?;
        Some(CongestionSummary {
            judged_s: self.judged.as_seconds(),
            roots: self.of_role(Role::Root, names),
            branches: self.of_role(Role::Branch, names),
            leaves: self.of_role(Role::Leaf, names),
            victims: self.of_part(Part::Victim, names),
            contributors: self.of_part(Part::Contributor, names),
        })
    }

    fn of_role(&self, wanted: Role, names: &Names) -> Vec<PortTime> {
        let found = self.ports.iter().filter(|((role, _), _)| *role == wanted);
        let port =
            |(&(_, PortId(port)), &(from, to, time)): (&(Role, PortId), &(NodeId, NodeId, Duration))| {
                let (node, towards) = (names.node(from), names.node(to));
                PortTime { port, node, towards, time_s: time.as_seconds() }
            };
        let mut ports: Vec<PortTime> = found.map(port).collect();
        ports.sort_by(|one, other| other.time_s.total_cmp(&one.time_s));
        ports
    }

    fn of_part(&self, wanted: Part, names: &Names) -> Vec<PairTime> {
        let found = self.pairs.iter().filter(|((part, ..), _)| *part == wanted);
        let pair = |(&(_, source, destination), time): (&(Part, HostId, HostId), &Duration)| {
            let [source, destination] = [source, destination].map(|host| names.node(NodeId(host.0)));
            PairTime { source, destination, time_s: time.as_seconds() }
        };
        let mut pairs: Vec<PairTime> = found.map(pair).collect();
        pairs.sort_by(|one, other| other.time_s.total_cmp(&one.time_s));
        pairs
    }
}
