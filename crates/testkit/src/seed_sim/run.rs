//! One run of the seed simulator, from configuration to results.
//!
//! Models: the order of setup, which decides ties: links, failures, then the first tick of the mice, then the start of
//! each job.
//! Leaves out: logs, and reading files.
//! Source: specification of the seed simulator, sections 7, 11 and 12.

use super::config::{Config, RoutingMode, Scenario, Topology};
use super::job::{Job, JobTimes, Phase};
use super::mice::{Mice, MiceSource};
use super::ring::RingOrder;
use super::statistics::Statistics;
use super::topology::{Port, ScalableUnit};
use super::{dp_heavy, mixed};
use crate::reference::{
    ActorIdx, AdaptiveTwister, Application, Choice, EcmpHash, FlowIdx, Network, NodeIdx, Twister,
};

/// The mice are the first actor; jobs follow.
const MICE: ActorIdx = 0;

/// The results of a run.
pub struct SeedRun {
    /// The fabric, with its failures.
    pub unit: ScalableUnit,
    /// Every flow, in the order of injection.
    pub flows: Vec<Flow>,
    /// Every port, node by node.
    pub ports: Vec<Port>,
    /// Bytes over each link, both directions together.
    pub link_bytes: Vec<u64>,
    /// Seconds each link spent sending, both directions together.
    pub link_busy_s: Vec<f64>,
    /// When each job and its parts began and ended.
    pub jobs: Vec<JobTimes>,
    /// The report of the simulator at its end.
    pub statistics: Statistics,
}

/// One flow of a run.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The name of its job, or `mice`.
    pub job: String,
    /// Step and bucket, for a job's flow.
    pub origin: Option<(usize, usize)>,
    /// Sending host.
    pub src: NodeIdx,
    /// Receiving host.
    pub dst: NodeIdx,
    /// Size, in bytes.
    pub bytes: u64,
    /// When it was injected, in seconds.
    pub injected_at: f64,
    /// When it was complete, in seconds.
    pub completed_at: Option<f64>,
}

/// Runs a configuration with recorded rings; `seed` is for failures and for ties.
pub fn simulate(config: &Config, rings: &[RingOrder], seed: u32) -> SeedRun {
    let mut twister = Twister::new(seed);
    let unit = ScalableUnit::new(&config.topology, &mut twister);
    let mut choice = choice_of(&config.topology, &unit, twister);
    let mut network = Network::new(&unit.fabric, choice.as_mut(), config.topology.ttl);
    let mut workload = Workload::new(config, rings, &unit);
    workload.install(config, &mut network);
    let end_s = network.run(&mut workload);
    let mice_s = workload.mice.as_ref().map(|mice| mice.summary_s.as_slice());
    let jobs: Vec<_> = workload.jobs.iter().map(|job| job.times.clone()).collect();
    let statistics = Statistics::new(&unit, &network, end_s, &jobs, mice_s);
    let flows = network.injected().iter().map(|&flow| workload.describe(&network, flow)).collect();
    let ports = unit.list_ports(&network.port_peaks());
    let (link_bytes, link_busy_s) = (network.link_bytes().to_vec(), network.link_busy_s().to_vec());
    drop(workload);
    SeedRun { unit, flows, ports, link_bytes, link_busy_s, jobs, statistics }
}

fn choice_of(topology: &Topology, unit: &ScalableUnit, twister: Twister) -> Box<dyn Choice> {
    let routing = &topology.routing;
    match routing.mode {
        RoutingMode::Ecmp => Box::new(EcmpHash::new(unit.addresses.clone(), routing.ecmp_flowlet_n_packets)),
        RoutingMode::Adaptive => Box::new(AdaptiveTwister::new(twister)),
    }
}

/// Mice and jobs, as one application.
struct Workload<'a> {
    mice: Option<Mice<'a>>,
    jobs: Vec<Job>,
}

impl<'a> Workload<'a> {
    fn new(config: &'a Config, rings: &[RingOrder], unit: &'a ScalableUnit) -> Self {
        let mtu = config.topology.mtu;
        let source = config.scenario.mice().map(|mice| MiceSource::new(mice, unit));
        let mice = source.map(|source| Mice::new(MICE, mtu, source));
        let plans = plans(&config.scenario, rings, unit).into_iter().enumerate();
        let jobs =
            plans.map(|(number, (name, steps))| Job::new(name, MICE + 1 + number, mtu, steps)).collect();
        Workload { mice, jobs }
    }

    fn install(&self, config: &Config, network: &mut Network<'_>) {
        if let Some(mice) = config.scenario.mice() {
            network.wake_after(mice.start_delay_s, MICE);
        }
        for number in 0..self.jobs.len() {
            network.wake_after(0.0, MICE + 1 + number);
        }
    }

    fn job_mut(&mut self, actor: ActorIdx) -> &mut Job {
        &mut self.jobs[actor - MICE - 1]
    }

    fn mice_mut(&mut self) -> &mut Mice<'a> {
        self.mice.as_mut().expect("there are mice")
    }

    fn describe(&self, network: &Network<'_>, flow_idx: FlowIdx) -> Flow {
        let flow = &network.flows()[flow_idx];
        let job = flow.actor.checked_sub(MICE + 1).map(|number| &self.jobs[number]);
        Flow {
            job: job.map_or_else(|| "mice".into(), |job| job.times.name.clone()),
            origin: job.map(|job| job.origins[&flow_idx]),
            src: flow.message.src,
            dst: flow.message.dst,
            bytes: flow.message.bytes,
            injected_at: flow.injected_at.expect("a flow in the list of injected flows was injected"),
            completed_at: flow.completed_at,
        }
    }
}

fn plans(
    scenario: &Scenario,
    rings: &[RingOrder],
    unit: &ScalableUnit,
) -> Vec<(&'static str, Vec<Vec<Phase>>)> {
    match scenario {
        Scenario::DpHeavy(params) => vec![(dp_heavy::JOB, dp_heavy::steps(params, rings, unit))],
        Scenario::Mixed(params) => vec![
            (mixed::TP_HEAVY, mixed::tp_heavy_steps(params, rings, unit)),
            (mixed::PP_DP, mixed::pp_dp_steps(params, rings, unit)),
        ],
    }
}

impl Application for Workload<'_> {
    fn wake(&mut self, network: &mut Network<'_>, actor: ActorIdx) {
        if actor == MICE { self.mice_mut().wake(network) } else { self.job_mut(actor).wake(network) }
    }

    fn completed(&mut self, network: &mut Network<'_>, actor: ActorIdx, flow: FlowIdx) {
        if actor == MICE {
            self.mice_mut().completed(network, flow);
        } else {
            self.job_mut(actor).completed(network);
        }
    }
}
