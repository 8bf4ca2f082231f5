//! Networks of namespaces: hosts reach each other, bytes cross the links, and nothing is left behind.
//!
//! If a machine does not allow namespaces or lacks a program, these tests are listed as skipped by `scripts/skip.sh`;
//! with
//! `NETLOOM_REQUIRE_ALL=1` a missing program is an error.

use std::collections::BTreeSet;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use netloom_records::{KnownSize, RunFolder, SeriesRow, Status};

use crate::command::{Answer, Workspace, command};

/// 4 leaves with 2 hosts each, 2 spines.
const FABRIC: &str = "netloom: 1\nfabric: { leaf_spine: { leaves: 4, spines: 2, hosts_per_leaf: 2 } }\n";
/// Small enough to be created many times.
const SMALL: &str = "netloom: 1\nfabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 1 } }\n";

/// Whether networks can be created on this machine; if not, this is reported once.
fn is_possible() -> bool {
    static POSSIBLE: OnceLock<bool> = OnceLock::new();
    *POSSIBLE.get_or_init(|| {
        let workspace = Workspace::new();
        workspace.write("small.yaml", SMALL);
        let answer = workspace.netloom(&["field", "testbed", "small.yaml", "--", "true"]);
        let is_missing = ["not create namespaces", "lacks", "could not be created"];
        if answer.code == Some(2) && is_missing.iter().any(|part| answer.err.contains(part)) {
            let what = [
                "networks of namespaces",
                answer.err.trim(),
                "root or user namespaces, iproute2, util-linux",
            ];
            if answer.err.contains("lacks") {
                skip(what);
            } else {
                skip_forbidden(what);
            }
            return false;
        }
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        true
    })
}

fn has_python() -> bool {
    let found = Command::new("python3").arg("--version").output().is_ok();
    if !found {
        skip(["streams across namespaces", "python3 is not installed", "apt-get install python3"]);
    }
    found
}

/// Reports what cannot run, why, and how to install it.
fn skip(words: [&str; 3]) {
    name_skipped(&words);
}

/// The same if the reason is not a missing program.
fn skip_forbidden([what, why, how]: [&str; 3]) {
    name_skipped(&["--forbidden", what, why, how]);
}

fn name_skipped(words: &[&str]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/skip.sh");
    let status = Command::new(script).args(words.iter().map(|word| word.replace('\n', " "))).status();
    assert!(status.expect("the script runs").success(), "{words:?}");
}

/// A temporary folder, and a mark in the environment of all processes that are started from it.
struct Bed {
    workspace: Workspace,
    mark: String,
    before: BTreeSet<String>,
}

impl Bed {
    fn new(fabric: &str) -> Bed {
        let workspace = Workspace::new();
        workspace.write("fabric.yaml", fabric);
        fs::create_dir(workspace.path("tmp")).expect("it can be made");
        let mark = format!("bed-{:x}", RandomState::new().hash_one(0));
        Bed { workspace, mark, before: BTreeSet::new() }.noted()
    }

    fn noted(mut self) -> Bed {
        self.before = traces();
        self
    }

    fn testbed(&self, options: &[&str], words: &[&str]) -> Command {
        let mut testbed = command(&self.workspace.path(""));
        testbed.args(["field", "testbed", "fabric.yaml"]).args(options).arg("--").args(words);
        testbed.env("BED", &self.mark).env("TMPDIR", self.workspace.path("tmp")).stdin(Stdio::null());
        testbed
    }

    fn run(&self, options: &[&str], words: &[&str]) -> Answer {
        self.testbed(options, words).output().expect("it starts").into()
    }

