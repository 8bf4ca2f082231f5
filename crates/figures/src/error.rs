//! What can go wrong with figures, in words for users.
//!
//! Invariants: every message says what was found and ends with the place it is about.

use std::io;
use std::path::PathBuf;

use netloom_report::ReportError;

use crate::draw::MOST_DOTS;
use crate::figure::LeftOut;

/// Why figures could not be made.
#[derive(Debug, thiserror::Error)]
pub enum FigureError {
    /// A run folder cannot be read, or lacks what the report needs.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// There is nothing to draw.
    #[error("no figure is left{}", reasons(.0))]
    Nothing(Vec<LeftOut>),
    /// Files are there.
    #[error("files are already there, and overwriting them was not asked for: {}", listed(.0))]
    Exists(Vec<PathBuf>),
    /// Something that is no file stands in a file's place.
    #[error("a figure is a file, and this is none: {}", .0.display())]
    NotAFile(PathBuf),
    /// A file stands in the folder's place.
    #[error("figures are put into a folder, and this is a file: {}", .0.display())]
    NotAFolder(PathBuf),
    /// Dots per inch were asked for where there are no dots.
    #[error("dots per inch are for `png`; `{0}` has none")]
    NoDots(&'static str),
    /// A picture of so many dots cannot be made.
    #[error(
        "with {dots_per_inch} dots per inch there would be more than {MOST_DOTS} of them in the figure `{name}`; \
         PDF and SVG are fine at any size"
    )]
    TooLarge {
        /// Which.
        name: &'static str,
        /// How fine it would be.
        dots_per_inch: u32,
    },
    /// The system refused.
    #[error("cannot write the figures ({source}): {}", .path.display())]
    Unwritable {
        /// Where.
        path: PathBuf,
        /// Why not.
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
