//! Same scenario, same seed: the same records, with every option of the engine.

use netloom_lab::{Digest, Options, Overwrite, RunRequest, Source, run};

use crate::scenes::{TWO_JOBS, prepared, simulated};

fn digest(seed: Option<u64>, options: Options) -> Digest {
    let prepared = prepared(TWO_JOBS, seed);
    let (_, sink) = simulated(&prepared, options);
    sink.digest(&prepared.names()).expect("rows are in order").digest
}

#[test]
fn threads_shortcuts_and_partitions_change_nothing() {
    let first = digest(None, Options::default());
    for threads in [1, 2, 4] {
        assert_eq!(digest(None, Options { threads, ..Options::default() }), first, "{threads} threads");
    }
    assert_eq!(
        digest(None, Options { shortcut: false, ..Options::default() }),
        first,
        "without the shortcut"
    );
    assert_eq!(digest(None, Options { coarsen: 3, ..Options::default() }), first, "coarser partitions");
}

#[test]
fn another_seed_changes_the_records() {
    assert_ne!(digest(Some(1), Options::default()), digest(Some(2), Options::default()));
}

#[test]
fn a_stored_run_has_the_digest_of_its_rows_in_memory() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let request = || RunRequest {
        folder: Some(workspace.path().join("run")),
        overwrite: Overwrite::Replace,
        threads: Some(2),
        ..RunRequest::new(Source::text("two.yaml", TWO_JOBS))
    };
    let report = run(request()).expect("it runs");
    assert_eq!(report.manifest.digest, digest(None, Options::default()));
    let verified = netloom_records::verify(&report.folder).expect("it is intact");
    assert_eq!(verified.digest(), report.manifest.digest);
    assert_eq!(run(request()).expect("it runs again").manifest.digest, report.manifest.digest);
}
