//! The digest depends on rows and names, and on nothing else.

use std::fs::File;

use arrow_array::RecordBatch;
use netloom_records::{Batch, DigestSink, MemorySink, Names, RunFolder, Sink, Table, verify};
use netloom_units::{Random, Time};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;

use crate::sample;

/// Pushes a table in pieces of random length.
macro_rules! push {
    ($sink:ident, $random:ident, $variant:ident, $rows:expr) => {
        let mut rows = &$rows[..];
        while !rows.is_empty() {
            let (now, later) = rows.split_at(rows.len().min($random.below(20) as usize));
            $sink.accept(Batch::$variant(now)).unwrap();
            rows = later;
        }
    };
}

fn push_in_pieces(run: &MemorySink, sink: &mut impl Sink, seed: u64) {
    let mut random = Random::stream(seed, 1, 0);
    push!(sink, random, Faults, run.faults);
    push!(sink, random, Flows, run.flows);
    push!(sink, random, Series, run.series);
    push!(sink, random, Ports, run.ports);
    push!(sink, random, Steps, run.steps);
    push!(sink, random, Collectives, run.collectives);
    push!(sink, random, Drops, run.drops);
    push!(sink, random, Jobs, run.jobs);
    push!(sink, random, Paths, run.paths);
    push!(sink, random, Repairs, run.repairs);
    push!(sink, random, Signals, run.signals);
    push!(sink, random, Rates, run.rates);
    push!(sink, random, Stages, run.stages);
    push!(sink, random, Congestion, run.congestion);
    push!(sink, random, CongestedFlows, run.congested_flows);
    push!(sink, random, Classes, run.classes);
    push!(sink, random, Traffic, run.traffic);
    push!(sink, random, Events, run.events);
    push!(sink, random, Reordering, run.reordering);
    push!(sink, random, Measures, run.measures);
    push!(sink, random, Tallies, run.tallies);
    push!(sink, random, Spans, run.spans);
    push!(sink, random, Packets, run.packets);
}

proptest! {
    #[test]
    fn batching_does_not_matter(seed: u64, pieces: u64, n_rows in 0_usize..60) {
        let run = sample::run(seed, n_rows);
        let mut sink = DigestSink::new(sample::names());
        push_in_pieces(&run, &mut sink, pieces);
        prop_assert_eq!(sink.finish(), run.digest(&sample::names()).unwrap());
    }
}

#[test]
fn folder_and_memory_agree() {
    let (_home, path) = sample::place();
    let run = sample::run(3, 100);
    let manifest = sample::write(&run, &path);
    let digest = run.digest(&sample::names()).unwrap();
    assert_eq!((manifest.digest, manifest.tables), (digest.digest, digest.tables));
}

#[test]
fn compression_and_row_groups_do_not_matter() {
    let (_home, path) = sample::place();
    sample::write(&sample::run(4, 500), &path);
    let folder = RunFolder::open(&path).unwrap();
    for table in Table::ALL {
        let batches: Vec<RecordBatch> = folder.batches(*table).unwrap().map(Result::unwrap).collect();
        let properties = WriterProperties::builder()
            .set_compression(Compression::UNCOMPRESSED)
            .set_max_row_group_row_count(Some(17))
            .build();
        let file = File::create(path.join(table.file_name())).unwrap();
        let mut writer = ArrowWriter::try_new(file, batches[0].schema(), Some(properties)).unwrap();
        for batch in &batches {
            writer.write(batch).unwrap();
        }
        writer.close().unwrap();
    }
    verify(&path).unwrap();
}

#[test]
fn names_count() {
    let run = sample::run(3, 200);
    let mut names = sample::names();
    names.links[4].push('!');
    let (one, other) = (run.digest(&sample::names()).unwrap(), run.digest(&names).unwrap());
    assert_ne!(one.digest, other.digest);
    assert_ne!(one.tables["ports"], other.tables["ports"]);
    assert_eq!(one.tables["flows"], other.tables["flows"]);
}

#[test]
fn the_digest_never_changes_by_itself() {
    // Golden digests of whole runs rest on this one; a change needs its line in the changelog.
    let mut run = sample::run(2026, 100);
    let digest = |run: &MemorySink| run.digest(&sample::names()).unwrap().digest.to_string();
    assert_eq!(digest(&run), "94c4ddb21528031e5b0c736645cf3689edf4dbc012e7592feacafc09cb1848b7");
    // Tables added later leave the digests of runs without them alone.
    run.spans = Vec::new();
    assert_eq!(digest(&run), "x");
    (run.measures, run.tallies) = (Vec::new(), Vec::new());
    assert_eq!(digest(&run), "bb729b42274b916bab2ac399721011bf91a2b0117efa1cb7263efb55b5974b2a");
    (run.classes, run.traffic) = (Vec::new(), Vec::new());
    (run.events, run.reordering) = (Vec::new(), Vec::new());
    assert_eq!(digest(&run), "52c6cf1e00bd15d2073a019f75cd9653d9ed9a4fcdcde57f3b418fba8822cb55");
    (run.congestion, run.congested_flows) = (Vec::new(), Vec::new());
    assert_eq!(digest(&run), "805592019fd1319e8dde04286df9fe52e33ef87039ce89d4dd8caf56bba7ffb4");
    run.stages = Vec::new();
    assert_eq!(digest(&run), "eb27dcf1f4d1fd44e3de379bbe3f0b5b44f6f05739e3292a72d418cb3ddc375b");
    run.rates = Vec::new();
    assert_eq!(digest(&run), "d8b74383856b888a1abd76540f654993029ae6409253f76baefe40b08601c792");
    (run.repairs, run.signals) = (Vec::new(), Vec::new());
    assert_eq!(digest(&run), "e3f9248ce29b8cac7e73d3f3b3c9e6516e878b0f044c980a2062de0af55dc768");
    (run.packets, run.paths) = (Vec::new(), Vec::new());
    assert_eq!(digest(&run), "866cb4ab614d2995872abf52ce0bcb73e9235b1d7a7fb4dca4246e78b6bcb146");
}

#[test]
fn rows_out_of_order_are_refused() {
    let mut run = sample::run(11, 50);
    run.steps[7].end = Time(0);
    run.steps[6].end = Time(1);
    let error = run.digest(&sample::names()).unwrap_err();
    assert!(error.0.starts_with("a row of table `steps` comes before its turn (sorted by end, job, step)"));
    let mut sink = DigestSink::new(Names::default());
    let (earlier, later) = (run.steps[..6].to_vec(), run.steps[49..].to_vec());
    sink.accept(Batch::Steps(&later)).unwrap();
    assert!(sink.accept(Batch::Steps(&earlier)).is_err(), "the order holds across batches");
}

#[test]
fn a_missing_name_is_told() {
    let error = sample::run(11, 5).digest(&Names::default()).unwrap_err();
    assert!(error.0.contains("needs a name for column `job_name`"), "{error}");
}
