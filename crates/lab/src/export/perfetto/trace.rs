//! A trace being made: its tracks, and what happens on them.
//!
//! Models: tracks of processes and threads, named tracks, counters; slices, instants and values, put into order of time and
//! written as one sequence of packets.
//! Leaves out: what the tracks are about.
//!
//! Invariants: instants are rounded to the nearest nanosecond, so what came first still does, and what is nested stays so;
//! every slice begins and ends, and tells start and duration in picoseconds; tracks are told before what happens on them.

use std::io;
use std::path::{Path, PathBuf};

use netloom_units::Time;
use prost::Message;
use prost::encoding::{WireType, encode_key};

use super::TraceReport;
use super::schema::{
    CounterDescriptor, DebugAnnotation, ProcessDescriptor, SEQ_INCREMENTAL_STATE_CLEARED,
    SEQ_NEEDS_INCREMENTAL_STATE, TYPE_COUNTER, TYPE_INSTANT, TYPE_SLICE_BEGIN, TYPE_SLICE_END,
    ThreadDescriptor, TracePacket, TrackDescriptor, TrackEvent,
};
use super::sorted::Sorted;
use crate::error::LabError;
use crate::export::place::refused;
use crate::export::{ExportError, NewFile};

/// The one sequence of packets; any number but 0.
pub const SEQUENCE: u32 = 1;
/// Field of the packets in a trace.
const PACKETS: u32 = 1;

/// A track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Track(u64);

/// The number of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Process {
    /// Its track.
    pub track: Track,
    pid: i32,
}

/// Something that takes time.
#[derive(Debug, Clone, PartialEq)]
pub struct Slice {
    /// Its name.
    pub name: String,
    /// From when.
    pub start: Time,
    /// Until when; absent if it was not over when the run ended.
    pub end: Option<Time>,
    /// What more there is to say.
    pub about: Vec<DebugAnnotation>,
}

/// A trace being made.
#[derive(Debug)]
pub struct Trace {
    /// Until when the run lasted.
    end: Time,
    tracks: Vec<TrackDescriptor>,
    events: Sorted,
    backup: PathBuf,
    report: TraceReport,
    encoded: Vec<u8>,
}

/// A whole number that says more.
pub fn number(name: &str, value: impl Into<u64>) -> DebugAnnotation {
    DebugAnnotation { uint_value: Some(value.into()), ..named(name) }
}

/// A double that says more.
pub fn real(name: &str, value: f64) -> DebugAnnotation {
    DebugAnnotation { double_value: Some(value), ..named(name) }
}

/// A text that says more.
pub fn text(name: &str, value: &str) -> DebugAnnotation {
    DebugAnnotation { string_value: Some(value.to_owned()), ..named(name) }
}

fn named(name: &str) -> DebugAnnotation {
    DebugAnnotation { name: Some(name.to_owned()), ..DebugAnnotation::default() }
}

/// The nearest nanosecond.
fn nanos(at: Time) -> u64 {
    at.0 / 1_000 + u64::from(at.0 % 1_000 >= 500)
}

impl Trace {
    /// An empty trace of a run that lasted so long; `aside` is where events may lie until they are sorted.
    pub fn new(end: Time, aside: &Path) -> Trace {
        Trace {
            end,
            tracks: Vec::new(),
            events: Sorted::new(aside.to_owned()),
            backup: aside.to_owned(),
            report: TraceReport::default(),
            encoded: Vec::new(),
        }
    }

    /// Until when the run lasted.
    pub fn end(&self) -> Time {
        self.end
    }

    /// A process.
    pub fn process(&mut self, name: String) -> Process {
        let pid = self.unused();
        let process = ProcessDescriptor { pid: Some(pid), process_name: Some(name) };
        let track = self.track(TrackDescriptor { process: Some(process), ..TrackDescriptor::default() });
        self.report.processes += 1;
        Process { track, pid }
    }

    /// A thread of a process.
    pub fn thread(&mut self, process: Process, name: String) -> Track {
        let tid = Some(i64::from(self.unused()));
        let thread = ThreadDescriptor { pid: Some(process.pid), tid, thread_name: Some(name) };
        self.report.threads += 1;
        self.track(TrackDescriptor {
            thread: Some(thread),
            parent_uuid: Some(process.track.0),
            ..TrackDescriptor::default()
        })
    }

    /// A track of its own, below another one if there is one.
    pub fn below(&mut self, parent: Option<Track>, name: &str) -> Track {
        let parent_uuid = parent.map(|track| track.0);
        self.track(TrackDescriptor { name: Some(name.to_owned()), parent_uuid, ..TrackDescriptor::default() })
    }

    /// A counter below a track; those of one unit are drawn at one scale.
    pub fn counter(&mut self, parent: Track, name: String, unit: &str) -> Track {
        let counter =
            CounterDescriptor { unit_name: Some(unit.to_owned()), y_axis_share_key: Some(unit.to_owned()) };
        self.report.counters += 1;
        self.track(TrackDescriptor {
            name: Some(name),
            parent_uuid: Some(parent.0),
            counter: Some(counter),
            ..TrackDescriptor::default()
        })
    }

