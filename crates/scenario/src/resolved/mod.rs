//! A scenario complete and checked word by word: every default filled in, every quantity an exact number.
//!
//! Models: what the user means, still in the user's words: names of links and hosts are names, phases may repeat.
//! Leaves out: what those names stand for in the fabric; the compiler finds that out.
//!
//! Invariants: printing it as YAML and resolving that again gives an equal value; places and texts do not count when
//! two are compared.

pub mod faults;
mod parameters;
pub mod queue_pairs;
pub mod sections;
mod studies;

use netloom_model::SizePoint;
use netloom_policy::congestion::infiniband;
use netloom_units::{Bytes, Duration, Rate, Spec, Time};

use crate::describe::{self, changed::Changed};
use crate::place::{Place, Placed, Sources};
use crate::written::print;

pub use faults::{Faults, NamedStorm, Process, Sufferer, TimedFault};
pub use parameters::Parameters;

/// A whole scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// What the scenario is called.
    pub name: String,
    /// The seed of every random stream.
    pub seed: u64,
    /// Hosts, switches and links.
    pub fabric: Fabric,
    /// Load balancing.
    pub balance: Balance,
    /// Entries of forwarding tables, listed by hand.
    pub routes: Vec<Placed<Route>>,
    /// How hosts send messages.
    pub transport: Parameters,
    /// How senders react to congestion.
    pub congestion: Congestion,
    /// Queues at egress ports.
    pub queues: Queues,
    /// Traffic classes.
    pub classes: Classes,
    /// Kinds of traffic.
    pub traffic: Vec<Traffic>,
    /// What hosts take for the messages of jobs.
    pub hosts: Parameters,
    /// The jobs.
    pub jobs: Vec<Job>,
    /// Traffic beside the jobs.
    pub background: Option<Background>,
    /// Flows that start and stop at given times.
    pub flows: Option<Flows>,
    /// What fails.
    pub faults: Faults,
    /// Delay of a modelled barrier; `None` is `auto`.
    pub coordination_delay: Option<Placed<Duration>>,
    /// When the run stops at the latest.
    pub deadline: Option<Time>,
    /// What is recorded beyond the defaults.
    pub record: Record,
    pub(crate) fabric_place: Place,
    pub(crate) sources: Sources,
}

impl Resolved {
    /// The scenario as canonical YAML with every default written out.
    pub fn to_yaml(&self) -> String {
        print(&describe::scenario(self))
    }

    /// Which of its settings are not at their defaults.
    pub fn changed(&self) -> Vec<Changed> {
        describe::changed::changed(self)
    }
}

/// Hosts, switches and links.
#[derive(Debug, Clone, PartialEq)]
pub enum Fabric {
    /// A topology of the catalog's registry.
    Parametric(Parameters),
    /// Nodes and links as listed.
    Custom(Custom),
}

/// Nodes and links as listed.
#[derive(Debug, Clone, PartialEq)]
pub struct Custom {
    /// Names of the hosts.
    pub hosts: Placed<Vec<Placed<String>>>,
    /// Names of the switches.
    pub switches: Vec<Placed<String>>,
    /// Bundles of parallel links.
    pub links: Vec<Placed<Bundle>>,
}

/// Parallel links between two nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Bundle {
    /// Name of one end.
    pub from: Placed<String>,
    /// Name of the other end.
    pub to: Placed<String>,
    /// Rate of each link.
    pub rate: Rate,
    /// Propagation delay of each link.
    pub delay: Duration,
    /// How many links.
    pub count: u32,
}

/// The policy at each kind of node.
#[derive(Debug, Clone, PartialEq)]
pub struct Balance {
    /// At hosts.
    pub host: Parameters,
    /// At switches.
    pub switch: Parameters,
    /// At switches, of ACKs, NACKs and CNPs; `None` treats them as data.
    pub control: Option<Parameters>,
    /// What the switches that hosts hang below know of queue pairs; `None` for nothing.
    pub edge: Option<Parameters>,
}

impl Balance {
    /// The keys of one policy for each kind of node.
    pub(crate) const SEATS: [&str; 4] = ["host", "switch", "control", "edge"];
    /// The word for no policy of their own.
    pub(crate) const AS_DATA: &str = "as_data";
}

