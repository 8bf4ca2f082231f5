//! What is told of traffic classes at the end.

use netloom_model::KindOf;
use netloom_records::{Batch, ClassRow, SinkError, TrafficRow};
use netloom_units::{Bytes, Duration, PortId};

use super::Coordinator;
use crate::port::{ClassTotals, Egress};

impl Coordinator<'_, '_> {
    /// Hands over what each port did with each class, and which traffic travelled in which.
    pub(super) fn close_classes(&mut self) -> Result<(), SinkError> {
        let rows = if self.model.queues.classes.are_told_apart() { self.class_rows() } else { Vec::new() };
        self.sink.accept(Batch::Classes(&rows))?;
        let traffic: Vec<TrafficRow> = self.model.kinds.iter().map(traffic_row).collect();
        self.sink.accept(Batch::Traffic(&traffic))
    }

    fn class_rows(&self) -> Vec<ClassRow> {
        let mut rows = Vec::new();
        for (partition, place) in self.seating.of_node.iter().copied() {
            let partition = self.hall.partition(partition as usize);
            let node = &partition.nodes[place as usize];
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

fn traffic_row(of: &KindOf) -> TrafficRow {
    let KindOf { job, step, kind, class, may_reorder } = *of;
    TrafficRow { job, step, traffic: kind, class: u16::from(class), may_reorder }
}
