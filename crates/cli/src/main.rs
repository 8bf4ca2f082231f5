//! The program `netloom`; the command itself is the library of this crate.

use std::{env, process};

use mimalloc::MiMalloc;
use netloom_lab::huge_pages;

/// Writing tables takes and frees buffers of a megabyte as long as a run lasts. glibc gives back little of them (a long run
/// grew from 58 to 106 MB in six minutes), and took 4 % more instructions in a whole run of `credits_fat_tree`. It asks
/// for huge pages, which are off until a large fabric is simulated: a small run would take several times the memory.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> process::ExitCode {
    huge_pages::switch_off();
    process::ExitCode::from(netloom_cli::run(env::args_os().collect()))
}
