//! What can go wrong, in words for users, and what it means for a command's exit code.
//!
//! Invariants: every message says what was found and ends with the place it is about; only our own mistakes are internal.

use std::io;
use std::path::PathBuf;

use netloom_figures::FigureError;
use netloom_records::statistics::OutsideRun;
use netloom_records::{FolderError, Outcome, Problem, ReadError, SinkError, Status};
use netloom_report::ReportError;
use netloom_scenario::{Diagnostics, Style};
use netloom_testbed::Refusal;

use crate::export::ExportError;
use crate::field::FieldError;
use crate::import::ImportError;
use crate::show::ShowError;
use crate::sweep::SweepError;
use crate::words::{harmless, time};

/// Most threads a run may use.
const MOST_THREADS: usize = 256;

/// Refuses a number of threads that makes no sense.
pub(crate) fn check_threads(threads: usize) -> Result<(), LabError> {
    if (1..=MOST_THREADS).contains(&threads) { Ok(()) } else { Err(LabError::Threads(threads)) }
}

/// How a command says in a number how it went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum ExitCode {
    /// All is well.
    Good = 0,
    /// A study's check failed.
    CheckFailed = 1,
    /// What was asked for cannot be done: a mistake in a scenario, a file, an argument.
    BadInput = 2,
    /// The run ended before its work was done: stopped, stalled, unreachable, at its deadline, or a full disk.
    StoppedEarly = 3,
    /// A mistake of ours.
    Internal = 4,
}

impl ExitCode {
    /// What the end of a run means.
    pub fn of(outcome: &Outcome) -> ExitCode {
        match outcome.status {
            Status::Complete => ExitCode::Good,
            Status::Stopped | Status::Deadline | Status::Stalled | Status::Deadlock | Status::Unreachable => {
                ExitCode::StoppedEarly
            }
        }
    }
}

