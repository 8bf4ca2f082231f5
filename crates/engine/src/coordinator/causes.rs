//! What the completion times of messages consist of, if it is recorded.
//!
//! Models: the last packet of each message is reported wherever it arrives, and its sender reports what it had waited
//! for until it handed that packet over. Between two arrivals the packet waited in the queue of the port by which it
//! came, unless it was on the wire, which takes a known time; what is left after the last one is recovery.
//! Leaves out: whose packets were ahead. At a link that is slower than its nominal rate, the longer serialization is
//! waiting.
//!
//! Invariants: the causes of a message add up to its completion time, to the picosecond. Memory is that of the messages
//! in flight.

use netloom_model::{Fabric, RecordedCauses};
use netloom_records::{Batch, CauseRow, FlowRow, SinkError};
use netloom_units::{Bytes, Duration, HostId};

use super::Coordinator;
use super::reports::MOST_KEPT;
use crate::assemble::NodePlacement;
use crate::context::Crossing;
use crate::parallel::SchedulerState;
use crate::port::Egress;
use crate::sender_waits::{HandOver, Posting, SenderEvent, SenderWaits};
use crate::slab::Slab;

/// Most crossings and transmissions kept of a message: a last packet that is lost again and again takes no more memory.
const MOST_CROSSINGS: usize = 1024;

/// What is known of the messages in flight, and messages that have arrived in this window.
#[derive(Debug)]
pub(super) struct Causes {
    /// Of which messages.
    recorded: RecordedCauses,
    /// Of messages that have started, and vacant ones with their memory.
    states: Slab<MessageState>,
    /// By slot of the flow table, the slot of its state; `u32::MAX` for none.
    slots: Vec<u32>,
    /// By port, the bytes of a packet after which it counts as arrived at the other end: all, unless that switch
    /// forwards packets before it has them whole.
    headers: Vec<u32>,
    /// Whether links may be paused or run out of credits.
    are_links_blocked: bool,
    /// Messages that have arrived, with their slots.
    arrived: Vec<(u32, FlowRow)>,
}

/// What has been reported of a message in flight.
#[derive(Debug, Default)]
struct MessageState {
    /// The links that its last packet has crossed, in the order of reports: within a window, that of partitions.
    crossings: Vec<Crossing>,
    /// When it was posted: an entry for each port by which its packets may leave.
    postings: Vec<Posting>,
    /// What it waited for at its sender until each transmission of its last packet, in order.
    at_sender: Vec<SenderWaits>,
}

impl Causes {
    /// Nothing yet; `None` if causes are not recorded.
    pub fn new(scheduler: &SchedulerState<'_>, placement: &NodePlacement) -> Option<Causes> {
        let of_node = |&(partition, position): &(u32, u32)| {
            let partition = scheduler.partition(partition as usize);
            let ports = &partition.nodes[position as usize].ports;
            ports.iter().map(Egress::header).collect::<Vec<_>>()
        };
        let model = scheduler.model;
        (model.recording.causes != RecordedCauses::None).then(|| Causes {
            recorded: model.recording.causes,
            are_links_blocked: model.queues.credits.is_some() || model.pausing_classes() != 0,
            states: Slab::default(),
            slots: Vec::new(),
            headers: placement.of_node.iter().flat_map(of_node).collect(),
            arrived: Vec::new(),
        })
    }

    /// A message has started in a slot; duplicates of packets of an earlier one may have been reported there.
    pub fn started(&mut self, slot: u32) {
        if let Some(state) = self.slots.get_mut(slot as usize) {
            free(&mut self.states, state);
        }
    }

    fn at_sender(&mut self, event: SenderEvent) {
        match event {
            SenderEvent::Posted(posting) => self.of(posting.flow).postings.push(posting),
            SenderEvent::HandedOver(hand_over) => self.of(hand_over.flow).handed_over(&hand_over),
            SenderEvent::Sent(flow, waits) => self.of(flow).at_sender.push(waits),
        }
    }

    /// The last packet of a message has arrived at a node.
    pub fn crossed(&mut self, slot: u32, crossing: Crossing) {
        let crossings = &mut self.of(slot).crossings;
        if crossings.len() == MOST_CROSSINGS {
            crossings.clear();
        }
        crossings.push(crossing);
    }

    fn of(&mut self, slot: u32) -> &mut MessageState {
        let slot = slot as usize;
        if slot >= self.slots.len() {
            self.slots.resize(slot + 1, u32::MAX);
        }
        if self.slots[slot] == u32::MAX {
            self.slots[slot] = self.states.allocate(MessageState::default).0;
        }
        self.states.get_mut(self.slots[slot])
    }

    /// A message has arrived.
    pub fn arrived(&mut self, slot: u32, row: &FlowRow) {
        if self.recorded.include(row.job) {
            self.arrived.push((slot, *row));
        }
    }

    /// The rows of the messages that have arrived; all reports of the window have been read.
    fn take_rows(&mut self, fabric: &Fabric) -> Vec<CauseRow> {
        if self.arrived.is_empty() {
            return Vec::new();
        }
        let arrived = std::mem::take(&mut self.arrived);
        let mut rows = Vec::with_capacity(arrived.len());
        for (slot, flow) in &arrived {
            self.of(*slot);
            let Causes { states, slots, headers, are_links_blocked, .. } = self;
            let state = &mut slots[*slot as usize];
            let message = states.get_mut(*state);
            rows.extend(message.row(flow, (headers, *are_links_blocked), fabric));
            free(states, state);
        }
        rows.sort_unstable_by_key(CauseRow::order);
        self.arrived = arrived;
        self.arrived.clear();
        rows
    }
}

