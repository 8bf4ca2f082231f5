//! Messages between being handed out by the workload and being recorded.
//!
//! Models: a table of messages; the read-only part is shared with all partitions, the rest belongs to the coordinator.
//! Leaves out: sending and receiving state, which live at the two hosts.
//!
//! Invariants: places are given and taken back only between rounds, so partitions read without a lock; a place is
//! used again only after receiver and sender have both finished with it; no result depends on which place a message got.

use netloom_model::{Message, Model, ideal};
use netloom_records::FlowRow;
use netloom_units::{Bytes, Duration, HostId, Time};

use crate::packet::Stamp;
use crate::trace::Identity;

/// What both ends may read of a message.
#[derive(Debug, Clone, Copy)]
pub struct Flow {
    /// The message as the workload gave it.
    pub message: Message,
    /// Sender.
    pub source: HostId,
    /// Place of its state at the sender.
    pub send_slot: u32,
    /// Place of its state at the receiver.
    pub receive_slot: u32,
    /// Place of its queue pair's sending end, where it travels on one.
    pub send_pair: u32,
    /// Place of its queue pair at the switch above the receiver, where that remembers it.
    pub edge_pair: u32,
    /// Whether its packets are recorded, unless its number says otherwise.
    pub followed: bool,
}

impl Flow {
    /// The host that packets of the message come from: what is no data goes the other way.
    #[inline]
    pub fn sender(&self, is_data: bool) -> HostId {
        if is_data { self.source } else { self.message.to }
    }

    /// What all its data packets carry.
    pub fn stamp(&self, model: &Model) -> Stamp {
        Stamp::new(model.class_of(&self.message), self.message.may_reorder)
    }
}

/// What only the coordinator knows.
#[derive(Debug, Clone, Copy, Default)]
struct FlowProgress {
    started: Option<Time>,
    number: u32,
    arrived: Option<Time>,
    sent: bool,
    /// Packets of it that were lost.
    lost: u64,
    /// What switches did with its NACKs.
    edge: AtEdge,
    /// Its number among those that have arrived on queue pairs.
    in_line: u64,
}

/// What switches at the edge did with NACKs of a message.
#[derive(Debug, Clone, Copy, Default)]
pub struct AtEdge {
    /// They were kept back.
    pub blocked: u32,
    /// The switch made them.
    pub made: u32,
}

/// All messages handed out and not yet finished.
#[derive(Debug, Default)]
pub struct FlowTable {
    progress: Vec<FlowProgress>,
    free: Vec<u32>,
}

impl FlowTable {
    /// Gives a new message a place in `flows`.
    pub fn insert(&mut self, flows: &mut Vec<Flow>, flow: Flow) -> u32 {
        let story = FlowProgress::default();
        if let Some(place) = self.free.pop() {
            flows[place as usize] = flow;
            self.progress[place as usize] = story;
            return place;
        }
        flows.push(flow);
        self.progress.push(story);
        flows.len() as u32 - 1
    }

    /// The sender has handed over the first packet.
    pub fn started(&mut self, place: u32, at: Time, number: u32) {
        let story = &mut self.progress[place as usize];
        story.started = Some(at);
        story.number = number;
    }

    /// The last byte has arrived: the row to record.
    pub fn arrived(
        &mut self,
        model: &Model,
        flows: &[Flow],
        place: u32,
        at: Time,
        (packets, hops): (u32, u64),
    ) -> FlowRow {
        self.progress[place as usize].arrived = Some(at);
        self.row(model, flows, place, Some(at), (packets, hops))
    }

    /// The sender needs nothing more of it.
    pub fn sent(&mut self, place: u32) {
        self.progress[place as usize].sent = true;
    }

    /// One of its packets was lost.
    pub fn lost(&mut self, place: u32) {
        self.progress[place as usize].lost += 1;
    }

    /// What switches at the edge did with its NACKs, to be added to.
    pub fn at_edge(&mut self, place: u32) -> &mut AtEdge {
        &mut self.progress[place as usize].edge
    }