/// An entry of a forwarding table, listed by hand.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// The switch.
    pub at: Placed<String>,
    /// The host that packets come from; `None` is any.
    pub from: Option<Placed<String>>,
    /// The host that they go to.
    pub to: Placed<String>,
    /// The link that they leave by.
    pub link: Placed<String>,
    /// Whether it may be any link of the switch.
    pub settings: Parameters,
}

/// How senders react to congestion.
#[derive(Debug, Clone, PartialEq)]
pub struct Congestion {
    /// Which congestion control, with its parameters.
    pub kind: Parameters,
    /// Entries of its table; `None` works them out.
    pub table: Option<Placed<Vec<f64>>>,
}

impl Congestion {
    /// The key of the table.
    pub const TABLE: &str = "cct";

    /// A congestion control without a table by hand.
    pub fn plain(kind: Parameters) -> Congestion {
        Congestion { kind, table: None }
    }

    /// Whether a congestion control has a table.
    pub fn has_table(spec: &Spec) -> bool {
        spec.name == infiniband::SPEC.name
    }
}

/// Queues at egress ports.
#[derive(Debug, Clone, PartialEq)]
pub struct Queues {
    /// Limits, the shared buffer, whether it pauses.
    pub settings: Parameters,
    /// What may still come after a pause frame was sent, per port; `None` is `auto`.
    pub headroom: Option<Placed<Bytes>>,
    /// Marking at switches.
    pub marking: Option<Parameters>,
    /// Input buffers and credits instead of all this.
    pub credits: Option<Parameters>,
}

/// Traffic classes.
#[derive(Debug, Clone, PartialEq)]
pub struct Classes {
    /// The class of data, and that of control packets.
    pub settings: Parameters,
    /// What classes of data have of their own.
    pub list: Vec<Class>,
}

/// What a class of data has of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// Its number.
    pub settings: Parameters,
    /// The code points that mean it.
    pub dscp: Vec<Placed<u8>>,
    /// How ports serve it.
    pub schedule: Parameters,
    /// Marking at switches.
    pub marking: ClassMarking,
    /// Whether switches pause who sends it; `None` is as `queues` say.
    pub pause: Option<Placed<bool>>,
    /// What a queue or ingress of it may take, as a multiple of what is free; `None` is as `queues` say.
    pub alpha: Option<Placed<f64>>,
}

impl Class {
    /// The word for what `queues` say.
    pub(crate) const AS_QUEUES: &str = "as_queues";

    /// Its number.
    pub(crate) fn number(&self) -> u8 {
        self.settings.settings.count("class") as u8
    }
}

/// Marking of a class at switches.
#[derive(Debug, Clone, PartialEq)]
pub enum ClassMarking {
    /// As `queues` say.
    AsQueues,
    /// None.
    Off,
    /// Its own.
    Own(Parameters),
}

/// A kind of traffic.
#[derive(Debug, Clone, PartialEq)]
pub struct Traffic {
    /// What it is called.
    pub name: Placed<String>,
    /// The code point its packets carry, if that says their class.
    pub dscp: Option<Placed<u8>>,
    /// Their class, if it is said outright.
    pub class: Option<Placed<u8>>,
    /// Whether packets may overtake each other.
    pub settings: Parameters,
}

/// A job: ranks that repeat a list of phases.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// What it is called; any text.
    pub name: Placed<String>,
    /// Which hosts it runs on.
    pub placement: Placement,
    /// How many times the phases are repeated.
    pub steps: Placed<Steps>,
    /// Steps that do not count.
    pub warm_up: WarmUp,
    /// Steps in bursts; `None` is one after the other.
    pub bursts: Option<Parameters>,
    /// When it starts.
    pub start: Time,
    /// Permutations of the ranks, one per collective with `order: given`; from the start again when used up.
    pub orders: Placed<Vec<Placed<Vec<u32>>>>,
    /// The kind of traffic its messages are; `None` is none of those named.
    pub traffic: Option<Placed<String>>,
    /// One step.
    pub phases: Vec<Placed<Phase>>,
}

/// How many times the phases of a job are repeated.
#[derive(Debug, Clone, PartialEq)]
pub enum Steps {
    /// So many times.
    Count(u32),
    /// Until every job that is not endless has finished.
    Endless,
    /// Until their mean time is known.
    Precise(Parameters),
}

/// Steps that do not count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WarmUp {
    /// The first so many.
    Steps(u32),
    /// The first of so many.
    Share(f64),
}

impl Steps {
    /// The word for steps without end.
    pub(crate) const ENDLESS: &str = "endless";
}

