//! Which settings of a scenario are not at their defaults.
//!
//! Models: every setting that has a default or is required, by the path for `--set`, as it would be written.
//! Leaves out: the scenario's name; the content of long lists, which are reported by their lengths.
//!
//! Invariants: every field is named explicitly, so that a new one is reported or does not compile; a setting written
//! with the value of its default does not count as changed.

use netloom_policy::{balance, congestion};
use netloom_units::{Duration, Value};

use super::{duration, value, workload};
use crate::location::Located;
use crate::resolved::{
    Background, Balance, Class, ClassMarking, Classes, Collective, Congestion, Custom, Fabric, Faults, Flow,
    FlowFile, Flows, Group, Job, Overlap, Parameters, Phase, PhaseEntry, Placement, Queues, Record, Resolved,
    Series, Stages, Steps, queue_pairs, sections,
};
use crate::written::{Node, Tree};

/// A setting that is not at its default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Its path in the scenario.
    pub path: String,
    /// Its value.
    pub value: String,
    /// Its default; absent if the setting is required.
    pub default: Option<String>,
}

/// All of them, in the order of the resolved scenario.
pub(crate) fn changed(resolved: &Resolved) -> Vec<Changed> {
    let Resolved {
        name: _,
        seed,
        fabric,
        balance,
        outside: _,
        routes,
        transport,
        congestion,
        queues,
        classes,
        traffic,
        hosts,
        jobs,
        background,
        flows,
        faults,
        coordination_delay,
        deadline,
        record,
        fabric_location: _,
        sources: _,
        former_keys: _,
    } = resolved;
    let mut list = List::default();
    list.entry("seed", seed.to_string(), Some("1"));
    list.fabric(fabric);
    list.balance(balance);
    list.listed("routes", routes.len(), "entries", Some("none"));
    list.plugin("transport", transport, Some(sections::OPEN_LOOP.name));
    list.congestion(congestion);
    list.queues(queues);
    list.classes(classes, transport);
    list.listed("traffic", traffic.len(), "kinds", Some("none"));
    list.section("hosts", hosts);
    jobs.iter().enumerate().for_each(|(number, job)| list.job(number, job));
    if let Some(background) = background {
        list.background(background);
    }
    if let Some(flows) = flows {
        list.flows(flows);
    }
    list.faults(faults);
    list.span("coordination_delay", coordination_delay.as_ref().map(|delay| delay.value), "auto");
    list.span("deadline", deadline.map(|time| Duration(time.0)), "none");
    list.record(record);
    list.0
}

#[derive(Default)]
struct List(Vec<Changed>);

impl List {
    fn entry(&mut self, path: &str, value: String, default: Option<&str>) {
        if default != Some(&value) {
            self.0.push(Changed { path: path.to_owned(), value, default: default.map(str::to_owned) });
        }
    }

    /// The parameters of a section.
    fn section(&mut self, path: &str, parameters: &Parameters) {
        for parameter in parameters.spec.parameters {
            let found = parameters.settings.get(parameter.name);
            if parameter.default.as_ref() != Some(&found) {
                let default = parameter.default.clone().map(text);
                self.entry(&format!("{path}.{}", parameter.name), text(found), default.as_deref());
            }
        }
    }

    /// A plug-in, which may itself be a choice, and its parameters.
    fn plugin(&mut self, path: &str, parameters: &Parameters, default: Option<&str>) {
        self.entry(path, parameters.spec.name.to_owned(), default);
        self.section(&format!("{path}.{}", parameters.spec.name), parameters);
    }

    fn names(&mut self, path: &str, names: &[Located<String>]) {
        if !names.is_empty() {
            let names: Vec<&str> = names.iter().map(|name| name.value.as_str()).collect();
            self.entry(path, names.join(", "), Some("none"));
        }
    }

    fn span(&mut self, path: &str, span: Option<Duration>, default: &str) {
        if let Some(span) = span {
            self.entry(path, written(&duration(span)), Some(default));
        }
    }

