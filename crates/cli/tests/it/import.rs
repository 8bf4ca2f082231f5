//! `netloom import crab`, `osu` and `nccl-tests`: measured runs that every other command can read.

use serde_json::{Value, json};

use crate::command::Workspace;
use crate::osu::workspace as simulated;

const STEADY: &str = "\
system,nodes,victim,aggressor,bytes,baseline_us,congested_us,ratio
sea,8,all_gather,incast,512,10.0,40.0,0.250
sea,8,all_to_all,all_to_all,512,9.0,10.0,0.900
pond,4,all_gather,incast,64,5.0,5.0,1.000
";
const BURSTY: &str = "\
system,nodes,victim,aggressor,bytes,pause_s,burst_s,baseline_us,congested_us,ratio
sea,8,all_gather,incast,512,0.000001,0.001,10.0,20.0,0.500
";
const ALONE: &str = "system,nodes,victim,bytes,mean_us,median_us\nsea,8,all_gather,512,10.0,9.5\n";
const ALLOCATIONS: &str = "\
system,nodes,run,prefix,node_numbers
sea,8,All-Gather Inc-Congested,nid,1-7 9
sea,8,All-Gather Inc-Congested 0.000001 0.001,nid,11-18
sea,8,All-Gather,nid,21-28
";

/// A folder with tables of means in its subfolder `tables`.
fn tables() -> Workspace {
    let workspace = Workspace::new();
    std::fs::create_dir(workspace.path("tables")).expect("it can be made");
    let files = [("steady", STEADY), ("bursty", BURSTY), ("baseline", ALONE)];
    for (name, text) in files {
        workspace.write(&format!("tables/measured_{name}.csv"), text);
    }
    workspace.write("tables/allocations.csv", ALLOCATIONS);
    workspace
}

/// The error of an import that is refused.
#[track_caller]
fn refused(workspace: &Workspace, arguments: &[&str]) -> String {
    let answer = workspace.netloom(&[&["import"], arguments, &["-o", "refused"]].concat());
    assert_eq!(answer.code, Some(2), "{} {}", answer.out, answer.err);
    assert!(!workspace.path("refused").exists(), "nothing is written if there is an error");
    answer.err
}

/// The notes of an import that succeeds, and the rows of table `cells` of a run.
#[track_caller]
fn imported(workspace: &Workspace, arguments: &[&str], run: &str) -> (String, Vec<Vec<String>>) {
    let answer = workspace.netloom(&[&["import"], arguments, &["-o", "out", "--force"]].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let folder = format!("out/points/{run}");
    let checked = workspace.netloom(&["check", &folder]);
    assert_eq!(checked.code, Some(0), "{}", checked.err);
    let exported = workspace.netloom(&["export", "csv", &folder, "-o", "csv", "--table", "cells", "--force"]);
    assert_eq!(exported.code, Some(0), "{}", exported.err);
    let text = std::fs::read_to_string(workspace.path("csv/cells.csv")).expect("it was written");
    let rows = text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect());
    (answer.err, rows.collect())
}

fn manifest(workspace: &Workspace, run: &str) -> Value {
    let text = std::fs::read(workspace.path(run).join("manifest.json")).expect("it is there");
    serde_json::from_slice(&text).expect("it is JSON")
}

#[test]
fn tables_of_means_are_imported_as_a_run_for_each_system() {
    let workspace = tables();
    let (notes, rows) = imported(&workspace, &["crab", "tables"], "sea");
    assert!(notes.contains("1 cell of sea: the nodes are not known"), "{notes}");
    let reported: Vec<[&str; 7]> =
        rows.iter().map(|row| [15, 14, 4, 5, 7, 9, 12].map(|nth: usize| row[nth].as_str())).collect();
    let expected = [
        ["all_to_all_linear", "all_to_all_linear", "2097152", "", "10000000", "", "9000000"],
        ["incast", "ring_all_gather", "2097152", "", "40000000", "", "10000000"],
        ["incast", "ring_all_gather", "2097152", "1000000000", "20000000", "", "10000000"],
        ["none", "ring_all_gather", "0", "", "10000000", "9500000", ""],
    ];
    assert_eq!(reported, expected);
    let manifest = manifest(&workspace, "out/points/sea");
    assert_eq!(manifest["scenario"], json!({ "name": "sea" }));
    assert_eq!(manifest["engine"]["hosts"], 8);
    let measured = &manifest["measured"];
    assert_eq!(measured["by"], "CRAB");
    assert_eq!(measured["allocations"][0]["hosts"][0], "nid000011", "those of bursts come first");
    assert_eq!(measured["allocations"][1]["hosts"][7], "nid000009");
    for arguments in [
        ["report", "out", "-o", "page.html"].as_slice(),
        &["report", "--text", "out"],
        &["compare", "out/points/sea"],
    ] {
        let answer = workspace.netloom(arguments);
        assert_eq!(answer.code, Some(0), "{arguments:?}: {}", answer.err);
    }
    let text = workspace.netloom(&["report", "--text", "out"]).out;
    assert!(text.contains("no records of its network") && !text.contains("No packet was lost"), "{text}");
    for arguments in [["export", "osu"], ["export", "nccl-tests"], ["export", "perfetto"], ["show", "paths"]]
    {
        let answer = workspace.netloom(&[arguments.as_slice(), &["out/points/sea"]].concat());
        assert_eq!(answer.code, Some(2));
        assert!(answer.err.contains("has only the cells of a study"), "{arguments:?}: {}", answer.err);
    }
}

