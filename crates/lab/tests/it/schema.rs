//! The JSON schema: the scenarios of the repository satisfy it, and invalid ones do not.
//!
//! Has its own validator for the few keywords in use; an unknown keyword fails the test.

use std::fs;
use std::path::{Path, PathBuf};

use netloom_lab::{Overrides, Source, list, prepare};
use serde_json::{Map, Value};

/// Keywords that are only annotations.
const NOTES: [&str; 7] = ["$schema", "$defs", "title", "description", "default", "examples", "$comment"];

struct Schema {
    root: Value,
}

impl Schema {
    fn new() -> Schema {
        Schema { root: serde_json::from_str(&list::schema()).expect("the schema is JSON") }
    }

    fn accepts(&self, value: &Value) -> bool {
        self.holds(&self.root, value)
    }

    fn holds(&self, schema: &Value, value: &Value) -> bool {
        if let Value::Bool(anything) = schema {
            return *anything;
        }
        let members = schema.as_object().expect("a schema is a map");
        members.iter().all(|(keyword, says)| self.keyword(members, keyword, says, value))
    }

    fn keyword(&self, all: &Map<String, Value>, keyword: &str, says: &Value, value: &Value) -> bool {
        let each = || says.as_array().expect("a list of schemas").iter();
        match keyword {
            "$ref" => {
                let name =
                    says.as_str().and_then(|path| path.strip_prefix("#/$defs/")).expect("a definition");
                self.holds(&self.root["$defs"][name], value)
            }
            "anyOf" => each().any(|schema| self.holds(schema, value)),
            "oneOf" => each().filter(|schema| self.holds(schema, value)).count() == 1,
            "allOf" => each().all(|schema| self.holds(schema, value)),
            "not" => !self.holds(says, value),
            "if" => !self.holds(says, value) || self.holds(&all["then"], value),
            "then" => true,
            "prefixItems" => value
                .as_array()
                .is_none_or(|items| each().zip(items).all(|(schema, item)| self.holds(schema, item))),
            "items" => value.as_array().is_none_or(|items| {
                let n_prefix = all.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
                items.iter().skip(n_prefix).all(|item| self.holds(says, item))
            }),
            "minItems" => {
                value.as_array().is_none_or(|items| items.len() as u64 >= says.as_u64().expect("a number"))
            }
            "maxItems" => {
                value.as_array().is_none_or(|items| items.len() as u64 <= says.as_u64().expect("a number"))
            }
            "properties" => value.as_object().is_none_or(|members| {
                let known = |(key, value): (&String, &Value)| {
                    says.get(key).is_none_or(|schema| self.holds(schema, value))
                };
                members.iter().all(known)
            }),
            "additionalProperties" => {
                let properties = all.get("properties");
                let is_known = |key: &String| properties.is_some_and(|known| known.get(key).is_some());
                let holds = |(key, value): (&String, &Value)| {
                    is_known(key) || (*says != Value::Bool(false) && self.holds(says, value))
                };
                value.as_object().is_none_or(|members| members.iter().all(holds))
            }
            _ => plain(keyword, says, value),
        }
    }
}

/// Keywords without subschemas.
fn plain(keyword: &str, says: &Value, value: &Value) -> bool {
    match keyword {
        "const" => value == says,
        "enum" => says.as_array().expect("a list of values").contains(value),
        "type" => match says {
            Value::Array(kinds) => kinds.iter().any(|kind| is_of(kind, value)),
            kind => is_of(kind, value),
        },
        "required" => value.as_object().is_none_or(|members| {
            says.as_array()
                .expect("names")
                .iter()
                .all(|key| members.contains_key(key.as_str().expect("a name")))
        }),
        "minimum" => value.as_f64().is_none_or(|number| number >= says.as_f64().expect("a number")),
        "maximum" => value.as_f64().is_none_or(|number| number <= says.as_f64().expect("a number")),
        "minProperties" => {
            value.as_object().is_none_or(|all| all.len() as u64 >= says.as_u64().expect("a number"))
        }
        "maxProperties" => {
            value.as_object().is_none_or(|all| all.len() as u64 <= says.as_u64().expect("a number"))
        }
        "pattern" => value.as_str().is_none_or(|text| matches(says.as_str().expect("a pattern"), text)),
        note => {
            assert!(NOTES.contains(&note), "unknown keyword `{note}`");
            true
        }
    }
}

fn is_of(kind: &Value, value: &Value) -> bool {
    match kind.as_str().expect("the name of a type") {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("unknown type `{other}`"),
    }
}

/// The two patterns in use: one over a whole number; and a decimal number, spaces, and one of several suffixes.
fn matches(pattern: &str, text: &str) -> bool {
    if pattern == "^1/0*[1-9][0-9]*$" {
        let whole = text.strip_prefix("1/").filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
        return whole.is_some_and(|whole| whole.bytes().any(|digit| digit != b'0'));
    }
    let ends = pattern.strip_prefix("^[0-9]+(\\.[0-9]+)? *").and_then(|rest| rest.strip_suffix('$'));
    let ends = ends.unwrap_or_else(|| panic!("unknown pattern `{pattern}`")).trim_matches(['(', ')']);
    let number_ends = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, end) = text.split_at(number_ends);
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_decimal =
        number.split_once('.').map_or(digits(number), |(whole, rest)| digits(whole) && digits(rest));
    is_decimal && ends.split('|').any(|known| known == end.trim_start_matches(' '))
}

