//! Balancing, transport, congestion control, queues, recording and the coordination delay.

use std::sync::Arc;

use netloom_model::static_routes::Entry;
use netloom_model::{
    Balances, CongestionTree, DataClasses, FlowHashInput, NamedFlow, Queues, RecordedCauses, Recording,
    Sampling, StagedFlows, Transport, TransportKind,
};
use netloom_policy::balance::{self, Chosen, OutsidePolicies};
use netloom_policy::edge::path_map::PathMap;
use netloom_policy::{congestion, edge};
use netloom_units::{Bytes, Duration, Rate, Value};

use super::built_fabric::BuiltFabric;
use super::{buffer, rdma};
use crate::diagnostic::Problems;
use crate::flow_name::FlowName;
use crate::location::Located;
use crate::quantity::{self, Dimension};
use crate::resolve::Draft;
use crate::resolved::{self, Balance, Congestion, Parameters, Record, Series, queue_pairs};

/// The delay of modelled barriers in a fabric whose links have no delay.
const WITHOUT_DELAYS: Duration = Duration::from_micros(1);

/// A balancing policy, of the registry or from outside.
pub(super) fn chosen(parameters: &Parameters, outside: &OutsidePolicies) -> Chosen {
    let (name, settings) = (parameters.spec.name, &parameters.settings);
    match balance::number_of(name) {
        Some(number) => Chosen::Registered { number, settings: settings.clone() },
        None => outside.chosen(name, settings).expect("read from one of the two"),
    }
}

/// The policies at hosts and switches, how paths are named, and explicit table entries.
pub(super) fn balances(
    (balance, outside): (&Balance, &OutsidePolicies),
    path_map: Option<Arc<PathMap>>,
    static_routes: Vec<Entry>,
) -> Balances {
    let helper = |parameters: &Parameters| edge::Chosen {
        number: edge::number_of(parameters.spec.name).expect("read from the registry"),
        settings: parameters.settings.clone(),
    };
    Balances {
        host: chosen(&balance.host, outside),
        switch: chosen(&balance.switch, outside),
        control: balance.control.as_ref().map(|control| chosen(control, outside)),
        edge: balance.edge.as_ref().map(helper),
        path_map,
        static_routes,
    }
}

/// How senders react to congestion, given the largest round trip of the fabric without queues.
pub(super) fn congestion(
    Congestion { kind, table }: &Congestion,
    round_trip: Duration,
) -> congestion::Chosen {
    congestion::Chosen {
        number: congestion::number_of(kind.spec.name).expect("read from the registry"),
        settings: kind.settings.clone(),
        table: table.as_ref().map(|table| table.value.as_slice().into()).unwrap_or_default(),
        round_trip,
    }
}

/// How hosts send messages; `window` is the largest number of packets in flight of a queue pair.
pub(super) fn transport(parameters: &Parameters, window: u64) -> Transport {
    let settings = &parameters.settings;
    let entropy = match settings.choice("hash_input") {
        "pair" => FlowHashInput::Pair,
        "start" => FlowHashInput::Start,
        _ => FlowHashInput::Message,
    };
    let kind = match (queue_pairs::rule(parameters.spec), parameters.spec.name) {
        (Some(rule), _) => TransportKind::Rdma(rdma::rdma(parameters, rule, window)),
        (None, "window") => TransportKind::Window {
            packets: settings.count("packets") as u32,
            acknowledgement: settings.size("acknowledgement"),
        },
        (None, _) => TransportKind::OpenLoop { rate: optional_rate(parameters, "rate") },
    };
    Transport { packet: rdma::packet(parameters), flow_hash_input: entropy, kind }
}

/// A rate or `none`.
pub(super) fn optional_rate(parameters: &Parameters, name: &str) -> Option<Rate> {
    match parameters.settings.optional(name) {
        Some(Value::Rate(rate)) => Some(rate),
        _ => None,
    }
}

/// A size or `none`.
pub(super) fn optional_size(parameters: &Parameters, name: &str) -> Option<Bytes> {
    match parameters.settings.optional(name) {
        Some(Value::Size(size)) => Some(size),
        _ => None,
    }
}

/// Queues at egress ports.
pub(super) fn queues(queues: &resolved::Queues) -> Queues {
    Queues {
        switch_limit: optional_size(&queues.settings, "switch_limit"),
        host_limit: optional_size(&queues.settings, "host_limit"),
        buffer: buffer::buffer(queues),
        marking: queues.marking.as_ref().map(buffer::marking),
        adapting: queues.marking.as_ref().and_then(buffer::adapting),
        classes: DataClasses::default(),
        credits: None,
        root_marking: None,
    }
}

