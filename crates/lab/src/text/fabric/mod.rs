//! Draws a fabric in characters: its layers as boxes with the links between them and, if it is small, each of its
//! switches.
//!
//! Leaves out: single links; complete lists of many names.
//!
//! Invariants: a picture that does not fit is left out, with a remark; only existing links are drawn, and lines that
//! cross without a connection are drawn with a gap in the lower one.

mod groups;
mod nodes;
mod rails;

use super::Look;
use super::ink::Ink;
use super::report::tiers::tiers;
use super::sheet::{Line, Sheet, columns, name};
use crate::show::fabric::{FabricOutline, Joint, Kind, Layer, Reach, ShownFabric};
use crate::words;

/// Columns before the line between two boxes.
const STEM: usize = 6;
/// Most rates that are listed individually.
const MOST_RATES: usize = 3;

/// The picture of a fabric.
pub fn fabric(shown: &ShownFabric, look: Look) -> String {
    let mut sheet = Sheet::new(look);
    let outline = &shown.outline;
    head(&mut sheet, outline);
    sheet.gap();
    stack(&mut sheet, outline);
    groups::row(&mut sheet, outline);
    sheet.gap();
    nodes::one_by_one(&mut sheet, shown);
    sheet.gap();
    for setting in &outline.settings {
        let start = Line::indented(2).add(Ink::Strong, setting.section).up_to(14);
        sheet.hanging(start, Ink::Plain, &setting.text);
    }
    if let Some(ports) = &shown.ports {
        sheet.gap();
        tiers(&mut sheet, ports);
    }
    sheet.finish()
}

fn head(sheet: &mut Sheet, outline: &FabricOutline) {
    let FabricOutline { name, topology, hosts, switches, links, .. } = outline;
    sheet.heading(name);
    let counts = [(*hosts, "host"), (*switches, "switch"), (*links, "link")];
    let counts: Vec<String> = counts.iter().map(|(count, noun)| words::some(*count, noun)).collect();
    sheet.text(Ink::Plain, &format!("{topology}: {}", counts.join(", ")), 2);
    if !outline.inherits_from.is_empty() {
        let text = format!("inherits from {}", outline.inherits_from.join(", which inherits from "));
        sheet.text(Ink::Faint, &text, 2);
    }
}

/// Layers from the highest to the lowest, with the links to lower ones between them.
fn stack(sheet: &mut Sheet, outline: &FabricOutline) {
    let layers = &outline.layers;
    let inner = layers.iter().map(inner_width).max().unwrap_or(0).min(sheet.columns() - 6);
    for (index, layer) in layers.iter().enumerate().rev() {
        let is_joined_up = outline.joints.iter().any(|joint| joint.lower == index && joint.upper > index);
        let joints: Vec<&Joint> =
            outline.joints.iter().filter(|joint| joint.upper == index && joint.lower < index).collect();
        sheet.line(rim(inner, ["┌", "┐"], (is_joined_up && index + 1 < layers.len()).then_some("┴")));
        sheet.line(boxed(layer, inner));
        sheet.line(rim(inner, ["└", "┘"], (index > 0).then_some("┬")));
        for joint in outline.joints.iter().filter(|joint| joint.lower == index && joint.upper == index) {
            within(sheet, outline, joint, index > 0);
        }
        for joint in joints {
            stemmed(sheet, ("│", " "), &between(outline, joint));
        }
    }
}

/// Text to the right of the line between two boxes, after a mark.
fn stemmed(sheet: &mut Sheet, (stem, mark): (&str, &str), text: &str) {
    let start = Line::indented(STEM).add(Ink::Faint, stem).plain(mark);
    let further = Line::indented(STEM).add(Ink::Faint, stem).up_to(start.width());
    sheet.beginning(start, &further, Ink::Plain, text);
}

fn inner_width(layer: &Layer) -> usize {
    columns(&words::harmless(&layer.names)) + 3 + columns(&counted(layer))
}

/// `4 switches of 8 ports`.
fn counted(layer: &Layer) -> String {
    let noun = match layer.kind {
        Kind::Hosts => "host",
        Kind::Switches => "switch",
    };
    let [least, most] = layer.ports;
    let ports = match (least == most, layer.kind) {
        (true, Kind::Hosts) if most == 1 => String::new(),
        (true, _) => format!(" of {}", words::some(u64::from(most), "port")),
        (false, _) => format!(" of {least} to {most} ports"),
    };
    words::some(layer.nodes, noun) + &ports
}

