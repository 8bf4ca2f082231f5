//! Golden diagnostics: what a user sees for each kind of mistake, caret and hint included.

use netloom_scenario::{Overrides, Style, compile, resolve_bytes};

const FABRIC: &str = "fabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 2 } }\n";
const JOBS: &str = "jobs: [ { phases: [ { ring_all_reduce: { size: 1MiB } } ] } ]\n";

fn shown(bytes: &[u8], overrides: &Overrides) -> String {
    let wrong = match resolve_bytes(bytes, "scenario.yaml", overrides) {
        Ok(resolved) => compile(&resolved).expect_err("the scenario is broken"),
        Err(wrong) => wrong,
    };
    wrong.render(Style::Plain)
}

/// A snapshot of what this text is answered with.
macro_rules! golden {
    ($name:ident, $text:expr) => {
        #[test]
        fn $name() {
            let text: String = $text.to_string();
            insta::assert_snapshot!(shown(text.as_bytes(), &Overrides::default()));
        }
    };
}

/// The same for a well-formed frame with one section added or replaced.
fn with(section: &str) -> String {
    format!("netloom: 1\n{FABRIC}{JOBS}{section}\n")
}

fn with_jobs(jobs: &str) -> String {
    format!("netloom: 1\n{FABRIC}{jobs}\n")
}

fn with_fabric(fabric: &str) -> String {
    format!("netloom: 1\n{fabric}\n{JOBS}")
}

golden!(empty_file, "");
golden!(only_a_comment, "# nothing\n");
golden!(not_a_map, "- netloom: 1\n");
golden!(no_version, format!("{FABRIC}{JOBS}"));
golden!(unknown_version, format!("netloom: 2\n{FABRIC}{JOBS}"));
golden!(version_not_first, format!("{FABRIC}netloom: 1\n{JOBS}"));
golden!(broken_yaml, "netloom: 1\nfabric: { leaf_spine: [\njobs: }\n");
golden!(duplicate_key, with("seed: 1\nseed: 2"));
golden!(misspelled_section, with("balence: ecmp"));
golden!(misspelled_policy, with("balance: emcp"));
golden!(two_policies, with("balance: { ecmp: {}, spray: {} }"));
golden!(misspelled_parameter, with("balance: { ecmp: { slat: none } }"));
golden!(wrong_choice, with("balance: { adaptive: { backlog: byte } }"));
golden!(bare_number, with("transport: { open_loop: { rate: 4 } }"));
golden!(wrong_dimension, with("transport: { open_loop: { packet: 4us } }"));
golden!(misspelled_unit, with("transport: { open_loop: { rate: 4gbps } }"));
golden!(zero_and_negative, with("transport: { open_loop: { packet: 0B, rate: -4Gbps } }"));
golden!(too_fine_and_too_large, with("coordination_delay: 0.5ps\ndeadline: 99999999s"));
golden!(packet_too_large, with("transport: { open_loop: { packet: 1GB } }"));
golden!(class_out_of_range, with("classes: { data: 8, control: -1 }"));
golden!(deadline_of_zero, with("deadline: 0s"));
golden!(
    flag_in_other_words,
    with_jobs(
        "jobs: [ { phases: [ { collectives: { barrier: yes, each: [ { incast: { size: 1KB } } ] } } ] } ]"
    )
);
golden!(missing_parameters, with_fabric("fabric: { leaf_spine: { leaves: 2 } }"));
golden!(missing_fabric, format!("netloom: 1\n{JOBS}"));
golden!(nothing_to_do, format!("netloom: 1\n{FABRIC}"));
golden!(
    absurd_fabric,
    with_fabric("fabric: { leaf_spine: { leaves: 1000000, spines: 2, hosts_per_leaf: 1000000 } }")
);
golden!(
    several_at_once,
    with("seed: x\nqueues: { switch_limit: 100 }\nfaults: { failed: [leaf0-spine9.0] }")
);
golden!(
    unknown_links,
    with("faults: { failed: [leaf0-spine1], timed: [ { at: 1ms, link: leaf0-spin1.0, action: dwon } ] }")
);
golden!(
    fault_that_is_no_change,
    with("faults: { timed: [ { at: 1ms, link: leaf0-spine1.0, action: up } ] }")
);
golden!(unknown_host, with("record: { packets_from: [leaf0.hots1] }"));
golden!(
    pace_in_a_window,
    with("transport: window\nbackground: { mice: { end: 1ms, interval: 10us, rate: 1Gbps } }")
);
golden!(short_coordination_delay, with("coordination_delay: 10ns"));
golden!(
    unknown_phase,
    with_jobs("jobs: [ { phases: [ { ring_allreduce: { size: 1MiB } }, { compute: 5 } ] } ]")
);
golden!(missing_size, with_jobs("jobs: [ { phases: [ ring_all_gather ] } ]"));
golden!(
    too_many_ranks,
    with_jobs("jobs: [ { placement: { contiguous: { ranks: 5 } }, phases: [ barrier ] } ]")
);
golden!(uneven_stages, with_jobs("jobs: [ { phases: [ { point_to_point: { stages: 3, size: 1KB } } ] } ]"));
golden!(
    rank_twice_in_stages,
    with_jobs(
        "jobs: [ { phases: [ barrier, { point_to_point: { stages: [[0, 1], [1, 2]], size: 1KB } } ] } ]"
    )
);
golden!(
    sends_to_itself,
    with_jobs("jobs: [ { phases: [ { permutation: { size: 1KB, pattern: shift, shift: 4 } } ] } ]")
);
golden!(too_many_senders, with_jobs("jobs: [ { phases: [ { incast: { size: 1KB, senders: 4 } } ] } ]"));
golden!(longer_than_the_clock, with_jobs("jobs: [ { steps: 4000000000, phases: [ { compute: 10ms } ] } ]"));
golden!(
    disconnected_fabric,
    with_fabric(
        "fabric:\n  custom:\n    hosts: [a, b, c]\n    switches: [s]\n    links:\n      - { from: a, to: s, rate: 1Gbps, delay: 1us }\n      - { from: b, to: s, rate: 1Gbps, delay: 1us }"
    )
);
golden!(
    links_to_nowhere,
    with_fabric(
        "fabric:\n  custom:\n    hosts: [alpha, beta]\n    links:\n      - { from: alpha, to: beat, rate: 1Gbps, delay: 1us }\n      - { from: beta, to: beta, rate: 1, delay: 1us }"
    )
);
golden!(alias_bomb, {
    let tens = |n: usize| format!("a{n}: &a{n} [{}]", vec![format!("*a{}", n - 1); 10].join(", "));
    let first = "netloom: 1\na0: &a0 [x, x, x, x, x, x, x, x, x, x]".to_owned();
    std::iter::once(first).chain((1..9).map(tens)).collect::<Vec<_>>().join("\n") + "\n"
});

