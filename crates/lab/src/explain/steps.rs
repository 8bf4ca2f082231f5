//! What every step of a run waited for, from the recorded causes of its messages, without a second run.
//!
//! Models: tables `flows` and `causes` read side by side, both in the order in which messages arrived; the chain of
//! each step when all messages up to its end have been read.
//! Leaves out: who was ahead in the queues; steps that were not completed, or of whose chain a message has no recorded
//! causes.
//!
//! Invariants: the causes of a step add up to its length, to the picosecond. Memory is that of the messages of the
//! steps that overlap.

use std::collections::BTreeMap;
use std::path::Path;

use netloom_records::{CauseRow, FlowRow, ReadError, RunFolder, StepRow, Table};
use netloom_units::Time;

use super::chain::{Barriers, Chain};
use super::parts::{Key, key};
use super::sums::{Sites, Sums};
use super::{Cause, ExplainError, error};
use crate::error::LabError;
use crate::export::alone::scenario_of;
use crate::prepare::Prepared;

/// Most sites that are named.
const MOST_SITES: usize = 8;

/// What the steps of a job waited for.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedJob {
    /// Its number.
    pub job: u16,
    /// Its name.
    pub name: String,
    /// Its completed steps, by end.
    pub steps: Vec<ExplainedStep>,
    /// Where these waited, summed over all steps; the largest sum first.
    pub sites: Vec<Cause>,
}

/// What a step waited for.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedStep {
    /// Its begin, its end, its job and its number.
    pub row: StepRow,
    /// The causes with their times, which add up to its length; the largest first.
    pub causes: Vec<Cause>,
}

impl ExplainedStep {
    /// Its length in seconds.
    pub fn time_s(&self) -> f64 {
        self.row.end.since(self.row.start).as_seconds()
    }
}

impl ExplainedJob {
    /// The causes with their means over all steps; the largest first.
    pub fn means(&self) -> Vec<Cause> {
        let mut means: BTreeMap<&str, f64> = BTreeMap::new();
        for cause in self.steps.iter().flat_map(|step| &step.causes) {
            *means.entry(&cause.name).or_default() += cause.time_s / self.steps.len() as f64;
        }
        let cause = |(name, time_s): (&str, f64)| Cause { name: name.to_owned(), time_s };
        let mut causes: Vec<Cause> = means.into_iter().map(cause).collect();
        causes.sort_by(|one, other| other.time_s.total_cmp(&one.time_s));
        causes
    }
}

/// What every completed step of a run waited for, job by job, as far as causes were recorded; `None` if those of no step
/// were.
///
/// # Errors
/// If the folder cannot be read, or its scenario cannot be prepared again.
pub fn explain_steps(folder: &Path) -> Result<Option<Vec<ExplainedJob>>, LabError> {
    let folder = RunFolder::open(folder)?;
    let has = |table: Table| folder.manifest().tables.contains_key(table.name());
    if ![Table::Causes, Table::Steps, Table::Flows].into_iter().all(has) {
        return Ok(None);
    }
    let mut steps = Vec::new();
    for block in folder.rows::<StepRow>()? {
        steps.extend(block?);
    }
    let mut causes = one_by_one(folder.rows::<CauseRow>()?);
    let mut next = causes.next().transpose()?;
    if steps.is_empty() || next.is_none() {
        return Ok(None);
    }
    error::check(&folder)?;
    let prepared = scenario_of(&folder)?;
    let mut open = OpenSteps::new(&prepared, steps);
    for block in folder.rows::<FlowRow>()? {
        for flow in block? {
            let Some(end) = flow.end else { continue };
            let order = (end, flow.destination, flow.source, flow.number);
            while next.is_some_and(|row| row.order() < order) {
                next = causes.next().transpose()?;
            }
            open.add(flow, next.filter(|row| row.order() == order), end);
        }
    }
    let jobs = open.finish();
    Ok((!jobs.is_empty()).then_some(jobs))
}

/// As [`explain_steps`], of all jobs or of one by its name.
///
/// # Errors
/// As there; also if the run has no recorded causes, or no such job.
pub fn explain_all(folder: &Path, job: Option<&str>) -> Result<Vec<ExplainedJob>, LabError> {
    let mut jobs = explain_steps(folder)?.ok_or_else(|| ExplainError::NoCauses(folder.to_owned()))?;
    let known = || jobs.iter().map(|job| job.name.clone()).collect();
    if job.is_some_and(|name| jobs.iter().all(|job| job.name != name)) {
        return Err(ExplainError::NoJob { path: folder.to_owned(), known: known() }.into());
    }
    jobs.retain(|found| job.is_none_or(|job| found.name == job));
    Ok(jobs)
}

