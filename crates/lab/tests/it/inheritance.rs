//! Inheritance between files: where bases are searched, and what a run folder stores.

use std::fs;
use std::path::{Path, PathBuf};

use netloom_lab::{Overrides, RunRequest, Source, Style, prepare, run};
use tempfile::TempDir;

const BASE: &str = "netloom: 1
fabric: {leaf_spine: {leaves: 2, spines: 2, hosts_per_leaf: 2}}
balance: {adaptive: {backlog: packets}}
jobs: [{phases: [{ring_all_reduce: {size: 64KiB}}]}]
";

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("folders can be made");
        fs::write(path, text).expect("the file can be written");
    }
    folder
}

/// The errors of a scenario.
fn refused(path: &Path) -> String {
    let error = prepare(&Source::file(path), &Overrides::default()).expect_err("the scenario is broken");
    error.render(Style::Plain)
}

#[test]
fn a_path_is_relative_to_its_file() {
    let folder = folder(&[
        ("studies/one/heir.yaml", "netloom: 1\nfrom: ../middle.yaml\nseed: 5\n"),
        ("studies/middle.yaml", "netloom: 1\nfrom: ../fabrics/base.yaml\n"),
        ("fabrics/base.yaml", BASE),
    ]);
    let source = Source::file(folder.path().join("studies/one/heir.yaml"));
    let prepared = prepare(&source, &Overrides::default()).expect("the scenario is right");
    assert_eq!((prepared.name.as_str(), prepared.n_hosts(), prepared.compiled.model.seed), ("heir", 4, 5));
}

#[test]
fn the_manifest_has_inherited_values() {
    let folder =
        folder(&[("base.yaml", BASE), ("heir.yaml", "netloom: 1\nfrom: base.yaml\nbalance: adaptive\n")]);
    let mut request = RunRequest::new(Source::file(folder.path().join("heir.yaml")));
    request.folder = Some(folder.path().join("out"));
    let report = run(request).expect("the scenario is right");
    let yaml = report.manifest.scenario_yaml;
    assert!(yaml.contains("backlog: packets") && !yaml.contains("base.yaml"), "{yaml}");
    assert_eq!(report.manifest.scenario["balance"]["switch"]["adaptive"]["backlog"], "packets");
}

#[test]
fn a_cycle_through_other_folders_is_detected() {
    let folder = folder(&[
        ("one.yaml", "netloom: 1\nfrom: below/two.yaml\n"),
        ("below/two.yaml", "netloom: 1\nfrom: ../below/../one.yaml\n"),
    ]);
    let wrong = refused(&folder.path().join("one.yaml"));
    assert!(wrong.contains("inherits from itself") && wrong.contains("1 mistake"), "{wrong}");
}

#[test]
fn a_base_that_is_not_a_regular_file_is_refused() {
    let folder = folder(&[
        ("missing.yaml", "netloom: 1\nfrom: nowhere.yaml\n"),
        ("folder.yaml", "netloom: 1\nfrom: .\n"),
        ("device.yaml", "netloom: 1\nfrom: /dev/zero\n"),
    ]);
    let refused = |name| refused(&folder.path().join(name));
    assert!(refused("missing.yaml").contains("no such file or folder"));
    assert!(refused("folder.yaml").contains("this is a folder"));
    if PathBuf::from("/dev/zero").exists() {
        assert!(refused("device.yaml").contains("only from a regular file"));
    }
}

#[test]
fn an_error_in_a_base_names_the_base() {
    let folder = folder(&[
        ("heir.yaml", "netloom: 1\nfrom: base.yaml\nseed: x\n"),
        ("base.yaml", &BASE.replace("64KiB", "64")),
    ]);
    let wrong = refused(&folder.path().join("heir.yaml"));
    assert!(wrong.contains("base.yaml:4:") && wrong.contains("heir.yaml:3:7"), "{wrong}");
}

#[test]
fn a_scenario_that_is_not_a_readable_file_is_refused() {
    let folder = folder(&[("secret.yaml", BASE)]);
    assert!(refused(folder.path()).contains("this is a folder"));
    assert!(refused(&folder.path().join("nowhere.yaml")).contains("no such file or folder"));
    assert!(refused(&folder.path().join("secret.yaml/below.yaml")).contains("secret.yaml"));
    let secret = folder.path().join("secret.yaml");
    let mut permissions = fs::metadata(&secret).expect("it is there").permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o000);
    fs::set_permissions(&secret, permissions).expect("permissions can be changed");
    // Privileged users can read every file.
    if fs::read(&secret).is_err() {
        assert!(refused(&secret).contains("cannot read the scenario"));
    }
}
