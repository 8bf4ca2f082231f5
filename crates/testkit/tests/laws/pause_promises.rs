//! The guarantees of the page about pause frames, on random scenarios: with `headroom: auto` switches drop no packet,
//! and no port stays paused.
//!
//! A few scenarios by default; `NETLOOM_SCENES=500` runs 500.

use netloom_testkit::fixture::Run;
use netloom_units::{Duration, PortId, Random};

use crate::scenes::{compiled, n_scenes, pick, simulated};

/// A link of a scenario.
struct Cable {
    gbps: u64,
    delay_ns: u64,
}

/// Sizes on the wire, in bytes.
struct Sizes {
    data: u64,
    control: u64,
}

const FRAME: u64 = 64;

/// The bytes that may still arrive on a link when its other end is to be stopped: the packet that triggers the pause;
/// data sent while the frame waits for the packet on the wire, is sent and propagates; data in flight; and the packet
/// that the other end has begun.
fn headroom(cable: &Cable, sizes: &Sizes) -> u64 {
    let on_wire = sizes.data.max(sizes.control).max(FRAME);
    let travelling = (2 * cable.delay_ns * cable.gbps).div_ceil(8);
    // One byte for the rounding of serialization times.
    on_wire + FRAME + travelling + 2 * sizes.data + 1
}

/// A fabric of one tier or two, its number of hosts, and the links of its largest switch.
fn fabric(random: &mut Random) -> (String, u32, Vec<Cable>) {
    let [host_gbps, fabric_gbps] = [0; 2].map(|_| pick(random, &[10, 25, 40, 100, 200, 400, 800]));
    let [host_delay, fabric_delay] = [0; 2].map(|_| pick(random, &[0, 10, 100, 500, 1_000, 2_000]));
    let cables = |n: u32, gbps, delay_ns| (0..n).map(move |_| Cable { gbps, delay_ns });
    if random.below(2) == 0 {
        let hosts = pick(random, &[2, 3, 8, 16, 40, 128]);
        let text = format!(
            "single_switch: {{hosts: {hosts}, host_rate: {host_gbps}Gbps, host_delay: {host_delay}ns}}"
        );
        return (text, hosts, cables(hosts, host_gbps, host_delay).collect());
    }
    let [leaves, spines, hosts] = [2 + random.below(5), 1 + random.below(4), 1 + random.below(8)];
    let text = format!(
        "leaf_spine: {{leaves: {leaves}, spines: {spines}, hosts_per_leaf: {hosts}, host_rate: {host_gbps}Gbps, \
         host_delay: {host_delay}ns, fabric_rate: {fabric_gbps}Gbps, fabric_delay: {fabric_delay}ns}}"
    );
    // The links of a leaf and a spine together are at least those of either.
    let at_leaf = cables(hosts, host_gbps, host_delay).chain(cables(spines, fabric_gbps, fabric_delay));
    (text, leaves * hosts, at_leaf.chain(cables(leaves, fabric_gbps, fabric_delay)).collect())
}

