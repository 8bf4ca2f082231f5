//! Output of the command for valid input, and for runs that end early.

use std::fs;

use netloom_lab::page_data;
use serde_json::{Value, json};

use crate::command::{CUT_OFF, SMALL, Workspace};

#[test]
fn a_run_folder_can_be_checked_and_compared() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    let run = workspace.netloom(&["run", "small.yaml", "-o", "a"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("small, seed 1: complete") && run.out.contains("folder a"), "{}", run.out);
    assert_eq!(run.err, "", "a run of less than ten seconds prints no progress without a terminal");
    assert_eq!(workspace.netloom(&["run", "small.yaml", "-o", "b", "--set", "balance=ecmp"]).code, Some(0));

    let check = workspace.netloom(&["check", "small.yaml", "a", "b"]);
    assert_eq!(check.code, Some(0), "{}", check.err);
    let lines: Vec<&str> = check.out.lines().collect();
    assert!(lines.len() == 4 && lines[1].contains("packet-hops; "), "{}", check.out);

    let compare = workspace.netloom(&["compare", "a", "b"]);
    assert_eq!(compare.code, Some(0), "{}", compare.err);
    let rows: Vec<&str> = compare.out.lines().collect();
    let is_answer = rows[0].starts_with('b') || rows[0].starts_with("no difference shown between b and a");
    assert!(is_answer && rows[1].is_empty(), "{rows:?}");
    assert!(rows[2].starts_with("run") && rows[3].starts_with('a') && rows[4].starts_with('b'), "{rows:?}");
    let json = workspace.netloom(&["compare", "a", "b", "--json"]);
    let json: Value = serde_json::from_str(&json.out).expect("it is JSON");
    assert!(json["rows"][1]["relative"]["step_mean_s"].as_f64().is_some_and(|ratio| ratio > 0.0), "{json}");
}

#[test]
fn the_longest_step_of_a_run_is_explained() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    assert_eq!(workspace.netloom(&["run", "small.yaml", "-o", "a"]).code, Some(0));
    let explain = workspace.netloom(&["explain", "a"]);
    assert_eq!(explain.code, Some(0), "{}", explain.err);
    for part in
        ["step ", " of pair took ", "the longest of 3 steps", "transmission and propagation", "100.0 %"]
    {
        assert!(explain.out.contains(part), "`{part}` is not in:\n{}", explain.out);
    }
    let json = workspace.netloom(&["explain", "a", "--step", "1", "--json"]);
    let json: Value = serde_json::from_str(&json.out).expect("it is JSON");
    assert_eq!((&json["step"], &json["steps"]), (&1.into(), &3.into()));
    let wrong = workspace.netloom(&["explain", "a", "--step", "last"]);
    assert!(wrong.code == Some(2) && wrong.err.contains("`worst`, `median`"), "{}", wrong.err);
    let missing = workspace.netloom(&["explain", "a", "--step", "9"]);
    assert!(missing.code == Some(2) && missing.err.contains("the last one is 2"), "{}", missing.err);
}

#[test]
fn a_report_replaces_an_existing_file_only_with_force() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    assert_eq!(workspace.netloom(&["run", "small.yaml", "-o", "a"]).code, Some(0));
    assert_eq!(
        workspace.netloom(&["run", "small.yaml", "-o", "b", "--set", "balance=adaptive"]).code,
        Some(0)
    );
    let report = workspace.netloom(&["report", "a", "b", "-o", "new/page.html"]);
    assert_eq!((report.code, report.out.as_str()), (Some(0), "report new/page.html\n"), "{}", report.err);
    let page = fs::read_to_string(workspace.path("new/page.html")).expect("it is there");
    let data = page_data(&page).expect("there is data");
    let data: Value = serde_json::from_str(&data).expect("it is JSON");
    assert_eq!((&data["runs"][0]["name"], &data["runs"][1]["name"]), (&json!("a"), &json!("b")));
    let changed = data["settings"]["changed"]["rows"].as_array().expect("there is a list");
    let balance = changed.iter().find(|row| row["path"] == "balance.switch").expect("it is not the default");
    assert_eq!(balance["values"], json!(["spray", "adaptive"]));
    let again = workspace.netloom(&["report", "a", "-o", "new/page.html"]);
    let (error, hint) = again.err.split_once("\nhint: ").expect("the hint comes after its error");
    assert!(
        again.code == Some(2) && error.starts_with("error: ") && hint.contains("--force"),
        "{}",
        again.err
    );
    assert_eq!(workspace.netloom(&["report", "a", "-o", "new/page.html", "--force"]).code, Some(0));
}

