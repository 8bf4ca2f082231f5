//! The command `netloom`: arguments in, text out.
//!
//! Models: subcommands, their printing, progress on a terminal, Ctrl-C, exit codes.
//! Leaves out: everything else; whatever a program using the library would miss stands in `netloom-lab`.
//!
//! Exit codes: 0 all is well; 1 a study's check failed; 2 bad input; 3 a run ended before its work was done; 4 a mistake
//! of ours.

mod arguments;
mod commands;
mod interrupt;
mod output;
mod progress;
mod table;
mod terminal;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{env, process};

use clap::Parser;
use netloom_lab::ExitCode;

use arguments::{Arguments, Command};
use output::Output;

fn main() -> process::ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
    print_how_to_report();
    // After a panic nothing but the exit code is taken from what was going on.
    let done = catch_unwind(AssertUnwindSafe(|| dispatch(arguments)));
    process::ExitCode::from(done.unwrap_or(ExitCode::Internal as u8))
}

/// Does what was asked for; the answer is the exit code.
fn dispatch(arguments: Arguments) -> u8 {
    let mut output = Output::new();
    let done = match arguments.command {
        // The one command whose exit code is that of another program.
        Command::Field(field) => {
            let done = commands::field::field(&field, &mut output);
            return done.unwrap_or_else(|error| output.error(&error) as u8);
        }
        Command::Run(run) => commands::run::run(run, &mut output),
        Command::Sweep(sweep) => commands::sweep::sweep(sweep, &mut output),
        Command::Compare(compare) => commands::compare::compare(&compare, &mut output),
        Command::Report(report) => commands::report::report(&report, &mut output),
        Command::Figures(figures) => commands::figures::figures(&figures, &mut output),
        Command::Show(show) => commands::show::show(&show, &mut output),
        Command::Export(export) => commands::export::export(&export, &mut output),
        Command::Check(check) => commands::check::check(&check, &mut output),
        Command::List(list) => commands::list::list(&list, &mut output),
        Command::Import(import) => commands::import::import(&import, &mut output),
        Command::Reproduce(reproduce) => commands::reproduce::reproduce(&reproduce, &mut output),
        Command::Demo(demo) => commands::demo::demo(demo, &mut output),
        Command::Bench(bench) => commands::bench::bench(&bench, &mut output),
    };
    done.unwrap_or_else(|error| output.error(&error)) as u8
}

/// Help and version are no errors; anything else that is wrong with the arguments is bad input.
fn usage(error: &clap::Error) -> process::ExitCode {
    // Where even this cannot be printed, the exit code still says it.
    let _ = error.print();
    if let Some(verb) = moved().filter(|_| error.use_stderr()) {
        eprintln!("hint: this is `netloom export {verb}` now");
    }
    let code = if error.use_stderr() { ExitCode::BadInput } else { ExitCode::Good };
    process::ExitCode::from(code as u8)
}

/// What became of the verbs `netloom show osu RUN` and `netloom show nccl RUN`, where one of them was typed.
fn moved() -> Option<&'static str> {
    let words: Vec<OsString> = env::args_os().skip(1).take(2).collect();
    match words.iter().map(|word| word.to_str()).collect::<Vec<_>>()[..] {
        [Some("show"), Some("osu")] => Some("osu"),
        [Some("show"), Some("nccl")] => Some("nccl-tests"),
        _ => None,
    }
}

/// A panic is a mistake of ours, and who meets one should know what to do with it.
fn print_how_to_report() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        print(panic);
        eprintln!(
            "\nThis is a mistake in netloom {}, not in your scenario. Please report it, with the lines above, the \
             command line and the scenario:\n  {}/issues",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_REPOSITORY"),
        );
    }));
}
