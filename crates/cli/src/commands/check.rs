//! `netloom check`: scenarios and run folders, each with all its errors.

use std::path::Path;

use netloom_lab::{Checked, ExitCode, LabError, Style, cost, words};
use serde_json::{Value, json};

use super::run::status_word;
use crate::arguments::Check;
use crate::output::Output;

/// Checks all paths; an error in one does not prevent the check of the others.
pub fn check(arguments: &Check, output: &mut Output) -> Result<ExitCode, LabError> {
    let mut worst = ExitCode::Good;
    let mut found = Vec::new();
    for path in &arguments.paths {
        let checked = netloom_lab::check(path);
        if arguments.json {
            found.push(as_json(path, &checked));
        }
        match checked {
            Ok(checked) if !arguments.json => {
                output.line(format!("{}: {}", path.display(), good(&checked)));
                output.lines(costs(&checked));
                if let Checked::Scenario(prepared) = &checked
                    && !prepared.compiled.warnings.is_empty()
                {
                    Output::warn(&prepared.compiled.warnings);
                }
            }
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
        Checked::Run(manifest) => {
            format!("an intact run, {}, digest {}", status_word(manifest.outcome.status), manifest.digest)
        }
    }
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
        Ok(Checked::Run(manifest)) => {
            json!({"path": path, "valid": true, "kind": "run", "digest": manifest.digest, "outcome": manifest.outcome})
        }
        Err(error) => json!({"path": path, "valid": false, "problems": error.render(Style::Plain)}),
    }
}
