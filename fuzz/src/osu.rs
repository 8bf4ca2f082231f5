//! Every text that is taken for outputs of the OSU micro-benchmarks is refused, or becomes an intact run.
#![no_main]

mod shared;

use libfuzzer_sys::fuzz_target;
use netloom_lab::import::{Options, osu};

fuzz_target!(|input: &[u8]| {
    let folder = shared::folder(&[("osu.txt", input)]);
    let options = Options { ranks: Some(8), ..Options::default() };
    shared::answered(osu(&[folder.join("input/osu.txt")], &options), &folder);
});
