//! Tests of the command line, in one binary.

mod answers;
mod command;
mod deadlock;
mod export;
mod field;
mod figures;
mod harm;
mod help;
mod import;
#[cfg(unix)]
mod interrupt;
#[cfg(unix)]
mod kill;
mod mistakes;
mod nccl;
mod osu;
mod packets;
mod pictures;
mod studies;
#[cfg(target_os = "linux")]
mod testbed;
mod unfinished;
mod waits;