#[test]
fn without_an_output_the_folder_has_the_name_of_the_scenario() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    let run = workspace.netloom(&["run", "small.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("folder out/small"), "{}", run.out);
    assert!(workspace.path("out/small/manifest.json").is_file());
}

#[test]
fn the_digest_depends_on_the_seed_but_not_on_threads() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    let run =
        |more: &[&str]| workspace.digest(&[&["run", "small.yaml", "-o", "a", "--force"], more].concat());
    let first = run(&["--threads", "1"]);
    assert_eq!(run(&["--threads", "1"]), first);
    assert_eq!(run(&["--threads", "2"]), first);
    assert_eq!(run(&["--threads", "4"]), first);
    assert_ne!(run(&["--seed", "2"]), first);
}

#[test]
fn more_threads_than_cores_cause_a_warning() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    let run =
        |more: &[&str]| workspace.netloom(&[&["run", "small.yaml", "-o", "a", "--force"], more].concat());
    // The test assumes a machine with fewer than 256 cores.
    let warned = run(&["--threads", "256"]);
    assert_eq!(warned.code, Some(0), "{}", warned.err);
    assert!(warned.err.contains("warning: --threads 256"), "{}", warned.err);
    assert!(!run(&["--threads", "1"]).err.contains("--threads"));
    assert!(!run(&["--threads", "256", "--quiet"]).err.contains("--threads"));
}

#[test]
fn the_manifest_records_settings_and_command() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    assert_eq!(workspace.netloom(&["run", "small.yaml", "-o", "a", "--seed", "7", "--quiet"]).out, "");
    let text = fs::read_to_string(workspace.path("a/manifest.json")).expect("it is there");
    let manifest: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(manifest["seed"], 7);
    assert_eq!(manifest["outcome"]["status"], "complete");
    assert_eq!(manifest["scenario"]["seed"], 7);
    assert_eq!(manifest["scenario"]["jobs"][0]["name"], "pair");
    assert!(manifest["scenario_yaml"].as_str().is_some_and(|yaml| yaml.starts_with("netloom: 1\n")));
    assert_eq!(manifest["engine"]["hosts"], 4);
    assert_eq!(manifest["engine"]["lookahead_ps"], 1_000_000);
    assert_eq!(manifest["engine"]["coordination_delay_ps"], 1_000_000);
    for key in ["window_ps", "windows", "partitions"] {
        assert!(manifest["engine"][key].as_u64().is_some_and(|value| value > 0), "{key}");
    }
    assert!(manifest["packets"].as_u64() > Some(0) && manifest["hops"].as_u64() > Some(0));
    assert!(manifest["command"].as_array().is_some_and(|words| words.len() == 8), "{}", manifest["command"]);
    assert!(manifest["assumptions"].as_array().is_some_and(|notes| !notes.is_empty()));
}

#[test]
fn waiting_flows_are_reported_by_name() {
    let workspace = Workspace::new();
    workspace.write("cut.yaml", &CUT_OFF.replace("LINK", "leaf0.host0.nic0"));
    let run = workspace.netloom(&["run", "cut.yaml", "-o", "cut"]);
    assert_eq!(run.code, Some(3), "{}{}", run.out, run.err);
    assert!(run.out.contains("job `ring`") && run.out.contains("leaf0.host0"), "{}", run.out);
    let text = fs::read_to_string(workspace.path("cut/manifest.json")).expect("it is there");
    let manifest: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(manifest["outcome"]["status"], "unreachable");
    assert_eq!(workspace.netloom(&["check", "cut"]).code, Some(0), "the records are intact nevertheless");
    let quiet = workspace.netloom(&["run", "cut.yaml", "-o", "cut", "--force", "--quiet"]);
    assert!(
        quiet.code == Some(3) && quiet.out.is_empty() && quiet.err.contains("job `ring`"),
        "{}",
        quiet.err
    );
}

