//! Every error in the input gives a clear message and exit code 2, and never a panic.

use std::fs;

#[cfg(unix)]
use crate::command::command;
use crate::command::{Answer, SMALL, Workspace};

/// Checks that the command refuses its input with this reason.
#[track_caller]
fn refused(answer: &Answer, why: &str) {
    assert_eq!(answer.code, Some(2), "{}{}", answer.out, answer.err);
    assert!(answer.err.contains(why), "expected `{why}` in:\n{}", answer.err);
    assert!(!answer.err.contains("panicked"), "{}", answer.err);
}

#[test]
fn invalid_arguments_are_refused() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    refused(&workspace.netloom(&[]), "Usage");
    refused(&workspace.netloom(&["fly"]), "fly");
    refused(&workspace.netloom(&["run"]), "<FILE>");
    refused(&workspace.netloom(&["run", "small.yaml", "--threads", "0"]), "--threads");
    refused(&workspace.netloom(&["run", "small.yaml", "--threads", "1000000000"]), "--threads");
    refused(&workspace.netloom(&["run", "small.yaml", "--threads", "-3"]), "-3");
    refused(&workspace.netloom(&["run", "small.yaml", "--seed", "one"]), "--seed");
    refused(&workspace.netloom(&["run", "small.yaml", "--seed", "99999999999999999999"]), "--seed");
    refused(&workspace.netloom(&["run", "small.yaml", "--set", "balance"]), "path=value");
    refused(&workspace.netloom(&["list", "moons"]), "policies");
    refused(&workspace.netloom(&["compare"]), "<RUN>");
    refused(&workspace.netloom(&["sweep", "-o", "a"]), "<SCENARIO|STUDY>");
    refused(&workspace.netloom(&["sweep", "small.yaml"]), "--output");
    let sweep = ["sweep", "small.yaml", "-o", "a"];
    for (more, why) in [
        (["--vary", "balance"], "path=v1,v2"),
        (["--seeds", "5..1"], "--seeds"),
        (["--until-ci", "2"], "--until-ci"),
        (["--until-ci", "0%"], "--until-ci"),
        (["--vary", "balance=fast,spray"], "fast"),
        (["--vary", "balanse=spray"], "did you mean"),
        (["--vary", "jobs.0.steps=1,,2"], "a value is empty"),
        (["--vary", "seed=1,2"], "--seeds"),
        (["--seeds", "1000000"], "small.yaml"),
    ] {
        let arguments = [&sweep[..], &more, &["--vary", "jobs.0.name=a,b", "--set", "nothing=1"]].concat();
        refused(
            &workspace.netloom(&arguments),
            if why == "small.yaml" { "the maximum is 1000000" } else { why },
        );
    }
    assert!(!workspace.path("a").exists(), "nothing is written for a sweep with errors");
    refused(&workspace.netloom(&["report"]), "<RUN>");
    refused(&workspace.netloom(&["bench", "--pairs", "0"]), "--pairs");
}

#[test]
fn settings_without_effect_are_reported_before_the_run() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    workspace.write("idle.yaml", &format!("{SMALL}\nfaults: {{ detection: 1ms }}\n"));
    let why = ["`detection` has no effect here", "no link or switch fails", "1 warning in idle.yaml"];
    for arguments in [
        &["check", "idle.yaml"][..],
        &["run", "idle.yaml", "-o", "a"],
        &["run", "idle.yaml", "-o", "b", "--json"],
        &["sweep", "idle.yaml", "--vary", "balance=ecmp,spray", "-o", "c"],
    ] {
        let answer = workspace.netloom(arguments);
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        for why in why {
            assert_eq!(answer.err.matches(why).count(), 1, "expected `{why}` once in:\n{}", answer.err);
        }
    }
    let checked = workspace.netloom(&["check", "idle.yaml", "--json"]);
    assert!(checked.out.contains(why[0]), "{}", checked.out);
    let quiet = workspace.netloom(&["run", "idle.yaml", "-o", "d", "--quiet"]);
    let without = workspace.netloom(&["run", "small.yaml", "-o", "e"]);
    assert_eq!((quiet.err.as_str(), without.err.contains("has no effect")), ("", false));
}

