//! Jobs, background traffic, staged and finite flows, expanded into operations during the run.
//!
//! Models: per job and rank the steps, phases, buckets and collectives of the model's description; per host the
//! background messages and the finite flows; per staged flow its messages.
//! Leaves out: time and the network; only the dependencies between operations are defined here.
//!
//! Invariants: actors are the ranks, job by job, then one per host that may send background traffic, then one per
//! staged flow, then one per host that sends finite flows. Memory depends on ranks, hosts, flows and the size of
//! programs, never on messages not yet started. Every tag of a job is used by one collective of one step of it.

mod arrangement;
pub mod background;
mod bursts;
pub mod collective;
mod communicators;
mod error;
mod finite;
mod pipeline;
mod program;
mod rank;
mod schedule;
mod staged;
mod stages;
mod supplied;
pub mod volume;

use std::collections::VecDeque;

use netloom_model::{Item, Job, Message, Work, Workload};
use netloom_units::{ActorId, Duration, HostId};

use arrangement::Arrangements;
use background::BackgroundWork;
use bursts::BurstDraws;
pub use collective::bucket;
pub use error::WorkloadError;
use finite::FiniteWork;
use program::Program;
use rank::Position;
use staged::StagedWork;
use supplied::Supplied;
pub use supplied::{RankOperation, RankPhase, Supply};

/// The work of a run, generated on demand.
#[derive(Debug)]
pub struct TrainingWork {
    actors: Vec<HostId>,
    programs: Vec<Program>,
    /// Job and position of each rank.
    ranks: Vec<(u16, Position)>,
    arrangements: Arrangements,
    supplied: Supplied,
    bursts: Vec<BurstDraws>,
    background: Option<BackgroundWork>,
    staged: Option<StagedWork>,
    /// The first actor that is a staged flow; actors before it that are no ranks are background traffic.
    first_staged: usize,
    finite: Option<FiniteWork>,
    /// The first actor that sends finite flows.
    first_finite: usize,
}

/// Compiles a workload for a fabric of this many hosts; the seed is that of the run.
///
/// # Errors
/// When it names hosts that do not exist or requests something impossible.
pub fn expand(workload: &Workload, n_hosts: usize, seed: u64) -> Result<TrainingWork, WorkloadError> {
    // The last job numbers denote messages that belong to no job.
    let limit = usize::from(Message::FIRST_OF_OTHERS);
    if workload.jobs.len() > limit {
        return Err(WorkloadError::TooMany { what: "jobs", count: workload.jobs.len(), limit });
    }
    let mut actors = Vec::new();
    let mut programs: Vec<Program> = Vec::new();
    let mut ranks = Vec::new();
    let mut first_tag = 0;
    for (number, job) in workload.jobs.iter().enumerate() {
        check_hosts(job, n_hosts)?;
        let program = Program::new(number, job, workload.hosts, (actors.len() as u32, first_tag))?;
        first_tag = program.end_of_tags().ok_or(WorkloadError::TooManyTags)?;
        actors.extend_from_slice(&job.ranks);
        ranks.extend((0..job.ranks.len()).map(|rank| (number as u16, Position::new(rank as u32, &program))));
        programs.push(program);
    }
    let background = match &workload.background {
        None => None,
        Some(background) => {
            actors.extend(background.senders.iter().map(|sender| sender.host));
            Some(BackgroundWork::new(background, n_hosts, seed)?)
        }
    };
    let first_staged = actors.len();
    let staged = match &workload.staged {
        None => None,
        Some(staged) => {
            actors.extend(staged.flows.iter().map(|flow| flow.source));
            Some(StagedWork::new(staged, n_hosts, first_staged as u32)?)
        }
    };
    let first_finite = actors.len();
    let finite = match &workload.finite {
        None => None,
        Some(flows) => {
            let made = FiniteWork::new(flows, n_hosts, first_finite as u32)?;
            actors.extend_from_slice(made.senders());
            Some(made)
        }
    };
    // Ranks of a job may be one bucket apart, so that two orders per collective are in use at a time; twice that is
    // kept.
    let in_use: usize = programs.iter().map(|program| program.most_orders).sum();
    let arrangements = Arrangements::new(seed, 4 * in_use.max(1));
    let draws =
        |(job, program): (usize, &Program)| BurstDraws::new(program.repetition.bursts, seed, job as u64);
    let bursts = programs.iter().enumerate().map(draws).collect();
    Ok(TrainingWork {
        actors,
        programs,
        ranks,
        arrangements,
        supplied: Supplied::default(),
        bursts,
        background,
        staged,
        first_staged,
        finite,
        first_finite,
    })
}

fn check_hosts(job: &Job, n_hosts: usize) -> Result<(), WorkloadError> {
    if let Some(&host) = job.ranks.iter().find(|host| host.index() >= n_hosts) {
        return Err(WorkloadError::NoSuchHost { host, n_hosts });
    }
    Ok(())
}

impl TrainingWork {
    /// The same work, whose phases of kind `program` have the operations that a program supplies; without one they have
    /// none.
    #[must_use]
    pub fn supplied_by(mut self, supply: Box<dyn Supply>) -> TrainingWork {
        self.supplied = Supplied::by(supply);
        self
    }
}

impl Work for TrainingWork {
    fn actors(&self) -> &[HostId] {
        &self.actors
    }

    fn barrier_size(&self, group: u32) -> u32 {
        self.programs[(group % Job::FIRST_STEP_BARRIER) as usize].n_ranks()
    }

    fn next_burst(&mut self, job: u16) -> Option<(Duration, Duration)> {
        self.bursts[usize::from(job)].next()
    }

    fn refill(&mut self, actor: ActorId, queue: &mut VecDeque<Item>) {
        if let Some((job, position)) = self.ranks.get_mut(actor.index()) {
            let sources = (&mut self.arrangements, &mut self.supplied);
            position.refill(&self.programs[usize::from(*job)], sources, queue);
        } else if let Some(sender) = actor.index().checked_sub(self.first_finite) {
            self.finite.as_mut().expect("it has these actors").refill(sender, queue);
        } else if let Some(flow) = actor.index().checked_sub(self.first_staged) {
            self.staged.as_mut().expect("it has these actors").refill(flow, queue);
        } else if let Some(background) = &mut self.background {
            background.refill(actor.index() - self.ranks.len(), queue);
        }
    }
}
