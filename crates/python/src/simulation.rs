//! A simulated network that a Python program uses step by step.

use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use netloom_lab::{
    Bytes, Completion, HostId, HostRef, LabError, Simulation as Network, SimulationOptions, Time,
};
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::Refused;
use crate::results::{overwrite, parsed_memory_limit};
use crate::source::{ScenarioSource, json as text_of, overrides};
use crate::watched::{detached, watched};

/// A host, by its number or its name.
#[derive(FromPyObject)]
pub enum HostArgument {
    /// By its number.
    Number(u32),
    /// By its name.
    Name(String),
}

impl HostArgument {
    fn reference(&self) -> HostRef<'_> {
        match self {
            HostArgument::Number(number) => HostRef::Id(HostId(*number)),
            HostArgument::Name(name) => HostRef::Name(name),
        }
    }
}

/// A completion: message, sender, receiver, bytes, and the instants of its start and its end in ps.
type Completed = (u64, u32, u32, u64, u64, u64);

fn as_tuple(completion: &Completion) -> Completed {
    let Completion { message, source, destination, bytes: Bytes(bytes), started, completed } = completion;
    (message.0, source.0, destination.0, *bytes, started.0, completed.0)
}

/// A simulated network; `netloom.Simulation` is what users see.
#[pyclass(frozen, module = "netloom._native")]
pub struct Simulation {
    /// `None` after its end.
    network: Mutex<Option<Network>>,
    /// The process that made it: a forked one does not have the thread of the engine.
    process: u32,
    stop: Arc<AtomicBool>,
    /// What Ctrl-C, or a signal handler of the program, has raised while a call waited.
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl Simulation {
    fn check_process(&self) -> Result<(), Refused> {
        if process::id() == self.process { Ok(()) } else { Err(Refused::of_other_process()) }
    }

    /// Uses the network, if it has not ended, without the interpreter's lock.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut Network) -> Result<T, LabError> + Send,
    ) -> PyResult<T> {
        self.check_process()?;
        let done = detached(py, || {
            let mut network = self.network.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            Ok(act(network.as_mut().ok_or_else(Refused::ended)?)?)
        });
        match self.raised.lock().ok().and_then(|mut raised| raised.take()) {
            Some(raised) => Err(raised),
            None => done,
        }
    }

    /// Takes the network out, once no other call uses it: such a call may need the interpreter's lock until then.
    fn take(&self, py: Python<'_>) -> Option<Network> {
        py.detach(|| self.network.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take())
    }
}

impl Drop for Simulation {
    /// In a forked process the engine's thread does not exist and cannot be waited for.
    fn drop(&mut self) {
        if self.check_process().is_err() {
            std::mem::forget(self.network.get_mut().ok().and_then(Option::take));
        }
    }
}

/// Lets Python handle the signals that have come.
fn handle_signals() -> PyResult<()> {
    Python::attach(|py| {
        py.check_signals()?;
        Ok(())
    })
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (source, set, seed, folder, replace, threads, memory_limit, words))]
    fn new(
        py: Python<'_>,
        source: ScenarioSource,
        set: Vec<(String, String)>,
        seed: Option<u64>,
        folder: Option<PathBuf>,
        replace: bool,
        threads: Option<usize>,
        memory_limit: Option<&str>,
        words: Vec<String>,
    ) -> PyResult<Simulation> {
        let (stop, raised) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(None)));
        let options = SimulationOptions {
            folder,
            overwrite: overwrite(replace),
            threads,
            memory_limit: parsed_memory_limit(memory_limit)?,
            command: words,
            stop: Some(Arc::clone(&stop)),
        };
        let mut network =
            detached(py, || Ok(Network::start(&source.into(), &overrides(set, seed), options)?))?;
        let (stops, keeps) = (Arc::clone(&stop), Arc::clone(&raised));
        network.while_waiting(Box::new(move || {
            let Err(error) = handle_signals() else { return };
            stops.store(true, Ordering::Relaxed);
            if let Ok(mut raised) = keeps.lock() {
                raised.get_or_insert(error);
            }
        }));
        Ok(Simulation { network: Mutex::new(Some(network)), process: process::id(), stop, raised })
    }

    /// Names of the hosts, by number.
    fn hosts(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, |network| Ok(network.hosts().to_vec()))
    }

    /// The present instant in ps.
    fn now(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |network| Ok(network.now().0))
    }

    /// By how much hosts may be ahead of a completion, in ps.
    fn lookahead(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |network| Ok(network.lookahead().0))
    }

    /// Number of messages that have not arrived.
    fn in_flight(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |network| Ok(network.in_flight()))
    }

    /// How the run ended, as JSON, if it has.
    fn outcome(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let outcome = self.with(py, |network| Ok(network.outcome().cloned()))?;
        Ok(outcome.map(|outcome| text_of(&outcome)).transpose()?)
    }

    /// The earliest instant at which a host can start a message, in ps.
    fn earliest_start(&self, py: Python<'_>, host: HostArgument) -> PyResult<u64> {
        self.with(py, |network| Ok(network.earliest_start(host.reference())?.0))
    }

    /// Starts a message; returns its number.
    fn send(
        &self,
        py: Python<'_>,
        source: HostArgument,
        destination: HostArgument,
        bytes: u64,
        at: Option<u64>,
    ) -> PyResult<u64> {
        self.with(py, |network| {
            Ok(network.send(source.reference(), destination.reference(), bytes, at.map(Time))?.0)
        })
    }

    /// Lets everything before an instant take effect.
    fn run_until(&self, py: Python<'_>, instant: u64) -> PyResult<()> {
        self.with(py, |network| network.run_until(Time(instant)))
    }

    /// Goes on until the next message has arrived.
    fn run_until_completion(&self, py: Python<'_>) -> PyResult<Option<Completed>> {
        self.with(py, |network| Ok(network.run_until_completion()?.as_ref().map(as_tuple)))
    }

    /// Takes the completions that were not taken.
    fn completed(&self, py: Python<'_>) -> PyResult<Vec<Completed>> {
        self.with(py, |network| Ok(network.completed().iter().map(as_tuple).collect()))
    }

    /// Lets the rest of the run take effect and stores it; returns name, outcome, summary and remaining completions as
    /// JSON, and the exception that stopped it.
    fn finish(&self, py: Python<'_>) -> PyResult<(String, Vec<Completed>, Option<Py<PyAny>>)> {
        self.check_process()?;
        let network = self.take(py).ok_or_else(Refused::ended)?;
        let (report, stopped) = watched(py, &self.stop, None, |_| network.finish())?;
        let completions = report.completions.iter().map(as_tuple).collect();
        let found = json!({ "name": report.name, "outcome": report.outcome, "summary": report.summary });
        Ok((text_of(&found)?, completions, stopped.map(|error| error.into_value(py).into_any())))
    }

    /// Ends the run without storing it.
    fn close(&self, py: Python<'_>) {
        if self.check_process().is_err() {
            return;
        }
        self.stop.store(true, Ordering::Relaxed);
        let network = self.take(py);
        py.detach(|| drop(network));
    }
}
