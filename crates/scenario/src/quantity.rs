//! Quantities as text: a decimal number with its unit, read and printed exactly.
//!
//! Models: rates in bit/s, sizes in bytes, durations in picoseconds.
//! Leaves out: the use of a quantity, and so its valid range.
//!
//! Invariants: no rounding; a printed quantity is read back as the same number.

use netloom_units::{Bytes, Duration, Rate};

use crate::suggest;

/// The dimension of a quantity, with its units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    /// Bits per second.
    Rate,
    /// Bytes.
    Size,
    /// Picoseconds.
    Duration,
}

/// A unit's name and its number of base units.
type Unit = (&'static str, u64);

const RATES: &[Unit] =
    &[("bps", 1), ("Kbps", 1_000), ("Mbps", 1_000_000), ("Gbps", 1_000_000_000), ("Tbps", 1_000_000_000_000)];

const SIZES: &[Unit] = &[
    ("B", 1),
    ("KB", 1_000),
    ("KiB", 1 << 10),
    ("MB", 1_000_000),
    ("MiB", 1 << 20),
    ("GB", 1_000_000_000),
    ("GiB", 1 << 30),
];

const DURATIONS: &[Unit] =
    &[("ps", 1), ("ns", 1_000), ("us", 1_000_000), ("ms", 1_000_000_000), ("s", 1_000_000_000_000)];

impl Dimension {
    const ALL: [Dimension; 3] = [Dimension::Rate, Dimension::Size, Dimension::Duration];

    /// Its units, smallest first.
    pub fn units(self) -> &'static [Unit] {
        match self {
            Dimension::Rate => RATES,
            Dimension::Size => SIZES,
            Dimension::Duration => DURATIONS,
        }
    }

    /// Its units as text.
    fn choice(self) -> String {
        let names: Vec<&str> = self.units().iter().map(|(name, _)| *name).collect();
        format!("units: {}", suggest::quoted(&names))
    }

    /// The largest value that can be represented; for time, the largest that a scenario may use.
    fn most(self) -> &'static str {
        match self {
            Dimension::Rate => "18446744Tbps",
            Dimension::Size => "17179869183GiB",
            Dimension::Duration => "100 days",
        }
    }

    /// Its name, with an article.
    pub fn name(self) -> &'static str {
        match self {
            Dimension::Rate => "a rate",
            Dimension::Size => "a size",
            Dimension::Duration => "a span of time",
        }
    }

    /// A valid example with this number.
    fn example(self, number: &str) -> String {
        let unit = match self {
            Dimension::Rate => "Gbps",
            Dimension::Size => "KiB",
            Dimension::Duration => "us",
        };
        format!("{number}{unit}")
    }

    /// The likely meaning of a number without a unit: a large one is in the smallest unit.
    fn meant_by(self, number: &str) -> String {
        let digits = number.split('.').next().unwrap_or(number).trim_start_matches('0').len();
        let is_large = match self {
            Dimension::Rate | Dimension::Duration => digits > 6,
            Dimension::Size => digits > 3 || number.parse().is_ok_and(|found: f64| found >= 256.0),
        };
        let (smallest, _) = self.units()[0];
        match number.parse::<u64>() {
            Ok(bytes) if is_large && self == Dimension::Size => {
                let whole = format!("{number}{smallest}");
                let short = print(bytes, self);
                if short == whole { format!("`{whole}`") } else { format!("`{whole}`, which is `{short}`") }
            }
            Ok(_) if is_large => format!("`{number}{smallest}`"),
            _ => format!("`{}`", self.example(number)),
        }
    }

    fn unit(self, name: &str) -> Option<u64> {
        self.units().iter().find(|(known, _)| *known == name).map(|(_, factor)| *factor)
    }
}

/// Why a text is not a quantity of the required dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The error message.
    pub message: String,
    /// A short label under the text.
    pub label: String,
    /// The suggested text.
    pub help: Option<String>,
}

impl Refusal {
    fn new(message: String, label: &str, help: Option<String>) -> Refusal {
        Refusal { message, label: label.to_owned(), help }
    }
}