#[test]
fn a_deadline_ends_a_run_early() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    let run = workspace.netloom(&["run", "small.yaml", "-o", "a", "--set", "deadline=20us", "--json"]);
    assert_eq!(run.code, Some(3), "{}", run.err);
    let json: Value = serde_json::from_str(&run.out).expect("it is JSON");
    assert_eq!(json["outcome"]["status"], "deadline");
    assert_eq!(json["summary"]["simulated_s"], 2e-5);
    assert_eq!(workspace.netloom(&["check", "a"]).code, Some(0));
}

#[test]
fn list_prints_all_names() {
    let workspace = Workspace::new();
    let all = workspace.netloom(&["list"]);
    assert_eq!(all.code, Some(0));
    for name in ["ecmp", "leaf_spine", "ring_all_reduce", "rack_balanced", "window", "mice"] {
        assert!(all.out.contains(name), "{name}");
    }
    let policies = workspace.netloom(&["list", "policies"]).out;
    assert!(policies.contains("salt") && !policies.contains("leaf_spine"), "{policies}");
    let json: Value = serde_json::from_str(&workspace.netloom(&["list", "--json"]).out).expect("it is JSON");
    assert_eq!(json[0]["kind"], "policies");
    assert_eq!(json[0]["entries"][0]["parameters"][0]["name"], "salt");
}

#[test]
fn a_configuration_of_the_first_papers_simulator_is_converted_to_a_scenario() {
    let workspace = Workspace::new();
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/../testkit/golden/dp_ecmp_mid/config.yaml");
    let import = workspace.netloom(&["import", "seed-sim", config, "-o", "made"]);
    assert_eq!(import.code, Some(0), "{}", import.err);
    let made = import.out.trim();
    assert_eq!(made, "made/config.yaml");
    assert_eq!(workspace.netloom(&["check", made]).code, Some(0));
    let again = workspace.netloom(&["import", "seed-sim", config, "-o", "made"]);
    assert!(again.code == Some(2) && again.err.contains("--force"), "{}", again.err);
    assert_eq!(workspace.netloom(&["import", "seed-sim", config, "-o", "made", "--force"]).code, Some(0));
    let wrong = workspace.netloom(&["import", "seed-sim", made, "missing.yaml", "-o", "other"]);
    assert!(wrong.code == Some(2) && wrong.err.contains("missing.yaml"), "{}", wrong.err);
}

