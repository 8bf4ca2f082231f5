//! Results of the program become runs with known figures.

use std::fs;

use netloom_lab::field::{Collection, collect};
use netloom_lab::show::interference::interference;
use netloom_lab::{ExitCode, LabError, Overwrite, Status, Style, export};
use netloom_records::{CollectiveRow, JobRow, MeasureRow, Row, RunFolder, StageRow, StepRow};

use super::home::{Home, ITERATIONS, LATENCY, STREAMS, STUDY, WARM_UP};

fn rows<R: Row>(run: &RunFolder) -> Vec<R> {
    run.rows::<R>().expect("the table is there").flat_map(|block| block.expect("it can be read")).collect()
}

#[test]
fn a_measured_study_becomes_two_runs() {
    let home = Home::of(STUDY, &[]);
    home.measure_all();
    let collected = home.collect().unwrap_or_else(|error| panic!("{}", error.headed(Style::Plain)));
    assert_eq!(collected.exit_code(), ExitCode::Good);
    let [point] = &collected.points[..] else { panic!("one point: {collected:?}") };
    // The slowest of four ranks takes 1300 ns plus 10 ns per iteration; iterations 2 to 11 count, which adds 65 ns on
    // average.
    assert!((point.baseline_s.expect("it is known") / 1.365e-6 - 1.0).abs() < 1e-12, "{point:?}");
    assert!((point.congested_s.expect("it is known") / 5.265e-6 - 1.0).abs() < 1e-12, "{point:?}");

    let baseline = home.run("study", "baseline");
    let steps: Vec<StepRow> = rows(&baseline);
    // Both segments, the second one without its warm-up.
    assert_eq!(steps.len() as u32, WARM_UP + 2 * ITERATIONS);
    assert!(steps.windows(2).all(|two| two[0].end <= two[1].start));
    assert_eq!((steps[0].start.0, steps[0].end.0), (1_000_000, 2_300_000));
    let [measure] = rows::<MeasureRow>(&baseline)[..] else { panic!("one job is measured") };
    assert_eq!((measure.steps, measure.warm_up, measure.mean.0), (2 * ITERATIONS, WARM_UP, 1_365_000));
    assert!(measure.half_interval.is_some_and(|half| half.0 > 0) && measure.precise.is_none());
    let [job] = rows::<JobRow>(&baseline)[..] else { panic!("the victim in isolation") };
    assert_eq!(
        (job.ranks, job.steps, job.end),
        (4, steps.len() as u32, None),
        "two segments do not overlap in time"
    );
    let manifest = baseline.manifest();
    let measured = manifest.measured.as_ref().expect("it was measured");
    assert_eq!(measured.by, "netloom-field");
    assert_eq!(
        measured.facts["drift"],
        "the victim in isolation took 1.365 us before and 1.365 us after (+0.0 %)"
    );
    assert_eq!(measured.facts["clock"], "of the worst rank: steps of 27 ns, a reading takes 20.5 ns");
    assert_eq!(measured.allocations[0].hosts[1], "node 1");
    assert!(measured.source.contains(&home.study.digest.to_string()[..12]), "{}", measured.source);
    assert_eq!(manifest.outcome.status, Status::Complete);
    assert!(manifest.engine["hosts"] == 8 && manifest.scenario["jobs"].as_array().is_some());
    netloom_records::verify(baseline.path()).expect("nothing is wrong with it");
}

