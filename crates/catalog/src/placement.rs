//! Placement: which hosts the ranks of each job run on.
//!
//! Models: jobs placed one after the other on hosts that are still free; interleaved jobs take turns.
//! Leaves out: jobs that come and go; a job has its hosts for the whole run.
//!
//! Invariants: no host belongs to two jobs, but to those that share hosts; equal requests and seed give equal placements.

use netloom_model::{Fabric, Port};
use netloom_units::{HostId, NodeId, Random};

/// Purpose of the random streams.
const PURPOSE: u64 = 0x706c_6163_6500;

/// How a job chooses its hosts among those still free.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placement {
    /// Every host of the fabric.
    All,
    /// The first free ones.
    Contiguous,
    /// Every `stride`-th one from the first host, then every `stride`-th one from the second, and so on.
    Strided {
        /// Distance between hosts; at least 1.
        stride: u32,
    },
    /// Host by host in turns with all other interleaved jobs.
    Interleaved,
    /// Drawn at random; the ranks are in the order of the draw.
    Random {
        /// Added to the run's seed and the job's number.
        seed: u64,
    },
    /// The same number from each leaf, the first free ones of the leaf.
    RackBalanced,
    /// By their numbers in the fabric, whether free or not: every `stride`-th one from `first` on.
    Numbered {
        /// The number of the first host.
        first: u32,
        /// Distance between hosts; at least 1.
        stride: u32,
    },
    /// These hosts, in this order.
    List(Vec<HostId>),
}

/// A job's request for hosts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Number of hosts; `None` takes all that the placement can give.
    pub ranks: Option<u32>,
    /// Which hosts.
    pub placement: Placement,
    /// Whether it takes hosts of other jobs, too, and leaves its hosts to them.
    pub shared: bool,
}

/// Why jobs cannot be placed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlacementError {
    /// Too few hosts are free.
    #[error("job {job} requests {wanted} hosts, but only {free} are free")]
    TooFew {
        /// Job number.
        job: usize,
        /// Number of hosts requested.
        wanted: u32,
        /// Number of hosts available to it.
        free: u32,
    },
    /// A leaf has too few free hosts.
    #[error("job {job} requests {wanted} hosts of every leaf, but leaf {leaf} has only {free} free")]
    LeafTooFew {
        /// Job number.
        job: usize,
        /// The leaf, by its index in the list of leaves.
        leaf: usize,
        /// Number of hosts requested of each leaf.
        wanted: u32,
        /// Number of hosts free there.
        free: u32,
    },
    /// A number of ranks that cannot be divided evenly among the leaves.
    #[error("job {job} has {ranks} ranks, which cannot be placed evenly on {leaves} leaves")]
    Uneven {
        /// Job number.
        job: usize,
        /// Number of ranks requested.
        ranks: u32,
        /// Number of leaves.
        leaves: usize,
    },
    /// A host that belongs to an earlier job, or that a job lists twice.
    #[error("job {job} requests host {host}, which is in use", host = host.0)]
    Taken {
        /// Job number.
        job: usize,
        /// The host.
        host: HostId,
    },
    /// A host that does not exist.
    #[error("job {job} requests host {host}, which is not in the fabric", host = host.0)]
    NoSuchHost {
        /// Job number.
        job: usize,
        /// The host.
        host: HostId,
    },
    /// Hosts by number, of which there are too few.
    #[error("job {job} requests {wanted} hosts by number, but the fabric has {there} with such numbers")]
    TooFewNumbers {
        /// Job number.
        job: usize,
        /// Number of hosts requested.
        wanted: u32,
        /// Number of hosts with such numbers.
        there: u32,
    },
    /// A number of ranks that contradicts the placement.
    #[error("job {job} has {ranks} ranks, but its placement gives {given} hosts")]
    Contradiction {
        /// Job number.
        job: usize,
        /// Number of ranks requested.
        ranks: u32,
        /// Number of hosts that the placement names.
        given: usize,
    },
    /// A job that gets no host at all.
    #[error("job {job} gets no hosts")]
    None {
        /// Job number.
        job: usize,
    },
    /// A stride of zero.
    #[error("job {job} has a stride of zero")]
    ZeroStride {
        /// Job number.
        job: usize,
    },
}

