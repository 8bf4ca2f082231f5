//! Reports of a run on waiting at the heads of queues, and on timeouts without losses.

use std::fs;

use crate::command::Workspace;

/// Three senders to one host behind links with credits, and timeouts shorter than a round trip.
const CREDITS: &str = "
netloom: 1
fabric: { single_switch: { hosts: 4, host_rate: 100Gbps, host_delay: 500ns } }
transport: { go_back_n: { timeout: 2us } }
queues: { credits: {} }
jobs: [ { name: in, phases: [ { incast: { size: 256KiB } } ] } ]
";

#[test]
fn waits_and_timeouts_are_reported_checked_and_exported() {
    let workspace = Workspace::new();
    workspace.write("credits.yaml", CREDITS);
    let run = workspace.netloom(&["run", "credits.yaml", "-o", "a"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let line =
        |start: &str| run.out.lines().find(|line| line.starts_with(start)).expect("there is such a line");
    let arbitration = line("arbitration ");
    assert!(arbitration.contains("(bound 34, switch towards host0)"), "{arbitration}");
    let timeouts = line("timeouts ");
    assert!(timeouts.starts_with("timeouts    3 queue pairs retransmitted after "), "{timeouts}");
    assert!(
        timeouts.contains("although no packet was lost: ") && timeouts.contains("->host0 #0 ("),
        "{timeouts}"
    );

    let checked = workspace.netloom(&["check", "a"]);
    assert_eq!((checked.code, checked.err.as_str()), (Some(0), ""));
    let csv = workspace.netloom(&["export", "csv", "a", "-o", "tables"]);
    assert_eq!(csv.code, Some(0), "{}", csv.err);
    let head = |name: &str| {
        let text = fs::read_to_string(workspace.path("tables").join(name)).expect("it is text");
        (text.lines().next().unwrap_or_default().to_owned(), text.lines().count())
    };
    let columns =
        "port,node,link,peer,transfers,most_passes,bound,longest_wait,node_name,link_name,peer_name";
    assert_eq!(head("arbitration.csv"), (columns.to_owned(), 5));
    let columns = "source,destination,number,timeouts,unacknowledged,first,last";
    assert_eq!(head("spurious_timeouts.csv"), (columns.to_owned(), 4));
}

#[test]
fn without_credits_and_timeouts_neither_is_reported() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", crate::command::SMALL);
    let run = workspace.netloom(&["run", "small.yaml", "-o", "a"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(!run.out.contains("arbitration") && !run.out.contains("timeouts"), "{}", run.out);
}
