//! Utilization of links between leaves and spines: for each run a map of each direction, with a common scale.
//!
//! Models: the share of the span (of the whole run if ports were not sampled over time) in which a direction of a link
//! was
//! transmitting, of the busiest one of parallel links and, in large fabrics, of blocks of neighbours, as in the report.
//! Leaves out: fabrics without exactly two tiers.

use netloom_report::panel_data::{TierData, Usage};

use super::{Drawn, Run, largest, without};
use crate::chart::style::{AXIS, shade};
use crate::chart::{MIDDLE, NORMAL, SMALL};
use crate::draw::{Align, Colour, Picture, Point, Turn, font};
use crate::table::Table;

/// Largest number of runs that fit on a page.
const MOST: usize = 24;
/// Smallest and largest height of a map.
const LOWEST: f64 = 24.0;
const HIGHEST: f64 = 110.0;
/// Height of all maps together, if their number permits.
const PAGE: f64 = 560.0;
/// Largest size of a square cell.
const CELL: f64 = 14.0;
/// Height of the row with the name of a run.
const RUN: f64 = 10.0;
/// Distance between the two directions.
const BETWEEN: f64 = 8.0;
/// Margin on the right.
const RIGHT: f64 = 4.0;
/// Colour of cells without a link.
const NONE: Colour = Colour([0xee, 0xf0, 0xf2]);
/// Overlap of cells, so that no gap is visible between them.
const OVERLAP: f64 = 0.3;

const COLUMNS: &[&str] = &[
    "run",
    "direction",
    "first_leaf",
    "last_leaf",
    "first_spine",
    "last_spine",
    "links",
    "mean_utilization_percent",
    "busiest_utilization_percent",
    "from_s",
    "to_s",
];

/// A direction: its name in the table, above its maps, and its cells.
type Direction = (&'static str, &'static str, fn(&TierData) -> &Vec<Vec<Option<Usage>>>);

const DIRECTIONS: [Direction; 2] =
    [("up", "leaf → spine", |tiers| &tiers.up), ("down", "spine → leaf", |tiers| &tiers.down)];

/// Draws the figure.
pub fn draw(runs: &[Run], width: f64) -> Result<Drawn, String> {
    let none = "no fabric has two tiers, leaves with hosts and spines without";
    let (with, lacking) = without(runs, |run| run.tiers.as_ref(), none)?;
    if with.len() > MOST {
        return Err(format!("maps of {} runs do not fit on a page ({MOST} do): name fewer runs", with.len()));
    }
    let mut table = Table::new(COLUMNS);
    for (_, run, tiers) in &with {
        write_rows(&mut table, run, tiers);
    }
    let shares = with.iter().flat_map(|(_, _, tiers)| tiers.up.iter().chain(&tiers.down).flatten().flatten());
    // Rounded up to the next ten percent, so that figures of similar runs have the same scale.
    let busiest = largest(shares.map(|usage| usage.busiest));
    let most = ((busiest * 10.0 - 1e-9).ceil() / 10.0).clamp(0.1, 1.0);
    let maps: Vec<(&str, &TierData)> =
        with.iter().map(|(_, run, tiers)| (run.called.as_str(), *tiers)).collect();
    Ok(Drawn { picture: chart(width, &maps, most), table, without: lacking })
}

fn write_rows(table: &mut Table, run: &Run, tiers: &TierData) {
    let [from, to] = if run.is_unsampled { [0.0, run.simulated] } else { run.span() };
    for (direction, _, cells) in DIRECTIONS {
        for (row, leaves) in cells(tiers).iter().zip(&tiers.leaves) {
            for (cell, spines) in row.iter().zip(&tiers.spines) {
                let Some(usage) = cell else { continue };
                table.push([
                    run.name().into(),
                    direction.into(),
                    leaves[0].as_str().into(),
                    leaves[1].as_str().into(),
                    spines[0].as_str().into(),
                    spines[1].as_str().into(),
                    f64::from(usage.links).into(),
                    percent(usage.mean).into(),
                    percent(usage.busiest).into(),
                    from.into(),
                    to.into(),
                ]);
            }
        }
    }
}

/// A share in percent, without rounding errors of the multiplication.
fn percent(share: f64) -> f64 {
    (share * 1e4).round() / 1e2
}

