//! Load balancing: which egress port a packet takes.
//!
//! Each policy is one file with a `SPEC`, a state per node and an `impl Balance`. The registry below is the only list.

mod adaptive;
mod adaptive_infiniband;
mod adaptive_spectrum;
pub mod destination_modulo;
pub mod deterministic;
pub mod detour;
mod ecmp;
mod flowlet;
mod least;
pub mod linear;
pub mod nslb;
mod outside;
mod par;
mod piggyback;
mod ports;
mod progressive;
pub mod psn_spray;
mod resilient;
mod round_robin;
mod slingshot;
mod spray;
mod ugal_g;
mod ugal_l;
mod valiant;

use std::fmt;
use std::sync::Arc;

use netloom_units::{Bytes, Duration, HostId, NodeId, Random, Settings, Spec, StateWriter, Time};

pub use least::{MOST_MASKED, one_of, ties_of_least};
pub use outside::{MakeOutside, OutsidePolicies};
pub use ports::Ports;

use crate::central::Plan;
use crate::edge::path_map::PathMap;
use destination_modulo::DestinationModulo;
use detour::Groups;

/// The fields of a packet that a policy may read.
#[derive(Debug, Clone, Copy)]
pub struct PacketView<'a> {
    /// The flow's hash input: equal for all packets of a flow, fixed by the sender.
    pub entropy: u32,
    /// Number of the packet in its message, from 0.
    pub sequence: u32,
    /// Size on the wire, in bytes.
    pub bytes: u32,
    /// Traffic class.
    pub class: u8,
    /// The policy tag the packet carries.
    pub tag: u32,
    /// Whether it is a data packet; ACKs and other control packets are not.
    pub is_data: bool,
    /// Whether its sender allows packets of the same flow to overtake it; always false for control packets.
    pub may_reorder: bool,
    /// Whether its flow had no packet in flight when it was sent; valid only if the policy requires it
    /// ([`Chosen::asks_for_drained`]).
    pub is_drained: bool,
    /// Ingress port; packets that a host itself sends have the number of its ports here.
    pub ingress: u32,
    /// The destination host.
    pub destination: HostId,
    /// Index of its message, to look up in `senders`; has no other meaning.
    pub message: u32,
    /// Looks up where packets come from.
    pub senders: &'a dyn Senders,
}

impl PacketView<'_> {
    /// The source host.
    pub fn sender(&self) -> HostId {
        self.senders.sender(self.message, self.is_data)
    }

    /// The group of the destination host, in a fabric of groups.
    pub fn group(&self) -> u32 {
        self.senders.group(self.destination)
    }
}

/// Looks up where packets come from: on request only, so that policies that do not need it pay nothing.
pub trait Senders: fmt::Debug {
    /// The source host of a message's packets: of its data packets, or of its control packets, which flow in reverse.
    fn sender(&self, message: u32, is_data: bool) -> HostId;
    /// The switch that a host is attached to, by the host's first port.
    fn leaf(&self, host: HostId) -> NodeId;
    /// The group of a host, in a fabric of groups.
    fn group(&self, _host: HostId) -> u32 {
        0
    }
}

/// A single host sends everything.
impl Senders for HostId {
    fn sender(&self, _: u32, _: bool) -> HostId {
        *self
    }

    /// Every host is attached to a switch of its own.
    fn leaf(&self, host: HostId) -> NodeId {
        NodeId(host.0)
    }
}

/// When a switch notifies its upstream neighbours of congestion, and how long these react to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notifications {
    /// An egress port is congested while more bytes of data than this wait there.
    pub above: Bytes,
    /// The upstream switch avoids the port towards the leaf for this long.
    pub hold: Duration,
}

/// The inputs of every decision besides packet and ports.
#[derive(Debug)]
pub struct Context<'a> {
    /// The instant of the decision.
    pub now: Time,
    /// A random stream of this node's own.
    pub random: &'a mut Random,
}

