//! Errors of figures, with messages for users.
//!
//! Invariants: every message says what was found and ends with the path that it is about.

use std::io;
use std::path::PathBuf;

use netloom_report::ReportError;

use crate::draw::MOST_DOTS;
use crate::figure::LeftOut;

/// The reason why figures cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum FigureError {
    /// A run folder cannot be read, or lacks what the report needs.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// There is nothing to draw.
    #[error("no figure is left{}", reasons(.0))]
    Nothing(Vec<LeftOut>),
    /// Files exist already.
    #[error("files exist already and are not replaced without --force: {}", listed(.0))]
    Exists(Vec<PathBuf>),
    /// The path of a file is taken by something else.
    #[error("a figure is written to a file, and this path is not a file: {}", .0.display())]
    NotAFile(PathBuf),
    /// The path of the folder is taken by a file.
    #[error("figures are written to a folder, and this is a file: {}", .0.display())]
    NotAFolder(PathBuf),
    /// Dots per inch were given for a format without dots.
    #[error("dots per inch are for `png`; `{0}` has none")]
    NoDots(&'static str),
    /// A picture with too many dots.
    #[error(
        "with {dots_per_inch} dots per inch there would be more than {MOST_DOTS} of them in the figure `{name}`; \
         PDF and SVG are fine at any size"
    )]
    TooLarge {
        /// The figure.
        name: &'static str,
        /// Its dots per inch.
        dots_per_inch: u32,
    },
    /// The system returned an error.
    #[error("cannot write the figures ({source}): {}", .path.display())]
    Unwritable {
        /// The path.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
}

fn reasons(left_out: &[LeftOut]) -> String {
    let mut text = String::new();
    for figure in left_out {
        text.push_str(&format!("; `{}`: {}", figure.name, figure.reason));
    }
    text
}

fn listed(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}
