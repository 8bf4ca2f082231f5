//! Identifies the build of netloom: stored results are reused only by the build that made them.

use std::fs;

use netloom_records::Digest;

/// The digest of the executable; absent if it cannot be read, for example because it was replaced while it ran.
pub(crate) fn build() -> Option<String> {
    let executable = std::env::current_exe().ok()?;
    fs::read(executable).ok().map(|bytes| Digest::of(&bytes).to_string())
}
