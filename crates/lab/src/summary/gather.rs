//! Computes figures from a stream of rows: no table is held in memory.
//!
//! Invariants: memory grows with hosts, ports, phases, stages, steps of measured jobs, and queue pairs with spurious
//! timeouts, not with messages, other steps or collectives.

use std::collections::BTreeMap;

use netloom_model::Message;
use netloom_records::statistics::{HostPorts, PortShares, Sample, Slowdown, Span};
use netloom_records::{
    Batch, CollectiveRow, DropRow, FlowRow, JobLayout, JobRow, MeasureRow, Names, PortRow,
    SpuriousTimeoutRow, StepRow, TallyRow,
};
use netloom_units::{Duration, NodeId, Time};

use super::ReorderingSummary;
use super::statistics::Distribution;
use super::{
    BackgroundSummary, DropSummary, ExposedSummary, JobSummary, LinkSummary, MeasuredSummary, PeakSummary,
    PhaseSummary, QueueSummary, SpanSummary, Summary,
};
use super::{arbitration, causes, congestion, exposed, queue_pairs, staged, timeouts, traffic};

/// Facts about a run that its tables do not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Totals {
    /// Data packets created; absent if they were not counted.
    pub packets: Option<u64>,
    /// Packet-hops of packets of all kinds; absent if they were not counted.
    pub hops: Option<u64>,
    /// Simulated time.
    pub simulated: Time,
    /// Times of the scenario as a share of those of its source, if it states one.
    pub time_scale: Option<String>,
    /// The jobs that compute or have groups.
    pub layouts: Vec<JobLayout>,
}

/// Number of size buckets of slowdowns.
const SIZE_BUCKETS: u64 = 10;

/// Collects the data of a summary.
#[derive(Debug, Default)]
pub(crate) struct Gather {
    n_hosts: u32,
    /// The span of the run, and the bytes that ports sent within it; absent for the whole run, whose end is known only
    /// at last.
    part: Option<(Span, PortShares)>,
    jobs: Vec<JobRow>,
    steps: BTreeMap<u16, Sample>,
    /// Step times of measured jobs, in order: which of them are of the warm-up is known only at the end.
    measured_steps: BTreeMap<u16, Vec<Duration>>,
    measures: BTreeMap<u16, MeasureRow>,
    phases: BTreeMap<(u16, u16), PhaseTally>,
    background: Sample,
    slowdown: Slowdown,
    n_background: u64,
    /// Of these, finite flows.
    n_finite: u64,
    n_messages: u64,
    n_unfinished: u64,
    nodes: BTreeMap<NodeId, NodeTally>,
    ports: PortTally,
    drops: Vec<DropRow>,
    queue_pairs: queue_pairs::Tally,
    arbitration: arbitration::Tally,
    timeouts: Vec<SpuriousTimeoutRow>,
    staged: staged::Tally,
    traffic: traffic::Tally,
    congestion: congestion::Tally,
    exposed: exposed::Tally,
    causes: causes::Tally,
    reordering: ReorderingSummary,
}

#[derive(Debug, Default)]
struct PhaseTally {
    times: Sample,
    /// Their sum.
    seconds: f64,
    bytes: u128,
    on_bus: f64,
    busbw: f64,
}

/// The longest queues of a node's ports.
#[derive(Debug, Default, Clone, Copy)]
struct NodeTally {
    packets: u32,
    /// Number of ports that did not count packets.
    n_uncounted: u32,
    bytes: u64,
    /// Number of ports that did not count bytes either.
    n_unknown: u32,
}

#[derive(Debug, Default)]
struct PortTally {
    /// Bytes within the span.
    bytes: f64,
    bits_per_second: u128,
    /// Transmitting time of the busiest port within the span, in ps.
    busiest: f64,
}

impl Gather {
    /// Collects over the whole run.
    pub fn whole(n_hosts: u32, ports: HostPorts) -> Gather {
        Gather { n_hosts, queue_pairs: queue_pairs::Tally::new(n_hosts, ports), ..Gather::default() }
    }

    /// Collects over a part of it; samples of ports must be added before the ports.
    pub fn over(n_hosts: u32, ports: HostPorts, span: Span) -> Gather {
        let shares = PortShares::new(span.clone());
        Gather { part: Some((span, shares)), ..Gather::whole(n_hosts, ports) }
    }

    /// Expects measured steps of a job; done before its steps are added.
    pub fn expect_measured(&mut self, job: u16) {
        self.measured_steps.entry(job).or_default();
    }

