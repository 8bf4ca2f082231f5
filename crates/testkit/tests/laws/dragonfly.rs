//! Throughput of fabrics of groups under each policy, as a share of what hosts can send, derived from the numbers of
//! links.
//!
//! The dragonfly has p = 2, a = 4, h = 2 and g = 9: eight hosts and eight global links in each group, one link to each
//! other group. With l the load of each host, and a capacity of 1 for all links:
//! - uniform traffic on minimal paths: 64/71 of it leaves its group, with one global link for each host: any l <= 1;
//! - the same through a third group crosses two global links: 2 x 64/71 x l <= 1, l <= 0.555;
//! - all traffic of a group to the next one, on minimal paths: 8 l <= 1, l <= 0.125;
//! - the same through one of seven other groups: each global link but that to the next group carries 8 l / 7 for the
//!   first hop and as much for the second, l <= 7/16 = 0.4375;
//! - on both kinds of paths: l <= 0.5625.
//!
//! No policy can exceed these; arbitration and uneven choices of paths may keep it somewhat below them.

use netloom_catalog::expand;
use netloom_engine::{Extensions, Options, Status};
use netloom_model::{InputOrder, Model};
use netloom_records::{DropReason, FlowRow};
use netloom_testkit::fixture::{ListedWork, Run, Sending, everything_joined, simulate_with};
use netloom_units::{Bytes, Time};

use crate::channels::{compiled, guides};

const PACKET: u64 = 2_048;
const RATE: f64 = 100e9;
/// The start of the measured interval, in ps: by then queues are stationary.
const FROM: u64 = 60_000_000;
const UNTIL: u64 = 140_000_000;

const DRAGONFLY: &str =
    "dragonfly: {groups: 9, switches_per_group: 4, hosts_per_switch: 2, global_delay: 300ns";
/// Sixteen hosts and sixteen global links in each group, four to each other group.
const DRAGONFLY_PLUS: &str = "dragonfly_plus: {groups: 5, leaves_per_group: 4, spines_per_group: 4, hosts_per_leaf: 4, global_delay: 300ns";

/// The hosts of a fabric send packets with exponential gaps.
fn loaded(fabric: &str, policy: &str, to: &str, load: f64, more: &str) -> Model {
    let percent = load * 100.0;
    compiled(&format!(
        "netloom: 1\n\
         fabric:\n  {fabric}, host_rate: 100Gbps, host_delay: 100ns, local_delay: 100ns}}\n\
         transport: {{ideal: {{mtu: {PACKET}B, header: 1B, control: 1B}}}}\n\
         queues: {{credits: {{buffer: 32KiB}}}}\n\
         balance: {{host: ecmp, switch: {policy}}}\n\
         background:\n  poisson: {{load: {percent}%, to: {to}, sizes: given, \
         given: [[{PACKET}B, 0%], [{PACKET}B, 100%]], end: 1s}}\n\
         {more}"
    ))
}

fn simulated(model: &Model, options: Options) -> Run {
    let work = expand(&model.workload, model.fabric.n_hosts(), model.seed).expect("the traffic is valid");
    simulate_with(model, work, options, Extensions::default())
}

/// Received rate as a share of what hosts can send, and the mean completion time of a message in us.
fn accepted(fabric: &str, policy: &str, to: &str, load: f64) -> (f64, f64) {
    let mut model = loaded(fabric, policy, to, load, "deadline: 1s");
    model.deadline = Some(Time(UNTIL));
    let run = simulated(&model, Options::default());
    assert_eq!(run.outcome.status, Status::Deadline, "{policy}");
    assert!(run.records.drops.is_empty(), "{policy}");
    let ended = run.records.flows.iter().filter(|row| row.end.is_some_and(|end| end.0 >= FROM));
    let times: Vec<f64> = ended.map(|row| (row.end.expect("seen").0 - row.start.0) as f64 / 1e6).collect();
    let seconds = (UNTIL - FROM) as f64 / 1e12;
    let share = times.len() as f64 * PACKET as f64 * 8.0 / seconds / RATE / model.fabric.n_hosts() as f64;
    (share, times.iter().sum::<f64>() / times.len() as f64)
}

fn assert_between(what: &str, found: f64, (low, high): (f64, f64)) {
    assert!((low..=high).contains(&found), "{what}: {found}, not within {low} to {high}");
}

