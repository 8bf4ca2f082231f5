//! One run of a scenario: what each of its flows got, and what has to hold of every run.
//!
//! A flow's throughput is that of table `stages`: payload that arrived after the settling time. Every message is carried
//! to its end, so packets can be counted.

use netloom_catalog::expand;
use netloom_engine::{Options, Seams, Status};
use netloom_model::Model;
use netloom_scenario::{Style, compile, resolve};
use netloom_testkit::fixture::{Run, simulate_with};

/// Payload of a full packet, and the packet and its ACK on the wire, by the defaults of `transport: ideal`.
pub const PAYLOAD: u64 = 4096;
pub const PACKET: u64 = PAYLOAD + 62;
pub const ACK: u64 = 64;

/// The inside of switches.
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

/// The throughput of each flow, in bit/s of payload.
pub fn throughputs(text: &str, crossbar: Crossbar) -> Vec<f64> {
    let model = model(text, crossbar);
    let work = expand(&model.workload, model.fabric.n_hosts(), model.seed).expect("the flows make sense");
    let run = simulate_with(&model, work, Options::default(), Seams::default());
    check(&run, &model, text);
    run.records.stages.iter().map(|row| row.throughput).collect()
}

/// What holds of every run: everything arrives, and nothing is dropped or sent twice.
fn check(run: &Run, model: &Model, text: &str) {
    let records = &run.records;
    assert_eq!(run.outcome.status, Status::Complete, "{text}");
    assert!(records.drops.is_empty(), "dropped: {:?}\n{text}", records.drops);
    let needed: u64 = records.flows.iter().map(|row| row.size.0.div_ceil(PAYLOAD)).sum();
    let arrived: u64 = records.flows.iter().map(|row| u64::from(row.packets)).sum();
    assert!(arrived == needed && needed > 0, "{arrived} packets of {needed} arrived\n{text}");
    let is_host = |row: &&netloom_records::PortRow| model.fabric.is_host(row.node);
    let sent: u64 = records.ports.iter().filter(is_host).map(|row| row.packets).sum();
    // Every packet is answered by an ACK (`coalesce: 1`), and hosts send nothing else.
    assert_eq!(sent, 2 * needed, "packets and ACKs sent by hosts\n{text}");
    let repaired = records.repairs.iter().find(|row| row.again + row.duplicates + row.nacks > 0);
    assert!(repaired.is_none(), "sent again: {repaired:?}\n{text}");
}
