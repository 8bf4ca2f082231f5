//! Every text that is taken for a study is none, or is refused with its line and column, or is read.
#![no_main]

mod shared;

use libfuzzer_sys::fuzz_target;
use netloom_lab::Style;
use netloom_lab::sweep::WrittenStudy;

fuzz_target!(|input: &[u8]| {
    let folder = shared::folder(&[("study.yaml", input)]);
    if let Err(error) = WrittenStudy::read(&folder.join("input/study.yaml")) {
        shared::refused(&error.headed(Style::Plain));
    }
});
