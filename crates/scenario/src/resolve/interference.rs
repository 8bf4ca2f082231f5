//! The `interference` section: a job that is measured, and one that interferes with it.
//!
//! Models: two groups of hosts, the collectives of both, how often the victim repeats its own and in what bursts the
//! aggressor does. The result is two jobs; later stages do not see the section.
//! Leaves out: comparing runs; `netloom show interference` does that.
//!
//! Invariants: the placement of the victim does not depend on whether there is an aggressor.

use netloom_units::{Settings, Time, Value};

use super::fields::named;
use super::{if_valid, is_word, job, phase, plugin, report_repeats, value};
use crate::diagnostic::Problems;
use crate::location::{Located, Location};
use crate::quantity::{self, Dimension};
use crate::resolved::{
    Collective, Job, Overlap, Parameters, Phase, PhaseEntry, Placement, Steps, WarmUp, sections,
};
use crate::written::{Node, Tree};

/// The key of the section.
pub(super) const KEY: &str = "interference";
/// Keys that are read by explicit code.
const BY_HAND: [&str; 6] = ["hosts", "victim", "aggressor", "steps", "warm_up", "bursts"];
/// Smallest number of hosts of both groups together: two ranks each.
const FEWEST: u32 = 4;
/// Default precision of the victim's mean: the ratio of two such means is known to 2 %.
pub(crate) const PRECISION: f64 = 0.014;
/// Default share of warm-up steps: that of the paper.
pub(crate) const WARM_UP: f64 = 0.1;

/// The hosts of both groups.
enum Hosts {
    /// A number of hosts, from the first one on.
    Number(u32),
    /// A list of hosts.
    Listed(Vec<Located<String>>),
}

/// The jobs of the section, if there is one; those that cannot be read are reported and left out.
pub(super) fn jobs(node: Option<&Node>, problems: &mut Problems) -> Vec<Job> {
    let Some(node) = node.filter(|node| !is_word(node, "none")) else { return Vec::new() };
    if_valid(problems, |problems| study(node, problems)).unwrap_or_default()
}

fn study(node: &Node, problems: &mut Problems) -> Option<Vec<Job>> {
    let (own, fields) = plugin::section(Some(node), &sections::INTERFERENCE, &BY_HAND, problems)?;
    let hosts = fields.need("hosts", "16", problems).and_then(|node| hosts(node, problems));
    let own = own?;
    let (hosts, hosts_location) = (hosts?, fields.get("hosts").map_or(fields.head, Node::head));
    check_groups(&own, &hosts, problems);
    let [victims, aggressors] = placements(&own, &hosts, hosts_location);
    let n_ranks = n_hosts(&hosts) / 2;
    let victim = fields.need("victim", "{ ring_all_gather: { size: 2MiB } }", problems);
    let victim = victim.and_then(|node| collective(node, "victim", &own, n_ranks, problems));
    let aggressor = fields.get("aggressor").filter(|node| !is_word(node, "none"));
    let steps = match fields.get("steps") {
        Some(node) => victim_steps(node, problems)?,
        None => Located::new(Steps::Precise(precise()), fields.head),
    };
    let warm_up = match fields.get("warm_up") {
        Some(node) => measured(job::warm_up(node, problems)?),
        None => WarmUp::Share(WARM_UP),
    };
    let bursts = job::bursts(fields.get("bursts"), problems)?;
    let job = |name: &str, placement, phase: Located<Phase>| Job {
        name: Located::new(name.to_owned(), phase.location),
        placement,
        ranks_per_host: Located::new(1, fields.head),
        share_hosts: Located::new(false, fields.head),
        steps: Located::new(Steps::Endless, phase.location),
        warm_up: WarmUp::Steps(0),
        bursts: None,
        start: Time::ZERO,
        groups: Vec::new(),
        orders: Located::new(Vec::new(), fields.head),
        traffic: None,
        phases: vec![PhaseEntry { phase, overlap: Overlap::default() }],
    };
    let mut jobs = vec![Job { steps, warm_up, ..job("victim", victims, victim?) }];
    if let Some(node) = aggressor {
        let phase = collective(node, "aggressor", &own, n_ranks, problems)?;
        jobs.push(Job { bursts, ..job("aggressor", aggressors, phase) });
    }
    Some(jobs)
}

/// A victim is measured even if all of its steps count.
fn measured(warm_up: WarmUp) -> WarmUp {
    match warm_up {
        WarmUp::Steps(0) => WarmUp::Share(0.0),
        warm_up => warm_up,
    }
}

/// The default precision.
fn precise() -> Parameters {
    let defaults = sections::PRECISE
        .parameters
        .iter()
        .map(|parameter| (parameter.name, parameter.default.clone().unwrap_or(Value::Fraction(PRECISION))));
    let settings = Settings::new(defaults.collect());
    let locations = vec![Location::default(); sections::PRECISE.parameters.len()];
    Parameters::new(&sections::PRECISE, settings, Location::default(), locations, false)
}

