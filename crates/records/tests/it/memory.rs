//! Writing takes memory that does not grow with the number of rows.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use netloom_records::{Batch, FlowRow, FolderSink, Overwrite, Sink, Status, verify};
use netloom_units::{Bytes, HostId, Random, Time};

use crate::sample;

const CHILD: &str = "NETLOOM_TEST_MANY_ROWS_INTO";
const N_ROWS: u64 = 1_000_000;
const MIB: u64 = 1 << 20;

/// A flow like those of a real run: ends ascending, everything else mixed.
fn flow(number: u64, random: &mut Random) -> FlowRow {
    let end = 1_000_000 + number * 1_300 + u64::from(random.below(1_000));
    FlowRow {
        start: Time(end - 500_000 - u64::from(random.below(400_000))),
        end: Some(Time(end)),
        source: HostId(random.below(8_192)),
        destination: HostId(random.below(8_192)),
        number: (number / 8_192) as u32,
        job: 0,
        step: (number / 100_000) as u32,
        phase: random.below(3) as u16,
        bucket: random.below(8) as u16,
        size: Bytes(65_536),
        packets: 16,
        hops: 64,
        ideal: None,
    }
}

/// The most memory this process ever held.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

/// Not a test by itself: a process of its own, since memory is counted per process.
#[test]
fn child_that_writes_many_rows() {
    let Some(folder) = std::env::var_os(CHILD) else { return };
    let mut random = Random::stream(1, 1, 1);
    let before = peak();
    let mut sink = FolderSink::create(Path::new(&folder), sample::names(), Overwrite::Refuse).unwrap();
    let started = Instant::now();
    for window in 0..N_ROWS / 100 {
        let rows: Vec<FlowRow> = (0..100).map(|n| flow(window * 100 + n, &mut random)).collect();
        sink.accept(Batch::Flows(&rows)).unwrap();
    }
    sink.finish(sample::summary(Status::Complete)).unwrap();
    let nanos = started.elapsed().as_nanos() as u64 / N_ROWS;
    let after_writing = peak();
    verify(Path::new(&folder)).unwrap();
    let bytes = std::fs::metadata(Path::new(&folder).join("flows.parquet")).unwrap().len();
    println!(
        "{nanos} ns per row, {} bytes per row, {} MiB to write, {} MiB to write and verify",
        bytes / N_ROWS,
        (after_writing - before) / MIB,
        (peak() - before) / MIB,
    );
    assert!(peak() - before < 64 * MIB, "writing and verifying took {} MiB", (peak() - before) / MIB);
}

#[test]
fn a_million_rows_take_little_memory() {
    let (_home, folder) = sample::workspace();
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "memory::child_that_writes_many_rows", "--nocapture"])
        .env(CHILD, &folder)
        .status()
        .unwrap();
    assert!(status.success());
}
