//! The schema of single values and lists.

use netloom_units::{Kind, Value};

use super::json::Json;
use super::reference;
use crate::language::Shape;
use crate::quantity::Dimension;
use crate::words;

/// The members of the schema of a shape.
pub(super) fn members(shape: &Shape) -> Vec<(&'static str, Json)> {
    match shape {
        Shape::Value(kind) => of_kind(kind),
        Shape::Word(word) => vec![("const", Json::text(*word))],
        Shape::Version => vec![("const", Json::Count(1))],
        // Names are text, whatever they look like: `1` and `true` are valid names of hosts, too.
        Shape::Text => vec![("type", Json::texts(["string", "number", "boolean"]))],
        Shape::Share => vec![
            ("type", Json::text("string")),
            ("pattern", Json::text("^1/0*[1-9][0-9]*$")),
            ("examples", Json::texts(["1/1000"])),
        ],
        Shape::Pair(two) => vec![
            ("type", Json::text("array")),
            ("prefixItems", Json::List(two.iter().map(|shape| Json::map(members(shape))).collect())),
            ("items", Json::Flag(false)),
            ("minItems", Json::Count(2)),
        ],
        Shape::Names(of) => {
            vec![("type", Json::text("object")), ("additionalProperties", Json::map(members(of)))]
        }
        Shape::List(of) => vec![("type", Json::text("array")), ("items", Json::map(members(of)))],
        Shape::Defined(name) => vec![("$ref", reference(name))],
        Shape::Either(shapes) => {
            vec![("anyOf", Json::List(shapes.iter().map(|shape| Json::map(members(shape))).collect()))]
        }
    }
}

fn of_kind(kind: &Kind) -> Vec<(&'static str, Json)> {
    match kind {
        Kind::Count { minimum, maximum } => {
            let mut members = vec![("type", Json::text("integer")), ("minimum", Json::Count(*minimum))];
            // Beyond this, programs that use doubles would compare with another number.
            if *maximum <= 1 << 53 {
                members.push(("maximum", Json::Count(*maximum)));
            }
            members
        }
        Kind::Counts { most } => vec![
            ("type", Json::text("array")),
            ("items", Json::map(of_kind(&Kind::Count { minimum: 0, maximum: u64::MAX }))),
            ("minItems", Json::Count(1)),
            ("maxItems", Json::Count(*most as u64)),
        ],
        Kind::Fraction { minimum, maximum } => {
            let number = Json::map([
                ("type", Json::text("number")),
                ("minimum", Json::Number(*minimum)),
                ("maximum", Json::Number(*maximum)),
            ]);
            let percent = Json::map(pattern("%", "percentage such as 5%"));
            vec![("anyOf", Json::List(vec![number, percent]))]
        }
        Kind::Duration => quantity(Dimension::Duration, "10us"),
        Kind::Size => quantity(Dimension::Size, "64KiB"),
        Kind::Rate => quantity(Dimension::Rate, "400Gbps"),
        Kind::Flag => vec![("type", Json::text("boolean"))],
        Kind::Choice(words) => vec![("enum", Json::texts(words.iter().copied()))],
        Kind::Optional(inner) => {
            let none = Json::map([("const", Json::text("none"))]);
            vec![("anyOf", Json::List(vec![none, Json::map(of_kind(inner))]))]
        }
    }
}

/// A decimal number with one of the dimension's units.
fn quantity(dimension: Dimension, example: &str) -> Vec<(&'static str, Json)> {
    let units: Vec<&str> = dimension.units().iter().map(|(name, _)| *name).collect();
    let title = format!("{} such as {example}", dimension.name());
    let mut members = pattern(&format!("({})", units.join("|")), &title);
    members.push(("examples", Json::texts([example])));
    members
}

/// A decimal number with an end.
fn pattern(end: &str, title: &str) -> Vec<(&'static str, Json)> {
    vec![
        ("title", Json::text(title)),
        ("type", Json::text("string")),
        ("pattern", Json::Text(format!("^[0-9]+(\\.[0-9]+)? *{end}$"))),
    ]
}

/// A value as in a scenario.
pub(super) fn value(value: &Value) -> Json {
    match value {
        Value::Count(n) => Json::Count(*n),
        Value::Counts(list) => Json::List(list.iter().map(|&n| Json::Count(n)).collect()),
        Value::Fraction(number) => Json::Number(*number),
        Value::Flag(flag) => Json::Flag(*flag),
        other => Json::Text(words::value(other)),
    }
}
