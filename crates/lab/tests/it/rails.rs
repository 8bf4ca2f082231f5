//! Hosts with a link inside their server and a NIC: the port rate that messages are measured by.

use std::path::Path;

use netloom_lab::{Over, RunReport, RunRequest, Source, run};
use netloom_report::{ReportedRun, read};

/// One message of 8 MiB from the first GPU to another one, with two servers of two GPUs.
fn one_message(folder: &Path, to: &str) -> RunReport {
    let text = format!(
        "
netloom: 1
fabric:
  rail:
    servers: 2
    gpus_per_server: 2
    spines: 1
    inner_rate: 3600Gbps
    host_rate: 400Gbps
    inner_delay: 100ns
    host_delay: 100ns
    fabric_delay: 100ns
transport: {{ ideal: {{ mtu: 4KiB }} }}
jobs:
  - name: one
    placement: {{ list: [server0.gpu0, {to}] }}
    phases: [ {{ point_to_point: {{ stages: 2, microbatches: 1, size: 8MiB }} }} ]
"
    );
    let request =
        RunRequest { folder: Some(folder.to_owned()), ..RunRequest::new(Source::text("one", text)) };
    run(request).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_message_is_measured_by_the_port_it_used() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    for (name, to) in [("inside", "server0.gpu1"), ("rail", "server1.gpu0"), ("spine", "server1.gpu1")] {
        let folder = workspace.path().join(name);
        let report = one_message(&folder, to);
        // In isolation it uses the full rate of its port, except for headers and latency.
        let found = report.summary.queue_pairs.expect("there are queue pairs");
        assert!(found.goodput > 0.8 && found.goodput <= 1.0, "{name}: {found:?}");
        let page =
            read(&[ReportedRun { name: name.to_owned(), folder }], Over::Jobs).expect("it can be read");
        let page = serde_json::to_value(&page).expect("it is data");
        let goodput = &page["goodput"][0];
        let share =
            goodput["mean"].as_f64().expect("it sent") / goodput["line"].as_f64().expect("it has ports");
        assert!((share - found.goodput).abs() < 1e-4, "{name}: {share} {found:?}");
    }
}
