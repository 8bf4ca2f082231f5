//! From a study to plans: values that are kept, differences that are noted, and errors that are refused with their
//! location.

use std::fs;

use netloom_lab::field::{Preparation, Study, prepare};
use netloom_lab::{LabError, Seeds, Style};

use super::home::{Home, LATENCY, STREAMS, STUDY, preparation};

/// Prepares a study with changes.
fn changed(text: &str, set: &[(&str, &str)]) -> Result<Study, LabError> {
    let home = tempfile::tempdir().expect("a folder can be made");
    let set = set.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let folder = home.path().join("study");
    let prepared = prepare(&Preparation { set, ..preparation(text, folder.clone()) });
    assert_eq!(folder.exists(), prepared.is_ok(), "nothing is written if the study is refused");
    prepared
}

/// The plan of a study with changes, and its notes.
#[track_caller]
fn plan_of(text: &str, set: &[(&str, &str)]) -> (String, String) {
    let study = changed(text, set).unwrap_or_else(|error| panic!("{}", error.headed(Style::Plain)));
    (study.points[0].plan.to_string(), study.notes.join("\n"))
}

fn plan(set: &[(&str, &str)]) -> (String, String) {
    plan_of(STUDY, set)
}

#[track_caller]
fn has(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|own| own == *line), "`{line}` is missing in:\n{text}");
    }
}

#[test]
fn a_plan_states_what_the_study_states() {
    let (text, notes) = plan(&[]);
    has(&text, &["groups interleaved", "victim ring_all_gather 65536", "aggressor incast 65536"]);
    has(&text, &["segment baseline 2 10", "segment congested 2 10", "bursts steady", "deadline_s 60"]);
    assert_eq!(text.matches("segment baseline").count(), 2);
    assert!(notes.contains("in the same job, before and after"), "{notes}");
}

#[test]
fn plans_state_the_digest_of_their_study() {
    let one = changed(STUDY, &[]).expect("all is right");
    has(&one.points[0].plan.to_string(), &[&format!("study {}", one.digest)]);
    let other = changed(STUDY, &[("interference.steps", "13")]).expect("all is right");
    assert_ne!(one.digest, other.digest);
    assert_eq!(one.digest, changed(STUDY, &[]).expect("all is right").digest);
}

#[test]
fn precision_is_that_of_the_scenario() {
    let (text, notes) = plan(&[
        ("interference.steps", "{precision: 1.5%, at_least: 20, at_most: 500}"),
        ("interference.warm_up", "10%"),
    ]);
    has(&text, &["segment congested 50 precision 0.015 20 450"]);
    assert!(notes.contains("The warm-up is a share"), "{notes}");
}

#[test]
fn sizes_for_each_peer_become_whole_vectors() {
    let exchange = "{all_to_all_linear: {size: 4KiB, posting: same}}";
    let (text, notes) = plan(&[
        ("interference.sizes", "per_peer"),
        ("interference.victim", exchange),
        ("interference.aggressor", "{all_to_all_pairwise: {size: 4KiB}}"),
        ("interference.groups", "contiguous"),
    ]);
    has(&text, &["victim all_to_all_linear 16384", "aggressor all_to_all_pairwise 16384", "size_of vector"]);
    has(&text, &["groups contiguous"]);
    assert!(!notes.contains("posts its messages"), "{notes}");
}

#[test]
fn differences_between_machine_and_scenario_are_noted() {
    let (text, notes) = plan(&[
        ("interference.aggressor", "{all_to_all_linear: {size: 4KiB}}"),
        ("interference.bursts", "{length: 1500ps, pause: 2us, slack: 1us, kind: exponential}"),
        ("interference.victim", "{ring_all_reduce: {size: 1000B}}"),
        ("faults", "{failed: [leaf0-spine0.0], awareness: global}"),
        ("fabric.leaf_spine.spines", "2"),
    ]);
    has(&text, &["bursts exponential 2 2000", "victim ring_all_reduce 1000"]);
    for word in ["posts its messages rotated", "slack", "whole nanoseconds", "whole 8-byte words", "Faults"] {
        assert!(notes.contains(word), "`{word}` is missing in:\n{notes}");
    }
}

