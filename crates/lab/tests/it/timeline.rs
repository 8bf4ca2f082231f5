//! Default records over time: steps rank by rank, and ports interval by interval.

use std::collections::{BTreeMap, BTreeSet};

use netloom_lab::Options;
use netloom_records::{Activity, MemorySink, SpanRow, StepRow};
use netloom_units::Time;

use crate::scenes::{prepared, simulated};

/// All kinds of phases, a modelled barrier after buckets and after stages, and mice that vary the steps.
const ALL_PHASES: &str = "
netloom: 1
fabric: { leaf_spine: { leaves: 4, spines: 2, hosts_per_leaf: 4, host_rate: 100Gbps } }
balance: ecmp
jobs:
  - name: large
    placement: { rack_balanced: { ranks: 8 } }
    steps: 9
    phases:
      - compute: 10us
      - collectives: { buckets: 3, barrier: true, each: [ { ring_all_reduce: { size: 256KiB } } ] }
      - compute: 5us
      - barrier
      - point_to_point: { stages: 4, microbatches: 3, size: 64KiB }
      - collectives: { buckets: 2, concurrent: true, each: [ { ring_all_gather: { size: 64KiB } } ] }
  - { name: small, placement: contiguous, steps: 2, phases: [ { all_to_all_linear: { size: 256KiB } } ] }
background: { mice: { end: 2ms, interval: 5us } }
";

/// A job that is measured until its mean is precise enough, beside an endless one.
const MEASURED: &str = "
netloom: 1
fabric: { leaf_spine: { leaves: 2, spines: 1, hosts_per_leaf: 4, host_rate: 100Gbps, fabric_rate: 100Gbps } }
transport: { ideal: { queue_pairs: pair, coalesce: 16 } }
queues: { credits: { order: fifo } }
hosts: { rendezvous: 32KiB }
interference: { hosts: 8, groups: random, victim: { ring_all_gather: { size: 64KiB } }, aggressor: { incast: { size: 64KiB } } }
";

fn records(text: &str, options: Options) -> MemorySink {
    simulated(&prepared(text, None), options).1
}

fn all_phases(record: &str) -> MemorySink {
    records(&format!("{ALL_PHASES}record: {record}\n"), Options::default())
}

/// Spans of each rank in each step of each job, separate from the span of the step.
fn by_rank(spans: &[SpanRow]) -> BTreeMap<(u16, u32, u32), (SpanRow, Vec<SpanRow>)> {
    let mut found: BTreeMap<_, (SpanRow, Vec<SpanRow>)> = BTreeMap::new();
    for row in spans {
        let key = (row.job, row.step, row.rank);
        if row.activity == Activity::Step {
            assert_eq!((row.phase, row.bucket), (None, None));
            assert!(
                found.insert(key, (*row, Vec::new())).is_none(),
                "the row of a step comes first, and once"
            );
        } else {
            assert_eq!(row.bucket.is_some(), row.activity == Activity::Collective);
            assert!(row.phase.is_some());
            found.get_mut(&key).expect("its step precedes it").1.push(*row);
        }
    }
    found
}

fn end(row: &SpanRow) -> Time {
    row.end.expect("it is over")
}

/// All spans except collectives, in order; some have a duration of zero.
fn stretches(spans: &[SpanRow]) -> Vec<SpanRow> {
    let mut found: Vec<SpanRow> =
        spans.iter().filter(|row| row.activity != Activity::Collective).copied().collect();
    found.sort_by_key(|row| (row.start, row.end));
    found
}

#[test]
fn the_spans_of_a_rank_fill_its_step_without_gaps() {
    let sink = all_phases("{}");
    let ranks = by_rank(&sink.spans);
    // Four steps of one job and two of the other, with eight ranks each.
    assert_eq!(ranks.len(), (4 + 2) * 8);
    for (step, spans) in ranks.values() {
        let last = stretches(spans).iter().fold(step.start, |at, row| {
            assert_eq!(row.start, at, "{row:?}");
            end(row)
        });
        assert_eq!(last, end(step));
        for bucket in spans.iter().filter(|row| row.activity == Activity::Collective) {
            let is_around = |row: &&SpanRow| {
                let in_time = row.start <= bucket.start && end(bucket) <= end(row);
                row.activity == Activity::Communicate && row.phase == bucket.phase && in_time
            };
            assert_eq!(spans.iter().filter(is_around).count(), 1, "{bucket:?}");
        }
    }
}

