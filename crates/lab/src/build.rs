//! Identifies the build of netloom: stored results are reused only by the build that made them.

use std::fs;

use netloom_records::Digest;

use crate::invocation::Invocation;

/// The digest of the file with netloom's code; absent if it cannot be read, for example because it was replaced while it ran.
pub(crate) fn build() -> Option<String> {
    let code = Invocation::current().ok()?.code;
    fs::read(code).ok().map(|bytes| Digest::of(&bytes).to_string())
}
