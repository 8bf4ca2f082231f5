//! The corpus of broken scenarios: the error messages for each kind of mistake, with caret and hint.
//!
//! The folder `broken/` contains each scenario and a golden file of the same name with the expected output. Texts that
//! editors or version control would change are generated here. `NETLOOM_UPDATE_GOLDEN=1` rewrites the golden files. A file
//! contains one mistake, or the number that it states: `# mistakes: 2`. Folders named `bases` contain scenarios that
//! others inherit from.

mod shelf;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use netloom_scenario::{Diagnostics, Origin, Overrides, Problem, Style, compile, resolve_from};
use shelf::Shelf;

/// The longest time to refuse a scenario; a build with checks, which runs along with other tests, gets more.
const LONGEST: Duration = Duration::from_secs(if cfg!(debug_assertions) { 5 } else { 1 });
/// The label of a place without a description.
const PLAIN_LABEL: &str = "here";

const FABRIC: &str = "fabric: {leaf_spine: {leaves: 2, spines: 2, hosts_per_leaf: 2}}\n";
const JOBS: &str = "jobs: [{phases: [{ring_all_reduce: {size: 1MiB}}]}]\n";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken")
}

/// A scenario of the corpus, named by its path below the folder.
#[derive(Clone)]
struct File(PathBuf);

impl Origin for File {
    fn name(&self) -> String {
        self.0.to_string_lossy().replace('\\', "/")
    }

    fn base(&self, from: &str) -> Result<File, String> {
        Ok(File(self.0.with_file_name(from)))
    }

    fn read(&self) -> Result<Vec<u8>, String> {
        // Messages of operating systems differ.
        let what = if folder().join(&self.0).is_dir() { "this is a folder" } else { "there is no such file" };
        fs::read(folder().join(&self.0)).map_err(|_| format!("{what}: {}", self.name()))
    }

    fn rows(&self, path: &str) -> Result<(String, Box<dyn Read>), String> {
        let beside = File(self.0.with_file_name(path));
        let opened = fs::File::open(folder().join(&beside.0));
        let opened = opened.map_err(|_| format!("there is no such file: {}", beside.name()))?;
        Ok((beside.name(), Box::new(opened)))
    }

    fn is_same(&self, other: &File) -> bool {
        let real = |file: &File| folder().join(&file.0).canonicalize().ok();
        real(self).is_some_and(|path| real(other) == Some(path))
    }
}

