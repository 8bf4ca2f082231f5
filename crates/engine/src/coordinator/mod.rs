//! Runs between windows: hands out work, releases barriers, updates global routing, records rows.
//!
//! Models: interactions that hosts cannot have within a window; modelled barriers release at the last arrival plus the
//! coordination delay; global routing converges at multiples of that delay (both modelling assumptions).
//! Leaves out: everything that happens inside a window.
//!
//! Invariants: everything done here is ordered by time, actor or partition number, never by threads.

use std::collections::{BTreeMap, VecDeque};

use netloom_model::{Item, Job, LinkDetection, Model, Operation, Work};
use netloom_policy::edge::themis::Failure;
use netloom_records::{Batch, FlowRow, ReorderingRow, Sink, SinkError, TallyRow};
use netloom_units::{ActorId, Duration, HostId, LinkId, PortId, Time};

use crate::actor::{Actor, Task};
use crate::assemble::NodePlacement;
use crate::congestion::Congestion;
use crate::context::{Report, TimerKind};
use crate::flow::{FlowTable, sort_rows};
use crate::ledger::Ledger;
use crate::observe::{Control, Observer, Progress};
use crate::parallel::{SchedulerState, WorkerPool};
use crate::partition::LONGEST_WINDOW;
use crate::port::{Egress, Totals};
use crate::program::Program;
use crate::rates::Rates;
use crate::run::{Deadlock, FailedQueuePair, Outcome, Stall, Standstill, Status, Waiting};
use crate::sampler::Sampler;
use crate::stages::Stages;
use crate::timeline::Timeline;
use crate::trace::Tracer;
use causes::Causes;
use central::Central;
use global_events::GlobalEvent;
use messages::Pairs;
use program::Turns;
use repairs::LossRecovery;
use snapshots::Snapshots;
use timeouts::Timeouts;

mod audit;
mod causes;
mod central;
mod classes;
mod congestion;
mod deadlock;
mod events;
mod failures;
mod global_events;
mod messages;
mod ports;
mod program;
mod rates;
mod reordering;
mod repairs;
mod reports;
mod snapshots;
mod stages;
mod step_barriers;
mod timeouts;
mod unreported;

/// Where an actor is placed.
#[derive(Debug, Clone, Copy)]
struct Address {
    partition: u32,
    node: u32,
    /// Its index at the host.
    actor: u32,
    host: HostId,
}

/// Actors waiting at a barrier.
#[derive(Debug, Default)]
struct Barrier {
    actors: Vec<u32>,
    last: u64,
}

/// A run is stopped within a window only after this number of rounds; with fewer the window ends soon.
const FEW_ROUNDS: u32 = 100;

/// What ends a run with the window in which it occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Ending {
    /// An actor did too many operations at an instant in ps; the first one.
    Standstill { at: u64, actor: ActorId },
    /// The observer stops the run, and actors get no more operations.
    Stopped,
}

/// See the module.
pub struct Coordinator<'a, 'h> {
    scheduler: &'h SchedulerState<'a>,
    model: &'a Model,
    placement: &'h NodePlacement,
    work: &'h mut dyn Work,
    sink: &'h mut dyn Sink,
    addresses: Vec<Address>,
    table: FlowTable,
    ledger: Ledger<'a>,
    /// Current bursts, by job.
    bursts: BTreeMap<u16, step_barriers::Burst>,
    has_endless: bool,
    /// Whether the run ends although endless jobs continue.
    is_over: bool,
    /// Sums over messages that have no rows of their own, by job and sender.
    unreported: BTreeMap<(u16, HostId), TallyRow>,
    barriers: BTreeMap<u32, Barrier>,
    to_refill: Vec<u32>,
    /// Scratch memory: partitions with reports in this window, and these.
    reporting: Vec<u32>,
    reports: Vec<Report>,
    /// Scratch memory: partitions that continue in this window.
    paused: Vec<u32>,
    rows: Vec<FlowRow>,
    /// Reordering of the same messages' packets, if it is recorded.
    reordering: Vec<ReorderingRow>,
    causes: Option<Causes>,
    repairs: LossRecovery,
    timeouts: Timeouts,
    /// Shared queue pairs, and messages about to be freed.
    pairs: Pairs,
    /// Which links are globally known to be down; empty before the first notification.
    dead: Vec<bool>,
    /// Link changes noticed by the ends of a link and not yet globally known.
    pending_notices: VecDeque<(LinkDetection, LinkId)>,
    /// How Themis reacts to them, if the switches use Themis.
    failure: Option<Failure>,
    global_events: VecDeque<(u64, GlobalEvent)>,
    snapshots: Option<Snapshots>,
    sampler: Option<Sampler>,
    timeline: Option<Timeline<'a>>,
    rates: Option<Rates>,
    stages: Option<Stages<'a>>,
    congestion: Option<Congestion<'a>>,
    central: Option<Central>,
    tracer: Tracer<'a>,
    n_faults_reported: usize,
    n_finished: usize,
    /// What ends the run with this window.
    ending: Option<Ending>,
    /// Data packets of messages that have arrived.
    n_arrived: u64,
    /// Whether middleboxes may create and absorb packets.
    has_hooks: bool,
    /// The program that starts messages, if there is one.
    turns: Option<Turns<'h>>,
    n_windows: u64,
    hops: u64,
    window_length: u64,
    /// End of the last window, and the instant of the last event.
    now: u64,
}