/// Reads a rate such as `400Gbps`.
///
/// # Errors
/// If the text is not an exact rate.
pub fn rate(text: &str) -> Result<Rate, Refusal> {
    parse(text, Dimension::Rate).map(Rate)
}

/// Reads a size such as `64KiB`.
///
/// # Errors
/// If the text is not an exact size.
pub fn size(text: &str) -> Result<Bytes, Refusal> {
    parse(text, Dimension::Size).map(Bytes)
}

/// Reads a duration such as `1.5us`.
///
/// # Errors
/// If the text is not an exact duration.
pub fn duration(text: &str) -> Result<Duration, Refusal> {
    parse(text, Dimension::Duration).map(Duration)
}

/// Reads a quantity into base units.
///
/// # Errors
/// If the text is not a quantity of this dimension, or not an exact number of base units.
pub fn parse(text: &str, dimension: Dimension) -> Result<u64, Refusal> {
    let unit_at = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = (&text[..unit_at], text[unit_at..].trim_start_matches(' '));
    let Some(digits) = Decimal::parse(number) else {
        return Err(not_a_number(text, dimension));
    };
    let Some(factor) = dimension.unit(unit) else {
        return Err(match unit.chars().next() {
            None => no_unit(text, number, dimension),
            Some('0'..='9') => not_plain(text, dimension),
            Some(',' | '_' | '\'' | 'e' | 'E') if goes_on(unit) => not_plain(text, dimension),
            Some(_) => wrong_unit(number, unit, dimension),
        });
    };
    digits.times(factor).map_err(|loss| out_of_reach(text, &loss, dimension))
}

/// Whether the text in place of a unit continues the number.
fn goes_on(unit: &str) -> bool {
    starts_with_digit(unit[1..].trim_start_matches(['+', '-']))
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

fn not_a_number(text: &str, dimension: Dimension) -> Refusal {
    // Requires a digit: a text of minus signs must not be parsed once for each of them.
    let without_sign = text.strip_prefix('-').filter(|rest| starts_with_digit(rest));
    if without_sign.is_some_and(|rest| Decimal::parse(rest).is_some() || parse(rest, dimension).is_ok()) {
        let label = format!("expected {} that is not negative", dimension.name());
        return Refusal::new(format!("`{text}` is negative"), &label, Some(dimension.choice()));
    }
    let label = format!("expected {} such as `{}`", dimension.name(), dimension.example("4"));
    Refusal::new(format!("`{text}` is not {}", dimension.name()), &label, Some(dimension.choice()))
}

fn no_unit(text: &str, number: &str, dimension: Dimension) -> Refusal {
    let label = format!("expected {}", dimension.name());
    let help = format!("write {}; {}", dimension.meant_by(number), dimension.choice());
    Refusal::new(format!("`{text}` has no unit"), &label, Some(help))
}

/// The error for a number with an exponent, grouped digits or a decimal comma.
fn not_plain(text: &str, dimension: Dimension) -> Refusal {
    let label = format!("expected {} such as `{}`", dimension.name(), dimension.example("1.5"));
    let help = format!("a number is digits and at most one point; {}", dimension.choice());
    Refusal::new(format!("`{text}` is not a plain number with a unit"), &label, Some(help))
}

fn wrong_unit(number: &str, unit: &str, dimension: Dimension) -> Refusal {
    let label = format!("expected {}", dimension.name());
    if let Some(other) = Dimension::ALL.into_iter().find(|other| other.unit(unit).is_some()) {
        let message = format!("`{number}{unit}` is {}, not {}", other.name(), dimension.name());
        return Refusal::new(message, &label, Some(dimension.choice()));
    }
    let plain = || match meant(unit, dimension) {
        Some(name) => format!("write `{number}{name}`; {}", dimension.choice()),
        None => dimension.choice(),
    };
    let help = byte_rate(number, unit, dimension).unwrap_or_else(plain);
    Refusal::new(format!("unknown unit `{unit}`"), &label, Some(help))
}

/// A hint for bytes per second, which is easily confused with bits per second and eight times as much.
fn byte_rate(number: &str, unit: &str, dimension: Dimension) -> Option<String> {
    let size = ["ps", "/s", "/sec"].iter().find_map(|end| unit.strip_suffix(end))?;
    let factor = match Dimension::Size.unit(size) {
        Some(factor) => factor,
        None if size == "kB" => 1_000,
        None if size == "TB" => 1_000_000_000_000,
        None if size == "TiB" => 1 << 40,
        None => return None,
    };
    let bits = Decimal::parse(number)?.times(factor).ok().and_then(|bytes| bytes.checked_mul(8));
    Some(match bits {
        Some(bits) if dimension == Dimension::Rate => {
            let written = like(size, bits).unwrap_or_else(|| print(bits, Dimension::Rate));
            format!("bytes per second; {number} {size}/s is `{written}`; {}", dimension.choice())
        }
        _ => format!("{size}/s counts bytes per second; {}", dimension.choice()),
    })
}

/// Bits per second with the prefix of a unit of bytes, if that is exact.
fn like(size: &str, bits: u64) -> Option<String> {
    let prefix = size.chars().next()?.to_ascii_uppercase();
    let (name, factor) = RATES.iter().find(|(name, _)| name.starts_with(prefix))?;
    decimal(bits, *factor).map(|number| format!("{number}{name}"))
}

fn out_of_reach(text: &str, loss: &Loss, dimension: Dimension) -> Refusal {
    match loss {
        Loss::TooFine => {
            let (base, _) = dimension.units()[0];
            let label = format!("expected a whole number of {base}");
            Refusal::new(format!("`{text}` is finer than netloom counts"), &label, None)
        }
        Loss::TooLarge => {
            let label = format!("expected at most {}", dimension.most());
            Refusal::new(format!("`{text}` is more than netloom can count"), &label, None)
        }
    }
}

/// The unit that another spelling means, if it is unambiguous.
fn meant(unit: &str, dimension: Dimension) -> Option<&'static str> {
    let names = || dimension.units().iter().map(|(name, _)| *name);
    let alias = alias(unit, dimension).filter(|alias| names().any(|name| name == *alias));
    alias.or_else(|| suggest::only_closest(unit, names()))
}

