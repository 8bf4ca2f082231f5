//! Tables of a run with some bytes changed, inserted or cut off are refused by `check`, or hold what they held.
//!
//! Models: edits of seven bytes each: the table, where, which kind, how much.
#![no_main]

mod shared;

use std::fs;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use netloom_lab::{Checked, Over, Style, check, read_report};

/// Most edits of an input.
const MOST_EDITS: usize = 16;

fuzz_target!(|input: &[u8]| {
    let run = shared::intact_run();
    let folder = shared::copy_of(&run);
    let tables = shared::tables_in(&folder);
    for edit in input.chunks_exact(7).take(MOST_EDITS) {
        apply(edit, &tables[usize::from(edit[0]) % tables.len()]);
    }
    match (check(&folder), check(&run)) {
        (Ok(Checked::Run(found)), Ok(Checked::Run(stored))) => assert_eq!(found.digest(), stored.digest()),
        (Err(error), _) => shared::refused(&error.headed(Style::Plain)),
        other => panic!("{other:?}"),
    }
    if let Err(error) = read_report(&[folder], Over::Jobs, None, None) {
        shared::refused(&error.headed(Style::Plain));
    }
});

fn apply(edit: &[u8], table: &Path) {
    let mut bytes = fs::read(table).expect("it is there");
    if bytes.is_empty() {
        return;
    }
    let at = (usize::from(edit[1]) << 8 | usize::from(edit[2])) % bytes.len();
    let value = edit[4];
    match edit[3] % 5 {
        0 => bytes[at] ^= value,
        1 => bytes[at] = value,
        2 => bytes.truncate(at),
        3 => bytes.insert(at, value),
        _ => {
            let end = (at + 1 + usize::from(edit[5])).min(bytes.len());
            bytes.splice(at..end, vec![value; usize::from(edit[6])]);
        }
    }
    fs::write(table, bytes).expect("it can be written");
}
