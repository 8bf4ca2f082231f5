//! ECMP hashes flows onto uplinks like balls into bins: the number of uplinks in use, and the number of flows on the
//! most loaded one.
//!
//! The expectations are computed here, from the distribution of the maximum load; four standard errors are allowed.

use netloom_policy::balance::destination_modulo::DestinationModulo;
use netloom_policy::balance::{Balancer, Chosen, Context, PacketView, Ports, Position};
use netloom_testkit::fixture::{Clos, ListedWork, Sending, model, simulate};
use netloom_units::{HostId, Random, Time};

/// Flows, uplinks, and the published expected load of the most loaded uplink, to three digits.
const CASES: [(usize, usize, f64); 5] =
    [(4, 4, 2.125), (8, 8, 2.597), (16, 16, 3.078), (32, 32, 3.533), (256, 64, 9.370)];

fn expected_used(n_flows: usize, n_uplinks: usize) -> f64 {
    let m = n_uplinks as f64;
    m * (1.0 - (1.0 - 1.0 / m).powf(n_flows as f64))
}

/// The exact mean of the maximum load: loads are Poisson, conditioned on their sum being the number of flows.
fn expected_maximum_load(n_flows: usize, n_uplinks: usize) -> f64 {
    let at_most = |most: usize| {
        sum_of_poissons(n_flows, n_uplinks, most) / sum_of_poissons(n_flows, n_uplinks, n_flows)
    };
    (0..n_flows).map(|most| 1.0 - at_most(most)).sum()
}

/// The probability that the loads sum to the number of flows and none is above `most`.
fn sum_of_poissons(n_balls: usize, n_bins: usize, most: usize) -> f64 {
    let mean = n_balls as f64 / n_bins as f64;
    let mut term = (-mean).exp();
    let mut one = vec![0.0; n_balls + 1];
    for (load, slot) in one.iter_mut().enumerate().take(most + 1) {
        *slot = term;
        term *= mean / (load + 1) as f64;
    }
    let mut all = vec![0.0; n_balls + 1];
    all[0] = 1.0;
    for _ in 0..n_bins {
        all = (0..=n_balls)
            .map(|sum| (0..=sum.min(most)).map(|load| one[load] * all[sum - load]).sum())
            .collect();
    }
    all[n_balls]
}

/// Candidates without any backlog.
struct Idle(usize);

impl Ports for Idle {
    fn n_minimal(&self) -> usize {
        self.0
    }
    fn n_non_minimal(&self) -> usize {
        0
    }
    fn port(&self, candidate: usize) -> u32 {
        candidate as u32
    }
    fn waiting_bytes(&mut self, _: usize) -> u64 {
        0
    }
    fn waiting_packets(&mut self, _: usize) -> u64 {
        0
    }
}

/// Flows per uplink, as one switch hashes them.
fn loads(n_flows: usize, n_uplinks: usize, seed: u64) -> Vec<u32> {
    let mut ecmp = Balancer::instantiate(
        &Chosen::named("ecmp"),
        Position {
            seed,
            node: 9,
            neighbours: &[],
            bits_below: 0,
            deal: DestinationModulo::PLAIN,
            groups: None,
        },
    );
    let mut random = Random::stream(seed, 83, 0);
    let mut unused = Random::stream(seed, 83, 1);
    let mut loads = vec![0; n_uplinks];
    for _ in 0..n_flows {
        let entropy = random.next_u32();
        let (destination, senders, is_data) = (HostId(1), &HostId(0), true);
        let view = PacketView {
            entropy,
            sequence: 0,
            bytes: 1,
            class: 0,
            tag: 0,
            is_data,
            may_reorder: true,
            is_drained: false,
            ingress: 0,
            destination,
            message: 0,
            senders,
        };
        let mut context = Context { now: Time::ZERO, random: &mut unused };
        loads[ecmp.pick(&mut context, || view, || Idle(n_uplinks)).candidate] += 1;
    }
    loads
}

/// Within four standard errors of the sample's mean.
fn assert_mean(sample: &[f64], expected: f64, what: &str) {
    let n = sample.len() as f64;
    let mean = sample.iter().sum::<f64>() / n;
    let variance = sample.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let allowed = 4.0 * (variance / n).sqrt();
    println!("{what}: {mean:.4}, expected {expected:.4} +- {allowed:.4}");
    assert!((mean - expected).abs() <= allowed, "{what}: {mean}, expected {expected} +- {allowed}");
}

