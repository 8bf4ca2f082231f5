//! The text of nccl-tests.
//!
//! Models: several outputs one after the other; program, ranks and hosts from the header above the table; columns found
//! by the heading: of each name the first one, which is that of out-of-place.
//! Leaves out: averages below the table, which follow from it.

use netloom_scenario::foreign::Foreign;
use netloom_scenario::{Diagnostics, Location};

use super::{collective, size};
use crate::import::benchmark::{self, Benchmarks, Left, Options, Row, Wrong};
use crate::import::sheet::{MICROSECOND, time};

/// The header above a table.
#[derive(Debug, Clone, Default)]
struct Head {
    collective: Option<String>,
    /// Ranks stated by netloom's own exports.
    ranks: Option<u32>,
    hosts: Vec<String>,
    columns: Vec<String>,
    iterations: u32,
}

pub(super) fn read(
    bytes: &[u8],
    name: &str,
    options: &Options,
    found: &mut Benchmarks<'_>,
) -> Result<(), Diagnostics> {
    let (mut foreign, text) = Foreign::plain(bytes, name)?;
    let mut head = Head::default();
    // Versions that do not state the program above the table state it below.
    let concluded = text.lines().find_map(|line| program(line.trim().strip_prefix('#')?.trim()));
    for line in benchmark::lines(text) {
        let bare = line.text.trim();
        if let Some(comment) = bare.strip_prefix('#') {
            head.comment(comment.trim(), (&mut foreign, line.location), options, found);
        } else if bare.starts_with(|letter: char| letter.is_ascii_digit()) {
            if head.collective.is_none() {
                let found = concluded.map(|program| collective(program, options));
                head.collective = found.and_then(Result::ok).or_else(|| options.collective.clone());
            }
            let row = head.row(bare, options);
            if row.is_ok() {
                found.name_hosts(head.hosts.clone());
            }
            found.take(row, line, name, &mut foreign);
        } else if !bare.is_empty() {
            found.leave_out(Left::Noise);
        }
    }
    foreign.finish()
}

/// The program that a comment names.
fn program(comment: &str) -> Option<&str> {
    let titled = ["Collective test starting:", "Collective test concluded:"]
        .iter()
        .find_map(|start| comment.strip_prefix(start));
    let own = comment.split_once(", simulated by netloom").map(|(program, _)| program);
    titled.or(own).map(str::trim).filter(|program| !program.is_empty())
}

impl Head {
    fn comment(
        &mut self,
        text: &str,
        (foreign, location): (&mut Foreign, Location),
        options: &Options,
        found: &mut Benchmarks<'_>,
    ) {
        let words: Vec<&str> = text.split_whitespace().collect();
        if let Some(program) = program(text) {
            // The line that concludes a test belongs to the table above.
            if !text.contains("concluded") {
                *self = Head::default();
            }
            match collective(program, options) {
                Ok(collective) => self.collective = Some(collective),
                Err(message) => foreign.report(location, message, "no such collective in scenarios", None),
            }
            found.fact("program", program);
        } else if let Some((collective, ranks)) = benchmark::own_job(text) {
            (self.collective, self.ranks) = (Some(collective), Some(ranks));
        } else if words.first() == Some(&"Rank") && words.contains(&"on") {
            let host = words.iter().position(|word| *word == "on").and_then(|nth| words.get(nth + 1));
            self.hosts.extend(host.map(|host| (*host).to_owned()));
        } else if words.first() == Some(&"nThread") {
            let after = text.split("warmup iters:").nth(1).and_then(|rest| rest.split("iters:").nth(1));
            let number = after.and_then(|rest| rest.split_whitespace().next());
            self.iterations = number.and_then(|number| number.parse().ok()).unwrap_or(0);
            self.hosts.clear();
            found.fact("settings", text);
        } else if text.starts_with("nccl-tests version") {
            found.fact("version", text);
        } else if words.first() == Some(&"size") {
            self.columns = words.iter().map(|word| (*word).to_owned()).collect();
        }
    }

