//! The longest queues, separately at hosts and at switches: queues at hosts show how far a transport runs ahead of its
//! NIC, queues at switches how well traffic is balanced.

use netloom_records::{Batch, PortRow};
use netloom_units::Bytes;
use serde::Serialize;

use super::Collector;
use crate::collect::About;
use crate::round::six_digits;
use netloom_records::statistics::Sample;

/// Peaks of the ports of a run.
#[derive(Debug, Default)]
pub struct Queues {
    hosts: Ports,
    switches: Ports,
}

/// The ports of one kind of node.
#[derive(Debug, Default)]
struct Ports {
    peaks: Sample,
    /// With its peak in bytes.
    longest: Option<(u64, PortRow)>,
}

impl Collector for Queues {
    fn take(&mut self, about: &About, batch: Batch<'_>) {
        let Batch::Ports(rows) = batch else { return };
        for row in rows {
            let ports = if about.is_host(row.node) { &mut self.hosts } else { &mut self.switches };
            let Some(Bytes(peak)) = row.peak_size.0 else { continue };
            ports.peaks.push(peak);
            if ports.longest.as_ref().is_none_or(|&(longest, _)| longest < peak) {
                ports.longest = Some((peak, *row));
            }
        }
    }
}

/// The queues of one run; absent without such nodes, and for a measured run.
#[derive(Debug, Clone, Serialize)]
pub struct RunData {
    /// At hosts.
    pub hosts: Option<PeakData>,
    /// At switches.
    pub switches: Option<PeakData>,
}

/// Largest number of bytes that ever waited at a port, over the ports of one kind of node.
#[derive(Debug, Clone, Serialize)]
pub struct PeakData {
    /// Number of ports.
    pub ports: u64,
    /// Of the port with the longest queue, in bytes.
    pub longest: u64,
    /// The node of that port.
    pub node: String,
    /// The node at the other end.
    pub peer: String,
    /// Largest number of packets that ever waited there, if they were counted.
    pub packets: Option<u32>,
    /// Mean over the ports.
    pub mean: f64,
    /// Median over the ports.
    pub p50: f64,
    /// 95th percentile over the ports.
    pub p95: f64,
}

impl Ports {
    fn finish(self, about: &About) -> Option<PeakData> {
        let (peaks, (peak, longest)) = (self.peaks.finish()?, self.longest?);
        Some(PeakData {
            ports: peaks.count(),
            longest: peak,
            node: about.node(longest.node),
            peer: about.node(longest.peer),
            packets: longest.peak_packets,
            mean: six_digits(peaks.mean()),
            p50: six_digits(peaks.quantile(0.50)),
            p95: six_digits(peaks.quantile(0.95)),
        })
    }
}

impl Queues {
    /// Of the whole run.
    pub fn finish(self, about: &About) -> RunData {
        RunData { hosts: self.hosts.finish(about), switches: self.switches.finish(about) }
    }
}
