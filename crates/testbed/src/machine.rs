//! Requirements of a testbed on this machine, checked before anything is created.
//!
//! Invariants: the only thing created here, a namespace that shows whether namespaces are allowed, ends at once.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

use crate::refusal::Refusal;

/// The rights with which namespaces are created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// With the rights of root.
    Root,
    /// Inside a user namespace.
    UserNamespace,
}

impl Access {
    /// Options of `unshare` that come before all others.
    pub(crate) fn options(self) -> &'static [&'static str] {
        match self {
            Access::Root => &[],
            Access::UserNamespace => &["--user", "--map-root-user"],
        }
    }
}

/// Required programs, with the Debian packages that contain them.
const TOOLS: [(&str, &str); 9] = [
    ("ip", "iproute2"),
    ("tc", "iproute2"),
    ("unshare", "util-linux"),
    ("setpriv", "util-linux"),
    ("nsenter", "util-linux"),
    ("mount", "mount"),
    ("hostname", "hostname"),
    ("cat", "coreutils"),
    ("sh", "dash"),
];

/// Options of `unshare` for the namespaces of a testbed.
pub(crate) const NAMESPACES: [&str; 5] = ["--mount", "--net", "--pid", "--fork", "--kill-child"];

/// Determines how a testbed can be created on this machine.
///
/// # Errors
/// If a requirement is missing.
pub fn require() -> Result<Access, Refusal> {
    if !cfg!(target_os = "linux") {
        return Err(Refusal::NotLinux);
    }
    let missing: Vec<(&str, &str)> =
        TOOLS.into_iter().filter(|(tool, _)| find_command(OsStr::new(tool)).is_none()).collect();
    if !missing.is_empty() {
        let mut packages: Vec<&str> = missing.iter().map(|(_, package)| *package).collect();
        packages.dedup();
        let tools = missing.into_iter().map(|(tool, _)| tool).collect();
        return Err(Refusal::Tools { tools, packages: packages.join(" ") });
    }
    let choices: &[Access] =
        if is_root() { &[Access::Root, Access::UserNamespace] } else { &[Access::UserNamespace] };
    let mut reason = String::new();
    for &access in choices {
        match refused(access)? {
            None => return Ok(access),
            Some(answer) => reason = answer,
        }
    }
    Err(Refusal::NotAllowed { reason })
}

/// Checks whether namespaces are allowed with these rights; an error has the reason.
fn refused(access: Access) -> Result<Option<String>, Refusal> {
    let mut command = Command::new("unshare");
    command.args(access.options()).args(NAMESPACES).args(["mount", "-t", "tmpfs", "tmpfs", "/dev/shm"]);
    let Output { status, stderr, .. } =
        command.output().map_err(|source| Refusal::Start { program: "unshare", source })?;
    let answer = String::from_utf8_lossy(&stderr).trim().to_owned();
    // A probe that was killed does not show what is allowed, so this is an error rather than a reason to try other
    // rights.
    if status.code().is_none() {
        return Err(Refusal::NotAllowed { reason: format!("`unshare`: {status}") });
    }
    Ok((!status.success()).then(|| if answer.is_empty() { status.to_string() } else { answer }))
}

/// The effective user, from the kernel.
fn is_root() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:"));
    line.and_then(|ids| ids.split_whitespace().nth(1)) == Some("0")
}

/// The path of a command, searched as a shell does.
pub fn find_command(name: &OsStr) -> Option<PathBuf> {
    if Path::new(name).components().count() > 1 || name.is_empty() {
        return is_executable(Path::new(name)).then(|| PathBuf::from(name));
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_executable(file))
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(file).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}