#[test]
fn hosts_are_in_the_order_of_ranks() {
    let hosts = |set: &[(&str, &str)]| {
        let study = changed(STUDY, set).unwrap_or_else(|error| panic!("{}", error.headed(Style::Plain)));
        (study.points[0].hosts.clone(), study.points[0].plan.to_string())
    };
    let (named, text) = hosts(&[
        ("interference.hosts", "[leaf1.host3, leaf0.host0, leaf0.host2, leaf1.host1]"),
        ("interference.groups", "interleaved"),
    ]);
    assert_eq!(named, ["leaf1.host3", "leaf0.host0", "leaf0.host2", "leaf1.host1"]);
    has(&text, &["groups interleaved"]);
    let (named, text) = hosts(&[
        ("interference.hosts", "[leaf0.host0, leaf0.host3, leaf0.host1, leaf0.host2]"),
        ("interference.groups", "contiguous"),
    ]);
    assert_eq!(named, ["leaf0.host0", "leaf0.host1", "leaf0.host2", "leaf0.host3"]);
    has(&text, &["groups listed v a a v"]);
    let (named, _) = hosts(&[("interference.groups", "random")]);
    let mut sorted = named.clone();
    sorted.sort();
    sorted.dedup();
    assert!(sorted.len() == 8 && named != sorted, "sampled, and each once: {named:?}");
}

#[test]
fn seeds_and_variations_make_a_point_each() {
    let home = tempfile::tempdir().expect("a folder can be made");
    let asked = Preparation {
        vary: vec!["interference.groups=random,interleaved".parse().expect("it is one")],
        seeds: Some(Seeds(1..=2)),
        ..preparation(STUDY, home.path().join("study"))
    };
    let study = prepare(&asked).expect("all is right");
    let names: Vec<&str> = study.points.iter().map(|point| point.name.as_str()).collect();
    assert_eq!(names[0], "interference.groups=random,seed=1");
    assert_eq!(names.len(), 4);
    assert_ne!(study.points[0].hosts, study.points[1].hosts, "groups are sampled for each seed");
    for name in names {
        let folder = home.path().join("study/points").join(name);
        let hosts = fs::read_to_string(folder.join("hosts.txt")).expect("it is there");
        assert_eq!(hosts.lines().count(), 8);
        let plan = fs::read_to_string(folder.join("plan.txt")).expect("it is there");
        assert!(plan.starts_with("netloom-field plan 1\n"));
    }
}

#[test]
fn a_baseline_that_a_congested_point_measures_has_no_plan_of_its_own() {
    let vary = "interference.aggressor=none,{incast: {size: 64KiB}},{incast: {size: 1KiB}}";
    let home = Home::of(STUDY, &[vary]);
    assert_eq!(home.study.points.len(), 2);
    let (text, notes) = plan(&[("interference.aggressor", "none")]);
    has(&text, &["groups listed v v v v", "aggressor none", "segment baseline 2 10"]);
    assert_eq!(text.matches("segment").count(), 1);
    assert!(notes.contains("The victim in isolation"), "{notes}");
}

#[test]
fn a_job_of_collectives_is_timed_size_by_size() {
    let (text, notes) = plan_of(LATENCY, &[]);
    has(&text, &["groups listed v v v v", "victim latency ring_all_gather 4096 65536"]);
    has(&text, &["aggressor none", "segment baseline 2 10"]);
    assert!(notes.contains("all iterations of a size"), "{notes}");
    let (_, notes) = plan_of(LATENCY, &[("jobs.0.warm_up", "0")]);
    assert!(notes.contains("wait at a barrier before each iteration"), "{notes}");
}

#[test]
fn staged_flows_become_streams_with_times_of_the_machine() {
    let (text, notes) = plan_of(STREAMS, &[]);
    has(&text, &["groups listed v v v", "victim pair_streams", "segment baseline 0 1"]);
    has(&text, &["stream 1 0 0 1 4096", "stream 2 0 0.5 1 4096"]);
    assert!(notes.contains("100 times those of the scenario") && notes.contains("4 messages"), "{notes}");
}

