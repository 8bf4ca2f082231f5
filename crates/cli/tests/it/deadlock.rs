//! A ring of buffers that wait for each other ends a run.

use serde_json::Value;

use crate::command::Workspace;

const RING: &str = include_str!("deadlock.yaml");

#[test]
fn a_deadlock_is_reported_within_a_millisecond() {
    let workspace = Workspace::new();
    workspace.write("ring.yaml", RING);
    let run = workspace.netloom(&["run", "ring.yaml", "-o", "ring"]);
    assert_eq!(run.code, Some(3), "{}{}", run.out, run.err);
    let ring = "north towards link north-east, then east towards link east-south, then south towards link \
                south-west, then west towards link west-north";
    assert!(run.out.contains("stopped by a deadlock") && run.out.contains(ring), "{}", run.out);
    let json = workspace.netloom(&["run", "ring.yaml", "-o", "again", "--json"]);
    assert_eq!(json.code, Some(3), "{}", json.err);
    let json: Value = serde_json::from_str(&json.out).expect("it is JSON");
    assert_eq!(json["outcome"]["status"], "deadlock");
    let simulated = json["summary"]["simulated_s"].as_f64().expect("it is a number");
    assert!(simulated <= 1e-3, "{simulated}");
    assert_eq!(workspace.netloom(&["check", "ring"]).code, Some(0), "the records are intact nevertheless");
}
