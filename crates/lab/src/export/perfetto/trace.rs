//! A trace in memory: its tracks, and the events on them.
//!
//! Models: tracks of processes and threads, named tracks, counters; slices, instants and values, sorted by time and
//! written as one sequence of packets.
//! Leaves out: the meaning of the tracks.
//!
//! Invariants: instants are rounded to the nearest nanosecond, so order and nesting are preserved; every slice begins
//! and ends, and is annotated with its start and duration in picoseconds; tracks are written before the events on them.

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
use crate::export::location::refused;
use crate::export::{ExportError, NewFile};

/// The number of the only sequence; any number but 0.
pub const SEQUENCE: u32 = 1;
/// Field number of the packets in a trace.
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

/// A slice: something with a duration.
#[derive(Debug, Clone, PartialEq)]
pub struct Slice {
    /// Its name.
    pub name: String,
    /// Its start.
    pub start: Time,
    /// Its end; absent if it had not ended when the run ended.
    pub end: Option<Time>,
    /// Annotations.
    pub about: Vec<DebugAnnotation>,
}

/// A trace in memory.
#[derive(Debug)]
pub struct Trace {
    /// The end of the run.
    end: Time,
    tracks: Vec<TrackDescriptor>,
    events: Sorted,
    backup: PathBuf,
    report: TraceReport,
    encoded: Vec<u8>,
}

/// An integer annotation.
pub fn number(name: &str, value: impl Into<u64>) -> DebugAnnotation {
    DebugAnnotation { uint_value: Some(value.into()), ..named(name) }
}

/// A floating-point annotation.
pub fn real(name: &str, value: f64) -> DebugAnnotation {
    DebugAnnotation { double_value: Some(value), ..named(name) }
}

/// A text annotation.
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
    /// An empty trace of a run that ended at `end`; `backup` is a path next to which events may be stored until they are
    /// sorted.
    pub fn new(end: Time, backup: &Path) -> Trace {
        Trace {
            end,
            tracks: Vec::new(),
            events: Sorted::new(backup.to_owned()),
            backup: backup.to_owned(),
            report: TraceReport::default(),
            encoded: Vec::new(),
        }
    }

    /// The end of the run.
    pub fn end(&self) -> Time {
        self.end
    }

    /// Adds a process.
    pub fn process(&mut self, name: String) -> Process {
        let pid = self.unused();
        let process = ProcessDescriptor { pid: Some(pid), process_name: Some(name) };
        let track = self.track(TrackDescriptor { process: Some(process), ..TrackDescriptor::default() });
        self.report.processes += 1;
        Process { track, pid }
    }

    /// Adds a thread of a process.
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

    /// Adds a named track, below another one if there is one.
    pub fn below(&mut self, parent: Option<Track>, name: &str) -> Track {
        let parent_uuid = parent.map(|track| track.0);
        self.track(TrackDescriptor { name: Some(name.to_owned()), parent_uuid, ..TrackDescriptor::default() })
    }

    /// Adds a counter below a track; counters of one unit share one scale.
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

    /// Adds a slice, on a track whose previous slice has ended.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn slice(&mut self, track: Track, slice: Slice) -> Result<(), LabError> {
        let end = slice.end.unwrap_or(self.end);
        self.begin(track, slice)?;
        self.finish(track, end)
    }

    /// Begins a slice: slices of one track begin and end in order of time, and the slice that began last ends first.
    ///
    /// # Errors
    /// If the operating system reports an error.
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

    /// Ends the slice that began last on this track.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn finish(&mut self, track: Track, at: Time) -> Result<(), LabError> {
        self.event(track, at, TYPE_SLICE_END, TrackEvent::default())
    }

    /// Adds an event without duration.
    ///
    /// # Errors
    /// If the operating system reports an error.
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

    /// Sets a counter's value from an instant on.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn value(&mut self, track: Track, at: Time, value: u64) -> Result<(), LabError> {
        self.report.values += 1;
        let value = i64::try_from(value).unwrap_or(i64::MAX);
        let event = TrackEvent { counter_value: Some(value), ..TrackEvent::default() };
        self.event(track, at, TYPE_COUNTER, event)
    }

    /// Whether it has no events.
    pub fn is_empty(&self) -> bool {
        self.report.slices + self.report.instants + self.report.values == 0
    }

    /// Writes it: the tracks, then the events on them, in order of time.
    ///
    /// # Errors
    /// If the operating system reports an error.
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
        // 0 is reserved by the viewer.
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

/// Encodes a packet as part of a trace.
fn encode(packet: &TracePacket, bytes: &mut Vec<u8>) {
    encode_key(PACKETS, WireType::LengthDelimited, bytes);
    packet.encode_length_delimited(bytes).expect("a vector has room");
}
