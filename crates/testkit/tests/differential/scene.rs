//! Random small scenes: a fabric of any kind, perhaps with dead links, messages, and a policy.

use std::collections::{BTreeSet, VecDeque};

use netloom_catalog::topology::{dragonfly, dragonfly_plus, rail};
use netloom_catalog::workload::collective::SPECS;
use netloom_catalog::{TrainingWork, expand};
use netloom_model::{
    Collective, FabricBuilder, FailureAwareness, FatTree, Fault, FaultAction, Item, Job, LeafSpine, Model,
    Phase, ReroutePaths, Work,
};
use netloom_policy::balance::Chosen;
use netloom_testkit::fixture::{Cable, Clos, ListedWork, Sending, ThreeTiers, Wiring, model, policy};
use netloom_testkit::reference::Outcome;
use netloom_units::{ActorId, Bytes, HostId, LinkId, NodeId, Parameter, Random, Settings, Spec, Time, Value};

use crate::jobs;

/// Speeds of links in ps per byte: primes, so that streams over different links do not stay in step.
const SPEEDS: [u64; 24] =
    [23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131];

/// The policy under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Hash of the flow.
    Ecmp,
    /// Random choice.
    Spray,
    /// Shortest queue in packets, random among ties.
    Adaptive,
}

impl Kind {
    /// The policy as registered.
    pub fn chosen(self) -> Chosen {
        match self {
            Kind::Ecmp => policy("ecmp", &[]),
            Kind::Spray => policy("spray", &[]),
            Kind::Adaptive => policy("adaptive", &[("backlog", Value::Choice("packets"))]),
        }
    }
}

/// A scene before it is run.
#[derive(Debug, Clone)]
pub struct Draft {
    /// Its number.
    pub seed: u64,
    /// For the engine; the policies in it are replaced by wrapped ones.
    pub model: Model,
    /// ps per byte of each link.
    pub speeds: Vec<u64>,
    /// The messages, by start; empty if the model's jobs are the work.
    pub sendings: Vec<Sending>,
    /// The policy.
    pub kind: Kind,
    /// Links that are down from the start.
    pub dead: Vec<bool>,
}

impl Draft {
    /// The scene of this number.
    pub fn random(seed: u64) -> Draft {
        let mut random = Random::stream(seed, 90, 0);
        let mut speeds = SPEEDS.to_vec();
        random.shuffle(&mut speeds);
        let wiring = match seed % 6 {
            0 | 2 => clos(&mut random, &speeds),
            4 => fat_tree(&mut random, &speeds),
            5 => of_groups_or_rails(&mut random, &speeds),
            _ => graph(&mut random, &speeds),
        };
        let mut model = model(wiring);
        model.seed = seed;
        model.recording.queue_packets = true;
        model.transport.packet = Bytes(256 + u64::from(random.below(2000)));
        let n_links = model.fabric.links().len();
        let dead = dead_links(&mut random, n_links);
        for (number, _) in dead.iter().enumerate().filter(|link| *link.1) {
            let link = LinkId(number as u32);
            model.faults.push(Fault { at: Time::ZERO, link, action: FaultAction::Down });
        }
        model.awareness = if random.below(2) == 0 {
            FailureAwareness::Local
        } else {
            FailureAwareness::Global(ReroutePaths::Shortest)
        };
        let kind = [Kind::Ecmp, Kind::Spray, Kind::Adaptive][random.below(3) as usize];
        let sendings = messages(&mut random, &model);
        let speeds = (0..n_links).map(|link| speeds[link % speeds.len()]).collect();
        Draft { seed, model, speeds, sendings, kind, dead }
    }

    /// The scene of this number with jobs instead of messages.
    pub fn of_jobs(seed: u64) -> Draft {
        let mut draft = Draft::random(seed);
        draft.sendings.clear();
        draft.model.workload = jobs::random(seed, draft.model.fabric.n_hosts() as u32);
        draft
    }

