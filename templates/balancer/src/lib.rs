//! # Idea
//! Power of two choices: draw some next hops at random, and take the one with the fewest waiting bytes.
//!
//! # Source
//! Mitzenmacher, "The Power of Two Choices in Randomized Load Balancing", IEEE TPDS 2001.
//!
//! # Parameters
//! `choices`: how many next hops are drawn.
//!
//! # Invariants
//! The answer is one of the candidates on shortest paths; randomness comes from the stream that is passed in, so the same
//! seed gives the same records with any number of threads.
//!
//! # When it misleads
//! Packets of one flow take different paths: their order changes.

use netloom_lab::policy::{
    Context, DynBalance, Kind, OutsidePolicies, PacketView, Parameter, Pick, Ports, Spec, Value,
};

/// The specification: name and parameters in scenarios.
pub static SPEC: Spec = Spec {
    name: "power_of_choices",
    summary: "the least loaded of some next hops drawn at random",
    source: "Mitzenmacher, IEEE TPDS 2001",
    parameters: &[Parameter {
        name: "choices",
        kind: Kind::Count { minimum: 1, maximum: 64 },
        default: Some(Value::Count(2)),
        meaning: "how many next hops are drawn",
    }],
};

/// The instance at a switch. State that later answers depend on belongs here.
#[derive(Debug)]
pub struct PowerOfChoices {
    choices: u64,
}

impl DynBalance for PowerOfChoices {
    /// Called for each packet that has several next hops.
    fn pick(&mut self, context: &mut Context, packet: &PacketView, ports: &mut dyn Ports) -> Pick {
        let n = ports.n_minimal() as u32;
        let mut best = context.random.below(n) as usize;
        for _ in 1..self.choices {
            let drawn = context.random.below(n) as usize;
            if ports.waiting_bytes(drawn) < ports.waiting_bytes(best) {
                best = drawn;
            }
        }
        Pick::unchanged(best, packet)
    }
}

/// The policies of this crate, for scenarios that name them.
pub fn policies() -> OutsidePolicies {
    OutsidePolicies::default()
        .with(&SPEC, |settings, _| Box::new(PowerOfChoices { choices: settings.count("choices") }))
}
