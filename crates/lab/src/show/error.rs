//! Why something cannot be shown.
//!
//! Invariants: every message says what would have to be different, and where names are involved, which are near.

use std::path::PathBuf;

use netloom_scenario::FlowName;

/// What a run recorded does not hold what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShowError {
    /// Nothing was to be recorded.
    #[error(
        "the run recorded no packets; name flows, hosts or links under `record` in its scenario \
         (`packets_of`, `packets_from`, `packets_on`): {}", .0.display()
    )]
    NoPackets(PathBuf),
    /// Something was to be recorded, and nothing of it happened.
    #[error("the run recorded no packets, though its scenario names some: {}: {}", .unused.join("; "), .path.display())]
    NoneSent {
        /// The run folder.
        path: PathBuf,
        /// What came of each list under `record`, in words.
        unused: Vec<&'static str>,
    },
    /// No paths were to be recorded, or no message arrived.
    #[error(
        "the run recorded no paths; set `record.slowest_flows` in its scenario, as in \
         `--set record.slowest_flows=16`: {}", .0.display()
    )]
    NoPaths(PathBuf),
    /// A run of means that come from elsewhere.
    #[error(
        "this run has cells of a study and nothing else, neither scenario nor single steps; `netloom show interference` and \
         `netloom report` tell them: {}", .0.display()
    )]
    OnlyCells(PathBuf),
    /// No run has a measured job `victim`.
    #[error("no run here has a job `victim` that is measured; see the section `interference` of scenarios: {}", .0.display())]
    NoStudy(PathBuf),
    /// Text that names no flow.
    #[error("this names no flow, expected {form}: {0}", form = FlowName::FORM)]
    NoFlowName(String),
    /// A host nobody knows.
    #[error("the run has no host of this name{}: {name}", bracketed(.hint.as_deref()))]
    NoHost {
        /// The name.
        name: String,
        /// Which was perhaps meant.
        hint: Option<String>,
    },
    /// A flow of which nothing was recorded.
    #[error("no packet of this flow was recorded{}: {flow}", bracketed(.hint.as_deref()))]
    NotRecorded {
        /// The flow.
        flow: String,
        /// Which were.
        hint: Option<String>,
    },
    /// A pair of hosts with several messages.
    #[error("several messages of this pair were recorded; name one of them ({known}): {flow}")]
    Several {
        /// The pair.
        flow: String,
        /// Some of them.
        known: String,
    },
    /// A packet of which nothing was recorded.
    #[error("this packet of {flow} was not recorded (recorded: {known}): {packet}")]
    NoPacket {
        /// The flow.
        flow: String,
        /// The number of the packet.
        packet: u32,
        /// Which were.
        known: String,
    },
    /// A switch or host nobody knows.
    #[error("the scenario has no {what} of this name{}: {name}", bracketed(.hint.as_deref()))]
    NoNode {
        /// What it was to be.
        what: &'static str,
        /// The name.
        name: String,
        /// Which was perhaps meant.
        hint: Option<String>,
    },
    /// Tables that nobody can read.
    #[error(
        "the tables have {n_pairs} entries, and at most {most} are shown; ask for `--at SWITCH` or `--to HOST`"
    )]
    TooManyRoutes {
        /// Pairs of switch and host.
        n_pairs: u64,
        /// How many there may be.
        most: u64,
    },
    /// More hosts than can be paired.
    #[error(
        "the hosts make {n_pairs} pairs, and at most {most} are looked at; a smaller fabric of this kind shows the same"
    )]
    TooManyPairs {
        /// Pairs of hosts.
        n_pairs: u64,
        /// How many there may be.
        most: u64,
    },
    /// Rows that cannot all be true.
    #[error(
        "the records of this packet contradict themselves; `netloom check` tells whether they were altered: {0}"
    )]
    Contradiction(String),
}

fn bracketed(hint: Option<&str>) -> String {
    hint.map_or_else(String::new, |hint| format!(" ({hint})"))
}
