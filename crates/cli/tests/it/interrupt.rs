//! Ctrl-C ends a run cleanly: what was recorded by then is a complete folder that says so.

use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::command::{Answer, Place, lasting};

#[test]
fn an_interrupt_leaves_valid_records_up_to_that_time() {
    let place = Place::new();
    place.write("long.yaml", &lasting(1_000_000));
    let child = place.start(&["run", "long.yaml", "-o", "long"]);
    wait_for(|| place.path("long/INCOMPLETE").exists());
    sleep(Duration::from_millis(300));
    interrupt(&child);
    let answer: Answer = child.wait_with_output().expect("it ends").into();
    assert_eq!(answer.code, Some(3), "{}", answer.err);
    assert!(answer.err.contains("stopping"), "{}", answer.err);

    let check = place.netloom(&["check", "long", "--json"]);
    assert_eq!(check.code, Some(0), "{}", check.out);
    let json: serde_json::Value = serde_json::from_str(&check.out).expect("it is JSON");
    assert_eq!(json[0]["outcome"]["status"], "stopped");
    let compare = place.netloom(&["compare", "long", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&compare.out).expect("it is JSON");
    assert_eq!(json[0]["status"], "stopped");
    assert!(json[0]["values"]["step_mean_s"].as_f64() > Some(0.0), "{json}");
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("there is a `kill`").success());
}

fn wait_for(condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_mins(1), "it never came");
        sleep(Duration::from_millis(5));
    }
}
