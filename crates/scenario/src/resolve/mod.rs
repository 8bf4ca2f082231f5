//! From the written text to its meaning: a tree of nodes becomes a complete scenario.
//!
//! Models: keys, kinds of values, names of plug-ins, defaults.
//! Leaves out: what needs the fabric (names of hosts and links, numbers of ranks); that is `compile`.
//!
//! Invariants: reading continues after every error, so that all are found; after an error the parts that could be read
//! are still checked against each other.

mod background;
mod classes;
pub(crate) mod fabric;
mod faults;
mod fields;
mod flows;
mod groups;
mod interference;
mod job;
mod network;
mod phase;
mod plugin;
mod routes;
pub(crate) mod value;

use std::collections::BTreeMap;
use std::sync::Arc;

use netloom_policy::balance::OutsidePolicies;
use netloom_units::{Duration, Kind, Time, Value};

use crate::diagnostic::Problems;
use crate::flow_file;
use crate::flow_name::FlowName;
use crate::former::FormerKey;
use crate::inherit::{FROM, Origin};
use crate::location::{Located, Location, Sources};
use crate::resolved::{
    Background, Balance, Classes, Congestion, Fabric, Faults, Flows, Job, Parameters, Queues, Record,
    Resolved, Route, Series, Traffic, sections,
};
use crate::suggest;
use crate::written::{Entry, Node, Tree};
use fields::{Fields, items};

/// The version of the language.
const VERSION: &str = "1";
/// The shortest interval of the congestion tree: a shorter one would show single packets, and take long.
const SHORTEST_LOOK: Duration = Duration::from_micros(1);
/// Keys that are tried as misspellings of `netloom`.
const MOST_TRIED: usize = 32;

const KEYS: &[&str] = &[
    "netloom",
    // Removed before a scenario is read; listed here for hints.
    FROM,
    "name",
    "seed",
    "fabric",
    "balance",
    "routes",
    "transport",
    "congestion",
    "queues",
    "classes",
    "traffic",
    "hosts",
    "jobs",
    interference::KEY,
    "background",
    "flows",
    "faults",
    "coordination_delay",
    "deadline",
    "record",
];

/// The longest duration in a scenario: 100 days, about half of what the clock can count.
pub(crate) const LONGEST: Duration = Duration(8_640_000_000_000_000_000);

/// A scenario as far as it could be read.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    /// Where the fabric is written.
    pub fabric_location: Location,
    pub name: Option<String>,
    pub seed: Option<u64>,
    pub fabric: Option<Fabric>,
    pub balance: Option<Balance>,
    /// Policies from outside this repository that it may name.
    pub outside: OutsidePolicies,
    pub routes: Vec<Located<Route>>,
    pub transport: Option<Parameters>,
    pub congestion: Option<Congestion>,
    pub queues: Option<Queues>,
    pub classes: Option<Classes>,
    pub traffic: Vec<Traffic>,
    pub hosts: Option<Parameters>,
    pub jobs: Vec<Job>,
    pub background: Option<Background>,
    pub flows: Option<Flows>,
    /// Whether flows that start and stop are written, or flows that could not be read.
    pub has_staged_flows: bool,
    pub faults: Option<Faults>,
    pub coordination_delay: Option<Located<Duration>>,
    pub deadline: Option<Time>,
    pub record: Option<Record>,
    /// Whether the workload may be empty: only the fabric is needed.
    pub may_be_idle: bool,
}

impl Draft {
    /// A draft of a resolved scenario.
    pub fn of(resolved: &Resolved) -> Draft {
        let whole = resolved.clone();
        Draft {
            fabric_location: whole.fabric_location,
            name: Some(whole.name),
            seed: Some(whole.seed),
            fabric: Some(whole.fabric),
            balance: Some(whole.balance),
            outside: whole.outside,
            routes: whole.routes,
            transport: Some(whole.transport),
            congestion: Some(whole.congestion),
            queues: Some(whole.queues),
            classes: Some(whole.classes),
            traffic: whole.traffic,
            hosts: Some(whole.hosts),
            jobs: whole.jobs,
            background: whole.background,
            has_staged_flows: whole.flows.as_ref().is_some_and(|flows| flows.staged().next().is_some()),
            flows: whole.flows,
            faults: Some(whole.faults),
            coordination_delay: whole.coordination_delay,
            deadline: whole.deadline,
            record: Some(whole.record),
            may_be_idle: false,
        }
    }

