//! The figures of a run follow from its rows, both in memory and in a folder.

use std::fs;

use netloom_lab::summary::{Summary, Totals, summary};
use netloom_lab::{Options, Over, RunRequest, Source, run};
use netloom_records::{FlowRow, RunFolder};

use crate::scenes::{TWO_JOBS, prepared, simulated};

const FLOWS: &str = "
netloom: 1
fabric:
  custom:
    hosts: [a0, a1, b0]
    switches: [s]
    links:
      - { from: a0, to: s, rate: 10Gbps, delay: 1us }
      - { from: a1, to: s, rate: 10Gbps, delay: 1us }
      - { from: b0, to: s, rate: 10Gbps, delay: 1us }
transport: irn
flows:
  message: 32KiB
  warm_up: 100us
  scale: 1/5000
  list:
    - { name: one, from: a0, to: b0, stop: 500us }
    - { from: a1, to: b0, start: 200us, stop: 500us }
";

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{found} is not {expected}");
}

#[test]
fn a_run_its_memory_and_its_folder_have_the_same_figures() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let folder = workspace.path().join("run");
    let request =
        RunRequest { folder: Some(folder.clone()), ..RunRequest::new(Source::text("two", TWO_JOBS)) };
    let report = run(request).expect("it runs");
    assert_eq!(summary(&folder).expect("it can be read"), report.summary);
    let prepared = prepared(TWO_JOBS, None);
    let (done, sink) = simulated(&prepared, Options::default());
    let stored = RunFolder::open(&folder).expect("it is complete");
    assert_eq!(done.summary, Summary::of_folder(&stored, Over::All).expect("it can be read"));
    let totals = Totals {
        packets: Some(done.engine.packets),
        hops: Some(done.engine.hops),
        simulated: done.engine.end,
        time_scale: None,
        layouts: stored.manifest().jobs.clone(),
    };
    assert_eq!(Summary::of_memory(&sink, &prepared.names(), 16, totals), report.summary);
}

#[test]
fn a_folder_of_queue_pairs_has_the_figures_of_its_run() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let folder = workspace.path().join("run");
    let text = TWO_JOBS
        .replace("balance: adaptive", "balance: {switch: psn_spray, edge: themis}\ntransport: nic_sr");
    let request =
        RunRequest { folder: Some(folder.clone()), ..RunRequest::new(Source::text("pairs", text.clone())) };
    let report = run(request).expect("it runs");
    let found = report.summary.queue_pairs.expect("there are queue pairs");
    assert!(found.nacks > 0 && found.nacks_suppressed > 0, "{found:?}");
    assert_eq!(summary(&folder).expect("it can be read"), report.summary);
    let (done, sink) = simulated(&prepared(&text, None), Options::default());
    let totals = Totals {
        packets: Some(done.engine.packets),
        hops: Some(done.engine.hops),
        simulated: done.engine.end,
        time_scale: None,
        layouts: report.manifest.jobs.clone(),
    };
    let names = prepared(&text, None).names();
    assert_eq!(Summary::of_memory(&sink, &names, 16, totals), report.summary);
}

/// Three senders to one host behind links with credits, and timeouts shorter than a round trip.
const CREDITS: &str = "
netloom: 1
fabric: { single_switch: { hosts: 4, host_rate: 100Gbps, host_delay: 500ns } }
transport: { go_back_n: { timeout: 2us } }
queues: { credits: {} }
jobs: [ { name: in, phases: [ { incast: { size: 256KiB } } ] } ]
";

