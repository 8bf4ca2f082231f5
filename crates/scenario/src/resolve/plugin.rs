//! Plug-ins and sections described by a `Spec`: the written text becomes complete parameters.

use netloom_units::{Settings, Spec, Value};

use super::fields::{Fields, named};
use super::value::{example, expectation, placeholder, value};
use crate::diagnostic::Problems;
use crate::location::Location;
use crate::resolved::Parameters;
use crate::written::{Node, Tree};

static NOTHING: Node =
    Node { location: Location { source: 0, start: 0, end: 0 }, owner: None, tree: Tree::Nothing };

/// Reads a plug-in of a registry, written `name` or `{ name: { parameters } }`.
pub(super) fn plugin(
    node: &Node,
    key: &str,
    what: &str,
    specs: &[&'static Spec],
    problems: &mut Problems,
) -> Option<Parameters> {
    let found = named(node, key, problems)?;
    let spec = find(found.name, found.location, what, specs, problems)?;
    section_at(found.body, found.location, spec, &[], problems)?.0
}

/// The spec of a name, or a report with a hint.
pub(super) fn find(
    name: &str,
    location: Location,
    what: &str,
    specs: &[&'static Spec],
    problems: &mut Problems,
) -> Option<&'static Spec> {
    find_beside(name, location, what, (specs, &[]), problems)
}

/// As [`find`]; `others` are names that the caller reads by explicit code, and that the hint may propose.
pub(super) fn find_beside(
    name: &str,
    location: Location,
    what: &str,
    (specs, others): (&[&'static Spec], &[&str]),
    problems: &mut Problems,
) -> Option<&'static Spec> {
    let found = specs.iter().find(|spec| spec.name == name);
    if found.is_none() {
        let known = specs.iter().map(|spec| spec.name).chain(others.iter().copied());
        let help = problems.hint_for_key(name, known);
        let report = problems.report(location, format!("there is no {what} `{name}`"));
        report.label("unknown name").maybe_help(help);
    }
    found.copied()
}

/// Reads a section that may be left out: `queues: { ... }`; see [`section_at`].
pub(super) fn section<'a>(
    node: Option<&'a Node>,
    spec: &'static Spec,
    others: &[&str],
    problems: &mut Problems,
) -> Option<(Option<Parameters>, Fields<'a>)> {
    let location = node.map_or(Location::default(), Node::head);
    section_at(node, location, spec, others, problems)
}

/// Reads the map of a spec's parameters; `others` are keys of the same map that the caller reads by explicit code.
///
/// Those can be read even if the parameters are invalid.
pub(super) fn section_at<'a>(
    node: Option<&'a Node>,
    location: Location,
    spec: &'static Spec,
    others: &[&str],
    problems: &mut Problems,
) -> Option<(Option<Parameters>, Fields<'a>)> {
    let mut known: Vec<&str> = spec.parameters.iter().map(|parameter| parameter.name).collect();
    known.extend(others);
    let mut fields = Fields::open(node.unwrap_or(&NOTHING), spec.name, &known, problems)?;
    fields.head = location;
    Some((parameters(&fields, spec, problems), fields))
}

/// Reads the parameters of a spec from an open map.
pub(super) fn parameters(
    fields: &Fields<'_>,
    spec: &'static Spec,
    problems: &mut Problems,
) -> Option<Parameters> {
    let (mut values, mut locations) = (Vec::new(), Vec::new());
    let (mut complete, mut has_stand_ins) = (true, false);
    for parameter in spec.parameters {
        let written = fields.get(parameter.name);
        locations.push(written.map_or(fields.head, |node| node.location));
        let found: Option<Value> = match (written, &parameter.default) {
            (Some(node), _) => value(node, &parameter.kind, problems),
            (None, Some(default)) => Some(default.clone()),
            // Reported at the misspelled key.
            (None, None) if fields.misspells(parameter.name) => None,
            (None, None) => {
                let message = format!("`{}` needs `{}`", spec.name, parameter.name);
                let report = problems.report_absence(fields.head, message);
                report.label(format!("`{}` is missing: {}", parameter.name, expectation(&parameter.kind)));
                report.help(format!("add `{}: {}`", parameter.name, example(&parameter.kind)));
                None
            }
        };
        has_stand_ins |= found.is_none();
        match found.or_else(|| placeholder(&parameter.kind)) {
            Some(value) => values.push((parameter.name, value)),
            None => complete = false,
        }
    }
    complete.then(|| Parameters::new(spec, Settings::new(values), fields.head, locations, has_stand_ins))
}
