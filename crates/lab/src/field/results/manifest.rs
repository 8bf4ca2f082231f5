//! The program's own manifest, checked against the plan.
//!
//! Invariants: unless the job failed, every rank, segment and size is described; unknown keys are ignored, so that
//! later versions of the program may add some.

use std::collections::BTreeMap;

use netloom_records::Digest;

use super::Reading;
use super::broken::{Broken, shown};
use super::files::{self, Files};
use crate::field::plan::{FieldPlan, Segment, Work};

const NAME: &str = "manifest.txt";
const HEAD: &str = "netloom-field manifest 1";
/// Facts about program and machine: the manifest's key, and the name in a run folder.
const FACTS: [(&str, &str); 6] = [
    ("program", "program"),
    ("build", "build"),
    ("mpi_library", "MPI library"),
    ("mpi_standard", "MPI standard"),
    ("begin", "begin"),
    ("end", "end"),
];

/// How a job ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// After all iterations.
    Complete,
    /// At its deadline.
    Deadline,
    /// With an error.
    Failed(String),
}

/// See the module.
#[derive(Debug)]
pub(in crate::field) struct Manifest {
    pub status: Ended,
    /// Whether ranks yielded while they waited, since they shared cores.
    pub yields: bool,
    /// Facts for reports, by name.
    pub facts: BTreeMap<String, String>,
    pub ranks: Vec<RankLine>,
    /// Digest of its text, which differs for every job.
    pub job: Digest,
    /// Iterations of each segment and size index, warm-up included.
    kept: BTreeMap<(usize, usize), u64>,
    /// Rounds of each congested segment.
    rounds: BTreeMap<usize, u64>,
}

/// Facts about a rank.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::field) struct RankLine {
    pub host: String,
    pub clock_step_ns: u64,
    pub clock_read_ns: f64,
}

/// The status of a manifest, if there is one.
pub(super) fn status(files: &dyn Files) -> Option<Ended> {
    let text = files::text(files, NAME).ok()?;
    text.lines().find_map(|line| line.strip_prefix("status ")).and_then(ended)
}

fn ended(text: &str) -> Option<Ended> {
    match text.split_once(' ').unwrap_or((text, "")) {
        ("complete", "") => Some(Ended::Complete),
        ("deadline", "") => Some(Ended::Deadline),
        ("failed", reason) => Some(Ended::Failed(reason.to_owned())),
        _ => None,
    }
}

impl Manifest {
    /// Reads the manifest of a plan.
    pub(super) fn read(files: &dyn Files, plan: &FieldPlan, reading: Reading) -> Result<Manifest, Broken> {
        let text = files::text(files, NAME)?;
        let name = files.name(NAME);
        let manifest = Manifest {
            status: Ended::Complete,
            yields: false,
            facts: BTreeMap::new(),
            ranks: Vec::new(),
            job: Digest::of(text.as_bytes()),
            kept: BTreeMap::new(),
            rounds: BTreeMap::new(),
        };
        Reader { name, plan, values: BTreeMap::new(), manifest }.read(&text, reading)
    }

    /// Iterations of a segment, for the size at this index in the plan.
    pub(super) fn kept(&self, segment: usize, size: usize) -> u64 {
        self.kept.get(&(segment, size)).copied().unwrap_or(0)
    }

    /// Rounds of a congested segment.
    pub(super) fn rounds(&self, segment: usize) -> u64 {
        self.rounds.get(&segment).copied().unwrap_or(0)
    }
}

/// A mistake in a line: the index of the word, from 0, and what was expected.
type Mistake = (usize, String);

/// A manifest that is being read.
struct Reader<'a> {
    name: String,
    plan: &'a FieldPlan,
    /// Keys that occur once: their line and value.
    values: BTreeMap<&'a str, (usize, &'a str)>,
    manifest: Manifest,
}

impl<'a> Reader<'a> {
    fn read(mut self, text: &'a str, reading: Reading) -> Result<Manifest, Broken> {
        if !text.ends_with('\n') {
            let line = text.lines().count();
            return Err(self.broken(line, 0, "the file ends in the middle of a line", "a whole file"));
        }
        let mut lines = (1..).zip(text.lines());
        let first = lines.next().map_or("", |(_, line)| line);
        if first != HEAD {
            return Err(self.broken(1, 1, shown(first), format!("`{HEAD}`")));
        }
        for (number, line) in lines {
            self.line(number, line)?;
        }
        self.finish(reading)
    }

