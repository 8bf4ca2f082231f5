//! The other interfaces: a policy from outside, an observer, the deadline, and comparable state.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use netloom_engine::observe::{Control, Observer, PortState, Progress, States};
use netloom_engine::{Extensions, Options, Status};
use netloom_model::{FlowHashInput, Model};
use netloom_policy::balance::{Chosen, Context, DynBalance, PacketView, Pick, Ports, Position};
use netloom_testkit::fixture::{
    Cable, Clos, ListedWork, Run, Sending, model, policy, simulate, simulate_with, star,
};
use netloom_units::{Bytes, Duration, Time};

use crate::cases::traffic;
use crate::doubles::port_forms;

/// Sends consecutive packets to the next candidate in turn, marks them with its node, and removes the marks of a leaf.
struct Outsider {
    node: u32,
    turn: usize,
}

impl DynBalance for Outsider {
    fn pick(&mut self, _: &mut Context, packet: &PacketView, ports: &mut dyn Ports) -> Pick {
        self.turn += 1;
        assert_eq!(packet.tag, 0, "it is not marked yet");
        Pick { candidate: self.turn % ports.n_minimal(), class: 6, tag: self.node }
    }
}

#[test]
fn a_policy_from_outside_chooses_the_paths() {
    let clos = Clos::new(2, 4, 1);
    let mut model = model(clos.wiring());
    let make =
        |position: Position| -> Box<dyn DynBalance> { Box::new(Outsider { node: position.node, turn: 0 }) };
    model.balances.switch = Chosen::Dyn(Arc::new(make));
    let work = ListedWork::new(&[Sending::new(0, 0, 1, 8000)]);
    for options in port_forms() {
        let run = simulate_with(&model, work.clone(), options, Extensions::default());
        let up: Vec<_> = run.records.ports.iter().filter(|port| port.node.0 == 2 && port.index > 0).collect();
        assert_eq!(up.iter().map(|port| port.packets).collect::<Vec<_>>(), [2, 2, 2, 2]);
        assert_eq!(run.outcome.status, Status::Complete);
    }
    let (_, arrivals, _) = crate::doubles::watched(&model, &work, 3);
    assert!(arrivals.iter().all(|(_, _, packet)| packet.tag == 2 && packet.class() == 6));
    assert_eq!(arrivals.len(), 8);
}

fn busy() -> (Model, ListedWork) {
    (model(Clos::new(3, 2, 3).wiring()), ListedWork::new(&traffic(9, 9, 50, 700)))
}

struct StopAfter(u64);

impl Observer for StopAfter {
    fn at_window(&mut self, progress: &Progress, _: &dyn States) -> Control {
        if progress.windows == self.0 { Control::Stop } else { Control::Continue }
    }
}

#[test]
fn a_run_stopped_by_an_observer_has_valid_records() {
    let (model, work) = busy();
    let whole = simulate(&model, work.clone());
    let mut stop = StopAfter(9);
    let extensions = Extensions { observer: Some(&mut stop), ..Extensions::default() };
    let part = simulate_with(&model, work, Options::default(), extensions);
    assert_eq!((part.outcome.status.clone(), part.outcome.windows), (Status::Stopped, 9));
    is_part_of(&part, &whole);
}

/// Rows of a run that was stopped are those of the whole run up to then.
fn is_part_of(part: &Run, whole: &Run) {
    let finished = |run: &Run| run.records.flows.iter().filter(|flow| flow.end.is_some()).count();
    let n_finished = finished(part);
    assert!(n_finished > 0 && n_finished < finished(whole), "{n_finished} flows finished");
    assert_eq!(part.records.flows[..n_finished], whole.records.flows[..n_finished]);
    let cut = part.outcome.end;
    assert!(part.records.flows[..n_finished].iter().all(|flow| flow.end < Some(cut)));
    assert!(whole.records.flows[n_finished].end >= Some(cut));
    let started = whole.records.flows.iter().filter(|flow| flow.start < cut).count();
    assert_eq!(part.records.flows.len(), started);
}

#[test]
fn a_deadline_stops_the_run_at_its_instant() {
    let (model, work) = busy();
    let whole = simulate(&model, work.clone());
    let last = whole.records.flows[20].end.expect("all end");
    for options in port_forms() {
        for late in [0, 1, 40_000] {
            let cut = Model { deadline: Some(last + Duration(late)), ..model.clone() };
            let part = simulate_with(&cut, work.clone(), options, Extensions::default());
            assert_eq!(part.outcome.status, Status::Deadline);
            assert_eq!(part.outcome.end, last + Duration(late));
            is_part_of(&part, &whole);
        }
    }
    let later = Model { deadline: Some(whole.outcome.end + Duration(1)), ..model.clone() };
    assert_eq!(simulate(&later, work), whole, "a deadline after the end has no effect");
}

const PERIOD: u64 = 50_000_000;
const N_PERIODS: u64 = 60;
/// Periods compared: the tables are full, and enough work lies ahead.
const COMPARED: std::ops::Range<u64> = 20..36;

/// The state of all partitions, as words.
type Words = Vec<Vec<u64>>;

/// The state at each phase of the period, with the number of the period.
#[derive(Default)]
struct Phases(BTreeMap<u64, Vec<(u64, Words)>>);

impl Observer for Phases {
    fn at_window(&mut self, progress: &Progress, states: &dyn States) -> Control {
        let words = (0..states.n_partitions()).map(|number| states.state(number, progress.now)).collect();
        let (period, phase) = (progress.now.0 / PERIOD, progress.now.0 % PERIOD);
        if COMPARED.contains(&period) {
            self.0.entry(phase).or_default().push((period, words));
        }
        Control::Continue
    }
}

