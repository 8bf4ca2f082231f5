//! # Idea
//! The switch above the source compares a few minimal and a few non-minimal paths: through other groups or, to a
//! destination in its own group, through other switches of it. It takes the one with the shortest queue, minimal ones
//! preferred. A flow that needs its packets in order changes its path only while none of them is in flight.
//!
//! # Source
//! De Sensi et al., "An in-depth analysis of the Slingshot interconnect", SC 2020, section II.C: up to four paths,
//! minimal and non-minimal, compared by queues and biased towards minimal ones. Seed 003 says that Slingshot keeps
//! order by draining; no source states the rule or any number, so both are modelling assumptions, as is that a path
//! within a group goes through at most one intermediate switch.
//!
//! # Parameters
//! `minimal`, `non_minimal`: the number of minimal and non-minimal paths compared. `non_minimal_weight`, `bias`: the queue of a
//! non-minimal path is multiplied by the first, and the second is added. `within_group`: whether non-minimal paths
//! exist within a group. `order`: `drained` or `free`.
//!
//! # Invariants
//! Decided once, at the first switch. With `drained` the first packet of a flow chooses, and after it every one that
//! finds all packets of its queue pair acknowledged; the others take the port of the packet before them and the same
//! intermediate group. With `free` every packet chooses. Packets from another group take the minimal path within the
//! destination's group.
//!
//! # When it misleads
//! A flow that never drains never moves. Only the first port and the group are kept: where a later switch has several
//! equal ports, it takes the least loaded one, so fabrics with parallel links may still reorder. The path of a flow
//! that is idle for a millisecond is forgotten, and the flow chooses anew. Retransmitted packets follow the others.

use hashbrown::HashTable;
use netloom_units::{Bytes, Duration, Kind, Parameter, Settings, Spec, StateWriter, Time, Value, mix};

use super::detour::{Chooses, GroupRouting, Opened, Within};
use super::{Balance, Context, PacketView, Pick, Ports, Position};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "slingshot",
    summary: "a flow takes the path with the shortest queue of a few, minimal ones preferred, and keeps it \
              until it has drained; needs a fabric of groups",
    source: "modelling assumption, after De Sensi et al. 2020",
    parameters: &[
        Parameter {
            name: "minimal",
            kind: Kind::Count { minimum: 1, maximum: 64 },
            default: Some(Value::Count(2)),
            meaning: "number of minimal paths compared: consecutive next hops, from a random one on",
        },
        Parameter {
            name: "non_minimal",
            kind: Kind::Count { minimum: 0, maximum: 64 },
            default: Some(Value::Count(2)),
            meaning: "number of non-minimal paths compared, each through a random other group or, within a \
                      group, a random other switch",
        },
        Parameter {
            name: "non_minimal_weight",
            kind: Kind::Count { minimum: 1, maximum: 1_000 },
            default: Some(Value::Count(2)),
            meaning: "factor by which the queue of a non-minimal path is multiplied",
        },
        Parameter {
            name: "bias",
            kind: Kind::Size,
            default: Some(Value::Size(Bytes(8_192))),
            meaning: "bytes added to the weighted queue of a non-minimal path",
        },
        Parameter {
            name: "within_group",
            kind: Kind::Choice(&["through_switches", "minimal"]),
            default: Some(Value::Choice("through_switches")),
            meaning: "paths to another switch of the same group: also through an intermediate switch, or \
                      minimal only",
        },
        Parameter {
            name: "order",
            kind: Kind::Choice(&["drained", "free"]),
            default: Some(Value::Choice("drained")),
            meaning: "whether a flow keeps its path while it has packets in flight (`drained`), or every \
                      packet chooses (`free`)",
        },
    ],
};

/// The path of a flow that is idle for longer is forgotten.
const FLOW_TIMEOUT: Duration = Duration::from_micros(1_000);

/// The instance at a node.
#[derive(Debug, Clone)]
pub struct Slingshot {
    guide: GroupRouting,
    minimal: usize,
    non_minimal: u64,
    non_minimal_weight: u64,
    bias: u64,
    /// Paths of flows; `None` if every packet chooses.
    kept: Option<FlowTable>,
}

/// A flow at the switch above its source: in-link, hash input and destination.
type Flow = (u32, u32, u32);

/// The paths that flows keep. A hash table: with thousands of flows at a switch, a sorted one costs several cache misses
/// for each packet.
#[derive(Debug, Clone, Default)]
struct FlowTable {
    flows: HashTable<(Flow, FlowPath)>,
    /// Number of entries above which expired ones are removed.
    most: usize,
}

/// The path of a flow.
#[derive(Debug, Clone, Copy)]
struct FlowPath {
    port: u32,
    tag: u32,
    last_seen: Time,
}

impl FlowTable {
    fn get_mut(&mut self, flow: Flow) -> Option<&mut FlowPath> {
        self.flows.find_mut(hash(flow), |(known, _)| *known == flow).map(|(_, path)| path)
    }

