//! The program `netloom`; the command itself is the library of this crate.

use std::{env, process};

fn main() -> process::ExitCode {
    process::ExitCode::from(netloom_cli::run(env::args_os().collect()))
}