#[test]
fn invalid_scenarios_are_refused() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    workspace.write("wrong.yaml", &SMALL.replace("spray", "spary").replace("256KiB", "256"));
    workspace.write("empty.yaml", "");
    fs::write(workspace.path("binary.yaml"), [0, 159, 146, 150]).expect("the file can be written");
    for verb in ["run", "check"] {
        refused(&workspace.netloom(&[verb, "missing.yaml"]), "no such file or folder: missing.yaml");
        refused(&workspace.netloom(&[verb, "wrong.yaml"]), "did you mean");
        refused(&workspace.netloom(&[verb, "wrong.yaml"]), "2 mistakes in wrong.yaml");
        refused(&workspace.netloom(&[verb, "empty.yaml"]), "empty");
        refused(&workspace.netloom(&[verb, "binary.yaml"]), "binary.yaml");
        refused(&workspace.netloom(&[verb, ""]), "");
    }
    refused(&workspace.netloom(&["run", "."]), "this is a folder");
    let set = ["run", "small.yaml", "-o", "a", "--set"];
    for (change, why) in [
        ("balance=fast", "fast"),
        ("jobs.9.steps=3", "no item `9`"),
        ("nothing.here=1", "nothing"),
        ("jobs.0.steps=[", "--set"),
        ("=1", "path=value"),
    ] {
        refused(&workspace.netloom(&[&set[..], &[change]].concat()), why);
    }
    assert!(!workspace.path("a").exists(), "nothing is written for a scenario with errors");
}

#[test]
fn unwritable_outputs_are_refused() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    let run = |output: &str| workspace.netloom(&["run", "small.yaml", "-o", output]);
    refused(&run("small.yaml"), "this is a file");
    refused(&run("small.yaml/below"), "small.yaml");
    fs::create_dir(workspace.path("mine")).expect("a folder can be made");
    workspace.write("mine/letter.txt", "dear");
    refused(&run("mine"), "holds other files");
    assert_eq!(run("a").code, Some(0));
    refused(&run("a"), "--force");
    assert_eq!(workspace.netloom(&["run", "small.yaml", "-o", "a", "--force"]).code, Some(0));
}

#[test]
fn damaged_run_folders_are_refused() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    assert_eq!(workspace.netloom(&["run", "small.yaml", "-o", "a"]).code, Some(0));
    for verb in ["check", "compare", "report"] {
        refused(&workspace.netloom(&[verb, "nowhere"]), "nowhere");
        refused(&workspace.netloom(&[verb, "."]), "no run folder");
    }
    refused(&workspace.netloom(&["compare", "a", "small.yaml"]), "this is a file");
    workspace.write("a/INCOMPLETE", "");
    refused(&workspace.netloom(&["check", "a"]), "incomplete");
    refused(&workspace.netloom(&["compare", "a"]), "incomplete");
    refused(&workspace.netloom(&["report", "a", "-o", "a.html"]), "incomplete");
    assert!(!workspace.path("a.html").exists(), "no report is made of an incomplete run");
    fs::remove_file(workspace.path("a/INCOMPLETE")).expect("it was there");
    assert_eq!(workspace.netloom(&["check", "a"]).code, Some(0));
    alter(&workspace, "a/manifest.json");
    refused(&workspace.netloom(&["check", "a"]), "does not match its manifest");
    fs::remove_file(workspace.path("a/ports.parquet")).expect("it was there");
    refused(&workspace.netloom(&["check", "a", "small.yaml"]), "`ports` is missing");
}

/// Makes the folder claim one flow more than it has.
fn alter(workspace: &Workspace, manifest: &str) {
    let text = fs::read_to_string(workspace.path(manifest)).expect("it is there");
    let mut value: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let rows = value["tables"]["flows"]["rows"].as_u64().expect("it says how many");
    value["tables"]["flows"]["rows"] = (rows + 1).into();
    workspace.write(manifest, &value.to_string());
}

#[test]
fn an_error_in_one_path_does_not_hide_errors_in_others() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    let check = workspace.netloom(&["check", "missing.yaml", "small.yaml", "nowhere"]);
    refused(&check, "missing.yaml");
    assert!(
        check.err.contains("nowhere") && check.out.contains("small.yaml: a valid scenario"),
        "{}",
        check.out
    );
}

#[test]
fn an_internal_error_has_its_own_exit_code() {
    // Only the command itself passes names of cases, so an unknown one is an internal error.
    let answer = Workspace::new().netloom(&["bench", "--one", "moon"]);
    assert_eq!(answer.code, Some(4), "{}", answer.err);
    assert!(answer.err.contains("internal error"), "{}", answer.err);
}

#[test]
fn a_standard_case_is_measured() {
    let answer = Workspace::new().netloom(&["bench", "--one", "sparse"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let json: serde_json::Value = serde_json::from_str(&answer.out).expect("it is JSON");
    assert!(json["hops"].as_u64() > Some(0) && json["wall_ns"].as_u64() > Some(0), "{json}");
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_utf8_are_invalid_input() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let workspace = Workspace::new();
    let odd = OsStr::from_bytes(b"\xff.yaml");
    for words in [&[odd][..], &[OsStr::new("check"), odd, OsStr::new("--bogus")], &[OsStr::new("check"), odd]]
    {
        let answer = command(&workspace.path(".")).args(words).output().expect("the command starts");
        assert_eq!(answer.status.code(), Some(2), "{words:?}: {answer:?}");
    }
}
