//! The nodes of a run: `allocations.csv`.
//!
//! Models: labels of runs (the victim, then the aggressor, then pause and length of its bursts in seconds); lists of
//! node numbers with ranges; host names of the three machines.
//! Leaves out: the order of ranks, which is that of the node numbers.
//!
//! Invariants: an allocation has as many hosts as its run has nodes, each host once.

use std::collections::{BTreeMap, BTreeSet};

use netloom_records::Allocation;

use super::digest::nodes;
use super::jobs::Job;
use super::{AGGRESSORS, VICTIMS};
use crate::cells::{NONE, is_name};
use crate::import::sheet::{Line, MOST_HOSTS, SECOND, Sheet, time};

/// The columns.
pub(super) const COLUMNS: [&str; 5] = ["system", "nodes", "run", "prefix", "node_numbers"];

/// Digits of node numbers by prefix (Leonardo, CRESCO8, LUMI); those of other prefixes are not padded.
const DIGITS: [(&str, usize); 3] = [("lrdn", 4), ("cresco8x", 3), ("nid", 6)];

/// Parts of labels, in the order of the collectives.
const OF_VICTIMS: [&str; 2] = ["All-Gather", "All-to-All"];
const OF_AGGRESSORS: [&str; 2] = ["A2A-Congested", "Inc-Congested"];

/// A parsed label.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Label {
    victim: usize,
    aggressor: Option<usize>,
    /// Length and pause in ps.
    bursts: Option<[u64; 2]>,
}

/// All allocations of a table, each with its system.
pub(super) fn read(sheet: &mut Sheet<'_>) -> Vec<(String, Allocation)> {
    let mut seen: BTreeMap<(String, u32, Label), usize> = BTreeMap::new();
    let mut found = Vec::new();
    for line in sheet.lines() {
        let (system, _) = sheet.cell(&line, "system");
        if !is_name(system) {
            sheet.wrong(
                &line,
                "system",
                format!("`{system}` is not a valid name"),
                "letters, digits, `-`, `_` and `.`",
            );
        }
        let nodes = nodes(sheet, &line);
        let label = label(sheet.cell(&line, "run").0);
        if label.is_none() {
            let (text, _) = sheet.cell(&line, "run");
            let expected = "`All-Gather` or `All-to-All`, then `A2A-Congested` or `Inc-Congested`, then pause and length";
            sheet.wrong(&line, "run", format!("`{text}` is not a label"), expected);
        }
        let hosts = hosts(sheet, &line);
        let (Some(nodes), Some(label), Some(hosts)) = (nodes, label, hosts) else { continue };
        if hosts.len() != nodes as usize {
            let what = format!("the list has {} nodes", hosts.len());
            sheet.wrong(&line, "node_numbers", what, &format!("{nodes} nodes"));
            continue;
        }
        if let Some(before) = seen.insert((system.to_owned(), nodes, label.clone()), line.number) {
            sheet.wrong(&line, "run", format!("this run is also in line {before}"), "each run once");
            continue;
        }
        let aggressor = label.aggressor.map_or(NONE, |nth| AGGRESSORS[nth].1);
        let allocation = Allocation {
            victim: Some(VICTIMS[label.victim].1.to_owned()),
            aggressor: Some(aggressor.to_owned()),
            bursts: label.bursts,
            hosts,
        };
        found.push((system.to_owned(), allocation));
    }
    found
}

/// Whether a label of this form contradicts the programs of its job; other labels contradict nothing.
pub(super) fn contradicts(text: &str, job: &Job) -> bool {
    let Some(label) = label(text) else { return false };
    let aggressor = job.aggressor.as_ref();
    let bursts = aggressor.and_then(|found| found.bursts).map(|bursts| bursts.map(|span| span.0));
    let collective = label.aggressor.map(|nth| AGGRESSORS[nth].1);
    job.victims.iter().any(|victim| victim.collective != VICTIMS[label.victim].1)
        || collective != aggressor.map(|found| found.collective.as_str())
        || label.bursts != bursts
}

fn label(text: &str) -> Option<Label> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let of = |known: [&str; 2], word: &str| known.iter().position(|one| *one == word);
    let seconds = |word: &str| time(word, SECOND).map(|span| span.0);
    let (victim, aggressor, bursts) = match words.as_slice() {
        [victim] => (victim, None, None),
        [victim, aggressor] => (victim, Some(aggressor), None),
        [victim, aggressor, pause, burst] => {
            (victim, Some(aggressor), Some([seconds(burst)?, seconds(pause)?]))
        }
        _ => return None,
    };
    let aggressor = match aggressor {
        Some(word) => Some(of(OF_AGGRESSORS, word)?),
        None => None,
    };
    Some(Label { victim: of(OF_VICTIMS, victim)?, aggressor, bursts })
}

/// Names of hosts in the order of their numbers.
fn hosts(sheet: &mut Sheet<'_>, line: &Line<'_>) -> Option<Vec<String>> {
    let (prefix, _) = sheet.cell(line, "prefix");
    if !is_name(prefix) {
        sheet.wrong(
            line,
            "prefix",
            format!("`{prefix}` is not a valid prefix of a name"),
            "letters, digits, `-`, `_` and `.`",
        );
        return None;
    }
    let (text, _) = sheet.cell(line, "node_numbers");
    match numbers(text) {
        Ok(numbers) => {
            let digits = DIGITS.iter().find(|(known, _)| *known == prefix).map_or(0, |found| found.1);
            Some(numbers.into_iter().map(|number| format!("{prefix}{number:0digits$}")).collect())
        }
        Err(reason) => {
            sheet.wrong(line, "node_numbers", reason, "numbers and ranges, as in `1 4-7 12`");
            None
        }
    }
}

fn numbers(text: &str) -> Result<BTreeSet<u64>, String> {
    let mut found = BTreeSet::new();
    for word in text.split_whitespace() {
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        let read =
            |text: &str| text.parse::<u64>().map_err(|_| format!("`{word}` is neither a number nor a range"));
        let (first, last) = (read(first)?, read(last)?);
        if first > last || last - first >= MOST_HOSTS {
            return Err(format!("`{word}` is not a range"));
        }
        for number in first..=last {
            if !found.insert(number) {
                return Err(format!("{number} occurs twice"));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_contain_victim_aggressor_and_bursts() {
        let steady = Label { victim: 1, aggressor: Some(0), bursts: None };
        assert_eq!(label("All-to-All A2A-Congested"), Some(steady));
        let bursty = Label { victim: 0, aggressor: Some(1), bursts: Some([1_000_000_000, 1_000_000]) };
        assert_eq!(label("All-Gather Inc-Congested 0.000001 0.001"), Some(bursty));
        assert_eq!(label("All-Gather"), Some(Label { victim: 0, aggressor: None, bursts: None }));
        for text in ["", "All-Reduce", "All-Gather A2A", "All-Gather A2A-Congested 1", "All-Gather x 1 2"] {
            assert_eq!(label(text), None, "{text}");
        }
    }

    #[test]
    fn ranges_are_expanded() {
        let found: Vec<u64> = numbers("12 4-6").expect("they are right").into_iter().collect();
        assert_eq!(found, [4, 5, 6, 12]);
        for text in ["1 1", "3-1", "x", "0-99999999999", "-5"] {
            assert!(numbers(text).is_err(), "{text}");
        }
    }
}
