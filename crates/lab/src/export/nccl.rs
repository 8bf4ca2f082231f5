//! Bandwidths of collectives as nccl-tests report them: a table for each collective of a job, a line for each size.
//!
//! Models: algorithm bandwidth is the size divided by the mean time, bus bandwidth that times the factor of the
//! collective; a collective lasts from the start of its first rank to the end of its last rank.
//! Leaves out: collectives that overlap others of their job; in-place and out-of-place, which do not differ on the
//! network; results of reductions, which are not simulated.
//!
//! Invariants: the size is that of the full vector, as it is in scenarios and in nccl-tests; if the vector does not
//! divide evenly, the count is the largest part; what is left out is reported.
//!
//! Source: nccl-tests (`src/common.cu`, `src/all_reduce.cu` and similar files); elements are floats, as is its default.

use std::path::Path;

use netloom_model::Collective;
use netloom_units::Value;
use serde::Serialize;

use super::alone::{self, Alone, Group, OfSize};
use crate::error::LabError;

/// Bytes of an element: a float.
const ELEMENT: u64 = 4;
/// Bytes per second in one GB/s.
const GIGABYTE: f64 = 1e9;
/// Microseconds in a second.
const MICROSECONDS: f64 = 1e6;

/// How a benchmark treats a collective.
struct Benchmark {
    collective: &'static str,
    program: &'static str,
    /// Whether `count` refers to the part of the vector that each rank has.
    by_rank: bool,
    reduces: bool,
}

const fn benchmark(collective: &'static str, program: &'static str) -> Benchmark {
    Benchmark { collective, program, by_rank: false, reduces: false }
}

const fn by_rank(collective: &'static str, program: &'static str) -> Benchmark {
    Benchmark { by_rank: true, ..benchmark(collective, program) }
}

const fn all_reduce(collective: &'static str) -> Benchmark {
    Benchmark { reduces: true, ..benchmark(collective, "all_reduce_perf") }
}

/// One entry per collective.
const BENCHMARKS: [Benchmark; 18] = [
    by_rank("all_to_all_linear", "alltoall_perf"),
    by_rank("all_to_all_pairwise", "alltoall_perf"),
    by_rank("ring_all_gather", "all_gather_perf"),
    all_reduce("ring_all_reduce"),
    Benchmark { reduces: true, ..by_rank("ring_reduce_scatter", "reduce_scatter_perf") },
    benchmark("broadcast_chain", "broadcast_perf"),
    benchmark("broadcast_tree", "broadcast_perf"),
    // nccl-tests has no incast; the nearest benchmark is a gather, whose size is the sum over all senders.
    benchmark("incast", "incast"),
    benchmark("permutation", "sendrecv_perf"),
    all_reduce("tree_all_reduce"),
    all_reduce("halving_doubling_all_reduce"),
    all_reduce("in_network_all_reduce"),
    all_reduce("hierarchical_all_reduce"),
    by_rank("bruck_all_to_all", "alltoall_perf"),
    by_rank("bruck_all_gather", "all_gather_perf"),
    by_rank("pxn_all_to_all", "alltoall_perf"),
    // nccl-tests sends the same to all; the size is the vector's, as of its all-to-all.
    by_rank("all_to_all_v", "alltoall_perf"),
    all_reduce("all_reduce"),
];

/// The bandwidths of a run's collectives.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bandwidths {
    /// Table by table, in the order of jobs, then of the list of collectives.
    pub tables: Vec<BandwidthTable>,
    /// Number of collectives that overlapped others of their job; they are in no table.
    pub side_by_side: u64,
    /// The program that measured them; absent if they were simulated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured_by: Option<String>,
}

/// One collective of one job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BandwidthTable {
    /// The job.
    pub job: String,
    /// Name of the collective in scenarios.
    pub collective: &'static str,
    /// The benchmark that runs it.
    pub benchmark: &'static str,
    /// Number of ranks.
    pub ranks: u32,
    /// In ascending order of size.
    pub lines: Vec<BandwidthLine>,
    /// Mean of the bus bandwidths of all lines, in GB/s.
    pub average_busbw: f64,
}