    /// Starts a command that ends neither by itself nor on request, with such children in other namespaces and
    /// sessions,
    /// and waits until all of them run.
    fn stubborn(&self) -> (Child, BufReader<ChildStdout>) {
        let script = "trap '' TERM HUP INT
            for host in $NETLOOM_TESTBED_HOSTS; do
                on-host $host setsid sh -c 'trap \"\" TERM HUP INT; sleep 1000' &
            done
            setsid sleep 1000 & echo begun; sleep 1000";
        let mut child =
            self.testbed(&[], &["sh", "-c", script]).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut out = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut line = String::new();
        out.read_line(&mut line).expect("it can be read");
        assert_eq!(line, "begun\n");
        (child, out)
    }

    /// Ids of the processes with the mark, outermost first.
    fn processes(&self) -> Vec<u32> {
        let mark = format!("BED={}", self.mark).into_bytes();
        let ids = fs::read_dir("/proc").expect("it can be read").flatten();
        let ids = ids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let is_marked = |id: &u32| {
            let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            environment.split(|&byte| byte == 0).any(|word| word == mark)
        };
        let mut found: Vec<u32> = ids.filter(is_marked).collect();
        found.sort_unstable();
        found
    }

    /// Checks that processes, links, mounts and files are those from before; killed processes may take some time to
    /// end.
    fn assert_nothing_is_left(&self) {
        let begun = Instant::now();
        let is_clean = || self.processes().is_empty() && traces() == self.before && self.n_files() == 0;
        while !is_clean() {
            let left = (self.processes(), &traces() - &self.before, self.n_files());
            assert!(begun.elapsed() < Duration::from_secs(20), "processes, traces, files are left: {left:?}");
            sleep(Duration::from_millis(10));
        }
    }

    fn n_files(&self) -> usize {
        fs::read_dir(self.workspace.path("tmp")).expect("it is there").count()
    }
}

/// What a network could leave behind besides processes: links, mounts, files and names of namespaces.
fn traces() -> BTreeSet<String> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").expect("it can be read");
    let mut found: BTreeSet<String> = mounts.lines().map(str::to_owned).collect();
    for folder in ["/sys/class/net", "/run", "/run/netns", "/run/netloom", "/dev/shm"] {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        let names = entries.flatten().map(|entry| entry.path().display().to_string());
        // Other programs change this list, too; entries of a testbed have these names.
        let belongs_to_test = |name: &String| folder == "/sys/class/net" || name.contains("net");
        found.extend(names.filter(belongs_to_test));
    }
    found
}

fn signal(id: u32, name: &str) {
    let sent =
        Command::new("kill").args([&format!("-{name}"), &id.to_string()]).stderr(Stdio::null()).status();
    // The process may have ended by itself.
    sent.expect("there is a `kill`");
}

/// A number from 0 to 1, different in every run of the test.
fn random_share() -> f64 {
    RandomState::new().hash_one(1) as f64 / u64::MAX as f64
}

/// Every host listens, and connects to every other one.
const EVERYBODY: &str = r#"
import socket, subprocess, sys, os
names = os.environ["NETLOOM_TESTBED_HOSTS"].split()
listen = "import socket,time; s = socket.create_server(('', 5000)); print('ready', flush=True); time.sleep(1000)"
listeners = [subprocess.Popen(["on-host", name, sys.executable, "-c", listen], stdout=subprocess.PIPE) for name in names]
for listener in listeners:
    assert listener.stdout.readline() == b"ready\n"
connect = "import socket,sys\nfor name in sys.argv[1:]: socket.create_connection((name, 5000), timeout=10)\nprint('ok', len(sys.argv) - 1)"
for name in names:
    others = [other for other in names if other != name]
    out = subprocess.run(["on-host", name, sys.executable, "-c", connect, *others], capture_output=True, text=True)
    assert out.stdout == f"ok {len(others)}\n", (name, out)
print("all", len(names))
"#;

