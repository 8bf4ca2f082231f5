//! The reference of the language as a page: every section, plug-in and key.
//!
//! Leaves out: when to use a policy; its own page describes that.
//!
//! Invariants: the same language gives the same text, which lists only what the reader accepts.

use netloom_units::Parameter;

use crate::language::{Body, Definition, Key, Language, Member, Preset, Shape};
use crate::quantity::Dimension;
use crate::words;

/// The page, as Markdown.
pub fn reference() -> String {
    let language = Language::new();
    let mut page = format!("{HEAD}{}{TAIL}", units());
    for definition in &language.definitions {
        page.push_str(&section(definition));
    }
    page
}

const HEAD: &str = "\
# The scenario, key by key

<!-- generated from the specs; `make golden` rewrites it -->

A scenario is one YAML file whose first key is `netloom: 1`.
A quantity is a decimal number with its unit:

";

const TAIL: &str = "
Where one of several names may be written, it is written alone or with a map of its parameters: `spray`, or `adaptive: {backlog: packets}`.

Inheritance, checks in an editor and the form of error messages are described in [scenarios](../concepts/scenarios.md).
";

/// The units of each kind of quantity.
fn units() -> String {
    let line = |(what, dimension): (&str, Dimension)| {
        let names: Vec<String> = dimension.units().iter().map(|(name, _)| format!("`{name}`")).collect();
        format!("- {what}: {}.\n", names.join(", "))
    };
    [("rate", Dimension::Rate), ("size", Dimension::Size), ("time", Dimension::Duration)].map(line).concat()
}

/// The table of a plug-in's parameters.
pub fn parameter_table(parameters: &[Parameter]) -> String {
    table(&parameters.iter().map(Key::of).collect::<Vec<_>>())
}

fn section(definition: &Definition) -> String {
    let mut text = format!("\n## `{}`\n\n{}.\n", definition.name, capitalized(definition.summary));
    if !definition.source.is_empty() {
        text.push_str(&format!("Source: {}.\n", definition.source));
    }
    text.push('\n');
    text.push_str(&match &definition.body {
        Body::Map(keys) => table(keys),
        Body::Choice { members, beside } if beside.is_empty() => names(members),
        Body::Choice { members, beside } => {
            format!("{}\nBeside the name:\n\n{}", names(members), table(beside))
        }
    });
    text
}

fn table(keys: &[Key]) -> String {
    if keys.is_empty() {
        return "It has no parameters.\n".to_owned();
    }
    let row = |key: &Key| {
        let (value, default) = (in_words(&key.shape), preset(&key.preset));
        format!("| `{}` | {value} | {default} | {} |\n", key.name, key.meaning)
    };
    let rows: String = keys.iter().map(row).collect();
    format!("| parameter | value | default | meaning |\n|---|---|---|---|\n{rows}")
}

fn names(members: &[Member]) -> String {
    let row = |member: &Member| {
        let below = in_words(&member.body);
        format!("| `{}` | {below} | {} |\n", member.name, member.summary)
    };
    let rows: String = members.iter().map(row).collect();
    format!("| name | value | summary |\n|---|---|---|\n{rows}")
}

fn preset(preset: &Preset) -> String {
    match preset {
        Preset::Required => "required".to_owned(),
        Preset::Value(value) => format!("`{}`", words::value(value)),
        Preset::Written(text) => format!("`{text}`"),
        Preset::Words(text) => (*text).to_owned(),
    }
}

fn in_words(shape: &Shape) -> String {
    match shape {
        Shape::Value(kind) => words::kind(kind),
        Shape::Word(word) => format!("`{word}`"),
        Shape::Version => "`1`".to_owned(),
        Shape::Text => "text".to_owned(),
        Shape::Share => "`1/N` with a whole number N".to_owned(),
        Shape::List(of) => format!("list of: {}", in_words(of)),
        Shape::Names(of) => format!("map from names to: {}", in_words(of)),
        Shape::Pair(two) => format!("`[`{}, {}`]`", in_words(&two[0]), in_words(&two[1])),
        Shape::Defined(name) => format!("[{name}](#{})", anchor(name)),
        Shape::Either(shapes) => shapes.iter().map(in_words).collect::<Vec<_>>().join(", or "),
    }
}

/// The anchor that Markdown renderers give a heading: its letters, digits, dashes and underscores.
fn anchor(heading: &str) -> String {
    heading.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect::<String>().to_lowercase()
}

fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