    /// The work of its hosts.
    pub fn work(&self) -> Traffic {
        if self.sendings.is_empty() {
            let n_hosts = self.model.fabric.n_hosts();
            let work = expand(&self.model.workload, n_hosts, self.seed);
            Traffic::Jobs(Box::new(work.expect("the jobs are valid")))
        } else {
            Traffic::Messages(ListedWork::new(&self.sendings))
        }
    }
}

/// The work of a scene.
pub enum Traffic {
    /// Messages at given times.
    Messages(ListedWork),
    /// Jobs.
    Jobs(Box<TrainingWork>),
}

impl Traffic {
    fn work(&self) -> &dyn Work {
        match self {
            Traffic::Messages(work) => work,
            Traffic::Jobs(work) => work.as_ref(),
        }
    }
}

impl Work for Traffic {
    fn actors(&self) -> &[HostId] {
        self.work().actors()
    }

    fn barrier_size(&self, group: u32) -> u32 {
        self.work().barrier_size(group)
    }

    fn refill(&mut self, actor: ActorId, queue: &mut VecDeque<Item>) {
        match self {
            Traffic::Messages(work) => work.refill(actor, queue),
            Traffic::Jobs(work) => work.refill(actor, queue),
        }
    }
}

/// A cable of this number of ps per byte. The rate is rounded up, so rounding up the serialization gives whole ps
/// again.
fn cable(speed: u64, delay: u64) -> Cable {
    Cable::new(8_000_000_000_000_u64.div_ceil(speed), delay)
}

fn clos(random: &mut Random, speeds: &[u64]) -> Wiring {
    let mut upto = |most| 1 + random.below(most);
    let shape = LeafSpine {
        leaves: 1 + upto(2),
        spines: upto(3),
        hosts_per_leaf: upto(3),
        host_links: upto(2),
        fabric_links: upto(2),
    };
    let host_delay = [0, 3_001, 400_013][random.below(3) as usize];
    let fabric_delay = 300_000 + u64::from(random.below(500_000));
    each_link_its_own(
        Clos { shape, host: cable(1, host_delay), fabric: cable(1, fabric_delay) }.wiring(),
        speeds,
    )
}

fn fat_tree(random: &mut Random, speeds: &[u64]) -> Wiring {
    let mut upto = |most| 1 + random.below(most);
    let shape = FatTree {
        pods: 1 + upto(2),
        leaves_per_pod: upto(2),
        hosts_per_leaf: upto(2),
        aggregations_per_pod: upto(2),
        cores_per_aggregation: upto(2),
        host_links: 1,
        leaf_links: upto(2),
        core_links: upto(2),
    };
    let host_delay = [0, 3_001, 400_013][random.below(3) as usize];
    let [leaf_delay, core_delay] = [(); 2].map(|()| 300_000 + u64::from(random.below(500_000)));
    let [host, leaf, core] = [host_delay, leaf_delay, core_delay].map(|delay| cable(1, delay));
    each_link_its_own(ThreeTiers { shape, host, leaf, core }.wiring(), speeds)
}

