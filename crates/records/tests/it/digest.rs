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
    assert_eq!(digest(&run), "cf6d4254ff9cd0ea62924fc9643a2d67fd0af6d56a7adefc345e0238e31d0ffa");
    // Tables added later leave the digests of runs without them alone.
    run.rings = Vec::new();
    assert_eq!(digest(&run), "dd275b2ea885a68f02d8a3bcaad6c390d9933f37e3a480302418da295fe59f5e");
    (run.arbitration, run.spurious_timeouts) = (Vec::new(), Vec::new());
    assert_eq!(digest(&run), "a0373e5b526b8958bb39ac68315c1f203f027c32b6658acedd5e4d16413b15a5");
    run.spans = Vec::new();
    assert_eq!(digest(&run), "4ce269761fc4b87aa101657fe0715c9edf23a28eb198556c715239fdd83ae4e3");
    (run.measures, run.tallies) = (Vec::new(), Vec::new());
    assert_eq!(digest(&run), "4e77ad40ffd83df9a5153f3fa90eec35803f2aa1e4361ee44f424e037b906d42");
    (run.classes, run.traffic) = (Vec::new(), Vec::new());
    (run.events, run.reordering) = (Vec::new(), Vec::new());
    assert_eq!(digest(&run), "53f9ceb82b8c7058dba4270a60402a3e29dfe113b25a7b25aeb121cf4a9c8d6b");
    (run.congestion, run.congested_flows) = (Vec::new(), Vec::new());
    assert_eq!(digest(&run), "d0a0ffec86a7ae50405cdc4ab8a2bafea9ef296351487d4b0709223793f2499b");
    run.stages = Vec::new();
    assert_eq!(digest(&run), "16939d5dc5da498e2506ac1dd46acea1f660b8390a894eeca0c8cc6e124de7fc");
    run.rates = Vec::new();
    assert_eq!(digest(&run), "dec6e8a5b6279cd3fd1bc14612dc42aa43088c2614a2b9b40587642c6f644fdb");
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
fn a_missing_name_is_told() {
    let error = sample::run(11, 5).digest(&Names::default()).unwrap_err();
    assert!(error.0.contains("needs a name for column `job_name`"), "{error}");
}
