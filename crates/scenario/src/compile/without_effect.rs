//! Settings without effect: a setting that changes no result is reported, with the reason.
//!
//! Models: parameters switched off by another one, congestion control that receives no feedback, marks that no sender
//! reacts to, thresholds out of reach, policies without a choice, reactions to faults in scenarios without any.
//! Leaves out: effects that only a run can show, such as a queue that never reaches a threshold.
//!
//! Invariants: a setting at its default is not reported, except if a fabric has a feature that the policy ignores;
//! without the reported settings the records are the same, byte for byte.

use netloom_model::{FailureAwareness, Model, Phase, Routing};
use netloom_policy::congestion::{self, Senses, infiniband};
use netloom_units::{Bytes, Value};

use super::{classes, credits};
use crate::diagnostic::Problems;
use crate::location::Location;
use crate::resolve::Draft;
use crate::resolved::{Balance, ClassMarking, Congestion, Parameters, Queues, queue_pairs};

/// The condition on another parameter of the same spec under which a parameter has an effect.
#[derive(Debug, Clone, Copy, PartialEq)]
enum With {
    /// The other one is not `none`.
    Some,
    /// The other one is `none`.
    None,
    /// The other one is this word.
    Word(&'static str),
}

/// Spec and parameter, and the other parameter with its condition.
type Condition = (&'static str, &'static str, &'static str, With);

/// Parameters that have an effect only under a condition on another one.
const CONDITIONS: [Condition; 12] = [
    ("flowlet", "gap", "by", With::Word("gap")),
    ("flowlet", "packets", "by", With::Word("packets")),
    ("deterministic", "together", "key", With::Word("destination")),
    ("themis", "round_trip", "entries", With::None),
    ("dcqcn", "cnp_interval", "notify", With::Word("packet")),
    ("dcqcn_paper", "cnp_interval", "notify", With::Word("packet")),
    ("infiniband", "cnp_interval", "notify", With::Word("packet")),
    ("queues", "alpha", "buffer", With::Some),
    ("marking", "ai_busy", "ai_ecn", With::Some),
    ("marking", "ai_step", "ai_ecn", With::Some),
    ("marking", "ai_steps", "ai_ecn", With::Some),
    ("credits", "header", "forwarding", With::Word("cut_through")),
];

/// Reports all of them.
pub(super) fn find(draft: &Draft, model: &Model) -> Problems {
    let mut found = Problems::default();
    all_parameters(draft).for_each(|parameters| switched_off(parameters, &mut found));
    if let Some(balance) = &draft.balance {
        one_path(balance, model, &mut found);
        no_longer_paths(balance, model, &mut found);
    }
    if let (Some(congestion), Some(queues)) = (&draft.congestion, &draft.queues) {
        unmarked(draft, congestion, queues, &mut found);
        unused_marks(draft, congestion, queues, &mut found);
        out_of_reach(queues, &mut found);
    }
    never_paused(draft, model, &mut found);
    no_faults(draft, model, &mut found);
    nobody_waits(draft, model, &mut found);
    no_grants(draft, &mut found);
    no_local_ranks(draft, &mut found);
    found
}

/// Adds a warning about a setting.
fn warn(found: &mut Problems, location: Location, what: &str, why: &str, help: &str) {
    found.report(location, format!("{what} has no effect here")).label(why).help(help);
}

/// The parameters that [`CONDITIONS`] may apply to.
fn all_parameters(draft: &Draft) -> impl Iterator<Item = &Parameters> {
    let balance = draft.balance.iter().flat_map(|Balance { host, switch, control, edge }| {
        [Some(switch), Some(host).filter(|host| *host != switch), control.as_ref(), edge.as_ref()]
    });
    let queues = draft
        .queues
        .iter()
        .flat_map(|queues| [Some(&queues.settings), queues.marking.as_ref(), queues.credits.as_ref()]);
    let own_markings = draft.classes.iter().flat_map(|classes| &classes.list);
    let own_markings = own_markings.filter_map(|class| match &class.marking {
        ClassMarking::Own(marking) => Some(marking),
        ClassMarking::AsQueues | ClassMarking::Off => None,
    });
    let congestion = draft.congestion.iter().map(|congestion| &congestion.kind);
    balance.chain(queues).flatten().chain(own_markings).chain(congestion)
}

/// Whether a parameter is not at its default.
fn is_set(parameters: &Parameters, name: &str) -> bool {
    let default = parameters.spec.parameter(name).and_then(|parameter| parameter.default.clone());
    default != Some(parameters.settings.get(name))
}

/// Reports parameters that another one switches off.
fn switched_off(parameters: &Parameters, found: &mut Problems) {
    let name = parameters.spec.name;
    for (_, parameter, other, with) in CONDITIONS.into_iter().filter(|condition| condition.0 == name) {
        let value = parameters.settings.get(other);
        let (matters, wanted) = match with {
            With::Some => (value != Value::Absent, format!("a value for `{other}`")),
            With::None => (value == Value::Absent, format!("`{other}: none`")),
            With::Word(word) => (value == Value::Choice(word), format!("`{other}: {word}`")),
        };
        if !matters && is_set(parameters, parameter) {
            let why = format!("has an effect with {wanted} only");
            let help = format!("write {wanted} as well, or leave out `{parameter}`");
            warn(
                found,
                parameters.location_of(parameter),
                &format!("`{parameter}` of `{name}`"),
                &why,
                &help,
            );
        }
    }
}

/// In a tree there is one path between any two nodes, and no choice.
fn one_path(balance: &Balance, model: &Model, found: &mut Problems) {
    let is_tree = model.fabric.links().len() + 1 == model.fabric.n_nodes();
    let is_chosen = |policy: &&Parameters| {
        policy.location.end > 0 && !["ecmp", "deterministic"].contains(&policy.spec.name)
    };
    for policy in [&balance.switch, &balance.host].into_iter().filter(is_chosen).take(usize::from(is_tree)) {
        let why = "there is one path from any host to any other";
        let what = format!("load balancing by `{}`", policy.spec.name);
        warn(found, policy.location, &what, why, "a fabric with several paths, or no `balance`");
    }
}

/// Paths one link longer than the shortest, in a fabric that has none.
fn no_longer_paths(balance: &Balance, model: &Model, found: &mut Problems) {
    let (name, switch) = ("non_minimal_hops", &balance.switch);
    if switch.spec.parameter(name).is_none() || switch.settings.count(name) == 0 {
        return;
    }
    let why = match &model.routing {
        Routing::Dragonfly(_) | Routing::DragonflyPlus(_) => {
            "in a fabric of groups longer paths lead through other groups, which this policy does not support"
        }
        routing if routing.has_longer() || !is_set(switch, name) => return,
        _ => "no path of this fabric is one link longer than the shortest",
    };
    let what = format!("`{name}` of `{}`", switch.spec.name);
    warn(found, switch.location_of(name), &what, why, &format!("write `{name}: 0`, or another fabric"));
}

/// Congestion control based on marks, if no queue marks packets.
fn unmarked(draft: &Draft, congestion: &Congestion, queues: &Queues, found: &mut Problems) {
    let name = congestion.kind.spec.name;
    let Some(transport) = draft.transport.as_ref().filter(|_| name != "none") else { return };
    let is_marked = classes::Plan::new(draft).is_some_and(|plan| plan.marks())
        || credits::root_marking(congestion, queues.credits.as_ref()).is_some();
    let goes_by_marks = congestion::senses(congestion.kind.spec) == Senses::Notifications;
    if is_marked || !goes_by_marks || queue_pairs::rule(transport.spec).is_none() {
        return;
    }
    let (why, help) = if name == infiniband::SPEC.name {
        ("with `threshold: 0` nothing is marked", "write a `threshold` from 1 to 15, or `congestion: none`")
    } else {
        ("no queue marks packets", "write `queues: { marking: { minimum: 100KB, maximum: 400KB } }`, say")
    };
    let reacts_to_nacks = transport.settings.choice("nack") != "ignore";
    if !reacts_to_nacks {
        let why = format!("{why}, and `nack: ignore`");
        warn(found, congestion.kind.location, &format!("congestion control `{name}`"), &why, help);
        return;
    }
    let message = format!("congestion control `{name}` slows down on NACKs only");
    found.report(congestion.kind.location, message).label(why).help(help);
}

/// Marks that no sender reacts to.
fn unused_marks(draft: &Draft, congestion: &Congestion, queues: &Queues, found: &mut Problems) {
    let Some(transport) = &draft.transport else { return };
    let Some(marking) = queues.marking.as_ref().filter(|_| queues.credits.is_none()) else { return };
    let spec = congestion.kind.spec;
    let why = if queue_pairs::rule(transport.spec).is_none() {
        format!("packets are marked, but transport `{}` does not notify senders", transport.spec.name)
    } else if spec.name == "none" {
        "packets are marked, but there is no congestion control".to_owned()
    } else if congestion::senses(spec) != Senses::Notifications {
        format!("packets are marked, but `{}` does not react to marks", spec.name)
    } else {
        return;
    };
    let report = found.report(marking.location, "no sender reacts to marks here");
    report.label(why).help("write `congestion: dcqcn`, say, or `marking: none`");
}

/// Marking thresholds that no queue can reach.
fn out_of_reach(queues: &Queues, found: &mut Problems) {
    let Some(marking) = &queues.marking else { return };
    let bounds = ["switch_limit", "buffer"];
    let bound = |name| match queues.settings.settings.optional(name) {
        Some(Value::Size(size)) => Some((name, size)),
        _ => None,
    };
    let least: Option<(&str, Bytes)> = bounds.into_iter().filter_map(bound).min_by_key(|(_, size)| *size);
    let Some((name, _)) = least.filter(|(_, size)| marking.settings.size("minimum") >= *size) else { return };
    let location = marking.location_of("minimum");
    let report = found.report(location, "`marking` has no effect here");
    report
        .label("no queue can become as long")
        .related(queues.settings.location_of(name), "the limit of queues");
    report.help(format!("a `minimum` below `{name}`"));
}

/// Settings of pause frames, if none is ever sent.
fn never_paused(draft: &Draft, model: &Model, found: &mut Problems) {
    let Some(queues) = &draft.queues else { return };
    if model.pausing_classes() > 0 {
        return;
    }
    let xon_gap = is_set(&queues.settings, "xon_gap").then(|| queues.settings.location_of("xon_gap"));
    let headroom = queues.headroom.as_ref().map(|headroom| headroom.location);
    for (name, location) in [("xon_gap", xon_gap), ("headroom", headroom)] {
        if let Some(location) = location {
            warn(found, location, &format!("`{name}`"), "no class is paused", "write `pause: true` as well");
        }
    }
}

/// Reactions to faults, if nothing fails.
fn no_faults(draft: &Draft, model: &Model, found: &mut Problems) {
    let Some(faults) = &draft.faults else { return };
    if !(model.faults.is_empty() && model.switch_faults.is_empty() && model.events.is_empty()) {
        return;
    }
    let settings = &faults.settings;
    for name in ["awareness", "detection", "recovery", "reconvergence"] {
        if is_set(settings, name) {
            let what = format!("`{name}`");
            warn(
                found,
                settings.location_of(name),
                &what,
                "no link or switch fails",
                "write what fails, or leave it out",
            );
        }
    }
}

/// The delay of modelled barriers and snapshots, if there are none.
fn nobody_waits(draft: &Draft, model: &Model, found: &mut Problems) {
    let Some(delay) = &draft.coordination_delay else { return };
    let of_job = |job: &netloom_model::Job| {
        job.repetition.aligned || job.repetition.endless || job.phases.iter().any(Phase::has_barrier)
    };
    let asks = model.routing.n_groups() > 0 && model.balances.switch.asks_beyond();
    if asks
        || matches!(model.awareness, FailureAwareness::Global(_))
        || model.workload.jobs.iter().any(of_job)
    {
        return;
    }
    let why = "there is no modelled barrier, and no node uses snapshots";
    warn(found, delay.location, "`coordination_delay`", why, "write `auto`, or leave it out");
}

/// The time from a grant to its message, if no message needs one.
fn no_grants(draft: &Draft, found: &mut Problems) {
    let Some(hosts) = &draft.hosts else { return };
    if is_set(hosts, "handshake") && hosts.settings.optional("rendezvous").is_none() {
        let help = "write `rendezvous: 64KiB`, say, or leave it out";
        warn(
            found,
            hosts.location_of("handshake"),
            "`handshake`",
            "without `rendezvous` no message needs a grant",
            help,
        );
    }
}

/// The rate between ranks of a host, if no host has several of a job.
fn no_local_ranks(draft: &Draft, found: &mut Problems) {
    let Some(hosts) = &draft.hosts else { return };
    if is_set(hosts, "local_rate") && draft.jobs.iter().all(|job| job.ranks_per_host.value == 1) {
        let help = "write `ranks_per_host: 8` in a job, say, or leave it out";
        let why = "no host has several ranks of a job";
        warn(found, hosts.location_of("local_rate"), "`local_rate`", why, help);
    }
}

#[cfg(test)]
mod tests {
    use netloom_policy::{balance, congestion, edge};
    use netloom_units::{Kind, Spec};

    use super::{CONDITIONS, With};
    use crate::resolved::sections;

    fn specs() -> Vec<&'static Spec> {
        let own = [&sections::QUEUES, &sections::MARKING, &sections::CREDITS];
        balance::SPECS.iter().chain(congestion::SPECS).chain(edge::SPECS).copied().chain(own).collect()
    }

    #[test]
    fn conditions_name_existing_parameters() {
        for (spec, name, other, with) in CONDITIONS {
            let spec = specs().into_iter().find(|found| found.name == spec).expect("a spec of this name");
            assert!(spec.parameter(name).is_some(), "`{}` has no `{name}`", spec.name);
            let other = spec.parameter(other).expect("the other parameter");
            let fits = match (with, other.kind) {
                (With::Word(word), Kind::Choice(words)) => words.contains(&word),
                (With::Some | With::None, Kind::Optional(_)) => true,
                _ => false,
            };
            assert!(fits, "`{}` cannot be {with:?}", other.name);
        }
    }

    /// Every parameter whose meaning mentions a condition has one.
    #[test]
    fn every_condition_in_a_meaning_is_listed() {
        for spec in specs() {
            for parameter in spec.parameters.iter().filter(|parameter| parameter.meaning.contains("with `")) {
                let is_listed =
                    CONDITIONS.iter().any(|found| (found.0, found.1) == (spec.name, parameter.name));
                let is_of_pause = ["alpha", "xon_gap"].contains(&parameter.name);
                assert!(
                    is_listed || is_of_pause,
                    "`{}` of `{}`: {}",
                    parameter.name,
                    spec.name,
                    parameter.meaning
                );
            }
        }
    }
}
