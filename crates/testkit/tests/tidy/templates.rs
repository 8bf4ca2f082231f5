//! Templates are built and tested as members of the workspace; here, that a copy elsewhere is a package of its own.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::tree;

/// Copies the files of a template whose dependencies are paths to this project.
fn copy(template: &str, to: &Path) {
    let root = tree::root();
    let absolute = format!("path = \"{}/crates", root.display());
    for file in tree::texts_below(&format!("{template}/"), "") {
        let relative = file.path.strip_prefix(template).expect("it is below it").trim_start_matches('/');
        let copied = to.join(relative);
        fs::create_dir_all(copied.parent().expect("it is in a folder")).expect("folders can be made");
        fs::write(copied, file.text.replace("path = \"../../crates", &absolute))
            .expect("files can be written");
    }
}

#[test]
fn a_copy_of_the_template_of_a_policy_resolves_outside_the_workspace() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    copy("templates/balancer", folder.path());
    // The versions of the workspace, which are on this machine.
    fs::copy(tree::root().join("Cargo.lock"), folder.path().join("Cargo.lock")).expect("it can be copied");
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--offline"])
        .current_dir(folder.path())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    assert_eq!(metadata["workspace_members"].as_array().map(Vec::len), Some(1));
}