#[test]
fn spans_are_those_of_the_job_and_compute_has_its_duration() {
    let sink = all_phases("{}");
    for ((job, ..), (_, spans)) in by_rank(&sink.spans) {
        if job == 0 {
            let words = stretches(&spans);
            let words: Vec<_> = words.iter().map(|row| (row.activity.word(), row.phase.unwrap())).collect();
            let bucket = [("communicate", 1), ("barrier", 1)];
            let others = [("compute", 2), ("barrier", 3), ("stages", 4), ("communicate", 5)];
            assert_eq!(words, [&[("compute", 0)][..], &bucket, &bucket, &bucket, &others].concat());
            let buckets = spans.iter().filter(|row| row.activity == Activity::Collective);
            let buckets: Vec<_> = buckets.map(|row| (row.phase.unwrap(), row.bucket.unwrap())).collect();
            assert_eq!(buckets, [(1, 0), (1, 1), (1, 2), (5, 0), (5, 1)]);
        }
        for row in spans.iter().filter(|row| row.activity == Activity::Compute) {
            let length = if row.phase == Some(0) { 10_000_000 } else { 5_000_000 };
            assert_eq!(end(row).since(row.start).0, length);
        }
    }
}

#[test]
fn hosts_are_those_of_the_ranks() {
    let prepared = prepared(ALL_PHASES, None);
    let (_, sink) = simulated(&prepared, Options::default());
    let mut hosts: BTreeMap<(u16, u32), BTreeSet<u32>> = BTreeMap::new();
    for row in &sink.spans {
        hosts.entry((row.job, row.rank)).or_default().insert(row.host.0);
    }
    assert!(hosts.values().all(|hosts| hosts.len() == 1));
    let of_job = |job: u16| hosts.keys().filter(move |key| key.0 == job).count();
    assert_eq!((of_job(0), of_job(1)), (8, 8));
    // Ranks of the first job are spread evenly over racks, those of the second are contiguous in the remaining hosts.
    let hosts =
        |job: u16| hosts.iter().filter(move |(key, _)| key.0 == job).map(|(_, host)| *host.first().unwrap());
    let racks: Vec<u32> = hosts(0).map(|host| host / 4).collect();
    assert_eq!(racks, [0, 0, 1, 1, 2, 2, 3, 3]);
    assert!(hosts(1).is_sorted() && hosts(1).all(|host| !hosts(0).any(|other| other == host)));
}

#[test]
fn collectives_and_steps_are_those_of_their_ranks_together() {
    let sink = all_phases("{}");
    let mut found: BTreeMap<_, (Time, Time)> = BTreeMap::new();
    for row in &sink.spans {
        let whole = found.entry((row.job, row.step, row.activity, row.phase, row.bucket));
        let whole = whole.or_insert((row.start, end(row)));
        *whole = (whole.0.min(row.start), whole.1.max(end(row)));
    }
    let mut n_compared = 0;
    for row in &sink.collectives {
        let key = (row.job, row.step, Activity::Collective, Some(row.phase), Some(row.bucket));
        let Some(whole) = found.get(&key) else { continue };
        assert_eq!(*whole, (row.start, row.end));
        n_compared += 1;
    }
    assert_eq!(n_compared, 4 * 5 + 2);
    for row in &sink.steps {
        let Some(whole) = found.get(&(row.job, row.step, Activity::Step, None, None)) else { continue };
        assert_eq!(*whole, (row.start, row.end));
    }
}

/// The first step and the slowest of the others; among equal ones the earlier.
fn slowest(steps: &[StepRow], job: u16, most: usize) -> BTreeSet<u32> {
    let mut steps: Vec<_> = steps.iter().filter(|row| row.job == job).collect();
    steps.sort_by_key(|row| (row.step != 0, std::cmp::Reverse(row.end.since(row.start)), row.step));
    steps.iter().take(most).map(|row| row.step).collect()
}

