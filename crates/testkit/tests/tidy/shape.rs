//! The shape of sources: lengths, head comments, and names that may not occur where results must be reproducible.

use std::io::Write;

use crate::source::{self, Function};
use crate::tree::{self, Text};

/// The limit of a function, in lines of code.
const FUNCTION_LIMIT: usize = 100;
/// A function above this length is listed, so that its author reconsiders.
const FUNCTION_NOTICE: usize = 40;
/// The limit of a source file, its tests not counted, comments counted.
const FILE_LIMIT: usize = 700;

/// The headings of a plug-in's head comment, in order.
const HEADINGS: [&str; 5] = ["# Idea", "# Source", "# Parameters", "# Invariants", "# When it misleads"];
/// Folders in which every file but `mod.rs` and `tests.rs` is a plug-in.
const PLUG_INS: [&str; 4] = [
    "crates/policy/src/balance/",
    "crates/catalog/src/topology/",
    "crates/catalog/src/workload/background/",
    "crates/catalog/src/workload/collective/",
];

/// Crates whose results must be the same in every run, on every thread and every machine.
const REPEATABLE: [&str; 4] =
    ["crates/units/src/", "crates/policy/src/", "crates/model/src/", "crates/engine/src/"];
/// The only file that may use threads.
const PARALLEL: &str = "crates/engine/src/parallel.rs";
/// The only files that may use `unsafe`.
const UNSAFE: [&str; 2] = ["crates/engine/src/prefetch.rs", "crates/engine/src/ring.rs"];
/// Words that may not occur in repeatable crates.
const FORBIDDEN: [&str; 12] = [
    "HashMap",
    "HashSet",
    "RandomState",
    "std::time",
    "std::env",
    "std::fs",
    "std::net",
    "println!",
    "eprintln!",
    "print!",
    "eprint!",
    "dbg!",
];
/// Words that may occur in [`PARALLEL`] only.
const THREADS: [&str; 3] = ["std::thread", "thread::", "rayon"];
/// Methods of floats whose results differ between processors; `libm::` has the same under the same names.
const FLOATS: [&str; 27] = [
    "ln", "ln_1p", "log", "log2", "log10", "exp", "exp2", "exp_m1", "powf", "powi", "sin", "cos", "tan",
    "sin_cos", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "cbrt",
    "hypot", "mul_add",
];

fn is_tests(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/") || path.contains("/benches/")
}

/// All sources of the crates, their tests folders not included.
fn sources() -> Vec<Text> {
    let mut sources = tree::texts_below("crates/", ".rs");
    sources.retain(|file| file.path.contains("/src/"));
    sources
}

fn index(file: &Text, function: &Function) -> String {
    format!("{}:{}: `{}` has {} lines", file.path, function.line, function.name, function.length)
}

#[test]
fn functions_are_short() {
    let mut refused = Vec::new();
    let mut noticed = Vec::new();
    for file in tree::texts_below("crates/", ".rs") {
        for function in source::functions(&source::blank(&file.text)) {
            match function.length {
                0..=FUNCTION_NOTICE => {}
                length if length <= FUNCTION_LIMIT => noticed.push(index(&file, &function)),
                _ => refused.push(index(&file, &function)),
            }
        }
    }
    if !noticed.is_empty() {
        // Written past the capture of output: otherwise the notice would not be shown.
        let notice = format!("notice: functions over {FUNCTION_NOTICE} lines:\n  {}\n", noticed.join("\n  "));
        std::io::stderr().write_all(notice.as_bytes()).expect("stderr can be written");
    }
    tree::refuse(&format!("No function is over {FUNCTION_LIMIT} lines of code:"), &refused);
}

#[test]
fn files_are_short() {
    let mut complaints = Vec::new();
    for file in sources().iter().filter(|file| !is_tests(&file.path)) {
        let tests = source::blank(&file.text);
        let tests = tests.lines().filter(|line| !line.trim().is_empty()).count()
            - source::without_tests(&tests).lines().filter(|line| !line.trim().is_empty()).count();
        let length = file.text.lines().count() - tests;
        if length > FILE_LIMIT {
            complaints.push(format!("{}: {length} lines", file.path));
        }
    }
    tree::refuse(&format!("No file is over {FILE_LIMIT} lines, tests not counted:"), &complaints);
}

