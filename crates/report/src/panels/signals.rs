//! Ports that marked packets, were paused, or lost packets: counts, share of time, and reasons; also packets that were
//! lost before an egress port was chosen.
//!
//! Invariants: absent if none of it happened; of many ports those with the largest values of each kind are listed, and
//! the total number is given.

use std::collections::{BTreeMap, BTreeSet};

use netloom_records::{Batch, DropRow, PortRow, SignalRow};
use netloom_units::PortId;
use serde::Serialize;

use super::Collector;
use crate::collect::About;
use crate::round::{seconds, share};

/// Largest number of ports listed for each kind.
const LISTED: usize = 12;

/// Data of a run: its ports, so memory grows with the fabric.
#[derive(Debug, Default)]
pub struct Signals {
    ports: Vec<PortRow>,
    signals: BTreeMap<PortId, SignalRow>,
    drops: Vec<DropRow>,
}

impl Collector for Signals {
    fn take(&mut self, _: &About, batch: Batch<'_>) {
        match batch {
            Batch::Ports(rows) => self.ports.extend_from_slice(rows),
            Batch::Signals(rows) => self.signals.extend(rows.iter().map(|row| (row.port, *row))),
            Batch::Drops(rows) => self.drops.extend_from_slice(rows),
            _ => {}
        }
    }
}

/// The ports of one run.
#[derive(Debug, Serialize)]
pub struct RunData {
    /// Number of ports with marks, pauses or losses.
    pub total: usize,
    /// Number of ports that were paused.
    pub paused: usize,
    /// Packets marked.
    pub marked: u64,
    /// Pause frames sent that stop a class.
    pub pauses: u64,
    /// Packets lost in the run.
    pub lost: u64,
    /// Of these, packets lost before an egress port was chosen, such as those without a path.
    pub lost_without_port: u64,
    /// The same by reason.
    pub reasons: BTreeMap<&'static str, u64>,
    /// The ports with the largest values of each kind.
    pub ports: Vec<PortData>,
}

/// One egress port.
#[derive(Debug, Serialize)]
pub struct PortData {
    /// Its node.
    pub from: String,
    /// The node at the other end.
    pub to: String,
    /// Packets sent.
    pub packets: u64,
    /// Data packets marked.
    pub marked: u64,
    /// Pause frames sent here that stop the other end.
    pub pauses: u64,
    /// Time for which it was blocked by pauses or lack of credits, in seconds.
    pub paused: f64,
    /// The same as a share of simulated time.
    pub paused_share: f64,
    /// Packets lost here.
    pub lost: u64,
    /// The same by reason.
    pub reasons: BTreeMap<&'static str, u64>,
}

impl Signals {
    /// Of the whole run.
    pub fn finish(self, about: &About) -> Option<RunData> {
        let mut drops: BTreeMap<PortId, BTreeMap<&'static str, u64>> = BTreeMap::new();
        for row in &self.drops {
            if let Some(port) = row.port {
                *drops.entry(port).or_default().entry(row.reason.word()).or_default() += row.packets;
            }
        }
        // The handling of NACKs by switches at the edge is in panel `repairs`.
        let is_signal = |row: &SignalRow| row.marked + row.pauses + row.paused.0 > 0;
        let data = |port: &PortRow| {
            let signal = self.signals.get(&port.port).copied().filter(is_signal);
            let reasons = drops.get(&port.port).cloned();
            (signal.is_some() || reasons.is_some())
                .then(|| PortData::of(port, signal, reasons.unwrap_or_default(), about))
        };
        let all: Vec<PortData> = self.ports.iter().filter_map(data).collect();
        let sum = |of: fn(&PortData) -> u64| all.iter().map(of).sum();
        let mut reasons: BTreeMap<&'static str, u64> = BTreeMap::new();
        for row in &self.drops {
            *reasons.entry(row.reason.word()).or_default() += row.packets;
        }
        let lost: u64 = reasons.values().sum();
        let at_ports: u64 = drops.values().flatten().map(|(_, packets)| packets).sum();
        let (marked, pauses) = (sum(|port| port.marked), sum(|port| port.pauses));
        let paused = all.iter().filter(|port| port.paused > 0.0).count();
        (!all.is_empty() || lost > 0).then(|| RunData {
            total: all.len(),
            paused,
            marked,
            pauses,
            lost,
            lost_without_port: lost - at_ports,
            reasons,
            ports: most(all),
        })
    }
}

/// The ports with the largest values of each kind, in the order of ports.
fn most(all: Vec<PortData>) -> Vec<PortData> {
    let mut chosen = BTreeSet::new();
    let kinds: [fn(&PortData) -> f64; 3] =
        [|port| port.paused, |port| port.marked as f64, |port| port.lost as f64];
    for of in kinds {
        let mut indices: Vec<usize> = (0..all.len()).filter(|&index| of(&all[index]) > 0.0).collect();
        indices.sort_by(|&left, &right| of(&all[right]).total_cmp(&of(&all[left])));
        chosen.extend(indices.into_iter().take(LISTED));
    }
    let mut index = 0;
    let is_chosen = |_: &PortData| {
        index += 1;
        chosen.contains(&(index - 1))
    };
    all.into_iter().filter(is_chosen).collect()
}

impl PortData {
    fn of(
        port: &PortRow,
        signal: Option<SignalRow>,
        reasons: BTreeMap<&'static str, u64>,
        about: &About,
    ) -> PortData {
        let paused = signal.map_or(0, |row| row.paused.0) as f64;
        PortData {
            from: about.node(port.node),
            to: about.node(port.peer),
            packets: port.packets,
            marked: signal.map_or(0, |row| row.marked),
            pauses: signal.map_or(0, |row| row.pauses),
            paused: seconds(paused),
            paused_share: if about.simulated() > 0.0 { share(paused / about.simulated()) } else { 0.0 },
            lost: reasons.values().sum(),
            reasons,
        }
    }
}
