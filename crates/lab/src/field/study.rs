//! A prepared study: points, plans and resolved scenarios, as stored in `study.json`.
//!
//! Models: everything that `collect` needs, so that the original scenario files may change or be deleted.
//! Leaves out: results.
//!
//! Invariants: a study that is read has this version's format and the digest that was computed when it was prepared.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use netloom_records::{ChangedSetting, Digest, write_whole};
use serde::{Deserialize, Serialize};

use super::error::FieldError;
use super::files::{STUDY_DRAFT, STUDY_FILE};
use super::plan::FieldPlan;
use crate::error::LabError;

/// Version of the format.
const FORMAT: u32 = 1;

/// See the module.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// Version of the format.
    pub format: u32,
    /// Version of netloom that prepared it.
    pub netloom: String,
    /// Name of the scenario.
    pub name: String,
    /// The file from which it was read.
    pub source: String,
    /// The command line, word by word.
    pub command: Vec<String>,
    /// Differences between what is simulated and what is measured.
    pub notes: Vec<String>,
    /// One point per plan.
    pub points: Vec<StudyPoint>,
    /// Digest of names, plans, hosts and scenarios of the points; plans state it.
    pub digest: Digest,
}

/// A plan, and the scenarios that it measures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyPoint {
    /// Its name, also that of its folder.
    pub name: String,
    /// The seed of the scenario.
    pub seed: u64,
    /// The plan of the program.
    pub plan: FieldPlan,
    /// Names of the hosts of its ranks in the scenario.
    pub hosts: Vec<String>,
    /// Differences between what is simulated and what is measured.
    pub notes: Vec<String>,
    /// The runs into which its results are turned.
    pub runs: Vec<StudyRun>,
}

/// A run as a simulation would store it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyRun {
    /// The part of the plan that measures it.
    pub kind: RunKind,
    /// The scenario with all values written out.
    pub scenario_yaml: String,
    /// Its settings that differ from their defaults.
    pub changed: Vec<ChangedSetting>,
}

/// The part of a plan that measures a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// Baseline segments of an interference study.
    Baseline,
    /// Its congested segment.
    Congested,
    /// A collective in one or more sizes.
    Latency,
    /// Streams between pairs.
    Streams,
}

impl RunKind {
    /// The name of the run's folder.
    pub fn word(self) -> &'static str {
        match self {
            RunKind::Baseline => "baseline",
            RunKind::Congested => "congested",
            RunKind::Latency => "latency",
            RunKind::Streams => "streams",
        }
    }
}

impl Study {
    /// Creates a study of these points, whose plans get its digest.
    pub(super) fn new(
        name: String,
        source: String,
        command: Vec<String>,
        mut points: Vec<StudyPoint>,
    ) -> Study {
        let digest = digest(&points);
        let mut seen = BTreeSet::new();
        let notes = points.iter().flat_map(|point| &point.notes);
        let notes = notes.filter(|note| seen.insert(note.as_str())).cloned().collect();
        for point in &mut points {
            point.plan.study = digest;
        }
        let netloom = env!("CARGO_PKG_VERSION").to_owned();
        Study { format: FORMAT, netloom, name, source, command, notes, points, digest }
    }

    /// Reads the study of a folder.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn read(folder: &Path) -> Result<Study, LabError> {
        Ok(Study::find(folder)?.ok_or_else(|| FieldError::NoStudy(folder.to_owned()))?)
    }

    /// The study of a folder, if there is one.
    pub(super) fn find(folder: &Path) -> Result<Option<Study>, FieldError> {
        let path = folder.join(STUDY_FILE);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => {
                return Ok(None);
            }
            Err(error) => return Err(FieldError::io("read the study", path)(error)),
        };
        Study::of(&bytes).map(Some).map_err(|detail| FieldError::Study { path, detail })
    }

    fn of(bytes: &[u8]) -> Result<Study, String> {
        let study: Study = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if study.format != FORMAT {
            return Err(format!("its format is {}, and this netloom reads {FORMAT}", study.format));
        }
        if let Some(point) = study.points.iter().find(|point| !is_safe(&point.name)) {
            return Err(format!("`{}` is no valid name of a point", point.name));
        }
        let is_stated = study.points.iter().all(|point| point.plan.study == study.digest);
        if study.digest != digest(&study.points) || !is_stated {
            return Err("its points differ from those that were prepared; it may have been edited".to_owned());
        }
        Ok(study)
    }

    /// Writes it into a folder.
    pub(super) fn write(&self, folder: &Path) -> Result<(), LabError> {
        let mut text = serde_json::to_string_pretty(self).expect("a study is JSON");
        text.push('\n');
        Ok(write_whole(&folder.join(STUDY_FILE), &folder.join(STUDY_DRAFT), text.as_bytes())?)
    }
}

/// A placeholder digest: plans state it until the digest of their study is computed.
pub(super) fn no_digest() -> Digest {
    Digest::of(&[])
}

/// Digest of names, plans, hosts and scenarios of points, independent of the digest in the plans.
fn digest(points: &[StudyPoint]) -> Digest {
    let mut points = points.to_vec();
    for point in &mut points {
        point.plan.study = no_digest();
    }
    Digest::of(&serde_json::to_vec(&points).expect("points are JSON"))
}

/// Whether a name is safe as the name of a folder inside the study.
fn is_safe(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0', '\n', '\''])
}
