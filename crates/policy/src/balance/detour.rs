//! Non-minimal paths in a fabric of groups (dragonfly), through another group or through another switch of the same
//! group: the path state in a packet's tag, and what policies that use non-minimal paths have in common.
//!
//! Models: the layout of the tag; the random choice of an intermediate group or switch; the least loaded of several
//! ports; which packets may still choose.
//! Leaves out: when a non-minimal path is taken (each policy decides); the ports towards a group (the engine has them).
//!
//! Invariants: a packet to another group goes through at most one intermediate group, which is neither that of its
//! source nor that of its destination; a packet to another switch of its own group through at most one intermediate
//! switch of it, if the policy allows that. Once it has decided, or crossed a global link, it never chooses again.
//! Control packets take minimal paths.

use std::ops::Range;

use netloom_units::Value;

use super::least::Least;
use super::{
    Chosen, Context, PacketView, Pick, Ports, Position, par, piggyback, progressive, slingshot, ugal_g,
    ugal_l, valiant,
};

/// What a port of a switch connects to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behind {
    /// A host.
    Host,
    /// A switch of the same group.
    Local,
    /// A switch of this group.
    Global(u32),
}

/// The position of a switch in a fabric of groups.
#[derive(Debug, Clone, Copy)]
pub struct Groups<'a> {
    /// The number of groups.
    pub n_groups: u32,
    /// The switch's own group.
    pub own: u32,
    /// What each of its ports connects to.
    pub behind: &'a [Behind],
}

/// The path state in the tag of a data packet. A new packet has tag 0: undecided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Detour {
    /// The intermediate group that it goes to before its destination. The switch's own group means the next switch.
    pub through: Option<u32>,
    /// Whether its path is decided, so that it does not choose again.
    pub is_decided: bool,
}

impl Detour {
    const DECIDED: u32 = 1 << 31;

    /// Through an intermediate group.
    pub fn through(group: u32) -> Detour {
        Detour { through: Some(group), is_decided: true }
    }

    /// Reads a tag.
    pub fn of(tag: u32) -> Detour {
        let through = (tag & !Detour::DECIDED).checked_sub(1);
        Detour { through, is_decided: tag & Detour::DECIDED != 0 }
    }

    /// The tag that encodes this state.
    pub fn tag(self) -> u32 {
        let decided = if self.is_decided { Detour::DECIDED } else { 0 };
        self.through.map_or(0, |group| group + 1) | decided
    }

    /// Clears the intermediate group of a packet that has arrived there: from now on it goes to its destination.
    #[must_use]
    pub fn arrived_in(self, group: u32) -> Detour {
        Detour { through: self.through.filter(|&through| through != group), ..self }
    }
}

/// The queues of the global links of the switch behind a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemoteQueues {
    /// Bytes waiting at the least loaded of those that lead to the requested group.
    pub least: u64,
    /// Bytes waiting at all of them.
    pub sum: u64,
    /// The number of them.
    pub count: u64,
}

/// The policies that send packets through intermediate groups.
static GUIDES: [&str; 7] = [
    valiant::SPEC.name,
    ugal_l::SPEC.name,
    ugal_g::SPEC.name,
    par::SPEC.name,
    piggyback::SPEC.name,
    progressive::SPEC.name,
    slingshot::SPEC.name,
];

impl Chosen {
    /// Whether it may send packets through intermediate groups, so that it needs a fabric of groups.
    pub fn is_guide(&self) -> bool {
        GUIDES.iter().any(|name| self.is(name))
    }

    /// Whether packets may choose a path at every switch of the source's group, and not only at the source's switch, if
    /// it is such a policy.
    pub fn chooses_in_group(&self) -> bool {
        self.is(par::SPEC.name) || self.is(progressive::SPEC.name)
    }

    /// Whether it reads snapshots of queues at other switches.
    pub fn asks_beyond(&self) -> bool {
        self.is(ugal_g::SPEC.name) || self.is(piggyback::SPEC.name)
    }

    /// Number of virtual-lane (VL) increments that its paths need in a fabric of groups whose groups have two tiers or
    /// one.
    ///
    /// With one tier a minimal path is local, global, local; through an intermediate group it is two of these, with the
    /// local links between joined into one; and one local link more if a packet may choose again after the first. A
    /// path through another switch of its group is local, local, which is less. With two tiers every path within a
    /// group is up, down.
    pub fn lane_steps(&self, two_tiers: bool) -> u8 {
        match (self.is_guide(), two_tiers) {
            (false, _) => 2,
            (true, true) => 4,
            (true, false) if self.chooses_in_group() => 4,
            (true, false) => 3,
        }
    }

