//! A complete and checked scenario: every default filled in, every quantity an exact number.
//!
//! Models: the meaning of the text, still with its names: links and hosts are named, phases may repeat.
//! Leaves out: what those names denote in the fabric; the compiler resolves that.
//!
//! Invariants: printing it as YAML and resolving that again gives an equal value; locations and texts are ignored when two
//! are compared.

pub mod faults;
mod parameters;
pub mod queue_pairs;
mod recording;
pub mod sections;
mod studies;

use std::sync::Arc;

use netloom_model::SizePoint;
use netloom_policy::balance::OutsidePolicies;
use netloom_policy::congestion::infiniband;
use netloom_units::{Bytes, Duration, Rate, Spec, Time};

use crate::describe::{self, changed::Changed};
use crate::former::FormerKey;
use crate::location::{Located, Location, Sources};
use crate::written::print;

pub use crate::flow_file::FlowTable;
pub use faults::{Faults, NamedStorm, Process, Sufferer, TimedFault};
pub use parameters::Parameters;

/// A whole scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// The scenario's name.
    pub name: String,
    /// The seed of every random stream.
    pub seed: u64,
    /// Hosts, switches and links.
    pub fabric: Fabric,
    /// Load balancing.
    pub balance: Balance,
    /// Policies from outside this repository that it may name.
    pub outside: OutsidePolicies,
    /// Static routes: explicit entries of forwarding tables.
    pub routes: Vec<Located<Route>>,
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
    /// Host overheads for the messages of jobs.
    pub hosts: Parameters,
    /// The jobs.
    pub jobs: Vec<Job>,
    /// Traffic in addition to the jobs.
    pub background: Option<Background>,
    /// Flows that start and stop at given times.
    pub flows: Option<Flows>,
    /// The faults.
    pub faults: Faults,
    /// Delay of a modelled barrier; `None` is `auto`.
    pub coordination_delay: Option<Located<Duration>>,
    /// The latest end of the run.
    pub deadline: Option<Time>,
    /// Recordings beyond the defaults.
    pub record: Record,
    pub(crate) fabric_location: Location,
    pub(crate) sources: Sources,
    /// Keys written under their former names.
    pub(crate) former_keys: Vec<FormerKey>,
}

impl Resolved {
    /// The scenario as canonical YAML with every default written out.
    pub fn to_yaml(&self) -> String {
        print(&describe::scenario(self))
    }

    /// The names of the texts that it inherits from, the nearest first.
    pub fn bases(&self) -> Vec<String> {
        self.sources.bases().map(str::to_owned).collect()
    }

    /// The settings that are not at their defaults.
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
    pub hosts: Located<Vec<Located<String>>>,
    /// Names of the switches.
    pub switches: Vec<Located<String>>,
    /// Bundles of parallel links.
    pub links: Vec<Located<Bundle>>,
}

/// Parallel links between two nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Bundle {
    /// Name of one end.
    pub from: Located<String>,
    /// Name of the other end.
    pub to: Located<String>,
    /// Rate of each link.
    pub rate: Rate,
    /// Propagation delay of each link.
    pub delay: Duration,
    /// The number of links.
    pub count: u32,
}

/// The policy at each kind of node.
#[derive(Debug, Clone, PartialEq)]
pub struct Balance {
    /// At hosts.
    pub host: Parameters,
    /// At switches.
    pub switch: Parameters,
    /// At switches, for ACKs, NACKs and CNPs; `None` treats them as data.
    pub control: Option<Parameters>,
    /// The middlebox at the hosts' switches, which tracks queue pairs; `None` for none.
    pub edge: Option<Parameters>,
}

impl Balance {
    /// The keys of one policy for each kind of node.
    pub(crate) const NODE_KINDS: [&str; 4] = ["host", "switch", "control", "edge"];
    /// The word for using the policy of data.
    pub(crate) const AS_DATA: &str = "as_data";
}

/// An explicit entry of a forwarding table.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// The switch.
    pub at: Located<String>,
    /// The source host; `None` is any.
    pub from: Option<Located<String>>,
    /// The destination host.
    pub to: Located<String>,
    /// The egress link.
    pub link: Located<String>,
    /// Whether it may be any link of the switch.
    pub settings: Parameters,
}

