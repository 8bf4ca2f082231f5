//! The paths of the slowest messages.

use std::collections::BTreeMap;
use std::path::Path;

use netloom_records::{FlowRow, PathRow};
use netloom_units::HostId;
use serde::Serialize;

use super::flow::FlowKey;
use super::{Recorded, ShowError};
use crate::error::LabError;

/// A link on the path of a message, with sums over its data packets. Times are in ps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PathLink {
    /// Fewest links that any of its packets had crossed before.
    pub hop: u16,
    /// The node that sends.
    pub node: String,
    /// The link.
    pub link: String,
    /// The node at the other end.
    pub to: String,
    /// Number of packets that crossed it.
    pub packets: u32,
    /// Their bytes.
    pub bytes: u64,
    /// Waiting time of these packets, summed.
    pub waited_ps: u64,
    /// Longest waiting time of one of them.
    pub longest_wait_ps: u64,
    /// Serialization time, summed.
    pub serialization_ps: u64,
    /// Propagation time, summed.
    pub propagation_ps: u64,
}

/// One of the slowest messages. Times are in ps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SlowFlow {
    /// Index among all messages that arrived, slowest first, from 0.
    pub rank: u32,
    /// Its name.
    pub flow: String,
    /// Its size.
    pub bytes: u64,
    /// When it started.
    pub start_ps: u64,
    /// From its start to the arrival of its last byte.
    pub time_ps: u64,
    /// The links its data crossed, in path order.
    pub links: Vec<PathLink>,
}

/// The slowest messages of a run with their paths, slowest first.
///
/// # Errors
/// If the folder is not a run folder, or no paths were recorded.
pub fn paths(folder: &Path) -> Result<Vec<SlowFlow>, LabError> {
    let run = Recorded::open(folder)?;
    let rows = run.folder.paths()?;
    if rows.is_empty() {
        return Err(ShowError::NoPaths(folder.to_owned()).into());
    }
    let flows = flow_rows_of(&run, &rows)?;
    let hosts = run.hosts()?;
    let slow = |rows: &[PathRow]| -> Result<SlowFlow, LabError> {
        let PathRow { rank, source, destination, number, .. } = rows[0];
        let flow = FlowKey { source, destination, number };
        let lacking = || ShowError::NotRecorded { flow: flow.name(hosts), hint: None };
        let flow_row = flows.get(&(source, destination, number)).copied().ok_or_else(lacking)?;
        Ok(SlowFlow {
            rank,
            flow: flow.name(hosts),
            bytes: flow_row.size.0,
            start_ps: flow_row.start.0,
            time_ps: flow_row.end.map_or(0, |end| end.since(flow_row.start).0),
            links: rows.iter().map(|row| link(row, &run)).collect(),
        })
    };
    rows.chunk_by(|one, next| one.rank == next.rank).map(slow).collect()
}

/// The rows of the messages themselves.
fn flow_rows_of(
    run: &Recorded,
    rows: &[PathRow],
) -> Result<BTreeMap<(HostId, HostId, u32), FlowRow>, LabError> {
    let mut wanted: BTreeMap<_, Option<FlowRow>> =
        rows.iter().map(|row| ((row.source, row.destination, row.number), None)).collect();
    for block in run.folder.rows::<FlowRow>()? {
        for row in block? {
            if let Some(found) = wanted.get_mut(&(row.source, row.destination, row.number)) {
                *found = Some(row);
            }
        }
    }
    Ok(wanted.into_iter().filter_map(|(flow, row)| Some((flow, row?))).collect())
}

fn link(row: &PathRow, run: &Recorded) -> PathLink {
    let node = |id: usize| run.names.nodes.get(id).cloned().unwrap_or_default();
    PathLink {
        hop: row.hop,
        node: node(row.node.index()),
        link: run.names.links.get(row.link.index()).cloned().unwrap_or_default(),
        to: node(row.peer.index()),
        packets: row.packets,
        bytes: row.size.0,
        waited_ps: row.waited.0,
        longest_wait_ps: row.longest_wait.0,
        serialization_ps: row.serialization.0,
        propagation_ps: row.propagation.0,
    }
}