#[test]
fn uniform_traffic_is_carried_on_minimal_paths_except_by_valiant() {
    // A load of 1 is never quite reached over time: gaps without packets cannot be made up.
    for policy in guides().into_iter().chain(["adaptive", "ecmp"]).filter(|&policy| policy != "valiant") {
        let (share, _) = accepted(DRAGONFLY, policy, "any", 0.8);
        assert_between(policy, share, (0.78, 0.82));
        let (share, _) = accepted(DRAGONFLY, policy, "any", 1.0);
        assert_between(policy, share, (0.9, 1.0));
    }
    assert_between("valiant", accepted(DRAGONFLY, "valiant", "any", 0.9).0, (0.53, 0.56));
}

#[test]
fn traffic_to_the_next_group_is_carried_through_all_other_groups() {
    assert_between("minimal", accepted(DRAGONFLY, "adaptive", "next_group", 0.9).0, (0.122, 0.1255));
    assert_between("valiant", accepted(DRAGONFLY, "valiant", "next_group", 0.9).0, (0.42, 0.44));
    for policy in guides().into_iter().filter(|&policy| policy != "valiant") {
        assert_between(policy, accepted(DRAGONFLY, policy, "next_group", 0.9).0, (0.48, 0.565));
    }
}

#[test]
fn a_policy_that_sees_the_global_link_queues_less() {
    // Below saturation every policy carries the offered load; one that sees the global link itself queues less.
    let [local, global, again] =
        ["ugal_l", "ugal_g", "par"].map(|policy| accepted(DRAGONFLY, policy, "next_group", 0.3));
    for (share, _) in [local, global, again] {
        assert_between("accepted", share, (0.29, 0.31));
    }
    assert!(local.1 > 2.0 * global.1 && local.1 > 2.0 * again.1, "{local:?}, {global:?}, {again:?}");
}

#[test]
fn groups_of_two_tiers_reach_their_throughput_limits() {
    // Four links to the next group for sixteen hosts: 1/4. Through one of three others: 16 l / 3 on four links, twice,
    // l <= 3/8.
    assert_between("minimal", accepted(DRAGONFLY_PLUS, "adaptive", "next_group", 0.9).0, (0.24, 0.251));
    assert_between("valiant", accepted(DRAGONFLY_PLUS, "valiant", "next_group", 0.9).0, (0.35, 0.376));
    for policy in ["par", "piggyback", "progressive"] {
        assert_between(policy, accepted(DRAGONFLY_PLUS, policy, "next_group", 0.9).0, (0.58, 0.626));
    }
    // All leaves rely on the same snapshot.
    assert_between("ugal_g", accepted(DRAGONFLY_PLUS, "ugal_g", "next_group", 0.9).0, (0.42, 0.626));
    // Every spine leads to every group, so the queues of a leaf do not reflect the load beyond it.
    for policy in ["ugal_l", "slingshot"] {
        assert_between(policy, accepted(DRAGONFLY_PLUS, policy, "next_group", 0.9).0, (0.24, 0.26));
    }
}

#[test]
fn unloaded_paths_have_the_number_of_hops_of_the_formulas() {
    // Between groups: local, global, local and the two links of hosts; one local link less at the end that has the
    // global link.
    let hops = |fabric: &str, policy: &str| {
        let model = loaded(fabric, policy, "next_group", 0.5, "");
        let n_hosts = model.fabric.n_hosts() as u32;
        let per_group = n_hosts / model.routing.n_groups();
        // One message after the other, to every host of the next group.
        let pairs = (0..n_hosts).flat_map(|from| (0..per_group).map(move |index| (from, index)));
        let sendings = (0_u64..).zip(pairs).map(|(number, (from, index))| {
            let to = ((from / per_group + 1) * per_group + index) % n_hosts;
            Sending::new(number * 10_000_000, from, to, PACKET)
        });
        let work = ListedWork::new(&sendings.collect::<Vec<_>>());
        let run = simulate_with(&model, work, Options::default(), Extensions::default());
        assert_eq!(run.outcome.status, Status::Complete, "{policy}");
        let hops: Vec<u64> = run.records.flows.iter().map(|row| row.hops).collect();
        (*hops.iter().min().expect("some"), *hops.iter().max().expect("some"))
    };
    for policy in guides().into_iter().chain(["ecmp"]).filter(|&policy| policy != "valiant") {
        assert_eq!(hops(DRAGONFLY, policy), (3, 5), "{policy}");
        assert_eq!(hops(DRAGONFLY_PLUS, policy), (5, 5), "{policy}");
    }
    // Two global hops, and at most three local ones.
    assert_eq!(hops(DRAGONFLY, "valiant"), (4, 7));
    assert_eq!(hops(DRAGONFLY_PLUS, "valiant"), (6, 6), "spines of equal number are linked");
}

