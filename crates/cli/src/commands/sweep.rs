//! `netloom sweep`: a grid of runs in one folder.

use std::path::PathBuf;

use netloom_lab::sweep::{
    Difference, Executor, FailedPoint, Grid, GridReport, JobReport, Mean, Precision, Sampling, SweepError,
    ThresholdReport, VariantReport, WrittenStudy, grid,
};
use netloom_lab::{ExitCode, LabError, Over, Source, SweepProgress, words};

use super::compare::print_answer;
use super::run::command_line;
use crate::arguments::Sweep;
use crate::interrupt;
use crate::output::Output;
use crate::progress::Progress;
use crate::table::{Lean, Table};

/// Most failures that are printed.
const MOST_FAILURES: usize = 5;

/// Runs the missing points of the sweep, in another folder than that of the arguments if there is one, which messages name
/// nevertheless.
pub fn sweep(
    arguments: Sweep,
    executor: Option<&dyn Executor>,
    folder: Option<PathBuf>,
    output: &mut Output,
) -> Result<ExitCode, LabError> {
    if arguments.cluster.is_some() && executor.is_none() {
        return Err(SweepError::NoCluster.into());
    }
    let is_elsewhere = folder.is_some();
    if let Some(folder) = &folder {
        output.rename(folder, &arguments.output);
    }
    let progress = Progress::new(!arguments.quiet && !arguments.json);
    let on_progress = |now: &SweepProgress| progress.sweep(now);
    let study = study(&arguments)?;
    let until = study.until;
    // Before signals are handled, so that they end the wait for a pipe.
    let scenarios = study.scenarios.into_iter().map(Source::file_or_stream).collect::<Result<_, _>>()?;
    let done = grid(&Grid {
        scenarios,
        set: study.set,
        vary: study.vary,
        sampling: study.sampling,
        bisection: study.bisection,
        strategy: None,
        seeds: study.seeds,
        until,
        folder: folder.unwrap_or(arguments.output),
        keep: study.keep.unwrap_or_default(),
        point_limit: study.point_limit,
        executor,
        memory_limit: arguments.memory_limit,
        force: arguments.force,
        threads: arguments.threads.map(usize::from),
        baseline: study.baseline,
        over: study.over.unwrap_or(Over::Jobs),
        command: command_line(),
        stop: Some(interrupt::stop_flag(output)),
        on_progress: Some(&on_progress),
        warn: if arguments.quiet { None } else { Some(&Output::warn) },
    });
    progress.clear();
    let report = done?;
    if arguments.json {
        output.json(&report)?;
    } else if !arguments.quiet {
        print(&report, is_elsewhere, output);
    }
    for line in remarks(&report, until) {
        output.note(line);
    }
    Ok(report.exit_code())
}

/// The study of these arguments: what they say themselves, and for the rest what the file of a study says.
pub fn study(arguments: &Sweep) -> Result<WrittenStudy, LabError> {
    let mut study = match &arguments.scenarios[..] {
        [path] => WrittenStudy::read(path)?,
        _ => None,
    }
    .unwrap_or_else(|| WrittenStudy { scenarios: arguments.scenarios.clone(), ..WrittenStudy::default() });
    study.set.extend(arguments.set.iter().cloned());
    let is_given = |path: &str| arguments.vary.iter().any(|variation| variation.path == path);
    study.vary.retain(|variation| !is_given(&variation.path));
    study.vary.extend(arguments.vary.iter().cloned());
    study.sampling = sampling(arguments, study.sampling)?;
    study.bisection = arguments.bisect.or(study.bisection);
    study.seeds = arguments.seeds.clone().or(study.seeds);
    study.until = arguments.until_ci.or(study.until);
    study.baseline = arguments.baseline.clone().or(study.baseline);
    study.over = arguments.over.or(study.over);
    study.keep = arguments.keep.or(study.keep);
    study.point_limit = arguments.point_limit.or(study.point_limit);
    Ok(study)
}

/// Which values within ranges are run.
fn sampling(arguments: &Sweep, of_study: Option<Sampling>) -> Result<Option<Sampling>, LabError> {
    let Sweep { sample, design, design_seed, .. } = arguments;
    let Some(points) = sample.or(of_study.map(|sampling| sampling.points)) else {
        let is_alone = design.is_some() || design_seed.is_some();
        return if is_alone { Err(SweepError::DesignAlone.into()) } else { Ok(None) };
    };
    let design = design.or(of_study.map(|sampling| sampling.design)).unwrap_or_default();
    let seed = design_seed.or(of_study.map(|sampling| sampling.seed)).unwrap_or(1);
    Ok(Some(Sampling { points, design, seed }))
}

