//! Jobs on the timeline: one process per job, with a track of its steps and one of its collectives.
//!
//! Models: tables `jobs`, `steps` and `collectives`.
//! Leaves out: the activity of single ranks (`ranks`).
//!
//! Invariants: a slice is a row; steps of one job that overlap, since its ranks need not wait for each other, are on
//! parallel tracks, as are collectives.

use std::collections::BTreeMap;

use netloom_model::{Phase, Workload};
use netloom_records::{CollectiveRow, JobRow, StepRow};

use super::lanes::Lanes;
use super::trace::{Process, Slice, Trace, number, real};
use crate::error::LabError;
use crate::export::{ExportError, alone};
use crate::show::Recorded;
use crate::words;

/// The jobs of a run.
pub struct Jobs {
    jobs: BTreeMap<u16, Job>,
}

/// A job and its tracks.
struct Job {
    process: Process,
    steps: Lanes,
    collectives: Lanes,
}

impl Jobs {
    /// A process for each job of a run.
    ///
    /// # Errors
    /// If a table cannot be read.
    pub fn of(run: &Recorded, trace: &mut Trace) -> Result<Jobs, LabError> {
        let mut jobs = Jobs { jobs: BTreeMap::new() };
        for rows in run.folder.rows::<JobRow>()? {
            for row in rows? {
                let ranks = words::some(u64::from(row.ranks), "rank");
                let name = format!("job {} ({ranks})", run.names.job(row.job));
                jobs.jobs.insert(row.job, Job::new(trace.process(name)));
            }
        }
        Ok(jobs)
    }

    /// The process of a job; a job that table `jobs` does not have gets one, too.
    pub fn process(&mut self, job: u16, trace: &mut Trace) -> Process {
        self.job(job, trace).process
    }

    fn job(&mut self, job: u16, trace: &mut Trace) -> &mut Job {
        self.jobs.entry(job).or_insert_with(|| Job::new(trace.process(format!("job {job}"))))
    }

    /// Adds the steps.
    ///
    /// # Errors
    /// If the table cannot be read, or the operating system reports an error.
    pub fn add_steps(&mut self, run: &Recorded, trace: &mut Trace) -> Result<(), LabError> {
        for rows in run.folder.rows::<StepRow>()? {
            for row in rows? {
                let slice = Slice {
                    name: format!("step {}", row.step),
                    start: row.start,
                    end: Some(row.end),
                    about: vec![number("step", row.step)],
                };
                self.job(row.job, trace).steps.slice(trace, slice)?;
            }
        }
        Ok(())
    }

    /// Adds the collectives, with their names in the scenario.
    ///
    /// # Errors
    /// If the table cannot be read, the scenario lacks one of them, or the operating system reports an error.
    pub fn add_collectives(
        &mut self,
        run: &Recorded,
        workload: &Workload,
        trace: &mut Trace,
    ) -> Result<(), LabError> {
        for rows in run.folder.rows::<CollectiveRow>()? {
            for row in rows? {
                let name = collective(workload, row.job, row.phase, row.bucket).ok_or(
                    ExportError::StrangeCollective { job: row.job, step: row.step, phase: row.phase },
                )?;
                let slice = Slice { name, start: row.start, end: Some(row.end), about: about(&row) };
                self.job(row.job, trace).collectives.slice(trace, slice)?;
            }
        }
        Ok(())
    }
}

impl Job {
    fn new(process: Process) -> Job {
        let below = |name| Lanes::new(Some(process.track), name);
        Job { process, steps: below("steps"), collectives: below("collectives") }
    }
}

/// The names of the collectives of a bucket in the scenario.
pub fn collective(workload: &Workload, job: u16, phase: u16, bucket: u16) -> Option<String> {
    let job = workload.jobs.get(usize::from(job))?;
    let Phase::Communicate { buckets, .. } = job.phases.get(usize::from(phase))? else {
        return None;
    };
    let collectives = &buckets.get(usize::from(bucket))?.collectives;
    let names: Option<Vec<&str>> =
        collectives.iter().map(|collective| alone::name(collective.algorithm)).collect();
    Some(names?.join(" + "))
}

fn about(row: &CollectiveRow) -> Vec<super::schema::DebugAnnotation> {
    vec![
        number("step", row.step),
        number("phase", row.phase),
        number("bucket", row.bucket),
        number("ranks", row.ranks),
        number("size_bytes", row.size.0),
        real("algbw_bytes_per_second", row.algbw),
        real("busbw_bytes_per_second", row.busbw),
    ]
}