/// Other spellings in common use; some mean another unit in another dimension.
fn alias(unit: &str, dimension: Dimension) -> Option<&'static str> {
    Some(match (dimension, unit) {
        (Dimension::Rate, "b/s" | "bit/s") => "bps",
        (Dimension::Rate, "K" | "k" | "Kb" | "kb" | "Kb/s" | "kb/s" | "kbit/s" | "Kbit/s") => "Kbps",
        (Dimension::Rate, "M" | "Mb" | "Mb/s" | "mb/s" | "Mbit/s") => "Mbps",
        (Dimension::Rate, "G" | "Gb" | "Gb/s" | "gb/s" | "Gbit/s") => "Gbps",
        (Dimension::Rate, "T" | "Tb" | "Tb/s" | "tb/s" | "Tbit/s") => "Tbps",
        (Dimension::Size, "byte" | "bytes" | "b") => "B",
        (Dimension::Size, "K" | "k") => "KiB",
        (Dimension::Size, "M") => "MiB",
        (Dimension::Size, "G") => "GiB",
        (Dimension::Duration, "\u{b5}s" | "\u{3bc}s" | "usec") => "us",
        (Dimension::Duration, "sec" | "second" | "seconds") => "s",
        (Dimension::Duration, "msec") => "ms",
        (Dimension::Duration, "nsec") => "ns",
        _ => return None,
    })
}

/// A decimal number as written: digits times 10^-scale.
struct Decimal {
    digits: u128,
    scale: u32,
}

/// Why a decimal number is not an exact integer.
enum Loss {
    TooFine,
    TooLarge,
}

