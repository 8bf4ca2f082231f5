//! Staged flows: hosts are looked up, rates are checked against NICs, and the stages are computed.
//!
//! Invariants: what compiles has a bounded number of messages and of rows, and every flow is measured in some stage.

use std::collections::{BTreeMap, BTreeSet};

use netloom_model::{FabricService, NamedFlow, Posting, Stage, StagedFlow, StagedFlows};
use netloom_units::{Bytes, HostId, NodeId, Rate, Time};

use super::built_fabric::BuiltFabric;
use super::choices::optional_rate;
use crate::diagnostic::Problems;
use crate::location::Location;
use crate::quantity::{self, Dimension};
use crate::resolve::Draft;
use crate::resolved::sections::OPEN_LOOP;
use crate::resolved::{Flow, Flows, Parameters, queue_pairs};

/// Flow numbers have 16 bits.
const MOST_FLOWS: usize = u16::MAX as usize;
/// Most stages times flows: rows of the table `stages`.
const MOST_ROWS: usize = 100_000;
/// A host numbers its messages in 32 bits.
const MOST_MESSAGES: u128 = u32::MAX as u128;
const PS_PER_BYTE_AT_1BPS: u128 = 8_000_000_000_000;

/// The flows, or a report of the errors.
pub(super) fn flows(
    draft: &Draft,
    built_fabric: &BuiltFabric,
    problems: &mut Problems,
) -> Option<StagedFlows> {
    let (wanted, transport) = (draft.flows.as_ref()?, draft.transport.as_ref()?);
    wanted.staged().next()?;
    if let Some(flow) = wanted.staged().nth(MOST_FLOWS) {
        let report = problems.report(flow.name.location, format!("more than {MOST_FLOWS} flows"));
        report.label("one too many").help("merge flows between the same two hosts");
        return None;
    }
    let n_before = problems.len();
    let message = wanted.settings.settings.size("message");
    let maker = Maker { wanted, transport, built_fabric, message };
    let flows: Vec<_> = wanted.staged().filter_map(|flow| maker.flow(flow, problems)).collect();
    if problems.len() > n_before {
        return None;
    }
    maker.countable(&flows, problems);
    let stages = maker.stages(&flows, problems)?;
    let posted = wanted.settings.settings.count("posted") as u32;
    let posting = if is_open_loop(transport) { Posting::Clocked } else { Posting::Acknowledged { posted } };
    Some(StagedFlows { flows, stages, message, posting })
}

/// The pairs of hosts with flows: the default selection of rates over time.
pub(super) fn pairs(staged: &StagedFlows) -> Vec<NamedFlow> {
    let pair =
        |flow: &StagedFlow| NamedFlow { source: flow.source, destination: flow.destination, number: None };
    let pairs: BTreeSet<NamedFlow> = staged.flows.iter().map(pair).collect();
    pairs.into_iter().collect()
}

fn is_open_loop(transport: &Parameters) -> bool {
    transport.spec.name == OPEN_LOOP.name
}

struct Maker<'a> {
    wanted: &'a Flows,
    transport: &'a Parameters,
    built_fabric: &'a BuiltFabric,
    message: Bytes,
}

