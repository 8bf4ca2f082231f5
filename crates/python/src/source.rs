//! Scenarios and changes to them, as Python passes them.

use std::sync::Arc;

use netloom_lab::{LabError, Over, Overrides, Source, SourceText, summary};
use pyo3::FromPyObject;

use crate::errors::Refused;

/// A scenario: the path of a file, or a text with its name in messages.
#[derive(FromPyObject)]
pub enum ScenarioSource {
    /// A name and a text.
    Text(String, String),
    /// The path of a file.
    File(std::path::PathBuf),
}

impl From<ScenarioSource> for Source {
    fn from(source: ScenarioSource) -> Source {
        match source {
            // As if it were a file in the working directory: relative paths in it start there.
            ScenarioSource::Text(name, text) => {
                let path = std::env::current_dir().ok().map(|folder| folder.join("scenario.yaml"));
                Source::Text(SourceText { name, text: text.into(), path, bases: Arc::default() })
            }
            ScenarioSource::File(path) => Source::file(path),
        }
    }
}

/// Changes to a scenario.
pub fn overrides(set: Vec<(String, String)>, seed: Option<u64>) -> Overrides {
    Overrides { set, seed, ..Overrides::default() }
}

/// The part of a run that statistics cover.
pub fn over(text: &str) -> Result<Over, Refused> {
    summary::over(text).map_err(|message| Refused::argument("over", text, &message))
}

/// A result as JSON.
pub fn json(value: &impl serde::Serialize) -> Result<String, Refused> {
    serde_json::to_string(value)
        .map_err(|error| LabError::Internal(format!("the result cannot be written as JSON: {error}")).into())
}
