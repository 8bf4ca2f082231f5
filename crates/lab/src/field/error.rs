//! What can go wrong with a study on a machine, in words for users.
//!
//! Invariants: every message names the file, folder or option it is about, and the line where there is one.

use std::io;
use std::path::PathBuf;

use super::files::{BUILD_LOG, STUDY_FILE};
use super::results::Broken;

/// What is wrong with a request, or with the files that are there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FieldError {
    /// A folder that holds something else.
    #[error("the folder holds other files and is no prepared study, nothing is written there: {}", .0.display())]
    Foreign(PathBuf),
    /// Another study is there.
    #[error("another study is prepared there ({difference}): {}", .path.display())]
    Other {
        /// Which folder.
        path: PathBuf,
        /// How it differs from the one asked for.
        difference: String,
    },
    /// A value of an option that makes no sense.
    #[error("{option}: {problem}")]
    Option {
        /// Which option.
        option: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// Not a prepared study.
    #[error("this is no prepared study, it has no {STUDY_FILE}; `netloom field prepare` makes one: {}", .0.display())]
    NoStudy(PathBuf),
    /// A study that cannot be understood.
    #[error("the study cannot be understood ({detail}): {}", .path.display())]
    Study {
        /// Which file.
        path: PathBuf,
        /// Why not.
        detail: String,
    },
    /// A file of the program's results is not what it should be.
    #[error(transparent)]
    Broken(#[from] Broken),
    /// Times that no clock measured.
    #[error("iterations one after the other last longer than any clock can count: {}", .0.display())]
    Clocks(PathBuf),
    /// Nothing was measured.
    #[error("none of the {n_points} points of the study is measured; `netloom field run` does so here, run.sh elsewhere: {}\n{}", .path.display(), indented(.missing))]
    NothingMeasured {
        /// Number of points.
        n_points: usize,
        /// Which study.
        path: PathBuf,
        /// Why not, point by point.
        missing: Vec<String>,
    },
    /// Some points are not measured.
    #[error("{} of the {n_points} points of the study are not measured; `--partial` leaves out what is missing: {}\n{}", .missing.len(), .path.display(), indented(.missing))]
    NotWhole {
        /// Number of points.
        n_points: usize,
        /// Which study.
        path: PathBuf,
        /// Why not, point by point.
        missing: Vec<String>,
    },
    /// A plan is not the one that was prepared.
    #[error("this plan is not the one that was prepared, and its results would be of no study; once it is removed, \
             `netloom field prepare` writes it again: {}", .0.display())]
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
    #[error("`{0}` is neither Open MPI's nor MPICH's launcher; `--mpi` states whose it is")]
    UnknownLauncher(String),
    /// The program could not be built.
    #[error("the program could not be built; {BUILD_LOG} ends with:\n{}", indented(.tail))]
    NotBuilt {
        /// The compiler's last lines.
        tail: Vec<String>,
    },
    /// The program is not there.
    #[error("there is no such program: {}", .0.display())]
    NoProgram(PathBuf),
    /// A point was not measured.
    #[error("{point} was not measured ({how}); the last lines of its launcher are:\n{}", indented(.tail))]
    NotMeasured {
        /// Which point.
        point: String,
        /// How the launcher ended.
        how: String,
        /// Its last lines.
        tail: Vec<String>,
    },
    /// A host that the network lacks.
    #[error("the network has no host `{0}`: the point's `scenario.yaml` is not the one that was prepared")]
    NoHost(String),
    /// The system refused.
    #[error("cannot {action} ({source}): {}", .path.display())]
    Io {
        /// What was to be done.
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl FieldError {
    /// Whether a measurement failed, and not what was asked for.
    pub(crate) fn is_failure(&self) -> bool {
        matches!(self, FieldError::NotMeasured { .. })
    }

    /// For `map_err`: the system refused.
    pub(super) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> FieldError {
        let path = path.into();
        move |source| FieldError::Io { action, path, source }
    }
}

fn indented(lines: &[String]) -> String {
    lines.iter().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}
