//! Ring collectives, expanded into flows.
//!
//! Models: P participants in a given order; in each of P-1 rounds every participant sends one chunk to the next in the
//! ring.
//! Leaves out: dependencies between rounds; the seed simulator has none. The three operations expand alike.
//! Invariant: flows are listed by round, then by sender in ring order; start times are absolute.
//! Source: specification of the seed simulator, section 7.

use serde::Deserialize;

use super::job::PlannedFlow;
use super::topology::ScalableUnit;
use crate::reference::NodeIdx;

/// The order of one collective's ring, as recorded.
#[derive(Clone, Debug, Deserialize)]
pub struct RingOrder {
    /// The job it belongs to.
    pub job: String,
    /// The collective operation.
    pub op: String,
    /// The names of the hosts, in ring order.
    pub order: Vec<String>,
}

/// Recorded rings, returned one by one in the order in which collectives are built.
pub(super) struct Rings<'a> {
    unit: &'a ScalableUnit,
    remaining: Box<dyn Iterator<Item = &'a RingOrder> + 'a>,
}

impl<'a> Rings<'a> {
    /// The rings of one job.
    pub(super) fn of(job: &'a str, rings: &'a [RingOrder], unit: &'a ScalableUnit) -> Self {
        let remaining = Box::new(rings.iter().filter(move |ring| ring.job == job));
        Rings { unit, remaining }
    }

    /// Expands the next collective, which has to be the named operation.
    pub(super) fn next(&mut self, op: &str, bytes_per_participant: u64, gap_us: f64) -> Vec<PlannedFlow> {
        let ring = self.remaining.next().expect("as many rings are recorded as collectives are built");
        assert_eq!(ring.op, op, "rings are recorded in another order than collectives are built");
        let host = |name: &String| self.unit.host_named(name).expect("rings name known hosts");
        let order: Vec<_> = ring.order.iter().map(host).collect();
        expand(&order, bytes_per_participant, gap_us)
    }
}

fn expand(order: &[NodeIdx], bytes_per_participant: u64, gap_us: f64) -> Vec<PlannedFlow> {
    let n = order.len();
    let mut flows = Vec::new();
    for round in 0..n - 1 {
        let bytes = chunk_bytes(bytes_per_participant, n, round);
        let start_s = round as f64 * (gap_us * 1e-6);
        for (position, &src) in order.iter().enumerate() {
            flows.push(PlannedFlow { src, dst: order[(position + 1) % n], bytes, start_s });
        }
    }
    flows
}

/// Size of the chunk sent in a round; the first chunks are one byte larger if the size does not divide evenly.
fn chunk_bytes(bytes_per_participant: u64, n_chunks: usize, round: usize) -> u64 {
    let n_chunks = n_chunks as u64;
    bytes_per_participant / n_chunks + u64::from((round as u64) < bytes_per_participant % n_chunks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_of_three_has_two_rounds() {
        let flows: Vec<_> = expand(&[7, 3, 5], 10, 2e6)
            .iter()
            .map(|flow| (flow.src, flow.dst, flow.bytes, flow.start_s))
            .collect();
        let (first, second) = flows.split_at(3);
        assert_eq!(first, [(7, 3, 4, 0.0), (3, 5, 4, 0.0), (5, 7, 4, 0.0)]);
        assert_eq!(second, [(7, 3, 3, 2.0), (3, 5, 3, 2.0), (5, 7, 3, 2.0)]);
    }
}