/// How senders react to congestion.
#[derive(Debug, Clone, PartialEq)]
pub struct Congestion {
    /// The congestion control with its parameters.
    pub kind: Parameters,
    /// Explicit entries of its table; `None` computes them.
    pub table: Option<Located<Vec<f64>>>,
}

impl Congestion {
    /// The key of the table.
    pub const TABLE: &str = "cct";

    /// A congestion control without explicit table entries.
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
    /// Headroom: data that may arrive after a pause frame was sent, per port; `None` is `auto`.
    pub headroom: Option<Located<Bytes>>,
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
    /// Settings of single data classes.
    pub list: Vec<Class>,
}

/// The settings of one data class.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// Its number.
    pub settings: Parameters,
    /// The code points that map to it.
    pub dscp: Vec<Located<u8>>,
    /// How ports serve it.
    pub schedule: Parameters,
    /// Marking at switches.
    pub marking: ClassMarking,
    /// Whether switches pause its senders; `None` is the setting of `queues`.
    pub pause: Option<Located<bool>>,
    /// What a queue or ingress port of it may use, as a multiple of the free buffer; `None` is the setting of `queues`.
    pub alpha: Option<Located<f64>>,
}

impl Class {
    /// The word for the setting of `queues`.
    pub(crate) const AS_QUEUES: &str = "as_queues";

    /// Its number.
    pub(crate) fn number(&self) -> u8 {
        self.settings.settings.count("class") as u8
    }
}

/// Marking of a class at switches.
#[derive(Debug, Clone, PartialEq)]
pub enum ClassMarking {
    /// The setting of `queues`.
    AsQueues,
    /// None.
    Off,
    /// Its own.
    Own(Parameters),
}

/// A kind of traffic.
#[derive(Debug, Clone, PartialEq)]
pub struct Traffic {
    /// Its name.
    pub name: Located<String>,
    /// The code point of its packets, if that determines their class.
    pub dscp: Option<Located<u8>>,
    /// Their class, if given directly.
    pub class: Option<Located<u8>>,
    /// Whether packets may overtake each other.
    pub settings: Parameters,
}

/// A job: ranks that repeat a list of phases.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Its name; any text.
    pub name: Located<String>,
    /// The hosts it runs on.
    pub placement: Placement,
    /// Number of ranks on each of its hosts.
    pub ranks_per_host: Located<u32>,
    /// Whether its hosts may be those of other jobs, too.
    pub share_hosts: Located<bool>,
    /// Number of repetitions of the phases.
    pub steps: Located<Steps>,
    /// Steps that do not count (warm-up).
    pub warm_up: WarmUp,
    /// Steps in bursts; `None` is one after the other.
    pub bursts: Option<Parameters>,
    /// When it starts.
    pub start: Time,
    /// Groups of ranks that collectives may name.
    pub groups: Vec<Group>,
    /// Permutations of the ranks, one per collective with `order: given`; repeated from the start when used up.
    pub orders: Located<Vec<Located<Vec<u32>>>>,
    /// The kind of traffic of its messages; `None` is no named kind.
    pub traffic: Option<Located<String>>,
    /// One step.
    pub phases: Vec<PhaseEntry>,
}

impl Job {
    /// The names of its kinds of groups, in the order in which they are numbered.
    pub(crate) fn group_names(&self) -> Vec<String> {
        self.groups.iter().map(|group| group.name.value.clone()).collect()
    }
}

/// A kind of groups of a job's ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Its name.
    pub name: Located<String>,
    /// Which ranks form a group.
    pub ranks: Located<GroupRanks>,
}

/// Which ranks form the groups of a kind.
#[derive(Debug, Clone, PartialEq)]
pub enum GroupRanks {
    /// Ranks that differ only in this dimension, of this size.
    Dimension(u32),
    /// The same, of the size that the other dimensions leave.
    Remaining,
    /// Consecutive members of each group of another kind.
    Within {
        /// The other kind.
        of: Located<String>,
        /// Number of ranks in a group.
        size: u32,
    },
    /// By list.
    Listed(Vec<Located<Vec<u32>>>),
}