    fn remember(&mut self, flow: Flow, path: FlowPath) {
        if self.flows.len() > self.most {
            self.flows.retain(|(_, known)| path.last_seen.since(known.last_seen) <= FLOW_TIMEOUT);
            self.most = 2 * self.flows.len() + 64;
        }
        if let Some(known) = self.get_mut(flow) {
            *known = path;
        } else {
            self.flows.insert_unique(hash(flow), (flow, path), |&(flow, _)| hash(flow));
        }
    }

    /// All flows, in rising order.
    fn sorted(&self) -> Vec<(Flow, FlowPath)> {
        let mut flows: Vec<_> = self.flows.iter().copied().collect();
        flows.sort_unstable_by_key(|(flow, _)| *flow);
        flows
    }
}

impl Slingshot {
    pub(super) fn new(settings: &Settings, position: Position) -> Slingshot {
        let within = match settings.choice("within_group") {
            "through_switches" => Within::ThroughSwitches,
            _ => Within::Asked,
        };
        Slingshot {
            guide: GroupRouting::new(position, Chooses::AtSource).asking(within),
            minimal: settings.count("minimal") as usize,
            non_minimal: settings.count("non_minimal"),
            non_minimal_weight: settings.count("non_minimal_weight"),
            bias: settings.size("bias").0,
            kept: (settings.choice("order") == "drained").then(FlowTable::default),
        }
    }

    /// The least loaded of a few minimal paths: consecutive next hops from a random one on.
    fn least_minimal<P: Ports>(&mut self, context: &mut Context, ports: &mut P) -> Option<(usize, u64)> {
        let n_minimal = ports.n_minimal();
        if n_minimal <= self.minimal {
            return self.guide.minimal(context, ports);
        }
        let first = context.random.below(n_minimal as u32) as usize;
        let some = (0..self.minimal).map(|index| (first + index) % n_minimal);
        some.map(|candidate| (candidate, ports.waiting_bytes(candidate))).min_by_key(|found| found.1)
    }

    /// Chooses a path for a packet that may choose.
    fn choose<P: Ports>(&mut self, context: &mut Context, packet: &PacketView, ports: &mut P) -> Pick {
        let minimal = self.least_minimal(context, ports);
        let mut best: Option<Opened> = None;
        for _ in 0..self.non_minimal {
            let opened = self.guide.open(context, packet, ports);
            best = best.into_iter().chain(opened).min_by_key(|opened| opened.waiting);
        }
        let cost =
            |opened: Opened| opened.waiting.saturating_mul(self.non_minimal_weight).saturating_add(self.bias);
        match (minimal, best) {
            (Some((_, waiting)), Some(opened)) if cost(opened) < waiting => {
                GroupRouting::take_non_minimal(opened, packet)
            }
            (Some((candidate, _)), _) => self.guide.take_minimal(candidate, packet, ports),
            (None, Some(opened)) => GroupRouting::take_non_minimal(opened, packet),
            (None, None) => Pick::unchanged(Pick::NOWHERE, packet),
        }
    }

    /// The path that a flow keeps, if its port is still up.
    fn keep<P: Ports>(&mut self, now: Time, packet: &PacketView, ports: &mut P) -> Option<Pick> {
        let path = self.kept.as_mut()?.get_mut(flow(packet))?;
        path.last_seen = now;
        let FlowPath { port, tag, .. } = *path;
        let range = match super::detour::Detour::of(tag).through {
            None => 0..ports.n_minimal(),
            Some(group) => ports.open(group),
        };
        let candidate = { range }.find(|&candidate| ports.port(candidate) == port)?;
        Some(Pick { candidate, class: packet.class, tag })
    }
}

/// The hash of a flow, for the table.
fn hash((ingress, entropy, destination): Flow) -> u64 {
    let words = u64::from(entropy) << 32 | u64::from(destination);
    mix(words ^ u64::from(ingress).rotate_left(48))
}

fn flow(packet: &PacketView) -> Flow {
    (packet.ingress, packet.entropy, packet.destination.0)
}

impl Balance for Slingshot {
    fn pick<P: Ports>(&mut self, context: &mut Context, packet: &PacketView, ports: &mut P) -> Pick {
        if !self.guide.may_choose(packet, ports) {
            return self.guide.forward(context, packet, ports);
        }
        if !packet.is_drained
            && let Some(pick) = self.keep(context.now, packet, ports)
        {
            return pick;
        }
        let pick = self.choose(context, packet, ports);
        if let Some(kept) = &mut self.kept
            && pick.candidate != Pick::NOWHERE
        {
            let (port, tag) = (ports.port(pick.candidate), pick.tag);
            kept.remember(flow(packet), FlowPath { port, tag, last_seen: context.now });
        }
        pick
    }

    fn may_open(&self, packet: &PacketView) -> Vec<u32> {
        self.guide.may_open(packet)
    }

    fn write_state(&self, out: &mut StateWriter) {
        for ((ingress, entropy, destination), path) in self.kept.iter().flat_map(FlowTable::sorted) {
            out.word(u64::from(entropy) << 32 | u64::from(destination));
            out.word(u64::from(ingress) << 32 | u64::from(path.port));
            out.word(u64::from(path.tag));
            out.age(path.last_seen);
        }
    }
}
