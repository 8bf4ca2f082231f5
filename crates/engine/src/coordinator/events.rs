//! Failure and recovery events as rows: per link, and as the user specified them.
//!
//! Leaves out: what happens after the run.

use netloom_model::{EventAction, Fault, FaultEvent, Outages, Subject, detection};
use netloom_records::{Batch, EventRow, FaultAction, FaultRow, SinkError, Target};
use netloom_units::{LinkId, NodeId, Time};

use super::Coordinator;
use crate::run::Status;

impl Coordinator<'_, '_> {
    pub(super) fn record_faults(&mut self) -> Result<(), SinkError> {
        let rest = &self.model.faults[self.n_faults_reported..];
        let n_past = rest.partition_point(|fault| fault.at.0 < self.now.max(1));
        if n_past == 0 {
            return Ok(());
        }
        let row = |fault: &Fault| Some(FaultRow { time: fault.at, link: fault.link, up: fault.turns()? });
        let rows: Vec<FaultRow> = rest[..n_past].iter().filter_map(row).collect();
        self.n_faults_reported += n_past;
        self.sink.accept(Batch::Faults(&rows))
    }

    /// Records the events that happened before the run was over.
    pub(super) fn record_events(&mut self, status: &Status) -> Result<(), SinkError> {
        let end = self.end_of_run(status);
        let n_past = self.model.events.partition_point(|event| event.at.0 <= end);
        if n_past == 0 {
            return Ok(());
        }
        let outages = Outages::of_links(&self.model.faults);
        let row = |event: &FaultEvent| EventRow {
            detected: self.noticed(event, &outages).filter(|at| at.0 <= end),
            ..self.event_row(event)
        };
        let mut rows: Vec<EventRow> = self.model.events[..n_past].iter().map(row).collect();
        rows.sort_by_key(EventRow::order);
        self.sink.accept(Batch::Events(&rows))
    }

    fn event_row(&self, event: &FaultEvent) -> EventRow {
        let target = match event.subject {
            Subject::Link(_) => Target::Link,
            Subject::Nic(_) => Target::Nic,
            Subject::Switch(_) => Target::Switch,
            Subject::Host(_) => Target::Host,
        };
        let (link, node) = self.link_and_node(event.subject);
        let (mut rate, mut loss, mut period) = (None, None, None);
        let action = match event.action {
            EventAction::Down => FaultAction::Down,
            EventAction::Up => FaultAction::Up,
            EventAction::Flap(span) => {
                period = Some(span);
                FaultAction::Flap
            }
            EventAction::Steady => FaultAction::Steady,
            EventAction::Degrade(to) => {
                rate = Some(to);
                FaultAction::Degrade
            }
            EventAction::Restore => FaultAction::Restore,
            EventAction::Errors(errors) => {
                let packet = u32::try_from(self.model.transport.packet.0).unwrap_or(u32::MAX);
                loss = Some(errors.chance(packet));
                FaultAction::Errors
            }
            EventAction::Clear => FaultAction::Clear,
        };
        EventRow { time: event.at, detected: None, target, link, node, action, rate, loss, period }
    }

    /// The first link of the subject of an event, and its node or the node at the link's first end.
    fn link_and_node(&self, subject: Subject) -> (LinkId, NodeId) {
        let fabric = &self.model.fabric;
        match subject {
            Subject::Link(link) | Subject::Nic(link) => {
                (link, fabric.port(fabric.links()[link.index()].ends[0]).node)
            }
            // A node without links cannot fail: its failure would have no effect.
            Subject::Switch(node) | Subject::Host(node) => {
                (fabric.ports_of(node).first().map_or(LinkId(0), |port| port.link), node)
            }
        }
    }

    /// When the ends of the failed or repaired link notice an event; of several links the first counts.
    fn noticed(&self, event: &FaultEvent, outages: &Outages<LinkId>) -> Option<Time> {
        let reaction = &self.model.reaction;
        let (up, span) = match event.action {
            EventAction::Down if event.at == Time::ZERO => return Some(Time::ZERO),
            EventAction::Down => (false, reaction.detection),
            EventAction::Up => (true, reaction.recovery),
            _ => return None,
        };
        let (link, _) = self.link_and_node(event.subject);
        let noticed = detection::notices(outages.get(&link), &[], reaction);
        let at = event.at + span;
        noticed.contains(&netloom_model::LinkDetection { at, up }).then_some(at)
    }
}