fn rim(inner: usize, [left, right]: [&str; 2], stem: Option<&str>) -> Line {
    let stem = stem.unwrap_or("─");
    let before = STEM - 3;
    let line = [left, &"─".repeat(before), stem, &"─".repeat((inner + 2).saturating_sub(before + 1)), right]
        .concat();
    Line::indented(2).add(Ink::Faint, &line)
}

fn boxed(layer: &Layer, inner: usize) -> Line {
    let count = counted(layer);
    let room = inner.saturating_sub(columns(&count) + 3);
    let line = Line::indented(2).add(Ink::Faint, "│ ").add(Ink::Strong, &name(&layer.names, room));
    let end = 4 + inner;
    let line = line.up_to(end - columns(&count)).plain(&count);
    line.add(Ink::Faint, " │")
}

/// Links within a layer, below its box.
fn within(sheet: &mut Sheet, outline: &FabricOutline, joint: &Joint, is_stemmed: bool) {
    let how = match (joint.reach, outline.groups) {
        (Reach::Global, Some(groups)) => {
            let [least, most] = [groups.least_links, groups.most_links];
            let each = if least == most { least.to_string() } else { format!("{least} to {most}") };
            let plural = if most == 1 { "" } else { "s" };
            format!("from group to group, {each} link{plural} between every two")
        }
        (_, Some(_)) if joint.is_full => "within groups, each switch to each other one".to_owned(),
        (_, Some(_)) => "within groups".to_owned(),
        (_, None) if joint.is_full => "beside each other, each to each other one".to_owned(),
        (_, None) => "beside each other".to_owned(),
    };
    let mut text = format!("{}, {how}", cables(joint));
    let ratio = outline.layers[joint.upper].oversubscription.filter(|_| joint.reach == Reach::Global);
    if let Some(ratio) = ratio {
        text.push_str(&format!(", {}", oversubscribed(ratio)));
    }
    stemmed(sheet, (if is_stemmed { "│" } else { " " }, " ⇄ "), &text);
}

/// Links from a layer to a lower one.
fn between(outline: &FabricOutline, joint: &Joint) -> String {
    let mut text = cables(joint);
    if joint.lower + 1 != joint.upper {
        text = format!("{text}, from {}", outline.layers[joint.lower].names);
    }
    let lower = &outline.layers[joint.lower];
    if joint.is_full && lower.nodes > 1 && outline.layers[joint.upper].nodes > 1 && outline.groups.is_none() {
        text.push_str(", each to each");
    }
    if let Some(ratio) = lower.oversubscription {
        text.push_str(&format!(", {}", oversubscribed(ratio)));
    }
    text
}

/// `32 links of 100 Gbps in bundles of 2, 500 ns: 3.2 Tbps each way`.
fn cables(joint: &Joint) -> String {
    let rate = |rate: &u64| words::bit_rate(*rate as f64);
    let rates: Vec<String> = match joint.rates.len() {
        1 => joint.rates.keys().map(rate).collect(),
        2..=MOST_RATES => joint
            .rates
            .iter()
            .map(|(speed, links)| format!("{} ({})", rate(speed), words::count(*links)))
            .collect(),
        _ => joint.rates.keys().next().into_iter().chain(joint.rates.keys().last()).map(rate).collect(),
    };
    let joined = rates.join(if joint.rates.len() > MOST_RATES { " to " } else { " and " });
    let bundle = match joint.bundle {
        [1, 1] => String::new(),
        [least, most] if least == most => format!(" in bundles of {most}"),
        [least, most] => format!(" in bundles of {least} to {most}"),
    };
    let span = |ps: u64| words::span(ps as f64 / 1e12);
    let delay = match joint.delays {
        [least, most] if least == most => span(most),
        [least, most] => format!("{} to {}", span(least), span(most)),
    };
    let links = words::some(joint.links, "link");
    format!("{links} of {joined}{bundle}, {delay}: {} each way", words::bit_rate(joint.capacity as f64))
}

/// `oversubscribed 2:1`.
fn oversubscribed(ratio: f64) -> String {
    match ratio {
        ratio if (ratio - 1.0).abs() < 1e-3 => "not oversubscribed (1:1)".to_owned(),
        ratio if ratio > 1.0 => format!("oversubscribed {}:1", words::number(ratio)),
        ratio => format!("undersubscribed 1:{}", words::number(1.0 / ratio)),
    }
}
