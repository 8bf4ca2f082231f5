//! The façade: the pipeline from a scenario to a run folder, and everything built on it.
//!
//! Models: compile, simulate, store ([`run`]); the figures of a run ([`summary`]), runs side by side ([`compare`]) and
//! on a page or as text ([`report`]) and in figures for papers ([`figures`]), in the formats of other
//! programs ([`export`]), live views of a run ([`live`]), fabrics in characters ([`text::fabric()`]), the life of
//! packets in them ([`show`]), a fabric as a network of namespaces ([`testbed`]), a study on a real machine
//! ([`field`]), many runs at once ([`sweep()`]), grids of them in a folder ([`sweep::grid`]), checking
//! scenarios and run folders ([`check`]), and lists of the available components ([`list`]).
//! Leaves out: terminals, arguments, and the layout of a page.
//!
//! Invariants: other crates use the pipeline only through this one; every error says what was found, where, and which
//! exit code a command returns.
//!
//! ```
//! use netloom_lab::{Point, Source, Sweep, sweep};
//!
//! let text = "
//! netloom: 1
//! fabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 2 } }
//! jobs: [ { name: tiny, phases: [ { ring_all_reduce: { size: 64KiB } } ] } ]
//! ";
//! let points = (1..=3).map(|seed| Point::new(Source::text("tiny", text)).seed(seed)).collect();
//! for done in sweep(&Sweep { points, ..Sweep::default() }) {
//!     let done = done.expect("the scenario is right");
//!     assert!(done.summary.jobs[0].time_s.is_some());
//! }
//! ```

pub mod bench;
mod build;
mod cells;
mod check;
pub mod compare;
mod cost;
mod demo;
mod diagnose;
mod error;
pub mod explain;
pub mod export;
pub mod field;
pub mod figures;
pub mod huge_pages;
pub mod import;
mod invocation;
mod labels;
mod layout;
mod line;
pub mod list;
pub mod live;
mod manifest;
mod memory;
mod names;
mod origin;
mod prepare;
pub mod programs;
mod reason;
mod report;
pub mod reproduce;
mod runs_in;
mod sample;
mod second_run;
mod seeds;
pub mod show;
mod simulate;
pub mod simulation;
mod slowest;
mod source;
mod spread;
mod study;
pub mod summary;
pub mod sweep;
pub mod testbed;
pub mod text;
mod watch;
pub mod words;

pub use build::BUILD;
pub use check::{Checked, check, check_with};
pub use cost::{Cost, cost};
pub use demo::{DEMO_POLICIES, Demo, DemoReport, demo, demo_report};
pub use error::{ExitCode, LabError};
pub use invocation::Invocation;
pub use line::{RunReport, RunRequest, run};
pub use memory::MemoryLimit;
pub use netloom_catalog::workload::{RankOperation, RankPhase, Supply};
pub use netloom_engine::Options;
pub use netloom_engine::observe::{Control, Observer, Progress, States};
pub use netloom_policy::balance::OutsidePolicies;
pub use netloom_records::statistics::Over;
pub use netloom_records::{Digest, Manifest, Outcome, Overwrite, Status, abandoned_draft};
pub use netloom_report::{AnswerData, Sentence, page_data};
pub use netloom_scenario::{Diagnostics, Overrides, Problem, Style, quantity};
pub use netloom_units::{Bytes, Duration, HostId, Time};
pub use prepare::{Prepared, ScenarioSize, prepare};
pub use programs::{Failure, JobProgram, ProgramStart, Programs};
pub use reason::ReasonRequest;
pub use report::{ReportOutputs, named_runs, read_report, report};
pub use seeds::{NotSeeds, Seeds};
pub use simulate::{Simulated, simulate};
pub use simulation::{
    Completion, HostRef, MessageId, Simulation, SimulationOptions, SimulationReport, WhileWaiting,
    panic_message,
};
pub use source::{Source, SourceText};
pub use spread::{SweepProgress, cores};
pub use sweep::{Point, PointReport, Sweep, sweep};
pub use watch::{Look, RunProgress, Watch};

/// What a balancing policy from outside this repository is made of.
pub mod policy {
    pub use netloom_policy::balance::{
        Context, DynBalance, OutsidePolicies, PacketView, Pick, Ports, Position,
    };
    pub use netloom_units::{Kind, Parameter, Random, Settings, Spec, Value};
}
