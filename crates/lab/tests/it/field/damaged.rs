//! Damaged results: each error is reported with file, line and column, and nothing is written.

use std::fs;

use netloom_lab::{ExitCode, Style};

use super::home::{Home, STREAMS, STUDY};

/// Asserts that collecting a study after a change is refused with these words.
#[track_caller]
fn refused_of(study: &str, file: &str, change: impl FnOnce(String) -> String, words: &[&str]) {
    let home = Home::of(study, &[]);
    home.measure_all();
    home.edit(file, change);
    let error = home.collect().expect_err("it is damaged");
    assert_eq!(error.exit_code(), ExitCode::BadInput);
    let text = error.headed(Style::Plain);
    for word in [file].iter().chain(words) {
        assert!(text.contains(word), "`{word}` is missing in: {text}");
    }
    assert!(!home.out().exists(), "something was written");
}

#[track_caller]
fn refused(file: &str, change: impl FnOnce(String) -> String, words: &[&str]) {
    refused_of(STUDY, file, change, words);
}

fn replaced(from: &'static str, to: &'static str) -> impl FnOnce(String) -> String {
    move |text| text.replacen(from, to, 1)
}

fn without(start: &'static str) -> impl FnOnce(String) -> String {
    move |text| text.split_inclusive('\n').filter(|line| !line.starts_with(start)).collect()
}

const TIMES: &str = "times-0.csv";
const MANIFEST: &str = "manifest.txt";

#[test]
fn a_table_that_was_cut_off_is_refused() {
    refused(TIMES, |text| text[..text.len() - 4].to_owned(), &[".csv:39: ", "in the middle of a line"]);
    refused(TIMES, without("end"), &[".csv:39: ", "the file ends; expected a row, or `end 36`"]);
    refused(TIMES, without("2,65536,11,"), &[".csv:38:5: `36`; expected 35, the number of rows"]);
    refused(TIMES, |_| String::new(), &[".csv:1:1: the file ends"]);
    let shorter = |text: String| without("2,65536,11,")(text).replace("end 36", "end 35");
    refused(TIMES, shorter, &["the table ends too early", "12 rows of segment 2"]);
}

#[test]
fn rows_that_were_reordered_are_refused() {
    refused(TIMES, replaced("\n0,65536,1,", "\n0,65536,2,"), &[".csv:4:9: `2`; expected `iteration` 1"]);
    refused(TIMES, replaced("\n1,65536,0,", "\n2,65536,0,"), &[".csv:15:1: `2`; expected `segment` 1"]);
    refused(TIMES, replaced("\n0,65536,0,", "\n0,1024,0,"), &[".csv:3:3: `1024`; expected `bytes` 65536"]);
    refused(TIMES, replaced(",11000,", ",1500,"), &[".csv:4:11: `1500`; expected a start at 2000 ns"]);
}

#[test]
fn numbers_that_are_not_times_are_refused() {
    refused(TIMES, replaced(",1000,", ",NaN,"), &[".csv:3:11: `NaN`; expected a whole number, `start_ns`"]);
    refused(TIMES, replaced(",1000,", ",-5,"), &[".csv:3:11: `-5`"]);
    refused(TIMES, replaced(",1000,", ",+5,"), &[".csv:3:11: `+5`"]);
    refused(
        TIMES,
        replaced(",1000,2000,", ",2000,1000,"),
        &[".csv:3:16: `1000`; expected an end from 2000 ns on"],
    );
    refused(TIMES, replaced(",2000,0", ",99999999999999999999,0"), &[".csv:3:16: "]);
    refused(TIMES, replaced(",2000,0", ",5184000000000001,0"), &["within sixty days"]);
    refused(TIMES, replaced(",2000,0", ",2000,1001"), &[".csv:3:21: `1001`; expected a part of"]);
    refused(TIMES, replaced(",2000,0", ",2000"), &[".csv:3:20: 5 numbers; expected 6"]);
    refused(TIMES, replaced(",2000,0", ",2000,0,0"), &[".csv:3:23: `0`; expected 6 numbers"]);
}