    /// A slice, on a track where the one before has ended.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn slice(&mut self, track: Track, slice: Slice) -> Result<(), LabError> {
        let end = slice.end.unwrap_or(self.end);
        self.begin(track, slice)?;
        self.finish(track, end)
    }

    /// The beginning of a slice: slices of one track begin and end in order of time, and what begins last ends first.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn begin(&mut self, track: Track, slice: Slice) -> Result<(), LabError> {
        let Slice { name, start, end, mut about } = slice;
        about.push(number("start_ps", start.0));
        match end {
            Some(end) => about.push(number("duration_ps", end.since(start).0)),
            None => about.push(DebugAnnotation { bool_value: Some(true), ..named("unfinished") }),
        }
        self.report.slices += 1;
        let event = TrackEvent { name: Some(name), debug_annotations: about, ..TrackEvent::default() };
        self.event(track, start, TYPE_SLICE_BEGIN, event)
    }

    /// The end of the slice that began last on this track.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn finish(&mut self, track: Track, at: Time) -> Result<(), LabError> {
        self.event(track, at, TYPE_SLICE_END, TrackEvent::default())
    }

    /// Something that takes no time.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn instant(
        &mut self,
        track: Track,
        at: Time,
        name: String,
        mut about: Vec<DebugAnnotation>,
    ) -> Result<(), LabError> {
        about.push(number("start_ps", at.0));
        self.report.instants += 1;
        let event = TrackEvent { name: Some(name), debug_annotations: about, ..TrackEvent::default() };
        self.event(track, at, TYPE_INSTANT, event)
    }

    /// A counter's value from an instant on.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn value(&mut self, track: Track, at: Time, value: u64) -> Result<(), LabError> {
        self.report.values += 1;
        let value = i64::try_from(value).unwrap_or(i64::MAX);
        let event = TrackEvent { counter_value: Some(value), ..TrackEvent::default() };
        self.event(track, at, TYPE_COUNTER, event)
    }

    /// Whether nothing happens in it.
    pub fn is_empty(&self) -> bool {
        self.report.slices + self.report.instants + self.report.values == 0
    }

    /// Writes it: the tracks, then what happens on them, in order of time.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(self, file: &mut NewFile) -> Result<TraceReport, LabError> {
        let mut flags = SEQ_INCREMENTAL_STATE_CLEARED;
        let mut encoded = Vec::new();
        for track in self.tracks {
            let is_first = flags == SEQ_INCREMENTAL_STATE_CLEARED;
            let packet = TracePacket {
                track_descriptor: Some(track),
                sequence_flags: Some(flags),
                first_packet_on_sequence: is_first.then_some(true),
                ..on_sequence()
            };
            encoded.clear();
            encode(&packet, &mut encoded);
            file.write(&encoded)?;
            flags = SEQ_NEEDS_INCREMENTAL_STATE;
        }
        let written = self.events.each(|event| file.write(event).map_err(Stopped::Writing));
        written.map_err(|error| match error {
            Stopped::Writing(error) => error,
            Stopped::Sorting(error) => refused(&self.backup)(error),
        })?;
        Ok(self.report)
    }

    fn track(&mut self, descriptor: TrackDescriptor) -> Track {
        // 0 is the viewer's own.
        let uuid = self.tracks.len() as u64 + 1;
        self.tracks.push(TrackDescriptor { uuid: Some(uuid), ..descriptor });
        Track(uuid)
    }

    /// A number that no process and no thread has; 0 is the idle process of an operating system.
    fn unused(&self) -> i32 {
        i32::try_from(self.report.processes + self.report.threads + 1).unwrap_or(i32::MAX)
    }

    fn event(&mut self, track: Track, at: Time, kind: i32, event: TrackEvent) -> Result<(), LabError> {
        let event = TrackEvent { r#type: Some(kind), track_uuid: Some(track.0), ..event };
        let packet = TracePacket {
            timestamp: Some(nanos(at)),
            track_event: Some(event),
            sequence_flags: Some(SEQ_NEEDS_INCREMENTAL_STATE),
            ..on_sequence()
        };
        self.encoded.clear();
        encode(&packet, &mut self.encoded);
        let kept = self.events.push(nanos(at), &self.encoded);
        Ok(kept.map_err(refused(&self.backup))?)
    }
}

/// Why a trace was not written.
enum Stopped {
    Writing(ExportError),
    Sorting(io::Error),
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Stopped {
        Stopped::Sorting(error)
    }
}

fn on_sequence() -> TracePacket {
    TracePacket { trusted_packet_sequence_id: Some(SEQUENCE), ..TracePacket::default() }
}

/// As part of a trace.
fn encode(packet: &TracePacket, bytes: &mut Vec<u8>) {
    encode_key(PACKETS, WireType::LengthDelimited, bytes);
    packet.encode_length_delimited(bytes).expect("a vector has room");
}
