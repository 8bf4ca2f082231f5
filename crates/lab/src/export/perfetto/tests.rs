//! A small run, exported and read back.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use netloom_records::{CollectiveRow, Overwrite, RunFolder};
use prost::Message;

use super::schema::{
    SEQ_INCREMENTAL_STATE_CLEARED, SEQ_NEEDS_INCREMENTAL_STATE, TYPE_COUNTER, TYPE_INSTANT, TYPE_SLICE_BEGIN,
    TYPE_SLICE_END, TracePacket, TrackDescriptor, TrackEvent,
};
use super::{TraceReport, perfetto};
use crate::error::LabError;
use crate::export::ExportError;
use crate::line::{RunRequest, run};
use crate::source::Source;

const SCENE: &str = "
netloom: 1
fabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 2 } }
balance: spray
jobs:
  - name: small
    steps: 3
    phases:
      - compute: 2us
      - collectives: { buckets: 2, concurrent: true, each: [ { ring_all_reduce: { size: 64KiB } } ] }
      - barrier
record: { series: 1us, timeline: 2 }
# While the ranks compute, so that nothing is lost.
faults: { timed: [ { at: 200ns, link: leaf0-spine0.0, action: down }, { at: 1500ns, link: leaf0-spine0.0, action: up } ] }
";

/// A whole trace.
#[derive(Clone, PartialEq, Message)]
struct Packets {
    #[prost(message, repeated, tag = "1")]
    packet: Vec<TracePacket>,
}

/// Runs a scenario into a folder of this name, which may exist.
fn made(scene: &str, folder: &Path) {
    let source = Source::text("scene.yaml", scene);
    let request = RunRequest {
        folder: Some(folder.to_owned()),
        overwrite: Overwrite::Refuse,
        ..RunRequest::new(source)
    };
    run(request).expect("it runs");
}

fn exported(location: &Path) -> (TraceReport, Vec<TracePacket>) {
    exported_as(SCENE, location)
}

fn exported_as(scene: &str, location: &Path) -> (TraceReport, Vec<TracePacket>) {
    made(scene, &location.join("run"));
    let report = perfetto(&location.join("run"), None, Overwrite::Refuse).expect("it can be exported");
    assert_eq!(report.file, location.join("run.perfetto-trace"));
    let bytes = fs::read(&report.file).expect("it is there");
    (report, Packets::decode(&bytes[..]).expect("it is a trace").packet)
}

fn tracks(packets: &[TracePacket]) -> Vec<&TrackDescriptor> {
    packets.iter().filter_map(|packet| packet.track_descriptor.as_ref()).collect()
}

fn events(packets: &[TracePacket]) -> impl Iterator<Item = (u64, &TrackEvent)> {
    packets.iter().filter_map(|packet| Some((packet.timestamp?, packet.track_event.as_ref()?)))
}