#[test]
fn a_folder_of_links_with_credits_has_the_figures_of_its_run() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let folder = workspace.path().join("run");
    let request =
        RunRequest { folder: Some(folder.clone()), ..RunRequest::new(Source::text("credits", CREDITS)) };
    let report = run(request).expect("it runs");
    let arbitration = report.summary.arbitration.clone().expect("there are credits");
    let most = &arbitration.most_passes;
    assert!(most.passes >= 2 && most.passes <= most.bound && arbitration.beyond.is_empty(), "{most:?}");
    assert!(arbitration.longest.longest_s > 0.0, "{arbitration:?}");
    let timeouts = report.summary.timeouts.clone().expect("no ACK comes in time, and nothing is lost");
    let each: u64 = timeouts.queue_pairs.iter().map(|pair| pair.timeouts).sum();
    assert!(timeouts.queue_pairs.len() == 3 && each == timeouts.timeouts && each >= 3, "{timeouts:?}");
    assert_eq!(summary(&folder).expect("it can be read"), report.summary);
    let (done, sink) = simulated(&prepared(CREDITS, None), Options::default());
    let totals = Totals {
        packets: Some(done.engine.packets),
        hops: Some(done.engine.hops),
        simulated: done.engine.end,
        time_scale: None,
        layouts: report.manifest.jobs.clone(),
    };
    assert_eq!(Summary::of_memory(&sink, &prepared(CREDITS, None).names(), 4, totals), report.summary);
}

#[test]
fn a_folder_without_a_newer_table_has_all_other_figures() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let folder = workspace.path().join("run");
    let request =
        RunRequest { folder: Some(folder.clone()), ..RunRequest::new(Source::text("credits", CREDITS)) };
    let report = run(request).expect("it runs");
    let manifest = folder.join("manifest.json");
    let text = fs::read_to_string(&manifest).expect("it can be read");
    let mut value: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    for table in ["arbitration", "spurious_timeouts"] {
        fs::remove_file(folder.join(format!("{table}.parquet"))).expect("it is there");
        value["tables"].as_object_mut().expect("tables by name").remove(table).expect("it is there");
    }
    fs::write(&manifest, value.to_string()).expect("it can be written");
    let expected = Summary { arbitration: None, timeouts: None, ..report.summary };
    assert_eq!(summary(&folder).expect("it can be read"), expected);
}

#[test]
fn a_folder_of_staged_flows_has_the_figures_of_its_run() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let folder = workspace.path().join("run");
    let request =
        RunRequest { folder: Some(folder.clone()), ..RunRequest::new(Source::text("flows", FLOWS)) };
    let report = run(request).expect("it runs");
    assert_eq!(summary(&folder).expect("it can be read"), report.summary);
    let found = report.summary.flows.clone().expect("there are flows");
    assert_eq!(found.time_scale.as_deref(), Some("1/5000"));
    assert_eq!(report.manifest.time_scale, found.time_scale);
    let names = |stage: usize| -> Vec<&str> {
        found.stages[stage].flows.iter().map(|flow| flow.flow.as_str()).collect()
    };
    assert_eq!([names(0), names(1)], [vec!["one"], vec!["one", "a1->b0"]]);
    let [alone, both] = &found.stages[..] else { panic!("two stages: {found:?}") };
    assert_eq!((alone.start_s, alone.judged_s, alone.end_s), (0.0, 1e-4, 2e-4));
    // 4096 of 4158 bytes on the wire are payload.
    let line = 10e9 * 4096.0 / 4158.0;
    assert!((alone.sum_bps / line - 1.0).abs() < 0.04 && alone.jain == Some(1.0), "{alone:?}");
    let [x, y] = [0, 1].map(|flow| both.flows[flow].throughput_bps);
    assert!((x + y - line).abs() < 0.04 * line, "{both:?}");
    close(both.sum_bps, x + y);
    close(both.jain.expect("there is throughput"), (x + y) * (x + y) / (2.0 * (x * x + y * y)));
    assert!((both.variance_bps2 - (x - y) * (x - y) / 4.0).abs() <= 1e-9 * x * x, "{both:?}");
    let (done, sink) = simulated(&prepared(FLOWS, None), Options::default());
    let totals = Totals {
        packets: Some(done.engine.packets),
        hops: Some(done.engine.hops),
        simulated: done.engine.end,
        time_scale: found.time_scale,
        layouts: report.manifest.jobs.clone(),
    };
    assert_eq!(Summary::of_memory(&sink, &prepared(FLOWS, None).names(), 3, totals), report.summary);
}