#[test]
fn files_of_another_rank_or_table_are_refused() {
    refused(TIMES, replaced("rank 0", "rank 2"), &[".csv:1:1: ", "rank 0 role victim"]);
    refused(TIMES, replaced("role victim", "role aggressor"), &[".csv:1:1: "]);
    refused(TIMES, replaced("reduce_ns", "reduce_us"), &[".csv:2:1: "]);
    refused("times-1.csv", replaced("\n1,65536,0,", "\n1,1024,0,"), &[".csv:3:3: `1024`"]);
    refused(TIMES, |text| text + "3,65536,0,1,2,0\n", &[".csv:40:1: ", "the end of the file after `end`"]);
    refused(
        TIMES,
        replaced("end 36", "2,65536,12,9999999,9999999,0\nend 37"),
        &[".csv:39:1: ", "after 36 rows"],
    );
}

#[test]
fn hostile_files_are_refused() {
    refused(TIMES, |text| text + &"7".repeat(1 << 20), &["the line is too long"]);
    refused(TIMES, replaced("role victim", "role \u{1b}[31mvictim"), &[".csv:1:1: "]);
    let home = Home::of(STUDY, &[]);
    home.measure_all();
    fs::write(home.file("result").join(TIMES), b"netloom-field times 1 rank 0 role victim\n\xff\n")
        .expect("it can be written");
    let text = home.collect().expect_err("it is no text").to_string();
    assert!(text.contains(".csv:2:1: this is not text"), "{text}");
    fs::remove_file(home.file("result").join(TIMES)).expect("it can be removed");
    let text = home.collect().expect_err("it is gone").to_string();
    assert!(text.contains("times-0.csv: the file is missing"), "{text}");
    fs::create_dir(home.file("result").join(TIMES)).expect("it can be made");
    let text = home.collect().expect_err("it is a folder").to_string();
    assert!(text.contains("not a regular file"), "{text}");
}

#[test]
fn a_plan_or_manifest_of_another_study_is_refused() {
    refused("plan.txt", replaced("seed 1", "seed 2"), &["plan.txt:3:6: another plan was measured"]);
    let other = |text: String| {
        let at = text.find("study ").expect("it has one") + "study ".len();
        text[..at].to_owned() + &"0".repeat(64) + &text[at + 64..]
    };
    refused(MANIFEST, other, &["manifest.txt:2:7: another study"]);
    refused(MANIFEST, replaced("manifest 1", "manifest 2"), &["manifest.txt:1:1: "]);
    let home = Home::of(STUDY, &["interference.victim.ring_all_gather.size=1KiB,2KiB"]);
    home.measure_all();
    let [one, other] = [0, 1].map(|workspace| {
        home.study_folder().join("points").join(&home.study.points[workspace].name).join("result").join(TIMES)
    });
    fs::copy(one, other).expect("it can be copied");
    let text = home.collect().expect_err("it is the file of another point").to_string();
    assert!(text.contains(":3:3: `1024`; expected `bytes` 2048"), "{text}");
}

#[test]
fn an_incomplete_manifest_is_refused() {
    refused(MANIFEST, without("status"), &["`status` is missing"]);
    refused(MANIFEST, without("end"), &["`end` is missing"]);
    refused(MANIFEST, without("rank 7"), &["7 lines `rank`; expected 8"]);
    refused(MANIFEST, without("rank 3"), &[":19:6: `4`; expected `3`"]);
    refused(MANIFEST, without("rounds"), &["rounds of the aggressor are missing"]);
    refused(MANIFEST, without("segment 2"), &["segment 2 has 0 iterations", "the deadline was not reached"]);
    refused(MANIFEST, |text| text[..text.len() - 3].to_owned(), &["in the middle of a line"]);
}

