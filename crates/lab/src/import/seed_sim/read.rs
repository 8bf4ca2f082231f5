//! Reading a configuration key by key: what is missing, misspelled or of the wrong kind is reported with its location.
//!
//! Invariants: reading continues after a mistake, so that all are found; below a missing section no further mistakes
//! are reported.

use netloom_scenario::Diagnostics;
use netloom_scenario::Location;
use netloom_scenario::foreign::Foreign;
use netloom_scenario::quantity;
use netloom_scenario::written::{Entry, Node, Tree};
use netloom_units::Duration;

/// Collects the mistakes.
pub(super) struct Reader {
    foreign: Foreign,
}

/// A section opened for reading.
pub(super) struct Form<'a> {
    what: &'static str,
    entries: &'a [Entry],
    head: Location,
    /// Whether it exists.
    present: bool,
}

/// Parses a value's text, or states what was expected.
type Read<T> = fn(&str) -> Result<T, &'static str>;

impl<'a> Form<'a> {
    /// A section that does not exist.
    fn absent(what: &'static str) -> Form<'a> {
        Form { what, entries: &[], head: Location::default(), present: false }
    }

    fn get(&self, key: &str) -> Option<&'a Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The location of a key; that of the section's name if the key is missing.
    pub(super) fn location_of(&self, key: &str) -> Location {
        self.get(key).map_or(self.head, |entry| entry.value.location)
    }

    /// Whether the section exists.
    pub(super) fn is_present(&self) -> bool {
        self.present
    }

    /// Whether the key exists.
    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }
}

impl Reader {
    pub(super) fn new(foreign: Foreign) -> Reader {
        Reader { foreign }
    }

    pub(super) fn finish(self) -> Result<(), Diagnostics> {
        self.foreign.finish()
    }

    /// Reports a mistake.
    pub(super) fn report(&mut self, location: Location, message: impl Into<String>, label: &str) {
        self.foreign.report(location, message, label, None);
    }

    /// Opens the whole document.
    pub(super) fn open<'a>(&mut self, node: &'a Node, what: &'static str, known: &[&str]) -> Form<'a> {
        let entries: &[Entry] = match &node.tree {
            Tree::Map(entries) => entries,
            Tree::Nothing => &[],
            _ => {
                self.report(
                    node.location,
                    format!("`{what}` holds {}", node.kind()),
                    "expected keys and values",
                );
                return Form::absent(what);
            }
        };
        for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let message = format!("`{what}` has no key `{}` that this importer knows", entry.key);
            let hint = Foreign::hint(&entry.key, known);
            self.foreign.report(entry.key_location, message, "unknown key", hint);
        }
        Form { what, entries, head: node.head(), present: true }
    }

    /// Opens a required section.
    pub(super) fn section<'a>(&mut self, form: &Form<'a>, key: &'static str, known: &[&str]) -> Form<'a> {
        let Some(entry) = form.get(key) else {
            self.missing(form, key);
            return Form::absent(key);
        };
        self.open(&entry.value, key, known)
    }

    /// Opens an optional section.
    pub(super) fn optional<'a>(&mut self, form: &Form<'a>, key: &'static str, known: &[&str]) -> Form<'a> {
        if form.has(key) { self.section(form, key, known) } else { Form::absent(key) }
    }

    fn missing(&mut self, form: &Form<'_>, key: &str) {
        if form.present {
            let message = format!("`{}` lacks `{key}`", form.what);
            self.foreign.report(form.head, message, &format!("`{key}` is missing"), None);
        }
    }

    fn value<T>(&mut self, form: &Form<'_>, key: &str, read: Read<T>) -> Option<T> {
        let node = &form.get(key)?.value;
        let found = match &node.tree {
            Tree::Text(text) => read(text),
            _ => read(""),
        };
        match found {
            Ok(value) => Some(value),
            Err(expected) => {
                self.report(
                    node.location,
                    format!("`{key}` cannot be read"),
                    &format!("expected {expected}"),
                );
                None
            }
        }
    }

    /// A required value.
    pub(super) fn need<T>(&mut self, form: &Form<'_>, key: &str, read: Read<T>) -> Option<T> {
        if !form.has(key) {
            self.missing(form, key);
        }
        self.value(form, key, read)
    }

    /// An optional value.
    pub(super) fn or<T>(&mut self, form: &Form<'_>, key: &str, read: Read<T>, default: T) -> Option<T> {
        if form.has(key) { self.value(form, key, read) } else { Some(default) }
    }

    /// A duration whose unit is part of the key.
    pub(super) fn span(&mut self, form: &Form<'_>, key: &str, unit: &str) -> Option<Duration> {
        let text = self.need(form, key, |text| number(text).map(|_| text.to_owned()))?;
        match quantity::duration(&format!("{text}{unit}")) {
            Ok(span) => Some(span),
            Err(refusal) => {
                self.report(form.location_of(key), refusal.message, &refusal.label);
                None
            }
        }
    }
}

/// An integer.
pub(super) fn whole(text: &str) -> Result<u64, &'static str> {
    text.parse().map_err(|_| "a whole number")
}

/// A positive integer.
pub(super) fn positive(text: &str) -> Result<u64, &'static str> {
    whole(text).and_then(|n| if n > 0 { Ok(n) } else { Err("a whole number above zero") })
}

/// A number that is not negative.
pub(super) fn number(text: &str) -> Result<f64, &'static str> {
    let parsed: f64 = text.parse().map_err(|_| "a number")?;
    if parsed.is_finite() && parsed >= 0.0 { Ok(parsed) } else { Err("a number that is not negative") }
}

/// A rate in bits per second, possibly with an exponent.
pub(super) fn rate(text: &str) -> Result<u64, &'static str> {
    let parsed = number(text)?;
    let fits = (1.0..9e15).contains(&parsed) && parsed.fract() == 0.0;
    if fits { Ok(parsed as u64) } else { Err("a whole number of bits per second") }
}

/// A Boolean.
pub(super) fn flag(text: &str) -> Result<bool, &'static str> {
    match text {
        "true" | "True" | "yes" | "on" => Ok(true),
        "false" | "False" | "no" | "off" => Ok(false),
        _ => Err("`true` or `false`"),
    }
}

/// Any word.
pub(super) fn word(text: &str) -> Result<String, &'static str> {
    if text.is_empty() { Err("a word") } else { Ok(text.to_owned()) }
}
