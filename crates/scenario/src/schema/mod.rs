//! A JSON Schema of the language, for editors: completion, explanations, and most errors while typing.
//!
//! Models: keys, kinds of values, units, ranges of integers, names of plug-ins, required keys.
//! Leaves out: rules that relate several values or need the fabric; `netloom check` is authoritative. Ranges of
//! quantities and of percentages, which a pattern cannot express.
//!
//! Invariants: a scenario that `netloom check` accepts, with numbers and flags written without quotes, satisfies the
//! schema; the same language gives the same text.
//!
//! A scenario that inherits may leave out what its base provides, so nothing is required of it outside of lists.
//!
//! Source: JSON Schema, draft 2020-12.

mod json;
mod value;

use crate::language::{Body, Definition, Key, Language, Member, Preset, Shape, WHOLE};
use crate::words;
use json::Json;

/// The schema as text.
pub fn schema() -> String {
    let schema = Schema { language: Language::new() };
    schema.whole().print()
}

struct Schema {
    language: Language,
}

impl Schema {
    fn whole(&self) -> Json {
        let definitions: Vec<(String, Json)> = self
            .language
            .definitions
            .iter()
            .map(|definition| (definition.name.clone(), self.definition(definition)))
            .collect();
        let no_base = Json::map([("not", required(["from"]))]);
        let mut members = vec![
            ("$schema", Json::text("https://json-schema.org/draft/2020-12/schema")),
            ("title", Json::text("netloom scenario")),
            ("description", Json::text("A scenario of netloom: fabric, jobs, policies, faults, seed.")),
            ("$ref", reference(WHOLE)),
            ("required", Json::texts(["netloom"])),
            ("if", no_base),
        ];
        members.extend(self.complete(&Shape::Defined(WHOLE.to_owned())).map(|all| ("then", all)));
        members.push(("$defs", Json::Map(definitions)));
        Json::map(members)
    }

    fn definition(&self, definition: &Definition) -> Json {
        let heritable = self.language.heritable().contains(definition.name.as_str());
        let described = Json::map([("description", Json::text(description(definition)))]);
        match &definition.body {
            Body::Map(keys) => described.with(Self::map(keys, heritable)),
            Body::Choice { members, beside } => described.with(self.choice(members, beside, heritable)),
        }
    }

    /// A map with these keys and no others; an empty value counts as an empty map.
    fn map(keys: &[Key], heritable: bool) -> Vec<(&'static str, Json)> {
        let properties = keys.iter().map(|key| (key.name, Self::key(key)));
        let needed: Vec<&str> = keys.iter().filter(|key| is_required(key)).map(|key| key.name).collect();
        let may_be_nothing = heritable || needed.is_empty();
        let kinds = if may_be_nothing { Json::texts(["object", "null"]) } else { Json::text("object") };
        let mut members = vec![("type", kinds), ("properties", Json::map(properties))];
        // The required keys of a part that may be inherited are listed once, for whole scenarios.
        if !heritable && !needed.is_empty() {
            members.push(("required", Json::texts(needed)));
        }
        members.push(("additionalProperties", Json::Flag(false)));
        members
    }

    /// One name: alone if that is enough, or as the only key of a map but those beside it.
    fn choice(&self, choices: &[Member], beside: &[Key], heritable: bool) -> Vec<(&'static str, Json)> {
        let is_heritable = |member: &Member| heritable && matches!(member.body, Shape::Defined(_));
        let bare = choices.iter().filter(|member| is_heritable(member) || !self.language.needs(&member.body));
        let bare: Vec<&str> = bare.map(|member| member.name).collect();
        let properties = choices.iter().map(|member| {
            let summary = Json::map([("description", Json::text(member.summary))]);
            (member.name, summary.with(value::members(&member.body)))
        });
        let properties = properties.chain(beside.iter().map(|key| (key.name, Self::key(key))));
        let mut map = vec![
            ("type", Json::text("object")),
            ("properties", Json::map(properties)),
            ("additionalProperties", Json::Flag(false)),
        ];
        if beside.is_empty() {
            map.extend([("minProperties", Json::Count(1)), ("maxProperties", Json::Count(1))]);
        } else {
            map.push(("oneOf", Json::List(choices.iter().map(|member| required([member.name])).collect())));
        }
        let map = Json::map(map);
        if bare.is_empty() {
            return vec![("anyOf", Json::List(vec![map]))];
        }
        vec![("anyOf", Json::List(vec![Json::map([("enum", Json::texts(bare))]), map]))]
    }

    fn key(key: &Key) -> Json {
        let meaning = match &key.preset {
            Preset::Required => key.meaning.to_owned(),
            Preset::Value(value) => format!("{} (default: {})", key.meaning, words::value(value)),
            Preset::Written(text) | Preset::Words(text) => format!("{} (default: {text})", key.meaning),
        };
        let described = Json::map([("description", Json::Text(meaning))]).with(value::members(&key.shape));
        match &key.preset {
            Preset::Value(value) => described.with([("default", value::value(value))]),
            Preset::Written(text) => described.with([("default", Json::text(*text))]),
            Preset::Required | Preset::Words(_) => described,
        }
    }

    /// The keys that a scenario without a base must have below this location, if any.
    fn complete(&self, shape: &Shape) -> Option<Json> {
        match shape {
            Shape::Either(shapes) => {
                let all: Vec<Json> = shapes.iter().filter_map(|shape| self.complete(shape)).collect();
                if all.len() > 1 {
                    Some(Json::map([("allOf", Json::List(all))]))
                } else {
                    all.into_iter().next()
                }
            }
            Shape::Defined(name) => match &self.language.get(name).body {
                Body::Map(keys) => self.complete_map(keys),
                Body::Choice { members, .. } => self.complete_choice(members),
            },
            _ => None,
        }
    }

    fn complete_map(&self, keys: &[Key]) -> Option<Json> {
        let needed: Vec<&str> = keys.iter().filter(|key| is_required(key)).map(|key| key.name).collect();
        let below = keys.iter().filter_map(|key| Some((key.name, self.complete(&key.shape)?)));
        let below: Vec<(&str, Json)> = below.collect();
        let mut members = Vec::new();
        if !needed.is_empty() {
            // Not a type: another shape, such as `none`, may be written in place of the map.
            members.push(("not", Json::map([("type", Json::text("null"))])));
            members.push(("required", Json::texts(needed)));
        }
        if !below.is_empty() {
            members.push(("properties", Json::map(below)));
        }
        (!members.is_empty()).then(|| Json::map(members))
    }

    fn complete_choice(&self, choices: &[Member]) -> Option<Json> {
        let below = choices.iter().filter_map(|member| Some((member.name, self.complete(&member.body)?)));
        let below: Vec<(&str, Json)> = below.collect();
        let names: Vec<&str> = below.iter().map(|(name, _)| *name).collect();
        let alone = Json::map([("enum", Json::texts(names))]);
        (!below.is_empty()).then(|| Json::map([("not", alone), ("properties", Json::map(below))]))
    }
}

fn is_required(key: &Key) -> bool {
    matches!(key.preset, Preset::Required)
}

fn description(definition: &Definition) -> String {
    match definition.source {
        "" => definition.summary.to_owned(),
        source => format!("{} (source: {source})", definition.summary),
    }
}

fn required<'a>(keys: impl IntoIterator<Item = &'a str>) -> Json {
    Json::map([("required", Json::texts(keys))])
}

/// The JSON pointer to a definition.
fn reference(name: &str) -> Json {
    Json::Text(format!("#/$defs/{name}"))
}
