//! The forwarding tables of switches: the egress links of each for packets to each host.
//!
//! Models: static routes, and for the rest the ports that the balancing policy may choose for data packets; consecutive
//! hosts with equal entries share a row.
//! Leaves out: failed links; tables are those of the fabric without failures.
//!
//! Invariants: the policy's own code chooses, so the tables shown are those simulated; rows are in the order of
//! switches, then of hosts.

use std::ops::{Range, RangeInclusive};

use netloom_model::{Model, PortSet, StaticTable};
use netloom_policy::balance::{Balancer, Chosen, PacketView, Ports, SPECS, deterministic};
use netloom_scenario::{Overrides, hint};
use netloom_units::{HostId, NodeId};
use serde::Serialize;

use super::ShowError;
use crate::error::LabError;
use crate::prepare::{Prepared, prepare};
use crate::source::Source;

/// Most pairs, of switch and host or of hosts, that are examined.
pub(super) const MOST_PAIRS: u64 = 1_000_000;

/// Selects tables and entries by names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only that of this switch.
    pub at: Option<String>,
    /// Only for packets from this host.
    pub from: Option<String>,
    /// Only for packets to this host.
    pub to: Option<String>,
}

/// Tables of switches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RouteTables {
    /// The balancing policy at switches.
    pub policy: String,
    /// Whether entries depend on the sender, and no sender was selected.
    pub depends_on_source: bool,
    /// The switches with their tables.
    pub switches: Vec<SwitchTable>,
}

/// The table of a switch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SwitchTable {
    /// The switch.
    pub at: String,
    /// Its rows.
    pub rows: Vec<RouteRow>,
}

/// The egress links of a switch for packets to some hosts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RouteRow {
    /// The first of the hosts.
    pub to: String,
    /// The last of them.
    pub to_last: String,
    /// Number of these hosts.
    pub hosts: u32,
    /// The sender, if the entry depends on it.
    pub from: Option<String>,
    /// The links that packets may leave by.
    pub links: Vec<String>,
    /// Whether it is a static route.
    pub is_static: bool,
}

/// The tables of a scenario's switches.
///
/// # Errors
/// If the scenario has errors, a name is unknown, or too many entries are selected.
pub fn routes(
    source: &Source,
    overrides: &Overrides,
    selection: &Selection,
) -> Result<RouteTables, LabError> {
    let prepared = prepare(source, overrides)?;
    let asked = Asked::of(&prepared, selection)?;
    let n_pairs = asked.switches.len() as u64 * asked.hosts.len() as u64;
    if n_pairs > MOST_PAIRS {
        return Err(ShowError::TooManyRoutes { n_pairs, most: MOST_PAIRS }.into());
    }
    Ok(RouteTables {
        policy: policy_name(&prepared.compiled.model.balances.switch),
        depends_on_source: asked.is_source_missing,
        switches: asked.switches.clone().map(|at| asked.table(NodeId(at))).collect(),
    })
}

/// The name of a chosen policy.
pub(super) fn policy_name(chosen: &Chosen) -> String {
    match chosen {
        Chosen::Registered { number, .. } => SPECS[*number].name.to_owned(),
        Chosen::Dyn(_) => "a policy from outside".to_owned(),
    }
}

/// The egress ports of a node for packets from one host to another; static routes take precedence.
pub(super) fn may_leave(
    model: &Model,
    at: NodeId,
    from: HostId,
    to: HostId,
    static_table: Option<&StaticTable>,
    balancer: &mut Balancer,
) -> Vec<u32> {
    match static_table.and_then(|table| table.port(to, || from)) {
        Some(port) => vec![port],
        None => may_choose(model, at, from, to, balancer),
    }
}

/// The ports among which a node's policy may choose.
fn may_choose(model: &Model, at: NodeId, from: HostId, to: HostId, balancer: &mut Balancer) -> Vec<u32> {
    let set = model.routing.next_hops(at, to);
    if set.len() < 2 {
        return set.iter().collect();
    }
    let packet = PacketView {
        entropy: 0,
        sequence: 0,
        bytes: 0,
        class: model.classes.data,
        tag: 0,
        is_data: true,
        may_reorder: true,
        is_drained: false,
        ingress: 0,
        destination: to,
        message: 0,
        senders: &from,
    };
    balancer.may_take(&packet, &NextHops(set)).into_iter().map(|candidate| set.get(candidate)).collect()
}

/// The selection, by numbers.
struct Asked<'a> {
    model: &'a Model,
    node_names: &'a [String],
    link_names: &'a [String],
    switches: Range<u32>,
    hosts: Range<u32>,
    from: Option<HostId>,
    /// Whether tables are by source, and none was named.
    is_source_missing: bool,
}

/// A row, by numbers.
struct Row {
    to: RangeInclusive<u32>,
    from: Option<HostId>,
    ports: Vec<u32>,
    is_static: bool,
}

/// Next hops of which only the ports are known.
struct NextHops<'a>(PortSet<'a>);

