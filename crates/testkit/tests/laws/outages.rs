//! Random failures of links, switches and NICs of every kind: every lost packet is counted, every run ends, and records
//! do not depend on execution options.
//!
//! Every run audits itself: packets sent have arrived, were lost and counted, or are in flight, at its end and, in
//! builds for tests, now and then before.

use std::collections::BTreeMap;

use netloom_engine::observe::{Control, Observer, Progress, States};
use netloom_engine::{Extensions, Options, Status};
use netloom_model::{
    Errors, FailureAwareness, Fault, FaultAction, Model, Reaction, ReroutePaths, SwitchFault, TransportKind,
};
use netloom_policy::transport::Reliability;
use netloom_records::DropReason;
use netloom_testkit::fixture::{
    Clos, ListedWork, Run, Sending, everything_joined, model, policy, simulate, simulate_with,
};
use netloom_units::{Bytes, Duration, LinkId, NodeId, Random, Rate, Time};

use crate::cases::{policies, traffic, transports};
use crate::credits::plain;
use crate::rdma::{RULES, SWITCHES, rdma, with};

const N_HOSTS: u32 = 12;
/// Far more than any of these runs needs.
const MOST_WINDOWS: u64 = 3_000_000;

/// Stops a run that does not end.
struct Bounded;

impl Observer for Bounded {
    fn at_window(&mut self, progress: &Progress, _: &dyn States) -> Control {
        if progress.windows > MOST_WINDOWS { Control::Stop } else { Control::Continue }
    }
}

pub fn run(model: &Model, work: &ListedWork, options: Options) -> Run {
    let mut observer = Bounded;
    let extensions = Extensions { observer: Some(&mut observer), ..Extensions::default() };
    simulate_with(model, work.clone(), options, extensions)
}

/// Random faults of all kinds.
pub fn fail(model: &mut Model, seed: u64) {
    let mut random = Random::stream(seed, 91, 0);
    let n_links = model.fabric.links().len() as u32;
    let switches = model.fabric.n_hosts() as u32..model.fabric.n_nodes() as u32;
    let mut below = |bound: u32| random.below(bound);
    // The number of causes that hold a link down, from instant to instant.
    let mut turns: BTreeMap<LinkId, Vec<(u64, i32)>> = BTreeMap::new();
    let span = |below: &mut dyn FnMut(u32) -> u32| {
        let from = 500_000 + u64::from(below(40_000_000));
        let length = 10_000 + u64::from(below(12_000_000));
        // Some never end.
        (from, if below(12) == 0 { u64::MAX } else { from + length })
    };
    for _ in 0..=below(6) {
        let (link, (from, until)) = (LinkId(below(n_links)), span(&mut below));
        turns.entry(link).or_default().extend([(from, 1), (until, -1)]);
    }
    for _ in 0..below(3) {
        let node = NodeId(switches.start + below(switches.len() as u32));
        if model.switch_faults.iter().any(|fault| fault.node == node) {
            continue;
        }
        let (from, until) = span(&mut below);
        model.switch_faults.push(SwitchFault { at: Time(from), node, up: false });
        if until != u64::MAX {
            model.switch_faults.push(SwitchFault { at: Time(until), node, up: true });
        }
        for port in model.fabric.ports_of(node) {
            turns.entry(port.link).or_default().extend([(from, 1), (until, -1)]);
        }
    }
    for _ in 0..below(3) {
        let link = LinkId(below(n_links));
        let (mut at, period) = (u64::from(below(20_000_000)) + 1, 20_000 + u64::from(below(900_000)));
        for _ in 0..=below(60) {
            turns.entry(link).or_default().extend([(at, 1), (at + period / 2, -1)]);
            at += period;
        }
    }
    for _ in 0..below(4) {
        let (link, (from, until)) = (LinkId(below(n_links)), span(&mut below));
        let own = model.fabric.port(model.fabric.links()[link.index()].ends[0]).rate;
        let slow = Rate(own.0 / u64::from(2 + below(9)));
        for (at, rate) in [(from, slow), (until, own)] {
            model.faults.push(Fault { at: Time(at), link, action: FaultAction::Rate(rate) });
        }
    }
    for _ in 0..below(4) {
        let (link, (from, until)) = (LinkId(below(n_links)), span(&mut below));
        let errors = if below(2) == 0 { Errors::of_packets(0.05) } else { Errors::of_bits(1e-5) };
        for (at, errors) in [(from, errors), (until, Errors::NONE)] {
            model.faults.push(Fault { at: Time(at), link, action: FaultAction::Errors(errors) });
        }
    }
    for (link, mut bounds) in turns {
        bounds.sort_unstable();
        let mut holding = 0;
        for (slot, &(at, more)) in bounds.iter().enumerate() {
            holding += more;
            // An outage that ends as another begins is found only when both are counted.
            let is_last = bounds.get(slot + 1).is_none_or(|next| next.0 > at);
            let was = bounds[..=slot].iter().filter(|bound| bound.0 < at).map(|bound| bound.1).sum::<i32>();
            if is_last && (was > 0) != (holding > 0) {
                let action = if holding > 0 { FaultAction::Down } else { FaultAction::Up };
                model.faults.push(Fault { at: Time(at), link, action });
            }
        }
    }
    model.faults.retain(|fault| fault.at != Time(u64::MAX));
    model.faults.sort_unstable();
    model.switch_faults.sort_unstable();
    let delays = [0, 70_000, 900_000, 4_000_000].map(Duration);
    let mut delay = || delays[below(4) as usize];
    model.reaction = Reaction { detection: delay(), recovery: delay(), reconvergence: delay() };
    model.awareness = match below(3) {
        0 => FailureAwareness::Local,
        1 => FailureAwareness::Global(ReroutePaths::Shortest),
        _ => FailureAwareness::Global(ReroutePaths::UpDown),
    };
}