    fn row(&self, text: &str, options: &Options) -> Result<Row, Wrong> {
        let mistake = |message: String, expected: &str| Err(Wrong::Mistake(message, expected.to_owned()));
        let words: Vec<&str> = text.split_whitespace().collect();
        let column = |title: &str| self.columns.iter().position(|column| column == title);
        let Some(at) = column("time").or_else(|| column("cputime")) else {
            return mistake(
                "there is no heading above this line".into(),
                "`# size count type redop root time algbw busbw #wrong`",
            );
        };
        let Some(collective) = &self.collective else {
            return mistake("the text does not state its program".into(), "`--collective NAME`");
        };
        // A row with a blank block, where nothing was run out of place, looks like a truncated line.
        if words.len() != self.columns.len() {
            return mistake(format!("{} columns", words.len()), &format!("{}", self.columns.len()));
        }
        let counted = u32::try_from(self.hosts.len()).ok().filter(|ranks| *ranks > 0);
        let Some(ranks) = self.ranks.or(counted).or(options.ranks) else {
            return mistake("the number of ranks is missing".into(), "`--ranks N`");
        };
        if options.ranks.is_some_and(|stated| stated != ranks) {
            return mistake(format!("the text states {ranks} ranks"), "the number of `--ranks`");
        }
        let Some(size) = words[0].parse().ok().and_then(|vector| size(vector, collective, ranks)) else {
            return mistake(
                format!("column `size`: `{}` cannot be used", words[0]),
                "bytes as a whole number",
            );
        };
        if size.0 == 0 {
            return Err(Wrong::Left(Left::Empty));
        }
        let wrong = column("#wrong").or_else(|| column("error")).map(|nth| words[nth]);
        if let Some(wrong) = wrong.filter(|wrong| *wrong != "N/A") {
            match wrong.parse::<f64>() {
                Ok(0.0) => {}
                // Earlier versions print the largest difference here, which is a rounding error.
                Ok(difference) if column("error").is_some() && difference.abs() < 1e-3 => {}
                Ok(_) => return Err(Wrong::Left(Left::WrongResult)),
                Err(_) => {
                    return mistake(
                        format!("column `#wrong`: `{wrong}` cannot be used"),
                        "a number or `N/A`",
                    );
                }
            }
        }
        if words[at] == "N/A" || words[at].parse::<f64>().is_ok_and(|time| time == 0.0) {
            return Err(Wrong::Left(Left::NoTime));
        }
        let Some(mean) = time(words[at], MICROSECOND) else {
            return mistake(
                format!("column `{}`: `{}` is not a valid time", self.columns[at], words[at]),
                "microseconds above 0",
            );
        };
        Ok(Row { collective: collective.clone(), ranks, size, mean, steps: self.iterations })
    }
}

#[cfg(test)]
mod tests {
    use netloom_scenario::Style;

    use super::*;

    const HEAD: &str = "# nThread 1 nGpus 1 minBytes 8 maxBytes 16 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1\n\
        # Using devices\n#  Rank  0 Group  0 Pid      1 on      sea-1 device  0 [0000:07:00] A card\n\
        #  Rank  1 Group  0 Pid      2 on      sea-2 device  0 [0000:07:00] A card\n";
    const COLUMNS: &str = "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n";

    /// Victim, nodes, bytes, mean in ps and iterations of a cell.
    type Row = (String, u32, u64, u64, u32);

    fn cells(text: &str, options: &Options) -> Result<Vec<Row>, String> {
        let mut found = Benchmarks::new(options);
        read(text.as_bytes(), "n.txt", options, &mut found)
            .map_err(|mistakes| mistakes.render(Style::Plain))?;
        let found = found.finish("nccl-tests", "n", &[], &[]).map_err(|error| error.to_string())?;
        let cell = |cell: &crate::cells::Cell| {
            (cell.at.victim.clone(), cell.at.nodes, cell.at.size.0, cell.mean.0, cell.steps)
        };
        Ok(found.runs[0].cells.iter().map(cell).collect())
    }

    fn line(size: u64, time: &str, wrong: &str) -> String {
        format!("{size} 2 float sum -1 {time} 0.00 0.00 {wrong} 9.99 0.00 0.00 {wrong}\n")
    }

    #[test]
    fn out_of_place_times_are_read_with_ranks_and_iterations_of_the_header() {
        let rows =
            [line(8, "12.34", "0"), line(16, "1.2e+06", "0"), line(32, "5", "3"), line(64, "N/A", "N/A")];
        let text = format!("{HEAD}{COLUMNS}{}# Collective test concluded: all_reduce_perf\n", rows.concat());
        let found = cells(&text, &Options::default()).expect("it is right");
        let name = "ring_all_reduce".to_owned();
        assert_eq!(found, [(name.clone(), 4, 8, 12_340_000, 20), (name, 4, 16, 1_200_000_000_000, 20)]);
    }

    #[test]
    fn sizes_of_all_to_alls_are_those_for_each_peer() {
        let text =
            format!("# Collective test starting: alltoall_perf\n{HEAD}{COLUMNS}{}", line(64, "7", "0"));
        let found = cells(&text, &Options::default()).expect("it is right");
        assert_eq!((found[0].0.as_str(), found[0].2), ("all_to_all_linear", 32));
    }

    #[test]
    fn mistakes_are_reported_with_their_line() {
        let error_of = |text: &str, options: &Options| cells(text, options).expect_err("it is wrong");
        let plain = Options::default();
        assert!(
            error_of(&format!("{HEAD}{COLUMNS}{}", line(8, "1", "0")), &plain).contains("--collective NAME")
        );
        let named = Options { collective: Some("incast".into()), ..Options::default() };
        assert!(error_of(&format!("{COLUMNS}{}", line(8, "1", "0")), &named).contains("--ranks N"));
        assert!(error_of(&format!("{HEAD}{COLUMNS}8 2 float\n"), &named).contains("line 6: 3 columns"));
        assert!(
            error_of(&format!("{HEAD}{COLUMNS}{}", line(8, "-1", "0")), &named)
                .contains("`-1` is not a valid time")
        );
        assert!(error_of(&format!("{HEAD}{}", line(8, "1", "0")), &named).contains("no heading"));
        assert!(error_of("# Collective test starting: gather_perf\n", &plain).contains("cannot be imported"));
        assert!(error_of(HEAD, &plain).contains("no results"));
    }
}
