//! Draws the space between two rows of boxes: vertical lines from their ports, and rails that connect them.
//!
//! Models: a rail connects all nodes whose verticals end at it; a vertical that crosses a rail is drawn through it.
//!
//! Invariants: two verticals in one column overlap only if a single rail connects these two and no others.

/// The boxes that a rail connects, by index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rail {
    /// Boxes of the upper row.
    pub upper: Vec<usize>,
    /// Boxes of the lower row.
    pub lower: Vec<usize>,
}

/// Columns of the ports of one row's boxes.
#[derive(Debug, Clone)]
pub struct Ports {
    /// Column by box; shifted where a vertical would overlap another one.
    pub columns: Vec<usize>,
    /// Most columns by which a port may be shifted.
    pub slack: usize,
}

/// The lines between two rows, from the top; the columns of the upper ports may be changed. `None` if overlaps of
/// verticals cannot be avoided.
pub fn rows(rails: &[Rail], upper: &mut Ports, lower: &Ports, width: usize) -> Option<Vec<String>> {
    let placed = packed(rails, upper, lower);
    let apart: Vec<usize> = (0..rails.len()).collect();
    // If shifted ports would make two rails in one line touch, each rail has its own line.
    [placed, apart].into_iter().find_map(|row_of| {
        let mut shifted = upper.clone();
        let space = Space::of(rails, &row_of, &mut shifted, lower)?;
        *upper = shifted.clone();
        Some(space.draw(&shifted, lower, width))
    })
}

/// The first and the last column of a rail.
fn extent(rail: &Rail, upper: &Ports, lower: &Ports) -> (usize, usize) {
    let ends = || {
        let above = rail.upper.iter().map(|&index| upper.columns[index]);
        above.chain(rail.lower.iter().map(|&index| lower.columns[index]))
    };
    (ends().min().unwrap_or(0), ends().max().unwrap_or(0))
}

/// The line of each rail: the first one in which it touches no other.
fn packed(rails: &[Rail], upper: &Ports, lower: &Ports) -> Vec<usize> {
    let mut taken: Vec<Vec<(usize, usize)>> = Vec::new();
    let index = |rail: &Rail| {
        let (first, last) = extent(rail, upper, lower);
        let is_free =
            |row: &Vec<(usize, usize)>| row.iter().all(|&(from, to)| last + 1 < from || to + 1 < first);
        let row = taken.iter().position(is_free).unwrap_or_else(|| {
            taken.push(Vec::new());
            taken.len() - 1
        });
        taken[row].push((first, last));
        row
    };
    rails.iter().map(index).collect()
}

/// Rails in their lines.
struct Space<'a> {
    rails: &'a [Rail],
    row_of: &'a [usize],
}

