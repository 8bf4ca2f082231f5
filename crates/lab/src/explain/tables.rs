//! What the stored tables say of messages that are explained.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use netloom_records::{CauseRow, FlowRow, RepairRow, RunFolder, StepRow, Table};
use netloom_units::{Duration, HostId, Time};

use super::ahead::{MessageWait, Shares};
use super::chain::Member;
use super::parts::{Key, key};
use crate::error::LabError;

/// For each of these steps the messages of its job that arrived during it, those of earlier steps included.
pub(super) fn messages_of(folder: &RunFolder, steps: &[StepRow]) -> Result<Vec<Vec<FlowRow>>, LabError> {
    let mut found = vec![Vec::new(); steps.len()];
    for block in folder.rows::<FlowRow>()? {
        let rows = block?;
        for (step, found) in steps.iter().zip(&mut found) {
            let during = |row: &&FlowRow| {
                row.job == step.job && row.step <= step.step && row.end.is_some_and(|end| end > step.start)
            };
            found.extend(rows.iter().filter(during).copied());
        }
    }
    Ok(found)
}

/// The messages with the longest completion times of those that had arrived by an instant, the slowest first; of equal
/// ones the first that arrived.
pub(super) fn slowest(folder: &RunFolder, most: usize, until: Time) -> Result<Vec<Member>, LabError> {
    let mut found: BTreeMap<_, Member> = BTreeMap::new();
    if !folder.manifest().tables.contains_key(Table::Flows.name()) {
        return Ok(Vec::new());
    }
    for block in folder.rows::<FlowRow>()? {
        for row in block? {
            // A message to the own host is no message of the network.
            let is_of_network = |end: &Time| *end > row.start && *end <= until && row.hops > 0;
            let Some(end) = row.end.filter(is_of_network) else { continue };
            let rank = (Reverse(end.since(row.start)), end, row.destination, row.source, row.number);
            if found.len() == most && found.last_key_value().is_some_and(|(last, _)| *last < rank) {
                continue;
            }
            found.insert(rank, Member { before: Duration::ZERO, row, end });
            if found.len() > most {
                found.pop_last();
            }
        }
    }
    Ok(found.into_values().collect())
}

/// The recorded causes of these messages; `None` unless the run recorded those of all of them.
pub(super) fn causes_of<'m>(
    folder: &RunFolder,
    members: &[&'m Member],
) -> Result<Option<Vec<(&'m Member, CauseRow)>>, LabError> {
    if !folder.manifest().tables.contains_key(Table::Causes.name()) {
        return Ok(None);
    }
    let wanted: BTreeSet<Key> = members.iter().map(|member| key(&member.row)).collect();
    let mut found: BTreeMap<Key, CauseRow> = BTreeMap::new();
    for block in folder.rows::<CauseRow>()? {
        for row in block? {
            let key = (row.source, row.destination, row.number);
            if wanted.contains(&key) {
                found.insert(key, row);
            }
        }
    }
    Ok(members.iter().map(|member| Some((*member, *found.get(&key(&member.row))?))).collect())
}

/// Timeouts and retransmitted packets of these messages.
pub(super) fn repairs_of(
    folder: &RunFolder,
    members: &[&Member],
) -> Result<BTreeMap<Key, [u32; 2]>, LabError> {
    let mut found = BTreeMap::new();
    // Folders of earlier versions, and runs without queue pairs, lack the table.
    if !folder.manifest().tables.contains_key(Table::Repairs.name()) {
        return Ok(found);
    }
    let wanted: BTreeSet<Key> = members.iter().map(|member| key(&member.row)).collect();
    for block in folder.rows::<RepairRow>()? {
        for row in block? {
            let key = (row.source, row.destination, row.number);
            if wanted.contains(&key) {
                found.insert(key, [row.timeouts, row.retransmitted]);
            }
        }
    }
    Ok(found)
}

/// The traffic of pairs of hosts, by job number.
pub(super) type Traffic = BTreeMap<(HostId, HostId), u16>;

/// The traffic that pairs of hosts in the shares of each wait had in flight during it.
pub(super) fn traffic_during(
    folder: &RunFolder,
    waits: &[MessageWait],
    shares: &[Shares],
) -> Result<Vec<Traffic>, LabError> {
    let mut by_pair: BTreeMap<(HostId, HostId), BTreeSet<usize>> = BTreeMap::new();
    for (index, owner) in
        shares.iter().enumerate().flat_map(|(index, shares)| shares.keys().map(move |owner| (index, owner)))
    {
        // An ACK is of the message in the other direction.
        for pair in [(owner.from, owner.to), (owner.to, owner.from)] {
            by_pair.entry(pair).or_default().insert(index);
        }
    }
    let mut found = vec![Traffic::new(); waits.len()];
    for block in folder.rows::<FlowRow>()? {
        for row in block? {
            let pair = (row.source, row.destination);
            for &index in by_pair.get(&pair).into_iter().flatten() {
                let MessageWait { wait, job, .. } = &waits[index];
                let is_during = row.start < wait.until && row.end.unwrap_or(Time::NEVER) > wait.from;
                if is_during {
                    let known = found[index].entry(pair).or_insert(row.job);
                    // Of a pair with several kinds of traffic, that of the message which waited is named.
                    if row.job == *job {
                        *known = row.job;
                    }
                }
            }
        }
    }
    Ok(found)
}
