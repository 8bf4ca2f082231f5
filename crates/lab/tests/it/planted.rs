//! Planted causes: runs with one thing wrong, and what the comparison with the run without it says.

use std::path::PathBuf;

use netloom_lab::compare::compare_folders;
use netloom_lab::{Over, Overrides, RunRequest, Source, run};

/// Eight hosts train; nothing is wrong.
const SOUND: &str = "
netloom: 1
name: planted
seed: 4
fabric: {leaf_spine: {leaves: 2, spines: 2, hosts_per_leaf: 4, host_rate: 100Gbps, fabric_rate: 200Gbps}}
balance: spray
transport: open_loop
jobs:
  - name: training
    steps: 6
    phases: [{compute: 20us}, {collectives: {barrier: true, each: [{permutation: {size: 4MiB}}]}}]
";

/// Sender, switch buffers and pauses of a lossless fabric.
const LOSSLESS: &[(&str, &str)] = &[
    ("transport", "{go_back_n: {timeout: 4ms}}"),
    ("jobs.0.steps", "1"),
    ("balance", "ecmp"),
    ("queues", "{buffer: 1MB, alpha: 0.25, pause: true}"),
];

/// What is planted, in which setting of the sound run, and the cause that must be named.
struct Planted {
    name: &'static str,
    common: &'static [(&'static str, &'static str)],
    wrong: &'static [(&'static str, &'static str)],
    cause: &'static str,
}

const PLANTED: [Planted; 7] = [
    Planted {
        name: "slow link",
        common: &[],
        wrong: &[("faults", "{timed: [{at: 1ns, link: leaf0-spine0.0, action: {degrade: {rate: 40Gbps}}}]}")],
        cause: "queues leaf -> spine",
    },
    Planted {
        name: "storm of pauses",
        common: LOSSLESS,
        wrong: &[("faults", "{storms: [{link: leaf0.host0.nic0, at: 100us, span: 2ms}]}")],
        cause: "pause or credits at the sender",
    },
    Planted {
        name: "loss with timeout",
        common: &[
            ("transport", "irn"),
            ("jobs.0.phases", "[{compute: 20us}, {all_to_all_pairwise: {size: 128KiB}}]"),
        ],
        wrong: &[("faults", "{loss: 0.005}")],
        cause: "timeouts (retransmission)",
    },
    Planted {
        name: "small window",
        common: &[("transport", "{window: {packets: 64}}")],
        wrong: &[("transport", "{window: {packets: 2}}")],
        cause: "acknowledgements (window of the sender)",
    },
    Planted {
        name: "slow receiver",
        common: &[],
        wrong: &[("hosts", "{receive_overhead: 300us}")],
        cause: "computing and overheads",
    },
    Planted {
        name: "collision of hashes",
        common: &[("fabric.leaf_spine.fabric_rate", "100Gbps"), ("jobs.0.steps", "24")],
        wrong: &[("balance", "ecmp")],
        cause: "queues leaf -> spine",
    },
    Planted {
        name: "late ranks",
        common: &[],
        wrong: &[("jobs.0.phases.0.compute", "400us")],
        cause: "computing",
    },
];

fn stored(workspace: &tempfile::TempDir, name: &str, sets: &[&[(&str, &str)]]) -> PathBuf {
    let folder = workspace.path().join(name);
    let set = sets.iter().flat_map(|set| set.iter());
    let set = set.map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let request = RunRequest::new(Source::text("planted", SOUND));
    let overrides = Overrides { set, ..Overrides::default() };
    run(RunRequest { folder: Some(folder.clone()), overrides, ..request }).expect("it runs");
    folder
}

#[test]
fn the_comparison_names_what_was_planted() {
    let mut said = String::new();
    for planted in PLANTED {
        let workspace = tempfile::tempdir().expect("a folder can be made");
        let sound = stored(&workspace, "sound", &[planted.common]);
        let wrong = stored(&workspace, "wrong", &[planted.common, planted.wrong]);
        let found = compare_folders(&[sound, wrong], Over::Jobs, None, None).expect("they can be read");
        let answer = found.answer.expect("there are two variants");
        let sentences: Vec<&str> = answer.sentences().map(|sentence| sentence.text).collect();
        let reason = answer.verdicts[0].compared[0].reason.as_ref();
        let names =
            reason.map(|reason| reason.causes.iter().map(|cause| cause.cause.as_str()).collect::<Vec<_>>());
        said += &format!("{}:\n  {}\n", planted.name, sentences.join("\n  "));
        let first = names.as_ref().and_then(|names| names.first()).copied().unwrap_or_default();
        if !first.starts_with(planted.cause) {
            said += &format!("!! expected {}\n", planted.cause);
        }
    }
    assert!(!said.contains("!!"), "{said}");
    insta::assert_snapshot!(said);
}
