//! Path naming by sequence numbers over three tiers, and hosts that Themis can serve.
//!
//! Invariants: where paths are named, every number of paths is a power of two and all of them can be reached.

use std::sync::Arc;

use netloom_model::Routing;
use netloom_model::routing::bits;
use netloom_policy::balance::psn_spray;
use netloom_policy::edge::path_map::PathMap;

use super::built_fabric::BuiltFabric;
use crate::diagnostic::Problems;
use crate::resolve::Draft;
use crate::resolved::Parameters;

/// The patterns that leaves flip in the source port; `None` if one switch chooses the whole path.
pub(super) fn path_map(
    draft: &Draft,
    built_fabric: &BuiltFabric,
    problems: &mut Problems,
) -> Option<Arc<PathMap>> {
    let switch = &draft.balance.as_ref()?.switch;
    let three_tiers = matches!(built_fabric.built.routing, Routing::FatTree(_));
    if switch.spec.name != psn_spray::SPEC.name || !three_tiers {
        return None;
    }
    let choices = built_fabric.built.routing.choices_up();
    let is_right = is_linear(switch, problems)
        && are_powers_of_two(switch, &choices, problems)
        && leaves_choose(switch, &choices, problems);
    if !is_right {
        return None;
    }
    let bits: Vec<u32> = choices.iter().map(|&choices| bits(choices)).collect();
    match psn_spray::path_map(&switch.settings, &bits) {
        Ok(paths) => Some(Arc::new(paths)),
        Err(error) => {
            let n_paths: u64 = choices.iter().map(|&choices| u64::from(choices)).product();
            let report = problems.report(
                switch.location_of("salt"),
                format!("not all of {n_paths} paths can be named: {error}"),
            );
            report.label("the leaf names a path by flipping bits of the source port");
            report.help("`salt: switch` gives each tier bits of its own; a source port has 16");
            None
        }
    }
}

fn is_linear(switch: &Parameters, problems: &mut Problems) -> bool {
    let hash = switch.settings.choice("hash");
    if hash == "linear" {
        return true;
    }
    let message = format!("`psn_spray` over three tiers needs switches with a linear hash, not `{hash}`");
    let report = problems.report(switch.location_of("hash"), message);
    report.label(
        "flipping a bit of the source port moves each flow to a different path, so no path can be named",
    );
    report.help("write `switch: {psn_spray: {hash: linear}}`");
    false
}

fn are_powers_of_two(switch: &Parameters, choices: &[u32], problems: &mut Problems) -> bool {
    let mut tiers = ["a leaf", "an aggregation switch"].into_iter().zip(choices);
    let Some((who, choices)) = tiers.find(|(_, choices)| !choices.is_power_of_two()) else { return true };
    let message = "`psn_spray` over three tiers needs a power of two of next hops upwards in each";
    let report = problems.report(switch.location, message);
    report
        .label(format!("{who} has {choices} here"))
        .help("choose numbers of switches and links like 2, 4, 8");
    false
}

/// A leaf with one uplink has no choice, so its policy is never called, and no path is named.
fn leaves_choose(switch: &Parameters, choices: &[u32], problems: &mut Problems) -> bool {
    if choices.first() != Some(&1) || choices.iter().all(|&choices| choices == 1) {
        return true;
    }
    let message = "`psn_spray` over three tiers needs leaves with several uplinks";
    let report = problems.report(switch.location, message);
    report.label("a leaf has one uplink here").help("two aggregation switches, or two links to each");
    false
}

/// Themis keeps the state of a queue pair in one switch, which must see all its packets.
pub(super) fn one_edge(draft: &Draft, built_fabric: &BuiltFabric, problems: &mut Problems) {
    let Some(edge) = draft.balance.as_ref().and_then(|balance| balance.edge.as_ref()) else { return };
    let fabric = &built_fabric.built.fabric;
    let switches_of = |host: u32| {
        let ports = fabric.ports_of(netloom_units::NodeId(host)).iter();
        let mut ends: Vec<_> = ports.map(|port| fabric.port(port.peer).node).collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    };
    let found =
        (0..fabric.n_hosts() as u32).map(|host| (host, switches_of(host))).find(|(_, ends)| ends.len() > 1);
    let Some((host, ends)) = found else { return };
    let name = |node: usize| &built_fabric.built.node_names[node];
    let message = format!("`{}` needs hosts that are joined to one switch each", edge.spec.name);
    let report = problems.report(edge.location, message);
    let listed: Vec<String> = ends.iter().map(|end| format!("`{}`", name(end.index()))).collect();
    report.label(format!("`{}` is joined to {}", name(host as usize), listed.join(" and ")));
    report.help(
        "a switch checks NACKs against the packets it has forwarded, and here it forwards only a part of them: write \
         `edge: none`",
    );
}

/// Spraying over the remaining paths needs failure awareness at both ends, and a path that is one choice.
pub(super) fn subset(draft: &Draft, built_fabric: &BuiltFabric, problems: &mut Problems) {
    let Some(edge) = draft.balance.as_ref().and_then(|balance| balance.edge.as_ref()) else { return };
    if edge.settings.choice("failure") != "subset" {
        return;
    }
    let location = edge.location_of("failure");
    let is_one_choice = match &built_fabric.built.routing {
        Routing::LeafSpine(shape) => shape.fabric_links == 1 && shape.host_links == 1,
        Routing::FatTree(_)
        | Routing::Dragonfly(_)
        | Routing::DragonflyPlus(_)
        | Routing::Rail(_)
        | Routing::Tables(_) => false,
    };
    if !is_one_choice {
        let report =
            problems.report(location, "`failure: subset` needs a leaf-spine fabric without parallel links");
        report.label("elsewhere equal numbers need not mean equal paths after failures");
        report.help("write `failure: ecmp`");
    }
    let Some(faults) = &draft.faults else { return };
    let fails = faults.random.is_some()
        || !faults.failed.is_empty()
        || !faults.timed.is_empty()
        || !faults.processes.is_empty();
    if fails && faults.settings.settings.choice("awareness") == "local" {
        let report = problems.report(location, "`failure: subset` needs `awareness: global`");
        report.label("both ends of a queue pair must know which paths remain");
        report.related(
            faults.settings.location_of("awareness"),
            "only the two nodes at a link's ends learn of it",
        );
        report.help("write `faults: {awareness: global}`, or `failure: ecmp`");
    }
}
