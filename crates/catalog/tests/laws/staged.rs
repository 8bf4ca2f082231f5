//! Staged flows: when their messages start, that some are always posted, and that none starts after the flow's stop.

use netloom_catalog::{WorkloadError, expand};
use netloom_model::{FabricService, Message, Posting, Stage, StagedFlow, StagedFlows, Workload};
use netloom_units::{Bytes, HostId, Random, Rate, Time};

use crate::executor::{Delay, Trace, run};

const SIZE: Bytes = Bytes(1_000);

fn flow(from: u32, to: u32, start: u64, stop: u64, rate: Option<u64>) -> StagedFlow {
    let (source, destination) = (HostId(from), HostId(to));
    StagedFlow {
        source,
        destination,
        start: Time(start),
        stop: Time(stop),
        rate: rate.map(Rate),
        handling: FabricService::default(),
    }
}

fn workload(flows: &[StagedFlow], posting: Posting) -> Workload {
    let stages = vec![Stage { start: Time(0), measured_from: Time(0), end: Time(1_000_000) }];
    let staged = StagedFlows { flows: flows.to_vec(), stages, message: SIZE, posting };
    Workload { staged: Some(staged), ..Workload::default() }
}

fn trace(flows: &[StagedFlow], posting: Posting, delay: Delay, ahead: usize) -> Trace {
    let mut work = expand(&workload(flows, posting), 4, 1).unwrap();
    run(&mut work, delay, ahead)
}

#[test]
fn clocked_messages_start_in_sequence_until_the_flow_stops() {
    // A message takes 1000 ps at 8 Tbps; three messages start within the time of 2.5 messages.
    let flows =
        [flow(0, 1, 100, 2_600, Some(8_000_000_000_000)), flow(0, 2, 0, 1_000, Some(8_000_000_000_000))];
    let trace = trace(&flows, Posting::Clocked, Delay::Fixed(7), 0);
    let sends: Vec<_> = trace.sends.iter().map(|(at, actor, message)| (*at, *actor, message.step)).collect();
    assert_eq!(sends, [(0, 1, 1), (100, 0, 0), (1_100, 0, 0), (2_100, 0, 0)]);
    assert!(trace.sends.iter().all(|(.., message)| message.job == Message::STAGED && message.size == SIZE));
}

#[test]
fn a_fixed_number_of_messages_is_posted_and_none_after_the_stop() {
    for posted in [1, 2, 5, 40] {
        for ahead in [0, 3, 100] {
            let flows = [flow(0, 1, 50, 10_050, None), flow(2, 1, 0, 77, None)];
            let found = trace(&flows, Posting::Acknowledged { posted }, Delay::Fixed(100), ahead);
            let of = |flow| found.sends.iter().filter(move |send| send.2.step == flow);
            // Each is acknowledged after 200 ps; at 10,050 ps the flow stops: an ACK at that instant starts no message.
            let rounds = 10_000 / 200;
            assert_eq!(of(0).count(), rounds * posted as usize, "{posted} {ahead}");
            assert_eq!(of(1).count(), posted as usize, "{posted} {ahead}");
            for (position, send) in of(0).enumerate() {
                assert_eq!(send.0, 50 + 200 * (position as u64 / u64::from(posted)), "{posted} {ahead}");
            }
        }
    }
}

#[test]
fn the_refill_level_of_flows_has_no_effect() {
    let flows = [flow(0, 1, 50, 30_000, None), flow(2, 1, 0, 9_000, None), flow(0, 3, 4_000, 30_000, None)];
    let random = || Delay::Random(Random::stream(5, 0, 0), 300);
    let posting = Posting::Acknowledged { posted: 3 };
    let first = trace(&flows, posting, random(), 0);
    assert!(first.sends.len() > 300);
    assert!(first.most_held < 40, "held {}", first.most_held);
    for (at, _, message) in &first.sends {
        let described = flows[message.step as usize];
        assert!((described.start.0..described.stop.0).contains(at));
    }
    let ahead = trace(&flows, posting, random(), 60);
    assert_eq!(ahead.sends, first.sends);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let posting = Posting::Acknowledged { posted: 2 };
    let refused = |flow, posting| expand(&workload(&[flow], posting), 4, 1).unwrap_err();
    for (wrong, posting) in [
        (flow(1, 1, 0, 10, None), posting),
        (flow(0, 1, 10, 10, None), posting),
        (flow(0, 1, 0, 10, None), Posting::Acknowledged { posted: 0 }),
        (flow(0, 1, 0, 10, None), Posting::Clocked),
        (flow(0, 1, 0, 999, Some(8_000_000_000_000)), posting),
        (flow(0, 1, 0, 999, Some(8_000_000_000_000)), Posting::Clocked),
    ] {
        assert!(matches!(refused(wrong, posting), WorkloadError::Staged { flow: 0, .. }), "{wrong:?}");
    }
    assert!(matches!(refused(flow(0, 4, 0, 10, None), posting), WorkloadError::NoSuchHost { .. }));
    let many = vec![flow(0, 1, 0, 10, None); 65_536];
    assert!(matches!(expand(&workload(&many, posting), 4, 1), Err(WorkloadError::TooMany { .. })));
}
