//! Max-min shares by water-filling: the rates of all flows rise together until a link is full; flows over that link
//! keep their rate, the others rise on.
//!
//! ACKs take a part of links, too. It is subtracted from their capacity, since a link that only ACKs of a flow cross
//! must not limit that flow to its level: repeated until neither changes any more.

/// One link direction, or several that count as one.
#[derive(Debug, Clone, Default)]
pub struct Resource {
    /// Its capacity, in bit/s.
    pub capacity: f64,
    /// Flows whose data crosses it, once for each crossing.
    pub data: Vec<usize>,
    /// Flows whose ACKs cross it.
    pub acks: Vec<usize>,
}

/// Bits on the wire for each bit of payload.
#[derive(Debug, Clone, Copy)]
pub struct Overhead {
    /// In data packets.
    pub data: f64,
    /// In the ACKs for them.
    pub acks: f64,
}

/// The share of each flow: payload, in bit/s.
pub fn shares(n_flows: usize, resources: &[Resource], overhead: Overhead) -> Vec<f64> {
    let mut shares = vec![0.0; n_flows];
    // Each iteration leaves a sixtieth of the error.
    for _ in 0..8 {
        let left: Vec<f64> = resources
            .iter()
            .map(|resource| {
                let acks: f64 = resource.acks.iter().map(|&flow| shares[flow] * overhead.acks).sum();
                (resource.capacity - acks).max(0.0) / overhead.data
            })
            .collect();
        shares = filled(n_flows, resources, left);
    }
    shares
}

/// Water-filling of the rest of each resource for payload.
fn filled(n_flows: usize, resources: &[Resource], mut left: Vec<f64>) -> Vec<f64> {
    let mut shares = vec![None; n_flows];
    while shares.contains(&None) {
        let rising =
            |resource: &Resource| resource.data.iter().filter(|&&flow| shares[flow].is_none()).count();
        let levels = resources.iter().zip(&left).map(|(resource, left)| left / rising(resource) as f64);
        let (full, level) = levels
            .enumerate()
            .filter(|(number, _)| rising(&resources[*number]) > 0)
            .min_by(|one, other| one.1.total_cmp(&other.1))
            .expect("every flow crosses a link");
        for flow in resources[full].data.clone() {
            if shares[flow].is_none() {
                shares[flow] = Some(level);
                for (resource, left) in resources.iter().zip(&mut left) {
                    *left -= level * resource.data.iter().filter(|&&other| other == flow).count() as f64;
                }
            }
        }
    }
    shares.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::{Overhead, Resource, shares};

    const BARE: Overhead = Overhead { data: 1.0, acks: 0.0 };

    fn resource(capacity: f64, data: &[usize]) -> Resource {
        Resource { capacity, data: data.to_vec(), acks: Vec::new() }
    }

    fn assert_close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        let is_close = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-9);
        assert!(is_close, "{found:?} instead of {expected:?}");
    }

    #[test]
    fn a_flow_limited_elsewhere_leaves_its_rest_to_others() {
        // The example of Bertsekas and Gallager, Data Networks, shortened: flow 0 crosses all three links.
        let links = [resource(1.0, &[0, 1, 2]), resource(1.0, &[0, 3]), resource(2.0, &[0, 3])];
        assert_close(&shares(4, &links, BARE), &[1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0]);
    }

    #[test]
    fn a_flow_with_a_link_of_its_own_gets_its_capacity() {
        let links = [resource(5.0, &[0]), resource(3.0, &[1, 2]), resource(1.0, &[2])];
        assert_close(&shares(3, &links, BARE), &[5.0, 2.0, 1.0]);
    }

    #[test]
    fn acks_take_capacity_but_do_not_limit_their_flow() {
        // 0 and 1 share a link that the ACKs of 2 cross.
        let shared = Resource { capacity: 1.0, data: vec![0, 1], acks: vec![2] };
        let overhead = Overhead { data: 1.0, acks: 0.01 };
        assert_close(&shares(3, &[shared, resource(1.0, &[2])], overhead), &[0.495, 0.495, 1.0]);
        // Two flows in opposite directions: x (1 + 0.01) = 1.
        let variant = |data, ack| Resource { capacity: 1.0, data: vec![data], acks: vec![ack] };
        assert_close(&shares(2, &[variant(0, 1), variant(1, 0)], overhead), &[1.0 / 1.01, 1.0 / 1.01]);
    }
}
