//! Full disks, files that may not grow, names that are too long or steer a page: each is reported, and nothing is lost.

use std::fs;
use std::fs::File;
use std::process::{Command, Stdio};

use netloom_lab::page_data;
use serde_json::Value;

use crate::command::{Answer, SMALL, Workspace, command};

fn workspace() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    workspace
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_printed_is_an_error() {
    let workspace = workspace();
    for words in [
        &["list"][..],
        &["check", "small.yaml"],
        &["run", "small.yaml", "-o", "a", "--force"],
        &["run", "small.yaml", "-o", "a", "--force", "--json"],
        &["compare", "a"],
        &["show", "routes", "small.yaml"],
        &["--help"],
        &["run", "--help"],
        &["--version"],
    ] {
        let full = File::options().write(true).open("/dev/full").expect("Linux has it");
        let output = command(&workspace.path("")).args(words).stdout(full).output().expect("it starts");
        let answer: Answer = output.into();
        assert_eq!(answer.code, Some(3), "{words:?}: {}", answer.err);
        assert!(
            answer.err.contains("cannot write to standard output (No space left"),
            "{words:?}: {}",
            answer.err
        );
    }
    assert_eq!(workspace.netloom(&["check", "a"]).code, Some(0), "the run itself was stored");
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let workspace = workspace();
    let mut child = command(&workspace.path(""))
        .args(["list", "--schema"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(child.stdout.take());
    let answer: Answer = child.wait_with_output().expect("it ends").into();
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_grow_is_reported_and_the_sweep_continues_later() {
    let workspace = workspace();
    let words = "sweep small.yaml --vary balance=ecmp,spray --seeds 2 -o a";
    let limited = format!("ulimit -f 1; exec \"$0\" {words}");
    let mut shell = Command::new("sh");
    shell.args(["-c", &limited, env!("CARGO_BIN_EXE_netloom")]).current_dir(workspace.path(""));
    let answer: Answer = shell.output().expect("there is a shell").into();
    assert!(matches!(answer.code, Some(2 | 3)) && answer.err.contains("File too large"), "{}", answer.err);
    let words: Vec<&str> = words.split(' ').collect();
    assert_eq!(workspace.netloom(&words).code, Some(0));
    assert_eq!(workspace.netloom(&["check", "a"]).out, "a: a finished sweep, 4 of 4 points\n");
}

#[test]
fn a_name_too_long_for_a_folder_gets_a_hint() {
    let workspace = workspace();
    let long = "x".repeat(300);
    let answer = workspace.netloom(&["run", "small.yaml", "-o", &long]);
    assert_eq!(answer.code, Some(2), "{}", answer.err);
    assert!(answer.err.contains("hint: names of files and folders have at most 255 bytes"), "{}", answer.err);
}

#[cfg(unix)]
#[test]
fn the_names_of_folders_cannot_steer_a_page() {
    let workspace = workspace();
    let hostile = "b\u{202e}lmth\u{1b}[31m";
    for folder in [hostile, "a"] {
        assert_eq!(workspace.netloom(&["run", "small.yaml", "-o", folder]).code, Some(0));
    }
    let made = workspace.netloom(&["report", "a", hostile, "-o", "page.html"]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    let data = page_data(&workspace.read("page.html")).expect("it has data");
    let data: Value = serde_json::from_str(&data).expect("it is JSON");
    assert_eq!(data["runs"][1]["name"], r"b\u{202e}lmth\u{1b}[31m");
    let decoded = data.to_string();
    assert!(!decoded.contains('\u{202e}') && !decoded.contains("\\u001b"), "{decoded}");
}

#[test]
fn the_draft_of_a_killed_report_is_replaced_and_reported() {
    let workspace = workspace();
    assert_eq!(workspace.netloom(&["run", "small.yaml", "-o", "a"]).code, Some(0));
    workspace.write("page.html.netloom-draft", "half a page");
    let made = workspace.netloom(&["report", "a", "-o", "page.html"]);
    assert!(made.code == Some(0) && made.err.contains("page.html.netloom-draft"), "{}", made.err);
    assert!(workspace.path("page.html").exists() && !workspace.path("page.html.netloom-draft").exists());
}

#[cfg(unix)]
#[test]
fn a_manifest_or_table_that_is_no_file_is_refused() {
    let workspace = workspace();
    for (folder, file) in [("a", "manifest.json"), ("b", "flows.parquet")] {
        assert_eq!(workspace.netloom(&["run", "small.yaml", "-o", folder]).code, Some(0));
        let path = workspace.path(folder).join(file);
        fs::remove_file(&path).expect("it is there");
        assert!(Command::new("mkfifo").arg(&path).status().expect("there is a `mkfifo`").success());
        let answer = workspace.netloom(&["check", folder]);
        assert!(answer.code == Some(2) && answer.err.contains("it is no regular file"), "{}", answer.err);
    }
}