#[test]
fn figures_follow_from_the_rows() {
    let prepared = prepared(TWO_JOBS, None);
    let (done, sink) = simulated(&prepared, Options::default());
    let summary = done.summary;
    assert_eq!(summary.jobs.iter().map(|job| job.name.as_str()).collect::<Vec<_>>(), ["large", "small"]);
    assert_eq!([summary.jobs[0].steps, summary.jobs[1].steps], [4, 2]);

    let steps: Vec<f64> =
        sink.steps.iter().filter(|row| row.job == 0).map(|row| (row.end - row.start).as_seconds()).collect();
    let step = summary.jobs[0].step.expect("there are steps");
    close(step.mean_s, steps.iter().sum::<f64>() / 4.0);
    close(step.maximum_s, steps.iter().copied().fold(0.0, f64::max));

    let mice = sink.flows.iter().filter(|row| row.job == u16::MAX);
    let background = summary.background.expect("there are mice");
    assert_eq!(background.messages, mice.count() as u64);
    assert_eq!(background.messages, 50);
    assert_eq!(background.fct.map(|fct| fct.count), Some(50));
    assert_eq!(summary.messages, sink.flows.len() as u64);

    // Only background messages have an ideal completion time.
    assert!(sink.flows.iter().all(|row| row.ideal.is_some() == (row.job == u16::MAX)));
    let ratio = |row: &FlowRow| Some(row.end?.since(row.start).as_seconds() / row.ideal?.as_seconds());
    let ratios: Vec<f64> = sink.flows.iter().filter_map(ratio).collect();
    let slowdown = background.slowdown.expect("there are mice");
    assert_eq!((slowdown.all.count, slowdown.floored), (50, 0));
    // Slowdowns are stored as whole millionths.
    let near =
        |found: f64, expected: f64| assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
    near(slowdown.all.mean, ratios.iter().sum::<f64>() / 50.0);
    near(slowdown.all.maximum, ratios.iter().copied().fold(0.0, f64::max));
    // Four sizes of mice; a bucket boundary never divides messages of one size.
    let sizes: Vec<_> = slowdown.buckets.iter().map(|bucket| bucket.largest_bytes).collect();
    assert_eq!(sizes, [4096, 8192, 12_288, 16_384]);
    assert_eq!(slowdown.buckets.iter().map(|bucket| bucket.count).sum::<u64>(), 50);

    let is_host = |node: u32| node < 16;
    let peak = |hosts: bool| {
        let ports = sink.ports.iter().filter(|row| is_host(row.node.0) == hosts);
        ports
            .clone()
            .map(|row| row.peak_size.simulated().0)
            .max()
            .zip(ports.filter_map(|row| row.peak_packets).max())
    };
    let queues = summary.queues;
    assert_eq!(
        peak(true),
        Some((queues.hosts.bytes.expect("known"), queues.hosts.packets.expect("counted") as u32))
    );
    assert_eq!(
        peak(false),
        Some((queues.switches.bytes.expect("known"), queues.switches.packets.expect("counted") as u32))
    );
    assert_eq!(queues.all.bytes, queues.hosts.bytes.max(queues.switches.bytes));
    let means = [queues.hosts, queues.switches].map(|part| part.node_mean_packets.expect("counted"));
    close(queues.all.node_mean_packets.expect("counted"), (16.0 * means[0] + 6.0 * means[1]) / 22.0);

    let sent: u64 = sink.ports.iter().map(|row| row.size.0).sum();
    let capacity: f64 =
        sink.ports.iter().map(|row| row.rate.0 as f64 / 8.0).sum::<f64>() * summary.simulated_s;
    close(summary.links.utilization, sent as f64 / capacity);
    assert!(summary.links.busiest > summary.links.utilization && summary.links.busiest <= 1.0);
}

#[test]
fn packets_are_reported_only_where_they_were_counted() {
    let text = TWO_JOBS.replace("record: { queue_packets: true }", "").replace("adaptive", "spray");
    let (done, _) = simulated(&prepared(&text, None), Options::default());
    assert_eq!(done.summary.queues.all.packets, None);
    assert!(done.summary.queues.all.bytes > Some(0));
}
