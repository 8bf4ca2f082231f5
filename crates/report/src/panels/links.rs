//! Link utilization: between leaves and spines as a heat map for each direction, in other fabrics as a list.
//!
//! Models: utilization, the share of the span in which a direction of a link was transmitting.
//! Leaves out: the span, if ports were not sampled over time; utilization is of the whole run then.
//!
//! Invariants: a large fabric is shown in blocks of neighbouring leaves and spines, whose size is given; for a list
//! that is cut the total number is given.

use netloom_records::statistics::PortShares;
use netloom_records::{Batch, PortRow};
use netloom_units::NodeId;
use serde::Serialize;

use super::Collector;
use super::used_ports::UsedPorts;
use crate::collect::About;
use crate::fabric::TwoTiers;
use crate::round::share;

/// Largest number of cells of all heat maps together; more would slow down browsers.
const MOST_CELLS: usize = 32_768;
/// Largest number of cells of a heat map along each side; more could not be distinguished.
const MOST_ALONG: usize = 64;
/// Largest number of link directions in a list.
const LISTED: usize = 40;

/// Data of a run.
#[derive(Debug, Default)]
pub struct Links {
    used: UsedPorts,
}

impl Collector for Links {
    fn take(&mut self, about: &About, batch: Batch<'_>) {
        self.used.take(about, batch);
    }
}

/// The links of one run.
#[derive(Debug, Serialize)]
pub struct RunData {
    /// Whether this is of the whole run although other figures are of a part, because ports were not sampled over time.
    pub unsampled: bool,
    /// All directions of links from hosts.
    pub from_hosts: Option<Usage>,
    /// All directions of links to hosts.
    pub to_hosts: Option<Usage>,
    /// All directions of links between switches.
    pub between: Option<Usage>,
    /// The heat map, if the fabric has two tiers.
    pub tiers: Option<TierData>,
    /// Otherwise the busiest directions between switches, or of all links if no link connects two switches.
    pub list: Option<ListData>,
    /// The same list for any fabric; the page has a heat map for two tiers.
    #[serde(skip)]
    pub busiest: ListData,
}

/// Utilization of some directions of links, as shares of the span.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Usage {
    /// Number of directions.
    pub links: u32,
    /// Mean over them.
    pub mean: f64,
    /// The busiest one.
    pub busiest: f64,
}

/// The links between two tiers.
#[derive(Debug, Serialize)]
pub struct TierData {
    /// Names of the first and the last leaf of each block.
    pub leaves: Vec<[String; 2]>,
    /// The same of the spines.
    pub spines: Vec<[String; 2]>,
    /// Leaves per block.
    pub leaf_block: usize,
    /// Spines per block.
    pub spine_block: usize,
    /// From leaves to spines: by block of leaves, then by block of spines; absent without a link.
    pub up: Vec<Vec<Option<Usage>>>,
    /// From spines to leaves: by block of leaves, then by block of spines.
    pub down: Vec<Vec<Option<Usage>>>,
}

/// The busiest directions of links, busiest first.
#[derive(Debug, Clone, Serialize)]
pub struct ListData {
    /// Total number of directions.
    pub total: usize,
    /// Those shown.
    pub links: Vec<ListedLink>,
}

/// A direction of a link.
#[derive(Debug, Clone, Serialize)]
pub struct ListedLink {
    /// Its name.
    pub link: String,
    /// The node that sends.
    pub from: String,
    /// The node that receives.
    pub to: String,
    /// Utilization: the share of the span in which it was transmitting.
    pub usage: f64,
}

/// Usage during summation.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    links: u32,
    sum: f64,
    busiest: f64,
}

impl Tally {
    fn add(&mut self, usage: f64) {
        self.links += 1;
        self.sum += usage;
        self.busiest = self.busiest.max(usage);
    }

    fn finish(self) -> Option<Usage> {
        let mean = self.sum / f64::from(self.links);
        (self.links > 0).then(|| Usage { links: self.links, mean: share(mean), busiest: share(self.busiest) })
    }
}