#[test]
fn options_take_precedence_over_the_scenario() {
    let home = tempfile::tempdir().expect("a folder can be made");
    let asked = |text, iterations, warm_up, deadline_s| Preparation {
        iterations,
        warm_up,
        deadline_s,
        ..preparation(text, home.path().join("study"))
    };
    let study = prepare(&asked(STUDY, Some(7), Some(0), 5)).expect("all is right");
    has(&study.points[0].plan.to_string(), &["segment congested 0 7", "deadline_s 5"]);
    for (asked, word) in [
        (asked(STUDY, Some(0), None, 5), "--iterations"),
        (asked(STUDY, None, Some(u32::MAX), 5), "--warm-up"),
        (asked(STUDY, None, None, 0), "--deadline"),
        (asked(STREAMS, Some(3), None, 5), "--iterations: staged flows are run once"),
    ] {
        let refused = prepare(&asked).expect_err("it is out of range").to_string();
        assert!(refused.contains(word), "{refused}");
    }
    let early = prepare(&asked(STREAMS, None, None, 1)).expect_err("it is too early").headed(Style::Plain);
    assert!(early.contains("the last stream stops 1 s after the start"), "{early}");
}

/// Asserts that a study with changes is refused with these words and a location.
#[track_caller]
fn refused(text: &str, set: &[(&str, &str)], words: &[&str]) {
    let error = changed(text, set).expect_err("the program cannot do this");
    let LabError::Scenario(_) = &error else { panic!("it has no location: {error}") };
    let text = error.headed(Style::Plain);
    for word in words {
        assert!(text.contains(word), "`{word}` is missing in: {text}");
    }
}

#[test]
fn a_victim_or_aggressor_that_the_program_lacks_is_refused_with_line_and_column() {
    let broken = STUDY.replace("victim: { ring_all_gather", "victim: { ring_reduce_scatter");
    refused(
        &broken,
        &[],
        &["does not support the victim `ring_reduce_scatter`", "[study.yaml:9:13]", "expected one of"],
    );
    refused(
        STUDY,
        &[("interference.aggressor", "{ring_all_gather: {size: 4KiB}}")],
        &["not support the aggressor `ring_all_gather`", "--set"],
    );
}

#[test]
fn forms_of_collectives_that_the_program_lacks_are_refused_together() {
    refused(
        STUDY,
        &[
            ("interference.aggressor", "none"),
            ("hosts.rendezvous", "none"),
            (
                "interference.victim",
                "{ring_all_reduce: {size: 1001B, volume: half, order: shuffled, dependent: false}}",
            ),
        ],
        &[
            "a multiple of 8 B",
            "full all-reduces",
            "ranks in ascending order",
            "only after it has",
            "4 mistakes",
        ],
    );
    let bursts = ("interference.bursts", "{length: 1us, pause: 1us}");
    refused(
        STUDY,
        &[("interference.aggressor.incast.senders", "2"), bursts],
        &["all ranks except the first one send"],
    );
    refused(STUDY, &[("interference.aggressor.incast.size", "3GiB")], &["MPI counts in 32 bits"]);
    refused(STUDY, &[("background", "{mice: {end: 1ms}}")], &["background traffic"]);
    let two = "[{name: victim, phases: [barrier, {ring_all_gather: {size: 1KiB}}]}]";
    refused(STUDY, &[("interference", "none"), ("jobs", two)], &["does not repeat a single collective"]);
    refused(
        LATENCY,
        &[("jobs.0.placement", "{contiguous: {ranks: 1}}")],
        &["has 1 rank", "at least 2 ranks"],
    );
}

#[test]
fn jobs_and_flows_that_the_program_lacks_are_refused() {
    refused(
        LATENCY,
        &[("jobs.0.phases.1", "{all_to_all_linear: {size: 8KiB}}")],
        &["a plan times one kind of collective"],
    );
    refused(LATENCY, &[("jobs.0.phases.1", "{ring_all_gather: {size: 4KiB}}")], &["4096 B occurs twice"]);
    refused(LATENCY, &[("jobs.0.phases.1", "{compute: 1ms}")], &["times single collectives"]);
    let groups = ("jobs.0.groups", "{pairs: 2, rest: auto}");
    let in_groups = ("jobs.0.phases.1", "{ring_all_gather: {size: 8KiB, group: pairs}}");
    refused(LATENCY, &[groups, in_groups], &["runs a collective on all ranks"]);
    let local_rate = ("hosts.local_rate", "1Tbps");
    refused(LATENCY, &[("jobs.0.ranks_per_host", "2"), local_rate], &["expected one rank on each host"]);
    refused(LATENCY, &[("jobs.0.share_hosts", "true")], &["belongs to one job"]);
    refused(
        LATENCY,
        &[("jobs.0.phases.1", "{incast: {size: 8KiB}}")],
        &["does not support the victim `incast`"],
    );
    refused(STREAMS, &[("flows.list.0.rate", "1Gbps")], &["`near` has a rate of its own"]);
    refused(STREAMS, &[("flows.message", "4B")], &["a message of 4 B"]);
    let mice = ("background", "{mice: {end: 1ms}}");
    refused(STREAMS, &[("flows", "none"), mice], &["there is nothing to measure", "background traffic"]);
}

