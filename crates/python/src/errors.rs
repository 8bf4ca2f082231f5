//! Errors as Python exceptions: the classes are in `netloom/_errors.py`, the text is that of the command.

use netloom_lab::{ExitCode, LabError, Style, reproduce::ReproduceError};
use netloom_records::ReadError;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// A problem of a scenario: message, words under the caret, hint, name of the text, line and column.
type Located = (String, String, Option<String>, String, usize, usize);

/// An error of netloom, to be raised in Python.
pub struct Refused {
    code: ExitCode,
    is_missing: bool,
    is_occupied: bool,
    text: String,
    problems: Vec<Located>,
}

impl Refused {
    /// A request that is invalid, for this reason.
    fn invalid(text: String) -> Refused {
        Refused {
            code: ExitCode::BadInput,
            is_missing: false,
            is_occupied: false,
            text,
            problems: Vec::new(),
        }
    }

    /// An argument that is none.
    pub fn argument(name: &str, found: &str, message: &str) -> Refused {
        Refused::invalid(format!("invalid value {found:?} for `{name}`: {message}"))
    }

    /// A simulation that is used after its end.
    pub fn ended() -> Refused {
        Refused::invalid("the simulation has ended: it was finished or closed".to_owned())
    }

    /// A simulation that is used by another process than the one that made it.
    pub fn of_other_process() -> Refused {
        let text = "the simulation belongs to the process that made it, and this is another one";
        Refused::invalid(text.to_owned())
    }

    /// A panic: an error in netloom.
    pub fn panic(message: &str) -> Refused {
        let version = env!("CARGO_PKG_VERSION");
        let issues = concat!(env!("CARGO_PKG_REPOSITORY"), "/issues");
        let text = format!(
            "internal error: {message}\nThis is an error in netloom {version}, not in your scenario. Please report it \
             with the scenario:\n  {issues}"
        );
        Refused { code: ExitCode::Internal, ..Refused::invalid(text) }
    }
}

fn located(problem: &netloom_lab::Problem) -> Located {
    let (line, column) = problem.line_and_column();
    (
        problem.message().to_owned(),
        problem.label().to_owned(),
        problem.help().map(str::to_owned),
        problem.source_name().to_owned(),
        line,
        column,
    )
}

impl From<LabError> for Refused {
    fn from(error: LabError) -> Refused {
        let problems = match &error {
            LabError::Scenario(diagnostics) => diagnostics.problems().iter().map(located).collect(),
            _ => Vec::new(),
        };
        let is_missing = matches!(error, LabError::Missing(_) | LabError::Read(ReadError::Missing(_)));
        let text = error.render(Style::Plain).trim_end().to_owned();
        Refused { code: error.exit_code(), is_missing, is_occupied: error.is_occupied(), text, problems }
    }
}

impl From<ReproduceError> for Refused {
    fn from(error: ReproduceError) -> Refused {
        match error {
            ReproduceError::Run(error) => error.into(),
            other => Refused { code: other.exit_code(), ..Refused::invalid(other.to_string()) },
        }
    }
}

impl From<Refused> for PyErr {
    fn from(refused: Refused) -> PyErr {
        Python::attach(|py| {
            let made = || -> PyResult<PyErr> {
                let Refused { code, is_missing, is_occupied, text, problems } = refused;
                let error = py.import("netloom._errors")?.getattr("from_native")?;
                Ok(PyErr::from_value(error.call1((code as u8, is_missing, is_occupied, text, problems))?))
            };
            made().unwrap_or_else(|error| PyRuntimeError::new_err(format!("netloom: {error}")))
        })
    }
}
