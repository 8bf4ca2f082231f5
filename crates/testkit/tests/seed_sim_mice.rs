//! The sequence of short flows against the sequence recorded from the seed paper's simulator.

use std::io::Read;

use flate2::read::GzDecoder;
use netloom_testkit::reference::Twister;
use netloom_testkit::seed_sim::{Config, MiceSource, ScalableUnit};

#[test]
fn seed_sim_mice_are_the_recorded_ones() {
    let mut recorded = String::new();
    let zipped = include_bytes!("../golden/mice_seed2026.csv.gz");
    GzDecoder::new(zipped.as_slice()).read_to_string(&mut recorded).expect("the recording is zipped text");

    let config: Config =
        serde_saphyr::from_str(include_str!("../golden/dp_ecmp_mid/config.yaml")).expect("readable");
    let unit = ScalableUnit::new(&config.topology, &mut Twister::new(0));
    let mice = config.scenario.mice().expect("this run has mice");
    let mut now_s = 0.0;
    let mut n_flows = 0;
    for (line, flow) in recorded.lines().skip(1).zip(MiceSource::new(mice, &unit)) {
        let (src, dst) = (&unit.node_names[flow.src], &unit.node_names[flow.dst]);
        assert_eq!(line, format!("{n_flows},{now_s:?},{src},{dst},{}", flow.n_packets));
        now_s += mice.interarrival_s;
        n_flows += 1;
    }
    assert_eq!(n_flows, 10_001, "the paper's runs have mice for ten seconds");
}
