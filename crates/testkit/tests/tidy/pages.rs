//! Pages, scenarios and changelog: what a change owes beside its code.

use std::collections::BTreeSet;
use std::fs;

use netloom_catalog::workload::background;
use netloom_policy::balance::SPECS;
use netloom_units::{Bytes, Duration, Kind, Parameter, Rate, Spec, Value};

use crate::tree::{self, Text};

/// Golden digests: one line `<scenario> <digest>` for every scenario below `scenarios/`, sorted.
const GOLDEN: &str = "scenarios/golden.digests";

/// Where the generated table of a page begins.
const TABLE: &str = "<!-- parameters: generated from SPEC, `make bless` rewrites it -->";
/// Where it ends.
const TABLE_END: &str = "<!-- /parameters -->";

fn blessing() -> bool {
    std::env::var("NETLOOM_BLESS").is_ok_and(|value| value == "1")
}

#[test]
fn no_file_names_the_place_it_was_written_at() {
    // Put together here, so that this file does not name them either.
    let above = format!("..{}shared", '/');
    let workplace = format!("{0}work{0}", '/');
    let mut complaints = Vec::new();
    for file in tree::texts() {
        for (number, line) in file.text.lines().enumerate() {
            if line.contains(&above) || begins_a_path(line, &workplace) {
                complaints.push(format!("{}:{}", file.path, number + 1));
            }
        }
    }
    tree::refuse("A clone elsewhere has no such folder:", &complaints);
}

/// Whether a path in the line starts with `root`, rather than having it in its middle.
fn begins_a_path(line: &str, root: &str) -> bool {
    line.match_indices(root).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-}*/".contains(c))
    })
}

#[test]
fn every_policy_has_its_page_and_its_scenario() {
    let mut complaints = Vec::new();
    for spec in SPECS {
        let owed =
            [format!("docs/policies/{}.md", spec.name), format!("scenarios/policies/{}.yaml", spec.name)];
        complaints.extend(owed.into_iter().filter(|path| !tree::root().join(path).is_file()));
    }
    let known = |path: &str| SPECS.iter().any(|spec| path.ends_with(&format!("/{}.md", spec.name)));
    let pages = tree::texts_below("docs/policies/", ".md").into_iter();
    let strays = pages.filter(|page| !page.path.ends_with("/README.md") && !known(&page.path));
    complaints.extend(strays.map(|page| format!("{}: describes no policy", page.path)));
    tree::refuse("Every policy in SPECS has a page and a scenario:", &complaints);
}

#[test]
fn every_kind_of_background_traffic_has_its_page_and_its_scenario() {
    let owed = background::SPECS.iter().flat_map(|spec| {
        let name = spec.name;
        [format!("docs/workloads/{name}.md"), format!("scenarios/background/{name}.yaml")]
    });
    let complaints: Vec<_> = owed.filter(|path| !tree::root().join(path).is_file()).collect();
    tree::refuse("Every kind of background traffic has a page and a scenario:", &complaints);
}

#[test]
fn tables_of_parameters_are_fresh() {
    let policies = SPECS.iter().map(|spec| (format!("docs/policies/{}.md", spec.name), *spec));
    let kinds = background::SPECS.iter().map(|spec| (format!("docs/workloads/{}.md", spec.name), *spec));
    let mut complaints = Vec::new();
    for (path, spec) in policies.chain(kinds) {
        let Ok(page) = fs::read_to_string(tree::root().join(&path)) else { continue };
        match with_table(&page, spec) {
            None => complaints.push(format!("{path}: lacks the lines `{TABLE}` and `{TABLE_END}`")),
            Some(fresh) if fresh == page => {}
            Some(fresh) if blessing() => {
                fs::write(tree::root().join(&path), fresh).expect("the page can be written");
            }
            Some(_) => complaints.push(format!("{path}: run `make bless`")),
        }
    }
    tree::refuse("The table of a page is made from the SPEC:", &complaints);
}

/// The page with its table made anew.
fn with_table(page: &str, spec: &Spec) -> Option<String> {
    let (before, rest) = page.split_once(TABLE)?;
    let (_, after) = rest.split_once(TABLE_END)?;
    Some(format!("{before}{TABLE}\n{}{TABLE_END}{after}", parameter_table(spec.parameters)))
}

fn parameter_table(parameters: &[Parameter]) -> String {
    if parameters.is_empty() {
        return "It has no parameters.\n".into();
    }
    let row = |Parameter { name, kind, default, meaning }: &Parameter| {
        let default = default.map_or("required".into(), |value| format!("`{}`", value_text(value)));
        format!("| `{name}` | {} | {default} | {meaning} |\n", kind_text(*kind))
    };
    let rows: Vec<String> = parameters.iter().map(row).collect();
    format!("| parameter | value | default | meaning |\n|---|---|---|---|\n{}", rows.concat())
}