#[test]
fn systems_can_be_selected_and_runs_are_replaced_only_with_force() {
    let workspace = tables();
    let (notes, rows) = imported(&workspace, &["crab", "tables", "--system", "pond=lake"], "lake");
    assert!(rows.len() == 1 && notes.contains("4 cells of sea left out"), "{notes}");
    let again = workspace.netloom(&["import", "crab", "tables", "-o", "out", "--system", "pond=lake"]);
    assert!(again.code == Some(2) && again.err.contains("--force"), "{}", again.err);
    let other = workspace.netloom(&["import", "crab", "tables", "-o", "out", "--force"]);
    assert!(other.err.contains("runs of another import"), "{}", other.err);
    workspace.write("mine", "text");
    std::fs::create_dir(workspace.path("own")).expect("it can be made");
    workspace.write("own/file", "text");
    let foreign = workspace.netloom(&["import", "crab", "tables", "-o", "own", "--force"]);
    assert!(foreign.err.contains("holds other files"), "{}", foreign.err);
    assert!(
        refused(&workspace, &["crab", "tables", "--system", "puddle"]).contains("expected one of pond, sea")
    );
    assert!(refused(&workspace, &["crab", "tables", "--system", "../up"]).contains("NAME=NEW"));
}

#[test]
fn all_errors_in_tables_are_reported_with_line_and_column() {
    let workspace = tables();
    let head = STEADY.lines().next().expect("a heading");
    let wrong = [
        (
            "sea,8,all_gather,incast,512,10.0,nan,0.25",
            "line 2, column `congested_us`: `nan` is not a valid time",
        ),
        (
            "sea,8,all_gather,incast,512,-10.0,40.0,0.25",
            "line 3, column `baseline_us`: `-10.0` is not a valid time",
        ),
        ("sea,9,all_gather,incast,512,10.0,40.0,0.25", "line 4, column `nodes`: 9 is odd"),
        ("sea,8,all_gather,incats,512,10.0,40.0,0.25", "line 5, column `aggressor`: there is no `incats`"),
        ("sea,8,all_gather,incast,99999999999999999999,10.0,40.0,0.25", "line 6, column `bytes`"),
        ("sea,8,all_gather,incast,512,10.0,4", "line 7: 7 cells where 8 are expected"),
        (
            "sea,8,all_gather,incast,64,10.0,40.0,0.2",
            "line 8, column `ratio`: 0.2 is not baseline_us over congested_us",
        ),
        ("se/a,8,all_gather,incast,8,10.0,40.0,0.25", "line 9, column `system`"),
        ("sea,8,all_gather,incast,16,10.0,40.0,0.25", ""),
        (
            "sea,8,all_gather,incast,16,10.0,40.0,0.25",
            "line 11, column `bytes`: this cell is also in line 10",
        ),
    ];
    let lines: Vec<&str> = wrong.iter().map(|(line, _)| *line).collect();
    workspace.write("tables/measured_steady.csv", &format!("{head}\n{}\n", lines.join("\n")));
    workspace.write("tables/measured_baseline.csv", "system,nodes\n");
    let reported = refused(&workspace, &["crab", "tables"]);
    for (_, expected) in wrong {
        assert!(reported.contains(expected), "{expected}: {reported}");
    }
    assert!(reported.contains("the heading has no column `mean_us`"), "{reported}");
    assert!(reported.contains("measured_steady.csv:2:"), "{reported}");
    let broken = [
        ("sea,8,All-Gather,nid,1-7", "the list has 7 nodes"),
        ("sea,8,All-Gather,nid,1-7 7", "7 occurs twice"),
        ("sea,8,All-Reduce,nid,1-8", "`All-Reduce` is not a label"),
        ("sea,8,All-Gather,nid,1-99999999", "is not a range"),
    ];
    for (line, expected) in broken {
        let workspace = tables();
        workspace.write("tables/allocations.csv", &format!("system,nodes,run,prefix,node_numbers\n{line}\n"));
        let reported = refused(&workspace, &["crab", "tables"]);
        assert!(reported.contains(expected), "{expected}: {reported}");
    }
}

