//! Names that look like other YAML types remain names: in the resolved scenario, as text and as data.

use netloom_lab::{Overrides, Source, Style, prepare};
use serde_json::Value;

use crate::scenes::prepared;

/// Texts that YAML readers parse as numbers, booleans, null or dates if they are not quoted.
const NAMES: [&str; 30] = [
    "70627759e751",
    "4e8980531588",
    "123",
    "1_000",
    "007",
    "0x1f",
    "0o17",
    "0b101",
    "1e5",
    "1.5",
    "1.",
    ".5",
    "3e-3",
    "3e+3",
    "12:30:45",
    "2026-01-31",
    "true",
    "True",
    "FALSE",
    "yes",
    "No",
    "on",
    "Off",
    "y",
    "null",
    "NULL",
    "~",
    ".inf",
    "NaN",
    "Infinity",
];

/// Two hosts, a job, a flow and a fault, all with that name or one that begins with it.
fn scene(name: &str) -> String {
    format!(
        r#"
netloom: 1
name: "{name}"
fabric:
  custom:
    hosts: ["{name}", other]
    switches: [switch]
    links:
      - {{from: "{name}", to: switch, rate: 100Gbps, delay: 1us}}
      - {{from: other, to: switch, rate: 100Gbps, delay: 1us}}
transport: {{go_back_n: {{mtu: 4KiB}}}}
traffic: [{{name: "{name}", class: 0}}]
jobs:
  - name: "{name}"
    placement: {{list: ["{name}", other]}}
    traffic: "{name}"
    phases: [{{ring_all_reduce: {{size: 64KiB}}}}]
flows: {{list: [{{name: "{name}", from: "{name}", to: other, stop: 1ms, traffic: "{name}"}}]}}
record: {{packets_from: ["{name}"]}}
"#
    )
}

#[test]
fn a_name_that_looks_like_a_number_remains_a_name() {
    for name in NAMES {
        let prepared = prepared(&scene(name), None);
        let scenario = &prepared.scenario;
        for workspace in [
            "/name",
            "/fabric/custom/hosts/0",
            "/fabric/custom/links/0/from",
            "/traffic/0/name",
            "/jobs/0/name",
            "/jobs/0/placement/list/0",
            "/jobs/0/traffic",
            "/flows/list/0/name",
            "/flows/list/0/from",
            "/flows/list/0/traffic",
            "/record/packets_from/0",
        ] {
            assert_eq!(scenario.pointer(workspace), Some(&Value::from(name)), "{name} at {workspace}");
        }
        assert!(scenario["seed"].is_u64(), "{name}: a number remains a number");
        let text = prepared.compiled.resolved_yaml.as_str();
        let again = prepare(&Source::text("again.yaml", text), &Overrides::default());
        let again = again.unwrap_or_else(|error| panic!("{}", error.render(Style::Plain)));
        assert_eq!(again.compiled.resolved_yaml, text, "{name}");
    }
}

#[test]
fn the_name_of_a_file_may_be_a_number() {
    let text = scene("x").replace("name: \"x\"\nfabric", "fabric");
    for name in NAMES.iter().filter(|name| !name.contains([':', '~', '.'])) {
        let source = Source::text(format!("{name}.yaml"), text.as_str());
        let prepared = prepare(&source, &Overrides::default());
        let prepared = prepared.unwrap_or_else(|error| panic!("{}", error.render(Style::Plain)));
        assert_eq!((prepared.name.as_str(), &prepared.scenario["name"]), (*name, &Value::from(*name)));
    }
}
