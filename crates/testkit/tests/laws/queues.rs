//! Queueing theory: the mean wait of M/M/1 and M/D/1 within 2 % at loads of a half and of four fifths, and those of two
//! strict classes at a half.
//!
//! Arrivals are Poisson, sizes exponential or fixed, one packet per message. The number of samples follows from the
//! spread of batch means: two percent must be at least two and a half standard errors. Seeds are fixed.

use std::collections::VecDeque;

use netloom_engine::{Extensions, Options, Status};
use netloom_model::{DataClass, FabricBuilder, Item, Message, Model, Operation, Schedule, Work};
use netloom_records::{Batch, FlowRow, Sink, SinkError};
use netloom_testkit::fixture::{Cable, Wiring, model, pair};
use netloom_units::{ActorId, Bytes, HostId, Random, Time};

/// The queue under test serves one byte per nanosecond.
const RATE: u64 = 8_000_000_000;
const PS_PER_BYTE: u64 = 1_000;
/// Long links make long windows, which are cheap.
const DELAY: u64 = 200_000_000;
const N_BATCHES: usize = 100;
const PURPOSE: u64 = 81;

/// The distribution of message sizes.
#[derive(Debug, Clone, Copy)]
enum Sizes {
    Fixed(u64),
    Exponential(u64),
}

impl Sizes {
    fn mean(self) -> u64 {
        match self {
            Sizes::Fixed(mean) | Sizes::Exponential(mean) => mean,
        }
    }
}

/// Poisson arrivals at some hosts, all towards one.
struct Poisson {
    hosts: Vec<HostId>,
    to: HostId,
    /// Messages of host `h` are in class `h` modulo this number.
    n_classes: u32,
    sizes: Sizes,
    /// Mean time between two messages of one host, in ps.
    gap: f64,
    /// When arrivals end, in ps: the same for all hosts, so that the load is even to the end.
    horizon: f64,
    now: Vec<f64>,
    random: Vec<Random>,
}

impl Poisson {
    fn new(senders: u32, load: f64, sizes: Sizes, n_messages: u32) -> Poisson {
        let n = senders as usize;
        let gap = (sizes.mean() * PS_PER_BYTE) as f64 * f64::from(senders) / load;
        Poisson {
            hosts: (0..senders).map(HostId).collect(),
            to: HostId(senders),
            n_classes: 1,
            sizes,
            gap,
            horizon: f64::from(n_messages / senders) * gap,
            now: vec![0.0; n],
            random: (0..u64::from(senders)).map(|host| Random::stream(1, PURPOSE, host)).collect(),
        }
    }

    fn next(&mut self, actor: usize) -> (Time, u64) {
        let mut exponential = || -(1.0 - self.random[actor].unit()).ln();
        self.now[actor] += exponential() * self.gap;
        let size = match self.sizes {
            Sizes::Fixed(size) => size,
            Sizes::Exponential(mean) => ((exponential() * mean as f64).round() as u64).max(1),
        };
        (Time(self.now[actor] as u64), size)
    }
}

impl Work for Poisson {
    fn actors(&self) -> &[HostId] {
        &self.hosts
    }

    fn barrier_size(&self, _: u32) -> u32 {
        0
    }

    fn refill(&mut self, actor: ActorId, queue: &mut VecDeque<Item>) {
        let actor = actor.index();
        for _ in 0..64 {
            let (at, size) = self.next(actor);
            if at.0 as f64 > self.horizon {
                return;
            }
            let message = Message {
                to: self.to,
                notify: None,
                completion: None,
                tag: 0,
                size: Bytes(size),
                rate: None,
                class: Some((actor as u32 % self.n_classes) as u8),
                may_reorder: true,
                job: Message::BACKGROUND,
                step: 0,
                phase: 0,
                bucket: 0,
            };
            queue.extend(
                [Operation::Until(at), Operation::Send(message)].map(|o| Item { stream: 0, operation: o }),
            );
        }
    }
}

/// Stores for each message when it arrived at the queue and how long it waited there.
struct Waits<'a> {
    /// The time from the start of a message to its arrival at the queue, and from the start of its service to its end,
    /// less the service time of the queue itself.
    elsewhere: &'a dyn Fn(&FlowRow) -> u64,
    came_and_waited: Vec<(u64, u64, u64)>,
}

impl Sink for Waits<'_> {
    fn accept(&mut self, batch: Batch<'_>) -> Result<(), SinkError> {
        if let Batch::Flows(flows) = batch {
            for flow in flows {
                let service = flow.size.0 * PS_PER_BYTE;
                let end = flow.end.expect("nothing is lost").0;
                let waited = end - flow.start.0 - (self.elsewhere)(flow) - service;
                self.came_and_waited.push((end - waited - service, waited, service));
            }
        }
        Ok(())
    }
}

/// The same by class.
struct ByClass<'a>(Vec<Waits<'a>>);

impl Sink for ByClass<'_> {
    fn accept(&mut self, batch: Batch<'_>) -> Result<(), SinkError> {
        if let Batch::Flows(flows) = batch {
            for flow in flows {
                let class = flow.source.index() % self.0.len();
                self.0[class].accept(Batch::Flows(&[*flow]))?;
            }
        }
        Ok(())
    }
}

fn waits(model: &Model, mut work: Poisson, elsewhere: &dyn Fn(&FlowRow) -> u64) -> Vec<(u64, u64, u64)> {
    let mut sink = Waits { elsewhere, came_and_waited: Vec::new() };
    let outcome = netloom_engine::run(model, &mut work, &mut sink, Options::default(), Extensions::default());
    assert_eq!(outcome.status, Status::Complete);
    sink.came_and_waited
}

