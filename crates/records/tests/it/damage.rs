//! Files cut off, damaged, missing or swapped: always an error, never a panic.

use std::fs;
use std::path::Path;

use netloom_records::{Problem, ReadError, RunFolder, Table, verify};
use netloom_units::Random;
use parquet::arrow::ArrowWriter;

use crate::sample;

fn only_problem(folder: &Path) -> Problem {
    let mut problems = verify(folder).unwrap_err();
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems.remove(0)
}

#[test]
fn a_table_cut_off_anywhere_is_damaged() {
    let (_home, folder) = sample::workspace();
    sample::write(&sample::run(1, 2_000), &folder);
    for table in Table::ALL {
        let path = folder.join(table.file_name());
        let whole = fs::read(&path).unwrap();
        let twentieths = (0..20).map(|part| whole.len() * part / 20);
        for length in twentieths.chain(whole.len() - 9..whole.len()) {
            fs::write(&path, &whole[..length]).unwrap();
            let problem = only_problem(&folder);
            assert!(matches!(problem, Problem::Read(ReadError::Damaged { .. })), "{problem}");
        }
        fs::write(&path, &whole).unwrap();
    }
    verify(&folder).unwrap();
}

/// Statistics and page sizes that are not read may be damaged unseen; rows may not come back wrong.
#[test]
fn flipped_bytes_never_panic_and_never_give_other_rows() {
    let (_home, folder) = sample::workspace();
    let rows = sample::run(2, 200);
    sample::write(&rows, &folder);
    let mut random = Random::stream(1, 2, 3);
    for table in Table::ALL {
        let path = folder.join(table.file_name());
        let whole = fs::read(&path).unwrap();
        for _ in 0..n_flips() {
            let mut bytes = whole.clone();
            let workspace = random.below(bytes.len() as u32) as usize;
            bytes[workspace] ^= (1 + random.below(255)) as u8;
            fs::write(&path, &bytes).unwrap();
            if verify(&folder).is_ok() {
                let run = RunFolder::open(&folder).unwrap();
                assert_eq!(
                    (run.flows().unwrap(), run.ports().unwrap()),
                    (rows.flows.clone(), rows.ports.clone())
                );
            }
        }
        fs::write(&path, &whole).unwrap();
    }
}

fn n_flips() -> usize {
    std::env::var("NETLOOM_FLIPS").ok().and_then(|text| text.parse().ok()).unwrap_or(150)
}

#[test]
fn names_that_are_not_utf8_are_damage() {
    let (_home, folder) = sample::workspace();
    sample::write(&sample::run(3, 5), &folder);
    let path = folder.join("jobs.parquet");
    let batch = RunFolder::open(&folder).unwrap().batches(Table::Jobs).unwrap().next().unwrap().unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let workspace = bytes.windows(4).position(|letters| letters == b"job ").unwrap();
    bytes[workspace] = 0xff;
    fs::write(&path, &bytes).unwrap();
    let problem = only_problem(&folder);
    assert!(matches!(problem, Problem::Read(ReadError::Damaged { .. })), "{problem}");
}

#[test]
fn a_missing_table_is_named() {
    let (_home, folder) = sample::workspace();
    sample::write(&sample::run(3, 5), &folder);
    fs::remove_file(folder.join("drops.parquet")).unwrap();
    let problem = only_problem(&folder);
    assert!(problem.to_string().starts_with("the file of table `drops` is missing: "), "{problem}");
}

#[test]
fn tables_of_other_columns_or_other_runs_are_reported() {
    let (home, folder) = sample::workspace();
    sample::write(&sample::run(4, 5), &folder);
    let other = home.path().join("other");
    sample::write(&sample::run(5, 6), &other);
    fs::copy(folder.join("jobs.parquet"), folder.join("steps.parquet")).unwrap();
    fs::copy(other.join("faults.parquet"), folder.join("faults.parquet")).unwrap();
    let problems = verify(&folder).unwrap_err();
    let [first, second] = &problems[..] else { panic!("{problems:?}") };
    assert!(matches!(first, Problem::Read(ReadError::Batch { .. })), "{first}");
    assert!(first.to_string().contains("column `job` stands in the place of: start"), "{first}");
    assert_eq!(second.to_string(), "table `faults` has 6 rows, not as the manifest says: 5");
    let error = RunFolder::open(&folder).unwrap().faults().unwrap_err();
    let expected = "table `faults` has 6 rows, but the manifest says 5: ";
    assert!(matches!(error, ReadError::Rows { .. }) && error.to_string().starts_with(expected), "{error}");
}

#[test]
fn the_folder_of_a_sweep_is_distinguished_from_others() {
    let (_home, folder) = sample::workspace();
    fs::create_dir(&folder).unwrap();
    assert!(RunFolder::open(&folder).unwrap_err().to_string().starts_with("this is no run folder"));
    fs::write(folder.join("sweep.json"), "{}").unwrap();
    let error = RunFolder::open(&folder).unwrap_err().to_string();
    let points = folder.join("points").display().to_string();
    assert!(error.contains("the folder of a sweep") && error.ends_with(&points), "{error}");
}

#[test]
fn an_altered_manifest_is_reported() {
    let (_home, folder) = sample::workspace();
    let manifest = sample::write(&sample::run(6, 5), &folder);
    let path = folder.join("manifest.json");
    let text = fs::read_to_string(&path).unwrap();
    let check = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        verify(&folder).unwrap_err().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let digest = manifest.digest.to_string();
    let turned: String = digest.chars().rev().collect();
    assert!(check(&digest, &turned).starts_with("the digest of the run is "));
    assert!(check(&digest, "no digest").contains("a digest has 64 hexadecimal digits"));
    assert!(check("\"schema\": 4", "\"schema\": 5").contains("this netloom knows up to 4"));
    assert!(check("\"netloom\"", "\"weaver\"").contains("this is no run folder"));
    assert!(check("\"drops\"", "\"drips\"").contains("does not know: drips"));
    assert!(check("\"seed\"", "\"sead\"").contains("missing field `seed`"));
    assert!(check("{", "[").contains("the manifest cannot be understood"));
    fs::write(&path, b"\xff\xfe").unwrap();
    assert!(only_problem(&folder).to_string().contains("the manifest cannot be understood"));
}
