//! The records of a run: rows of tables, the sink that receives them, and the run folder.
//!
//! Models: one row type per table, each column with unit and meaning; a stated sort order; a digest over the rows; the
//! folder of Parquet files and a manifest that holds them; reading and checking such a folder; tables over many runs
//! ([`dataset`]); statistics of many values in bounded memory ([`statistics`]).
//! Leaves out: how rows are produced, how they are plotted.
//!
//! Invariants: rows arrive in the stated sort order of their table; the digest depends on rows and names only; a killed
//! run never leaves a folder that looks complete.
//!
//! A new table is one `table!` in `rows` and one line in `registry`.

mod cell;
mod column;
mod convert;
pub mod csv;
pub mod dataset;
mod digest;
mod folder;
mod layout;
mod manifest;
mod measured;
mod named;
mod names;
mod registry;
mod retransmissions;
mod row;
pub mod rows;
pub mod sink;
pub mod statistics;

pub use cell::KnownSize;
pub use column::{Column, SCHEMA_VERSION, Storage, TableSpec};
pub use convert::{BatchError, record_batch, rows_of};
pub use digest::{Digest, DigestSink, NotADigest, RunDigest, TableSummary};
pub use folder::{
    BatchReader, DraftFile, FolderError, FolderSink, INCOMPLETE_FILE, MANIFEST_FILE, MEASURED_FILE, Marker,
    Overwrite, Problem, ReadError, RowReader, RunFolder, SWEEP_FILE, Verified, abandoned_draft, fresh,
    read_bounded, verify, write_whole,
};
pub use layout::{BucketLayout, CollectiveLayout, GroupLayout, JobLayout, LackedBytes, PhaseLayout};
pub use manifest::{ChangedSetting, Manifest, Outcome, RunSummary, Status};
pub use measured::{Allocation, Measured};
pub use named::{NameValues, with_names};
pub use names::{Family, Names, node_kind};
pub use registry::{TABLES, Table};
pub use retransmissions::Retransmissions;
pub use row::{BadCell, Row, RowError};
pub use rows::{
    Activity, ArbitrationRow, Cause, CauseRow, CellOrder, CellRow, ClassRow, CollectiveRow, CongestedFlowRow,
    CongestionRow, DropReason, DropRow, EventRow, FIRST_OF_OTHER_TRAFFIC, Fate, FaultAction, FaultRow,
    FlowRow, JobRow, MeasureRow, PacketKind, PacketOrder, PacketRow, Part, PathRow, PortRow, RateRow,
    ReorderingRow, RepairOrder, RepairRow, RingRow, Role, SeriesRow, SignalRow, SpanRow, SpuriousTimeoutRow,
    StageRow, StepRow, TallyRow, Target, TrafficRow,
};
pub use sink::{Batch, MemorySink, Sink, SinkError};
