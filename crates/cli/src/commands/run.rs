//! `netloom run`: simulates a scenario and writes a run folder.

use netloom_lab::live::Serve;
use netloom_lab::summary::{
    CauseSummary, CausesOver, Distribution, ExposedSummary, FlowThroughput, JobSummary, MeasuredSummary,
    PeakSummary, QueuePairSummary, ReorderingSummary, SizeBucket, Slowdowns, StageSummary, StagedSummary,
    Summary, TrafficSummary,
};
use netloom_lab::{
    Diagnostics, ExitCode, LabError, Manifest, OutsidePolicies, Overrides, Overwrite, RunProgress, RunReport,
    RunRequest, Source, Status, Watch, words,
};
use serde_json::json;

use super::{congestion, waits};
use crate::arguments::Run;
use crate::interrupt;
use crate::output::Output;
use crate::progress::Progress;
use crate::table::{Lean, Table};

/// Runs the scenario.
pub fn run(arguments: Run, policies: OutsidePolicies, output: &mut Output) -> Result<ExitCode, LabError> {
    let progress = Progress::new(!arguments.quiet && !arguments.json);
    let mut on_progress = |now: &RunProgress| progress.run(now);
    // Before signals are handled, so that they end the wait for a pipe.
    let scenario = Source::file_or_stream(arguments.scenario)?.with_policies(policies);
    let stop = interrupt::stop_flag(output);
    if let Some(excess) = arguments.threads.and_then(excess_threads).filter(|_| !arguments.quiet) {
        output.note(excess);
    }
    let mut on_address = |address: &str| output.note(format!("live at {address}"));
    let live = arguments
        .live
        .then_some(Serve { port: arguments.live_port.unwrap_or(0), on_address: &mut on_address });
    let mut warn = |found: &Diagnostics| Output::warn(found);
    let report = netloom_lab::run(RunRequest {
        scenario,
        overrides: Overrides { set: arguments.set, seed: arguments.seed, ..Overrides::default() },
        folder: arguments.output,
        overwrite: overwrite(arguments.force),
        memory_limit: arguments.memory_limit,
        threads: arguments.threads.map(usize::from),
        over: arguments.over,
        command: command_line(),
        watch: Watch { stop: Some(stop), on_progress: Some(&mut on_progress), ..Watch::default() },
        live,
        programs: None,
        warn: if arguments.quiet { None } else { Some(&mut warn) },
    });
    progress.clear();
    let report = report?;
    if arguments.json {
        output.json(&as_json(&report))?;
    } else if !arguments.quiet {
        print(&report, output);
    }
    if report.exit_code() != ExitCode::Good && (arguments.json || arguments.quiet) {
        print_outcome(&report, output);
    }
    Ok(report.exit_code())
}

/// The warning about more threads than cores; they are used nevertheless.
fn excess_threads(threads: u16) -> Option<String> {
    let cores = netloom_lab::cores();
    let is_excess = usize::from(threads) > cores;
    let cores = words::some(cores as u64, "core");
    is_excess.then(|| {
        format!("warning: --threads {threads} on {cores}: more threads than cores make no run faster")
    })
}

/// The meaning of `--force`.
pub fn overwrite(force: bool) -> Overwrite {
    if force { Overwrite::Replace } else { Overwrite::Refuse }
}

/// The command line as it was typed.
pub fn command_line() -> Vec<String> {
    crate::command_line().map(|word| word.to_string_lossy().into_owned()).collect()
}

fn as_json(report: &RunReport) -> serde_json::Value {
    json!({
        "name": report.name,
        "folder": report.folder,
        "outcome": report.manifest.outcome,
        "seed": report.manifest.seed,
        "digest": report.manifest.digest,
        "threads": report.manifest.threads,
        "wall_time_s": report.manifest.wall_time_s,
        "summary": report.summary,
    })
}

/// The words for a status.
pub fn status_word(status: Status) -> &'static str {
    match status {
        Status::Complete => "complete",
        Status::Stopped => "stopped",
        Status::Deadline => "ended by its deadline",
        Status::Stalled => "stalled",
        Status::Deadlock => "stopped by a deadlock",
        Status::Unreachable => "stalled, since no path led to a peer",
    }
}

