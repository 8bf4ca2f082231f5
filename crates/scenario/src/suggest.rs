//! Hints for misspelled words: the closest known one.
//!
//! Distance counts insertions, deletions, replacements and swaps of neighbours; letter case and `-` against `_` cost
//! nothing. Source: optimal string alignment distance, after Damerau 1964.

/// Above this many candidates no hint is searched: it would cost more than it helps.
const MOST_CANDIDATES: usize = 100_000;

/// The known word closest to `word`, if one is close enough to be meant.
pub(crate) fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = normal(word);
    if wanted.len() > 64 {
        return None;
    }
    let limit = (wanted.len() / 3).max(1);
    known
        .into_iter()
        .take(MOST_CANDIDATES)
        .filter(|candidate| candidate.len().abs_diff(word.len()) <= 2 * limit)
        .map(|candidate| (distance(&wanted, &normal(candidate)), candidate))
        .filter(|(far, _)| *far <= limit)
        .min_by_key(|(far, _)| *far)
        .map(|(_, candidate)| candidate)
}

/// A hint for a misspelled word: the closest known one, or all of them when they are few.
pub(crate) fn hint<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let known: Vec<&str> = known.into_iter().take(MOST_CANDIDATES).collect();
    if let Some(found) = closest(word, known.iter().copied()) {
        return Some(format!("did you mean `{found}`?"));
    }
    match known.as_slice() {
        [] => None,
        [one] => Some(format!("the only one known here is `{one}`")),
        few if few.len() <= 16 => Some(format!("known here: {}", quoted(few))),
        many => Some(format!("known here: {}, ...", quoted(&many[..6]))),
    }
}

/// Words in backquotes, joined by commas.
pub(crate) fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

fn normal(word: &str) -> Vec<char> {
    word.chars().flat_map(char::to_lowercase).map(|c| if c == '-' { '_' } else { c }).collect()
}

fn distance(a: &[char], b: &[char]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replace = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replace.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
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
    fn few_words_are_listed_when_none_is_close() {
        assert_eq!(hint("x", ["up", "down"]).unwrap(), "known here: `up`, `down`");
    }
}