#[test]
fn a_sweep_stores_and_compares_all_its_points() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    let arguments = ["sweep", "small.yaml", "--vary", "balance=ecmp,spray", "--seeds", "3", "-o", "a"];
    let sweep = workspace.netloom(&arguments);
    assert_eq!(sweep.code, Some(0), "{}", sweep.err);
    assert_eq!(sweep.err, "", "a run of less than ten seconds prints no progress without a terminal");
    for part in [
        "no difference shown between ecmp and spray",
        "+- 95 %",
        "vs balance=spray, seed by seed",
        "6 points, 0 there already",
    ] {
        assert!(sweep.out.contains(part), "`{part}` is not in:\n{}", sweep.out);
    }
    assert_eq!(workspace.netloom(&["check", "a/points/small/balance=ecmp/seed-2"]).code, Some(0));
    let again = workspace.netloom(&[&arguments[..], &["--json"]].concat());
    let json: Value = serde_json::from_str(&again.out).expect("it is JSON");
    assert_eq!((&json["made"], &json["kept"]), (&0.into(), &6.into()));
    // The file itself has `spray`.
    assert!(json["variants"][0]["jobs"][0]["difference"]["mean_s"].is_f64(), "{json}");
    assert_eq!(json["baseline"], 1);
    let other = workspace.netloom(&[&arguments[..], &["--baseline", "ecmp"]].concat());
    assert!(other.out.contains("vs balance=ecmp, seed by seed"), "{}", other.out);
    let wrong = workspace.netloom(&[&arguments[..], &["--baseline", "other"]].concat());
    assert!(wrong.code == Some(2) && wrong.err.contains("balance=ecmp; balance=spray"), "{}", wrong.err);
    let other = workspace.netloom(&[&arguments[..], &["--set", "jobs.0.steps=2"]].concat());
    assert!(
        other.code == Some(2) && other.err.contains("no --set, now --set jobs.0.steps=2"),
        "{}",
        other.err
    );
    let hint = other.err.lines().last().expect("there are lines");
    assert!(hint.contains("--force") && hint.contains("the points of both"), "{}", other.err);
    let report = workspace.netloom(&["report", "a", "-o", "page.html"]);
    assert!(report.code == Some(0), "a report includes all runs of a sweep: {}", report.err);
    let compared = workspace.netloom(&["compare", "a"]);
    assert_eq!(compared.code, Some(0), "the points of a sweep are runs: {}", compared.err);
    for point in ["ecmp, seed 1", "ecmp, seed 3", "spray, seed 2"] {
        assert!(compared.out.contains(point), "`{point}` is not in:\n{}", compared.out);
    }
    let quiet = workspace.netloom(&[&arguments[..], &["--quiet"]].concat());
    assert!(quiet.code == Some(0) && quiet.out.is_empty() && quiet.err.is_empty());
}

#[test]
fn a_sweep_reports_incomplete_runs() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    let arguments = ["sweep", "small.yaml", "--vary", "deadline=20us,1s", "-o", "a"];
    let sweep = workspace.netloom(&arguments);
    assert_eq!(sweep.code, Some(3), "{}", sweep.err);
    assert_eq!(sweep.err.trim_end(), "deadline=20us: 1 of 1 run incomplete");
    assert!(
        workspace.netloom(&arguments).out.contains("2 there already"),
        "a deadline is an end like any other"
    );
}

#[test]
fn a_sweep_without_jobs_reports_messages() {
    let workspace = Workspace::new();
    let jobs = SMALL.lines().filter(|line| !line.starts_with("jobs")).collect::<Vec<_>>().join("\n");
    workspace
        .write("mice.yaml", &format!("{jobs}\nbackground: {{ mice: {{ end: 50us, interval: 10us }} }}\n"));
    let sweep =
        workspace.netloom(&["sweep", "mice.yaml", "--vary", "balance=ecmp,spray", "--seeds", "2", "-o", "a"]);
    assert_eq!(sweep.code, Some(0), "{}", sweep.err);
    let lines: Vec<&str> = sweep.out.lines().collect();
    assert!(lines[0].starts_with("no difference shown between ecmp and spray: 4.426 us"), "{}", sweep.out);
    assert!(lines[2].starts_with("background of") && lines[2].contains("slowdown p99"), "{}", sweep.out);
    assert!(lines[3].starts_with("balance=ecmp") && lines[4].starts_with("balance=spray"), "{}", sweep.out);
    assert!(lines[5].is_empty() && lines[6].starts_with("4 points"), "{}", sweep.out);
}