fn print_outcome(report: &RunReport, output: &mut Output) {
    let outcome = &report.manifest.outcome;
    output.note(format!("{}: {}", report.name, status_word(outcome.status)));
    for detail in &outcome.details {
        output.note(format!("  {detail}"));
    }
}

fn print(report: &RunReport, output: &mut Output) {
    let (manifest, summary) = (&report.manifest, &report.summary);
    let status = status_word(manifest.outcome.status);
    output.line(format!("{}, seed {}: {status}", report.name, manifest.seed.unwrap_or_default()));
    for detail in &manifest.outcome.details {
        output.line(format!("  {detail}"));
    }
    output.line("");
    jobs(report, manifest.outcome.status == Status::Complete, output);
    if let Some(staged) = &summary.flows {
        stages(staged, output);
    }
    if let Some(found) = &summary.congestion {
        output.lines(congestion::lines(found));
        output.line("");
    }
    for line in facts(manifest, summary) {
        output.line(line);
    }
    if let Some(background) = &summary.background
        && let Some(slowdown) = &background.slowdown
    {
        slowdowns(background.what(), slowdown, output);
    }
    output.line("");
    output.line(format!("digest {}", manifest.digest));
    output.line(format!("folder {}", report.folder.display()));
}

/// A line for each job, and for each of its collectives if it has several. In a complete run, a job without an end is
/// endless.
fn jobs(report: &RunReport, is_complete: bool, output: &mut Output) {
    let jobs = &report.summary.jobs;
    if jobs.is_empty() {
        return;
    }
    let without_end = if is_complete { "endless" } else { "unfinished" };
    let numbers =
        ["steps", "job time", "step mean", "p95", "p99", "longest"].map(|title| (title, Lean::Right));
    let last = [("collective", Lean::Left), ("busbw", Lean::Right)];
    let mut table = Table::new([("job", Lean::Left)].into_iter().chain(numbers).chain(last));
    for (number, job) in jobs.iter().enumerate() {
        let collectives = report.bandwidths(number).into_iter();
        let mut collectives = collectives.map(|(name, busbw)| [name, words::bytes_per_second(busbw)]);
        let [name, busbw] = collectives.next().unwrap_or_default();
        let step = |words: fn(&Distribution) -> String| job.step.as_ref().map_or_else(String::new, words);
        table.row([
            job.name.clone(),
            words::count(u64::from(job.steps)),
            job.time_s.map_or_else(|| without_end.to_owned(), words::span),
            step(|step| words::span(step.mean_s)),
            step(|step| step.percentile_words(step.p95_s)),
            step(|step| step.percentile_words(step.p99_s)),
            step(|step| words::span(step.maximum_s)),
            name,
            busbw,
        ]);
        for [name, busbw] in collectives {
            table.row(["", "", "", "", "", "", &name, &busbw]);
        }
    }
    output.lines(table.lines());
    for job in jobs {
        if let Some(found) = &job.measured {
            output.line(measured(&job.name, found));
        }
    }
    for job in jobs {
        output.lines(job.exposed.iter().map(|found| exposed(&job.name, found)));
    }
    output.lines(overlaps(jobs, report.summary.simulated_s));
    output.line("");
}

/// Largest number of pairs of jobs with a line of their own.
const MOST_PAIRS: usize = 4;

