//! Single values: text to a checked `Value` of a `Kind`.

use std::sync::Arc;

use netloom_units::{Bytes, Duration, Kind, Rate, Value};

use super::LONGEST;
use crate::diagnostic::Problems;
use crate::location::Located;
use crate::quantity::{self, Dimension};
use crate::suggest;
use crate::written::{Node, Tree};

/// The text of a scalar.
pub(super) fn text<'a>(node: &'a Node, expected: &str, problems: &mut Problems) -> Option<&'a str> {
    match &node.tree {
        Tree::Text(text) => Some(text),
        Tree::Nothing => {
            problems.report(node.head(), "nothing is written here").label(format!("expected {expected}"));
            None
        }
        _ => {
            let message = format!("{} is written here, but a single value is needed", node.kind());
            problems.report(node.location, message).label(format!("expected {expected}"));
            None
        }
    }
}

/// Characters with which a spreadsheet begins a formula.
pub(crate) const FORMULA_SIGNS: [char; 4] = ['=', '+', '-', '@'];

/// A name with its location: any non-empty text.
pub(crate) fn name(node: &Node, expected: &str, problems: &mut Problems) -> Option<Located<String>> {
    let found = text(node, expected, problems)?;
    if found.is_empty() {
        problems.report(node.location, "a name must not be empty").label(format!("expected {expected}"));
        return None;
    }
    Some(Located::new(found.to_owned(), node.location))
}

/// The name of something new, which tables will contain: no formula of a spreadsheet.
pub(crate) fn new_name(node: &Node, expected: &str, problems: &mut Problems) -> Option<Located<String>> {
    let found = name(node, expected, problems)?;
    (!report_formula(&found, problems)).then_some(found)
}

/// Reports a name that a spreadsheet would run as a formula when it opens a table with it; returns whether it is one.
pub(super) fn report_formula(name: &Located<String>, problems: &mut Problems) -> bool {
    let first = name.value.chars().next().filter(|first| FORMULA_SIGNS.contains(first));
    if let Some(first) = first {
        problems
            .report(name.location, format!("a name must not begin with `{first}`"))
            .label("a spreadsheet would run this as a formula")
            .help("begin with a letter or a digit");
    }
    first.is_some()
}

/// A value of a kind.
pub(super) fn value(node: &Node, kind: &Kind, problems: &mut Problems) -> Option<Value> {
    if let Kind::Optional(inner) = kind {
        if matches!(&node.tree, Tree::Text(word) if word == "none") {
            return Some(Value::Absent);
        }
        let n_before = problems.len();
        let found = value(node, inner, problems);
        problems.widen_since(n_before, ", or `none`");
        return found;
    }
    if let Kind::Counts { most } = kind {
        return counts(node, *most, problems).map(Value::Counts);
    }
    let found = text(node, &expectation(kind), problems)?;
    match kind {
        Kind::Count { minimum, maximum } => count(node, *minimum, *maximum, problems).map(Value::Count),
        Kind::Fraction { minimum, maximum } => {
            fraction(node, found, *minimum, *maximum, problems).map(Value::Fraction)
        }
        Kind::Duration => {
            quantity(node, found, Dimension::Duration, problems).map(|n| Value::Duration(Duration(n)))
        }
        Kind::Size => quantity(node, found, Dimension::Size, problems).map(|n| Value::Size(Bytes(n))),
        Kind::Rate => quantity(node, found, Dimension::Rate, problems).map(|n| Value::Rate(Rate(n))),
        Kind::Flag => flag(node, found, problems).map(Value::Flag),
        Kind::Choice(words) => choice(node, found, words, problems).map(Value::Choice),
        Kind::Counts { .. } | Kind::Optional(_) => unreachable!("handled above"),
    }
}

