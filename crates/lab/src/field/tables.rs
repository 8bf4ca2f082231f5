//! Tables of a measured run: jobs, steps, collectives, means, and stages of streams.
//!
//! Models: iterations as steps of the victim, or of the job whose collectives are timed; rounds as steps of the
//! aggressor; received bytes of streams as stages.
//! Leaves out: everything that only a simulation can observe: messages, packets, ports.
//!
//! Invariants: the duration of an iteration is that of its slowest rank by its own clock, to the nanosecond; iterations
//! are consecutive and never overlap.

use netloom_engine::measure::{Estimate, estimate};
use netloom_model::{Model, Phase, WarmUp};
use netloom_records::{Batch, CollectiveRow, JobRow, MeasureRow, Sink, SinkError, StageRow, StepRow};
use netloom_units::{Bytes, Duration, Time};

use super::plan::FieldPlan;
use super::results::{Iteration, Results, Stretch};
use super::study::RunKind;
use super::translate::{AGGRESSOR, VICTIM};

/// Picoseconds of a nanosecond.
const PS: u64 = 1_000;

/// Rows by table.
#[derive(Debug, Default)]
pub(super) struct Tables {
    jobs: Vec<JobRow>,
    steps: Vec<StepRow>,
    collectives: Vec<CollectiveRow>,
    measures: Vec<MeasureRow>,
    stages: Vec<StageRow>,
    /// Mean time of an iteration, if any iteration counts.
    pub mean: Option<Estimate>,
    pub end: Time,
}

/// A step of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    start: Time,
    end: Time,
}

/// The input of the tables.
pub(super) struct Input<'a> {
    pub kind: RunKind,
    pub plan: &'a FieldPlan,
    pub results: &'a Results,
    pub model: &'a Model,
    /// Names of the model's jobs.
    pub jobs: &'a [String],
}

impl Tables {
    /// All tables of a run; `None` if its consecutive iterations last longer than a clock can count.
    pub fn of(input: &Input<'_>) -> Option<Tables> {
        let mut tables = Tables::default();
        match input.kind {
            RunKind::Baseline | RunKind::Congested => tables.add_interference(input)?,
            RunKind::Latency => tables.add_latency(input)?,
            RunKind::Streams => tables.add_streams(input),
        }
        tables.jobs.sort_by_key(|row| row.job);
        tables.steps.sort_by_key(|row| (row.end, row.job, row.step));
        tables.collectives.sort_by_key(|row| (row.end, row.job, row.step));
        Some(tables)
    }

    /// Passes them to a sink.
    pub fn push(&self, sink: &mut dyn Sink) -> Result<(), SinkError> {
        sink.accept(Batch::Jobs(&self.jobs))?;
        sink.accept(Batch::Steps(&self.steps))?;
        sink.accept(Batch::Collectives(&self.collectives))?;
        sink.accept(Batch::Measures(&self.measures))?;
        sink.accept(Batch::Stages(&self.stages))
    }

    fn add_interference(&mut self, input: &Input<'_>) -> Option<()> {
        let Some(victim) = input.job(VICTIM) else { return Some(()) };
        let segments = input.segments();
        let bytes = input.plan.sizes()[0];
        // The warm-up of the second baseline is left out; that of the first one stays, where readers expect it.
        let mut iterations: Vec<&Iteration> = Vec::new();
        for (index, &segment) in segments.iter().enumerate() {
            let n_left_out = if index == 0 { 0 } else { input.plan.segments[segment].warm_up as usize };
            iterations.extend(input.results.series(segment, bytes).iter().skip(n_left_out));
        }
        let steps = one_after_the_other(iterations.into_iter())?;
        let is_over = segments.len() == 1 && input.is_whole();
        self.add_job(input.model, victim, 0, &steps, is_over);
        self.add_measure(input, victim, &steps);
        if let Some(aggressor) = input.job(AGGRESSOR).filter(|_| input.kind == RunKind::Congested) {
            let rounds = input.results.rounds.iter().flat_map(|series| &series.rows);
            let steps: Vec<Step> = rounds.map(round).collect();
            self.add_job(input.model, aggressor, 0, &steps, false);
        }
        self.end = self.steps.iter().map(|row| row.end).max().unwrap_or(Time::ZERO);
        Some(())
    }