#[test]
fn bandwidths_and_rounds_are_those_of_the_files() {
    let home = Home::of(STUDY, &[]);
    home.measure_all();
    home.collect().expect("all is right");
    let congested = home.run("study", "congested");
    let collectives: Vec<CollectiveRow> = rows(&congested);
    let first = collectives.iter().find(|row| row.job == 0 && row.step == 0).expect("it is there");
    // 64 KiB in 5.2 us; the bus bandwidth of four ranks is three quarters of that.
    assert!((first.algbw / (65_536.0 / 5.2e-6) - 1.0).abs() < 1e-12, "{first:?}");
    assert!((first.busbw / (49_152.0 / 5.2e-6) - 1.0).abs() < 1e-12, "{first:?}");
    let rounds: Vec<StepRow> = rows(&congested).into_iter().filter(|row: &StepRow| row.job == 1).collect();
    // From the first rank's start to the last one's end: 400 ns plus 30 ns between their starts.
    assert_eq!(rounds.len(), 3);
    assert!(rounds.iter().all(|row| row.end.since(row.start).0 == 430_000));
    let jobs: Vec<JobRow> = rows(&congested);
    assert_eq!((jobs[1].ranks, jobs[1].steps, jobs[1].end), (4, 3, None), "the aggressor has no end");
}

#[test]
fn a_congested_run_is_paired_with_the_baseline_of_its_own_job() {
    let vary = "interference.aggressor=none,{incast: {size: 64KiB}},{incast: {size: 1KiB}}";
    let home = Home::of(STUDY, &[vary]);
    // The second job ran on a machine that was ten times slower.
    for (workspace, scale) in [(0, 1), (1, 10)] {
        home.measure(workspace, scale);
    }
    home.collect().expect("all is right");
    let study = interference(&[home.out()]).expect("it is a study");
    let ratios: Vec<f64> = study.points.iter().filter_map(|point| Some(point.ratio?.value)).collect();
    assert_eq!(ratios.len(), 2);
    assert!(ratios.iter().all(|ratio| (ratio - 1.365 / 5.265).abs() < 1e-6), "{ratios:?}");
}

#[test]
fn a_timed_collective_is_exported_size_by_size_without_its_warm_up() {
    let home = Home::of(LATENCY, &[]);
    home.measure_all();
    home.collect().expect("all is right");
    let run = home.run("latency", "latency");
    assert_eq!(rows::<CollectiveRow>(&run).len() as u32, 2 * ITERATIONS);
    assert!(rows::<StepRow>(&run).is_empty() && rows::<MeasureRow>(&run).is_empty());
    let found = export::osu::osu(run.path()).expect("it can be exported");
    let lines = &found.tables[0].lines;
    let sizes: Vec<u64> = lines.iter().map(|line| line.size_bytes).collect();
    assert_eq!((sizes, found.measured_by.as_deref()), (vec![1024, 16_384], Some("netloom-field")));
    assert!(
        lines.iter().all(|line| (line.average_us - 1.365).abs() < 1e-9 && line.iterations == 10),
        "{lines:?}"
    );
    let one = Home::of(LATENCY, &["jobs.0.phases=[{ring_all_reduce: {size: 4KiB}}]"]);
    one.measure_all();
    let collected = one.collect().expect("all is right");
    assert!((collected.points[0].baseline_s.expect("it is known") - 1.365e-6).abs() < 1e-15);
}

#[test]
fn streams_become_stages_in_times_of_the_machine() {
    let home = Home::of(STREAMS, &[]);
    home.measure_all();
    home.collect().expect("all is right");
    let stages: Vec<StageRow> = rows(&home.run("streams", "streams"));
    let found: Vec<(u32, u16, u64, u64)> = stages
        .iter()
        .map(|row| (row.stage, row.flow, row.measured_from.0 / 1_000_000_000, row.size.0))
        .collect();
    // 1 ms of 5 ms is warm-up, and times are a hundred times longer: 0.4 s of each stage count.
    let arrived = |list: &[(u32, u16, u64)]| list.iter().map(|row| row.2).collect::<Vec<_>>();
    assert_eq!(
        arrived(&[(0, 0, 100), (1, 0, 600), (1, 1, 600)]),
        found.iter().map(|row| row.2).collect::<Vec<_>>()
    );
    for (row, expected) in stages.iter().zip([4000.0, 4000.0, 2000.0]) {
        // The files begin 20 ns after the stage, by the receiver's clock.
        assert!((row.size.0 as f64 - expected).abs() <= 1.0, "{row:?}");
        assert!((row.throughput / (expected * 8.0 / 0.4) - 1.0).abs() < 1e-3, "{row:?}");
    }
}

