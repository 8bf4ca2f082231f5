//! The words of the project: the glossary is in order, and retired words disappear.
//!
//! Retired words are counted, in identifiers, strings and comments by crate and in pages by folder, and the counts are
//! stored here: a change may lower them, and must then lower the stored ones, but not raise them. A crate or folder
//! without an entry has none left. Strings include help and messages. Fewer words are retired there and on pages than in
//! identifiers, since many are ordinary English.

use std::collections::{BTreeMap, BTreeSet};

use crate::source;
use crate::tree::{self, Text};

/// Parts of identifiers that are no longer used.
const RETIRED_PARTS: [&str; 46] = [
    "appetite",
    "aside",
    "bless",
    "blessed",
    "careful",
    "crew",
    "desk",
    "entropies",
    "fullest",
    "guest",
    "guests",
    "hall",
    "hear",
    "heard",
    "hears",
    "hungry",
    "meeting",
    "moment",
    "moments",
    "ours",
    "place",
    "places",
    "referee",
    "seat",
    "seated",
    "seats",
    "settle",
    "settled",
    "settles",
    "spell",
    "spells",
    "standing",
    "stir",
    "stirred",
    "stood",
    "stories",
    "story",
    "tell",
    "telling",
    "tells",
    "told",
    "usual",
    "watchman",
    "way",
    "ways",
    "whoever",
];

/// Words of strings, comments and pages that are no longer used.
const RETIRED_WORDS: [&str; 21] = [
    "appetite", "blessed", "fullest", "heard", "hears", "hungry", "nobody", "ours", "referee", "seat",
    "seats", "somebody", "stood", "tell", "telling", "tells", "told", "way", "ways", "whoever", "hear",
];

/// Identifiers that keep such a part, and the reason.
const EXCEPTIONS: [(&str, &str); 3] = [
    ("half_way", "the English adverb"),
    ("out_of_place", "of operations, as against in place"),
    ("its_places", "of a page of the glossary: files and lines"),
];

/// Phrases of strings, comments and pages that contain such a word, and the reason.
const PHRASES: [(&str, &str); 2] =
    [("each way", "in each direction of a link"), ("alf way", "the English adverb")];

/// Files with the words themselves: this list, and former names of keys.
const LISTS: [&str; 3] = [
    "crates/testkit/tests/tidy/words.rs",
    "crates/records/src/manifest.rs",
    "crates/records/tests/it/earlier.rs",
];

/// Retired parts of identifiers left, by crate.
const LEFT_IN_CODE: [(&str, usize); 0] = [];

/// Retired words left in strings and comments, by crate.
const LEFT_IN_TEXTS: [(&str, usize); 0] = [];

/// Retired words left in pages, by folder or page.
const LEFT_IN_PAGES: [(&str, usize); 0] = [];

/// The page itself, and pages that give the names of earlier versions.
const NOT_COUNTED: [&str; 2] = ["docs/glossary.md", "CHANGELOG.md"];

#[test]
fn retired_words_go_out_of_use() {
    let mut complaints = Vec::new();
    compare("identifiers of crate", &in_code(), &LEFT_IN_CODE, &mut complaints);
    compare("strings and comments of crate", &in_texts(), &LEFT_IN_TEXTS, &mut complaints);
    compare("pages below", &in_pages(), &LEFT_IN_PAGES, &mut complaints);
    tree::refuse(
        "Retired words (docs/glossary.md has those to use) are counted in tidy/words.rs:",
        &complaints,
    );
}

fn compare(
    what: &str,
    counts: &BTreeMap<String, usize>,
    left: &[(&str, usize)],
    complaints: &mut Vec<String>,
) {
    let stored: BTreeMap<&str, usize> = left.iter().copied().collect();
    let names = counts.keys().map(String::as_str).chain(stored.keys().copied());
    let names: BTreeSet<&str> = names.collect();
    for name in names {
        let count = counts.get(name).copied().unwrap_or(0);
        let stored = stored.get(name).copied().unwrap_or(0);
        if count > stored {
            complaints.push(format!("{what} {name}: {count} uses, {stored} before: use other words"));
        } else if count < stored {
            complaints.push(format!("{what} {name}: {count} uses, {stored} before: lower the stored count"));
        }
    }
}

/// Uses of retired parts in the identifiers of each crate.
fn in_code() -> BTreeMap<String, usize> {
    count_by_crate(|text| {
        let code = source::blank(&text.text);
        let identifiers = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        identifiers.filter(|name| is_retired(name)).count()
    })
}

/// Uses of retired words in the strings and comments of each crate.
fn in_texts() -> BTreeMap<String, usize> {
    count_by_crate(|text| {
        let is_list = LISTS.contains(&text.path.as_str());
        if is_list { 0 } else { n_retired_words(&outside_code(&text.text)) }
    })
}

