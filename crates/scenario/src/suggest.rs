//! Hints for misspelled words: the closest known one.
//!
//! Distance counts insertions, deletions, replacements and swaps of neighbours; letter case and `-` against `_` cost
//! nothing. Source: optimal string alignment distance, after Damerau 1964.

/// Above this number of candidates no hint is searched: it would cost more than it helps.
const MOST_CANDIDATES: usize = 20_000;
/// Longest word that a hint is searched for, in characters.
const LONGEST: usize = 64;

/// The known word closest to `word`, if it is close enough; the first one among ties.
pub(crate) fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    ranked(word, known).map(|(found, _)| found)
}

/// The known word closest to `word`, if it is close enough and the only one at that distance.
pub(crate) fn only_closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    ranked(word, known).filter(|(_, is_only)| *is_only).map(|(found, _)| found)
}

/// The closest known word, and whether it is the only one at that distance.
fn ranked<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<(&'a str, bool)> {
    let wanted: Vec<char> = normal(word).take(LONGEST + 1).collect();
    if wanted.len() > LONGEST {
        return None;
    }
    let mut limit = wanted.len().div_ceil(3);
    let longest = 4 * (wanted.len() + limit);
    let (mut best, mut letters, mut rows) = (None, Vec::new(), Rows::default());
    for candidate in known.into_iter().take(MOST_CANDIDATES).filter(|known| known.len() <= longest) {
        letters.clear();
        letters.extend(normal(candidate));
        let Some(far) = rows.distance(&wanted, &letters, limit) else { continue };
        let is_only = best.is_none() || far < limit;
        // The first one found sets the limit to its own distance.
        best = Some(match best {
            Some((first, _)) if !is_only => (first, false),
            _ => (candidate, true),
        });
        limit = far;
    }
    best
}

/// A hint for a misspelled word: the closest known one, or all of them when they are few.
pub fn hint<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let known: Vec<&str> = known.into_iter().take(MOST_CANDIDATES).collect();
    if let Some(found) = closest(word, known.iter().copied()) {
        return Some(format!("did you mean `{found}`?"));
    }
    match known.as_slice() {
        [] => None,
        [one] => Some(format!("the only one known here is `{one}`")),
        few if few.len() <= 20 => Some(format!("known here: {}", quoted(few))),
        many => Some(format!("nearest to it: {}", quoted(&nearest(word, many)))),
    }
}

/// The three known words nearest to one without a close match; a longer word is compared by its beginning.
fn nearest<'a>(word: &str, known: &[&'a str]) -> Vec<&'a str> {
    let wanted: Vec<char> = normal(word).take(LONGEST).collect();
    let (mut letters, mut rows) = (Vec::new(), Rows::default());
    let mut far = |candidate: &&'a str| {
        letters.clear();
        letters.extend(normal(candidate).take(LONGEST));
        rows.distance(&wanted, &letters, 2 * LONGEST).unwrap_or(usize::MAX)
    };
    let mut ranked: Vec<(usize, &str)> = known.iter().map(|candidate| (far(candidate), *candidate)).collect();
    // Among equally near words the first known ones stay first.
    ranked.sort_by_key(|(far, _)| *far);
    ranked.into_iter().take(3).map(|(_, candidate)| candidate).collect()
}

/// Words in backquotes, joined by commas.
pub(crate) fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

fn normal(word: &str) -> impl Iterator<Item = char> {
    word.chars().flat_map(char::to_lowercase).map(|c| if c == '-' { '_' } else { c })
}

/// Three rows of the distance table between prefixes of two words.
#[derive(Default)]
struct Rows {
    before: Vec<usize>,
    above: Vec<usize>,
    row: Vec<usize>,
}

impl Rows {
    /// The distance of two words, if it is within the limit.
    fn distance(&mut self, a: &[char], b: &[char], limit: usize) -> Option<usize> {
        if a.len().abs_diff(b.len()) > limit {
            return None;
        }
        let (a, b) = without_common_ends(a, b);
        let Rows { before, above, row } = self;
        for cells in [&mut *before, &mut *above, &mut *row] {
            cells.clear();
            cells.extend(0..=b.len());
        }
        for i in 1..=a.len() {
            row[0] = i;
            for j in 1..=b.len() {
                let replace = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
                row[j] = replace.min(above[j] + 1).min(row[j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    row[j] = row[j].min(before[j - 2] + 1);
                }
            }
            if row.iter().chain(above.iter()).all(|far| *far > limit) {
                return None;
            }
            std::mem::swap(before, above);
            std::mem::swap(above, row);
        }
        Some(above[b.len()]).filter(|far| *far <= limit)
    }
}

/// Two words without their common prefix and suffix.
fn without_common_ends<'a>(a: &'a [char], b: &'a [char]) -> (&'a [char], &'a [char]) {
    let first = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[first..], &b[first..]);
    let last = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    (&a[..a.len() - last], &b[..b.len() - last])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_mistakes_are_recognized() {
        let known = ["ecmp", "flowlet", "spray", "round_robin", "adaptive"];
        assert_eq!(closest("emcp", known), Some("ecmp"));
        assert_eq!(closest("ECMP", known), Some("ecmp"));
        assert_eq!(closest("round-robin", known), Some("round_robin"));
        assert_eq!(closest("adaptiv", known), Some("adaptive"));
        assert_eq!(closest("letflow", known), None);
    }

    #[test]
    fn of_two_words_equally_close_the_first_is_taken_or_none() {
        assert_eq!(closest("TB", ["B", "KB", "GB"]), Some("B"));
        assert_eq!(only_closest("TB", ["B", "KB", "GB"]), None);
        assert_eq!(only_closest("gbpss", ["bps", "Kbps", "Gbps"]), Some("Gbps"));
        assert_eq!(only_closest("gbps", ["Kbps", "Mbps", "Gbps"]), Some("Gbps"));
    }

    #[test]
    fn many_candidates_cost_little() {
        let names: Vec<String> = (0..200_000).map(|number| format!("leaf{number}-spine3.0")).collect();
        let known = || names.iter().map(String::as_str);
        assert_eq!(closest("laef7-spine3.0", known()), Some("leaf7-spine3.0"));
        assert_eq!(closest(&"leaf".repeat(1_000_000), known()), None);
    }

    #[test]
    fn of_many_words_the_nearest_are_named() {
        let names: Vec<String> = (0..40)
            .map(|number| format!("server{number}.gpu0-inner"))
            .chain((0..4).map(|number| format!("block0.rail{number}-spine0.0")))
            .collect();
        let found = hint("rail2-spine0", names.iter().map(String::as_str)).unwrap();
        assert!(found.starts_with("nearest to it: `block0.rail2-spine0.0`"), "{found}");
    }

    #[test]
    fn few_words_are_listed_when_none_is_close() {
        assert_eq!(hint("x", ["up", "down"]).unwrap(), "known here: `up`, `down`");
    }
}
