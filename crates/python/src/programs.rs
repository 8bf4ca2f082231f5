//! Programs in Python that take part in a run: they supply the operations of ranks, and balance load.
//!
//! Models: one call of Python for some operations of one rank, made where the engine asks for them; one call for each
//! packet that has a choice of ports (`balancer.rs`).
//! Leaves out: generators and their checks, which are Python (`netloom/_operations.py`).
//!
//! Invariants: the interpreter's lock is taken for a call and no longer; what a call raises ends the run and is raised
//! where the run was begun; after that, or once the run is being stopped, no call is made.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use netloom_lab::{
    Bytes, Duration, Failure, JobProgram, OutsidePolicies, ProgramStart, Programs, RankOperation, RankPhase,
    Supply, quantity,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::balancer;
use crate::errors::Refused;

/// What a program has raised, until it is raised again where the run was begun.
#[derive(Debug, Clone, Default)]
pub struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    /// Takes it.
    pub fn take(&self) -> Option<PyErr> {
        self.0.lock().ok()?.take()
    }

    pub fn keep(&self, error: PyErr) {
        if let Ok(mut raised) = self.0.lock() {
            raised.get_or_insert(error);
        }
    }
}

/// The programs of a run, as Python passes them.
#[derive(FromPyObject)]
pub struct PythonPrograms {
    /// Each job with a description of its program.
    #[pyo3(item)]
    jobs: Vec<(String, String)>,
    /// Starts them: called with the hosts of the ranks of each job, and the number of bytes below which a message must
    /// be; returns the function that supplies operations.
    #[pyo3(item)]
    start: Py<PyAny>,
    /// Ends a call that is in progress.
    #[pyo3(item)]
    pub interrupt: Py<PyAny>,
    /// Makes the balancer of a switch, with a description of it.
    #[pyo3(item)]
    balance: Option<(Py<PyAny>, String)>,
}

/// How a run that calls Python is ended.
#[derive(Debug, Clone)]
pub struct Ending {
    /// Set by a call that fails.
    pub failure: Arc<Failure>,
    /// Set when the run is to be stopped.
    pub stop: Arc<AtomicBool>,
    /// What a call has raised.
    pub raised: Raised,
}

impl Ending {
    /// A call has raised this.
    pub fn fail(&self, error: PyErr) {
        // What interrupts a call of a run that is being stopped is no failure of it.
        if self.stop.load(Ordering::Relaxed) {
            return;
        }
        self.failure.set(format!("a program has failed: {error}"));
        self.raised.keep(error);
    }

    /// Whether no call is to be made any more.
    pub fn has_come(&self) -> bool {
        self.failure.reason().is_some() || self.stop.load(Ordering::Relaxed)
    }
}

impl PythonPrograms {
    /// These programs, for a run that is stopped by a flag.
    pub fn made(self, stop: &Arc<AtomicBool>, raised: &Raised) -> (Programs, OutsidePolicies) {
        let ending = Ending { failure: Arc::default(), stop: Arc::clone(stop), raised: raised.clone() };
        let jobs = self.jobs.into_iter().map(|(job, description)| JobProgram { job, description });
        let (failure, start) = (Arc::clone(&ending.failure), self.start);
        let (mut policies, mut notes) = (OutsidePolicies::default(), Vec::new());
        if let Some((make, description)) = self.balance {
            policies = balancer::policies(make, &ending);
            notes.push(format!("a program, which is not stored, balanced load: {description}"));
        }
        let start = move |now: &ProgramStart<'_>| -> Box<dyn Supply> {
            let mut supplier = Supplier {
                pull: None,
                jobs: now.jobs.clone(),
                n_ranks: n_ranks(now),
                size_limit: now.size_limit,
                ending: ending.clone(),
            };
            match Python::attach(|py| start.call1(py, (hosts(now), now.size_limit))) {
                Ok(pull) => supplier.pull = Some(pull),
                Err(error) => supplier.ending.fail(error),
            }
            Box::new(supplier)
        };
        (Programs { jobs: jobs.collect(), notes, start: Arc::new(start), failure }, policies)
    }
}