/// Rows one by one.
fn one_by_one<R>(
    blocks: impl Iterator<Item = Result<Vec<R>, ReadError>>,
) -> impl Iterator<Item = Result<R, ReadError>> {
    blocks.flat_map(|block| {
        let (rows, error) = match block {
            Ok(rows) => (rows, None),
            Err(error) => (Vec::new(), Some(Err(error))),
        };
        rows.into_iter().map(Ok).chain(error)
    })
}

/// The steps of the jobs whose end has not been reached yet, with the messages that arrived during them.
struct OpenSteps<'a> {
    prepared: &'a Prepared,
    jobs: BTreeMap<u16, OpenJob>,
}

/// A job in the course of reading.
#[derive(Default)]
struct OpenJob {
    /// The steps that are not explained yet, by end, the next one last; each with the earliest begin of those up to it.
    steps: Vec<(StepRow, Time)>,
    /// Those that are.
    explained: Vec<ExplainedStep>,
    sites: Sites,
    /// The earliest begin of these.
    begin: Time,
    /// The messages that arrived since then.
    flows: Vec<FlowRow>,
    causes: BTreeMap<Key, CauseRow>,
}

impl<'a> OpenSteps<'a> {
    fn new(prepared: &'a Prepared, steps: Vec<StepRow>) -> OpenSteps<'a> {
        let mut jobs: BTreeMap<u16, OpenJob> = BTreeMap::new();
        for row in steps {
            jobs.entry(row.job).or_default().steps.push((row, row.start));
        }
        for job in jobs.values_mut() {
            job.steps.sort_by_key(|(row, _)| std::cmp::Reverse((row.end, row.step)));
            let mut earliest = Time::NEVER;
            for (row, begin) in &mut job.steps {
                earliest = earliest.min(row.start);
                *begin = earliest;
            }
            job.begin = earliest;
        }
        OpenSteps { prepared, jobs }
    }

    /// Adds a message, in the order of arrivals.
    fn add(&mut self, flow: FlowRow, causes: Option<CauseRow>, end: Time) {
        let Some(job) = self.jobs.get_mut(&flow.job) else { return };
        while let Some((row, _)) = job.steps.pop_if(|(row, _)| row.end < end) {
            job.explain(row, self.prepared);
            job.forget();
        }
        if !job.steps.is_empty() && end > job.begin {
            job.flows.push(flow);
            job.causes.extend(causes.map(|causes| (key(&flow), causes)));
        }
    }

    fn finish(self) -> Vec<ExplainedJob> {
        let OpenSteps { prepared, jobs } = self;
        let finish = |(number, mut job): (u16, OpenJob)| {
            while let Some((row, _)) = job.steps.pop() {
                job.explain(row, prepared);
            }
            let name = prepared.compiled.job_names.get(usize::from(number)).cloned().unwrap_or_default();
            let sites = job.sites.largest(MOST_SITES, prepared);
            ExplainedJob { job: number, name, steps: job.explained, sites }
        };
        jobs.into_iter().map(finish).filter(|job| !job.steps.is_empty()).collect()
    }
}

impl OpenJob {
    /// Forgets the messages that arrived before the begin of all steps that are left.
    fn forget(&mut self) {
        let begin = self.steps.last().map_or(Time::NEVER, |(_, begin)| *begin);
        if begin > self.begin {
            self.begin = begin;
            let causes = &mut self.causes;
            self.flows.retain(|flow| {
                let is_needed = flow.end.is_some_and(|end| end > begin);
                if !is_needed {
                    causes.remove(&key(flow));
                }
                is_needed
            });
        }
    }

    fn explain(&mut self, row: StepRow, prepared: &Prepared) {
        let chain = Chain::of(&row, &self.flows, &Barriers::of(prepared, row.job));
        let causes = chain.members.iter().map(|member| self.causes.get(&key(&member.row)));
        let Some(causes) = causes.collect::<Option<Vec<_>>>() else { return };
        let mut sums = Sums::new(prepared);
        sums.add_chain(&chain);
        for causes in causes {
            sums.add_message(causes, causes.waits().map(|(port, wait)| (port, wait.0)));
            self.sites.add_message(causes);
        }
        self.explained.push(ExplainedStep { row, causes: sums.finish() });
    }
}