/// The expected form of a kind, as text.
pub(super) fn expectation(kind: &Kind) -> String {
    match kind {
        Kind::Count { minimum, maximum } if *maximum >= u64::from(u32::MAX) => {
            format!("a whole number from {minimum} up")
        }
        Kind::Count { minimum, maximum } => format!("a whole number from {minimum} to {maximum}"),
        Kind::Counts { most } => format!("a list of up to {most} whole numbers"),
        Kind::Fraction { minimum, maximum } => format!("a number from {minimum} to {maximum}"),
        Kind::Duration => "a span of time such as `10us`".to_owned(),
        Kind::Size => "a size such as `64KiB`".to_owned(),
        Kind::Rate => "a rate such as `400Gbps`".to_owned(),
        Kind::Flag => "`true` or `false`".to_owned(),
        Kind::Choice(words) => format!("one of {}", suggest::quoted(words)),
        Kind::Optional(inner) => format!("{}, or `none`", expectation(inner)),
    }
}

/// A valid value of a kind.
pub(crate) fn example(kind: &Kind) -> String {
    match kind {
        Kind::Count { minimum, maximum } => 4.clamp(*minimum, *maximum).to_string(),
        Kind::Counts { .. } => "[4, 2]".to_owned(),
        Kind::Fraction { minimum, maximum } => 0.05_f64.clamp(*minimum, *maximum).to_string(),
        Kind::Duration => "10us".to_owned(),
        Kind::Size => "1MiB".to_owned(),
        Kind::Rate => "400Gbps".to_owned(),
        Kind::Flag => "true".to_owned(),
        Kind::Choice(words) => words[0].to_owned(),
        Kind::Optional(inner) => example(inner),
    }
}

/// A harmless substitute value for a refused parameter, for later checks.
///
/// `None` for numbers: a count matters to every later check.
pub(super) fn placeholder(kind: &Kind) -> Option<Value> {
    Some(match kind {
        Kind::Count { .. } | Kind::Counts { .. } | Kind::Optional(Kind::Count { .. }) => return None,
        Kind::Fraction { minimum, .. } => Value::Fraction(*minimum),
        Kind::Duration => Value::Duration(Duration(1)),
        Kind::Size => Value::Size(Bytes(1)),
        Kind::Rate => Value::Rate(Rate(u64::MAX)),
        Kind::Flag => Value::Flag(false),
        Kind::Choice(words) => Value::Choice(words[0]),
        Kind::Optional(_) => Value::Absent,
    })
}

fn quantity(node: &Node, text: &str, dimension: Dimension, problems: &mut Problems) -> Option<u64> {
    match quantity::parse(text, dimension) {
        // A rate of zero never ends, a message of no bytes never arrives; a duration of zero is valid.
        Ok(0) if dimension != Dimension::Duration => {
            let report = problems.report(node.location, format!("`{text}` is zero"));
            report.label(format!("expected {} above zero", dimension.name()));
            None
        }
        Ok(value) if dimension == Dimension::Duration && value > LONGEST.0 => {
            problems
                .report(node.location, format!("`{text}` is too long"))
                .label("expected at most 100 days");
            None
        }
        Ok(value) => Some(value),
        Err(refusal) => {
            problems.report(node.location, refusal.message).label(refusal.label).maybe_help(refusal.help);
            None
        }
    }
}

/// A list of integers; every mistake in it is reported.
fn counts(node: &Node, most: usize, problems: &mut Problems) -> Option<Arc<[u64]>> {
    let expected = expectation(&Kind::Counts { most });
    let Tree::List(entries) = &node.tree else {
        let message = format!("{} is written here, but a list is needed", node.kind());
        problems.report(node.head(), message).label(format!("expected {expected}"));
        return None;
    };
    if entries.is_empty() || entries.len() > most {
        let message = format!("the list has {} entries", entries.len());
        problems.report(node.head(), message).label(format!("expected {expected}"));
        return None;
    }
    let numbers: Vec<Option<u64>> = entries.iter().map(|entry| count(entry, 0, u64::MAX, problems)).collect();
    numbers.into_iter().collect()
}