/// The same exchange in every period.
fn phases(mut model: Model, entropy: FlowHashInput) -> Phases {
    model.transport.flow_hash_input = entropy;
    let exchange = [(0, 1, 7000), (1, 2, 3000), (2, 0, 9000)];
    let in_period =
        |period: u64| exchange.map(|(from, to, size)| Sending::new(period * PERIOD, from, to, size));
    let sendings: Vec<Sending> = (0..N_PERIODS).flat_map(in_period).collect();
    let mut phases = Phases::default();
    let extensions = Extensions { observer: Some(&mut phases), ..Extensions::default() };
    let run = simulate_with(&model, ListedWork::new(&sendings).at_a_time(1), Options::default(), extensions);
    assert_eq!(run.outcome.status, Status::Complete);
    phases
}

fn three_around_a_switch() -> Model {
    model(star(3, Cable::new(8_000_000_000, 1_000_000)))
}

#[test]
fn equal_phases_of_a_period_have_equal_state() {
    let Phases(phases) = phases(three_around_a_switch(), FlowHashInput::Pair);
    let mut distinct = BTreeSet::new();
    for (phase, states) in &phases {
        assert!(states.len() as u64 == COMPARED.end - COMPARED.start, "phase {phase} is met in every period");
        for (period, words) in states {
            assert!(*words == states[0].1, "phase {phase}: period {period} differs from {}", states[0].0);
        }
        distinct.insert(&states[0].1);
    }
    assert!(distinct.len() > 5, "only {} different states", distinct.len());
    assert!(distinct.len() + 2 >= phases.len(), "different phases have different states");
}

#[test]
fn a_random_stream_in_use_makes_states_differ() {
    let mut model = model(Clos::new(3, 2, 1).wiring());
    model.balances.switch = policy("spray", &[]);
    let Phases(phases) = phases(model, FlowHashInput::Pair);
    for states in phases.values() {
        assert!(states.windows(2).all(|pair| pair[0].1 != pair[1].1));
    }
}

/// With a fresh hash per message, the paths of the next period differ: no state may equal that of another period.
#[test]
fn future_flow_hashes_are_part_of_the_state() {
    let Phases(phases) = phases(model(Clos::new(3, 2, 1).wiring()), FlowHashInput::Message);
    for (phase, states) in &phases {
        let differ = states.windows(2).all(|pair| pair[0].1 != pair[1].1);
        assert!(differ, "phase {phase}: equal states, different future paths");
    }
}

#[test]
fn progress_agrees_with_the_outcome() {
    struct Last(Option<Progress>);
    impl Observer for Last {
        fn at_window(&mut self, progress: &Progress, _: &dyn States) -> Control {
            assert!(self.0.is_none_or(|before| before.now < progress.now && before.hops <= progress.hops));
            self.0 = Some(*progress);
            Control::Continue
        }
    }
    let (model, work) = busy();
    let mut last = Last(None);
    let extensions = Extensions { observer: Some(&mut last), ..Extensions::default() };
    let run = simulate_with(&model, work, Options::default(), extensions);
    let progress = last.0.expect("there were windows");
    assert_eq!((progress.hops, progress.windows), (run.outcome.hops, run.outcome.windows));
    assert!(progress.now > Time(run.outcome.end.0));
}

/// Reads all ports after every window.
#[derive(Default)]
struct Reader {
    last: Vec<PortState>,
    most_waiting: Vec<Bytes>,
    n_changes: usize,
}

impl Observer for Reader {
    fn at_window(&mut self, _: &Progress, states: &dyn States) -> Control {
        let ports = states.ports();
        self.most_waiting.resize(ports.len(), Bytes(0));
        for (most, port) in self.most_waiting.iter_mut().zip(&ports) {
            *most = (*most).max(port.waiting);
        }
        for (now, before) in ports.iter().zip(&self.last) {
            assert!(now.sent >= before.sent && now.dropped >= before.dropped && now.paused >= before.paused);
        }
        self.n_changes += usize::from(ports != self.last);
        self.last = ports;
        Control::Continue
    }
}

#[test]
fn reading_ports_has_no_effect_and_agrees_with_the_rows() {
    let (mut model, work) = busy();
    model.queues.switch_limit = Some(Bytes(9_000));
    for threads in [1, 2] {
        for options in port_forms().map(|options| Options { threads, ..options }) {
            let mut reader = Reader::default();
            let extensions = Extensions { observer: Some(&mut reader), ..Extensions::default() };
            let watched = simulate_with(&model, work.clone(), options, extensions);
            let alone = simulate_with(&model, work.clone(), options, Extensions::default());
            assert_eq!(watched, alone);
            assert!(reader.n_changes > 10, "only {} different states", reader.n_changes);
            let rows = &watched.records.ports;
            assert_eq!(reader.last.len(), rows.len());
            for (state, row) in reader.last.iter().zip(rows) {
                assert_eq!((state.sent, state.dropped, state.waiting), (row.size, row.dropped, Bytes(0)));
            }
            let reached =
                reader.most_waiting.iter().zip(rows).all(|(most, row)| *most <= row.peak_size.simulated());
            assert!(reached, "more bytes are waiting than the recorded peak");
            assert!(reader.most_waiting.iter().any(|most| most.0 > 0), "nothing ever waited");
            assert!(rows.iter().any(|row| row.dropped > 0), "the scenario has drops");
        }
    }
}
