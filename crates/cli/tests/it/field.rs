//! `netloom field`: measurements continue after an interrupt, with a launcher made for the test; missing parts are
//! reported.

use std::fs;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::command::{Answer, Workspace};

const STUDY: &str = "
netloom: 1
name: study
fabric: { leaf_spine: { leaves: 2, spines: 1, hosts_per_leaf: 4 } }
transport: { ideal: { queue_pairs: pair } }
hosts: { rendezvous: 1KiB }
interference:
  hosts: 8
  victim: { ring_all_gather: { size: 64KiB } }
  aggressor: { incast: { size: 64KiB } }
  steps: 12
  warm_up: 2
";
/// A launcher that is started with `-n RANKS PROGRAM PLAN --out FOLDER`.
const LAUNCHER: &str = "printf '%s\\n' \"$*\" >> calls; mkdir -p \"$6\"; cp \"$4\" \"$6/plan.txt\"; echo status complete > \"$6/manifest.txt\"\n";
const POINTS: [&str; 2] = ["interference.groups=interleaved", "interference.groups=contiguous"];

/// A folder with a prepared study of two points.
fn prepared(launcher: &str) -> Workspace {
    let workspace = Workspace::new();
    workspace.write("study.yaml", STUDY);
    workspace.write("launcher.sh", launcher);
    workspace.write("program", "");
    let vary = "interference.groups=interleaved,contiguous";
    let answer = workspace.netloom(&["field", "prepare", "study.yaml", "--vary", vary, "-o", "study"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(answer.out.contains("netloom field run study"), "{}", answer.out);
    assert!(answer.err.contains("note: The baseline is measured in the same job"), "{}", answer.err);
    workspace
}

const RUN: [&str; 9] =
    ["field", "run", "study", "--mpi", "openmpi", "--launcher", "sh launcher.sh", "--program", "program"];

fn result(workspace: &Workspace, point: usize, name: &str) -> PathBuf {
    workspace.path("study/points").join(POINTS[point]).join(name)
}

#[test]
fn prepared_studies_are_printed_as_json() {
    let workspace = Workspace::new();
    workspace.write("study.yaml", STUDY);
    let answer = workspace.netloom(&["field", "prepare", "study.yaml", "-o", "study", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&answer.out).expect("it is JSON");
    assert_eq!(found["points"][0]["ranks"], 8);
    assert_eq!(found["points"][0]["hosts"][1], "leaf0.host1");
    let plan = found["points"][0]["plan"].as_str().expect("it is text");
    assert!(plan.contains(found["study"].as_str().expect("it is text")), "{plan}");
}

#[test]
fn settings_that_the_program_lacks_are_refused_before_anything_is_written() {
    let workspace = Workspace::new();
    workspace.write("study.yaml", &STUDY.replace("incast", "ring_all_gather"));
    let answer = workspace.netloom(&["field", "prepare", "study.yaml", "-o", "study"]);
    assert_eq!(answer.code, Some(2));
    for word in ["not support the aggressor `ring_all_gather`", "study.yaml:10:", "expected one of incast"] {
        assert!(answer.err.contains(word), "`{word}` is missing in: {}", answer.err);
    }
    assert!(!workspace.path("study").exists());
}

#[test]
fn measured_points_are_skipped_and_incomplete_results_are_renamed() {
    let workspace = prepared(LAUNCHER);
    fs::create_dir(result(&workspace, 1, "result.tmp")).expect("it can be made");
    let answer = workspace.netloom(&RUN);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    for words in ["(2 of 2): 8 ranks", "sh launcher.sh -n 8", "complete after", "2 points of 2 measured"] {
        assert!(answer.out.contains(words), "`{words}` is missing in: {}", answer.out);
    }
    assert!(result(&workspace, 1, "result.died-1").exists() && !result(&workspace, 1, "result.tmp").exists());
    fs::remove_dir_all(result(&workspace, 0, "result")).expect("it is there");
    let answer = workspace.netloom(&RUN);
    assert!(answer.out.contains("2 points of 2 measured, 1 of them before"), "{}", answer.out);
    let calls = fs::read_to_string(workspace.path("calls")).expect("it was started");
    assert_eq!(calls.lines().filter(|call| call.contains("contiguous")).count(), 1, "{calls}");
    assert_eq!(calls.lines().count(), 3, "{calls}");
}

#[test]
fn deadlines_and_wrong_data_have_exit_codes() {
    let workspace = prepared(&LAUNCHER.replace("complete", "deadline"));
    let answer = workspace.netloom(&RUN);
    assert_eq!(answer.code, Some(3), "{}", answer.err);
    assert!(answer.out.contains("2 up to a deadline"), "{}", answer.out);
    let workspace = prepared(&LAUNCHER.replace("complete", "failed data was wrong in 3 checks"));
    let answer = workspace.netloom(&RUN);
    assert_eq!(answer.code, Some(1), "{}", answer.err);
    assert!(answer.out.contains("failed: data was wrong in 3 checks"), "{}", answer.out);
    assert!(answer.out.contains("in 2 received data was wrong"), "{}", answer.out);
    let again = workspace.netloom(&RUN);
    assert!(again.out.contains("result.failed-1"), "{}", again.out);
    assert!(result(&workspace, 0, "log.failed-1.txt").exists(), "the launcher's messages are renamed, too");
}

#[test]
fn a_launcher_that_fails_ends_the_study_with_its_last_lines() {
    let workspace = prepared("echo there are not enough slots >&2; exit 7\n");
    let answer = workspace.netloom(&RUN);
    assert_eq!(answer.code, Some(1), "{}", answer.err);
    assert!(answer.err.contains("was not measured (exit status: 7)"), "{}", answer.err);
    assert!(answer.err.contains("\n    there are not enough slots"), "{}", answer.err);
    assert!(!result(&workspace, 1, "log.txt").exists(), "the next point is not tried");
}

#[test]
fn missing_studies_launchers_and_programs_are_reported() {
    let workspace = prepared(LAUNCHER);
    let refused = |arguments: &[&str], words: &[&str]| {
        let answer = workspace.netloom(arguments);
        assert_eq!(answer.code, Some(2), "{}", answer.err);
        for word in words {
            assert!(answer.err.contains(word), "`{word}` is missing in: {}", answer.err);
        }
    };
    refused(&["field", "run", "nowhere"], &["no prepared study", "nowhere"]);
    refused(&["field", "collect", "study", "-o", "out"], &["none of the 2 points of the study is measured"]);
    refused(&["field", "run", "study", "--launcher", "sh"], &["neither Open MPI nor MPICH", "--mpi"]);
    refused(&[&RUN[..7], &["--program", "none"]].concat(), &["there is no such program: none"]);
    let quoted = ["field", "run", "study", "--mpi", "mpich", "--launcher", "mpirun --mca 'a b'"];
    refused(&quoted, &["--launcher: words are separated by blanks"]);
    refused(&["field", "run", "study", "--rate", "1Mbps"], &["--testbed"]);
}

#[test]
fn plans_that_were_edited_are_not_measured() {
    let workspace = prepared(LAUNCHER);
    for point in 0..2 {
        fs::write(result(&workspace, point, "plan.txt"), "netloom-field plan 1\n")
            .expect("it can be written");
    }
    let answer = workspace.netloom(&RUN);
    assert_eq!(answer.code, Some(2), "{}", answer.err);
    assert_eq!(answer.err.matches("differs from the one that was prepared").count(), 2, "{}", answer.err);
    assert!(!workspace.path("calls").exists(), "nothing is measured");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_launcher_and_the_same_command_continues() {
    let workspace = prepared("touch begun; (sleep 3; touch outlived) & sleep 60\n");
    let child = workspace.start(&RUN);
    let begin = Instant::now();
    while !workspace.path("begun").exists() {
        assert!(begin.elapsed() < Duration::from_secs(30), "it did not begin");
        sleep(Duration::from_millis(20));
    }
    let mut kill = std::process::Command::new("kill");
    assert!(kill.args(["-INT", &child.id().to_string()]).status().expect("there is `kill`").success());
    let answer: Answer = child.wait_with_output().expect("it ends").into();
    assert_eq!(answer.code, Some(3), "{}", answer.err);
    assert!(
        answer.err.contains("stopped: 0 of 2 points measured; the same command continues"),
        "{}",
        answer.err
    );
    sleep(Duration::from_millis(3500));
    assert!(!workspace.path("outlived").exists(), "a process of the launcher outlived it");
    assert!(!workspace.path("study/RUNNING").exists());
}