/// A small dragonfly, Dragonfly+ or rail fabric from the catalog.
fn of_groups_or_rails(random: &mut Random, speeds: &[u64]) -> Wiring {
    let (spec, numbers): (&Spec, &[(&str, u32, u32)]) = match random.below(3) {
        0 => (
            &dragonfly::SPEC,
            &[
                ("groups", 2, 4),
                ("switches_per_group", 1, 3),
                ("hosts_per_switch", 1, 2),
                ("local_links", 1, 2),
                ("global_links", 1, 3),
            ],
        ),
        1 => (
            &dragonfly_plus::SPEC,
            &[
                ("groups", 2, 4),
                ("leaves_per_group", 1, 2),
                ("spines_per_group", 1, 2),
                ("hosts_per_leaf", 1, 2),
                ("host_links", 1, 2),
                ("global_links", 1, 2),
            ],
        ),
        _ => (
            &rail::SPEC,
            &[("servers", 1, 3), ("gpus_per_server", 1, 3), ("spines", 1, 2), ("host_links", 1, 2)],
        ),
    };
    let mut value = |parameter: &Parameter| {
        let range = numbers.iter().find(|(name, ..)| *name == parameter.name);
        let drawn =
            range.map(|&(_, least, most)| Value::Count(u64::from(least + random.below(most - least + 1))));
        (parameter.name, drawn.or(parameter.default.clone()).expect("all others have a default"))
    };
    let settings = Settings::new(spec.parameters.iter().map(&mut value).collect());
    let built = match spec.name {
        "dragonfly" => dragonfly::build(&settings),
        "dragonfly_plus" => dragonfly_plus::build(&settings),
        _ => rail::build(&settings),
    };
    match built {
        // A message needs two hosts.
        Ok(built) if built.fabric.n_hosts() > 1 => {
            each_link_its_own(Wiring { fabric: built.fabric, routing: built.routing }, speeds)
        }
        _ => of_groups_or_rails(random, speeds),
    }
}

/// The same fabric, each link with a speed by its number and a few more ps of delay, so that parallel paths differ.
fn each_link_its_own(blank: Wiring, speeds: &[u64]) -> Wiring {
    let mut builder = FabricBuilder::new(blank.fabric.n_hosts() as u32, blank.fabric.n_switches() as u32);
    for (number, link) in blank.fabric.links().iter().enumerate() {
        let ends = link.ends.map(|port| blank.fabric.port(port));
        let delay = if ends[0].delay.0 == 0 { 0 } else { ends[0].delay.0 + 17 * number as u64 };
        cable(speeds[number % speeds.len()], delay).lay(&mut builder, ends[0].node.0, ends[1].node.0);
    }
    Wiring { fabric: builder.build(), routing: blank.routing }
}

/// A random tree of switches with further links, hosts with one or two links each.
fn graph(random: &mut Random, speeds: &[u64]) -> Wiring {
    let n_switches = 2 + random.below(5);
    let n_hosts = 3 + random.below(5);
    let mut builder = FabricBuilder::new(n_hosts, n_switches);
    let mut number = 0;
    let mut lay = |random: &mut Random, from: u32, to: u32| {
        let delay = 150_000 + u64::from(random.below(900_000));
        cable(speeds[number % speeds.len()], delay).lay(&mut builder, from, to);
        number += 1;
    };
    for switch in 1..n_switches {
        let below = random.below(switch);
        lay(random, n_hosts + below, n_hosts + switch);
    }
    for _ in 0..2 + random.below(2 * n_switches) {
        let from = random.below(n_switches);
        let to = (from + 1 + random.below(n_switches - 1)) % n_switches;
        lay(random, n_hosts + from, n_hosts + to);
    }
    for host in 0..n_hosts {
        for _ in 0..=random.below(2) {
            let switch = random.below(n_switches);
            lay(random, host, n_hosts + switch);
        }
    }
    Wiring::shortest(builder)
}

/// In every third scene, one or two links.
fn dead_links(random: &mut Random, n_links: usize) -> Vec<bool> {
    let mut dead = vec![false; n_links];
    if random.below(3) == 0 {
        for _ in 0..=random.below(2) {
            dead[random.below(n_links as u32) as usize] = true;
        }
    }
    dead
}

/// Messages at odd instants.
fn messages(random: &mut Random, model: &Model) -> Vec<Sending> {
    let n_hosts = model.fabric.n_hosts() as u32;
    let packet = model.transport.packet.0;
    let n_messages = 2 + u64::from(random.below(11));
    let mut at = 0;
    let mut sending = |number| {
        at += 1 + u64::from(random.below(400_000));
        let from = random.below(n_hosts);
        let to = (from + 1 + random.below(n_hosts - 1)) % n_hosts;
        Sending::new(at, from, to, packet * u64::from(random.below(16)) + 64 + number * 7)
    };
    (0..n_messages).map(&mut sending).collect()
}

