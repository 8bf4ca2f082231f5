//! One measurement of one case, in this process.

use std::fs;
use std::time::Instant;

use netloom_catalog::expand;
use netloom_engine::observe::{Control, Observer, Progress, States};
use netloom_engine::{Extensions, Options, Status, run};
use netloom_records::{Batch, Sink, SinkError};
use serde::{Deserialize, Serialize};

use super::case::Case;
use crate::error::LabError;

/// The cost of one run of a case.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Packets that crossed a link, of all kinds.
    pub hops: u64,
    /// Wall time of the simulation.
    pub wall_ns: u64,
    /// Peak resident memory of the process; zero where the operating system does not report it.
    pub peak_bytes: u64,
    /// Bytes that became resident by the end of the first window, if nearly all hosts are idle in it.
    pub rest_bytes: Option<u64>,
}

impl Measurement {
    /// Nanoseconds per packet-hop.
    pub fn ns_per_hop(&self) -> f64 {
        self.wall_ns as f64 / self.hops.max(1) as f64
    }
}

/// Measures a case once, in this process.
///
/// # Errors
/// If the case does not run to its end, which is a defect of netloom.
pub fn measure(case: &Case) -> Result<Measurement, LabError> {
    let before = resident_bytes();
    let model = case.model()?;
    let n_hosts = model.fabric.n_hosts();
    let mut work = expand(&model.workload, n_hosts, model.seed)
        .map_err(|error| LabError::Internal(format!("the workload of a standard case: {error}")))?;
    let mut at_first = AtFirst::default();
    let options = Options { threads: case.threads, ..Options::default() };
    let begun = Instant::now();
    let clock = || begun.elapsed().as_nanos() as u64;
    let extensions =
        Extensions { observer: Some(&mut at_first), clock: Some(&clock), ..Extensions::default() };
    let outcome = run(&model, &mut work, &mut Nowhere, options, extensions);
    let wall_ns = begun.elapsed().as_nanos() as u64;
    if outcome.status != Status::Complete {
        return Err(LabError::Internal(format!("the case `{}` ended as {:?}", case.name, outcome.status)));
    }
    let rest = at_first.resident.zip(before).filter(|_| case.is_at_rest());
    let rest_bytes = rest.map(|(after, before)| after.saturating_sub(before));
    Ok(Measurement { hops: outcome.hops, wall_ns, peak_bytes: peak_bytes().unwrap_or(0), rest_bytes })
}

/// A sink that discards all rows.
struct Nowhere;

impl Sink for Nowhere {
    fn accept(&mut self, _: Batch<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}

/// Reads the memory at the first window.
#[derive(Default)]
struct AtFirst {
    resident: Option<u64>,
}

impl Observer for AtFirst {
    fn at_window(&mut self, progress: &Progress, _: &dyn States) -> Control {
        if progress.windows == 1 {
            self.resident = resident_bytes();
        }
        Control::Continue
    }
}

/// Resident bytes of this process, where the operating system reports them as Linux does.
fn resident_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * page_bytes())
}

/// The page size, from the auxiliary vector that the kernel passes to every process.
fn page_bytes() -> u64 {
    const PAGE_SIZE: u64 = 6;
    let default = 4096;
    let Ok(vector) = fs::read("/proc/self/auxv") else { return default };
    let (words, _) = vector.as_chunks::<8>();
    let pairs = words.chunks_exact(2).map(|pair| (u64::from_ne_bytes(pair[0]), u64::from_ne_bytes(pair[1])));
    pairs.into_iter().find(|(key, _)| *key == PAGE_SIZE).map_or(default, |(_, value)| value)
}

/// Peak resident memory of this process in bytes.
fn peak_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
