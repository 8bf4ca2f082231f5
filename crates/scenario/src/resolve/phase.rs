//! Phases of a step: computing, collectives, messages along stages, barriers, and phases repeated.
//!
//! A bare collective name is also a phase: one bucket that contains it.

use netloom_catalog::workload::collective;
use netloom_units::{Duration, Kind, Spec, Value};

use super::fields::{Fields, Named, items, items_like, named, named_beside};
use super::{if_valid, is_word, plugin, value};
use crate::diagnostic::Problems;
use crate::location::Located;
use crate::resolved::{Collective, Group, Overlap, Parameters, Phase, PhaseEntry, Stages, sections};
use crate::written::{Node, Tree};

/// Keys beside a phase.
const BESIDE: &[&str] = &["name", "stream", "after"];
const KINDS: &[&str] =
    &["compute", "collectives", "point_to_point", "pipeline", "barrier", "program", "repeat"];

/// Reads a list of phases; those that cannot be read are reported and left out.
pub(super) fn phases(node: &Node, what: &str, problems: &mut Problems) -> Option<Vec<PhaseEntry>> {
    let found = items(node, what, problems)?;
    if found.is_empty() {
        let report = problems.report(node.head(), format!("`{what}` is empty"));
        report
            .label("expected at least one phase")
            .help("for example `[{ ring_all_reduce: { size: 1MiB } }]`");
        return None;
    }
    Some(found.iter().filter_map(|item| entry(item, problems)).collect())
}

/// A phase with the keys beside it.
fn entry(item: &Node, problems: &mut Problems) -> Option<PhaseEntry> {
    let (found, beside) = named_beside(item, "phase", BESIDE, problems)?;
    let overlap = overlap(&beside, problems)?;
    let phase = phase(&found, problems)?;
    let written = BESIDE.iter().find_map(|key| beside.get(key));
    if let (Phase::Repeat { .. }, Some(written)) = (&phase, written) {
        let report = problems.report(written.location, "repeated phases overlap one by one");
        report.label("this belongs to one phase").help("write it beside a phase inside `repeat`");
        return None;
    }
    Some(PhaseEntry { phase: Located::new(phase, found.location), overlap })
}

fn overlap(beside: &Fields<'_>, problems: &mut Problems) -> Option<Overlap> {
    let mut named = |key: &str, what: &str| -> Option<Option<Located<String>>> {
        beside
            .get(key)
            .map(|node| value::new_name(node, what, problems))
            .map_or(Some(None), |found| found.map(Some))
    };
    let name = named("name", "the name of a phase")?;
    let stream = named("stream", "the name of a stream")?.filter(|stream| stream.value != Overlap::MAIN);
    let after = match beside.get("after") {
        Some(node) => awaited(node, problems)?,
        None => Vec::new(),
    };
    Some(Overlap { name, stream, after })
}

/// The phases that a phase waits for: one name, or a list of names.
fn awaited(node: &Node, problems: &mut Problems) -> Option<Vec<Located<String>>> {
    let mut one = |node: &Node| value::name(node, "the name of an earlier phase", problems);
    match &node.tree {
        Tree::List(items) => items.iter().map(one).collect(),
        _ => Some(vec![one(node)?]),
    }
}

fn phase(found: &Named<'_>, problems: &mut Problems) -> Option<Phase> {
    match found.name {
        "barrier" => {
            report_parameters(found, problems);
            Some(Phase::Barrier)
        }
        "program" => {
            report_parameters(found, problems);
            Some(Phase::Program)
        }
        "compute" => compute(found, problems),
        "collectives" => collectives(found, problems),
        "point_to_point" => if_valid(problems, |problems| {
            let (settings, stages) = staged(found, &sections::POINT_TO_POINT, problems)?;
            Some(Phase::PointToPoint { settings, stages })
        }),
        "pipeline" => if_valid(problems, |problems| {
            let (settings, stages) = staged(found, &sections::PIPELINE, problems)?;
            Some(Phase::Pipeline { settings, stages })
        }),
        "repeat" => repeat(found, problems),
        name if collective::number_of(name).is_some() => {
            let each = vec![one_collective(found, problems)?];
            Some(Phase::Collectives { settings: Parameters::defaults(&sections::COLLECTIVES), each })
        }
        name => {
            let known = KINDS.iter().copied().chain(collective::SPECS.iter().map(|spec| spec.name));
            let help = problems.hint_for_key(name, known);
            let report = problems.report(found.location, format!("there is no phase `{name}`"));
            report.label("unknown phase").maybe_help(help);
            None
        }
    }
}

/// Reports parameters of a phase that takes none.
fn report_parameters(found: &Named<'_>, problems: &mut Problems) {
    let Some(body) = found.body else { return };
    let is_empty = match &body.tree {
        Tree::Nothing => true,
        Tree::Map(entries) => entries.is_empty(),
        _ => false,
    };
    if !is_empty {
        let report = problems.report(body.location, format!("`{}` takes no parameters", found.name));
        report.label("expected nothing").help(format!("write `- {}`", found.name));
    }
}