#[test]
fn a_trace_contains_the_rows_of_all_tables() {
    let location = tempfile::tempdir().expect("a folder");
    let (report, packets) = exported(location.path());
    let run = RunFolder::open(&location.path().join("run")).expect("it is complete");
    let (steps, collectives, spans) =
        (run.steps().expect("steps"), run.collectives().expect("collectives"), run.spans().expect("spans"));
    let jobs: Vec<_> = tracks(&packets).iter().filter_map(|track| track.process.clone()).collect();
    let named = jobs.iter().filter_map(|job| job.process_name.as_deref());
    assert_eq!(named.collect::<Vec<_>>(), ["job small (4 ranks)"]);
    let ranks = tracks(&packets).into_iter().filter_map(|track| track.thread.as_ref()?.thread_name.clone());
    let host = |rank: usize| format!("rank {rank} (leaf{}.host{})", rank / 2, rank % 2);
    assert_eq!(ranks.collect::<Vec<_>>(), (0..4).map(host).collect::<Vec<_>>());

    // One event down and up, one link down and up.
    let expected = steps.len() + collectives.len() + spans.len() + 2;
    let of_type = |kind| events(&packets).filter(|(_, event)| event.r#type == Some(kind)).count();
    assert_eq!([TYPE_SLICE_BEGIN, TYPE_SLICE_END].map(of_type), [expected; 2]);
    assert_eq!(report.slices, expected as u64);
    assert_eq!((of_type(TYPE_INSTANT), report.instants), (0, 0));
    assert_eq!(of_type(TYPE_COUNTER) as u64, report.values);
    let named: Vec<&str> = events(&packets).filter_map(|(_, event)| event.name.as_deref()).collect();
    let count = |name: &str| named.iter().filter(|known| **known == name).count();
    assert_eq!(count("link leaf0-spine0.0 down"), 2, "as an event and as the state of the link");
    assert_eq!(
        count("ring_all_reduce"),
        collectives.len() + spans.iter().filter(|row| row.bucket.is_some()).count()
    );
    assert_eq!((report.processes, report.threads, report.counters), (1, 4, 8));
}

#[test]
fn slices_are_annotated_with_exact_times() {
    let location = tempfile::tempdir().expect("a folder");
    let (_, packets) = exported(location.path());
    let mut n_slices = 0;
    let mut open: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for (at, event) in events(&packets) {
        let annotation = |name: &str| {
            let found = event.debug_annotations.iter().find(|note| note.name.as_deref() == Some(name));
            found.and_then(|note| note.uint_value)
        };
        let track = open.entry(event.track_uuid.expect("it has a track")).or_default();
        match event.r#type {
            Some(TYPE_SLICE_BEGIN) => {
                let start = annotation("start_ps").expect("it is annotated");
                assert_eq!(at, (start + 500) / 1_000);
                let end = start + annotation("duration_ps").expect("everything in this run has ended");
                track.push((end + 500) / 1_000);
                n_slices += 1;
            }
            Some(TYPE_SLICE_END) => assert_eq!(track.pop(), Some(at), "the slice that began last ends first"),
            _ => {}
        }
    }
    assert!(n_slices > 20 && open.values().all(Vec::is_empty));
}

#[test]
fn packets_form_one_sequence_in_order_of_time() {
    let location = tempfile::tempdir().expect("a folder");
    let (_, packets) = exported(location.path());
    assert!(packets.iter().all(|packet| packet.trusted_packet_sequence_id == Some(super::trace::SEQUENCE)));
    let flags: Vec<Option<u32>> = packets.iter().map(|packet| packet.sequence_flags).collect();
    assert_eq!(flags[0], Some(SEQ_INCREMENTAL_STATE_CLEARED));
    assert!(flags[1..].iter().all(|flags| *flags == Some(SEQ_NEEDS_INCREMENTAL_STATE)));
    assert_eq!(packets[0].first_packet_on_sequence, Some(true));
    assert!(
        packets.iter().map(|packet| packet.timestamp).is_sorted(),
        "tracks have no timestamp, and come first"
    );
}

#[test]
fn counters_return_to_zero_when_nothing_is_sent() {
    let location = tempfile::tempdir().expect("a folder");
    let (_, packets) = exported(location.path());
    for track in tracks(&packets).into_iter().filter(|track| track.counter.is_some()) {
        let values = events(&packets).filter(|(_, event)| event.track_uuid == track.uuid);
        let values: Vec<i64> = values.filter_map(|(_, event)| event.counter_value).collect();
        let name = track.name.as_deref().expect("it has a name");
        let link =
            name.split(": ").next().and_then(|name| name.split("link ").nth(1)).expect("it names a link");
        assert!(link.contains("host") && link.contains(".nic0"), "{link}");
        assert_eq!(*values.last().expect("it has values"), 0, "{name}");
        if name.ends_with("sending") {
            assert!(values.iter().any(|value| *value > 0), "{name}");
            // The ranks compute at first, and wait at a barrier in between.
            assert!(values[0] == 0 && values[1..values.len() - 1].contains(&0), "{name}: {values:?}");
        }
    }
}

