//! The language as data: every section, plug-in and key, in the order of the documentation.
//!
//! Models: what may be written at each location, the defaults, and the meanings. The schema and the reference are two
//! views of it.
//! Leaves out: rules that relate several values, or that need the fabric; the compiler checks those.
//!
//! Invariants: parameters come from the specs that the reader uses; only keys that are read by explicit code are listed
//! here, and tests compare them with the reader: the reader accepts what this offers, and what is printed is offered.

mod failures;
mod flows;
mod sections;

use std::collections::BTreeSet;

use netloom_units::{Kind, Parameter, Spec, Value};

/// What may be written at one location.
#[derive(Debug, Clone)]
pub(crate) enum Shape {
    /// A single value.
    Value(Kind),
    /// This exact word.
    Word(&'static str),
    /// The version of the language.
    Version,
    /// Any text.
    Text,
    /// One over a whole number.
    Share,
    /// A list.
    List(Box<Shape>),
    /// A map from any names to this.
    Names(Box<Shape>),
    /// A list of these two.
    Pair(Box<[Shape; 2]>),
    /// The definition of this name.
    Defined(String),
    /// One or the other.
    Either(Vec<Shape>),
}

/// The default of a key.
#[derive(Debug, Clone)]
pub(crate) enum Preset {
    /// The key is required.
    Required,
    /// This value.
    Value(Value),
    /// This text, in the form of a scenario.
    Written(&'static str),
    /// A description.
    Words(&'static str),
}

/// A key of a map.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub name: &'static str,
    pub shape: Shape,
    pub preset: Preset,
    pub meaning: &'static str,
}

/// One of the names that may be written at a location, and the shape below it.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub name: &'static str,
    pub summary: &'static str,
    pub body: Shape,
}

/// The content of a definition.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    /// A map with these keys.
    Map(Vec<Key>),
    /// One name of these.
    Choice {
        /// The names: alone, or as the only key of a map but those beside it.
        members: Vec<Member>,
        /// Keys that may stand beside the name in the map.
        beside: Vec<Key>,
    },
}

/// A named element of the language.
#[derive(Debug, Clone)]
pub(crate) struct Definition {
    /// The name; that of a plug-in follows the name of its registry and a dot.
    pub name: String,
    /// One line.
    pub summary: &'static str,
    /// Its source; empty for a purely syntactic element.
    pub source: &'static str,
    pub body: Body,
}

/// The name of the definition that is a whole scenario.
pub(crate) const WHOLE: &str = "scenario";

/// The name of the definition that is any collective.
const COLLECTIVE: &str = "collective";

/// The whole language.
#[derive(Debug, Clone)]
pub(crate) struct Language {
    /// All definitions; a definition comes after those that use it.
    pub definitions: Vec<Definition>,
}

impl Language {
    /// The language of this netloom.
    pub fn new() -> Language {
        Language { definitions: sections::all() }
    }

    /// The definition of a name.
    ///
    /// # Panics
    /// If there is none: a bug of this program.
    pub fn get(&self, name: &str) -> &Definition {
        let found = self.definitions.iter().find(|definition| definition.name == name);
        found.unwrap_or_else(|| panic!("nothing is defined as `{name}`"))
    }

    /// Whether something inside is required: then the name alone is not enough.
    pub fn needs(&self, shape: &Shape) -> bool {
        match shape {
            Shape::Defined(name) => match &self.get(name).body {
                Body::Map(keys) => keys.iter().any(|key| matches!(key.preset, Preset::Required)),
                Body::Choice { .. } => true,
            },
            _ => true,
        }
    }

    /// Definitions of which an heir may write a part and inherit the rest: all that are not inside a list.
    pub fn heritable(&self) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        self.reach(self.get(WHOLE), &mut found);
        found
    }

    fn reach<'a>(&'a self, definition: &'a Definition, found: &mut BTreeSet<&'a str>) {
        // A collective is inside a list nearly everywhere, and requires its size: that of a study may be written in
        // part, but the schema does not offer it.
        if definition.name == COLLECTIVE || !found.insert(&definition.name) {
            return;
        }
        let shapes: Vec<&Shape> = match &definition.body {
            Body::Map(keys) => keys.iter().map(|key| &key.shape).collect(),
            Body::Choice { members, beside } => shapes(members, beside).collect(),
        };
        let mut open = shapes;
        while let Some(shape) = open.pop() {
            match shape {
                Shape::Either(shapes) => open.extend(shapes),
                Shape::Defined(name) => self.reach(self.get(name), found),
                _ => {}
            }
        }
    }
}

/// What may be written below the names of a choice and the keys beside them.
fn shapes<'a>(members: &'a [Member], beside: &'a [Key]) -> impl Iterator<Item = &'a Shape> {
    members.iter().map(|member| &member.body).chain(beside.iter().map(|key| &key.shape))
}

impl Key {
    /// A parameter of a spec.
    pub fn of(parameter: &Parameter) -> Key {
        Key {
            name: parameter.name,
            shape: Shape::Value(parameter.kind),
            preset: parameter.default.clone().map_or(Preset::Required, Preset::Value),
            meaning: parameter.meaning,
        }
    }

    /// A key that is read by explicit code.
    fn explicit(name: &'static str, shape: Shape, preset: Preset, meaning: &'static str) -> Key {
        Key { name, shape, preset, meaning }
    }
}

impl Definition {
    /// The map of a spec's parameters, with keys that are read by explicit code.
    fn section(name: impl Into<String>, spec: &'static Spec, explicit: Vec<Key>) -> Definition {
        let keys = spec.parameters.iter().map(Key::of).chain(explicit).collect();
        Definition { name: name.into(), summary: spec.summary, source: spec.source, body: Body::Map(keys) }
    }

    /// A map without a spec.
    fn map(name: impl Into<String>, summary: &'static str, keys: Vec<Key>) -> Definition {
        Definition { name: name.into(), summary, source: "", body: Body::Map(keys) }
    }

    /// A choice of names.
    fn choice(name: &str, summary: &'static str, members: Vec<Member>) -> Definition {
        Definition {
            name: name.to_owned(),
            summary,
            source: "",
            body: Body::Choice { members, beside: Vec::new() },
        }
    }

    /// Keys that may stand beside the names of a choice.
    fn with_beside(mut self, keys: Vec<Key>) -> Definition {
        if let Body::Choice { beside, .. } = &mut self.body {
            *beside = keys;
        }
        self
    }
}

impl Shape {
    fn defined(name: impl Into<String>) -> Shape {
        Shape::Defined(name.into())
    }

    fn list(of: Shape) -> Shape {
        Shape::List(Box::new(of))
    }
}

/// The members of a registry, and the definition of each.
fn registry(
    name: &str,
    specs: &[&'static Spec],
    common: Option<&'static Spec>,
) -> (Vec<Member>, Vec<Definition>) {
    let one = |spec: &&'static Spec| {
        let below = format!("{name}.{}", spec.name);
        let shared = common.map_or(&[][..], |spec| spec.parameters).iter().map(Key::of);
        let keys = shared.chain(spec.parameters.iter().map(Key::of)).collect();
        let member = Member { name: spec.name, summary: spec.summary, body: Shape::defined(&below) };
        let definition =
            Definition { name: below, summary: spec.summary, source: spec.source, body: Body::Map(keys) };
        (member, definition)
    };
    specs.iter().map(one).unzip()
}

#[cfg(test)]
mod tests;