/// A fabric with a transport, by number: output queues of all kinds, and input buffers with credits.
fn scene(number: u64) -> (String, Model) {
    let delay = if number.is_multiple_of(2) { 1_000_000 } else { 70_000 };
    match number % 8 {
        kind @ 0..4 => {
            let rule = RULES[kind as usize];
            let switches = SWITCHES[(number / 8 % 4) as usize];
            (format!("{rule:?} {switches:?}"), with(rule, switches, delay))
        }
        kind @ 4..6 => {
            let rule = RULES[(number / 8 % 4) as usize];
            let mut model = with(rule, SWITCHES[0], delay);
            model.queues.marking = None;
            let mut credits = plain(8_000);
            if kind == 5 {
                (credits.speedup, credits.output_buffer) = (2, Bytes(4_000));
            }
            model.queues.credits = Some(credits);
            (format!("{rule:?} with credits, {kind}"), model)
        }
        kind => {
            let mut clos = Clos::new(4, 3, N_HOSTS / 4);
            clos.shape.host_links = 1 + (number / 8 % 2) as u32;
            let mut model = model(clos.wiring());
            let (name, transport, control) =
                transports()[2 * (kind as usize - 6) + (number / 8 % 2) as usize];
            (model.transport.kind, model.classes.control) = (transport, control);
            let all = policies();
            let (chosen, policy) = &all[(number / 8) as usize % 9];
            model.balances.switch = policy.clone();
            (format!("{name}, {chosen}"), model)
        }
    }
}