impl<'a, 'h> Coordinator<'a, 'h> {
    /// A coordinator with all actors placed at their hosts and given their first operations.
    pub fn new(
        scheduler: &'h SchedulerState<'a>,
        placement: &'h NodePlacement,
        lookahead: Option<Duration>,
        work: &'h mut dyn Work,
        sink: &'h mut dyn Sink,
    ) -> Coordinator<'a, 'h> {
        let model = scheduler.model;
        let n_ports = model.fabric.ports().len();
        let longest = lookahead.map_or(LONGEST_WINDOW, |span| span.0);
        let mut coordinator = Coordinator {
            scheduler,
            model,
            placement,
            addresses: Vec::new(),
            table: FlowTable::default(),
            ledger: Ledger::new(&model.workload.jobs),
            bursts: BTreeMap::new(),
            has_endless: model.workload.jobs.iter().any(|job| job.repetition.endless),
            is_over: false,
            unreported: BTreeMap::new(),
            barriers: BTreeMap::new(),
            to_refill: Vec::new(),
            reporting: Vec::new(),
            reports: Vec::new(),
            paused: Vec::new(),
            rows: Vec::new(),
            reordering: Vec::new(),
            causes: Causes::new(scheduler, placement),
            repairs: LossRecovery::default(),
            timeouts: Timeouts::default(),
            pairs: Pairs::default(),
            dead: Vec::new(),
            pending_notices: VecDeque::new(),
            failure: model.balances.edge.as_ref().map(|chosen| Failure::of(&chosen.settings)),
            global_events: VecDeque::new(),
            snapshots: Snapshots::new(model, placement),
            sampler: model.recording.series.as_ref().map(|how| Sampler::new(how, n_ports)),
            timeline: Timeline::new(&model.workload.jobs, model.recording.timeline),
            rates: model.transport.rdma().and_then(|_| Rates::new(model)),
            stages: model.workload.staged.as_ref().map(Stages::new),
            congestion: Congestion::new(model),
            central: Central::new(model),
            tracer: Tracer::new(model),
            n_faults_reported: 0,
            n_finished: 0,
            ending: None,
            n_arrived: 0,
            has_hooks: false,
            turns: None,
            n_windows: 0,
            hops: 0,
            window_length: longest_window(model, longest),
            now: 0,
            work,
            sink,
        };
        coordinator.plan_global_events();
        if model.queues.credits.is_some() {
            coordinator.schedule_deadlock_check(0);
        }
        coordinator.assign_actors();
        coordinator
    }

    /// Sets whether the run has middleboxes.
    pub fn with_hooks(self, has_hooks: bool) -> Coordinator<'a, 'h> {
        Coordinator { has_hooks, ..self }
    }

    /// Sets the program that starts messages.
    pub fn with_program(self, program: Option<&'h mut dyn Program>) -> Coordinator<'a, 'h> {
        let turns = program.map(|program| {
            program.begin(Duration(self.window_length));
            Turns::new(program)
        });
        Coordinator { turns, ..self }
    }

