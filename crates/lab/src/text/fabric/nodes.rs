//! Draws each switch of a small fabric, or of one group: rows of boxes, connected by horizontal lines (rails).
//!
//! Models: a rail for each set of switches that are all connected to each other; where some are not, a rail for each
//! upper switch.
//! Leaves out: parallel links; single hosts.
//!
//! Invariants: nothing is drawn if the picture would not fit, or would have too many rails to be legible.

use std::collections::{BTreeMap, BTreeSet};

use netloom_units::NodeId;

use super::super::ink::Ink;
use super::super::sheet::{Line, Sheet, columns};
use super::rails::{Ports, Rail, rows};
use crate::show::fabric::{Layers, ShownFabric};
use crate::words;

/// Most rails between two rows.
const MOST_RAILS: usize = 10;
/// Most boxes in a row.
const MOST_BOXES: usize = 64;
/// Letters that remain of a word that is cut.
const STEM: usize = 3;

/// A row of boxes.
struct Row {
    /// The nodes of each box: one switch, or hosts with the same neighbours.
    boxes: Vec<Vec<NodeId>>,
    labels: Vec<Vec<String>>,
    are_hosts: bool,
    /// Blanks on each side of a label within its box.
    padding: usize,
}

/// Draws the picture, or a remark why there is none.
pub fn one_by_one(sheet: &mut Sheet, shown: &ShownFabric) {
    let groups = shown.outline.groups.is_some_and(|groups| groups.groups > 1);
    let Some(lines) = drawn(shown, sheet.columns().saturating_sub(4)) else {
        let what = if groups { "Its groups are" } else { "It is" };
        let text = format!("{what} too large, or too irregular, to be drawn switch by switch here.");
        sheet.text(Ink::Faint, &text, 2);
        return;
    };
    if groups {
        sheet.line(Line::indented(2).add(Ink::Faint, "one of the groups, without its global links:"));
    }
    sheet.lines(lines.into_iter().map(|line| Line::indented(3).plain(line.trim_end())));
}

fn drawn(shown: &ShownFabric, most: usize) -> Option<Vec<String>> {
    let compiled = &shown.prepared.compiled;
    let (model, names) = (&compiled.model, &compiled.node_names);
    let layers = Layers::of(model, names);
    let edges = edges(shown, &layers)?;
    let grouped: Vec<Row> = layers
        .list
        .iter()
        .map(|(tier, nodes)| {
            let inside: Vec<NodeId> =
                nodes.iter().copied().filter(|&node| model.routing.group_of(node) == 0).collect();
            Row::of(&inside, *tier == 0, &edges)
        })
        .collect::<Option<_>>()?;
    let prefix = if model.routing.n_groups() > 0 { "group0." } else { "" };
    picture(
        grouped,
        &edges,
        |node: NodeId| {
            let name = words::harmless(&names[node.index()]).into_owned();
            name.strip_prefix(prefix).map(str::to_owned).unwrap_or(name)
        },
        most,
    )
}

/// For each node, its neighbours in the next upper layer and in its own.
struct Edges {
    up: BTreeMap<NodeId, BTreeSet<NodeId>>,
    beside: BTreeMap<NodeId, BTreeSet<NodeId>>,
}

/// The edges; `None` if a link skips a layer.
fn edges(shown: &ShownFabric, layers: &Layers) -> Option<Edges> {
    let model = &shown.prepared.compiled.model;
    let mut edges = Edges { up: BTreeMap::new(), beside: BTreeMap::new() };
    for link in model.fabric.links() {
        let mut nodes = link.ends.map(|port| model.fabric.port(port).node);
        let groups = nodes.map(|node| model.routing.group_of(node));
        if groups != [0, 0] {
            continue;
        }
        nodes.sort_by_key(|node| layers.of_node[node.index()]);
        let [lower, upper] = nodes.map(|node| layers.of_node[node.index()]);
        match upper - lower {
            0 => {
                edges.beside.entry(nodes[0]).or_default().insert(nodes[1]);
                edges.beside.entry(nodes[1]).or_default().insert(nodes[0]);
            }
            1 => drop(edges.up.entry(nodes[0]).or_default().insert(nodes[1])),
            _ => return None,
        }
    }
    Some(edges)
}

impl Row {
    /// A row of boxes; hosts with the same neighbours in the upper layer share a box.
    fn of(nodes: &[NodeId], are_hosts: bool, edges: &Edges) -> Option<Row> {
        let mut boxes: Vec<Vec<NodeId>> = Vec::new();
        for &node in nodes {
            let is_alike = |last: &&mut Vec<NodeId>| edges.up.get(&last[0]) == edges.up.get(&node);
            if let Some(last) = boxes.last_mut().filter(|_| are_hosts).filter(is_alike) {
                last.push(node);
                continue;
            }
            if boxes.len() == MOST_BOXES {
                return None;
            }
            boxes.push(vec![node]);
        }
        Some(Row { boxes, labels: Vec::new(), are_hosts, padding: 0 })
    }

