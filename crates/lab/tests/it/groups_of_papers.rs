//! Scenarios of papers with the words of groups: `group` for every collective, `stages` named by groups, and a study of
//! interference as two jobs. Every row of every table is the same.

use std::fs;
use std::path::Path;

use netloom_lab::{Digest, Options, Overrides, Source, Style, Watch, prepare, simulate};
use netloom_records::DigestSink;

fn text_of(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join(path)).expect("the file can be read")
}

fn digest(text: &str, set: &[(&str, &str)]) -> Digest {
    let set = set.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let overrides = Overrides { set, ..Overrides::default() };
    let prepared = prepare(&Source::text("scenario.yaml", text), &overrides);
    let prepared = prepared.unwrap_or_else(|error| panic!("{}", error.render(Style::Plain)));
    let mut sink = DigestSink::new(prepared.names());
    simulate(&prepared, &mut sink, Options::default(), Watch::default()).expect("rows are in order");
    sink.finish().digest
}

/// The text with these replacements, each of which must occur.
fn replaced(text: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(text.to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "`{old}` does not occur");
        text.replace(old, new)
    })
}

#[test]
fn data_parallel_jobs_of_the_first_paper_are_a_group_of_all_ranks() {
    for (scenario, steps) in [("dp_heavy_ecmp_low", "2"), ("dp_heavy_adaptive_high_failures", "1")] {
        let text = text_of(&format!("papers/zeltser2026/scenarios/{scenario}.yaml"));
        let grouped = replaced(
            &text,
            &[
                ("placement: all", "placement: all\n    groups: {dp: auto}"),
                ("ring_reduce_scatter: {", "ring_reduce_scatter: {group: dp, "),
                ("ring_all_gather: {", "ring_all_gather: {group: dp, "),
            ],
        );
        let steps = [("jobs.0.steps", steps)];
        assert_eq!(digest(&text, &steps), digest(&grouped, &steps), "{scenario}");
    }
}

#[test]
fn tensor_and_pipeline_parallel_jobs_of_the_first_paper_are_groups() {
    for scenario in ["mixed_flowlet_low", "mixed_adaptive_mid"] {
        let text = text_of(&format!("papers/zeltser2026/scenarios/{scenario}.yaml"));
        let grouped = replaced(
            &text,
            &[
                ("name: tp_heavy\n", "name: tp_heavy\n    groups: {tp: auto}\n"),
                ("name: pp_dp\n", "name: pp_dp\n    groups: {dp: 4, pp: 4}\n"),
                ("ring_all_reduce: {", "ring_all_reduce: {group: tp, "),
                ("stages: 4", "stages: pp"),
            ],
        );
        let steps = [("jobs.0.steps", "2"), ("jobs.1.steps", "2")];
        assert_eq!(digest(&text, &steps), digest(&grouped, &steps), "{scenario}");
    }
}

#[test]
fn a_study_of_interference_is_two_jobs_of_one_group_each() {
    let network = "
netloom: 1
fabric: { leaf_spine: { leaves: 2, spines: 1, hosts_per_leaf: 4, host_rate: 100Gbps, fabric_rate: 400Gbps, \
host_delay: 100ns, fabric_delay: 100ns } }
transport: { ideal: { queue_pairs: pair, coalesce: 16 } }
queues: { credits: { order: fifo } }
hosts: { send_overhead: 350ns, rendezvous: 32KiB }
record: { messages: summed }
";
    let victim = "{ring_all_gather: {size: 512KiB";
    for aggressor in ["{incast: {size: 512KiB", "{all_to_all_linear: {size: 256KiB, posting: rotated"] {
        let study = format!(
            "{network}interference: {{hosts: 8, victim: {victim}}}}}, aggressor: {aggressor}}}}}}}\n"
        );
        let jobs = format!(
            "{network}jobs:
  - name: victim
    placement: interleaved
    groups: {{dp: auto}}
    steps: {{precision: 1.4%}}
    warm_up: 10%
    phases: [{victim}, group: dp}}}}]
  - name: aggressor
    placement: interleaved
    groups: {{ep: [[0, 1, 2, 3]]}}
    steps: endless
    phases: [{aggressor}, group: ep}}}}]
"
        );
        assert_eq!(digest(&study, &[]), digest(&jobs, &[]), "{aggressor}");
    }
}
