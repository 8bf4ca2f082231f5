//! A run that is shown live, with requests as from browsers and from attackers.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use netloom_lab::live::Serve;
use netloom_lab::{
    Control, ExitCode, LabError, Observer, Progress, RunReport, RunRequest, Source, States, Status, Watch,
    page_data, run,
};
use serde_json::Value;

/// A scenario that lasts longer than any test, until it is stopped.
const LONG: &str = "
netloom: 1
fabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 2, host_rate: 100Gbps } }
jobs: [ { name: ring, steps: 1000000, phases: [ { ring_all_reduce: { size: 64KiB } } ] } ]
record: { slowest_flows: 0 }
";

/// The address of a live run.
#[derive(Debug, Clone)]
struct Shown {
    port: u16,
    token: String,
}

impl Shown {
    fn of(address: &str) -> Shown {
        let rest = address.strip_prefix("http://127.0.0.1:").expect("it is the loopback address");
        let (port, token) = rest.trim_end_matches('/').split_once('/').expect("a token follows");
        Shown { port: port.parse().expect("a number"), token: token.to_owned() }
    }

    fn connect(&self) -> std::io::Result<TcpStream> {
        let stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        Ok(stream)
    }

    /// The answer to some bytes.
    fn say(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect().expect("the port is open");
        stream.write_all(bytes).expect("it is accepted");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("there is an answer");
        answer
    }

    fn ask(&self, method: &str, path: &str, host: &str) -> String {
        self.say(format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes())
    }

    fn own(&self) -> String {
        format!("localhost:{}", self.port)
    }

    fn state(&self) -> Value {
        let answer = self.ask("GET", &format!("/{}/state.json", self.token), &self.own());
        let (head, body) = answer.split_once("\r\n\r\n").expect("the head has an end");
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        serde_json::from_str(body).expect("it is JSON")
    }

    /// The first state that satisfies a condition.
    fn until(&self, holds: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let state = self.state();
            if holds(&state) {
                return state;
            }
            assert!(begun.elapsed() < Duration::from_mins(1), "not reached: {state}");
            thread::sleep(Duration::from_millis(50));
        }
    }
}

fn status(answer: &str) -> &str {
    answer.get(9..12).unwrap_or(answer)
}

/// Sets a flag at the end, also if a test fails.
struct Raised<'a>(&'a AtomicBool);

impl Drop for Raised<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs a scenario into a folder, live at a port, while a client thread uses it; stops the run when the client is done.
fn shown<T: Send>(
    text: &str,
    folder: &Path,
    port: u16,
    look: impl FnOnce(Shown) -> T + Send,
) -> (Result<RunReport, LabError>, Option<T>) {
    let stop = AtomicBool::new(false);
    let (on_progress, reported) = mpsc::channel::<Shown>();
    thread::scope(|scope| {
        let stop = &stop;
        let looking = scope.spawn(move || {
            let _over = Raised(stop);
            reported.recv().ok().map(look)
        });
        let mut begun =
            |address: &str| on_progress.send(Shown::of(address)).expect("the client waits for it");
        let request = RunRequest {
            folder: Some(folder.to_owned()),
            watch: Watch { stop: Some(stop), ..Watch::default() },
            live: Some(Serve { port, on_address: &mut begun }),
            ..RunRequest::new(Source::text("shown", text))
        };
        let done = run(request);
        drop(on_progress);
        (done, looking.join().expect("all is as expected"))
    })
}

#[test]
fn a_client_with_the_address_receives_the_states_of_a_run_until_its_end() {
    let workspace = tempfile::tempdir().expect("a place for files");
    let folder = workspace.path().join("run");
    let (done, seen) = shown(LONG, &folder, 0, |shown| {
        let page = shown.ask("GET", &format!("/{}/", shown.token), &format!("127.0.0.1:{}", shown.port));
        assert_eq!(status(&page), "200");
        let data = page_data(&page).expect("the page has data");
        assert!(data.contains("\"live\":{\"scenario\":\"shown\"") && page.contains("connect-src 'self'"));
        let sum = |state: &Value, what: &str| {
            let all = state["edges"][what].as_array().expect("a list");
            (all.len(), all.iter().map(|value| value.as_u64().expect("a whole number")).sum::<u64>())
        };
        let first = shown.until(|state| sum(state, "sent").1 > 0);
        let second = shown.until(|state| sum(state, "sent").1 > sum(&first, "sent").1);
        for rising in ["number", "simulated", "hops", "steps"] {
            assert!(second[rising].as_u64() > first[rising].as_u64(), "{rising}: {first} {second}");
        }
        // Four host links and four links between switches, two directions each.
        for what in ["sent", "waiting", "paused", "dropped"] {
            assert_eq!(sum(&second, what).0, 16, "{what}");
        }
        assert!(second["edges"]["read"].as_u64() <= second["simulated"].as_u64());
        assert_eq!((&second["total_steps"], &second["ended"]), (&Value::from(1_000_000), &Value::Null));
        assert!(second["share"].as_f64().is_some_and(|share| share > 0.0 && share < 1.0));
        shown
    });
    let (done, shown) = (done.expect("it runs"), seen.expect("it was shown"));
    assert_eq!(done.manifest.outcome.status, Status::Stopped);
    assert!(shown.connect().is_err(), "the port is closed after the run");
}

