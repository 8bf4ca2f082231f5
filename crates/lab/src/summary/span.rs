//! The part of a run over which figures were taken, as text and as data.
//!
//! Leaves out: how that part is determined (`netloom_records::statistics`).

use netloom_records::statistics::{Over, PortShares, Span};
use netloom_scenario::quantity::{self, Dimension};
use netloom_units::Time;
use serde::{Deserialize, Serialize};

use crate::words;

/// The part of a run over which figures of background messages, throughputs and utilization are taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpanSummary {
    /// The option: `jobs`, `all`, or an interval.
    pub over: String,
    /// Its intervals, each by start and end.
    pub parts_s: Vec<[f64; 2]>,
    /// Its length.
    pub length_s: f64,
    /// Whether it is the whole run.
    pub is_whole: bool,
    /// Whether utilization is over this part; else it is over the whole run, because ports were not sampled over time.
    pub has_links: bool,
}

impl SpanSummary {
    pub(super) fn of(span: &Span, shares: &PortShares) -> SpanSummary {
        SpanSummary {
            over: name(span.over()),
            parts_s: span.parts().iter().map(|part| part.map(Time::as_seconds)).collect(),
            length_s: span.length().as_seconds(),
            is_whole: span.is_whole(),
            has_links: shares.is_known(),
        }
    }

    /// As text: `while a job ran (0 s to 2.57 s)`.
    pub fn words(&self) -> String {
        let why = if self.over == JOBS { "while a job ran (" } else { "(" };
        let why = if self.is_whole { "in the whole run (" } else { why };
        let part = |[from, to]: [f64; 2]| format!("{} to {}", words::span(from), words::span(to));
        match self.parts_s.as_slice() {
            [] => "in the whole run".to_owned(),
            [one] => format!("{why}{})", part(*one)),
            [first, .., last] => {
                let n_parts = words::some(self.parts_s.len() as u64, "part");
                let ends = part([first[0], last[1]]);
                format!("{why}{n_parts} of {ends}, {} in all)", words::span(self.length_s))
            }
        }
    }
}

const JOBS: &str = "jobs";
const ALL: &str = "all";

/// The option as text, to the last picosecond: it is parsed again elsewhere.
pub fn name(over: Over) -> String {
    let exactly = |at: Time| quantity::print(at.0, Dimension::Duration);
    match over {
        Over::Jobs => JOBS.to_owned(),
        Over::All => ALL.to_owned(),
        Over::Between(from, to) => format!("{}..{}", exactly(from), exactly(to)),
    }
}

/// Parses the option: `jobs`, `all`, or `FROM..TO`.
///
/// # Errors
/// If it is none of these, or the interval is empty or reversed.
pub fn over(text: &str) -> Result<Over, String> {
    match text {
        JOBS => return Ok(Over::Jobs),
        ALL => return Ok(Over::All),
        _ => {}
    }
    let expected = "expected `jobs`, `all`, or two instants of the run, as in `1ms..5ms`";
    let (from, to) = text.split_once("..").ok_or(expected)?;
    let instant = |text: &str| match quantity::duration(text.trim()) {
        _ if text.trim() == "0" => Ok(Time::ZERO),
        Ok(found) => Ok(Time(found.0)),
        Err(refusal) => Err(format!("`{}`: {}; {expected}", text.trim(), refusal.message)),
    };
    let (from, to) = (instant(from)?, instant(to)?);
    match from.cmp(&to) {
        std::cmp::Ordering::Less => Ok(Over::Between(from, to)),
        std::cmp::Ordering::Equal => Err(format!("this span is empty; {expected}")),
        std::cmp::Ordering::Greater => Err(format!(
            "this span is reversed: {} is after {}; {expected}",
            words::time(from),
            words::time(to)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_options_are_parsed_and_invalid_ones_refused() {
        assert_eq!(over("jobs"), Ok(Over::Jobs));
        assert_eq!(over("all"), Ok(Over::All));
        assert_eq!(over("0..2.5ms"), over("0s..2.5ms"));
        assert_eq!(over("0s..2.5ms"), Ok(Over::Between(Time(0), Time(2_500_000_000))));
        for (text, word) in [
            ("", "expected `jobs`"),
            ("job", "expected `jobs`"),
            ("1ms..1ms", "empty"),
            ("2ms..1ms", "reversed: 2 ms is after 1 ms"),
            ("1..2", "1ms..5ms"),
            ("1ms..", "1ms..5ms"),
            ("-1ms..2ms", "1ms..5ms"),
            ("1KiB..2KiB", "1ms..5ms"),
        ] {
            let refusal = over(text).expect_err(text);
            assert!(refusal.contains(word), "{text}: {refusal}");
        }
    }
}
