//! Specifications: one table per plug-in, read by parser, errors, listings, schema and documentation.
//!
//! A load balancer, transport, topology, collective or fault declares a [`Spec`]; with it the scenario crate turns user
//! input into [`Settings`] (checked and complete, defaults filled in), and the plug-in reads its parameters back by
//! name.
//!
//! Invariants: names are unique within a spec; every parameter without a default must be set by the user.

use std::sync::Arc;

use crate::{Bytes, Duration, Rate};

/// What a plug-in is and which parameters it takes.
#[derive(Debug)]
pub struct Spec {
    /// The name used in scenarios, records and reports.
    pub name: &'static str,
    /// One line for listings.
    pub summary: &'static str,
    /// The source of the rule: paper section, standard, or modelling assumption.
    pub source: &'static str,
    /// The parameters, in the order documentation shows them.
    pub parameters: &'static [Parameter],
}

/// One parameter of a plug-in.
#[derive(Debug)]
pub struct Parameter {
    /// The key in the scenario.
    pub name: &'static str,
    /// The kind of its value.
    pub kind: Kind,
    /// The value if the user sets none; `None` makes it required.
    pub default: Option<Value>,
    /// One line: what it does.
    pub meaning: &'static str,
}

/// The kind of a parameter's value, with its range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A whole number within the range, both ends allowed.
    Count {
        /// Smallest value allowed.
        minimum: u64,
        /// Largest value allowed.
        maximum: u64,
    },
    /// A list of whole numbers from 0.
    Counts {
        /// Largest length of the list.
        most: usize,
    },
    /// A real number within the range, both ends allowed; also written as a percentage.
    Fraction {
        /// Smallest value allowed.
        minimum: f64,
        /// Largest value allowed.
        maximum: f64,
    },
    /// A span of time with its unit.
    Duration,
    /// A size with its unit.
    Size,
    /// A rate with its unit.
    Rate,
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A kind, or the word `none`.
    Optional(&'static Kind),
}

/// A checked value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A whole number.
    Count(u64),
    /// A list of whole numbers.
    Counts(Arc<[u64]>),
    /// A real number.
    Fraction(f64),
    /// A span of time.
    Duration(Duration),
    /// A size.
    Size(Bytes),
    /// A rate.
    Rate(Rate),
    /// Yes or no.
    Flag(bool),
    /// One of the words of [`Kind::Choice`].
    Choice(&'static str),
    /// The word `none`.
    Absent,
}

/// The values of all parameters of one spec, checked and complete.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    values: Vec<(&'static str, Value)>,
}

impl Spec {
    /// The parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// The defaults of all parameters.
    ///
    /// # Panics
    /// If a parameter is required.
    pub fn defaults(&self) -> Settings {
        let value = |p: &Parameter| (p.name, p.default.clone().expect("the parameter is required"));
        Settings { values: self.parameters.iter().map(value).collect() }
    }
}

impl Settings {
    /// Combines parameter names with their values; the caller has checked them against the spec.
    pub fn new(values: Vec<(&'static str, Value)>) -> Settings {
        Settings { values }
    }

    /// All values in the order of the spec.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Value)> + '_ {
        self.values.iter().cloned()
    }

    /// The value of a parameter.
    ///
    /// # Panics
    /// If the spec has no such parameter: a bug of the program, never of the user.
    pub fn get(&self, name: &str) -> Value {
        let found = self.values.iter().find(|(key, _)| *key == name);
        found.unwrap_or_else(|| panic!("the spec has no parameter `{name}`")).1.clone()
    }

    /// Replaces the value of a parameter (for builders in code).
    #[must_use]
    pub fn with(mut self, name: &str, value: Value) -> Settings {
        let found = self.values.iter_mut().find(|(key, _)| *key == name);
        found.unwrap_or_else(|| panic!("the spec has no parameter `{name}`")).1 = value;
        self
    }

    /// A whole number.
    pub fn count(&self, name: &str) -> u64 {
        match self.get(name) {
            Value::Count(value) => value,
            other => panic!("`{name}` is {other:?}, not a count"),
        }
    }

    /// A real number.
    pub fn fraction(&self, name: &str) -> f64 {
        match self.get(name) {
            Value::Fraction(value) => value,
            other => panic!("`{name}` is {other:?}, not a fraction"),
        }
    }

    /// A span of time.
    pub fn duration(&self, name: &str) -> Duration {
        match self.get(name) {
            Value::Duration(value) => value,
            other => panic!("`{name}` is {other:?}, not a duration"),
        }
    }

    /// A size.
    pub fn size(&self, name: &str) -> Bytes {
        match self.get(name) {
            Value::Size(value) => value,
            other => panic!("`{name}` is {other:?}, not a size"),
        }
    }

    /// A rate.
    pub fn rate(&self, name: &str) -> Rate {
        match self.get(name) {
            Value::Rate(value) => value,
            other => panic!("`{name}` is {other:?}, not a rate"),
        }
    }

    /// Yes or no.
    pub fn flag(&self, name: &str) -> bool {
        match self.get(name) {
            Value::Flag(value) => value,
            other => panic!("`{name}` is {other:?}, not a flag"),
        }
    }

    /// One of the words of a choice.
    pub fn choice(&self, name: &str) -> &'static str {
        match self.get(name) {
            Value::Choice(value) => value,
            other => panic!("`{name}` is {other:?}, not a choice"),
        }
    }

    /// The value of an optional parameter, `None` for the word `none`.
    pub fn optional(&self, name: &str) -> Option<Value> {
        match self.get(name) {
            Value::Absent => None,
            value => Some(value),
        }
    }
}