    /// The iterations of one size are steps; with several sizes each size is a phase, and the warm-ups are left out.
    fn add_latency(&mut self, input: &Input<'_>) -> Option<()> {
        const JOB: usize = 0;
        let sizes = input.plan.sizes();
        let n_left_out = if sizes.len() > 1 { input.plan.segments[0].warm_up as usize } else { 0 };
        let phases = &input.model.workload.jobs[JOB].phases;
        let timed = (0_u16..).zip(phases).filter(|(_, phase)| matches!(phase, Phase::Communicate { .. }));
        let mut all = Vec::new();
        for (&bytes, (phase, _)) in sizes.iter().zip(timed) {
            let series = input.results.series(0, bytes);
            let steps = one_after_the_other(series.iter().skip(n_left_out))?;
            self.add_collectives(input.model, JOB, phase, &steps);
            all.push(steps);
        }
        let ranks = input.model.workload.jobs[JOB].ranks.len() as u32;
        let start = all.iter().flatten().map(|step| step.start).min();
        let n_steps = all.iter().map(Vec::len).min().unwrap_or(0) as u32;
        self.jobs.push(JobRow { job: JOB as u16, ranks, start, end: None, steps: n_steps });
        if let [steps] = all.as_slice() {
            self.add_steps(JOB, steps);
            self.add_measure(input, JOB, steps);
        }
        self.end = all.iter().flatten().map(|step| step.end).max().unwrap_or(Time::ZERO);
        Some(())
    }

    /// Stages as the scenario defines them, in times of the machine.
    fn add_streams(&mut self, input: &Input<'_>) {
        let Some(staged) = &input.model.workload.staged else { return };
        let scale = input.time_scale();
        for (number, stage) in (0..).zip(&staged.stages) {
            let [start, measured_from, end] =
                [stage.start, stage.measured_from, stage.end].map(|time| Time(time.0 * scale));
            for (index, flow) in staged.flows.iter().enumerate().filter(|(_, flow)| stage.judges(flow)) {
                let stretches = input.results.streams.get(&index).map_or(&[][..], Vec::as_slice);
                let size = arrived(stretches, measured_from.0 / PS, end.0 / PS);
                let (source, destination) = (flow.source, flow.destination);
                let throughput = size as f64 * 8e12 / end.since(measured_from).0 as f64;
                let (size, flow) = (Bytes(size), index as u16);
                self.stages.push(StageRow {
                    stage: number,
                    start,
                    measured_from,
                    end,
                    flow,
                    source,
                    destination,
                    size,
                    throughput,
                });
            }
            self.end = self.end.max(end);
        }
    }

    fn add_job(&mut self, model: &Model, job: usize, phase: u16, steps: &[Step], is_over: bool) {
        let ranks = model.workload.jobs[job].ranks.len() as u32;
        let end = steps.last().map(|step| step.end).filter(|_| is_over);
        let start = steps.first().map(|step| step.start);
        self.jobs.push(JobRow { job: job as u16, ranks, start, end, steps: steps.len() as u32 });
        self.add_steps(job, steps);
        self.add_collectives(model, job, phase, steps);
    }

    fn add_steps(&mut self, job: usize, steps: &[Step]) {
        let row = |(step, &Step { start, end }): (u32, &Step)| StepRow { start, end, job: job as u16, step };
        self.steps.extend((0..).zip(steps).map(row));
    }

    fn add_collectives(&mut self, model: &Model, job: usize, phase: u16, steps: &[Step]) {
        let meant = &model.workload.jobs[job];
        let Some(Phase::Communicate { buckets, .. }) = meant.phases.get(usize::from(phase)) else { return };
        let [bucket] = buckets.as_slice() else { return };
        for (step, &Step { start, end }) in (0..).zip(steps) {
            let seconds = end.since(start).as_seconds();
            let rate = |bytes: Bytes| if seconds > 0.0 { bytes.0 as f64 / seconds } else { 0.0 };
            self.collectives.push(CollectiveRow {
                start,
                end,
                job: job as u16,
                step,
                phase,
                bucket: 0,
                ranks: meant.ranks.len() as u32,
                size: bucket.size,
                algbw: rate(bucket.size),
                busbw: rate(bucket.bus_bytes),
            });
        }
    }

