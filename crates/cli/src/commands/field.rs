//! `netloom field`: real networks and real machines.

mod collect;
mod prepare;
mod run;

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::ExitStatus;

use netloom_lab::testbed::{self, Plan, Recording, Refusal, Request, ScaleChoice};
use netloom_lab::{ExitCode, LabError, Overrides, Source, check};

use super::run::{command_line, overwrite};
use crate::arguments::{Field, FieldVerb, Testbed};
use crate::interrupt;
use crate::output::Output;

/// The option that says that this process runs inside the namespaces.
const INSIDE: &str = "--inside";

/// Runs the subcommand; returns the exit code, which may be that of another program.
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
    let testbed = testbed::testbed(&Source::file(&arguments.fabric), &overrides, &request(arguments))?;
    if arguments.explain {
        output.lines(explained(arguments, &testbed.plan).lines());
        return Ok(0);
    }
    let command = command(arguments)?;
    let recording = recording(arguments, output);
    if arguments.inside {
        return Ok(code(testbed::run(&testbed, &command, arguments.expect_bytes, recording.as_ref())?));
    }
    if let Some(recording) = &recording {
        recording.check()?;
    }
    let access = testbed::require()?;
    if !arguments.quiet {
        for note in testbed.plan.notes() {
            output.note(note);
        }
    }
    let status = testbed::enclose(access, &command, &inside(crate::command_line().skip(1).cloned()))?;
    if let Some(recording) =
        recording.filter(|recording| !arguments.quiet && check(&recording.folder).is_ok())
    {
        output.note(format!("folder {}", recording.folder.display()));
    }
    Ok(code(status))
}

/// With a recording the first Ctrl-C ends only the command, so that the measurements can be stored.
fn recording(arguments: &Testbed, output: &mut Output) -> Option<Recording> {
    let folder = arguments.output.clone()?;
    let stop =
        if arguments.inside { interrupt::silent_stop_flag(output) } else { interrupt::stop_flag(output) };
    Some(Recording {
        folder,
        overwrite: overwrite(arguments.force),
        interval: arguments.every.unwrap_or(Recording::DEFAULT_INTERVAL),
        command_line: as_typed(command_line()),
        stop,
    })
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

/// The given command, or a shell if standard input is a terminal.
fn command(arguments: &Testbed) -> Result<Vec<OsString>, LabError> {
    if !arguments.command.is_empty() {
        return Ok(arguments.command.clone());
    }
    if !io::stdin().is_terminal() {
        return Err(Refusal::NothingToRun.into());
    }
    Ok(vec![env::var_os("SHELL").unwrap_or_else(|| "sh".into())])
}

/// The command line without the option that [`inside`] inserts.
fn as_typed(mut words: Vec<String>) -> Vec<String> {
    let options = words.iter().position(|word| word == "--").unwrap_or(words.len());
    if let Some(location) = words[..options].iter().position(|word| word == INSIDE) {
        words.remove(location);
    }
    words
}

/// The same arguments with the option [`INSIDE`].
fn inside(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    let options = arguments.iter().position(|word| word == "--").unwrap_or(arguments.len());
    arguments.insert(options, INSIDE.into());
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

/// A word, quoted for a shell where necessary.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+%@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The exit code of a program, as shells report it.
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
