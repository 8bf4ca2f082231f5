//! What the completion times of messages consist of, if it is recorded.
//!
//! Models: the last packet of each message is reported wherever it arrives. Between two arrivals it waited in the queue
//! of the port by which it came, unless it was on the wire, which takes a known time; what is left before the first
//! arrival is the sender's part, and what is left after the last one is recovery.
//! Leaves out: whose packets were ahead; what the sender waited for. At a link that is slower than its nominal rate,
//! the longer serialization is waiting.
//!
//! Invariants: the parts of a message add up to its completion time, to the picosecond. Memory is that of the packets
//! in flight.

use netloom_model::Fabric;
use netloom_records::{Batch, Cause, CauseRow, FlowRow, SinkError};
use netloom_units::{Bytes, Duration, HostId, PortId};

use super::Coordinator;
use crate::assemble::NodePlacement;
use crate::context::Crossing;
use crate::parallel::SchedulerState;
use crate::port::Egress;

/// Most crossings kept of a message: a last packet that is lost again and again takes no more memory.
const MOST_CROSSINGS: usize = 1024;

/// The links that the last packets of messages have crossed, and messages that have arrived in this window.
#[derive(Debug)]
pub(super) struct Causes {
    /// By slot of the flow table, in the order of reports: within a window, that of partitions.
    crossings: Vec<Vec<Crossing>>,
    /// By port, the bytes of a packet after which it counts as arrived at the other end: all, unless that switch
    /// forwards packets before it has them whole.
    headers: Vec<u32>,
    /// Messages that have arrived, with their slots.
    arrived: Vec<(u32, FlowRow)>,
}

impl Causes {
    /// Nothing yet; `None` if causes are not recorded.
    pub fn new(scheduler: &SchedulerState<'_>, placement: &NodePlacement) -> Option<Causes> {
        let of_node = |&(partition, position): &(u32, u32)| {
            let partition = scheduler.partition(partition as usize);
            let ports = &partition.nodes[position as usize].ports;
            ports.iter().map(Egress::header).collect::<Vec<_>>()
        };
        scheduler.model.recording.causes.then(|| Causes {
            crossings: Vec::new(),
            headers: placement.of_node.iter().flat_map(of_node).collect(),
            arrived: Vec::new(),
        })
    }

    /// A message has started in a slot; duplicates of packets of an earlier one may have been reported there.
    pub fn started(&mut self, slot: u32) {
        self.of(slot).clear();
    }

    /// The last packet of a message has arrived at a node.
    pub fn crossed(&mut self, slot: u32, crossing: Crossing) {
        let crossings = self.of(slot);
        if crossings.len() == MOST_CROSSINGS {
            crossings.clear();
        }
        crossings.push(crossing);
    }

    fn of(&mut self, slot: u32) -> &mut Vec<Crossing> {
        let slot = slot as usize;
        if slot >= self.crossings.len() {
            self.crossings.resize_with(slot + 1, Vec::new);
        }
        &mut self.crossings[slot]
    }

    /// A message has arrived.
    pub fn arrived(&mut self, slot: u32, row: &FlowRow) {
        self.arrived.push((slot, *row));
    }

    /// The rows of the messages that have arrived; all reports of the window have been read.
    fn take_rows(&mut self, fabric: &Fabric) -> Vec<CauseRow> {
        let mut rows = Vec::new();
        for (slot, flow) in std::mem::take(&mut self.arrived) {
            let mut crossings = std::mem::take(self.of(slot));
            self.add_rows(&mut crossings, &flow, fabric, &mut rows);
            crossings.clear();
            *self.of(slot) = crossings;
        }
        rows.sort_unstable_by_key(CauseRow::order);
        rows
    }

