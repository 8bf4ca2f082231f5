//! Every view reports the same number of lost packets, including those that were lost before a port had been chosen.

use netloom_lab::compare::compare_folders;
use netloom_lab::{Over, RunRequest, Source, run};
use netloom_records::RunFolder;
use netloom_report::{ReportedRun, read};

/// A leaf with a temporary failure of all its uplinks, which it detects at once: packets that arrive then have no path.
const CUT: &str = "
netloom: 1
fabric: {leaf_spine: {leaves: 2, spines: 2, hosts_per_leaf: 2, host_rate: 100Gbps, host_delay: 500ns, fabric_delay: 500ns}}
transport: {irn: {mtu: 1KiB}}
queues: {buffer: 64KiB}
faults:
  awareness: local
  detection: 0s
  timed:
    - {at: 100us, link: leaf0-spine0.0, action: down}
    - {at: 100us, link: leaf0-spine1.0, action: down}
    - {at: 300us, link: leaf0-spine0.0, action: up}
    - {at: 300us, link: leaf0-spine1.0, action: up}
jobs:
  - name: exchange
    phases: [all_to_all_linear: {size: 8MiB}]
";

#[test]
fn all_views_report_the_same_number_of_lost_packets() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let folder = workspace.path().join("run");
    let request = RunRequest { folder: Some(folder.clone()), ..RunRequest::new(Source::text("cut", CUT)) };
    let report = run(request).unwrap_or_else(|error| panic!("{error}"));
    let stored = RunFolder::open(&folder).expect("it is complete");
    let rows = stored.drops().expect("the table is there");
    let expected: u64 = rows.iter().map(|row| row.packets).sum();
    let without_port: u64 = rows.iter().filter(|row| row.port.is_none()).map(|row| row.packets).sum();
    let at_ports: u64 = rows.iter().filter(|row| row.port.is_some()).map(|row| row.packets).sum();
    assert!(without_port > 0 && without_port < expected, "{without_port} of {expected}");
    assert_eq!(report.summary.drops.packets, expected);
    assert_eq!(report.summary.drops.by_reason["unreachable"], without_port);
    let compared = compare_folders(std::slice::from_ref(&folder), Over::Jobs, None, None)
        .expect("it can be read")
        .to_json();
    assert_eq!(compared["rows"][0]["values"]["dropped_packets"].as_f64(), Some(expected as f64));
    let page = read(&[ReportedRun { name: "cut".to_owned(), folder }], Over::Jobs).expect("it can be read");
    let page = serde_json::to_value(&page).expect("it is data");
    let sum = |list: &serde_json::Value, key: &str| -> u64 {
        list.as_array().expect("a list").iter().filter_map(|entry| entry[key].as_u64()).sum()
    };
    let signals = &page["signals"][0];
    assert_eq!(page["summary"][0]["whole"]["dropped"].as_u64(), Some(expected));
    assert_eq!(sum(&page["faults"][0]["drops"], "packets"), expected);
    assert_eq!(signals["lost"].as_u64(), Some(expected));
    assert_eq!(signals["lost_without_port"].as_u64(), Some(without_port));
    assert_eq!(signals["reasons"]["unreachable"].as_u64(), Some(without_port));
    assert_eq!(sum(&page["fabric"][0]["squares"], "dropped"), expected);
    assert_eq!(sum(&page["fabric"][0]["edges"], "dropped"), at_ports);
}