    /// A number of items that a scenario lists one by one.
    fn listed(&mut self, path: &str, number: usize, things: &str, default: Option<&str>) {
        if number > 0 {
            self.entry(path, format!("{number} {things}, as listed"), default);
        }
    }

    fn fabric(&mut self, fabric: &Fabric) {
        match fabric {
            Fabric::Parametric(parameters) => self.plugin("fabric", parameters, None),
            Fabric::Custom(Custom { hosts, switches, links }) => {
                let [hosts, switches, links] = [hosts.value.len(), switches.len(), links.len()];
                let text =
                    format!("{hosts} hosts, {switches} switches and {links} bundles of links, as listed");
                self.entry("fabric.custom", text, None);
            }
        }
    }

    fn balance(&mut self, Balance { host, switch, control, edge }: &Balance) {
        self.plugin("balance.host", host, Some(balance::SPECS[0].name));
        self.plugin("balance.switch", switch, Some(balance::SPECS[0].name));
        if let Some(control) = control {
            self.plugin("balance.control", control, Some(Balance::AS_DATA));
        }
        if let Some(edge) = edge {
            self.plugin("balance.edge", edge, Some("none"));
        }
    }

    fn congestion(&mut self, Congestion { kind, table }: &Congestion) {
        self.plugin("congestion", kind, Some(congestion::SPECS[0].name));
        if let Some(table) = table {
            let path = format!("congestion.{}.{}", kind.spec.name, Congestion::TABLE);
            self.listed(&path, table.value.len(), "entries", Some("none"));
        }
    }

    fn queues(&mut self, Queues { settings, headroom, marking, credits }: &Queues) {
        self.section("queues", settings);
        if let Some(headroom) = headroom {
            self.entry("queues.headroom", text(Value::Size(headroom.value)), Some("auto"));
        }
        if let Some(marking) = marking {
            self.section("queues.marking", marking);
        }
        if let Some(credits) = credits {
            self.section("queues.credits", credits);
        }
    }

    /// The defaults of classes are those of the transport.
    fn classes(&mut self, Classes { settings, list }: &Classes, transport: &Parameters) {
        let control = queue_pairs::default_control_class(Some(transport.spec)).to_string();
        for (name, found) in settings.settings.iter() {
            let default = if name == "control" { control.as_str() } else { "0" };
            self.entry(&format!("classes.{name}"), text(found), Some(default));
        }
        for class in list {
            self.class(&format!("classes.{}", class.number()), class);
        }
    }

    fn class(&mut self, path: &str, class: &Class) {
        let Class { settings: _, dscp, schedule, marking, pause, alpha } = class;
        self.listed(&format!("{path}.dscp"), dscp.len(), "code points", Some("none"));
        self.plugin(&format!("{path}.schedule"), schedule, Some(sections::STRICT.name));
        match marking {
            ClassMarking::AsQueues => {}
            ClassMarking::Off => {
                self.entry(&format!("{path}.marking"), "none".to_owned(), Some(Class::AS_QUEUES));
            }
            ClassMarking::Own(marking) => self.section(&format!("{path}.marking"), marking),
        }
        let own = [
            ("pause", pause.as_ref().map(|pause| Value::Flag(pause.value))),
            ("alpha", alpha.as_ref().map(|alpha| Value::Fraction(alpha.value))),
        ];
        for (key, found) in own {
            if let Some(found) = found {
                self.entry(&format!("{path}.{key}"), text(found), Some(Class::AS_QUEUES));
            }
        }
    }

    /// The kind of traffic of an item.
    fn kind(&mut self, path: &str, name: Option<&Located<String>>) {
        if let Some(name) = name {
            self.entry(&format!("{path}.traffic"), name.value.clone(), Some("none"));
        }
    }