    /// Whether it needs to know which packets have no other packet of their flow in flight.
    pub fn asks_for_drained(&self) -> bool {
        match self {
            Chosen::Registered { settings, .. } => {
                self.is(slingshot::SPEC.name) && settings.get("order") == Value::Choice("drained")
            }
            Chosen::Dyn(_) => false,
        }
    }
}

/// Where packets may choose a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chooses {
    /// At the source's switch.
    AtSource,
    /// At every switch of the source's group.
    InGroup,
}

/// The choice of packets whose destination is at another switch of the source's group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    /// Minimal paths; the policy is not applied.
    Minimal,
    /// The policy chooses among minimal paths.
    Asked,
    /// An intermediate switch too, in groups whose switches are fully connected; other groups have no such paths.
    ThroughSwitches,
}

/// A policy's view of groups at its switch. In fabrics without groups there are none.
#[derive(Debug, Clone)]
pub(super) struct GroupRouting {
    n_groups: u32,
    own: u32,
    behind: Box<[Behind]>,
    /// Groups that can be reached from here by this switch's own global links, if it cannot reach all by going up.
    reachable_groups: Option<Box<[u32]>>,
    chooses: Chooses,
    within: Within,
    least: Least,
}

impl GroupRouting {
    pub(super) fn new(position: Position, chooses: Chooses) -> GroupRouting {
        let Some(groups) = position.groups else {
            let (behind, least) = (Box::default(), Least::default());
            return GroupRouting {
                n_groups: 0,
                own: 0,
                behind,
                reachable_groups: None,
                chooses,
                within: Within::Minimal,
                least,
            };
        };
        // A switch without hosts in a group of two tiers: only its own global links leave the group without a hop down
        // first.
        let has_hosts = groups.behind.contains(&Behind::Host);
        let beside = (!has_hosts).then(|| reachable_groups(groups.behind));
        GroupRouting {
            n_groups: groups.n_groups,
            own: groups.own,
            behind: groups.behind.into(),
            reachable_groups: beside,
            chooses,
            within: Within::Minimal,
            least: Least::default(),
        }
    }

    /// The same, with this rule for packets to another switch of their own group.
    #[must_use]
    pub(super) fn asking(self, within: Within) -> GroupRouting {
        GroupRouting { within, ..self }
    }

    /// Whether a packet may choose its path here.
    pub(super) fn may_choose<P: Ports>(&self, packet: &PacketView, ports: &P) -> bool {
        // Even after failures: no other switch helps a packet whose destination is attached to this one.
        let is_host = |port: u32| self.behind.get(port as usize) == Some(&Behind::Host);
        let is_below = || ports.n_healthy() > 0 && is_host(ports.healthy_port(0));
        self.is_asked(packet) && !is_below()
    }

    /// The same, except that the destination may be attached to this switch.
    fn is_asked(&self, packet: &PacketView) -> bool {
        if !packet.is_data || self.n_groups == 0 || Detour::of(packet.tag).is_decided {
            return false;
        }
        let is_in_flight = match self.behind.get(packet.ingress as usize) {
            Some(Behind::Global(_)) => false,
            Some(Behind::Local) => self.chooses == Chooses::InGroup,
            Some(Behind::Host) | None => true,
        };
        let stays = packet.group() == self.own;
        is_in_flight && if stays { self.within != Within::Minimal } else { self.n_groups > 2 }
    }

    /// The intermediate groups that a packet may take from here, if its destination is not attached to this switch; the
    /// switch's own group means any other switch of it.
    pub(super) fn may_open(&self, packet: &PacketView) -> Vec<u32> {
        if !self.is_asked(packet) {
            return Vec::new();
        }
        let to = packet.group();
        if to == self.own {
            return if self.within == Within::ThroughSwitches { vec![to] } else { Vec::new() };
        }
        let is_another = |&group: &u32| group != self.own && group != to;
        match &self.reachable_groups {
            Some(beside) => beside.iter().copied().filter(is_another).collect(),
            None => (0..self.n_groups).filter(is_another).collect(),
        }
    }

    /// Draws one of the intermediate groups that a packet may take from here; the packet must be allowed to choose.
    pub(super) fn draw(&self, context: &mut Context, packet: &PacketView) -> Option<u32> {
        let to = packet.group();
        if let Some(beside) = &self.reachable_groups {
            let known = beside.binary_search(&to);
            let count = beside.len() - usize::from(known.is_ok());
            if count == 0 {
                return None;
            }
            let index = context.random.below(count as u32) as usize;
            return Some(beside[index + usize::from(known.is_ok_and(|known| index >= known))]);
        }
        // All groups but the own one and the destination's.
        let (low, high) = (self.own.min(to), self.own.max(to));
        let mut group = context.random.below(self.n_groups - 2);
        group += u32::from(group >= low);
        group += u32::from(group >= high);
        Some(group)
    }

