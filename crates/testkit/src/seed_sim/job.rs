//! A job: steps of phases in strict sequence, each phase a computation or a sequence of buckets of flows.
//!
//! Models: a bucket ends when its last flow completes; the next one starts synchronously, at that instant.
//! Leaves out: concurrency of buckets or phases, gaps between steps, recovery after a lost packet (the job then never
//! ends).
//! Invariant: all flows of a bucket are scheduled when it starts, in order, each at its absolute start time or at once
//! if that is past.
//! Source: specification of the seed simulator, section 7.

use std::collections::BTreeMap;

use crate::reference::{ActorIdx, FlowIdx, Message, Network, NodeIdx};

/// A flow to be sent.
#[derive(Clone, Debug)]
pub(super) struct PlannedFlow {
    pub(super) src: NodeIdx,
    pub(super) dst: NodeIdx,
    pub(super) bytes: u64,
    /// Not before this time, in seconds from the start of the run.
    pub(super) start_s: f64,
}

/// Flows behind one barrier.
pub(super) type Bucket = Vec<PlannedFlow>;

/// One activity of a job.
pub(super) enum Work {
    Compute { ms: f64 },
    Communicate { buckets: Vec<Bucket> },
}

/// A named part of a step.
pub(super) struct Phase {
    pub(super) name: String,
    pub(super) work: Work,
}

impl Phase {
    pub(super) fn compute(name: impl Into<String>, ms: f64) -> Self {
        Phase { name: name.into(), work: Work::Compute { ms } }
    }

    pub(super) fn communicate(name: impl Into<String>, buckets: Vec<Bucket>) -> Self {
        Phase { name: name.into(), work: Work::Communicate { buckets } }
    }
}

/// When a job and its parts began and ended, in seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobTimes {
    /// The job's name.
    pub name: String,
    /// Begin of the first step.
    pub start_s: f64,
    /// End of the last step.
    pub end_s: Option<f64>,
    /// The finished steps.
    pub steps: Vec<StepTimes>,
}

/// When a step and its phases began and ended, in seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepTimes {
    /// Begin.
    pub start_s: f64,
    /// End.
    pub end_s: f64,
    /// Name, begin and end of each finished phase.
    pub phases: Vec<(String, f64, f64)>,
}

/// A running job.
pub(super) struct Job {
    actor: ActorIdx,
    mtu: u64,
    steps: Vec<Vec<Phase>>,
    state: State,
    phase_idx: usize,
    bucket_idx: usize,
    phase_start_s: f64,
    current: StepTimes,
    n_outstanding: usize,
    pub(super) times: JobTimes,
    /// Step and bucket of every flow it sent.
    pub(super) origins: BTreeMap<FlowIdx, (usize, usize)>,
}

#[derive(PartialEq, Eq)]
enum State {
    Idle,
    Running,
}

impl Job {
    pub(super) fn new(name: &str, actor: ActorIdx, mtu: u64, steps: Vec<Vec<Phase>>) -> Self {
        Job {
            actor,
            mtu,
            steps,
            state: State::Idle,
            phase_idx: 0,
            bucket_idx: 0,
            phase_start_s: 0.0,
            current: StepTimes::default(),
            n_outstanding: 0,
            times: JobTimes { name: name.into(), ..JobTimes::default() },
            origins: BTreeMap::new(),
        }
    }

    /// The start alarm, or the end of a computation.
    pub(super) fn wake(&mut self, network: &mut Network<'_>) {
        if self.state == State::Running {
            return self.end_phase(network);
        }
        self.state = State::Running;
        self.times.start_s = network.now();
        self.start_step(network);
    }

    /// One of its flows is complete.
    pub(super) fn completed(&mut self, network: &mut Network<'_>) {
        self.n_outstanding -= 1;
        if self.n_outstanding == 0 {
            self.bucket_idx += 1;
            self.start_bucket(network);
        }
    }

    fn start_step(&mut self, network: &mut Network<'_>) {
        let now = network.now();
        if self.times.steps.len() == self.steps.len() {
            self.times.end_s = Some(now);
            return;
        }
        self.current = StepTimes { start_s: now, ..StepTimes::default() };
        self.phase_idx = 0;
        self.start_phase(network);
    }

    fn start_phase(&mut self, network: &mut Network<'_>) {
        let step = &self.steps[self.times.steps.len()];
        if self.phase_idx == step.len() {
            self.current.end_s = network.now();
            self.times.steps.push(std::mem::take(&mut self.current));
            return self.start_step(network);
        }
        self.phase_start_s = network.now();
        match step[self.phase_idx].work {
            Work::Compute { ms } => network.wake_after(ms / 1000.0, self.actor),
            Work::Communicate { .. } => {
                self.bucket_idx = 0;
                self.start_bucket(network);
            }
        }
    }

    fn end_phase(&mut self, network: &mut Network<'_>) {
        let name = self.steps[self.times.steps.len()][self.phase_idx].name.clone();
        self.current.phases.push((name, self.phase_start_s, network.now()));
        self.phase_idx += 1;
        self.start_phase(network);
    }

    fn start_bucket(&mut self, network: &mut Network<'_>) {
        let step_idx = self.times.steps.len();
        let Work::Communicate { buckets } = &self.steps[step_idx][self.phase_idx].work else {
            unreachable!("only a communication phase has buckets");
        };
        let Some(bucket) = buckets.get(self.bucket_idx) else {
            return self.end_phase(network);
        };
        self.n_outstanding = bucket.len();
        let now = network.now();
        for planned in bucket {
            let PlannedFlow { src, dst, bytes, start_s } = *planned;
            let flow = network.announce(self.actor, Message { src, dst, bytes, mtu: self.mtu });
            self.origins.insert(flow, (step_idx, self.bucket_idx));
            network.inject_after((start_s - now).max(0.0), flow);
        }
    }
}
