//! Programs outside netloom that take part in a run: they supply the operations of ranks, or balance load.
//!
//! Models: which program supplies which job; a program that fails, or cannot go on, ends the run.
//! Leaves out: the language of a program.
//!
//! Invariants: a run without the programs that its scenario needs is refused before it begins; a failure is a part of the
//! outcome that is stored. Every engine run of a scenario starts its programs anew.

use std::fmt;
use std::sync::{Arc, OnceLock};

use netloom_catalog::workload::Supply;
use netloom_model::{Model, Phase};
use netloom_scenario::hint;
use netloom_units::Time;

use crate::error::LabError;
use crate::prepare::Prepared;

/// A run of programs ends here, as one that is used step by step: 100 days.
const LONGEST: Time = Time(8_640_000_000_000_000_000);

/// The reason why a program could not go on; the first one counts.
#[derive(Debug, Default)]
pub struct Failure(OnceLock<String>);

impl Failure {
    /// Ends the run, for this reason.
    pub fn set(&self, reason: String) {
        // A later failure may follow from the first one.
        _ = self.0.set(reason);
    }

    /// The reason, if there is one.
    pub fn reason(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }
}

/// The program that supplies the operations of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobProgram {
    /// The name of the job.
    pub job: String,
    /// What it is, for the manifest.
    pub description: String,
}

/// What a program knows of the run when it starts.
#[derive(Debug)]
pub struct ProgramStart<'a> {
    /// The number of each job, in the order of [`Programs::jobs`].
    pub jobs: Vec<u16>,
    /// The scenario.
    pub model: &'a Model,
    /// The names of hosts, by number.
    pub hosts: &'a [String],
    /// Messages have fewer bytes than this: packets are counted in 32 bits.
    pub size_limit: u64,
}

/// Starts the programs of a run.
pub type StartPrograms = dyn Fn(&ProgramStart<'_>) -> Box<dyn Supply> + Send + Sync;

/// Programs that supply the operations of jobs.
#[derive(Clone)]
pub struct Programs {
    /// The jobs.
    pub jobs: Vec<JobProgram>,
    /// What else they do, in whole sentences, for the manifest.
    pub notes: Vec<String>,
    /// Starts them.
    pub start: Arc<StartPrograms>,
    /// Set by them when they fail.
    pub failure: Arc<Failure>,
}

impl fmt::Debug for Programs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Programs").field("jobs", &self.jobs).finish_non_exhaustive()
    }
}

/// A job and its programs do not fit each other.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// A job without the program that it needs.
    #[error(
        "the operations of job `{job}` come from a program (phase `program`), which is not in the scenario: run it from \
         Python, with `netloom.run(scenario, operations={{{job:?}: function}})`"
    )]
    Needed {
        /// The job.
        job: String,
    },
    /// A program for no job.
    #[error("there is no job `{job}` that a program can supply{}", .hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default())]
    NoJob {
        /// The name.
        job: String,
        /// A suggestion.
        hint: Option<String>,
    },
    /// A program for a job that has no phase for it.
    #[error("job `{job}` has a program, but no phase `program`: write `phases: [program]`")]
    NoPhase {
        /// The job.
        job: String,
    },
}

/// Whether a phase of a job is supplied by a program.
fn is_supplied(prepared: &Prepared, job: usize) -> bool {
    prepared.compiled.model.workload.jobs[job].phases.contains(&Phase::Program)
}

impl Prepared {
    /// Refuses a scenario that needs a program and has none.
    ///
    /// # Errors
    /// The first job without its program.
    pub fn check_programs(&self) -> Result<(), LabError> {
        let names = &self.compiled.job_names;
        let has = |name: &String| {
            self.programs.as_ref().is_some_and(|all| all.jobs.iter().any(|one| one.job == *name))
        };
        let needed = (0..names.len()).find(|&job| is_supplied(self, job) && !has(&names[job]));
        needed.map_or(Ok(()), |job| Err(ProgramError::Needed { job: names[job].clone() }.into()))
    }

    /// The same scenario with programs.
    ///
    /// # Errors
    /// If a program is for no job, or for one without a phase for it.
    pub fn with_programs(mut self, programs: Programs) -> Result<Prepared, LabError> {
        let names = &self.compiled.job_names;
        for JobProgram { job, .. } in &programs.jobs {
            match names.iter().position(|name| name == job) {
                Some(number) if is_supplied(&self, number) => {}
                Some(_) => return Err(ProgramError::NoPhase { job: job.clone() }.into()),
                None => {
                    let hint = hint(job, names.iter().map(String::as_str));
                    return Err(ProgramError::NoJob { job: job.clone(), hint }.into());
                }
            }
        }
        let notes = programs.jobs.iter().map(|JobProgram { job, description }| {
            format!("the operations of job `{job}` came from a program, which is not stored: {description}")
        });
        self.compiled.notes.extend(notes);
        self.compiled.notes.extend(programs.notes.iter().cloned());
        let deadline = &mut self.compiled.model.deadline;
        *deadline = Some(deadline.map_or(LONGEST, |deadline| deadline.min(LONGEST)));
        self.programs = Some(programs);
        Ok(self)
    }

    /// Starts the programs, if there are any.
    pub(crate) fn start_programs(&self) -> Option<Box<dyn Supply>> {
        let programs = self.programs.as_ref()?;
        let number = |wanted: &JobProgram| {
            let names = self.compiled.job_names.iter();
            names.zip(0_u16..).find(|(name, _)| **name == wanted.job).map(|(_, number)| number)
        };
        let model = &self.compiled.model;
        let packet = model.transport.packet.0.max(1);
        Some((programs.start)(&ProgramStart {
            jobs: programs.jobs.iter().filter_map(number).collect(),
            model,
            hosts: &self.compiled.node_names[..self.n_hosts() as usize],
            size_limit: packet.saturating_mul(u64::from(u32::MAX)),
        }))
    }

    /// Why a program could not go on, if one could not.
    pub(crate) fn failure(&self) -> Option<Arc<Failure>> {
        self.programs.as_ref().map(|programs| Arc::clone(&programs.failure))
    }
}