#[test]
fn every_host_reaches_every_other_one_by_name() {
    if !is_possible() || !has_python() {
        return;
    }
    let lists = "netloom: 1\nfabric: { custom: { hosts: [a, b, c], switches: [s, t], links: [
        { from: a, to: s, rate: 100Gbps, delay: 1us }, { from: b, to: s, rate: 100Gbps, delay: 1us },
        { from: c, to: t, rate: 40Gbps, delay: 1us }, { from: s, to: t, rate: 100Gbps, delay: 1us, count: 2 } ] } }\n";
    let tree = "netloom: 1\nfabric: { fat_tree: { k: 4 } }\n";
    let switch = "netloom: 1\nfabric: { single_switch: { hosts: 5 } }\n";
    for (fabric, n_hosts) in [(lists, 3), (tree, 16), (switch, 5), (FABRIC, 8)] {
        for routes in ["ecmp", "pinned"] {
            let bed = Bed::new(fabric);
            let answer = bed.run(&["--routes", routes], &["python3", "-c", EVERYBODY]);
            assert_eq!((answer.code, answer.out), (Some(0), format!("all {n_hosts}\n")), "{}", answer.err);
            bed.assert_nothing_is_left();
        }
    }
}

/// Sends bytes from the first host to the first host of the third leaf for two seconds; then prints bits per second,
/// and
/// the bytes that each port of leaf0 has sent.
const STREAM: &str = r#"
import glob, socket, subprocess, sys, time
receive = """
import socket, time
server = socket.create_server(('', 5000))
print('ready', flush=True)
stream, _ = server.accept()
begin = total = 0
while data := stream.recv(1 << 16):
    begin = begin or time.monotonic()
    total += len(data)
print(total, round(total * 8 / (time.monotonic() - begin)))
"""
receiver = subprocess.Popen(["on-host", "leaf2.host0", sys.executable, "-c", receive], stdout=subprocess.PIPE, text=True)
assert receiver.stdout.readline() == "ready\n"
with socket.create_connection(("leaf2.host0", 5000)) as stream:
    until = time.monotonic() + 2
    while time.monotonic() < until:
        stream.sendall(bytes(1 << 14))
print(receiver.stdout.readline().strip())
for port in sorted(glob.glob("/run/netloom/sys/leaf0/class/net/eth*")):
    print(open(port + "/statistics/tx_bytes").read().strip())
"#;

