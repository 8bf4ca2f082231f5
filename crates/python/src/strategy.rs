//! A strategy of Python, which chooses the points of a study as it goes.

use netloom_lab::LabError;
use netloom_lab::sweep::{ChosenPoint, Strategy, SweepError, ValueRange};
use pyo3::prelude::*;

use crate::errors::Refused;
use crate::source::json;

/// A strategy as it is passed to the native part: its name, and a function from results to the next values.
pub type StrategyArgument = (String, Py<PyAny>);

/// See the module.
pub struct PythonStrategy {
    name: String,
    function: Py<PyAny>,
}

impl From<StrategyArgument> for PythonStrategy {
    fn from((name, function): StrategyArgument) -> PythonStrategy {
        PythonStrategy { name, function }
    }
}

impl Strategy for PythonStrategy {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn next(&self, results: &[ChosenPoint<'_>]) -> Result<Vec<Vec<String>>, LabError> {
        let failed =
            |error: PyErr| SweepError::Strategy(Python::attach(|py| error.value(py).to_string())).into();
        let result = |point: &ChosenPoint<'_>| {
            let report = point.report.map(|report| json(&report.summary)).transpose()?;
            Ok((point.vector, point.seed, report))
        };
        let results: Result<Vec<_>, Refused> = results.iter().map(result).collect();
        let results = results.map_err(|error| failed(error.into()))?;
        Python::attach(|py| self.function.call1(py, (results,))?.extract(py)).map_err(failed)
    }
}

/// The value at a share of a range, from 0 to 1.
#[pyfunction]
pub fn value_at(range: &str, share: f64) -> PyResult<String> {
    let range =
        ValueRange::parse(range).map_err(|error| Refused::argument("space", range, &error.to_string()))?;
    Ok(range.at(share))
}
