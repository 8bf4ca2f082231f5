//! The description of a run that was not simulated but measured on a real machine.
//!
//! Models: who measured and with what, the source of its numbers, facts about the machine, the participating hosts.
//! Leaves out: the numbers.
//!
//! Invariants: a manifest has this part exactly if the run was measured.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// About a measured run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// The program or framework that measured: `netloom-field`, `CRAB`, `OSU Micro-Benchmarks`, `nccl-tests`.
    pub by: String,
    /// Source of its numbers: files, or a publication.
    pub source: String,
    /// Facts about machine and circumstances, for users: `MPI library`, `clock`, `begin`.
    #[serde(default)]
    pub facts: BTreeMap<String, String>,
    /// The participating hosts, if known; the first entry that matches a cell holds for it.
    #[serde(default)]
    pub allocations: Vec<Allocation>,
}

/// The hosts of some runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allocation {
    /// The victim's collective; absent if it holds for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub victim: Option<String>,
    /// The aggressor's collective, `none` without one; absent if it holds for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aggressor: Option<String>,
    /// Length and pause of the aggressor's bursts in ps; absent if it holds for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bursts: Option<[u64; 2]>,
    /// Names of the hosts in the order of ranks, as on the machine.
    pub hosts: Vec<String>,
}

impl Allocation {
    /// Whether it holds for a cell on `nodes` hosts.
    pub fn fits(&self, nodes: u32, victim: &str, aggressor: &str, bursts: Option<[u64; 2]>) -> bool {
        let is = |own: &Option<String>, asked: &str| own.as_deref().is_none_or(|own| own == asked);
        self.hosts.len() == nodes as usize
            && is(&self.victim, victim)
            && is(&self.aggressor, aggressor)
            && (self.bursts.is_none() || self.bursts == bursts)
    }
}

impl Measured {
    /// The hosts that a cell was measured on, if known.
    pub fn hosts(
        &self,
        nodes: u32,
        victim: &str,
        aggressor: &str,
        bursts: Option<[u64; 2]>,
    ) -> Option<&[String]> {
        let found = self.allocations.iter().find(|one| one.fits(nodes, victim, aggressor, bursts));
        found.map(|one| one.hosts.as_slice())
    }
}
