//! Fabrics of groups: policies that need them, virtual lanes that prevent deadlock, and traffic by groups.
//!
//! Invariants: what compiles has a virtual lane for every step that the paths of its policy may take.

use netloom_model::{Credits, Routing};
use netloom_policy::balance::Chosen;

use super::built_fabric::BuiltFabric;
use super::classes;
use crate::diagnostic::Problems;
use crate::resolve::Draft;
use crate::resolved::{Balance, Parameters};

/// Virtual lanes that each class needs in this fabric: those for the paths of the policy, and the extra ones requested.
pub(super) fn vl_steps(credits: Option<&Parameters>, switch: &Chosen, routing: &Routing) -> u8 {
    if routing.n_groups() == 0 {
        return 1;
    }
    let extra = credits.map_or(0, |credits| credits.settings.count("extra_vls") as u8);
    switch.lane_steps(matches!(routing, Routing::DragonflyPlus(_))) + extra
}

/// Adds notes on paths and virtual lanes in this fabric.
pub(super) fn notes(draft: &Draft, built_fabric: &BuiltFabric, notes: &mut Vec<String>) {
    let routing = &built_fabric.built.routing;
    let Some(balance) = draft.balance.as_ref().filter(|_| routing.n_groups() > 0) else { return };
    let switch = super::choices::chosen(&balance.switch, &draft.outside);
    let name = balance.switch.spec.name;
    if switch.asks_beyond() {
        notes.push(format!(
            "modelling assumption: `{name}` uses the queues of other switches as they were at the last multiple of \
             `coordination_delay`"
        ));
    }
    if let Some(credits) = draft.queues.as_ref().and_then(|queues| queues.credits.as_ref()) {
        let steps = vl_steps(Some(credits), &switch, routing);
        notes.push(format!(
            "modelling assumption: each lane of `credits` is {steps} virtual lanes here, one for each step of a path; \
             a packet whose detour around failed links has more steps is lost, unless there are `extra_vls`"
        ));
    } else if pauses(draft) {
        notes.push(
            "pause frames do not distinguish the steps of a path: if paths have two links in a group, switches may \
             wait for each other in a cycle (deadlock)"
                .to_owned(),
        );
    }
}

/// Reports policies without groups, missing virtual lanes, and pauses that could deadlock.
pub(super) fn check(draft: &Draft, built_fabric: &BuiltFabric, problems: &mut Problems) {
    let Some(balance) = &draft.balance else { return };
    if built_fabric.built.routing.n_groups() == 0 {
        return without_groups(draft, balance, problems);
    }
    enough_lanes(draft, balance, built_fabric, problems);
    no_pauses(draft, balance, problems);
}

fn is_guide(parameters: &Parameters, draft: &Draft) -> bool {
    super::choices::chosen(parameters, &draft.outside).is_guide()
}

fn without_groups(draft: &Draft, balance: &Balance, problems: &mut Problems) {
    let others = [Some(&balance.host), balance.control.as_ref()].into_iter().flatten();
    let others = others.filter(|policy| policy.location != balance.switch.location);
    for policy in std::iter::once(&balance.switch).chain(others).filter(|policy| is_guide(policy, draft)) {
        let message = format!("`{}` sends packets through other groups", policy.spec.name);
        let report = problems.report(policy.location, message);
        report.label("this fabric has no groups");
        report.help(
            "a `dragonfly` or a `dragonfly_plus`, or another policy: `adaptive` takes the least loaded next \
                     hop",
        );
    }
}

fn enough_lanes(draft: &Draft, balance: &Balance, built_fabric: &BuiltFabric, problems: &mut Problems) {
    let Some(credits) = draft.queues.as_ref().and_then(|queues| queues.credits.as_ref()) else { return };
    let steps = vl_steps(
        Some(credits),
        &super::choices::chosen(&balance.switch, &draft.outside),
        &built_fabric.built.routing,
    );
    let lanes = |name| credits.settings.count(name) + 1;
    let wanted = lanes("data_vl").max(lanes("control_vl")) * u64::from(steps);
    if wanted > u64::from(Credits::MAX_VLS) || steps > 8 {
        let message = format!(
            "`{}` needs {steps} virtual lanes for each lane of `credits` here",
            balance.switch.spec.name
        );
        let name = if steps > 8 {
            "extra_vls"
        } else if lanes("data_vl") > lanes("control_vl") {
            "data_vl"
        } else {
            "control_vl"
        };
        let report = problems.report(credits.location_of(name), message);
        report.label(format!("{wanted} in all, where links have {}", Credits::MAX_VLS));
        report.help(
            "a lower `data_vl` and `control_vl`, fewer `extra_vls`; packets change virtual lanes at \
                     global links",
        );
    }
}

/// Whether switches send pause frames.
fn pauses(draft: &Draft) -> bool {
    draft.queues.as_ref().is_some_and(|queues| queues.credits.is_none())
        && classes::Plan::new(draft).is_some_and(|plan| plan.n_pausing() > 0)
}

fn no_pauses(draft: &Draft, balance: &Balance, problems: &mut Problems) {
    if pauses(draft) && is_guide(&balance.switch, draft) {
        let name = balance.switch.spec.name;
        let message = format!("with pause frames `{name}` would need a priority for each step of a path");
        let report = problems.report(balance.switch.location, message);
        report.label("paused switches could wait for each other in a cycle (deadlock)");
        report.help("write `queues: { credits: {} }`, which has virtual lanes for them, or `pause: false`");
    }
}