fn kind_text(kind: Kind) -> String {
    match kind {
        Kind::Count { minimum, maximum } => format!("whole number from {minimum} to {maximum}"),
        Kind::Fraction { minimum, maximum } => format!("number from {minimum} to {maximum}"),
        Kind::Duration => "time with its unit".into(),
        Kind::Size => "size with its unit".into(),
        Kind::Rate => "rate with its unit".into(),
        Kind::Flag => "`true` or `false`".into(),
        Kind::Choice(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" or "),
        Kind::Optional(inner) => format!("{}, or `none`", kind_text(*inner)),
    }
}

fn value_text(value: Value) -> String {
    match value {
        Value::Count(count) => count.to_string(),
        Value::Fraction(fraction) => fraction.to_string(),
        Value::Duration(Duration(ps)) => in_unit(ps, &["ps", "ns", "us", "ms", "s"], 1000),
        Value::Size(Bytes(bytes)) => in_unit(bytes, &["B", "KiB", "MiB", "GiB", "TiB"], 1024),
        Value::Rate(Rate(rate)) => in_unit(rate, &["bps", "kbps", "Mbps", "Gbps", "Tbps"], 1000),
        Value::Flag(flag) => flag.to_string(),
        Value::Choice(word) => word.into(),
        Value::Absent => "none".into(),
    }
}

/// The number in the largest unit in which it is whole.
fn in_unit(mut number: u64, units: &[&str], step: u64) -> String {
    let mut unit = 0;
    while number > 0 && number.is_multiple_of(step) && unit + 1 < units.len() {
        number /= step;
        unit += 1;
    }
    format!("{number}{}", units[unit])
}

#[test]
fn numbers_are_written_in_the_unit_that_fits() {
    assert_eq!(value_text(Value::Duration(Duration::from_micros(100))), "100us");
    assert_eq!(value_text(Value::Duration(Duration(1_500))), "1500ps");
    assert_eq!(value_text(Value::Rate(Rate(400_000_000_000))), "400Gbps");
    assert_eq!(value_text(Value::Size(Bytes(0))), "0B");
}

#[test]
fn links_lead_somewhere() {
    let mut complaints = Vec::new();
    for page in tree::texts_below("", ".md") {
        let folder = page.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for link in relative_links(&page) {
            if !tree::root().join(folder).join(&link).exists() {
                complaints.push(format!("{}: {link}", page.path));
            }
        }
    }
    tree::refuse("A relative link names a file that is there:", &complaints);
}

/// The targets of `[...](target)` that are files here, without their `#section`; code is no link.
fn relative_links(page: &Text) -> Vec<String> {
    let prose = page.text.split("```").step_by(2).flat_map(|text| text.split('`').step_by(2));
    let links = prose.flat_map(|text| text.split("](").skip(1));
    let targets = links.filter_map(|rest| rest.split([')', ' ']).next());
    let is_file =
        |target: &&str| !target.is_empty() && !target.contains("://") && !target.starts_with("mailto");
    targets.filter_map(|target| target.split('#').next()).filter(is_file).map(String::from).collect()
}

#[test]
fn every_scenario_has_its_golden_digest() {
    let Ok(golden) = fs::read_to_string(tree::root().join(GOLDEN)) else { return };
    let scenarios = tree::texts_below("scenarios/", ".yaml");
    let expected: BTreeSet<&str> = scenarios.iter().map(|file| file.path.as_str()).collect();
    let lines: Vec<(&str, &str)> = golden.lines().filter_map(|line| line.split_once(' ')).collect();
    let is_digest = |text: &str| text.len() == 64 && text.chars().all(|c| c.is_ascii_hexdigit());
    assert!(golden.lines().count() == lines.len() && lines.iter().all(|(_, digest)| is_digest(digest)));
    assert!(lines.is_sorted(), "{GOLDEN} is sorted by path");
    let listed: BTreeSet<&str> = lines.iter().map(|(path, _)| *path).collect();
    assert_eq!(listed, expected, "{GOLDEN} lists every scenario once; `make bless` writes it");
}

#[test]
fn a_changed_golden_digest_has_its_line_in_the_changelog() {
    let Ok(golden) = fs::read(tree::root().join(GOLDEN)) else { return };
    let mark = &blake3::hash(&golden).to_hex()[..12];
    let line = format!("golden digests `{mark}`");
    let changelog = tree::read("CHANGELOG.md");
    let listed = changelog.lines().any(|text| text.starts_with("- ") && text.contains(&line));
    assert!(
        listed,
        "{GOLDEN} has changed: results differ from the last entry.\n\
         Say in CHANGELOG.md which numbers change and why, in a line that starts with `- ` and contains\n  {line}"
    );
}
