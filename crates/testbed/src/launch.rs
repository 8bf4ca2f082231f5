//! Starts the namespaces that contain a testbed, creates the network in them and runs a command.
//!
//! Models: this process starts `unshare`, whose first process starts this program again; the latter creates the network
//! and
//! runs the command. The kernel ends each process when its parent ends (`PR_SET_PDEATHSIG`), however the parent ended.
//! When the first process of a process namespace ends, the kernel ends all others, and with the last process it removes
//! the
//! network and mount namespaces.
//!
//! Invariants: no process ever outlives the one that the user started: a child detects by the parent's id whether its
//! parent ended before the child requested the signal.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::process::{Command, ExitStatus, Stdio};
use std::{env, process, thread};

use crate::machine::{Access, NAMESPACES};
use crate::mpi;
use crate::plan::Plan;
use crate::refusal::Refusal;
use crate::script::{FOLDER, ON_HOST_NAME};

/// Runs below `setpriv --pdeathsig`: the parent may have ended before that. `$1` is its id.
const GUARD: &str = r#"[ "$PPID" = "$1" ] || exit 137
NETLOOM_TESTBED_OUTSIDE=$$
export NETLOOM_TESTBED_OUTSIDE
shift
exec unshare "$@""#;

/// The first process of the new namespaces. Its parent, `unshare`, may have ended before this process requested the
/// signal;
/// the parent's id can be read in `/proc`, which is still the one outside. This process also waits for orphaned
/// processes.
const FIRST: &str = r#"read -r _ _ _ parent _ < /proc/self/stat
[ "$parent" = "$NETLOOM_TESTBED_OUTSIDE" ] || exit 137
unset NETLOOM_TESTBED_OUTSIDE
"$@"
exit $?"#;

/// Starts a testbed with a command in it, and waits for its end.
///
/// # Errors
/// If the process cannot be started.
pub fn start(access: Access, program: &OsStr, arguments: &[OsString]) -> Result<ExitStatus, Refusal> {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "sh", "-c", GUARD, "sh"]);
    command.arg(process::id().to_string());
    command.args(access.options()).args(NAMESPACES).args(["sh", "-c", FIRST, "sh"]);
    command.arg(program).args(arguments);
    command.status().map_err(|source| Refusal::Start { program: "setpriv", source })
}

/// Creates the network; to be called only inside.
///
/// # Errors
/// If the kernel refuses a part of it.
pub fn make_network(plan: &Plan) -> Result<(), Refusal> {
    let failed = |source| Refusal::Start { program: "sh", source };
    let mut shell = Command::new("sh");
    shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = shell.spawn().map_err(failed)?;
    let script = plan.script();
    let input = child.stdin.take();
    // A shell that fails early does not read the rest, which is not a separate error.
    let writer = thread::spawn(move || input.map(|mut input| input.write_all(script.as_bytes())));
    let output = child.wait_with_output().map_err(failed)?;
    let _ = writer.join();
    if output.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let needs = needs(&message);
    Err(Refusal::Kernel { message, needs })
}

/// The feature that the kernel may lack, by a word in the message of the failing command.
fn needs(message: &str) -> &'static str {
    const NEEDS: [(&str, &str); 5] = [
        ("qdisc", "the token bucket filter (CONFIG_NET_SCH_TBF)"),
        ("veth", "veth pairs (CONFIG_VETH)"),
        ("multipath", "routes with several next hops (CONFIG_IP_ROUTE_MULTIPATH)"),
        ("congestion", "TCP with CUBIC (CONFIG_TCP_CONG_CUBIC)"),
        ("mount", "permission to mount /proc and /sys in this container"),
    ];
    let found = NEEDS.iter().find(|(word, _)| message.contains(word));
    found.map_or("network namespaces (CONFIG_NET_NS), veth pairs or the token bucket filter", |(_, needs)| {
        needs
    })
}

/// Runs the command on the first host and waits for it; to be called only inside.
///
/// # Errors
/// If the process cannot be started.
pub fn run_inside(plan: &Plan, command: &[OsString]) -> Result<ExitStatus, Refusal> {
    let mut on_host = Command::new(format!("{FOLDER}/bin/{ON_HOST_NAME}"));
    on_host.arg(plan.first_host()).args(command).envs(environment(plan));
    on_host.status().map_err(|source| Refusal::Start { program: ON_HOST_NAME, source })
}

/// Environment variables of the command.
fn environment(plan: &Plan) -> Vec<(&'static str, OsString)> {
    let joined = |words: Vec<String>| OsString::from(words.join(" "));
    let mut path = OsString::from(format!("{FOLDER}/bin"));
    if let Some(outside) = env::var_os("PATH") {
        path.push(":");
        path.push(outside);
    }
    let own = vec![
        ("NETLOOM_TESTBED_HOSTS", joined(plan.hosts().map(|(node, _)| node.name.clone()).collect())),
        ("NETLOOM_TESTBED_ADDRESSES", joined(plan.hosts().map(|(_, address)| address.to_string()).collect())),
        ("NETLOOM_TESTBED_HOSTFILE", format!("{FOLDER}/hostfile").into()),
        ("TMPDIR", format!("{FOLDER}/tmp").into()),
        ("PATH", path),
    ];
    [own, mpi::environment()].concat()
}