    fn line(&mut self, number: usize, line: &'a str) -> Result<(), Broken> {
        let (key, rest) = line.split_once(' ').unwrap_or((line, ""));
        let words: Vec<&str> = line.split(' ').collect();
        let understood = match key {
            "rank" => self.rank(&words),
            "segment" => self.segment(&words),
            "rounds" => self.rounds(&words),
            _ => match self.values.insert(key, (number, rest)) {
                None => Ok(()),
                Some((first, _)) => Err((0, format!("`{key}` once, but it is in line {first} already"))),
            },
        };
        understood.map_err(|(word, expected)| {
            let column = words.iter().take(word).map(|word| word.chars().count() + 1).sum::<usize>() + 1;
            let found = words.get(word).map_or("the end of the line".to_owned(), |word| shown(word));
            self.broken(number, column, found, expected)
        })
    }

    fn rank(&mut self, words: &[&str]) -> Result<(), Mistake> {
        let number = self.manifest.ranks.len();
        let role = self.plan.roles.get(number).copied();
        let role = role.ok_or((0, format!("no more than {number} ranks, as the plan has")))?;
        let start = ["rank".to_owned(), number.to_string(), role.word().to_owned(), "host".to_owned()];
        expect(words, 0, &start)?;
        // A host's name may contain blanks.
        let end = words.iter().rposition(|word| *word == "pid").unwrap_or(words.len());
        let host = words.get(4..end).unwrap_or_default().join(" ");
        if host.is_empty() {
            return Err((4, "the name of a host, and `pid`".to_owned()));
        }
        expect(words, end, &["pid".to_owned()])?;
        count(words, end + 1)?;
        expect(words, end + 2, &["cores".to_owned()])?;
        count(words, end + 3)?;
        expect(words, end + 4, &["clock_step_ns".to_owned()])?;
        let clock_step_ns = count(words, end + 5)?;
        expect(words, end + 6, &["clock_read_ns".to_owned()])?;
        let read = words.get(end + 7).and_then(|word| word.parse::<f64>().ok());
        let read = read.filter(|ns| ns.is_finite() && *ns >= 0.0);
        let clock_read_ns = read.ok_or((end + 7, "a time in ns".to_owned()))?;
        no_more(words, end + 8)?;
        self.manifest.ranks.push(RankLine { host, clock_step_ns, clock_read_ns });
        Ok(())
    }

    /// A line for each segment and size.
    fn segment(&mut self, words: &[&str]) -> Result<(), Mistake> {
        let sizes = self.plan.sizes();
        let (number, size) = (self.manifest.kept.len() / sizes.len(), self.manifest.kept.len() % sizes.len());
        let segment: Option<&Segment> = self.plan.segments.get(number);
        let segment = segment.ok_or((0, "no further segment, since the plan has no more".to_owned()))?;
        let bytes = match self.plan.work {
            Work::Streams(_) => "-".to_owned(),
            Work::Interference { .. } | Work::Latency { .. } => sizes[size].to_string(),
        };
        let start = format!(
            "segment {number} {} bytes {bytes} warm_up {} planned {} kept",
            segment.name(),
            segment.warm_up,
            segment.most()
        );
        let start: Vec<String> = start.split(' ').map(str::to_owned).collect();
        expect(words, 0, &start)?;
        let kept = count(words, start.len())?;
        if kept > segment.most() {
            return Err((start.len(), format!("at most {}", segment.most())));
        }
        no_more(words, start.len() + 1)?;
        self.manifest.kept.insert((number, size), kept);
        Ok(())
    }

    fn rounds(&mut self, words: &[&str]) -> Result<(), Mistake> {
        let number = count(words, 1)? as usize;
        let segment = self.plan.segments.get(number).filter(|segment| segment.is_congested);
        let segment = segment.ok_or((1, "the number of a congested segment".to_owned()))?;
        expect(words, 2, &[segment.name().to_owned(), "kept".to_owned()])?;
        let kept = count(words, 4)?;
        no_more(words, 5)?;
        match self.manifest.rounds.insert(number, kept) {
            None => Ok(()),
            Some(_) => Err((1, format!("rounds of segment {number} once"))),
        }
    }