    /// Adds rows of any table; measures of jobs must be added before their steps, or be expected.
    pub fn take(&mut self, batch: Batch<'_>) {
        match batch {
            Batch::Flows(rows) => {
                for row in rows {
                    self.flow(row);
                }
                self.causes.take_flows(rows);
            }
            Batch::Collectives(rows) => rows.iter().for_each(|row| self.collective(row)),
            Batch::Steps(rows) => rows.iter().for_each(|row| self.step(row)),
            Batch::Jobs(rows) => self.jobs.extend_from_slice(rows),
            Batch::Ports(rows) => rows.iter().for_each(|row| self.port(row)),
            Batch::Drops(rows) => self.drops.extend_from_slice(rows),
            Batch::Repairs(rows) => rows.iter().for_each(|row| self.queue_pairs.repair(row)),
            Batch::Signals(rows) => rows.iter().for_each(|row| self.queue_pairs.signal(row)),
            Batch::Rings(rows) => rows.iter().for_each(|row| self.queue_pairs.ring(row)),
            Batch::Spans(rows) => self.exposed.take(rows),
            Batch::Stages(rows) => self.staged.take(rows),
            Batch::Congestion(rows) => self.congestion.ports(rows),
            Batch::CongestedFlows(rows) => self.congestion.flows(rows),
            Batch::Traffic(rows) => rows.iter().for_each(|row| self.traffic.name(row)),
            Batch::Reordering(rows) => rows.iter().for_each(|row| self.reordering.take(row)),
            Batch::Causes(rows) => self.causes.take(rows),
            Batch::Measures(rows) => rows.iter().for_each(|row| self.measure(row)),
            Batch::Tallies(rows) => rows.iter().for_each(|row| self.tally(row)),
            Batch::Arbitration(rows) => rows.iter().for_each(|row| self.arbitration.port(row)),
            Batch::SpuriousTimeouts(rows) => self.timeouts.extend_from_slice(rows),
            Batch::Series(rows) => {
                if let Some((_, shares)) = &mut self.part {
                    for row in rows {
                        shares.take(row);
                    }
                }
            }
            Batch::Faults(_)
            | Batch::Events(_)
            | Batch::Packets(_)
            | Batch::Paths(_)
            | Batch::Rates(_)
            | Batch::Classes(_)
            | Batch::Cells(_) => {}
        }
    }

    fn flow(&mut self, row: &FlowRow) {
        self.n_messages += 1;
        self.n_unfinished += u64::from(row.end.is_none());
        self.queue_pairs.flow(row);
        let is_independent = matches!(row.job, Message::BACKGROUND | Message::FINITE);
        if is_independent && self.part.as_ref().is_some_and(|(span, _)| !span.has(row.start)) {
            return;
        }
        self.traffic.flow(row);
        if is_independent {
            self.n_background += 1;
            self.n_finite += u64::from(row.job == Message::FINITE);
            if let Some(end) = row.end {
                self.background.push(end.since(row.start).0);
            }
            self.slowdown.take(row);
        }
    }

    /// Adds messages that have no rows.
    fn tally(&mut self, row: &TallyRow) {
        self.n_messages += row.messages;
        self.queue_pairs.tally(row);
    }

    fn collective(&mut self, row: &CollectiveRow) {
        let tally = self.phases.entry((row.job, row.phase)).or_default();
        let time = row.end.since(row.start);
        tally.times.push(time.0);
        tally.seconds += time.as_seconds();
        tally.bytes += u128::from(row.size.0);
        tally.on_bus += row.busbw * time.as_seconds();
        tally.busbw += row.busbw;
    }

    fn step(&mut self, row: &StepRow) {
        let time = row.end.since(row.start);
        self.steps.entry(row.job).or_default().push(time.0);
        if let Some(times) = self.measured_steps.get_mut(&row.job) {
            times.push(time);
        }
    }

    fn measure(&mut self, row: &MeasureRow) {
        self.expect_measured(row.job);
        self.measures.insert(row.job, *row);
    }

    fn port(&mut self, row: &PortRow) {
        let node = self.nodes.entry(row.node).or_default();
        node.packets = node.packets.max(row.peak_packets.unwrap_or(0));
        node.n_uncounted += u32::from(row.peak_packets.is_none());
        node.bytes = node.bytes.max(row.peak_size.0.map_or(0, |size| size.0));
        node.n_unknown += u32::from(row.peak_size.0.is_none());
        let shares = self.part.as_ref().map(|(_, shares)| shares);
        self.ports.bytes += shares.map_or(row.size.0 as f64, |shares| shares.bytes(row));
        self.ports.bits_per_second += u128::from(row.rate.0);
        let busy = shares.map_or(row.busy.0 as f64, |shares| shares.busy(row));
        self.ports.busiest = self.ports.busiest.max(busy);
    }

    /// Number of steps finished so far.
    pub fn n_steps(&self) -> u64 {
        self.steps.values().map(Sample::count).sum()
    }

    /// Where packets were lost.
    pub fn drops(&self) -> &[DropRow] {
        &self.drops
    }