/// The decision: candidate port, and the packet's traffic class and tag from here on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pick {
    /// Number of the candidate, minimal ones first.
    pub candidate: usize,
    /// Traffic class from here on.
    pub class: u8,
    /// Policy tag from here on.
    pub tag: u32,
}

impl Pick {
    /// No candidate: the packet has none on minimal paths, and the policy found no other.
    pub const NOWHERE: usize = usize::MAX;

    /// Takes a candidate and leaves class and tag as they are.
    #[inline]
    pub fn unchanged(candidate: usize, packet: &PacketView) -> Pick {
        Pick { candidate, class: packet.class, tag: packet.tag }
    }
}

/// A balancing policy, one instance per node.
pub trait Balance {
    /// Chooses among the candidates.
    fn pick<P: Ports>(&mut self, context: &mut Context, packet: &PacketView, ports: &mut P) -> Pick;

    /// The candidates that it may choose for a packet, for listing routing tables.
    fn may_take<P: Ports>(&mut self, _packet: &PacketView, ports: &P) -> Vec<usize> {
        (0..ports.n_minimal()).collect()
    }

    /// The groups that it may send a data packet through, besides the minimal paths, if the destination is not attached
    /// to this switch; the switch's own group means any other switch of it.
    fn may_open(&self, _packet: &PacketView) -> Vec<u32> {
        Vec::new()
    }

    /// Whether it reads packet counts of queues; ports count packets only if some policy does.
    fn counts_packets(&self) -> bool {
        false
    }

    /// Whether it takes the port with the fewest waiting bytes; byte counts are kept in a comparable array only if so.
    fn compares_bytes(&self) -> bool {
        false
    }

    /// Whether it compares data bytes per class with thresholds.
    fn compares_class_bytes(&self) -> bool {
        false
    }

    /// Sets the switch's role in path naming over several tiers, before the run.
    fn take_part(&mut self, _part: PathPart<'_>) {}

    /// Stops spraying, or resumes it: a middlebox at the edge was notified of a failure, or of its end.
    fn fall_back(&mut self, _is_off: bool) {}

    /// Installs a new plan of the central controller.
    fn adopt(&mut self, _plan: &Arc<Plan>) {}

    /// When switches notify their upstream neighbours of congestion; `None` if never.
    fn notifications(&self) -> Option<Notifications> {
        None
    }

    /// The switch behind a port has signalled congestion towards a leaf.
    fn avoid(&mut self, _now: Time, _port: u32, _leaf: NodeId) {}

    /// Whether a port is avoided towards a leaf.
    fn avoids(&self, _now: Time, _port: u32, _leaf: NodeId) -> bool {
        false
    }

    /// Writes the state that later answers depend on.
    fn write_state(&self, _out: &mut StateWriter) {}
}

/// A policy from outside this crate, called through dynamic dispatch.
pub trait DynBalance: Send {
    /// Chooses among the candidates.
    fn pick(&mut self, context: &mut Context, packet: &PacketView, ports: &mut dyn Ports) -> Pick;

    /// Writes the state that later answers depend on.
    fn write_state(&self, _out: &mut StateWriter) {}
}

/// Where an instance is located.
#[derive(Debug, Clone, Copy)]
pub struct Position<'a> {
    /// The run's seed.
    pub seed: u64,
    /// The node's number.
    pub node: u32,
    /// The node at the other end of each of its ports.
    pub neighbours: &'a [NodeId],
    /// Number of hash bits that the tiers below use, for a linear hash: this node uses the bits above them.
    pub bits_below: u32,
    /// How it distributes destinations over next hops.
    pub deal: DestinationModulo,
    /// Its position in a fabric of groups, if it is a switch of one.
    pub groups: Option<Groups<'a>>,
}

impl Position<'_> {
    /// Number of its ports; a host's own packets count as ingress port of that number.
    pub fn n_ports(&self) -> u32 {
        self.neighbours.len() as u32
    }
}

/// The role of a switch in path naming over several tiers with a choice.
#[derive(Debug, Clone, Copy)]
pub enum PathPart<'a> {
    /// Names the path; the other tiers follow.
    First(&'a Arc<PathMap>),
    /// Follows the path name.
    Later,
}