    fn job(&mut self, number: usize, job: &Job) {
        let Job {
            name: _,
            placement,
            ranks_per_host,
            share_hosts,
            steps,
            warm_up,
            bursts,
            start,
            groups,
            orders,
            traffic,
            phases,
        } = job;
        let path = format!("jobs.{number}");
        self.kind(&path, traffic.as_ref());
        match &steps.value {
            Steps::Precise(parameters) => self.section(&format!("{path}.steps"), parameters),
            plain => self.entry(&format!("{path}.steps"), written(&workload::steps(plain)), Some("1")),
        }
        self.entry(&format!("{path}.warm_up"), written(&workload::warm_up(*warm_up)), Some("0"));
        if let Some(bursts) = bursts {
            self.section(&format!("{path}.bursts"), bursts);
        }
        self.span(&format!("{path}.start"), (start.0 > 0).then_some(Duration(start.0)), "0s");
        self.placement(&format!("{path}.placement"), placement);
        self.entry(&format!("{path}.ranks_per_host"), ranks_per_host.value.to_string(), Some("1"));
        self.entry(&format!("{path}.share_hosts"), share_hosts.value.to_string(), Some("false"));
        for group in groups {
            let ranks = written(&workload::group_ranks(group));
            self.entry(&format!("{path}.groups.{}", group.name.value), ranks, None);
        }
        self.listed(&format!("{path}.orders"), orders.value.len(), "orders of the ranks", Some("none"));
        self.phases(&format!("{path}.phases"), phases);
    }

    fn placement(&mut self, path: &str, placement: &Placement) {
        match placement {
            Placement::Rule(rule) => self.plugin(path, rule, Some(sections::ALL_HOSTS.name)),
            Placement::List(hosts) => self.names(&format!("{path}.list"), &hosts.value),
        }
    }

    fn phases(&mut self, path: &str, phases: &[PhaseEntry]) {
        for (number, PhaseEntry { phase, overlap }) in phases.iter().enumerate() {
            let path = format!("{path}.{number}");
            self.phase(&path, &phase.value);
            self.overlap(&path, overlap);
        }
    }

    fn overlap(&mut self, path: &str, Overlap { name, stream, after }: &Overlap) {
        if let Some(name) = name {
            self.entry(&format!("{path}.name"), name.value.clone(), Some("none"));
        }
        if let Some(stream) = stream {
            self.entry(&format!("{path}.stream"), stream.value.clone(), Some(Overlap::MAIN));
        }
        if !after.is_empty() {
            let names: Vec<&str> = after.iter().map(|name| name.value.as_str()).collect();
            self.entry(&format!("{path}.after"), names.join(", "), Some("none"));
        }
    }

    fn phase(&mut self, path: &str, phase: &Phase) {
        match phase {
            Phase::Compute(span) => self.entry(&format!("{path}.compute"), written(&duration(*span)), None),
            Phase::Barrier => self.entry(path, "barrier".to_owned(), None),
            Phase::Program => self.entry(path, "program".to_owned(), None),
            Phase::Collectives { settings, each } => {
                self.section(&format!("{path}.collectives"), settings);
                for (number, Collective { algorithm, common, group }) in each.iter().enumerate() {
                    let path = format!("{path}.collectives.each.{number}");
                    self.plugin(&path, algorithm, None);
                    let path = format!("{path}.{}", algorithm.spec.name);
                    self.section(&path, common);
                    if let Some(group) = group {
                        self.entry(&format!("{path}.group"), group.value.clone(), Some(Group::ALL));
                    }
                }
            }
            Phase::PointToPoint { settings, stages } => {
                self.staged(&format!("{path}.point_to_point"), settings, &stages.value);
            }
            Phase::Pipeline { settings, stages } => {
                self.staged(&format!("{path}.pipeline"), settings, &stages.value);
            }
            Phase::Repeat { times, phases } => {
                self.entry(&format!("{path}.repeat.times"), times.value.to_string(), None);
                self.phases(&format!("{path}.repeat.phases"), phases);
            }
        }
    }

    fn staged(&mut self, path: &str, settings: &Parameters, stages: &Stages) {
        match stages {
            Stages::Group(name) => {
                self.entry(&format!("{path}.stages"), name.value.clone(), None);
            }
            Stages::Count(number) => self.entry(&format!("{path}.stages"), number.to_string(), None),
            Stages::Given(lists) => {
                self.listed(&format!("{path}.stages"), lists.len(), "stages of ranks", None);
            }
        }
        self.section(path, settings);
    }