#[test]
fn under_random_failures_every_loss_is_counted_and_every_run_ends() {
    let plain = Options::default();
    let variants = [
        Options { threads: 2, coarsen: 2, ..plain },
        Options { threads: 4, shortcut: false, ..plain },
        Options { coarsen: 7, shortcut: false, ..plain },
        everything_joined(),
    ];
    let (mut n_complete, mut n_given_up, mut reasons) = (0, 0, BTreeMap::new());
    for seed in 0..200 {
        let (name, mut model) = scene(seed);
        fail(&mut model, seed);
        let what = format!("seed {seed}: {name} {:?} {:?}", model.reaction, model.awareness);
        let work = ListedWork::new(&traffic(seed, N_HOSTS, 60, 9_000));
        let first = run(&model, &work, plain);
        assert_ne!(first.outcome.status, Status::Stopped, "{what}");
        for variant in [variants[seed as usize % 4], variants[(seed as usize + 1) % 4]] {
            let other = run(&model, &work, variant);
            assert!(other.records == first.records, "{what} {variant:?}");
            assert_eq!(other.outcome.status, first.outcome.status, "{what} {variant:?}");
            assert_eq!(other.outcome.end, first.outcome.end, "{what} {variant:?}");
        }
        first.records.drops.iter().for_each(|row| *reasons.entry(row.reason).or_insert(0) += row.packets);
        let unfinished = first.records.flows.iter().filter(|row| row.end.is_none()).count();
        match &first.outcome.status {
            Status::Complete => {
                n_complete += 1;
                assert_eq!(unfinished, 0, "{what}");
            }
            Status::Stalled(stall) => {
                assert_eq!(stall.unfinished, unfinished as u64, "{what}");
                if matches!(model.transport.kind, TransportKind::Rdma(_)) {
                    n_given_up += 1;
                    assert!(!stall.given_up.is_empty(), "{what}: {stall:?}");
                }
            }
            other => panic!("{what}: {other:?}"),
        }
        // A run that stops early reports the same of the time before, and audits itself there.
        let cut = Model { deadline: Some(Time(17_300_000 + 100_003 * seed)), ..model };
        let run = run(&cut, &work, plain);
        assert!(
            matches!(run.outcome.status, Status::Deadline | Status::Complete | Status::Stalled(_)),
            "{what}"
        );
    }
    assert!(n_complete > 60 && n_given_up > 3, "{n_complete} complete, {n_given_up} gave up");
    for reason in
        [DropReason::LinkDown, DropReason::Unreachable, DropReason::Corrupted, DropReason::SwitchDown]
    {
        assert!(reasons.get(&reason).is_some_and(|packets| *packets > 20), "{reason:?}: {reasons:?}");
    }
}

#[test]
fn at_every_loss_rate_a_run_completes_or_reports_queue_pairs_that_gave_up() {
    let mut given_up = 0;
    for loss in [1e-6, 1e-3, 0.01, 0.1, 0.3, 0.5] {
        for rule in RULES {
            let mut model = with(rule, SWITCHES[0], 1_000_000);
            model.transport.kind = TransportKind::Rdma(netloom_model::Rdma { retries: 7, ..rdma(rule) });
            let links = 0..model.fabric.links().len() as u32;
            let errors = FaultAction::Errors(Errors::of_packets(loss));
            model.faults =
                links.map(|link| Fault { at: Time::ZERO, link: LinkId(link), action: errors }).collect();
            let work = ListedWork::new(&traffic(9, N_HOSTS, 30, 9_000));
            let found = run(&model, &work, Options::default());
            let what = format!("{rule:?} at {loss}: {:?}", found.outcome.status);
            match &found.outcome.status {
                Status::Complete => {
                    assert!(found.records.flows.iter().all(|row| row.end.is_some()), "{what}");
                }
                Status::Stalled(stall) => {
                    assert!(loss >= 0.1, "{what}");
                    assert!(!stall.given_up.is_empty(), "{what}");
                    assert!(stall.given_up.iter().all(|pair| pair.timeouts >= 8), "{what}");
                    given_up += 1;
                }
                _ => panic!("{what}"),
            }
        }
    }
    assert!(given_up >= 2, "with half of the packets lost at each of four links some queue pairs give up");
}

