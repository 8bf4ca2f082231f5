//! Every text that is taken for outputs of nccl-tests is refused, or becomes an intact run.
#![no_main]

mod shared;

use libfuzzer_sys::fuzz_target;
use netloom_lab::import::{Options, nccl_tests};

fuzz_target!(|input: &[u8]| {
    let folder = shared::folder(&[("nccl.txt", input)]);
    shared::answered(nccl_tests(&[folder.join("input/nccl.txt")], &Options::default()), &folder);
});