#[test]
fn a_flow_that_changes_path_only_when_drained_is_never_reordered() {
    let late = |policy: &str| {
        let mut model =
            loaded(DRAGONFLY, policy, "next_group", 0.3, "record: {reordering: true}\ndeadline: 1s");
        // Messages of eight packets.
        let sizes = model.workload.background.as_mut().expect("the scenario has background traffic");
        sizes.sizes.iter_mut().for_each(|point| point.size = Bytes(8 * PACKET));
        model.deadline = Some(Time(UNTIL));
        let run = simulated(&model, Options::default());
        let late: u64 = run.records.reordering.iter().map(|row| u64::from(row.late)).sum();
        // Only local and global links: both kinds of paths are taken.
        let hops: Vec<u64> =
            run.records.flows.iter().filter(|row| row.end.is_some()).map(|row| row.hops).collect();
        assert!(hops.iter().any(|&hops| hops <= 5 * 8) && hops.iter().any(|&hops| hops > 5 * 8), "{policy}");
        (late, run.records.flows.len())
    };
    let (drained, n_flows) = late("slingshot");
    assert!(n_flows > 1_000 && drained == 0, "{drained} of {n_flows}");
    let (free, _) = late("{slingshot: {order: free}}");
    assert!(free > 1_000, "{free}");
}

/// Switch 0 of a group has one link to switch 1, to which all its hosts send, and two more to switches with a link to
/// switch 1.
const ONE_PAIR: &str =
    "dragonfly: {groups: 2, switches_per_group: 4, hosts_per_switch: 6, global_delay: 300ns";

/// The time until all six messages have arrived, in units of the time that one of them takes on a link.
fn within_a_group(policy: &str, more: &str) -> (f64, Run) {
    within_a_group_with(policy, more, false)
}

/// As [`within_a_group`], optionally with ideal crossbars.
fn within_a_group_with(policy: &str, more: &str, is_ideal: bool) -> (f64, Run) {
    const SIZE: u64 = 500 * PACKET;
    let mut model = loaded(ONE_PAIR, policy, "any", 0.5, more);
    model.queues.credits.as_mut().expect("the fabric has credits").is_ideal = is_ideal;
    let sendings: Vec<Sending> = (0..6).map(|host| Sending::new(0, host, host + 6, SIZE)).collect();
    let run = simulate_with(&model, ListedWork::new(&sendings), Options::default(), Extensions::default());
    let end = run.records.flows.iter().filter_map(|row| row.end).max().map_or(f64::NAN, |end| end.0 as f64);
    (end / (SIZE as f64 * 8.0 / RATE * 1e12), run)
}

#[test]
fn paths_through_other_switches_of_a_group_are_used() {
    let minimal = |policy: &str| assert_between(policy, within_a_group(policy, "").0, (6.0, 6.1));
    minimal("adaptive");
    minimal("{slingshot: {within_group: minimal}}");
    // There are three outgoing links: at best two messages for each. How close a policy comes depends on its choice of
    // paths, which an ideal crossbar does not change; turns among ingresses cost next to nothing.
    let (free, run) = within_a_group("{slingshot: {order: free}}", "");
    let ideal = within_a_group_with("{slingshot: {order: free}}", "", true).0;
    assert_between("free", free, (2.0, 1.03 * ideal));
    assert_between("ideal", ideal, (2.0, 2.2));
    let hops: Vec<u64> = run.records.flows.iter().map(|row| row.hops).collect();
    let n_packets = 500;
    assert!(hops.iter().all(|hops| (3 * n_packets..=4 * n_packets).contains(hops)), "{hops:?}");
    // Each flow takes one path: how many flows share a path is random, but no packet arrives out of order.
    let late = |policy: &str| {
        let (end, run) = within_a_group(policy, "record: {reordering: true}");
        (end, run.records.reordering.iter().map(|row| row.late).sum::<u32>())
    };
    let (drained, n_late) = late("slingshot");
    assert_between("drained", drained, (2.0, 5.0));
    assert_eq!(n_late, 0);
    assert!(late("{slingshot: {order: free}}").1 > 0);
}

