//! The roots of congestion trees against those of Rocher-Gonzalez et al. (section IV.B), in scenarios 1, 2 and 5 of
//! their configuration 2, with deterministic (DR) and adaptive routing (AR).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use netloom_lab::{Options, Overrides, Source, Style, prepare};
use netloom_records::{CongestionRow, MemorySink, Names, Part, Role};
use netloom_units::{NodeId, Time};

use crate::scenes::simulated;

/// All flows send from the start until this instant.
const STOP: Time = Time(200_000_000);
/// Temporary roots have disappeared by this instant.
const STEADY: Time = Time(100_000_000);

struct Rows {
    names: Names,
    rows: MemorySink,
}

fn reported(name: &str, set: &[(&str, &str)]) -> Rows {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/infiniband").join(name);
    let set = set.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let prepared = prepare(&Source::file(path), &Overrides { set, ..Overrides::default() });
    let prepared = prepared.unwrap_or_else(|error| panic!("{}", error.render(Style::Plain)));
    let (_, rows) = simulated(&prepared, Options::default());
    Rows { names: prepared.names(), rows }
}

impl Rows {
    fn name(&self, node: NodeId) -> &str {
        &self.names.nodes[node.index()]
    }

    fn port(&self, row: &CongestionRow) -> String {
        format!("{} to {}", self.name(row.node), self.name(row.peer))
    }

    /// Ports that have a role in every interval between two instants.
    fn always(&self, role: Role, (from, to): (Time, Time)) -> BTreeSet<String> {
        let within = || self.rows.congestion.iter().filter(move |row| row.start >= from && row.end <= to);
        let n_spans = within().map(|row| row.end).collect::<BTreeSet<_>>().len();
        let mut spans: BTreeMap<String, usize> = BTreeMap::new();
        for row in within().filter(|row| row.role == role) {
            *spans.entry(self.port(row)).or_default() += 1;
        }
        assert!(n_spans >= 10);
        spans.into_iter().filter(|(_, n)| *n == n_spans).map(|(port, _)| port).collect()
    }

    /// Ports that ever have a role while all flows send.
    fn ever(&self, role: Role) -> BTreeSet<String> {
        let rows = self.rows.congestion.iter().filter(|row| row.role == role && row.end <= STOP);
        rows.map(|row| self.port(row)).collect()
    }

    /// Pairs of hosts whose flows ever have a role while all send.
    fn pairs(&self, part: Part) -> BTreeSet<String> {
        let rows = self.rows.congested_flows.iter().filter(|row| row.part == part && row.end <= STOP);
        let pair = |source: u32, destination: u32| {
            [source, destination].map(|host| self.name(NodeId(host))).join("->")
        };
        rows.map(|row| pair(row.source.0, row.destination.0)).collect()
    }

    fn steady(&self, role: Role) -> BTreeSet<String> {
        self.always(role, (STEADY, STOP))
    }
}

fn set<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.map(str::to_owned).into()
}

#[test]
fn scenario_1_deterministic_has_its_root_where_the_senders_converge() {
    let reported = reported("c2.yaml", &[]);
    assert_eq!(reported.steady(Role::Root), set(["LID8 to LID6"]));
    assert_eq!(reported.ever(Role::Root), set(["LID8 to LID6"]));
    assert_eq!(reported.ever(Role::Branch), set([]));
    assert_eq!(reported.steady(Role::Leaf), set(["node1 to LID8", "node2 to LID8", "node3 to LID8"]));
    assert_eq!(reported.pairs(Part::Victim), set([]));
}

#[test]
fn scenario_1_adaptive_moves_the_root_to_the_last_link() {
    let reported = reported("c2_1_ar.yaml", &[]);
    assert_eq!(reported.steady(Role::Root), set(["LID7 to node4"]));
    // "Two roots of congestion immediately form at the egress ports of the uplinks at LID 8."
    assert_eq!(reported.ever(Role::Root), set(["LID7 to node4", "LID8 to LID5", "LID8 to LID6"]));
    let branches = ["LID8 to LID5", "LID8 to LID6", "LID5 to LID7", "LID6 to LID7"];
    assert_eq!(reported.steady(Role::Branch), set(branches));
    assert_eq!(reported.pairs(Part::Contributor).len(), 3);
}

