//! Why something could not be imported.

use std::path::PathBuf;

use netloom_scenario::{Diagnostics, Style};

use crate::words;

/// Mistakes beyond this many are counted, not shown.
const MOST_SHOWN: usize = 50;

/// Why something could not be imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The text has mistakes, or says what a scenario cannot.
    #[error(transparent)]
    Text(Box<Diagnostics>),
    /// A list of ring orders that does not fit.
    #[error("the rings cannot be used ({reason}): {name}")]
    Rings {
        /// The list's file.
        name: String,
        /// Why not.
        reason: String,
    },
    /// A folder that is of no known layout.
    #[error("nothing that can be imported is there (expected {expected}): {}", .path.display())]
    NoLayout {
        /// Which folder.
        path: PathBuf,
        /// What would be.
        expected: &'static str,
    },
    /// Folders of two layouts, whose cells are the same.
    #[error(
        "tables of means and jobs of the framework cannot be imported into one folder: import them one after the other"
    )]
    BothLayouts,
    /// A system that nobody measured.
    #[error("there is no system `{name}`, there are: {}", .known.join(", "))]
    NoSystem {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A document with mistakes that are told by where they are in it.
    #[error("{}", list(.mistakes, .name))]
    Document {
        /// Its file.
        name: String,
        /// All of them.
        mistakes: Vec<String>,
    },
    /// Texts without a single result.
    #[error("there are no results in it: {0}")]
    Empty(String),
    /// Runs of an earlier import that would be mixed with those of this one.
    #[error("the folder has other runs than those that are written now, remove them or write elsewhere: {}", paths(.0))]
    Others(Vec<PathBuf>),
    /// A mistake of ours.
    #[error("internal error: no mistake was found, and yet this could not be read: {0}")]
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
    /// The whole message for people, mistakes shown with their places.
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
