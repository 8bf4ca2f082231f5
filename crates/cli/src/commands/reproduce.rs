//! `netloom reproduce`: runs the scenarios of a paper and checks its claims.

use netloom_lab::reproduce::{Paper, Report, ReproduceError, Request, reproduce as make};
use netloom_lab::{ExitCode, LabError, SweepProgress};

use crate::arguments::Reproduce;
use crate::interrupt;
use crate::output::Output;
use crate::progress::Progress;

/// Reproduces a paper.
pub fn reproduce(arguments: &Reproduce, output: &mut Output) -> Result<ExitCode, LabError> {
    let progress = Progress::new(!arguments.quiet);
    let on_progress = |now: &SweepProgress| progress.sweep(now);
    let request = Request {
        seeds: arguments.seeds.clone(),
        check: arguments.check,
        stored: arguments.runs.as_deref(),
        full: arguments.full,
        store: arguments.output.as_deref().filter(|_| arguments.runs.is_none()),
        only: arguments.only.clone(),
        threads: arguments.threads.map(usize::from),
        stop: Some(interrupt::stop_flag(output)),
        on_progress: Some(&on_progress),
    };
    let done = Paper::open(&arguments.paper).and_then(|paper| make(paper, &request));
    progress.clear();
    match done.and_then(|report| finish(&report, arguments, output)) {
        Ok(code) => Ok(code),
        Err(ReproduceError::Run(error)) => Err(error),
        Err(error) => {
            format!("error: {error}").lines().for_each(|line| output.note(line));
            Ok(error.exit_code())
        }
    }
}

/// Prints and stores the report; a verdict that differs from the recorded one is an error only with `--check`.
fn finish(report: &Report, arguments: &Reproduce, output: &mut Output) -> Result<ExitCode, ReproduceError> {
    if let Some(folder) = &arguments.output {
        report.write(folder)?;
    }
    if !arguments.quiet {
        output.lines(report.table().trim_end().lines());
    }
    if !arguments.check || report.is_as_recorded() {
        return Ok(ExitCode::Good);
    }
    output.note("error: some results differ from the recorded ones");
    report.differences().trim_end().lines().for_each(|line| output.note(line));
    Ok(ExitCode::CheckFailed)
}
