//! Formats numbers for people: rounded, with a unit, with separators of thousands; and escapes control characters.
//!
//! Leaves out: exact quantities (crate `netloom-scenario`).

pub use netloom_records::csv::quoted as csv_cell;
use std::borrow::Cow;
use std::fmt::Write;

use netloom_report::words::scaled;
pub use netloom_report::words::{count, number, some, span};
use netloom_units::steers;
use netloom_units::{Duration, Time};

/// Exact durations in microseconds, all with the number of decimals that the finest of them needs, so that sums can be
/// verified.
pub fn exact_micros(picoseconds: &[u64]) -> Vec<String> {
    let fine = (0..=6).find(|&decimals| picoseconds.iter().all(|ps| ps % 10_u64.pow(6 - decimals) == 0));
    let decimals = fine.unwrap_or(6) as usize;
    let text = |ps: &u64| {
        let digits = format!("{:06}", ps % 1_000_000);
        let point = if decimals == 0 { "" } else { "." };
        format!("{}{point}{}", count(ps / 1_000_000), &digits[..decimals])
    };
    picoseconds.iter().map(text).collect()
}

/// A simulated duration.
pub fn duration(duration: Duration) -> String {
    span(duration.as_seconds())
}

/// A simulated instant.
pub fn time(time: Time) -> String {
    span(time.as_seconds())
}

/// Bytes per second as bits per second.
pub fn bandwidth(bytes_per_second: f64) -> String {
    bit_rate(bytes_per_second * 8.0)
}

/// Bytes per second, as in benchmarks of collectives.
pub fn bytes_per_second(number: f64) -> String {
    scaled(number, &[("GB/s", 1e9), ("MB/s", 1e6), ("KB/s", 1e3), ("B/s", 1.0)])
}

/// Bits per second.
pub fn bit_rate(bits_per_second: f64) -> String {
    scaled(bits_per_second, &[("Tbps", 1e12), ("Gbps", 1e9), ("Mbps", 1e6), ("Kbps", 1e3), ("bps", 1.0)])
}

/// Most steps that a sentence lists.
const MOST_STEPS: usize = 6;

/// Steps by their numbers; of many the first and the last.
pub fn steps(numbers: &[u32]) -> String {
    let texts: Vec<String> = numbers.iter().map(|number| count((*number).into())).collect();
    match texts.as_slice() {
        [one] => format!("step {one}"),
        [first, .., last] if texts.len() > MOST_STEPS => {
            format!("{} from {first} to {last}", some(texts.len() as u64, "step"))
        }
        texts => format!("steps {}", texts.join(", ")),
    }
}

/// Bytes.
pub fn size(bytes: f64) -> String {
    let mib = f64::from(1 << 20);
    scaled(bytes, &[("GiB", mib * 1024.0), ("MiB", mib), ("KiB", 1024.0), ("B", 1.0)])
}

/// A count, abbreviated to thousands, millions and so on.
pub fn amount(number: f64) -> String {
    scaled(number, &[("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1.0)])
}

/// A text without characters that move the cursor, change colours or reverse the direction of writing: these are
/// replaced by escapes with their numbers.
pub fn harmless(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) {
            let _ = write!(clean, "{}", c.escape_default());
        } else {
            clean.push(c);
        }
    }
    Cow::Owned(clean)
}

/// The same JSON without control characters; outside of strings it has none except line ends.
pub fn harmless_json(json: &str) -> Cow<'_, str> {
    let bad = |c: char| steers(c) && c != '\n';
    if !json.contains(bad) {
        return Cow::Borrowed(json);
    }
    let mut clean = String::with_capacity(json.len());
    for c in json.chars() {
        if bad(c) {
            // All of them have a code of at most four hexadecimal digits.
            let _ = write!(clean, "\\u{:04x}", u32::from(c));
        } else {
            clean.push(c);
        }
    }
    Cow::Owned(clean)
}

/// A text of at most `most` characters: of a longer one, its beginning and its end.
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    const BETWEEN: &str = "...";
    let length = text.chars().count();
    if length <= most {
        return Cow::Borrowed(text);
    }
    let kept = most.saturating_sub(BETWEEN.len());
    let index = |nth: usize| text.char_indices().nth(nth).map_or(text.len(), |(index, _)| index);
    let (head, tail) = (&text[..index(kept - kept / 3)], &text[index(length - kept / 3)..]);
    Cow::Owned([head, BETWEEN, tail].concat())
}

/// A share, as a percentage.
pub fn percent(share: f64) -> String {
    format!("{} %", number(share * 100.0))
}

/// The relative change of a value from the first one.
pub fn change(ratio: f64) -> String {
    format!("{:+.1} %", (ratio - 1.0) * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_with_a_unit() {
        assert_eq!(span(0.047_531), "47.53 ms");
        assert_eq!(span(10.001), "10 s");
        assert_eq!(span(1.5e-6), "1.5 us");
        assert_eq!(span(0.0), "0 s");
        assert_eq!([size(0.0), bandwidth(0.0), amount(0.0)], ["0 B", "0 bps", "0"]);
        assert_eq!(span(1234.0), "1234 s");
        assert_eq!(exact_micros(&[1_234_567_000_000, 80_000]), ["1,234,567.00", "0.08"]);
        assert_eq!(exact_micros(&[1, 2_000_000]), ["0.000001", "2.000000"]);
        assert_eq!(exact_micros(&[3_000_000]), ["3"]);
        assert_eq!(bandwidth(12.5e9), "100 Gbps");
        assert_eq!(size(65_536.0), "64 KiB");
        assert_eq!(amount(25_495_692.0), "25.5 M");
        assert_eq!(count(25_495_692), "25,495,692");
        assert_eq!(count(999), "999");
        assert_eq!(some(1, "packet"), "1 packet");
        assert_eq!(some(0, "host") + ", " + &some(2, "switch"), "0 hosts, 2 switches");
        assert_eq!(percent(0.123_456), "12.35 %");
        assert_eq!(change(1.234), "+23.4 %");
        assert_eq!(change(0.5), "-50.0 %");
    }

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(harmless("plain \u{e9}"), "plain \u{e9}");
        assert_eq!(harmless("a\u{1b}[31mb\n\u{202e}c\u{9b}"), "a\\u{1b}[31mb\\n\\u{202e}c\\u{9b}");
        let text = "a\u{7f}\u{202e}\u{1b}";
        let json = serde_json::to_string_pretty(&[text]).expect("it is JSON");
        let clean = harmless_json(&json);
        assert!(clean.starts_with("[\n") && !clean.contains(|c| steers(c) && c != '\n'), "{clean}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&clean).expect("it still is"), [text]);
    }

    #[test]
    fn a_long_text_keeps_both_ends() {
        assert_eq!(shortened("abc", 3), "abc");
        assert_eq!(shortened("abcdefghijklmnop", 12), "abcdef...nop");
        assert_eq!(shortened(&"\u{e9}".repeat(1_000), 10).chars().count(), 10);
    }
}
