//! Longer ways in a fabric of groups, through another group or through another switch of the own one: what the tag of a packet
//! says of its way, and what policies that send packets a longer way have in common.
//!
//! Models: the tag's layout; the draw of a group to go through, or of a switch; the least loaded of some ports; who may still
//! choose.
//! Leaves out: when a longer way is taken, which each policy knows; the ports towards a group, which the engine knows.
//!
//! Invariants: a packet to another group goes through one group at most, which is neither that of its source nor that of its
//! destination; one to another switch of its own group through one switch of it at most, where the policy has such ways. Once
//! it has decided, or crossed a global link, it never chooses again. Packets of control take minimal ways.

use std::ops::Range;

use netloom_units::Value;

use super::least::Least;
use super::{
    Chosen, Context, PacketView, Pick, Ports, Position, par, piggyback, progressive, slingshot, ugal_g,
    ugal_l, valiant,
};

/// What is behind a port of a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behind {
    /// A host.
    Host,
    /// A switch of the same group.
    Local,
    /// A switch of this group.
    Global(u32),
}

/// Where a switch stands in a fabric of groups.
#[derive(Debug, Clone, Copy)]
pub struct Groups<'a> {
    /// How many there are.
    pub n_groups: u32,
    /// Its own.
    pub own: u32,
    /// What is behind each of its ports.
    pub behind: &'a [Behind],
}

/// What the tag of a data packet says of its way. A fresh packet has tag 0: it has not decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Detour {
    /// The group that it is on its way to, before it goes to its destination. Its own one stands for the next switch.
    pub through: Option<u32>,
    /// Whether it may not choose any more.
    pub is_decided: bool,
}

impl Detour {
    const DECIDED: u32 = 1 << 31;

    /// Through a group.
    pub fn through(group: u32) -> Detour {
        Detour { through: Some(group), is_decided: true }
    }

    /// Reads a tag.
    pub fn of(tag: u32) -> Detour {
        let through = (tag & !Detour::DECIDED).checked_sub(1);
        Detour { through, is_decided: tag & Detour::DECIDED != 0 }
    }

    /// The tag that says so.
    pub fn tag(self) -> u32 {
        let decided = if self.is_decided { Detour::DECIDED } else { 0 };
        self.through.map_or(0, |group| group + 1) | decided
    }

    /// At a switch of a group: a packet that was on its way there goes to its destination from now on.
    #[must_use]
    pub fn arrived_in(self, group: u32) -> Detour {
        Detour { through: self.through.filter(|&through| through != group), ..self }
    }
}

/// What is known of the global links of the switch behind a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beyond {
    /// Bytes that waited at the one with the least, of those that lead to the group asked for.
    pub least: u64,
    /// Bytes that waited at all of them.
    pub sum: u64,
    /// How many they are.
    pub count: u64,
}

/// The policies that send packets through other groups.
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
    /// Whether it may send packets through other groups, so that it needs a fabric that has such.
    pub fn is_guide(&self) -> bool {
        GUIDES.iter().any(|name| self.is(name))
    }

    /// Whether it asks for snapshots of queues at other switches.
    pub fn asks_beyond(&self) -> bool {
        self.is(ugal_g::SPEC.name) || self.is(piggyback::SPEC.name)
    }

    /// Lane steps that its ways need in a fabric of groups, where groups are of two tiers or of one.
    ///
    /// In one tier a way is local, global, local; through another group twice that, the local links between being one; and one
    /// local link more where a packet may choose anew after the first. A way through another switch of its group is local and
    /// local, which is less. In two tiers every way within a group is up and down.
    pub fn lane_steps(&self, two_tiers: bool) -> u8 {
        match (self.is_guide(), two_tiers) {
            (false, _) => 2,
            (true, true) => 4,
            (true, false) if self.is(par::SPEC.name) || self.is(progressive::SPEC.name) => 4,
            (true, false) => 3,
        }
    }

    /// Whether it needs to know which packets find none of their flow under way.
    pub fn asks_for_drained(&self) -> bool {
        match self {
            Chosen::Registered { settings, .. } => {
                self.is(slingshot::SPEC.name) && settings.get("order") == Value::Choice("drained")
            }
            Chosen::Dyn(_) => false,
        }
    }
}