#[test]
fn binary_file() {
    insta::assert_snapshot!(shown(b"\x7fELF\x02\x01\x01\0\0\0", &Overrides::default()));
}

#[test]
fn not_utf8() {
    insta::assert_snapshot!(shown(b"netloom: 1\nname: caf\xe9\n", &Overrides::default()));
}

#[test]
fn mistakes_in_overrides() {
    let set = |path: &str, value: &str| (path.to_owned(), value.to_owned());
    let set = vec![
        set("fabric.leaf_spine.host_rate", "4"),
        set("transport.window.packts", "8"),
        set("jobs.3.steps", "2"),
    ];
    insta::assert_snapshot!(shown(with("").as_bytes(), &Overrides { set, ..Overrides::default() }));
}

#[test]
fn every_mistake_of_a_file_is_reported() {
    let text = with("seed: x\nclasses: { data: 9 }\nrecord: { packets_on: [nowhere] }");
    let wrong = netloom_scenario::resolve(&text, "scenario.yaml").unwrap_err();
    assert_eq!(wrong.problems().len(), 3);
    let places: Vec<_> = wrong.problems().iter().map(netloom_scenario::Problem::line_and_column).collect();
    assert_eq!(places, [(4, 7), (5, 18), (6, 24)]);
    assert!(wrong.render(Style::Fancy).contains('\u{1b}'));
    assert!(!wrong.render(Style::Plain).contains('\u{1b}'));
}
