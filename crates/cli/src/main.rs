//! The program `netloom`; the command itself is the library of this crate.

use std::{env, process};

use mimalloc::MiMalloc;

/// Writing tables takes and frees buffers of a megabyte as long as a run lasts. glibc gives back little of them (a long run
/// grew from 58 to 106 MB in six minutes), and took 4 % more instructions in a whole run of `credits_fat_tree`. Huge pages
/// are off: with them a run takes twice the memory.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> process::ExitCode {
    process::ExitCode::from(netloom_cli::run(env::args_os().collect()))
}
