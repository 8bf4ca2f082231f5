//! `netloom explain`: why a step took as long as it did.

use netloom_lab::explain::{
    Cause, ChainMessage, ExplainRequest, ExplainedJob, ExplainedStep, Explanation, FasterPort, PortWait,
    explain as explained, explain_all as all_explained,
};
use netloom_lab::{ExitCode, LabError, RunProgress, Watch, words};
use serde_json::{Value, json};

use crate::arguments::Explain;
use crate::interrupt;
use crate::output::Output;
use crate::progress::Progress;
use crate::table::{Lean, Table};

/// Most steps that are listed.
const MOST_STEPS: usize = 100;
/// Most messages that are listed, the slowest of the chain.
const MOST_MESSAGES: usize = 12;
/// Most waits that are listed, the longest.
const MOST_WAITS: usize = 8;
/// Most ports of which is said what they would save if they were faster.
const MOST_FASTER: usize = 4;

/// Explains a step of a run, or all of them.
pub fn explain(arguments: Explain, output: &mut Output) -> Result<ExitCode, LabError> {
    if arguments.all {
        return explain_all(&arguments, output);
    }
    let progress = Progress::new(!arguments.json);
    let mut on_progress = |now: &RunProgress| progress.run(now);
    let stop = interrupt::stop_flag(output);
    let request = ExplainRequest {
        job: arguments.job,
        step: arguments.step,
        threads: arguments.threads.into(),
        watch: Watch { stop: Some(stop), on_progress: Some(&mut on_progress), ..Watch::default() },
    };
    let found = explained(&arguments.run, request);
    progress.clear();
    let found = found?;
    if arguments.json {
        output.json(&found)?;
    } else {
        print(&found, output);
    }
    Ok(ExitCode::Good)
}

/// Explains all steps of a run from its recorded causes.
fn explain_all(arguments: &Explain, output: &mut Output) -> Result<ExitCode, LabError> {
    let jobs = all_explained(&arguments.run, arguments.job.as_deref())?;
    if arguments.json {
        let jobs: Vec<Value> = jobs.iter().map(job_json).collect();
        output.json(&json!({ "jobs": jobs }))?;
        return Ok(ExitCode::Good);
    }
    for (number, job) in jobs.iter().enumerate() {
        if number > 0 {
            output.line("");
        }
        print_job(job, output);
    }
    Ok(ExitCode::Good)
}

fn job_json(job: &ExplainedJob) -> Value {
    let step = |step: &ExplainedStep| json!({ "step": step.row.step, "time_s": step.time_s(), "causes": step.causes });
    let steps: Vec<Value> = job.steps.iter().map(step).collect();
    json!({ "job": job.name, "steps": steps, "sites": job.sites })
}

/// Prints the causes of all steps of a job, and where these waited most.
fn print_job(job: &ExplainedJob, output: &mut Output) {
    let steps = words::some(job.steps.len() as u64, "step");
    output.line(format!("what {steps} of {} waited for, the causes with the largest sums first:", job.name));
    output.line("");
    let means = job.means();
    let titles = ["step", "time"].into_iter().chain(means.iter().map(|cause| cause.name.as_str()));
    let mut table = Table::new(titles.map(|title| (title, Lean::Right)));
    for step in job.steps.iter().take(MOST_STEPS) {
        let time = |name: &str| step.causes.iter().find(|cause| cause.name == name).map(|cause| cause.time_s);
        let times = means.iter().map(|cause| time(&cause.name).map_or_else(String::new, words::span));
        let ends = [words::count(step.row.step.into()), words::span(step.time_s())];
        table.row(ends.into_iter().chain(times));
    }
    let mean: f64 = means.iter().map(|cause| cause.time_s).sum();
    let times = [mean].into_iter().chain(means.iter().map(|cause| cause.time_s));
    table.row(["mean".to_owned()].into_iter().chain(times.map(words::span)));
    output.lines(table.lines());
    if job.steps.len() > MOST_STEPS {
        output.line(format!("{MOST_STEPS} of {steps}; --json has all of them"));
    }
    if !job.sites.is_empty() {
        let site =
            |site: &Cause| format!("{} {}", site.name, share(site.time_s / job.steps.len() as f64 / mean));
        let sites: Vec<String> = job.sites.iter().map(site).collect();
        output.line("");
        output.line(format!("They waited most at: {}", sites.join(", ")));
    }
}

/// Prints the length of the step, its causes, the slowest messages of its chain and who was ahead of them.
fn print(found: &Explanation, output: &mut Output) {
    print_causes(found, output);
    if !found.messages.is_empty() {
        output.line("");
        output.lines(messages(found).lines());
        cut(found, output);
    }
    if !found.waits.is_empty() {
        output.line("");
        output.line("Longest waits at NICs and in queues of switches, and whose packets left in that time:");
        output.lines(waits(found).lines());
    }
    if !found.faster.is_empty() {
        let port = |port: &FasterPort| {
            format!("{} {} ({})", port.port, words::span(port.saved_s), share(port.saved_s / found.time_s))
        };
        let ports: Vec<String> = found.faster.iter().take(MOST_FASTER).map(port).collect();
        output.line("");
        output.line(format!("If one of these ports were twice as fast, the chain would be shorter, as far as it stays the same, by: {}", ports.join(", ")));
    }
}

