//! Finite flows, listed and from a file: hosts are looked up, and each flow that waits for another is checked to know of
//! it.
//!
//! Models: a host knows that a flow has completed if it has received it, or if it has sent it and all of it is
//! acknowledged; nothing else, because nothing travels without a link.
//!
//! Invariants: the rows of a file are shared with the resolved scenario, not copied, unless flows are listed beside them;
//! listed flows are numbered behind the rows.

use std::collections::BTreeMap;
use std::sync::Arc;

use netloom_model::{FiniteFlow, FiniteFlows, KnownAt};
use netloom_units::{HostId, NodeId, Rate};

use super::built_fabric::BuiltFabric;
use super::classes;
use crate::diagnostic::Problems;
use crate::location::{Located, Location};
use crate::resolve::Draft;
use crate::resolved::sections::OPEN_LOOP;
use crate::resolved::{Flow, FlowFile, FlowTable, Flows};

/// Most mistakes in rows that are reported.
const MOST_REPORTED: usize = 1_000;

/// The flows, or a report of the errors; none if there are none.
pub(super) fn flows(
    draft: &Draft,
    built_fabric: &BuiltFabric,
    problems: &mut Problems,
) -> Option<FiniteFlows> {
    let (wanted, transport) = (draft.flows.as_ref()?, draft.transport.as_ref()?);
    let table = wanted.table();
    if (wanted.file.is_some() && table.is_none()) || (table.is_none() && wanted.finite().next().is_none()) {
        return None;
    }
    let n_before = problems.len();
    let names = table.map_or(&[][..], |table| &table.hosts);
    let hosts = names.iter().filter_map(|name| built_fabric.host_or_number(name, problems));
    let mut maker = Maker { wanted, built_fabric, ends: hosts.collect(), by_name: BTreeMap::new() };
    let flows = maker.flows(table, problems);
    if problems.len() > n_before || table.is_some_and(|table| !table.is_complete) {
        return None;
    }
    let services = classes::services(draft);
    let made = FiniteFlows { flows, ends: maker.ends, services, fastest: fastest(built_fabric) };
    let check =
        Check { wanted, built_fabric, made: &made, has_responses: transport.spec.name != OPEN_LOOP.name };
    check.all(problems);
    (problems.len() == n_before).then_some(made)
}

/// The kind of traffic of each service: none, the kinds of a file, those of listed flows.
pub(super) fn kinds(flows: &Flows) -> impl Iterator<Item = Option<&Located<String>>> {
    let of_file = flows.table().map_or(&[][..], |table| &table.kinds);
    let listed = flows.finite().filter_map(|flow| flow.traffic.as_ref());
    let is_any = flows.table().is_some() || flows.finite().next().is_some();
    let none = is_any.then_some(None);
    none.into_iter().chain(of_file.iter().map(Some)).chain(distinct(listed).map(Some))
}

/// The kinds that finite flows have, and none if some flow has no kind.
pub(super) fn used_kinds(flows: &Flows) -> impl Iterator<Item = Option<&Located<String>>> {
    let rows = flows.table().into_iter().flat_map(|table| table.flows.iter());
    let is_unnamed =
        rows.map(|row| row.service == 0).chain(flows.finite().map(|flow| flow.traffic.is_none()));
    let none = is_unnamed.into_iter().any(|is_unnamed| is_unnamed).then_some(None);
    none.into_iter().chain(kinds(flows).flatten().map(Some))
}

/// The first of each name.
fn distinct<'a>(
    names: impl Iterator<Item = &'a Located<String>>,
) -> impl Iterator<Item = &'a Located<String>> {
    let mut seen = std::collections::BTreeSet::new();
    names.filter(move |name| seen.insert(name.value.as_str()))
}

/// The highest total rate of a host.
fn fastest(built_fabric: &BuiltFabric) -> Rate {
    let fabric = &built_fabric.built.fabric;
    let sum = |host: u32| {
        fabric.ports_of(NodeId(host)).iter().fold(0, |sum: u64, port| sum.saturating_add(port.rate.0))
    };
    Rate((0..fabric.n_hosts() as u32).map(sum).max().unwrap_or(0).max(1))
}

struct Maker<'a> {
    wanted: &'a Flows,
    built_fabric: &'a BuiltFabric,
    /// Hosts by their index in flows: those of the file, then those of listed flows.
    ends: Vec<HostId>,
    /// The numbers of the listed flows so far, by their names.
    by_name: BTreeMap<&'a str, u32>,
}

impl<'a> Maker<'a> {
    fn flows(&mut self, table: Option<&FlowTable>, problems: &mut Problems) -> Arc<Vec<FiniteFlow>> {
        let rows = table.map(|table| Arc::clone(&table.flows)).unwrap_or_default();
        let listed: Vec<&'a Flow> = self.wanted.finite().collect();
        if listed.is_empty() {
            return rows;
        }
        let services: Vec<Option<&str>> =
            kinds(self.wanted).map(|kind| kind.map(|kind| kind.value.as_str())).collect();
        let mut all = rows.to_vec();
        for flow in listed {
            let made = self.flow(flow, &services, problems);
            self.by_name.insert(&flow.name.value, all.len() as u32);
            all.extend(made);
        }
        Arc::new(all)
    }

