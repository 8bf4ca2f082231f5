//! Ctrl-C and other signals end a run cleanly: the records up to then are a complete folder with the status `stopped`.

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::command::{Answer, SMALL, Workspace, lasting};

#[test]
fn an_interrupt_leaves_valid_records_up_to_that_time() {
    let workspace = Workspace::new();
    workspace.write("long.yaml", &lasting(1_000_000));
    let child = workspace.start(&["run", "long.yaml", "-o", "long"]);
    wait_for(|| workspace.path("long/INCOMPLETE").exists());
    sleep(Duration::from_millis(300));
    interrupt(&child);
    let answer: Answer = child.wait_with_output().expect("it ends").into();
    assert_eq!(answer.code, Some(3), "{}", answer.err);
    assert!(answer.err.contains("stopping"), "{}", answer.err);

    let check = workspace.netloom(&["check", "long", "--json"]);
    assert_eq!(check.code, Some(0), "{}", check.out);
    let json: serde_json::Value = serde_json::from_str(&check.out).expect("it is JSON");
    assert_eq!(json[0]["outcome"]["status"], "stopped");
    let compare = workspace.netloom(&["compare", "long", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&compare.out).expect("it is JSON");
    assert_eq!(json["rows"][0]["status"], "stopped");
    assert!(json["rows"][0]["values"]["step_mean_s"].as_f64() > Some(0.0), "{json}");
}

#[test]
fn other_signals_that_end_a_process_store_the_same() {
    let workspace = Workspace::new();
    workspace.write("long.yaml", &lasting(1_000_000));
    for signal in ["TERM", "HUP"] {
        let child = workspace.start(&["run", "long.yaml", "-o", signal]);
        wait_for(|| workspace.path(signal).join("INCOMPLETE").exists());
        sleep(Duration::from_millis(300));
        send(signal, &child);
        let answer: Answer = child.wait_with_output().expect("it ends").into();
        assert!(answer.code == Some(3) && answer.err.contains("stopping"), "{signal}: {}", answer.err);
        assert_eq!(workspace.netloom(&["check", signal]).code, Some(0), "{signal}");
    }
}

#[test]
fn a_run_started_with_nohup_survives_the_end_of_its_terminal() {
    let workspace = Workspace::new();
    workspace.write("some.yaml", &lasting(3_000));
    let mut nohup = Command::new("nohup");
    nohup.arg(env!("CARGO_BIN_EXE_netloom")).args(["run", "some.yaml", "-o", "run"]);
    nohup.current_dir(workspace.path("")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = nohup.spawn().expect("there is a `nohup`");
    wait_for(|| workspace.path("run/INCOMPLETE").exists());
    send("HUP", &child);
    let answer: Answer = child.wait_with_output().expect("it ends").into();
    assert_eq!(answer.code, Some(0), "{}", answer.err);
}

#[test]
fn a_pipe_that_never_ends_can_be_interrupted() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    let pipe = workspace.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("there is a `mkfifo`").success());
    for words in [&["run", "pipe"][..], &["sweep", "pipe", "-o", "sweep"], &["check", "pipe"]] {
        let mut child = workspace.start(words);
        sleep(Duration::from_millis(300));
        assert!(child.try_wait().expect("it was started").is_none(), "{words:?} waits for the pipe");
        // Not that of Ctrl-C: commands of a script in the background ignore it.
        send("TERM", &child);
        assert_eq!(child.wait().expect("it ends").code(), None, "{words:?} was ended by the signal");
    }
    // What a pipe holds is read once, whatever is made of it.
    let words = ["sweep", "pipe", "--vary", "balance=ecmp,spray", "--seeds", "2", "-o", "sweep"];
    let child = workspace.start(&words);
    std::fs::write(&pipe, SMALL).expect("it is read");
    let answer: Answer = child.wait_with_output().expect("it ends").into();
    assert_eq!(answer.code, Some(0), "{}", answer.err);
}

#[test]
fn an_interrupt_leaves_the_complete_points_of_a_sweep() {
    let workspace = Workspace::new();
    workspace.write("some.yaml", &lasting(100));
    workspace.write("short.yaml", &lasting(2));
    let arguments = ["sweep", "some.yaml", "short.yaml", "--threads", "1", "--seeds", "50", "-o", "many"];
    let child = workspace.start(&arguments);
    wait_for(|| workspace.path("many/points/some/seed-2").exists());
    interrupt(&child);
    let answer: Answer = child.wait_with_output().expect("it ends").into();
    assert_eq!(answer.code, Some(3), "{}", answer.err);
    assert!(answer.err.contains("the same command continues from there"), "{}", answer.err);
    assert_eq!(workspace.netloom(&["check", "many/points/some/seed-1"]).code, Some(0));
    let table = std::fs::read_to_string(workspace.path("many/points.csv")).expect("it was written");
    let outcomes: Vec<&str> = table.lines().skip(1).map(|line| line.split(',').nth(4).expect("it")).collect();
    assert!(!outcomes.is_empty() && outcomes.iter().all(|outcome| *outcome == "complete"), "{table}");
}

#[test]
fn the_address_of_a_live_view_is_printed_even_if_quiet() {
    let workspace = Workspace::new();
    workspace.write("long.yaml", &lasting(1_000_000));
    let child = workspace.start(&["run", "long.yaml", "-o", "long", "--live", "--quiet"]);
    wait_for(|| workspace.path("long/INCOMPLETE").exists());
    sleep(Duration::from_millis(300));
    interrupt(&child);
    let answer: Answer = child.wait_with_output().expect("it ends").into();
    assert_eq!(answer.code, Some(3), "{}", answer.err);
    let first = answer.err.lines().next().expect("there is a line");
    let rest = first.strip_prefix("live at http://127.0.0.1:").expect("it is the address");
    let (port, token) = rest.split_once('/').expect("a path follows");
    let port: u16 = port.parse().expect("it is a number");
    assert_eq!(token.len(), 33, "32 digits and the end of the path");
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err(), "the port is closed");
}

#[test]
fn a_port_in_use_is_reported_before_the_run() {
    let workspace = Workspace::new();
    workspace.write("long.yaml", &lasting(1_000_000));
    let other = TcpListener::bind(("127.0.0.1", 0)).expect("there is one");
    let port = other.local_addr().expect("it has one").port().to_string();
    let answer = workspace.netloom(&["run", "long.yaml", "-o", "long", "--live", "--live-port", &port]);
    assert_eq!(answer.code, Some(2), "{}", answer.err);
    assert!(
        answer.err.contains(&format!("127.0.0.1:{port}")) && answer.err.contains("hint:"),
        "{}",
        answer.err
    );
    assert!(!workspace.path("long").exists());
    let without_live = workspace.netloom(&["run", "long.yaml", "-o", "long", "--live-port", &port]);
    assert_eq!(without_live.code, Some(2), "without --live a port is an error");
}

fn interrupt(child: &Child) {
    send("INT", child);
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
    assert!(sent.expect("there is a `kill`").success());
}

fn wait_for(condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_mins(1), "it never came");
        sleep(Duration::from_millis(5));
    }
}