/// Prints the length of the step and its causes.
pub fn print_causes(found: &Explanation, output: &mut Output) {
    let rank = match found.slower {
        0 => format!("the longest of {}", words::some(found.steps as u64, "step")),
        slower => format!(
            "{} of {} took longer",
            words::count(slower as u64),
            words::some(found.steps as u64, "step")
        ),
    };
    output.line(format!(
        "step {} of {} took {} ({rank}, median {})",
        found.step,
        found.job,
        words::span(found.time_s),
        words::span(found.median_s)
    ));
    let chain = words::some(found.messages.len() as u64, "message");
    output.line(format!(
        "It waited for a chain of {chain}, each of which started when the one before had arrived:"
    ));
    output.line("");
    output.lines(causes(found).lines());
}

fn causes(found: &Explanation) -> Table {
    let mut table = Table::new([("cause", Lean::Left), ("time", Lean::Right), ("share", Lean::Right)]);
    for cause in &found.causes {
        table.row([cause.name.clone(), words::span(cause.time_s), share(cause.time_s / found.time_s)]);
    }
    table.row(["sum".to_owned(), words::span(found.time_s), share(1.0)]);
    table
}

fn share(part: f64) -> String {
    format!("{:.1} %", part * 100.0)
}

fn messages(found: &Explanation) -> Table {
    let times = ["time", "on wires", "turn", "held", "queues", "recovery"].map(|title| (title, Lean::Right));
    let ends = [("#", Lean::Right), ("slowest messages of the chain", Lean::Left), ("size", Lean::Right)];
    let rest = [("held for", Lean::Left), ("longest wait at", Lean::Left), ("timeouts", Lean::Right)];
    let mut table = Table::new(ends.into_iter().chain(times).chain(rest));
    let mut slowest: Vec<(usize, &ChainMessage)> = found.messages.iter().enumerate().collect();
    slowest.sort_by(|(_, one), (_, other)| other.time_s.total_cmp(&one.time_s));
    for (number, message) in slowest.into_iter().take(MOST_MESSAGES) {
        let held = holds(message);
        table.row([
            words::count(number as u64 + 1),
            format!("{}->{}#{}", message.from, message.to, message.number),
            words::size(message.bytes as f64),
            words::span(message.time_s),
            words::span(message.transmission_s),
            words::span(message.earlier_s + message.turn_s),
            words::span(held.iter().map(|(_, time)| time).sum()),
            words::span(message.queues_s),
            some_span(message.recovery_s),
            longest_hold(&held).to_owned(),
            message.port.clone().unwrap_or_default(),
            if message.timeouts > 0 { words::count(message.timeouts.into()) } else { String::new() },
        ]);
    }
    table
}

/// What held a message at its sender while the wire was idle.
fn holds(message: &ChainMessage) -> [(&'static str, f64); 4] {
    [
        ("window", message.window_s),
        ("pacing", message.pacing_s),
        ("timeout", message.timeout_s),
        ("pause or credits", message.pause_s),
    ]
}

/// The longest of these, if there are any.
fn longest_hold(held: &[(&'static str, f64)]) -> &'static str {
    let longest = held.iter().max_by(|(_, one), (_, other)| one.total_cmp(other));
    longest.filter(|(_, time)| *time > 0.0).map_or("", |(name, _)| name)
}

fn some_span(time_s: f64) -> String {
    if time_s > 0.0 { words::span(time_s) } else { String::new() }
}

fn cut(found: &Explanation, output: &mut Output) {
    if found.messages.len() > MOST_MESSAGES {
        output.line(format!(
            "{MOST_MESSAGES} of {}; --json has all of them",
            words::some(found.messages.len() as u64, "message")
        ));
    }
}

fn waits(found: &Explanation) -> Table {
    let numbers = ["wait", "sending", "of"].map(|title| (title, Lean::Right));
    let titles = [("port", Lean::Left)].into_iter().chain(numbers).chain([("ahead", Lean::Left)]);
    let mut table = Table::new(titles);
    for wait in found.waits.iter().take(MOST_WAITS) {
        let of = format!("#{}", words::count(wait.message as u64 + 1));
        let port = if wait.at_nic { format!("{} (NIC)", wait.port) } else { wait.port.clone() };
        table.row([port, words::span(wait.wait_s), share(wait.sending_s / wait.wait_s), of, ahead(wait)]);
    }
    table
}

/// The pairs of hosts ahead, with their shares.
fn ahead(wait: &PortWait) -> String {
    let pair = |sharer: &netloom_lab::explain::Sharer| {
        let whose =
            if sharer.own { "own message".to_owned() } else { format!("{}->{}", sharer.from, sharer.to) };
        let traffic = sharer.traffic.as_ref().map_or_else(String::new, |traffic| format!(" ({traffic})"));
        format!("{whose}{traffic} {:.0} %", sharer.share * 100.0)
    };
    let mut pairs: Vec<String> = wait.ahead.iter().map(pair).collect();
    if wait.more > 0 {
        pairs.push(format!("{} more", words::count(wait.more as u64)));
    }
    pairs.join(", ")
}