/// A scenario as data, as an editor parses it.
fn data(yaml: &str) -> Value {
    serde_saphyr::from_str(yaml).unwrap_or_else(|error| panic!("{error}\n{yaml}"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn scenarios(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be read").flatten() {
        let path = entry.path();
        if path.is_dir() {
            scenarios(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "yaml")
            && path.file_name().is_none_or(|name| name != "claims.yaml")
        {
            found.push(path);
        }
    }
}

#[test]
fn every_scenario_satisfies_the_schema_as_written_and_as_resolved() {
    let schema = Schema::new();
    let mut found = Vec::new();
    for folder in ["scenarios", "papers"] {
        scenarios(&root().join(folder), &mut found);
    }
    assert!(found.len() > 40, "only {} scenarios", found.len());
    for path in found {
        let text = fs::read_to_string(&path).expect("the scenario can be read");
        assert!(schema.accepts(&data(&text)), "{}", path.display());
        let prepared = prepare(&Source::file(&path), &Overrides::default()).expect("the scenario is right");
        assert!(schema.accepts(&prepared.scenario), "{} resolved", path.display());
    }
}

const FABRIC: &str = "fabric: {leaf_spine: {leaves: 2, spines: 2, hosts_per_leaf: 2}}";

#[test]
fn optional_keys_and_short_forms_satisfy_the_schema() {
    let schema = Schema::new();
    for more in [
        "",
        "queues:",
        "balance: {adaptive: }",
        "balance: {host: spray}",
        "background: none",
        "jobs: [{name: 1, phases: [barrier, {barrier: {}}, {compute: 1.5 us}]}]",
        "jobs: [{phases: [{point_to_point: {stages: [[0, 1], [2, 3]], size: 1KB}}]}]",
        "faults: {random: {fraction: 2.5%}}",
        "faults: {random: {fraction: 0.5}}",
        "faults: {random: none}",
        "transport: nic_sr\nbalance: {edge: themis, control: as_data}\ncongestion: {dcqcn: {preset: simai, gain: 8}}",
        "transport: {irn: {header: none, window: 1MiB}}\nbalance: {edge: none, control: {spray: }}\ncongestion: none",
        "queues: {buffer: 9MB, alpha: 12.5%, pause: true, headroom: auto, marking: none}",
        "queues: {headroom: 9KB, marking: {minimum: 5KB, maximum: 9KB, probability: 1}}\nfaults: {loss: 1%}",
    ] {
        assert!(schema.accepts(&data(&format!("netloom: 1\n{FABRIC}\n{more}\n"))), "{more}");
    }
    for heir in
        ["", "fabric: {leaf_spine: {spines: 4}}", "fabric: leaf_spine", "fabric: {custom: {links: []}}"]
    {
        assert!(schema.accepts(&data(&format!("netloom: 1\nfrom: base.yaml\n{heir}\n"))), "{heir}");
    }
}

#[test]
fn invalid_scenarios_do_not_satisfy_the_schema() {
    let schema = Schema::new();
    for more in [
        "balence: ecmp",
        "balance: emcp",
        "balance: {ecmp: {}, spray: {}}",
        "balance: {ecmp: {slat: none}}",
        "balance: {adaptive: {backlog: byte}}",
        "transport: {open_loop: {rate: 4}}",
        "transport: {open_loop: {packet: 4us}}",
        "transport: {open_loop: {rate: 4gbps}}",
        "classes: {data: 8}",
        "seed: -1",
        "queues: {switch_limit: 100}",
        "jobs: [{phases: [{ring_allreduce: {size: 1MiB}}]}]",
        "jobs: [{phases: [ring_all_gather]}]",
        "jobs: [{phases: [{ring_all_gather: {}}]}]",
        "jobs: [{steps: 2}]",
        "jobs: [{phases: [{compute: 5}]}]",
        "jobs: {phases: []}",
        "faults: {random: {}}",
        "faults: {timed: [{link: a, at: 1us, action: dwon}]}",
        "record: {queue_packets: maybe}",
        "transport: {irn: {packet: 4KiB}}",
        "transport: {nic_sr: {timeout_low: 4ms}}",
        "transport: {ideal: {first_psn: 16777216}}",
        "congestion: swfit",
        "balance: {edge: ecmp}",
        "balance: {control: as-data}",
        "queues: {headroom: none}",
        "queues: {marking: {minimum: 5KB}}",
        "queues: {alpha: 65}",
        "faults: {loss: 1.5}",
        "flows: {scale: 1/0, list: [{from: a, to: b, stop: 1ms}]}",
        "flows: {list: [{from: a, to: b, start: 1ms}]}",
    ] {
        assert!(!schema.accepts(&data(&format!("netloom: 1\n{FABRIC}\n{more}\n"))), "{more}");
    }
    for whole in [
        "[]",
        "netloom: 2\nfabric: leaf_spine",
        "netloom: 1",
        "netloom: 1\nfabric: leaf_spine",
        "netloom: 1\nfabric: {leaf_spine: {leaves: 2}}",
        "netloom: 1\nfabric: {custom: {hosts: [a, b]}}",
        "netloom: 1\nfabric: {leaf_spine: {leaves: 2, spines: 2, hosts_per_leaf: 2}, custom: {}}",
        "netloom: 1\nfrom: base.yaml\nfabric: {custom: {links: [{from: a}]}}",
        "from: base.yaml",
        "netloom: 1\nfrom: base.yaml\nfabric: torus",
    ] {
        assert!(!schema.accepts(&data(whole)), "{whole}");
    }
}
