//! Resilient hashing: a fixed table of buckets; only the buckets of a failed next hop move to others.
//!
//! Models: bucket `b` belongs to next hop `b mod n` of the `n` that exist without failures; while that one is down, to
//! the live one with the highest weight, which is a hash of bucket and port.
//! So a bucket whose next hop is up stays, and a moved one returns with its next hop, whatever the number and order of
//! failures.
//! Leaves out: timers after which switches move buckets of idle flows.
//!
//! Source: buckets as vendors describe them (fixed number, only those of a failed next hop move); highest weight as in
//! RFC 2991. No source says which bucket goes where: modelling assumption.

use netloom_units::mix;

use super::Ports;
use super::ecmp::Hash;

/// See the module.
#[derive(Debug, Clone)]
pub struct Resilient {
    /// Maps flows to buckets.
    pub hash: Hash,
    /// Number of buckets.
    pub buckets: usize,
}

impl Resilient {
    /// The candidate of a flow.
    #[inline(never)]
    pub(super) fn choose<P: Ports>(&self, entropy: u32, ports: &P) -> usize {
        let bucket = self.hash.choose(entropy, 0, self.buckets);
        let n_members = ports.n_healthy();
        let own = ports.healthy_port(bucket % n_members);
        candidate_at(own, ports).unwrap_or_else(|| lent(bucket, ports))
    }
}

/// The substitute candidate of a bucket: one of the next hops that exist without failures, if any of them is up.
#[cold]
fn lent<P: Ports>(bucket: usize, ports: &P) -> usize {
    let members = (0..ports.n_healthy()).map(|number| ports.healthy_port(number));
    let live = members.filter_map(|port| Some((weight(bucket, port), candidate_at(port, ports)?)));
    let heaviest = live.max_by_key(|found| found.0).map(|found| found.1);
    heaviest.unwrap_or_else(|| bucket % ports.n_minimal())
}

/// The weight of a port for a bucket.
fn weight(bucket: usize, port: u32) -> (u64, u32) {
    (mix(mix(bucket as u64 + 1) ^ u64::from(port)), port)
}

/// The candidate at a port; candidates are in the order of ports.
fn candidate_at<P: Ports>(port: u32, ports: &P) -> Option<usize> {
    let (mut low, mut high) = (0, ports.n_minimal());
    while low < high {
        let middle = usize::midpoint(low, high);
        if ports.port(middle) < port {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    (low < ports.n_minimal() && ports.port(low) == port).then_some(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ports of which some are down.
    struct Alive(Vec<u32>, usize);

    impl Ports for Alive {
        fn n_minimal(&self) -> usize {
            self.0.len()
        }
        fn n_non_minimal(&self) -> usize {
            0
        }
        fn port(&self, candidate: usize) -> u32 {
            self.0[candidate]
        }
        fn waiting_bytes(&mut self, _: usize) -> u64 {
            0
        }
        fn waiting_packets(&mut self, _: usize) -> u64 {
            0
        }
        fn n_healthy(&self) -> usize {
            self.1
        }
        fn healthy_port(&self, number: usize) -> u32 {
            number as u32
        }
    }

    fn without(dead: &[u32], n: u32) -> Alive {
        Alive((0..n).filter(|port| !dead.contains(port)).collect(), n as usize)
    }

    fn ports_of(flows: u32, alive: &Alive) -> Vec<u32> {
        let table = Resilient { hash: Hash::Mix { salt: 7 }, buckets: 1024 };
        (0..flows).map(|flow| alive.port(table.choose(flow, alive))).collect()
    }

    #[test]
    fn exactly_the_flows_of_the_failed_next_hop_move() {
        const FLOWS: u32 = 20_000;
        for n in [2_u32, 3, 8, 24] {
            let whole = ports_of(FLOWS, &without(&[], n));
            for dead in 0..n.min(4) {
                let left = ports_of(FLOWS, &without(&[dead], n));
                for (before, after) in whole.iter().zip(&left) {
                    assert_eq!(before != after, *before == dead, "{n} {dead}");
                }
                let n_moved = whole.iter().zip(&left).filter(|(before, after)| before != after).count();
                let share = n_moved as f64 / f64::from(FLOWS) * f64::from(n);
                assert!((0.85..1.15).contains(&share), "one in {n}: {share}");
                // The moved flows are spread over all remaining ports.
                if n == 8 {
                    let taken = |port: u32| {
                        let gained = |(before, after): &(&u32, &u32)| before != after && **after == port;
                        whole.iter().zip(&left).filter(gained).count() as f64
                    };
                    let fair = n_moved as f64 / 7.0;
                    for port in (0..n).filter(|&port| port != dead) {
                        assert!((0.4..1.8).contains(&(taken(port) / fair)), "{port}: {}", taken(port) / fair);
                    }
                }
            }
        }
    }

    #[test]
    fn in_any_order_of_failures_only_flows_of_failed_next_hops_move() {
        let mut dead: Vec<u32> = Vec::new();
        for next in [3, 0, 5, 1] {
            let before = ports_of(5_000, &without(&dead, 8));
            dead.push(next);
            let after = ports_of(5_000, &without(&dead, 8));
            assert!(before.iter().zip(&after).all(|(old, new)| (old != new) == (*old == next)));
        }
        // When ports return, exactly their former flows move back.
        for back in [0, 1, 3, 5] {
            let before = ports_of(5_000, &without(&dead, 8));
            dead.retain(|&port| port != back);
            let after = ports_of(5_000, &without(&dead, 8));
            assert!(before.iter().zip(&after).all(|(old, new)| (old != new) == (*new == back)));
        }
    }

    #[test]
    fn modulo_moves_all_but_one_in_n() {
        // A flow stays if both remainders name the same port: of n (n - 1) pairs of remainders, n - 1 do.
        const FLOWS: u32 = 40_000;
        let hash = Hash::Mix { salt: 7 };
        for n in [2_usize, 3, 4, 8, 16] {
            let dead = n / 2;
            let left: Vec<usize> = (0..n).filter(|&port| port != dead).collect();
            let moves = |flow: &u32| hash.choose(*flow, 0, n) != left[hash.choose(*flow, 0, n - 1)];
            let share = (0..FLOWS).filter(moves).count() as f64 / f64::from(FLOWS);
            let derived = 1.0 - 1.0 / n as f64;
            assert!((share - derived).abs() < 0.01, "{n}: {share} {derived}");
        }
    }

    #[test]
    fn without_original_next_hops_flows_take_any_candidate() {
        let table = Resilient { hash: Hash::Mix { salt: 7 }, buckets: 16 };
        let elsewhere = Alive(vec![9, 11], 4);
        for flow in 0..100 {
            assert!(table.choose(flow, &elsewhere) < 2);
        }
    }
}
