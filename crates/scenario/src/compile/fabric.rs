//! Building the fabric, with every mistake of a custom one found before the catalog is asked.

use std::collections::BTreeSet;

use netloom_catalog::Built;
use netloom_catalog::topology::{self, Topology, TopologyError, custom};

use crate::diagnostic::Problems;
use crate::place::Place;
use crate::resolved::{Custom, Fabric, Parameters};
use crate::suggest;

/// Most pairs of host and switch of a custom fabric: its routing tables are no larger.
const MOST_CELLS: usize = 100_000_000;

/// Builds the fabric, or reports why it cannot be built.
pub(super) fn build(fabric: &Fabric, problems: &mut Problems) -> Option<Built> {
    match fabric {
        Fabric::Parametric(parameters) => parametric(parameters, problems),
        Fabric::Custom(custom) => listed(custom, problems),
    }
}

fn parametric(parameters: &Parameters, problems: &mut Problems) -> Option<Built> {
    let number = topology::number_of(parameters.spec.name)?;
    let topology = Topology::Parametric { number, settings: parameters.settings.clone() };
    match topology::build(&topology) {
        Ok(built) => Some(built),
        Err(error) => {
            let place = match &error {
                TopologyError::Zero(name) => parameters.place_of(name),
                TopologyError::NoSpines(_) => parameters.place_of("spines"),
                TopologyError::Oversubscription { .. } => parameters.place_of("oversubscription"),
                _ => parameters.place,
            };
            problems.report(place, error.to_string()).label("this fabric cannot be built");
            None
        }
    }
}

fn listed(listed: &Custom, problems: &mut Problems) -> Option<Built> {
    let head = listed.hosts.place;
    if listed.hosts.value.is_empty() {
        problems.report(head, "a fabric needs at least one host").label("no host is listed");
        return None;
    }
    if listed.hosts.value.len().saturating_mul(listed.switches.len()) > MOST_CELLS {
        let message = format!("a custom fabric may have at most {MOST_CELLS} pairs of host and switch");
        problems.report(head, message).label("too many");
        return None;
    }
    if !ends_are_known(listed, problems) {
        return None;
    }
    let bundle = |bundle: &crate::resolved::Bundle| custom::Bundle {
        from: bundle.from.value.clone(),
        to: bundle.to.value.clone(),
        rate: bundle.rate,
        delay: bundle.delay,
        count: bundle.count,
    };
    let graph = custom::Graph {
        hosts: listed.hosts.value.iter().map(|name| name.value.clone()).collect(),
        switches: listed.switches.iter().map(|name| name.value.clone()).collect(),
        links: listed.links.iter().map(|link| bundle(&link.value)).collect(),
    };
    match topology::build(&Topology::Custom(graph)) {
        Ok(built) => Some(built),
        Err(error) => {
            let place = place_of(&error, listed);
            problems.report(place, error.to_string()).label("this fabric cannot be built");
            None
        }
    }
}

/// Whether every link ends at two different known nodes.
fn ends_are_known(custom: &Custom, problems: &mut Problems) -> bool {
    let all = || custom.hosts.value.iter().chain(&custom.switches).map(|name| name.value.as_str());
    let known: BTreeSet<&str> = all().collect();
    let mut good = true;
    for link in &custom.links {
        for end in [&link.value.from, &link.value.to] {
            if !known.contains(end.value.as_str()) {
                let report = problems.report(end.place, format!("there is no node `{}`", end.value));
                report.label("not among the hosts and switches").maybe_help(suggest::hint(&end.value, all()));
                good = false;
            }
        }
        if link.value.from.value == link.value.to.value {
            let report =
                problems.report(link.place, format!("this link joins `{}` to itself", link.value.to.value));
            report.label("both ends are the same");
            good = false;
        }
    }
    good
}

fn place_of(error: &TopologyError, custom: &Custom) -> Place {
    match error {
        TopologyError::RepeatedNode(name) | TopologyError::Unreachable { to: name, .. } => {
            let mut all = custom.hosts.value.iter().chain(&custom.switches);
            all.find(|node| node.value == *name).map_or(custom.hosts.place, |node| node.place)
        }
        TopologyError::UnknownNode { link, .. }
        | TopologyError::Loop { link, .. }
        | TopologyError::Useless { link, .. } => {
            custom.links.get(*link).map_or(custom.hosts.place, |link| link.place)
        }
        TopologyError::RepeatedLink(_) | TopologyError::TooLarge { what: "links", .. } => {
            custom.links.first().map_or(custom.hosts.place, |link| link.place)
        }
        _ => custom.hosts.place,
    }
}