#[test]
fn files_that_are_not_tables_are_reported() {
    let workspace = tables();
    for name in ["steady", "bursty", "baseline"] {
        let head = |text: &str| text.lines().next().expect("a heading").to_owned() + "\n";
        let text = match name {
            "steady" => head(STEADY),
            "bursty" => head(BURSTY),
            _ => head(ALONE),
        };
        workspace.write(&format!("tables/measured_{name}.csv"), &text);
    }
    assert!(refused(&workspace, &["crab", "tables"]).contains("no results"));
    std::fs::write(workspace.path("tables/measured_steady.csv"), b"\x00\x01").expect("it can be written");
    assert!(refused(&workspace, &["crab", "tables"]).contains("binary file"));
    workspace.write("tables/measured_steady.csv", "");
    assert!(refused(&workspace, &["crab", "tables"]).contains("no column `system`"));
    std::fs::create_dir(workspace.path("empty")).expect("it can be made");
    assert!(refused(&workspace, &["crab", "empty"]).contains("nothing that can be imported"));
    assert!(refused(&workspace, &["crab", "nowhere"]).contains("nothing that can be imported"));
}

/// A job of the framework: bytes of its victim, times in microseconds, and the arguments of bursts.
fn job(workspace: &Workspace, time: &str, times: &[f64], bursts: Option<&str>) {
    let folder = format!("data/sea/{time}");
    std::fs::create_dir_all(workspace.path(&folder)).expect("it can be made");
    let mut programs =
        json!({ "0": { "path": "/x/agtr_comm_only.py", "args": "-msgsize 64 -iter 120", "collect": true } });
    if let Some(arguments) = bursts {
        programs["1"] = json!({ "path": "/x/bursty_noise_incast.py", "args": arguments, "collect": false });
    }
    let options = json!({ "numnodes": "4", "ppn": "1", "partitionsplit": "50:50", "partitionlayout": "i", "extrainfo": "" });
    let config = json!({ "global_options": options, "applications": programs });
    workspace.write(&format!("{folder}/config.json"), &config.to_string());
    let mut text = "run_id,msg_size,0_Avg-Duration_s,0_Max-Duration_s\n".to_owned();
    for (nth, time) in (0..100).map(|_| &1e3).chain(times).enumerate() {
        text.push_str(&format!("{nth},64,0,{}\n", time * 1e-6));
    }
    workspace.write(&format!("{folder}/data_app_0.csv"), &text);
    workspace.write(&format!("{folder}/slurm_output.log"), "nodes provided by SLURM: n[01-03,07] ---\n");
}

#[test]
fn jobs_of_the_framework_are_paired_by_time() {
    let workspace = Workspace::new();
    let day = |hour: u32| format!("2025-12-15_{hour:02}-00-00-000000");
    job(&workspace, &day(1), &[10.0; 20], None);
    job(&workspace, &day(9), &[12.0; 20], None);
    job(&workspace, &day(3), &[40.0; 20], Some("0.0001 0.001"));
    job(&workspace, &day(2), &[30.0; 20], Some("0.0001 0.001"));
    job(&workspace, &day(4), &[30.0; 5], Some("0.0001 0.01"));
    let (notes, rows) = imported(&workspace, &["crab", "."], "sea");
    assert!(notes.contains("1 size left out: fewer iterations"), "{notes}");
    assert!(notes.contains("2 measurements left out: a later job"), "{notes}");
    let reported: Vec<Vec<&str>> = rows
        .iter()
        .map(|row| [15, 5, 6, 7, 9, 10, 11, 12].map(|nth: usize| row[nth].as_str()).to_vec())
        .collect();
    let expected = [
        vec!["incast", "1000000000", "100000000", "40000000", "40000000", "20", "100", "10000000"],
        vec!["none", "", "", "12000000", "12000000", "20", "100", ""],
    ];
    assert_eq!(reported, expected, "the later job counts, and the baseline nearest in time");
    let measured = manifest(&workspace, "out/points/sea")["measured"].clone();
    assert_eq!(measured["allocations"][0]["hosts"], json!(["n01", "n02", "n03", "n07"]));
    workspace.write(&format!("data/sea/{}/config.json", day(1)), "{");
    workspace.write(
        &format!("data/sea/{}/data_app_0.csv", day(9)),
        "run_id,msg_size,0_Max-Duration_s\n1,64,inf\n",
    );
    let reported = refused(&workspace, &["crab", "."]);
    assert!(
        reported.contains("not valid JSON")
            && reported.contains("column `0_Max-Duration_s`: `inf` is not a valid time"),
        "{reported}"
    );
}

