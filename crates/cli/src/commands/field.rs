//! `netloom field`: real networks and real machines.

mod collect;
mod prepare;
mod run;

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::ExitStatus;

use netloom_lab::testbed::{self, Plan, Refusal, Request, ScaleChoice};
use netloom_lab::{ExitCode, LabError, Overrides, Source};

use crate::arguments::{Field, FieldVerb, Testbed};
use crate::output::Output;

/// Does what was asked for; the answer is the exit code, which may be that of another program.
pub fn field(arguments: &Field, output: &mut Output) -> Result<u8, LabError> {
    match &arguments.verb {
        FieldVerb::Testbed(testbed) => make(testbed, output),
        FieldVerb::Prepare(arguments) => prepare::study(arguments, output).map(|()| ExitCode::Good as u8),
        FieldVerb::Run(arguments) => run::study(arguments, output).map(|code| code as u8),
        FieldVerb::Collect(arguments) => collect::study(arguments, output).map(|code| code as u8),
    }
}

fn make(arguments: &Testbed, output: &mut Output) -> Result<u8, LabError> {
    let overrides = Overrides { set: arguments.set.clone(), ..Overrides::default() };
    let plan = testbed::testbed(&Source::file(&arguments.fabric), &overrides, &request(arguments))?;
    if arguments.explain {
        output.lines(explained(arguments, &plan).lines());
        return Ok(0);
    }
    let command = command(arguments)?;
    if arguments.inside {
        return Ok(code(testbed::run(&plan, &command, arguments.expect_bytes)?));
    }
    let access = testbed::require()?;
    if !arguments.quiet {
        for note in plan.notes() {
            output.note(note);
        }
    }
    Ok(code(testbed::enclose(access, &command, &inside(env::args_os().skip(1)))?))
}

fn request(arguments: &Testbed) -> Request {
    let scale = match (arguments.scale, arguments.rate) {
        (Some(scale), _) => ScaleChoice::Factor(scale),
        (None, Some(rate)) => ScaleChoice::Fastest(rate),
        (None, None) => ScaleChoice::Default,
    };
    let is_pinned = arguments.routes.as_ref().map(|mode| mode == "pinned");
    Request { scale, is_pinned, queue: arguments.queue }
}

/// The given command, or a shell for whoever sits at the terminal.
fn command(arguments: &Testbed) -> Result<Vec<OsString>, LabError> {
    if !arguments.command.is_empty() {
        return Ok(arguments.command.clone());
    }
    if !io::stdin().is_terminal() {
        return Err(Refusal::NothingToRun.into());
    }
    Ok(vec![env::var_os("SHELL").unwrap_or_else(|| "sh".into())])
}

/// The same arguments, and the one that says where they are read.
fn inside(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    let options = arguments.iter().position(|word| word == "--").unwrap_or(arguments.len());
    arguments.insert(options, "--inside".into());
    arguments
}

/// The notes as comments, the script, and the command at its end.
fn explained(arguments: &Testbed, plan: &Plan) -> String {
    let script = plan.script();
    let (first, rest) = script.split_once('\n').unwrap_or((&script, ""));
    let notes: Vec<String> = plan.notes().iter().map(|note| format!("# {note}")).collect();
    let notes = notes.join("\n");
    let words = arguments.command.iter().map(|word| quoted(&word.to_string_lossy()));
    let words: Vec<String> = words.collect();
    let command = if words.is_empty() { "sh".to_owned() } else { words.join(" ") };
    let host = plan.first_host();
    format!(
        "{first}\n{notes}{rest}\n# The command, on the first host.\n/run/netloom/bin/on-host {host} {command}\n"
    )
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+%@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// As shells tell how a program ended.
fn code(status: ExitStatus) -> u8 {
    status.code().unwrap_or_else(|| 128 + signal(status)) as u8
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.signal().unwrap_or_default()
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> i32 {
    0
}
