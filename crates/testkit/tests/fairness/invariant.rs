//! Over random flow sets, the total throughput of all flows is that with an ideal crossbar, and hardly any flow gets
//! much less.
//!
//! A comparison with the ideal crossbar is not enough: if a NIC starves a flow, it does so there, too. So no flow may
//! be far below its max-min share, either. It can be somewhat below, with any arbiter: packets wait behind others
//! without credits, in the buffers of links and in NICs.

use crate::comparison::compare;
use crate::configuration::Configuration;
use crate::flow_set::FlowSet;
use crate::parallel;
use crate::statistics::{Statistics, number, report};

/// Measures every n-th random flow set.
fn measured(configuration: Configuration, every: usize) -> Statistics {
    let n_sets = number("NETLOOM_FAIRNESS_SETS", 200) as u32;
    let sets: Vec<FlowSet> = (1..=n_sets).step_by(every).map(FlowSet::random).collect();
    measured_of(&sets, configuration)
}

/// Measures flow sets; in none of them a flow starves or a packet is sent twice.
fn measured_of(sets: &[FlowSet], configuration: Configuration) -> Statistics {
    let comparisons = parallel::map(sets, |set| compare(set, configuration));
    let statistics = report(configuration, &comparisons);
    if let Some(faulty) = comparisons.iter().find(|comparison| !comparison.faults.is_empty()) {
        panic!("{}\n{}", faulty.faults.join("; "), faulty.text(configuration));
    }
    // The worst are printed above, each as a scenario.
    assert_eq!(statistics.n_starving, 0, "{configuration}: flows starve");
    statistics
}

#[test]
fn with_default_settings_every_flow_is_close_to_an_ideal_crossbar() {
    let found = measured(Configuration::DEFAULT, 1);
    assert!((found.sum - 1.0).abs() < 0.02, "together {} of ideal", found.sum);
    assert!(found.worst() > 0.4, "the worst flow gets {} of ideal", found.worst());
    assert!(found.above(0.6) >= 0.99, "{} of flows are above 60 %", found.above(0.6));
    assert!(found.above(0.9) >= 0.95, "{} of flows are above 90 %", found.above(0.9));
}

#[test]
fn a_crossbar_of_speedup_1_is_close_to_an_ideal_one_in_total() {
    let found = measured(Configuration { speedup: 1, ..Configuration::DEFAULT }, 1);
    assert!((found.sum - 1.0).abs() < 0.06, "together {} of ideal", found.sum);
}

#[test]
fn permutations_lose_almost_no_throughput_by_turns() {
    for (speedup, most) in [(2, 0.02), (1, 0.06)] {
        let configuration = Configuration { speedup, ..Configuration::DEFAULT };
        let sets: Vec<FlowSet> = (1..=10).map(FlowSet::permutation).collect();
        let found = measured_of(&sets, configuration);
        assert!((found.sum - 1.0).abs() < most, "speedup {speedup}: together {} of ideal", found.sum);
    }
}

#[test]
fn no_flow_starves_under_any_forwarding_vls_and_policy() {
    let is_tested_above = |configuration: &Configuration| {
        Configuration { speedup: 2, ..*configuration } == Configuration::DEFAULT
    };
    for configuration in Configuration::all().into_iter().filter(|found| !is_tested_above(found)) {
        let found = measured(configuration, 5);
        let most = if configuration.speedup == 1 { 0.06 } else { 0.02 };
        // Where paths depend on load, different loads cause different paths, with more or less competition.
        if !configuration.is_adaptive {
            assert!((found.sum - 1.0).abs() < most, "{configuration}: together {} of ideal", found.sum);
        }
    }
}