#[test]
fn a_stream_crosses_the_pinned_uplink_at_the_scaled_rate() {
    if !is_possible() || !has_python() {
        return;
    }
    let bed = Bed::new(FABRIC);
    let answer = bed.run(&["--rate", "20Mbps", "--routes", "pinned"], &["python3", "-c", STREAM]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let numbers: Vec<f64> =
        answer.out.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    let [total, rate, to_hosts @ .., up0, up1] = &numbers[..] else { panic!("{}", answer.out) };
    // Headers are 66 of 1,514 bytes; a busy machine is slower, and the token bucket allows a small burst.
    assert!((10e6..21e6).contains(rate), "{rate} bit/s");
    // Packets to host 4 use the first spine.
    assert!(*up0 > *total && *up0 < 1.5 * total, "{numbers:?}");
    assert!(*up1 < 0.01 * total && to_hosts[1] < 0.01 * total, "{numbers:?}");
    assert!(
        answer.err.contains("20 Mbit/s") && answer.err.contains("not imitated: delay of links"),
        "{}",
        answer.err
    );
}

#[test]
fn bytes_that_did_not_cross_the_network_fail_a_command_that_ended_well() {
    if !is_possible() || !has_python() {
        return;
    }
    let bed = Bed::new(FABRIC);
    let options = |size| ["--quiet", "--rate", "20Mbps", "--expect-bytes", size];
    let idle = bed.run(&options("1MB"), &["true"]);
    let reason = "the hosts sent 0 bytes, and at least 1000000 were expected";
    assert!(idle.code == Some(3) && idle.err.contains(reason), "{}", idle.err);
    assert_eq!(bed.run(&options("1MB"), &["sh", "-c", "exit 7"]).code, Some(7));
    let stream = bed.run(&options("1MB"), &["python3", "-c", STREAM]);
    assert_eq!((stream.code, stream.err.as_str()), (Some(0), ""));
    bed.assert_nothing_is_left();
}

/// In ps.
const SECOND: u64 = 1_000_000_000_000;

/// Sends a stream; then, when no packet is in flight any more, prints for every port: node, number of the port, bytes
/// and
/// packets sent.
const COUNTED: &str = r#"
import glob, time
time.sleep(0.5)
for port in sorted(glob.glob("/run/netloom/sys/*/class/net/eth*")):
    counts = [open(f"{port}/statistics/tx_{what}").read().strip() for what in ("bytes", "packets")]
    print("port", port.split("/")[4], port.rsplit("eth", 1)[1], *counts)
"#;

#[test]
fn counters_of_all_ports_are_stored_as_a_measured_run() {
    if !is_possible() || !has_python() {
        return;
    }
    let bed = Bed::new(FABRIC);
    let options = ["--quiet", "--rate", "20Mbps", "--routes", "pinned", "-o", "measured", "--every", "10ms"];
    let answer = bed.run(&options, &["python3", "-c", &format!("{STREAM}{COUNTED}")]);
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    let run = RunFolder::open(&bed.workspace.path("measured")).expect("it is one");
    let (ports, series) = (run.ports().expect("ports"), run.series().expect("series"));
    let nodes = run.names().expect("names").nodes;
    let mut reported: Vec<String> = ports
        .iter()
        .map(|row| format!("port {} {} {} {}", nodes[row.node.index()], row.index, row.size.0, row.packets))
        .collect();
    reported.sort_unstable();
    let mut counted: Vec<&str> = answer.out.lines().filter(|line| line.starts_with("port ")).collect();
    counted.sort_unstable();
    assert_eq!(reported, counted, "the counters of the kernel at interfaces");
    for port in &ports {
        let sent: u64 = series.iter().filter(|row| row.port == port.port).map(|row| row.size.0).sum();
        assert_eq!((sent, port.rate.0), (port.size.0, 20_000_000), "{port:?}");
        assert!(port.peak_size == KnownSize::UNKNOWN && port.peak_packets.is_none(), "{port:?}");
    }
    // The token bucket, of six packets, limits the rate. A busy machine may interrupt a reading, so that its time is
    // not
    // exact to the millisecond.
    let stretch = SECOND / 5;
    for port in &ports {
        let own: Vec<&SeriesRow> = series.iter().filter(|row| row.port == port.port).collect();
        for first in &own {
            let within = |row: &&&SeriesRow| row.time >= first.time && row.time.0 < first.time.0 + stretch;
            let sent: u64 = own.iter().filter(within).map(|row| row.size.0).sum();
            let most = (stretch + first.interval.0 + SECOND / 50) / 400_000 + 6 * 1_514;
            assert!(sent <= most, "{sent} bytes of {most} in 200 ms: {first:?}");
        }
    }
    assert!(series.iter().any(|row| row.waiting.0 > 1_514), "a queue was seen");
    let manifest = run.manifest();
    let measured = manifest.measured.as_ref().expect("it was measured");
    assert!(measured.facts.contains_key("kernel") && measured.facts.contains_key("begin"), "{measured:?}");
    assert_eq!((manifest.seed, manifest.packets, manifest.threads), (None, None, None));
    assert_eq!(manifest.hops, Some(ports.iter().map(|row| row.packets).sum()));
    for words in [
        &["check", "measured"][..],
        &["report", "measured", "-o", "report.html"],
        &["report", "--text", "measured"],
        &["show", "measured"],
        &["compare", "measured", "measured"],
        &["figures", "measured", "-o", "figures"],
        &["export", "csv", "measured", "-o", "csv"],
    ] {
        let answer = bed.workspace.netloom(words);
        assert_eq!(answer.code, Some(0), "{words:?}: {}", answer.err);
    }
    let again = bed.run(&options, &["true"]);
    assert!(again.code == Some(2) && again.err.contains("measured"), "{}", again.err);
    assert_eq!(bed.run(&[&options[..], &["--force"]].concat(), &["true"]).code, Some(0));
    bed.assert_nothing_is_left();
}

#[cfg(unix)]
#[test]
fn measurements_until_an_interrupt_are_stored() {
    use std::os::unix::process::CommandExt;

    if !is_possible() {
        return;
    }
    let bed = Bed::new(SMALL);
    let mut testbed = bed.testbed(&["-o", "measured"], &["sh", "-c", "echo begun; exec sleep 1000"]);
    // As in a terminal, where all processes of the group receive Ctrl-C.
    let mut child = testbed.process_group(0).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("it is piped")).read_line(&mut line).expect("it can be read");
    sleep(Duration::from_millis(200));
    let group = format!("-{}", child.id());
    assert!(Command::new("kill").args(["-INT", "--", &group]).status().expect("it runs").success());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let run = RunFolder::open(&bed.workspace.path("measured")).expect("it is whole");
    assert_eq!(run.manifest().outcome.status, Status::Stopped);
    assert!(run.manifest().simulated_ps > 100_000_000_000, "{:?}", run.manifest().outcome);
    bed.assert_nothing_is_left();
}