/// Where packets may choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chooses {
    /// At the switch above their source.
    AtSource,
    /// At every switch of the group of their source.
    InGroup,
}

/// What packets may do whose destination is below another switch of the group that they come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    /// They take minimal ways, and are not asked.
    Minimal,
    /// They choose among minimal ways.
    Asked,
    /// They may go through a third switch too, in groups whose switches are all joined; others have no such ways.
    ThroughSwitches,
}

/// What a policy knows of groups at its switch. Elsewhere there are none to go through.
#[derive(Debug, Clone)]
pub(super) struct Guide {
    n_groups: u32,
    own: u32,
    behind: Box<[Behind]>,
    /// Groups that packets may go through from here, where not all can be reached in one step upwards.
    beside: Option<Box<[u32]>>,
    chooses: Chooses,
    within: Within,
    least: Least,
}

impl Guide {
    pub(super) fn new(position: Position, chooses: Chooses) -> Guide {
        let Some(groups) = position.groups else {
            let (behind, least) = (Box::default(), Least::default());
            return Guide {
                n_groups: 0,
                own: 0,
                behind,
                beside: None,
                chooses,
                within: Within::Minimal,
                least,
            };
        };
        // A switch without hosts in a group of two tiers: only its own global links lead away without leading down first.
        let has_hosts = groups.behind.contains(&Behind::Host);
        let beside = (!has_hosts).then(|| beside(groups.behind));
        Guide {
            n_groups: groups.n_groups,
            own: groups.own,
            behind: groups.behind.into(),
            beside,
            chooses,
            within: Within::Minimal,
            least: Least::default(),
        }
    }

    /// The same, where packets to another switch of their own group are asked too.
    #[must_use]
    pub(super) fn asking(self, within: Within) -> Guide {
        Guide { within, ..self }
    }

    /// Whether a packet may choose its way here.
    pub(super) fn may_choose<P: Ports>(&self, packet: &PacketView, ports: &P) -> bool {
        // Whatever has failed: no other switch helps a packet whose destination hangs below this one.
        let is_host = |port: u32| self.behind.get(port as usize) == Some(&Behind::Host);
        let is_below = || ports.n_members() > 0 && is_host(ports.member(0));
        self.is_asked(packet) && !is_below()
    }

    /// The same, but for packets whose destination hangs below this switch.
    fn is_asked(&self, packet: &PacketView) -> bool {
        if !packet.is_data || self.n_groups == 0 || Detour::of(packet.tag).is_decided {
            return false;
        }
        let is_on_its_way = match self.behind.get(packet.ingress as usize) {
            Some(Behind::Global(_)) => false,
            Some(Behind::Local) => self.chooses == Chooses::InGroup,
            Some(Behind::Host) | None => true,
        };
        let stays = packet.group() == self.own;
        is_on_its_way && if stays { self.within != Within::Minimal } else { self.n_groups > 2 }
    }

    /// The groups that a packet may be sent through from here, where its destination is not below this switch; its own one
    /// stands for any other switch of it.
    pub(super) fn may_open(&self, packet: &PacketView) -> Vec<u32> {
        if !self.is_asked(packet) {
            return Vec::new();
        }
        let to = packet.group();
        if to == self.own {
            return if self.within == Within::ThroughSwitches { vec![to] } else { Vec::new() };
        }
        let is_another = |&group: &u32| group != self.own && group != to;
        match &self.beside {
            Some(beside) => beside.iter().copied().filter(is_another).collect(),
            None => (0..self.n_groups).filter(is_another).collect(),
        }
    }