fn print(report: &GridReport, is_elsewhere: bool, output: &mut Output) {
    print_answer(report.answer.as_ref(), output);
    for threshold in &report.thresholds {
        output.line(threshold.words());
    }
    if !report.thresholds.is_empty() {
        output.line("");
        output.lines(tried(&report.thresholds).lines());
        output.line("");
    }
    let has_jobs = |variant: &VariantReport| !variant.jobs.is_empty();
    if report.thresholds.is_empty() && report.variants.iter().any(has_jobs) {
        output.lines(figures(&report.variants).lines());
        output.line("");
        if report.variants.len() > 1 {
            output.lines(differences(report).lines());
            output.line("");
        }
    }
    if report.variants.iter().any(|variant| !variant.stages.is_empty()) {
        output.lines(stages(&report.variants).lines());
        output.line("");
    }
    if report.variants.iter().any(|variant| variant.background.is_some()) {
        output.lines(background(&report.variants).lines());
        output.lines(of_span(report));
        output.line("");
    }
    output.line(format!(
        "{}, {} there already; {} packet-hops",
        words::some((report.made + report.kept) as u64, "point"),
        words::count(report.kept as u64),
        words::count(report.hops),
    ));
    let folder = report.folder.display();
    output.line(format!("folder {folder}"));
    if !report.thresholds.is_empty() && !is_elsewhere {
        output.line(format!(
            "`netloom figures {folder} -o DIR` draws the threshold, `netloom report {folder}` a page"
        ));
    }
}

/// Notes on incomplete runs, insufficient precision and missing points, a line each.
fn remarks(report: &GridReport, precision: Option<Precision>) -> Vec<String> {
    let mut lines = Vec::new();
    for variant in report.variants.iter().filter(|variant| variant.unfinished > 0) {
        let runs = words::some(variant.points as u64, "run");
        lines.push(format!(
            "{}: {} of {runs} incomplete",
            variant.name,
            words::count(variant.unfinished as u64)
        ));
    }
    for (variant, precision) in report.imprecise().zip(precision.into_iter().cycle()) {
        let seeds = words::some(variant.points as u64, "seed");
        lines.push(format!(
            "{}: mean step times do not reach a precision of {precision} after {seeds}",
            variant.name
        ));
    }
    lines.extend(failures(report));
    if report.n_missing() > 0 {
        let done = words::count((report.made + report.kept) as u64);
        let total = words::some(report.total as u64, "point");
        lines.push(format!("stopped: {done} of {total} done; the same command continues from there"));
    }
    lines
}

/// The first points without a result, and the number of all.
fn failures(report: &GridReport) -> Vec<String> {
    let failed = &report.failed;
    let point =
        |point: &FailedPoint| format!("failed: {}, seed {}: {}", point.name, point.seed, point.reason);
    let mut lines: Vec<String> = failed.iter().take(MOST_FAILURES).map(point).collect();
    if !failed.is_empty() {
        let points = words::some(failed.len() as u64, "point");
        lines.push(format!(
            "{points} failed, of {}; reasons are in the table of points, and the same command runs them again",
            words::count(report.total as u64)
        ));
    }
    lines
}

/// Means over seeds; jobs are named only if a variant has several.
fn figures(variants: &[VariantReport]) -> Table {
    let numbers = ["seeds", "step mean", "+- 95 %", "step p95", "step p99", "job time"];
    let numbers = numbers.map(|title| (title, Lean::Right));
    let mut table = Table::new([("variant", Lean::Left), ("job", Lean::Left)].into_iter().chain(numbers));
    for_each_job(variants, |[variant, job_name], job| {
        let [p95, p99, time] = [job.step_p95_s, job.step_p99_s, job.time_s].map(optional);
        let [mean, half] = job.step.map(mean).unwrap_or_default();
        table.row([variant, job_name, words::count(job.seeds as u64), mean, half, p95, p99, time]);
    });
    table
}

/// The values that searches tried, in the order of the range.
fn tried(thresholds: &[ThresholdReport]) -> Table {
    let several = thresholds.len() > 1;
    let path = thresholds.first().map_or("", |threshold| threshold.path.as_str());
    let numbers = [path, "seeds", "step mean", "+- 95 %"].map(|title| (title, Lean::Right));
    let mut table = Table::new([("tried with", Lean::Left)].into_iter().chain(numbers));
    for threshold in thresholds {
        for (index, tried) in threshold.tried.iter().enumerate() {
            table.row([
                if several && index == 0 { threshold.name.clone() } else { String::new() },
                tried.value.clone(),
                words::count(tried.seeds as u64),
                format!("{:+.1} %", tried.relative * 100.0),
                tried.half.map(|half| format!("{:.1} %", half * 100.0)).unwrap_or_default(),
            ]);
        }
    }
    table
}

