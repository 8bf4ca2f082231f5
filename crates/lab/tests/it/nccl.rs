//! Bandwidths of collectives, from the scenario to the report of the stored run.

use std::collections::BTreeMap;

use netloom_lab::export::nccl::{BandwidthLine, nccl};
use netloom_lab::{RunRequest, Source, run};

use crate::osu::made;

const SCENE: &str = "
netloom: 1
fabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 3, host_rate: 100Gbps } }
balance: spray
jobs:
  - name: first
    placement: { contiguous: { ranks: 4 } }
    steps: 2
    phases:
      - repeat: { times: 3, phases: [ { ring_all_reduce: { size: 64KiB } }, barrier ] }
      - ring_all_reduce: { size: 1KiB }
      - barrier
      - all_to_all_pairwise: { size: 4KiB }
      - barrier
      - broadcast_tree: { size: 10B, root: 2 }
      - collectives: { each: [ { incast: { size: 1KiB } }, { ring_all_reduce: { size: 1KiB } } ] }
";

#[test]
fn bandwidth_is_the_size_over_the_mean_time_and_times_a_factor() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let folder = workspace.path().join("run");
    let rows = made(SCENE, &folder);
    let found = nccl(&folder).expect("it has collectives");
    let reported: Vec<_> =
        found.tables.iter().map(|table| (table.collective, table.benchmark, table.ranks)).collect();
    let mut expected = vec![
        ("ring_all_reduce", "all_reduce_perf", 4),
        ("all_to_all_pairwise", "alltoall_perf", 4),
        ("broadcast_tree", "broadcast_perf", 4),
    ];
    let of = |name: &str| found.tables.iter().find(|table| table.collective == name).expect("it is there");
    expected.sort_by_key(|(name, ..)| reported.iter().position(|(other, ..)| other == name));
    assert_eq!(reported, expected);
    assert_eq!(found.side_by_side, 2, "in each of two steps");

    let reduce = of("ring_all_reduce");
    let sizes: Vec<_> =
        reduce.lines.iter().map(|line| (line.size_bytes, line.count, line.iterations)).collect();
    assert_eq!(sizes, [(1 << 10, 256, 2), (64 << 10, 16 << 10, 6)]);
    let spans =
        rows.iter().filter(|row| row.size.0 == 64 << 10).map(|row| row.end.since(row.start).as_seconds());
    let spans: Vec<f64> = spans.collect();
    let mean = spans.iter().sum::<f64>() / spans.len() as f64;
    let near = |left: f64, right: f64| (left - right).abs() < 1e-9 * right;
    let BandwidthLine { time_us, algbw, busbw, reduction, root, .. } = reduce.lines[1];
    assert!(near(time_us, mean * 1e6) && near(algbw, 65536.0 / mean / 1e9), "{time_us} {algbw} {mean}");
    // 2 (n - 1) / n for four ranks.
    assert!(near(busbw, 1.5 * algbw), "{busbw} {algbw}");
    assert_eq!((reduction, root), ("sum", -1));
    assert!(near(reduce.average_busbw, f64::midpoint(reduce.lines[0].busbw, busbw)));

    // (n - 1) / n, and a quarter of the vector for each rank.
    let exchange = of("all_to_all_pairwise").lines[0];
    assert!(near(exchange.busbw, 0.75 * exchange.algbw) && exchange.count == 256, "{exchange:?}");
    let broadcast = of("broadcast_tree").lines[0];
    assert_eq!((broadcast.reduction, broadcast.root, broadcast.count), ("none", 2, 3), "the largest part");
    assert!(near(broadcast.busbw, broadcast.algbw));
}

#[test]
fn a_run_and_the_benchmark_have_one_bus_bandwidth() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let text = "
netloom: 1
fabric: { rail: { servers: 4, gpus_per_server: 2, spines: 2, host_rate: 100Gbps } }
balance: spray
jobs:
  - name: training
    steps: 6
    phases:
      - all_to_all_linear: { size: 1MiB }
      - barrier
      - repeat: { times: 2, phases: [ { ring_all_reduce: { size: 256KiB } }, barrier ] }
background: { mice: { end: 2ms, interval: 2us } }
";
    let folder = workspace.path().join("run");
    let request = RunRequest { folder: Some(folder.clone()), ..RunRequest::new(Source::text("rails", text)) };
    let report = run(request).expect("it runs");
    let reported: BTreeMap<String, f64> = report.bandwidths(0).into_iter().collect();
    let found = nccl(&folder).expect("it has collectives");
    assert_eq!(found.tables.len(), 2);
    for table in found.tables {
        let size = if table.collective == "ring_all_reduce" { "256 KiB" } else { "1 MiB" };
        let here = reported[&format!("{} {size}", table.collective)] / 1e9;
        let there = table.lines[0].busbw;
        assert!((here - there).abs() < 1e-9 * there, "{}: {here} or {there}", table.collective);
    }
    // Times differ, so the mean of bandwidths is a different number.
    let phase = &report.summary.jobs[0].phases[0];
    assert!(phase.mean_busbw > phase.busbw * 1.000_001, "{phase:?}");
}
