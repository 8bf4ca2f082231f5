//! `netloom demo`: one job under four policies.

use netloom_lab::{
    DEMO_POLICIES, Demo, DemoReport, ExitCode, LabError, PointReport, SweepProgress, demo_report, words,
};

use super::compare::print;
use super::explain::print_causes;
use super::run::{command_line, overwrite};
use crate::arguments;
use crate::interrupt;
use crate::output::Output;
use crate::progress::Progress;

/// Runs the demonstration.
#[expect(clippy::needless_pass_by_value, reason = "a command takes its arguments whole")]
pub fn demo(arguments: arguments::Demo, output: &mut Output) -> Result<ExitCode, LabError> {
    let progress = Progress::new(!arguments.quiet);
    let on_progress = |now: &SweepProgress| progress.sweep(now);
    let done = netloom_lab::demo(Demo {
        folder: arguments.output.clone(),
        overwrite: overwrite(arguments.force),
        threads: arguments.threads.map(usize::from),
        over: arguments.over,
        command: command_line(),
        stop: Some(interrupt::stop_flag(output)),
        on_progress: Some(&on_progress),
    });
    progress.clear();
    let DemoReport { runs, comparison, why } = done?;
    if !arguments.quiet {
        output.line("32 hosts train together; each step they exchange gradients over 8 leaves and 4 spines.");
        output
            .line("The same job under four load-balancing policies (FCT: of short messages beside the job):");
        output.line("");
        print(&comparison, output);
        output.line("");
        if let Some(why) = &why {
            output.line(format!("Why {} is slow, by `netloom explain`:", DEMO_POLICIES[0]));
            print_causes(why, output);
            output.line("");
        }
        output.line(totals(&runs));
        let page = demo_report(&arguments.output);
        output.line(format!("The report is {}: open it in a browser.", page.display()));
        output.line(format!("Records are in {}, a folder per policy; try:", arguments.output.display()));
        let [first, .., last] = DEMO_POLICIES.map(|policy| arguments.output.join(policy));
        output.line(format!("  netloom compare {} {}", first.display(), last.display()));
        output.line(format!("  netloom explain {} --step median", first.display()));
        output.line("  netloom run scenarios/demo/heavy-x2.yaml --set balance=round_robin");
    }
    let codes = runs.iter().map(|report| ExitCode::of(&report.outcome));
    Ok(codes.max().unwrap_or(ExitCode::Good))
}

fn totals(runs: &[PointReport]) -> String {
    let hops: u64 = runs.iter().filter_map(|report| report.summary.hops).sum();
    let wall: f64 = runs.iter().map(|report| report.wall_time_s).sum();
    format!("{} packet-hops in {} of computing.", words::count(hops), words::span(wall))
}
