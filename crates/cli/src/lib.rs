//! The command `netloom`: arguments in, text out. A library, so that the Python package has the same command.
//!
//! Models: subcommands, their printing, progress on a terminal, Ctrl-C, exit codes.
//! Leaves out: everything else; what a program that uses the library needs is in `netloom-lab`.
//!
//! Exit codes: 0 success; 1 a check of a study failed; 2 invalid input; 3 a run ended before its work was done; 4 an
//! internal error.

mod arguments;
mod commands;
mod interrupt;
mod output;
mod progress;
mod table;
mod terminal;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::OnceLock;

use clap::Parser;
use netloom_lab::sweep::{Executor, Keep};
use netloom_lab::{ExitCode, LabError, OutsidePolicies};

use arguments::{Arguments, Command};
use output::Output;

/// The words of the command line, the name of the command first.
static WORDS: OnceLock<Vec<OsString>> = OnceLock::new();

/// Runs the command with the words of its command line, the name of the command first; returns the exit code. A process
/// calls it once.
pub fn run(words: Vec<OsString>) -> u8 {
    run_with(words, Additions::default())
}

/// What a program adds to the command.
#[derive(Default)]
pub struct Additions<'a> {
    /// Computes the points of sweeps, instead of the cores of this machine.
    pub executor: Option<&'a dyn Executor>,
    /// Where a sweep is computed instead of in its folder, if that is a place which the program copies it to; messages name
    /// the place.
    pub folder: Option<PathBuf>,
    /// Balancing policies that scenarios of `run` and `check` may name as well.
    pub policies: OutsidePolicies,
}

/// The same with what a program adds.
pub fn run_with(words: Vec<OsString>, additions: Additions<'_>) -> u8 {
    let words = WORDS.get_or_init(|| words);
    let arguments = match Arguments::try_parse_from(words) {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
    print_how_to_report();
    interrupt::survive_file_size_limit();
    // After a panic only the exit code is set; the state of the command is not used.
    let done = catch_unwind(AssertUnwindSafe(|| dispatch(arguments, additions)));
    done.unwrap_or(ExitCode::Internal as u8)
}

/// What the sweep of these words keeps of each point; `None` if they are no valid sweep.
pub fn kept(words: &[OsString]) -> Option<Keep> {
    match Arguments::try_parse_from(words).ok()?.command {
        Command::Sweep(sweep) => {
            commands::sweep::study(&sweep).ok().map(|study| study.keep.unwrap_or_default())
        }
        _ => None,
    }
}

/// The words of the command line, the name of the command first.
fn command_line() -> impl Iterator<Item = &'static OsString> {
    WORDS.get().into_iter().flatten()
}

/// Runs the command; returns the exit code.
fn dispatch(arguments: Arguments, additions: Additions<'_>) -> u8 {
    let mut output = Output::new();
    let code = perform(arguments, additions, &mut output);
    output.finish().map_or_else(|error| code.max(Output::new().error(&error) as u8), |()| code)
}

/// Runs the command; returns the exit code, whatever could be printed.
fn perform(
    arguments: Arguments,
    Additions { executor, folder, policies }: Additions<'_>,
    output: &mut Output,
) -> u8 {
    let done = match arguments.command {
        // The only command whose exit code may be that of another program.
        Command::Field(field) => {
            let done = commands::field::field(&field, output);
            return done.unwrap_or_else(|error| output.error(&error) as u8);
        }
        Command::Run(run) => commands::run::run(run, policies, output),
        Command::Sweep(sweep) => commands::sweep::sweep(sweep, executor, folder, output),
        Command::Compare(compare) => commands::compare::compare(&compare, output),
        Command::Report(report) => commands::report::report(&report, output),
        Command::Explain(explain) => commands::explain::explain(explain, output),
        Command::Figures(figures) => commands::figures::figures(&figures, output),
        Command::Show(show) => commands::show::show(&show, output),
        Command::Export(export) => commands::export::export(&export, output),
        Command::Check(check) => commands::check::check(&check, &policies, output),
        Command::List(list) => commands::list::list(&list, output),
        Command::Import(import) => commands::import::import(&import, output),
        Command::Reproduce(reproduce) => commands::reproduce::reproduce(&reproduce, output),
        Command::Demo(demo) => commands::demo::demo(demo, output),
        Command::Bench(bench) => commands::bench::bench(&bench, output),
    };
    done.unwrap_or_else(|error| output.error(&error)) as u8
}

/// Help and version are not errors; any other error in the arguments is invalid input.
fn usage(error: &clap::Error) -> u8 {
    // Of an error that cannot be printed, the exit code remains.
    if let Err(failed) = error.print()
        && let Some(failed) = output::failure(failed).filter(|_| !error.use_stderr())
    {
        return Output::new().error(&LabError::Unprinted(failed)) as u8;
    }
    if let Some(verb) = moved().filter(|_| error.use_stderr()) {
        eprintln!("hint: this command is now `netloom export {verb}`");
    }
    let code = if error.use_stderr() { ExitCode::BadInput } else { ExitCode::Good };
    code as u8
}

/// The new name of the former commands `netloom show osu RUN` and `netloom show nccl RUN`, if one of them was given.
fn moved() -> Option<&'static str> {
    match command_line().skip(1).take(2).map(|word| word.to_str()).collect::<Vec<_>>()[..] {
        [Some("show"), Some("osu")] => Some("osu"),
        [Some("show"), Some("nccl")] => Some("nccl-tests"),
        _ => None,
    }
}

/// A panic is an error in netloom; the message says where to report it.
fn print_how_to_report() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        print(panic);
        eprintln!(
            "\nThis is an error in netloom {}, not in your scenario. Please report it with the lines above, the \
             command line and the scenario:\n  {}/issues",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_REPOSITORY"),
        );
    }));
}
