//! Numbers for people: rounded, with a unit, with separators of thousands.

/// A duration in seconds, in a suitable unit, with four significant digits.
pub fn span(seconds: f64) -> String {
    scaled(seconds, &[("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9), ("ps", 1e-12)])
}

/// A whole number with separators of thousands.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun, in the plural unless the count is one.
pub fn some(number: u64, noun: &str) -> String {
    let plural = match number {
        1 => "",
        _ if noun.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{} {noun}{plural}", count(number))
}

/// A number in the largest unit that it reaches, with four significant digits; units are given from the largest to the
/// smallest, each with what it is worth.
pub fn scaled(number: f64, units: &[(&str, f64)]) -> String {
    // Zero is shown in the base unit.
    let is_whole = |(_, unit): &&(&str, f64)| *unit >= 1.0;
    let fits = match number {
        0.0 => units.iter().rev().find(is_whole),
        _ => units.iter().find(|(_, unit)| number.abs() >= *unit),
    };
    let (name, unit) = fits.or(units.last()).copied().unwrap_or(("", 1.0));
    format!("{} {name}", self::number(number / unit)).trim_end().to_owned()
}

/// A plain number, with four significant digits, without trailing zeros after the decimal point.
pub fn number(number: f64) -> String {
    let decimals = match number.abs() {
        n if n >= 999.95 => 0,
        n if n >= 99.995 => 1,
        n if n >= 9.9995 => 2,
        _ => 3,
    };
    let text = format!("{number:.decimals$}");
    if decimals == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}
