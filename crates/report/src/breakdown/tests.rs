//! Figures of handmade steps, by closed forms.

use super::*;
use netloom_records::{BucketLayout, CollectiveLayout, GroupLayout, LackedBytes, PhaseLayout};
use netloom_units::{HostId, NodeId, Rate};

const US: u64 = 1_000_000;

/// A span of a rank in step 0 of job 0; each rank has its own host.
fn span(rank: u32, activity: Activity, phase: Option<u16>, from: u64, to: u64) -> SpanRow {
    let bucket = (activity == Activity::Collective).then_some(0);
    let [start, end] = [from, to].map(|at| Time(at * US));
    SpanRow { start, end: Some(end), job: 0, step: 0, rank, host: HostId(rank), activity, phase, bucket }
}

/// Rank 0 computes from 10 to 30; communication from 20 to 50 and from 40 to 60; a barrier from 55 to 70; then idle.
fn overlapping() -> Vec<SpanRow> {
    vec![
        span(0, Activity::Step, None, 0, 100),
        span(0, Activity::Compute, Some(0), 10, 30),
        span(0, Activity::Communicate, Some(1), 20, 50),
        span(0, Activity::Communicate, Some(2), 40, 60),
        span(0, Activity::Barrier, Some(2), 55, 70),
    ]
}

fn layout(bytes: u64) -> JobLayout {
    let collective = |group| {
        let bus_bytes = BTreeMap::from([(2, bytes), (4, bytes)]);
        let lacked = BTreeMap::new();
        vec![BucketLayout { count: 1, collectives: vec![CollectiveLayout { group, bus_bytes, lacked }] }]
    };
    let phase = |name: &str, buckets| PhaseLayout { name: name.to_owned(), buckets, stages: None };
    JobLayout {
        job: 0,
        ranks: 4,
        groups: vec![GroupLayout { name: "dp".to_owned(), lists: vec![vec![0, 2], vec![1, 3]] }],
        phases: vec![
            phase("compute", Vec::new()),
            phase("one", collective(Some(0))),
            phase("two", collective(None)),
        ],
        local_rate: Some(800_000_000_000),
    }
}

#[test]
fn exposed_communication_is_what_computation_does_not_cover() {
    let times = RankTimes::of(&overlapping(), Time::ZERO);
    let expected = [100, 20, 40, 30, 10, 40].map(|us| us * US);
    let RankTimes { step, compute, communication, exposed, barrier, idle } = times;
    assert_eq!([step, compute, communication, exposed, barrier, idle], expected);
    assert_eq!(compute + exposed + barrier + idle, step);
}

#[test]
fn time_in_which_two_phases_communicate_counts_for_both() {
    let found =
        Breakdown::of(&JobLayout { ranks: 1, ..layout(0) }, &overlapping(), &HostLinks::default()).unwrap();
    let exposed: Vec<_> =
        found.phases.rows.iter().map(|row| (row.phase, row.activity, row.exposed)).collect();
    let expected = [
        (1, "communicate", Some(20e-6)),
        (2, "communicate", Some(20e-6)),
        (0, "compute", None),
        (2, "barrier", None),
    ];
    assert_eq!(exposed, expected);
    assert_eq!(found.phases.rows[0].group, "dp");
    assert_eq!(found.phases.rows[1].group, "all");
    assert_eq!((found.times.exposed.mean, found.times.exposed.share), (30e-6, 0.3));
    assert_eq!(found.steps, [0]);
}

#[test]
fn a_pipeline_that_computes_has_a_bubble_instead_of_exposed_communication() {
    let mut rows = vec![
        span(0, Activity::Step, None, 0, 50),
        span(0, Activity::Compute, Some(0), 10, 20),
        span(0, Activity::Compute, Some(0), 30, 35),
        span(0, Activity::Stages, Some(0), 0, 50),
    ];
    let RankTimes { compute, exposed, idle, .. } = RankTimes::of(&rows, Time::ZERO);
    assert_eq!([compute, exposed, idle], [15, 0, 35].map(|us| us * US));
    rows.retain(|row| row.activity != Activity::Compute);
    assert_eq!(RankTimes::of(&rows, Time::ZERO).exposed, 50 * US);
}

#[test]
fn spans_that_were_not_completed_are_cut_at_the_end_and_their_steps_left_out() {
    let mut rows = overlapping();
    rows[0].end = None;
    rows[4].end = None;
    let times = RankTimes::of(&rows, Time(80 * US));
    assert_eq!([times.step, times.barrier, times.idle], [80, 20, 10].map(|us| us * US));
    assert_eq!(Breakdown::of(&JobLayout { ranks: 1, ..layout(0) }, &rows, &HostLinks::default()), None);
    assert_eq!(Breakdown::of_jobs(&[layout(0)], &[], &HostLinks::default()), []);
}

