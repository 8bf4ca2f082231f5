//! A variation of a sweep: a path into the scenario, and its values or a range of them.
//!
//! Invariants: a comma inside brackets or quotes is part of a value.

use std::str::FromStr;

use serde::Serialize;

use super::range::ValueRange;

/// A path and its values, written `path=v1,v2,...` or `path=A..B`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Variation {
    /// Where in the scenario, as `--set` takes it.
    pub path: String,
    /// Its values.
    #[serde(flatten)]
    pub values: VariedValues,
}

/// The values of a path.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum VariedValues {
    /// These, in order.
    #[serde(rename = "values")]
    List(Vec<String>),
    /// Some within a range.
    #[serde(rename = "range")]
    Range(ValueRange),
}

impl Variation {
    /// Its values if they are a list.
    pub(super) fn list(&self) -> Option<&[String]> {
        match &self.values {
            VariedValues::List(values) => Some(values),
            VariedValues::Range(_) => None,
        }
    }

    /// The range that its values are within, if it has one.
    pub(super) fn range(&self) -> Option<ValueRange> {
        match &self.values {
            VariedValues::List(_) => None,
            VariedValues::Range(range) => Some(*range),
        }
    }
}

/// Text that is not a variation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected `path=v1,v2,...`, for example `balance=ecmp,spray` or `jobs.0.steps=2,4,8`, or a range `path=A..B` of \
     numbers or quantities, for example `jobs.0.start=0us..10us`"
)]
pub struct NotAVariation;

impl FromStr for Variation {
    type Err = NotAVariation;

    fn from_str(text: &str) -> Result<Variation, NotAVariation> {
        match text.split_once('=') {
            Some((path, values)) if !path.is_empty() => {
                let values = match (ValueRange::parse(values), split(values)) {
                    (Ok(range), _) => VariedValues::Range(range),
                    (Err(_), list) => VariedValues::List(list),
                };
                Ok(Variation { path: path.to_owned(), values })
            }
            _ => Err(NotAVariation),
        }
    }
}

/// Splits at commas outside of brackets and quotes.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let (mut depth, mut quote) = (0_u32, None);
    for c in text.chars() {
        match (quote, c) {
            (Some(open), _) => quote = quote.filter(|_| c != open),
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().expect("there is always one").push(c);
    }
    parts.into_iter().map(|part| part.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        text.parse::<Variation>().expect("it is one").list().expect("it is a list").to_vec()
    }

    #[test]
    fn two_ends_are_a_range() {
        let parsed: Variation = "a.rate=100Gbps..400Gbps".parse().expect("it is one");
        assert_eq!(parsed.range().map(|range| range.to_string()).as_deref(), Some("100Gbps..400Gbps"));
        let json = serde_json::to_string(&parsed).expect("it is data");
        assert_eq!(json, r#"{"path":"a.rate","range":"100Gbps..400Gbps"}"#);
        assert_eq!(values("from=../a.yaml"), ["../a.yaml"]);
    }

    #[test]
    fn commas_separate_values_except_inside_of_one() {
        assert_eq!(values("balance=ecmp, spray"), ["ecmp", "spray"]);
        assert_eq!(
            values("balance={flowlet: {gap: 1us, x: 2}},ecmp"),
            ["{flowlet: {gap: 1us, x: 2}}", "ecmp"]
        );
        assert_eq!(values("name=\"a,b\",'c,d'"), ["\"a,b\"", "'c,d'"]);
        assert_eq!(values("a=1,,2"), ["1", "", "2"]);
        assert_eq!(values("a=b=c"), ["b=c"]);
        assert_eq!("=1".parse::<Variation>(), Err(NotAVariation));
        assert_eq!("balance".parse::<Variation>(), Err(NotAVariation));
    }
}
