//! The command `netloom`, whose scenarios may say `balance: power_of_choices`.

use std::{env, process};

use netloom_cli::Additions;

fn main() -> process::ExitCode {
    let additions = Additions { policies: my_balancer::policies(), ..Additions::default() };
    process::ExitCode::from(netloom_cli::run_with(env::args_os().collect(), additions))
}
