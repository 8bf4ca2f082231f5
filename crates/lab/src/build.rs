//! Which build of netloom this is: results that are kept are taken up by the one that made them only.

use std::fs;

use netloom_records::Digest;

/// The digest of the executable; absent if it cannot be read, as when it was replaced while it ran.
pub(crate) fn build() -> Option<String> {
    let executable = std::env::current_exe().ok()?;
    fs::read(executable).ok().map(|bytes| Digest::of(&bytes).to_string())
}
