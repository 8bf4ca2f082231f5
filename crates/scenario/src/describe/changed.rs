//! Which settings of a scenario are not at their defaults.
//!
//! Models: every setting that has a default or must be given, by the path `--set` takes, as it would be written.
//! Leaves out: the scenario's name; lists, of which each item counts and none is a default.
//!
//! Invariants: a setting written with the value of its default does not count as changed.

use netloom_policy::{balance, congestion};
use netloom_units::{Duration, Value};

use super::{duration, value};
use crate::place::Placed;
use crate::resolved::{
    Balance, Fabric, Job, Parameters, Phase, Placement, Queues, Resolved, queue_pairs, sections,
};
use crate::written::{Node, Tree};

/// A setting that is not at its default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Where it is set.
    pub path: String,
    /// What it is.
    pub value: String,
    /// What it would be; absent where a scenario must say it.
    pub default: Option<String>,
}

/// All of them, in the order of the resolved scenario.
pub(crate) fn changed(resolved: &Resolved) -> Vec<Changed> {
    let mut list = List::default();
    list.entry("seed", resolved.seed.to_string(), Some("1"));
    match &resolved.fabric {
        Fabric::Parametric(parameters) => list.plugin("fabric", parameters, None),
        Fabric::Custom(custom) => {
            let sizes = [custom.hosts.value.len(), custom.switches.len(), custom.links.len()];
            let [hosts, switches, links] = sizes;
            let text = format!("{hosts} hosts, {switches} switches and {links} bundles of links, as listed");
            list.entry("fabric.custom", text, None);
        }
    }
    list.plugin("balance.host", &resolved.balance.host, Some(balance::SPECS[0].name));
    list.plugin("balance.switch", &resolved.balance.switch, Some(balance::SPECS[0].name));
    if let Some(control) = &resolved.balance.control {
        list.plugin("balance.control", control, Some(Balance::AS_DATA));
    }
    if let Some(edge) = &resolved.balance.edge {
        list.plugin("balance.edge", edge, Some("none"));
    }
    list.plugin("transport", &resolved.transport, Some(sections::OPEN_LOOP.name));
    list.plugin("congestion", &resolved.congestion, Some(congestion::SPECS[0].name));
    list.queues(&resolved.queues);
    list.classes(resolved);
    resolved.jobs.iter().enumerate().for_each(|(number, job)| list.job(number, job));
    if let Some(background) = &resolved.background {
        list.plugin("background", &background.kind, Some("none"));
        list.section(&format!("background.{}", background.kind.spec.name), &background.common);
    }
    list.faults(resolved);
    let delay = resolved.coordination_delay.as_ref().map(|delay| delay.value);
    list.span("coordination_delay", delay, "auto");
    list.span("deadline", resolved.deadline.map(|time| Duration(time.0)), "none");
    list.section("record", &resolved.record.settings);
    list.names("record.packets_from", &resolved.record.packets_from);
    list.names("record.packets_of", &resolved.record.packets_of);
    list.names("record.packets_on", &resolved.record.packets_on);
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
            if parameter.default != Some(found) {
                let default = parameter.default.map(text);
                self.entry(&format!("{path}.{}", parameter.name), text(found), default.as_deref());
            }
        }
    }

    /// A plug-in, which itself may be a choice, and its parameters.
    fn plugin(&mut self, path: &str, parameters: &Parameters, default: Option<&str>) {
        self.entry(path, parameters.spec.name.to_owned(), default);
        self.section(&format!("{path}.{}", parameters.spec.name), parameters);
    }

    fn names(&mut self, path: &str, names: &[Placed<String>]) {
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

    fn queues(&mut self, queues: &Queues) {
        self.section("queues", &queues.settings);
        if let Some(headroom) = &queues.headroom {
            self.entry("queues.headroom", text(Value::Size(headroom.value)), Some("auto"));
        }
        if let Some(marking) = &queues.marking {
            self.section("queues.marking", marking);
        }
    }

    /// Their defaults are those of the transport.
    fn classes(&mut self, resolved: &Resolved) {
        let control = queue_pairs::default_control_class(Some(resolved.transport.spec)).to_string();
        for (name, found) in resolved.classes.settings.iter() {
            let default = if name == "control" { control.as_str() } else { "0" };
            self.entry(&format!("classes.{name}"), text(found), Some(default));
        }
    }

    fn job(&mut self, number: usize, job: &Job) {
        let path = format!("jobs.{number}");
        self.entry(&format!("{path}.steps"), job.steps.value.to_string(), Some("1"));
        self.span(&format!("{path}.start"), (job.start.0 > 0).then_some(Duration(job.start.0)), "0s");
        match &job.placement {
            Placement::Rule(rule) => {
                self.plugin(&format!("{path}.placement"), rule, Some(sections::ALL_HOSTS.name));
            }
            Placement::List(hosts) => self.names(&format!("{path}.placement.list"), &hosts.value),
        }
        self.phases(&format!("{path}.phases"), &job.phases);
    }

    fn phases(&mut self, path: &str, phases: &[Placed<Phase>]) {
        for (number, phase) in phases.iter().enumerate() {
            self.phase(&format!("{path}.{number}"), &phase.value);
        }
    }

    fn phase(&mut self, path: &str, phase: &Phase) {
        match phase {
            Phase::Compute(span) => self.entry(&format!("{path}.compute"), written(&duration(*span)), None),
            Phase::Barrier => self.entry(path, "barrier".to_owned(), None),
            Phase::Collectives { settings, each } => {
                self.section(&format!("{path}.collectives"), settings);
                for (number, collective) in each.iter().enumerate() {
                    let path = format!("{path}.collectives.each.{number}");
                    self.plugin(&path, &collective.algorithm, None);
                    let path = format!("{path}.{}", collective.algorithm.spec.name);
                    self.section(&path, &collective.common);
                }
            }
            Phase::PointToPoint { settings, .. } => self.section(&format!("{path}.point_to_point"), settings),
            Phase::Repeat { times, phases } => {
                self.entry(&format!("{path}.repeat.times"), times.value.to_string(), None);
                self.phases(&format!("{path}.repeat.phases"), phases);
            }
        }
    }

    fn faults(&mut self, resolved: &Resolved) {
        let faults = &resolved.faults;
        self.section("faults", &faults.settings);
        if let Some(random) = &faults.random {
            self.section("faults.random", random);
        }
        self.names("faults.failed", &faults.failed);
        if !faults.timed.is_empty() {
            self.entry("faults.timed", format!("{} events, as listed", faults.timed.len()), Some("none"));
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
    fn what_a_scenario_must_say_has_no_default() {
        let found = changed("");
        assert!(found.contains(&row("fabric", "leaf_spine", None)), "{found:?}");
        assert!(found.contains(&row("fabric.leaf_spine.leaves", "2", None)), "{found:?}");
        assert!(found.iter().all(|changed| changed.default.is_none()), "{found:?}");
        assert!(found.iter().any(|changed| changed.path.ends_with("ring_all_reduce.size")), "{found:?}");
    }

    #[test]
    fn a_default_that_is_written_is_not_changed() {
        let plain = changed("");
        assert_eq!(changed("seed: 1\ntransport: open_loop\ndeadline: none\n"), plain);
        assert_eq!(changed("balance: ecmp\n"), plain);
    }

    #[test]
    fn what_differs_stands_beside_its_default() {
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
    fn queues_and_the_edge_are_told_key_by_key() {
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