/// The mean wait, and its standard error from the means of batches.
fn mean_and_error(waits: &[(u64, u64, u64)]) -> (f64, f64) {
    let mean_of = |part: &[(u64, u64, u64)]| {
        part.iter().map(|&(_, waited, _)| waited as f64).sum::<f64>() / part.len() as f64
    };
    let batches: Vec<f64> = waits.chunks_exact(waits.len() / N_BATCHES).map(mean_of).collect();
    let mean = mean_of(waits);
    let variance = batches.iter().map(|batch| (batch - mean).powi(2)).sum::<f64>() / (N_BATCHES - 1) as f64;
    (mean, (variance / N_BATCHES as f64).sqrt())
}

fn within_two_percent(waits: &[(u64, u64, u64)], expected: f64) {
    let (mean, error) = mean_and_error(waits);
    let off = (mean - expected) / expected;
    println!(
        "{} samples: off by {:.2} %, standard error {:.2} %",
        waits.len(),
        100.0 * off,
        100.0 * error / expected
    );
    assert!(error / expected <= 0.008, "too few samples: standard error {error} of {expected}");
    assert!(off.abs() <= 0.02, "mean wait {mean} ps, expected {expected} ps");
}

/// Lindley's recursion, in exact integers: each wait from the one before.
fn follow_lindley(waits: &[(u64, u64, u64)]) {
    for pair in waits.windows(2) {
        let ((came, waited, service), (next_came, next_waited, _)) = (pair[0], pair[1]);
        assert_eq!(next_waited, (came + waited + service).saturating_sub(next_came));
    }
}

/// At the queue of a host's own port.
fn mean_wait_of_exponential_sizes(load: f64, n_messages: u32) {
    let mean = 50_000;
    let mut model = model(pair(Cable::new(RATE, DELAY)));
    // No message is ever split: this is more than forty times the mean.
    model.transport.packet = Bytes(45 * mean);
    let waits = waits(&model, Poisson::new(1, load, Sizes::Exponential(mean), n_messages), &|_| DELAY);
    follow_lindley(&waits);
    let service = (mean * PS_PER_BYTE) as f64;
    within_two_percent(&waits, load * service / (1.0 - load));
}

/// Many slow streams on fast links that meet at the egress port of a switch.
const SENDERS: u32 = 20;
const SIZE: u64 = 1_000;
/// The time from the start of a message until it is at the switch, and from the end of its service until it has
/// arrived.
const AT_HOST: u64 = SIZE * PS_PER_BYTE / 400;

fn crossing_flows() -> Model {
    let mut builder = FabricBuilder::new(SENDERS + 1, 1);
    (0..SENDERS).for_each(|host| Cable::new(400 * RATE, DELAY).lay(&mut builder, host, SENDERS + 1));
    Cable::new(RATE, DELAY).lay(&mut builder, SENDERS, SENDERS + 1);
    model(Wiring::shortest(builder))
}

/// At a port with one queue.
fn mean_wait_of_fixed_sizes(load: f64, n_messages: u32) {
    let work = Poisson::new(SENDERS, load, Sizes::Fixed(SIZE), n_messages);
    let waits = waits(&crossing_flows(), work, &|_| 2 * DELAY + AT_HOST);
    let service = (SIZE * PS_PER_BYTE) as f64;
    within_two_percent(&waits, load * service / (2.0 * (1.0 - load)));
}

/// Two strict classes of equal load, without preemption: Cobham, Operations Research 1954.
#[test]
fn two_strict_classes_at_half_load_wait_as_in_cobhams_formula() {
    let load = 0.5;
    let mut model = crossing_flows();
    let strict = DataClass { schedule: Schedule::Strict, marking: None, alpha: 1024, pause: false };
    model.queues.classes.by_number[..2].fill(Some(strict));
    let mut work = Poisson { n_classes: 2, ..Poisson::new(SENDERS, load, Sizes::Fixed(SIZE), 1_000_000) };
    let elsewhere = |_: &FlowRow| 2 * DELAY + AT_HOST;
    let waits = || Waits { elsewhere: &elsewhere, came_and_waited: Vec::new() };
    let mut sink = ByClass(vec![waits(), waits()]);
    let outcome =
        netloom_engine::run(&model, &mut work, &mut sink, Options::default(), Extensions::default());
    assert_eq!(outcome.status, Status::Complete);
    // The mean residual time of the packet on the wire, for every arrival.
    let rest = load * (SIZE * PS_PER_BYTE) as f64 / 2.0;
    within_two_percent(&sink.0[1].came_and_waited, rest / (1.0 - load / 2.0));
    within_two_percent(&sink.0[0].came_and_waited, rest / ((1.0 - load / 2.0) * (1.0 - load)));
}

#[test]
fn exponential_sizes_at_half_load_wait_as_in_m_m_1() {
    mean_wait_of_exponential_sizes(0.5, 700_000);
}

#[test]
fn exponential_sizes_at_four_fifths_wait_as_in_m_m_1() {
    mean_wait_of_exponential_sizes(0.8, 2_700_000);
}

#[test]
fn fixed_sizes_at_half_load_wait_as_in_m_d_1() {
    mean_wait_of_fixed_sizes(0.5, 400_000);
}

#[test]
fn fixed_sizes_at_four_fifths_wait_as_in_m_d_1() {
    mean_wait_of_fixed_sizes(0.8, 2_500_000);
}