/// The names of the hosts of the ranks of each job.
fn hosts<'a>(now: &ProgramStart<'a>) -> Vec<Vec<&'a str>> {
    let jobs = now.jobs.iter().map(|&job| &now.model.workload.jobs[usize::from(job)].ranks);
    jobs.map(|ranks| ranks.iter().map(|host| now.hosts[host.index()].as_str()).collect()).collect()
}

fn n_ranks(now: &ProgramStart<'_>) -> Vec<u32> {
    let jobs = now.jobs.iter();
    jobs.map(|&job| now.model.workload.jobs[usize::from(job)].ranks.len() as u32).collect()
}

/// Supplies operations by calling Python.
struct Supplier {
    /// `None` if the programs could not be started.
    pull: Option<Py<PyAny>>,
    /// The number of each job in the scenario.
    jobs: Vec<u16>,
    n_ranks: Vec<u32>,
    size_limit: u64,
    ending: Ending,
}

impl Supplier {
    fn call(
        &self,
        py: Python<'_>,
        job: usize,
        whose: RankPhase,
        limit: usize,
        operations: &mut Vec<RankOperation>,
    ) -> PyResult<bool> {
        let Some(pull) = &self.pull else { return Ok(false) };
        let RankPhase { rank, step, phase, .. } = whose;
        let found = pull.bind(py).call1((job, rank, step, phase, limit))?;
        let (items, more): (Bound<'_, PyList>, bool) = found.extract()?;
        for item in items {
            operations.push(self.operation(&item, job, rank)?);
        }
        Ok(more)
    }

    /// An operation: a tuple of three values is a message, of two a receive, of one a computation, of none a barrier.
    fn operation(&self, item: &Bound<'_, PyAny>, job: usize, rank: u32) -> PyResult<RankOperation> {
        let fields = item.cast::<PyTuple>()?;
        let operation = match fields.len() {
            3 => {
                let (to, size, tag): (u32, u64, u32) = fields.extract()?;
                let is_valid = to != rank && to < self.n_ranks[job] && (1..self.size_limit).contains(&size);
                is_valid.then_some(RankOperation::Send { to, size: Bytes(size), tag })
            }
            2 => {
                let (tag, messages) = fields.extract()?;
                Some(RankOperation::Receive { tag, messages })
            }
            1 => {
                let (span,) = fields.extract()?;
                Some(RankOperation::Compute(Duration(span)))
            }
            _ => Some(RankOperation::Barrier),
        };
        operation.ok_or_else(|| PyTypeError::new_err(format!("{item} is not an operation of this rank")))
    }
}

impl Supply for Supplier {
    fn pull(&mut self, whose: RankPhase, limit: usize, operations: &mut Vec<RankOperation>) -> bool {
        let Some(job) = self.jobs.iter().position(|&job| job == whose.job) else { return false };
        let pulled = Python::attach(|py| self.call(py, job, whose, limit, operations));
        pulled.unwrap_or_else(|error| {
            self.ending.fail(error);
            false
        })
    }

    fn has_ended(&self) -> bool {
        self.ending.has_come()
    }
}

/// The bytes of a size written with its unit.
#[pyfunction]
pub fn size_of(text: &str) -> PyResult<u64> {
    Ok(quantity::size(text).map_err(|refusal| refused("size", text, &refusal))?.0)
}

/// The picoseconds of a duration written with its unit.
#[pyfunction]
pub fn duration_of(text: &str) -> PyResult<u64> {
    Ok(quantity::duration(text).map_err(|refusal| refused("time", text, &refusal))?.0)
}

fn refused(name: &str, text: &str, quantity::Refusal { message, help, .. }: &quantity::Refusal) -> Refused {
    let help = help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
    Refused::argument(name, text, &format!("{message}{help}"))
}