#[test]
fn the_first_step_and_the_slowest_others_are_recorded() {
    for most in [0, 1, 2, 4, 8, 1000] {
        let sink = all_phases(&format!("{{ timeline: {most} }}"));
        for job in [0, 1] {
            let reported: BTreeSet<u32> =
                sink.spans.iter().filter(|row| row.job == job).map(|row| row.step).collect();
            assert_eq!(reported, slowest(&sink.steps, job, most), "{most} steps of job {job}");
        }
    }
}

#[test]
fn recording_does_not_change_other_tables_and_threads_do_not_change_spans() {
    for text in [ALL_PHASES, MEASURED] {
        let off = records(&format!("{text}record: {{ series: none, timeline: 0 }}\n"), Options::default());
        assert!(off.spans.is_empty() && off.series.is_empty());
        let on = records(text, Options::default());
        assert!(!on.spans.is_empty() && !on.series.is_empty());
        for threads in [2, 3] {
            assert!(records(text, Options { threads, ..Options::default() }) == on, "{threads} threads");
        }
        assert!(records(text, Options { coarsen: 3, ..Options::default() }) == on, "coarser partitions");
        assert!(records(text, Options { shortcut: false, ..Options::default() }) == on, "no shortcut");
        let without = MemorySink { spans: Vec::new(), series: Vec::new(), ..on };
        assert!(without == off);
    }
}

#[test]
fn an_unfinished_step_is_recorded_with_its_open_spans() {
    let whole = all_phases("{}");
    let third = whole.steps.iter().find(|row| (row.job, row.step) == (0, 2)).expect("it is over");
    let deadline = third.start.0.midpoint(third.end.0) / 1000;
    let sink = records(&format!("{ALL_PHASES}deadline: {deadline}ns\n"), Options::default());
    let n_over = sink.steps.iter().filter(|row| row.job == 0).count() as u32;
    assert_eq!(n_over, 2);
    let last: Vec<&SpanRow> = sink.spans.iter().filter(|row| row.job == 0 && row.step == n_over).collect();
    assert!(last.iter().any(|row| row.end.is_none()));
    for rank in 0..8 {
        let mine: Vec<&&SpanRow> = last.iter().filter(|row| row.rank == rank).collect();
        let Some(step) = mine.first() else { continue };
        let n_open =
            mine.iter().filter(|row| row.end.is_none() && row.activity != Activity::Collective).count();
        // No rank is between two phases: the step is open, and the current phase.
        assert!(n_open == if step.end.is_none() { 2 } else { 0 }, "{mine:?}");
    }
}

#[test]
fn an_endless_job_and_a_measured_one_are_recorded() {
    let sink = records(MEASURED, Options::default());
    let jobs: BTreeSet<u16> = sink.spans.iter().map(|row| row.job).collect();
    assert_eq!(jobs.len(), sink.jobs.len());
    for row in &sink.jobs {
        let steps: BTreeSet<u32> =
            sink.spans.iter().filter(|span| span.job == row.job).map(|span| span.step).collect();
        assert!(steps.contains(&0) && steps.len() >= 4, "{steps:?}");
        // Gates before steps are not part of them.
        for (step, spans) in by_rank(&sink.spans).values().filter(|(step, _)| step.job == row.job) {
            assert!(spans.first().is_none_or(|first| first.start == step.start));
        }
    }
}

#[test]
fn the_number_of_rows_is_bounded() {
    const ROOM: usize = 1 << 16;
    // Three steps of 128 ranks with 129 spans each fit; of four ranks with the same number, all requested ones.
    let text = "
netloom: 1
fabric: { leaf_spine: { leaves: 8, spines: 2, hosts_per_leaf: 17, host_rate: 100Gbps } }
jobs:
  - name: many
    placement: { list: { from: 0, ranks: 128 } }
    steps: 6
    phases: [ { collectives: { buckets: 127, each: [ { broadcast_tree: { size: 1KB } } ] } } ]
  - { name: few, steps: 6, placement: { contiguous: { ranks: 4 } }, phases: [ { compute: 1us } ] }
record: { timeline: 1000 }
";
    let text = text.replace("list: { from: 0, ranks: 128 }", "contiguous: { ranks: 128 }");
    let sink = records(&text, Options::default());
    let steps = |job| {
        let of_job = sink.spans.iter().filter(|row| row.job == job);
        of_job.map(|row| row.step).collect::<BTreeSet<u32>>().len()
    };
    assert_eq!((steps(0), steps(1)), (3, 6));
    assert!(sink.spans.len() <= ROOM);
    // A job with too many spans for a single step records none.
    let sink = records(
        &text.replace("buckets: 127", "buckets: 600").replace("steps: 6", "steps: 1"),
        Options::default(),
    );
    assert!(sink.spans.iter().all(|row| row.job == 1) && !sink.spans.is_empty());
}