/// Why something could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// The system refused to read a scenario.
    #[error("cannot read the scenario ({source}): {}", .path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A folder stands where a scenario is expected.
    #[error("a scenario is a file, and this is a folder: {}", .0.display())]
    NotAFile(PathBuf),
    /// A pipe, a device or the like stands where a base is expected.
    #[error("a scenario can inherit from a plain file only, and this is none: {}", .0.display())]
    NotPlain(PathBuf),
    /// A file too large to be a scenario.
    #[error("this is too large for a scenario (more than {limit} bytes): {}", .path.display())]
    TooLarge {
        /// Which file.
        path: PathBuf,
        /// The most that is read.
        limit: u64,
    },
    /// Nothing is there.
    #[error("there is no such file or folder: {}", .0.display())]
    Missing(PathBuf),
    /// The scenario has mistakes.
    #[error(transparent)]
    Scenario(Box<Diagnostics>),
    /// What was to be imported has mistakes.
    #[error(transparent)]
    Import(Box<ImportError>),
    /// A scenario cannot be written.
    #[error("cannot write the scenario ({source}): {}", .path.display())]
    Unwritable {
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A run cannot be shown while it goes on.
    #[error("cannot show the run while it goes on ({source}): {address}")]
    Unserved {
        /// Where it would be shown.
        address: String,
        /// Why not.
        source: io::Error,
    },
    /// A number of threads that makes no sense.
    #[error("the number of threads must be from 1 to {MOST_THREADS}, not {0}")]
    Threads(usize),
    /// The run folder cannot be written.
    #[error(transparent)]
    Folder(FolderError),
    /// Rows could not be stored any more; the run ended there.
    #[error("the run ended early, because its records could not be stored: {0}")]
    Storing(SinkError),
    /// A run folder cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A report cannot be made.
    #[error(transparent)]
    Report(ReportError),
    /// Figures cannot be made.
    #[error(transparent)]
    Figures(FigureError),
    /// A run folder is not what its manifest says.
    #[error("the run folder is not what its manifest says ({}): {}", joined(.problems), .path.display())]
    Altered {
        /// Which folder.
        path: PathBuf,
        /// Everything that is wrong with it.
        problems: Vec<Problem>,
    },
    /// A run folder was written by something that left out what is needed here.
    #[error("the manifest lacks `{what}`: {}", .path.display())]
    Lacking {
        /// Which folder.
        path: PathBuf,
        /// What is missing.
        what: &'static str,
    },
    /// Figures were asked for over a part of a run that lies outside of it.
    #[error(
        "the span from {} to {} is not within the run, which ended at {}: {}",
        time(found.asked[0]), time(found.asked[1]), time(found.end), .path.display()
    )]
    OutsideRun {
        /// Which folder.
        path: PathBuf,
        /// What was asked for.
        found: OutsideRun,
    },
    /// What a run recorded does not hold what was asked for.
    #[error(transparent)]
    Show(#[from] ShowError),
    /// A run cannot be exported.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// A testbed cannot be made.
    #[error(transparent)]
    Testbed(#[from] Refusal),
    /// A sweep cannot be made.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// A study cannot be prepared, measured or collected.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// Several things at once.
    #[error("{}", one_per_line(.0))]
    Several(Vec<LabError>),
    /// A sweep was stopped before this run of it began.
    #[error("the sweep was stopped before this run began")]
    NotBegun,
    /// A mistake of ours.
    #[error("internal error: {0}")]
    Internal(String),
}

fn one_per_line(errors: &[LabError]) -> String {
    errors.iter().map(LabError::to_string).collect::<Vec<_>>().join("\n")
}

fn joined(problems: &[Problem]) -> String {
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("; ")
}

impl LabError {
    /// All of these, or the one there is.
    pub(crate) fn several(mut errors: Vec<LabError>) -> LabError {
        match (errors.len(), errors.pop()) {
            (1, Some(only)) => only,
            (_, last) => {
                errors.extend(last);
                LabError::Several(errors)
            }
        }
    }

    /// What it means for a command's exit code.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            LabError::Several(errors) => {
                errors.iter().map(LabError::exit_code).max().unwrap_or(ExitCode::BadInput)
            }
            LabError::Internal(_) | LabError::Folder(FolderError::Row(_) | FolderError::GivenUp(_)) => {
                ExitCode::Internal
            }
            LabError::Import(error) if matches!(**error, ImportError::Internal(_)) => ExitCode::Internal,
            LabError::Field(error) if error.is_failure() => ExitCode::CheckFailed,
            LabError::Storing(_)
            | LabError::NotBegun
            | LabError::Testbed(Refusal::NotCrossed { .. } | Refusal::Counter { .. }) => {
                ExitCode::StoppedEarly
            }
            _ => ExitCode::BadInput,
        }
    }

    /// Whether something of ours stands in the way, which could be replaced.
    pub fn is_occupied(&self) -> bool {
        match self {
            LabError::Folder(FolderError::Complete(_))
            | LabError::Report(ReportError::Exists(_))
            | LabError::Export(ExportError::Exists(_))
            | LabError::Figures(FigureError::Exists(_))
            | LabError::Sweep(SweepError::Other { .. }) => true,
            LabError::Unwritable { source, .. } => source.kind() == io::ErrorKind::AlreadyExists,
            _ => false,
        }
    }

    /// Whether the message has its own headings: it shows the places of mistakes, or tells several.
    fn has_places(&self) -> bool {
        match self {
            LabError::Import(error) => matches!(**error, ImportError::Text(_)),
            other => matches!(other, LabError::Scenario(_) | LabError::Several(_)),
        }
    }

    /// The whole message under its heading: what shows places needs none.
    pub fn headed(&self, style: Style) -> String {
        let heading = if self.has_places() { "" } else { "error: " };
        heading.to_owned() + &self.render(style)
    }

    /// The whole message for people, in which no name steers the terminal; mistakes in a scenario are shown with their
    /// places.
    pub fn render(&self, style: Style) -> String {
        match self {
            LabError::Scenario(diagnostics) => diagnostics.render(style),
            LabError::Import(error) => error.render(style),
            LabError::Several(errors) => errors.iter().map(|error| error.headed(style)).collect(),
            LabError::Altered { path, problems } => {
                let place = path.display().to_string();
                let mut text =
                    format!("the run folder is not what its manifest says: {}\n", harmless(&place));
                for problem in problems {
                    text.push_str(&format!("  {}\n", harmless(&problem.to_string())));
                }
                text
            }
            // These messages have lines of their own, such as the last ones of a launcher.
            LabError::Field(error) => {
                let message = error.to_string();
                let lines: Vec<_> = message.lines().map(harmless).collect();
                lines.join("\n") + "\n"
            }
            other => format!("{}\n", harmless(&other.to_string())),
        }
    }
}

impl From<Diagnostics> for LabError {
    fn from(diagnostics: Diagnostics) -> LabError {
        LabError::Scenario(Box::new(diagnostics))
    }
}

impl From<FolderError> for LabError {
    fn from(error: FolderError) -> LabError {
        LabError::Folder(error)
    }
}

impl From<ReportError> for LabError {
    fn from(error: ReportError) -> LabError {
        match error {
            ReportError::Read(error) => LabError::Read(error),
            ReportError::Lacking { path, what } => LabError::Lacking { path, what },
            ReportError::OutsideRun { path, found } => LabError::OutsideRun { path, found },
            other => LabError::Report(other),
        }
    }
}

impl From<FigureError> for LabError {
    fn from(error: FigureError) -> LabError {
        match error {
            FigureError::Report(error) => LabError::from(error),
            other => LabError::Figures(other),
        }
    }
}

impl From<ImportError> for LabError {
    fn from(error: ImportError) -> LabError {
        LabError::Import(Box::new(error))
    }
}