fn count_by_crate(count: impl Fn(&Text) -> usize) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for text in tree::texts_below("crates/", ".rs") {
        let n_found = count(&text);
        if n_found > 0 {
            let name = text.path.split('/').nth(1).expect("it is below crates/").to_string();
            *counts.entry(name).or_insert(0) += n_found;
        }
    }
    counts
}

/// The comments of a source and the insides of its strings.
fn outside_code(text: &str) -> String {
    let code = source::blank(text);
    text.chars().zip(code.chars()).map(|(c, code)| if c == code { ' ' } else { c }).collect()
}

fn n_retired_words(text: &str) -> usize {
    let text = PHRASES.iter().fold(text.to_owned(), |text, (phrase, _)| text.replace(phrase, ""));
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
    words.filter(|word| RETIRED_WORDS.contains(&word.to_ascii_lowercase().as_str())).count()
}

fn is_retired(identifier: &str) -> bool {
    let is_exception = EXCEPTIONS.iter().any(|(name, _)| identifier.contains(name));
    !is_exception && parts(identifier).iter().any(|part| RETIRED_PARTS.contains(&part.as_str()))
}

/// The words of an identifier, in lower case.
fn parts(identifier: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut before = ' ';
    for c in identifier.chars() {
        if c == '_' || (c.is_ascii_uppercase() && before.is_ascii_lowercase()) {
            parts.push(String::new());
        }
        if c != '_' {
            parts.last_mut().expect("it began with one").push(c.to_ascii_lowercase());
        }
        before = c;
    }
    parts
}

/// Uses of retired words in pages, code left out.
fn in_pages() -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let pages = ["docs/", "papers/", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];
    for Text { path, text } in tree::texts_below("", ".md") {
        let Some(folder) = pages.iter().find(|folder| path.starts_with(**folder)) else { continue };
        if NOT_COUNTED.contains(&path.as_str()) {
            continue;
        }
        let retired = n_retired_words(&prose(&text));
        if retired > 0 {
            *counts.entry((*folder).to_string()).or_insert(0) += retired;
        }
    }
    counts
}

/// A page without the text in backticks and fences.
fn prose(page: &str) -> String {
    let outside = page.split("```").step_by(2);
    outside.flat_map(|text| text.split('`').step_by(2)).collect::<Vec<_>>().join(" ")
}

/// The rows of the table of terms: the cells of each.
fn terms(page: &str) -> Vec<Vec<String>> {
    let rows = page.lines().skip_while(|line| !line.starts_with("| term |")).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split('|').map(|cell| cell.trim().to_string()).collect()).collect()
}

#[test]
fn the_glossary_is_in_order_and_its_places_exist() {
    let page = tree::read("docs/glossary.md");
    let schema = tree::read("docs/scenario.schema.json");
    let terms = terms(&page);
    let mut complaints = Vec::new();
    assert!(terms.len() > 40, "{} terms", terms.len());
    let first = |term: &Vec<String>| term[0].to_ascii_lowercase();
    for pair in terms.windows(2).filter(|pair| first(&pair[0]) > first(&pair[1])) {
        complaints.push(format!("{} comes before {}", pair[0][0], pair[1][0]));
    }
    for term in &terms {
        let [name, _, key, code, _] = term.as_slice() else {
            complaints.push(format!("{}: {} cells", term[0], term.len()));
            continue;
        };
        let key = key.trim_matches('`');
        if !key.is_empty() && !schema.contains(&format!("\"{key}\"")) {
            complaints.push(format!("{name}: there is no key {key}"));
        }
        if let Some((identifier, path)) = code.split_once("](../").map(|(left, right)| {
            (left.trim_start_matches("[`").trim_end_matches('`'), right.trim_end_matches(')'))
        }) && !source::blank(&tree::read(path)).contains(identifier)
        {
            complaints.push(format!("{name}: there is no {identifier} in {path}"));
        }
    }
    tree::refuse("The glossary is alphabetical, and what it names exists:", &complaints);
}

#[test]
fn every_concept_page_links_to_the_glossary() {
    let pages = tree::texts_below("docs/concepts/", ".md");
    let without = pages.iter().filter(|page| !page.text.contains("](../glossary.md)"));
    let complaints: Vec<String> = without.map(|page| page.path.clone()).collect();
    tree::refuse("A concept page links to the glossary:", &complaints);
}

#[test]
fn identifiers_are_split_into_their_words() {
    assert_eq!(parts("is_told"), ["is", "told"]);
    assert_eq!(parts("PortIntervals"), ["port", "intervals"]);
    assert!(
        is_retired("tell_sender") && is_retired("Seat") && !is_retired("half_way") && !is_retired("always")
    );
}