    /// Draws one of the groups that a packet may be sent through from here, which it may.
    pub(super) fn draw(&self, context: &mut Context, packet: &PacketView) -> Option<u32> {
        let to = packet.group();
        if let Some(beside) = &self.beside {
            let known = beside.binary_search(&to);
            let count = beside.len() - usize::from(known.is_ok());
            if count == 0 {
                return None;
            }
            let place = context.random.below(count as u32) as usize;
            return Some(beside[place + usize::from(known.is_ok_and(|known| place >= known))]);
        }
        // Of all but two.
        let (low, high) = (self.own.min(to), self.own.max(to));
        let mut group = context.random.below(self.n_groups - 2);
        group += u32::from(group >= low);
        group += u32::from(group >= high);
        Some(group)
    }

    /// Draws a group, or a switch of this one if packets stay in it, and opens the ports towards it; none where no port leads
    /// there any more.
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

    /// Draws a port to a switch of this group to which no minimal way leads.
    fn open_switch<P: Ports>(&self, context: &mut Context, ports: &mut P) -> Option<Opened> {
        let range = ports.open(self.own);
        let is_local = |port: u32| self.behind[port as usize] == Behind::Local;
        let minimal =
            || (0..ports.n_minimal()).map(|candidate| ports.port(candidate)).filter(|&port| is_local(port));
        let count = range.len().checked_sub(minimal().count()).filter(|&count| count > 0)?;
        let mut candidate = range.start + context.random.below(count as u32) as usize;
        // Minimal ones are among those that were opened, both in the order of ports.
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
        let place = self.least.of(context, range.len(), |place| ports.waiting_bytes(range.start + place));
        let candidate = range.start + place;
        Some((candidate, ports.waiting_bytes(candidate)))
    }

    /// As [`Guide::least_of`], of those that qualify.
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
        let place = self.least.of(context, range.len(), |place| {
            let candidate = range.start + place;
            if qualifies(ports, candidate) { ports.waiting_bytes(candidate) } else { u64::MAX }
        });
        Some(range.start + place)
    }

    /// The least loaded of the minimal ways, or of those towards the group that a packet goes through.
    pub(super) fn minimal<P: Ports>(&mut self, context: &mut Context, ports: &mut P) -> Option<(usize, u64)> {
        let n_minimal = ports.n_minimal();
        self.least_of(context, ports, 0..n_minimal)
    }

    /// A packet goes on as it did.
    pub(super) fn go_on<P: Ports>(
        &mut self,
        context: &mut Context,
        packet: &PacketView,
        ports: &mut P,
    ) -> Pick {
        let found = self.minimal(context, ports);
        Pick::unchanged(found.map_or(Pick::NOWHERE, |found| found.0), packet)
    }

    /// A packet takes a minimal way. It may choose again at the next switch of this group, if policies do there.
    pub(super) fn stay<P: Ports>(&self, candidate: usize, packet: &PacketView, ports: &P) -> Pick {
        let behind = self.behind.get(ports.port(candidate) as usize);
        let is_decided = self.chooses == Chooses::AtSource || behind != Some(&Behind::Local);
        let tag = Detour { through: None, is_decided }.tag();
        Pick { candidate, class: packet.class, tag }
    }

    /// A packet goes a longer way.
    pub(super) fn leave(opened: Opened, packet: &PacketView) -> Pick {
        let tag = Detour::through(opened.group).tag();
        Pick { candidate: opened.candidate, class: packet.class, tag }
    }
}

/// The group behind each global link, in rising order.
fn beside(behind: &[Behind]) -> Box<[u32]> {
    let group = |behind: &Behind| match behind {
        Behind::Global(group) => Some(*group),
        _ => None,
    };
    let mut groups: Vec<u32> = behind.iter().filter_map(group).collect();
    groups.sort_unstable();
    groups.dedup();
    groups.into()
}

/// The best of the ways through a group that was drawn, or a way through a switch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opened {
    pub(super) group: u32,
    pub(super) candidate: usize,
    /// Bytes that wait there.
    pub(super) waiting: u64,
}
