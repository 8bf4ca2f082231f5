//! Groups in a row of boxes, with the links that join every two of them.

use super::super::ink::Ink;
use super::super::sheet::{Line, Sheet, columns};
use crate::show::fabric::FabricOutline;
use crate::words;

/// Columns of the dots between the first groups and the last one.
const DOTS: usize = 5;

/// The row; nothing where there are no groups.
pub fn row(sheet: &mut Sheet, outline: &FabricOutline) {
    let Some(groups) = outline.groups else { return };
    sheet.gap();
    let texts = [words::some(groups.switches, "switch"), words::some(groups.hosts, "host")];
    let title = |number: u32| format!("group {number}");
    let inner =
        texts.iter().map(|text| columns(text)).max().unwrap_or(0).max(columns(&title(groups.groups - 1)));
    let (width, room) = (inner + 4, sheet.columns().saturating_sub(2));
    let fitting = ((room + 1) / (width + 1)).max(1);
    let all = groups.groups as usize;
    let shown: Vec<u32> = if all <= fitting {
        (0..groups.groups).collect()
    } else {
        let first = (room.saturating_sub(width + DOTS) / (width + 1)).max(1) as u32;
        (0..first).chain([groups.groups - 1]).collect()
    };
    let is_cut = shown.len() < all;
    let put = |piece: &dyn Fn(u32) -> String, dots: &str, between: &str| {
        let mut text = String::new();
        for (place, &number) in shown.iter().enumerate() {
            if is_cut && place + 1 == shown.len() {
                text.push_str(dots);
            } else if place > 0 {
                text.push_str(between);
            }
            text.push_str(&piece(number));
        }
        Line::indented(2).plain(&text)
    };
    let padded = |text: &str| format!("│ {text}{} │", " ".repeat(inner - columns(text)));
    let half = (width - 3) / 2;
    let rest = width - 3 - half;
    sheet.line(put(&|_| format!("┌{}┐", "─".repeat(width - 2)), "     ", " "));
    sheet.line(put(&|number| padded(&title(number)), "     ", " "));
    for text in &texts {
        sheet.line(put(&|_| padded(text), " ··· ", " "));
    }
    if all < 2 {
        sheet.line(put(&|_| format!("└{}┘", "─".repeat(width - 2)), "     ", " "));
        return;
    }
    sheet.line(put(&|_| format!("└{}┬{}┘", "─".repeat(half), "─".repeat(rest)), "     ", " "));
    let last = groups.groups - 1;
    let rail = |number: u32| {
        let (left, right) = (if number == 0 { " " } else { "─" }, if number == last { " " } else { "─" });
        let middle = match number {
            0 => "└",
            number if number == last => "┘",
            _ => "┴",
        };
        [&left.repeat(half + 1), middle, &right.repeat(rest + 1)].concat()
    };
    sheet.line(put(&rail, "─···─", "─"));
    let [least, most] = [groups.least_links, groups.most_links];
    let links = if least == most { words::some(most, "link") } else { format!("{least} to {most} links") };
    sheet.line(Line::indented(2 + half + 1).add(Ink::Faint, &format!("{links} between every two groups")));
}
