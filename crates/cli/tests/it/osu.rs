//! `netloom export osu`: the layout is exactly that of the benchmarks, including spaces.

use serde_json::Value;

use crate::command::{SMALL, Workspace};

/// An exchange and a ring of four ranks.
const PHASES: &str =
    "jobs.0.phases=[{all_to_all_pairwise: {size: 4KiB}}, barrier, {ring_all_reduce: {size: 4MiB}}]";

/// A folder with a run `a` of these phases.
pub fn workspace(phases: &str) -> Workspace {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    let run = workspace.netloom(&["run", "small.yaml", "-o", "a", "--set", phases]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    workspace
}

#[test]
fn the_layout_is_that_of_the_benchmarks() {
    let workspace = workspace(PHASES);
    let json = workspace.netloom(&["export", "osu", "a", "--json"]).out;
    let json: Value = serde_json::from_str(&json).expect("it is JSON");
    let line = |table: usize| &json["tables"][table]["lines"][0];
    let time = |table: usize, key: &str| format!("{:.2}", line(table)[key].as_f64().expect("a time"));
    let version = env!("CARGO_PKG_VERSION");
    let head = |benchmark: &str, collective: &str| {
        format!(
            "\n# {benchmark} Latency Test, simulated by netloom {version} (layout of the OSU micro-benchmarks)\n\
             # Job pair: {collective}, 4 ranks\n"
        )
    };
    let (reduce, exchange) = (
        head("Allreduce", "ring_all_reduce"),
        head("All-to-All Personalized Exchange", "all_to_all_pairwise"),
    );
    // Columns of 10 and 18 characters, as OSU Micro-Benchmarks 5.6 prints them.
    let expected = format!(
        "{reduce}# Size       Avg Latency(us)\n4194304   {:>18}\n{exchange}# Size       Avg Latency(us)\n1024      {:>18}\n",
        time(0, "average_us"),
        time(1, "average_us"),
    );
    assert_eq!(workspace.netloom(&["export", "osu", "a"]).out, expected);
    let columns = ["average_us", "minimum_us", "maximum_us"].map(|key| format!("{:>18}", time(0, key)));
    let expected = format!(
        "{reduce}# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n\
         4194304   {}           3\n",
        columns.concat()
    );
    let full = workspace.netloom(&["export", "osu", "a", "--full"]).out;
    assert!(full.starts_with(&expected), "{full}");
    assert_eq!(line(1)["size_bytes"], 1024, "a quarter of the vector for each of four ranks");
    assert_eq!(json["tables"][1]["counted"], "each_pair");
}

#[test]
fn runs_without_latencies_are_refused() {
    let workspace = workspace(PHASES);
    let computing = ["--set", "jobs.0.phases=[{compute: 1us}]"];
    assert_eq!(
        workspace.netloom(&[&["run", "small.yaml", "-o", "idle"][..], &computing].concat()).code,
        Some(0)
    );
    let both = "jobs.0.phases=[{collectives: {each: [{incast: {size: 1KiB}}, {incast: {size: 1KiB}}]}}]";
    assert_eq!(workspace.netloom(&["run", "small.yaml", "-o", "both", "--set", both]).code, Some(0));
    for (run, why) in [
        ("idle", "no collective ended in this run"),
        ("both", "all 3 collectives of this run overlapped others"),
        ("nowhere", "no such run folder: nowhere"),
    ] {
        let answer = workspace.netloom(&["export", "osu", run]);
        assert_eq!((answer.code, answer.out.as_str()), (Some(2), ""), "{run}");
        assert!(answer.err.contains(why), "{}", answer.err);
    }
}