fn chart(width: f64, maps: &[(&str, &TierData)], most: f64) -> Picture {
    let mut picture = Picture::new(width);
    let named: Vec<[Names; 2]> = maps
        .iter()
        .map(|(_, tiers)| [Names::of(&tiers.leaves, "leaf"), Names::of(&tiers.spines, "spine")])
        .collect();
    let widest = largest(
        named.iter().flat_map(|[leaves, _]| leaves.ticks.iter()).map(|name| font::width(name, SMALL)),
    );
    let left = widest + 3.0 + NORMAL + 2.5;
    let room = (width - left - RIGHT - BETWEEN) / 2.0;
    let has_names = maps.len() > 1;
    let mut top = NORMAL + 2.0;
    for (nth, (_, title, _)) in DIRECTIONS.iter().enumerate() {
        let middle = left + room / 2.0 + nth as f64 * (room + BETWEEN);
        picture.words(*title, (middle, NORMAL * 0.8), Align::Middle, NORMAL);
    }
    for (number, ((name, tiers), [leaves, spines])) in maps.iter().zip(&named).enumerate() {
        // Maps below each other share their axis of spines if these are the same.
        let is_named = named.get(number + 1).is_none_or(|[_, next]| next != spines);
        if has_names {
            let name = font::shortened(name, SMALL, width - left);
            picture.words(name, (left, top + SMALL), Align::Start, SMALL);
            top += RUN;
        }
        let height = height(room, tiers, maps.len());
        for (nth, (_, _, cells)) in DIRECTIONS.iter().enumerate() {
            let position = (left + nth as f64 * (room + BETWEEN), top);
            draw_cells(&mut picture, position, (room, height), cells(tiers), most);
            if is_named {
                names_below(&mut picture, (position.0, top + height), room, spines);
            }
        }
        names_left(&mut picture, (left, top), height, leaves, widest);
        top += height + if is_named { 22.0 } else { 3.0 };
    }
    scale(&mut picture, (left, top + 1.0), width - left - RIGHT, most);
    picture
}

/// Height of a map: cells are square unless the map would be too high or too low.
fn height(room: f64, tiers: &TierData, n_maps: usize) -> f64 {
    let cell = (room / tiers.spines.len() as f64).min(CELL);
    let most = (PAGE / n_maps as f64 - RUN - 3.0).clamp(LOWEST, HIGHEST);
    (cell * tiers.leaves.len() as f64).clamp(LOWEST, most)
}

