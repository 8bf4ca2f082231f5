//! The variants of a sweep: every scenario with every combination of the varied values.
//!
//! Invariants: the order is that of the scenarios and of the values as given, the last variation changing fastest; no
//! two variants share a folder, on file systems that ignore case either.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf, absolute};
use std::sync::Arc;

use netloom_records::Digest;
use netloom_scenario::{Diagnostics, Overrides};
use serde::Serialize;

use super::variation::Variation;
use crate::cost::cost;
use crate::error::LabError;
use crate::names::{descriptive_name, hashed_name};
use crate::origin::CollectingSource;
use crate::prepare::{Prepared, prepare_from};
use crate::source::{Shelf, Source, SourceText};

/// Path of the aggressor in a scenario.
const AGGRESSOR: &str = "interference.aggressor";
/// Folder of all points in that of a sweep.
const POINTS: &str = "points";

/// A scenario with one value for each varied path.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Variant {
    /// Its name in tables.
    pub name: String,
    /// The name of its scenario.
    pub scenario: String,
    /// A value for each variation.
    pub values: Vec<String>,
    /// The folder of its runs, relative to the sweep's folder.
    pub folder: PathBuf,
    /// Digest of the resolved scenario without the seed.
    pub digest: Digest,
    #[serde(skip)]
    pub(crate) source: Source,
    /// The texts of its scenario and of its bases.
    #[serde(skip)]
    pub(super) texts: Arc<SourceText>,
    #[serde(skip)]
    pub(crate) overrides: Overrides,
    /// The wall time that a run is expected to take, in seconds, and its memory in bytes.
    #[serde(skip)]
    pub(super) seconds: f64,
    #[serde(skip)]
    pub(super) memory_bytes: f64,
    #[serde(skip)]
    pub(super) has_jobs: bool,
    /// The resolved scenario.
    #[serde(skip)]
    pub(super) resolved: String,
}

/// A variant before it is compiled.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    /// Number of its scenario.
    pub scenario: usize,
    /// A value for each variation.
    pub values: Vec<String>,
}

/// All combinations of the listed values; `vectors` has the values of the ranges, of which each combination has all.
pub(super) fn combinations(n_scenarios: usize, vary: &[Variation], vectors: &[Vec<String>]) -> Vec<Draft> {
    let mut drafts: Vec<Draft> =
        (0..n_scenarios).map(|scenario| Draft { scenario, values: Vec::new() }).collect();
    let unknown = [String::new()];
    for variation in vary {
        let longer = |draft: Draft| {
            variation.list().unwrap_or(&unknown).iter().map(move |value| {
                let mut longer = draft.clone();
                longer.values.push(value.clone());
                longer
            })
        };
        drafts = drafts.into_iter().flat_map(longer).collect();
    }
    let with = |draft: Draft| vectors.iter().map(move |vector| draft.clone().with(vary, vector));
    drafts.into_iter().flat_map(with).collect()
}

impl Draft {
    /// The same with these values of the ranges.
    fn with(mut self, vary: &[Variation], vector: &[String]) -> Draft {
        let ranges = (0..vary.len()).filter(|&column| vary[column].range().is_some());
        for (column, value) in ranges.zip(vector) {
            self.values[column].clone_from(value);
        }
        self
    }

    /// Compiles it with a seed; returns also its settings that have no effect.
    pub fn compile(
        &self,
        source: &Source,
        set: &[(String, String)],
        vary: &[Variation],
        seed: u64,
    ) -> Result<(Variant, Diagnostics), LabError> {
        let varied = vary.iter().zip(&self.values);
        let varied = varied.map(|(variation, value)| (variation.path.clone(), value.clone()));
        let overrides = Overrides { set: set.to_vec(), vary: varied.collect(), seed: Some(seed) };
        let collecting = CollectingSource::new(source.clone());
        let prepared = prepare_from(&source.read()?, &collecting, &overrides)?;
        prepared.check_programs()?;
        let cost = cost(&prepared)?;
        let Prepared { name, compiled, .. } = prepared;
        let variant = Variant {
            name: assignments(vary, &self.values, ", "),
            scenario: name,
            values: self.values.clone(),
            folder: PathBuf::new(),
            digest: digest_without_seed(&compiled.resolved_yaml),
            source: source.clone(),
            texts: Arc::new(texts(source, collecting.bases())?),
            overrides,
            seconds: cost.seconds,
            memory_bytes: cost.memory_bytes,
            has_jobs: !compiled.job_names.is_empty(),
            resolved: compiled.resolved_yaml,
        };
        Ok((variant, compiled.warnings))
    }
}

impl Variant {
    /// Whether an aggressor is varied, and this is the variant without one.
    pub(super) fn is_baseline(&self, vary: &[Variation]) -> bool {
        let is_none =
            |(variation, value): (&Variation, &String)| variation.path == AGGRESSOR && value == "none";
        vary.iter().zip(&self.values).any(is_none)
    }

