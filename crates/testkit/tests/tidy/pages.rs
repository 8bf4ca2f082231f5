//! Pages, scenarios and changelog: what a change requires beside its code.

use std::collections::BTreeSet;
use std::fs;

use netloom_catalog::workload::background;
use netloom_policy::balance::SPECS;

use crate::tree::{self, Text};

/// Golden digests: one line `<scenario> <digest>` for every scenario below `scenarios/`, sorted.
const GOLDEN: &str = "scenarios/golden.digests";

#[test]
fn no_file_contains_an_absolute_path_of_the_developer() {
    // Assembled here, so that this file does not contain them either.
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
    tree::refuse("The folder does not exist in other clones:", &complaints);
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
fn relative_links_lead_to_files() {
    let mut complaints = Vec::new();
    for page in tree::texts_below("", ".md") {
        let folder = page.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for link in relative_links(&page) {
            if !tree::root().join(folder).join(&link).exists() {
                complaints.push(format!("{}: {link}", page.path));
            }
        }
    }
    tree::refuse("A relative link must lead to an existing file:", &complaints);
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
    assert_eq!(listed, expected, "{GOLDEN} lists every scenario once; `make golden` writes it");
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
