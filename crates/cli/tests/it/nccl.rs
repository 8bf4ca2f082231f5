//! `netloom export nccl-tests`: the layout is exactly that of the benchmarks, including spaces.

use serde_json::Value;

use crate::osu::workspace;

/// An exchange and a ring of four ranks.
const PHASES: &str =
    "jobs.0.phases=[{all_to_all_pairwise: {size: 4KiB}}, barrier, {ring_all_reduce: {size: 256MiB}}]";

#[test]
fn the_layout_is_that_of_the_benchmarks() {
    let workspace = workspace(PHASES);
    let json: Value = serde_json::from_str(&workspace.netloom(&["export", "nccl-tests", "a", "--json"]).out)
        .expect("it is JSON");
    let number = |table: usize, key: &str| json["tables"][table]["lines"][0][key].as_f64().expect("a number");
    let version = env!("CARGO_PKG_VERSION");
    // The header that nccl-tests prints: `src/common.cu`.
    let heads = |program: &str, collective: &str| {
        format!(
            "
# {program}, simulated by netloom {version} (layout of nccl-tests)
# Job pair: {collective}, 4 ranks
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       
"
        )
    };
    let line = |table: usize, size: u64, count: u64, reduction: &str, decimals: usize| {
        let result = format!(
            "  {:>7.decimals$}  {:>6.2}  {:>6.2}    N/A",
            number(table, "time_us"),
            number(table, "algbw"),
            number(table, "busbw")
        );
        format!("{size:>12}  {count:>12}     float  {reduction:>6}      -1{result}{result}\n")
    };
    let average = |table: usize| {
        let busbw = json["tables"][table]["average_busbw"].as_f64().expect("a number");
        format!("# Avg bus bandwidth    : {busbw:.4}\n")
    };
    let expected = [
        heads("all_reduce_perf", "ring_all_reduce"),
        line(0, 256 << 20, 64 << 20, "sum", 1),
        average(0),
        heads("alltoall_perf", "all_to_all_pairwise"),
        line(1, 4096, 256, "none", 2),
        average(1),
    ];
    assert_eq!(workspace.netloom(&["export", "nccl-tests", "a"]).out, expected.concat());
}

#[test]
fn runs_without_bandwidths_are_refused() {
    let workspace = workspace(PHASES);
    let idle = ["run", "small.yaml", "-o", "idle", "--set", "jobs.0.phases=[{compute: 1us}]"];
    assert_eq!(workspace.netloom(&idle).code, Some(0));
    for (run, why) in [("idle", "no collective ended in this run"), ("nowhere", "no such run folder")] {
        let answer = workspace.netloom(&["export", "nccl-tests", run]);
        assert_eq!((answer.code, answer.out.as_str()), (Some(2), ""), "{run}");
        assert!(answer.err.contains(why), "{}", answer.err);
    }
}
