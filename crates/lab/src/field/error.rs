//! Errors of a study on a machine, as messages for users.
//!
//! Invariants: every message names the file, folder or option concerned, and the line where there is one.

use std::io;
use std::path::PathBuf;

use super::files::{BUILD_LOG, STUDY_FILE};
use super::results::Broken;

/// An error in a request, or in the existing files.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FieldError {
    /// A folder with other contents.
    #[error("the folder holds other files and is no prepared study, so nothing is written there: {}", .0.display())]
    Foreign(PathBuf),
    /// The folder holds another study.
    #[error("the folder holds another prepared study ({difference}): {}", .path.display())]
    Other {
        /// The folder.
        path: PathBuf,
        /// The difference to the requested study.
        difference: String,
    },
    /// An invalid value of an option.
    #[error("{option}: {problem}")]
    Option {
        /// The option.
        option: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// Not a prepared study.
    #[error("this is no prepared study, it has no {STUDY_FILE}; `netloom field prepare` creates one: {}", .0.display())]
    NoStudy(PathBuf),
    /// A study that cannot be read.
    #[error("the study cannot be read ({detail}): {}", .path.display())]
    Study {
        /// The file.
        path: PathBuf,
        /// Why not.
        detail: String,
    },
    /// A malformed file of the program's results.
    #[error(transparent)]
    Broken(#[from] Broken),
    /// Times beyond the range of a clock.
    #[error("consecutive iterations last longer than a clock can count: {}", .0.display())]
    Clocks(PathBuf),
    /// Nothing was measured.
    #[error("none of the {n_points} points of the study is measured; `netloom field run` measures them here, run.sh elsewhere: {}\n{}", .path.display(), indented(.missing))]
    NothingMeasured {
        /// Number of points.
        n_points: usize,
        /// The study.
        path: PathBuf,
        /// The reasons, point by point.
        missing: Vec<String>,
    },
    /// Some points are not measured.
    #[error("{} of the {n_points} points of the study are not measured; `--partial` leaves out what is missing: {}\n{}", .missing.len(), .path.display(), indented(.missing))]
    NotWhole {
        /// Number of points.
        n_points: usize,
        /// The study.
        path: PathBuf,
        /// The reasons, point by point.
        missing: Vec<String>,
    },
    /// A plan differs from the one that was prepared.
    #[error("this plan differs from the one that was prepared, so its results would not belong to the study; remove \
             it, and `netloom field prepare` writes it again: {}", .0.display())]
    Edited(PathBuf),
    /// A tool is missing.
    #[error("{tool} is needed and cannot be started; Debian's packages: {packages}")]
    Tool {
        /// Its name.
        tool: String,
        /// Packages that have it.
        packages: &'static str,
    },
    /// No MPI library was found.
    #[error(
        "neither Open MPI nor MPICH was found (mpiexec); Debian's packages: openmpi-bin libopenmpi-dev, or mpich libmpich-dev"
    )]
    NoMpi,
    /// A launcher of an unknown library.
    #[error("`{0}` is the launcher of neither Open MPI nor MPICH; `--mpi` states its library")]
    UnknownLauncher(String),
    /// The program could not be built.
    #[error("the program could not be built; {BUILD_LOG} ends with:\n{}", indented(.tail))]
    NotBuilt {
        /// The compiler's last lines.
        tail: Vec<String>,
    },
    /// The program does not exist.
    #[error("there is no such program: {}", .0.display())]
    NoProgram(PathBuf),
    /// A point was not measured.
    #[error("{point} was not measured ({how}); the last lines of its launcher are:\n{}", indented(.tail))]
    NotMeasured {
        /// The point.
        point: String,
        /// How the launcher ended.
        how: String,
        /// Its last lines.
        tail: Vec<String>,
    },
    /// A host that the network lacks.
    #[error("the network has no host `{0}`: the point's `scenario.yaml` differs from the prepared one")]
    NoHost(String),
    /// The operating system reported an error.
    #[error("cannot {action} ({source}): {}", .path.display())]
    Io {
        /// The operation.
        action: &'static str,
        /// The path.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
}

impl FieldError {
    /// Whether a measurement failed, and not the request.
    pub(crate) fn is_failure(&self) -> bool {
        matches!(self, FieldError::NotMeasured { .. })
    }

    /// For `map_err`: an error of the operating system.
    pub(super) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> FieldError {
        let path = path.into();
        move |source| FieldError::Io { action, path, source }
    }
}

fn indented(lines: &[String]) -> String {
    lines.iter().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}
