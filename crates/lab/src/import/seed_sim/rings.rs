//! Given orders of the ranks in every ring, so that a run of the original can be repeated on the same rings.
//!
//! Models: a JSON list with one entry per collective in the order in which its job runs them; only `job` and `order`, a
//! list of host names, are used.
//!
//! Invariants: as many orders as collectives, each of them over exactly the hosts of its job.

use serde::Deserialize;

use super::config::{Config, Scenario};
use super::mixed::Placement;
use super::topology::Topology;
use crate::import::ImportError;

/// The orders of each job, as ranks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Rings {
    pub heavy: Vec<Vec<u32>>,
    pub tensor: Vec<Vec<u32>>,
    pub pipeline: Vec<Vec<u32>>,
}

impl Rings {
    /// Whether none were given.
    pub(super) fn is_empty(&self) -> bool {
        *self == Rings::default()
    }
}

#[derive(Deserialize)]
struct Entry {
    job: String,
    order: Vec<String>,
}

/// Reads the orders for a configuration.
pub(super) fn rings(text: &str, name: &str, config: &Config) -> Result<Rings, ImportError> {
    let refused = |reason: String| ImportError::Rings { name: name.to_owned(), reason };
    let entries: Vec<Entry> = serde_json::from_str(text).map_err(|error| refused(error.to_string()))?;
    let mut rings = Rings::default();
    for (number, entry) in entries.iter().enumerate() {
        let (job, hosts) = match (&config.scenario, entry.job.as_str()) {
            (Scenario::Heavy(_), "job") => (&mut rings.heavy, Half::Whole),
            (Scenario::Mixed(mixed), "tp_heavy") => (&mut rings.tensor, Half::First(mixed.placement)),
            (Scenario::Mixed(mixed), "pp_dp") => (&mut rings.pipeline, Half::Second(mixed.placement)),
            (_, other) => return Err(refused(format!("entry {number}: there is no job `{other}` here"))),
        };
        let ranks = ranks(&entry.order, hosts, &config.topology);
        job.push(ranks.map_err(|reason| refused(format!("entry {number}: {reason}")))?);
    }
    check_counts(&rings, &config.scenario).map_err(refused)?;
    Ok(rings)
}

fn check_counts(rings: &Rings, scenario: &Scenario) -> Result<(), String> {
    let check = |job: &str, given: &[Vec<u32>], collectives: u64| {
        if given.len() as u64 == collectives {
            return Ok(());
        }
        Err(format!("`{job}` has {collectives} collectives, but {} orders are given", given.len()))
    };
    match scenario {
        Scenario::Heavy(heavy) => check("job", &rings.heavy, heavy.steps * heavy.buckets * 2),
        Scenario::Mixed(mixed) => {
            let tensor = mixed.tensor;
            check("tp_heavy", &rings.tensor, tensor.steps * (tensor.micro_collectives + 2))?;
            check("pp_dp", &rings.pipeline, mixed.pipeline.steps * 2)
        }
    }
}

/// The hosts of a job.
#[derive(Clone, Copy)]
enum Half {
    Whole,
    First(Placement),
    Second(Placement),
}

impl Half {
    /// The rank of a host, if it belongs to the job.
    fn rank(self, leaf: u64, server: u64, topology: &Topology) -> Option<u64> {
        let (below, host) = (topology.hosts_per_leaf, leaf * topology.hosts_per_leaf + server);
        let half = topology.n_hosts() / 2;
        match self {
            Half::Whole => Some(host),
            Half::First(Placement::Contiguous) => (host < half).then_some(host),
            Half::Second(Placement::Contiguous) => host.checked_sub(half),
            Half::First(Placement::RackBalanced) => {
                (server < below / 2).then_some(leaf * (below / 2) + server)
            }
            Half::Second(Placement::RackBalanced) => {
                server.checked_sub(below / 2).map(|server| leaf * (below / 2) + server)
            }
        }
    }

    fn n_ranks(self, topology: &Topology) -> u64 {
        if let Half::Whole = self { topology.n_hosts() } else { topology.n_hosts() / 2 }
    }
}

fn ranks(order: &[String], half: Half, topology: &Topology) -> Result<Vec<u32>, String> {
    let rank = |name: &String| {
        let (leaf, server) =
            host(name).filter(|at| at.0 < topology.leaves && at.1 < topology.hosts_per_leaf)?;
        half.rank(leaf, server, topology).map(|rank| rank as u32)
    };
    let mut ranks = Vec::new();
    for name in order {
        ranks.push(rank(name).ok_or_else(|| format!("`{name}` is not a host of this job"))?);
    }
    let mut sorted: Vec<u64> = ranks.iter().map(|&rank| u64::from(rank)).collect();
    sorted.sort_unstable();
    if sorted.into_iter().eq(0..half.n_ranks(topology)) {
        Ok(ranks)
    } else {
        Err(format!("the order does not name each of the {} hosts once", half.n_ranks(topology)))
    }
}

/// Leaf and server number from the name of a host, `su1_leaf3_srv1`.
fn host(name: &str) -> Option<(u64, u64)> {
    let (leaf, server) = name.strip_prefix("su1_leaf")?.split_once("_srv")?;
    Some((leaf.parse().ok()?, server.parse().ok()?))
}