fn draw_cells(
    picture: &mut Picture,
    (left, top): Point,
    (width, height): (f64, f64),
    cells: &[Vec<Option<Usage>>],
    most: f64,
) {
    let (right, bottom) = (left + width, top + height);
    for (row, cells_of_leaf) in cells.iter().enumerate() {
        for (column, cell) in cells_of_leaf.iter().enumerate() {
            let along = |nth: usize| left + width * nth as f64 / cells_of_leaf.len() as f64;
            let down = |nth: usize| top + height * nth as f64 / cells.len() as f64;
            let corner = ((along(column + 1) + OVERLAP).min(right), (down(row + 1) + OVERLAP).min(bottom));
            let colour = cell.map_or(NONE, |usage| shade(usage.busiest / most));
            picture.rectangle((along(column), down(row)), corner, colour);
        }
    }
    picture.line(vec![(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], AXIS);
}

/// Names of nodes along an axis.
#[derive(PartialEq)]
struct Names {
    /// The common beginning of all names, or the kind of the nodes.
    stem: String,
    /// The labels: numbers, or whole names.
    ticks: Vec<String>,
}

impl Names {
    /// Names of blocks of nodes: each has the name of its first node.
    fn of(blocks: &[[String; 2]], what: &str) -> Names {
        let parts: Vec<(&str, &str)> = blocks.iter().map(|[first, _]| numbered(first)).collect();
        let is_alike = parts.iter().all(|(stem, number)| *stem == parts[0].0 && !number.is_empty());
        if is_alike && !parts.is_empty() {
            let stem = parts[0].0.trim_end_matches(['-', '_', '.']);
            let stem = if stem.is_empty() { what } else { stem };
            return Names {
                stem: stem.to_owned(),
                ticks: parts.iter().map(|(_, number)| (*number).to_owned()).collect(),
            };
        }
        let ticks = blocks.iter().map(|[first, _]| font::shortened(first, SMALL, 36.0)).collect();
        Names { stem: what.to_owned(), ticks }
    }

    /// The names that fit, given the size of each and of the axis.
    fn shown(&self, each: f64, length: f64) -> impl Iterator<Item = (f64, &String)> {
        let n_names = self.ticks.len();
        let every = (each * n_names as f64 / length).ceil().max(1.0) as usize;
        let position = move |nth: usize| (nth as f64 + 0.5) / n_names as f64 * length;
        self.ticks.iter().enumerate().step_by(every).map(move |(nth, name)| (position(nth), name))
    }
}

/// Splits a name into its beginning and the number at its end.
fn numbered(name: &str) -> (&str, &str) {
    let stem = name.trim_end_matches(|character: char| character.is_ascii_digit());
    name.split_at(stem.len())
}

fn names_below(picture: &mut Picture, (left, bottom): Point, width: f64, spines: &Names) {
    let widest = largest(spines.ticks.iter().map(|name| font::width(name, SMALL)));
    for (x, name) in spines.shown(widest + 3.0, width) {
        picture.line(vec![(left + x, bottom), (left + x, bottom + 1.5)], AXIS);
        picture.words(name, (left + x, bottom + 2.5 + SMALL * 0.8), Align::Middle, SMALL);
    }
    picture.words(&spines.stem, (left + width / 2.0, bottom + 17.5), Align::Middle, NORMAL);
}

fn names_left(picture: &mut Picture, (left, top): Point, height: f64, leaves: &Names, widest: f64) {
    for (y, name) in leaves.shown(SMALL + 1.0, height) {
        picture.line(vec![(left - 1.5, top + y), (left, top + y)], AXIS);
        picture.words(name, (left - 3.0, top + y + SMALL * MIDDLE), Align::End, SMALL);
    }
    let at = (left - widest - 5.0, top + height / 2.0);
    picture.turned(&leaves.stem, at, Align::Middle, Turn::Upright, NORMAL);
}

/// The legend of colours.
fn scale(picture: &mut Picture, (left, top): Point, width: f64, most: f64) {
    const STEPS: usize = 64;
    const HEIGHT: f64 = 6.0;
    let along = |share: f64| left + width * share;
    for step in 0..STEPS {
        let share = |nth: usize| nth as f64 / STEPS as f64;
        let corner = ((along(share(step + 1)) + OVERLAP).min(left + width), top + HEIGHT);
        picture.rectangle((along(share(step)), top), corner, shade((step as f64 + 0.5) / STEPS as f64));
    }
    let bottom = top + HEIGHT;
    let corners = [(left, top), (left + width, top), (left + width, bottom), (left, bottom), (left, top)];
    picture.line(corners.to_vec(), AXIS);
    let tens = (most * 10.0).round() as usize;
    for ten in 0..=tens {
        let x = along(ten as f64 / tens as f64);
        picture.line(vec![(x, bottom), (x, bottom + 2.0)], AXIS);
        let align = match ten {
            0 => Align::Start,
            _ if ten == tens => Align::End,
            _ => Align::Middle,
        };
        picture.words((ten * 10).to_string(), (x, bottom + 3.0 + SMALL * 0.8), align, SMALL);
    }
    let middle = (left + width / 2.0, bottom + 19.0);
    picture.words("utilization, busiest of parallel links (%)", middle, Align::Middle, NORMAL);
    picture.height = bottom + 22.0;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_one_stem_are_called_by_their_numbers() {
        let blocks = |names: &[&str]| -> Vec<[String; 2]> {
            names.iter().map(|name| [(*name).to_owned(), (*name).to_owned()]).collect()
        };
        let names = Names::of(&blocks(&["tor-0", "tor-12"]), "leaf");
        assert_eq!((names.stem.as_str(), names.ticks.join(" ")), ("tor", "0 12".to_owned()));
        let names = Names::of(&blocks(&["east1", "west1"]), "leaf");
        assert_eq!((names.stem.as_str(), names.ticks.join(" ")), ("leaf", "east1 west1".to_owned()));
    }
}