/// How long pairs of jobs ran at once, the longest first; a job without an end ran to the end of the run.
fn overlaps(jobs: &[JobSummary], end_s: f64) -> Vec<String> {
    let span = |job: &JobSummary| {
        let start = job.start_s?;
        Some((start, job.time_s.map_or(end_s, |time| start + time)))
    };
    let spans: Vec<(&str, (f64, f64))> =
        jobs.iter().filter_map(|job| Some((job.name.as_str(), span(job)?))).collect();
    let mut pairs = Vec::new();
    for (number, (one, of_one)) in spans.iter().enumerate() {
        for (other, of_other) in &spans[number + 1..] {
            let both = (of_one.1.min(of_other.1) - of_one.0.max(of_other.0)).max(0.0);
            let shares = [of_one, of_other].map(|(start, end)| words::percent(both / (end - start)));
            pairs.push((both, [*one, *other], shares));
        }
    }
    pairs.sort_by(|left, right| right.0.total_cmp(&left.0));
    let more = pairs.len().saturating_sub(MOST_PAIRS);
    let mut lines: Vec<String> = pairs.into_iter().take(MOST_PAIRS).map(overlap).collect();
    if more > 0 {
        lines.push(format!("at once     {} of jobs overlap less", words::some(more as u64, "more pair")));
    }
    lines
}

fn overlap((both, names, shares): (f64, [&str; 2], [String; 2])) -> String {
    let [one, other] = names.map(words::harmless);
    if both == 0.0 {
        return format!("at once     {one} and {other}: never");
    }
    let [of_one, of_other] = shares;
    let time = words::span(both);
    format!(
        "at once     {one} and {other}: {time}, {of_one} of the time of {one}, {of_other} of that of {other}"
    )
}

/// The mean step time of a job of a measured run.
fn measured(name: &str, found: &MeasuredSummary) -> String {
    let half = found.half_interval_s.map_or_else(String::new, |half| {
        format!(" ± {} (95 %)", words::percent(if found.mean_s > 0.0 { half / found.mean_s } else { 0.0 }))
    });
    let (steps, warm_up) = (words::some(found.steps.into(), "step"), words::count(found.warm_up.into()));
    let wanted = if found.precise == Some(false) { "; below the requested precision" } else { "" };
    format!(
        "{name} takes {}{half} per step: {steps} after {warm_up} of warm-up{wanted}",
        words::span(found.mean_s)
    )
}

/// Exposed communication and bubble of a job.
fn exposed(name: &str, found: &ExposedSummary) -> String {
    let ExposedSummary { exposed, idle, step_s, .. } = found;
    let [time, step] = [exposed.mean_s, *step_s].map(words::span);
    let [share, bubble] = [exposed.share, idle.share].map(words::percent);
    format!(
        "exposed     {}: {time} of a rank's step of {step} ({share}), bubble {bubble}, over {}",
        words::harmless(name),
        words::steps(&found.steps)
    )
}

/// Largest number of flows with a column of their own.
const MOST_FLOWS: usize = 12;

/// The throughput of staged flows, a line for each stage.
fn stages(staged: &StagedSummary, output: &mut Output) {
    if let Some(scale) = &staged.time_scale {
        output.line(format!("times are scaled to {scale} of those in the source"));
    }
    let mut names: Vec<&str> = Vec::new();
    for flow in staged.stages.iter().flat_map(|stage| &stage.flows) {
        if !names.contains(&flow.flow.as_str()) {
            names.push(&flow.flow);
        }
        if names.len() > MOST_FLOWS {
            break;
        }
    }
    let n_left = names.len().saturating_sub(MOST_FLOWS);
    names.truncate(MOST_FLOWS);
    let figures = ["sum", "Jain", "variance (Gbps)^2"];
    let right = names.iter().copied().chain(figures).map(|title| (title, Lean::Right));
    let mut table = Table::new([("stage", Lean::Left)].into_iter().chain(right));
    for stage in &staged.stages {
        let of = |name: &&str| {
            let found = stage.flows.iter().find(|flow: &&FlowThroughput| flow.flow == *name);
            found.map_or_else(|| "-".to_owned(), |flow| words::bit_rate(flow.throughput_bps))
        };
        let StageSummary { start_s, end_s, sum_bps, jain, variance_bps2, .. } = stage;
        let [start, end] = [*start_s, *end_s].map(words::span);
        let figures = [
            words::bit_rate(*sum_bps),
            jain.map_or_else(|| "-".to_owned(), |jain| format!("{jain:.4}")),
            words::number(variance_bps2 / 1e18),
        ];
        table.row(std::iter::once(format!("{start} to {end}")).chain(names.iter().map(of)).chain(figures));
    }
    output.lines(table.lines());
    if n_left > 0 {
        output.line("table `stages` has the other flows");
    }
    output.line("");
}