#[test]
fn a_deadline_keeps_the_iterations_finished_by_then() {
    let home = Home::of(STUDY, &[]);
    home.measure_all();
    home.edit("manifest.txt", |text| {
        let text = text.replace("status complete", "status deadline");
        let text = text.replace(
            "congested bytes 65536 warm_up 2 planned 12 kept 12",
            "congested bytes 65536 warm_up 2 planned 12 kept 5",
        );
        text.split_inclusive('\n').filter(|line| !line.starts_with("segment 2")).collect()
    });
    for rank in [0, 2, 4, 6] {
        home.edit(&format!("times-{rank}.csv"), |text| {
            let kept: String = text.split_inclusive('\n').take(2 + 12 + 5).collect();
            kept + "end 17\n"
        });
    }
    let collected = home.collect().unwrap_or_else(|error| panic!("{}", error.headed(Style::Plain)));
    assert_eq!(collected.exit_code(), ExitCode::StoppedEarly);
    for (kind, status, steps, counted) in
        [("baseline", Status::Deadline, 12, 10), ("congested", Status::Deadline, 5, 3)]
    {
        let run = home.run("study", kind);
        assert_eq!(run.manifest().outcome.status, status, "{kind}");
        let victims = rows::<StepRow>(&run).into_iter().filter(|row| row.job == 0).count();
        assert_eq!((victims, rows::<MeasureRow>(&run)[0].steps), (steps, counted), "{kind}");
    }
}

#[test]
fn shared_hosts_and_cores_are_reported() {
    let home = Home::of(STUDY, &[]);
    home.measure_all();
    home.edit("manifest.txt", |text| {
        let text = text.replace("waiting spin", "waiting yield");
        (0..8).fold(text, |text, rank| {
            text.replace(&format!("host node {rank} "), &format!("host node {} ", rank / 4))
        })
    });
    home.collect().expect("it is reported, and collected");
    let details = home.run("study", "congested").manifest().outcome.details.join("; ");
    assert!(details.contains("shared cores") && details.contains("8 ranks ran on 2 hosts"), "{details}");
}

#[test]
fn jobs_of_one_study_are_distinguished() {
    // Both were collected by the same command, into two folders of the same name.
    let homes = [1, 10].map(|scale| {
        let home = Home::of(STUDY, &[]);
        home.measure(0, scale);
        home.edit("manifest.txt", |text| text.replace("pid 17", &format!("pid {scale}")));
        home.collect().expect("all is right");
        home
    });
    let study = interference(&homes.each_ref().map(Home::out)).expect("it is a study");
    let ratios: Vec<f64> = study.points.iter().filter_map(|point| Some(point.ratio?.value)).collect();
    assert!(ratios.iter().all(|ratio| (ratio - 1.365 / 5.265).abs() < 1e-6), "{ratios:?}");
}

/// The job of a study that was killed while its congested segment was measured.
fn killed() -> Home {
    let home = Home::of(STUDY, &[]);
    home.measure_all();
    home.edit("manifest.txt", |text| {
        let text = text.replace("status complete", "status failed rank 3 died");
        let is_later = |line: &&str| {
            line.starts_with("segment 1") || line.starts_with("segment 2") || line.starts_with("rounds")
        };
        text.split_inclusive('\n').filter(|line| !is_later(line)).collect()
    });
    for (rank, n_rows) in [(0, 16), (2, 15), (4, 16), (6, 15)] {
        home.edit(&format!("times-{rank}.csv"), |text| {
            let kept: String = text.split_inclusive('\n').take(2 + n_rows).collect();
            kept + "1,65536,4,10"
        });
    }
    fs::rename(home.file("result"), home.file("result.tmp")).expect("it can be renamed");
    home
}

