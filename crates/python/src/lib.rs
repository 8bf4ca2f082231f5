//! The native part of the Python package `netloom`.
//!
//! Models: the calls of the laboratory, with results as JSON text and tables through the Arrow C interface; errors as
//! exceptions with the text of the command; Ctrl-C and progress while the interpreter is free for other threads.
//! Leaves out: what users of the package see, which is Python (`python/netloom`).
//!
//! Invariants: the interpreter's lock is free while netloom works; no panic ends the interpreter.

#![expect(clippy::needless_pass_by_value, reason = "arguments come from Python, which passes them by value")]
#![expect(clippy::too_many_arguments, reason = "as many as the functions in Python have")]

mod balancer;
mod cluster;
mod errors;
mod programs;
mod results;
mod simulation;
mod source;
mod strategy;
mod studies;
mod tables;
mod watched;

use pyo3::prelude::*;

/// See the module.
#[pymodule(name = "_native", gil_used = false)]
mod native {
    use std::ffi::OsString;
    use std::path::PathBuf;

    use netloom_cli::Additions;
    use netloom_lab::Invocation;
    use netloom_lab::sweep::{Executor, Keep};
    use pyo3::prelude::*;

    use crate::cluster::{ExecutorArgument, PythonExecutor};

    #[pymodule_export]
    use crate::balancer::{Packet, Port, Switch};
    #[pymodule_export]
    use crate::cluster::{PointTasks, compute_point};
    #[pymodule_export]
    use crate::programs::{duration_of, size_of};
    #[pymodule_export]
    use crate::results::{
        check, explain, manifest, named_table, run, runs_in, stored_table, summary, verify,
    };
    #[pymodule_export]
    use crate::simulation::Simulation;
    #[pymodule_export]
    use crate::strategy::value_at;
    #[pymodule_export]
    use crate::studies::{compare, figures, report, reproduce, sweep};
    #[pymodule_export]
    use crate::tables::ArrowTable;

    /// The version of netloom.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// Sets how netloom starts itself again: the interpreter with arguments.
    #[pyfunction]
    fn set_invocation(program: PathBuf, before: Vec<OsString>) -> bool {
        Invocation { program, before }.set()
    }

    /// The version with a digest of the sources: points are computed by the build that planned them.
    #[pymodule_export]
    const BUILD: &str = netloom_lab::BUILD;

    /// Runs the command with the words of its command line, the name first, an executor for the points of sweeps, and the
    /// folder in which a sweep is computed whose output is elsewhere; returns the exit code.
    #[pyfunction]
    #[pyo3(signature = (words, executor=None, folder=None))]
    fn command(
        py: Python<'_>,
        words: Vec<OsString>,
        executor: Option<ExecutorArgument>,
        folder: Option<PathBuf>,
    ) -> u8 {
        let executor = executor.map(PythonExecutor::from);
        py.detach(|| {
            let executor = executor.as_ref().map(|executor| executor as &dyn Executor);
            netloom_cli::run_with(words, Additions { executor, folder, ..Additions::default() })
        })
    }

    /// What the sweep of these words keeps of each point, `folders` or `summary`; none if they are no valid sweep.
    #[pyfunction]
    fn kept(words: Vec<OsString>) -> Option<&'static str> {
        netloom_cli::kept(&words).map(Keep::name)
    }
}