/// The slowdown of background messages and finite flows, by size.
fn slowdowns(what: &str, slowdown: &Slowdowns, output: &mut Output) {
    output.line("");
    let numbers = ["messages", "slowdown mean", "p50", "p95", "p99"].map(|title| (title, Lean::Right));
    let mut table = Table::new([(what, Lean::Left)].into_iter().chain(numbers));
    let mut row = |title: String, found: &SizeBucket| {
        let numbers = [found.mean, found.p50, found.p95, found.p99].map(|number| format!("{number:.2}"));
        table.row([title, words::count(found.count)].into_iter().chain(numbers));
    };
    for bucket in &slowdown.buckets {
        row(format!("up to {}", words::size(bucket.largest_bytes as f64)), bucket);
    }
    row("all sizes".to_owned(), &slowdown.all);
    output.lines(table.lines());
}

fn facts(manifest: &Manifest, summary: &Summary) -> Vec<String> {
    let mut lines = Vec::new();
    // A run continues for a short time after its job, until the last acknowledgement arrives; for links that is no
    // separate span.
    let is_shorter = summary.span.length_s < 0.99 * summary.simulated_s;
    if !summary.span.is_whole && (is_shorter || summary.background.is_some()) {
        let of = summary
            .background
            .as_ref()
            .map_or("links".to_owned(), |found| format!("{} and links", found.what()));
        lines.push(format!("over        {of}: {}", summary.span.words()));
    }
    if let Some(background) = &summary.background {
        let fct = background.fct.map_or_else(String::new, |fct| {
            let [mean, longest] = [fct.mean_s, fct.maximum_s].map(words::span);
            let [p95, p99] = [fct.p95_s, fct.p99_s].map(|percentile_s| fct.percentile_words(percentile_s));
            format!(", FCT mean {mean}, p95 {p95}, p99 {p99}, longest {longest}")
        });
        let arrived = background.fct.map_or(0, |fct| fct.count);
        let messages = words::some(background.messages, "message");
        let left =
            if arrived == background.messages { "" } else { &format!(", {} arrived", words::count(arrived)) };
        lines.push(format!("{:<11} {messages}{left}{fct}", background.what()));
    }
    let peak = |peak: &PeakSummary| {
        let packets = peak.packets.map(|packets| format!(" ({})", words::some(packets, "packet")));
        words::size(peak.bytes.unwrap_or_default() as f64) + &packets.unwrap_or_default()
    };
    let (hosts, switches) = (peak(&summary.queues.hosts), peak(&summary.queues.switches));
    lines.extend(summary.traffic.iter().map(traffic));
    lines.push(format!("queues      longest at hosts {hosts}, at switches {switches}"));
    let [mean, busiest] = [summary.links.utilization, summary.links.busiest].map(words::percent);
    let whole = if summary.span.has_links {
        ""
    } else {
        "; of the whole run, since ports were not sampled over time"
    };
    lines.push(format!(
        "links       {mean} used on average, the busiest direction {busiest} of the time{whole}"
    ));
    lines.push(format!("drops       {}", drops(summary)));
    lines.extend(summary.queue_pairs.iter().flat_map(queue_pairs));
    lines.extend(summary.timeouts.iter().map(waits::timeouts));
    lines.extend(summary.arbitration.iter().flat_map(waits::arbitration));
    lines.extend(summary.causes.iter().map(causes));
    lines.extend(summary.reordering.iter().map(order));
    let (wall, hops) = (manifest.wall_time_s, summary.hops.unwrap_or_default());
    lines.push(format!(
        "simulated   {} in {}: {} packet-hops, {}/s with {}",
        words::span(summary.simulated_s),
        words::span(wall),
        words::count(hops),
        words::amount(hops as f64 / wall.max(1e-9)),
        words::some(manifest.threads.unwrap_or_default().into(), "thread"),
    ));
    lines
}

