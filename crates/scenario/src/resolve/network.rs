//! The packet-related sections: `balance`, `transport`, `congestion` and `queues`.
//!
//! Leaves out: consistency between these sections; `compile` checks that.

use netloom_policy::balance::OutsidePolicies;
use netloom_policy::congestion::{self as controllers, infiniband};
use netloom_policy::{balance as policies, edge};
use netloom_units::{Bytes, Duration, Kind, Spec, Value};

use super::fields::{Fields, items_like, named};
use super::{is_word, plugin, value};
use crate::diagnostic::Problems;
use crate::location::Located;
use crate::resolved::{Balance, Congestion, Parameters, Queues, sections};
use crate::suggest;
use crate::written::{Entry, Node, Tree};

/// `balance: ecmp`, `balance: { ecmp: {...} }` or one policy for each kind of node.
pub(super) fn balance(
    node: Option<&Node>,
    outside: &OutsidePolicies,
    problems: &mut Problems,
) -> Option<Balance> {
    let specs: Vec<&'static Spec> = policies::SPECS.iter().copied().chain(outside.specs()).collect();
    let default = || Parameters::defaults(policies::SPECS[0]);
    let alike =
        |policy: Parameters| Balance { host: policy.clone(), switch: policy, control: None, edge: None };
    let Some(node) = node else { return Some(alike(default())) };
    let entries: &[Entry] = if let Tree::Map(entries) = &node.tree { entries } else { &[] };
    if !entries.iter().any(|entry| Balance::NODE_KINDS.contains(&entry.key.as_str())) {
        return policy(node, "balance", &specs, problems).map(alike);
    }
    let strays = misplaced_policies(entries, &specs, problems);
    let known: Vec<&str> = Balance::NODE_KINDS.into_iter().chain(strays).collect();
    let fields = Fields::open(node, "balance", &known, problems)?;
    let mut of_kind = |key| match fields.get(key) {
        Some(node) => policy(node, key, &specs, problems),
        None => Some(default()),
    };
    let (host, switch) = (of_kind("host"), of_kind("switch"));
    let control = fields.get("control").filter(|node| !is_word(node, Balance::AS_DATA));
    let control = control.map(|node| control_policy(node, &specs, problems));
    let edge = fields.get("edge").filter(|node| !is_word(node, "none"));
    let edge = edge.map(|node| plugin::plugin(node, "edge", "edge middlebox", edge::SPECS, problems));
    // A refused value must not count as absent.
    let refused = matches!(control, Some(None)) || matches!(edge, Some(None));
    let balance = Balance { host: host?, switch: switch?, control: control.flatten(), edge: edge.flatten() };
    (!refused).then_some(balance)
}

/// Reports policies written next to the keys of node kinds, rather than under one.
fn misplaced_policies<'a>(
    entries: &'a [Entry],
    specs: &[&'static Spec],
    problems: &mut Problems,
) -> Vec<&'a str> {
    let is_policy = |entry: &&Entry| specs.iter().any(|spec| spec.name == entry.key);
    let strays: Vec<&Entry> = entries.iter().filter(is_policy).collect();
    for stray in &strays {
        let message = format!("`{}` is written beside policies for each kind of node", stray.key);
        let report = problems.report(stray.key_location, message);
        report.label("for which nodes?").help(format!("write `host: {0}`, `switch: {0}` or both", stray.key));
    }
    strays.into_iter().map(|entry| entry.key.as_str()).collect()
}

