//! Load balancing: which egress port a packet takes.
//!
//! Each policy is one file with a `SPEC`, a state per node and an `impl Balance`. The registry below is the only list.

mod adaptive;
mod ecmp;
mod flowlet;
pub mod linear;
pub mod psn_spray;
mod round_robin;
mod spray;

use std::fmt;
use std::sync::Arc;

use netloom_units::{Random, Settings, Spec, StateWriter, Time};

use crate::edge::path_map::PathMap;

/// What a policy may know of the packet.
#[derive(Debug, Clone, Copy)]
pub struct PacketView {
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
    /// Whether it is data, not an ACK or another packet of control.
    pub is_data: bool,
    /// In-link it came by; a host's own packets come by the number of its ports.
    pub ingress: u32,
}

/// The candidate ports: first the minimal ones, then the longer ones.
///
pub trait Ports {
    /// Number of candidates on shortest paths; at least one.
    fn n_minimal(&self) -> usize;
    /// Number of candidates on longer paths.
    fn n_longer(&self) -> usize;
    /// Bytes accepted and not yet sent at a candidate, the rest of the packet on the wire included.
    fn waiting_bytes(&mut self, candidate: usize) -> u64;
    /// Packets waiting at a candidate, the one on the wire not included.
    fn waiting_packets(&mut self, candidate: usize) -> u64;
}

impl Ports for &mut dyn Ports {
    fn n_minimal(&self) -> usize {
        (**self).n_minimal()
    }

    fn n_longer(&self) -> usize {
        (**self).n_longer()
    }

    fn waiting_bytes(&mut self, candidate: usize) -> u64 {
        (**self).waiting_bytes(candidate)
    }

    fn waiting_packets(&mut self, candidate: usize) -> u64 {
        (**self).waiting_packets(candidate)
    }
}

/// What every decision is given beside packet and ports.
#[derive(Debug)]
pub struct Context<'a> {
    /// The instant of the decision.
    pub now: Time,
    /// A random stream of this node's own.
    pub random: &'a mut Random,
}

/// The answer: which candidate, in which class, carrying which tag on.
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
    /// A candidate, leaving class and tag as they are.
    #[inline]
    pub fn plain(candidate: usize, packet: &PacketView) -> Pick {
        Pick { candidate, class: packet.class, tag: packet.tag }
    }
}

/// A balancing policy, one instance per node.
pub trait Balance {
    /// Chooses among the candidates.
    fn pick<P: Ports>(&mut self, context: &mut Context, packet: &PacketView, ports: &mut P) -> Pick;

    /// Whether it asks for packets waiting; ports count them only where somebody does.
    fn counts_packets(&self) -> bool {
        false
    }

    /// Takes its part in naming paths over several tiers, before the run.
    fn take_part(&mut self, _part: PathPart<'_>) {}

    /// Sprays no more, or again: a helper at the edge was told of a failure, or of its end.
    fn fall_back(&mut self, _is_off: bool) {}

    /// Writes the state that later answers depend on.
    fn write_state(&self, _out: &mut StateWriter) {}
}

/// A policy from outside this crate, called through a table.
pub trait DynBalance: Send {
    /// Chooses among the candidates.
    fn pick(&mut self, context: &mut Context, packet: &PacketView, ports: &mut dyn Ports) -> Pick;

    /// Writes the state that later answers depend on.
    fn write_state(&self, _out: &mut StateWriter) {}
}

/// Where an instance sits.
#[derive(Debug, Clone, Copy)]
pub struct Seat {
    /// The run's seed.
    pub seed: u64,
    /// The node's number.
    pub node: u32,
    /// How many ports it has; a host's own packets count as in-link `n_ports`.
    pub n_ports: u32,
    /// Bits of a linear hash by which the tiers below it choose: it takes the ones above.
    pub bits_below: u32,
}

/// What a switch does about paths over several choosing tiers.
#[derive(Debug, Clone, Copy)]
pub enum PathPart<'a> {
    /// Names the path, for the others to follow.
    First(&'a Arc<PathMap>),
    /// Follows the name.
    Later,
}

/// Makes an instance of a policy from outside this crate.
pub type DynMaker = Arc<dyn Fn(Seat) -> Box<dyn DynBalance> + Send + Sync>;

/// A policy with its parameters, ready to be seated.
#[derive(Clone)]
pub enum Chosen {
    /// One of the registry, by its number there.
    Registered {
        /// Place in [`SPECS`].
        number: usize,
        /// Its parameters.
        settings: Settings,
    },
    /// One from outside.
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

