//! Abbreviates lists of names: `leaf[0-3].host[0-7]` for all 32 hosts, like the host lists of batch systems.
//!
//! Invariants: brackets expand to exactly the names given; other lists are shown by their first and last name, or
//! completely where they are short.

use std::collections::BTreeSet;

/// Most names that are listed completely.
const FEW: usize = 8;
/// Most parts of a list in brackets.
const MOST_PARTS: usize = 8;

/// A name, split into alternating texts and numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parts {
    /// One more than there are numbers.
    pub texts: Vec<String>,
    numbers: Vec<u64>,
}

impl Parts {
    /// Splits a name; digits with leading zeros, such as `007`, are text.
    pub(super) fn of(name: &str) -> Parts {
        let mut parts = Parts { texts: vec![String::new()], numbers: Vec::new() };
        let mut rest = name;
        while !rest.is_empty() {
            let is_digit = rest.starts_with(|c: char| c.is_ascii_digit());
            let end = rest.find(|c: char| c.is_ascii_digit() != is_digit).unwrap_or(rest.len());
            let (piece, after) = rest.split_at(end);
            let number = piece.parse::<u64>().ok().filter(|number| is_digit && number.to_string() == piece);
            match number {
                Some(number) => {
                    parts.numbers.push(number);
                    parts.texts.push(String::new());
                }
                None => parts.texts.last_mut().expect("there is one").push_str(piece),
            }
            rest = after;
        }
        parts
    }
}

/// The names with ranges in brackets if these expand to exactly the names, else the first and the last.
pub fn ranges<'a>(names: impl Iterator<Item = &'a str> + Clone) -> String {
    let count = names.clone().count();
    let Some(first) = names.clone().next() else { return String::new() };
    if count == 1 {
        return first.to_owned();
    }
    bracketed(names.clone(), count).unwrap_or_else(|| {
        if count <= FEW {
            return names.collect::<Vec<_>>().join(", ");
        }
        format!("{first} to {}", names.last().unwrap_or(first))
    })
}

fn bracketed<'a>(names: impl Iterator<Item = &'a str>, count: usize) -> Option<String> {
    let mut texts: Option<Vec<String>> = None;
    let mut values: Vec<BTreeSet<u64>> = Vec::new();
    for name in names {
        let parts = Parts::of(name);
        let known = texts.get_or_insert_with(|| parts.texts.clone());
        if *known != parts.texts {
            return None;
        }
        values.resize(parts.numbers.len(), BTreeSet::new());
        values.iter_mut().zip(parts.numbers).for_each(|(values, number)| {
            values.insert(number);
        });
    }
    let texts = texts?;
    // The number of distinct names equals that of combinations, so all combinations occur.
    let combinations =
        values.iter().try_fold(1_usize, |product, values| product.checked_mul(values.len()))?;
    if combinations != count {
        return None;
    }
    let mut text = texts[0].clone();
    for (values, after) in values.iter().zip(&texts[1..]) {
        text.push_str(&list(values)?);
        text.push_str(after);
    }
    Some(text)
}

/// `7`, `[0-3]`, `[0,4,8]`, `[0-2,5]`.
fn list(values: &BTreeSet<u64>) -> Option<String> {
    let mut parts: Vec<(u64, u64)> = Vec::new();
    for &value in values {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == value => *last = value,
            _ => parts.push((value, value)),
        }
    }
    if parts.len() > MOST_PARTS {
        return None;
    }
    let part = |(first, last): &(u64, u64)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    let text = parts.iter().map(part).collect::<Vec<_>>().join(",");
    Some(if values.len() == 1 { text } else { format!("[{text}]") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_ranges(names: &[&str], expected: &str) {
        assert_eq!(ranges(names.iter().copied()), expected);
    }

    #[test]
    fn brackets_expand_to_all_combinations() {
        assert_ranges(&["leaf0.host0", "leaf0.host1", "leaf1.host0", "leaf1.host1"], "leaf[0-1].host[0-1]");
        assert_ranges(&["leaf0", "leaf1", "leaf2", "leaf7"], "leaf[0-2,7]");
        assert_ranges(&["core0.0", "core1.0"], "core[0-1].0");
        assert_ranges(&["a1b", "a2b"], "a[1-2]b");
    }

    #[test]
    fn names_that_are_not_all_combinations_are_not_in_brackets() {
        assert_ranges(&["leaf0.host0", "leaf1.host1"], "leaf0.host0, leaf1.host1");
        assert_ranges(&["left", "right"], "left, right");
        assert_ranges(&["only"], "only");
        assert_ranges(&[], "");
        assert_ranges(&["n01", "n02"], "n01, n02");
        let scattered: Vec<String> = (0..20).map(|number| format!("n{}", number * number)).collect();
        let scattered: Vec<&str> = scattered.iter().map(String::as_str).collect();
        assert_ranges(&scattered, "n0 to n361");
    }
}