    fn add_rows(
        &self,
        crossings: &mut [Crossing],
        flow: &FlowRow,
        fabric: &Fabric,
        rows: &mut Vec<CauseRow>,
    ) {
        let Some(end) = flow.end else { return };
        crossings.sort_unstable_by_key(|crossing| (crossing.at, crossing.port));
        let mut last_packet = LastPacket::default();
        for crossing in crossings.iter() {
            last_packet.add(*crossing, fabric);
        }
        let parts = match last_packet.delivered(flow.destination, fabric) {
            Some(crossings) => parts(crossings, (flow.start.0, end.0), &self.headers, fabric),
            // Several retransmissions of the last packet were in flight.
            None => vec![(Cause::Recovery, None, end.since(flow.start).0)],
        };
        let present = parts.into_iter().filter(|(.., time)| *time > 0);
        rows.extend(present.zip(0..).map(|((cause, port, time), part)| CauseRow {
            end,
            source: flow.source,
            destination: flow.destination,
            number: flow.number,
            job: flow.job,
            part,
            cause,
            port,
            time: Duration(time),
        }));
    }
}

/// The last packet of a message: its first transmission, and the latest one of its retransmissions.
#[derive(Debug, Default)]
struct LastPacket([Vec<Crossing>; 2]);

impl LastPacket {
    /// A transmission that left the sender begins anew, unless it is a duplicate of one that has arrived; one that was
    /// overtaken by a later one is ignored.
    fn add(&mut self, crossing: Crossing, fabric: &Fabric) {
        let found = &mut self.0[usize::from(crossing.is_retransmission)];
        let port = fabric.port(crossing.port);
        let reached = found.last().map(|last| fabric.neighbour(last.port));
        if fabric.is_host(port.node) {
            if !reached.is_some_and(|node| fabric.is_host(node)) {
                found.clear();
                found.push(crossing);
            }
        } else if reached == Some(port.node) {
            found.push(crossing);
        }
    }

    /// The transmission that arrived first; `None` if neither did.
    fn delivered(&self, destination: HostId, fabric: &Fabric) -> Option<&[Crossing]> {
        let goal = fabric.host_node(destination);
        let arrival = |crossings: &&Vec<Crossing>| {
            crossings.last().filter(|last| fabric.neighbour(last.port) == goal).map(|last| last.at)
        };
        let delivered = self.0.iter().filter(|found| arrival(found).is_some());
        delivered.min_by_key(arrival).map(Vec::as_slice)
    }
}

/// A cause with its port and its time in ps.
type Part = (Cause, Option<PortId>, u64);

/// The parts of the time from start to end of a message whose last packet crossed these links.
fn parts(crossings: &[Crossing], (start, end): (u64, u64), headers: &[u32], fabric: &Fabric) -> Vec<Part> {
    let mut parts = Vec::with_capacity(crossings.len() + 3);
    let (mut now, mut transmission) = (start, 0);
    for (number, crossing) in crossings.iter().enumerate() {
        let port = fabric.port(crossing.port);
        let bytes = crossing.bytes.min(headers[crossing.port.index()]);
        let on_wire = (port.rate.serialization(Bytes(bytes.into())) + port.delay).0;
        // The parts add up to the completion time whatever a link did.
        let elapsed = crossing.at.saturating_sub(now);
        let on_wire = on_wire.min(elapsed);
        let cause = if number == 0 { Cause::Sender } else { Cause::Queue };
        parts.push((cause, (number > 0).then_some(crossing.port), elapsed - on_wire));
        transmission += on_wire;
        now = now.max(crossing.at);
    }
    parts.push((Cause::Recovery, None, end.saturating_sub(now)));
    parts.push((Cause::Transmission, None, transmission));
    parts
}

impl Coordinator<'_, '_> {
    /// Emits the causes of the messages that have arrived in this window.
    pub(super) fn record_causes(&mut self) -> Result<(), SinkError> {
        let fabric = &self.model.fabric;
        let rows = self.causes.as_mut().map(|causes| causes.take_rows(fabric)).unwrap_or_default();
        if rows.is_empty() { Ok(()) } else { self.sink.accept(Batch::Causes(&rows)) }
    }
}