#[test]
fn scenario_2_deterministic_has_its_root_at_the_spine_of_the_table() {
    let reported = reported("c2_2_dr.yaml", &[]);
    assert_eq!(reported.steady(Role::Root), set(["LID6 to LID7"]));
    assert_eq!(reported.ever(Role::Root), set(["LID6 to LID7"]));
    assert_eq!(reported.steady(Role::Branch), set(["LID8 to LID6", "LID14 to LID6", "LID13 to LID6"]));
}

#[test]
fn scenario_2_adaptive_has_branches_on_every_uplink_of_senders() {
    let reported = reported("c2_2_ar.yaml", &[]);
    assert_eq!(reported.steady(Role::Root), set(["LID7 to node4"]));
    // "Temporary roots of congestion will form at both root switches."
    assert_eq!(reported.ever(Role::Root), set(["LID7 to node4", "LID5 to LID7", "LID6 to LID7"]));
    let uplinks =
        ["LID8", "LID14", "LID13"].iter().flat_map(|leaf| ["LID5", "LID6"].map(|spine| (leaf, spine)));
    let uplinks: BTreeSet<String> = uplinks.map(|(leaf, spine)| format!("{leaf} to {spine}")).collect();
    assert_eq!(reported.steady(Role::Branch), &uplinks | &set(["LID5 to LID7", "LID6 to LID7"]));
}

#[test]
fn scenario_5_has_a_victim_with_adaptive_routing_only() {
    let by_tables = reported("c2_5_dr.yaml", &[]);
    assert_eq!(by_tables.steady(Role::Root), set(["LID6 to LID7"]));
    assert_eq!(by_tables.pairs(Part::Victim), set([]));
    assert_eq!(by_tables.pairs(Part::Contributor), set(["node1->node4", "node37->node4"]));

    let adaptive = reported("c2_5_ar.yaml", &[]);
    assert_eq!(adaptive.steady(Role::Root), set(["LID7 to node4"]));
    let branches = adaptive.steady(Role::Branch);
    assert!(branches.is_superset(&set(["LID14 to LID5", "LID14 to LID6"])), "{branches:?}");
    assert_eq!(adaptive.pairs(Part::Victim), set(["node39->node28"]));
    assert_eq!(adaptive.pairs(Part::Contributor), set(["node1->node4", "node37->node4"]));
}

#[test]
fn branches_lead_to_the_root() {
    let reported = reported("c2_5_ar.yaml", &[]);
    let rows: Vec<&CongestionRow> =
        reported.rows.congestion.iter().filter(|row| row.start >= STEADY && row.end <= STOP).collect();
    for row in rows.iter().filter(|row| matches!(row.role, Role::Branch | Role::Leaf)) {
        let mut workspace = *row;
        let mut steps = 0;
        while let Some(next) = workspace.blocked_by {
            workspace =
                rows.iter().find(|other| other.end == row.end && other.port == next).expect("it has a row");
            steps += 1;
            assert!(steps < 5, "paths in a tree of three tiers are not longer");
        }
        assert_eq!(reported.port(workspace), "LID7 to node4");
    }
}

#[test]
fn a_flow_that_reaches_its_rate_is_not_a_victim() {
    let rate = |rate| reported("c2_5_ar.yaml", &[("flows.list.2.rate", rate)]);
    assert_eq!(rate("50Gbps").pairs(Part::Victim), set([]));
    assert_eq!(rate("190Gbps").pairs(Part::Victim), set(["node39->node28"]));
}

#[test]
fn without_an_interval_stages_are_evaluated() {
    let reported = reported("c2_5_ar.yaml", &[("record.congestion.interval", "none")]);
    let spans: BTreeSet<_> = reported.rows.congestion.iter().map(|row| (row.start.0, row.end.0)).collect();
    assert_eq!(spans, BTreeSet::from([(50_000_000, 200_000_000)]));
    let roots = reported.rows.congestion.iter().filter(|row| row.role == Role::Root);
    assert_eq!(roots.map(|row| reported.port(row)).collect::<BTreeSet<_>>(), set(["LID7 to node4"]));
    assert_eq!(reported.pairs(Part::Victim), set(["node39->node28"]));
    // The link sends half of the time, and lacks credits in the other half.
    let uplink =
        reported.rows.congestion.iter().find(|row| reported.port(row) == "LID14 to LID5").expect("a branch");
    let share = |span: u64| span as f64 / 150e6;
    assert!((share(uplink.sending.0) - 0.5).abs() < 0.02, "{uplink:?}");
    assert!((share(uplink.credit_stalled.0) - 0.5).abs() < 0.03, "{uplink:?}");
}
