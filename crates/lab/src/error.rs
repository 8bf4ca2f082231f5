//! Errors as users read them, and the exit codes of commands.
//!
//! Invariants: every message says what was found and ends with the file or folder it is about; only bugs are internal
//! errors.

use std::io;
use std::path::PathBuf;

use netloom_figures::FigureError;
use netloom_records::statistics::OutsideRun;
use netloom_records::{FolderError, Outcome, Problem, ReadError, SinkError, Status};
use netloom_report::ReportError;
use netloom_scenario::{Diagnostics, Style};
use netloom_testbed::Refusal;

use crate::explain::ExplainError;
use crate::export::ExportError;
use crate::field::FieldError;
use crate::import::ImportError;
use crate::memory::MemoryLimit;
use crate::programs::ProgramError;
use crate::show::ShowError;
use crate::simulation::SimulationError;
use crate::sweep::SweepError;
use crate::words::{harmless, size, time};

/// Most threads a run may use.
const MOST_THREADS: usize = 256;

/// Refuses a number of threads that is out of range.
pub(crate) fn check_threads(threads: usize) -> Result<(), LabError> {
    if (1..=MOST_THREADS).contains(&threads) { Ok(()) } else { Err(LabError::Threads(threads)) }
}

/// The exit code of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum ExitCode {
    /// Success.
    Good = 0,
    /// A study's check failed.
    CheckFailed = 1,
    /// The request is invalid: an error in a scenario, a file, an argument.
    BadInput = 2,
    /// The run ended before its work was done: stopped, stalled, unreachable, at its deadline, or a full disk.
    StoppedEarly = 3,
    /// A bug in netloom.
    Internal = 4,
}

impl ExitCode {
    /// The code with this number; others are those of bugs.
    pub(crate) fn from_number(number: u8) -> ExitCode {
        let all = [ExitCode::Good, ExitCode::CheckFailed, ExitCode::BadInput, ExitCode::StoppedEarly];
        all.into_iter().find(|code| *code as u8 == number).unwrap_or(ExitCode::Internal)
    }

    /// The exit code for the outcome of a run.
    pub fn of(outcome: &Outcome) -> ExitCode {
        match outcome.status {
            Status::Complete => ExitCode::Good,
            Status::Stopped | Status::Deadline | Status::Stalled | Status::Deadlock | Status::Unreachable => {
                ExitCode::StoppedEarly
            }
        }
    }
}

