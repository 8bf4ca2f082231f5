//! Failures and recoveries: links, alone or with the switch or NIC they end at; reduced rates, errors; NICs that keep
//! pausing their switch.
//!
//! Models: the resulting changes of each link, whatever their cause; the events as the user named them, for the
//! records.
//! Leaves out: which nodes detect them, and when (`notice.rs`).

use netloom_units::{Duration, LinkId, NodeId, PortId, Rate, Time};

/// Which nodes avoid a failed link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FailureAwareness {
    /// Only the two nodes at its ends (Zeltser 2026).
    #[default]
    Local,
    /// Every node, from the next snapshot of global failure awareness on (modelling assumption).
    Global(ReroutePaths),
}

/// Which paths count when next hops are recomputed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReroutePaths {
    /// The shortest ones; in a tree with failed links they may lead down and up again.
    Shortest,
    /// The shortest up-down paths: buffers cannot wait for each other in a cycle.
    UpDown,
}

/// One change of one link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// When; `Time::ZERO` with [`FaultAction::Down`] means failed from the start.
    pub at: Time,
    /// Which link, both directions.
    pub link: LinkId,
    /// What happens.
    pub action: FaultAction,
}

/// What happens to a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultAction {
    /// The link carries no packets any more; packets whose transmission has not ended are lost.
    Down,
    /// The link carries packets again.
    Up,
    /// Packets that start from now on are sent at this rate.
    Rate(Rate),
    /// Packets that start from now on are lost at random.
    Errors(Errors),
}

impl Fault {
    /// Whether the link comes up (`true`) or goes down (`false`); `None` if neither.
    pub fn turns(&self) -> Option<bool> {
        match self.action {
            FaultAction::Down => Some(false),
            FaultAction::Up => Some(true),
            FaultAction::Rate(_) | FaultAction::Errors(_) => None,
        }
    }
}

/// How often a link loses data packets: a part for each packet and a part for each of its bits.
///
/// Both are stored as minus the logarithm of the probability of survival, so that causes add up; as the bits of a
/// non-negative float, which have the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Errors {
    per_packet: u64,
    per_bit: u64,
}

impl Errors {
    /// No errors.
    pub const NONE: Errors = Errors { per_packet: 0, per_bit: 0 };

    /// Each packet is lost with this probability.
    pub fn of_packets(chance: f64) -> Errors {
        Errors { per_packet: hazard(chance), per_bit: 0 }
    }

    /// Each bit is wrong with this probability, and a packet is lost with its first wrong bit.
    pub fn of_bits(chance: f64) -> Errors {
        Errors { per_packet: 0, per_bit: hazard(chance) }
    }

    /// Both, independently.
    #[must_use]
    pub fn and(self, other: Errors) -> Errors {
        let sum = |one: u64, two: u64| (f64::from_bits(one) + f64::from_bits(two)).to_bits();
        Errors {
            per_packet: sum(self.per_packet, other.per_packet),
            per_bit: sum(self.per_bit, other.per_bit),
        }
    }

    /// The probability that a packet of this size is lost.
    pub fn chance(self, bytes: u32) -> f64 {
        let bits = f64::from(bytes) * 8.0;
        -libm::expm1(-(f64::from_bits(self.per_packet) + f64::from_bits(self.per_bit) * bits))
    }

    /// The same, in 2^-64.
    pub fn threshold(self, bytes: u32) -> u64 {
        const WHOLE: f64 = 18_446_744_073_709_551_616.0;
        (self.chance(bytes) * WHOLE) as u64
    }
}

/// Minus the logarithm of the probability that an event of this probability does not happen.
fn hazard(chance: f64) -> u64 {
    // Zero has a sign, which must not matter.
    (-libm::log1p(-chance) + 0.0).to_bits()
}

/// A switch goes down, with all it holds, or comes up; its links are among [`Fault`]s of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SwitchFault {
    /// When.
    pub at: Time,
    /// Which switch.
    pub node: NodeId,
    /// Whether it comes up.
    pub up: bool,
}

/// An event as named by the user, or as drawn at random.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FaultEvent {
    /// When.
    pub at: Time,
    /// What it happens to.
    pub subject: Subject,
    /// What happens.
    pub action: EventAction,
}

/// The element that an event happens to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A link.
    Link(LinkId),
    /// A switch: all its links.
    Switch(NodeId),
    /// A NIC: its link.
    Nic(LinkId),
    /// A host: the links of all its NICs.
    Host(NodeId),
}

/// The action, in the user's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventAction {
    /// It goes down.
    Down,
    /// It comes up.
    Up,
    /// It goes down and comes up repeatedly, once in each period.
    Flap(Duration),
    /// It stops flapping.
    Steady,
    /// It has this rate.
    Degrade(Rate),
    /// It has its nominal rate again.
    Restore,
    /// It loses packets.
    Errors(Errors),
    /// It loses no more packets.
    Clear,
}

/// How soon changes of a link are detected and announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reaction {
    /// From the failure of a link until its ends detect it.
    pub detection: Duration,
    /// From its recovery until its ends detect it.
    pub recovery: Duration,
    /// From detection until next hops are recomputed, where failures are announced to all nodes.
    pub reconvergence: Duration,
}

/// A NIC that sends pause frames although it could receive packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Storm {
    /// Its port.
    pub port: PortId,
    /// When the first frame leaves.
    pub at: Time,
    /// When it resumes the traffic.
    pub end: Time,
    /// Interval between frames.
    pub interval: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_lost_with_its_first_wrong_bit() {
        let chance = Errors::of_bits(1e-6).chance(1_000);
        let exact = 1.0 - libm::pow(1.0 - 1e-6, 8_000.0);
        assert!((chance - exact).abs() < 1e-12, "{chance} {exact}");
        // Where the direct formula has lost all its digits.
        let small = Errors::of_bits(1e-15).chance(4_096);
        assert!((small / (1e-15 * 32_768.0) - 1.0).abs() < 1e-9, "{small}");
        assert!(Errors::of_bits(1e-15).threshold(4_096) > 0);
    }

    #[test]
    fn loss_probabilities_combine_to_the_joint_survival() {
        let both = Errors::of_packets(0.5).and(Errors::of_packets(0.5));
        assert!((both.chance(64) - 0.75).abs() < 1e-15);
        assert_eq!(Errors::NONE.and(Errors::of_packets(0.0)), Errors::NONE);
        assert_eq!(Errors::NONE.threshold(9_000), 0);
        assert_eq!(Errors::of_packets(1.0).threshold(1), u64::MAX);
        assert_eq!(Errors::of_bits(0.0).and(Errors::of_packets(1.0)).threshold(1), u64::MAX);
    }
}
