//! Other programs: each is started in its own process group, and ended with all its children.
//!
//! Models: a command whose output goes to a file; a flag stops it.
//! Leaves out: the purpose of the command.
//!
//! Invariants: no started process is left behind, unless this process itself is killed.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::error::FieldError;

/// Interval at which a command is polled.
const LOOK: Duration = Duration::from_millis(50);
/// Time that it has to end after a signal.
const PATIENCE: Duration = Duration::from_secs(10);
/// Number of lines of a log in messages.
const SHOWN: usize = 15;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// By itself.
    Exited(ExitStatus),
    /// It was stopped.
    Stopped,
}

/// Runs a command to its end; its output is appended to a file.
///
/// # Errors
/// If it cannot be started, or the file cannot be written.
pub(super) fn run(
    words: &[String],
    log: &Path,
    packages: &'static str,
    stop: Option<&AtomicBool>,
    mut look: impl FnMut(Duration),
) -> Result<Ending, FieldError> {
    let file =
        File::options().create(true).append(true).open(log).map_err(FieldError::io("write the file", log))?;
    let beside = file.try_clone().map_err(FieldError::io("write the file", log))?;
    let (program, rest) = words.split_first().expect("a command has a first word");
    let mut command = Command::new(program);
    command.args(rest).stdin(Stdio::null()).stdout(file).stderr(beside);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let missing = |_| FieldError::Tool { tool: program.clone(), packages };
    let mut child = command.spawn().map_err(missing)?;
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(FieldError::io("wait for the command", log))? {
            return Ok(Ending::Exited(status));
        }
        if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            end(&mut child);
            return Ok(Ending::Stopped);
        }
        look(begin.elapsed());
        sleep(LOOK);
    }
}

/// Stops a command with all its children: by SIGTERM, and by SIGKILL if it does not end.
fn end(child: &mut Child) {
    signal(child, "TERM");
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        sleep(LOOK);
    }
    signal(child, "KILL");
    // If this fails too, there is no other means.
    let _ = child.kill();
    let _ = child.wait();
}

fn signal(child: &Child, name: &str) {
    let group = format!("-{}", child.id());
    let mut command = Command::new("kill");
    command.args(["-s", name, "--", &group]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Without `kill` the command is killed below.
    let _ = command.status();
}

/// The last lines of a file.
pub(super) fn tail(path: &Path) -> Vec<String> {
    let text = fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(SHOWN)..].iter().map(|line| (*line).to_owned()).collect()
}

/// A command as a shell reads it.
pub fn command_text(words: &[String]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+%@".contains(c);
    let quoted = |word: &String| {
        if !word.is_empty() && word.chars().all(is_plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(all: &[&str]) -> Vec<String> {
        all.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn commands_are_quoted_for_a_shell() {
        let text = command_text(&words(&["mpirun", "-n", "8", "a b", "it's", ""]));
        assert_eq!(text, r"mpirun -n 8 'a b' 'it'\''s' ''");
    }

    #[test]
    #[cfg(unix)]
    fn processes_of_a_command_end_with_it() {
        let home = tempfile::tempdir().expect("a folder");
        let (log, mark) = (home.path().join("log"), home.path().join("mark"));
        let script = format!("(sleep 2; touch {}) & echo begun; sleep 60", mark.display());
        let stop = AtomicBool::new(false);
        let begin = Instant::now();
        let ending = run(&words(&["sh", "-c", &script]), &log, "sh", Some(&stop), |elapsed| {
            if elapsed > Duration::from_millis(200) {
                stop.store(true, Ordering::Relaxed);
            }
        });
        assert!(matches!(ending, Ok(Ending::Stopped)) && begin.elapsed() < PATIENCE);
        assert_eq!(tail(&log), ["begun"]);
        sleep(Duration::from_millis(2500));
        assert!(!mark.exists(), "a child of the command outlived it");
    }

    #[test]
    fn a_missing_tool_is_reported_with_its_packages() {
        let home = tempfile::tempdir().expect("a folder");
        let missing = words(&["netloom-no-such-tool"]);
        let refused = run(&missing, &home.path().join("log"), "a package", None, |_| {});
        let text = refused.expect_err("it is not there").to_string();
        assert!(text.contains("netloom-no-such-tool") && text.contains("a package"), "{text}");
    }
}