#[test]
fn packets_for_a_host_below_the_switch_take_no_non_minimal_path() {
    // The host's link is dead: its packets are dropped at the switch above it, one link from their source.
    let dead = "faults: {awareness: local, failed: [group0.switch0.host1.nic0]}";
    let model = loaded(ONE_PAIR, "slingshot", "any", 0.5, dead);
    let work = ListedWork::new(&[Sending::new(0, 0, 1, 5 * PACKET)]);
    let run = simulate_with(&model, work, Options::default(), Extensions::default());
    let drops = &run.records.drops;
    assert!(!drops.is_empty() && drops.iter().all(|row| row.reason == DropReason::Unreachable), "{drops:?}");
    let sent: u64 = run.records.ports.iter().filter(|row| row.node.0 >= 48).map(|row| row.packets).sum();
    assert_eq!(sent, 0, "no switch forwarded a packet");
}

#[test]
fn policies_with_non_minimal_paths_route_around_a_dead_local_link() {
    let dead = "faults: {awareness: local, failed: [group0.switch0-switch1.0]}";
    let (ends, run) = within_a_group("{slingshot: {order: free}}", dead);
    assert_between("two links", ends, (3.0, 3.1));
    // ACKs, of one byte here, take minimal paths.
    assert!(
        run.records.drops.iter().all(|row| row.size.simulated().0 == row.packets),
        "{:?}",
        run.records.drops
    );
    let (_, run) = within_a_group("{slingshot: {within_group: minimal}}", dead);
    let (drops, flows) = (&run.records.drops, &run.records.flows);
    assert!(!drops.is_empty() && drops.iter().all(|row| row.reason == DropReason::Unreachable));
    assert!(flows.len() == 6 && flows.iter().all(|row| row.end.is_none()));
}

/// Small groups, small buffers, and an offered load of one and a half times the capacity.
const CROWDED: [(&str, u64); 2] = [
    ("dragonfly: {groups: 5, switches_per_group: 2, hosts_per_switch: 2, global_delay: 300ns", 2),
    (
        "dragonfly_plus: {groups: 4, leaves_per_group: 2, spines_per_group: 1, hosts_per_leaf: 3, global_delay: 300ns",
        2,
    ),
];

fn crowded((fabric, packets): (&str, u64), policy: &str, to: &str) -> Model {
    let mut model = loaded(fabric, policy, to, 0.85, "deadline: 1100us");
    let credits = model.queues.credits.as_mut().expect("the scenario has credits");
    credits.buffer.0 = packets * (PACKET + 64);
    model
}

#[test]
fn no_deadlock_under_one_and_a_half_times_the_capacity() {
    for fabric in CROWDED {
        for policy in guides() {
            for to in ["next_group", "any"].into_iter().take(if policy == "valiant" { 2 } else { 1 }) {
                let run = simulated(&crowded(fabric, policy, to), Options::default());
                assert_eq!(run.outcome.status, Status::Deadline, "{policy} {to} in {}", fabric.0);
                let late =
                    run.records.flows.iter().filter(|row| row.end.is_some_and(|end| end.0 > 1_000_000_000));
                assert!(late.count() > 100, "{policy} {to} in {}", fabric.0);
            }
        }
    }
}

#[test]
fn no_deadlock_with_fifo_queues_per_virtual_lane() {
    for fabric in CROWDED {
        for policy in ["par", "valiant"] {
            let mut model = crowded(fabric, policy, "next_group");
            let credits = model.queues.credits.as_mut().expect("the scenario has credits");
            (credits.order, credits.speedup, credits.output_buffer) = (InputOrder::Fifo, 1, Bytes(0));
            let run = simulated(&model, Options::default());
            assert_eq!(run.outcome.status, Status::Deadline, "{policy} in {}", fabric.0);
            let late =
                run.records.flows.iter().filter(|row| row.end.is_some_and(|end| end.0 > 1_000_000_000));
            assert!(late.count() > 100, "{policy} in {}", fabric.0);
        }
    }
}