/// Collectives of one size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BandwidthLine {
    /// Bytes of the full vector.
    pub size_bytes: u64,
    /// Number of elements passed to the benchmark.
    pub count: u64,
    /// Type of an element.
    pub element: &'static str,
    /// Reduction applied to elements.
    pub reduction: &'static str,
    /// The root rank, or -1.
    pub root: i64,
    /// Mean time.
    pub time_us: f64,
    /// Algorithm bandwidth, in GB/s.
    pub algbw: f64,
    /// Bus bandwidth, in GB/s.
    pub busbw: f64,
    /// Number of collectives.
    pub iterations: u64,
}

/// Bandwidths of a run folder.
///
/// # Errors
/// If the folder is no run, its scenario cannot be read, or there is no collective to report.
pub fn nccl(folder: &Path) -> Result<Bandwidths, LabError> {
    Ok(Bandwidths::of(&alone::read(folder)?))
}

impl Bandwidths {
    /// Bandwidths of collectives that ran in isolation.
    pub(crate) fn of(found: &Alone) -> Bandwidths {
        let tables = found.groups.iter().filter_map(table).collect();
        Bandwidths { tables, side_by_side: found.side_by_side, measured_by: found.measured_by.clone() }
    }
}

fn table(group: &Group) -> Option<BandwidthTable> {
    let benchmark = of_collective(group.collective)?;
    let sizes = group.sizes.iter();
    let lines: Vec<_> =
        sizes.filter_map(|(size, found)| line(benchmark, group.ranks, *size, found)).collect();
    let sum: f64 = lines.iter().map(|line| line.busbw).sum();
    Some(BandwidthTable {
        job: group.job.clone(),
        collective: benchmark.collective,
        benchmark: benchmark.program,
        ranks: group.ranks,
        average_busbw: sum / lines.len() as f64,
        lines,
    })
}

fn line(benchmark: &Benchmark, ranks: u32, size_bytes: u64, found: &OfSize) -> Option<BandwidthLine> {
    let times = found.times()?;
    // Bytes over time: the bytes on the bus of each collective are its bus bandwidth times its duration.
    let over_time = |bytes: f64| bytes / (times.mean_s * times.count as f64) / GIGABYTE;
    let spans = alone::spans(&found.rows).map(|span| span.0 as f64 / 1e12);
    let on_bus: f64 = found.rows.iter().zip(spans).map(|(row, span)| row.busbw * span).sum();
    Some(BandwidthLine {
        size_bytes,
        count: benchmark.count(size_bytes, ranks),
        element: "float",
        reduction: if benchmark.reduces { "sum" } else { "none" },
        root: root(&found.first),
        time_us: times.mean_s * MICROSECONDS,
        algbw: over_time(size_bytes as f64 * times.count as f64),
        busbw: over_time(on_bus),
        iterations: times.count,
    })
}

fn of_collective(name: &str) -> Option<&'static Benchmark> {
    BENCHMARKS.iter().find(|benchmark| benchmark.collective == name)
}

/// The root of a collective, if it has one.
fn root(collective: &Collective) -> i64 {
    let root = collective.settings.iter().find(|(name, _)| *name == "root");
    match root {
        Some((_, Value::Count(location))) => i64::try_from(location).unwrap_or(i64::MAX),
        _ => -1,
    }
}

impl Benchmark {
    fn count(&self, vector: u64, ranks: u32) -> u64 {
        let parts = if self.by_rank { u64::from(ranks.max(1)) } else { 1 };
        vector.div_ceil(ELEMENT * parts)
    }
}

#[cfg(test)]
mod tests {
    use netloom_catalog::workload::collective;

    use super::*;

    #[test]
    fn every_collective_has_a_benchmark() {
        for spec in collective::SPECS {
            assert!(of_collective(spec.name).is_some(), "{}", spec.name);
        }
        assert_eq!(BENCHMARKS.len(), collective::SPECS.len());
    }

    #[test]
    fn elements_are_counted_as_in_the_call_of_the_benchmark() {
        let count = |name, vector| of_collective(name).expect("it is there").count(vector, 32);
        assert_eq!(count("all_to_all_linear", 128 << 20), 1 << 20);
        assert_eq!(count("ring_all_gather", 128 << 20), 1 << 20);
        assert_eq!(count("ring_reduce_scatter", 128 << 20), 1 << 20);
        assert_eq!(count("ring_all_reduce", 128 << 20), 32 << 20);
        assert_eq!(count("broadcast_tree", 5), 2, "the largest part");
    }
}
