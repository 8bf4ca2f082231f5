//! # Idea
//! Adaptive routing as in InfiniBand switches: a table gives a group of ports for each destination, and packets are
//! spread over the group, even if all queues are empty.
//!
//! # Source
//! Seed 002, sections II and IV, measured on HDR switches: the groups LAG and TREE of the adaptive routing manager, and
//! that packets of one flow alternate at every load. Pointers per ingress port and group, and the choice by load, are
//! modelling assumptions.
//!
//! Notifications (ARN): the idea is from that paper, section II.B; all rules are modelling assumptions.
//!
//! # Parameters
//! `group`: `tree` takes all next hops as one group; `lag` takes the parallel links to one neighbour, which is chosen
//! by destination as `deterministic` chooses a port. `choice`: `turns` (round robin) or the fewest waiting bytes,
//! random among ties. `notify_above`: bytes waiting at an egress port above which a switch notifies its upstream
//! neighbours; `notify_hold`: how long they avoid that port towards the leaf concerned.
//!
//! # Invariants
//! With `turns`, the counts per port of the packets from one ingress port to one group differ by at most one. Each
//! ingress port has its own pointer per group: a shared one would phase-lock with senders and arbiters of constant
//! pace, and of two groups that alternate each would use only every other port. With `lag`, packets to one destination
//! leave for one neighbour. An avoided port is taken only if all ports of its group are avoided.
//!
//! # When it misleads
//! Pointers start at random ports, fixed by the seed. Without notifications it ignores load downstream. Every packet is
//! spread, at hosts too if the policy is set for them.

use netloom_units::{Duration, Kind, NodeId, Parameter, Settings, Spec, StateWriter, Time, Value, mix};

use super::destination_modulo::DestinationModulo;
use super::least::Least;
use super::{Balance, Context, Notifications, PacketView, Pick, Ports, Position};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "adaptive_infiniband",
    summary: "InfiniBand adaptive routing: each packet takes a port of its destination's group, in round \
              robin or the least loaded one",
    source: "adaptive routing manager of InfiniBand; round-robin pointers, choice by load and ARN: \
             modelling assumptions",
    parameters: &[
        Parameter {
            name: "group",
            kind: Kind::Choice(&["tree", "lag"]),
            default: Some(Value::Choice("tree")),
            meaning: "ports over which packets are spread: all next hops (`tree`), or the parallel links to \
                      one neighbour (`lag`)",
        },
        Parameter {
            name: "choice",
            kind: Kind::Choice(&["turns", "load"]),
            default: Some(Value::Choice("turns")),
            meaning: "which port of the group a packet takes: the next one in round robin (`turns`), or the one \
                      with the fewest waiting bytes (`load`)",
        },
        Parameter {
            name: "notify_above",
            kind: Kind::Optional(&Kind::Size),
            default: Some(Value::Absent),
            meaning: "bytes waiting at an egress port above which a switch notifies its upstream neighbours \
                      (ARN); `none`: never",
        },
        Parameter {
            name: "notify_hold",
            kind: Kind::Duration,
            default: Some(Value::Duration(Duration::from_micros(20))),
            meaning: "time for which a notified switch avoids the port, for packets to the leaf concerned",
        },
    ],
};

/// The instance at a node.
#[derive(Debug, Clone)]
pub struct AdaptiveInfiniband {
    /// `None` takes all next hops as one group.
    lag: Option<Lag>,
    choice: Choice,
    notifications: Option<Notifications>,
    avoided: Vec<Avoided>,
    /// Working memory: candidates that are not avoided.
    allowed: Vec<u32>,
}

/// A port to avoid.
#[derive(Debug, Clone, Copy)]
struct Avoided {
    port: u32,
    /// Towards hosts attached to this switch.
    leaf: NodeId,
    until: Time,
}

impl Avoided {
    fn holds(&self, now: Time, port: u32, leaf: NodeId) -> bool {
        self.until > now && (self.port, self.leaf) == (port, leaf)
    }
}

#[derive(Debug, Clone)]
enum Choice {
    Turns(Turns),
    Load(Least),
}

/// The candidates of a group.
#[derive(Clone, Copy)]
enum Members<'a> {
    /// All candidates; their number.
    All(usize),
    /// These candidates.
    Listed(&'a [u32]),
}