#[test]
fn names_are_printed_without_control_sequences() {
    let workspace = Workspace::new();
    let hostile = r#"name: "\e[31m\nred\u202e""#;
    workspace.write(
        "hostile.yaml",
        &SMALL.replace("name: pair", hostile).replacen("fabric", &format!("{hostile}\nfabric"), 1),
    );
    let run = workspace.netloom(&["run", "hostile.yaml", "-o", "a"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let compare = workspace.netloom(&["compare", "a", "a", "--json"]);
    let missing = workspace.netloom(&["report", "no\u{1b}[31m\u{202e}such"]);
    let has_controls = |text: &str| text.contains(|c: char| (c.is_control() && c != '\n') || c == '\u{202e}');
    for text in [&run.out, &compare.out, &missing.err] {
        assert!(!has_controls(text), "{text:?}");
    }
    assert!(run.out.starts_with(r"\u{1b}[31m\nred\u{202e}, seed 1: complete"), "{}", run.out);
    assert!(run.out.lines().any(|line| line.starts_with(r"\u{1b}[31m\nred\u{202e}  ")), "{}", run.out);
    assert!(missing.err.contains(r"no\u{1b}[31m\u{202e}such"), "{}", missing.err);
}

#[test]
fn the_memory_of_themis_is_listed_part_by_part() {
    let workspace = Workspace::new();
    let papers = workspace.netloom(&["show", "themis", "--memory"]);
    assert_eq!(papers.code, Some(0), "{}", papers.err);
    for line in
        ["192,512", "= 100", "each queue pair: 120 B", "of a buffer of 64,000,000 B: 0.301 %", "0.6 %"]
    {
        assert!(papers.out.contains(line), "{line}: {}", papers.out);
    }
    let own = ["show", "themis", "--memory", "--rate", "100Gbps", "--paths", "16", "--json"];
    let json: Value = serde_json::from_str(&workspace.netloom(&own).out).expect("it is JSON");
    assert_eq!((&json["entries"], &json["total"]), (&json!(25), &json!(32 + 45 * 1600)));
    let wrong = workspace.netloom(&["show", "themis", "--memory", "--rate", "400"]);
    assert!(wrong.code == Some(2) && wrong.err.contains("unit"), "{}", wrong.err);
}

#[test]
fn tables_of_switches_are_reported_row_by_row() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    let links = ["--set", "fabric.leaf_spine.spines=6", "--set", "balance=spray"];
    let spray = workspace.netloom(&[&["show", "routes", "small.yaml", "--at", "leaf0"], &links[..]].concat());
    assert_eq!(spray.code, Some(0), "{}", spray.err);
    assert_eq!(
        spray.out,
        "spray\n\nleaf0\n\
         to                               by\n\
         leaf0.host0                      leaf0.host0.nic0\n\
         leaf0.host1                      leaf0.host1.nic0\n\
         leaf1.host0 ... leaf1.host1 (2)  leaf0-spine0.0 ... leaf0-spine5.0 (6)\n"
    );
    let entry = "routes=[{at: leaf0, from: leaf0.host1, to: leaf1.host0, link: leaf0-spine1.0}]";
    let by_pair =
        ["--set", "balance=deterministic", "--set", "balance.deterministic.key=pair", "--set", entry];
    let tables =
        workspace.netloom(&[&["show", "routes", "small.yaml", "--to", "leaf1.host0"], &by_pair[..]].concat());
    assert_eq!(tables.code, Some(0), "{}", tables.err);
    let lines: Vec<&str> = tables.out.lines().collect();
    assert!(lines[0].contains("--from"), "{}", tables.out);
    assert!(lines[5].contains("leaf0.host1") && lines[5].ends_with("static"), "{}", tables.out);
    let json = ["show", "routes", "small.yaml", "--at", "leaf1", "--json"];
    let json: Value = serde_json::from_str(&workspace.netloom(&json).out).expect("it is JSON");
    assert_eq!(json["switches"][0]["rows"][0]["hosts"], json!(2));
    let unknown = workspace.netloom(&["show", "routes", "small.yaml", "--at", "leaf7"]);
    assert!(unknown.code == Some(2) && unknown.err.contains("no switch of this name"), "{}", unknown.err);
    let wrong = workspace.netloom(&["show", "routes", "small.yaml", "--set", "balance=tables"]);
    assert!(wrong.code == Some(2) && wrong.err.contains("no balancing policy"), "{}", wrong.err);
}

#[test]
fn ingress_ports_that_share_an_egress_port_are_reported_by_tier_and_by_port() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    let spray = workspace.netloom(&["show", "arbitration", "small.yaml", "--set", "balance=spray"]);
    assert_eq!(spray.code, Some(0), "{}", spray.err);
    assert_eq!(
        spray.out,
        "spray\n\n\
         egress      egress ports  ingress ports each  from above  from below\n\
         tier1/up               4                   2           0           2\n\
         tier1/down             4                   3           2           1\n\
         tier2/down             4                   1           0           1\n"
    );
    let ports =
        workspace.netloom(&["show", "arbitration", "small.yaml", "--ports", "--set", "balance=spray"]);
    assert!(
        ports.out.ends_with("\nspine1  leaf1-spine1.0                                    leaf0-spine1.0\n"),
        "{}",
        ports.out
    );
    let json = workspace.netloom(&["show", "arbitration", "small.yaml", "--json"]);
    let json: Value = serde_json::from_str(&json.out).expect("it is JSON");
    assert_eq!(json["kinds"][0]["direction"], "up");
    let wrong = workspace.netloom(&["show", "arbitration", "small.yaml", "--set", "balance=tables"]);
    assert!(wrong.code == Some(2) && wrong.err.contains("no balancing policy"), "{}", wrong.err);
}

