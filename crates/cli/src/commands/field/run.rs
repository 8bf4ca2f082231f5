//! `netloom field run`: measures a prepared study on this machine.

use netloom_lab::field::{FieldEvent, FieldReport, FieldRun, Mpi, Network, run};
use netloom_lab::{ExitCode, LabError, words};

use super::quoted;
use crate::arguments;
use crate::interrupt;
use crate::output::Output;
use crate::progress::Progress;

/// Measures the study and prints its progress.
pub fn study(arguments: &arguments::FieldRun, output: &mut Output) -> Result<ExitCode, LabError> {
    let stop = interrupt::stop_flag(output);
    let is_shown = !arguments.quiet && !arguments.json;
    let progress = Progress::new(!arguments.quiet);
    let mut report = |event: &FieldEvent<'_>| match event {
        FieldEvent::Running { point, done, total, elapsed, left } => {
            let left = left.map(|left| format!(", about {} left", words::span(left.as_secs_f64().ceil())));
            let span = words::span(elapsed.as_secs_f64().floor());
            progress.field(&format!("{point}: {span}{}", left.unwrap_or_default()), *done, *total);
        }
        other if is_shown => progress.above(|| print_event(other, output)),
        _ => {}
    };
    let done = run(FieldRun {
        study: arguments.study.clone(),
        mpi: Mpi::ALL.into_iter().find(|mpi| Some(mpi.word()) == arguments.mpi.as_deref()),
        launcher: arguments.launcher.clone(),
        program: arguments.program.clone(),
        network: arguments.testbed.then_some(Network { rate: arguments.rate, queue: arguments.queue }),
        stop: Some(stop),
        report: &mut report,
    });
    progress.clear();
    let report = done?;
    if arguments.json {
        output.json(&report)?;
    } else if !arguments.quiet {
        print(&report, output);
    }
    if report.is_stopped {
        let done = words::count((report.measured + report.kept) as u64);
        let total = words::some(report.total as u64, "point");
        output.note(format!("stopped: {done} of {total} measured; the same command continues"));
    }
    Ok(report.exit_code())
}

fn print_event(event: &FieldEvent<'_>, output: &mut Output) {
    match event {
        FieldEvent::Building => output.line("building the program"),
        FieldEvent::Kept { point, is_cut } => {
            let how = if *is_cut { ", up to its deadline" } else { "" };
            output.line(format!("{point}: measured already{how}"));
        }
        FieldEvent::IncompleteResultMoved { path } => {
            output.line(format!("  the earlier result is now {}", path.display()));
        }
        FieldEvent::Begin { point, number, total, ranks, command } => {
            output.line(format!("{point} ({number} of {total}): {}", words::some(*ranks as u64, "rank")));
            output.line(format!("  {command}"));
        }
        FieldEvent::Running { .. } => {}
        FieldEvent::End { status, elapsed } => {
            output.line(format!("  {status} after {}", words::span(elapsed.as_secs_f64())));
        }
    }
}

fn print(report: &FieldReport, output: &mut Output) {
    let measured = words::some((report.measured + report.kept) as u64, "point");
    let mut line = format!("{measured} of {} measured", words::count(report.total as u64));
    if report.kept > 0 {
        line += &format!(", {} of them before", words::count(report.kept as u64));
    }
    if report.cut > 0 {
        line += &format!("; {} up to a deadline", words::count(report.cut as u64));
    }
    if report.wrong > 0 {
        line += &format!("; in {} received data was wrong", words::count(report.wrong as u64));
    }
    output.line(line);
    if !report.is_stopped && report.wrong < report.total {
        let folder = quoted(&report.folder.display().to_string());
        output.line(format!("  netloom field collect {folder} -o MEASURED"));
    }
}
