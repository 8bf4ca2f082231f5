//! Runs the command; scenarios for tests.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// The command, with a folder as its working directory.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_netloom"));
    command.current_dir(folder).env_remove("COLUMNS");
    command
}

/// Exit code and output of a command.
pub struct Answer {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl From<Output> for Answer {
    fn from(output: Output) -> Answer {
        let text = |bytes| String::from_utf8(bytes).expect("the command prints text");
        Answer { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// A temporary folder with scenarios.
pub struct Workspace {
    folder: TempDir,
}

impl Workspace {
    pub fn new() -> Workspace {
        Workspace { folder: tempfile::tempdir().expect("a folder can be made") }
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("the file can be written");
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("the file can be read")
    }

    /// Runs the command here.
    pub fn netloom(&self, arguments: &[&str]) -> Answer {
        command(self.folder.path()).args(arguments).output().expect("the command starts").into()
    }

    /// Starts the command here.
    #[cfg(unix)]
    pub fn start(&self, arguments: &[&str]) -> std::process::Child {
        use std::process::Stdio;
        let mut command = command(self.folder.path());
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().expect("the command starts")
    }

    /// The digest a run printed as JSON.
    pub fn digest(&self, arguments: &[&str]) -> String {
        let answer = self.netloom(&[arguments, &["--json"]].concat());
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        let json: serde_json::Value = serde_json::from_str(&answer.out).expect("it is JSON");
        json["digest"].as_str().expect("it has a digest").to_owned()
    }
}

/// Four hosts that communicate for a few microseconds.
pub const SMALL: &str = "
netloom: 1
fabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 2 } }
balance: spray
jobs: [ { name: pair, steps: 3, phases: [ { ring_all_reduce: { size: 256KiB } } ] } ]
";

/// Sixteen hosts that exchange small messages for a number of steps.
pub fn lasting(steps: u32) -> String {
    format!(
        "
netloom: 1
fabric: {{ leaf_spine: {{ leaves: 4, spines: 4, hosts_per_leaf: 4 }} }}
balance: spray
jobs: [ {{ name: many, steps: {steps}, phases: [ {{ all_to_all_linear: {{ size: 256KiB }} }} ] }} ]
"
    )
}

/// A host whose only link has failed.
pub const CUT_OFF: &str = "
netloom: 1
fabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 2 } }
jobs: [ { name: ring, phases: [ { ring_all_reduce: { size: 64KiB } } ] } ]
faults: { failed: [ LINK ] }
";
