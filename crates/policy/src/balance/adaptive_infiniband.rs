//! # Idea
//! Adaptive routing as InfiniBand switches have it: a table names a group of ports for each destination, and packets are
//! spread over the group, also while nothing waits.
//!
//! # Source
//! Seed 002, sections II and IV, measured on HDR switches: the groups LAG and TREE of the adaptive routing manager, and that
//! packets of one flow alternate at every load. Pointers per in-link and group, and the choice by load, are ours.
//!
//! Notifications (ARN): that paper, section II.B, for the idea; every rule of them is ours.
//!
//! # Parameters
//! `group`: `tree` takes all next hops as one group; `lag` takes the parallel links to one neighbour, which is chosen by
//! destination as `deterministic` chooses a port. `choice`: `turns` or the least waiting bytes, random among equal.
//! `notify_above`: bytes waiting at an egress above which a switch tells those upstream; `notify_hold`: for how long they
//! avoid that port towards the leaf concerned.
//!
//! # Invariants
//! With `turns`, of one in-link's packets towards one group the counts per port differ by at most one. A pointer of its own
//! for every in-link and group: a shared one locks into step with senders and arbiters of constant pace, and groups that
//! take turns would each see every other turn only. With `lag`, packets to one destination leave for one neighbour.
//! A port that is avoided is taken only if all of its group are.
//!
//! # When it misleads
//! Pointers start at random places that the seed fixes. Without notifications groups ignore what lies further
//! on. Every packet is spread, at hosts as well where it is named for them.

use netloom_units::{Duration, Kind, NodeId, Parameter, Settings, Spec, StateWriter, Time, Value, mix};

use super::deal::Deal;
use super::least::Least;
use super::{Balance, Context, Notifications, PacketView, Pick, Ports, Position};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "adaptive_infiniband",
    summary: "each packet takes the next port of its destination's group, or the least loaded one",
    source: "InfiniBand's adaptive routing manager; whose turn it is, is ours",
    parameters: &[
        Parameter {
            name: "group",
            kind: Kind::Choice(&["tree", "lag"]),
            default: Some(Value::Choice("tree")),
            meaning: "over what packets are spread: all next hops, or the parallel links to one of the neighbours",
        },
        Parameter {
            name: "choice",
            kind: Kind::Choice(&["turns", "load"]),
            default: Some(Value::Choice("turns")),
            meaning: "which port of the group: the next one in turn, or the one with the least waiting bytes",
        },
        Parameter {
            name: "notify_above",
            kind: Kind::Optional(&Kind::Size),
            default: Some(Value::Absent),
            meaning: "bytes waiting at an egress above which a switch tells those upstream (ARN); `none` never does",
        },
        Parameter {
            name: "notify_hold",
            kind: Kind::Duration,
            default: Some(Value::Duration(Duration::from_micros(20))),
            meaning: "for how long these avoid the port to it, towards the leaf of the packets concerned",
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

/// A port that is avoided.
#[derive(Debug, Clone, Copy)]
struct Avoided {
    port: u32,
    /// Towards hosts below this switch.
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
    /// So many, all there are.
    All(usize),
    /// These.
    Listed(&'a [u32]),
}

impl<'a> Members<'a> {
    /// Those that are not avoided, or all if all are.
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

/// Finds the parallel links to the neighbour that is a destination's.
#[derive(Debug, Clone)]
struct Lag {
    deal: Deal,
    /// For each port the first one that leads to the same neighbour, which stands for it.
    neighbour: Box<[u32]>,
    /// For each of those, in which search it was found last.
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

    /// The candidates that lead to the neighbour whose turn it is, neighbours in the order of their first candidates.
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

/// Whose turn it is in each group, by in-link.
#[derive(Debug, Clone)]
struct Turns {
    salt: u64,
    n_ingresses: u32,
    /// Groups that were met so far, sorted by their ports.
    groups: Vec<Group>,
}

#[derive(Debug, Clone)]
struct Group {
    first: u32,
    count: u32,
    /// Its ports, where they do not follow each other.
    scattered: Box<[u32]>,
    /// Whose turn it is among packets of each in-link.
    pointers: Box<[u32]>,
}

impl Turns {
    fn new(position: Position) -> Turns {
        let salt = mix(position.seed ^ mix(u64::from(position.node) ^ PURPOSE));
        // A node's own packets come by an in-link of their own.
        Turns { salt, n_ingresses: position.n_ports() + 1, groups: Vec::new() }
    }

    /// The member whose turn it is, of a group with so many and these ports, in rising order.
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
        found.unwrap_or_else(|place| {
            let scattered = listed().collect();
            self.meet(place, first, count, scattered);
            place
        })
    }

    /// A group is met for the first time.
    #[cold]
    fn meet(&mut self, place: usize, first: u32, count: u32, scattered: Box<[u32]>) {
        let start = |ingress: u32| mix(self.salt ^ (u64::from(ingress) << 32 | u64::from(first)));
        let start = |ingress| (start(ingress) % u64::from(count)) as u32;
        let pointers = (0..self.n_ingresses).map(start).collect();
        self.groups.insert(place, Group { first, count, scattered, pointers });
    }

    fn write_state(&self, out: &mut StateWriter) {
        for group in &self.groups {
            out.word(u64::from(group.first) << 32 | u64::from(group.count));
            group.scattered.iter().chain(&group.pointers).for_each(|&word| out.word(u64::from(word)));
        }
    }
}

/// Purpose number of what places the pointers.
const PURPOSE: u64 = 0x6169_7074;
