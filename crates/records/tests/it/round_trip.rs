//! What is written is what is read.

use std::fs;

use netloom_records::{
    FlowRow, FolderSink, MemorySink, Names, Overwrite, Row, RunFolder, Status, Table, record_batch, rows_of,
    verify,
};
use proptest::prelude::*;

use crate::sample;

fn read(folder: &RunFolder) -> MemorySink {
    MemorySink {
        flows: folder.flows().unwrap(),
        collectives: folder.collectives().unwrap(),
        steps: folder.steps().unwrap(),
        jobs: folder.jobs().unwrap(),
        ports: folder.ports().unwrap(),
        series: folder.series().unwrap(),
        drops: folder.drops().unwrap(),
        faults: folder.faults().unwrap(),
        packets: folder.packets().unwrap(),
        paths: folder.paths().unwrap(),
        repairs: folder.repairs().unwrap(),
        signals: folder.signals().unwrap(),
        rates: folder.rates().unwrap(),
        stages: folder.stages().unwrap(),
        congestion: folder.congestion().unwrap(),
        congested_flows: folder.congested_flows().unwrap(),
        events: folder.events().unwrap(),
        reordering: folder.reordering().unwrap(),
        causes: folder.causes().unwrap(),
        measures: folder.measures().unwrap(),
        tallies: folder.tallies().unwrap(),
        classes: folder.classes().unwrap(),
        traffic: folder.traffic().unwrap(),
        spans: folder.spans().unwrap(),
        arbitration: folder.arbitration().unwrap(),
        spurious_timeouts: folder.spurious_timeouts().unwrap(),
        rings: folder.rings().unwrap(),
        cells: folder.cells().unwrap(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn every_table_comes_back_as_it_went(seed: u64, n_rows in 0_usize..40) {
        let (_home, path) = sample::workspace();
        let run = sample::run(seed, n_rows);
        let manifest = sample::write(&run, &path);
        let folder = RunFolder::open(&path).unwrap();
        prop_assert_eq!(folder.manifest(), &manifest);
        prop_assert_eq!(read(&folder), run);
        prop_assert_eq!(verify(&path).unwrap().manifest, manifest);
    }
}

#[test]
fn rows_survive_record_batches() {
    fn check<R: Row>(rows: &[R]) {
        let batch = record_batch(rows, &sample::names()).unwrap();
        assert_eq!(rows_of::<R>(&batch).unwrap(), rows);
    }
    let run = sample::run(5, 50);
    check(&run.flows);
    check(&run.collectives);
    check(&run.ports);
    check(&run.drops);
    check::<FlowRow>(&[]);
}

#[test]
fn blocks_and_whole_tables_agree_beyond_one_block() {
    let (_home, path) = sample::workspace();
    let run = sample::run(6, 20_000);
    sample::write(&run, &path);
    let folder = RunFolder::open(&path).unwrap();
    let blocks: Vec<Vec<FlowRow>> = folder.rows().unwrap().map(Result::unwrap).collect();
    assert!(blocks.len() > 1);
    assert_eq!(blocks.concat(), run.flows);
}

#[test]
fn names_come_back() {
    let (_home, path) = sample::workspace();
    sample::write(&sample::run(7, 400), &path);
    let names = RunFolder::open(&path).unwrap().names().unwrap();
    assert_eq!(names, sample::names());
}

#[test]
fn a_run_stopped_early_is_complete_and_says_how_it_ended() {
    for status in [Status::Stopped, Status::Deadline, Status::Stalled, Status::Deadlock, Status::Unreachable]
    {
        let (_home, path) = sample::workspace();
        let mut sink = FolderSink::create(&path, sample::names(), Overwrite::Refuse).unwrap();
        sample::run(8, 10).replay(&mut sink).unwrap();
        sink.finish(sample::summary(status)).unwrap();
        assert_eq!(verify(&path).unwrap().manifest.outcome.status, status);
    }
}

#[test]
fn a_run_without_rows_is_a_run() {
    let (_home, path) = sample::workspace();
    let sink = FolderSink::create(&path, Names::default(), Overwrite::Refuse).unwrap();
    let manifest = sink.finish(sample::summary(Status::Stopped)).unwrap();
    assert_eq!(manifest.tables.len(), Table::ALL.len());
    assert_eq!(verify(&path).unwrap().digest(), manifest.digest);
}

#[test]
fn the_same_rows_give_the_same_bytes() {
    let (_home, path) = sample::workspace();
    let run = sample::run(9, 300);
    let bytes = |name: &str| {
        let folder = path.join(name);
        sample::write(&run, &folder);
        Table::ALL.iter().map(|table| fs::read(folder.join(table.file_name())).unwrap()).collect::<Vec<_>>()
    };
    assert!(bytes("once") == bytes("twice"));
}

#[test]
fn the_manifest_reads_well() {
    let (_home, path) = sample::workspace();
    sample::write(&sample::run(1, 2), &path);
    let text = fs::read_to_string(path.join("manifest.json")).unwrap();
    assert!(text.starts_with("{\n  \"netloom\": \"0.1.0\",\n  \"schema\": 4,\n  \"digest\": \""));
    assert!(text.contains("\"status\": \"complete\"") && text.contains("\"seed\": 18446744073709551615"));
}