    /// What switches at the edge did with its NACKs.
    pub fn edge_of(&self, place: u32) -> AtEdge {
        self.progress[place as usize].edge
    }

    /// Packets of it that were lost or kept back, less those made on the way.
    pub fn n_lost(&self, place: u32) -> i64 {
        let FlowProgress { lost, edge, .. } = self.progress[place as usize];
        lost.cast_signed() + i64::from(edge.blocked) - i64::from(edge.made)
    }

    /// Whether both ends have finished.
    pub fn is_over(&self, place: u32) -> bool {
        let story = &self.progress[place as usize];
        story.arrived.is_some() && story.sent
    }

    /// How rows name a message that has started, until its place is given to another one.
    pub fn identity(&self, flows: &[Flow], place: u32) -> Option<Identity> {
        let (flow, story) = (flows.get(place as usize)?, self.progress.get(place as usize)?);
        Some(Identity { source: flow.source, destination: flow.message.to, number: story.number })
    }

    /// Takes the place back if both ends have finished; tells whether it did.
    pub fn retire(&mut self, place: u32) -> bool {
        let finished = self.is_over(place);
        if finished {
            // Its number stays: accounts of its packets name it until the place is given to another one.
            let number = self.progress[place as usize].number;
            self.progress[place as usize] = FlowProgress { number, ..FlowProgress::default() };
            self.free.push(place);
        }
        finished
    }

    /// Places of the messages that have started and are not forgotten.
    pub fn open(&self) -> impl Iterator<Item = u32> + '_ {
        let open = |(_, story): &(usize, &FlowProgress)| story.started.is_some();
        self.progress.iter().enumerate().filter(open).map(|(place, _)| place as u32)
    }

    /// Of these, those that have not arrived.
    pub fn unfinished(&self) -> impl Iterator<Item = u32> + '_ {
        self.open().filter(|&place| self.progress[place as usize].arrived.is_none())
    }

    /// Gives a message that has arrived its number among those on queue pairs.
    pub fn number_pair_message(&mut self, place: u32, number: u64) {
        self.progress[place as usize].in_line = number;
    }

    /// Its number among those that have arrived on queue pairs.
    pub fn number_in_line(&self, place: u32) -> u64 {
        self.progress[place as usize].in_line
    }

    /// Its number among the sender's messages.
    pub fn number(&self, place: u32) -> u32 {
        self.progress[place as usize].number
    }

    /// When a message arrived.
    pub fn end(&self, place: u32) -> Option<Time> {
        self.progress[place as usize].arrived
    }

    /// The row of a message.
    pub fn row(
        &self,
        model: &Model,
        flows: &[Flow],
        place: u32,
        end: Option<Time>,
        (packets, hops): (u32, u64),
    ) -> FlowRow {
        let flow = &flows[place as usize];
        let story = &self.progress[place as usize];
        FlowRow {
            start: story.started.expect("a message starts before it arrives"),
            end,
            source: flow.source,
            destination: flow.message.to,
            number: story.number,
            job: flow.message.job,
            step: flow.message.step,
            phase: flow.message.phase,
            bucket: flow.message.bucket,
            size: Bytes(flow.message.size.0),
            packets,
            hops,
            ideal: ideal_time(model, flow),
        }
    }
}

/// What a background message would have taken alone.
///
/// Jobs are judged by their steps; their messages, often of a packet each, are spared the walk.
fn ideal_time(model: &Model, flow: &Flow) -> Option<Duration> {
    let is_background = flow.message.job == Message::BACKGROUND;
    is_background.then(|| ideal::completion_time(model, flow.source, &flow.message)).flatten()
}

/// The order of rows in table `flows`.
pub fn sort_rows(rows: &mut [FlowRow]) {
    rows.sort_unstable_by_key(|row| {
        (row.end.unwrap_or(Time::NEVER), row.destination, row.source, row.number)
    });
}