impl Decimal {
    fn parse(text: &str) -> Option<Decimal> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        if whole.is_empty() || fraction.is_empty() || fraction.contains('.') {
            return None;
        }
        let fraction = fraction.trim_end_matches('0');
        let digits = format!("{}{fraction}", whole.trim_start_matches('0'));
        // More than 38 digits never fit; clamped so that the product below overflows.
        let digits = match digits.as_str() {
            "" => 0,
            long if long.len() > 38 && fraction.len() <= 12 => u128::MAX,
            long if long.len() > 38 => 1,
            fits => fits.parse().ok()?,
        };
        Some(Decimal { digits, scale: fraction.len() as u32 })
    }

    fn times(&self, factor: u64) -> Result<u64, Loss> {
        let Some(divisor) = 10_u128.checked_pow(self.scale) else { return Err(Loss::TooFine) };
        let product = self.digits.checked_mul(u128::from(factor)).ok_or(Loss::TooLarge)?;
        if !product.is_multiple_of(divisor) {
            return Err(Loss::TooFine);
        }
        u64::try_from(product / divisor).map_err(|_| Loss::TooLarge)
    }
}

/// Prints base units in the most readable unit; [`parse`] returns the same number.
pub fn print(value: u64, dimension: Dimension) -> String {
    if value == 0 && dimension == Dimension::Duration {
        return "0s".to_owned();
    }
    let forms = dimension.units().iter().rev().filter_map(|(name, factor)| {
        let text = decimal(value, *factor)?;
        Some(format!("{text}{name}"))
    });
    // The shortest text; among equals the largest unit, which comes first.
    forms.min_by_key(String::len).unwrap_or_else(|| format!("{value}{}", dimension.units()[0].0))
}