    /// Whether packets keep their traffic class: all registered policies leave it alone.
    pub fn keeps_class(&self) -> bool {
        matches!(self, Chosen::Registered { .. })
    }
}

/// The place of a policy in [`SPECS`].
pub fn number_of(name: &str) -> Option<usize> {
    SPECS.iter().position(|spec| spec.name == name)
}

/// Closes the set of policies into one enum, so that the hot path is a `match` the compiler can inline.
macro_rules! registry {
    ($($variant:ident => $module:ident),+ $(,)?) => {
        /// Every registered policy.
        pub static SPECS: &[&Spec] = &[$(&$module::SPEC),+];

        /// An instance of a policy at a node.
        pub enum Balancer {
            $(
                #[doc = concat!("`", stringify!($module), "`")]
                $variant($module::$variant),
            )+
            /// A policy from outside.
            Dyn(Box<dyn DynBalance>),
            /// One policy for data and another for control packets.
            Apart(Box<(Balancer, Balancer)>),
        }

        impl Balancer {
            /// This policy for data, another one for control packets.
            #[must_use]
            pub fn apart_from(self, control: Balancer) -> Balancer {
                Balancer::Apart(Box::new((self, control)))
            }

            /// Seats a chosen policy at a node.
            pub fn seat(chosen: &Chosen, seat: Seat) -> Balancer {
                let (number, settings) = match chosen {
                    Chosen::Dyn(make) => return Balancer::Dyn(make(seat)),
                    Chosen::Registered { number, settings } => (*number, settings),
                };
                let name = SPECS[number].name;
                $(
                    if name == $module::SPEC.name {
                        return Balancer::$variant($module::$variant::new(settings, seat));
                    }
                )+
                unreachable!("`{name}` is in SPECS")
            }

            /// Chooses among the candidates.
            ///
            /// Packet and ports are described only once the policy is known, so that one which looks at neither costs
            /// nothing for them.
            #[inline(always)]
            pub fn pick<P: Ports>(
                &mut self,
                context: &mut Context,
                packet: impl FnOnce() -> PacketView,
                ports: impl FnOnce() -> P,
            ) -> Pick {
                match self {
                    $(Balancer::$variant(policy) => policy.pick(context, &packet(), &mut ports()),)+
                    Balancer::Dyn(policy) => policy.pick(context, &packet(), &mut ports()),
                    Balancer::Apart(two) => two.pick(context, &packet(), &mut ports()),
                }
            }

            /// Whether it may ask for packets waiting.
            pub fn counts_packets(&self) -> bool {
                match self {
                    $(Balancer::$variant(policy) => policy.counts_packets(),)+
                    Balancer::Dyn(_) => true,
                    Balancer::Apart(two) => two.0.counts_packets() || two.1.counts_packets(),
                }
            }

            /// Takes its part in naming paths over several tiers, before the run.
            pub fn take_part(&mut self, part: PathPart<'_>) {
                match self {
                    $(Balancer::$variant(policy) => policy.take_part(part),)+
                    Balancer::Dyn(_) => {}
                    Balancer::Apart(two) => two.0.take_part(part),
                }
            }

            /// Sprays data no more, or again.
            pub fn fall_back(&mut self, is_off: bool) {
                match self {
                    $(Balancer::$variant(policy) => policy.fall_back(is_off),)+
                    Balancer::Dyn(_) => {}
                    Balancer::Apart(two) => two.0.fall_back(is_off),
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
    Ecmp => ecmp,
    Flowlet => flowlet,
    PsnSpray => psn_spray,
    Spray => spray,
    RoundRobin => round_robin,
    Adaptive => adaptive,
}

#[cfg(test)]
mod tests;
