//! How this process starts netloom again.
//!
//! Models: the executable itself by default; another program with arguments before those of netloom, where netloom is a
//! library (the Python package).
//!
//! Invariants: set at most once, before anything else of this crate is called; no result depends on it.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// The program to start.
    pub program: PathBuf,
    /// Arguments before those of netloom.
    pub before: Vec<OsString>,
}

static INVOCATION: OnceLock<Invocation> = OnceLock::new();

impl Invocation {
    /// Uses this one from now on; returns false if another one is in use already.
    pub fn set(self) -> bool {
        INVOCATION.get_or_init(|| self.clone()) == &self
    }

    /// The one in use: by default this executable.
    ///
    /// # Errors
    /// If the operating system does not know the path of this executable.
    pub fn current() -> io::Result<Invocation> {
        if let Some(known) = INVOCATION.get() {
            return Ok(known.clone());
        }
        Ok(Invocation { program: env::current_exe()?, before: Vec::new() })
    }

    /// The program with its arguments: those before netloom's, and netloom's.
    pub fn words(&self, arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
        let program = self.program.clone().into_os_string();
        [program].into_iter().chain(self.before.iter().cloned()).chain(arguments).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_default_it_is_this_executable() {
        let current = Invocation::current().expect("the path is known");
        assert_eq!(current.words(["run".into()]).len(), 2);
        let python = Invocation { before: vec!["-m".into(), "netloom".into()], ..current };
        assert_eq!(python.words(["run".into()])[1..], ["-m", "netloom", "run"]);
    }
}