#[test]
fn the_last_interval_ends_with_the_run() {
    let location = tempfile::tempdir().expect("a folder");
    // Ranks begin to send at 2 us, and the first messages take longer than that.
    let (_, packets) = exported_as(&format!("{SCENE}deadline: 2300ns\n"), location.path());
    let run = RunFolder::open(&location.path().join("run")).expect("it is complete");
    assert_eq!(run.manifest().simulated_ps, 2_300_000);
    let rows = run.series().expect("series");
    let last: Vec<_> = rows.into_iter().filter(|row| row.time.0 == 3_000_000).collect();
    let values = |ending: &str| {
        let tracks = tracks(&packets).into_iter().filter(|track| {
            track.counter.is_some() && track.name.as_deref().is_some_and(|name| name.ends_with(ending))
        });
        let uuids: Vec<Option<u64>> = tracks.map(|track| track.uuid).collect();
        assert_eq!(uuids.len(), 4, "one for each host");
        let of_them = events(&packets).filter(|(_, event)| uuids.contains(&event.track_uuid));
        of_them.filter_map(|(at, event)| Some((at, event.counter_value?))).collect::<Vec<_>>()
    };
    let sending = values("sending");
    let rates: Vec<i64> = sending.iter().filter(|(at, _)| *at == 2_000).map(|(_, rate)| *rate).collect();
    assert_eq!(rates.len(), 4);
    for rate in rates {
        // Bytes times 8e12, divided by 300 ns, to the nearest whole number.
        let is_plotted =
            |size: u64| (size as i128 * 8_000_000_000_000 + 150_000) / 300_000 == i128::from(rate);
        assert!(rate > 0 && last.iter().any(|row| is_plotted(row.size.0)), "{rate}");
    }
    assert_eq!(sending.iter().filter(|(at, rate)| (*at, *rate) == (2_300, 0)).count(), 4);
    assert_eq!(values("waiting").iter().filter(|(at, _)| *at == 2_300).count(), 4);
    assert_eq!(events(&packets).map(|(at, _)| at).max(), Some(2_300), "nothing is after the end");
}

#[test]
fn faults_after_the_end_are_left_out() {
    let location = tempfile::tempdir().expect("a folder");
    let later = "action: up }, { at: 10ms, link: leaf0-spine1.0, action: down } ]";
    let (report, packets) = exported_as(&SCENE.replace("action: up } ]", later), location.path());
    let run = RunFolder::open(&location.path().join("run")).expect("it is complete");
    let end = run.manifest().simulated_ps;
    let faults = run.faults().expect("faults");
    assert!(end < 10_000_000_000 && faults.iter().any(|row| row.time.0 > end), "{end}: {faults:?}");
    let of_type = |kind| events(&packets).filter(|(_, event)| event.r#type == Some(kind)).count() as u64;
    assert_eq!([TYPE_SLICE_BEGIN, TYPE_SLICE_END].map(of_type), [report.slices; 2]);
    assert!(events(&packets).all(|(at, _)| at <= (end + 500) / 1_000));
    let count =
        |name: &str| events(&packets).filter(|(_, event)| event.name.as_deref() == Some(name)).count();
    assert_eq!((count("link leaf0-spine0.0 down"), count("link leaf0-spine1.0 down")), (2, 0));
}

#[test]
fn no_file_is_left_if_the_run_recorded_nothing_for_a_timeline() {
    let location = tempfile::tempdir().expect("a folder");
    let quiet = "
netloom: 1
fabric: { leaf_spine: { leaves: 2, spines: 1, hosts_per_leaf: 1 } }
jobs: [ { name: late, start: 1ms, phases: [ { compute: 1us } ] } ]
record: { series: none, timeline: 0 }
deadline: 1us
";
    made(quiet, &location.path().join("run"));
    let answer = perfetto(&location.path().join("run"), None, Overwrite::Refuse);
    assert!(matches!(answer, Err(LabError::Export(ExportError::NoTimeline(_)))), "{answer:?}");
    let left: Vec<_> = fs::read_dir(location.path()).expect("it is there").collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn overlapping_slices_are_on_parallel_tracks() {
    let location = tempfile::tempdir().expect("a folder");
    let (_, packets) = exported(location.path());
    let run = RunFolder::open(&location.path().join("run")).expect("it is complete");
    let rows: Vec<CollectiveRow> = run.collectives().expect("collectives");
    let overlap = rows.iter().filter(|row| {
        rows.iter().any(|other| {
            (other.step, other.bucket) != (row.step, row.bucket)
                && other.start < row.end
                && row.start < other.end
        })
    });
    assert!(overlap.count() > 0, "two buckets start together");
    let named =
        |name: &str| tracks(&packets).into_iter().filter(|track| track.name.as_deref() == Some(name)).count();
    assert_eq!((named("steps"), named("collectives"), named("beside")), (1, 2, 4));
}
