//! Bars of eighths of a column, and bars with a whisker.

/// Parts of a column, from an eighth to seven eighths.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// A bar of a share of `columns`; a share above zero is always visible.
pub fn bar(share: f64, columns: usize) -> String {
    let all = columns * 8;
    let eighths = ((share.clamp(0.0, 1.0) * all as f64).round() as usize).min(all);
    let eighths = if share > 0.0 { eighths.max(1) } else { eighths };
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// A whisker from the end of a bar of one share to another; empty if that is not larger.
pub fn whisker(from: f64, to: f64, columns: usize) -> String {
    let index = |share: f64| (share.clamp(0.0, 1.0) * columns as f64).round() as usize;
    // The last column of the bar may be partial.
    let start = bar(from, columns).chars().count();
    match index(to).max(start) - start {
        0 => String::new(),
        length => "─".repeat(length - 1) + "┤",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_has_the_length_of_its_share() {
        assert_eq!(bar(0.5, 4), "██");
        assert_eq!(bar(0.5, 3), "█▌");
        assert_eq!(bar(1e-9, 4), "▏");
        assert_eq!([bar(0.0, 4), bar(f64::NAN, 4)], ["", ""]);
        assert_eq!(bar(7.0, 2), "██");
    }

    #[test]
    fn a_whisker_ends_where_its_share_does() {
        assert_eq!(bar(0.5, 10) + &whisker(0.5, 1.0, 10), "█████────┤");
        assert_eq!(bar(0.55, 10) + &whisker(0.55, 0.8, 10), "█████▌─┤");
        assert_eq!(whisker(0.5, 0.5, 10), "");
    }
}