/// Why a request failed.
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
    /// A folder where a scenario is expected.
    #[error("a scenario is a file, and this is a folder: {}", .0.display())]
    NotAFile(PathBuf),
    /// A pipe, a device or the like where a base is expected.
    #[error("a scenario can inherit only from a regular file, and this is not one: {}", .0.display())]
    NotPlain(PathBuf),
    /// A file too large to be a scenario.
    #[error("the file is too large for a scenario (more than {limit} bytes): {}", .path.display())]
    TooLarge {
        /// Which file.
        path: PathBuf,
        /// The most that is read.
        limit: u64,
    },
    /// A run that is expected to need too much memory.
    #[error(
        "{name} is expected to need {} of memory, more than {} of {}: is a size in the wrong unit? `--memory-limit SIZE` sets \
         the limit; `netloom check` prints the estimate",
        size(*.needed),
        if *.is_given { "the limit" } else { "the memory of this machine" },
        size(.limit.0 as f64)
    )]
    Memory {
        /// The scenario, or the variant of a sweep.
        name: String,
        /// The estimate, in bytes.
        needed: f64,
        /// The limit.
        limit: MemoryLimit,
        /// Whether it was given, rather than that of the machine.
        is_given: bool,
    },
    /// The path does not exist.
    #[error("there is no such file or folder: {}", .0.display())]
    Missing(PathBuf),
    /// The scenario has errors.
    #[error(transparent)]
    Scenario(Box<Diagnostics>),
    /// The files to be imported have errors.
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
    /// A run cannot be shown live.
    #[error("cannot show the run live ({source}): {address}")]
    Unserved {
        /// The address at which it would be shown.
        address: String,
        /// Why not.
        source: io::Error,
    },
    /// A number of threads that is out of range.
    #[error("the number of threads must be from 1 to {MOST_THREADS}, not {0}")]
    Threads(usize),
    /// The run folder cannot be written.
    #[error(transparent)]
    Folder(FolderError),
    /// Rows could not be stored; the run ended there.
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
    /// A run folder differs from its manifest.
    #[error("the run folder does not match its manifest ({}): {}", joined(.problems), .path.display())]
    Altered {
        /// Which folder.
        path: PathBuf,
        /// All differences.
        problems: Vec<Problem>,
    },
    /// The manifest of a run folder lacks a value that is needed here.
    #[error("the manifest lacks `{what}`: {}", .path.display())]
    Lacking {
        /// Which folder.
        path: PathBuf,
        /// What is missing.
        what: &'static str,
    },
    /// Figures were requested over an interval that is not within the run.
    #[error(
        "the span from {} to {} is not within the run, which ended at {}: {}",
        time(found.asked[0]), time(found.asked[1]), time(found.end), .path.display()
    )]
    OutsideRun {
        /// Which folder.
        path: PathBuf,
        /// The interval requested.
        found: OutsideRun,
    },
    /// The records of a run do not include what was requested.
    #[error(transparent)]
    Show(#[from] ShowError),
    /// A step cannot be explained.
    #[error(transparent)]
    Explain(#[from] ExplainError),
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
    /// A program asked for what its simulation cannot do.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    /// A program and the scenario do not fit each other.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// Several errors at once.
    #[error("{}", one_per_line(.0))]
    Several(Vec<LabError>),
    /// Standard output cannot be written.
    #[error("cannot write to standard output ({0})")]
    Unprinted(#[source] io::Error),
    /// A sweep was stopped before this run began.
    #[error("the sweep was stopped before this run began")]
    NotBegun,
    /// A bug in netloom.
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
    /// The operating system does not know the path of this program.
    pub(crate) fn unknown_program(error: &io::Error) -> LabError {
        LabError::Internal(format!("the path of this program is unknown: {error}"))
    }

    /// All of these errors as one.
    pub(crate) fn several(mut errors: Vec<LabError>) -> LabError {
        match (errors.len(), errors.pop()) {
            (1, Some(only)) => only,
            (_, last) => {
                errors.extend(last);
                LabError::Several(errors)
            }
        }
    }

    /// The exit code of a command that ends with it.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            LabError::Several(errors) => {
                errors.iter().map(LabError::exit_code).max().unwrap_or(ExitCode::BadInput)
            }
            LabError::Internal(_) | LabError::Folder(FolderError::Row(_) | FolderError::Aborted(_)) => {
                ExitCode::Internal
            }
            LabError::Import(error) if matches!(**error, ImportError::Internal(_)) => ExitCode::Internal,
            LabError::Field(error) if error.is_failure() => ExitCode::CheckFailed,
            LabError::Sweep(
                SweepError::Point { .. } | SweepError::Executor { .. } | SweepError::Strategy(_),
            )
            | LabError::Storing(_)
            | LabError::Unprinted(_)
            | LabError::NotBegun
            | LabError::Explain(ExplainError::Stopped)
            | LabError::Testbed(Refusal::NotCrossed { .. } | Refusal::Counter { .. }) => {
                ExitCode::StoppedEarly
            }
            _ => ExitCode::BadInput,
        }
    }

    /// Whether the output exists already and may be replaced on request.
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

    /// Whether the message has its own headings: it shows the locations of errors, or has several.
    fn has_locations(&self) -> bool {
        match self {
            LabError::Import(error) => matches!(**error, ImportError::Text(_)),
            other => matches!(other, LabError::Scenario(_) | LabError::Several(_)),
        }
    }

    /// The whole message under a heading; a message that shows locations needs none.
    pub fn headed(&self, style: Style) -> String {
        let heading = if self.has_locations() { "" } else { "error: " };
        heading.to_owned() + &self.render(style)
    }

    /// The whole message for people, with control characters in names escaped; errors in a scenario are shown with
    /// their locations.
    pub fn render(&self, style: Style) -> String {
        match self {
            LabError::Scenario(diagnostics) => diagnostics.render(style),
            LabError::Import(error) => error.render(style),
            LabError::Several(errors) => errors.iter().map(|error| error.headed(style)).collect(),
            LabError::Altered { path, problems } => {
                let location = path.display().to_string();
                let mut text =
                    format!("the run folder does not match its manifest: {}\n", harmless(&location));
                for problem in problems {
                    text.push_str(&format!("  {}\n", harmless(&problem.to_string())));
                }
                text
            }
            // These messages have several lines, such as the last ones of a launcher's output.
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
