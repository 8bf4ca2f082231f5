//! Errors of imports.

use std::path::PathBuf;

use netloom_scenario::{Diagnostics, Style};

use crate::words;

/// Mistakes beyond this number are counted, not shown.
const MOST_SHOWN: usize = 50;

/// The reason why an import failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The text has mistakes, or contains something that a scenario cannot express.
    #[error(transparent)]
    Text(Box<Diagnostics>),
    /// An unusable list of ring orders.
    #[error("the rings cannot be used ({reason}): {name}")]
    Rings {
        /// The file of the list.
        name: String,
        /// The reason.
        reason: String,
    },
    /// A folder with no known layout.
    #[error("the folder contains nothing that can be imported (expected {expected}): {}", .path.display())]
    NoLayout {
        /// The folder.
        path: PathBuf,
        /// The expected files.
        expected: &'static str,
    },
    /// Folders of two layouts, which may contain the same cells.
    #[error(
        "tables of means and jobs of the framework cannot be imported into one folder: import them one after the other"
    )]
    BothLayouts,
    /// An unknown system.
    #[error("there is no system `{name}`; expected one of {}", .known.join(", "))]
    NoSystem {
        /// The requested name.
        name: String,
        /// Names of all systems.
        known: Vec<String>,
    },
    /// A document with mistakes, each with its path in the document.
    #[error("{}", list(.mistakes, .name))]
    Document {
        /// Its file.
        name: String,
        /// All of them.
        mistakes: Vec<String>,
    },
    /// Files without results.
    #[error("no results were found: {0}")]
    Empty(String),
    /// Runs of an earlier import that would be mixed with the new ones.
    #[error("the folder has runs of another import; remove them or write elsewhere: {}", paths(.0))]
    Others(Vec<PathBuf>),
    /// A defect of netloom.
    #[error("internal error: no mistake was found, but this could not be read: {0}")]
    Internal(String),
}

fn list(mistakes: &[String], name: &str) -> String {
    let lines: Vec<String> = mistakes.iter().take(MOST_SHOWN).map(|mistake| format!("  {mistake}")).collect();
    let count = words::some(mistakes.len() as u64, "mistake");
    format!("{count} in {name}\n{}", lines.join("\n"))
}

fn paths(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

impl ImportError {
    /// The complete message for users, mistakes shown with their locations.
    pub fn render(&self, style: Style) -> String {
        match self {
            ImportError::Text(diagnostics) => diagnostics.render(style),
            other => format!("{other}\n"),
        }
    }
}

impl From<Diagnostics> for ImportError {
    fn from(diagnostics: Diagnostics) -> ImportError {
        ImportError::Text(Box::new(diagnostics))
    }
}