/// Makes an instance of a policy from outside this crate.
pub type DynMaker = Arc<dyn Fn(Position) -> Box<dyn DynBalance> + Send + Sync>;

/// A policy with its parameters, ready to be instantiated.
#[derive(Clone)]
pub enum Chosen {
    /// One of the registry, by its number there.
    Registered {
        /// Index in [`SPECS`].
        number: usize,
        /// Its parameters.
        settings: Settings,
    },
    /// One from outside this crate.
    Dyn(DynMaker),
}

impl fmt::Debug for Chosen {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Chosen::Registered { number, settings } => {
                write!(formatter, "{} {settings:?}", SPECS[*number].name)
            }
            Chosen::Dyn(_) => formatter.write_str("a policy from outside"),
        }
    }
}

impl Chosen {
    /// A registered policy by name with its default parameters.
    ///
    /// # Panics
    /// If there is none of that name.
    pub fn named(name: &str) -> Chosen {
        let number = number_of(name).unwrap_or_else(|| panic!("no balancing policy `{name}`"));
        Chosen::Registered { number, settings: SPECS[number].defaults() }
    }

    /// Whether it is the registered policy of this name.
    pub fn is(&self, name: &str) -> bool {
        matches!(self, Chosen::Registered { number, .. } if SPECS[*number].name == name)
    }

    /// Whether it reads bytes per class: data is counted per class only if some policy does.
    pub fn asks_for_classes(&self) -> bool {
        self.is(adaptive_spectrum::SPEC.name) || matches!(self, Chosen::Dyn(_))
    }

    /// Whether it may send packets over non-minimal paths: these are computed only if some policy does.
    pub fn takes_longer(&self) -> bool {
        match self {
            Chosen::Registered { settings, .. } => {
                self.is(adaptive_spectrum::SPEC.name) && adaptive_spectrum::uses_non_minimal(settings)
            }
            Chosen::Dyn(_) => false,
        }
    }

    /// Whether packets keep their traffic class: all registered policies leave it unchanged.
    pub fn keeps_class(&self) -> bool {
        matches!(self, Chosen::Registered { .. })
    }
}

/// Whether packets of a flow may take different paths at the same time, so that they overtake each other.
pub fn reorders(spec: &Spec, settings: &Settings) -> bool {
    match spec.name {
        "ecmp" | "deterministic" | "nslb" => false,
        "flowlet" => settings.choice("by") == "packets",
        _ => true,
    }
}

/// The index of a policy in [`SPECS`].
pub fn number_of(name: &str) -> Option<usize> {
    SPECS.iter().position(|spec| spec.name == name)
}

