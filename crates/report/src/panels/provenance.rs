//! Provenance of each run: version, command, seed, digest, outcome, who measured it, and modelling assumptions.

use netloom_records::statistics::{Over, Span};
use netloom_records::{Measured, Status};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::collect::About;
use crate::round::six_digits;

/// The resolved scenario is embedded up to this many bytes; fabrics given as lists may be much longer.
const MOST_SCENARIO: usize = 65_536;

/// One run.
#[derive(Debug, Serialize)]
pub struct RunData {
    /// Its name in the report.
    pub name: String,
    /// Name of its scenario.
    pub scenario: String,
    /// How it ended.
    pub status: Status,
    details: Vec<String>,
    netloom: String,
    schema: u32,
    digest: String,
    /// As text: JavaScript has no integers of 64 bits; absent for a measured run.
    pub seed: Option<String>,
    /// Absent for a measured run.
    threads: Option<u32>,
    /// In seconds.
    wall_time: f64,
    /// In seconds.
    pub simulated: f64,
    /// Who measured it, and facts on the machine; absent for a simulated run.
    pub measured: Option<MeasuredData>,
    /// The part over which figures of background messages, mean throughput and utilization are taken.
    pub span: SpanData,
    /// Data packets that hosts created; absent if they were not counted.
    pub packets: Option<u64>,
    /// Number of packet-hops; absent if they were not counted.
    pub hops: Option<u64>,
    /// The command line, quoted for a shell.
    command: String,
    assumptions: Vec<String>,
    engine: Map<String, Value>,
    /// The resolved scenario, if it is short enough.
    yaml: Option<String>,
    /// Its length in bytes.
    yaml_bytes: usize,
}

/// A run that was not simulated.
#[derive(Debug, Serialize)]
pub struct MeasuredData {
    /// The program or framework that measured.
    pub by: String,
    /// The source of its numbers.
    pub source: String,
    /// Name and value, as the run has them.
    pub facts: Vec<[String; 2]>,
}

impl MeasuredData {
    fn of(measured: &Measured) -> MeasuredData {
        let facts = measured.facts.iter().map(|(name, value)| [name.clone(), value.clone()]);
        MeasuredData { by: measured.by.clone(), source: measured.source.clone(), facts: facts.collect() }
    }
}

/// A part of a run, in seconds.
#[derive(Debug, Serialize)]
pub struct SpanData {
    /// Whether it is the time in which a job ran.
    pub jobs: bool,
    /// Whether it is the whole run.
    pub whole: bool,
    /// Its parts, each with start and end.
    pub parts: Vec<[f64; 2]>,
    /// Its length.
    pub length: f64,
}

impl SpanData {
    fn of(span: &Span) -> SpanData {
        SpanData {
            jobs: span.over() == Over::Jobs,
            whole: span.is_whole(),
            parts: span.parts().iter().map(|part| part.map(|at| six_digits(at.as_seconds()))).collect(),
            length: six_digits(span.length().as_seconds()),
        }
    }
}

impl RunData {
    /// From the manifest of a run.
    pub fn of(about: &About) -> RunData {
        let manifest = &about.manifest;
        let yaml = &manifest.scenario_yaml;
        RunData {
            name: about.name.clone(),
            scenario: manifest.scenario["name"].as_str().unwrap_or_default().to_owned(),
            status: manifest.outcome.status,
            details: manifest.outcome.details.clone(),
            netloom: manifest.netloom.clone(),
            schema: manifest.schema,
            digest: manifest.digest.to_string(),
            seed: manifest.seed.map(|seed| seed.to_string()),
            threads: manifest.threads,
            wall_time: six_digits(manifest.wall_time_s),
            simulated: six_digits(about.simulated() / 1e12),
            measured: manifest.measured.as_ref().map(MeasuredData::of),
            span: SpanData::of(&about.span),
            packets: manifest.packets,
            hops: manifest.hops,
            command: command_line(&manifest.command),
            assumptions: manifest.assumptions.clone(),
            engine: manifest.engine.clone(),
            yaml: (yaml.len() <= MOST_SCENARIO).then(|| yaml.clone()),
            yaml_bytes: yaml.len(),
        }
    }
}

/// The words of a command line, quoted for a shell if necessary; the program without its folder.
fn command_line(words: &[String]) -> String {
    let Some((program, arguments)) = words.split_first() else { return String::new() };
    let program = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let quoted = std::iter::once(program).chain(arguments.iter().map(String::as_str)).map(quoted);
    quoted.collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_can_be_pasted_into_a_shell() {
        let words = ["/opt/bin/netloom", "run", "two jobs.yaml", "--set", "jobs.0.name=it's", ""];
        let line = command_line(&words.map(str::to_owned));
        assert_eq!(line, r"netloom run 'two jobs.yaml' --set 'jobs.0.name=it'\''s' ''");
        assert_eq!(command_line(&[]), "");
    }
}
