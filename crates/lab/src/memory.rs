//! The memory that a run may be expected to need.
//!
//! Models: a limit, by default the memory of this machine or of its control group; a run that is expected to need more is
//! refused before it begins, rather than ended by the system in the middle.
//! Leaves out: what a run takes in fact; the estimate is that of `netloom check`.

use std::path::{Path, PathBuf};

use netloom_scenario::quantity;
use serde::Serialize;

use crate::cost::cost;
use crate::error::LabError;
use crate::prepare::Prepared;

/// Memory in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct MemoryLimit(pub u64);

impl MemoryLimit {
    /// Parses an option: a size with its unit.
    ///
    /// # Errors
    /// If it is none.
    pub fn parse(text: &str) -> Result<MemoryLimit, String> {
        let size = quantity::size(text.trim());
        size.map(|size| MemoryLimit(size.0)).map_err(|refusal| format!("{}, as in `16GiB`", refusal.message))
    }

    /// The memory of this machine, or of the control group of this process if that is less; `None` if it is not known, as
    /// on systems other than Linux.
    pub fn of_machine() -> Option<MemoryLimit> {
        let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| total(&text));
        machine.into_iter().chain(groups().min()).min().map(MemoryLimit)
    }
}

/// The limits of the control group of this process and of those that contain it, in bytes.
fn groups() -> impl Iterator<Item = u64> {
    let own = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let path = own.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default().to_owned();
    let folders: Vec<PathBuf> = Path::new("/").join(path).ancestors().map(Path::to_owned).collect();
    folders.into_iter().filter_map(|folder| {
        let below = folder.strip_prefix("/").ok()?;
        let text =
            std::fs::read_to_string(Path::new("/sys/fs/cgroup").join(below).join("memory.max")).ok()?;
        text.trim().parse().ok()
    })
}

/// The memory in `/proc/meminfo`, in bytes.
fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Refuses a run that is expected to need more than a limit, or than this machine has.
///
/// # Errors
/// With the estimate and the limit.
pub(crate) fn check_memory(prepared: &Prepared, limit: Option<MemoryLimit>) -> Result<(), LabError> {
    let needed = cost(prepared)?.memory_bytes;
    check_estimate(&prepared.name, needed, limit)
}

/// The same with an estimate in bytes.
pub(crate) fn check_estimate(name: &str, needed: f64, limit: Option<MemoryLimit>) -> Result<(), LabError> {
    let is_given = limit.is_some();
    match limit.or_else(MemoryLimit::of_machine) {
        Some(limit) if needed > limit.0 as f64 => {
            Err(LabError::Memory { name: name.to_owned(), needed, limit, is_given })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_sizes() {
        assert_eq!(MemoryLimit::parse("16GiB"), Ok(MemoryLimit(16 << 30)));
        assert!(MemoryLimit::parse("16").expect_err("no unit").contains("as in `16GiB`"));
        assert_eq!(total("MemFree: 1 kB\nMemTotal:       24683600 kB\n"), Some(24_683_600 * 1024));
        assert_eq!(total("nothing"), None);
    }
}
