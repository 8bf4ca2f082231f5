//! A run killed at any instant never leaves a folder that looks complete.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use netloom_records::{FolderSink, Overwrite, Problem, ReadError, RunFolder, Sink, Status, Table, verify};

use crate::sample;

fn is_incomplete(folder: &Path) -> bool {
    let problems = verify(folder).unwrap_err();
    let opened = RunFolder::open(folder);
    matches!(problems[..], [Problem::Read(ReadError::Incomplete(_))])
        && matches!(opened, Err(ReadError::Incomplete(_)))
}

#[test]
fn every_state_of_being_written_is_incomplete() {
    let (home, folder) = sample::workspace();
    let mut n_states = 0;
    let mut check = |from: &Path| {
        let seen = home.path().join(format!("seen-{n_states}"));
        n_states += 1;
        sample::copy(from, &seen);
        assert!(is_incomplete(&seen), "state {n_states}");
    };
    let mut sink = FolderSink::create(&folder, sample::names(), Overwrite::Refuse).unwrap();
    check(&folder);
    let run = sample::run(1, 20_000);
    for rows in run.flows.chunks(3_000) {
        sink.accept(netloom_records::Batch::Flows(rows)).unwrap();
        check(&folder);
    }
    drop(sink);
    check(&folder);
}

/// The steps of `finish` run backwards, since no state between them can be observed.
#[test]
fn every_state_of_being_finished_is_incomplete() {
    let (_home, folder) = sample::workspace();
    sample::write(&sample::run(1, 50), &folder);
    let marker = folder.join("INCOMPLETE");
    fs::write(&marker, "").unwrap();
    assert!(is_incomplete(&folder), "all is written, the marker still there");
    fs::rename(folder.join("manifest.json"), folder.join("manifest.json.draft")).unwrap();
    assert!(is_incomplete(&folder), "the manifest not yet renamed");
    fs::remove_file(&marker).unwrap();
    assert!(is_incomplete(&folder), "even if another program removed the marker");
    for table in Table::ALL {
        let path = folder.join(table.file_name());
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(is_incomplete(&folder), "tables not yet closed");
    }
}

const CHILD: &str = "NETLOOM_TEST_WRITES_INTO";

/// Not a test by itself: what the killed process does, over and over, each time replacing a complete run.
#[test]
fn child_that_writes_for_ever() {
    let Some(folder) = std::env::var_os(CHILD) else { return };
    let run = sample::run(1, 3_000);
    loop {
        let mut sink = FolderSink::create(Path::new(&folder), sample::names(), Overwrite::Replace).unwrap();
        run.replay(&mut sink).unwrap();
        sink.finish(sample::summary(Status::Complete)).unwrap();
    }
}

#[test]
fn a_killed_process_leaves_a_complete_run_or_an_incomplete_one() {
    let (_home, folder) = sample::workspace();
    let mut n_incomplete = 0;
    for round in 0..12 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "kill::child_that_writes_for_ever"])
            .env(CHILD, &folder)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        while !folder.exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(37 + 11 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        if verify(&folder).is_err() {
            assert!(is_incomplete(&folder), "{:?}", verify(&folder));
            n_incomplete += 1;
        }
    }
    assert!(n_incomplete > 0, "the kills hit nothing");
}