    fn add_measure(&mut self, input: &Input<'_>, job: usize, steps: &[Step]) {
        let times: Vec<u64> = steps.iter().map(|step| step.end.since(step.start).0).collect();
        let warm_up = input.segments().first().map_or(0, |&segment| input.plan.segments[segment].warm_up);
        self.mean = estimate(&times, WarmUp { steps: warm_up, share: 0.0 });
        let Some(found) = self.mean else { return };
        let precision = input.model.workload.jobs[job].repetition.precision;
        self.measures.push(MeasureRow {
            job: job as u16,
            steps: found.steps as u32,
            warm_up: found.warm_up as u32,
            mean: Duration(found.mean.round() as u64),
            half_interval: found.half(),
            precise: precision.map(|precision| found.meets(&precision)),
        });
    }
}

impl Input<'_> {
    fn job(&self, name: &str) -> Option<usize> {
        self.jobs.iter().position(|job| job == name)
    }

    /// Indices of the segments that measure the run.
    pub fn segments(&self) -> Vec<usize> {
        let is_congested = self.kind == RunKind::Congested;
        let all = self.plan.segments.iter().enumerate();
        all.filter(|(_, segment)| segment.is_congested == is_congested).map(|(number, _)| number).collect()
    }

    /// Whether all iterations are present.
    pub fn is_whole(&self) -> bool {
        let sizes = self.plan.sizes();
        let has = |segment: usize, bytes: u64| {
            self.results.series(segment, bytes).len() as u64 >= self.plan.segments[segment].fewest()
        };
        self.results.missing.is_empty()
            && self.segments().iter().all(|&segment| sizes.iter().all(|&bytes| has(segment, bytes)))
    }

    /// Whether at least one iteration was measured.
    pub fn has_iterations(&self) -> bool {
        let sizes = self.plan.sizes();
        let mut segments = self.segments().into_iter();
        segments.any(|segment| sizes.iter().any(|&bytes| !self.results.series(segment, bytes).is_empty()))
    }

    /// Ratio of the machine's times to the scenario's.
    fn time_scale(&self) -> u64 {
        let staged = self.model.workload.staged.as_ref();
        let stops = staged.into_iter().flat_map(|staged| &staged.flows).zip(self.plan.streams());
        stops
            .map(|(flow, stream)| (stream.stop_ns * PS).div_ceil(flow.stop.0.max(1)))
            .min()
            .unwrap_or(1)
            .max(1)
    }
}

/// Steps of iterations: each begins with its first rank, but not before the previous one has ended. `None` if they last
/// longer than a clock can count.
fn one_after_the_other<'a>(iterations: impl Iterator<Item = &'a Iteration>) -> Option<Vec<Step>> {
    let mut steps: Vec<Step> = Vec::new();
    for iteration in iterations {
        let before = steps.last().map_or(Time::ZERO, |step| step.end);
        let start = before.max(Time(iteration.start * PS));
        let end = start.0.checked_add(iteration.longest * PS)?;
        steps.push(Step { start, end: Time(end) });
    }
    Some(steps)
}

/// A round, from its first rank's start to its last rank's end.
fn round(iteration: &Iteration) -> Step {
    Step { start: Time(iteration.start * PS), end: Time(iteration.end * PS) }
}

/// Bytes that arrived in a time span; those of an interval are spread evenly over it.
fn arrived(stretches: &[Stretch], from: u64, to: u64) -> u64 {
    let part = |stretch: &Stretch| {
        let overlap = stretch.end.min(to).saturating_sub(stretch.start.max(from));
        (u128::from(stretch.bytes) * u128::from(overlap) / u128::from((stretch.end - stretch.start).max(1)))
            as u64
    };
    stretches.iter().map(part).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_count_in_proportion_to_their_overlap() {
        let stretches =
            [Stretch { start: 0, end: 100, bytes: 1000 }, Stretch { start: 100, end: 200, bytes: 10 }];
        assert_eq!(arrived(&stretches, 50, 200), 510);
        assert_eq!(arrived(&stretches, 0, 100), 1000);
        assert_eq!(arrived(&stretches, 150, 180), 3);
        assert_eq!(arrived(&stretches, 300, 400), 0);
    }

    #[test]
    fn iterations_do_not_overlap() {
        let iteration = |start, longest| Iteration { start, end: start + longest, longest, reduce: 0 };
        let steps = one_after_the_other([iteration(10, 5), iteration(12, 3), iteration(30, 1)].iter());
        let steps = steps.expect("they are short");
        let times: Vec<(u64, u64)> = steps.iter().map(|step| (step.start.0 / PS, step.end.0 / PS)).collect();
        assert_eq!(times, [(10, 15), (15, 18), (30, 31)]);
    }
}