    fn flow(
        &mut self,
        wanted: &Flow,
        services: &[Option<&str>],
        problems: &mut Problems,
    ) -> Option<FiniteFlow> {
        let ends = [&wanted.from, &wanted.to].map(|name| self.built_fabric.host(name, problems));
        let after = wanted.after.as_ref().map(|name| self.before(name, problems));
        let [Some(source), Some(destination)] = ends else { return None };
        let after = match after {
            Some(found) => found?,
            None => FiniteFlow::NONE,
        };
        let first = self.ends.len() as u32;
        self.ends.extend([source, destination]);
        let kind = wanted.traffic.as_ref().map(|kind| kind.value.as_str());
        let service = services.iter().position(|name| *name == kind).unwrap_or(0) as u16;
        let (start, size) =
            (wanted.settings.settings.duration("start"), wanted.settings.settings.size("size"));
        Some(FiniteFlow { start, size, source: first, destination: first + 1, after, service })
    }

    /// The number of the flow that another one waits for.
    fn before(&self, name: &Located<String>, problems: &mut Problems) -> Option<u32> {
        if let Some(found) = self.by_name.get(name.value.as_str()) {
            return Some(*found);
        }
        let named = self.wanted.list.value.iter().find(|flow| flow.name.value == name.value);
        let help = problems.hint(&name.value, self.by_name.keys().copied());
        match named {
            Some(flow) if flow.is_finite() => {
                let report = problems
                    .report(name.location, format!("`{}` does not come before this flow", name.value));
                report.label("expected an earlier one").related(flow.name.location, "it is here");
                report.help("list it first");
            }
            Some(flow) => {
                let report = problems.report(name.location, format!("`{}` never completes", name.value));
                report
                    .label("expected a flow with a `size`")
                    .related(flow.name.location, "it stops at an instant");
            }
            None => {
                let report = problems.report(name.location, format!("there is no flow `{}`", name.value));
                report.label("expected the name of an earlier flow").maybe_help(help);
            }
        }
        None
    }
}

/// Checks of flows whose hosts are known.
struct Check<'a> {
    wanted: &'a Flows,
    built_fabric: &'a BuiltFabric,
    made: &'a FiniteFlows,
    /// Whether receivers acknowledge.
    has_responses: bool,
}

impl Check<'_> {
    fn all(&self, problems: &mut Problems) {
        let flows = &self.made.flows;
        let mut n_reported = 0;
        for (number, flow) in (0..).zip(flows.iter()) {
            let Some(message) = self.wrong(flow) else { continue };
            n_reported += 1;
            if n_reported > MOST_REPORTED {
                problems.report(self.wanted.list.location, String::new());
                continue;
            }
            let (location, line) = self.location(number);
            let before = flow.waits_for().map(|before| flows[before as usize]);
            let help = before.map(|before| self.help(flow, &before));
            let report = problems.report(location, line + &message.0);
            report.label(message.1).maybe_help(help);
        }
    }

    /// What is wrong with a flow, and the words under the caret.
    fn wrong(&self, flow: &FiniteFlow) -> Option<(String, &'static str)> {
        if self.made.source(flow) == self.made.destination(flow) {
            return Some((
                "a flow goes from one host to another".to_owned(),
                "a number and a name of the same host",
            ));
        }
        let before = &self.made.flows[flow.waits_for()? as usize];
        let source = self.built_fabric.host_name(self.made.source(flow));
        match self.made.known_at(flow, before) {
            None => Some((
                format!("`{source}` cannot know when the flow before has completed"),
                "neither sends nor receives it",
            )),
            Some(KnownAt::Source) if !self.has_responses => {
                let message = format!(
                    "without acknowledgements `{source}` cannot know when the flow that it sent has completed"
                );
                Some((message, "sent by the same host, with `open_loop`"))
            }
            Some(_) => None,
        }
    }

    fn help(&self, flow: &FiniteFlow, before: &FiniteFlow) -> String {
        let [from, to] = [self.made.source(before), self.made.destination(before)]
            .map(|host| self.built_fabric.host_name(host));
        if self.made.known_at(flow, before).is_some() {
            return format!(
                "let it wait for a flow that it receives, or choose a transport with acknowledgements; {to} knows, too"
            );
        }
        format!(
            "the flow before goes from {from} to {to}: let a small flow from there to this sender come between them"
        )
    }

    /// Where a flow is written, and the start of a message about it.
    fn location(&self, number: u32) -> (Location, String) {
        let n_rows = self.wanted.table().map_or(0, |table| table.flows.len() as u32);
        if let Some(listed) = number.checked_sub(n_rows) {
            let flow = self.wanted.finite().nth(listed as usize).expect("it is listed");
            return (flow.after.as_ref().map_or(flow.to.location, |after| after.location), String::new());
        }
        let FlowFile { path, table, .. } = self.wanted.file.as_ref().expect("it has rows");
        let known = table.as_ref().and_then(|table| table.location_of_after(number));
        known.map_or_else(
            || (path.location, format!("line {}: ", FlowTable::line_of(number))),
            |location| (location, String::new()),
        )
    }
}
