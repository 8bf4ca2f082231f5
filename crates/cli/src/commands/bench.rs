//! `netloom bench`: speed of the simulator on this machine.
//!
//! Every measurement runs in a process of its own, so that the peak memory is that of one case.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use netloom_lab::bench::{Case, CaseReport, Measurement, bench as measure_all, case, measure};
use netloom_lab::{ExitCode, Invocation, LabError, words};

use crate::arguments::Bench;
use crate::output::Output;
use crate::table::{Lean, Table};

/// Measures all cases, which take turns.
pub fn bench(arguments: &Bench, output: &mut Output) -> Result<ExitCode, LabError> {
    if let Some(name) = &arguments.one {
        let case = case(name).ok_or_else(|| LabError::Internal(format!("there is no case `{name}`")))?;
        output.json(&measure(case)?)?;
        return Ok(ExitCode::Good);
    }
    let reports = measure_all(usize::from(arguments.pairs), in_a_process)?;
    if arguments.json {
        output.json(&reports)?;
    } else {
        print(&reports, output);
    }
    Ok(ExitCode::Good)
}

fn in_a_process(case: &'static Case) -> Result<Measurement, LabError> {
    let failed =
        |why: String| LabError::Internal(format!("the case `{}` cannot be measured: {why}", case.name));
    let netloom = Invocation::current().map_err(|error| failed(error.to_string()))?;
    let words = netloom.words(["bench", "--one", case.name].map(OsString::from));
    let process = Command::new(&words[0]).args(&words[1..]).stderr(Stdio::inherit()).output();
    let process = process.map_err(|error| failed(error.to_string()))?;
    if !process.status.success() {
        return Err(failed(process.status.to_string()));
    }
    serde_json::from_slice(&process.stdout).map_err(|error| failed(error.to_string()))
}

fn print(reports: &[CaseReport], output: &mut Output) {
    let titles = ["threads", "packet-hops", "hops/s", "ns/hop", "ratio", "peak memory", "at rest, per host"];
    let titles = titles.map(|title| (title, Lean::Right));
    let columns = [("case", Lean::Left)].into_iter().chain(titles).chain([("", Lean::Left)]);
    let mut table = Table::new(columns);
    for report in reports {
        table.row([
            report.name.to_owned(),
            report.threads.to_string(),
            words::count(report.hops),
            words::amount(report.hops_per_s),
            format!("{:.1}", report.ns_per_hop),
            format!("{:.2} x {}", report.relative, report.against),
            words::size(report.peak_bytes as f64),
            report.rest_bytes_per_host.map(words::size).unwrap_or_default(),
            report.summary.to_owned(),
        ]);
    }
    output.lines(table.lines());
}