impl<'a> Members<'a> {
    /// The candidates that are not avoided, or all if all are.
    fn without(self, is_avoided: impl Fn(usize) -> bool, list: &'a mut Vec<u32>) -> Members<'a> {
        list.clear();
        let candidates = (0..self.len()).map(|member| self.candidate(member));
        list.extend(candidates.filter(|&candidate| !is_avoided(candidate)).map(|candidate| candidate as u32));
        if list.is_empty() || list.len() == self.len() { self } else { Members::Listed(list) }
    }

    #[inline]
    fn len(self) -> usize {
        match self {
            Members::All(count) => count,
            Members::Listed(list) => list.len(),
        }
    }

    #[inline]
    fn candidate(self, member: usize) -> usize {
        match self {
            Members::All(_) => member,
            Members::Listed(list) => list[member] as usize,
        }
    }
}

impl AdaptiveInfiniband {
    pub(super) fn new(settings: &Settings, position: Position) -> AdaptiveInfiniband {
        let lag = (settings.choice("group") == "lag").then(|| Lag::new(position));
        let choice = match settings.choice("choice") {
            "load" => Choice::Load(Least::default()),
            _ => Choice::Turns(Turns::new(position)),
        };
        let notifications = match settings.optional("notify_above") {
            Some(Value::Size(above)) => Some(Notifications { above, hold: settings.duration("notify_hold") }),
            _ => None,
        };
        AdaptiveInfiniband { lag, choice, notifications, avoided: Vec::new(), allowed: Vec::new() }
    }
}

impl Balance for AdaptiveInfiniband {
    #[inline]
    fn pick<P: Ports>(&mut self, context: &mut Context, packet: &PacketView, ports: &mut P) -> Pick {
        let members = match &mut self.lag {
            None => Members::All(ports.n_minimal()),
            Some(lag) => Members::Listed(lag.group(packet, ports)),
        };
        let members = if self.avoided.is_empty() {
            members
        } else {
            let leaf = packet.senders.leaf(packet.destination);
            let is_avoided = |candidate: usize| {
                let port = ports.port(candidate);
                self.avoided.iter().any(|avoided| avoided.holds(context.now, port, leaf))
            };
            members.without(is_avoided, &mut self.allowed)
        };
        let member = match &mut self.choice {
            Choice::Turns(turns) => {
                turns.next(packet.ingress, members.len(), |member| ports.port(members.candidate(member)))
            }
            Choice::Load(least) => {
                least.of(context, members.len(), |member| ports.waiting_bytes(members.candidate(member)))
            }
        };
        Pick::unchanged(members.candidate(member), packet)
    }

    fn may_take<P: Ports>(&mut self, packet: &PacketView, ports: &P) -> Vec<usize> {
        match &mut self.lag {
            None => (0..ports.n_minimal()).collect(),
            Some(lag) => lag.group(packet, ports).iter().map(|&candidate| candidate as usize).collect(),
        }
    }

    fn notifications(&self) -> Option<Notifications> {
        self.notifications
    }

    fn avoid(&mut self, now: Time, port: u32, leaf: NodeId) {
        let Some(Notifications { hold, .. }) = self.notifications else { return };
        self.avoided.retain(|avoided| avoided.until > now && (avoided.port, avoided.leaf) != (port, leaf));
        self.avoided.push(Avoided { port, leaf, until: now + hold });
    }

    fn avoids(&self, now: Time, port: u32, leaf: NodeId) -> bool {
        self.avoided.iter().any(|avoided| avoided.holds(now, port, leaf))
    }

    fn write_state(&self, out: &mut StateWriter) {
        let now = out.base();
        for avoided in self.avoided.iter().filter(|avoided| avoided.until > now) {
            out.word(u64::from(avoided.port) << 32 | u64::from(avoided.leaf.0));
            out.instant(avoided.until);
        }
        if let Choice::Turns(turns) = &self.choice {
            turns.write_state(out);
        }
    }
}

/// Finds the parallel links to the neighbour that a destination maps to.
#[derive(Debug, Clone)]
struct Lag {
    deal: DestinationModulo,
    /// For each port the lowest port to the same neighbour, which identifies the neighbour.
    neighbour: Box<[u32]>,
    /// For each of those, the last search that found it.
    found_in: Box<[u64]>,
    search: u64,
    /// Working memory: neighbours among the next hops, and the candidates that lead to one of them.
    neighbours: Vec<u32>,
    members: Vec<u32>,
}

impl Lag {
    fn new(position: Position) -> Lag {
        let first = |node: &NodeId| position.neighbours.iter().position(|other| other == node);
        let neighbour =
            position.neighbours.iter().map(|node| first(node).unwrap_or_default() as u32).collect();
        Lag {
            deal: position.deal,
            neighbour,
            found_in: vec![0; position.neighbours.len()].into(),
            search: 0,
            neighbours: Vec::new(),
            members: Vec::new(),
        }
    }