/// An integer within a range.
pub(super) fn count(node: &Node, minimum: u64, maximum: u64, problems: &mut Problems) -> Option<u64> {
    let kind = Kind::Count { minimum, maximum };
    let text = text(node, &expectation(&kind), problems)?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let message = match text.parse::<u64>() {
        Ok(value) if is_number(text) && value < minimum => format!("`{text}` is too small"),
        Ok(value) if is_number(text) && value <= maximum => return Some(value),
        _ if is_number(text) => format!("`{text}` is too large"),
        _ if text.strip_prefix('-').is_some_and(is_number) => format!("`{text}` is negative"),
        _ => format!("`{text}` is not a whole number"),
    };
    let label = if is_number(text) {
        format!("expected a whole number from {minimum} to {maximum}")
    } else {
        format!("expected {}", expectation(&kind))
    };
    let plain = plain_count(text).filter(|plain| (minimum..=maximum).contains(plain) && !is_number(text));
    problems
        .report(node.location, message)
        .label(label)
        .maybe_help(plain.map(|plain| format!("write `{plain}`")));
    None
}

/// The integer that is written in another form.
fn plain_count(text: &str) -> Option<u64> {
    // Beyond 2^53 not every integer is a double.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let ungrouped: String = text.chars().filter(|c| !matches!(c, '_' | ',' | '\'' | ' ')).collect();
    let number = ungrouped.parse::<f64>().ok().filter(|number| (0.0..EXACT).contains(number))?;
    (number.fract() <= 0.0).then_some(number as u64)
}

/// An integer within a range that fits 32 bits.
pub(super) fn count_u32(node: &Node, minimum: u32, maximum: u32, problems: &mut Problems) -> Option<u32> {
    count(node, minimum.into(), maximum.into(), problems).map(|value| value as u32)
}

fn fraction(node: &Node, text: &str, minimum: f64, maximum: f64, problems: &mut Problems) -> Option<f64> {
    let (number, exponent) = text.strip_suffix('%').map_or((text, ""), |number| (number.trim_end(), "e-2"));
    let decimal = is_decimal(number) || (exponent.is_empty() && is_small(number));
    // The percent sign moves the decimal point in the text, so that `7%` and `0.07` are the same double.
    let parsed = format!("{number}{exponent}").parse::<f64>().ok().filter(|_| decimal);
    let message = match parsed {
        Some(value) if (minimum..=maximum).contains(&value) => return Some(value),
        Some(_) => format!("`{text}` is out of range"),
        None if number.starts_with('-') => format!("`{text}` is negative"),
        None => format!("`{text}` is not a number"),
    };
    let label = format!("expected a number from {minimum} to {maximum}, or a percentage");
    let help = text.parse::<f64>().ok().filter(|value| !decimal && (minimum..=maximum).contains(value));
    problems
        .report(node.location, message)
        .label(label)
        .maybe_help(help.map(|value| format!("write `{value}`")));
    None
}

fn is_decimal(number: &str) -> bool {
    number.starts_with(|c: char| c.is_ascii_digit())
        && number.ends_with(|c: char| c.is_ascii_digit())
        && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Whether it is written like `1e-9`, as error rates are.
fn is_small(number: &str) -> bool {
    let is_count = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    number.split_once("e-").is_some_and(|(mantissa, digits)| is_decimal(mantissa) && is_count(digits))
}

fn flag(node: &Node, text: &str, problems: &mut Problems) -> Option<bool> {
    match text {
        "true" => return Some(true),
        "false" => return Some(false),
        _ => {}
    }
    let meant = match text.to_ascii_lowercase().as_str() {
        "yes" | "on" | "y" | "1" | "true" => Some("true"),
        "no" | "off" | "n" | "0" | "false" | "none" => Some("false"),
        _ => None,
    };
    let report = problems.report(node.location, format!("`{text}` is neither `true` nor `false`"));
    report.label("expected `true` or `false`").maybe_help(meant.map(|word| format!("write `{word}`")));
    None
}

/// One of these words.
pub(super) fn choice(
    node: &Node,
    text: &str,
    words: &'static [&'static str],
    problems: &mut Problems,
) -> Option<&'static str> {
    let found = words.iter().find(|word| **word == text);
    if found.is_none() {
        let meant = suggest::closest(text, words.iter().copied());
        let report = problems.report(node.location, format!("`{text}` is not a choice here"));
        report.label(format!("expected one of {}", suggest::quoted(words)));
        report.maybe_help(meant.map(|word| format!("did you mean `{word}`?")));
    }
    found.copied()
}