/// Closes the set of policies into one enum, so that the hot path is a `match` the compiler can inline.
///
/// Policies listed as `apart` are called, not inlined: code compiled into the hot path slows down everything in it. A
/// node that compares its ports has its own entry point.
macro_rules! registry {
    (inlined: $($hot:ident => $hot_module:ident),+; apart: $($far:ident => $far_module:ident),+;) => {
        registry! { [$($hot),+] $($hot => $hot_module,)+ $($far => $far_module,)+ }
    };
    ([$($hot:ident),+] $($variant:ident => $module:ident,)+) => {
        /// Every registered policy.
        pub static SPECS: &[&Spec] = &[$(&$module::SPEC),+];

        /// An instance of a policy at a node. Its tag is a word of its own, so that one load reads it.
        #[repr(u32)]
        pub enum Balancer {
            $(
                #[doc = concat!("`", stringify!($module), "`")]
                $variant($module::$variant),
            )+
            /// A policy from outside this crate.
            Dyn(Box<dyn DynBalance>),
            /// One policy for data and another for control packets.
            Apart(Box<(Balancer, Balancer)>),
        }

        impl Balancer {
            /// This policy for data, another one for control packets.
            #[must_use]
            pub fn apart_from(self, control: Balancer) -> Balancer {
                // A stateless policy need not be split.
                if matches!((&self, &control), (Balancer::Spray(_), Balancer::Spray(_))) {
                    return self;
                }
                Balancer::Apart(Box::new((self, control)))
            }

            /// Instantiates a chosen policy at a node.
            pub fn instantiate(chosen: &Chosen, position: Position) -> Balancer {
                let (number, settings) = match chosen {
                    Chosen::Dyn(make) => return Balancer::Dyn(make(position)),
                    Chosen::Registered { number, settings } => (*number, settings),
                };
                let name = SPECS[number].name;
                $(
                    if name == $module::SPEC.name {
                        return Balancer::$variant($module::$variant::new(settings, position));
                    }
                )+
                unreachable!("`{name}` is in SPECS")
            }

            /// Chooses among the candidates.
            ///
            /// Packet and ports are described only once the policy is known, so that a policy that reads neither pays
            /// nothing.
            #[inline(always)]
            pub fn pick<'a, P: Ports>(
                &mut self,
                context: &mut Context,
                packet: impl FnOnce() -> PacketView<'a>,
                ports: impl FnOnce() -> P,
            ) -> Pick {
                match self {
                    $(Balancer::$hot(policy) => policy.pick(context, &packet(), &mut ports()),)+
                    other => other.pick_apart(context, &packet(), &mut ports()),
                }
            }

            /// As [`Balancer::pick`], where the policy most likely compares ports.
            #[inline(always)]
            pub fn pick_comparing<'a, P: Ports>(
                &mut self,
                context: &mut Context,
                packet: impl FnOnce() -> PacketView<'a>,
                ports: impl FnOnce() -> P,
            ) -> Pick {
                match self {
                    Balancer::Adaptive(policy) => policy.pick(context, &packet(), &mut ports()),
                    other => other.pick_apart(context, &packet(), &mut ports()),
                }
            }

            /// As [`Balancer::pick`], by a call. Marked cold, so that the hot path is laid out without it.
            #[cold]
            #[inline(never)]
            fn pick_apart<P: Ports>(
                &mut self,
                context: &mut Context,
                packet: &PacketView,
                ports: &mut P,
            ) -> Pick {
                match self {
                    $(Balancer::$variant(policy) => policy.pick(context, packet, ports),)+
                    Balancer::Dyn(policy) => policy.pick(context, packet, ports),
                    Balancer::Apart(two) => two.pick(context, packet, ports),
                }
            }

            /// The candidates that it may choose for a data packet, for listing routing tables.
            pub fn may_take<P: Ports>(&mut self, packet: &PacketView, ports: &P) -> Vec<usize> {
                match self {
                    $(Balancer::$variant(policy) => policy.may_take(packet, ports),)+
                    Balancer::Dyn(_) => (0..ports.n_minimal()).collect(),
                    Balancer::Apart(two) => two.0.may_take(packet, ports),
                }
            }

            /// The groups that it may send a data packet through, besides the minimal paths, if the destination is not
            /// attached to this switch; the switch's own group means any other switch of it.
            pub fn may_open(&self, packet: &PacketView) -> Vec<u32> {
                match self {
                    $(Balancer::$variant(policy) => policy.may_open(packet),)+
                    Balancer::Dyn(_) => Vec::new(),
                    Balancer::Apart(two) => two.0.may_open(packet),
                }
            }

            /// Whether it may read packet counts of queues.
            pub fn counts_packets(&self) -> bool {
                match self {
                    $(Balancer::$variant(policy) => policy.counts_packets(),)+
                    Balancer::Dyn(_) => true,
                    Balancer::Apart(two) => two.0.counts_packets() || two.1.counts_packets(),
                }
            }

            /// Whether it may take the port with the fewest waiting bytes.
            pub fn compares_bytes(&self) -> bool {
                match self {
                    $(Balancer::$variant(policy) => policy.compares_bytes(),)+
                    Balancer::Dyn(_) => true,
                    Balancer::Apart(two) => two.0.compares_bytes() || two.1.compares_bytes(),
                }
            }

            /// Whether it compares data bytes per class with thresholds.
            pub fn compares_class_bytes(&self) -> bool {
                match self {
                    $(Balancer::$variant(policy) => policy.compares_class_bytes(),)+
                    Balancer::Dyn(_) => false,
                    Balancer::Apart(two) => two.0.compares_class_bytes() || two.1.compares_class_bytes(),
                }
            }

            /// Sets the switch's role in path naming over several tiers, before the run.
            pub fn take_part(&mut self, part: PathPart<'_>) {
                match self {
                    $(Balancer::$variant(policy) => policy.take_part(part),)+
                    Balancer::Dyn(_) => {}
                    Balancer::Apart(two) => two.0.take_part(part),
                }
            }

            /// Stops spraying data packets, or resumes it.
            pub fn fall_back(&mut self, is_off: bool) {
                match self {
                    $(Balancer::$variant(policy) => policy.fall_back(is_off),)+
                    Balancer::Dyn(_) => {}
                    Balancer::Apart(two) => two.0.fall_back(is_off),
                }
            }

            /// Installs a new plan of the central controller.
            pub fn adopt(&mut self, plan: &Arc<Plan>) {
                match self {
                    $(Balancer::$variant(policy) => policy.adopt(plan),)+
                    Balancer::Dyn(_) => {}
                    Balancer::Apart(two) => two.0.adopt(plan),
                }
            }

            /// When switches notify their upstream neighbours of congestion; `None` if never.
            pub fn notifications(&self) -> Option<Notifications> {
                match self {
                    $(Balancer::$variant(policy) => policy.notifications(),)+
                    Balancer::Dyn(_) => None,
                    Balancer::Apart(two) => two.0.notifications(),
                }
            }

            /// The switch behind a port has signalled congestion towards a leaf.
            pub fn avoid(&mut self, now: Time, port: u32, leaf: NodeId) {
                match self {
                    $(Balancer::$variant(policy) => policy.avoid(now, port, leaf),)+
                    Balancer::Dyn(_) => {}
                    Balancer::Apart(two) => two.0.avoid(now, port, leaf),
                }
            }

            /// Whether a port is avoided towards a leaf.
            pub fn avoids(&self, now: Time, port: u32, leaf: NodeId) -> bool {
                match self {
                    $(Balancer::$variant(policy) => policy.avoids(now, port, leaf),)+
                    Balancer::Dyn(_) => false,
                    Balancer::Apart(two) => two.0.avoids(now, port, leaf),
                }
            }

            /// Writes the state that later answers depend on.
            pub fn write_state(&self, out: &mut StateWriter) {
                match self {
                    $(Balancer::$variant(policy) => policy.write_state(out),)+
                    Balancer::Dyn(policy) => policy.write_state(out),
                    Balancer::Apart(two) => {
                        two.0.write_state(out);
                        two.1.write_state(out);
                    }
                }
            }
        }
    };
}

/// Two policies at a node, for data and for control packets.
trait Two {
    fn pick<P: Ports>(&mut self, context: &mut Context, packet: &PacketView, ports: &mut P) -> Pick;
}

impl Two for (Balancer, Balancer) {
    #[inline(never)]
    fn pick<P: Ports>(&mut self, context: &mut Context, packet: &PacketView, ports: &mut P) -> Pick {
        let balancer = if packet.is_data { &mut self.0 } else { &mut self.1 };
        let ports: &mut dyn Ports = ports;
        balancer.pick(context, || *packet, || ports)
    }
}

registry! {
    inlined:
        Ecmp => ecmp,
        Flowlet => flowlet,
        PsnSpray => psn_spray,
        Spray => spray,
        RoundRobin => round_robin;
    apart:
        Adaptive => adaptive,
        Deterministic => deterministic,
        AdaptiveInfiniband => adaptive_infiniband,
        AdaptiveSpectrum => adaptive_spectrum,
        Nslb => nslb,
        Valiant => valiant,
        UgalL => ugal_l,
        UgalG => ugal_g,
        Par => par,
        Piggyback => piggyback,
        Progressive => progressive,
        Slingshot => slingshot;
}

#[cfg(test)]
mod tests;