#[test]
fn a_job_that_died_is_refused_or_collected_in_part() {
    let home = killed();
    let refused = home.collect().expect_err("its job died");
    assert_eq!(refused.exit_code(), ExitCode::BadInput);
    let text = refused.to_string();
    assert!(text.contains("its job died: rank 3 died") && text.contains("result.tmp"), "{text}");
    assert!(!home.out().exists(), "something was written");
    let asked = Collection { is_partial: true, ..home.collection() };
    let collected = collect(&asked).unwrap_or_else(|error| panic!("{}", error.headed(Style::Plain)));
    assert_eq!(collected.exit_code(), ExitCode::StoppedEarly);
    let missing = collected.missing.join("\n");
    assert!(missing.contains("study: times-2.csv ends after 15 rows"), "{missing}");
    for (kind, steps) in [("baseline", 12), ("congested", 3)] {
        let run = home.run("study", kind);
        assert_eq!(run.manifest().outcome.status, Status::Stopped, "{kind}");
        let victims = rows::<StepRow>(&run).into_iter().filter(|row| row.job == 0).count();
        assert_eq!(victims, steps, "{kind}: iterations that all ranks have");
    }
}

#[test]
fn points_that_are_not_measured_are_refused_or_left_out() {
    let home = Home::of(STUDY, &["interference.victim.ring_all_gather.size=1KiB,2KiB"]);
    home.measure(0, 1);
    let refused = home.collect().expect_err("one is missing").to_string();
    assert!(
        refused.contains("1 of the 2 points") && refused.contains("size=2KiB: not measured yet"),
        "{refused}"
    );
    let asked = Collection { is_partial: true, ..home.collection() };
    let collected = collect(&asked).expect("the other one is there");
    assert_eq!((collected.points.len(), collected.exit_code()), (1, ExitCode::StoppedEarly));
}

#[test]
fn wrong_data_gives_no_times_even_in_part() {
    let home = Home::of(STUDY, &["interference.victim.ring_all_gather.size=1KiB,2KiB"]);
    home.measure_all();
    home.edit("manifest.txt", |text| {
        text.replace("status complete", "status failed data was wrong in 2 checks")
    });
    assert!(home.collect().expect_err("data was wrong").to_string().contains("data was wrong in 2 checks"));
    let collected =
        collect(&Collection { is_partial: true, ..home.collection() }).expect("the other one is there");
    assert!(collected.missing[0].contains("data was wrong in 2 checks"), "{collected:?}");
    assert_eq!(collected.points.len(), 1, "{collected:?}");
}

#[test]
fn existing_runs_are_replaced_only_on_request() {
    let home = Home::of(STUDY, &[]);
    home.measure_all();
    home.collect().expect("all is right");
    let digest = home.run("study", "congested").manifest().digest;
    let refused = home.collect().expect_err("it is there already");
    assert!(refused.is_occupied(), "{refused}");
    let again = Collection { overwrite: Overwrite::Replace, ..home.collection() };
    collect(&again).expect("it was asked for");
    assert_eq!(home.run("study", "congested").manifest().digest, digest);
    let other = Home::of(STUDY, &["interference.victim.ring_all_gather.size=1KiB,2KiB"]);
    other.measure_all();
    let mixed = Collection { study: other.study_folder(), ..again.clone() };
    let refused = collect(&mixed).expect_err("runs of another study are there").to_string();
    assert!(refused.contains("runs of another import"), "{refused}");
    fs::write(home.path("text"), "of the user").expect("it can be written");
    let folder = home.path("text").parent().expect("it has one").to_owned();
    let refused = collect(&Collection { folder, ..again }).expect_err("it holds other files");
    assert!(matches!(refused, LabError::Folder(_)), "{refused}");
}
