//! A run killed at any time never leaves a folder that is accepted as complete.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::thread;
use std::time::Instant;

use crate::command::{Workspace, lasting};

const KILLS: u64 = 50;

#[test]
fn a_killed_run_is_never_accepted_as_complete() {
    let workspace = Workspace::new();
    workspace.write("some.yaml", &lasting(200));
    let begun = Instant::now();
    let digest = workspace.digest(&["run", "some.yaml", "-o", "whole"]);
    let whole = begun.elapsed();
    let mut n_incomplete = 0;
    for number in 0..KILLS {
        let folder = format!("killed-{number}");
        let mut child = workspace.start(&["run", "some.yaml", "-o", &folder, "--quiet"]);
        thread::sleep(whole.mul_f64(1.1 * random_share()));
        child.kill().expect("it can be killed");
        let ended = child.wait().expect("it ends");
        let check = workspace.netloom(&["check", &folder]);
        match check.code {
            // Killed or not, a folder that is accepted as complete contains the whole run.
            Some(0) => assert!(check.out.contains(&digest), "{}", check.out),
            Some(2) => {
                assert!(!ended.success(), "a run that ended well left this: {}", check.err);
                n_incomplete += 1;
            }
            other => panic!("{other:?}: {}{}", check.out, check.err),
        }
        // The remains of a killed run do not prevent the next run.
        if number % 10 == 0 && check.code == Some(2) {
            assert_eq!(workspace.digest(&["run", "some.yaml", "-o", &folder]), digest);
        }
        let _ = fs::remove_dir_all(workspace.path(&folder));
    }
    assert!(n_incomplete > KILLS / 4, "only {n_incomplete} runs were killed in time");
}

#[test]
fn a_killed_sweep_continues_to_the_same_result() {
    let workspace = Workspace::new();
    workspace.write("some.yaml", &lasting(20));
    let sweep = ["sweep", "some.yaml", "--vary", "balance=ecmp,spray", "--seeds", "12", "--quiet", "-o"];
    let begun = Instant::now();
    assert_eq!(workspace.netloom(&[&sweep[..], &["whole"]].concat()).code, Some(0));
    let whole = begun.elapsed();
    let mut n_killed = 0;
    for _ in 0..5 {
        let mut child = workspace.start(&[&sweep[..], &["killed"]].concat());
        thread::sleep(whole.mul_f64(0.1 + 0.4 * random_share()));
        child.kill().expect("it can be killed");
        n_killed += u32::from(!child.wait().expect("it ends").success());
        for point in points(&workspace, "killed") {
            // A point is a complete run, or is marked as incomplete.
            let check = workspace.netloom(&["check", &point]);
            assert!(check.code == Some(0) || !looks_whole(&workspace, &point), "{point}: {}", check.err);
        }
    }
    assert!(n_killed > 0, "no sweep was killed in time");
    assert_eq!(workspace.netloom(&[&sweep[..], &["killed"]].concat()).code, Some(0));
    for name in ["points.csv", "points.parquet", "sweep.json"] {
        let read = |folder: &str| fs::read(workspace.path(folder).join(name)).expect("it was written");
        let (left, right) = (read("killed"), read("whole"));
        // Plans differ only in the command, which contains the name of the folder.
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).replace("killed", "whole");
        assert!(if name == "sweep.json" { text(left) == text(right) } else { left == right }, "{name}");
    }
    assert_eq!(points(&workspace, "killed").len(), 24);
    assert!(!workspace.path("killed/UNFINISHED").exists());
}

/// The folders of points, relative to the temporary folder.
fn points(workspace: &Workspace, sweep: &str) -> Vec<String> {
    let mut found = Vec::new();
    for variant in ["balance=ecmp", "balance=spray"] {
        let folder = format!("{sweep}/points/some/{variant}");
        let Ok(entries) = fs::read_dir(workspace.path(&folder)) else { continue };
        let name = |entry: fs::DirEntry| format!("{folder}/{}", entry.file_name().to_string_lossy());
        found.extend(entries.flatten().map(name));
    }
    found
}

fn looks_whole(workspace: &Workspace, point: &str) -> bool {
    let has = |name: &str| workspace.path(point).join(name).exists();
    has("manifest.json") && !has("INCOMPLETE")
}

/// A number from 0 to 1, different in every run of the test.
fn random_share() -> f64 {
    RandomState::new().hash_one(0) as f64 / u64::MAX as f64
}