/// The hosts of each leaf, or rack: those attached to the same switches, in rising order; leaves in order of their
/// first host.
///
/// If hosts are attached both to a switch inside their server, to which only hosts are attached, and to other switches
/// outside, only the former counts: a server is a rack of its own. Hosts with NICs on several switches share a rack if
/// they share all of these.
pub fn hosts_by_leaf(fabric: &Fabric) -> Vec<Vec<HostId>> {
    let is_inner = joining_hosts_only(fabric);
    let attachment = |host: u32| {
        let ports = fabric.ports_of(NodeId(host)).iter();
        let mut ends: Vec<NodeId> = ports.map(|port| fabric.port(port.peer).node).collect();
        ends.retain(|&end| !fabric.is_host(end));
        if ends.iter().any(|end| !is_inner[end.index()]) && ends.iter().any(|end| is_inner[end.index()]) {
            ends.retain(|end| is_inner[end.index()]);
        }
        ends.sort_unstable();
        ends.dedup();
        ends
    };
    let mut keyed: Vec<_> =
        (0..fabric.n_hosts() as u32).map(|host| (attachment(host), HostId(host))).collect();
    keyed.sort();
    let groups = keyed.chunk_by(|left, right| left.0 == right.0);
    let mut leaves: Vec<Vec<HostId>> =
        groups.map(|group| group.iter().map(|entry| entry.1).collect()).collect();
    leaves.sort();
    leaves
}

/// Whether each node is a switch to which only hosts are attached.
fn joining_hosts_only(fabric: &Fabric) -> Vec<bool> {
    let ends_at_host = |port: &Port| fabric.is_host(fabric.port(port.peer).node);
    let nodes = (0..fabric.n_nodes() as u32).map(NodeId);
    nodes.map(|node| !fabric.is_host(node) && fabric.ports_of(node).iter().all(ends_at_host)).collect()
}

/// The hosts of each job, in the order of its ranks.
///
/// # Errors
/// When a job requests more hosts than there are, or hosts of another job.
pub fn assign_hosts(
    requests: &[Request],
    leaves: &[Vec<HostId>],
    seed: u64,
) -> Result<Vec<Vec<HostId>>, PlacementError> {
    let all_hosts = FreeHosts::new(leaves, seed);
    let mut floor = FreeHosts::new(leaves, seed);
    let mut placed: Vec<Option<Vec<HostId>>> = vec![None; requests.len()];
    for job in 0..requests.len() {
        if placed[job].is_some() {
            continue;
        }
        if requests[job].shared {
            placed[job] = Some(all_hosts.choose(job, &requests[job])?);
        } else if requests[job].placement == Placement::Interleaved {
            // All interleaved jobs are placed together, when the first of them is.
            for (other, hosts) in floor.take_turns(requests)? {
                placed[other] = Some(hosts);
            }
        } else {
            let hosts = floor.choose(job, &requests[job])?;
            floor.take(job, &hosts)?;
            placed[job] = Some(hosts);
        }
    }
    let placed: Vec<Vec<HostId>> = placed.into_iter().flatten().collect();
    match placed.iter().position(Vec::is_empty) {
        Some(job) => Err(PlacementError::None { job }),
        None => Ok(placed),
    }
}

/// Hosts and whether they are free.
struct FreeHosts<'a> {
    leaves: &'a [Vec<HostId>],
    seed: u64,
    /// Whether each host exists and is free.
    free: Vec<bool>,
    known: Vec<bool>,
}

