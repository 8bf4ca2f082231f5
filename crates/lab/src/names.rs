//! Names of folders, made from names in scenarios.
//!
//! Invariants: a name is safe on every system: letters, digits and a few other characters, no path, of limited length;
//! two texts that the allowed characters cannot distinguish differ in the hash at the end, and a name without a hash
//! never looks like one with a hash.

use netloom_records::Digest;

/// Other characters allowed in a name.
const SIGNS: &str = "-_.";
/// Other characters allowed in the name of a point: `balance=ecmp,jobs.0.steps=3`.
const SIGNS_OF_POINTS: &str = "-_.=,";
/// Longest name before its hash, in bytes; file systems allow 255.
const LONGEST: usize = 120;
/// Digits of the hash.
const DIGITS: usize = 16;

/// A name with every other character replaced; may be empty.
pub(crate) fn safe_name(name: &str) -> String {
    cleaned(name, SIGNS)
}

/// A name that keeps as much of the text as possible, with a hash at its end where a part is lost.
pub(crate) fn descriptive_name(name: &str) -> String {
    let clean = cleaned(name, SIGNS_OF_POINTS);
    if clean == name && name.len() <= LONGEST && name.is_ascii() && !name.is_empty() {
        return clean;
    }
    hashed_name(name)
}

/// A name that always ends with a hash.
pub(crate) fn hashed_name(name: &str) -> String {
    let clean = cleaned(name, SIGNS_OF_POINTS);
    let shown = &clean[..clean.floor_char_boundary(LONGEST)];
    let digest = Digest::of(name.as_bytes()).to_string();
    format!("{shown}~{}", &digest[..DIGITS])
}

fn cleaned(name: &str, signs: &str) -> String {
    let is_safe = |c: char| c.is_alphanumeric() || signs.contains(c);
    let safe: String = name.chars().map(|c| if is_safe(c) { c } else { '-' }).collect();
    safe.trim_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_stay_as_they_are() {
        for name in ["balance=ecmp", "jobs.0.steps=3,balance=spray", "two_jobs-1.5"] {
            assert_eq!(descriptive_name(name), name);
        }
    }

    #[test]
    fn replaced_characters_are_covered_by_the_hash() {
        let long = "x".repeat(400);
        let names = ["a b", "a/b", "a-b", "..", ".", "", "../../etc", "a~b", "\u{e9}", &long];
        let made: Vec<String> = names.iter().map(|name| descriptive_name(name)).collect();
        for (index, name) in made.iter().enumerate() {
            assert!(!name.is_empty() && name.len() < 160 && !name.contains(['/', ' ']), "{name}");
            assert!(!name.starts_with('.') && !made[..index].contains(name), "{name}");
        }
        assert_eq!(made[2], "a-b");
        assert!(made[0].starts_with("a-b~") && made[1].starts_with("a-b~"));
    }
}