    fn background(&mut self, background: &Background) {
        let Background { kind, common, senders, given, traffic } = background;
        self.plugin("background", kind, Some("none"));
        let path = format!("background.{}", kind.spec.name);
        self.kind(&path, traffic.as_ref());
        self.section(&path, common);
        if Background::draws_sizes(kind.spec) {
            self.placement(&format!("{path}.senders"), senders);
            self.listed(&format!("{path}.given"), given.value.len(), "points", Some("none"));
        }
    }

    fn flows(&mut self, flows: &Flows) {
        let Flows { settings, scale: _, stages, list, file } = flows;
        self.section("flows", settings);
        if let Some(scale) = flows.time_scale() {
            self.entry("flows.scale", scale, Some("none"));
        }
        if let Some(stages) = stages {
            self.listed("flows.stages", stages.value.len(), "boundaries", Some("auto"));
        }
        if let Some(FlowFile { path, digest, table: _ }) = file {
            self.entry("flows.file", path.value.clone(), Some("none"));
            if let Some(digest) = digest {
                self.entry("flows.digest", digest.value.clone(), Some("none"));
            }
        }
        for (number, Flow { name: _, from, to, settings, after, traffic }) in list.value.iter().enumerate() {
            let path = format!("flows.list.{number}");
            self.entry(&format!("{path}.from"), from.value.clone(), None);
            self.entry(&format!("{path}.to"), to.value.clone(), None);
            self.section(&path, settings);
            if let Some(after) = after {
                self.entry(&format!("{path}.after"), after.value.clone(), Some("none"));
            }
            self.kind(&path, traffic.as_ref());
        }
    }

    fn faults(&mut self, Faults { settings, random, failed, timed, processes, storms }: &Faults) {
        self.section("faults", settings);
        if let Some(random) = random {
            self.section("faults.random", random);
        }
        self.names("faults.failed", failed);
        self.listed("faults.timed", timed.len(), "events", Some("none"));
        self.listed("faults.processes", processes.len(), "processes", Some("none"));
        self.listed("faults.storms", storms.len(), "storms", Some("none"));
    }

    fn record(&mut self, record: &Record) {
        let Record {
            settings,
            series,
            packets_from,
            packets_of,
            packets_on,
            rates_from,
            rates_of,
            congestion,
        } = record;
        match series {
            Series::Auto => {}
            Series::Every(interval) => {
                self.entry("record.series", text(Value::Duration(*interval)), Some("auto"));
            }
            Series::Off => self.entry("record.series", "none".to_owned(), Some("auto")),
        }
        self.section("record", settings);
        self.names("record.packets_from", packets_from);
        self.names("record.packets_of", packets_of);
        self.names("record.packets_on", packets_on);
        self.names("record.rates_from", rates_from);
        self.names("record.rates_of", rates_of);
        if let Some(congestion) = congestion {
            self.section("record.congestion", congestion);
        }
    }
}

fn text(found: Value) -> String {
    written(&value(found))
}