/// The launch agent is called as launchers call it: options, the address of the host, and one argument for a shell.
#[test]
fn the_launch_agent_runs_a_command_on_a_host_with_its_name_and_memory() {
    if !is_possible() {
        return;
    }
    let bed = Bed::new(SMALL);
    let script = "echo outer > /dev/shm/it; launch-agent -x 10.64.1.2 \"hostname; ls /dev/shm | wc -l; echo 'a  b' \\$((1+1))\"";
    let answer = bed.run(&["--quiet"], &["sh", "-c", script]);
    assert_eq!((answer.code, answer.out.as_str()), (Some(0), "leaf1.host0\n0\na  b 2\n"), "{}", answer.err);
    let unknown = bed.run(&["--quiet"], &["on-host", "10.64.9.2", "true"]);
    assert!(unknown.code == Some(2) && unknown.err.contains("there is no"), "{}", unknown.err);
    bed.assert_nothing_is_left();
}

#[test]
fn the_exit_status_is_that_of_the_command() {
    if !is_possible() {
        return;
    }
    let bed = Bed::new(SMALL);
    for (script, status) in
        [("exit 0", 0), ("exit 7", 7), ("kill -KILL $$", 137), ("setsid sleep 1000 & exit 3", 3)]
    {
        let answer = bed.run(&["--quiet"], &["sh", "-c", script]);
        assert_eq!((answer.code, answer.err.as_str()), (Some(status), ""), "{script}");
        bed.assert_nothing_is_left();
    }
}

#[test]
fn killed_at_any_time_a_testbed_leaves_nothing() {
    if !is_possible() {
        return;
    }
    let bed = Bed::new(SMALL);
    for number in 0..20 {
        let mut child =
            bed.testbed(&["--quiet"], &["sleep", "1000"]).stderr(Stdio::null()).spawn().expect("it starts");
        // Creating the network takes some hundred milliseconds.
        sleep(Duration::from_secs_f64(0.3 * random_share()));
        let mut n_killed = 0;
        // Kills the process that the user started, or any other one.
        let kill_one = || {
            let victims = bed.processes();
            let workspace =
                if number % 2 == 0 { 0 } else { (random_share() * victims.len() as f64) as usize };
            victims.get(workspace).inspect(|&&victim| signal(victim, "KILL"));
        };
        let begun = Instant::now();
        while child.try_wait().expect("it can be waited for").is_none() {
            // The killed process may be a probe of the machine's capabilities, or one that has already ended; then the
            // command starts nevertheless. Every process that exists after that is needed.
            if begun.elapsed().as_secs() >= n_killed {
                if n_killed == 10 {
                    child.kill().expect("it can be killed");
                    panic!("one process per second was killed, and the testbed still runs");
                }
                kill_one();
                n_killed += 1;
            }
            sleep(Duration::from_millis(5));
        }
        bed.assert_nothing_is_left();
    }
}

