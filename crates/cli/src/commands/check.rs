//! `netloom check`: scenarios, run folders and sweeps, each with all its errors.

use std::path::Path;

use netloom_lab::{Checked, ExitCode, LabError, OutsidePolicies, Style, cost, words};
use serde_json::{Value, json};

use super::run::status_word;
use crate::arguments::Check;
use crate::output::Output;

/// Checks all paths; an error in one does not prevent the check of the others.
pub fn check(
    arguments: &Check,
    policies: &OutsidePolicies,
    output: &mut Output,
) -> Result<ExitCode, LabError> {
    let mut worst = ExitCode::Good;
    let mut found = Vec::new();
    for path in &arguments.paths {
        let checked = netloom_lab::check_with(path, policies);
        if arguments.json {
            found.push(as_json(path, &checked));
        }
        if let Ok(Checked::Sweep(state)) = &checked
            && !state.is_finished
        {
            worst = worst.max(ExitCode::StoppedEarly);
        }
        match checked {
            Ok(checked) if !arguments.json => print(path, &checked, output),
            Ok(_) => {}
            Err(error) if !arguments.json => worst = worst.max(output.error(&error)),
            Err(error) => worst = worst.max(error.exit_code()),
        }
    }
    if arguments.json {
        output.json(&found)?;
    }
    Ok(worst)
}

fn print(path: &Path, checked: &Checked, output: &mut Output) {
    output.line(format!("{}: {}", path.display(), good(checked)));
    output.lines(groups(checked));
    output.lines(costs(checked));
    match checked {
        Checked::Scenario(prepared) if !prepared.compiled.warnings.is_empty() => {
            Output::warn(&prepared.compiled.warnings);
        }
        Checked::Run(verified) if !verified.covers_manifest() => output.line(
            "  its manifest has no digest, since an earlier version wrote it: outcome, seed, times and scenario are not covered",
        ),
        _ => {}
    }
}

fn good(checked: &Checked) -> String {
    match checked {
        Checked::Scenario(prepared) => {
            let size = prepared.size();
            format!(
                "a valid scenario: {}, {}, {}, {}",
                words::some(size.hosts, "host"),
                words::some(size.switches, "switch"),
                words::some(size.links, "link"),
                words::some(size.jobs, "job"),
            )
        }
        Checked::Run(verified) => {
            let status = status_word(verified.manifest.outcome.status);
            format!("an intact run, {status}, digest {}", verified.digest())
        }
        Checked::Sweep(state) => state.description(),
    }
}

/// Largest number of ranks of a group that are listed.
const MOST_MEMBERS: usize = 4;

/// The groups of ranks of each job: their number, their size, and the first of them, by which one sees which dimension
/// is laid out fastest.
fn groups(checked: &Checked) -> Vec<String> {
    let Checked::Scenario(prepared) = checked else { return Vec::new() };
    let compiled = &prepared.compiled;
    let mut lines = Vec::new();
    for (number, job) in compiled.model.workload.jobs.iter().enumerate() {
        let kinds = compiled.group_names[number].iter().zip(&job.groups);
        let kinds: Vec<String> = kinds.map(|(name, kind)| group(name, &kind.lists)).collect();
        if !kinds.is_empty() {
            let (name, ranks) = (&compiled.job_names[number], words::some(job.ranks.len() as u64, "rank"));
            lines.push(format!("  {}: {ranks}; {}", words::harmless(name), kinds.join("; ")));
        }
    }
    lines
}

fn group(name: &str, lists: &[Vec<u32>]) -> String {
    let Some(first) = lists.first() else { return format!("{name} without groups") };
    let ranks: Vec<String> = first.iter().take(MOST_MEMBERS).map(u32::to_string).collect();
    let more = if first.len() > MOST_MEMBERS { ", …" } else { "" };
    let are_equal = lists.iter().all(|list| list.len() == first.len());
    let up_to = if are_equal { "" } else { "up to " };
    let size = lists.iter().map(Vec::len).max().unwrap_or_default();
    format!(
        "{} {name} of {up_to}{size}, the first of ranks {}{more}",
        words::count(lists.len() as u64),
        ranks.join(", ")
    )
}

/// The estimated cost of a scenario.
fn costs(checked: &Checked) -> Vec<String> {
    let Checked::Scenario(prepared) = checked else { return Vec::new() };
    let Ok(cost) = cost(prepared) else { return Vec::new() };
    let main = format!(
        "  about {} messages, {} packets, {} packet-hops; {} of memory, {} on two cores",
        words::amount(cost.messages),
        words::amount(cost.packets),
        words::amount(cost.packet_hops),
        words::size(cost.memory_bytes),
        words::span(cost.seconds),
    );
    std::iter::once(main).chain(cost.but.iter().map(|why| format!("  but: {why}"))).collect()
}

fn as_json(path: &Path, checked: &Result<Checked, LabError>) -> Value {
    match checked {
        Ok(Checked::Scenario(prepared)) => {
            let warnings = &prepared.compiled.warnings;
            let warnings = (!warnings.is_empty()).then(|| warnings.render(Style::Plain));
            json!({
                "path": path,
                "valid": true,
                "kind": "scenario",
                "name": prepared.name,
                "cost": cost(prepared).ok(),
                "warnings": warnings,
            })
        }
        Ok(Checked::Run(verified)) => json!({
            "path": path,
            "valid": true,
            "kind": "run",
            "digest": verified.digest(),
            "covers_manifest": verified.covers_manifest(),
            "outcome": verified.manifest.outcome,
        }),
        Ok(Checked::Sweep(state)) => json!({"path": path, "valid": true, "kind": "sweep", "sweep": state}),
        Err(error) => json!({"path": path, "valid": false, "problems": error.render(Style::Plain)}),
    }
}

#[cfg(test)]
mod tests {
    use super::group;

    #[test]
    fn the_first_group_shows_how_ranks_are_laid_out() {
        let strided = |start: u32| (0..8).map(|index| start + 4 * index).collect();
        let lists: Vec<Vec<u32>> = (0..4).map(strided).collect();
        assert_eq!(group("tp", &lists), "4 tp of 8, the first of ranks 0, 4, 8, 12, …");
        assert_eq!(group("own", &[vec![3, 1], vec![0, 2, 4]]), "2 own of up to 3, the first of ranks 3, 1");
    }
}