/// The output of `netloom export` is read back: sizes as in studies, times as printed.
#[test]
fn exports_of_netloom_are_read_back() {
    let workspace = simulated(
        "jobs.0.phases=[{all_to_all_pairwise: {size: 4KiB}}, barrier, {ring_all_gather: {size: 4MiB}}]",
    );
    let exported = |format: &str| -> Vec<f64> {
        let json = workspace.netloom(&["export", format, "a", "--json"]).out;
        let json: Value = serde_json::from_str(&json).expect("it is JSON");
        let key = if format == "osu" { "average_us" } else { "time_us" };
        let tables = json["tables"].as_array().expect("they are there");
        tables.iter().map(|table| table["lines"][0][key].as_f64().expect("a time")).collect()
    };
    for format in ["osu", "nccl-tests"] {
        let wrote = workspace.netloom(&["export", format, "a", "-o", "table.txt", "--force"]);
        assert_eq!(wrote.code, Some(0), "{}", wrote.err);
        let (_, rows) = imported(&workspace, &[format, "table.txt", "--system", "small"], "small");
        let reported: Vec<[&str; 4]> =
            rows.iter().map(|row| [0, 14, 2, 15].map(|nth: usize| row[nth].as_str())).collect();
        let expected =
            [["8", "all_to_all_pairwise", "1024", "none"], ["8", "ring_all_gather", "4194304", "none"]];
        assert_eq!(reported, expected, "{format}");
        let mut found: Vec<f64> =
            rows.iter().map(|row| row[7].parse::<f64>().expect("a time") / 1e6).collect();
        let mut times = exported(format);
        times.sort_by(f64::total_cmp);
        found.sort_by(f64::total_cmp);
        for (found, time) in found.iter().zip(&times) {
            let printed = if format == "osu" || *time < 100.0 { 0.005 } else { 0.05 };
            assert!((found - time).abs() <= printed * 1.001, "{format}: {found} of {time}");
        }
    }
    let reported = refused(&workspace, &["osu", "table.txt"]);
    assert!(reported.contains("there is no title") || reported.contains("no results"), "{reported}");
}

#[test]
fn outputs_of_benchmarks_are_imported_as_one_run() {
    let workspace = Workspace::new();
    workspace.write(
        "a.txt",
        "# OSU MPI Allreduce Latency Test v5.9\n# Size       Avg Latency(us)\n4   2.5\n8   3.5\n",
    );
    workspace
        .write("b.txt", "# OSU MPI Broadcast Latency Test v5.9\n# Size       Avg Latency(us)\n4   1.5\n");
    workspace.write("hosts", "n1 slots=1\nn2\n");
    let arguments = ["osu", "a.txt", "b.txt", "--ranks", "2", "--hosts-file", "hosts"];
    let (_, rows) = imported(&workspace, &arguments, "osu");
    assert_eq!(rows.len(), 3);
    let measured = manifest(&workspace, "out/points/osu")["measured"].clone();
    assert_eq!(measured["source"], "a.txt, b.txt");
    assert_eq!(measured["allocations"][0]["hosts"], json!(["n1", "n2"]));
    assert!(refused(&workspace, &["osu", "a.txt"]).contains("--ranks N"));
    assert!(
        refused(&workspace, &["osu", "a.txt", "a.txt", "--ranks", "2"]).contains("also in line 3 of a.txt")
    );
    assert!(
        refused(&workspace, &["osu", "a.txt", "--ranks", "2", "--collective", "ring"])
            .contains("possible values")
    );
    assert!(refused(&workspace, &["osu", "nowhere", "--ranks", "2"]).contains("no such file"));
    std::fs::write(workspace.path("binary"), b"\x00\xff").expect("it can be written");
    assert!(refused(&workspace, &["nccl-tests", "binary"]).contains("binary file"));
    let results = json!([{ "size": 64, "out_of_place": { "time": 7.0, "nwrong": 0.0 } },
        { "size": 128, "out_of_place": { "time": 9.0, "nwrong": 4.0 } }]);
    let document = json!({ "version": 3, "args": ["all_reduce_perf"], "results": results });
    workspace.write("n.json", &document.to_string());
    let (notes, rows) =
        imported(&workspace, &["nccl-tests", "n.json", "--ranks", "4", "--system", "osu"], "osu");
    assert!(
        rows.len() == 1 && notes.contains("1 line left out: the benchmark found WRONG RESULTS"),
        "{notes}"
    );
    assert!(refused(&workspace, &["nccl-tests", "n.json"]).contains("the number of ranks is missing"));
}