/// A number, or a list of names.
fn hosts(node: &Node, problems: &mut Problems) -> Option<Hosts> {
    let (hosts, n) = if let Tree::List(items) = &node.tree {
        let names: Vec<_> =
            items.iter().filter_map(|item| value::name(item, "the name of a host", problems)).collect();
        report_repeats(&names, problems);
        let n = names.len() as u32;
        (Hosts::Listed(names), n)
    } else {
        let n_before = problems.len();
        let n = value::count_u32(node, 0, 1_000_000, problems);
        problems.widen_since(n_before, ", or a list of names");
        (Hosts::Number(n?), n?)
    };
    if n < FEWEST || n % 2 == 1 {
        let report = problems.report(node.head(), format!("{n} hosts do not make two groups of equal size"));
        report.label(format!("expected an even number from {FEWEST} up"));
        return None;
    }
    Some(hosts)
}

fn n_hosts(hosts: &Hosts) -> u32 {
    match hosts {
        Hosts::Number(n) => *n,
        Hosts::Listed(names) => names.len() as u32,
    }
}

/// Reports contradictions.
fn check_groups(own: &Parameters, hosts: &Hosts, problems: &mut Problems) {
    let is_random = own.settings.choice("groups") == "random";
    let is_listed = matches!(hosts, Hosts::Listed(_));
    if is_random && is_listed {
        let report =
            problems.report(own.location_of("groups"), "random groups are chosen from the whole fabric");
        report.label("but the hosts are listed").help("list them in the order wanted, or write their number");
    }
    if own.settings.count("first") > 0 && (is_random || is_listed) {
        let why =
            if is_listed { "the hosts are listed" } else { "random groups are chosen from the whole fabric" };
        let report = problems.report(own.location_of("first"), "there is no first host to start from");
        report.label(why).help("remove it");
    }
}

/// The placements of victim and aggressor.
fn placements(own: &Parameters, hosts: &Hosts, location: Location) -> [Placement; 2] {
    let n = n_hosts(hosts);
    let is_interleaved = own.settings.choice("groups") == "interleaved";
    match hosts {
        Hosts::Listed(names) => {
            let part = |group: usize| {
                let half = n as usize / 2;
                let is_of =
                    |number: usize| if is_interleaved { number % 2 == group } else { number / half == group };
                let chosen = names.iter().enumerate().filter(|(number, _)| is_of(*number));
                Placement::List(Located::new(chosen.map(|(_, name)| name.clone()).collect(), location))
            };
            [part(0), part(1)]
        }
        Hosts::Number(_) if own.settings.choice("groups") == "random" => {
            let half = Value::Count(u64::from(n / 2));
            let settings = || sections::RANDOM.defaults().with("ranks", half.clone());
            [settings(), settings()].map(|settings| rule(&sections::RANDOM, settings, location))
        }
        Hosts::Number(_) => {
            let first = own.settings.count("first");
            let (offset, stride) = if is_interleaved { (1, 2) } else { (u64::from(n / 2), 1) };
            [first, first + offset].map(|first| {
                let settings = sections::NUMBERED.defaults();
                let settings = settings.with("ranks", Value::Count(u64::from(n / 2)));
                let settings =
                    settings.with("first", Value::Count(first)).with("stride", Value::Count(stride));
                rule(&sections::NUMBERED, settings, location)
            })
        }
    }
}

fn rule(spec: &'static netloom_units::Spec, settings: Settings, location: Location) -> Placement {
    let locations = vec![location; spec.parameters.len()];
    Placement::Rule(Parameters::new(spec, settings, location, locations, false))
}

/// The collective of a job, as a phase.
fn collective(
    node: &Node,
    what: &str,
    own: &Parameters,
    n_ranks: u32,
    problems: &mut Problems,
) -> Option<Located<Phase>> {
    let found = named(node, what, problems)?;
    let mut one = phase::one_collective(&found, problems)?;
    if own.settings.choice("sizes") == "per_peer" && one.algorithm.spec.name.starts_with("all_to_all") {
        one.common = whole_vector(&one, n_ranks, problems)?;
    }
    let settings = Parameters::defaults(&sections::COLLECTIVES);
    Some(Located::new(Phase::Collectives { settings, each: vec![one] }, found.location))
}

/// The sizes of an all-to-all whose size is given per peer.
fn whole_vector(one: &Collective, n_ranks: u32, problems: &mut Problems) -> Option<Parameters> {
    let part = one.common.settings.size("size").0;
    let Some(size) = part.checked_mul(u64::from(n_ranks)) else {
        let part = quantity::print(part, Dimension::Size);
        let report = problems
            .report(one.common.location_of("size"), format!("{n_ranks} parts of {part} are too much"));
        report.label("for each peer");
        return None;
    };
    let mut common = one.common.clone();
    common.settings = common.settings.with("size", Value::Size(netloom_units::Bytes(size)));
    Some(common)
}

/// The number of steps, which must be finite.
fn victim_steps(node: &Node, problems: &mut Problems) -> Option<Located<Steps>> {
    let steps = job::steps(node, problems)?;
    if steps == Steps::Endless {
        let report = problems.report(node.location, "the steps of the victim are measured, so they must end");
        report.label("without end").help("write `1000`, or `{ precision: 1.4% }`");
        return None;
    }
    Some(Located::new(steps, job::location_of_steps(node)))
}
