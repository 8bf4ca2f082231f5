//! A study as a file: scenarios, and the options of a sweep over them.
//!
//! Models: one key for each option of `netloom sweep` that decides which points there are and what is kept of them.
//! Leaves out: options of one machine, such as its threads, which are given with the command.
//!
//! Invariants: all mistakes are reported together, each with its location; a file without the key `study` is no study.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use netloom_records::read_bounded;
use netloom_records::statistics::Over;
use netloom_scenario::foreign::Foreign;
use netloom_scenario::written::{Entry, Node, Tree};

use super::bisect::Bisection;
use super::design::{Design, MOST_SAMPLES, Sampling};
use super::keep::{Keep, point_limit};
use super::rounds::Precision;
use super::variation::{Variation, VariedValues};
use crate::error::LabError;
use crate::seeds::Seeds;
use crate::summary::over;

/// The version of the form of studies.
const VERSION: &str = "1";
/// The keys of a study.
const KEYS: [&str; 14] = [
    "study",
    "scenarios",
    "set",
    "vary",
    "sample",
    "design",
    "design_seed",
    "bisect",
    "seeds",
    "until_ci",
    "baseline",
    "over",
    "keep",
    "point_limit",
];

/// What a file says about a study; what it does not say is `None`, or empty.
#[derive(Debug, Default)]
pub struct WrittenStudy {
    /// Files of scenarios.
    pub scenarios: Vec<PathBuf>,
    /// Changes to all of them.
    pub set: Vec<(String, String)>,
    /// Variations.
    pub vary: Vec<Variation>,
    /// Which values of ranges are run.
    pub sampling: Option<Sampling>,
    /// The search for a threshold in a range.
    pub bisection: Option<Bisection>,
    /// The seeds of every variant.
    pub seeds: Option<Seeds>,
    /// The precision until which seeds are added.
    pub until: Option<Precision>,
    /// The variant that others are compared with.
    pub baseline: Option<String>,
    /// The part of each run that figures are taken over.
    pub over: Option<Over>,
    /// What is kept of each point.
    pub keep: Option<Keep>,
    /// Most wall time of a point.
    pub point_limit: Option<Duration>,
}

impl WrittenStudy {
    /// The study in a regular file; `None` if the file is something else.
    ///
    /// # Errors
    /// All mistakes in it.
    pub fn read(path: &Path) -> Result<Option<WrittenStudy>, LabError> {
        let Some((foreign, root)) =
            read_bounded(path).ok().and_then(|bytes| Foreign::open(&bytes, &path.display().to_string()).ok())
        else {
            return Ok(None);
        };
        match &root.tree {
            Tree::Map(entries) if entries.iter().any(|entry| entry.key == "study") => {}
            _ => return Ok(None),
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        Reader {
            foreign,
            folder,
            study: WrittenStudy::default(),
            sample: None,
            design: None,
            design_seed: None,
        }
        .read(&root)
        .map(Some)
    }
}

/// Reads a study.
struct Reader<'a> {
    foreign: Foreign,
    /// The folder of the file, which paths of scenarios are relative to.
    folder: &'a Path,
    study: WrittenStudy,
    sample: Option<u64>,
    design: Option<Design>,
    design_seed: Option<u64>,
}

