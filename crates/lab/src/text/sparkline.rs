//! Sparklines: lines of bars, one for each part of a sequence of values.

/// Bars from the lowest to the full height.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Values in at most `columns` columns; neighbouring values are combined by `join`.
pub fn fitted(values: &[f64], columns: usize, join: fn(&[f64]) -> f64) -> Vec<f64> {
    let shown = values.len().min(columns.max(1));
    let start = |column: usize| column * values.len() / shown;
    (0..shown).map(|column| join(&values[start(column)..start(column + 1)])).collect()
}

/// The largest of some values.
pub fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// Their mean.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// A bar for each value, with its share of the full height; zero is blank.
pub fn sparkline(values: &[f64], full: f64) -> String {
    let level = |value: &f64| {
        if *value <= 0.0 || full <= 0.0 {
            return ' ';
        }
        let level = (value / full * LEVELS.len() as f64).ceil() as usize;
        LEVELS[level.clamp(1, LEVELS.len()) - 1]
    };
    values.iter().map(level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_as_high_as_its_value() {
        assert_eq!(sparkline(&[0.0, 1.0, 2.0, 4.0, 8.0], 8.0), " ▁▂▄█");
        assert_eq!(sparkline(&[1.0, f64::NAN], 0.0), "  ");
    }

    #[test]
    fn values_that_do_not_fit_are_combined() {
        assert_eq!(fitted(&[1.0, 3.0, 5.0, 5.0], 2, largest), [3.0, 5.0]);
        assert_eq!(fitted(&[1.0, 3.0, 5.0, 5.0], 2, mean), [2.0, 5.0]);
        assert_eq!(fitted(&[1.0, 3.0], 9, largest), [1.0, 3.0]);
        assert!(fitted(&[], 9, largest).is_empty());
        assert_eq!(fitted(&[1.0; 1000], 7, mean).len(), 7);
    }
}
