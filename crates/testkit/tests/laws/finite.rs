//! Finite flows: one alone takes its ideal time; one that waits starts when it knows that the one before has completed;
//! nothing depends on execution options.

use std::collections::BTreeMap;
use std::sync::Arc;

use netloom_catalog::expand;
use netloom_engine::{Extensions, Options, Status};
use netloom_model::{FabricService, FiniteFlow, FiniteFlows, KnownAt, Message, Model, TransportKind};
use netloom_records::FlowRow;
use netloom_testkit::fixture::{
    Cable, Clos, ListedWork, Run, Sending, everything_joined, model, pair, simulate as simulate_listed,
    simulate_with,
};
use netloom_units::{Bytes, Duration, HostId, Random, Rate, Time};

use crate::cases::transports;
use crate::rdma::{RULES, rdma};

const LINE: u64 = 50_000_000_000;
const US: u64 = 1_000_000;

fn flow(from: u32, to: u32, start: u64, size: u64, after: Option<u32>) -> FiniteFlow {
    FiniteFlow {
        start: Duration(start),
        size: Bytes(size),
        source: from,
        destination: to,
        after: after.unwrap_or(FiniteFlow::NONE),
        service: 0,
    }
}

fn with(model: &Model, flows: &[FiniteFlow]) -> Model {
    let ends = (0..model.fabric.n_hosts() as u32).map(HostId).collect();
    let services = vec![FabricService::default()];
    let mut model = model.clone();
    let flows = Arc::new(flows.to_vec());
    model.workload.finite = Some(FiniteFlows { flows, ends, services, fastest: Rate(LINE) });
    model
}

fn simulated(model: &Model, options: Options) -> Run {
    let work = expand(&model.workload, model.fabric.n_hosts(), model.seed).expect("the flows are valid");
    simulate_with(model, work, options, Extensions::default())
}

fn simulate(model: &Model) -> Run {
    simulated(model, Options::default())
}

fn taken(row: &FlowRow) -> Duration {
    row.end.expect("the flow completes").since(row.start)
}

/// Every kind of transport over a Clos; whether it has acknowledgements.
fn everywhere(check: impl Fn(&Model, bool, &str)) {
    let mut clos = Clos::new(3, 2, 3);
    clos.host = Cable::new(LINE, 600_000);
    let pairs = RULES.map(|rule| (format!("{rule:?}"), TransportKind::Rdma(rdma(rule)), 1));
    let others = transports().map(|(name, kind, control)| (name.to_owned(), kind, control));
    for (name, kind, control) in pairs.into_iter().chain(others) {
        let mut model = model(clos.wiring());
        let has_responses = !matches!(kind, TransportKind::OpenLoop { .. });
        (model.transport.kind, model.classes.control) = (kind, control);
        check(&model, has_responses, &name);
    }
}

/// Random flows over nine hosts, of which half wait for an earlier one.
fn random(seed: u64, n_flows: u32, has_responses: bool) -> Vec<FiniteFlow> {
    let mut random = Random::stream(seed, 5, 5);
    let (mut start, mut flows): (u64, Vec<FiniteFlow>) = (0, Vec::new());
    for number in 0..n_flows {
        let size = 1 + u64::from(random.below(30_000));
        let waits = number > 0 && random.below(2) == 0;
        let before = waits.then(|| number - 1 - random.below(number.min(15)));
        let from = match before {
            None => random.below(9),
            Some(before) => {
                let FiniteFlow { source, destination, .. } = flows[before as usize];
                if has_responses && random.below(2) == 0 { source } else { destination }
            }
        };
        let to = (from + 1 + random.below(8)) % 9;
        if before.is_none() {
            start += u64::from(random.below(4_000_000));
        }
        let own = if waits { u64::from(random.below(3)) * 777_777 } else { start };
        flows.push(flow(from, to, own, size, before));
    }
    flows
}

#[test]
fn a_flow_alone_takes_its_ideal_time() {
    let quiet = 50_000 * US;
    let sizes = [1, 999, 1000, 1001, 57_000, 123_457];
    let flows: Vec<_> =
        (0..).zip(sizes).map(|(number, size)| flow(0, 8, number * quiet, size, None)).collect();
    let mut clos = Clos::new(3, 2, 3);
    clos.fabric = Cable::new(40_000_000_000, 700_000);
    let run = simulate(&with(&model(clos.wiring()), &flows));
    assert_eq!((run.outcome.status.clone(), run.records.flows.len()), (Status::Complete, flows.len()));
    for (row, flow) in run.records.flows.iter().zip(&flows) {
        assert_eq!((row.start.0, row.size, row.job), (flow.start.0, flow.size, Message::FINITE));
        assert_eq!(Some(taken(row)), row.ideal, "{row:?}");
    }
}