    /// The candidates to the neighbour that the destination maps to; neighbours in the order of their first candidates.
    fn group<P: Ports>(&mut self, packet: &PacketView, ports: &P) -> &[u32] {
        self.search += 1;
        self.neighbours.clear();
        for candidate in 0..ports.n_minimal() {
            let neighbour = self.neighbour[ports.port(candidate) as usize];
            let found_in = &mut self.found_in[neighbour as usize];
            if *found_in != self.search {
                *found_in = self.search;
                self.neighbours.push(neighbour);
            }
        }
        let chosen = self.neighbours[self.deal.turn(packet.destination) % self.neighbours.len()];
        let leads = |&candidate: &u32| self.neighbour[ports.port(candidate as usize) as usize] == chosen;
        self.members.clear();
        self.members.extend((0..ports.n_minimal() as u32).filter(leads));
        &self.members
    }
}

/// Round-robin pointers per group and ingress port.
#[derive(Debug, Clone)]
struct Turns {
    salt: u64,
    n_ingresses: u32,
    /// Groups seen so far, sorted by their ports.
    groups: Vec<Group>,
}

#[derive(Debug, Clone)]
struct Group {
    first: u32,
    count: u32,
    /// Its ports, if they are not consecutive.
    scattered: Box<[u32]>,
    /// The next member, per ingress port.
    pointers: Box<[u32]>,
}

impl Turns {
    fn new(position: Position) -> Turns {
        let salt = mix(position.seed ^ mix(u64::from(position.node) ^ PURPOSE));
        // A node's own packets have an extra ingress index.
        Turns { salt, n_ingresses: position.n_ports() + 1, groups: Vec::new() }
    }

    /// The next member of a group with this number of ports, given in rising order.
    #[inline]
    fn next(&mut self, ingress: u32, n_members: usize, port: impl Fn(usize) -> u32) -> usize {
        let number = self.number_of(n_members, port);
        let pointer = &mut self.groups[number].pointers[ingress as usize];
        let member = *pointer as usize;
        *pointer = if member + 1 == n_members { 0 } else { *pointer + 1 };
        member
    }

    #[inline]
    fn number_of(&mut self, n_members: usize, port: impl Fn(usize) -> u32) -> usize {
        let (first, last, count) = (port(0), port(n_members - 1), n_members as u32);
        let n_listed = if last - first + 1 == count { 0 } else { n_members };
        let listed = || (0..n_listed).map(&port);
        let found = self.groups.binary_search_by(|group| {
            let by_ends = (group.first, group.count).cmp(&(first, count));
            by_ends.then_with(|| group.scattered.iter().copied().cmp(listed()))
        });
        found.unwrap_or_else(|index| {
            let scattered = listed().collect();
            self.meet(index, first, count, scattered);
            index
        })
    }

    /// Adds a group at its first use.
    #[cold]
    fn meet(&mut self, index: usize, first: u32, count: u32, scattered: Box<[u32]>) {
        let start = |ingress: u32| mix(self.salt ^ (u64::from(ingress) << 32 | u64::from(first)));
        let start = |ingress| (start(ingress) % u64::from(count)) as u32;
        let pointers = (0..self.n_ingresses).map(start).collect();
        self.groups.insert(index, Group { first, count, scattered, pointers });
    }

    fn write_state(&self, out: &mut StateWriter) {
        for group in &self.groups {
            out.word(u64::from(group.first) << 32 | u64::from(group.count));
            group.scattered.iter().chain(&group.pointers).for_each(|&word| out.word(u64::from(word)));
        }
    }
}

/// Purpose number of the hash that sets the initial pointers.
const PURPOSE: u64 = 0x6169_7074;