/// Fails unless the scenes, all together, cover the cases that they are meant to cover.
pub fn cover_much(scenes: &[(Draft, Outcome)]) {
    for kind in [Kind::Ecmp, Kind::Spray, Kind::Adaptive] {
        assert!(scenes.iter().filter(|(draft, _)| draft.kind == kind).count() > 60, "{kind:?}");
    }
    let count = |holds: &dyn Fn(&Draft, &Outcome) -> bool| scenes.iter().filter(|(d, o)| holds(d, o)).count();
    let has_queues = |_: &Draft, outcome: &Outcome| {
        let hosts = |node: usize| outcome.port_peaks[node].iter().copied().max();
        (0..outcome.port_peaks.len()).any(|node| hosts(node) > Some(2))
    };
    assert!(count(&has_queues) > 200);
    assert!(count(&|draft, _| draft.dead.contains(&true)) > 60);
    assert!(count(&|_, outcome| outcome.totals.dropped > 0) > 5);
    let several = |draft: &Draft, outcome: &Outcome| {
        let ports = |node: usize, flow: usize| {
            let own = outcome.hops.iter().filter(move |hop| hop.node == node && hop.flow == flow);
            own.map(|hop| hop.port).collect::<BTreeSet<_>>().len()
        };
        let nodes = 0..draft.model.fabric.n_nodes();
        nodes.clone().any(|node| (0..outcome.flows.len()).any(|flow| ports(node, flow) > 1))
    };
    assert!(count(&several) > 100, "packets of one flow rarely took different paths");
    assert!(scenes.iter().all(|(draft, _)| draft.model.fabric.is_host(NodeId(0))));
}

/// The same of scenes of jobs.
pub fn cover_jobs(scenes: &[(Draft, Outcome)]) {
    let jobs = |draft: &Draft| draft.model.workload.jobs.clone();
    let having = |holds: &dyn Fn(&Job) -> bool| {
        scenes.iter().filter(|(draft, _)| jobs(draft).iter().any(holds)).count()
    };
    let having_phase = |holds: &dyn Fn(&Phase) -> bool| having(&|job| job.phases.iter().any(holds));
    assert!(having(&|job| !job.schedule.is_empty()) > 80, "streams of phases");
    assert!(having(&|job| job.ranks.iter().collect::<BTreeSet<_>>().len() < job.ranks.len()) > 10);
    assert!(having_phase(&|phase| matches!(phase, Phase::Pipeline(_))) > 60);
    assert!(having_phase(&Phase::has_barrier) > 60);
    for (algorithm, spec) in SPECS.iter().enumerate() {
        let is_it = |collective: &Collective| usize::from(collective.algorithm) == algorithm;
        let has_it = |phase: &Phase| match phase {
            Phase::Communicate { buckets, .. } => {
                buckets.iter().flat_map(|bucket| &bucket.collectives).any(is_it)
            }
            _ => false,
        };
        assert!(having_phase(&has_it) >= 5, "{}: {}", spec.name, having_phase(&has_it));
    }
    let with_messages = |least| scenes.iter().filter(|scene| scene.1.flows.len() > least).count();
    assert!(with_messages(0) > 200 && with_messages(20) > 60, "{} {}", with_messages(0), with_messages(20));
    let several_jobs = scenes.iter().filter(|(draft, _)| jobs(draft).len() == 2).count();
    let completes =
        |(_, outcome): &&(Draft, Outcome)| outcome.flows.iter().all(|flow| flow.completed_at.is_some());
    let n_complete = scenes.iter().filter(completes).count();
    assert!(several_jobs > 100 && n_complete > 200, "{several_jobs} {n_complete}");
}