impl Maker<'_> {
    fn flow(&self, wanted: &Flow, problems: &mut Problems) -> Option<StagedFlow> {
        let ends = [&wanted.from, &wanted.to].map(|name| self.built_fabric.host(name, problems));
        let [Some(source), Some(destination)] = ends else { return None };
        let [start, stop] = ["start", "stop"].map(|key| Time::ZERO + wanted.settings.settings.duration(key));
        let given = optional_rate(&wanted.settings, "rate");
        let most = self.fastest(source, destination);
        if let Some(rate) = given {
            self.can_go_at(rate, most, wanted, problems)?;
        }
        let flow =
            StagedFlow { source, destination, start, stop, rate: given, handling: FabricService::default() };
        self.is_worth_a_message(flow, given.unwrap_or(most), wanted, problems)?;
        // An open-loop flow needs a rate: its own, or that of the transport, or the link rate.
        let clock = || optional_rate(self.transport, "rate").unwrap_or(most);
        let rate = if is_open_loop(self.transport) { Some(given.unwrap_or_else(clock)) } else { given };
        Some(StagedFlow { rate, ..flow })
    }

    /// The highest rate of a flow over the ports towards its destination: a queue pair uses one of them, packets
    /// without queue pairs use all.
    fn fastest(&self, source: HostId, destination: HostId) -> Rate {
        let built = &self.built_fabric.built;
        let ports = built.fabric.ports_of(NodeId(source.0));
        let next_hops = built.routing.next_hops(NodeId(source.0), destination);
        let rates = next_hops.iter().map(|port| ports[port as usize].rate);
        match queue_pairs::rule(self.transport.spec) {
            Some(_) => rates.max().unwrap_or(Rate(0)),
            None => Rate(rates.fold(0, |sum: u64, rate| sum.saturating_add(rate.0))),
        }
    }

    fn can_go_at(&self, rate: Rate, most: Rate, wanted: &Flow, problems: &mut Problems) -> Option<()> {
        let location = wanted.settings.location_of("rate");
        let name = self.transport.spec.name;
        if !is_open_loop(self.transport) && queue_pairs::rule(self.transport.spec).is_none() {
            let report = problems.report(location, format!("transport `{name}` does not pace flows"));
            report.label("has no effect here");
            report
                .help("remove it, or choose `transport: open_loop`, or one with queue pairs such as `ideal`");
            return None;
        }
        if rate <= most {
            return Some(());
        }
        let line = quantity::print(most.0, Dimension::Rate);
        let report = problems.report(location, format!("`{}` cannot send at this rate", wanted.from.value));
        report.label("above the rate of its NIC");
        report.help(format!("at most `rate: {line}`; `none` is as fast as NIC and transport allow"));
        None
    }

    /// A flow that stops before its first message is sent would continue long after its stop.
    fn is_worth_a_message(
        &self,
        flow: StagedFlow,
        rate: Rate,
        wanted: &Flow,
        problems: &mut Problems,
    ) -> Option<()> {
        let span = (u128::from(self.message.0) * PS_PER_BYTE_AT_1BPS).div_ceil(u128::from(rate.0));
        if span <= u128::from(flow.stop.since(flow.start).0) {
            return Some(());
        }
        let size = quantity::print(self.message.0, Dimension::Size);
        let text = format!("the flow stops before a message of {size} has left");
        let report = problems.report(wanted.settings.location_of("stop"), text);
        report.label("too early for a single message");
        report.related(self.wanted.settings.location_of("message"), "its messages");
        report.help("a smaller `message` in `flows`, or a later `stop`");
        None
    }

    /// Message numbers are limited, for all messages of a host together.
    fn countable(&self, flows: &[StagedFlow], problems: &mut Problems) {
        let posted = u128::from(self.wanted.settings.settings.count("posted"));
        let mut of_host: BTreeMap<HostId, u128> = BTreeMap::new();
        for flow in flows {
            let lasts = u128::from(flow.stop.since(flow.start).0);
            let rate = flow.rate.unwrap_or_else(|| self.fastest(flow.source, flow.destination));
            let bytes = lasts * u128::from(rate.0) / PS_PER_BYTE_AT_1BPS;
            *of_host.entry(flow.source).or_default() += bytes / u128::from(self.message.0) + posted + 1;
        }
        if of_host.values().any(|&messages| messages > MOST_MESSAGES) {
            let location = self.wanted.settings.location_of("message");
            let text =
                format!("a host would send more than {MOST_MESSAGES} messages, the most it can number");
            let report = problems.report(location, text);
            report
                .label("too small for this duration")
                .help("a larger `message`, or flows that stop earlier");
        }
    }

    fn stages(&self, flows: &[StagedFlow], problems: &mut Problems) -> Option<Vec<Stage>> {
        let (boundaries, location) = self.boundaries(flows);
        let n_stages = boundaries.len() - 1;
        if n_stages.saturating_mul(flows.len()) > MOST_ROWS {
            let text = format!("{n_stages} stages of {} flows are too many to record", flows.len());
            let report = problems.report(location, text);
            report.label(format!("expected at most {MOST_ROWS} stages times flows"));
            report.help("fewer boundaries, given by `stages`, or fewer flows");
            return None;
        }
        let warm_up = self.wanted.settings.settings.duration("warm_up");
        let cut = |two: &[Time]| Stage { start: two[0], measured_from: two[0] + warm_up, end: two[1] };
        let stages: Vec<Stage> = boundaries.windows(2).map(cut).collect();
        if let Some(stage) = stages.iter().find(|stage| stage.measured_from >= stage.end) {
            let [start, end] =
                [stage.start, stage.end].map(|time| quantity::print(time.0, Dimension::Duration));
            let text = format!("`warm_up` leaves nothing to measure of the stage from {start} to {end}");
            let report = problems.report(self.wanted.settings.location_of("warm_up"), text);
            report.label("as long as that stage, or longer");
            report.help("a shorter `warm_up`, or longer stages");
            return None;
        }
        self.all_are_judged(flows, &stages, location, problems);
        Some(stages)
    }

    /// Where stages begin and end, and where that is written.
    fn boundaries(&self, flows: &[StagedFlow]) -> (Vec<Time>, Location) {
        if let Some(given) = &self.wanted.stages {
            let times = given.value.iter().map(|boundary| Time::ZERO + boundary.value);
            return (times.collect(), given.location);
        }
        let times: BTreeSet<Time> = flows.iter().flat_map(|flow| [flow.start, flow.stop]).collect();
        (times.into_iter().collect(), self.wanted.list.location)
    }

    fn all_are_judged(
        &self,
        flows: &[StagedFlow],
        stages: &[Stage],
        location: Location,
        problems: &mut Problems,
    ) {
        for (flow, wanted) in flows.iter().zip(self.wanted.staged()) {
            // Stages are in order: of those that begin before the flow stops, the last one ends last.
            let n_begun = stages.partition_point(|stage| stage.measured_from < flow.stop);
            if stages[..n_begun].last().is_some_and(|stage| stage.judges(flow)) {
                continue;
            }
            let report = problems.report(wanted.settings.location_of("stop"), "no stage measures this flow");
            report.label("does not send in the measured part of any stage");
            report.related(location, "the stages").help("boundaries in `stages` that enclose it, or `auto`");
        }
    }
}
