//! Common parts of the importers of collective benchmarks: options, lines with their locations, cells of the victim in
//! isolation.
//!
//! Models: one run for all files; lines that are left out, counted by reason.
//! Leaves out: all formats.
//!
//! Invariants: each combination of collective, number of ranks and size occurs once; every line left out is reported.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use netloom_records::{Allocation, Measured};
use netloom_scenario::Location;
use netloom_scenario::foreign::Foreign;
use netloom_units::{Bytes, Duration};

use super::ImportError;
use super::measured::{Measurements, Seen};
use super::sheet::MOST_HOSTS;
use crate::cells::{At, Cell, CellRun, NONE};
use crate::words;

/// Options of the command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Number of ranks, if the text does not contain it.
    pub ranks: Option<u32>,
    /// The collective, instead of that of the text.
    pub collective: Option<String>,
    /// Name of the run.
    pub system: Option<String>,
    /// Names of the hosts, in the order of ranks.
    pub hosts: Vec<String>,
}

/// One line of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Its number, from 1.
    pub number: usize,
    /// Without its line end.
    pub text: &'a str,
    pub location: Location,
}

/// A result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub collective: String,
    pub ranks: u32,
    /// The size as studies state it.
    pub size: Bytes,
    pub mean: Duration,
    /// Number of iterations; zero if it is not stated.
    pub steps: u32,
}

/// Why a line yields no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wrong {
    /// What is wrong, and what was expected.
    Mistake(String, String),
    Left(Left),
}

/// Why a line is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Left {
    /// The benchmark found wrong data.
    WrongResult,
    /// The message size is zero.
    Empty,
    /// There is no time.
    NoTime,
    /// It is not output of the benchmark.
    Noise,
}

impl Left {
    fn words(self) -> &'static str {
        match self {
            Left::WrongResult => "the benchmark found WRONG RESULTS",
            Left::Empty => "the message size is zero",
            Left::NoTime => "there is no time",
            Left::Noise => "they are not output of the benchmark",
        }
    }
}

/// Everything read so far.
#[derive(Debug)]
pub(super) struct Benchmarks<'a> {
    options: &'a Options,
    cells: Vec<Cell>,
    seen: Seen,
    left: BTreeMap<Left, u64>,
    facts: BTreeMap<String, BTreeSet<String>>,
    hosts: Vec<String>,
}

impl<'a> Benchmarks<'a> {
    pub fn new(options: &'a Options) -> Benchmarks<'a> {
        Benchmarks {
            options,
            cells: Vec::new(),
            seen: Seen::default(),
            left: BTreeMap::new(),
            facts: BTreeMap::new(),
            hosts: options.hosts.clone(),
        }
    }

    /// Adds a result; the error states where it was found before.
    pub fn add(&mut self, row: Row, location: &str) -> Result<(), String> {
        let at = At { nodes: 2 * row.ranks, victim: row.collective, aggressor: None, size: row.size };
        if let Some(before) = self.seen.add("", &at, location.to_owned()) {
            return Err(format!("{} with this size and number of ranks is also in {before}", at.victim));
        }
        self.cells.push(Cell {
            at,
            mean: row.mean,
            half_interval: None,
            median: None,
            steps: row.steps,
            warm_up: 0,
            baseline: None,
        });
        Ok(())
    }

    /// Adds the result of parsing a line: a result, a mistake to report at its location, or a line to leave out.
    pub fn take(&mut self, row: Result<Row, Wrong>, line: Line<'_>, name: &str, foreign: &mut Foreign) {
        let number = line.number;
        match row {
            Ok(row) => {
                if let Err(message) = self.add(row, &format!("line {number} of {name}")) {
                    foreign.report(line.location, message, "each collective and size once", None);
                }
            }
            Err(Wrong::Mistake(message, expected)) => {
                let message = format!("line {number}: {message}");
                foreign.report(line.location, message, &format!("expected {expected}"), None);
            }
            Err(Wrong::Left(left)) => self.leave_out(left),
        }
    }

    pub fn leave_out(&mut self, left: Left) {
        *self.left.entry(left).or_default() += 1;
    }

    /// Adds a fact about the machine.
    pub fn fact(&mut self, key: &str, text: &str) {
        self.facts.entry(key.to_owned()).or_default().insert(text.to_owned());
    }

    /// Hosts that the text names, in the order of ranks.
    pub fn name_hosts(&mut self, hosts: Vec<String>) {
        if self.hosts.is_empty() {
            self.hosts = hosts;
        }
    }

    /// One run of all results.
    pub fn finish(
        self,
        by: &'static str,
        called: &str,
        facts: &[(&str, &str)],
        files: &[PathBuf],
    ) -> Result<Measurements, ImportError> {
        let names: Vec<String> = files.iter().map(|file| file_name(file)).collect();
        if self.cells.is_empty() {
            return Err(ImportError::Empty(names.join(", ")));
        }
        let joined = |texts: BTreeSet<String>| texts.into_iter().collect::<Vec<_>>().join("; ");
        let mut all_facts: BTreeMap<String, String> =
            self.facts.into_iter().map(|(key, texts)| (key, joined(texts))).collect();
        all_facts.extend(facts.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned())));
        let source = names.join(", ");
        let allocation =
            Allocation { victim: None, aggressor: Some(NONE.to_owned()), bursts: None, hosts: self.hosts };
        let allocations = if allocation.hosts.is_empty() { Vec::new() } else { vec![allocation] };
        let measured = Measured { by: by.to_owned(), source: source.clone(), facts: all_facts, allocations };
        let notes = self
            .left
            .into_iter()
            .map(|(left, count)| format!("{} left out: {}", words::some(count, "line"), left.words()));
        let system = self.options.system.clone().unwrap_or_else(|| called.to_owned());
        let run = CellRun { system, cells: self.cells, measured: Some(measured), assumptions: Vec::new() };
        Ok(Measurements { by, source, runs: vec![run], notes: notes.collect() })
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The lines of a text.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    text.split_inclusive('\n').enumerate().map(move |(nth, line)| {
        let bare = line.trim_end_matches(['\n', '\r']);
        let narrow = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        let location = Location { source: 0, start: narrow(start), end: narrow(start + bare.len()) };
        start += line.len();
        Line { number: nth + 1, text: bare, location }
    })
}

/// Collective and ranks in the format of netloom's own exports: `Job NAME: COLLECTIVE, N ranks`.
pub(super) fn own_job(text: &str) -> Option<(String, u32)> {
    let rest = text.strip_prefix("Job ")?.strip_suffix(" ranks")?;
    let (rest, ranks) = rest.rsplit_once(", ")?;
    let (_, collective) = rest.rsplit_once(": ")?;
    Some((collective.to_owned(), ranks.parse().ok().filter(|ranks| u64::from(*ranks) <= MOST_HOSTS)?))
}

/// Names of hosts from a host file of an MPI library: one host per line, comments after `#`; anything after the name is
/// ignored.
pub fn hosts_of(text: &str) -> Vec<String> {
    let bare = text.lines().filter_map(|line| line.split('#').next()?.split_whitespace().next());
    bare.map(|word| word.split(':').next().unwrap_or(word).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_job_line_of_an_export_is_parsed() {
        assert_eq!(own_job("Job a: b, 3: ring_all_reduce, 4 ranks"), Some(("ring_all_reduce".into(), 4)));
        assert_eq!(own_job("Job a: ring, no ranks"), None);
    }

    #[test]
    fn hosts_are_the_first_word_of_each_line() {
        assert_eq!(hosts_of("# all\nn1 slots=2\n\nn2:4 # the other\n"), ["n1", "n2"]);
    }
}
