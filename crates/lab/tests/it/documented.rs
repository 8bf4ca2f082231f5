//! Scenarios of the documentation that are too large for golden digests: valid, and run with less data.

use std::path::Path;

use netloom_lab::{Options, Overrides, Source, Style, prepare};

use crate::scenes;

#[test]
fn the_study_of_512_gpus_runs_with_less_data() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/workloads/training-512.yaml");
    let phases = "[{pipeline: {stages: pp, microbatches: 2, size: 8KiB, forward: 5us, backward: 10us}}, \
        {all_to_all_v: {size: 64KiB, group: ep, imbalance: 1.5}}, \
        {ring_all_reduce: {size: 256KiB, group: dp, chunk: 16KiB}}]";
    let as_written = Overrides::default();
    let set = vec![
        ("jobs.0.phases".to_owned(), phases.to_owned()),
        ("jobs.0.steps".to_owned(), "1".to_owned()),
        ("faults.timed.0.at".to_owned(), "60us".to_owned()),
    ];
    let smaller = Overrides { set, ..Overrides::default() };
    let prepared = [as_written, smaller].map(|overrides| {
        prepare(&Source::file(&path), &overrides)
            .unwrap_or_else(|error| panic!("{}", error.render(Style::Plain)))
    });
    let (_, records) = scenes::simulated(&prepared[1], Options::default());
    assert_eq!((records.jobs.len(), records.events.len()), (1, 1));
    assert!(records.jobs[0].end.is_some(), "the job completes");
    let sent: u64 = records.flows.iter().filter(|row| row.phase == 2).map(|row| row.size.0).sum();
    assert_eq!(sent, 64 * 2 * 7 * 256 * 1024);
}
