//! Shows the records of single packets and of the slowest messages of a run, and facts about a scenario.
//!
//! Models: the flows of which packets are recorded ([`flows`]), the life of one packet hop by hop ([`packet`]), the
//! paths of the slowest messages ([`paths`]);
//! victims beside aggressors ([`interference`]); without a run, the forwarding tables of a scenario ([`routes`]), the
//! ingress ports that compete for its egress ports ([`arbitration`]), an outline of its fabric ([`mod@fabric`]), its
//! nodes ([`mod@nodes`]), and the memory of Themis ([`themis`]).
//! Leaves out: the layout of the output.
//!
//! Invariants: of runs it reads only their folders; a packet's life is shown only if its parts add up to the whole.

pub mod arbitration;
mod error;
pub mod fabric;
mod flow;
pub mod interference;
mod life;
pub mod nodes;
mod packets;
mod paths;
pub mod routes;
pub mod themis;

pub use error::ShowError;
pub use life::{Hop, Journey};
pub use packets::{PacketLife, RecordedFlow, flows, packet};
pub use paths::{PathLink, SlowFlow, paths};

use std::path::Path;

use netloom_records::{Names, RunFolder, Table};

use crate::error::LabError;
use crate::manifest::HOSTS;

/// A run folder with the names of nodes, links and jobs.
pub(crate) struct Recorded {
    /// The folder.
    pub folder: RunFolder,
    /// Names of nodes, links and jobs.
    pub names: Names,
}

impl Recorded {
    pub fn open(path: &Path) -> Result<Recorded, LabError> {
        let folder = RunFolder::open(path)?;
        check_scenario(&folder)?;
        let names = folder.names()?;
        Ok(Recorded { folder, names })
    }

    /// Names of hosts, by number; hosts come first among the nodes.
    pub fn hosts(&self) -> Result<&[String], LabError> {
        let stated = self.folder.manifest().engine.get(HOSTS).and_then(serde_json::Value::as_u64);
        let lacking = || LabError::Lacking { path: self.folder.path().to_owned(), what: HOSTS };
        let n_hosts = usize::try_from(stated.ok_or_else(lacking)?).unwrap_or(usize::MAX);
        Ok(&self.names.nodes[..n_hosts.min(self.names.nodes.len())])
    }
}

/// Refuses a run with imported cells only: its fabric is unknown, and it has no single steps.
pub(crate) fn check_scenario(folder: &RunFolder) -> Result<(), ShowError> {
    let manifest = folder.manifest();
    let has_cells = manifest.tables.get(Table::Cells.name()).is_some_and(|cells| cells.rows > 0);
    if has_cells && manifest.scenario.get("netloom").is_none() {
        return Err(ShowError::OnlyCells(folder.path().to_owned()));
    }
    Ok(())
}
