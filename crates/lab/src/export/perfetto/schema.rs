//! What is used of Perfetto's trace format: messages with the fields that are written, and nothing else.
//!
//! Leaves out: all other fields; interned names, of which traces this small have no need.
//!
//! Invariants: numbers and types of fields are those of the public schema, which never change; a test parses traces with
//! that schema.
//!
//! Source: Perfetto's `protos/perfetto/trace`, as published with its Python package. Numbers and names of fields are facts
//! of that schema; the structs are written by hand.

use prost::Message;

/// One packet of a trace, which is a list of packets as field 1.
#[derive(Clone, PartialEq, Message)]
pub struct TracePacket {
    /// In nanoseconds.
    #[prost(uint64, optional, tag = "8")]
    pub timestamp: Option<u64>,
    /// Who wrote it: all packets of one writer are a sequence.
    #[prost(uint32, optional, tag = "10")]
    pub trusted_packet_sequence_id: Option<u32>,
    /// Something that happened.
    #[prost(message, optional, tag = "11")]
    pub track_event: Option<TrackEvent>,
    /// [`SEQ_INCREMENTAL_STATE_CLEARED`] or [`SEQ_NEEDS_INCREMENTAL_STATE`].
    #[prost(uint32, optional, tag = "13")]
    pub sequence_flags: Option<u32>,
    /// What a track is.
    #[prost(message, optional, tag = "60")]
    pub track_descriptor: Option<TrackDescriptor>,
    /// Whether it begins its sequence.
    #[prost(bool, optional, tag = "87")]
    pub first_packet_on_sequence: Option<bool>,
}

/// Nothing before this packet of its sequence is needed to read it.
pub const SEQ_INCREMENTAL_STATE_CLEARED: u32 = 1;
/// Packets before it are needed, from the last one that cleared the state on.
pub const SEQ_NEEDS_INCREMENTAL_STATE: u32 = 2;

/// What a track is: of a process, of a thread, a counter, or a track of its own.
#[derive(Clone, PartialEq, Message)]
pub struct TrackDescriptor {
    /// What events call it.
    #[prost(uint64, optional, tag = "1")]
    pub uuid: Option<u64>,
    /// What people call it; processes and threads have names elsewhere.
    #[prost(string, optional, tag = "2")]
    pub name: Option<String>,
    /// That of a process.
    #[prost(message, optional, tag = "3")]
    pub process: Option<ProcessDescriptor>,
    /// That of a thread.
    #[prost(message, optional, tag = "4")]
    pub thread: Option<ThreadDescriptor>,
    /// The track above.
    #[prost(uint64, optional, tag = "5")]
    pub parent_uuid: Option<u64>,
    /// That of a counter.
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
    /// The unit, where it is none of the schema's.
    #[prost(string, optional, tag = "6")]
    pub unit_name: Option<String>,
    /// Counters that agree in it are drawn at one scale.
    #[prost(string, optional, tag = "7")]
    pub y_axis_share_key: Option<String>,
}

/// Something that happened on a track.
#[derive(Clone, PartialEq, Message)]
pub struct TrackEvent {
    /// What more there is to say.
    #[prost(message, repeated, tag = "4")]
    pub debug_annotations: Vec<DebugAnnotation>,
    /// One of the types below.
    #[prost(int32, optional, tag = "9")]
    pub r#type: Option<i32>,
    /// The track.
    #[prost(uint64, optional, tag = "11")]
    pub track_uuid: Option<u64>,
    /// Its name; what ends has none.
    #[prost(string, optional, tag = "23")]
    pub name: Option<String>,
    /// Of a counter: its value from now on.
    #[prost(int64, optional, tag = "30")]
    pub counter_value: Option<i64>,
}

/// A slice begins.
pub const TYPE_SLICE_BEGIN: i32 = 1;
/// The slice that began last on this track, and has not ended, ends.
pub const TYPE_SLICE_END: i32 = 2;
/// It takes no time.
pub const TYPE_INSTANT: i32 = 3;
/// A counter has another value.
pub const TYPE_COUNTER: i32 = 4;

/// A name with a value of some type.
#[derive(Clone, PartialEq, Message)]
pub struct DebugAnnotation {
    /// The name.
    #[prost(string, optional, tag = "10")]
    pub name: Option<String>,
    /// True or false.
    #[prost(bool, optional, tag = "2")]
    pub bool_value: Option<bool>,
    /// A whole number.
    #[prost(uint64, optional, tag = "3")]
    pub uint_value: Option<u64>,
    /// A double.
    #[prost(double, optional, tag = "5")]
    pub double_value: Option<f64>,
    /// A text.
    #[prost(string, optional, tag = "6")]
    pub string_value: Option<String>,
}
