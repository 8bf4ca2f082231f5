//! The settings in which scenarios differ, in short form.
//!
//! Models: settings as paths and values. A plug-in differs from another one in its name (`congestion: none` against
//! `congestion: {slingshot: {...}}`), and in its parameters only from others of its name.
//! Leaves out: long lists, of which only the first entry and the length are given.

use std::collections::BTreeSet;

use serde_json::Value;

/// A setting in which scenarios differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Its path.
    pub path: String,
    /// The value of each scenario; absent if the scenario has no such path.
    pub values: Vec<Option<String>>,
}

/// The value of a key that others have and this one lacks.
static NOTHING: Value = Value::Null;

/// All settings in which these differ, in the order of their paths; an absent value does not count as a difference.
pub fn differences(path: &str, scenarios: &[Option<&Value>]) -> Vec<Difference> {
    let mut found = Vec::new();
    walk(path, scenarios, &mut found);
    found
}

fn walk(path: &str, values: &[Option<&Value>], found: &mut Vec<Difference>) {
    let mut present = values.iter().flatten();
    let Some(first) = present.next() else { return };
    if present.all(|value| value == first) {
        return;
    }
    let is = |kind: fn(&Value) -> bool| values.iter().flatten().all(|value| kind(value));
    if is(is_section) {
        return inside(path, values, found);
    }
    if is(Value::is_array) && same_length(values) && is(|list| list.get(0).is_some_and(Value::is_object)) {
        return items(path, values, found);
    }
    let words: Vec<Option<String>> =
        values.iter().map(|value| value.map(|value| value_text(value, values))).collect();
    let distinct: BTreeSet<&String> = words.iter().flatten().collect();
    if distinct.len() > 1 {
        found.push(Difference { path: path.to_owned(), values: words.clone() });
    }
    for tag in distinct {
        let pairs = values.iter().copied().zip(&words);
        let of_it =
            pairs.map(|(value, word)| value.filter(|value| value.is_object() && word.as_ref() == Some(tag)));
        inside(path, &of_it.collect::<Vec<_>>(), found);
    }
}

/// A value in short form; lists that begin alike are numbered.
fn value_text(value: &Value, others: &[Option<&Value>]) -> String {
    let Value::Array(list) = value else { return word(value) };
    let mut alike: Vec<&Value> = Vec::new();
    for other in others.iter().flatten().filter(|other| word(other) == word(value)) {
        if !alike.contains(other) {
            alike.push(other);
        }
    }
    let number = alike.iter().position(|other| other.as_array() == Some(list)).unwrap_or_default();
    if alike.len() > 1 { format!("{} #{}", word(value), number + 1) } else { word(value) }
}

/// A map of settings; a map with a single key is a plug-in with its parameters.
fn is_section(value: &Value) -> bool {
    value.as_object().is_some_and(|map| map.len() != 1)
}

fn same_length(lists: &[Option<&Value>]) -> bool {
    let mut lengths = lists.iter().flatten().map(|list| list.as_array().map(Vec::len));
    let first = lengths.next();
    lengths.all(|length| Some(length) == first)
}

/// Compares maps by key.
fn inside(path: &str, maps: &[Option<&Value>], found: &mut Vec<Difference>) {
    let keys = maps.iter().flatten().filter_map(|map| map.as_object()).flat_map(|map| map.keys());
    for key in keys.collect::<BTreeSet<_>>() {
        let below: Vec<Option<&Value>> =
            maps.iter().map(|map| map.map(|map| map.get(key).unwrap_or(&NOTHING))).collect();
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        walk(&path, &below, found);
    }
}

/// Compares lists by entry.
fn items(path: &str, lists: &[Option<&Value>], found: &mut Vec<Difference>) {
    let length = lists.iter().flatten().find_map(|list| list.as_array()).map_or(0, Vec::len);
    for index in 0..length {
        let below: Vec<Option<&Value>> =
            lists.iter().map(|list| list.and_then(|list| list.get(index))).collect();
        walk(&format!("{path}.{index}"), &below, found);
    }
}

/// A value in short form.
fn word(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".to_owned(),
        Value::Object(map) if map.len() == 1 => map.keys().next().cloned().unwrap_or_default(),
        Value::Object(_) => "given".to_owned(),
        Value::Array(list) => match list.first() {
            Some(first) => format!("{} … ({})", word(first), list.len()),
            None => "none".to_owned(),
        },
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn texts(scenarios: &[Value]) -> Vec<(String, Vec<String>)> {
        let all: Vec<Option<&Value>> = scenarios.iter().map(Some).collect();
        let words = |values: Vec<Option<String>>| {
            values.into_iter().map(|value| value.unwrap_or_else(|| "-".to_owned())).collect()
        };
        differences("", &all).into_iter().map(|row| (row.path, words(row.values))).collect()
    }

    fn row(path: &str, values: &[&str]) -> (String, Vec<String>) {
        (path.to_owned(), values.iter().map(|value| (*value).to_owned()).collect())
    }

    #[test]
    fn plug_ins_differ_in_names_and_those_of_one_name_in_parameters() {
        let scenario = |congestion: Value| json!({"seed": 1, "congestion": congestion});
        let slingshot = |hold: &str| json!({"slingshot": {"hold": hold, "floor": 3}});
        let found = texts(&[scenario(json!("none")), scenario(slingshot("1us")), scenario(slingshot("2us"))]);
        let expected = [
            row("congestion", &["none", "slingshot", "slingshot"]),
            row("congestion.slingshot.hold", &["-", "1us", "2us"]),
        ];
        assert_eq!(found, expected);
        let one = texts(&[scenario(json!("none")), scenario(slingshot("1us"))]);
        assert_eq!(one, [row("congestion", &["none", "slingshot"])], "no parameter of it beside");
    }

    #[test]
    fn sections_are_reported_key_by_key_and_lists_by_their_first() {
        let scenario = |rate: &str, hosts: Value, marking: Value| json!({"hosts": {"injection": rate, "copy": "none"}, "list": hosts, "marking": marking});
        let found = texts(&[
            scenario("165Gbps", json!(["a", "b"]), json!("none")),
            scenario("60Gbps", json!(["c", "b"]), json!({"low": 1, "high": 2})),
        ]);
        let expected = [
            row("hosts.injection", &["165Gbps", "60Gbps"]),
            row("list", &["a … (2)", "c … (2)"]),
            row("marking", &["none", "given"]),
        ];
        assert_eq!(found, expected);
        let same = json!({"a": {"b": 1, "c": 2}});
        assert_eq!(texts(&[same.clone(), same]), []);
    }

    #[test]
    fn lists_that_differ_after_the_first_entry_are_reported() {
        let found = texts(&[json!({"list": ["a", "b"], "x": 1}), json!({"list": ["a", "c"], "x": 1})]);
        assert_eq!(found, [row("list", &["a … (2) #1", "a … (2) #2"])]);
    }
}
