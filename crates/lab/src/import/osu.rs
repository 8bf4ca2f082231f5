//! Latencies of collectives as the OSU Micro-Benchmarks print them.
//!
//! Models: tables one after the other, each with its title, headings of all versions since 3 (with and without `-f`,
//! percentiles, validation), sizes converted to those of scenarios; the output of `netloom export osu`.
//! Leaves out: benchmarks of two ranks, non-blocking ones, and collectives that scenarios do not have: they are
//! reported, not read.
//!
//! Invariants: every line that begins with a number is a cell, is left out and counted, or is a mistake; output of
//! libraries in between is counted.
//!
//! Source: OSU Micro-Benchmarks 5.6 to 7.5. The algorithm that represents a collective, if the title does not state it,
//! is a modelling assumption.

use std::path::PathBuf;

use netloom_scenario::foreign::Foreign;
use netloom_scenario::{Diagnostics, Location};
use netloom_units::{Bytes, Duration};

use super::ImportError;
use super::benchmark::{self, Benchmarks, Left, Options, Row, Wrong};
use super::measured::Measurements;
use super::sheet::{MICROSECOND, MOST_BYTES, time};
use crate::error::LabError;
use crate::source::Source;

const BY: &str = "OSU Micro-Benchmarks";

/// What the benchmark reports as the size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counted {
    /// The part for each peer, or the vector: as in scenarios and studies.
    AsIs,
    /// The part that each rank contributes.
    EachRank,
}

/// Titles without `OSU MPI...` and `Latency Test`, and the collectives that represent them.
const TITLES: [(&str, &str, Counted); 7] = [
    ("All-to-All Personalized Exchange", "all_to_all_linear", Counted::AsIs),
    ("Allgather", "ring_all_gather", Counted::EachRank),
    ("Allreduce", "ring_all_reduce", Counted::AsIs),
    ("Reduce_scatter", "ring_reduce_scatter", Counted::AsIs),
    ("Broadcast", "broadcast_tree", Counted::AsIs),
    // Printed by netloom for collectives without a benchmark.
    ("Incast", "incast", Counted::AsIs),
    ("Permutation", "permutation", Counted::AsIs),
];

/// State of reading a table.
#[derive(Debug, Clone, Default)]
struct Table {
    collective: Option<(String, Counted)>,
    ranks: Option<u32>,
    /// Titles of the columns, beginning with the size.
    columns: Vec<String>,
}

/// Reads outputs of collectives.
///
/// # Errors
/// All mistakes of all files, or that there are no results.
pub fn osu(files: &[PathBuf], options: &Options) -> Result<Measurements, LabError> {
    let mut found = Benchmarks::new(options);
    let mut mistakes = Vec::new();
    for file in files {
        let bytes = Source::file(file).read()?;
        let name = file.display().to_string();
        mistakes.extend(read(&bytes, &name, options, &mut found).err());
    }
    if !mistakes.is_empty() {
        return Err(ImportError::from(Diagnostics::join(mistakes)).into());
    }
    let facts = [
        ("time", "the mean over the times of all ranks, which is at most that of the slowest rank"),
        (
            "collectives",
            "by the title; the algorithm of the library is not known, so netloom's choice represents it",
        ),
    ];
    Ok(found.finish(BY, "osu", &facts, files)?)
}

fn read(bytes: &[u8], name: &str, options: &Options, found: &mut Benchmarks) -> Result<(), Diagnostics> {
    let (mut foreign, text) = Foreign::plain(bytes, name)?;
    let mut table = Table::default();
    for line in benchmark::lines(text) {
        let bare = line.text.trim();
        if let Some(comment) = bare.strip_prefix('#') {
            table.comment(comment.trim(), &mut foreign, line.location, options);
            if comment.contains("OSU ") && comment.contains('v') {
                found.fact("title", comment.trim());
            }
            if let Some(datatype) = comment.trim().strip_prefix("Datatype:") {
                found.fact("datatype", datatype.trim().trim_end_matches('.'));
            }
        } else if bare.starts_with(|letter: char| letter.is_ascii_digit() || letter == '-') {
            found.take(table.row(bare, options), line, name, &mut foreign);
        } else if !bare.is_empty() {
            found.leave_out(Left::Noise);
        }
    }
    foreign.finish()
}

