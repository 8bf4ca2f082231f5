//! A table of all points of a sweep.
//!
//! Models: one row for each job of each point, then one for each stage of its staged flows; the varied settings and the
//! results as columns with unit and meaning; a point without either, or without a result, has one row.
//! Leaves out: wall time, which differs between equal sweeps.
//!
//! Invariants: rows are sorted by variant, seed, job and stage; the same points give the same bytes, independent of
//! when they were run.

use netloom_records::dataset::{Dataset, DatasetColumn, Values};

use super::keep::Keep;
use super::make::{Done, FailedPoint};
use super::plan::Plan;
use super::points::PointReport;
use crate::summary::{Distribution, JobSummary, PeakSummary, SizeBucket, StageSummary, Summary};

/// A job or a stage of a point, or a point that failed.
#[derive(Clone, Copy)]
struct Row<'a> {
    plan: &'a Plan,
    variant: usize,
    seed: u64,
    report: Option<&'a PointReport>,
    reason: Option<&'a str>,
    job: Option<&'a JobSummary>,
    stage: Option<&'a StageSummary>,
}

/// The outcome of a point without a result.
const FAILED: &str = "failed";

/// End of the names of columns with the values of ranges as numbers.
const IN_NUMBERS: &str = " (number)";

/// The values of a column, by type.
enum Fill {
    Text(fn(&Row<'_>) -> Option<String>),
    Whole(fn(&Row<'_>) -> Option<u64>),
    Real(fn(&Row<'_>) -> Option<f64>),
}

/// A column: name, unit, meaning, values.
type Entry = (&'static str, &'static str, &'static str, Fill);

const NAMES: &[Entry] = &[
    ("scenario", "name", "Name of the scenario.", Fill::Text(|row| Some(row.variant().scenario.clone()))),
    ("variant", "name", "Name of the variant.", Fill::Text(|row| Some(row.variant().name.clone()))),
];

const FIGURES: &[Entry] = &[
    ("seed", "number", "Seed of the run.", Fill::Whole(|row| Some(row.seed))),
    ("folder", "name", "Run folder, relative to the table; absent if none was kept.", Fill::Text(folder)),
    (
        "outcome",
        "word",
        "How the run ended: `complete` if all work was done, `failed` if it has no result.",
        Fill::Text(|row| Some(row.outcome())),
    ),
    ("reason", "text", "Why a point has no result.", Fill::Text(|row| row.reason.map(str::to_owned))),
    ("digest", "name", "Digest of the run.", Fill::Text(|row| Some(row.report?.digest.to_string()))),
    ("job", "name", "Name of the job.", Fill::Text(|row| Some(row.job?.name.clone()))),
    ("ranks", "ranks", "Ranks of the job.", Fill::Whole(|row| Some(u64::from(row.job?.ranks)))),
    ("steps", "steps", "Steps finished by all ranks.", Fill::Whole(|row| Some(u64::from(row.job?.steps)))),
    ("step_mean", "s", "Mean step time of the job.", Fill::Real(|row| Some(row.step()?.mean_s))),
    ("step_p50", "s", "Median step time of the job.", Fill::Real(|row| Some(row.step()?.p50_s))),
    ("step_p95", "s", "95th percentile of its step times.", Fill::Real(|row| Some(row.step()?.p95_s))),
    ("step_p99", "s", "99th percentile of its step times.", Fill::Real(|row| Some(row.step()?.p99_s))),
    ("step_maximum", "s", "Longest step of the job.", Fill::Real(|row| Some(row.step()?.maximum_s))),
    (
        "measured_mean",
        "s",
        "Mean step time after the warm-up, of jobs that are measured.",
        Fill::Real(|row| Some(row.job?.measured?.mean_s)),
    ),
    (
        "measured_half_interval",
        "s",
        "Half of its 95 % confidence interval, by batch means.",
        Fill::Real(|row| row.job?.measured?.half_interval_s),
    ),
    (
        "measured_deviation",
        "s",
        "Standard deviation of the steps in this mean.",
        Fill::Real(|row| row.job?.measured?.deviation_s),
    ),
    (
        "measured_steps",
        "steps",
        "Number of steps in this mean.",
        Fill::Whole(|row| Some(u64::from(row.job?.measured?.steps))),
    ),
    (
        "warm_up",
        "steps",
        "Number of warm-up steps before these, which do not count.",
        Fill::Whole(|row| Some(u64::from(row.job?.measured?.warm_up))),
    ),
    (
        "job_time",
        "s",
        "First rank's start to last rank's end; absent if unfinished.",
        Fill::Real(|row| row.job?.time_s),
    ),
    (
        "stage",
        "number",
        "Stage of the staged flows, from 0.",
        Fill::Whole(|row| Some(u64::from(row.stage?.stage))),
    ),
    (
        "stage_sum",
        "bit/s",
        "Sum of the throughputs of its flows.",
        Fill::Real(|row| Some(row.stage?.sum_bps)),
    ),
    ("stage_jain", "index", "Jain's index of these throughputs.", Fill::Real(|row| row.stage?.jain)),
    (
        "stage_variance",
        "(bit/s)^2",
        "Variance of these throughputs.",
        Fill::Real(|row| Some(row.stage?.variance_bps2)),
    ),
    (
        "fct_count",
        "messages",
        "Background messages of the span that arrived.",
        Fill::Whole(|row| Some(row.fct()?.count)),
    ),
    (
        "fct_mean",
        "s",
        "Mean completion time of background messages that started within the span.",
        Fill::Real(|row| Some(row.fct()?.mean_s)),
    ),
    ("fct_p50", "s", "Median of these times.", Fill::Real(|row| Some(row.fct()?.p50_s))),
    ("fct_p95", "s", "95th percentile of these times.", Fill::Real(|row| Some(row.fct()?.p95_s))),
    ("fct_p99", "s", "99th percentile of these times.", Fill::Real(|row| Some(row.fct()?.p99_s))),
    (
        "slowdown_mean",
        "ratio",
        "Mean FCT slowdown of background messages: their completion time over that in an empty network.",
        Fill::Real(|row| Some(row.slowdown()?.mean)),
    ),
    ("slowdown_p50", "ratio", "Median of these slowdowns.", Fill::Real(|row| Some(row.slowdown()?.p50))),
    (
        "slowdown_p95",
        "ratio",
        "95th percentile of these slowdowns.",
        Fill::Real(|row| Some(row.slowdown()?.p95)),
    ),
    (
        "slowdown_p99",
        "ratio",
        "99th percentile of these slowdowns.",
        Fill::Real(|row| Some(row.slowdown()?.p99)),
    ),
    ("peak_hosts", "B", "Longest queue at a host.", Fill::Whole(|row| row.hosts()?.bytes)),
    ("peak_switches", "B", "Longest queue at a switch.", Fill::Whole(|row| row.switches()?.bytes)),
    (
        "peak_packets_hosts",
        "packets",
        "Longest queue at a host; absent unless counted.",
        Fill::Whole(|row| row.hosts()?.packets),
    ),
    (
        "peak_packets_switches",
        "packets",
        "Longest queue at a switch; absent unless counted.",
        Fill::Whole(|row| row.switches()?.packets),
    ),
    (
        "utilization",
        "share",
        "Bytes sent within the span over the capacity of all links in that time.",
        Fill::Real(|row| Some(row.run()?.links.utilization)),
    ),
    (
        "busiest",
        "share",
        "Share of the span in which the busiest direction of a link was transmitting.",
        Fill::Real(|row| Some(row.run()?.links.busiest)),
    ),
    (
        "dropped",
        "packets",
        "Packets lost in the whole run.",
        Fill::Whole(|row| Some(row.run()?.drops.packets)),
    ),
    (
        "messages",
        "messages",
        "Messages that started in the whole run.",
        Fill::Whole(|row| Some(row.run()?.messages)),
    ),
    (
        "unfinished",
        "messages",
        "Those of them that did not arrive.",
        Fill::Whole(|row| Some(row.run()?.unfinished)),
    ),
    ("packets", "packets", "Data packets of the whole run.", Fill::Whole(|row| row.run()?.packets)),
    (
        "hops",
        "links",
        "Packet-hops: links crossed by all packets of the run.",
        Fill::Whole(|row| row.run()?.hops),
    ),
    ("simulated", "s", "Simulated time.", Fill::Real(|row| Some(row.run()?.simulated_s))),
    (
        "span",
        "word",
        "The part of the run over which background messages and links are reported: `jobs`, while a job runs; `all`; \
         or an interval.",
        Fill::Text(|row| Some(row.run()?.span.over.clone())),
    ),
    ("span_length", "s", "Length of that part.", Fill::Real(|row| Some(row.run()?.span.length_s))),
];

impl<'a> Row<'a> {
    fn variant(&self) -> &'a super::Variant {
        &self.plan.variants[self.variant]
    }

    fn run(&self) -> Option<&'a Summary> {
        Some(&self.report?.summary)
    }

    fn outcome(&self) -> String {
        let word = self.report.and_then(|report| serde_json::to_value(report.outcome.status).ok());
        word.and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_else(|| FAILED.to_owned())
    }

    fn step(&self) -> Option<Distribution> {
        self.job?.step
    }

    fn fct(&self) -> Option<Distribution> {
        self.run()?.background.as_ref()?.fct
    }

    fn slowdown(&self) -> Option<SizeBucket> {
        Some(self.run()?.background.as_ref()?.slowdown.as_ref()?.all)
    }

    fn hosts(&self) -> Option<PeakSummary> {
        Some(self.run()?.queues.hosts)
    }

    fn switches(&self) -> Option<PeakSummary> {
        Some(self.run()?.queues.switches)
    }
}

/// The run folder of a point, relative to that of the sweep.
fn folder(row: &Row<'_>) -> Option<String> {
    row.report.filter(|_| row.plan.keep != Keep::Summary)?;
    Some(row.variant().point_folder(row.seed).to_string_lossy().replace('\\', "/"))
}

/// The table.
pub(super) fn dataset(plan: &Plan, done: &[Done], failed: &[FailedPoint]) -> Dataset {
    let mut rows: Vec<Row<'_>> = done.iter().flat_map(|point| of_point(plan, point)).collect();
    rows.extend(failed.iter().map(|point| Row {
        plan,
        variant: point.variant,
        seed: point.seed,
        report: None,
        reason: Some(&point.reason),
        job: None,
        stage: None,
    }));
    rows.sort_by_key(|row| (row.variant, row.seed));
    let mut columns: Vec<DatasetColumn> = NAMES.iter().map(|entry| column(entry, &rows)).collect();
    columns.extend(plan.vary.iter().enumerate().map(|(number, variation)| DatasetColumn {
        name: variation.path.clone(),
        unit: "word".to_owned(),
        meaning: format!("Value of `{}` of the scenario in this variant, as given.", variation.path),
        values: Values::Text(rows.iter().map(|row| row.variant().values.get(number).cloned()).collect()),
    }));
    columns.extend(plan.vary.iter().enumerate().filter_map(|(number, variation)| {
        let range = variation.range()?;
        let value = |row: &Row<'_>| Some(range.number(row.variant().values.get(number)?));
        Some(DatasetColumn {
            name: format!("{}{IN_NUMBERS}", variation.path),
            unit: range.unit().to_owned(),
            meaning: format!("The same value of `{}` as a number.", variation.path),
            values: Values::Real(rows.iter().map(value).collect()),
        })
    }));
    columns.extend(FIGURES.iter().map(|entry| column(entry, &rows)));
    Dataset {
        name: "points".to_owned(),
        meaning: "One job or stage of one run of the sweep; sorted by variant, seed, job, stage.".to_owned(),
        columns,
    }
}

fn of_point<'a>(plan: &'a Plan, point: &'a Done) -> Vec<Row<'a>> {
    let (report, summary) = (Some(&point.report), &point.report.summary);
    let (variant, seed) = (point.variant, point.report.seed);
    let row = |job, stage| Row { plan, variant, seed, report, reason: None, job, stage };
    let stages = summary.flows.iter().flat_map(|flows| &flows.stages);
    let jobs = summary.jobs.iter().map(|job| row(Some(job), None));
    let rows: Vec<Row<'a>> = jobs.chain(stages.map(|stage| row(None, Some(stage)))).collect();
    if rows.is_empty() { vec![row(None, None)] } else { rows }
}

fn column((name, unit, meaning, fill): &Entry, rows: &[Row<'_>]) -> DatasetColumn {
    let values = match fill {
        Fill::Text(read) => Values::Text(rows.iter().map(read).collect()),
        Fill::Whole(read) => Values::Whole(rows.iter().map(read).collect()),
        Fill::Real(read) => Values::Real(rows.iter().map(read).collect()),
    };
    DatasetColumn {
        name: (*name).to_owned(),
        unit: (*unit).to_owned(),
        meaning: (*meaning).to_owned(),
        values,
    }
}