/// All scenarios below a folder, without bases.
fn files(below: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder().join(below))
        .expect("the folder can be read")
        .map(|entry| below.join(entry.expect("the entry can be read").file_name()))
        .collect();
    entries.sort();
    for path in entries {
        if folder().join(&path).is_dir() {
            if !path.ends_with("bases") {
                files(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            found.push(path);
        }
    }
}

/// The number of mistakes that a text states.
fn expected(text: &[u8]) -> usize {
    let text = String::from_utf8_lossy(text);
    let stated = text.lines().find_map(|line| line.strip_prefix("# mistakes: "));
    stated.map_or(1, |number| number.parse().expect("a number of mistakes"))
}

/// The diagnostics of a text, rendered; an error if it is accepted or takes too long.
fn refused<O: Origin>(bytes: &[u8], origin: &O) -> Result<(Diagnostics, String), String> {
    let start = Instant::now();
    let resolved = resolve_from(bytes, origin, &Overrides::default());
    let wrong = match resolved.and_then(|resolved| compile(&resolved).map(|_| ())) {
        Ok(()) => return Err("is accepted".to_owned()),
        Err(wrong) => wrong,
    };
    let rendered = wrong.render(Style::Plain);
    let took = start.elapsed();
    if took > LONGEST { Err(format!("takes {took:?}")) } else { Ok((wrong, rendered)) }
}

/// Deficiencies of one diagnostic.
fn poor(problem: &Problem, rendered: &str) -> Vec<String> {
    let (line, column) = problem.line_and_column();
    let location = format!("[{}:{line}:{column}]", problem.source_name());
    let mut complaints = Vec::new();
    if problem.message().is_empty() || problem.label().is_empty() {
        complaints.push("has no message or no label".to_owned());
    }
    if problem.label() == PLAIN_LABEL {
        complaints.push(format!("has the label `{PLAIN_LABEL}` only: {problem}"));
    }
    if !rendered.contains(&location) {
        complaints.push(format!("does not show its place {location}"));
    }
    let is_about_units = ["unit", "is a size, not", "is a rate, not", "is a span of time, not"]
        .iter()
        .any(|words| problem.message().contains(words));
    if is_about_units && !problem.help().is_some_and(|help| help.contains("units: `")) {
        complaints.push(format!("does not list the units: {problem}"));
    }
    complaints
}

/// Compares the output with its golden file, or updates that file.
fn compared(name: &Path, rendered: &str) -> Option<String> {
    let golden = folder().join(name).with_extension("txt");
    if fs::read_to_string(&golden).is_ok_and(|kept| kept == rendered) {
        return None;
    }
    if std::env::var("NETLOOM_UPDATE_GOLDEN").is_ok_and(|value| value == "1") {
        fs::create_dir_all(golden.parent().expect("it is in a folder")).expect("the folder can be made");
        fs::write(&golden, rendered).expect("the golden file can be written");
        return None;
    }
    Some(format!("differs from its golden file (run `make golden`, then read the difference):\n{rendered}"))
}

/// All deficiencies of the diagnostics of a text.
fn complaints<O: Origin>(name: &Path, bytes: &[u8], n_expected: usize, origin: &O) -> Vec<String> {
    let (wrong, rendered) = match refused(bytes, origin) {
        Ok(answer) => answer,
        Err(complaint) => return vec![format!("{}: {complaint}", name.display())],
    };
    let n = wrong.problems().len();
    let count = (n != n_expected).then(|| format!("has {n} mistakes, not {n_expected}"));
    let poor = wrong.problems().iter().take(50).flat_map(|problem| poor(problem, &rendered));
    let all = poor.chain(count).chain(compared(name, &rendered));
    all.map(|complaint| format!("{}: {complaint}", name.display())).collect()
}

#[track_caller]
fn refuse(complaints: &[String]) {
    assert!(complaints.is_empty(), "{}\n\n{} complaints", complaints.join("\n\n"), complaints.len());
}

#[test]
fn every_file_gives_the_expected_errors() {
    let mut found = Vec::new();
    files(Path::new(""), &mut found);
    assert!(found.len() >= 80, "only {} files", found.len());
    let of = |path: &PathBuf| {
        let bytes = fs::read(folder().join(path)).expect("the file can be read");
        complaints(path, &bytes, expected(&bytes), &File(path.clone()))
    };
    refuse(&found.iter().flat_map(of).collect::<Vec<_>>());
}

#[test]
fn every_generated_text_gives_the_expected_errors() {
    let of = |(name, bytes, n_expected): (&str, Vec<u8>, usize)| {
        let path = Path::new("made").join(name);
        complaints(&path, &bytes, n_expected, &Shelf::new(&[(name, &bytes)]))
    };
    refuse(&made().into_iter().flat_map(of).collect::<Vec<_>>());
}

#[test]
fn every_expected_output_has_its_scenario() {
    let mut found = Vec::new();
    files(Path::new(""), &mut found);
    let made = made().into_iter().map(|(name, ..)| Path::new("made").join(name));
    let all: Vec<PathBuf> = found.into_iter().chain(made).map(|path| path.with_extension("txt")).collect();
    let mut answers = Vec::new();
    texts(Path::new(""), &mut answers);
    let stray: Vec<_> = answers.iter().filter(|path| !all.contains(path)).collect();
    assert!(stray.is_empty(), "golden files without a scenario: {stray:?}");
}

fn texts(below: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder().join(below)).expect("the folder can be read") {
        let path = below.join(entry.expect("the entry can be read").file_name());
        if folder().join(&path).is_dir() {
            texts(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "txt") {
            found.push(path);
        }
    }
}

/// A well-formed frame with one section added.
fn with(section: &str) -> Vec<u8> {
    format!("netloom: 1\n{FABRIC}{JOBS}{section}\n").into_bytes()
}

/// Texts that cannot be kept as files, since editors, version control or readers could not handle them, with the number
/// of mistakes that are stored.
fn made() -> Vec<(&'static str, Vec<u8>, usize)> {
    let comments = "# nothing but a comment\n".repeat(400);
    let many = |line: &dyn Fn(usize) -> String| (0..5_000).map(line).collect::<String>();
    vec![
        ("binary.yaml", b"\x7fELF\x02\x01\x01\0\0\0".to_vec(), 1),
        ("utf_16.yaml", b"\xff\xfen\0e\0t\0l\0o\0o\0m\0".to_vec(), 1),
        ("latin_1.yaml", b"netloom: 1\nname: caf\xe9\n".to_vec(), 1),
        ("latin_1_far_down.yaml", [comments.as_bytes(), b"name: caf\xe9 and more\n"].concat(), 1),
        ("zero_byte_far_down.yaml", format!("netloom: 1\n{comments}name: \0\n").into_bytes(), 1),
        ("longer_than_is_read.yaml", vec![b'#'; (64 << 20) + 1], 1),
        ("windows_lines.yaml", windows(&with("queues: {switch_limit: 5}\nseed: x\n")), 2),
        ("byte_order_mark.yaml", ["\u{feff}".as_bytes(), &with("seed: x")].concat(), 1),
        ("byte_order_mark_inside.yaml", with("\u{feff}seed: 1"), 1),
        ("steering_bytes.yaml", with("seed: a\u{1b}[31mb"), 1),
        ("alias_bomb.yaml", alias_bomb().into_bytes(), 1),
        ("alias_bomb_of_text.yaml", text_bomb().into_bytes(), 1),
        ("brackets.yaml", "[".repeat(100_000).into_bytes(), 1),
        ("braces.yaml", "{a: ".repeat(100_000).into_bytes(), 1),
        ("dashes.yaml", "- ".repeat(100_000).into_bytes(), 1),
        ("question_marks.yaml", "? ".repeat(100_000).into_bytes(), 1),
        ("minus_signs.yaml", with(&format!("deadline: {}", "-".repeat(1_000_000))), 1),
        ("million_digits.yaml", with(&format!("deadline: {}s", "9".repeat(1_000_000))), 1),
        ("million_digits_of_a_count.yaml", with(&format!("seed: {}", "9".repeat(1_000_000))), 1),
        ("million_letters.yaml", with(&format!("{}: 1", "seed".repeat(250_000))), 1),
        ("many_hosts.yaml", large("leaves: 300, spines: 2, hosts_per_leaf: 1000").into_bytes(), 1),
        (
            "many_links.yaml",
            large("leaves: 10, spines: 10, hosts_per_leaf: 10, fabric_links: 3000").into_bytes(),
            1,
        ),
        ("too_many_jobs.yaml", jobs(65_536).into_bytes(), 1),
        ("too_many_orders.yaml", orders().into_bytes(), 1),
        ("thousands_of_unknown_keys.yaml", with(&many(&|n| format!("seed{n}: 1\n"))), 1_000),
        ("thousands_of_unknown_links.yaml", unknown_links().into_bytes(), 1_000),
    ]
}

/// Ten aliases of ten aliases, and so on.
fn alias_bomb() -> String {
    let tens = |n: usize| format!("a{n}: &a{n} [{}]", vec![format!("*a{}", n - 1); 10].join(", "));
    let first = "netloom: 1\na0: &a0 [x, x, x, x, x, x, x, x, x, x]".to_owned();
    std::iter::once(first).chain((1..9).map(tens)).collect::<Vec<_>>().join("\n") + "\n"
}

/// Few values, each a long text.
fn text_bomb() -> String {
    let text = "x".repeat(1 << 20);
    format!("netloom: 1\na: &a {text}\nb: [{}]\n", vec!["*a"; 100_000].join(", "))
}

/// A fabric that takes long to build, and a mistake elsewhere.
fn large(shape: &str) -> String {
    format!("netloom: 1\nfabric: {{leaf_spine: {{{shape}}}}}\n{JOBS}seed: x\n")
}

fn jobs(n: usize) -> String {
    format!("netloom: 1\n{FABRIC}jobs:\n{}", "- {phases: [barrier]}\n".repeat(n))
}

/// Orders that each of many buckets would copy.
fn orders() -> String {
    let order = vec!["[0, 1, 2, 3]"; 400].join(", ");
    let each = "[{ring_all_gather: {size: 1MiB, order: given}}]";
    let phases = format!("[{{collectives: {{buckets: 65535, each: {each}}}}}]");
    format!("netloom: 1\n{FABRIC}jobs:\n- orders: [{order}]\n  phases: {phases}\n")
}

/// Many unknown names, each looked up among many known ones.
fn unknown_links() -> String {
    let names: Vec<String> = (0..5_000).map(|n| format!("leaf{n}-spien3.0")).collect();
    let fabric = "fabric: {leaf_spine: {leaves: 128, spines: 128, hosts_per_leaf: 2}}";
    format!("netloom: 1\n{fabric}\n{JOBS}faults:\n  failed:\n    - {}\n", names.join("\n    - "))
}

/// A text with the line ends of Windows.
fn windows(text: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(text).replace('\n', "\r\n").into_bytes()
}