impl Links {
    /// The links of the run; `n_runs` runs share the room of the page.
    pub fn finish(mut self, about: &About, n_runs: usize) -> RunData {
        let shares = self.used.shares(about);
        let all = |is_wanted: &dyn Fn(&PortRow) -> bool| {
            let mut tally = Tally::default();
            self.used
                .ports
                .iter()
                .filter(|port| is_wanted(port))
                .for_each(|port| tally.add(shares.usage(port)));
            tally.finish()
        };
        let tiers =
            TwoTiers::of(about, &self.used.ports).map(|tiers| self.tiers(about, &tiers, &shares, n_runs));
        let busiest = self.list(about, &shares);
        let list = tiers.is_none().then(|| busiest.clone());
        RunData {
            unsampled: !shares.is_known(),
            from_hosts: all(&|port| about.is_host(port.node)),
            to_hosts: all(&|port| about.is_host(port.peer) && !about.is_host(port.node)),
            between: all(&|port| !about.is_host(port.node) && !about.is_host(port.peer)),
            tiers,
            list,
            busiest,
        }
    }

    fn tiers(&self, about: &About, tiers: &TwoTiers, shares: &PortShares, n_runs: usize) -> TierData {
        let room = MOST_CELLS / (2 * n_runs.max(1));
        let [leaf_block, spine_block] = blocks([tiers.leaves.len(), tiers.spines.len()], room);
        let n_spines = tiers.spines.len().div_ceil(spine_block);
        let empty = vec![vec![Tally::default(); n_spines]; tiers.leaves.len().div_ceil(leaf_block)];
        let (mut up, mut down) = (empty.clone(), empty);
        let index = |nodes: &[NodeId], node| nodes.binary_search(&node).ok();
        for port in &self.used.ports {
            let (from, to) = (index(&tiers.leaves, port.node), index(&tiers.leaves, port.peer));
            let (over, under) = (index(&tiers.spines, port.peer), index(&tiers.spines, port.node));
            if let (Some(leaf), Some(spine)) = (from, over) {
                up[leaf / leaf_block][spine / spine_block].add(shares.usage(port));
            } else if let (Some(leaf), Some(spine)) = (to, under) {
                down[leaf / leaf_block][spine / spine_block].add(shares.usage(port));
            }
        }
        let finish = |rows: Vec<Vec<Tally>>| -> Vec<Vec<Option<Usage>>> {
            rows.into_iter().map(|row| row.into_iter().map(Tally::finish).collect()).collect()
        };
        TierData {
            leaves: block_names(about, &tiers.leaves, leaf_block),
            spines: block_names(about, &tiers.spines, spine_block),
            leaf_block,
            spine_block,
            up: finish(up),
            down: finish(down),
        }
    }

    fn list(&self, about: &About, shares: &PortShares) -> ListData {
        let is_between = |port: &&PortRow| !about.is_host(port.node) && !about.is_host(port.peer);
        let mut ports: Vec<&PortRow> = self.used.ports.iter().filter(is_between).collect();
        if ports.is_empty() {
            ports = self.used.ports.iter().collect();
        }
        ports.sort_by(|left, right| {
            let by_time = shares.busy(right).total_cmp(&shares.busy(left));
            by_time.then(left.port.cmp(&right.port))
        });
        let listed = |port: &&PortRow| ListedLink {
            link: about.names.links.get(port.link.0 as usize).cloned().unwrap_or_default(),
            from: about.node(port.node),
            to: about.node(port.peer),
            usage: share(shares.usage(port)),
        };
        ListData { total: ports.len(), links: ports.iter().take(LISTED).map(listed).collect() }
    }
}

fn block_names(about: &About, nodes: &[NodeId], block: usize) -> Vec<[String; 2]> {
    let ends = |chunk: &[NodeId]| [about.node(chunk[0]), about.node(chunk[chunk.len() - 1])];
    nodes.chunks(block).map(ends).collect()
}

/// Numbers of leaves and spines in a cell, so that the cells have room: the longer side is reduced first.
fn blocks(sides: [usize; 2], room: usize) -> [usize; 2] {
    let mut blocks = sides.map(|side| side.div_ceil(MOST_ALONG).max(1));
    loop {
        let [leaves, spines] = [0, 1].map(|side| sides[side].div_ceil(blocks[side]));
        if leaves * spines <= room.max(1) {
            return blocks;
        }
        blocks[usize::from(spines > leaves)] += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_fabric_has_a_cell_for_every_pair() {
        assert_eq!(blocks([8, 4], MOST_CELLS), [1, 1]);
        assert_eq!(blocks([64, 64], 4096), [1, 1]);
    }

    #[test]
    fn a_large_fabric_is_shown_in_blocks() {
        assert_eq!(blocks([256, 16], MOST_CELLS), [4, 1]);
        for room in [1, 2, 7, 100, 4096] {
            let [leaf, spine] = blocks([500, 3], room);
            assert!(500_usize.div_ceil(leaf) * 3_usize.div_ceil(spine) <= room, "{room}");
        }
    }
}