#[test]
fn without_vl_steps_valiant_paths_deadlock() {
    for fabric in CROWDED {
        let mut model = crowded(fabric, "valiant", "any");
        model.queues.credits.as_mut().expect("the scenario has credits").n_steps = 1;
        let status = simulated(&model, Options::default()).outcome.status;
        assert!(matches!(status, Status::Deadlock(_)), "{}: {status:?}", fabric.0);
    }
}

#[test]
fn execution_options_do_not_change_records() {
    for policy in guides() {
        let mut model = loaded(DRAGONFLY, policy, "next_group", 0.5, "deadline: 1s");
        model.deadline = Some(Time(25_000_000));
        let plain = simulated(&model, Options::default()).results();
        assert!(plain.records.flows.len() > 1_000, "{policy}");
        let others = [
            Options { threads: 3, ..Options::default() },
            Options { shortcut: false, ..Options::default() },
            Options { coarsen: 4, ..Options::default() },
            everything_joined(),
        ];
        for options in others {
            assert!(simulated(&model, options).results() == plain, "{policy}: {options:?}");
        }
    }
}

/// Whatever fails in these, some path is left between any two groups.
fn failing(policy: &str, knowledge: &str, failed: &[&str], extra_vls: u8) -> Run {
    let faults = format!("faults: {{knowledge: {knowledge}, failed: [{}]}}\n", failed.join(", "));
    let mut model = loaded(DRAGONFLY, policy, "next_group", 0.1, &format!("{faults}deadline: 1s"));
    model.deadline = Some(Time(30_000_000));
    model.queues.credits.as_mut().expect("the scenario has credits").n_steps += extra_vls;
    simulated(&model, Options::default())
}

/// Messages of hosts up to a number that were started early enough to arrive, and the number of those that arrived.
fn came(run: &Run, n_hosts: u32) -> (usize, usize) {
    let is_asked = |row: &&FlowRow| row.start.0 < 20_000_000 && row.source.0 < n_hosts;
    let ends: Vec<bool> = run.records.flows.iter().filter(is_asked).map(|row| row.end.is_some()).collect();
    (ends.len(), ends.iter().filter(|&&there| there).count())
}

#[test]
fn with_global_failure_awareness_no_message_is_lost() {
    let failed = ["group0.switch0-group1.switch0.0", "group2.switch3-group7.switch1.0"];
    for policy in guides() {
        // If the intermediate group has lost its link to the destination's group, a path may lead through a fourth
        // group.
        let run = failing(policy, "global", &failed, 1);
        let (all, there) = came(&run, u32::MAX);
        assert!(all > 700, "{policy}: {all}");
        assert_eq!((there, run.records.drops.len()), (all, 0), "{policy}");
    }
}

#[test]
fn packets_that_need_more_vls_than_there_are_are_dropped_and_counted() {
    let run = failing("valiant", "global", &["group0.switch0-group1.switch0.0"], 0);
    let reasons: Vec<_> = run.records.drops.iter().map(|row| row.reason).collect();
    assert!(!reasons.is_empty() && reasons.iter().all(|&reason| reason == DropReason::Unreachable));
}

#[test]
fn traffic_is_routed_around_a_dead_global_link() {
    // The only link from group 0 to group 1, and one that is used by non-minimal paths only.
    let failed = ["group0.switch0-group1.switch0.0", "group2.switch3-group7.switch1.0"];
    let is_lost = |run: &Run| run.records.drops.iter().any(|row| row.reason == DropReason::Unreachable);
    for policy in guides() {
        let run = failing(policy, "local", &failed, 0);
        let (all, there) = came(&run, 8);
        assert!(all > 60, "{policy}: {all}");
        match policy {
            // These choose again at the switch with the dead link, or never take it: it is seen in time.
            "par" | "progressive" | "valiant" => assert_eq!(there, all, "{policy}"),
            // These decide at a switch where the dead link is not known.
            _ => assert!(there < all && is_lost(&run), "{policy}: {there} of {all}"),
        }
        // Packets sent to a group whose link to their destination's group is dead are dropped there; none loops.
        let (all, there) = came(&run, u32::MAX);
        assert!(there * 10 > all * 8, "{policy}: {there} of {all}");
        assert!(run.records.flows.iter().all(|row| row.hops <= 9 * u64::from(row.packets)), "{policy}");
    }
}
