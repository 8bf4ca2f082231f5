//! A run killed at any moment never leaves a folder that is taken for a complete one.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::thread;
use std::time::Instant;

use crate::command::{Place, lasting};

const KILLS: u64 = 50;

#[test]
fn a_killed_run_is_never_taken_for_a_complete_one() {
    let place = Place::new();
    place.write("some.yaml", &lasting(200));
    let begun = Instant::now();
    let digest = place.digest(&["run", "some.yaml", "-o", "whole"]);
    let whole = begun.elapsed();
    let mut n_incomplete = 0;
    for number in 0..KILLS {
        let folder = format!("killed-{number}");
        let mut child = place.start(&["run", "some.yaml", "-o", &folder, "--quiet"]);
        thread::sleep(whole.mul_f64(1.1 * random_share()));
        child.kill().expect("it can be killed");
        let ended = child.wait().expect("it ends");
        let check = place.netloom(&["check", &folder]);
        match check.code {
            // Killed or not, what is taken for complete is the whole run.
            Some(0) => assert!(check.out.contains(&digest), "{}", check.out),
            Some(2) => {
                assert!(!ended.success(), "a run that ended well left this: {}", check.err);
                n_incomplete += 1;
            }
            other => panic!("{other:?}: {}{}", check.out, check.err),
        }
        // Whatever is left of it is no obstacle to the next run.
        if number % 10 == 0 && check.code == Some(2) {
            assert_eq!(place.digest(&["run", "some.yaml", "-o", &folder]), digest);
        }
        let _ = fs::remove_dir_all(place.path(&folder));
    }
    assert!(n_incomplete > KILLS / 4, "only {n_incomplete} runs were killed in time");
}

/// From 0 to 1, another one in every run of the test.
fn random_share() -> f64 {
    RandomState::new().hash_one(0) as f64 / u64::MAX as f64
}