impl Job {
    /// Most ranks of a job on one host.
    pub(crate) const MOST_RANKS_PER_HOST: u32 = 1024;
}

impl Group {
    /// The word for all ranks of a job.
    pub(crate) const ALL: &str = "all";
}

impl GroupRanks {
    /// The word for the size that the other dimensions leave.
    pub(crate) const AUTO: &str = "auto";

    /// Whether it is one of the dimensions over which ranks are laid out.
    pub(crate) fn is_dimension(&self) -> bool {
        matches!(self, GroupRanks::Dimension(_) | GroupRanks::Remaining)
    }
}

/// Number of repetitions of the phases of a job.
#[derive(Debug, Clone, PartialEq)]
pub enum Steps {
    /// A fixed number.
    Count(u32),
    /// Until every job that is not endless has finished.
    Endless,
    /// Until the mean of their times is known precisely enough.
    Precise(Parameters),
}

/// Steps that do not count (warm-up).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WarmUp {
    /// A number of first steps.
    Steps(u32),
    /// A share of all steps.
    Share(f64),
}

impl Steps {
    /// The word for endless steps.
    pub(crate) const ENDLESS: &str = "endless";
}

/// The hosts that a job runs on, rank by rank.
#[derive(Debug, Clone, PartialEq)]
pub enum Placement {
    /// By a rule of the catalog's registry.
    Rule(Parameters),
    /// A list of hosts.
    List(Located<Vec<Located<String>>>),
}

/// One phase of a step.
#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    /// Every rank computes.
    Compute(Duration),
    /// All ranks meet at a modelled barrier.
    Barrier,
    /// A program supplies the operations.
    Program,
    /// Buckets of collectives.
    Collectives {
        /// Buckets, concurrency and barrier.
        settings: Parameters,
        /// The content of each bucket.
        each: Vec<Collective>,
    },
    /// Messages along a chain of stages.
    PointToPoint {
        /// Messages, gaps and dependence.
        settings: Parameters,
        /// How ranks form stages.
        stages: Located<Stages>,
    },
    /// Passes of microbatches over the stages of a pipeline.
    Pipeline {
        /// Microbatches, times and messages.
        settings: Parameters,
        /// How ranks form stages.
        stages: Located<Stages>,
    },
    /// Repeated phases.
    Repeat {
        /// The number of repetitions.
        times: Located<u32>,
        /// The phases.
        phases: Vec<PhaseEntry>,
    },
}

/// A phase, and how it overlaps with others.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseEntry {
    /// The phase.
    pub phase: Located<Phase>,
    /// Its stream, and what it waits for.
    pub overlap: Overlap,
}

/// How a phase overlaps with others.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overlap {
    /// Its name; of several phases with one name the last one before is meant.
    pub name: Option<Located<String>>,
    /// The name of its stream; [`Overlap::MAIN`] if it is not written.
    pub stream: Option<Located<String>>,
    /// The names of phases that it waits for.
    pub after: Vec<Located<String>>,
}

impl Overlap {
    /// The stream in which steps begin and end.
    pub const MAIN: &str = "main";

    /// Whether nothing is written.
    pub fn is_default(&self) -> bool {
        *self == Overlap::default()
    }
}

/// One collective over all ranks of the job, or in each group of a kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Collective {
    /// The algorithm with its own parameters.
    pub algorithm: Parameters,
    /// The parameters of all collectives: size, dependence, order of the ranks.
    pub common: Parameters,
    /// The kind of groups that it runs in; `None` is all ranks together.
    pub group: Option<Located<String>>,
}

/// How ranks form stages.
#[derive(Debug, Clone, PartialEq)]
pub enum Stages {
    /// A number of stages of equal length, ranks in order.
    Count(u32),
    /// The members of each group of a kind, by position.
    Group(Located<String>),
    /// Explicit lists of ranks.
    Given(Vec<Located<Vec<u32>>>),
}