#[test]
fn a_reply_starts_when_the_flow_before_has_arrived_and_the_next_flow_when_it_is_acknowledged() {
    let mut two = model(pair(Cable::new(LINE, US)));
    two.transport.kind = TransportKind::Window { packets: 64, acknowledgement: Bytes(64) };
    let flows =
        [flow(0, 1, 5, 40_000, None), flow(1, 0, 3 * US, 1000, Some(0)), flow(0, 1, 2 * US, 1000, Some(0))];
    let mut rows = simulate(&with(&two, &flows)).records.flows;
    rows.sort_by_key(|row| row.step);
    let arrived = rows[0].end.expect("it arrives").0;
    // Forty packets of 160 ns each, and the delay of the cable.
    assert_eq!(arrived, 5 + 40 * 160_000 + US);
    assert_eq!(rows[1].start.0, arrived + 3 * US);
    // An acknowledgement of 64 bytes.
    assert_eq!(rows[2].start.0, arrived + 10_240 + US + 2 * US);
}

#[test]
fn a_flow_that_waits_starts_when_its_sender_knows() {
    everywhere(|model, has_responses, case| {
        for seed in 0..3 {
            let flows = random(seed, 120, has_responses);
            let loaded = with(model, &flows);
            let run = simulate(&loaded);
            assert_eq!(run.outcome.status, Status::Complete, "{case} {seed}");
            let rows: BTreeMap<u32, &FlowRow> = run.records.flows.iter().map(|row| (row.step, row)).collect();
            assert_eq!((run.records.flows.len(), rows.len()), (flows.len(), flows.len()), "{case} {seed}");
            let finite = loaded.workload.finite.as_ref().expect("there are flows");
            for (number, flow) in (0..).zip(&flows) {
                let Some(before) = flow.waits_for() else {
                    assert_eq!(rows[&number].start.0, flow.start.0, "{case} {seed} {number}");
                    continue;
                };
                let known = rows[&before].end.expect("it completes");
                let least = known + flow.start;
                match finite.known_at(flow, &flows[before as usize]).expect("it is valid") {
                    KnownAt::Destination => assert_eq!(rows[&number].start, least, "{case} {seed} {number}"),
                    KnownAt::Source => assert!(rows[&number].start > least, "{case} {seed} {number}"),
                }
            }
        }
    });
}

#[test]
fn flows_that_wait_for_none_are_messages_with_these_starts() {
    everywhere(|model, _, case| {
        let mut flows = random(7, 150, false);
        flows.retain(|flow| flow.waits_for().is_none());
        let listed: Vec<Sending> = flows
            .iter()
            .map(|flow| Sending::new(flow.start.0, flow.source, flow.destination, flow.size.0))
            .collect();
        let what = |rows: &[FlowRow]| -> Vec<FlowRow> {
            rows.iter().map(|row| FlowRow { job: 0, step: 0, ..*row }).collect()
        };
        let (found, expected) =
            (simulate(&with(model, &flows)), simulate_listed(model, ListedWork::new(&listed)));
        assert_eq!(what(&found.records.flows), what(&expected.records.flows), "{case}");
        assert_eq!(found.records.ports, expected.records.ports, "{case}");
    });
}

#[test]
fn execution_options_do_not_change_records() {
    let plain = Options::default();
    let variants = [
        Options { threads: 3, shortcut: false, ..plain },
        Options { coarsen: 3, shortcut: false, ..plain },
        Options { threads: 2, ..everything_joined() },
    ];
    everywhere(|model, has_responses, case| {
        let loaded = with(model, &random(11, 200, has_responses));
        for deadline in [None, Some(Time(90 * US))] {
            let loaded = Model { deadline, ..loaded.clone() };
            let first = simulate(&loaded).results();
            for variant in variants {
                assert!(simulated(&loaded, variant).results() == first, "{case} {deadline:?} {variant:?}");
            }
        }
    });
}

#[test]
fn flows_behind_one_that_is_lost_never_start() {
    let mut two = model(pair(Cable::new(LINE, US)));
    two.transport.kind = TransportKind::OpenLoop { rate: None };
    // One packet of sixteen.
    two.loss = 1 << 60;
    let run = simulate(&with(&two, &[flow(0, 1, 0, 400_000, None), flow(1, 0, 0, 1000, Some(0))]));
    let Status::Stalled(stall) = &run.outcome.status else { panic!("{:?}", run.outcome.status) };
    assert_eq!((stall.waiting.len(), stall.waiting[0].host, stall.waiting[0].messages), (1, HostId(1), 1));
    assert_eq!(run.records.flows.len(), 1, "the one behind has no row");
}