/// Four ranks, of which 0 and 2, and 1 and 3, form groups; they begin at 0, 10, 40 and 20, and end at 60, 50, 60, 50.
fn grouped() -> Vec<SpanRow> {
    let ranks = [(0, 0, 60), (1, 10, 50), (2, 40, 60), (3, 20, 50)];
    let of = |(rank, from, to)| {
        [
            span(rank, Activity::Step, None, 0, 60),
            span(rank, Activity::Communicate, Some(1), from, to),
            span(rank, Activity::Collective, Some(1), from, to),
        ]
    };
    ranks.into_iter().flat_map(of).collect()
}

#[test]
fn members_wait_for_the_last_of_their_communicator() {
    let found = Breakdown::of(&layout(0), &grouped(), &HostLinks::default()).unwrap();
    let [wait] = &found.waits.rows[..] else { panic!("{found:?}") };
    // Rank 2 is 40 us after rank 0, rank 3 is 10 us after rank 1: on average a member waits half of that.
    assert_eq!((wait.collectives, wait.mean, wait.largest), (2, 12.5e-6, 40e-6));
    assert_eq!((wait.communicator.as_str(), wait.last_rank), ("dp 0 (ranks 0, 2)", 2));
    assert_eq!(found.bandwidths.total, 0);
}

#[test]
fn bandwidth_is_compared_with_the_slowest_network_interface() {
    let gbps = [(0, 200), (1, 400), (2, 400), (3, 400)];
    let mut links = HostLinks::default();
    for (host, rate) in gbps {
        links.add(HostId(host), NodeId(4), Rate(rate * 1_000_000_000));
    }
    let found = Breakdown::of(&layout(250_000), &grouped(), &links).unwrap();
    let [row] = &found.bandwidths.rows[..] else { panic!("{found:?}") };
    // 250 kB in 20 us and in 30 us after the last begin, in 60 us and in 40 us after the first.
    assert_eq!((row.communicators, row.busbw, row.from_first), (2, 1.04167e10, 5.20833e9));
    assert_eq!((row.lowest, row.lowest_communicator.as_str()), (8.33333e9, "dp 1 (ranks 1, 3)"));
    // Shares of 1/2 of 25 GB/s and of 1/6 of 50 GB/s.
    assert_eq!((row.bound, row.bound_kind, row.share), (Some(25e9), Some(BoundKind::Nic), Some(0.3333)));
}

#[test]
fn members_on_one_host_are_bounded_by_the_rate_within_it() {
    let mut rows = grouped();
    for row in &mut rows {
        row.host = HostId(0);
    }
    let found = Breakdown::of(&layout(250_000), &rows, &HostLinks::default()).unwrap();
    let row = &found.bandwidths.rows[0];
    assert_eq!((row.bound, row.bound_kind), (Some(100e9), Some(BoundKind::Local)));
}

/// The bound of four ranks in two servers of two hosts, with a network interface of 400 Gbit/s each, in units of one.
fn bound_over_nic(lacked: LackedBytes, bus_bytes: u64) -> Option<f64> {
    let gbps = 1_000_000_000;
    let mut links = HostLinks::default();
    for host in 0..4 {
        links.add(HostId(host), NodeId(10 + host / 2), Rate(3600 * gbps));
        links.add(HostId(host), NodeId(20 + host % 2), Rate(400 * gbps));
    }
    links.set_onward(&[20, 21]);
    let collective = CollectiveLayout {
        group: None,
        bus_bytes: BTreeMap::from([(4, bus_bytes)]),
        lacked: BTreeMap::from([(4, lacked)]),
    };
    let layout = JobLayout {
        phases: vec![PhaseLayout {
            name: "one".to_owned(),
            buckets: vec![BucketLayout { count: 1, collectives: vec![collective] }],
            stages: None,
        }],
        ..layout(0)
    };
    let rows: Vec<SpanRow> = (0..4)
        .flat_map(|rank| {
            [span(rank, Activity::Step, None, 0, 60), span(rank, Activity::Collective, Some(0), 0, 60)]
        })
        .collect();
    let found = Breakdown::of(&layout, &rows, &links).unwrap();
    Some(found.bandwidths.rows[0].bound? / 50e9)
}

#[test]
fn a_communicator_of_several_servers_is_bounded_by_what_must_enter_one() {
    let none = LackedBytes::default();
    // All-gather of 1200 bytes: 900 on the bus; a server of two lacks 600, which enter at 100 GB/s.
    assert_eq!(bound_over_nic(LackedBytes { shared: 1200, ..none }, 900), Some(3.0));
    // All-to-all: each of the two lacks 600.
    assert_eq!(bound_over_nic(LackedBytes { each: 1200, ..none }, 900), Some(1.5));
    // A broadcast: a server lacks all 1200.
    assert_eq!(bound_over_nic(LackedBytes { whole: 1200, ..none }, 1200), Some(2.0));
}