/// Which hosts a job runs on, rank by rank.
#[derive(Debug, Clone, PartialEq)]
pub enum Placement {
    /// By a rule of the catalog's registry.
    Rule(Parameters),
    /// These hosts.
    List(Placed<Vec<Placed<String>>>),
}

/// One phase of a step.
#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    /// Every rank computes.
    Compute(Duration),
    /// All ranks meet at a modelled barrier.
    Barrier,
    /// Buckets of collectives.
    Collectives {
        /// Buckets, concurrency and barrier.
        settings: Parameters,
        /// What each bucket holds.
        each: Vec<Collective>,
    },
    /// Messages along a chain of stages.
    PointToPoint {
        /// Messages, gaps and dependence.
        settings: Parameters,
        /// How ranks form stages.
        stages: Placed<Stages>,
    },
    /// Phases several times over.
    Repeat {
        /// How often.
        times: Placed<u32>,
        /// What.
        phases: Vec<Placed<Phase>>,
    },
}

/// One collective over all ranks of the job.
#[derive(Debug, Clone, PartialEq)]
pub struct Collective {
    /// The algorithm with its own parameters.
    pub algorithm: Parameters,
    /// What all collectives have: size, dependence, order of the ranks.
    pub common: Parameters,
}

/// How ranks form stages.
#[derive(Debug, Clone, PartialEq)]
pub enum Stages {
    /// That many of equal length, ranks in order.
    Count(u32),
    /// These ranks.
    Given(Vec<Placed<Vec<u32>>>),
}

/// Traffic beside the jobs.
#[derive(Debug, Clone, PartialEq)]
pub struct Background {
    /// Which messages.
    pub kind: Parameters,
    /// What all background traffic has: its pace.
    pub common: Parameters,
    /// Which hosts send; for kinds that say so.
    pub senders: Placement,
    /// The points of a distribution of sizes; for kinds that draw sizes, where none of the published ones is wanted.
    pub given: Placed<Vec<SizePoint>>,
    /// The kind of traffic it is; `None` is none of those named.
    pub traffic: Option<Placed<String>>,
}

impl Background {
    /// Whether a kind draws sizes from a distribution; then it also says who sends.
    pub(crate) fn draws_sizes(spec: &Spec) -> bool {
        spec.parameter("sizes").is_some()
    }
}

/// Flows that start and stop at given times.
#[derive(Debug, Clone, PartialEq)]
pub struct Flows {
    /// Their messages, and what is left out of each stage.
    pub settings: Parameters,
    /// How many times shorter than its source's the times of the scenario are; `None` says nothing of it.
    pub scale: Option<u32>,
    /// Boundaries of the stages; `None` is `auto`: wherever a flow starts or stops.
    pub stages: Option<Placed<Vec<Placed<Duration>>>>,
    /// The flows.
    pub list: Placed<Vec<Flow>>,
}

/// A stream of messages from one host to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Flow {
    /// What it is called; any text.
    pub name: Placed<String>,
    /// Name of the sender.
    pub from: Placed<String>,
    /// Name of the receiver.
    pub to: Placed<String>,
    /// When it starts and stops, and how fast it is at most.
    pub settings: Parameters,
    /// The kind of traffic it is; `None` is none of those named.
    pub traffic: Option<Placed<String>>,
}

impl Flows {
    /// The name of each flow.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.list.value.iter().map(|flow| flow.name.value.clone())
    }

    /// Its times as a share of its source's.
    pub(crate) fn time_scale(&self) -> Option<String> {
        self.scale.map(|times| format!("1/{times}"))
    }
}

/// How ports are sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Series {
    /// As often as costs little.
    Auto,
    /// With this first interval.
    Every(Duration),
    /// Not at all.
    Off,
}

/// What is recorded beyond the defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// What needs no names.
    pub settings: Parameters,
    /// How ports are sampled.
    pub series: Series,
    /// Hosts whose flows are recorded packet by packet.
    pub packets_from: Vec<Placed<String>>,
    /// Flows recorded packet by packet.
    pub packets_of: Vec<Placed<String>>,
    /// Links recorded packet by packet.
    pub packets_on: Vec<Placed<String>>,
    /// Hosts whose flows have rows in the table `rates`.
    pub rates_from: Vec<Placed<String>>,
    /// Flows that have rows there.
    pub rates_of: Vec<Placed<String>>,
    /// The congestion tree; `None` records nothing of it.
    pub congestion: Option<Parameters>,
}
