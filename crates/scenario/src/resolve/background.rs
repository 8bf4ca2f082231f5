//! The `background` section: which messages, and for kinds with random sizes, the senders and the size distribution.

use netloom_catalog::workload::background;
use netloom_model::SizePoint;
use netloom_units::{Bytes, Kind, Value};

use super::classes::{self, TRAFFIC};
use super::fields::{Fields, items_like, named};
use super::{is_word, job, plugin, value};
use crate::diagnostic::Problems;
use crate::location::Located;
use crate::quantity::{self, Dimension};
use crate::resolved::{Background, Parameters, Placement, sections};
use crate::written::Node;

/// Example of a list of sizes.
const LISTED: &str = "write `[[0B, 0%], [64KB, 50%], [1MB, 100%]]`";
/// Example of one entry.
const POINT: &str = "write `[64KB, 50%]`";
/// Keys that are read by explicit code, of a kind with random sizes.
const DRAWN: [&str; 2] = ["senders", "given"];

/// `none`, or a kind with its parameters.
pub(super) fn background(node: Option<&Node>, problems: &mut Problems) -> Option<Background> {
    let node = node.filter(|node| !is_word(node, "none"))?;
    let found = named(node, "background", problems)?;
    let spec = plugin::find(found.name, found.location, "background traffic", background::SPECS, problems)?;
    let mut others = vec![TRAFFIC];
    others.extend(sections::BACKGROUND.parameters.iter().map(|parameter| parameter.name));
    if Background::draws_sizes(spec) {
        others.extend(DRAWN);
    }
    let (kind, fields) = plugin::section_at(found.body, found.location, spec, &others, problems)?;
    let common = plugin::parameters(&fields, &sections::BACKGROUND, problems);
    let senders = match fields.get("senders") {
        Some(node) => job::placement(node, problems),
        None => Some(Placement::Rule(Parameters::defaults(&sections::ALL_HOSTS))),
    };
    let traffic = classes::kind(&fields, problems);
    let kind = kind?;
    let given = given(&fields, &kind, problems);
    Some(Background { kind, common: common?, senders: senders?, given: given?, traffic })
}

/// The listed points, required if and only if the kind is set to use them.
fn given(fields: &Fields<'_>, kind: &Parameters, problems: &mut Problems) -> Option<Located<Vec<SizePoint>>> {
    let wanted = Background::draws_sizes(kind.spec) && kind.settings.choice("sizes") == "given";
    if wanted {
        let node = fields.need("given", "[[0B, 0%], [64KB, 50%], [1MB, 100%]]", problems)?;
        return points(node, problems).map(|points| Located::new(points, node.head()));
    }
    let Some(node) = fields.get("given") else { return Some(Located::new(Vec::new(), fields.head)) };
    let listed = items_like(node, "`given`", LISTED, problems)?;
    if !listed.is_empty() {
        let report = problems.report(node.head(), "sizes are listed, but another distribution is selected");
        report.label("not used").help("write `sizes: given`");
        return None;
    }
    Some(Located::new(Vec::new(), node.head()))
}

/// `[[size, share], ...]`.
fn points(node: &Node, problems: &mut Problems) -> Option<Vec<SizePoint>> {
    let listed = items_like(node, "`given`", LISTED, problems)?;
    let points: Vec<_> = listed.iter().map(|item| point(item, problems)).collect();
    points.into_iter().collect()
}

fn point(node: &Node, problems: &mut Problems) -> Option<SizePoint> {
    let [size, share] = items_like(node, "each item of `given`", POINT, problems)? else {
        let report = problems.report(node.location, "a point is a size and the share of messages up to it");
        report.label("expected two values").help(POINT);
        return None;
    };
    let kind = Kind::Fraction { minimum: 0.0, maximum: 1.0 };
    match (point_size(size, problems), value::value(share, &kind, problems)) {
        (Some(size), Some(Value::Fraction(share))) => Some(SizePoint { size, share }),
        _ => None,
    }
}

/// A size that may be zero, as the first point of a distribution often is.
fn point_size(node: &Node, problems: &mut Problems) -> Option<Bytes> {
    let text = value::text(node, "a size such as `64KiB`", problems)?;
    match quantity::parse(text, Dimension::Size) {
        Ok(bytes) => Some(Bytes(bytes)),
        Err(refusal) => {
            problems.report(node.location, refusal.message).label(refusal.label).maybe_help(refusal.help);
            None
        }
    }
}
