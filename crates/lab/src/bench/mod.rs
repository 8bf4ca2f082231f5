//! How fast this machine simulates: a few standard cases, measured repeatedly in interleaved order.
//!
//! Models: all-to-all in groups of 16 hosts, one per leaf, over a sprayed leaf-spine fabric with a window transport;
//! time, packet-hops and memory of each; medians over rounds in which every case runs once, so that a temporary
//! slowdown of the machine affects all cases.
//! Leaves out: instruction counts, which are reproducible and in which budgets are stated.

mod case;
mod measure;

pub use case::{CASES, Case, case};
pub use measure::{Measurement, measure};

use serde::Serialize;

use crate::error::LabError;

/// The cost of a case over all rounds.
#[derive(Debug, Clone, Serialize)]
pub struct CaseReport {
    /// Its name.
    pub name: &'static str,
    /// Description for users.
    pub summary: &'static str,
    /// Number of hosts.
    pub hosts: u32,
    /// Number of threads.
    pub threads: usize,
    /// Number of rounds measured.
    pub rounds: usize,
    /// Packets that crossed a link, of all kinds.
    pub hops: u64,
    /// Median over rounds of packet-hops per second.
    pub hops_per_s: f64,
    /// Median over rounds of nanoseconds per packet-hop.
    pub ns_per_hop: f64,
    /// Name of the case that it is compared with.
    pub against: &'static str,
    /// Median over rounds of its nanoseconds per packet-hop divided by those of that case in the same round.
    pub relative: f64,
    /// Median over rounds of the peak resident memory in bytes, that of the program itself included.
    pub peak_bytes: u64,
    /// Median over rounds of the bytes per host that became resident by the end of the first window; absent where the
    /// operating system does not report it, and for cases in which most hosts send: their packets in flight also take
    /// memory.
    pub rest_bytes_per_host: Option<f64>,
}

/// Measures all cases in interleaved order, `rounds` times; `one` makes a single measurement.
///
/// A command passes a function that starts a process per measurement, so that the memory is that of one case only;
/// [`measure`] measures in this process.
///
/// # Errors
/// The first error of `one`.
pub fn bench(
    rounds: usize,
    mut one: impl FnMut(&'static Case) -> Result<Measurement, LabError>,
) -> Result<Vec<CaseReport>, LabError> {
    let mut all: Vec<Vec<Measurement>> = CASES.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds.max(1) {
        for (case, measured) in CASES.iter().zip(&mut all) {
            measured.push(one(case)?);
        }
    }
    let other = |case: &Case| CASES.iter().position(|other| other.name == case.against).unwrap_or(0);
    let reports = CASES.iter().zip(&all).map(|(case, measured)| report(case, measured, &all[other(case)]));
    Ok(reports.collect())
}

fn report(case: &Case, measured: &[Measurement], against: &[Measurement]) -> CaseReport {
    let of = |read: fn(&Measurement) -> f64| median(measured.iter().map(read).collect());
    let ratios = measured.iter().zip(against).map(|(this, other)| this.ns_per_hop() / other.ns_per_hop());
    let rest: Vec<f64> = measured.iter().filter_map(|one| one.rest_bytes).map(|bytes| bytes as f64).collect();
    CaseReport {
        name: case.name,
        summary: case.summary,
        hosts: case.hosts(),
        threads: case.threads,
        rounds: measured.len(),
        hops: measured.first().map_or(0, |one| one.hops),
        hops_per_s: of(|one| 1e9 / one.ns_per_hop()),
        ns_per_hop: of(Measurement::ns_per_hop),
        against: case.against,
        relative: median(ratios.collect()),
        peak_bytes: of(|one| one.peak_bytes as f64) as u64,
        rest_bytes_per_host: (!rest.is_empty()).then(|| median(rest) / f64::from(case.hosts())),
    }
}

/// The middle value, or the mean of the two middle values; zero if there are none.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let upper = values.get(values.len() / 2).copied().unwrap_or(0.0);
    let lower = values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or(0.0);
    f64::midpoint(lower, upper)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        let found = [vec![3.0, 1.0, 2.0], vec![4.0, 1.0], vec![]].map(median);
        assert!(found.iter().zip([2.0, 2.5, 0.0]).all(|(found, expected)| (found - expected).abs() < 1e-12));
    }

    #[test]
    fn cases_are_taken_in_turns_and_reported_by_their_medians() {
        let mut order = Vec::new();
        let reports = bench(3, |case| {
            order.push(case.name);
            let wall_ns = if case.name == "large" { 2_000 } else { 1_000 };
            Ok(Measurement { hops: 100, wall_ns, peak_bytes: 1, rest_bytes: None })
        });
        let reports = reports.expect("no measurement fails");
        assert_eq!(order.len(), 3 * CASES.len());
        assert_eq!(order[0], order[CASES.len()]);
        assert!((reports[0].ns_per_hop - 10.0).abs() < 1e-9);
        assert!(
            (reports.iter().find(|one| one.name == "large").map_or(0.0, |one| one.relative) - 2.0).abs()
                < 1e-9
        );
    }
}