    fn assign_actors(&mut self) {
        let hosts = self.work.actors().to_vec();
        for (id, &host) in hosts.iter().enumerate() {
            let (partition, node) = self.placement.of_node[self.model.fabric.host_node(host).index()];
            let mut slot = self.scheduler.partition(partition as usize);
            let actors = &mut slot.nodes[node as usize].host.as_deref_mut().expect("a host").actors;
            let address = Address { partition, node, actor: actors.len() as u32, host };
            actors.push(Actor::new(id as u32));
            self.addresses.push(address);
        }
        for id in 0..hosts.len() as u32 {
            self.refill(id);
            self.release(id, 0);
        }
    }

    /// Runs to the end, or until the observer stops it.
    pub fn run(mut self, pool: &mut WorkerPool<'_, '_>, observer: &mut dyn Observer) -> Outcome {
        let status = match self.windows(pool, observer) {
            Ok(status) => status,
            Err(error) => Status::SinkFailed(error),
        };
        let status = match self.close(&status) {
            Err(error) if !matches!(status, Status::SinkFailed(_)) => Status::SinkFailed(error),
            _ => status,
        };
        Outcome {
            end: Time(self.end_of_run(&status)),
            status,
            windows: self.n_windows,
            window: Duration(self.window_length),
            hops: self.hops,
            packets: self.sum(|partition| partition.context.packets),
        }
    }

    fn windows(
        &mut self,
        pool: &mut WorkerPool<'_, '_>,
        observer: &mut dyn Observer,
    ) -> Result<Status, SinkError> {
        self.record_traffic()?;
        loop {
            let earliest = self.earliest();
            match self.turn_between_windows(earliest) {
                Some(Control::Stop) => return Ok(Status::Stopped),
                Some(Control::Continue) => continue,
                None => {}
            }
            if earliest == u64::MAX {
                // Credits return to switches without an event: the actions due until then still run.
                if let Some(status) = self.run_global_events_until(self.credits_until()) {
                    return Ok(status);
                }
                if self.scheduler.activity.earliest() == u64::MAX {
                    return Ok(self.at_rest());
                }
                continue;
            }
            if let Some(status) = self.run_global_events_until(earliest) {
                return Ok(status);
            }
            let end = (earliest + self.window_length).min(self.next_global_event()).min(self.program_limit());
            self.start_messages(end);
            self.window(pool, (earliest, end), observer);
            self.now = end;
            self.audit_some();
            self.record()?;
            if let Some(Ending::Standstill { at, actor }) = self.ending {
                let host = self.addresses[actor.index()].host;
                return Ok(Status::Standstill(Standstill { actor, host, at: Time(at) }));
            }
            let progress = self.progress();
            if observer.at_window(&progress, self) == Control::Stop || self.ending.is_some() {
                return Ok(Status::Stopped);
            }
        }
    }

    /// One window: rounds until no partition is paused.
    fn window(&mut self, pool: &mut WorkerPool<'_, '_>, (start, end): (u64, u64), observer: &dyn Observer) {
        self.n_windows += 1;
        {
            let mut round_state = self.scheduler.round_state.write().expect("no thread panicked");
            let round_state = &mut *round_state;
            round_state.window = self.n_windows;
            round_state.start = start;
            round_state.end = end;
            self.scheduler.activity.list_due(end, &mut round_state.due);
        }
        let mut reporting = std::mem::take(&mut self.reporting);
        let mut paused = std::mem::take(&mut self.paused);
        let mut n_rounds = 0;
        loop {
            let harvest = pool.run_round();
            self.hops += harvest.hops;
            reporting.extend(&harvest.reporting);
            if harvest.paused.is_empty() && !self.is_holding() {
                break;
            }
            paused.clone_from(&harvest.paused);
            // A window in which actors do very many operations takes long.
            n_rounds += 1;
            if n_rounds > FEW_ROUNDS && observer.is_stopping() {
                self.ending = Some(Ending::Stopped);
            }
            self.collect(&paused);
            self.refill_actors();
            self.keep_continuing(&mut paused, end);
            std::mem::swap(
                &mut self.scheduler.round_state.write().expect("no thread panicked").due,
                &mut paused,
            );
        }
        // Several rounds each have their own order.
        reporting.sort_unstable();
        self.collect(&reporting);
        self.repairs.line_up(&mut self.table);
        self.retire_quiet();
        self.refill_actors();
        reporting.clear();
        self.reporting = reporting;
        self.paused = paused;
    }

