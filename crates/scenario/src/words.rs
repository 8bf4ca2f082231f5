//! Kinds and values as text: for listings, tables and the schema.
//!
//! Invariants: a value is written as in a scenario; literal text of a scenario is in backquotes.

use netloom_units::{Kind, Value};

use crate::quantity::{self, Dimension};

/// The valid values of a kind.
pub fn kind(kind: &Kind) -> String {
    match kind {
        Kind::Count { minimum, maximum } if *maximum >= u64::from(u32::MAX) => {
            format!("whole number from {minimum}")
        }
        Kind::Count { minimum, maximum } => format!("whole number from {minimum} to {maximum}"),
        Kind::Counts { most } => format!("list of up to {most} whole numbers"),
        Kind::Fraction { minimum, maximum } => format!("number from {minimum} to {maximum}"),
        Kind::Duration => "time with its unit".to_owned(),
        Kind::Size => "size with its unit".to_owned(),
        Kind::Rate => "rate with its unit".to_owned(),
        Kind::Flag => "`true` or `false`".to_owned(),
        Kind::Choice(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" or "),
        Kind::Optional(inner) => format!("{}, or `none`", self::kind(inner)),
    }
}

/// A value as a scenario writes it.
pub fn value(value: &Value) -> String {
    match value {
        Value::Count(n) => n.to_string(),
        Value::Counts(list) => {
            let texts: Vec<String> = list.iter().map(u64::to_string).collect();
            format!("[{}]", texts.join(", "))
        }
        // The shortest decimal that is read back as the same double.
        Value::Fraction(number) => number.to_string(),
        Value::Duration(span) => quantity::print(span.0, Dimension::Duration),
        Value::Size(size) => quantity::print(size.0, Dimension::Size),
        Value::Rate(rate) => quantity::print(rate.0, Dimension::Rate),
        Value::Flag(flag) => flag.to_string(),
        Value::Choice(word) => (*word).to_owned(),
        Value::Absent => "none".to_owned(),
    }
}
