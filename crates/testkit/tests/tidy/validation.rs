//! The page that says what netloom has been held against: laws, the referee, and the claims of papers.
//!
//! Made from the tests and claims themselves, so that it cannot promise a check that is not there.

use std::path::Path;

use serde::Deserialize;

use crate::tree::{self, Text};

/// Folder of the tests that hold the engine to arithmetic.
const LAWS: &str = "crates/testkit/tests/laws/";
/// Folder of the tests that hold the engine to the referee.
const DIFFERENTIAL: &str = "crates/testkit/tests/differential/";
/// Files of the tests that hold the referee to what others recorded.
const REFERENCE: [&str; 3] = ["referee_scenes", "seed_sim_golden", "seed_sim_mice"];

const HEAD: &str = "\
# Validation

<!-- generated from the tests and from papers/*/claims.yaml; `make bless` rewrites it -->

Why believe a number of this simulator?
Three things stand behind it; the first two are tests that CI runs, the third takes one command:

1. **Laws.** Where arithmetic knows the answer, the engine must give it, most of the time to the picosecond.
2. **The referee.** A second simulator, naive and slow, shares no line with the engine.
   It repeats recorded runs of the first paper's simulator to the last bit, and the engine agrees with it packet for packet.
3. **Papers.** What was published is repeated with many seeds, and every claim gets a verdict, or is told as not judged.
   Where a parameter was chosen so that a claim holds, the claim is marked as calibrated; where one does not hold, the
   reason stands beside it.

What is not modelled is said on the first page and on the page of every policy; no test speaks for it.
";

/// What the page needs of a paper's claims.
#[derive(Deserialize)]
struct Claims {
    claims: Vec<Claim>,
}

#[derive(Deserialize)]
struct Claim {
    id: String,
    said: String,
    text: String,
    kind: String,
    recorded: String,
    /// With `--full`, where that is another verdict.
    #[serde(default)]
    recorded_full: Option<String>,
    /// `full` if it is judged with `--full` alone.
    #[serde(default)]
    scale: Option<String>,
    #[serde(default)]
    reason: Option<String>,
}

/// The page, as Markdown.
pub fn page() -> String {
    let mut page = format!("{HEAD}\n## Laws\n");
    for file in tree::texts_below(LAWS, ".rs") {
        page.push_str(&tests(&file));
    }
    page.push_str("\n## The referee\n");
    for name in REFERENCE {
        let path = format!("crates/testkit/tests/{name}.rs");
        page.push_str(&tests(&Text { text: tree::read(&path), path }));
    }
    for file in tree::texts_below(DIFFERENTIAL, ".rs") {
        page.push_str(&tests(&file));
    }
    for file in tree::texts_below("papers/", "/claims.yaml") {
        page.push_str(&paper(&file));
    }
    page
}

/// What a file of tests is about, and its tests by their names; nothing for a file without tests.
fn tests(file: &Text) -> String {
    let lines: Vec<&str> = file.text.lines().collect();
    let names: Vec<String> =
        lines.iter().enumerate().filter_map(|(at, line)| test_name(&lines, at, line)).collect();
    if names.is_empty() {
        return String::new();
    }
    let head = lines.iter().map_while(|line| line.strip_prefix("//!")).map(str::trim);
    let about: Vec<&str> = head.take_while(|line| !line.is_empty()).collect();
    let stem = Path::new(&file.path).file_stem().unwrap_or_default().to_string_lossy();
    let link = format!("[`{stem}`](../{})", file.path);
    format!("\n{}\n({link})\n\n{}", about.join("\n"), names.concat())
}

/// The name of a test as a line of a list; tests made by a macro have no `#[test]` and are not listed.
fn test_name(lines: &[&str], at: usize, line: &str) -> Option<String> {
    if line.trim() != "#[test]" {
        return None;
    }
    let signature = lines[at + 1..].iter().find(|line| line.trim_start().starts_with("fn "))?;
    let name = signature.trim_start().strip_prefix("fn ")?.split('(').next()?;
    Some(format!("- {}\n", name.replace('_', " ")))
}

fn paper(file: &Text) -> String {
    // Our own text, so no budget against hostile ones is wanted: claims repeat many lists by their anchors.
    let options = serde_saphyr::options! { budget: None };
    let claims: Claims = serde_saphyr::from_str_with_options(&file.text, options)
        .unwrap_or_else(|error| panic!("{}: {error}", file.path));
    let paper = file.path.split('/').nth(1).unwrap_or_default();
    let claims = claims.claims;
    let holding = claims.iter().filter(|claim| claim.recorded == "reproduced").count();
    let not_judged = claims.iter().filter(|claim| claim.recorded == "not judged").count();
    let not_judged_full =
        claims.iter().filter(|claim| claim.recorded_full.as_deref() == Some("not judged")).count();
    let calibrated = claims.iter().filter(|claim| claim.kind == "calibrated").count();
    let open = match (not_judged, not_judged_full) {
        (0, 0) => String::new(),
        _ => format!(
            "{not_judged} have not been judged yet, and {not_judged_full} of the others only at the size that is \
             run without `--full`.\n"
        ),
    };
    let rows: String = claims.iter().map(row).collect();
    format!(
        "\n## {paper}\n\nOf {} claims {holding} are reproduced and {} are not; for {calibrated} of them something was \
         calibrated.\n{open}`netloom reproduce {paper} --check` judges them all, `--only CLAIM` one of them; \
         [what was studied and how it fares](../papers/{paper}/README.md).\n\n\
         | claim | said in | in our words | verdict |\n|---|---|---|---|\n{rows}",
        claims.len(),
        claims.len() - holding - not_judged,
    )
}

fn row(claim: &Claim) -> String {
    let Claim { id, said, text, recorded, .. } = claim;
    let calibrated = if claim.kind == "calibrated" { ", calibrated" } else { "" };
    let full = match (claim.scale.as_deref(), claim.recorded_full.as_deref()) {
        (Some("full"), _) => " (with `--full`)".to_owned(),
        (_, Some(verdict)) => format!(" (with `--full`: {verdict})"),
        _ => String::new(),
    };
    let reason = claim.reason.as_ref().map(|reason| format!(": {}", reason.trim())).unwrap_or_default();
    format!("| `{id}` | {said} | {text} | {recorded}{calibrated}{full}{reason} |\n")
}