    fn at_host<R>(&self, host: HostId, act: impl FnOnce(&mut crate::host::Host) -> R) -> R {
        let (partition, node) = self.placement.of_node[self.model.fabric.host_node(host).index()];
        let mut partition = self.scheduler.partition(partition as usize);
        act(partition.nodes[node as usize].host.as_deref_mut().expect("a host"))
    }

    /// An actor arrives at a barrier; the last one releases all.
    fn arrive_at_barrier(&mut self, group: u32, actor: u32, at: u64) {
        let size = self.work.barrier_size(group);
        let barrier = self.barriers.entry(group).or_default();
        barrier.actors.push(actor);
        barrier.last = barrier.last.max(at);
        if barrier.actors.len() < size as usize {
            return;
        }
        let barrier = self.barriers.remove(&group).expect("just filled");
        let release = barrier.last + self.model.coordination_delay.0;
        if group >= Job::FIRST_STEP_BARRIER {
            return self.wait_at_step_barrier(group, barrier.actors, release);
        }
        barrier.actors.into_iter().for_each(|actor| self.release(actor, release));
    }

    /// Lets an actor continue at an instant.
    fn release(&self, actor: u32, at: u64) {
        let address = self.addresses[actor as usize];
        let mut partition = self.scheduler.partition(address.partition as usize);
        partition.context.set_timer(at, address.node, TimerKind::Release { actor: address.actor });
        self.scheduler.activity.bring_forward(address.partition as usize, at);
    }

    /// Refills all actors that need it, in actor order.
    fn refill_actors(&mut self) {
        let mut to_refill = std::mem::take(&mut self.to_refill);
        to_refill.sort_unstable();
        to_refill.dedup();
        // An actor that stopped after its request needs nothing any more.
        to_refill.retain(|&id| !self.of_actor(id, Actor::is_finished));
        to_refill.drain(..).for_each(|actor| self.refill(actor));
        self.to_refill = to_refill;
    }

    fn of_actor<R>(&self, id: u32, read: impl FnOnce(&Actor) -> R) -> R {
        let Address { host, actor, .. } = self.addresses[id as usize];
        self.at_host(host, |host| read(&host.actors[actor as usize]))
    }

    fn refill(&mut self, id: u32) {
        let address = self.addresses[id as usize];
        let mut items = VecDeque::new();
        if self.ending == Some(Ending::Stopped) {
            let stop = |host: &mut crate::host::Host| {
                host.actors[address.actor as usize].refill(std::iter::empty());
            };
            return self.at_host(address.host, stop);
        }
        loop {
            self.work.refill(ActorId(id), &mut items);
            let tasks: Vec<(u8, Task)> =
                items.drain(..).map(|item| (item.stream, self.task(address.host, &item))).collect();
            let mut partition = self.scheduler.partition(address.partition as usize);
            let host = partition.nodes[address.node as usize].host.as_deref_mut().expect("a host");
            let actor = &mut host.actors[address.actor as usize];
            actor.refill(tasks.into_iter());
            if !actor.wants_more() {
                return;
            }
        }
    }

    fn task(&mut self, source: HostId, item: &Item) -> Task {
        match item.operation {
            Operation::Compute(span) => Task::Compute(span.0),
            Operation::Until(at) => Task::Until(at.0),
            Operation::StopAt(at) => Task::StopAt(at.0),
            Operation::Receive { tag, messages } => Task::Receive { tag, messages },
            Operation::Notify { actor, tag } => Task::Notify { actor: actor.0, tag },
            Operation::Barrier { group } => Task::Barrier(group),
            Operation::Mark(mark) => Task::Mark(mark),
            Operation::Join => Task::Join,
            Operation::Send(message) => Task::Send(self.insert(source, message)),
            Operation::SendWhen { message, tag, after } => {
                Task::SendWhen { flow: self.insert(source, message), tag, after: after.0, keeps: false }
            }
            Operation::SendAfter { message, tag, delay, is_last } => {
                let flow = self.insert(source, message);
                Task::SendWhen { flow, tag, after: delay.0, keeps: !is_last }
            }
        }
    }

