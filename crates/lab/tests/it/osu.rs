//! Latencies of collectives, from the scenario to the report of the stored run.

use std::path::Path;

use netloom_lab::export::osu::{Counted, LatencyTable, osu};
use netloom_lab::{Overwrite, RunRequest, Source, run};
use netloom_records::{CollectiveRow, RunFolder};

const SCENE: &str = "
netloom: 1
fabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 3, host_rate: 100Gbps } }
balance: spray
jobs:
  - name: first
    placement: { contiguous: { ranks: 4 } }
    steps: 2
    phases:
      - compute: 3us
      - repeat:
          times: 3
          phases: [ { collectives: { barrier: true, each: [ { all_to_all_pairwise: { size: 64KiB } } ] } } ]
      - ring_all_gather: { size: 1KiB }
      - collectives: { buckets: 2, each: [ { all_to_all_pairwise: { size: 4KiB } } ] }
      - collectives: { buckets: 2, concurrent: true, each: [ { ring_all_gather: { size: 8KiB } } ] }
      - collectives: { each: [ { incast: { size: 1KiB } }, { ring_all_reduce: { size: 1KiB } } ] }
  - name: second
    placement: { contiguous: { ranks: 2 } }
    steps: 1
    phases: [ { all_to_all_linear: { size: 5B } }, { ring_all_reduce: { size: 5B } } ]
";

/// Runs a scenario into a folder; returns its collectives.
pub fn made(scene: &str, folder: &Path) -> Vec<CollectiveRow> {
    let request = RunRequest {
        folder: Some(folder.to_owned()),
        overwrite: Overwrite::Refuse,
        ..RunRequest::new(Source::text("scene.yaml", scene))
    };
    run(request).expect("it runs");
    let folder = RunFolder::open(folder).expect("it is complete");
    folder.collectives().expect("it has its collectives")
}

#[test]
fn each_size_is_the_mean_of_the_collectives_that_ran_in_isolation() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let folder = workspace.path().join("run");
    let rows = made(SCENE, &folder);
    let found = osu(&folder).expect("it has collectives");
    let reported = |table: &LatencyTable| {
        let sizes: Vec<(u64, u64)> =
            table.lines.iter().map(|line| (line.size_bytes, line.iterations)).collect();
        (table.job.clone(), table.collective, table.counted, table.ranks, sizes)
    };
    let tables: Vec<_> = found.tables.iter().map(reported).collect();
    let (first, second) = ("first".to_owned(), "second".to_owned());
    // A vector over four ranks; three times and two buckets in each of two steps. A size that is not divisible counts
    // as its largest part.
    let expected = [
        (first.clone(), "ring_all_gather", Counted::EachRank, 4, vec![(256, 2)]),
        (first, "all_to_all_pairwise", Counted::EachPair, 4, vec![(1 << 10, 4), (16 << 10, 6)]),
        (second.clone(), "ring_all_reduce", Counted::Vector, 2, vec![(5, 1)]),
        (second, "all_to_all_linear", Counted::EachPair, 2, vec![(3, 1)]),
    ];
    assert_eq!(tables, expected);
    // Two buckets at once, and one with two collectives, in each of two steps.
    assert_eq!(found.side_by_side, 6);

    let of_phases = |phases: std::ops::RangeInclusive<u16>| -> Vec<f64> {
        let own = rows.iter().filter(|row| row.job == 0 && phases.contains(&row.phase));
        own.map(|row| row.end.since(row.start).0 as f64 / 1e6).collect()
    };
    let exchange = &found.tables[1].lines[1];
    let spans = of_phases(1..=3);
    let mean = spans.iter().sum::<f64>() / spans.len() as f64;
    assert!((exchange.average_us - mean).abs() < 1e-9 * mean, "{exchange:?} {spans:?}");
    let near = |left: f64, right: f64| (left - right).abs() < 1e-9 * right;
    assert!(near(exchange.minimum_us, spans.iter().copied().fold(f64::INFINITY, f64::min)));
    assert!(near(exchange.maximum_us, spans.iter().copied().fold(0.0, f64::max)));
}
