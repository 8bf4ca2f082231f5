//! When the ends of a link detect that it goes down or comes up.
//!
//! Models: an end detects a change after a delay, unless the link has changed back by then (modelling assumption: a
//! change must last); a switch that goes down detects nothing, but its ports are dead at once.
//! Leaves out: how nodes react.
//!
//! Invariants: notices alternate between down and up; links that are down at the start are known from the start.

use std::collections::BTreeMap;

use netloom_units::{LinkId, NodeId, Time};

use crate::Model;
use crate::fault::{Fault, Reaction, SwitchFault};

/// Something is down from one instant until another, or for good if that is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outage {
    /// The start.
    pub from: Time,
    /// The end.
    pub until: Option<Time>,
}

/// An end of a link detects that the link went down or came up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkDetection {
    /// When it detects the change.
    pub at: Time,
    /// Whether the link came up.
    pub up: bool,
}

/// Outages by element, in order of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outages<K> {
    spans: BTreeMap<K, Vec<Outage>>,
}

impl<K: Ord> Outages<K> {
    /// From changes in order of time; a change to the current state is ignored.
    fn of(changes: impl Iterator<Item = (K, Time, bool)>) -> Outages<K> {
        let mut spans: BTreeMap<K, Vec<Outage>> = BTreeMap::new();
        for (what, at, up) in changes {
            let known = spans.entry(what).or_default();
            match known.last_mut().filter(|last| last.until.is_none()) {
                Some(last) if up => last.until = Some(at),
                None if !up => known.push(Outage { from: at, until: None }),
                _ => {}
            }
        }
        Outages { spans }
    }

    /// All elements with outages.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &[Outage])> {
        self.spans.iter().map(|(what, spans)| (what, &spans[..]))
    }

    /// The outages of one element.
    pub fn get(&self, what: &K) -> &[Outage] {
        self.spans.get(what).map_or(&[], |spans| &spans[..])
    }
}

impl Outages<LinkId> {
    /// Outages of links.
    pub fn of_links(faults: &[Fault]) -> Outages<LinkId> {
        Outages::of(faults.iter().filter_map(|fault| Some((fault.link, fault.at, fault.turns()?))))
    }
}

impl Outages<NodeId> {
    /// Outages of switches.
    pub fn of_switches(faults: &[SwitchFault]) -> Outages<NodeId> {
        Outages::of(faults.iter().map(|fault| (fault.node, fault.at, fault.up)))
    }
}

/// What an end of a link detects, in order of time; `dead` are the outages of the switch it belongs to.
pub fn notices(outages: &[Outage], dead: &[Outage], reaction: &Reaction) -> Vec<LinkDetection> {
    let mut noticed: Vec<LinkDetection> = Vec::new();
    let mut dead = dead.iter().peekable();
    for (number, outage) in outages.iter().enumerate() {
        let ends_before = |at: Time| outage.until.is_some_and(|until| until <= at);
        while dead.next_if(|span| span.from < outage.from).is_some() {}
        let own = dead.peek().map(|span| span.from).filter(|&at| !ends_before(at));
        let seen = if outage.from == Time::ZERO { Time::ZERO } else { outage.from + reaction.detection };
        let seen = own.map_or(seen, |own| own.min(seen));
        let is_up = noticed.last().is_none_or(|last| last.up);
        if is_up && !ends_before(seen) {
            noticed.push(LinkDetection { at: seen, up: false });
        }
        let Some(until) = outage.until else { break };
        let back = until + reaction.recovery;
        let lasts = outages.get(number + 1).is_none_or(|next| next.from > back);
        if lasts && noticed.last().is_some_and(|last| !last.up) {
            noticed.push(LinkDetection { at: back, up: true });
        }
    }
    noticed
}

impl Model {
    /// The changes announced to all nodes, in order of time: link, and what its ends detect.
    pub fn link_notices(&self) -> Vec<(LinkDetection, LinkId)> {
        let outages = Outages::of_links(&self.faults);
        let of_link = |(&link, spans): (&LinkId, &[Outage])| {
            notices(spans, &[], &self.reaction).into_iter().map(move |notice| (notice, link))
        };
        let mut all: Vec<_> = outages.iter().flat_map(of_link).collect();
        all.sort_unstable();
        all
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::Duration;

    use super::*;

    fn outage(from: u64, until: u64) -> Outage {
        Outage { from: Time(from), until: (until > 0).then_some(Time(until)) }
    }

    fn seen(outages: &[(u64, u64)], dead: &[(u64, u64)], detection: u64, recovery: u64) -> Vec<(u64, bool)> {
        let spans =
            |all: &[(u64, u64)]| all.iter().map(|&(from, until)| outage(from, until)).collect::<Vec<_>>();
        let reaction =
            Reaction { detection: Duration(detection), recovery: Duration(recovery), ..Reaction::default() };
        notices(&spans(outages), &spans(dead), &reaction)
            .iter()
            .map(|notice| (notice.at.0, notice.up))
            .collect()
    }

    #[test]
    fn without_delay_every_change_is_detected_at_once() {
        let found = seen(&[(0, 5), (6, 7), (9, 0)], &[], 0, 0);
        assert_eq!(found, [(0, false), (5, true), (6, false), (7, true), (9, false)]);
    }

    #[test]
    fn changes_shorter_than_the_delay_are_not_detected() {
        assert_eq!(seen(&[(10, 15), (20, 30)], &[], 5, 5), [(25, false), (35, true)]);
        // Up for no longer than the recovery delay: it counts as down all the time.
        assert_eq!(seen(&[(10, 20), (25, 40)], &[], 5, 5), [(15, false), (45, true)]);
        assert_eq!(seen(&[(10, 12), (13, 15)], &[], 5, 5), []);
    }

    #[test]
    fn links_down_at_the_start_are_known() {
        assert_eq!(seen(&[(0, 3)], &[], 5, 2), [(0, false), (5, true)]);
    }

    #[test]
    fn the_ports_of_a_failed_switch_are_down_at_once() {
        assert_eq!(seen(&[(10, 30)], &[(10, 30)], 5, 1), [(10, false), (31, true)]);
        // The link was down before, not yet detected.
        assert_eq!(seen(&[(8, 30)], &[(10, 20)], 5, 1), [(10, false), (31, true)]);
        assert_eq!(seen(&[(8, 30)], &[(20, 25)], 5, 1), [(13, false), (31, true)]);
        // Too short to be detected by others.
        assert_eq!(seen(&[(10, 12)], &[(10, 12)], 5, 1), [(10, false), (13, true)]);
    }
}