    /// Chooses labels that fit: names in one line, in several lines, or in several lines and cut.
    fn label(&mut self, name: impl Fn(NodeId) -> String, most: usize) -> Option<()> {
        let whole: Vec<String> = self
            .boxes
            .iter()
            .map(
                |nodes| {
                    if nodes.len() == 1 { name(nodes[0]) } else { words::some(nodes.len() as u64, "host") }
                },
            )
            .collect();
        let split = |label: &String| label.split(['.', ' ']).map(str::to_owned).collect::<Vec<_>>();
        let forms = [
            whole.iter().map(|label| vec![label.clone()]).collect::<Vec<_>>(),
            whole.iter().map(split).collect(),
            whole.iter().map(|label| split(label).iter().map(|word| cut_word(word)).collect()).collect(),
        ];
        let paddings = if self.are_hosts { 0..=0 } else { 0..=1 };
        for padding in paddings.rev() {
            self.padding = padding;
            let fits =
                |labels: &&Vec<Vec<String>>| (width_of(labels) + self.frame() + 1) * labels.len() <= most;
            if let Some(labels) = forms.iter().find(fits) {
                self.labels.clone_from(labels);
                return Some(());
            }
        }
        None
    }

    /// Columns of a box in addition to its label.
    fn frame(&self) -> usize {
        if self.are_hosts { 0 } else { 2 + 2 * self.padding }
    }

    fn width(&self) -> usize {
        (width_of(&self.labels) + self.frame() + 1) * self.labels.len()
    }

    /// Middle columns of the boxes.
    fn ports(&self, width: usize) -> Ports {
        let n = self.boxes.len();
        let columns = (0..n).map(|position| (2 * position + 1) * width / (2 * n)).collect();
        Ports { columns, slack: width_of(&self.labels) / 2 }
    }
}

/// A word with at most [`STEM`] letters before its number.
fn cut_word(word: &str) -> String {
    let digits = word.chars().rev().take_while(char::is_ascii_digit).count();
    let (stem, number) = word.split_at(word.len() - digits);
    if stem.chars().count() <= STEM + 2 {
        word.to_owned()
    } else {
        stem.chars().take(STEM).collect::<String>() + number
    }
}

fn width_of(labels: &[Vec<String>]) -> usize {
    labels.iter().flatten().map(|line| columns(line)).max().unwrap_or(0)
}

/// All rows and the rails between them, from the top.
fn picture(
    mut grouped: Vec<Row>,
    edges: &Edges,
    name: impl Fn(NodeId) -> String,
    most: usize,
) -> Option<Vec<String>> {
    for row in &mut grouped {
        row.label(&name, most)?;
    }
    let width = grouped.iter().map(Row::width).max()?;
    let mut lines = Vec::new();
    // The columns of the downlinks of the row above, and its rails to this one.
    let mut above: Option<(&Row, Ports)> = None;
    for row in grouped.iter().rev() {
        let ports = row.ports(width);
        let empty: &[Vec<NodeId>] = &[];
        let rails = rails(above.as_ref().map_or(empty, |(row, _)| &row.boxes), &row.boxes, edges)?;
        let (mut upper, upper_row) = match above.take() {
            Some((row, ports)) => (ports, Some(row)),
            None => (Ports { columns: Vec::new(), slack: 0 }, None),
        };
        let between = rows(&rails, &mut upper, &ports, width)?;
        if let Some(upper_row) = upper_row {
            let leads = |position: usize| rails.iter().any(|rail| rail.upper.contains(&position));
            lines.extend(foot(upper_row, &upper, width, leads));
        }
        lines.extend(between);
        let leads = |position: usize| rails.iter().any(|rail| rail.lower.contains(&position));
        lines.extend(body(row, &ports, leads));
        above = Some((row, ports));
    }
    if let Some((row, ports)) = above {
        lines.extend(foot(row, &ports, width, |_| false));
    }
    Some(lines)
}