/// Means over seeds of the throughput of staged flows, a line for each stage.
fn stages(variants: &[VariantReport]) -> Table {
    let numbers = ["seeds", "sum", "+- 95 %", "Jain", "variance (Gbps)^2"];
    let numbers = numbers.map(|title| (title, Lean::Right));
    let mut table =
        Table::new(["flows of", "stage"].map(|title| (title, Lean::Left)).into_iter().chain(numbers));
    for variant in variants {
        for (location, stage) in variant.stages.iter().enumerate() {
            table.row([
                if location == 0 { variant.name.clone() } else { String::new() },
                stage.stage.to_string(),
                words::count(stage.seeds as u64),
                words::bit_rate(stage.sum_bps),
                stage.sum_half_bps.map(words::bit_rate).unwrap_or_default(),
                stage.jain.map(|jain| format!("{jain:.4}")).unwrap_or_default(),
                words::number(stage.variance_bps2 / 1e18),
            ]);
        }
    }
    table
}

/// Which background messages the statistics cover.
fn of_span(report: &GridReport) -> Option<String> {
    let has_jobs = report.variants.iter().any(|variant| !variant.jobs.is_empty());
    match report.over.as_str() {
        "jobs" if !has_jobs => None,
        "jobs" => Some("messages that started while a job ran; `--over all` takes the whole run".to_owned()),
        "all" => Some("messages of the whole run".to_owned()),
        interval => Some(format!("messages that started in {interval}")),
    }
}

/// Means over seeds of the statistics of background messages.
fn background(variants: &[VariantReport]) -> Table {
    let numbers = ["seeds", "FCT mean", "+- 95 %", "FCT p99", "slowdown mean", "slowdown p99"];
    let numbers = numbers.map(|title| (title, Lean::Right));
    let mut table = Table::new([("background of", Lean::Left)].into_iter().chain(numbers));
    let ratio = |found: Option<f64>| found.map(|ratio| format!("{ratio:.2}")).unwrap_or_default();
    for variant in variants {
        let Some(found) = &variant.background else { continue };
        let [fct, half] = mean(found.fct);
        table.row([
            variant.name.clone(),
            words::count(found.seeds as u64),
            fct,
            half,
            words::span(found.fct_p99_s),
            ratio(found.slowdown_mean),
            ratio(found.slowdown_p99),
        ]);
    }
    table
}

/// Differences from the baseline, paired by seed.
fn differences(report: &GridReport) -> Table {
    let title = format!("vs {}, seed by seed", report.variants[report.baseline].name);
    let numbers = ["seeds", "step mean", "+- 95 %", "relative", "+- 95 %"].map(|title| (title, Lean::Right));
    let words = [(title.as_str(), Lean::Left), ("job", Lean::Left)];
    let mut table = Table::new(words.into_iter().chain(numbers));
    for_each_job(&report.variants, |[variant, job_name], job| {
        let Some(Difference { seeds, mean, base_s }) = job.difference else { return };
        let percent = |seconds: f64| seconds / base_s * 100.0;
        table.row([
            variant,
            job_name,
            words::count(seeds as u64),
            format!("{}{}", if mean.mean_s > 0.0 { "+" } else { "" }, words::span(mean.mean_s)),
            optional(mean.half_s),
            format!("{:+.1} %", percent(mean.mean_s)),
            mean.half_s.map(|half| format!("{:.1} %", percent(half))).unwrap_or_default(),
        ]);
    });
    table
}

fn for_each_job(variants: &[VariantReport], mut row: impl FnMut([String; 2], &JobReport)) {
    for variant in variants {
        for (location, job) in variant.jobs.iter().enumerate() {
            let name = if location == 0 { variant.name.clone() } else { String::new() };
            let job_name = if variant.jobs.len() > 1 { job.name.clone() } else { String::new() };
            row([name, job_name], job);
        }
    }
}

fn mean(mean: Mean) -> [String; 2] {
    [words::span(mean.mean_s), optional(mean.half_s)]
}

fn optional(seconds: Option<f64>) -> String {
    seconds.map(words::span).unwrap_or_default()
}