impl Reader<'_> {
    fn read(mut self, root: &Node) -> Result<WrittenStudy, LabError> {
        let Tree::Map(entries) = &root.tree else { return Ok(self.study) };
        for entry in entries {
            self.key(entry);
        }
        if self.study.scenarios.is_empty() && !self.foreign.has_errors() {
            let help = "for example `scenarios: leaf-spine.yaml`, or a list".to_owned();
            self.report(root, "a study has no scenarios", "`scenarios` is missing", Some(help));
        }
        let has_sample = entries.iter().any(|entry| entry.key == "sample");
        let is_of_samples = |entry: &&Entry| ["design", "design_seed"].contains(&entry.key.as_str());
        for entry in entries.iter().filter(is_of_samples).filter(|_| !has_sample) {
            let help = "it says how many values within ranges are run".to_owned();
            self.report(
                &entry.value,
                format!("`{}` needs `sample`", entry.key),
                "there is no `sample`",
                Some(help),
            );
        }
        self.study.sampling = self.sample.map(|points| Sampling {
            points: points as u32,
            design: self.design.unwrap_or_default(),
            seed: self.design_seed.unwrap_or(1),
        });
        self.foreign.finish()?;
        Ok(self.study)
    }

    /// Reads a key at the root.
    fn key(&mut self, entry: &Entry) {
        let node = &entry.value;
        match entry.key.as_str() {
            "study" => drop(self.parsed(node, |text| match text {
                VERSION => Ok(()),
                _ => Err(format!("expected {VERSION}, the version of the form of studies")),
            })),
            "scenarios" => self.scenarios(node),
            "set" => self.set(node),
            "vary" => self.vary(node),
            "sample" => self.sample = self.parsed(node, |text| count(text, MOST_SAMPLES)),
            "design" => self.design = self.parsed(node, str::parse),
            "design_seed" => self.design_seed = self.parsed(node, |text| count(text, u64::MAX)),
            "bisect" => self.study.bisection = self.parsed(node, str::parse),
            "seeds" => self.study.seeds = self.parsed(node, str::parse),
            "until_ci" => self.study.until = self.parsed(node, str::parse),
            "baseline" => self.study.baseline = self.parsed(node, |text| Ok::<_, String>(text.to_owned())),
            "over" => self.study.over = self.parsed(node, over),
            "keep" => self.study.keep = self.parsed(node, str::parse),
            "point_limit" => self.study.point_limit = self.parsed(node, point_limit),
            other => {
                let (message, help) = (format!("unknown key `{other}`"), Foreign::hint(other, &KEYS));
                self.foreign.report(entry.key_location, message, "a study has no such key", help);
            }
        }
    }

    fn report(&mut self, node: &Node, message: impl Into<String>, label: &str, help: Option<String>) {
        self.foreign.report(node.spot(), message, label, help);
    }

    /// A single value.
    fn parsed<T, E: Display>(&mut self, node: &Node, parse: impl Fn(&str) -> Result<T, E>) -> Option<T> {
        let (Tree::Text(text) | Tree::Name(text)) = &node.tree else {
            self.report(
                node,
                format!("expected a single value, and this is {}", node.kind()),
                node.kind(),
                None,
            );
            return None;
        };
        parse(text).map_err(|error| self.report(node, error.to_string(), "not accepted here", None)).ok()
    }

    fn scenarios(&mut self, node: &Node) {
        let nodes = if let Tree::List(items) = &node.tree { items } else { std::slice::from_ref(node) };
        for node in nodes {
            let path = self.parsed(node, |text| Ok::<_, String>(PathBuf::from(text)));
            self.study.scenarios.extend(path.map(|path| self.folder.join(path)));
        }
    }

    /// The entries of a map from paths within the scenarios.
    fn paths<'n>(&mut self, node: &'n Node, help: &str) -> &'n [Entry] {
        if let Tree::Map(entries) = &node.tree {
            return entries;
        }
        let message = format!("expected a map from paths in the scenario, and this is {}", node.kind());
        self.report(node, message, node.kind(), Some(help.to_owned()));
        &[]
    }

    fn set(&mut self, node: &Node) {
        let entries = self.paths(node, "for example `set: { jobs.0.steps: 4 }`");
        self.study.set.extend(entries.iter().map(|entry| (entry.key.clone(), entry.value.in_flow_style())));
    }

    fn vary(&mut self, node: &Node) {
        let entries = self.paths(node, "for example `vary: { balance: [ecmp, spray] }`");
        for entry in entries.iter().filter(|entry| entry.key.is_empty() || entry.key.contains('=')) {
            let help = Some("for example `jobs.0.steps`".to_owned());
            let message = format!("`{}` is not a path in the scenario", entry.key);
            self.foreign.report(entry.key_location, message, "not a path", help);
        }
        let variations = entries.iter().filter_map(|Entry { key: path, value, .. }| {
            let values = match &value.tree {
                Tree::List(items) => VariedValues::List(items.iter().map(Node::in_flow_style).collect()),
                Tree::Text(text) | Tree::Name(text) => {
                    format!("{path}={text}").parse::<Variation>().ok()?.values
                }
                Tree::Map(_) | Tree::Nothing => VariedValues::List(vec![value.in_flow_style()]),
            };
            Some(Variation { path: path.clone(), values })
        });
        self.study.vary.extend(variations);
    }
}

/// An integer from 1 to a bound.
fn count(text: &str, most: u64) -> Result<u64, String> {
    let found = text.parse::<u64>().ok().filter(|found| (1..=most).contains(found));
    found.ok_or_else(|| format!("expected an integer from 1 to {most}"))
}