fn used_and_maximum_load(samples: &[Vec<u32>]) -> (Vec<f64>, Vec<f64>) {
    let used = |loads: &Vec<u32>| loads.iter().filter(|&&load| load > 0).count() as f64;
    let most_loaded = |loads: &Vec<u32>| f64::from(loads.iter().copied().max().unwrap_or(0));
    (samples.iter().map(used).collect(), samples.iter().map(most_loaded).collect())
}

#[test]
fn the_computed_means_are_the_published_ones() {
    for (n_flows, n_uplinks, published) in CASES {
        let computed = expected_maximum_load(n_flows, n_uplinks);
        assert!((computed - published).abs() < 0.0006, "{n_flows} in {n_uplinks}: {computed}");
    }
}

#[test]
fn ecmp_loads_uplinks_like_balls_in_bins() {
    for (n_flows, n_uplinks, _) in CASES {
        let n_seeds = 200_000 / n_flows as u64;
        let samples: Vec<_> = (0..n_seeds).map(|seed| loads(n_flows, n_uplinks, seed)).collect();
        let (used, most_loaded) = used_and_maximum_load(&samples);
        let name = format!("{n_flows} flows, {n_uplinks} uplinks");
        assert_mean(&used, expected_used(n_flows, n_uplinks), &format!("{name}, used"));
        assert_mean(&most_loaded, expected_maximum_load(n_flows, n_uplinks), &format!("{name}, most loaded"));
    }
}

/// In a whole run, by the table of ports: 32 hosts of one leaf, one packet from each, 32 uplinks.
#[test]
fn uplinks_of_a_leaf_are_loaded_like_bins() {
    let clos = Clos::new(2, 32, 32);
    let base = model(clos.wiring());
    let sendings: Vec<Sending> = (0..32).map(|host| Sending::new(0, host, 32 + host, 1000)).collect();
    let loads = |seed| {
        let mut model = base.clone();
        model.seed = seed;
        let run = simulate(&model, ListedWork::new(&sendings));
        let leaf = clos.shape.leaf_of(HostId(0));
        let uplinks = run.records.ports.iter().filter(|port| port.node == leaf && port.index >= 32);
        uplinks.map(|port| port.packets as u32).collect::<Vec<_>>()
    };
    let samples: Vec<_> = (0..1500).map(loads).collect();
    assert!(samples.iter().all(|loads| loads.len() == 32 && loads.iter().sum::<u32>() == 32));
    let (used, most_loaded) = used_and_maximum_load(&samples);
    assert_mean(&used, expected_used(32, 32), "leaf, used");
    assert_mean(&most_loaded, expected_maximum_load(32, 32), "leaf, most loaded");
}

/// The 128-port example: uplinks with more than one and a half times their share, and uplinks that could carry their
/// flows at half the load.
#[test]
fn uplink_loads_of_the_large_example_are_binomial() {
    let samples: Vec<_> = (0..3000).map(|seed| loads(256, 64, seed)).collect();
    let share = |fits: &dyn Fn(u32) -> bool| {
        let count = |loads: &Vec<u32>| loads.iter().filter(|&&load| fits(load)).count() as f64 / 64.0;
        samples.iter().map(count).collect::<Vec<f64>>()
    };
    assert_mean(&share(&|load| load > 6), binomial_tail(7), "uplinks with more than six flows");
    assert_mean(&share(&|load| load <= 8), 1.0 - binomial_tail(9), "uplinks with at most eight flows");
    assert!((binomial_tail(7) - 0.109).abs() < 0.0006 && (binomial_tail(9) - 0.0204).abs() < 0.0001);
}

/// P(at least `least` of 256 flows on one of 64 uplinks).
fn binomial_tail(least: u32) -> f64 {
    let p = 1.0 / 64.0_f64;
    let mut probability = (1.0 - p).powi(256);
    let mut below = 0.0;
    for load in 0..least {
        below += probability;
        probability *= f64::from(256 - load) / f64::from(load + 1) * p / (1.0 - p);
    }
    1.0 - below
}
