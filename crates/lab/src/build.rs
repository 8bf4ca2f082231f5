//! Identifies the build of netloom: stored results are reused only by the build that made them.

/// The version of this netloom with the digest of its sources, such as `0.1.0-3f0c9a2b6d5e4f71`.
///
/// It is the same for the command and the Python package built from the same sources, on every machine.
pub const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), "-", env!("NETLOOM_SOURCES"));
