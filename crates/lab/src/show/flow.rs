//! Finds the flow that a name denotes, among those that were recorded.
//!
//! Invariants: names are those of the scenario's language; a pair of hosts denotes its only message, never one of
//! several.

use std::collections::BTreeSet;

use netloom_records::PacketRow;
use netloom_scenario::{FlowName, hint};
use netloom_units::HostId;

use super::{Recorded, ShowError};
use crate::error::LabError;

/// Most flows listed in a message.
const MOST_LISTED: usize = 8;

/// A message, identified as in rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FlowKey {
    pub source: HostId,
    pub destination: HostId,
    pub number: u32,
}

impl FlowKey {
    pub fn of(row: &PacketRow) -> FlowKey {
        FlowKey { source: row.source, destination: row.destination, number: row.number }
    }

    /// Its name as in scenarios.
    pub fn name(self, hosts: &[String]) -> String {
        let host = |host: HostId| hosts.get(host.index()).map_or("?", String::as_str);
        format!("{}->{}#{}", host(self.source), host(self.destination), self.number)
    }
}

/// The flow that a user requested.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    source: HostId,
    destination: HostId,
    number: Option<u32>,
}

impl Wanted {
    /// Parses a name.
    pub fn parse(text: &str, run: &Recorded) -> Result<Wanted, LabError> {
        let hosts = run.hosts()?;
        let slot = |name: &str| hosts.iter().position(|host| host == name);
        let name = FlowName::parse(text, |name| slot(name).is_some());
        let name = name.ok_or_else(|| ShowError::NoFlowName(text.to_owned()))?;
        let host = |name: &str| {
            let unknown = || ShowError::NoHost {
                name: name.to_owned(),
                hint: hint(name, hosts.iter().map(String::as_str)),
            };
            Ok::<_, ShowError>(HostId(slot(name).ok_or_else(unknown)? as u32))
        };
        let (source, destination) = (host(name.source)?, host(name.destination)?);
        Ok(Wanted { source, destination, number: name.number })
    }

    /// Whether a flow matches the request.
    pub fn includes(&self, flow: FlowKey) -> bool {
        let pair = (flow.source, flow.destination) == (self.source, self.destination);
        pair && self.number.is_none_or(|number| number == flow.number)
    }

    /// The one flow that matches, among those recorded.
    pub fn among(
        &self,
        recorded: &BTreeSet<FlowKey>,
        text: &str,
        run: &Recorded,
    ) -> Result<FlowKey, LabError> {
        let hosts = run.hosts()?;
        let flow = text.to_owned();
        let mut meant = recorded.iter().filter(|flow| self.includes(**flow));
        match (meant.next(), meant.next()) {
            (Some(only), None) => Ok(*only),
            (Some(_), Some(_)) => {
                let known = listed(recorded.iter().filter(|flow| self.includes(**flow)), hosts);
                Err(ShowError::Several { flow, known }.into())
            }
            (None, _) if recorded.is_empty() => {
                Err(ShowError::NoPackets(run.folder.path().to_owned()).into())
            }
            (None, _) => {
                Err(ShowError::NotRecorded { flow, hint: Some(self.nearest(recorded, hosts)) }.into())
            }
        }
    }

    /// The recorded flows that are most similar to the request: same pair, same sender, same receiver, or any.
    fn nearest(&self, recorded: &BTreeSet<FlowKey>, hosts: &[String]) -> String {
        let distance = |flow: &FlowKey| {
            2 * u8::from(flow.source != self.source) + u8::from(flow.destination != self.destination)
        };
        let least = recorded.iter().map(distance).min();
        let nearest = recorded.iter().filter(|flow| Some(distance(flow)) == least);
        format!("recorded were {}", listed(nearest, hosts))
    }
}

fn listed<'a>(flows: impl Iterator<Item = &'a FlowKey>, hosts: &[String]) -> String {
    let mut names: Vec<String> = flows.take(MOST_LISTED + 1).map(|flow| flow.name(hosts)).collect();
    if names.len() > MOST_LISTED {
        names.truncate(MOST_LISTED);
        names.push("and others".to_owned());
    }
    names.join(", ")
}