#[test]
fn staged_flows_are_reported_stage_by_stage() {
    let workspace = Workspace::new();
    workspace.write("flows.yaml", FLOWS);
    let run = workspace.netloom(&["run", "flows.yaml", "-o", "a"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("times are scaled to 1/1000 of those in the source\n"), "{}", run.out);
    let compare = workspace.netloom(&["compare", "a", "a"]);
    let titles = compare.out.lines().next().expect("there are titles");
    assert!(titles.starts_with("run  stage ") && titles.contains("Jain  "), "{}", compare.out);
    let sweep = workspace.netloom(&["sweep", "flows.yaml", "--seeds", "2", "-o", "grid"]);
    assert_eq!(sweep.code, Some(0), "{}", sweep.err);
    assert!(sweep.out.starts_with("flows of  stage  seeds "), "{}", sweep.out);
    let rows: Vec<&str> = run.out.lines().skip_while(|line| !line.starts_with("stage")).take(3).collect();
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
    assert_eq!(words(rows[0]), "stage one leaf0.host1->leaf1.host0 sum Jain variance (Gbps)^2");
    assert!(words(rows[1]).starts_with("0 s to 100 us ") && rows[1].contains(" - "), "{}", rows[1]);
    assert!(rows[1].trim_end().ends_with('0') && rows[1].contains("1.0000"), "{}", rows[1]);
    assert!(words(rows[2]).starts_with("100 us to 200 us ") && rows[2].matches("Gbps").count() == 3);
    let json = workspace.netloom(&["run", "flows.yaml", "-o", "a", "--force", "--json"]);
    let json: Value = serde_json::from_str(&json.out).expect("it is JSON");
    let flows = &json["summary"]["flows"];
    assert_eq!(
        (&flows["time_scale"], &flows["stages"][1]["flows"][0]["flow"]),
        (&json!("1/1000"), &json!("one"))
    );
    let text = fs::read_to_string(workspace.path("a/manifest.json")).expect("it is there");
    let manifest: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(manifest["time_scale"], "1/1000");
    assert_eq!(workspace.netloom(&["check", "a"]).code, Some(0));
}

#[test]
fn a_flow_without_acknowledgements_is_reported_by_name() {
    let workspace = Workspace::new();
    workspace.write("flows.yaml", FLOWS);
    let cut = ["run", "flows.yaml", "-o", "cut", "--set", "faults.failed=[leaf1.host0.nic0]"];
    let run = workspace.netloom(&cut);
    assert_eq!(run.code, Some(3), "{}{}", run.out, run.err);
    assert!(
        run.out.contains("2 staged flows blocked: `one` waits at leaf0.host0 for confirmation"),
        "{}",
        run.out
    );
}

const FLOWS: &str = "
netloom: 1
fabric: {leaf_spine: {leaves: 2, spines: 1, hosts_per_leaf: 2, host_rate: 100Gbps}}
transport: {ideal: {retries: 1}}
flows:
  message: 64KiB
  scale: 1/1000
  list:
    - {name: one, from: leaf0.host0, to: leaf1.host0, stop: 200us}
    - {from: leaf0.host1, to: leaf1.host0, start: 100us, stop: 200us}
";
