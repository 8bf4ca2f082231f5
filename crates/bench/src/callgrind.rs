//! Counts the instructions of this program under callgrind.

use std::process::Command;

use serde_json::Value;

/// Instructions of one run of this program, and the packet-hops that it prints.
///
/// # Errors
/// If valgrind cannot be run or prints no count.
pub fn count(arguments: impl FnOnce(&mut Command)) -> Result<(f64, f64), String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(this);
    arguments(&mut command);
    let output = command.output().map_err(|error| format!("cannot run valgrind: {error}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let collected = errors.lines().find_map(|line| line.split("Collected :").nth(1));
    let instructions = collected.and_then(|text| text.trim().parse().ok());
    let instructions = instructions.ok_or_else(|| format!("valgrind counted nothing: {errors}"))?;
    let printed: Value = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    let hops = printed["hops"].as_f64().ok_or("the run printed no packet-hops")?;
    Ok((instructions, hops))
}
