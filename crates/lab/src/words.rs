//! Numbers as people read them: rounded, with a unit, with thousands set apart.
//!
//! Leaves out: exact quantities, which the scenario crate prints.

use netloom_units::{Duration, Time};

/// A span in seconds, in the unit that fits, with four digits that count.
pub fn span(seconds: f64) -> String {
    scaled(seconds, &[("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9), ("ps", 1e-12)])
}

/// Exact spans in microseconds, all with as many decimals as the finest of them needs, so that sums can be followed.
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

/// A simulated span.
pub fn duration(duration: Duration) -> String {
    span(duration.as_seconds())
}

/// A simulated instant.
pub fn time(time: Time) -> String {
    span(time.as_seconds())
}

/// Bytes per second as bits per second.
pub fn bandwidth(bytes_per_second: f64) -> String {
    let units = [("Tbps", 1e12), ("Gbps", 1e9), ("Mbps", 1e6), ("Kbps", 1e3), ("bps", 1.0)];
    scaled(bytes_per_second * 8.0, &units)
}

/// Bytes.
pub fn size(bytes: f64) -> String {
    let mib = f64::from(1 << 20);
    scaled(bytes, &[("GiB", mib * 1024.0), ("MiB", mib), ("KiB", 1024.0), ("B", 1.0)])
}

/// A number of things, in millions where there are many.
pub fn amount(number: f64) -> String {
    scaled(number, &[("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1.0)])
}

/// A whole number with its thousands set apart.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun, in the plural unless there is one.
pub fn some(number: u64, noun: &str) -> String {
    let plural = match number {
        1 => "",
        _ if noun.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{} {noun}{plural}", count(number))
}

/// A share of one.
pub fn percent(share: f64) -> String {
    format!("{} %", significant(share * 100.0))
}

/// What a value has changed to, compared with the first one.
pub fn change(ratio: f64) -> String {
    format!("{:+.1} %", (ratio - 1.0) * 100.0)
}

fn scaled(number: f64, units: &[(&str, f64)]) -> String {
    let fits = units.iter().find(|(_, unit)| number.abs() >= *unit).or(units.last());
    let (name, unit) = fits.copied().unwrap_or(("", 1.0));
    if number == 0.0 {
        return format!("0 {}", units[0].0).trim_end().to_owned();
    }
    format!("{} {name}", significant(number / unit)).trim_end().to_owned()
}

/// Four digits that count, without trailing zeros behind the point.
fn significant(number: f64) -> String {
    let decimals = match number.abs() {
        n if n >= 999.95 => 0,
        n if n >= 99.995 => 1,
        n if n >= 9.9995 => 2,
        _ => 3,
    };
    let text = format!("{number:.decimals$}");
    if decimals == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(span(0.047_531), "47.53 ms");
        assert_eq!(span(10.001), "10 s");
        assert_eq!(span(1.5e-6), "1.5 us");
        assert_eq!(span(0.0), "0 s");
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
}