impl Table {
    /// Reads a line that begins with `#`: a title, a remark of the exporter, or the heading of the columns.
    fn comment(&mut self, text: &str, foreign: &mut Foreign, location: Location, options: &Options) {
        if let Some((title, _)) = text.split_once(" Test") {
            *self = Table::default();
            match collective(title, options) {
                Ok(found) => self.collective = Some(found),
                Err((message, hint)) => {
                    foreign.report(location, message, "no such collective in scenarios", Some(hint));
                }
            }
        } else if let Some((collective, ranks)) = benchmark::own_job(text) {
            self.ranks = Some(ranks);
            if let Some(found) = &mut self.collective {
                found.0 = collective;
            }
        } else if text.starts_with("Size") {
            self.columns = columns(text);
        }
    }

    fn row(&self, text: &str, options: &Options) -> Result<Row, Wrong> {
        let mistake = |message: String, expected: &str| Err(Wrong::Mistake(message, expected.to_owned()));
        let Some((collective, counted)) = &self.collective else {
            return mistake("there is no title above this line".into(), "`# OSU MPI ... Latency Test v...`");
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        if self.columns.len() < 2 || !self.columns[1].replace(' ', "").ends_with("Latency(us)") {
            return mistake("there is no heading above this line".into(), "`# Size  Avg Latency(us)`");
        }
        if words.len() != self.columns.len() {
            let found = words.len();
            return mistake(
                format!("{found} columns"),
                &format!("{}: {}", self.columns.len(), self.columns.join(", ")),
            );
        }
        let Some(ranks) = self.ranks.or(options.ranks) else {
            return mistake("the number of ranks is missing".into(), "`--ranks N`");
        };
        if options.ranks.is_some_and(|stated| stated != ranks) {
            return mistake(format!("the text states {ranks} ranks"), "the number of `--ranks`");
        }
        let times = if *counted == Counted::EachRank { u64::from(ranks) } else { 1 };
        let size = words[0].parse::<u64>().ok().and_then(|size| size.checked_mul(times));
        let Some(size) = size.filter(|size| *size <= MOST_BYTES) else {
            return mistake(
                format!("column `Size`: `{}` cannot be used", words[0]),
                "bytes as a whole number",
            );
        };
        if size == 0 {
            return Err(Wrong::Left(Left::Empty));
        }
        if self.column(&words, "Validation").is_some_and(|word| word != "Pass") {
            return Err(Wrong::Left(Left::WrongResult));
        }
        if words[1].parse::<f64>().is_ok_and(|mean| mean == 0.0) {
            return Err(Wrong::Left(Left::NoTime));
        }
        let Some(mean) = time(words[1], MICROSECOND) else {
            return mistake(
                format!("column `{}`: `{}` is not a valid time", self.columns[1], words[1]),
                "microseconds above 0",
            );
        };
        let steps = match self.column(&words, "Iterations") {
            None => 0,
            Some(word) => match word.parse::<u32>() {
                Ok(steps) => steps,
                Err(_) => {
                    return mistake(
                        format!("column `Iterations`: `{word}` cannot be used"),
                        "a whole number",
                    );
                }
            },
        };
        Ok(Row { collective: collective.clone(), ranks, size: Bytes(size), mean: Duration(mean.0), steps })
    }

    fn column<'a>(&self, words: &[&'a str], title: &str) -> Option<&'a str> {
        let nth = self.columns.iter().position(|column| column == title)?;
        words.get(nth).copied()
    }
}

/// Titles of columns, which are separated by at least two blanks.
fn columns(text: &str) -> Vec<String> {
    text.split("  ").map(str::trim).filter(|title| !title.is_empty()).map(str::to_owned).collect()
}

