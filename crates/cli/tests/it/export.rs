//! `netloom export`: files are written completely or not at all, and existing files are replaced only with `--force`.

use std::fs;

use crate::command::{Answer, SMALL, Workspace};

/// A folder with a run `a`.
fn workspace() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    let run = workspace.netloom(&["run", "small.yaml", "-o", "a"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    workspace
}

#[track_caller]
fn refused(answer: &Answer, why: &str) {
    assert_eq!((answer.code, answer.out.as_str()), (Some(2), ""), "{}", answer.err);
    assert!(answer.err.contains(why), "expected `{why}` in:\n{}", answer.err);
    assert!(!answer.err.contains("panicked"), "{}", answer.err);
}

#[track_caller]
fn done(answer: &Answer) -> &str {
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""), "{}", answer.out);
    &answer.out
}

/// Names in a folder, sorted.
fn names(workspace: &Workspace, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(workspace.path(folder)).expect("it is a folder");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("it is there").file_name();
    let mut names: Vec<String> = entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn each_table_is_exported_to_a_file_and_columns_are_described() {
    let workspace = workspace();
    let answer = workspace.netloom(&["export", "csv", "a", "-o", "tables"]);
    assert!(done(&answer).starts_with("tables tables ("), "{}", answer.out);
    let parquet =
        names(&workspace, "a").into_iter().filter_map(|name| Some(name.strip_suffix(".parquet")?.to_owned()));
    let mut expected: Vec<String> = parquet.chain(["columns".to_owned()]).map(|name| name + ".csv").collect();
    expected.sort();
    assert_eq!(names(&workspace, "tables"), expected);
    let read = |name: &str| fs::read_to_string(workspace.path("tables").join(name)).expect("it is text");
    assert_eq!(read("jobs.csv").lines().next(), Some("job,ranks,start,end,steps,job_name"));
    assert!(
        read("jobs.csv")
            .lines()
            .nth(1)
            .is_some_and(|line| line.starts_with("0,4,0,") && line.ends_with(",3,pair"))
    );
    assert_eq!(read("drops.csv").lines().count(), 1, "a table without rows has its head");
    assert!(read("columns.csv").contains("\nsteps,start,ps,When the first rank began.\n"));
    assert_eq!(names(&workspace, "."), ["a", "small.yaml", "tables"], "nothing is left beside it");

    let some =
        ["export", "csv", "a", "-o", "some", "--table", "steps", "--table", "jobs", "--table", "steps"];
    done(&workspace.netloom(&some));
    assert_eq!(names(&workspace, "some"), ["columns.csv", "jobs.csv", "steps.csv"]);
    let columns = fs::read_to_string(workspace.path("some/columns.csv")).expect("it is text");
    assert!(columns.lines().skip(1).all(|line| line.starts_with("steps,") || line.starts_with("jobs,")));
}

#[test]
fn an_export_replaces_only_an_earlier_export_and_only_with_force() {
    let workspace = workspace();
    let csv = |more: &[&str]| workspace.netloom(&[&["export", "csv", "a", "-o", "tables"], more].concat());
    done(&csv(&[]));
    let again = csv(&[]);
    refused(&again, "the destination exists already");
    assert!(again.err.contains("hint: --force"), "{}", again.err);
    done(&csv(&["--force", "--table", "jobs"]));
    assert_eq!(names(&workspace, "tables"), ["columns.csv", "jobs.csv"], "the earlier files are removed");
    workspace.write("tables/notes.txt", "mine");
    for force in [&[][..], &["--force"]] {
        refused(&csv(force), "the folder holds other files");
    }
    refused(
        &workspace.netloom(&["export", "csv", "a", "-o", "a", "--force"]),
        "the folder holds other files",
    );
    refused(&workspace.netloom(&["export", "csv", "a", "-o", "small.yaml", "--force"]), "this is a file");
}

#[test]
fn other_folders_beside_an_export_are_kept() {
    let workspace = workspace();
    let csv = |more: &[&str]| workspace.netloom(&[&["export", "csv", "a", "-o", "tables"], more].concat());
    // Folders with the names that a draft and a replaced export have temporarily: one has tables, one another file.
    done(&csv(&[]));
    fs::rename(workspace.path("tables"), workspace.path("tables.old")).expect("it can be renamed");
    fs::create_dir(workspace.path("tables.draft")).expect("a folder can be made");
    workspace.write("tables.draft/notes.txt", "mine");
    let kept = names(&workspace, "tables.old");
    done(&csv(&[]));
    done(&csv(&["--force"]));
    assert_eq!((names(&workspace, "tables"), names(&workspace, "tables.old")), (kept.clone(), kept));
    assert_eq!(names(&workspace, "tables.draft"), ["notes.txt"]);
    assert_eq!(names(&workspace, "."), ["a", "small.yaml", "tables", "tables.draft", "tables.old"]);
}

#[test]
fn a_file_of_the_user_with_the_name_of_a_draft_is_kept() {
    let workspace = workspace();
    workspace.write("osu.txt.draft", "mine");
    done(&workspace.netloom(&["export", "osu", "a", "-o", "osu.txt"]));
    assert_eq!(fs::read_to_string(workspace.path("osu.txt.draft")).expect("it is there"), "mine");
    done(&workspace.netloom(&["export", "osu", "a", "-o", "osu.txt", "--force"]));
    assert_eq!(names(&workspace, "."), ["a", "osu.txt", "osu.txt.draft", "small.yaml"]);
}

#[test]
fn a_timeline_is_written_to_a_file() {
    let workspace = workspace();
    let answer = workspace.netloom(&["export", "perfetto", "a"]);
    assert!(done(&answer).contains("timeline a.perfetto-trace\n1 job, 4 ranks, "), "{}", answer.out);
    let bytes = fs::read(workspace.path("a.perfetto-trace")).expect("it is there");
    let again = workspace.netloom(&["export", "perfetto", "a"]);
    refused(&again, "the destination exists already");
    assert!(again.err.contains("hint: --force"), "{}", again.err);
    done(&workspace.netloom(&["export", "perfetto", "a/../a/", "-o", "below/b", "--json"]));
    assert_eq!(
        fs::read(workspace.path("below/b")).expect("it is there"),
        bytes,
        "the same run, the same bytes"
    );
    done(&workspace.netloom(&["export", "perfetto", "a", "--force"]));
    refused(&workspace.netloom(&["export", "perfetto", "a", "-o", "a", "--force"]), "this is a folder");
    assert_eq!(names(&workspace, "."), ["a", "a.perfetto-trace", "below", "small.yaml"]);
}

#[test]
fn tables_of_benchmarks_are_written_to_a_file_with_output() {
    let workspace = workspace();
    for format in ["osu", "nccl-tests"] {
        for more in [&[][..], &["--json"]] {
            let export = [&["export", format, "a"], more].concat();
            let printed = workspace.netloom(&export).out;
            assert!(printed.contains("ring_all_reduce"), "{printed}");
            let to_file = [&export[..], &["-o", "table"]].concat();
            done(&workspace.netloom(&to_file));
            assert_eq!(fs::read_to_string(workspace.path("table")).expect("it is text"), printed);
            refused(&workspace.netloom(&to_file), "the destination exists already");
            done(&workspace.netloom(&[&to_file[..], &["--force"]].concat()));
            fs::remove_file(workspace.path("table")).expect("it is there");
        }
    }
}

#[test]
fn a_failed_export_leaves_no_files() {
    let workspace = workspace();
    let killed = |folder: &str| {
        fs::create_dir(workspace.path(folder)).expect("a folder can be made");
        workspace.write(&format!("{folder}/INCOMPLETE"), "");
    };
    killed("killed");
    fs::create_dir(workspace.path("empty")).expect("a folder can be made");
    for (run, why) in [
        ("nowhere", "no such run folder: nowhere"),
        ("small.yaml", "this is a file, not a run folder"),
        ("empty", "this is no run folder"),
        ("killed", "the run is incomplete"),
    ] {
        for format in ["perfetto", "csv", "nccl-tests", "osu"] {
            refused(&workspace.netloom(&["export", format, run, "-o", "made"]), why);
        }
    }
    let table = ["export", "csv", "a", "-o", "made", "--table"];
    refused(
        &workspace.netloom(&[&table[..], &["moons"]].concat()),
        "no table of this name (expected one of flows, ",
    );
    let both = workspace.netloom(&[&table[..], &["moons", "--table", "suns"]].concat());
    refused(&both, "moons");
    refused(&both, "suns");
    refused(&workspace.netloom(&["export", "csv", "a"]), "--output");
    refused(&workspace.netloom(&["export", "svg", "a"]), "svg");
    let idle = ["run", "small.yaml", "-o", "idle", "--set", "jobs.0.phases=[{compute: 1us}]"];
    assert_eq!(workspace.netloom(&idle).code, Some(0));
    for format in ["nccl-tests", "osu"] {
        refused(
            &workspace.netloom(&["export", format, "idle", "-o", "made"]),
            "no collective ended in this run",
        );
    }
    // A damaged table is found while others are being written.
    fs::write(workspace.path("a/series.parquet"), "no table").expect("the file can be written");
    for format in ["perfetto", "csv"] {
        refused(&workspace.netloom(&["export", format, "a", "-o", "made"]), "damaged or cut off");
    }
    assert_eq!(names(&workspace, "."), ["a", "empty", "idle", "killed", "small.yaml"]);
}

#[test]
fn former_commands_hint_at_the_new_ones() {
    let workspace = workspace();
    for (verb, now) in [("osu", "netloom export osu"), ("nccl", "netloom export nccl-tests")] {
        refused(&workspace.netloom(&["show", verb, "a"]), &format!("hint: this command is now `{now}`"));
    }
    let other = workspace.netloom(&["show", "moons", "a"]);
    assert!(!other.err.contains("netloom export"), "{}", other.err);
}