    /// Reads the files that are named; `origins` are the sources of the texts, by number.
    pub fn read_files<O: Origin>(&mut self, origins: &[O], sources: &mut Sources, problems: &mut Problems) {
        let Some(file) = self.flows.as_mut().and_then(|flows| flows.file.as_mut()) else { return };
        let location = file.path.location;
        // A path in an override is one of the scenario's own text.
        let Some(origin) = origins.get(usize::from(location.source)).or(origins.first()) else { return };
        let (name, rows) = match origin.rows(&file.path.value) {
            Ok(found) => found,
            Err(reason) => {
                problems.report(location, reason).label("this file");
                return;
            }
        };
        let Some(table) = flow_file::read(rows, &name, location, sources, problems) else { return };
        if let Some(digest) = &file.digest
            && !digest.value.eq_ignore_ascii_case(&table.digest)
        {
            let report = problems.report(digest.location, format!("{name} has another digest"));
            report.label("the digest of another content").help(format!("its digest is {}", table.digest));
        }
        file.digest = Some(Located::new(table.digest.clone(), location));
        file.table = Some(Arc::new(table));
    }

    /// The whole scenario, if nothing is missing.
    pub fn complete(self, sources: Sources, former_keys: Vec<FormerKey>) -> Option<Resolved> {
        Some(Resolved {
            name: self.name?,
            seed: self.seed?,
            fabric: self.fabric?,
            balance: self.balance?,
            outside: self.outside,
            routes: self.routes,
            transport: self.transport?,
            congestion: self.congestion?,
            queues: self.queues?,
            classes: self.classes?,
            traffic: self.traffic,
            hosts: self.hosts?,
            jobs: self.jobs,
            background: self.background,
            flows: self.flows,
            faults: self.faults?,
            coordination_delay: self.coordination_delay,
            deadline: self.deadline,
            record: self.record?,
            fabric_location: self.fabric_location,
            sources,
            former_keys,
        })
    }
}

/// Reads a whole scenario; `stem` names it if it has no name.
///
/// Returns `None` if the text is not a scenario, or one of another version; one without a version is read as one of
/// this version.
pub(crate) fn scenario(
    root: &Node,
    stem: &str,
    outside: OutsidePolicies,
    problems: &mut Problems,
) -> Option<Draft> {
    let mut known = KEYS.to_vec();
    match version(root, problems) {
        Version::Known => {}
        // Already reported; it must not be reported again as an unknown key.
        Version::Unstated(misspelt) => known.extend(misspelt),
        Version::Other => return None,
    }
    let mut fields = Fields::open(root, "scenario", &known, problems)?;
    fields.head = root.location;
    let transport = if_valid(problems, |problems| network::transport(fields.get("transport"), problems));
    let flows = if_valid(problems, |problems| flows::flows(fields.get("flows"), problems));
    let own_name = fields.get("name").map(|node| value::new_name(node, "a name", problems));
    Some(Draft {
        fabric_location: fields.get("fabric").map_or(root.location, Node::head),
        name: own_name.map_or(Some(stem.to_owned()), |name| name.map(|name| name.value)),
        seed: fields.get("seed").map_or(Some(1), |node| value::count(node, 0, u64::MAX, problems)),
        fabric: fields
            .need("fabric", "{ leaf_spine: { leaves: 4, spines: 2, hosts_per_leaf: 4 } }", problems)
            .and_then(|node| fabric::fabric(node, problems)),
        balance: network::balance(fields.get("balance"), &outside, problems),
        outside,
        routes: routes::routes(fields.get("routes"), problems),
        congestion: if_valid(problems, |problems| network::congestion(fields.get("congestion"), problems)),
        queues: if_valid(problems, |problems| network::queues(fields.get("queues"), problems)),
        classes: if_valid(problems, |problems| {
            classes::classes(fields.get("classes"), transport.as_ref(), problems)
        }),
        traffic: classes::traffic(fields.get("traffic"), problems),
        transport,
        hosts: if_valid(problems, |problems| {
            plugin::section(fields.get("hosts"), &sections::HOSTS, &[], problems)?.0
        }),
        jobs: jobs(&fields, problems),
        background: if_valid(problems, |problems| background::background(fields.get("background"), problems)),
        has_staged_flows: flows
            .as_ref()
            .map_or(fields.get("flows").is_some(), |flows| flows.staged().next().is_some()),
        flows,
        faults: faults::faults(fields.get("faults"), problems),
        coordination_delay: coordination_delay(fields.get("coordination_delay"), problems),
        deadline: deadline(fields.get("deadline"), problems),
        record: record(fields.get("record"), problems),
        may_be_idle: false,
    })
}

