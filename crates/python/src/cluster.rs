//! Points of a sweep that Python passes to others: tasks as texts, computed by workers, answers as texts.
//!
//! Models: an executor that is a generator of Python, which takes the tasks and yields answers.
//! Leaves out: clusters, which are Python's (`netloom/_cluster.py`).
//!
//! Invariants: while the generator waits, other threads of Python run; once the sweep is stopped it is closed.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use netloom_lab::LabError;
use netloom_lab::sweep::{EndOfSweep, Executor, PointAnswer, PointTask, SweepError};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use crate::errors::Refused;
use crate::source::json;
use crate::watched::detached;

/// The tasks of a round, as texts.
#[pyclass(frozen)]
pub struct PointTasks(Arc<Vec<PointTask>>);

impl PointTasks {
    fn task(&self, index: usize) -> PyResult<&PointTask> {
        self.0.get(index).ok_or_else(|| PyIndexError::new_err(index))
    }
}

#[pymethods]
impl PointTasks {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// A task as JSON.
    fn text(&self, index: usize) -> PyResult<String> {
        Ok(json(self.task(index)?)?)
    }

    /// The content address of a task; its run folder, relative to that of the sweep; the wall time that it is expected to
    /// take, in seconds; and its memory in bytes.
    fn facts(&self, index: usize) -> PyResult<(String, PathBuf, f64, f64)> {
        let task = self.task(index)?;
        Ok((task.key.to_string(), task.folder.clone(), task.seconds, task.memory_bytes))
    }
}

/// An executor in Python: a function from tasks to an iterator of answers, each an index and a text, or nothing yet.
pub struct PythonExecutor {
    function: Py<PyAny>,
    keeps_folders: bool,
}

impl PythonExecutor {
    /// The executor that this function is; `keeps_folders` says whether it puts run folders elsewhere.
    pub fn new(function: Py<PyAny>, keeps_folders: bool) -> PythonExecutor {
        PythonExecutor { function, keeps_folders }
    }
}

/// An executor of Python as it is passed to the native part: the function, and whether it puts run folders elsewhere.
pub type ExecutorArgument = (Py<PyAny>, bool);

impl From<ExecutorArgument> for PythonExecutor {
    fn from((function, keeps_folders): ExecutorArgument) -> PythonExecutor {
        PythonExecutor::new(function, keeps_folders)
    }
}

impl Executor for PythonExecutor {
    fn compute(
        &self,
        tasks: &Arc<Vec<PointTask>>,
        end: &EndOfSweep<'_>,
        answered: &(dyn Fn(usize, PointAnswer) + Sync),
    ) -> Result<(), LabError> {
        let computed = Python::attach(|py| {
            let answers = self.function.call1(py, (PointTasks(Arc::clone(tasks)),))?;
            let mut answers = answers.bind(py).try_iter()?;
            while let Some(answer) = answers.next() {
                if let Some((index, text)) = answer?.extract::<Option<(usize, String)>>()? {
                    let answer = serde_json::from_str(&text)
                        .map_err(|error| PyValueError::new_err(format!("not an answer ({error}): {text}")))?;
                    py.detach(|| answered(index, answer));
                }
                if end.is_reached() {
                    answers.call_method0("close")?;
                    break;
                }
            }
            PyResult::Ok(())
        });
        computed
            .map_err(|error| SweepError::executor(Python::attach(|py| error.value(py).to_string())).into())
    }

    fn keeps_folders(&self) -> bool {
        self.keeps_folders
    }
}

/// Computes a task, in a folder of this machine if one is given; returns the answer as JSON.
#[pyfunction]
#[pyo3(signature = (task, root=None))]
pub fn compute_point(py: Python<'_>, task: &str, root: Option<PathBuf>) -> PyResult<String> {
    let task: PointTask =
        serde_json::from_str(task).map_err(|error| Refused::argument("task", task, &error.to_string()))?;
    detached(py, || {
        let never = AtomicBool::new(false);
        json(&task.compute(root.as_deref(), &never, &mut |_, _| {}))
    })
}