/// A single value as it would be written.
fn written(node: &Node) -> String {
    match &node.tree {
        Tree::Text(text) => text.clone(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::Changed;

    fn changed(more: &str) -> Vec<Changed> {
        let text = format!(
            "netloom: 1\nfabric: {{ leaf_spine: {{ leaves: 2, spines: 2, hosts_per_leaf: 2 }} }}\n\
             jobs: [ {{ phases: [ {{ ring_all_reduce: {{ size: 1MiB }} }} ] }} ]\n{more}"
        );
        crate::resolve(&text, "x.yaml").expect("it is right").changed()
    }

    fn row(path: &str, value: &str, default: Option<&str>) -> Changed {
        Changed { path: path.to_owned(), value: value.to_owned(), default: default.map(str::to_owned) }
    }

    #[test]
    fn required_settings_have_no_default() {
        let found = changed("");
        assert!(found.contains(&row("fabric", "leaf_spine", None)), "{found:?}");
        assert!(found.contains(&row("fabric.leaf_spine.leaves", "2", None)), "{found:?}");
        assert!(found.iter().all(|changed| changed.default.is_none()), "{found:?}");
        assert!(found.iter().any(|changed| changed.path.ends_with("ring_all_reduce.size")), "{found:?}");
    }

    #[test]
    fn lists_are_reported_by_their_length() {
        let found = changed(
            "background: { poisson: { load: 0.1, end: 1ms, sizes: given, given: [[1KB, 0], [2KB, 1]], \
             senders: { contiguous: { ranks: 2 } } } }\n",
        );
        assert!(found.contains(&row("background.poisson.senders", "contiguous", Some("all"))), "{found:?}");
        assert!(
            found.contains(&row("background.poisson.senders.contiguous.ranks", "2", Some("none"))),
            "{found:?}"
        );
        let given = row("background.poisson.given", "2 points, as listed", Some("none"));
        assert!(found.contains(&given), "{found:?}");
        let text = "netloom: 1\nfabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 2 } }\n\
                    jobs: [ { orders: [[0, 1, 2, 3], [3, 2, 1, 0]], phases: [ \
                    { point_to_point: { stages: 2, size: 1MiB } }, \
                    { point_to_point: { stages: [[0, 1], [2, 3]], size: 1MiB } }, \
                    { ring_all_reduce: { size: 1MiB, order: given } } ] } ]\n";
        let found = crate::resolve(text, "x.yaml").expect("it is right").changed();
        for expected in [
            row("jobs.0.orders", "2 orders of the ranks, as listed", Some("none")),
            row("jobs.0.phases.0.point_to_point.stages", "2", None),
            row("jobs.0.phases.1.point_to_point.stages", "2 stages of ranks, as listed", None),
        ] {
            assert!(found.contains(&expected), "{expected:?} in {found:?}");
        }
    }

    #[test]
    fn a_written_default_does_not_count_as_changed() {
        let plain = changed("");
        assert_eq!(changed("seed: 1\ntransport: open_loop\ndeadline: none\n"), plain);
        assert_eq!(changed("balance: ecmp\n"), plain);
    }

    #[test]
    fn changed_settings_are_reported_with_their_defaults() {
        let found = changed("seed: 7\nbalance: spray\ntransport: { window: { packets: 8 } }\ndeadline: 1s\n");
        for expected in [
            row("seed", "7", Some("1")),
            row("balance.switch", "spray", Some("ecmp")),
            row("transport", "window", Some("open_loop")),
            row("transport.window.packets", "8", Some("128")),
            row("deadline", "1s", Some("none")),
        ] {
            assert!(found.contains(&expected), "{expected:?} in {found:?}");
        }
    }

    #[test]
    fn the_class_of_acknowledgements_has_the_default_of_its_transport() {
        let about_classes = |more: &str| {
            let found = changed(more).into_iter();
            found.filter(|changed| changed.path.starts_with("classes")).collect::<Vec<_>>()
        };
        assert_eq!(about_classes("transport: irn\n"), []);
        assert_eq!(about_classes("transport: irn\nclasses: { control: 1 }\n"), []);
        let found = about_classes("classes: { control: 1 }\n");
        assert_eq!(found, [row("classes.control", "1", Some("0"))]);
    }

    #[test]
    fn queues_and_the_edge_are_reported_key_by_key() {
        let found = changed(
            "transport: nic_sr\nbalance: { edge: themis, control: ecmp }\ncongestion: { dcqcn: { preset: simai } }\n\
             queues: { buffer: 9MB, headroom: 50KB, pause: true, marking: { minimum: 5KB, maximum: 200KB } }\n",
        );
        for expected in [
            row("balance.edge", "themis", Some("none")),
            row("balance.control", "ecmp", Some("as_data")),
            row("congestion", "dcqcn", Some("none")),
            row("congestion.dcqcn.preset", "simai", Some("hpcc")),
            row("queues.buffer", "9MB", Some("none")),
            row("queues.headroom", "50KB", Some("auto")),
            row("queues.pause", "true", Some("false")),
            row("queues.marking.minimum", "5KB", None),
        ] {
            assert!(found.contains(&expected), "{expected:?} in {found:?}");
        }
    }
}