    /// The totals of all ports as of `at`, by port id; pause time as of `end`: once no event is left it must not depend
    /// on the length of the last window.
    fn ports_at(&self, at: u64, end: u64) -> impl Iterator<Item = Totals> + '_ {
        self.placement.of_node.iter().flat_map(move |&(partition, position)| {
            let partition = self.scheduler.partition(partition as usize);
            let node = &partition.nodes[position as usize];
            let totals = |(local, port): (u32, &Egress)| {
                let totals = port.totals_at(at);
                let counted = node.loads.as_ref().and_then(|loads| loads.peak_packets(local));
                let peak_packets = counted.or(totals.peak_packets);
                // Only nodes with one port have trains.
                let packets = totals.packets + node.n_posted();
                Totals { packets, paused: node.blocked_time(end, local), peak_packets, ..totals }
            };
            (0..).zip(&node.ports).map(totals).collect::<Vec<_>>()
        })
    }

    fn progress(&self) -> Progress {
        Progress {
            now: Time(self.now),
            windows: self.n_windows,
            hops: self.hops,
            steps: self.ledger.n_steps(),
            total_steps: self.total_steps(),
        }
    }

    /// Steps that jobs do at most, endless jobs excluded.
    fn total_steps(&self) -> u64 {
        let finite = self.model.workload.jobs.iter().filter(|job| !job.repetition.endless);
        finite.map(|job| u64::from(job.steps)).sum()
    }

    /// Emits the window's rows.
    fn record(&mut self) -> Result<(), SinkError> {
        if self.has_endless {
            self.end_if_last();
        }
        if self.model.recording.sums_messages && !self.rows.is_empty() {
            self.sum_up_messages();
        }
        if !self.rows.is_empty() {
            sort_rows(&mut self.rows);
            self.sink.accept(Batch::Flows(&self.rows))?;
            self.rows.clear();
        }
        self.record_reordering()?;
        self.record_causes()?;
        let mut repairs = self.repairs.take_ready();
        if self.model.recording.sums_messages {
            self.sum_up_repairs(&mut repairs);
        }
        if !repairs.is_empty() {
            self.sink.accept(Batch::Repairs(&repairs))?;
        }
        if let Some(timeline) = &mut self.timeline {
            timeline.apply_marks();
        }
        let (steps, collectives) = self.ledger.take_rows();
        if !steps.is_empty() {
            self.sink.accept(Batch::Steps(&steps))?;
        }
        if !collectives.is_empty() {
            self.sink.accept(Batch::Collectives(&collectives))?;
        }
        let packets = self.tracer.take_ended(self.now);
        if !packets.is_empty() {
            self.sink.accept(Batch::Packets(&packets))?;
        }
        self.record_congestion()?;
        self.record_faults()
    }

    /// No event is pending anywhere: everything is done, or nothing can continue.
    fn at_rest(&self) -> Status {
        let unfinished = self.table.unfinished().count() as u64;
        if self.n_finished == self.addresses.len() && unfinished == 0 {
            return Status::Complete;
        }
        let ring = self.find_credit_cycle(u64::MAX);
        if !ring.is_empty() {
            return self.deadlock(ring);
        }
        Status::Stalled(Stall { waiting: self.waiting(), given_up: self.given_up(), unfinished })
    }

    /// Queue pairs that have given up sending, host by host.
    fn given_up(&self) -> Vec<FailedQueuePair> {
        let Some(rdma) = self.model.transport.rdma() else { return Vec::new() };
        let hosts = (0..self.model.fabric.n_hosts() as u32).map(HostId);
        let of_host = |host| {
            self.at_host(host, |slot| messages::nic(slot).given_up(host, rdma.retries).collect::<Vec<_>>())
        };
        hosts.flat_map(of_host).collect()
    }

    fn deadlock(&self, ring: Vec<PortId>) -> Status {
        Status::Deadlock(Deadlock { cycle: ring, unfinished: self.table.unfinished().count() as u64 })
    }

    fn waiting(&self) -> Vec<Waiting> {
        let mut waiting = Vec::new();
        for id in 0..self.addresses.len() as u32 {
            let host = self.addresses[id as usize].host;
            waiting.extend(self.of_actor(id, |actor| {
                (!actor.is_finished()).then(|| Waiting {
                    actor: ActorId(id),
                    host,
                    messages: actor.waits_for().map(|(_, missing)| u64::from(missing)).sum(),
                    at_barrier: actor.waits_at_barrier(),
                })
            }));
        }
        waiting
    }

    /// Emits everything that is known only at the end.
    fn close(&mut self, status: &Status) -> Result<(), SinkError> {
        if matches!(status, Status::SinkFailed(_)) {
            return Ok(());
        }
        self.audit();
        self.record()?;
        let unfinished = self.unfinished_rows();
        self.sink.accept(Batch::Flows(&unfinished))?;
        self.record_remaining_reordering()?;
        let mut repairs = self.repairs_left();
        if self.model.recording.sums_messages {
            self.sum_up_repairs(&mut repairs);
        }
        self.sink.accept(Batch::Repairs(&repairs))?;
        self.sink.accept(Batch::Jobs(&self.ledger.job_rows()))?;
        let ports = self.port_rows();
        self.sink.accept(Batch::Ports(&ports))?;
        let signals = self.signal_rows(self.end_of_run(status));
        if !signals.is_empty() {
            self.sink.accept(Batch::Signals(&signals))?;
        }
        self.sink.accept(Batch::Rings(&self.psn_ring_rows()))?;
        self.close_classes()?;
        self.close_series(self.end_of_run(status))?;
        if let Some(timeline) = self.timeline.take() {
            self.sink.accept(Batch::Spans(&timeline.rows()))?;
        }
        let rates = self.rate_rows(self.end_of_run(status));
        self.sink.accept(Batch::Rates(&rates))?;
        let stages = self.stage_rows(status);
        self.sink.accept(Batch::Stages(&stages))?;
        self.close_congestion(status)?;
        self.sink.accept(Batch::Measures(&self.measure_rows()))?;
        self.sink.accept(Batch::Tallies(&self.tally_rows()))?;
        let drops = self.drop_rows();
        self.sink.accept(Batch::Drops(&drops))?;
        self.sink.accept(Batch::Arbitration(&self.arbitration_rows()))?;
        if drops.is_empty() {
            self.sink.accept(Batch::SpuriousTimeouts(&self.timeouts.rows()))?;
        }
        self.record_events(status)?;
        self.trace_waiting();
        let cut_short = self.tracer.take_rest();
        self.sink.accept(Batch::Packets(&cut_short))
    }

    /// Traced packets that are still queued at the end get their hop records as they are.
    fn trace_waiting(&mut self) {
        for number in 0..self.scheduler.partitions.len() {
            let mut hop_records = Vec::new();
            for node in &mut self.scheduler.partition(number).nodes {
                node.trace_waiting(&mut hop_records);
            }
            self.trace(&hop_records);
        }
    }

    fn unfinished_rows(&self) -> Vec<FlowRow> {
        let round_state = self.scheduler.round_state.read().expect("no thread panicked");
        let row = |position| {
            let flow = &round_state.flows[position as usize];
            let received = self.received(flow);
            self.table.row(self.model, &round_state.flows, position, None, received)
        };
        let mut rows: Vec<FlowRow> = self.table.unfinished().map(row).collect();
        sort_rows(&mut rows);
        rows
    }

    /// The instant of the last event, or where the run was cut.
    fn end_of_run(&self, status: &Status) -> u64 {
        match status {
            _ if self.is_over => self.now,
            Status::Complete | Status::Stalled(_) => {
                let deadline = self.model.deadline.map_or(u64::MAX, |deadline| deadline.0);
                let last_event = self.greatest(|partition| partition.context.now);
                last_event.max(self.credits_until().min(deadline))
            }
            _ => self.now,
        }
    }

    /// When the last credits in flight to switches arrive.
    fn credits_until(&self) -> u64 {
        self.greatest(|partition| partition.context.credits_until)
    }

    fn greatest(&self, read: impl Fn(&crate::partition::Partition) -> u64) -> u64 {
        (0..self.scheduler.partitions.len())
            .map(|number| read(&self.scheduler.partition(number)))
            .max()
            .unwrap_or(0)
    }

    fn sum(&self, read: impl Fn(&crate::partition::Partition) -> u64) -> u64 {
        (0..self.scheduler.partitions.len()).map(|number| read(&self.scheduler.partition(number))).sum()
    }
}

/// The longest a window may be: retransmission timeouts are set by transmission starts that may be seen only at its
/// end.
fn longest_window(model: &Model, lookahead: u64) -> u64 {
    let timeout = model.transport.rdma().map_or(u64::MAX, |rdma| rdma.timeout.0.min(rdma.timeout_low.0));
    lookahead.min(model.coordination_delay.0).min(LONGEST_WINDOW).min(timeout)
}