fn compute(found: &Named<'_>, problems: &mut Problems) -> Option<Phase> {
    let Some(body) = found.body else {
        let report = problems.report(found.location, "`compute` needs a span of time");
        report.label("the span is missing").help("write `compute: 10ms`");
        return None;
    };
    match value::value(body, &Kind::Duration, problems)? {
        Value::Duration(span) => Some(Phase::Compute(span)),
        _ => Some(Phase::Compute(Duration::ZERO)),
    }
}

fn collectives(found: &Named<'_>, problems: &mut Problems) -> Option<Phase> {
    let (settings, fields) =
        plugin::section_at(found.body, found.location, &sections::COLLECTIVES, &["each"], problems)?;
    let each = fields.need("each", "[{ ring_all_reduce: { size: 1MiB } }]", problems)?;
    let listed = items(each, "each", problems)?;
    if listed.is_empty() {
        let report = problems.report(each.head(), "`each` is empty");
        report.label("expected at least one collective");
        report.help("for example `[{ ring_all_reduce: { size: 1MiB } }]`");
        return None;
    }
    let each = listed
        .iter()
        .filter_map(|item| {
            let found = named(item, "collective", problems)?;
            one_collective(&found, problems)
        })
        .collect();
    Some(Phase::Collectives { settings: settings?, each })
}

pub(super) fn one_collective(found: &Named<'_>, problems: &mut Problems) -> Option<Collective> {
    let spec = plugin::find(found.name, found.location, "collective", collective::SPECS, problems)?;
    let common_names = sections::COLLECTIVE.parameters.iter().map(|parameter| parameter.name);
    let others: Vec<&str> = common_names.chain(["group"]).collect();
    let (algorithm, fields) = plugin::section_at(found.body, found.location, spec, &others, problems)?;
    let common = common(&fields, spec, problems);
    let group = fields.get("group").filter(|node| !is_word(node, Group::ALL));
    let group = match group {
        Some(node) => Some(value::name(node, "the name of a group", problems)?),
        None => None,
    };
    Some(Collective { algorithm: algorithm?, common: common?, group })
}

/// The parameters of all collectives; a missing size is reported under the collective's own name.
fn common(fields: &Fields<'_>, spec: &'static Spec, problems: &mut Problems) -> Option<Parameters> {
    if fields.get("size").is_none() && !fields.misspells("size") {
        let report = problems.report(fields.head, format!("`{}` needs `size`", spec.name));
        report.label("`size` is missing: bytes of the full vector per rank").help("add `size: 1MiB`");
        return None;
    }
    plugin::parameters(fields, &sections::COLLECTIVE, problems)
}

/// The parameters of a phase whose ranks form stages.
fn staged(
    found: &Named<'_>,
    spec: &'static Spec,
    problems: &mut Problems,
) -> Option<(Parameters, Located<Stages>)> {
    let (settings, fields) = plugin::section_at(found.body, found.location, spec, &["stages"], problems)?;
    let node = fields.need("stages", "4", problems)?;
    let stages = match &node.tree {
        Tree::Text(text) if text.starts_with(|first: char| first.is_alphabetic()) => {
            Stages::Group(value::name(node, "the name of a group", problems)?)
        }
        Tree::Text(_) => Stages::Count(value::count_u32(node, 2, u32::MAX, problems)?),
        _ => Stages::Given(lists_of_ranks(node, "stages", problems)?),
    };
    Some((settings?, Located::new(stages, node.head())))
}

fn repeat(found: &Named<'_>, problems: &mut Problems) -> Option<Phase> {
    let Some(body) = found.body else {
        let report = problems.report(found.location, "`repeat` needs `times` and `phases`");
        report.label("nothing to repeat").help("write `repeat: { times: 4, phases: [...] }`");
        return None;
    };
    let fields = Fields::open(body, "repeat", &["times", "phases"], problems)?;
    let times = fields.need("times", "4", problems).and_then(|node| {
        value::count_u32(node, 1, u32::from(u16::MAX), problems).map(|n| Located::new(n, node.location))
    });
    let inner = fields.need("phases", "[...]", problems).and_then(|node| phases(node, "phases", problems));
    Some(Phase::Repeat { times: times?, phases: inner? })
}

/// Lists of ranks, each with its location.
pub(super) fn lists_of_ranks(
    node: &Node,
    what: &str,
    problems: &mut Problems,
) -> Option<Vec<Located<Vec<u32>>>> {
    const HELP: &str = "write `[[0, 1], [2, 3]]`";
    let lists = items_like(node, &format!("`{what}`"), HELP, problems)?;
    let each = format!("each item of `{what}`");
    let read = |list: &Node, problems: &mut Problems| -> Option<Located<Vec<u32>>> {
        let ranks: Vec<_> = items_like(list, &each, HELP, problems)?
            .iter()
            .map(|rank| value::count_u32(rank, 0, u32::MAX, problems))
            .collect();
        Some(Located::new(ranks.into_iter().collect::<Option<_>>()?, list.location))
    };
    let lists: Vec<_> = lists.iter().map(|list| read(list, problems)).collect();
    lists.into_iter().collect()
}