impl FreeHosts<'_> {
    fn new(leaves: &[Vec<HostId>], seed: u64) -> FreeHosts<'_> {
        let n_hosts = leaves.iter().flatten().map(|host| host.index() + 1).max().unwrap_or(0);
        let mut known = vec![false; n_hosts];
        for host in leaves.iter().flatten() {
            known[host.index()] = true;
        }
        FreeHosts { leaves, seed, free: known.clone(), known }
    }

    fn free_hosts(&self) -> Vec<HostId> {
        let hosts = (0_u32..).map(HostId);
        hosts.zip(&self.free).filter(|(_, free)| **free).map(|(host, _)| host).collect()
    }

    /// The hosts that a job gets; they are not marked as taken yet.
    fn choose(&self, job: usize, request: &Request) -> Result<Vec<HostId>, PlacementError> {
        let listed = |hosts: Vec<HostId>| match request.ranks {
            Some(ranks) if ranks as usize != hosts.len() => {
                Err(PlacementError::Contradiction { job, ranks, given: hosts.len() })
            }
            _ => Ok(hosts),
        };
        let mut hosts = match &request.placement {
            Placement::List(hosts) => return listed(hosts.clone()),
            Placement::All => {
                let all = (0_u32..).map(HostId).zip(&self.known).filter(|(_, known)| **known);
                return listed(all.map(|(host, _)| host).collect());
            }
            Placement::RackBalanced => return self.balanced(job, request.ranks),
            Placement::Contiguous | Placement::Interleaved => self.free_hosts(),
            Placement::Strided { stride: 0 } | Placement::Numbered { stride: 0, .. } => {
                return Err(PlacementError::ZeroStride { job });
            }
            Placement::Strided { stride } => self.strided(*stride as usize),
            Placement::Numbered { first, stride } => {
                let all = (0_u32..).map(HostId).zip(&self.known).filter(|(_, known)| **known);
                all.map(|(host, _)| host).skip(*first as usize).step_by(*stride as usize).collect()
            }
            Placement::Random { seed } => {
                let mut hosts = self.free_hosts();
                let entity = seed.wrapping_add(job as u64);
                Random::stream(self.seed, PURPOSE, entity).shuffle(&mut hosts);
                hosts
            }
        };
        let free = hosts.len() as u32;
        let wanted = request.ranks.unwrap_or(free);
        if wanted > free && matches!(request.placement, Placement::Numbered { .. }) {
            return Err(PlacementError::TooFewNumbers { job, wanted, there: free });
        }
        if wanted > free {
            return Err(PlacementError::TooFew { job, wanted, free });
        }
        hosts.truncate(wanted as usize);
        Ok(hosts)
    }

    fn strided(&self, stride: usize) -> Vec<HostId> {
        let n_hosts = self.free.len();
        let order = (0..stride.min(n_hosts)).flat_map(|first| (first..n_hosts).step_by(stride));
        order.filter(|&host| self.free[host]).map(|host| HostId(host as u32)).collect()
    }

    fn balanced(&self, job: usize, ranks: Option<u32>) -> Result<Vec<HostId>, PlacementError> {
        let free: Vec<Vec<HostId>> = self
            .leaves
            .iter()
            .map(|leaf| leaf.iter().copied().filter(|host| self.free[host.index()]).collect())
            .collect();
        let leaves = self.leaves.len();
        let wanted = match ranks {
            Some(ranks) if leaves == 0 || !(ranks as usize).is_multiple_of(leaves) => {
                return Err(PlacementError::Uneven { job, ranks, leaves });
            }
            Some(ranks) => ranks as usize / leaves,
            None => free.iter().map(Vec::len).min().unwrap_or(0),
        };
        if let Some(leaf) = free.iter().position(|hosts| hosts.len() < wanted) {
            let (wanted, free) = (wanted as u32, free[leaf].len() as u32);
            return Err(PlacementError::LeafTooFew { job, leaf, wanted, free });
        }
        Ok(free.iter().flat_map(|hosts| &hosts[..wanted]).copied().collect())
    }

    fn take(&mut self, job: usize, hosts: &[HostId]) -> Result<(), PlacementError> {
        for &host in hosts {
            match self.free.get_mut(host.index()) {
                Some(free) if *free => *free = false,
                _ if self.known.get(host.index()) == Some(&true) => {
                    return Err(PlacementError::Taken { job, host });
                }
                _ => return Err(PlacementError::NoSuchHost { job, host }),
            }
        }
        Ok(())
    }

    /// Distributes the free hosts over all interleaved jobs, one each in turn, until each has as many as it requests.
    fn take_turns(&mut self, requests: &[Request]) -> Result<Vec<(usize, Vec<HostId>)>, PlacementError> {
        let mut hands: Vec<(usize, Vec<HostId>)> = (0..requests.len())
            .filter(|&job| requests[job].placement == Placement::Interleaved && !requests[job].shared)
            .map(|job| (job, Vec::new()))
            .collect();
        let free = self.free_hosts();
        let mut deck = free.iter();
        let mut dealt = true;
        while dealt {
            dealt = false;
            for (job, hand) in &mut hands {
                if requests[*job].ranks.is_none_or(|ranks| hand.len() < ranks as usize) {
                    let Some(&host) = deck.next() else { break };
                    hand.push(host);
                    dealt = true;
                }
            }
        }
        for (job, hand) in &hands {
            let wanted = requests[*job].ranks.unwrap_or(0);
            if (hand.len() as u32) < wanted {
                return Err(PlacementError::TooFew { job: *job, wanted, free: hand.len() as u32 });
            }
            self.take(*job, hand)?;
        }
        Ok(hands)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four leaves of four hosts.
    fn leaves() -> Vec<Vec<HostId>> {
        (0..4).map(|leaf| (0..4).map(|host| HostId(4 * leaf + host)).collect()).collect()
    }

    fn run(requests: &[(Option<u32>, Placement)]) -> Result<Vec<Vec<u32>>, PlacementError> {
        let requests: Vec<Request> = requests
            .iter()
            .map(|(ranks, placement)| Request { ranks: *ranks, placement: placement.clone(), shared: false })
            .collect();
        let placed = assign_hosts(&requests, &leaves(), 5)?;
        Ok(placed.into_iter().map(|hosts| hosts.into_iter().map(|host| host.0).collect()).collect())
    }

    #[test]
    fn rack_balanced_jobs_share_every_leaf() {
        let two = run(&[(Some(8), Placement::RackBalanced), (None, Placement::RackBalanced)]).unwrap();
        assert_eq!(two[0], [0, 1, 4, 5, 8, 9, 12, 13]);
        assert_eq!(two[1], [2, 3, 6, 7, 10, 11, 14, 15]);
        let uneven = run(&[(Some(6), Placement::RackBalanced)]);
        assert_eq!(uneven, Err(PlacementError::Uneven { job: 0, ranks: 6, leaves: 4 }));
        let full = run(&[(Some(3), Placement::Contiguous), (Some(8), Placement::RackBalanced)]);
        assert_eq!(full, Err(PlacementError::LeafTooFew { job: 1, leaf: 0, wanted: 2, free: 1 }));
    }

    #[test]
    fn interleaved_jobs_take_turns_until_each_has_enough() {
        let three = [Some(3), Some(1), None].map(|ranks| (ranks, Placement::Interleaved));
        let placed = run(&three).unwrap();
        assert_eq!(placed[0], [0, 3, 5]);
        assert_eq!(placed[1], [1]);
        assert_eq!(placed[2], [2, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    }

    #[test]
    fn contiguous_and_strided_take_free_hosts() {
        let placed = run(&[
            (Some(2), Placement::List(vec![HostId(4), HostId(0)])),
            (Some(5), Placement::Strided { stride: 4 }),
            (Some(3), Placement::Contiguous),
        ]);
        assert_eq!(placed.unwrap(), [vec![4, 0], vec![8, 12, 1, 5, 9], vec![2, 3, 6]]);
    }

    #[test]
    fn random_placement_repeats_and_avoids_used_hosts() {
        let requests = [(Some(6), Placement::Random { seed: 1 }), (None, Placement::Random { seed: 1 })];
        let placed = run(&requests).unwrap();
        assert_eq!(placed, run(&requests).unwrap());
        let mut all = placed.concat();
        assert_ne!(all[..6], [0, 1, 2, 3, 4, 5]);
        all.sort_unstable();
        assert!(all.into_iter().eq(0..16));
    }

    #[test]
    fn a_job_that_shares_hosts_leaves_them_free() {
        let contiguous =
            |ranks, shared| Request { ranks: Some(ranks), placement: Placement::Contiguous, shared };
        let placed =
            assign_hosts(&[contiguous(3, false), contiguous(5, true), contiguous(2, false)], &leaves(), 5);
        let numbers = |hosts: &Vec<HostId>| hosts.iter().map(|host| host.0).collect::<Vec<_>>();
        let placed: Vec<Vec<u32>> = placed.unwrap().iter().map(numbers).collect();
        assert_eq!(placed, [vec![0, 1, 2], vec![0, 1, 2, 3, 4], vec![3, 4]]);
    }

    #[test]
    fn impossible_placements_are_rejected() {
        let few = run(&[(Some(17), Placement::Contiguous)]);
        assert_eq!(few, Err(PlacementError::TooFew { job: 0, wanted: 17, free: 16 }));
        let taken = run(&[(None, Placement::All), (None, Placement::List(vec![HostId(3)]))]);
        assert_eq!(taken, Err(PlacementError::Taken { job: 1, host: HostId(3) }));
        let unknown = run(&[(None, Placement::List(vec![HostId(16)]))]);
        assert_eq!(unknown, Err(PlacementError::NoSuchHost { job: 0, host: HostId(16) }));
        let nothing = run(&[(None, Placement::All), (None, Placement::Contiguous)]);
        assert_eq!(nothing, Err(PlacementError::None { job: 1 }));
        let contradiction = run(&[(Some(4), Placement::All)]);
        assert_eq!(contradiction, Err(PlacementError::Contradiction { job: 0, ranks: 4, given: 16 }));
    }
}
