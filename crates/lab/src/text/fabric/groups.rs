//! Draws groups as a row of boxes, with the links between every two of them.

use super::super::ink::Ink;
use super::super::sheet::{Line, Sheet, columns};
use crate::show::fabric::FabricOutline;
use crate::words;

/// Columns of the dots between the first groups and the last one.
const DOTS: usize = 5;

/// Draws the row; does nothing without groups.
pub fn row(sheet: &mut Sheet, outline: &FabricOutline) {
    let Some(groups) = outline.groups else { return };
    sheet.gap();
    let texts = [words::some(groups.switches, "switch"), words::some(groups.hosts, "host")];
    let longest = texts.iter().map(|text| columns(text)).max().unwrap_or(0);
    let row = Row::of(groups.groups, longest, sheet.columns().saturating_sub(2));
    let padded = |text: &str| format!("│ {text}{} │", " ".repeat(row.inner - columns(text)));
    let bar = |length: usize| "─".repeat(length);
    let [before, behind] = row.around_port();
    sheet.line(row.put("     ", " ", |_| format!("┌{}┐", bar(row.inner + 2))));
    sheet.line(row.put("     ", " ", |number| padded(&title(number))));
    for text in &texts {
        sheet.line(row.put(" ··· ", " ", |_| padded(text)));
    }
    if groups.groups < 2 {
        sheet.line(row.put("     ", " ", |_| format!("└{}┘", bar(row.inner + 2))));
        return;
    }
    sheet.line(row.put("     ", " ", |_| format!("└{}┬{}┘", bar(before), bar(behind))));
    sheet.line(row.put("─···─", "─", |number| row.rail(number)));
    let [least, most] = [groups.least_links, groups.most_links];
    let links = if least == most { words::some(most, "link") } else { format!("{least} to {most} links") };
    sheet.line(Line::indented(2 + before + 1).add(Ink::Faint, &format!("{links} between every two groups")));
}

fn title(number: u32) -> String {
    format!("group {number}")
}

/// The groups that are shown, and the inner width of their boxes.
struct Row {
    shown: Vec<u32>,
    last: u32,
    inner: usize,
}

impl Row {
    /// All groups if they fit, else the first ones and the last one.
    fn of(groups: u32, longest: usize, room: usize) -> Row {
        let last = groups.saturating_sub(1);
        let inner = longest.max(columns(&title(last)));
        let width = inner + 4;
        let fitting = ((room + 1) / (width + 1)).max(1);
        if groups as usize <= fitting {
            return Row { shown: (0..groups).collect(), last, inner };
        }
        let first = (room.saturating_sub(width + DOTS) / (width + 1)).max(1) as u32;
        Row { shown: (0..first).chain([last]).collect(), last, inner }
    }

    /// Columns of a box's border before and after its port.
    fn around_port(&self) -> [usize; 2] {
        let before = self.inner.div_ceil(2);
        [before, self.inner + 1 - before]
    }

    /// A line with a piece for each group, with dots where groups are left out.
    fn put(&self, dots: &str, between: &str, piece: impl Fn(u32) -> String) -> Line {
        let mut text = String::new();
        let mut before: Option<u32> = None;
        for &number in &self.shown {
            match before {
                Some(before) if before + 1 < number => text.push_str(dots),
                Some(_) => text.push_str(between),
                None => {}
            }
            text.push_str(&piece(number));
            before = Some(number);
        }
        Line::indented(2).plain(&text)
    }

    /// The connection of a group to its neighbours.
    fn rail(&self, number: u32) -> String {
        let [before, behind] = self.around_port();
        let (left, right) =
            (if number == 0 { " " } else { "─" }, if number == self.last { " " } else { "─" });
        let middle = match number {
            0 => "└",
            number if number == self.last => "┘",
            _ => "┴",
        };
        [&left.repeat(before + 1), middle, &right.repeat(behind + 1)].concat()
    }
}
