//! Overlapping faults of links: a link carries packets while no cause holds it down, at the lowest rate of its active
//! causes, and loses packets by any of them.
//!
//! Invariants: the state of a link changes only if the combination of causes changes it.

use std::collections::BTreeMap;

use netloom_model::{Errors, EventAction, Fault, FaultAction, FaultEvent, Subject, SwitchFault};
use netloom_units::{LinkId, Rate, Time};

use super::super::built_fabric::BuiltFabric;
use super::Failing;

/// The effect of a cause on links.
#[derive(Debug, Clone, Copy)]
pub(super) enum Effect {
    /// The links are down.
    Down,
    /// The links are slowed down.
    Rate(Rate),
    /// The links lose packets.
    Errors(Errors),
}

/// The effect of a cause on one link, from a start to an end; `None` for good.
#[derive(Debug, Clone, Copy)]
struct Span {
    from: Time,
    until: Option<Time>,
    effect: Effect,
}

/// All causes so far.
pub(super) struct Causes<'a> {
    built_fabric: &'a BuiltFabric,
    of_link: BTreeMap<LinkId, Vec<Span>>,
    of_switch: BTreeMap<u32, Vec<Span>>,
    events: Vec<FaultEvent>,
    n_spans: u64,
}

/// More spans than this, each at one link, would take minutes and are most likely a mistake.
pub(super) const MOST_SPANS: u64 = 200_000;

/// The state of a link.
#[derive(Debug, Clone, Copy, PartialEq)]
struct State {
    down: bool,
    rate: Option<Rate>,
    errors: Errors,
}