/// A scenario in which every host sends to all and to one, followed by an interval without traffic.
fn scene(seed: u64, idle: &str) -> String {
    let mut random = Random::stream(seed, 28, 1);
    let random = &mut random;
    let (fabric, n_hosts, cables) = fabric(random);
    let mtu = pick(random, &[256, 512, 1_000, 1_024, 1_500, 2_048, 4_096, 9_000]);
    let header = pick(random, &[0, 62]);
    let control = pick(random, &[16, 64, 128, 256]);
    let rule = pick(random, &["go_back_n", "nic_sr", "irn", "ideal"]);
    let sizes = Sizes { data: mtu + header, control };
    let shared = sizes.data * pick(random, &[1, 2, 10, 100]) + u64::from(random.below(300));
    let buffer = cables.iter().map(|cable| headroom(cable, &sizes)).sum::<u64>() + shared;
    let alpha = pick(random, &["0.125", "1", "64"]);
    let gap = pick(random, &[1, 2 * sizes.data]);
    let congestion = pick(random, &["none", "none", "none", "dcqcn"]);
    let to_all = (mtu * pick(random, &[20, 100, 400])).min(8_000 * mtu / u64::from(n_hosts));
    let to_one = (mtu * pick(random, &[10, 50])).min(2_000 * mtu / u64::from(n_hosts));
    format!(
        "netloom: 1\nseed: {seed}\nfabric: {{{fabric}}}\n\
         transport: {{{rule}: {{mtu: {mtu}B, header: {header}, control: {control}B}}}}\n\
         congestion: {congestion}\nbalance: {{switch: {switch}}}\n\
         queues: {{buffer: {buffer}B, alpha: {alpha}, xon_gap: {gap}B, pause: true}}\n\
         jobs: [{{phases: [{{collectives: {{concurrent: true, each: [{{incast: {{size: {to_one}B}}}}, \
         {{all_to_all_linear: {{size: {to_all}B}}}}]}}}}, {{compute: {idle}}}]}}]\n",
        switch = pick(random, &["ecmp", "spray", "adaptive"]),
        header = if header == 0 { "none".into() } else { format!("{header}B") },
    )
}

/// The paused time of each port.
fn paused(run: &Run) -> Vec<(PortId, Duration)> {
    run.records.signals.iter().map(|row| (row.port, row.paused)).collect()
}

/// Checks that no packet is lost; returns the number of frames that paused a port.
#[track_caller]
fn expect_no_drop(text: &str) -> (Run, u64) {
    let run = simulated(&compiled(text));
    assert!(run.records.drops.is_empty(), "{:?} of\n{text}", run.records.drops);
    let n_pauses = run.records.signals.iter().map(|row| row.pauses).sum();
    (run, n_pauses)
}

#[test]
fn with_automatic_headroom_no_packet_is_dropped_and_no_port_stays_paused() {
    let n_scenes = n_scenes(60);
    let mut n_with_pauses = 0;
    for seed in 0..n_scenes {
        let (run, n_pauses) = expect_no_drop(&scene(seed, "1ms"));
        n_with_pauses += u64::from(n_pauses > 0);
        // A port that stays paused would be paused for longer in a run that ends later.
        let (longer, _) = expect_no_drop(&scene(seed, "3ms"));
        assert_eq!(paused(&run), paused(&longer), "{}", scene(seed, "1ms"));
    }
    println!("{n_scenes} scenarios, {n_with_pauses} of them with pauses");
    assert!(n_with_pauses * 2 > n_scenes, "{n_with_pauses} of {n_scenes} pause");
}

/// XOFFs that waited behind ACKs came too late here.
#[test]
fn pause_frames_precede_waiting_control_packets() {
    for control in [16, 64, 128, 256] {
        let (_, n_pauses) = expect_no_drop(&format!(
            "
netloom: 1
fabric: {{single_switch: {{hosts: 8, host_rate: 100Gbps, host_delay: 0ns}}}}
transport: {{go_back_n: {{mtu: 256B, header: none, control: {control}B}}}}
queues: {{buffer: 10031B, alpha: 0.125, pause: true}}
jobs: [{{phases: [{{collectives: {{concurrent: true, each: [{{incast: {{size: 20KB}}}}, {{all_to_all_linear: {{size: 80KB}}}}]}}}}]}}]
"
        ));
        assert!(n_pauses > 0, "control packets of {control} bytes");
    }
}

#[test]
fn pause_frames_to_many_hosts_arrive_in_time() {
    let (_, n_pauses) = expect_no_drop(
        "
netloom: 1
fabric: {single_switch: {hosts: 128, host_rate: 400Gbps, host_delay: 0ns}}
transport: {go_back_n: {mtu: 1024B, header: 62B, control: 64B}}
queues: {buffer: 426425B, alpha: 64, xon_gap: 1B, pause: true}
jobs: [{phases: [{collectives: {concurrent: true, each: [{incast: {size: 100KB}}, {all_to_all_linear: {size: 400KB}}]}}]}]
",
    );
    assert!(n_pauses > 0);
}
