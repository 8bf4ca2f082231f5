//! The figures of a run are what its rows say, from memory and from a folder alike.

use netloom_lab::summary::{Summary, Totals, summary};
use netloom_lab::{Options, RunRequest, Source, run};
use netloom_records::FlowRow;

use crate::scenes::{TWO_JOBS, prepared, simulated};

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{found} is not {expected}");
}

#[test]
fn a_run_its_memory_and_its_folder_have_the_same_figures() {
    let place = tempfile::tempdir().expect("a folder can be made");
    let folder = place.path().join("run");
    let request =
        RunRequest { folder: Some(folder.clone()), ..RunRequest::new(Source::text("two", TWO_JOBS)) };
    let report = run(request).expect("it runs");
    assert_eq!(summary(&folder).expect("it can be read"), report.summary);
    let prepared = prepared(TWO_JOBS, None);
    let (done, sink) = simulated(&prepared, Options::default());
    assert_eq!(done.summary, report.summary);
    let totals = Totals { packets: done.engine.packets, hops: done.engine.hops, simulated: done.engine.end };
    assert_eq!(Summary::of_memory(&sink, &prepared.names(), 16, totals), report.summary);
}

#[test]
fn a_folder_of_queue_pairs_has_the_figures_of_its_run() {
    let place = tempfile::tempdir().expect("a folder can be made");
    let folder = place.path().join("run");
    let text = TWO_JOBS
        .replace("balance: adaptive", "balance: {switch: psn_spray, edge: themis}\ntransport: nic_sr");
    let request =
        RunRequest { folder: Some(folder.clone()), ..RunRequest::new(Source::text("pairs", text.clone())) };
    let report = run(request).expect("it runs");
    let found = report.summary.queue_pairs.expect("there are queue pairs");
    assert!(found.nacks > 0 && found.nacks_blocked > 0, "{found:?}");
    assert_eq!(summary(&folder).expect("it can be read"), report.summary);
    let (done, sink) = simulated(&prepared(&text, None), Options::default());
    let totals = Totals { packets: done.engine.packets, hops: done.engine.hops, simulated: done.engine.end };
    let names = prepared(&text, None).names();
    assert_eq!(Summary::of_memory(&sink, &names, 16, totals), report.summary);
}

#[test]
fn figures_are_what_the_rows_say() {
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

    // Only background messages say how long they would have taken alone.
    assert!(sink.flows.iter().all(|row| row.ideal.is_some() == (row.job == u16::MAX)));
    let ratio = |row: &FlowRow| Some(row.end?.since(row.start).as_seconds() / row.ideal?.as_seconds());
    let ratios: Vec<f64> = sink.flows.iter().filter_map(ratio).collect();
    let slowdown = background.slowdown.expect("there are mice");
    assert_eq!((slowdown.all.count, slowdown.floored), (50, 0));
    // Slowdowns are kept as whole millionths.
    let near =
        |found: f64, expected: f64| assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
    near(slowdown.all.mean, ratios.iter().sum::<f64>() / 50.0);
    near(slowdown.all.maximum, ratios.iter().copied().fold(0.0, f64::max));
    // Four sizes of mice; buckets part no size.
    let sizes: Vec<_> = slowdown.buckets.iter().map(|bucket| bucket.largest_bytes).collect();
    assert_eq!(sizes, [4096, 8192, 12_288, 16_384]);
    assert_eq!(slowdown.buckets.iter().map(|bucket| bucket.count).sum::<u64>(), 50);

    let is_host = |node: u32| node < 16;
    let peak = |hosts: bool| {
        let ports = sink.ports.iter().filter(|row| is_host(row.node.0) == hosts);
        ports.clone().map(|row| row.peak_size.0).max().zip(ports.filter_map(|row| row.peak_packets).max())
    };
    let queues = summary.queues;
    assert_eq!(peak(true), Some((queues.hosts.bytes, queues.hosts.packets.expect("counted") as u32)));
    assert_eq!(peak(false), Some((queues.switches.bytes, queues.switches.packets.expect("counted") as u32)));
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
fn packets_are_told_only_where_they_were_counted() {
    let text = TWO_JOBS.replace("record: { queue_packets: true }", "").replace("adaptive", "spray");
    let (done, _) = simulated(&prepared(&text, None), Options::default());
    assert_eq!(done.summary.queues.all.packets, None);
    assert!(done.summary.queues.all.bytes > 0);
}
