//! Scales: map numbers to positions along an axis, and place ticks.
//!
//! Models: linear scales with steps of 1, 2 or 5 times a power of ten; logarithmic ones with a small tick at each
//! digit.
//!
//! Invariants: a scale contains every number for which it was made; at least two ticks have a label.

/// A scale between two numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Its first number.
    pub low: f64,
    /// Its last number.
    pub high: f64,
    is_log: bool,
    /// Difference between two labels of a linear scale.
    step: f64,
}

/// A tick.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tick {
    /// Its number.
    pub at: f64,
    /// Whether it has a label.
    pub is_labelled: bool,
}

/// Tolerance of comparisons, for rounding errors.
const NEARLY: f64 = 1e-9;
/// Largest number of decades for which twos and fives have labels, too.
const FEW_DECADES: f64 = 3.0;

impl Scale {
    /// From `low` to at least `most`, in about the given number of steps.
    pub fn linear(low: f64, most: f64, n_steps: usize) -> Scale {
        let most = if most > low { most } else { low + 1.0 };
        let rough = (most - low) / n_steps.max(1) as f64;
        let magnitude = 10_f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * magnitude);
        let step = steps.into_iter().find(|step| *step >= rough * (1.0 - NEARLY)).unwrap_or(steps[3]);
        let high = low + ((most - low) / step - NEARLY).ceil() * step;
        Scale { low, high, is_log: false, step }
    }

    /// From exactly `low` to exactly `high`, with ticks in about the given number of steps.
    pub fn within(low: f64, high: f64, n_steps: usize) -> Scale {
        let scale = Scale::linear(0.0, high - low, n_steps);
        Scale { low, high: if high > low { high } else { low + 1.0 }, ..scale }
    }

    /// From at most `least`, which is above zero, to at least `most`: both ends are 1, 2 or 5 times a power of ten.
    pub fn logarithmic(least: f64, most: f64) -> Scale {
        let (mut low, mut high) = (rounded_down(least), rounded_up(most));
        if low * 1.5 >= high {
            (low, high) = (rounded_down(low / 1.5), rounded_up(high * 1.5));
        }
        Scale { low, high, is_log: true, step: 0.0 }
    }

    /// Whether it is logarithmic.
    pub fn is_log(&self) -> bool {
        self.is_log
    }

    /// Position of a number, from 0 at the beginning of the scale to 1 at its end.
    pub fn position(&self, number: f64) -> f64 {
        if self.is_log {
            (number.max(self.low) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (number - self.low) / (self.high - self.low)
        }
    }

    /// Ticks from the beginning to the end, with room for about the given number of labels.
    pub fn ticks(&self, room: usize) -> Vec<Tick> {
        if self.is_log { self.log_ticks(room) } else { self.linear_ticks() }
    }

    fn linear_ticks(&self) -> Vec<Tick> {
        let first = (self.low / self.step - NEARLY).ceil() as i64;
        let last = (self.high / self.step + NEARLY).floor() as i64;
        (first..=last).map(|nth| Tick { at: nth as f64 * self.step, is_labelled: true }).collect()
    }

    fn log_ticks(&self, room: usize) -> Vec<Tick> {
        let decades = (self.high / self.low).log10();
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        // If there is no room for all powers of ten, every second, third ... has a label.
        let every = (decades / room.max(2) as f64).ceil().max(1.0) as i32;
        let mut ticks = Vec::new();
        for exponent in first..=last {
            for digit in 1..10 {
                let at = f64::from(digit) * 10_f64.powi(exponent);
                if at < self.low * (1.0 - NEARLY) || at > self.high * (1.0 + NEARLY) {
                    continue;
                }
                let has_room = decades * 3.0 <= room.max(2) as f64 || decades <= 1.0;
                let is_power = digit == 1 && (exponent - first) % every == 0;
                let is_between = matches!(digit, 2 | 5) && decades <= FEW_DECADES && has_room;
                ticks.push(Tick { at, is_labelled: is_power || is_between });
            }
        }
        if ticks.iter().filter(|tick| tick.is_labelled).count() < 2 {
            let last = ticks.len() - 1;
            ticks[0].is_labelled = true;
            ticks[last].is_labelled = true;
        }
        ticks
    }
}

/// The largest number of the form 1, 2 or 5 times a power of ten that is not larger.
fn rounded_down(number: f64) -> f64 {
    let power = 10_f64.powi((number * (1.0 + NEARLY)).log10().floor() as i32);
    let digit = [5.0, 2.0].into_iter().find(|digit| digit * power <= number * (1.0 + NEARLY)).unwrap_or(1.0);
    digit * power
}

/// The smallest number of the form 1, 2 or 5 times a power of ten that is not smaller.
fn rounded_up(number: f64) -> f64 {
    let power = 10_f64.powi((number * (1.0 - NEARLY)).log10().floor() as i32);
    let digit = [1.0, 2.0, 5.0].into_iter().find(|digit| digit * power >= number * (1.0 - NEARLY));
    digit.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, room: usize) -> Vec<f64> {
        scale.ticks(room).into_iter().filter(|tick| tick.is_labelled).map(|tick| tick.at).collect()
    }

    #[test]
    fn linear_ticks_are_round_numbers() {
        let scale = Scale::linear(0.0, 37.0, 5);
        assert_eq!(labels(scale, 5), [0.0, 10.0, 20.0, 30.0, 40.0]);
        let highs = [0.0, 100.0].map(|most| Scale::linear(0.0, most, 4).high.to_string());
        assert_eq!(highs, ["1", "100"]);
        assert_eq!(labels(Scale::within(0.0, 9.0, 5), 5), [0.0, 2.0, 4.0, 6.0, 8.0]);
    }

    #[test]
    fn logarithmic_ends_are_round_numbers_around_all() {
        let scale = Scale::logarithmic(3.0, 4_000.0);
        assert_eq!((scale.low, scale.high), (2.0, 5_000.0));
        assert_eq!(labels(scale, 8), [10.0, 100.0, 1_000.0]);
        assert_eq!(scale.ticks(8).len(), 4 + 4 + 9 + 9 + 5 - 1 + 1);
        let same = Scale::logarithmic(10.0, 10.0);
        assert!(same.low < 10.0 && same.high > 10.0 && labels(same, 8).len() >= 2, "{same:?}");
        for number in [1e-12, 0.9999, 1.0, 7.3, 1e9] {
            let scale = Scale::logarithmic(number, number * 3.0);
            assert!(
                scale.position(number) >= -1e-9 && scale.position(number * 3.0) <= 1.0 + 1e-9,
                "{number}"
            );
        }
    }
}
