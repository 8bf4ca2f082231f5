//! A NIC that keeps pausing its switch (pause storm) blocks traffic to it exactly until the storm ends, even if its
//! link fails as the storm is to end.

use netloom_engine::{Extensions, Options, Status};
use netloom_model::{Buffer, Fault, FaultAction, Model, Pause, Storm, TransportKind};
use netloom_policy::transport::Reliability;
use netloom_testkit::fixture::{
    Cable, ListedWork, Run, Sending, everything_joined, model, simulate, simulate_with, star,
};
use netloom_units::{Bytes, Duration, LinkId, NodeId, PortId, Time};

use crate::rdma::rdma;

const AT: Time = Time(10_000_000);
const END: Time = Time(210_000_000);

/// Two hosts at a switch, which the second one pauses; all links of 100 Gbps and 1 us.
fn scene() -> Model {
    let mut model = model(star(2, Cable::new(100_000_000_000, 1_000_000)));
    model.transport.kind = TransportKind::Rdma(rdma(Reliability::NicSr));
    model.classes.control = 1;
    let pause = Pause { headroom: None, xon_gap: Bytes(1_000) };
    model.queues.buffer = Some(Buffer { size: Bytes(200_000), alpha: 512, pause: Some(pause) });
    let port = PortId(model.fabric.port_range(NodeId(1)).start);
    model.storms = vec![Storm { port, at: AT, end: END, interval: Duration(15_000_000) }];
    model
}

/// 50 us at line rate.
fn work() -> ListedWork {
    ListedWork::new(&[Sending::new(0, 0, 1, 600_000)])
}

fn end(run: &Run) -> Time {
    assert_eq!(run.outcome.status, Status::Complete);
    run.records.flows[0].end.expect("the message arrives")
}

#[test]
fn traffic_to_the_nic_waits_for_the_end_of_the_storm() {
    let model = scene();
    let run = simulate(&model, work());
    assert!(end(&run) > END && end(&run) < END + Duration(60_000_000), "{:?}", end(&run));
    let signals = |node| run.records.signals.iter().find(|row| row.node == NodeId(node)).expect("a row");
    // At 10, 25, ... 205 us; each frame takes 1 us and its transmission time.
    assert_eq!(signals(1).pauses, 14);
    let paused = run.records.signals.iter().find(|row| row.node == NodeId(2) && row.peer == NodeId(1));
    // The first frame preceded the ACK that was to start at its instant.
    assert_eq!(paused.expect("the switch's port was paused").paused, END.since(AT));
    assert!(run.records.drops.is_empty());
    let plain = Options::default();
    for variant in
        [Options { threads: 2, ..plain }, Options { shortcut: false, ..plain }, everything_joined()]
    {
        assert!(
            simulate_with(&model, work(), variant, Extensions::default()).records == run.records,
            "{variant:?}"
        );
    }
}

#[test]
fn the_end_of_the_first_of_two_storms_releases_no_traffic() {
    let mut model = scene();
    let short = Storm {
        at: Time(20_000_000),
        end: Time(60_000_000),
        interval: Duration(40_000_000),
        ..model.storms[0]
    };
    model.storms[0].interval = Duration(100_000_000);
    model.storms.push(short);
    // Between 60 us, when the short storm ends, and 110 us, when the long one sends its next frame, all packets could
    // arrive.
    let run = simulate(&model, work());
    assert!(end(&run) > END, "{:?}", end(&run));
}

#[test]
fn a_link_that_fails_as_the_storm_ends_resumes_when_it_recovers() {
    let fault = |at, action| Fault { at: Time(at), link: LinkId(1), action };
    let mut model = scene();
    model.faults = vec![fault(205_500_000, FaultAction::Down), fault(300_000_000, FaultAction::Up)];
    let late = end(&simulate(&model, work()));
    assert!(late > Time(300_000_000), "{late:?}");
    // If it recovers before the end, it is paused again.
    model.faults = vec![fault(100_500_000, FaultAction::Down), fault(102_000_000, FaultAction::Up)];
    let run = simulate(&model, work());
    assert!(end(&run) > END);
}
