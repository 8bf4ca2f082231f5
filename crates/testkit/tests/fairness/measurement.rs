//! One run of a scenario: the throughput of each of its flows, and the conditions of every run.
//!
//! A flow's throughput is that of table `stages`: payload that arrived after the warm-up. Every message completes, so
//! packets can be counted.

use netloom_catalog::expand;
use netloom_engine::{Extensions, Options, Status};
use netloom_model::Model;
use netloom_records::PortRow;
use netloom_scenario::{Style, compile, resolve};
use netloom_testkit::fixture::{Run, simulate_with};

/// Payload of a full packet, and the packet and its ACK on the wire, by the defaults of `transport: ideal`.
pub const PAYLOAD: u64 = 4096;
pub const PACKET: u64 = PAYLOAD + 62;
pub const ACK: u64 = 64;

/// The crossbar of switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crossbar {
    /// That of the scenario.
    AsWritten,
    /// One in which no ingress is ever busy.
    Ideal,
}

/// The model of a scenario.
pub fn model(text: &str, crossbar: Crossbar) -> Model {
    let wrong = |wrong: &netloom_scenario::Diagnostics| format!("{}\n{text}", wrong.render(Style::Plain));
    let resolved = resolve(text, "fairness.yaml").unwrap_or_else(|error| panic!("{}", wrong(&error)));
    let compiled = compile(&resolved).unwrap_or_else(|error| panic!("{}", wrong(&error)));
    let mut model = compiled.model;
    model.queues.credits.as_mut().expect("the scenario has credits").is_ideal = crossbar == Crossbar::Ideal;
    model
}

/// The results of a run.
#[derive(Debug, Clone)]
pub struct Measurement {
    /// Of each flow, in bit/s of payload.
    pub throughputs: Vec<f64>,
    /// Conditions of every run that this one violates.
    pub faults: Vec<String>,
}

impl Measurement {
    /// The throughputs of a run without faults, in Gb/s.
    pub fn gbps(&self) -> Vec<f64> {
        let found: Vec<f64> = self.throughputs.iter().map(|rate| rate / 1e9).collect();
        assert!(self.faults.is_empty(), "{found:.2?} Gb/s, and {}", self.faults.join("; "));
        found
    }
}

/// Runs a scenario.
pub fn measure(text: &str, crossbar: Crossbar) -> Measurement {
    let model = model(text, crossbar);
    let work = expand(&model.workload, model.fabric.n_hosts(), model.seed).expect("the flows are valid");
    let run = simulate_with(&model, work, Options::default(), Extensions::default());
    let throughputs = run.records.stages.iter().map(|row| row.throughput).collect();
    Measurement { throughputs, faults: faults(&run, &model) }
}

/// Violated conditions of a run: every packet arrives, none is dropped or sent twice, and no packet waits longer at the
/// head of its queue than the rule of turns allows.
fn faults(run: &Run, model: &Model) -> Vec<String> {
    let records = &run.records;
    let needed: u64 = records.flows.iter().map(|row| row.size.0.div_ceil(PAYLOAD)).sum();
    let arrived: u64 = records.flows.iter().map(|row| u64::from(row.packets)).sum();
    let is_host = |row: &&PortRow| model.fabric.is_host(row.node);
    let sent: u64 = records.ports.iter().filter(is_host).map(|row| row.packets).sum();
    let repaired = records.repairs.iter().find(|row| row.retransmitted + row.duplicates + row.nacks > 0);
    let late = records.arbitration.iter().find(|row| row.most_passes > row.bound);
    // Every packet is answered by an ACK (`coalesce: 1`), and hosts send nothing else.
    let responded = 2 * needed;
    let checks = [
        (run.outcome.status == Status::Complete, format!("it ended as {:?}", run.outcome.status)),
        (records.drops.is_empty(), format!("dropped: {:?}", records.drops)),
        (arrived == needed && needed > 0, format!("{arrived} packets of {needed} arrived")),
        (sent == responded, format!("hosts sent {sent} packets and ACKs instead of {responded}")),
        (repaired.is_none(), format!("retransmitted: {repaired:?}")),
        (records.spurious_timeouts.is_empty(), format!("timeouts: {:?}", records.spurious_timeouts)),
        (late.is_none(), format!("passed more often than its bound: {late:?}")),
        (!records.arbitration.is_empty(), "no row of arbitration".to_owned()),
    ];
    checks.into_iter().filter(|(holds, _)| !holds).map(|(_, fault)| fault).collect()
}