/// The two jobs of a study of interference, and the listed ones.
fn jobs(fields: &Fields<'_>, problems: &mut Problems) -> Vec<Job> {
    let mut jobs = interference::jobs(fields.get(interference::KEY), problems);
    jobs.extend(fields.get("jobs").map(|node| job::jobs(node, problems)).unwrap_or_default());
    job::check_names(&jobs, problems);
    jobs
}

/// The language version that a text states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version<'a> {
    /// The version of this netloom.
    Known,
    /// None, though it looks like a scenario; perhaps this key is a misspelling of it.
    Unstated(Option<&'a str>),
    /// Another version, or no scenario at all.
    Other,
}

/// Checks that the first key states the language version.
pub(crate) fn version<'a>(root: &'a Node, problems: &mut Problems) -> Version<'a> {
    let help = format!("begin with `netloom: {VERSION}`");
    let entries = match &root.tree {
        Tree::Map(entries) => entries.as_slice(),
        Tree::Nothing => {
            problems
                .report(root.location, "the scenario is empty")
                .label("nothing is written here")
                .help(help);
            return Version::Other;
        }
        _ => {
            let message = format!("a scenario is a map, but {} is written here", root.kind());
            problems.report(root.location, message).label("expected keys and values").help(help);
            return Version::Other;
        }
    };
    let Some(found) = entries.iter().find(|entry| entry.key == "netloom") else {
        return report_unstated(root, entries, help, problems);
    };
    if !matches!(&found.value.tree, Tree::Text(text) if text == VERSION) {
        return refuse_version(found, help, problems);
    }
    if entries[0].key != "netloom" {
        let report = problems.report(found.key_location, "`netloom` must be the first key");
        report.label("not first").related(entries[0].key_location, "this comes before it");
        report.help("move it to the first line");
    }
    Version::Known
}

/// Reports a missing version; a text with some key of a scenario counts as a scenario.
fn report_unstated<'a>(
    root: &Node,
    entries: &'a [Entry],
    help: String,
    problems: &mut Problems,
) -> Version<'a> {
    if let Some(study) = entries.iter().find(|entry| entry.key == "study") {
        let report = problems.report(study.key_location, "this is a study, not a scenario");
        report.label("the key of a study").help("`netloom sweep` takes studies");
        return Version::Other;
    }
    let is_meant = |entry: &&Entry| suggest::closest(&entry.key, KEYS.iter().copied()) == Some("netloom");
    let meant = entries.iter().take(MOST_TRIED).find(is_meant);
    let location = meant.or(entries.first()).map_or(root.location, |entry| entry.key_location);
    let report = problems.report(location, "this text is not declared as a netloom scenario");
    report.label(format!("the first key must be `netloom: {VERSION}`"));
    report.help(if meant.is_some() { "did you mean `netloom`?".to_owned() } else { help });
    let is_scenario = meant.is_some() || entries.iter().any(|entry| KEYS.contains(&entry.key.as_str()));
    if is_scenario { Version::Unstated(meant.map(|entry| entry.key.as_str())) } else { Version::Other }
}

fn refuse_version<'a>(found: &Entry, help: String, problems: &mut Problems) -> Version<'a> {
    let Tree::Text(text) = &found.value.tree else {
        let report = problems.report(found.key_location, "the version of the scenario language is missing");
        report.label(format!("expected `{VERSION}` here")).help(help);
        return Version::Unstated(None);
    };
    let newer = text.parse::<u64>().is_ok_and(|version| version > 1);
    let message = format!("version `{text}` of the scenario language is not supported by this netloom");
    let report = problems.report(found.value.location, message);
    report.label(format!("expected `{VERSION}`"));
    report.help(if newer { "a newer netloom may support it".to_owned() } else { help });
    Version::Other
}

/// The value, if it was read without an error.
///
/// For values that later checks count with: a substitute for a refused value would cause misleading errors.
fn if_valid<T>(problems: &mut Problems, read: impl FnOnce(&mut Problems) -> Option<T>) -> Option<T> {
    let n_before = problems.len();
    let found = read(problems);
    found.filter(|_| problems.len() == n_before)
}

/// Whether a node is this word.
pub(super) fn is_word(node: &Node, word: &str) -> bool {
    matches!(&node.tree, Tree::Text(text) if text == word)
}

/// A duration with its location.
fn span(node: &Node, problems: &mut Problems) -> Option<Located<Duration>> {
    match value::value(node, &Kind::Duration, problems) {
        Some(Value::Duration(span)) => Some(Located::new(span, node.location)),
        _ => None,
    }
}