#[test]
fn a_permanent_nic_failure_is_reported_by_every_queue_pair_that_waits_for_it() {
    for rule in RULES {
        for end in [0, 5] {
            let mut model = with(rule, SWITCHES[0], 1_000_000);
            let host_link = model.fabric.ports_of(NodeId(end))[0].link;
            model.faults = vec![Fault { at: Time(3_000_000), link: host_link, action: FaultAction::Down }];
            let work = ListedWork::new(&[Sending::new(0, 0, 5, 400_000), Sending::new(0, 1, 6, 40_000)]);
            let found = run(&model, &work, Options::default());
            let Status::Stalled(stall) = &found.outcome.status else { panic!("{:?}", found.outcome.status) };
            let [pair] = stall.given_up[..] else { panic!("{stall:?}") };
            // Packets that are ready as the queue pair gives up are still sent, and time out once more.
            assert!((51..=52).contains(&pair.timeouts), "{rule:?}: {stall:?}");
            assert_eq!((pair.source.0, pair.destination.0), (0, 5), "{rule:?}");
            assert_eq!(stall.unfinished, 1);
            let reason = if end == 0 { DropReason::LinkDown } else { DropReason::Unreachable };
            assert!(found.records.drops.iter().any(|drop| drop.reason == reason), "{rule:?} {end}");
        }
    }
}

#[test]
fn a_switch_that_fails_loses_its_packets_and_serves_again_after_recovery() {
    for with_credits in [false, true] {
        let mut model = with(Reliability::NicSr, SWITCHES[0], 1_000_000);
        if with_credits {
            model.queues.marking = None;
            model.queues.credits = Some(plain(8_000));
        }
        model.balances.switch = policy("ecmp", &[]);
        // The only spine that is not down from the start.
        let spines = N_HOSTS + 4;
        let mut links = Vec::new();
        for spine in 0..3 {
            links.push(
                model
                    .fabric
                    .ports_of(NodeId(spines + spine))
                    .iter()
                    .map(|port| port.link)
                    .collect::<Vec<_>>(),
            );
        }
        let mut turn = |spine: usize, at: u64, up: bool| {
            let node = NodeId(spines + spine as u32);
            model.switch_faults.push(SwitchFault { at: Time(at), node, up });
            let action = if up { FaultAction::Up } else { FaultAction::Down };
            model.faults.extend(links[spine].iter().map(|&link| Fault { at: Time(at), link, action }));
        };
        turn(1, 0, false);
        turn(2, 0, false);
        turn(0, 20_000_000, false);
        turn(0, 60_000_000, true);
        model.faults.sort_unstable();
        model.switch_faults.sort_unstable();
        model.reaction = Reaction { detection: Duration(2_000_000), ..Reaction::default() };
        let work = ListedWork::new(&traffic(4, N_HOSTS, 60, 30_000));
        let found = simulate(&model, work);
        assert_eq!(found.outcome.status, Status::Complete, "credits: {with_credits}");
        let at_spine = |drop: &&netloom_records::DropRow| drop.reason == DropReason::SwitchDown;
        let lost: Vec<_> = found.records.drops.iter().filter(at_spine).collect();
        assert!(!lost.is_empty() && lost.iter().all(|drop| drop.node == NodeId(spines)), "{lost:?}");
        let first = lost.iter().map(|drop| drop.first).min().expect("not empty");
        // Packets in flight as the switch went down have arrived a microsecond later.
        let last = lost.iter().map(|drop| drop.last).max().expect("not empty");
        assert!(first == Time(20_000_000) && last <= Time(21_100_000), "{first:?} {last:?}");
        let into_the_dead = found.records.drops.iter().filter(|drop| drop.reason == DropReason::LinkDown);
        assert!(into_the_dead.clone().all(|drop| drop.node.0 >= N_HOSTS && drop.node.0 < spines));
        assert!(
            into_the_dead.map(|drop| drop.packets).sum::<u64>() > 0,
            "leaves detect the failure after a delay"
        );
    }
}
