//! Where a run folder may be written, and what is none.

use std::fs;
use std::path::Path;

use netloom_records::{
    Batch, FolderError, FolderSink, Names, Overwrite, ReadError, RunFolder, Sink, Status, StepRow, verify,
};
use netloom_units::Time;

use crate::sample;

fn refused(folder: &Path, overwrite: Overwrite) -> FolderError {
    FolderSink::create(folder, Names::default(), overwrite).unwrap_err()
}

#[test]
fn a_complete_run_is_not_overwritten_unless_asked() {
    let (_home, folder) = sample::workspace();
    let old = sample::write(&sample::run(1, 5), &folder);
    fs::write(folder.join("report.html"), "kept").unwrap();
    assert!(matches!(refused(&folder, Overwrite::Refuse), FolderError::Complete(_)));
    assert_eq!(verify(&folder).unwrap().digest(), old.digest);

    let mut sink = FolderSink::create(&folder, sample::names(), Overwrite::Replace).unwrap();
    assert!(matches!(RunFolder::open(&folder), Err(ReadError::Incomplete(_))), "the old run is gone at once");
    sample::run(2, 5).replay(&mut sink).unwrap();
    let new = sink.finish(sample::summary(Status::Complete)).unwrap();
    assert_eq!(verify(&folder).unwrap().digest(), new.digest);
    assert_ne!(old.digest, new.digest);
    assert_eq!(fs::read(folder.join("report.html")).unwrap(), b"kept");
}

#[test]
fn other_peoples_files_are_never_touched() {
    let (_home, folder) = sample::workspace();
    fs::create_dir(&folder).unwrap();
    drop(FolderSink::create(&folder, Names::default(), Overwrite::Refuse).unwrap());
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("flows.parquet"), "mine").unwrap();
    fs::write(folder.join("manifest.json"), "{\"name\": \"a web page\"}").unwrap();
    assert!(matches!(refused(&folder, Overwrite::Replace), FolderError::Foreign(_)));
    fs::remove_file(folder.join("manifest.json")).unwrap();
    assert!(matches!(refused(&folder, Overwrite::Replace), FolderError::Foreign(_)));
    assert_eq!(fs::read(folder.join("flows.parquet")).unwrap(), b"mine");
}

#[test]
fn two_runs_cannot_write_into_one_folder() {
    let (_home, folder) = sample::workspace();
    let first = FolderSink::create(&folder, Names::default(), Overwrite::Refuse).unwrap();
    assert!(matches!(refused(&folder, Overwrite::Replace), FolderError::Busy(_)));
    drop(first);
    FolderSink::create(&folder, Names::default(), Overwrite::Refuse).unwrap();
}

#[test]
fn a_file_is_neither_a_folder_for_a_run_nor_a_run() {
    let (home, _) = sample::workspace();
    let file = home.path().join("file");
    fs::write(&file, "text").unwrap();
    let message = refused(&file, Overwrite::Replace).to_string();
    assert!(message.starts_with("a run needs a folder, and this is a file: "), "{message}");
    assert!(matches!(RunFolder::open(&file), Err(ReadError::File(_))));
    assert!(matches!(RunFolder::open(&home.path().join("none")), Err(ReadError::Missing(_))));
    assert!(matches!(RunFolder::open(home.path()), Err(ReadError::Foreign(_))));
}

#[test]
fn after_a_refused_row_nothing_is_declared_complete() {
    let (_home, folder) = sample::workspace();
    let mut sink = FolderSink::create(&folder, Names::default(), Overwrite::Refuse).unwrap();
    let row = StepRow { start: Time::NEVER, end: Time(1), job: 0, step: 0 };
    let error = sink.accept(Batch::Steps(&vec![row; 10_000])).unwrap_err();
    assert_eq!(error.0, "a value in table `steps` is 2^63 or more, in column: start");
    assert_eq!(sink.accept(Batch::Steps(&[])).unwrap_err(), error);
    let error = sink.finish(sample::summary(Status::Complete)).unwrap_err();
    assert!(matches!(error, FolderError::Aborted(_)), "{error}");
    assert!(matches!(RunFolder::open(&folder), Err(ReadError::Incomplete(_))));
}

#[cfg(unix)]
#[test]
fn paths_that_are_not_utf8_work() {
    use std::os::unix::ffi::OsStrExt;
    let (home, _) = sample::workspace();
    let folder = home.path().join(std::ffi::OsStr::from_bytes(b"r\xffn"));
    sample::write(&sample::run(1, 5), &folder);
    verify(&folder).unwrap();
    fs::remove_file(folder.join("flows.parquet")).unwrap();
    assert!(verify(&folder).unwrap_err()[0].to_string().contains("flows.parquet"));
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let message = refused(Path::new("/proc/none/run"), Overwrite::Refuse).to_string();
    assert!(message.starts_with("cannot make the folder ("), "{message}");
    assert!(message.ends_with(": /proc/none/run"), "{message}");
}
