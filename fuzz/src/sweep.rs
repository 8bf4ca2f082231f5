//! Every text in the place of a sweep's plan, journal or study is refused, or what can be read of it is shown.
#![no_main]

mod shared;

use libfuzzer_sys::fuzz_target;
use netloom_lab::compare::compare_folders;
use netloom_lab::{Over, Overwrite, ReportOutputs, Style, check, report};

/// The files of a sweep without run folders, in the order of an input's texts.
const FILES: [&str; 4] = ["sweep.json", "points.jsonl", "study.json", "UNFINISHED"];

fuzz_target!(|input: &[u8]| {
    let files: Vec<(&str, &[u8])> = FILES.into_iter().zip(shared::texts(input)).collect();
    let folder = shared::folder(&files);
    let (sweep, page) = (folder.join("input"), folder.join("page.html"));
    let outputs = ReportOutputs { page: Some((&page, Overwrite::Replace)), text: None };
    let answers = [
        check(&sweep).map(drop),
        compare_folders(&[sweep.clone()], Over::Jobs, None, None).map(drop),
        report(&[sweep], Over::Jobs, None, None, outputs).map(drop),
    ];
    for error in answers.into_iter().filter_map(Result::err) {
        shared::refused(&error.headed(Style::Plain));
    }
});