#[test]
fn a_request_to_end_leaves_nothing_of_a_command_that_ignores_it() {
    if !is_possible() {
        return;
    }
    let bed = Bed::new(SMALL);
    for name in ["INT", "TERM", "HUP", "KILL"] {
        let (mut child, _out) = bed.stubborn();
        signal(child.id(), name);
        assert_eq!(child.wait().expect("it ends").code(), None, "{name} ends it");
        bed.assert_nothing_is_left();
    }
}

#[test]
fn two_testbeds_are_isolated() {
    if !is_possible() {
        return;
    }
    let (one, other) = (Bed::new(SMALL), Bed::new(SMALL));
    let (mut first, _out) = one.stubborn();
    let names = other.run(
        &["--quiet"],
        &["sh", "-c", "ls /run/netns; cat /run/netloom/sys/*/class/net/eth*/statistics/tx_packets"],
    );
    assert!(names.out.starts_with("leaf0\nleaf0.host0\n"), "{}", names.out);
    assert!(names.out.lines().skip(6).all(|packets| packets == "0"), "{}", names.out);
    assert!(first.try_wait().expect("it can be asked").is_none(), "the first one goes on");
    signal(first.id(), "KILL");
    first.wait().expect("it ends");
    one.assert_nothing_is_left();
}

#[test]
fn invalid_requests_are_refused_before_anything_is_created() {
    let bed = Bed::new(SMALL);
    bed.workspace.write("large.yaml", "netloom: 1\nfabric: { fat_tree: { k: 8 } }\n");
    let cases: [(&[&str], &str); 9] = [
        (&["large.yaml", "--", "true"], "the fabric has 208 nodes, and a testbed has at most 64"),
        (&["none.yaml", "--", "true"], "there is no such file"),
        (&["fabric.yaml", "--rate", "1Tbps", "--", "true"], "a testbed takes 100 kbit/s to 10 Gbit/s"),
        (&["fabric.yaml", "--scale", "1/0", "--", "true"], "expected a ratio of whole numbers"),
        (&["fabric.yaml", "--queue", "1KB", "--", "true"], "--queue 3028B is the least"),
        (&["fabric.yaml", "--scale", "1/4", "--rate", "1Mbps", "--", "true"], "cannot be used with"),
        (&["fabric.yaml", "-o", "/run/somewhere", "--", "true"], "private inside of the testbed"),
        (&["fabric.yaml", "-o", "run", "--every", "10us", "--", "true"], "expected at least 1ms"),
        (&["fabric.yaml", "--every", "10ms", "--", "true"], "required arguments were not provided"),
    ];
    for (words, part) in cases {
        let answer = bed.workspace.netloom(&[&["field", "testbed"], words].concat());
        assert!(answer.code == Some(2) && answer.err.contains(part), "{words:?}: {}", answer.err);
    }
    let mut nothing = command(&bed.workspace.path(""));
    let nothing: Answer = nothing
        .args(["field", "testbed", "fabric.yaml"])
        .stdin(Stdio::null())
        .output()
        .expect("it starts")
        .into();
    assert!(nothing.code == Some(2) && nothing.err.contains("no command was given"), "{}", nothing.err);
    bed.assert_nothing_is_left();
}