#[test]
fn every_file_begins_with_a_head_comment() {
    let opens = |file: &Text| file.text.starts_with("//!") || is_generated(&file.text);
    let complaints: Vec<_> =
        sources().into_iter().filter(|file| !opens(file)).map(|file| file.path).collect();
    tree::refuse(
        "Every file begins with `//!`: what it models, what it leaves out, its invariants:",
        &complaints,
    );
}

fn is_generated(text: &str) -> bool {
    text.starts_with("// @generated")
}

#[test]
fn every_plug_in_has_the_five_headings() {
    // Files shared by several plug-ins declare no specification of their own.
    let is_plug_in = |file: &Text| {
        file.text.contains("static SPEC: Spec")
            && PLUG_INS.iter().any(|folder| file.path.starts_with(folder))
            && !file.path.ends_with("/mod.rs")
            && !is_tests(&file.path)
    };
    let headings = |file: &Text| -> Vec<String> {
        let head = file.text.lines().take_while(|line| line.starts_with("//!"));
        head.filter_map(|line| line.strip_prefix("//! #")).map(|heading| format!("#{heading}")).collect()
    };
    let complaints: Vec<_> = sources()
        .iter()
        .filter(|file| is_plug_in(file) && headings(file) != HEADINGS)
        .map(|file| format!("{}: has {:?}", file.path, headings(file)))
        .collect();
    tree::refuse(&format!("The head comment of a plug-in has the headings {HEADINGS:?}:"), &complaints);
}

#[test]
fn repeatable_code_uses_no_source_of_nondeterminism() {
    let mut complaints = Vec::new();
    for file in sources() {
        let repeatable = REPEATABLE.iter().any(|folder| file.path.starts_with(folder));
        if !repeatable || is_tests(&file.path) {
            continue;
        }
        let code = source::without_tests(&source::blank(&file.text));
        for (number, line) in code.lines().enumerate() {
            let found = forbidden(line, file.path == PARALLEL);
            complaints.extend(found.map(|word| format!("{}:{}: `{word}`", file.path, number + 1)));
        }
    }
    tree::refuse(
        "Units, policy, model and engine use no clock, environment, file, hash order or thread:",
        &complaints,
    );
}

#[test]
fn unsafe_code_is_in_two_files() {
    let mut complaints = Vec::new();
    for file in sources().iter().filter(|file| !UNSAFE.contains(&file.path.as_str())) {
        let code = source::blank(&file.text);
        let found = code.lines().enumerate().filter(|(_, line)| has_word(line, "unsafe"));
        complaints.extend(found.map(|(number, _)| format!("{}:{}", file.path, number + 1)));
    }
    tree::refuse(&format!("`unsafe` may occur in {} only:", UNSAFE.join(" and ")), &complaints);
}

/// The forbidden words in a line of code.
fn forbidden(line: &str, may_thread: bool) -> impl Iterator<Item = String> {
    let threads = THREADS.iter().filter(move |_| !may_thread);
    let words = FORBIDDEN.iter().chain(threads).filter(|word| has_word(line, word)).map(ToString::to_string);
    let is_called =
        |name: &&&str| line.contains(&format!(".{name}(")) || has_word(line, &format!("f64::{name}"));
    words.chain(FLOATS.iter().filter(is_called).map(ToString::to_string)).collect::<Vec<_>>().into_iter()
}

/// Whether a word occurs in a line with no word character right before it or, unless it ends in punctuation, after it.
fn has_word(line: &str, word: &str) -> bool {
    let continues = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(word).any(|(at, _)| {
        let after = line[at + word.len()..].chars().next();
        let open = word.ends_with(|c: char| !c.is_alphanumeric());
        !continues(line[..at].chars().next_back()) && (open || !continues(after))
    })
}

#[test]
fn forbidden_words_are_found_as_whole_words() {
    let found = |line| forbidden(line, false).collect::<Vec<_>>();
    assert_eq!(found("use std::collections::HashMap;"), ["HashMap"]);
    assert_eq!(found("let y = x.ln() + f64::exp(x);"), ["ln", "exp"]);
    assert_eq!(found("std::thread::scope(run)"), ["std::thread", "thread::"]);
    assert_eq!(found("let y = libm::exp(x); reprint!(expand); x.logical();"), [""; 0]);
    assert_eq!(forbidden("std::thread::scope(run)", true).count(), 0);
}