/// Recordings beyond the defaults.
///
/// Rates over time are those of the staged flows if no flows are selected.
pub(super) fn recording(
    record: Option<&Record>,
    staged: Option<&StagedFlows>,
    built_fabric: &BuiltFabric,
    problems: &mut Problems,
) -> Recording {
    let Some(record) = record else { return Recording::default() };
    let settings = &record.settings.settings;
    let interval = |key| match settings.optional(key) {
        Some(Value::Duration(span)) => Some(span),
        _ => None,
    };
    let hosts = |names: &[Located<String>], problems: &mut Problems| {
        names.iter().filter_map(|name| built_fabric.host(name, problems)).collect()
    };
    let flows = |names: &[Located<String>], problems: &mut Problems| {
        names.iter().filter_map(|flow| named_flow(flow, built_fabric, problems)).collect()
    };
    let rates_from = hosts(&record.rates_from, problems);
    let sums_messages = settings.choice("messages") == "summed";
    let mut rates_of: Vec<NamedFlow> = flows(&record.rates_of, problems);
    if record.rates_from.is_empty() && record.rates_of.is_empty() {
        rates_of.extend(staged.map(super::flows::pairs).unwrap_or_default());
    }
    Recording {
        series: match record.series {
            Series::Auto => Sampling::automatic(built_fabric.built.fabric.ports().len()),
            Series::Every(interval) => Some(Sampling::every(interval)),
            Series::Off => None,
        },
        timeline: settings.count("timeline") as u32,
        queue_packets: settings.flag("queue_packets"),
        packets_from: hosts(&record.packets_from, problems),
        packets_of: flows(&record.packets_of, problems),
        packets_on: record.packets_on.iter().filter_map(|name| built_fabric.link(name, problems)).collect(),
        sums_messages,
        reordering: settings.flag("reordering"),
        causes: match settings.choice("causes") {
            "all" => RecordedCauses::All,
            "steps" if !sums_messages => RecordedCauses::Steps,
            _ => RecordedCauses::None,
        },
        slowest_flows: settings.count("slowest_flows") as u32,
        rates: interval("rates"),
        rates_from,
        rates_of,
        congestion: record.congestion.as_ref().map(congestion_tree),
    }
}

fn congestion_tree(parameters: &Parameters) -> CongestionTree {
    let settings = &parameters.settings;
    CongestionTree {
        interval: match settings.optional("interval") {
            Some(Value::Duration(span)) => Some(span),
            _ => None,
        },
        threshold: settings.size("threshold"),
        starved: buffer::chance(settings.fraction("starved")),
    }
}

/// Parses `source->destination#number`.
fn named_flow(
    written: &Located<String>,
    built_fabric: &BuiltFabric,
    problems: &mut Problems,
) -> Option<NamedFlow> {
    let Some(name) = FlowName::parse(&written.value, |host| built_fabric.is_host(host)) else {
        let report = problems.report(written.location, format!("`{}` names no flow", written.value));
        report.label(format!("expected {}", FlowName::FORM));
        return None;
    };
    let mut host = |name: &str| built_fabric.host(&Located::new(name.to_owned(), written.location), problems);
    let (source, destination) = (host(name.source), host(name.destination));
    let (source, destination) = (source?, destination?);
    if source == destination {
        let report = problems.report(written.location, "a flow goes from one host to another");
        report.label("source and destination are the same");
        return None;
    }
    Some(NamedFlow { source, destination, number: name.number })
}

/// The delay of modelled barriers: at least the lookahead, which is also the default.
pub(super) fn coordination_delay(
    draft: &Draft,
    built_fabric: &BuiltFabric,
    notes: &mut Vec<String>,
    problems: &mut Problems,
) -> Duration {
    let shortest = built_fabric.lookahead();
    let Some(wanted) = &draft.coordination_delay else {
        let delay = shortest.unwrap_or(WITHOUT_DELAYS);
        let span = quantity::print(delay.0, Dimension::Duration);
        notes.push(format!(
            "modelling assumption: `coordination_delay: auto` is {span} here, the lookahead of this fabric"
        ));
        return delay;
    };
    let least = shortest.unwrap_or(Duration(1));
    if wanted.value < least {
        let span = quantity::print(least.0, Dimension::Duration);
        let report =
            problems.report(wanted.location, format!("the coordination delay must be at least {span}"));
        report
            .label("too short")
            .help(format!("{span} is the lookahead of this fabric; write that, or `auto`"));
    }
    wanted.value
}
