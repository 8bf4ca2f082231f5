//! Writing takes memory that does not grow with the number of rows.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use netloom_records::{Batch, FlowRow, FolderSink, Overwrite, Sink, Status, verify};
use netloom_units::{Bytes, HostId, Random, Time};

use crate::sample;

const CHILD: &str = "NETLOOM_TEST_MANY_ROWS_INTO";
const N_ROWS: &str = "NETLOOM_TEST_N_ROWS";
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
    let n_rows: u64 = std::env::var(N_ROWS).unwrap().parse().unwrap();
    let mut random = Random::stream(1, 1, 1);
    let before = peak();
    let mut sink = FolderSink::create(Path::new(&folder), sample::names(), Overwrite::Refuse).unwrap();
    let started = Instant::now();
    for window in 0..n_rows / 100 {
        let rows: Vec<FlowRow> = (0..100).map(|n| flow(window * 100 + n, &mut random)).collect();
        sink.accept(Batch::Flows(&rows)).unwrap();
    }
    sink.finish(sample::summary(Status::Complete)).unwrap();
    let nanos = started.elapsed().as_nanos() as u64 / n_rows;
    let to_write = peak() - before;
    verify(Path::new(&folder)).unwrap();
    let bytes = std::fs::metadata(Path::new(&folder).join("flows.parquet")).unwrap().len();
    println!("{nanos} ns per row, {} bytes per row", bytes / n_rows);
    println!("bytes to write: {to_write}; to write and verify: {}", peak() - before);
}

/// Bytes that a process takes to write a number of rows, and to write and verify them.
fn memory(n_rows: u64) -> (u64, u64) {
    let (_home, folder) = sample::workspace();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "memory::child_that_writes_many_rows", "--nocapture"])
        .env(CHILD, &folder)
        .env(N_ROWS, n_rows.to_string())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    let figures = said.split("bytes to write: ").nth(1).unwrap().lines().next().unwrap();
    let (to_write, to_verify) = figures.split_once("; to write and verify: ").unwrap();
    (to_write.parse().unwrap(), to_verify.parse().unwrap())
}

#[test]
fn a_million_rows_take_little_memory() {
    let (_, to_verify) = memory(1_000_000);
    assert!(to_verify < 64 * MIB, "writing and verifying took {} MiB", to_verify / MIB);
}

#[test]
fn twice_as_many_rows_take_no_more_memory() {
    // Some 40 MB, more than the open row groups may have, and twice that.
    let (few, _) = memory(5_000_000);
    let (many, _) = memory(10_000_000);
    assert!(many < few + 2 * MIB, "5 million rows took {} MiB, 10 million {} MiB", few / MIB, many / MIB);
}
