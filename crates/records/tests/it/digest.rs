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
    push!(sink, random, Arbitration, run.arbitration);
    push!(sink, random, SpuriousTimeouts, run.spurious_timeouts);
    push!(sink, random, Rings, run.rings);
    push!(sink, random, Cells, run.cells);
    push!(sink, random, Causes, run.causes);
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
    let (_home, path) = sample::workspace();
    let run = sample::run(3, 100);
    let manifest = sample::write(&run, &path);
    let digest = run.digest(&sample::names()).unwrap();
    assert_eq!((manifest.digest, manifest.tables), (digest.digest, digest.tables));
}

#[test]
fn compression_and_row_groups_do_not_matter() {
    let (_home, path) = sample::workspace();
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
    assert_eq!(digest(&run), "a22a48ffa4e476f3d4394ae6c5183e19fbe48a01d76804c5b8260757eee4e5b6");
    // Tables added later leave the digests of runs without them alone.
    run.causes = Vec::new();
    assert_eq!(digest(&run), "ba124818d49b49a5a6f5b88138a48b4f97588d41a8c320c3c170e0b70de231b5");
    run.cells = Vec::new();
    assert_eq!(digest(&run), "0e3389a5b8f1ff7746f712b430519edc03d3ad47cd816d161063a15e344c4b79");
    run.rings = Vec::new();
    assert_eq!(digest(&run), "04e427d2a6d6257c5b0cee40073f8058b298078150becb9e352daf0174b900bb");
    (run.arbitration, run.spurious_timeouts) = (Vec::new(), Vec::new());
    assert_eq!(digest(&run), "355e61efa257845c2f62fa8be757f6fe3a93108e6bc2a495837617de546ec74c");
    run.spans = Vec::new();
    assert_eq!(digest(&run), "32e217195101fe0f2c9b65fd9b738f7d00f7ad424be661bf954a3c12873e5b6a");
    (run.measures, run.tallies) = (Vec::new(), Vec::new());
    assert_eq!(digest(&run), "e25e591ebe2d3807402f005ac120d20bba3f13882f63a11d633c97565d80903b");
    (run.classes, run.traffic) = (Vec::new(), Vec::new());
    (run.events, run.reordering) = (Vec::new(), Vec::new());
    assert_eq!(digest(&run), "7e152f307ff5133411a6c8549998e4294291f681e08d5083b4ab70fabce2efd9");
    (run.congestion, run.congested_flows) = (Vec::new(), Vec::new());
    assert_eq!(digest(&run), "1441369bda8f6d460012fca03fba654b654b88224c0f92b9b14f353801f6cf76");
    run.stages = Vec::new();
    assert_eq!(digest(&run), "b90925ab1dc55cd02443d0954c9f73db0a705acbacb832e7e07ba6f12e868592");
    run.rates = Vec::new();
    assert_eq!(digest(&run), "da921d8f8a88418ac6ace1c1a796aa9b459dcf1c0e9379f790b1516a38566c95");
    (run.repairs, run.signals) = (Vec::new(), Vec::new());
    assert_eq!(digest(&run), "4ee9316f605727fcab6193637cfdcaa727898a2a6ef798435c6f1da7db0189c9");
    (run.packets, run.paths) = (Vec::new(), Vec::new());
    assert_eq!(digest(&run), "3c532d6df305779b0c166d84d7bbe84e57c6ecce821e4dc6da44ba99870860ff");
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
fn a_missing_name_is_reported() {
    let error = sample::run(11, 5).digest(&Names::default()).unwrap_err();
    assert!(error.0.contains("needs a name for column `job_name`"), "{error}");
}