impl<'a> Causes<'a> {
    pub(super) fn new(built_fabric: &'a BuiltFabric) -> Causes<'a> {
        Causes {
            built_fabric,
            of_link: BTreeMap::new(),
            of_switch: BTreeMap::new(),
            events: Vec::new(),
            n_spans: 0,
        }
    }

    /// The links affected by a fault of a subject.
    pub(super) fn links(&self, subject: Subject) -> Vec<LinkId> {
        let node = match subject {
            Subject::Link(link) | Subject::Nic(link) => return vec![link],
            Subject::Switch(node) | Subject::Host(node) => node,
        };
        let ports = self.built_fabric.built.fabric.ports_of(node);
        let mut links: Vec<LinkId> = ports.iter().map(|port| port.link).collect();
        links.sort_unstable();
        links.dedup();
        links
    }

    /// Number of link spans so far.
    pub(super) fn n_spans(&self) -> u64 {
        self.n_spans
    }

    /// Whether `n_more` further spans of a subject are within the limit.
    pub(super) fn has_room(&self, subject: Subject, n_more: u64) -> bool {
        let n_links = self.links(subject).len() as u64;
        self.n_spans.saturating_add(n_more.saturating_mul(n_links)) <= MOST_SPANS
    }

    /// Adds the effect of a cause on a subject.
    pub(super) fn add(&mut self, subject: Subject, from: Time, until: Option<Time>, effect: Effect) {
        let span = Span { from, until, effect };
        for link in self.links(subject) {
            self.of_link.entry(link).or_default().push(span);
            self.n_spans += 1;
        }
        if let (Subject::Switch(node), Effect::Down) = (subject, effect) {
            self.of_switch.entry(node.0).or_default().push(span);
        }
    }

    /// Adds an event to the records.
    pub(super) fn record(&mut self, at: Time, subject: Subject, action: EventAction) {
        self.events.push(FaultEvent { at, subject, action });
    }

    /// The resulting changes of links and switches.
    pub(super) fn finish(mut self) -> Failing {
        let mut failing = Failing::default();
        for (&link, spans) in &self.of_link {
            let own = self.built_fabric.rate(link);
            let fault = |(at, action)| Fault { at, link, action };
            failing.faults.extend(changes(spans, own).into_iter().map(fault));
        }
        for (&node, spans) in &self.of_switch {
            let fault = |(at, action)| SwitchFault {
                at,
                node: netloom_units::NodeId(node),
                up: action == FaultAction::Up,
            };
            failing.switches.extend(changes(spans, Rate(1)).into_iter().map(fault));
        }
        self.events.sort_unstable();
        failing.faults.sort_unstable();
        failing.switches.sort_unstable();
        failing.events = self.events;
        failing
    }
}

/// The resulting changes of a link with this nominal rate, in order of time.
fn changes(spans: &[Span], own: Rate) -> Vec<(Time, FaultAction)> {
    let mut bounds: Vec<(Time, usize, bool)> = Vec::new();
    for (number, span) in spans.iter().enumerate() {
        bounds.push((span.from, number, true));
        bounds.extend(span.until.map(|until| (until, number, false)));
    }
    bounds.sort_unstable();
    let mut active: BTreeMap<usize, Effect> = BTreeMap::new();
    let mut before = state(&active);
    let mut found = Vec::new();
    let mut bounds = bounds.into_iter().peekable();
    while let Some((at, number, begins)) = bounds.next() {
        if begins {
            active.insert(number, spans[number].effect);
        } else {
            active.remove(&number);
        }
        // An end that coincides with another start is one change, or none.
        if bounds.peek().is_none_or(|next| next.0 > at) {
            let after = state(&active);
            found.extend(differences(before, after, own).map(|action| (at, action)));
            before = after;
        }
    }
    found
}

/// The state of a link while these causes are active.
fn state(active: &BTreeMap<usize, Effect>) -> State {
    let mut state = State { down: false, rate: None, errors: Errors::NONE };
    for effect in active.values() {
        match *effect {
            Effect::Down => state.down = true,
            Effect::Rate(rate) => state.rate = Some(state.rate.map_or(rate, |lowest| lowest.min(rate))),
            Effect::Errors(errors) => state.errors = state.errors.and(errors),
        }
    }
    state
}

fn differences(before: State, after: State, own: Rate) -> impl Iterator<Item = FaultAction> {
    let turn =
        (before.down != after.down).then_some(if after.down { FaultAction::Down } else { FaultAction::Up });
    let [old, new] = [before, after].map(|state| state.rate.map_or(own, |rate| rate.min(own)));
    let rate = (old != new).then_some(FaultAction::Rate(new));
    let errors = (before.errors != after.errors).then_some(FaultAction::Errors(after.errors));
    [turn, rate, errors].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(from: u64, until: u64, effect: Effect) -> Span {
        Span { from: Time(from), until: (until > 0).then_some(Time(until)), effect }
    }

    #[test]
    fn a_link_is_up_while_no_cause_holds_it_down() {
        use FaultAction::{Down, Up};
        let found = changes(&[span(10, 30, Effect::Down), span(20, 40, Effect::Down)], Rate(100));
        assert_eq!(found, [(Time(10), Down), (Time(40), Up)]);
        let found = changes(&[span(10, 40, Effect::Down), span(20, 30, Effect::Down)], Rate(100));
        assert_eq!(found, [(Time(10), Down), (Time(40), Up)]);
        let found = changes(&[span(10, 20, Effect::Down), span(20, 0, Effect::Down)], Rate(100));
        assert_eq!(found, [(Time(10), Down)]);
    }

    #[test]
    fn the_lowest_rate_applies_and_errors_combine() {
        let rate = |rate| Effect::Rate(Rate(rate));
        let found = changes(&[span(1, 9, rate(50)), span(2, 5, rate(20)), span(3, 7, rate(30))], Rate(100));
        let rates = found.iter().map(|(at, action)| match action {
            FaultAction::Rate(rate) => (at.0, rate.0),
            _ => unreachable!(),
        });
        assert_eq!(rates.collect::<Vec<_>>(), [(1, 50), (2, 20), (5, 30), (7, 50), (9, 100)]);
        let errors = Errors::of_packets(0.5);
        let found =
            changes(&[span(1, 3, Effect::Errors(errors)), span(2, 4, Effect::Errors(errors))], Rate(1));
        let both = errors.and(errors);
        let wanted = [(1, errors), (2, both), (3, errors), (4, Errors::NONE)];
        assert_eq!(found, wanted.map(|(at, errors)| (Time(at), FaultAction::Errors(errors))));
    }
}