/// Frees the state in a slot, if there is one; its memory is kept.
fn free(states: &mut Slab<MessageState>, slot: &mut u32) {
    let slot = std::mem::replace(slot, u32::MAX);
    if slot != u32::MAX {
        let MessageState { crossings, postings, at_sender } = states.get_mut(slot);
        crossings.clear();
        postings.clear();
        at_sender.clear();
        states.remove(slot);
    }
}

impl MessageState {
    /// The last packet of the message has been handed over.
    fn handed_over(&mut self, hand_over: &HandOver) {
        // After the arrival of the message duplicates of the packet may be sent.
        let Some(posting) = self.postings.iter().find(|posting| posting.port == hand_over.port) else {
            return;
        };
        if self.at_sender.len() == MOST_CROSSINGS {
            self.at_sender.clear();
        }
        let n_last = self.at_sender.len() as u64;
        self.at_sender.push(SenderWaits::between(posting, hand_over, n_last));
    }

    /// The row of the message, if it has arrived.
    fn row(
        &mut self,
        flow: &FlowRow,
        (headers, are_links_blocked): (&[u32], bool),
        fabric: &Fabric,
    ) -> Option<CauseRow> {
        let end = flow.end?;
        self.crossings.sort_unstable_by_key(|crossing| (crossing.at, crossing.port));
        let last_packet;
        let delivered = if is_path(&self.crossings, flow, fabric) {
            Some(&self.crossings[..])
        } else {
            last_packet = LastPacket::of(&self.crossings, fabric);
            last_packet.delivered(flow.destination, fabric)
        };
        let causes = match delivered {
            Some(crossings) => {
                let first = &crossings[0];
                let left = first.at - on_wire(first, headers, fabric);
                let is_before = |waits: &&SenderWaits| waits.at <= left;
                let mut at_sender = self.at_sender.iter().rfind(is_before).copied().unwrap_or_default();
                at_sender.fit(left.saturating_sub(flow.start.0), are_links_blocked);
                causes(crossings, at_sender, (flow.start.0, end.0), headers, fabric)
            }
            // Several retransmissions of the last packet were in flight.
            None => CauseRow { recovery: end.since(flow.start), ..CauseRow::default() },
        };
        Some(CauseRow {
            end,
            source: flow.source,
            destination: flow.destination,
            number: flow.number,
            job: flow.job,
            ..causes
        })
    }
}

/// Whether links are a path from sender to receiver, as they are unless the last packet was sent more than once.
fn is_path(crossings: &[Crossing], flow: &FlowRow, fabric: &Fabric) -> bool {
    let mut node = fabric.host_node(flow.source);
    let follows = |crossing: &Crossing| {
        let is_next = fabric.port(crossing.port).node == node;
        node = fabric.neighbour(crossing.port);
        is_next
    };
    crossings.iter().all(follows) && node == fabric.host_node(flow.destination)
}

/// The last packet of a message: its first transmission, and the latest one of its retransmissions.
#[derive(Debug, Default)]
struct LastPacket([Vec<Crossing>; 2]);

impl LastPacket {
    /// From the links crossed, in order of time.
    fn of(crossings: &[Crossing], fabric: &Fabric) -> LastPacket {
        let mut found = LastPacket::default();
        for crossing in crossings {
            found.add(*crossing, fabric);
        }
        found
    }

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

/// How long a packet was on a link until it counted as arrived, in ps.
fn on_wire(crossing: &Crossing, headers: &[u32], fabric: &Fabric) -> u64 {
    let port = fabric.port(crossing.port);
    let bytes = crossing.bytes.min(headers[crossing.port.index()]);
    (port.rate.serialization(Bytes(bytes.into())) + port.delay).0
}

/// The causes of the time from start to end of a message whose last packet crossed these links.
fn causes(
    crossings: &[Crossing],
    at_sender: SenderWaits,
    (start, end): (u64, u64),
    headers: &[u32],
    fabric: &Fabric,
) -> CauseRow {
    let mut row = CauseRow::default();
    let (mut now, mut on_wires) = (start, 0);
    for (number, crossing) in crossings.iter().enumerate() {
        // The causes add up to the completion time whatever a link did.
        let elapsed = crossing.at.saturating_sub(now);
        let on_wire = on_wire(crossing, headers, fabric).min(elapsed);
        if number > 0 {
            row.add_wait(crossing.port, Duration(elapsed - on_wire));
        }
        on_wires += on_wire;
        now = now.max(crossing.at);
    }
    let SenderWaits { own, earlier, turn, window, pacing, timeout, pause, .. } = at_sender;
    CauseRow {
        transmission: Duration(own + on_wires),
        earlier: Duration(earlier),
        turn: Duration(turn),
        window: Duration(window),
        pacing: Duration(pacing),
        timeout: Duration(timeout),
        pause: Duration(pause),
        recovery: Duration(end.saturating_sub(now)),
        ..row
    }
}

impl Coordinator<'_, '_> {
    /// Reads the events at the senders of a partition, after its reports: these may clear a slot.
    pub(super) fn take_sender_events(&mut self, partition: u32) {
        let Some(causes) = &mut self.causes else { return };
        let mut partition = self.scheduler.partition(partition as usize);
        if let Some(events) = &mut partition.context.sender_events {
            events.0.drain(..).for_each(|event| causes.at_sender(event));
            events.0.shrink_to(MOST_KEPT);
        }
    }

    /// Emits the causes of the messages that have arrived in this window.
    pub(super) fn record_causes(&mut self) -> Result<(), SinkError> {
        let fabric = &self.model.fabric;
        let rows = self.causes.as_mut().map(|causes| causes.take_rows(fabric)).unwrap_or_default();
        if rows.is_empty() { Ok(()) } else { self.sink.accept(Batch::Causes(&rows)) }
    }
}
