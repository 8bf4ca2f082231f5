//! The part of Perfetto's trace format that is used: messages with the fields that are written, and nothing else.
//!
//! Leaves out: all other fields; interned names, which traces of this size do not need.
//!
//! Invariants: numbers and types of fields are those of the public schema, which never change; a test parses traces with
//! that schema.
//!
//! Source: Perfetto's `protos/perfetto/trace`, as published with its Python package. Numbers and names of fields are
//! facts of that schema; the structs were written for this project.

use prost::Message;

/// One packet of a trace, which is a list of packets as field 1.
#[derive(Clone, PartialEq, Message)]
pub struct TracePacket {
    /// In nanoseconds.
    #[prost(uint64, optional, tag = "8")]
    pub timestamp: Option<u64>,
    /// The writer: all packets of one writer are a sequence.
    #[prost(uint32, optional, tag = "10")]
    pub trusted_packet_sequence_id: Option<u32>,
    /// An event on a track.
    #[prost(message, optional, tag = "11")]
    pub track_event: Option<TrackEvent>,
    /// [`SEQ_INCREMENTAL_STATE_CLEARED`] or [`SEQ_NEEDS_INCREMENTAL_STATE`].
    #[prost(uint32, optional, tag = "13")]
    pub sequence_flags: Option<u32>,
    /// The description of a track.
    #[prost(message, optional, tag = "60")]
    pub track_descriptor: Option<TrackDescriptor>,
    /// Whether it is the first packet of its sequence.
    #[prost(bool, optional, tag = "87")]
    pub first_packet_on_sequence: Option<bool>,
}

/// No earlier packet of its sequence is needed to read it.
pub const SEQ_INCREMENTAL_STATE_CLEARED: u32 = 1;
/// Earlier packets are needed, from the last one that cleared the state on.
pub const SEQ_NEEDS_INCREMENTAL_STATE: u32 = 2;

/// The description of a track: of a process, of a thread, of a counter, or none of these.
#[derive(Clone, PartialEq, Message)]
pub struct TrackDescriptor {
    /// Its identifier in events.
    #[prost(uint64, optional, tag = "1")]
    pub uuid: Option<u64>,
    /// Its displayed name; processes and threads have names in their own messages.
    #[prost(string, optional, tag = "2")]
    pub name: Option<String>,
    /// Set for a process.
    #[prost(message, optional, tag = "3")]
    pub process: Option<ProcessDescriptor>,
    /// Set for a thread.
    #[prost(message, optional, tag = "4")]
    pub thread: Option<ThreadDescriptor>,
    /// The parent track.
    #[prost(uint64, optional, tag = "5")]
    pub parent_uuid: Option<u64>,
    /// Set for a counter.
    #[prost(message, optional, tag = "8")]
    pub counter: Option<CounterDescriptor>,
}

/// A process.
#[derive(Clone, PartialEq, Message)]
pub struct ProcessDescriptor {
    /// Its number, unique in the trace.
    #[prost(int32, optional, tag = "1")]
    pub pid: Option<i32>,
    /// Its name.
    #[prost(string, optional, tag = "6")]
    pub process_name: Option<String>,
}

/// A thread.
#[derive(Clone, PartialEq, Message)]
pub struct ThreadDescriptor {
    /// Its process.
    #[prost(int32, optional, tag = "1")]
    pub pid: Option<i32>,
    /// Its number, unique in the trace.
    #[prost(int64, optional, tag = "2")]
    pub tid: Option<i64>,
    /// Its name.
    #[prost(string, optional, tag = "5")]
    pub thread_name: Option<String>,
}

/// A counter.
#[derive(Clone, PartialEq, Message)]
pub struct CounterDescriptor {
    /// The unit, if it is none of the schema's.
    #[prost(string, optional, tag = "6")]
    pub unit_name: Option<String>,
    /// Counters with the same key share one scale.
    #[prost(string, optional, tag = "7")]
    pub y_axis_share_key: Option<String>,
}

/// An event on a track.
#[derive(Clone, PartialEq, Message)]
pub struct TrackEvent {
    /// Annotations.
    #[prost(message, repeated, tag = "4")]
    pub debug_annotations: Vec<DebugAnnotation>,
    /// One of the types below.
    #[prost(int32, optional, tag = "9")]
    pub r#type: Option<i32>,
    /// The track.
    #[prost(uint64, optional, tag = "11")]
    pub track_uuid: Option<u64>,
    /// Its name; the end of a slice has none.
    #[prost(string, optional, tag = "23")]
    pub name: Option<String>,
    /// For a counter: its value from now on.
    #[prost(int64, optional, tag = "30")]
    pub counter_value: Option<i64>,
}

/// A slice begins.
pub const TYPE_SLICE_BEGIN: i32 = 1;
/// The slice that began last on this track, and has not ended, ends.
pub const TYPE_SLICE_END: i32 = 2;
/// An event without duration.
pub const TYPE_INSTANT: i32 = 3;
/// A new value of a counter.
pub const TYPE_COUNTER: i32 = 4;

/// An annotation: a name with a value of some type.
#[derive(Clone, PartialEq, Message)]
pub struct DebugAnnotation {
    /// The name.
    #[prost(string, optional, tag = "10")]
    pub name: Option<String>,
    /// True or false.
    #[prost(bool, optional, tag = "2")]
    pub bool_value: Option<bool>,
    /// An integer.
    #[prost(uint64, optional, tag = "3")]
    pub uint_value: Option<u64>,
    /// A double.
    #[prost(double, optional, tag = "5")]
    pub double_value: Option<f64>,
    /// A text.
    #[prost(string, optional, tag = "6")]
    pub string_value: Option<String>,
}
