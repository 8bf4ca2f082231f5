//! The native part of the Python package `netloom`.
//!
//! Models: the calls of the laboratory, with results as JSON text and tables through the Arrow C interface; errors as
//! exceptions with the text of the command; Ctrl-C and progress while the interpreter is free for other threads.
//! Leaves out: what users of the package see, which is Python (`python/netloom`).
//!
//! Invariants: the interpreter's lock is free while netloom works; no panic ends the interpreter.

#![expect(clippy::needless_pass_by_value, reason = "arguments come from Python, which passes them by value")]
#![expect(clippy::too_many_arguments, reason = "as many as the functions in Python have")]

mod errors;
mod results;
mod simulation;
mod source;
mod studies;
mod tables;
mod watched;

use pyo3::prelude::*;

/// See the module.
#[pymodule(name = "_native", gil_used = false)]
mod native {
    use std::ffi::OsString;
    use std::path::PathBuf;

    use netloom_lab::Invocation;
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::results::{
        check, explain, manifest, named_table, run, runs_in, stored_table, summary, verify,
    };
    #[pymodule_export]
    use crate::simulation::Simulation;
    #[pymodule_export]
    use crate::studies::{compare, figures, report, reproduce, sweep};
    #[pymodule_export]
    use crate::tables::ArrowTable;

    /// The version of netloom.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// Sets how netloom starts itself again: the interpreter with arguments, and this library.
    #[pyfunction]
    fn set_invocation(program: PathBuf, before: Vec<OsString>, code: PathBuf) -> bool {
        Invocation { program, before, code }.set()
    }

    /// Runs the command with the words of its command line, the name first; returns the exit code.
    #[pyfunction]
    fn command(py: Python<'_>, words: Vec<OsString>) -> u8 {
        py.detach(|| netloom_cli::run(words))
    }
}
