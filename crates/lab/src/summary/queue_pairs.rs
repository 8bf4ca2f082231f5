//! What queue pairs sent again, how fast their messages were, and what switches told of congestion.
//!
//! Models: sums of the tables `repairs` and `signals`; rates of messages as shares of the rate of the NIC port they used.
//! Leaves out: single messages and ports; the tables have them.
//!
//! Invariants: what is kept grows with hosts, not with messages. A share of that rate is payload over what the port
//! could have put on the wire while the message was under way, so header bytes and messages side by side lower it.

use netloom_records::statistics::HostPorts;
use netloom_records::{FlowRow, RepairRow, Repaired, RingRow, SignalRow, TallyRow};
use serde::Serialize;

/// Sums over the messages on queue pairs, and over all ports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct QueuePairSummary {
    /// Packets of these messages that came, each counted once.
    pub packets: u64,
    /// Packets that came and had been sent before.
    pub again: u64,
    /// Those of them that had been taken before: sent again for nothing.
    pub duplicates: u64,
    /// The share of these in all packets that came.
    pub spurious: f64,
    /// NACKs that receivers sent.
    pub nacks: u64,
    /// Marked packets that came.
    pub marked: u64,
    /// CNPs that receivers sent.
    pub cnps: u64,
    /// CNPs, NACKs and marks told by ACKs that slowed senders down.
    pub notified: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Most packets by which one came before its turn.
    pub distance: u32,
    /// Share of the rate of the port they used at which packets were sent, those sent again included: mean over the time of all messages.
    pub sending_rate: f64,
    /// Share of that rate that messages needed: their payload over their time, mean over the time of all messages.
    pub goodput: f64,
    /// NACKs that filters at switches let pass.
    pub nacks_forwarded: u64,
    /// NACKs that they kept back.
    pub nacks_blocked: u64,
    /// NACKs that they made.
    pub nacks_made: u64,
    /// Numbers that their rings overwrote while a NACK that they cause might still have come.
    pub overwritten: u64,
    /// Pause frames that stop a class.
    pub pauses: u64,
    /// Time for which ports were kept from sending, summed over ports.
    pub paused_s: f64,
}

/// What is known of a host as a sender.
#[derive(Debug, Clone, Copy, Default)]
struct Sender {
    bytes: u64,
    /// What the ports that its messages used could have sent while these were under way.
    possible: f64,
    packets: u64,
    again: u64,
}

/// Collects the sums.
#[derive(Debug, Default)]
pub(super) struct Tally {
    ports: HostPorts,
    senders: Vec<Sender>,
    repaired: Repaired,
    signals: QueuePairSummary,
}

impl Tally {
    pub fn new(n_hosts: u32, ports: HostPorts) -> Tally {
        Tally { ports, senders: vec![Sender::default(); n_hosts as usize], ..Tally::default() }
    }

    /// A message; only those that arrived count.
    pub fn flow(&mut self, row: &FlowRow) {
        let (Some(end), Some(sender)) = (row.end, self.senders.get_mut(row.source.index())) else { return };
        sender.bytes += row.size.0;
        let rate = self.ports.rate(row.source, Some(row.destination)).one;
        sender.possible += rate / 8.0 * end.since(row.start).as_seconds();
    }

    pub fn repair(&mut self, row: &RepairRow) {
        self.repaired(row.source.index(), row.into());
    }

    /// Messages that have no rows.
    pub fn tally(&mut self, row: &TallyRow) {
        if let Some(sender) = self.senders.get_mut(row.source.index()) {
            sender.bytes += row.size.0;
            sender.possible += self.ports.rate(row.source, None).one / 8.0 * row.time.as_seconds();
        }
        self.repaired(row.source.index(), row.into());
    }

    fn repaired(&mut self, source: usize, repaired: Repaired) {
        self.repaired += repaired;
        if let Some(sender) = self.senders.get_mut(source) {
            sender.packets += repaired.packets;
            sender.again += repaired.again;
        }
    }

    pub fn signal(&mut self, row: &SignalRow) {
        let sums = &mut self.signals;
        sums.nacks_forwarded += row.nacks_forwarded;
        sums.nacks_blocked += row.nacks_suppressed;
        sums.nacks_made += row.nacks_generated;
        sums.pauses += row.pauses;
        sums.paused_s += row.paused.as_seconds();
    }

    pub fn ring(&mut self, row: &RingRow) {
        self.signals.overwritten += row.overwritten;
    }

    /// The sums; none of a run without queue pairs.
    pub fn finish(self) -> Option<QueuePairSummary> {
        if self.repaired.messages == 0 {
            return None;
        }
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let possible = self.senders.iter().map(|sender| sender.possible).sum();
        let bytes = self.senders.iter().map(|sender| sender.bytes as f64).sum();
        // Packets of one sender are taken to be alike: the tables know sizes of messages, not of packets.
        let sent = self.senders.iter().map(|sender| {
            let repeated = share(sender.again as f64, sender.packets as f64);
            sender.bytes as f64 * (1.0 + repeated)
        });
        let sums = self.repaired;
        Some(QueuePairSummary {
            packets: sums.packets,
            again: sums.again,
            duplicates: sums.duplicates,
            nacks: sums.nacks,
            marked: sums.marked,
            cnps: sums.cnps,
            notified: sums.notified,
            timeouts: sums.timeouts,
            distance: sums.distance,
            spurious: share(sums.duplicates as f64, (sums.packets + sums.duplicates) as f64),
            sending_rate: share(sent.sum(), possible),
            goodput: share(bytes, possible),
            ..self.signals
        })
    }
}