#[test]
fn an_open_page_receives_the_outcome_of_the_run() {
    let workspace = tempfile::tempdir().expect("a place for files");
    let text =
        LONG.replace("steps: 1000000", "steps: 1000000000").replace("record:", "deadline: 40ms\nrecord:");
    let (done, seen) = shown(&text, &workspace.path().join("run"), 0, |shown| {
        let state = shown.until(|state| !state["ended"].is_null());
        (shown, state)
    });
    let (done, (shown, state)) = (done.expect("it runs"), seen.expect("it was shown"));
    assert_eq!(done.manifest.outcome.status, Status::Deadline);
    assert_eq!(state["ended"]["status"], "deadline");
    assert_eq!(state["simulated"].as_u64(), Some(done.manifest.simulated_ps));
    assert!(state["ended"]["details"][0].as_str().is_some_and(|text| text.contains("40 ms")), "{state}");
    assert!(shown.connect().is_err(), "the port is closed after the run");
}

#[test]
fn invalid_requests_are_refused_and_the_run_continues() {
    let workspace = tempfile::tempdir().expect("a place for files");
    let (done, seen) = shown(LONG, &workspace.path().join("run"), 0, |shown| {
        let (own, right) = (shown.own(), format!("/{}/", shown.token));
        let wrong = format!("/{}/", "0".repeat(shown.token.len()));
        assert_eq!(status(&shown.ask("GET", &right, "evil.example")), "403");
        assert_eq!(status(&shown.ask("GET", &right, &format!("evil.example:{}", shown.port))), "403");
        assert_eq!(status(&shown.ask("POST", &right, &own)), "405");
        let missing = shown.ask("GET", &wrong, &own);
        assert_eq!(status(&missing), "404");
        assert_eq!(shown.ask("GET", &format!("{right}other"), &own), missing, "the same for every token");
        assert_eq!(status(&shown.say(b"\x16\x03\x01 garbage\r\n\r\n")), "400");
        let fields = format!("GET {right} HTTP/1.1\r\nHost: {own}\r\nX: {}\r\n\r\n", "x".repeat(20_000));
        assert_eq!(status(&shown.say(fields.as_bytes())), "431");
        let alone = shown.ask("HEAD", &right, &own);
        assert!(status(&alone) == "200" && alone.ends_with("\r\n\r\n"));
        // More clients than the limit that send nothing or only a part of a request; they stay connected until the end.
        let mut silent: Vec<TcpStream> = (0..40).map(|_| shown.connect().expect("it is taken")).collect();
        silent.iter_mut().step_by(2).for_each(|stream| {
            let _ = stream.write_all(b"GET / HT");
        });
        let before = shown.state();
        shown.until(|state| state["hops"].as_u64() > before["hops"].as_u64());
        (shown, silent)
    });
    let (done, (shown, silent)) = (done.expect("it runs"), seen.expect("it was shown"));
    assert_eq!(done.manifest.outcome.status, Status::Stopped);
    assert!(shown.connect().is_err(), "the port is closed after the run");
    drop(silent);
}

/// Delays the first windows, so that a short run is observed.
struct Slow;

impl Observer for Slow {
    fn at_window(&mut self, progress: &Progress, _: &dyn States) -> Control {
        if progress.windows < 300 {
            thread::sleep(Duration::from_millis(2));
        }
        Control::Continue
    }
}

#[test]
fn a_live_view_does_not_change_results() {
    let workspace = tempfile::tempdir().expect("a place for files");
    let text = LONG.replace("steps: 1000000", "steps: 300");
    let run_with = |name: &str, threads: usize, is_shown: bool| {
        let mut slow = Slow;
        let mut n_reported = 0;
        let mut n_looks = 0;
        let mut reported = |_: &str| n_reported += 1;
        let mut look = |_: &netloom_lab::RunProgress, _: &dyn States| n_looks += 1;
        let request = RunRequest {
            folder: Some(workspace.path().join(name)),
            threads: Some(threads),
            live: is_shown.then_some(Serve { port: 0, on_address: &mut reported }),
            watch: Watch { look: Some(&mut look), observer: Some(&mut slow), ..Watch::default() },
            ..RunRequest::new(Source::text("shown", text.clone()))
        };
        let report = run(request).expect("it runs");
        assert_eq!((n_reported, report.manifest.outcome.status), (i32::from(is_shown), Status::Complete));
        assert!(n_looks > 0, "the run was observed");
        report.manifest.digest
    };
    let alone = run_with("alone", 1, false);
    for threads in [1, 2] {
        assert_eq!(run_with(&format!("shown {threads}"), threads, true), alone);
    }
}

#[test]
fn a_port_in_use_is_reported_before_the_run_begins() {
    let workspace = tempfile::tempdir().expect("a place for files");
    let folder = workspace.path().join("run");
    let other = TcpListener::bind(("127.0.0.1", 0)).expect("there is a free port");
    let port = other.local_addr().expect("it has one").port();
    let (done, seen) = shown(LONG, &folder, port, |_| ());
    let error = done.expect_err("the port is in use");
    assert_eq!((error.exit_code(), seen), (ExitCode::BadInput, None));
    assert!(error.to_string().ends_with(&format!("127.0.0.1:{port}")), "{error}");
    assert!(fs::metadata(&folder).is_err(), "no folder was made");
}
