//! Staged flows: bytes of each flow that arrive in the measured part of each stage.
//!
//! Models: bytes of every flow that have arrived when the measured part of a stage begins, and when it ends.
//! Leaves out: where a message keeps its count (the coordinator reads it); what happens within a stage.
//!
//! Invariants: counts are kept whether they are read or not, so reading changes nothing; stages follow one another, so
//! that readings are in order of time; memory grows with flows, stages and messages in flight.

use netloom_model::{Stage, StagedFlow, StagedFlows};
use netloom_records::StageRow;
use netloom_units::{Bytes, Duration, Time};

/// See the module.
#[derive(Debug)]
pub struct Stages<'a> {
    staged: &'a StagedFlows,
    lines: Vec<FlowProgress>,
    /// Number of readings taken: two per stage.
    n_taken: usize,
    rows: Vec<StageRow>,
}

/// A flow.
#[derive(Debug, Clone, Default)]
struct FlowProgress {
    /// Its messages in flight, by index in the flow table.
    messages: Vec<u32>,
    /// Bytes of its messages that have arrived.
    arrived: u64,
    /// Bytes that had arrived when the measured part began.
    before: u64,
}

impl<'a> Stages<'a> {
    /// Before anything is sent.
    pub fn new(staged: &'a StagedFlows) -> Stages<'a> {
        Stages {
            staged,
            lines: vec![FlowProgress::default(); staged.flows.len()],
            n_taken: 0,
            rows: Vec::new(),
        }
    }

    /// When the next reading is due; `None` after the last stage.
    pub fn next(&self) -> Option<Time> {
        let stage = self.staged.stages.get(self.n_taken / 2)?;
        Some(if self.n_taken.is_multiple_of(2) { stage.measured_from } else { stage.end })
    }

    /// A message of a flow has started.
    pub fn started(&mut self, flow: u32, index: u32) {
        self.lines[flow as usize].messages.push(index);
    }

    /// A message of a flow has arrived.
    pub fn arrived(&mut self, flow: u32, index: u32, size: Bytes) {
        let line = &mut self.lines[flow as usize];
        line.messages.retain(|&message| message != index);
        line.arrived += size.0;
    }

    /// Takes the reading that is due; `came` returns the bytes that have arrived of a message in flight.
    pub fn take(&mut self, came: impl Fn(u32) -> u64) {
        let Stages { staged, lines, n_taken, rows } = self;
        let number = *n_taken / 2;
        let stage = &staged.stages[number];
        let is_over = !n_taken.is_multiple_of(2);
        *n_taken += 1;
        for (index, (flow, line)) in staged.flows.iter().zip(lines).enumerate() {
            if !stage.judges(flow) {
                continue;
            }
            let bytes = line.arrived + line.messages.iter().map(|&message| came(message)).sum::<u64>();
            if is_over {
                rows.push(row((number, stage), (index, flow), Bytes(bytes - line.before)));
            }
            line.before = bytes;
        }
    }

    /// All rows: those of completed stages.
    pub fn rows(self) -> Vec<StageRow> {
        self.rows
    }
}

fn row((number, stage): (usize, &Stage), (index, flow): (usize, &StagedFlow), size: Bytes) -> StageRow {
    let &Stage { start, measured_from, end } = stage;
    let Duration(span) = end.since(measured_from);
    StageRow {
        stage: number as u32,
        start,
        measured_from,
        end,
        flow: index as u16,
        source: flow.source,
        destination: flow.destination,
        size,
        throughput: size.0 as f64 * 8e12 / span as f64,
    }
}

#[cfg(test)]
mod tests {
    use netloom_model::Posting;
    use netloom_units::HostId;

    use super::*;

    fn flow(start: u64, stop: u64) -> StagedFlow {
        let (source, destination) = (HostId(0), HostId(1));
        StagedFlow {
            source,
            destination,
            start: Time(start),
            stop: Time(stop),
            rate: None,
            handling: netloom_model::FabricService::default(),
        }
    }

    fn stage(start: u64, measured_from: u64, end: u64) -> Stage {
        Stage { start: Time(start), measured_from: Time(measured_from), end: Time(end) }
    }

    #[test]
    fn only_data_of_the_measured_part_counts() {
        let staged = StagedFlows {
            flows: vec![flow(0, 200), flow(100, 200), flow(0, 110)],
            stages: vec![stage(0, 20, 100), stage(100, 120, 200)],
            message: Bytes(1_000),
            posting: Posting::Clocked,
        };
        let mut stages = Stages::new(&staged);
        stages.started(0, 4);
        stages.started(2, 5);
        assert_eq!(stages.next(), Some(Time(20)));
        stages.take(|index| u64::from(index) * 10);
        stages.arrived(0, 4, Bytes(1_000));
        stages.started(0, 4);
        assert_eq!(stages.next(), Some(Time(100)));
        stages.take(|index| u64::from(index) * 50);
        assert_eq!(stages.next(), Some(Time(120)));
        stages.take(|_| 300);
        stages.started(1, 9);
        assert_eq!(stages.next(), Some(Time(200)));
        stages.take(|_| 700);
        assert_eq!(stages.next(), None);
        let rows: Vec<_> = stages.rows().iter().map(|row| (row.stage, row.flow, row.size.0)).collect();
        // The second flow does not send in the first stage; the third stops before the measured part of the second
        // begins.
        assert_eq!(rows, [(0, 0, 1_160), (0, 2, 200), (1, 0, 400), (1, 1, 700)]);
    }
}
