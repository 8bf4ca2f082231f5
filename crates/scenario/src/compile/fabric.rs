//! Building the fabric; errors of a custom one are found before the catalog builds it.

use std::collections::BTreeSet;

use netloom_catalog::Built;
use netloom_catalog::topology::{self, Topology, TopologyError, custom};

use crate::diagnostic::Problems;
use crate::location::Location;
use crate::resolved::{Bundle, Custom, Fabric, Parameters};

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
        // A substitute for a refused value allows no conclusion about others.
        Err(error) if parameters.has_stand_ins && compares(&error) => None,
        Err(error) => {
            let (location, help) = blamed(&error, parameters);
            let report = problems.report(location, error.to_string());
            report.label("this fabric cannot be built").maybe_help(help);
            None
        }
    }
}

/// Whether an error is about several contradictory values.
fn compares(error: &TopologyError) -> bool {
    matches!(
        error,
        TopologyError::Oversubscription { .. }
            | TopologyError::NoRate { .. }
            | TopologyError::Indivisible { .. }
            | TopologyError::Above { .. }
            | TopologyError::UnevenGroups { .. }
            | TopologyError::Disagree { .. }
    )
}

/// The parameter that an error is about, and how to fix it.
fn blamed(error: &TopologyError, parameters: &Parameters) -> (Location, Option<String>) {
    /// The links that a rate belongs to: `fabric_rate` is that of fabric links.
    fn links(rate: &str) -> &str {
        rate.strip_suffix("_rate").unwrap_or(rate)
    }
    match error {
        TopologyError::TooLarge { what, terms, .. } => {
            (parameters.location, Some(format!("{what}: {terms}")))
        }
        TopologyError::Zero(name) => (parameters.location_of(name), None),
        TopologyError::Odd { name, value } => {
            let help = format!("write `{name}: {}` or `{name}: {}`", value - 1, value.saturating_add(1));
            (parameters.location_of(name), Some(help))
        }
        TopologyError::Missing { instead, .. } => {
            let help =
                format!("add `{instead}: 4`, or each of them; `{instead}` sets those that are not given");
            (parameters.location, Some(help))
        }
        TopologyError::NoSpines(_) => (parameters.location_of("spines"), None),
        TopologyError::Indivisible { name, value, divisor, by } => {
            let (below, above) = (value - value % by, value.saturating_add(by - value % by));
            let help = match below {
                0 => format!("write `{name}: {above}`, or a smaller `{divisor}`"),
                _ => format!("write `{name}: {below}` or `{name}: {above}`, or another `{divisor}`"),
            };
            (parameters.location_of(name), Some(help))
        }
        TopologyError::Above { name, most, limit, .. } => {
            (parameters.location_of(name), Some(format!("write `{name}: {limit}`, or more `{most}`")))
        }
        TopologyError::UnevenGroups { others, .. } => {
            let help = format!(
                "`spines_per_group` x `global_ports` must be a multiple of {others}; each spine reaches every \
                 group with `global_ports: {others}`"
            );
            (parameters.location_of("global_ports"), Some(help))
        }
        TopologyError::Disagree { name, other, wanted, .. } => {
            let help = format!("write `{name}: {wanted}`, or leave out `{other}`");
            (parameters.location_of(name), Some(help))
        }
        TopologyError::NoRate { rate, oversubscription } => {
            let links = links(rate);
            let help = format!(
                "each {links} link would have less than 1bps: use faster links below, or less oversubscription"
            );
            (parameters.location_of(oversubscription), Some(help))
        }
        TopologyError::Oversubscription { rate, oversubscription, .. } => {
            let links = links(rate);
            let help =
                format!("without `{rate}` the rate of {links} links follows from `{oversubscription}`");
            (parameters.location_of(oversubscription), Some(help))
        }
        _ => (parameters.location, None),
    }
}