/// A kind of traffic, as a line.
fn traffic(kind: &TrafficSummary) -> String {
    let of_times = kind.fct.as_ref().map_or_else(String::new, |fct| {
        let [mean, longest] = [fct.mean_s, fct.maximum_s].map(words::span);
        let p99 = fct.percentile_words(fct.p99_s);
        format!(", FCT mean {mean}, p99 {p99}, longest {longest}")
    });
    let rate = words::bit_rate(kind.throughput_bps);
    format!(
        "traffic     {} in class {}: {} messages, {rate}{of_times}",
        words::harmless(&kind.name),
        kind.class,
        kind.messages
    )
}

/// Retransmissions, rates of messages, pauses, and NACKs at the edge; the last two only if there were any.
fn queue_pairs(found: &QueuePairSummary) -> Vec<String> {
    let count = |number: u64, what: &str| words::some(number, what);
    let mut repairs = format!("repairs     {} retransmitted", count(found.retransmitted, "packet"));
    if found.retransmitted > 0 {
        let [duplicates, share] = [words::count(found.duplicates), words::percent(found.spurious)];
        repairs.push_str(&format!(", {duplicates} of them spurious: {share} of all packets that arrived"));
    }
    let [nacks, timeouts] = [count(found.nacks, "NACK"), count(found.timeouts, "timeout")];
    let mut lines = vec![
        format!("{repairs}; {nacks}, {timeouts}, {} marked", count(found.marked, "packet")),
        format!(
            "rates       messages were sent at {} of the link rate of their NIC port, with a goodput of {}",
            words::percent(found.sending_rate),
            words::percent(found.goodput)
        ),
    ];
    if found.pauses > 0 {
        let paused = words::span(found.paused_s);
        lines.push(format!(
            "pauses      {}, ports were paused for {paused} in total",
            count(found.pauses, "frame")
        ));
    }
    if found.nacks_forwarded + found.nacks_suppressed + found.nacks_generated > 0 {
        let [forwarded, blocked, made] =
            [found.nacks_forwarded, found.nacks_suppressed, found.nacks_generated].map(words::count);
        lines.push(format!(
            "edge        NACKs: {forwarded} forwarded, {blocked} suppressed, {made} generated"
        ));
    }
    if found.overwritten > 0 {
        let numbers = count(found.overwritten, "sequence number");
        lines.push(format!(
            "rings       too short: {numbers} overwritten while a NACK might need them; set more `entries`, or none"
        ));
    }
    lines
}

/// The number of packets that arrived after later ones, the reordering extent, and the data that a receiver would hold
/// to
/// restore the order.
fn order(found: &ReorderingSummary) -> String {
    if found.late == 0 {
        return "order       no packet arrived after a later one".to_owned();
    }
    let [share, held] = [words::percent(found.late_share), words::size(found.buffered_bytes as f64)];
    format!(
        "order       {} late ({share}), by up to {}; to restore the order a receiver would hold up to {} ({held})",
        words::some(found.late, "packet"),
        words::some(u64::from(found.extent), "place"),
        words::some(u64::from(found.buffered_packets), "packet"),
    )
}

/// What completion times consist of.
fn causes(found: &CauseSummary) -> String {
    let share = |(cause, share): &(&str, f64)| format!("{cause} {}", words::percent(*share));
    let shares: Vec<String> = found.largest_first().iter().map(share).collect();
    let over = match found.over {
        CausesOver::All => String::new(),
        CausesOver::Jobs => " of messages of jobs".to_owned(),
        CausesOver::Random(messages) => {
            format!(" of {} messages of jobs chosen at random", words::count(messages))
        }
    };
    format!("causes      of completion times{over}: {}", shares.join(", "))
}

fn drops(summary: &Summary) -> String {
    if summary.drops.packets == 0 {
        return "none".to_owned();
    }
    let reason = |(reason, packets): (&String, &u64)| {
        format!("{} {}", words::count(*packets), reason.replace('_', " "))
    };
    let reasons: Vec<String> = summary.drops.by_reason.iter().map(reason).collect();
    format!("{} ({})", words::some(summary.drops.packets, "packet"), reasons.join(", "))
}