/// `value / factor` with at most three decimals, if that is exact and not below one (except zero).
fn decimal(value: u64, factor: u64) -> Option<String> {
    if value < factor && !(value == 0 && factor == 1) {
        return None;
    }
    let thousandths = u128::from(value) * 1_000;
    if !thousandths.is_multiple_of(u128::from(factor)) {
        return None;
    }
    let thousandths = thousandths / u128::from(factor);
    let (whole, rest) = (thousandths / 1_000, thousandths % 1_000);
    if rest == 0 {
        return Some(whole.to_string());
    }
    Some(format!("{whole}.{rest:03}").trim_end_matches('0').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quantities_are_read_exactly() {
        assert_eq!(rate("400Gbps"), Ok(Rate(400_000_000_000)));
        assert_eq!(duration("1.5us"), Ok(Duration(1_500_000)));
        assert_eq!(duration("0s"), Ok(Duration::ZERO));
        assert_eq!(size("64KiB"), Ok(Bytes(65_536)));
        assert_eq!(size("8MB"), Ok(Bytes(8_000_000)));
        assert_eq!(size("0.5 KiB"), Ok(Bytes(512)));
        assert_eq!(duration("1.000000000001s"), Ok(Duration(1_000_000_000_001)));
    }

    #[test]
    fn values_that_would_be_rounded_or_overflow_are_refused() {
        let message = |refused: Result<u64, Refusal>| refused.unwrap_err().message;
        assert_eq!(message(parse("0.5ps", Dimension::Duration)), "`0.5ps` is finer than netloom counts");
        assert_eq!(parse("1.1B", Dimension::Size).unwrap_err().label, "expected a whole number of B");
        assert!(message(parse("99999999999s", Dimension::Duration)).contains("more than"));
        assert!(message(parse(&format!("{}B", "9".repeat(80)), Dimension::Size)).contains("more than"));
        assert!(message(parse(&format!("0.{}1s", "0".repeat(80)), Dimension::Duration)).contains("finer"));
        assert_eq!(message(parse("-1us", Dimension::Duration)), "`-1us` is negative");
        for text in ["", "NaN", "inf", ".5us", "1.us", "1..2us", "1e3us", "us", "1.2.3s", "--1s"] {
            assert!(parse(text, Dimension::Duration).is_err(), "{text}");
        }
    }

    #[test]
    fn a_text_of_minus_signs_is_refused() {
        assert!(parse(&"-".repeat(10_000_000), Dimension::Size).is_err());
    }

    #[test]
    fn the_stated_maximum_is_accepted() {
        assert!(rate("18446744Tbps").is_ok() && rate("18446745Tbps").is_err());
        assert!(size("17179869183GiB").is_ok() && size("17179869184GiB").is_err());
    }

    #[test]
    fn hints_show_the_correct_form_and_the_units() {
        let help = |text, dimension| parse(text, dimension).unwrap_err().help.unwrap();
        let rates = "units: `bps`, `Kbps`, `Mbps`, `Gbps`, `Tbps`";
        for (text, unit) in [("4", "Gbps"), ("4gbps", "Gbps"), ("4Gb/s", "Gbps"), ("4M", "Mbps")] {
            assert_eq!(help(text, Dimension::Rate), format!("write `4{unit}`; {rates}"));
        }
        // Equally far from several units: none of them is suggested.
        assert_eq!(help("4pbps", Dimension::Rate), rates);
        for (text, meant) in [
            ("400GBps", "400 GB/s is `3200Gbps`"),
            ("50GB/s", "50 GB/s is `400Gbps`"),
            ("12.5MB/s", "12.5 MB/s is `100Mbps`"),
            ("1GiB/s", "1 GiB/s is `8589934592bps`"),
            ("1kB/sec", "1 kB/s is `8Kbps`"),
            ("1TBps", "1 TB/s is `8Tbps`"),
        ] {
            assert_eq!(help(text, Dimension::Rate), format!("bytes per second; {meant}; {rates}"));
        }
        assert!(help("4GBps", Dimension::Size).starts_with("GB/s counts bytes per second; units: `B`"));
        assert!(help("4M", Dimension::Size).starts_with("write `4MiB`; units: `B`"));
        assert!(help("4TB", Dimension::Size).starts_with("units: `B`"));
        assert!(help("3\u{b5}s", Dimension::Duration).starts_with("write `3us`; units: `ps`"));
        assert!(help("NaN", Dimension::Duration).starts_with("units: `ps`"));
        let refusal = parse("4us", Dimension::Rate).unwrap_err();
        assert_eq!(refusal.message, "`4us` is a span of time, not a rate");
        assert_eq!(refusal.help.unwrap(), rates);
    }

    #[test]
    fn numbers_in_other_notations_are_refused() {
        for text in ["4e9", "1e-3us", "1,5us", "1 000us", "1_000us", "1'000us"] {
            let refusal = parse(text, Dimension::Duration).unwrap_err();
            assert_eq!(refusal.message, format!("`{text}` is not a plain number with a unit"));
            assert!(refusal.help.unwrap().contains("units: `ps`"));
        }
        assert!(parse("1Eur", Dimension::Duration).unwrap_err().message.contains("unknown unit"));
    }

    #[test]
    fn quantities_are_printed_in_a_readable_unit() {
        let cases = [
            (1_500_000, Dimension::Duration, "1.5us"),
            (10_000_000_000, Dimension::Duration, "10ms"),
            (0, Dimension::Duration, "0s"),
            (65_536_001, Dimension::Duration, "65536001ps"),
            (4_000_000_000, Dimension::Rate, "4Gbps"),
            (65_536, Dimension::Size, "64KiB"),
            (2_000_000_000, Dimension::Size, "2GB"),
            (1_572_864, Dimension::Size, "1.5MiB"),
            (1_000, Dimension::Size, "1KB"),
        ];
        for (value, dimension, text) in cases {
            assert_eq!(print(value, dimension), text);
        }
    }

    proptest! {
        #[test]
        fn printed_quantities_are_read_back(value: u64, shift in 0_u32..64, which in 0_usize..3) {
            let (value, dimension) = (value >> shift, Dimension::ALL[which]);
            prop_assert_eq!(parse(&print(value, dimension), dimension), Ok(value));
        }

        #[test]
        fn no_text_makes_it_panic(text in ".{0,60}", which in 0_usize..3) {
            let _ = parse(&text, Dimension::ALL[which]);
        }
    }
}