#[test]
fn intervals_sum_up_to_the_run() {
    let text = ALL_PHASES.replace("balance: ecmp", "balance: ecmp\nqueues: { switch_limit: 40KB }");
    let lossless = "
netloom: 1
fabric: { leaf_spine: { leaves: 2, spines: 1, hosts_per_leaf: 4, host_rate: 100Gbps } }
transport: nic_sr
queues: { buffer: 300KB, pause: true }
jobs: [ { name: all, steps: 2, phases: [ { incast: { size: 1MiB } } ] } ]
";
    for (text, what) in [(text.as_str(), "dropped"), (lossless, "paused"), (MEASURED, "paused")] {
        let sink = records(text, Options::default());
        assert!(sink.series.iter().all(|row| {
            row.size.0 + row.waiting.0 + row.paused.0 + row.dropped > 0 && row.time.0 % row.interval.0 == 0
        }));
        let mut of_port: BTreeMap<u32, [u64; 3]> = BTreeMap::new();
        for row in &sink.series {
            let sums = of_port.entry(row.port.0).or_default();
            let more = [row.size.0, row.paused.0, row.dropped];
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        let paused: BTreeMap<u32, u64> = sink.signals.iter().map(|row| (row.port.0, row.paused.0)).collect();
        let mut whole = [0; 3];
        for port in &sink.ports {
            let sums = of_port.get(&port.port.0).copied().unwrap_or_default();
            let paused = paused.get(&port.port.0).copied().unwrap_or(0);
            assert_eq!(sums, [port.size.0, paused, port.dropped], "{port:?}");
            whole.iter_mut().zip(sums).for_each(|(all, sum)| *all += sum);
        }
        assert!(if what == "paused" { whole[1] > 0 } else { whole[2] > 0 }, "{what} {whole:?}");
    }
}

#[test]
fn the_number_of_samples_follows_the_documented_limits() {
    let sink = all_phases("{}");
    let times: BTreeSet<Time> = sink.series.iter().map(|row| row.time).collect();
    assert!(times.len() < 200);
    let interval = sink.series[0].interval;
    assert!(interval.0.is_multiple_of(1_000_000) && (interval.0 / 1_000_000).is_power_of_two());
    assert!(sink.series.iter().all(|row| row.interval == interval));
    // With more than 4,096 ports there would be fewer than 32 samples of each.
    let large = "
netloom: 1
fabric: { leaf_spine: { leaves: 64, spines: 16, hosts_per_leaf: 16 } }
jobs: [ { name: few, placement: { contiguous: { ranks: 4 } }, phases: [ { ring_all_reduce: { size: 1MiB } } ] } ]
";
    // 1,024 hosts and as many links between switches, two ports each.
    assert!(!records(large, Options::default()).series.is_empty());
    let larger = large.replace("leaves: 64", "leaves: 65");
    assert!(records(&larger, Options::default()).series.is_empty());
    let chosen = format!("{larger}record: {{ series: 1us }}\n");
    assert!(!records(&chosen, Options::default()).series.is_empty());
}

#[test]
fn pending_timeouts_do_not_lengthen_intervals() {
    // After the last packet only timeouts are pending, 4 ms later.
    let text = "
netloom: 1
fabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 4, host_rate: 100Gbps } }
transport: nic_sr
jobs: [ { name: all, phases: [ { ring_all_reduce: { size: 2MiB } } ] } ]
";
    let sink = records(text, Options::default());
    let end = sink.jobs[0].end.expect("it is over");
    let interval = sink.series[0].interval;
    assert!(end.0 > 300_000_000 && interval.0 * 99 <= end.0, "{interval:?} until {end:?}");
}