/// Traffic in addition to the jobs.
#[derive(Debug, Clone, PartialEq)]
pub struct Background {
    /// The kind of messages.
    pub kind: Parameters,
    /// The parameters of all background traffic: its pace.
    pub common: Parameters,
    /// The sending hosts; for kinds with this key.
    pub senders: Placement,
    /// The points of a size distribution; for kinds with random sizes, if no published distribution is used.
    pub given: Located<Vec<SizePoint>>,
    /// The kind of traffic; `None` is no named kind.
    pub traffic: Option<Located<String>>,
}

impl Background {
    /// Whether a kind samples sizes from a distribution; then it also has senders.
    pub(crate) fn draws_sizes(spec: &Spec) -> bool {
        spec.parameter("sizes").is_some()
    }
}

/// Flows that start and stop at given times, and finite flows.
#[derive(Debug, Clone, PartialEq)]
pub struct Flows {
    /// Their messages, and the part of each stage that is left out.
    pub settings: Parameters,
    /// Factor by which the times of the scenario are shorter than those of its source; `None` states none.
    pub scale: Option<u32>,
    /// Boundaries of the stages; `None` is `auto`: at every start and stop of a flow.
    pub stages: Option<Located<Vec<Located<Duration>>>>,
    /// The flows that are listed.
    pub list: Located<Vec<Flow>>,
    /// A file of further finite flows.
    pub file: Option<FlowFile>,
}

/// A file of finite flows.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowFile {
    /// Its path, from the folder of the text that names it.
    pub path: Located<String>,
    /// The digest that it must have, and once it is read, has.
    pub digest: Option<Located<String>>,
    /// Its rows, once they are read.
    pub table: Option<Arc<FlowTable>>,
}

/// A stream of messages from one host to another, or a finite flow.
#[derive(Debug, Clone, PartialEq)]
pub struct Flow {
    /// Its name; any text.
    pub name: Located<String>,
    /// Name of the sender.
    pub from: Located<String>,
    /// Name of the receiver.
    pub to: Located<String>,
    /// Its start, stop and maximum rate; of a finite flow its start and size.
    pub settings: Parameters,
    /// Name of the finite flow that a finite flow waits for.
    pub after: Option<Located<String>>,
    /// The kind of traffic; `None` is no named kind.
    pub traffic: Option<Located<String>>,
}

impl Flow {
    /// Whether it is one message.
    pub fn is_finite(&self) -> bool {
        self.settings.spec.name == sections::FINITE_FLOW.name
    }
}

impl Flows {
    /// The listed flows that start and stop, in their order.
    pub(crate) fn staged(&self) -> impl Iterator<Item = &Flow> + Clone {
        self.list.value.iter().filter(|flow| !flow.is_finite())
    }

    /// The listed finite flows, in their order.
    pub(crate) fn finite(&self) -> impl Iterator<Item = &Flow> + Clone {
        self.list.value.iter().filter(|flow| flow.is_finite())
    }

    /// The rows of the file, if there is one.
    pub(crate) fn table(&self) -> Option<&FlowTable> {
        self.file.as_ref()?.table.as_deref()
    }

    /// The name of each staged flow.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.staged().map(|flow| flow.name.value.clone())
    }

    /// Its times as a share of those of its source.
    pub(crate) fn time_scale(&self) -> Option<String> {
        self.scale.map(|times| format!("1/{times}"))
    }
}

/// How ports are sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Series {
    /// At an interval that costs little.
    Auto,
    /// With this first interval.
    Every(Duration),
    /// Not at all.
    Off,
}

/// Recordings beyond the defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The settings without names.
    pub settings: Parameters,
    /// How ports are sampled.
    pub series: Series,
    /// Hosts whose flows are recorded packet by packet.
    pub packets_from: Vec<Located<String>>,
    /// Flows recorded packet by packet.
    pub packets_of: Vec<Located<String>>,
    /// Links recorded packet by packet.
    pub packets_on: Vec<Located<String>>,
    /// Hosts whose flows have rows in the table `rates`.
    pub rates_from: Vec<Located<String>>,
    /// Flows with rows there.
    pub rates_of: Vec<Located<String>>,
    /// The congestion tree; `None` does not record it.
    pub congestion: Option<Parameters>,
}
