//! Rows about traffic classes.

use netloom_model::TrafficKind;
use netloom_records::{Batch, ClassRow, SinkError, TrafficRow};
use netloom_units::{Bytes, Duration, PortId};

use super::Coordinator;
use crate::port::{ClassTotals, Egress};

impl Coordinator<'_, '_> {
    /// Emits which traffic has which kind, before any message, so that a consumer of streamed rows has it first.
    pub(super) fn record_traffic(&mut self) -> Result<(), SinkError> {
        let traffic: Vec<TrafficRow> = self.model.kinds.iter().map(traffic_row).collect();
        if traffic.is_empty() { Ok(()) } else { self.sink.accept(Batch::Traffic(&traffic)) }
    }

    /// Emits what each port did with each class.
    pub(super) fn close_classes(&mut self) -> Result<(), SinkError> {
        if !self.model.queues.classes.separates_data() {
            return Ok(());
        }
        let rows = self.class_rows();
        self.sink.accept(Batch::Classes(&rows))
    }

    fn class_rows(&self) -> Vec<ClassRow> {
        let mut rows = Vec::new();
        for (partition, index) in self.placement.of_node.iter().copied() {
            let partition = self.scheduler.partition(partition as usize);
            let node = &partition.nodes[index as usize];
            rows.extend(node.ports.iter().flat_map(|egress| self.rows_of_port(egress)));
        }
        rows
    }

    fn rows_of_port(&self, egress: &Egress) -> Vec<ClassRow> {
        let fabric = &self.model.fabric;
        let (id, port) = (egress.id(), fabric.port(egress.id()));
        let row = |(class, totals): (u8, ClassTotals)| ClassRow {
            port: PortId(id.0),
            class: u16::from(class),
            node: port.node,
            link: port.link,
            peer: fabric.neighbour(id),
            packets: totals.packets,
            size: Bytes(totals.bytes),
            peak_size: Bytes(totals.peak),
            dropped: totals.dropped,
            marked: totals.marked,
            pauses: totals.pauses,
            paused: Duration(totals.paused),
        };
        egress.class_totals_at(self.now).into_iter().map(row).collect()
    }
}

fn traffic_row(of: &TrafficKind) -> TrafficRow {
    let TrafficKind { job, step, kind, class, may_reorder } = *of;
    TrafficRow { job, step, traffic: kind, class: u16::from(class), may_reorder }
}
