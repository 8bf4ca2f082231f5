//! Latencies of collectives as the OSU micro-benchmarks report them: a table for each collective of a job, a line for
//! each size.
//!
//! Models: a collective lasts from the start of its first rank to the end of its last rank; a line is the mean over all
//! collectives of its size, with the shortest and the longest.
//! Leaves out: collectives that overlap others of their job, since no benchmark runs them so; what each rank measures.
//!
//! Invariants: sizes are counted as the benchmark of that collective counts them; if chunks differ among ranks, the
//! largest counts; what is left out is reported.
//!
//! Source: OSU Micro-Benchmarks 5.6.3, `osu_alltoall` and similar ones; that the whole collective is timed, not each
//! rank, is a modelling assumption.

use std::collections::BTreeMap;
use std::path::Path;

use netloom_units::Duration;
use serde::Serialize;

use super::alone::{self, Alone, Group};
use crate::error::LabError;
use crate::summary::Distribution;

/// Microseconds in a second.
const MICROSECONDS: f64 = 1e6;

/// What a benchmark reports as the size of a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// Bytes from each rank to each other rank.
    EachPair,
    /// Bytes that each rank contributes.
    EachRank,
    /// The full vector.
    Vector,
}

/// How a benchmark treats a collective.
struct Benchmark {
    collective: &'static str,
    title: &'static str,
    counted: Counted,
}

const fn benchmark(collective: &'static str, title: &'static str, counted: Counted) -> Benchmark {
    Benchmark { collective, title, counted }
}

/// One entry per collective.
const BENCHMARKS: [Benchmark; 18] = [
    benchmark("all_to_all_linear", "All-to-All Personalized Exchange", Counted::EachPair),
    benchmark("all_to_all_pairwise", "All-to-All Personalized Exchange", Counted::EachPair),
    benchmark("ring_all_gather", "Allgather", Counted::EachRank),
    benchmark("ring_all_reduce", "Allreduce", Counted::Vector),
    benchmark("ring_reduce_scatter", "Reduce_scatter", Counted::Vector),
    benchmark("broadcast_chain", "Broadcast", Counted::Vector),
    benchmark("broadcast_tree", "Broadcast", Counted::Vector),
    benchmark("incast", "Incast", Counted::Vector),
    benchmark("permutation", "Permutation", Counted::Vector),
    benchmark("tree_all_reduce", "Allreduce", Counted::Vector),
    benchmark("halving_doubling_all_reduce", "Allreduce", Counted::Vector),
    benchmark("in_network_all_reduce", "Allreduce", Counted::Vector),
    benchmark("hierarchical_all_reduce", "Allreduce", Counted::Vector),
    benchmark("bruck_all_to_all", "All-to-All Personalized Exchange", Counted::EachPair),
    benchmark("bruck_all_gather", "Allgather", Counted::EachRank),
    benchmark("pxn_all_to_all", "All-to-All Personalized Exchange", Counted::EachPair),
    benchmark("all_to_all_v", "All-to-Allv Personalized Exchange", Counted::EachPair),
    benchmark("all_reduce", "Allreduce", Counted::Vector),
];

/// The latencies of a run's collectives.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Latencies {
    /// Table by table, in the order of jobs, then of the list of collectives.
    pub tables: Vec<LatencyTable>,
    /// Number of collectives that overlapped others of their job; they are in no table.
    pub side_by_side: u64,
    /// The program that measured them; absent if they were simulated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured_by: Option<String>,
}

/// One collective of one job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LatencyTable {
    /// The job.
    pub job: String,
    /// Name of the collective in scenarios.
    pub collective: &'static str,
    /// Name of the collective in the benchmark.
    pub benchmark: &'static str,
    /// What the benchmark counts as the size.
    pub counted: Counted,
    /// Number of ranks.
    pub ranks: u32,
    /// In ascending order of size.
    pub lines: Vec<LatencyLine>,
}

/// Collectives of one size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LatencyLine {
    /// The size as the benchmark counts it.
    pub size_bytes: u64,
    /// Mean time.
    pub average_us: f64,
    /// Shortest time.
    pub minimum_us: f64,
    /// Longest time.
    pub maximum_us: f64,
    /// Number of collectives.
    pub iterations: u64,
}

/// Latencies of a run folder.
///
/// # Errors
/// If the folder is no run, its scenario cannot be read, or there is no collective to report.
pub fn osu(folder: &Path) -> Result<Latencies, LabError> {
    Ok(Latencies::of(&alone::read(folder)?))
}

impl Latencies {
    /// Latencies of collectives that ran in isolation.
    pub(crate) fn of(found: &Alone) -> Latencies {
        let tables = found.groups.iter().filter_map(table).collect();
        Latencies { tables, side_by_side: found.side_by_side, measured_by: found.measured_by.clone() }
    }
}

fn table(group: &Group) -> Option<LatencyTable> {
    let Benchmark { collective, title, counted } = of_collective(group.collective)?;
    let mut spans: BTreeMap<u64, Vec<Duration>> = BTreeMap::new();
    for (vector, of_size) in &group.sizes {
        spans.entry(counted.size(*vector, group.ranks)).or_default().extend(alone::spans(&of_size.rows));
    }
    Some(LatencyTable {
        job: group.job.clone(),
        collective,
        benchmark: title,
        counted: *counted,
        ranks: group.ranks,
        lines: spans.into_iter().filter_map(|(size, spans)| line(size, spans)).collect(),
    })
}

fn of_collective(name: &str) -> Option<&'static Benchmark> {
    BENCHMARKS.iter().find(|benchmark| benchmark.collective == name)
}

fn line(size_bytes: u64, spans: Vec<Duration>) -> Option<LatencyLine> {
    let times = Distribution::of(spans)?;
    Some(LatencyLine {
        size_bytes,
        average_us: times.mean_s * MICROSECONDS,
        minimum_us: times.minimum_s * MICROSECONDS,
        maximum_us: times.maximum_s * MICROSECONDS,
        iterations: times.count,
    })
}

impl Counted {
    /// The size that a benchmark reports for a vector.
    fn size(self, vector: u64, n_ranks: u32) -> u64 {
        match self {
            Counted::EachPair | Counted::EachRank => vector.div_ceil(u64::from(n_ranks.max(1))),
            Counted::Vector => vector,
        }
    }
}

#[cfg(test)]
mod tests {
    use netloom_catalog::workload::collective;

    use super::*;

    #[test]
    fn every_collective_has_a_benchmark() {
        let names: Vec<&str> = BENCHMARKS.iter().map(|benchmark| benchmark.collective).collect();
        for spec in collective::SPECS {
            assert!(of_collective(spec.name).is_some(), "{} is not among {names:?}", spec.name);
        }
        assert_eq!(names.len(), collective::SPECS.len());
    }

    #[test]
    fn sizes_are_counted_as_benchmarks_do() {
        assert_eq!(Counted::EachPair.size(12 << 20, 12), 1 << 20);
        assert_eq!(Counted::EachRank.size(13, 12), 2, "the largest chunk");
        assert_eq!(Counted::Vector.size(13, 12), 13);
    }
}