    /// The figures.
    pub fn finish(mut self, names: &Names, totals: Totals) -> Summary {
        let jobs = std::mem::take(&mut self.jobs);
        let exposed: BTreeMap<u16, ExposedSummary> =
            std::mem::take(&mut self.exposed).finish(&totals.layouts).into_iter().collect();
        let with_exposed =
            |found: JobSummary, job| JobSummary { exposed: exposed.get(job).cloned(), ..found };
        let jobs = jobs.iter().map(|row| with_exposed(self.job(row, &names.jobs), &row.job)).collect();
        let background = (self.n_background > 0).then(|| BackgroundSummary {
            messages: self.n_background,
            finite_flows: self.n_finite,
            fct: Distribution::of_sample(std::mem::take(&mut self.background)),
            slowdown: std::mem::take(&mut self.slowdown).finish(SIZE_BUCKETS),
        });
        let (span, shares) = self.part.take().unwrap_or_else(|| {
            let span = Span::whole(totals.simulated);
            (span.clone(), PortShares::new(span))
        });
        let length_s = shares.length() / 1e12;
        Summary {
            span: SpanSummary::of(&span, &shares),
            jobs,
            background,
            traffic: std::mem::take(&mut self.traffic).finish(names),
            flows: std::mem::take(&mut self.staged).finish(names, totals.time_scale),
            congestion: self.congestion.finish(names),
            messages: self.n_messages,
            unfinished: self.n_unfinished,
            queues: self.queues(),
            links: self.links(length_s),
            drops: self.drop_summary(),
            queue_pairs: std::mem::take(&mut self.queue_pairs).finish(),
            timeouts: timeouts::finish(std::mem::take(&mut self.timeouts), names),
            arbitration: self.arbitration.finish(names),
            causes: std::mem::take(&mut self.causes).finish(),
            reordering: self.reordering.finish(),
            packets: totals.packets,
            hops: totals.hops,
            simulated_s: totals.simulated.as_seconds(),
        }
    }

    fn job(&mut self, row: &JobRow, names: &[String]) -> JobSummary {
        let name = names.get(usize::from(row.job)).cloned();
        let first = (row.job, 0);
        let phases = self.phases.range(first..=(row.job, u16::MAX)).map(|(key, tally)| tally.finish(key.1));
        let measured_steps = self.measured_steps.get(&row.job);
        JobSummary {
            name: name.unwrap_or_else(|| format!("job{}", row.job)),
            ranks: row.ranks,
            steps: row.steps,
            time_s: row.start.zip(row.end).map(|(start, end)| end.since(start).as_seconds()),
            start_s: row.start.map(|start| start.since(Time::ZERO).as_seconds()),
            step: self.steps.get(&row.job).cloned().and_then(Distribution::of_sample),
            measured: self.measures.get(&row.job).map(|found| measured(found, measured_steps)),
            exposed: None,
            phases: phases.collect(),
        }
    }

    fn queues(&self) -> QueueSummary {
        let all: Vec<NodeTally> = self.nodes.values().copied().collect();
        // Hosts come first among the nodes, and nodes are in order here.
        let n_hosts = self.nodes.range(..NodeId(self.n_hosts)).count();
        let (hosts, switches) = all.split_at(n_hosts);
        QueueSummary { all: peaks(&all), hosts: peaks(hosts), switches: peaks(switches) }
    }

    fn links(&self, span_s: f64) -> LinkSummary {
        let capacity = self.ports.bits_per_second as f64 / 8.0 * span_s;
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        LinkSummary {
            utilization: share(self.ports.bytes, capacity),
            busiest: share(self.ports.busiest / 1e12, span_s),
        }
    }

    fn drop_summary(&self) -> DropSummary {
        let mut by_reason: BTreeMap<String, u64> = BTreeMap::new();
        for row in &self.drops {
            *by_reason.entry(row.reason.word().to_owned()).or_default() += row.packets;
        }
        DropSummary { packets: by_reason.values().sum(), by_reason }
    }
}

impl PhaseTally {
    fn finish(&self, phase: u16) -> PhaseSummary {
        let count = self.times.count() as f64;
        let over_time = |bytes: f64| if self.seconds > 0.0 { bytes / self.seconds } else { 0.0 };
        PhaseSummary {
            phase,
            time: Distribution::of_sample(self.times.clone()),
            algbw: over_time(self.bytes as f64),
            busbw: over_time(self.on_bus),
            mean_busbw: self.busbw / count,
        }
    }
}

fn measured(row: &MeasureRow, steps: Option<&Vec<Duration>>) -> MeasuredSummary {
    let mut counted = Sample::default();
    steps.into_iter().flatten().skip(row.warm_up as usize).for_each(|span| counted.push(span.0));
    let spread = counted.finish().filter(|taken| taken.count() > 1);
    MeasuredSummary {
        steps: row.steps,
        warm_up: row.warm_up,
        mean_s: row.mean.as_seconds(),
        deviation_s: spread.map(|taken| taken.deviation() / 1e12),
        half_interval_s: row.half_interval.map(Duration::as_seconds),
        precise: row.precise,
    }
}

fn peaks(nodes: &[NodeTally]) -> PeakSummary {
    let packets = || nodes.iter().map(|node| u64::from(node.packets));
    let is_known = nodes.iter().all(|node| node.n_unknown == 0);
    let counted = !nodes.is_empty() && nodes.iter().all(|node| node.n_uncounted == 0);
    PeakSummary {
        bytes: is_known.then(|| nodes.iter().map(|node| node.bytes).max().unwrap_or(0)),
        packets: packets().max().filter(|_| counted),
        node_mean_packets: counted.then(|| packets().sum::<u64>() as f64 / nodes.len() as f64),
    }
}