fn policy(node: &Node, key: &str, specs: &[&'static Spec], problems: &mut Problems) -> Option<Parameters> {
    plugin::plugin(node, key, "balancing policy", specs, problems)
}

/// The policy for control packets; a misspelled key may have replaced it.
fn control_policy(node: &Node, specs: &[&'static Spec], problems: &mut Problems) -> Option<Parameters> {
    if let Tree::Text(text) = &node.tree
        && suggest::closest(text, [Balance::AS_DATA]).is_some()
    {
        let report = problems.report(node.location, format!("there is no balancing policy `{text}`"));
        report.label("unknown name").help(format!("did you mean `{}`?", Balance::AS_DATA));
        return None;
    }
    policy(node, "control", specs, problems)
}

/// The transport, with valid packet sizes and finite durations.
pub(super) fn transport(node: Option<&Node>, problems: &mut Problems) -> Option<Parameters> {
    let Some(node) = node else { return Some(Parameters::defaults(&sections::OPEN_LOOP)) };
    let found = plugin::plugin(node, "transport", "transport", sections::TRANSPORTS, problems)?;
    for name in ["packet", "acknowledgement", "mtu", "header", "control"] {
        if size(&found, name).0 > sections::LARGEST_PACKET {
            let report = problems.report(found.location_of(name), format!("the {name} is too large"));
            report.label(format!("expected at most {}MB", sections::LARGEST_PACKET / 1_000_000));
        }
    }
    for name in ["timeout", "timeout_low"] {
        if found.spec.parameter(name).is_some() && found.settings.duration(name) == Duration::ZERO {
            let report = problems
                .report(found.location_of(name), "a timeout of zero expires before any packet can arrive");
            report.label("expected a span above zero").help("it should be longer than a round trip");
        }
    }
    Some(found)
}

/// A size of a transport; zero if it has none of that name, or `none`.
fn size(transport: &Parameters, name: &str) -> Bytes {
    match transport.spec.parameter(name).and_then(|_| transport.settings.optional(name)) {
        Some(Value::Size(size)) => size,
        _ => Bytes(0),
    }
}

/// How senders react to congestion.
pub(super) fn congestion(node: Option<&Node>, problems: &mut Problems) -> Option<Congestion> {
    let Some(node) = node else {
        return Some(Congestion::plain(Parameters::defaults(controllers::SPECS[0])));
    };
    let found = named(node, "congestion", problems)?;
    let spec = plugin::find(found.name, found.location, "congestion control", controllers::SPECS, problems)?;
    let explicit: &[&str] = if Congestion::has_table(spec) { &[Congestion::TABLE] } else { &[] };
    let n_before = problems.len();
    let (kind, fields) = plugin::section_at(found.body, found.location, spec, explicit, problems)?;
    let table = fields.get(Congestion::TABLE).filter(|node| !is_word(node, "none"));
    let table = table.map(|node| table_by_hand(node, problems));
    let found = Congestion { kind: kind?, table: table.flatten() };
    if problems.len() == n_before && Congestion::has_table(spec) {
        table_and_bounds(&found, problems);
    }
    Some(found)
}

/// Entries of a table of delays, in order.
fn table_by_hand(node: &Node, problems: &mut Problems) -> Option<Located<Vec<f64>>> {
    let kind = Kind::Fraction { minimum: 0.0, maximum: infiniband::LARGEST_ENTRY };
    let listed = items_like(node, "`cct`", "[0, 0.5, 1, 3]", problems)?;
    let mut entries = Vec::new();
    for item in listed {
        let Some(Value::Fraction(entry)) = value::value(item, &kind, problems) else { return None };
        let last = entries.last().copied().unwrap_or(0.0);
        if entry < last || (entries.is_empty() && entry > 0.0) {
            let report = problems.report(item.location, "the entries of `cct` begin with 0 and do not fall");
            report.label("each is a delay after a packet, in multiples of its serialization delay");
            report.help("a queue pair without congestion uses the first entry");
            return None;
        }
        entries.push(entry);
    }
    if entries.is_empty() {
        let report = problems.report(node.location, "`cct` has no entries");
        report.label("expected at least one").help("write `cct: none` to have it computed");
        return None;
    }
    Some(Located::new(entries, node.location))
}

/// Reports contradictions between a table and the bounds of its index.
fn table_and_bounds(Congestion { kind, table }: &Congestion, problems: &mut Problems) {
    let [least, most] = ["ccti_min", "ccti_limit"].map(|name| kind.settings.count(name));
    if least > most {
        let report = problems.report(kind.location_of("ccti_min"), "`ccti_min` is above `ccti_limit`");
        report
            .label("the smallest index")
            .related(kind.location_of("ccti_limit"), format!("the largest index is {most}"))
            .help("a smaller `ccti_min`, or a larger `ccti_limit`");
    }
    let Some(table) = table else { return };
    if kind.settings.optional("cct_step").is_some() {
        let report =
            problems.report(kind.location_of("cct_step"), "a table is listed, or has a step, not both");
        report.label("computes the table").related(table.location, "lists it").help("remove one of the two");
    }
    if table.value.len() as u64 > most + 1 {
        let report = problems.report(table.location, "`cct` has entries that are never used");
        report.label(format!("{} entries; the largest index is {most}", table.value.len()));
        report.help(format!("write `ccti_limit: {}` as well, or fewer entries", table.value.len() - 1));
    }
}

/// Limits, the shared buffer, pause frames and marking.
pub(super) fn queues(node: Option<&Node>, problems: &mut Problems) -> Option<Queues> {
    let n_before = problems.len();
    let (settings, fields) =
        plugin::section(node, &sections::QUEUES, &["headroom", "marking", "credits"], problems)?;
    let headroom = headroom(fields.get("headroom"), problems);
    let marking = marking(fields.get("marking"), problems);
    let credits = credits(fields.get("credits"), problems);
    let found = Queues { settings: settings?, headroom, marking, credits };
    if problems.len() == n_before {
        contradictions(&found.settings, problems);
        instead_of_credits(&found, problems);
    }
    Some(found)
}

fn headroom(node: Option<&Node>, problems: &mut Problems) -> Option<Located<Bytes>> {
    let node = node.filter(|node| !is_word(node, "auto"))?;
    let n_before = problems.len();
    let found = value::value(node, &Kind::Size, problems);
    problems.widen_since(n_before, ", or `auto`");
    match found {
        Some(Value::Size(size)) => Some(Located::new(size, node.location)),
        _ => None,
    }
}

pub(super) fn marking(node: Option<&Node>, problems: &mut Problems) -> Option<Parameters> {
    let node = node.filter(|node| !is_word(node, "none"))?;
    let n_before = problems.len();
    let found = plugin::section(Some(node), &sections::MARKING, &[], problems)?.0?;
    let (minimum, maximum) = (found.settings.size("minimum"), found.settings.size("maximum"));
    if problems.len() == n_before && minimum > maximum {
        let report = problems.report(found.location_of("minimum"), "`minimum` is above `maximum`");
        report
            .label("no packet is marked up to here")
            .related(found.location_of("maximum"), "every packet is marked above this")
            .help("swap them, or make both equal to mark all packets or none");
    }
    Some(found)
}

fn credits(node: Option<&Node>, problems: &mut Problems) -> Option<Parameters> {
    let node = node.filter(|node| !is_word(node, "none"))?;
    let found = plugin::section(Some(node), &sections::CREDITS, &[], problems)?.0?;
    if found.settings.choice("forwarding") == "cut_through" && found.settings.size("header") == Bytes(0) {
        let report = problems.report(
            found.location_of("header"),
            "a packet cannot be forwarded before its header has arrived",
        );
        report.label("expected at least 1B").help("64B, say");
    }
    Some(found)
}

/// With credits nothing queues at egress ports, so their settings are refused.
fn instead_of_credits(queues: &Queues, problems: &mut Problems) {
    let Some(credits) = &queues.credits else { return };
    let settings = &queues.settings;
    let limits = ["switch_limit", "host_limit", "buffer"];
    let is_said = |name: &&str| settings.settings.optional(name).is_some();
    let others = limits.into_iter().filter(is_said).map(|name| (name, settings.location_of(name)));
    let marking = queues.marking.as_ref().map(|marking| ("marking", marking.location));
    for (name, location) in others.chain(marking) {
        let report = problems.report(location, format!("with `credits` there is no `{name}`"));
        report
            .label("of queues at egress ports")
            .related(credits.location, "switches have input buffers and drop nothing")
            .help("remove one of the two");
    }
}

/// Reports contradictions between keys of `queues`.
fn contradictions(queues: &Parameters, problems: &mut Problems) {
    let settings = &queues.settings;
    let has_buffer = settings.optional("buffer").is_some();
    if has_buffer && settings.optional("switch_limit").is_some() {
        let message = "a port has a limit of its own, or shares a buffer, but not both";
        let report = problems.report(queues.location_of("switch_limit"), message);
        report
            .label("a limit for each port")
            .related(queues.location_of("buffer"), "a buffer that all ports share")
            .help("remove one of them: `alpha` sets how much of the buffer a single queue may occupy");
    }
    if !has_buffer && settings.flag("pause") {
        let report = problems.report(queues.location_of("pause"), "pause frames need a shared buffer");
        report.label("pauses when the shared buffer fills").help("add `buffer: 16MiB`, or remove `pause`");
    }
}
