//! Background traffic for the tests: on a fabric of equal racks, generated without an engine.

use std::collections::VecDeque;

use netloom_catalog::expand;
use netloom_catalog::workload::background::{mice, number_of};
use netloom_model::{Background, FabricService, Hosts, Operation, Sender, Work, Workload};
use netloom_units::{ActorId, Duration, HostId, Rate, Settings, Spec, Value};

/// The seed of runs.
pub const SEED: u64 = 3;

/// A message as it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sent {
    /// In ps.
    pub at: u64,
    /// Sender.
    pub from: u32,
    /// Receiver.
    pub to: u32,
    /// In bytes.
    pub size: u64,
}

/// A kind with its defaults except for these values; every host of this number of equal racks sends.
pub fn of_kind(spec: &Spec, racks: u32, hosts_per_rack: u32, values: &[(&str, Value)]) -> Background {
    let value = |name: &str, default: Option<Value>| {
        let own = values.iter().find(|(key, _)| *key == name).map(|(_, value)| value.clone());
        own.or(default).unwrap_or(Value::Duration(Duration::ZERO))
    };
    let settings = spec.parameters.iter().map(|own| (own.name, value(own.name, own.default.clone())));
    let hosts = 0..racks * hosts_per_rack;
    Background {
        kind: number_of(spec.name).expect("in the registry"),
        settings: Settings::new(settings.collect()),
        senders: hosts.clone().map(|host| Sender { host: HostId(host), capacity: Rate(CAPACITY) }).collect(),
        racks: hosts.map(|host| host / hosts_per_rack).collect(),
        groups: Vec::new(),
        sizes: Vec::new(),
        rate: None,
        handling: FabricService::default(),
    }
}

/// What all NIC ports of a host can send, in bits per second.
pub const CAPACITY: u64 = 400_000_000_000;

/// The messages of `mice`.
pub fn of_mice(racks: u32, hosts_per_rack: u32, values: &[(&str, Value)]) -> Background {
    of_kind(&mice::SPEC, racks, hosts_per_rack, values)
}

/// All messages, sorted by time and host; hosts request theirs one host after the other.
pub fn drained(background: &Background) -> Vec<Sent> {
    let workload = Workload {
        jobs: Vec::new(),
        background: Some(background.clone()),
        staged: None,
        finite: None,
        hosts: Hosts::default(),
    };
    let mut work = expand(&workload, background.racks.len(), SEED).expect("it makes sense");
    let hosts = work.actors().to_vec();
    let mut all = Vec::new();
    for (actor, host) in (0..).zip(hosts) {
        let mut queue = VecDeque::new();
        let mut at = 0;
        loop {
            work.refill(ActorId(actor), &mut queue);
            if queue.is_empty() {
                break;
            }
            for item in queue.drain(..) {
                match item.operation {
                    Operation::Until(time) => at = time.0,
                    Operation::Send(message) => {
                        all.push(Sent { at, from: host.0, to: message.to.0, size: message.size.0 });
                    }
                    other => panic!("background traffic does not {other:?}"),
                }
            }
        }
    }
    all.sort_unstable();
    all
}
