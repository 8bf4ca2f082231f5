//! Dependencies between crates: the table in `ARCHITECTURE.md` is the rule, `cargo metadata` the fact.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::tree;

/// What one row of the table allows.
enum Allowed {
    Anything,
    These(Vec<String>),
}

/// A crate of the workspace and the crates of the workspace it imports outside its tests.
struct Member {
    name: String,
    description: String,
    imports: Vec<String>,
}

fn members() -> Vec<Member> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(tree::root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let packages = metadata["packages"].as_array().expect("there are packages");
    packages.iter().filter(|package| is_crate(package)).map(member).collect()
}

/// Whether a package is one of the project, rather than a template to copy.
fn is_crate(package: &Value) -> bool {
    let manifest = package["manifest_path"].as_str().map(Path::new).expect("every package has a manifest");
    manifest.starts_with(tree::root().join("crates"))
}

fn member(package: &Value) -> Member {
    let dependencies = package["dependencies"].as_array().expect("there is a list of dependencies");
    let imports = dependencies.iter().filter(|dependency| dependency["kind"] != "dev");
    Member {
        name: short(&package["name"]).expect("every member is called netloom-something"),
        description: package["description"].as_str().unwrap_or_default().into(),
        imports: imports.filter_map(|dependency| short(&dependency["name"])).collect(),
    }
}

/// The name without `netloom-`; none for a crate from outside.
fn short(name: &Value) -> Option<String> {
    name.as_str()?.strip_prefix("netloom-").map(String::from)
}

/// The table between the markers in `ARCHITECTURE.md`: crate, what it may import.
fn table() -> BTreeMap<String, Allowed> {
    let page = tree::read("ARCHITECTURE.md");
    let (_, rest) = page.split_once("<!-- allowed edges -->").expect("the table of edges is marked");
    let (table, _) = rest.split_once("<!-- /allowed edges -->").expect("the table's end is marked");
    table.lines().filter(|line| line.starts_with('|')).skip(2).flat_map(row).collect()
}

/// A row; its first cell may name several crates.
fn row(line: &str) -> Vec<(String, Allowed)> {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let names = |cell: &str| cell.split(',').map(|name| name.trim().trim_matches('`').to_string()).collect();
    let allowed = || match cells[1] {
        "nothing" => Allowed::These(Vec::new()),
        "anything" => Allowed::Anything,
        these => Allowed::These(names(these)),
    };
    let crates: Vec<String> = names(cells[0]);
    crates.into_iter().map(|name| (name, allowed())).collect()
}

#[test]
fn crates_import_only_what_the_table_allows() {
    let table = table();
    let members = members();
    let mut complaints = Vec::new();
    for member in &members {
        match table.get(&member.name) {
            None => complaints.push(format!("{}: has no row in the table", member.name)),
            Some(Allowed::Anything) => {}
            Some(Allowed::These(allowed)) => {
                let refused = member.imports.iter().filter(|import| !allowed.contains(import));
                complaints.extend(refused.map(|import| format!("{} imports {import}", member.name)));
            }
        }
    }
    let unknown = table.keys().filter(|name| !members.iter().any(|member| member.name == **name));
    complaints.extend(unknown.map(|name| format!("{name}: is in the table and not in the workspace")));
    tree::refuse("The table of edges in ARCHITECTURE.md is the rule:", &complaints);
}

#[test]
fn only_tests_depend_on_crates_for_developers() {
    let for_developers = ["testkit", "bench"];
    let members = members();
    let edges = members.iter().flat_map(|member| member.imports.iter().map(move |import| (member, import)));
    let refused = edges.filter(|(member, import)| {
        for_developers.contains(&import.as_str()) && !for_developers.contains(&member.name.as_str())
    });
    let complaints: Vec<_> =
        refused.map(|(member, import)| format!("{} imports {import}", member.name)).collect();
    tree::refuse("Only dev-dependencies may name testkit or bench:", &complaints);
}

#[test]
fn every_crate_has_a_description() {
    let silent = members().into_iter().filter(|member| member.description.len() < 20);
    let complaints: Vec<_> = silent.map(|member| format!("crates/{}/Cargo.toml", member.name)).collect();
    tree::refuse("`description` is a line that explains the crate to a newcomer:", &complaints);
}
