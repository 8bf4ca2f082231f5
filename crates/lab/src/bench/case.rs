//! The standard cases: which fabric, how much traffic, how many threads.

use netloom_catalog::topology::{self, Built, Topology};
use netloom_catalog::workload::{bucket, collective};
use netloom_model::{
    Balances, Collective, FabricService, FailureAwareness, FlowHashInput, Hosts, Job, Model, Order, Phase,
    PriorityMap, Queues, Reaction, Recording, Repetition, Transport, TransportKind, Workload,
};
use netloom_policy::balance::Chosen;
use netloom_policy::congestion;
use netloom_units::{Bytes, Duration, HostId, Time, Value};

use crate::error::LabError;

/// Bytes of a packet on the wire.
const PACKET: Bytes = Bytes(4096);
/// Number of hosts in a group.
const GROUP: u32 = 16;

/// A standard case.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// Its name.
    pub name: &'static str,
    /// Description for users.
    pub summary: &'static str,
    /// Name of the case that it is compared with.
    pub against: &'static str,
    /// Number of leaves, a multiple of a group's hosts.
    pub leaves: u32,
    /// Number of spines.
    pub spines: u32,
    /// Hosts below each leaf.
    pub hosts_per_leaf: u32,
    /// Propagation delay of host links.
    pub host_delay: Duration,
    /// Number of groups that send.
    pub groups: u32,
    /// Packets per message.
    pub packets: u64,
    /// Number of rounds of messages.
    pub steps: u32,
    /// Number of threads.
    pub threads: usize,
}

const MICROSECOND: Duration = Duration::from_micros(1);

const REFERENCE: Case = Case {
    name: "reference",
    summary: "256 hosts, 16 leaves x 16 spines, 16 groups of 16",
    against: "reference",
    leaves: 16,
    spines: 16,
    hosts_per_leaf: 16,
    host_delay: MICROSECOND,
    groups: 16,
    packets: 64,
    steps: 4,
    threads: 1,
};

const MIDDLE: Case = Case {
    name: "middle",
    summary: "1,024 hosts, 32 leaves x 32 spines, 64 groups of 16",
    leaves: 32,
    spines: 32,
    hosts_per_leaf: 32,
    groups: 64,
    ..REFERENCE
};

const LARGE: Case = Case {
    name: "large",
    summary: "8,192 hosts, 128 leaves x 64 spines, 512 groups of 16",
    leaves: 128,
    spines: 64,
    hosts_per_leaf: 64,
    groups: 512,
    packets: 16,
    steps: 2,
    ..REFERENCE
};

const ALONE: Case = Case {
    name: "alone",
    summary: "16 hosts, 16 leaves x 16 spines, one group of 16",
    against: "alone",
    hosts_per_leaf: 1,
    groups: 1,
    steps: 64,
    ..REFERENCE
};

/// All cases; each follows the one it is compared with.
pub static CASES: &[Case] = &[
    REFERENCE,
    Case {
        name: "short",
        summary: "the reference with host links of 10 ns",
        host_delay: Duration::from_nanos(10),
        ..REFERENCE
    },
    MIDDLE,
    Case { name: "middle-2", summary: "the same with 2 threads", against: "middle", threads: 2, ..MIDDLE },
    LARGE,
    ALONE,
    Case {
        name: "sparse",
        summary: "8,192 hosts of which one group of 16 is active",
        against: "alone",
        groups: ALONE.groups,
        packets: ALONE.packets,
        steps: ALONE.steps,
        ..LARGE
    },
];

/// The case with this name.
pub fn case(name: &str) -> Option<&'static Case> {
    CASES.iter().find(|case| case.name == name)
}

impl Case {
    /// Number of hosts.
    pub fn hosts(&self) -> u32 {
        self.leaves * self.hosts_per_leaf
    }

    /// Whether nearly all of its hosts are idle.
    pub(super) fn is_at_rest(&self) -> bool {
        self.groups * GROUP * 100 < self.hosts()
    }

    /// The model of this case.
    pub(super) fn model(&self) -> Result<Model, LabError> {
        let Built { fabric, routing, .. } = self.fabric()?;
        Ok(Model {
            fabric,
            routing,
            balances: Balances {
                host: Chosen::named("ecmp"),
                switch: Chosen::named("spray"),
                control: None,
                edge: None,
                path_map: None,
                static_routes: Vec::new(),
            },
            transport: Transport {
                packet: PACKET,
                flow_hash_input: FlowHashInput::Message,
                kind: TransportKind::Window { packets: 16, acknowledgement: Bytes(64) },
            },
            congestion: congestion::Chosen::named("none"),
            queues: Queues::default(),
            classes: PriorityMap::default(),
            workload: self.workload()?,
            kinds: Vec::new(),
            faults: Vec::new(),
            switch_faults: Vec::new(),
            events: Vec::new(),
            reaction: Reaction::default(),
            storms: Vec::new(),
            loss: 0,
            awareness: FailureAwareness::Local,
            coordination_delay: MICROSECOND,
            deadline: None,
            recording: Recording::default(),
            seed: 1,
        })
    }

    fn fabric(&self) -> Result<Built, LabError> {
        let number = topology::number_of("leaf_spine").ok_or_else(|| gone("leaf_spine"))?;
        let spec = topology::SPECS[number];
        let given = |name: &str| match name {
            "leaves" => Some(Value::Count(u64::from(self.leaves))),
            "spines" => Some(Value::Count(u64::from(self.spines))),
            "hosts_per_leaf" => Some(Value::Count(u64::from(self.hosts_per_leaf))),
            "host_delay" => Some(Value::Duration(self.host_delay)),
            _ => None,
        };
        let values = spec.parameters.iter().filter_map(|parameter| {
            Some((parameter.name, given(parameter.name).or(parameter.default.clone())?))
        });
        let settings = netloom_units::Settings::new(values.collect());
        let built = topology::build(&Topology::Parametric { number, settings });
        built.map_err(|error| LabError::Internal(format!("the fabric of a standard case: {error}")))
    }

    /// One job per group; its hosts are strided, so that all of its traffic crosses spines.
    fn workload(&self) -> Result<Workload, LabError> {
        let algorithm =
            collective::number_of("all_to_all_linear").ok_or_else(|| gone("all_to_all_linear"))?;
        let collective = Collective {
            algorithm,
            settings: collective::SPECS[usize::from(algorithm)].defaults(),
            size: Bytes(self.packets * PACKET.0 * u64::from(GROUP)),
            dependent: true,
            order: Order::Rank,
            groups: None,
        };
        let bucket = bucket(vec![collective], |_| GROUP)
            .map_err(|error| LabError::Internal(format!("the collective of a standard case: {error}")))?;
        let phase = Phase::Communicate { buckets: vec![bucket], concurrent: false, barrier: false };
        let stride = self.hosts() / GROUP;
        let job = |group: u32| Job {
            groups: Vec::new(),
            schedule: Vec::new(),
            ranks: (0..GROUP).map(|member| HostId(group + member * stride)).collect(),
            steps: self.steps,
            phases: vec![phase.clone()],
            start: Time::ZERO,
            handling: FabricService::default(),
            repetition: Repetition::default(),
        };
        Ok(Workload {
            jobs: (0..self.groups).map(job).collect(),
            background: None,
            staged: None,
            finite: None,
            hosts: Hosts::default(),
        })
    }
}

fn gone(name: &str) -> LabError {
    LabError::Internal(format!("the catalog has no `{name}`"))
}
