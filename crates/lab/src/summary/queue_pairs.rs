//! Retransmissions and goodput of queue pairs, and congestion signals of switches.
//!
//! Models: sums of the tables `repairs` and `signals`; rates of messages as shares of the rate of the NIC port they
//! used.
//! Leaves out: single messages and ports, which the tables have.
//!
//! Invariants: memory grows with hosts, not with messages. A share of that rate is payload over the bytes that the port
//! could have transmitted while the message was in flight, so header bytes and concurrent messages lower it.

use netloom_records::statistics::HostPorts;
use netloom_records::{FlowRow, RepairRow, Retransmissions, RingRow, SignalRow, TallyRow};
use serde::{Deserialize, Serialize};

/// Sums over the messages on queue pairs, and over all ports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct QueuePairSummary {
    /// Packets of these messages that arrived, each counted once.
    pub packets: u64,
    /// Retransmitted packets that arrived.
    pub retransmitted: u64,
    /// Those of them that the receiver had already: spurious retransmissions.
    pub duplicates: u64,
    /// Their share in all packets that arrived.
    pub spurious: f64,
    /// NACKs that receivers sent.
    pub nacks: u64,
    /// Marked packets that arrived.
    pub marked: u64,
    /// CNPs that receivers sent.
    pub cnps: u64,
    /// CNPs, NACKs and marks echoed in ACKs that made senders reduce their rate.
    pub notifications: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Most packets by which one arrived early.
    pub distance: u32,
    /// Rate at which packets were sent, retransmissions included, as a share of the port's rate: mean over the time of
    /// all messages.
    pub sending_rate: f64,
    /// Goodput as a share of that rate: payload of messages over their time, mean over the time of all messages.
    pub goodput: f64,
    /// NACKs that filters at switches forwarded.
    pub nacks_forwarded: u64,
    /// NACKs that they suppressed.
    pub nacks_suppressed: u64,
    /// NACKs that they generated.
    pub nacks_generated: u64,
    /// Sequence numbers that their rings overwrote while a NACK caused by them could still arrive.
    pub overwritten: u64,
    /// Pause frames that stop a class.
    pub pauses: u64,
    /// Time for which ports were paused, summed over ports.
    pub paused_s: f64,
}

/// Sums of a host as a sender.
#[derive(Debug, Clone, Copy, Default)]
struct Sender {
    bytes: u64,
    /// Bytes that the ports of its messages could have sent while these were in flight.
    possible: f64,
    packets: u64,
    again: u64,
}

/// Collects the sums.
#[derive(Debug, Default)]
pub(super) struct Tally {
    ports: HostPorts,
    senders: Vec<Sender>,
    repaired: Retransmissions,
    signals: QueuePairSummary,
}

impl Tally {
    pub fn new(n_hosts: u32, ports: HostPorts) -> Tally {
        Tally { ports, senders: vec![Sender::default(); n_hosts as usize], ..Tally::default() }
    }

    /// Adds a message; only those that arrived count.
    pub fn flow(&mut self, row: &FlowRow) {
        let (Some(end), Some(sender)) = (row.end, self.senders.get_mut(row.source.index())) else { return };
        sender.bytes += row.size.0;
        let rate = self.ports.rate(row.source, Some(row.destination)).one;
        sender.possible += rate / 8.0 * end.since(row.start).as_seconds();
    }

    pub fn repair(&mut self, row: &RepairRow) {
        self.repaired(row.source.index(), row.into());
    }

    /// Adds messages that have no rows.
    pub fn tally(&mut self, row: &TallyRow) {
        if let Some(sender) = self.senders.get_mut(row.source.index()) {
            sender.bytes += row.size.0;
            sender.possible += self.ports.rate(row.source, None).one / 8.0 * row.time.as_seconds();
        }
        self.repaired(row.source.index(), row.into());
    }

    fn repaired(&mut self, source: usize, repaired: Retransmissions) {
        self.repaired += repaired;
        if let Some(sender) = self.senders.get_mut(source) {
            sender.packets += repaired.packets;
            sender.again += repaired.retransmitted;
        }
    }

    pub fn signal(&mut self, row: &SignalRow) {
        let sums = &mut self.signals;
        sums.nacks_forwarded += row.nacks_forwarded;
        sums.nacks_suppressed += row.nacks_suppressed;
        sums.nacks_generated += row.nacks_generated;
        sums.pauses += row.pauses;
        sums.paused_s += row.paused.as_seconds();
    }

    pub fn ring(&mut self, row: &RingRow) {
        self.signals.overwritten += row.overwritten;
    }

    /// The sums; `None` for a run without queue pairs.
    pub fn finish(self) -> Option<QueuePairSummary> {
        if self.repaired.messages == 0 {
            return None;
        }
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let possible = self.senders.iter().map(|sender| sender.possible).sum();
        let bytes = self.senders.iter().map(|sender| sender.bytes as f64).sum();
        // All packets of a sender are assumed to have the same size: the tables have sizes of messages, not of packets.
        let sent = self.senders.iter().map(|sender| {
            let repeated = share(sender.again as f64, sender.packets as f64);
            sender.bytes as f64 * (1.0 + repeated)
        });
        let sums = self.repaired;
        Some(QueuePairSummary {
            packets: sums.packets,
            retransmitted: sums.retransmitted,
            duplicates: sums.duplicates,
            nacks: sums.nacks,
            marked: sums.marked,
            cnps: sums.cnps,
            notifications: sums.notifications,
            timeouts: sums.timeouts,
            distance: sums.distance,
            spurious: share(sums.duplicates as f64, (sums.packets + sums.duplicates) as f64),
            sending_rate: share(sent.sum(), possible),
            goodput: share(bytes, possible),
            ..self.signals
        })
    }
}