/// The collective of a title, or why there is none and a hint.
fn collective(title: &str, options: &Options) -> Result<(String, Counted), (String, String)> {
    let bare = title.trim_end_matches("Latency").trim();
    let known = |(name, _, _): &&(&str, &str, Counted)| bare == *name || bare.ends_with(&format!(" {name}"));
    let found = TITLES
        .iter()
        .find(known)
        .filter(|_| !bare.contains("Non-blocking") && !bare.contains("Non-Blocking"));
    if let Some((_, collective, counted)) = found {
        let collective = options.collective.clone().unwrap_or_else(|| (*collective).to_owned());
        return Ok((collective, *counted));
    }
    let is_pair =
        ["Bandwidth", "Bi-Directional", "Multi", "Message Rate"].iter().any(|word| title.contains(word))
            || ["OSU MPI", "OSU MPI-CUDA", "OSU MPI-ROCM"].contains(&bare);
    let message = format!("the benchmark `{title}` cannot be imported");
    let hint = if is_pair {
        "it runs between pairs of ranks; only collectives can be imported, such as osu_alltoall and osu_allgather"
    } else {
        "expected one of osu_alltoall, osu_allgather, osu_allreduce, osu_reduce_scatter, osu_bcast"
    };
    Err((message, hint.to_owned()))
}

#[cfg(test)]
mod tests {
    use netloom_scenario::Style;

    use super::*;

    fn options(ranks: Option<u32>) -> Options {
        Options { ranks, ..Options::default() }
    }

    /// The cells of a text: collective, bytes, mean in ps, iterations.
    fn cells(text: &str, options: &Options) -> Result<Vec<(String, u64, u64, u32)>, String> {
        let mut found = Benchmarks::new(options);
        read(text.as_bytes(), "o.txt", options, &mut found)
            .map_err(|mistakes| mistakes.render(Style::Plain))?;
        let found = found.finish(BY, "osu", &[], &[]).map_err(|error| error.to_string())?;
        let cell =
            |cell: &crate::cells::Cell| (cell.at.victim.clone(), cell.at.size.0, cell.mean.0, cell.steps);
        Ok(found.runs[0].cells.iter().map(cell).collect())
    }

    #[test]
    fn sizes_are_converted_to_those_of_scenarios() {
        let text =
            "\n# OSU MPI Allgather Latency Test v5.9\n# Size       Avg Latency(us)\n1   2.50\n1024  10.00\n";
        let found = cells(text, &options(Some(8))).expect("it is right");
        let name = "ring_all_gather".to_owned();
        assert_eq!(found, [(name.clone(), 8, 2_500_000, 0), (name, 8192, 10_000_000, 0)]);
    }

    #[test]
    fn headings_of_several_versions_are_read() {
        let full = "# OSU MPI-CUDA All-to-All Personalized Exchange Latency Test v7.5\n# Datatype: MPI_CHAR.\n\
            # Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations  P50 Tail Lat(us)  Validation\n\
            [node:1] a library speaks\n4   3.25  3.00  4.00   1000   3.1   Pass\n8  3.3 3 4 1000 3.1 Fail\n16 0.00 0 0 1000 0 Pass\n";
        let found = cells(full, &options(Some(4))).expect("it is right");
        assert_eq!(found, [("all_to_all_linear".to_owned(), 4, 3_250_000, 1000)]);
    }

    #[test]
    fn mistakes_are_reported_with_their_line() {
        let head = "# OSU MPI Broadcast Latency Test v7.0\n# Size       Avg Latency(us)\n";
        let error_of = |text: &str, ranks| cells(text, &options(ranks)).expect_err("it is wrong");
        assert!(error_of(&format!("{head}4\n"), Some(2)).contains("line 3: 1 columns"));
        assert!(error_of(&format!("{head}4 nan\n"), Some(2)).contains("`nan` is not a valid time"));
        assert!(error_of(&format!("{head}4 -3\n"), Some(2)).contains("`-3` is not a valid time"));
        assert!(error_of(&format!("{head}4 3\n"), None).contains("--ranks N"));
        assert!(error_of(&format!("{head}4 3\n4 3\n"), Some(2)).contains("line 3 of o.txt"));
        assert!(error_of("4 3\n", Some(2)).contains("no title above"));
        assert!(
            error_of("# OSU MPI Bandwidth Test v7\n# Size Bandwidth (MB/s)\n", Some(2))
                .contains("pairs of ranks")
        );
        assert!(error_of("# OSU MPI Latency Test v7\n", Some(2)).contains("pairs of ranks"));
        assert!(
            error_of("# OSU MPI Non-blocking Allgather Latency Test v7\n", Some(2))
                .contains("cannot be imported")
        );
        assert!(error_of("", Some(2)).contains("no results"));
    }
}
