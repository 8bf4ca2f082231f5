//! The settings of a fabric, one line per section.
//!
//! Leaves out: values at their defaults, and long values; the resolved scenario has them.

use serde_json::Value;

use super::Setting;
use crate::prepare::Prepared;
use crate::words;

/// Most changed values that follow a choice.
const MOST_SHOWN: usize = 8;

/// The settings of all sections, in the order of scenarios.
pub fn settings(prepared: &Prepared) -> Vec<Setting> {
    let view = SettingsView { prepared };
    let sections = [
        ("switches", view.switches()),
        ("balance", view.balance()),
        ("transport", view.plugin("transport")),
        ("congestion", view.plugin("congestion")),
        ("hosts", view.changed_below("hosts").unwrap_or_else(|| "no processing time per message".to_owned())),
        ("work", view.work()),
        ("faults", view.changed_below("faults").unwrap_or_else(|| "none".to_owned())),
    ];
    sections.into_iter().map(|(section, text)| Setting { section, text }).collect()
}

struct SettingsView<'a> {
    prepared: &'a Prepared,
}

impl SettingsView<'_> {
    /// `key value, ...` of the changed values below a path; `None` if there are none.
    fn changed_below(&self, path: &str) -> Option<String> {
        let below = format!("{path}.");
        let changed = &self.prepared.compiled.changed;
        let values: Vec<String> = changed
            .iter()
            .filter_map(|changed| {
                let key = changed.path.strip_prefix(&below)?;
                Some(format!("{key} {}", changed.value))
            })
            .collect();
        let more = if values.len() > MOST_SHOWN { ", ..." } else { "" };
        let shown = values[..values.len().min(MOST_SHOWN)].join(", ");
        (!values.is_empty()).then(|| shown + more)
    }

    /// `name (key value, ...)` of the changed values below a path.
    fn with_changed(&self, name: &str, path: &str) -> String {
        self.changed_below(path).map_or_else(|| name.to_owned(), |changed| format!("{name} ({changed})"))
    }

    /// A section that names one of several plug-ins.
    fn plugin(&self, section: &str) -> String {
        self.at(&self.prepared.scenario[section], section)
    }

    fn at(&self, value: &Value, path: &str) -> String {
        let name = chosen(value);
        self.with_changed(&name, &format!("{path}.{name}"))
    }

    fn balance(&self) -> String {
        let balance = &self.prepared.scenario["balance"];
        let mut text = format!("switches {}", self.at(&balance["switch"], "balance.switch"));
        text.push_str(&format!(", hosts {}", self.at(&balance["host"], "balance.host")));
        for (key, default) in [("control", "as_data"), ("edge", "none")] {
            if chosen(&balance[key]) != default {
                text.push_str(&format!(", {key} {}", self.at(&balance[key], &format!("balance.{key}"))));
            }
        }
        let n_static = self.prepared.compiled.model.balances.static_routes.len() as u64;
        if n_static > 0 {
            text.push_str(&format!(", {}", words::some(n_static, "static route")));
        }
        text
    }

    /// The queues of switches, in the sizes of the scenario.
    fn switches(&self) -> String {
        let (queues, written) = (&self.prepared.compiled.model.queues, &self.prepared.scenario["queues"]);
        if queues.credits.is_some() {
            return self.with_changed("input buffers and credits", "queues.credits");
        }
        let mut text = match (queues.buffer, queues.switch_limit) {
            (Some(buffer), _) => {
                let pause = if buffer.pause.is_some() { "lossless by pause frames" } else { "lossy" };
                format!("a shared buffer of {} each, {pause}", chosen(&written["buffer"]))
            }
            (None, Some(_)) => format!("a queue of {} for each port", chosen(&written["switch_limit"])),
            (None, None) => "an unlimited queue for each port".to_owned(),
        };
        if queues.marking.is_some() {
            let [least, most] = ["minimum", "maximum"].map(|key| chosen(&written["marking"][key]));
            text.push_str(&format!(", marks from {least} to {most}"));
        }
        text
    }

    fn work(&self) -> String {
        let workload = &self.prepared.compiled.model.workload;
        let mut parts = Vec::new();
        if !workload.jobs.is_empty() {
            parts.push(words::some(workload.jobs.len() as u64, "job"));
        }
        if workload.background.is_some() {
            parts.push("background traffic".to_owned());
        }
        if !self.prepared.compiled.flow_names.is_empty() {
            parts.push(words::some(self.prepared.compiled.flow_names.len() as u64, "staged flow"));
        }
        if let Some(finite) = &workload.finite {
            parts.push(words::some(finite.flows.len() as u64, "finite flow"));
        }
        if parts.is_empty() { "none (a base fabric)".to_owned() } else { parts.join(", ") }
    }
}

/// The name of the choice.
fn chosen(value: &Value) -> String {
    match value {
        Value::String(name) => name.clone(),
        Value::Object(map) => map.keys().next().cloned().unwrap_or_default(),
        other => other.to_string(),
    }
}
