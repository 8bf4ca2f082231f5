//! The space between two rows of boxes: verticals from their ports, and rails that join them.
//!
//! Models: a rail joins all nodes whose verticals meet it; a vertical that a rail lets pass is drawn through it.
//!
//! Invariants: two verticals in one column never overlap unless one rail joins both and nothing else.

/// What is joined by a rail, by places in the upper row and in the lower row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rail {
    /// Of the upper row.
    pub upper: Vec<usize>,
    /// Of the lower row.
    pub lower: Vec<usize>,
}

/// Columns of the ports of one row's boxes.
#[derive(Debug, Clone)]
pub struct Ports {
    /// By place; shifted where a vertical would meet another one.
    pub columns: Vec<usize>,
    /// How far a port may be shifted.
    pub slack: usize,
}

/// The rows between, from the top; the columns of the upper ports may be changed. Nothing where verticals cannot be kept
/// apart.
pub fn rows(rails: &[Rail], upper: &mut Ports, lower: &Ports, width: usize) -> Option<Vec<String>> {
    let of_upper = |place: usize| rails.iter().rposition(|rail| rail.upper.contains(&place));
    let of_lower = |place: usize| rails.iter().position(|rail| rail.lower.contains(&place));
    for place in 0..upper.columns.len() {
        let Some(deepest) = of_upper(place) else { continue };
        let meets = |column: usize| {
            lower.columns.iter().enumerate().any(|(under, &other)| {
                let first = of_lower(under);
                let is_joined = first == Some(deepest) && rails[deepest].upper.contains(&place);
                other == column && first.is_some_and(|first| first <= deepest) && !is_joined
            })
        };
        let middle = upper.columns[place];
        let shifts = (0..=upper.slack).flat_map(|by| [middle + by, middle.saturating_sub(by)]);
        upper.columns[place] = shifts.into_iter().find(|&column| !meets(column))?;
    }
    let draw = |(row, rail): (usize, &Rail)| {
        let ends: Vec<usize> = rail
            .upper
            .iter()
            .map(|&place| upper.columns[place])
            .chain(rail.lower.iter().map(|&place| lower.columns[place]))
            .collect();
        let (first, last) = (ends.iter().copied().min().unwrap_or(0), ends.iter().copied().max().unwrap_or(0));
        let cell = |column: usize| {
            let at = |columns: &[usize]| columns.iter().position(|&other| other == column);
            let above = at(&upper.columns).filter(|&place| of_upper(place).is_some_and(|deepest| row <= deepest));
            let below = at(&lower.columns).filter(|&place| of_lower(place).is_some_and(|first| row >= first));
            let joins_above = above.filter(|place| rail.upper.contains(place));
            let joins_below = below.filter(|place| rail.lower.contains(place));
            let is_inside = (first..=last).contains(&column);
            if !is_inside || (joins_above.is_none() && joins_below.is_none()) {
                let passes = above.is_some() || below.is_some();
                return if passes { '│' } else if is_inside { '─' } else { ' ' };
            }
            let goes_on_down = joins_above.and_then(of_upper).is_some_and(|deepest| row < deepest);
            let goes_on_up = joins_below.and_then(of_lower).is_some_and(|first| row > first);
            let up = joins_above.is_some() || goes_on_up;
            let down = joins_below.is_some() || goes_on_down;
            corner(up, down, column > first, column < last)
        };
        (0..width).map(cell).collect::<String>()
    };
    Some(rails.iter().enumerate().map(draw).collect())
}

/// The character that leads to these sides.
fn corner(up: bool, down: bool, left: bool, right: bool) -> char {
    match (up, down, left, right) {
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
    fn one_rail_joins_all() {
        let rail = Rail { upper: vec![0, 1], lower: vec![0, 1, 2] };
        let drawn = rows(&[rail], &mut ports(&[2, 6]), &ports(&[0, 4, 8]), 9).expect("it fits");
        assert_eq!(drawn, ["┌─┴─┬─┴─┐"]);
    }

    #[test]
    fn what_a_rail_does_not_join_passes() {
        let rails = [Rail { upper: vec![0], lower: vec![0, 2] }, Rail { upper: vec![1], lower: vec![1] }];
        let drawn = rows(&rails, &mut ports(&[1, 4]), &ports(&[1, 5, 8]), 9).expect("it fits");
        assert_eq!(drawn, [" ├──│───┐", " │  └┐  │"]);
    }

    #[test]
    fn verticals_of_one_column_are_kept_apart() {
        let rails = [Rail { upper: vec![1], lower: vec![0] }, Rail { upper: vec![0], lower: vec![1] }];
        let mut upper = ports(&[1, 5]);
        let drawn = rows(&rails, &mut upper, &ports(&[1, 5]), 7).expect("it fits");
        assert_eq!((upper.columns.as_slice(), drawn), (&[2, 5][..], vec![" ┌│──┘ ".to_owned(), " │└──┐ ".to_owned()]));
        assert_eq!(rows(&rails, &mut Ports { columns: vec![1, 5], slack: 0 }, &ports(&[1, 5]), 7), None);
    }
}