    fn finish(mut self, reading: Reading) -> Result<Manifest, Broken> {
        let (line, study) = self.value("study")?;
        let expected = self.plan.study.to_string();
        if study != expected {
            return Err(self.broken(
                line,
                7,
                format!("another study, {}", shown(study)),
                format!("`{expected}`"),
            ));
        }
        let (line, status) = self.value("status")?;
        let Some(status) = ended(status) else {
            let expected = "`complete`, `deadline`, or `failed` and a reason";
            return Err(self.broken(line, 8, shown(status), expected));
        };
        let (line, n_ranks) = self.value("n_ranks")?;
        if n_ranks.parse() != Ok(self.plan.n_ranks()) {
            return Err(self.broken(
                line,
                9,
                shown(n_ranks),
                format!("{}, as the plan has", self.plan.n_ranks()),
            ));
        }
        if self.manifest.ranks.len() != self.plan.n_ranks() {
            let found = format!("{} lines `rank`", self.manifest.ranks.len());
            return Err(self.broken(0, 0, found, format!("{}", self.plan.n_ranks())));
        }
        let (line, waiting) = self.value("waiting")?;
        self.manifest.yields = match waiting {
            "spin" => false,
            "yield" => true,
            other => return Err(self.broken(line, 9, shown(other), "`spin` or `yield`")),
        };
        for (key, title) in FACTS {
            let (_, value) = self.value(key)?;
            self.manifest.facts.insert(title.to_owned(), value.to_owned());
        }
        self.manifest.status = status;
        if reading == Reading::Strict {
            self.check_kept()?;
        }
        Ok(self.manifest)
    }

    /// The line and value of a required key.
    fn value(&self, key: &str) -> Result<(usize, &'a str), Broken> {
        let found = self.values.get(key).copied();
        found.ok_or_else(|| self.broken(0, 0, format!("`{key}` is missing"), format!("a line `{key} ...`")))
    }

    /// Only a job that ended at its deadline may lack iterations, or the rounds of an aggressor.
    fn check_kept(&self) -> Result<(), Broken> {
        let is_cut = self.manifest.status == Ended::Deadline;
        for (number, segment) in self.plan.segments.iter().enumerate() {
            for size in 0..self.plan.sizes().len() {
                let kept = self.manifest.kept(number, size);
                if !is_cut && kept < segment.fewest() {
                    let found = format!("segment {number} has {kept} iterations");
                    let expected =
                        format!("at least {}, since the deadline was not reached", segment.fewest());
                    return Err(self.broken(0, 0, found, expected));
                }
            }
            let has_rounds = self.manifest.rounds.contains_key(&number);
            let is_described = self.manifest.kept.contains_key(&(number, 0));
            if segment.is_congested && is_described && !has_rounds {
                let expected = format!("a line `rounds {number} congested kept M`");
                return Err(self.broken(0, 0, "rounds of the aggressor are missing", expected));
            }
        }
        Ok(())
    }

    fn broken(
        &self,
        line: usize,
        column: usize,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Broken {
        Broken { file: self.name.clone(), line, column, found: found.into(), expected: expected.into() }
    }
}

/// Checks that these words follow from an index on.
fn expect(words: &[&str], from: usize, expected: &[String]) -> Result<(), Mistake> {
    for (index, expected) in (from..).zip(expected) {
        if words.get(index) != Some(&expected.as_str()) {
            return Err((index, format!("`{expected}`")));
        }
    }
    Ok(())
}

/// Parses an integer at an index.
fn count(words: &[&str], index: usize) -> Result<u64, Mistake> {
    let word = words.get(index).filter(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    word.and_then(|word| word.parse().ok()).ok_or((index, "a whole number".to_owned()))
}

fn no_more(words: &[&str], index: usize) -> Result<(), Mistake> {
    if words.len() > index { Err((index, "the end of the line".to_owned())) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_line_is_read_as_how_the_job_ended() {
        assert_eq!(ended("complete"), Some(Ended::Complete));
        assert_eq!(ended("failed data was wrong"), Some(Ended::Failed("data was wrong".to_owned())));
        assert_eq!(ended("complete yes"), None);
    }

    #[test]
    fn an_unexpected_word_is_reported_at_its_index() {
        let words = ["rank", "7", "x"];
        assert_eq!(expect(&words, 1, &["7".to_owned(), "y".to_owned()]), Err((2, "`y`".to_owned())));
        assert_eq!(count(&words, 1), Ok(7));
        assert_eq!(count(&words, 3), Err((3, "a whole number".to_owned())));
        assert_eq!(no_more(&words, 2), Err((2, "the end of the line".to_owned())));
    }
}