/// Rails between two rows, and those that connect boxes of the lower row.
fn rails(upper: &[Vec<NodeId>], lower: &[Vec<NodeId>], edges: &Edges) -> Option<Vec<Rail>> {
    let position_of: BTreeMap<NodeId, usize> = upper
        .iter()
        .enumerate()
        .flat_map(|(position, nodes)| nodes.iter().map(move |node| (*node, position)))
        .collect();
    // By lower box, the upper boxes that it is connected to.
    let up: Vec<BTreeSet<usize>> = lower
        .iter()
        .map(|nodes| {
            let peers = edges.up.get(&nodes[0]).into_iter().flatten();
            peers.filter_map(|peer| position_of.get(peer).copied()).collect()
        })
        .collect();
    let mut rails: Vec<Rail> = Vec::new();
    for position in 0..upper.len() {
        let joined: Vec<usize> = (0..lower.len()).filter(|&under| up[under].contains(&position)).collect();
        let alike = rails.iter_mut().find(|rail| rail.lower == joined);
        match alike {
            // Boxes with the same neighbours share a rail.
            Some(rail) => rail.upper.push(position),
            None if joined.is_empty() => {}
            None => rails.push(Rail { upper: vec![position], lower: joined }),
        }
    }
    rails.extend(beside(lower, edges)?);
    (rails.len() <= MOST_RAILS).then_some(rails)
}

/// Rails of boxes in one row that are all connected to each other; `None` if only some are.
fn beside(row: &[Vec<NodeId>], edges: &Edges) -> Option<Vec<Rail>> {
    let mut rails: Vec<Rail> = Vec::new();
    let mut seen = BTreeSet::new();
    for (position, nodes) in row.iter().enumerate() {
        let Some(peers) = edges.beside.get(&nodes[0]) else { continue };
        if nodes.len() > 1 {
            return None;
        }
        if !seen.insert(position) {
            continue;
        }
        let all: BTreeSet<NodeId> = peers.iter().copied().chain([nodes[0]]).collect();
        let is_clique = all.iter().all(|node| {
            edges.beside.get(node).is_some_and(|peers| peers.len() + 1 == all.len() && peers.is_subset(&all))
        });
        let positions: Vec<usize> = row
            .iter()
            .enumerate()
            .filter(|(_, nodes)| all.contains(&nodes[0]))
            .map(|(position, _)| position)
            .collect();
        if !is_clique || positions.len() != all.len() {
            return None;
        }
        seen.extend(positions.iter().copied());
        rails.push(Rail { upper: Vec::new(), lower: positions });
    }
    Some(rails)
}

/// Places texts in a line, the middle of each at its column.
fn spread(ports: &[usize], texts: impl Iterator<Item = String>) -> String {
    let mut line = String::new();
    let mut used = 0;
    for (&port, text) in ports.iter().zip(texts) {
        let start = port.saturating_sub(columns(&text) / 2).max(used);
        line.push_str(&" ".repeat(start - used));
        line.push_str(&text);
        used = start + columns(&text);
    }
    line
}

/// The upper border of a row's boxes, and their labels.
fn body(row: &Row, ports: &Ports, leads: impl Fn(usize) -> bool) -> Vec<String> {
    let inner = width_of(&row.labels) + 2 * row.padding;
    let height = row.labels.iter().map(Vec::len).max().unwrap_or(0);
    let mut lines = Vec::new();
    if !row.are_hosts {
        lines.push(spread(
            &ports.columns,
            (0..row.boxes.len())
                .map(|position| rim(inner, ['┌', '┐'], leads(position).then_some((inner / 2, '┴')))),
        ));
    }
    for height in 0..height {
        let text = |label: &Vec<String>| {
            let text = label.get(height).map_or("", String::as_str);
            if row.are_hosts { text.to_owned() } else { format!("│{}│", centred(text, inner)) }
        };
        lines.push(spread(&ports.columns, row.labels.iter().map(text)));
    }
    lines
}

/// The lower border of a row's boxes, with the ports of downlinks.
fn foot(row: &Row, ports: &Ports, width: usize, leads: impl Fn(usize) -> bool) -> Vec<String> {
    if row.are_hosts {
        return Vec::new();
    }
    let inner = width_of(&row.labels) + 2 * row.padding;
    let middles = row.ports(width);
    let text = |position: usize| {
        // If a port was shifted, its box does not move.
        let start = middles.columns[position].saturating_sub(inner / 2 + 1);
        let port = ports.columns[position].saturating_sub(start + 1).min(inner - 1);
        rim(inner, ['└', '┘'], leads(position).then_some((port, '┬')))
    };
    vec![spread(&middles.columns, (0..row.boxes.len()).map(text))]
}

fn rim(inner: usize, [left, right]: [char; 2], port: Option<(usize, char)>) -> String {
    let mark = |position: usize| port.filter(|(at, _)| *at == position).map_or('─', |(_, mark)| mark);
    std::iter::once(left).chain((0..inner).map(mark)).chain([right]).collect()
}

fn centred(text: &str, width: usize) -> String {
    let free = width.saturating_sub(columns(text));
    let left = free / 2;
    [&" ".repeat(left), text, &" ".repeat(free - left)].concat()
}