impl Space<'_> {
    /// Shifts the upper ports so that no verticals overlap; `None` if that is impossible.
    fn of<'a>(rails: &'a [Rail], row_of: &'a [usize], upper: &mut Ports, lower: &Ports) -> Option<Space<'a>> {
        let space = Space { rails, row_of };
        for index in 0..upper.columns.len() {
            let Some(deepest) = space.deepest(index) else { continue };
            let meets = |column: usize| {
                lower.columns.iter().enumerate().any(|(under, &other)| {
                    let Some(first) = space.first(under).filter(|_| other == column) else { return false };
                    let is_joined = first == deepest
                        && rails
                            .iter()
                            .any(|rail| rail.upper.contains(&index) && rail.lower.contains(&under));
                    first <= deepest && !is_joined
                })
            };
            let middle = upper.columns[index];
            let shifts = (0..=upper.slack).flat_map(|by| [middle + by, middle.saturating_sub(by)]);
            upper.columns[index] = shifts.into_iter().find(|&column| !meets(column))?;
        }
        let extents: Vec<(usize, usize)> = rails.iter().map(|rail| extent(rail, upper, lower)).collect();
        let touches = |one: usize, other: usize| {
            let ((from, to), (first, last)) = (extents[one], extents[other]);
            row_of[one] == row_of[other] && to >= first && last >= from
        };
        let are_apart = (0..rails.len()).all(|one| (0..one).all(|other| !touches(one, other)));
        are_apart.then_some(space)
    }

    /// The lowest line that an upper vertical reaches.
    fn deepest(&self, index: usize) -> Option<usize> {
        let rows = self.rails.iter().zip(self.row_of).filter(|(rail, _)| rail.upper.contains(&index));
        rows.map(|(_, &row)| row).max()
    }

    /// The highest line that a lower vertical reaches.
    fn first(&self, index: usize) -> Option<usize> {
        let rows = self.rails.iter().zip(self.row_of).filter(|(rail, _)| rail.lower.contains(&index));
        rows.map(|(_, &row)| row).min()
    }

    fn draw(&self, upper: &Ports, lower: &Ports, width: usize) -> Vec<String> {
        let n_rows = self.row_of.iter().max().map_or(0, |last| last + 1);
        let row = |row: usize| (0..width).map(|column| self.cell(row, column, upper, lower)).collect();
        (0..n_rows).map(row).collect()
    }

    fn cell(&self, row: usize, column: usize, upper: &Ports, lower: &Ports) -> char {
        let at = |ports: &Ports| ports.columns.iter().position(|&other| other == column);
        let above = at(upper).filter(|&index| self.deepest(index).is_some_and(|deepest| row <= deepest));
        let below = at(lower).filter(|&index| self.first(index).is_some_and(|first| row >= first));
        let here = self.rails.iter().zip(self.row_of).filter(|(_, of)| **of == row);
        let inside = here
            .map(|(rail, _)| (rail, extent(rail, upper, lower)))
            .find(|(_, (first, last))| (first..=last).contains(&&column));
        let passes = above.is_some() || below.is_some();
        let Some((rail, (first, last))) = inside else { return if passes { '│' } else { ' ' } };
        let joins_above = above.filter(|index| rail.upper.contains(index));
        let joins_below = below.filter(|index| rail.lower.contains(index));
        if joins_above.is_none() && joins_below.is_none() {
            return if passes { '│' } else { '─' };
        }
        let goes_on_down =
            joins_above.and_then(|index| self.deepest(index)).is_some_and(|deepest| row < deepest);
        let goes_on_up = joins_below.and_then(|index| self.first(index)).is_some_and(|first| row > first);
        let (up, down) = (joins_above.is_some() || goes_on_up, joins_below.is_some() || goes_on_down);
        corner([up, down, column > first, column < last])
    }
}

/// The box-drawing character with these connections: up, down, left, right.
fn corner(leads: [bool; 4]) -> char {
    match leads.into() {
        (true, true, true, true) => '┼',
        (true, true, true, false) => '┤',
        (true, true, false, true) => '├',
        (true, false, true, true) => '┴',
        (false, true, true, true) => '┬',
        (true, false, false, true) => '└',
        (true, false, true, false) => '┘',
        (false, true, false, true) => '┌',
        (false, true, true, false) => '┐',
        (false, false, ..) => '─',
        (_, _, false, false) => '│',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ports(columns: &[usize]) -> Ports {
        Ports { columns: columns.to_vec(), slack: 1 }
    }

    #[test]
    fn a_rail_connects_all_its_boxes() {
        let rail = Rail { upper: vec![0, 1], lower: vec![0, 1, 2] };
        let drawn = rows(&[rail], &mut ports(&[2, 6]), &ports(&[0, 4, 8]), 9).expect("it fits");
        assert_eq!(drawn, ["┌─┴─┬─┴─┐"]);
    }

    #[test]
    fn rails_that_do_not_touch_share_a_line() {
        let rails = [Rail { upper: vec![0], lower: vec![0] }, Rail { upper: vec![1], lower: vec![1, 2] }];
        let drawn = rows(&rails, &mut ports(&[1, 6]), &ports(&[1, 4, 8]), 9).expect("it fits");
        assert_eq!(drawn, [" │  ┌─┴─┐"]);
    }

    #[test]
    fn a_vertical_that_a_rail_does_not_connect_crosses_it() {
        let rails = [Rail { upper: vec![0], lower: vec![0, 2] }, Rail { upper: vec![1], lower: vec![1] }];
        let drawn = rows(&rails, &mut ports(&[1, 4]), &ports(&[1, 5, 8]), 9).expect("it fits");
        assert_eq!(drawn, [" ├──│───┐", " │  └┐  │"]);
    }

    #[test]
    fn verticals_in_one_column_are_shifted_apart() {
        let rails = [Rail { upper: vec![1], lower: vec![0] }, Rail { upper: vec![0], lower: vec![1] }];
        let mut upper = ports(&[1, 5]);
        let drawn = rows(&rails, &mut upper, &ports(&[1, 5]), 7).expect("it fits");
        assert_eq!(
            (upper.columns.as_slice(), drawn),
            (&[2, 5][..], vec![" ┌│──┘ ".to_owned(), " │└──┐ ".to_owned()])
        );
        assert_eq!(rows(&rails, &mut Ports { columns: vec![1, 5], slack: 0 }, &ports(&[1, 5]), 7), None);
    }
}