impl Ports for NextHops<'_> {
    fn n_minimal(&self) -> usize {
        self.0.len()
    }
    fn n_non_minimal(&self) -> usize {
        0
    }
    fn port(&self, candidate: usize) -> u32 {
        self.0.get(candidate)
    }
    fn waiting_bytes(&mut self, _: usize) -> u64 {
        0
    }
    fn waiting_packets(&mut self, _: usize) -> u64 {
        0
    }
}

impl<'a> Asked<'a> {
    fn of(prepared: &'a Prepared, selection: &Selection) -> Result<Asked<'a>, ShowError> {
        let compiled = &prepared.compiled;
        let n_hosts = prepared.n_hosts();
        let n_nodes = compiled.node_names.len() as u32;
        let find = |name: &String, what, among: Range<u32>| -> Result<u32, ShowError> {
            let names = &compiled.node_names[among.start as usize..among.end as usize];
            let found = names.iter().position(|known| known == name);
            let slot = found.ok_or_else(|| {
                let hint = hint(name, names.iter().map(String::as_str));
                ShowError::NoNode { what, name: name.clone(), hint }
            })?;
            Ok(among.start + slot as u32)
        };
        let host = |name| find(name, "host", 0..n_hosts);
        let only = |number: u32| number..number + 1;
        let at = selection.at.as_ref().map(|name| find(name, "switch", n_hosts..n_nodes)).transpose()?;
        let to = selection.to.as_ref().map(host).transpose()?;
        let from = selection.from.as_ref().map(host).transpose()?.map(HostId);
        let is_by_pair = deterministic::goes_by_pair(&compiled.model.balances.switch);
        Ok(Asked {
            model: &compiled.model,
            node_names: &compiled.node_names,
            link_names: &compiled.link_names,
            switches: at.map_or(n_hosts..n_nodes, only),
            hosts: to.map_or(0..n_hosts, only),
            from,
            is_source_missing: is_by_pair && from.is_none(),
        })
    }

    fn table(&self, at: NodeId) -> SwitchTable {
        let neighbours = self.model.fabric.neighbours(at);
        let behind = self.model.behind(at);
        let position = self.model.position(at, &neighbours, &behind);
        let mut balancer = Balancer::instantiate(&self.model.balances.switch, position);
        let static_table = StaticTable::of(&self.model.balances.static_routes, at);
        let mut rows: Vec<Row> = Vec::new();
        for to in self.hosts.clone().map(HostId).filter(|&to| self.from != Some(to)) {
            for row in self.rows(at, to, static_table.as_ref(), &mut balancer) {
                join(&mut rows, row);
            }
        }
        let rows = rows.iter().map(|row| self.described(at, row)).collect();
        SwitchTable { at: self.name(at.0), rows }
    }

    /// The rows of a switch for packets to a host; the one for any source comes first.
    fn rows(&self, at: NodeId, to: HostId, table: Option<&StaticTable>, balancer: &mut Balancer) -> Vec<Row> {
        let row = |from, ports, is_static| Row { to: to.0..=to.0, from, ports, is_static };
        let entries = table.map_or(&[][..], |table| table.towards(to));
        let listed = match self.from {
            Some(source) => table.and_then(|table| table.port(to, || source)),
            None => entries.first().filter(|entry| entry.from.is_none()).map(|entry| entry.port),
        };
        let mut rows = vec![match listed {
            Some(port) => row(None, vec![port], true),
            None => row(None, self.ports(at, to, balancer), false),
        }];
        if self.from.is_none() {
            let sourced = entries.iter().filter(|entry| entry.from.is_some());
            rows.extend(sourced.map(|entry| row(entry.from, vec![entry.port], true)));
        }
        rows
    }

    /// The egress ports for packets to a host without a static route.
    fn ports(&self, at: NodeId, to: HostId, balancer: &mut Balancer) -> Vec<u32> {
        if self.is_source_missing {
            return self.model.routing.next_hops(at, to).iter().collect();
        }
        may_choose(self.model, at, self.from.unwrap_or_default(), to, balancer)
    }

    fn name(&self, node: u32) -> String {
        self.node_names[node as usize].clone()
    }

    fn described(&self, at: NodeId, row: &Row) -> RouteRow {
        let ports = self.model.fabric.ports_of(at);
        let link = |&port: &u32| self.link_names[ports[port as usize].link.index()].clone();
        RouteRow {
            to: self.name(*row.to.start()),
            to_last: self.name(*row.to.end()),
            hosts: row.to.end() - row.to.start() + 1,
            from: row.from.map(|host| self.name(host.0)),
            links: row.ports.iter().map(link).collect(),
            is_static: row.is_static,
        }
    }
}

/// Appends a row, or extends the last one if its entry is the same and its host is the next one.
fn join(rows: &mut Vec<Row>, row: Row) {
    let is_plain = row.from.is_none();
    match rows.last_mut() {
        Some(last)
            if is_plain
                && last.from.is_none()
                && last.to.end() + 1 == *row.to.start()
                && last.is_static == row.is_static
                && last.ports == row.ports =>
        {
            last.to = *last.to.start()..=*row.to.end();
        }
        _ => rows.push(row),
    }
}