fn listed(listed: &Custom, problems: &mut Problems) -> Option<Built> {
    let head = listed.hosts.location;
    if listed.hosts.value.is_empty() {
        let report = problems.report(head, "a fabric needs at least one host");
        report.label("no host is listed").help("write `hosts: [a, b]`, or how many: `hosts: 2`");
        return None;
    }
    if listed.hosts.value.len().saturating_mul(listed.switches.len()) > MOST_CELLS {
        let message = format!("a custom fabric may have at most {MOST_CELLS} pairs of host and switch");
        let product = format!("{} hosts x {} switches", listed.hosts.value.len(), listed.switches.len());
        problems.report(head, message).label(format!("too many: {product}"));
        return None;
    }
    if !ends_are_known(listed, problems) {
        return None;
    }
    match topology::build(&Topology::Custom(graph(listed))) {
        Ok(built) => Some(built),
        // Reported when the names were read.
        Err(TopologyError::RepeatedNode(_)) => None,
        Err(error) => {
            let location = location_of(&error, listed);
            let report = problems.report(location, error.to_string());
            report.label("this fabric cannot be built");
            if let TopologyError::Unreachable { to, .. } = &error {
                let far = location_of_node(to, listed);
                report.related(far, "unreachable").help("connect them by links and switches");
            }
            None
        }
    }
}

/// The lists without their locations in the text.
fn graph(listed: &Custom) -> custom::Graph {
    let bundle = |bundle: &Bundle| custom::Bundle {
        from: bundle.from.value.clone(),
        to: bundle.to.value.clone(),
        rate: bundle.rate,
        delay: bundle.delay,
        count: bundle.count,
    };
    custom::Graph {
        hosts: listed.hosts.value.iter().map(|name| name.value.clone()).collect(),
        switches: listed.switches.iter().map(|name| name.value.clone()).collect(),
        links: listed.links.iter().map(|link| bundle(&link.value)).collect(),
    }
}

/// Whether every link ends at two different existing nodes.
fn ends_are_known(custom: &Custom, problems: &mut Problems) -> bool {
    let all = || custom.hosts.value.iter().chain(&custom.switches).map(|name| name.value.as_str());
    let known: BTreeSet<&str> = all().collect();
    let mut good = true;
    for link in &custom.links {
        for end in [&link.value.from, &link.value.to] {
            if !known.contains(end.value.as_str()) {
                let help = problems.hint(&end.value, all());
                let report = problems.report(end.location, format!("there is no node `{}`", end.value));
                report.label("not among the hosts and switches").maybe_help(help);
                good = false;
            }
        }
        if link.value.from.value == link.value.to.value {
            let report = problems
                .report(link.location, format!("this link joins `{}` to itself", link.value.to.value));
            report.label("both ends are the same").help("a link joins two nodes");
            good = false;
        }
    }
    good
}

fn location_of_node(name: &str, custom: &Custom) -> Location {
    let mut all = custom.hosts.value.iter().chain(&custom.switches);
    all.find(|node| node.value == name).map_or(custom.hosts.location, |node| node.location)
}

fn location_of(error: &TopologyError, custom: &Custom) -> Location {
    let link = match error {
        TopologyError::Unreachable { from, .. } => return location_of_node(from, custom),
        TopologyError::UnknownNode { link, .. }
        | TopologyError::Loop { link, .. }
        | TopologyError::Useless { link, .. } => custom.links.get(*link),
        TopologyError::RepeatedLink(name) => custom.links.iter().rfind(|link| makes(&link.value, name)),
        TopologyError::TooLarge { what: "links", .. } => {
            custom.links.iter().max_by_key(|link| link.value.count)
        }
        _ => None,
    };
    link.map_or(custom.hosts.location, |link| link.location)
}

/// Whether a bundle contains a link of this name.
fn makes(bundle: &Bundle, name: &str) -> bool {
    let stem = format!("{}-{}", bundle.from.value, bundle.to.value);
    name.strip_prefix(&stem).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