#[test]
fn mistakes_of_scenarios_are_reported_as_elsewhere() {
    refused(STUDY, &[("interference.hosts", "7")], &["7 hosts do not make two groups"]);
    let home = tempfile::tempdir().expect("a folder can be made");
    let vary = vec!["interference.groups=random,randomly".parse().expect("it is one")];
    let asked = Preparation { vary, ..preparation(STUDY, home.path().join("study")) };
    let text = prepare(&asked).expect_err("it is misspelt").headed(Style::Plain);
    assert!(text.contains("randomly") && !home.path().join("study").exists(), "{text}");
}

#[test]
fn a_second_preparation_keeps_the_files_of_a_folder() {
    let home = Home::of(STUDY, &[]);
    let hosts = home.study_folder().join("hosts.txt");
    fs::write(&hosts, "leaf0.host0 node17\n").expect("it can be written");
    fs::remove_file(home.study_folder().join("job.slurm")).expect("it can be removed");
    fs::create_dir(home.file("result")).expect("it can be made");
    prepare(&preparation(STUDY, home.study_folder())).expect("it is the same study");
    assert_eq!(fs::read_to_string(&hosts).expect("it is there"), "leaf0.host0 node17\n");
    assert!(home.study_folder().join("job.slurm").exists() && home.file("result").exists());
    let other = STUDY.replace("64KiB", "32KiB");
    let refused = prepare(&preparation(&other, home.study_folder())).expect_err("another study is there");
    assert!(refused.to_string().contains("study has changed"), "{refused}");
    let foreign = home.path("foreign");
    fs::create_dir(&foreign).expect("it can be made");
    fs::write(foreign.join("thesis.tex"), "of the user").expect("it can be written");
    let refused = prepare(&preparation(STUDY, foreign.clone())).expect_err("it holds other files");
    assert!(refused.to_string().contains("no prepared study"), "{refused}");
    assert_eq!(fs::read_dir(foreign).expect("it is there").count(), 1);
}

#[test]
fn a_preparation_that_was_killed_is_completed() {
    let home = Home::of(STUDY, &[]);
    let folder = home.study_folder();
    fs::remove_file(folder.join("study.json")).expect("it can be removed");
    let refused = prepare(&preparation(STUDY, folder.clone())).expect_err("the folder has no marker");
    assert!(refused.to_string().contains("holds other files"), "{refused}");
    let text =
        "The preparation of this study is in progress or was interrupted; the same command completes it.\n";
    fs::write(folder.join("UNFINISHED"), text).expect("it can be written");
    fs::write(folder.join("run.sh.draft"), "half a").expect("it can be written");
    let plan = home.file("plan.txt");
    fs::write(&plan, "of another study").expect("it can be written");
    prepare(&preparation(STUDY, folder.clone())).expect("it has the marker");
    let written = fs::read_to_string(plan).expect("it is there");
    assert_eq!(written, home.study.points[0].plan.to_string(), "two studies would be mixed");
    assert!(folder.join("study.json").exists() && !folder.join("UNFINISHED").exists());
}

#[test]
fn a_study_that_was_edited_is_refused() {
    let home = Home::of(STUDY, &[]);
    let path = home.study_folder().join("study.json");
    let text = home.text("study.json");
    for (from, to, word) in [
        ("\"bytes\": 65536", "\"bytes\": 65537", "may have been edited"),
        ("\"format\": 1", "\"format\": 2", "its format is 2"),
        (
            "\"name\": \"study\",\n      \"seed\"",
            "\"name\": \"../study\",\n      \"seed\"",
            "no valid name of a point",
        ),
        ("{", "", "cannot be read"),
    ] {
        assert!(text.contains(from), "`{from}` is missing in:\n{text}");
        fs::write(&path, text.replacen(from, to, 1)).expect("it can be written");
        let refused = Study::read(&home.study_folder()).expect_err("it was edited").to_string();
        assert!(refused.contains(word) && refused.contains("study.json"), "{refused}");
    }
}