    /// Its name without the value of one of the variations; empty if nothing is left.
    pub(super) fn others(&self, column: usize, vary: &[Variation]) -> String {
        let mut values = self.values.clone();
        values.remove(column);
        let mut vary = vary.to_vec();
        vary.remove(column);
        assignments(&vary, &values, ", ")
    }

    /// The folder of the run with a seed, relative to the sweep's folder.
    pub fn point_folder(&self, seed: u64) -> PathBuf {
        self.folder.join(format!("seed-{seed}"))
    }
}

/// The texts of a scenario, with absolute paths, so that they mean the same in another working directory.
fn texts(source: &Source, bases: Shelf) -> Result<SourceText, LabError> {
    let text = String::from_utf8_lossy(&source.read()?).into_owned();
    let whole = |path: &Path| absolute(path).unwrap_or_else(|_| path.to_owned());
    let bases: Shelf = bases.into_iter().map(|(path, text)| (whole(&path), text)).collect();
    let path = source.path().map(whole);
    Ok(SourceText { name: source.name(), text: text.into(), path, bases: Arc::new(bases) })
}

/// A digest that is equal for two resolved scenarios exactly if they differ at most in the seed.
pub(super) fn digest_without_seed(resolved: &str) -> Digest {
    let others: Vec<&str> = resolved.lines().filter(|line| !line.starts_with("seed: ")).collect();
    Digest::of(others.join("\n").as_bytes())
}

/// `path=value` for each variation.
fn assignments(vary: &[Variation], values: &[String], between: &str) -> String {
    let pairs = vary.iter().zip(values).map(|(variation, value)| format!("{}={value}", variation.path));
    pairs.collect::<Vec<_>>().join(between)
}

/// Gives each variant a name for tables and a folder; names of scenarios are already known to differ.
pub(super) fn name_all(variants: &mut [Variant], vary: &[Variation]) {
    let several = variants.windows(2).any(|two| two[0].scenario != two[1].scenario);
    let scenarios: Vec<&str> = variants.iter().map(|variant| variant.scenario.as_str()).collect();
    let scenarios = distinct(&scenarios);
    let values: Vec<String> =
        variants.iter().map(|variant| assignments(vary, &variant.values, ",")).collect();
    let names: Vec<&str> = values.iter().map(String::as_str).collect();
    let names = distinct(&names);
    for (variant, text) in variants.iter_mut().zip(&values) {
        variant.name = assignments(vary, &variant.values, ", ");
        variant.folder = Path::new(POINTS).join(&scenarios[variant.scenario.as_str()]);
        if !vary.is_empty() {
            variant.folder.push(&names[text.as_str()]);
        }
        if several || vary.is_empty() {
            let whole = format!("{} {}", variant.scenario, variant.name);
            variant.name = whole.trim_end().into();
        }
    }
}

/// A folder name for each text; names that a file system that ignores case would identify all get a hash.
fn distinct(texts: &[&str]) -> BTreeMap<String, String> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    for text in texts {
        let name = descriptive_name(text);
        if names.insert((*text).to_owned(), name.clone()).is_none() {
            *uses.entry(name.to_lowercase()).or_default() += 1;
        }
    }
    for (text, name) in &mut names {
        if uses[&name.to_lowercase()] > 1 {
            *name = hashed_name(text);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_variation_changes_fastest() {
        let vary: Vec<Variation> = ["a=1,2", "b=x,y"].map(|text| text.parse().expect("it is one")).into();
        let all: Vec<String> = combinations(2, &vary, &[Vec::new()])
            .iter()
            .map(|draft| draft.scenario.to_string() + &draft.values.concat())
            .collect();
        assert_eq!(all, ["01x", "01y", "02x", "02y", "11x", "11y", "12x", "12y"]);
        assert_eq!(combinations(1, &[], &[Vec::new()]).len(), 1);
        let vary: Vec<Variation> = ["r=0..9", "a=1,2"].map(|text| text.parse().expect("it is one")).into();
        let vectors = [vec!["3".to_owned()], vec!["7".to_owned()]];
        let all: Vec<String> =
            combinations(1, &vary, &vectors).iter().map(|draft| draft.values.concat()).collect();
        assert_eq!(all, ["31", "71", "32", "72"]);
    }

    #[test]
    fn names_that_differ_only_in_case_are_distinguished() {
        let names = distinct(&["size=1MB", "size=1mb", "size=2MB"]);
        assert_eq!(names["size=2MB"], "size=2MB");
        assert!(names["size=1MB"].starts_with("size=1MB~") && names["size=1mb"].starts_with("size=1mb~"));
        assert_ne!(names["size=1MB"].to_lowercase(), names["size=1mb"].to_lowercase());
    }

    #[test]
    fn the_digest_excludes_only_the_seed() {
        let digest = |text: &str| digest_without_seed(text);
        assert_eq!(digest("a: 1\nseed: 1\n"), digest("a: 1\nseed: 22\n"));
        assert_ne!(digest("a: 1\nseed: 1\n"), digest("a: 2\nseed: 1\n"));
        assert_ne!(digest("a:\n  seed: 1\n"), digest("a:\n  seed: 2\n"));
    }
}