    /// Draws an intermediate group, or a switch of this group for packets that stay in it, and opens the ports towards
    /// it; `None` if no port leads there any more.
    pub(super) fn open<P: Ports>(
        &mut self,
        context: &mut Context,
        packet: &PacketView,
        ports: &mut P,
    ) -> Option<Opened> {
        if packet.group() == self.own {
            return if self.within == Within::ThroughSwitches {
                self.open_switch(context, ports)
            } else {
                None
            };
        }
        let group = self.draw(context, packet)?;
        let range = ports.open(group);
        let (candidate, waiting) = self.least_of(context, ports, range)?;
        Some(Opened { group, candidate, waiting })
    }

    /// Draws a port to a switch of this group that is on no minimal path.
    fn open_switch<P: Ports>(&self, context: &mut Context, ports: &mut P) -> Option<Opened> {
        let range = ports.open(self.own);
        let is_local = |port: u32| self.behind[port as usize] == Behind::Local;
        let minimal =
            || (0..ports.n_minimal()).map(|candidate| ports.port(candidate)).filter(|&port| is_local(port));
        let count = range.len().checked_sub(minimal().count()).filter(|&count| count > 0)?;
        let mut candidate = range.start + context.random.below(count as u32) as usize;
        // The minimal ports are among the opened ones, both in the order of ports.
        for port in minimal() {
            candidate += usize::from(ports.port(candidate) >= port);
        }
        Some(Opened { group: self.own, candidate, waiting: ports.waiting_bytes(candidate) })
    }

    /// The candidate of a range with the least backlog, random among ties, and that backlog.
    pub(super) fn least_of<P: Ports>(
        &mut self,
        context: &mut Context,
        ports: &mut P,
        range: Range<usize>,
    ) -> Option<(usize, u64)> {
        if range.is_empty() {
            return None;
        }
        let mut least = u64::MAX;
        let index = self.least.of(context, range.len(), |index| {
            let waiting = ports.waiting_bytes(range.start + index);
            least = least.min(waiting);
            waiting
        });
        Some((range.start + index, least))
    }

    /// As [`GroupRouting::least_of`], among the candidates that qualify.
    pub(super) fn least_where<P: Ports>(
        &mut self,
        context: &mut Context,
        ports: &mut P,
        range: Range<usize>,
        qualifies: impl Fn(&mut P, usize) -> bool,
    ) -> Option<usize> {
        if range.is_empty() {
            return None;
        }
        let index = self.least.of(context, range.len(), |index| {
            let candidate = range.start + index;
            if qualifies(ports, candidate) { ports.waiting_bytes(candidate) } else { u64::MAX }
        });
        Some(range.start + index)
    }

    /// The least loaded port of the minimal paths, or of those to the packet's intermediate group.
    pub(super) fn minimal<P: Ports>(&mut self, context: &mut Context, ports: &mut P) -> Option<(usize, u64)> {
        let n_minimal = ports.n_minimal();
        self.least_of(context, ports, 0..n_minimal)
    }

    /// Forwards a packet on the path that it has.
    pub(super) fn forward<P: Ports>(
        &mut self,
        context: &mut Context,
        packet: &PacketView,
        ports: &mut P,
    ) -> Pick {
        let found = self.minimal(context, ports);
        Pick::unchanged(found.map_or(Pick::NOWHERE, |found| found.0), packet)
    }

    /// Sends a packet on a minimal path. It may choose again at the next switch of this group if the policy chooses
    /// there.
    pub(super) fn take_minimal<P: Ports>(&self, candidate: usize, packet: &PacketView, ports: &P) -> Pick {
        let behind = self.behind.get(ports.port(candidate) as usize);
        let is_decided = self.chooses == Chooses::AtSource || behind != Some(&Behind::Local);
        let tag = Detour { through: None, is_decided }.tag();
        Pick { candidate, class: packet.class, tag }
    }

    /// Sends a packet on a non-minimal path.
    pub(super) fn take_non_minimal(opened: Opened, packet: &PacketView) -> Pick {
        let tag = Detour::through(opened.group).tag();
        Pick { candidate: opened.candidate, class: packet.class, tag }
    }
}

/// The group behind each global link, in rising order.
fn reachable_groups(behind: &[Behind]) -> Box<[u32]> {
    let group = |behind: &Behind| match behind {
        Behind::Global(group) => Some(*group),
        _ => None,
    };
    let mut groups: Vec<u32> = behind.iter().filter_map(group).collect();
    groups.sort_unstable();
    groups.dedup();
    groups.into()
}

/// The best port towards a drawn group, or a port to a drawn switch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opened {
    pub(super) group: u32,
    pub(super) candidate: usize,
    /// Bytes waiting there.
    pub(super) waiting: u64,
}
