//! Why something could not be imported.

use netloom_scenario::{Diagnostics, Style};

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
    /// A mistake of ours.
    #[error("internal error: no mistake was found, and yet this could not be read: {0}")]
    Internal(String),
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