#[test]
fn a_manifest_with_impossible_values_is_refused() {
    refused(MANIFEST, replaced("status complete", "status fine"), &[":3:8: `fine`"]);
    refused(
        MANIFEST,
        replaced("rank 0 victim", "rank 0 aggressor"),
        &[":16:8: `aggressor`; expected `victim`"],
    );
    refused(MANIFEST, replaced("n_ranks 8", "n_ranks 9"), &[":15:9: `9`; expected 8"]);
    refused(MANIFEST, replaced("kept 12", "kept 13"), &[":24:58: `13`; expected at most 12"]);
    refused(MANIFEST, replaced("clock_read_ns 20.5", "clock_read_ns nan"), &["`nan`; expected a time in ns"]);
    refused(MANIFEST, replaced("waiting spin", "waiting rest"), &["`spin` or `yield`"]);
    refused(MANIFEST, replaced("begin ", "end "), &["`end` once, but it is in line 13"]);
    let home = Home::of(STUDY, &[]);
    home.measure_all();
    home.edit(MANIFEST, replaced("kept 3", "kept 18446744073709551615"));
    let text = home.collect().expect_err("there are fewer rounds").to_string();
    assert!(text.contains("times-1.csv:7:1: the table ends too early"), "{text}");
    refused(MANIFEST, replaced("kept 3", "kept -3"), &["`-3`; expected a whole number"]);
}

#[test]
fn streams_that_another_rank_receives_are_refused() {
    const FILE: &str = "streams-0.csv";
    refused_of(STREAMS, FILE, replaced("\n0,0,", "\n0,2,"), &[".csv:3:3: `2`", "one of [0, 1]"]);
    refused_of(STREAMS, FILE, replaced("\n0,0,", "\n1,0,"), &[".csv:3:1: `1`; expected `segment` 0"]);
    refused_of(
        STREAMS,
        FILE,
        replaced(",100001020,200001020,", ",100001021,200001021,"),
        &[".csv:4:5: `100001021`"],
    );
    refused_of(STREAMS, FILE, replaced(",100001020,1000", ",100001021,1000"), &[".csv:3:10: `100001021`"]);
    refused_of(STREAMS, FILE, without("end"), &["the file ends"]);
}

#[test]
fn all_damaged_points_are_reported_at_once() {
    let home = Home::of(STUDY, &["interference.victim.ring_all_gather.size=1KiB,2KiB,4KiB"]);
    home.measure_all();
    for point in &home.study.points[..2] {
        let file = home.study_folder().join("points").join(&point.name).join("result").join(TIMES);
        fs::write(file, "nothing\n").expect("it can be written");
    }
    let text = home.collect().expect_err("two are damaged").headed(Style::Plain);
    assert_eq!(text.matches(".csv:1:1: `nothing`").count(), 2, "{text}");
}

#[test]
fn nothing_to_collect_is_an_error() {
    let home = Home::of(STUDY, &[]);
    let text = home.collect().expect_err("nothing is measured").to_string();
    assert!(text.contains("none of the 1 points of the study is measured"), "{text}");
    fs::remove_file(home.study_folder().join("study.json")).expect("it can be removed");
    let text = home.collect().expect_err("there is no study").to_string();
    assert!(text.contains("no prepared study"), "{text}");
}

#[test]
fn iterations_that_no_clock_can_count_are_refused() {
    // Each row is possible, but not all of them in sequence: the ranks are slow in turn.
    const LONG: u64 = 5_000_000_000_000_000;
    let home = Home::of(STUDY, &[]);
    home.measure_all();
    for (workspace, rank) in [0, 2, 4, 6].into_iter().enumerate() {
        home.edit(&format!("times-{rank}.csv"), |text| {
            let head: String = text.split_inclusive('\n').take(2).collect();
            let row = |number: usize| {
                let (segment, iteration) = (number / 12, number % 12);
                let start = if number <= workspace { 0 } else { LONG };
                let end = if number < workspace { 0 } else { LONG };
                format!("{segment},65536,{iteration},{start},{end},0\n")
            };
            head + &(0..36).map(row).collect::<String>() + "end 36\n"
        });
    }
    let text = home.collect().expect_err("no clock counts that long").to_string();
    assert!(text.contains("longer than a clock can count"), "{text}");
}
