//! Why something cannot be shown.
//!
//! Invariants: every message says what to change and, for unknown names, which names are similar.

use std::path::PathBuf;

use netloom_scenario::FlowName;

/// The records of a run do not include what was requested.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShowError {
    /// No packets were selected for recording.
    #[error(
        "the run recorded no packets; name flows, hosts or links under `record` in its scenario \
         (`packets_of`, `packets_from`, `packets_on`): {}", .0.display()
    )]
    NoPackets(PathBuf),
    /// Packets were selected for recording, and none of them was sent.
    #[error("the run recorded no packets of those selected: {}: {}", .unused.join("; "), .path.display())]
    NoneSent {
        /// The run folder.
        path: PathBuf,
        /// Why each list under `record` gave no packets.
        unused: Vec<&'static str>,
    },
    /// No paths were selected for recording, or no message arrived.
    #[error(
        "the run recorded no paths; set `record.slowest_flows` in its scenario, as in \
         `--set record.slowest_flows=16`: {}", .0.display()
    )]
    NoPaths(PathBuf),
    /// A run that has only imported means.
    #[error(
        "this run has only the cells of a study, neither a scenario nor single steps; use `netloom show interference` \
         or `netloom report`: {}", .0.display()
    )]
    OnlyCells(PathBuf),
    /// No run has a measured job `victim`.
    #[error("no run here has a measured job `victim`; see the section `interference` of scenarios: {}", .0.display())]
    NoStudy(PathBuf),
    /// Text that is not the name of a flow.
    #[error("this is not the name of a flow, expected {form}: {0}", form = FlowName::FORM)]
    NoFlowName(String),
    /// An unknown host.
    #[error("the run has no host of this name{}: {name}", bracketed(.hint.as_deref()))]
    NoHost {
        /// The name.
        name: String,
        /// A similar name.
        hint: Option<String>,
    },
    /// A flow without recorded packets.
    #[error("no packet of this flow was recorded{}: {flow}", bracketed(.hint.as_deref()))]
    NotRecorded {
        /// The flow.
        flow: String,
        /// Flows that were recorded.
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
    /// A packet that was not recorded.
    #[error("this packet of {flow} was not recorded (recorded: {known}): {packet}")]
    NoPacket {
        /// The flow.
        flow: String,
        /// The number of the packet.
        packet: u32,
        /// Packets that were recorded.
        known: String,
    },
    /// An unknown switch or host.
    #[error("the scenario has no {what} of this name{}: {name}", bracketed(.hint.as_deref()))]
    NoNode {
        /// The kind expected.
        what: &'static str,
        /// The name.
        name: String,
        /// A similar name.
        hint: Option<String>,
    },
    /// Tables with too many entries.
    #[error(
        "the tables have {n_pairs} entries, and at most {most} are shown; select some by `--at SWITCH` or `--to HOST`"
    )]
    TooManyRoutes {
        /// Pairs of switch and host.
        n_pairs: u64,
        /// Most entries that are shown.
        most: u64,
    },
    /// Too many pairs of hosts.
    #[error(
        "the hosts form {n_pairs} pairs, and at most {most} are examined; use a smaller fabric of the same topology"
    )]
    TooManyPairs {
        /// Pairs of hosts.
        n_pairs: u64,
        /// Most pairs that are examined.
        most: u64,
    },
    /// Inconsistent rows.
    #[error(
        "the records of this packet are inconsistent; `netloom check` verifies whether they were altered: {0}"
    )]
    Contradiction(String),
}

fn bracketed(hint: Option<&str>) -> String {
    hint.map_or_else(String::new, |hint| format!(" ({hint})"))
}
