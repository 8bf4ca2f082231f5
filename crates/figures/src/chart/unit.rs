//! Units that suit the size of numbers, and labels of ticks.

/// A unit: its name and its size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// Its name.
    pub name: &'static str,
    /// Its size, in the unit in which numbers are stored.
    pub worth: f64,
}

const fn unit(name: &'static str, worth: f64) -> Unit {
    Unit { name, worth }
}

const SPANS: [Unit; 5] =
    [unit("s", 1.0), unit("ms", 1e-3), unit("µs", 1e-6), unit("ns", 1e-9), unit("ps", 1e-12)];
const SIZES: [Unit; 4] = [
    unit("GiB", (1_u64 << 30) as f64),
    unit("MiB", (1_u64 << 20) as f64),
    unit("KiB", 1024.0),
    unit("B", 1.0),
];
const RATES: [Unit; 5] =
    [unit("Tbit/s", 1e12), unit("Gbit/s", 1e9), unit("Mbit/s", 1e6), unit("kbit/s", 1e3), unit("bit/s", 1.0)];

/// Largest number on a logarithmic axis that is written out.
const MOST_WRITTEN: f64 = 1e6;

/// The largest unit that is not larger than the number; for zero the base unit.
fn fitting(number: f64, units: &[Unit]) -> Unit {
    let fits =
        |unit: &&Unit| if number > 0.0 { number >= unit.worth } else { (unit.worth - 1.0).abs() < 1e-15 };
    *units.iter().find(fits).unwrap_or(&units[units.len() - 1])
}

/// The unit for spans of time up to the given number of seconds.
pub fn span(seconds: f64) -> Unit {
    fitting(seconds, &SPANS)
}

/// The unit for spans between two numbers of seconds that differ by orders of magnitude: that of the smaller one,
/// unless
/// the larger one would have too many digits.
pub fn spans(least: f64, most: f64) -> Unit {
    let small = fitting(least, &SPANS);
    if most / small.worth < MOST_WRITTEN { small } else { fitting(most / MOST_WRITTEN * 1e3, &SPANS) }
}

/// The unit for sizes up to the given number of bytes.
pub fn size(bytes: f64) -> Unit {
    fitting(bytes, &SIZES)
}

/// The unit for rates up to the given number of bits per second.
pub fn rate(bits: f64) -> Unit {
    fitting(bits, &RATES)
}

/// A size with its unit, to three significant digits.
pub fn sized(bytes: u64) -> String {
    let unit = size(bytes as f64);
    format!("{} {}", digits(bytes as f64 / unit.worth, 3), unit.name)
}

/// A number with up to four significant digits, without trailing zeros.
pub fn plain(number: f64) -> String {
    digits(number, 4)
}

fn digits(number: f64, n_digits: u8) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let magnitude = number.abs().log10().floor();
    let decimals = (f64::from(n_digits) - 1.0 - magnitude).clamp(0.0, 12.0) as usize;
    let text = format!("{number:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_without_zeros_that_say_nothing() {
        let texts = [0.0, 1.0, 0.25, 1e-3, 1234.0, 100_000.0, 2.50, 99.999].map(plain);
        assert_eq!(texts, ["0", "1", "0.25", "0.001", "1234", "100000", "2.5", "100"]);
        assert_eq!([1_000, 1_024, 1_600_000, 12].map(sized), ["1000 B", "1 KiB", "1.53 MiB", "12 B"]);
    }

    #[test]
    fn a_unit_fits_its_numbers() {
        assert_eq!([3.0, 0.5, 2e-5, 4e-13, 0.0].map(|s| span(s).name), ["s", "ms", "µs", "ps", "s"]);
        assert_eq!(spans(2e-6, 0.5).name, "µs");
        assert_eq!(spans(2e-9, 10.0).name, "ms");
        assert_eq!((rate(4e11).name, rate(0.0).name, size(3000.0).name), ("Gbit/s", "bit/s", "KiB"));
    }
}