fn coordination_delay(node: Option<&Node>, problems: &mut Problems) -> Option<Located<Duration>> {
    let node = node.filter(|node| !is_word(node, "auto"))?;
    let n_before = problems.len();
    let found = span(node, problems);
    problems.widen_since(n_before, ", or `auto`");
    found
}

/// A refused value is replaced by the end of time, so that checks which require a deadline find one.
fn deadline(node: Option<&Node>, problems: &mut Problems) -> Option<Time> {
    let node = node.filter(|node| !is_word(node, "none"))?;
    let n_before = problems.len();
    let found = span(node, problems);
    problems.widen_since(n_before, ", or `none`");
    let Some(found) = found else { return Some(Time::NEVER) };
    if found.value == Duration::ZERO {
        let report = problems.report(found.location, "a deadline of zero leaves no time to run");
        report.label("expected a span above zero").help("write `none` for no deadline");
        return Some(Time::NEVER);
    }
    Some(Time::ZERO + found.value)
}

fn record(node: Option<&Node>, problems: &mut Problems) -> Option<Record> {
    let others =
        ["series", "packets_from", "packets_of", "packets_on", "rates_from", "rates_of", "congestion"];
    let (settings, fields) = plugin::section(node, &sections::RECORD, &others, problems)?;
    let series = series(fields.get("series"), problems);
    let settings = settings?;
    if let Some(Value::Duration(Duration::ZERO)) = settings.settings.optional("rates") {
        let report = problems.report(settings.location_of("rates"), "an interval must not be zero");
        report.label("expected a span above zero, or `none`");
    }
    Some(Record {
        settings,
        series,
        packets_from: names(fields.get("packets_from"), "packets_from", "the name of a host", problems),
        packets_of: names(fields.get("packets_of"), "packets_of", FlowName::FORM, problems),
        packets_on: names(fields.get("packets_on"), "packets_on", "the name of a link", problems),
        rates_from: names(fields.get("rates_from"), "rates_from", "the name of a host", problems),
        rates_of: names(fields.get("rates_of"), "rates_of", FlowName::FORM, problems),
        congestion: congestion_tree(fields.get("congestion"), problems),
    })
}

/// How ports are sampled; the default if the value is refused.
fn series(node: Option<&Node>, problems: &mut Problems) -> Series {
    let Some(node) = node.filter(|node| !is_word(node, "auto")) else { return Series::Auto };
    let n_before = problems.len();
    let found = value::value(node, &Kind::Optional(&Kind::Duration), problems);
    problems.widen_since(n_before, ", or `auto`");
    match found {
        Some(Value::Absent) => Series::Off,
        Some(Value::Duration(Duration::ZERO)) => {
            let report = problems.report(node.location, "an interval must not be zero");
            report.label("expected a span above zero, or `none`, or `auto`");
            Series::Auto
        }
        Some(Value::Duration(interval)) => Series::Every(interval),
        _ => Series::Auto,
    }
}

/// The recording of the congestion tree, unless it is `none`.
fn congestion_tree(node: Option<&Node>, problems: &mut Problems) -> Option<Parameters> {
    let node = node.filter(|node| !is_word(node, "none"))?;
    let found = plugin::section(Some(node), &sections::CONGESTION_TREE, &[], problems)?.0?;
    if let Some(Value::Duration(span)) = found.settings.optional("interval")
        && span < SHORTEST_LOOK
    {
        let report =
            problems.report(found.location_of("interval"), "an interval this short shows single packets");
        report.label("expected at least 1us, or `none`");
    }
    Some(found)
}

/// A list of names; an absent key gives an empty one.
fn names(node: Option<&Node>, key: &str, expected: &str, problems: &mut Problems) -> Vec<Located<String>> {
    let Some(node) = node else { return Vec::new() };
    let found = items(node, key, problems).unwrap_or_default();
    let names: Vec<_> = found.iter().filter_map(|item| value::name(item, expected, problems)).collect();
    report_repeats(&names, problems);
    names
}

/// Reports repeated names in a list.
fn report_repeats<'a>(names: impl IntoIterator<Item = &'a Located<String>>, problems: &mut Problems) {
    let mut first: BTreeMap<&str, Location> = BTreeMap::new();
    for name in names {
        match first.get(name.value.as_str()) {
            Some(location) => {
                let report = problems.report(name.location, format!("`{}` is named twice", name.value));
                report.label("again here").related(*location, "first here");
            }
            None => {
                first.insert(&name.value, name.location);
            }
        }
    }
}