#[cfg(target_os = "linux")]
#[test]
fn missing_tools_and_kernel_features_are_reported() {
    use std::os::unix::fs::PermissionsExt;

    let bed = Bed::new(SMALL);
    fs::create_dir(bed.workspace.path("bin")).expect("it can be made");
    let answer: Answer = bed
        .testbed(&[], &["true"])
        .env("PATH", bed.workspace.path("bin"))
        .output()
        .expect("it starts")
        .into();
    assert_eq!(answer.code, Some(2), "{}", answer.err);
    assert!(answer.err.contains("a testbed needs `ip`, `tc`, `unshare`"), "{}", answer.err);
    assert!(answer.err.contains("apt-get install iproute2 util-linux"), "{}", answer.err);
    if !is_possible() {
        return;
    }
    let absent = bed.run(&[], &["no-such-command"]);
    assert!(
        absent.code == Some(2) && absent.err.contains("there is no such command: `no-such-command`"),
        "{}",
        absent.err
    );
    // A `tc` that fails.
    let fake: PathBuf = bed.workspace.path("bin/tc");
    fs::write(&fake, "#!/bin/sh\necho 'Error: Specified qdisc kind is unknown.' >&2; exit 2\n")
        .expect("it is written");
    fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).expect("the test owns it");
    let path =
        format!("{}:{}", bed.workspace.path("bin").display(), std::env::var("PATH").expect("there is one"));
    let answer: Answer = bed.testbed(&[], &["true"]).env("PATH", path).output().expect("it starts").into();
    assert_eq!(answer.code, Some(2), "{}", answer.err);
    assert!(
        answer.err.contains("qdisc kind is unknown") && answer.err.contains("CONFIG_NET_SCH_TBF"),
        "{}",
        answer.err
    );
    bed.assert_nothing_is_left();
}

#[test]
fn explain_prints_a_script_that_creates_the_same_network() {
    let bed = Bed::new(SMALL);
    let explained = bed.run(&["--explain", "--rate", "10Mbps"], &["echo", "it's here"]);
    assert_eq!((explained.code, explained.err.as_str()), (Some(0), ""));
    assert!(
        explained.out.contains("tbf rate 10000000bit") && explained.out.contains("# rates are "),
        "{}",
        explained.out
    );
    bed.assert_nothing_is_left();
    if !is_possible() {
        return;
    }
    bed.workspace.write("network.sh", &explained.out);
    let mut unshare = Command::new("unshare");
    if !Command::new("unshare").args(["--mount", "true"]).output().expect("it starts").status.success() {
        unshare.args(["--user", "--map-root-user"]);
    }
    unshare
        .args(["--mount", "--net", "--pid", "--fork", "--kill-child", "sh"])
        .arg(bed.workspace.path("network.sh"));
    let answer: Answer = unshare.env("BED", &bed.mark).output().expect("it starts").into();
    assert_eq!((answer.code, answer.out.as_str()), (Some(0), "it's here\n"), "{}", answer.err);
    bed.assert_nothing_is_left();
}

/// Other users than root can create a network if user namespaces are allowed.
#[test]
fn without_root_it_works_in_a_user_namespace() {
    if !is_possible() {
        return;
    }
    let bed = Bed::new(SMALL);
    let as_nobody = |words: &[&str]| {
        let mut setpriv = Command::new("setpriv");
        setpriv.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).args(words);
        setpriv.current_dir(bed.workspace.path("")).env("BED", &bed.mark).stdin(Stdio::null());
        setpriv.output().map(Answer::from).expect("it starts")
    };
    if as_nobody(&["true"]).code != Some(0) {
        // This process does not run as root, so every other test has shown it already.
        return;
    }
    if as_nobody(&["unshare", "--user", "--map-root-user", "--net", "true"]).code != Some(0) {
        skip_forbidden([
            "networks of namespaces without root",
            "user namespaces are not allowed",
            "sysctl user.max_user_namespaces",
        ]);
        return;
    }
    // The build folder may not be readable for other users.
    let netloom = bed.workspace.path("netloom");
    fs::copy(env!("CARGO_BIN_EXE_netloom"), &netloom).expect("it can be copied");
    open_to_all(&bed.workspace.path(""));
    let netloom = netloom.display().to_string();
    let answer = as_nobody(&[
        &netloom,
        "field",
        "testbed",
        "fabric.yaml",
        "--quiet",
        "--",
        "on-host",
        "leaf1.host0",
        "hostname",
    ]);
    assert_eq!((answer.code, answer.out.as_str()), (Some(0), "leaf1.host0\n"), "{}", answer.err);
    bed.assert_nothing_is_left();
}

fn open_to_all(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).expect("the test owns it");
}
