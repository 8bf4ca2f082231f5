//! Checks whether traffic crossed the network, by the kernel's counters of bytes that hosts have sent.
//!
//! Models: the sum over all hosts of the bytes that their interfaces have sent, including headers.
//! Leaves out: which process sent them; launchers send some kilobytes per host, too.
//!
//! Invariants: a counter that cannot be read is an error and never a zero.

use std::fs;

use netloom_units::Bytes;

use crate::plan::Plan;
use crate::refusal::Refusal;
use crate::script::FOLDER;

/// Checks that hosts have sent at least this number of bytes; to be called only inside, after the command.
///
/// # Errors
/// If they sent less, or a counter cannot be read.
pub fn require_bytes(plan: &Plan, expected: Bytes) -> Result<(), Refusal> {
    let sent = sent_by_hosts(plan)?;
    if sent < expected { Err(Refusal::NotCrossed { sent, expected }) } else { Ok(()) }
}

/// Bytes that all hosts have sent since the network was created.
fn sent_by_hosts(plan: &Plan) -> Result<Bytes, Refusal> {
    let counts = plan.hosts().map(|(node, _)| sent(&node.name, "eth0"));
    counts.sum::<Result<u64, Refusal>>().map(Bytes)
}

fn sent(node: &str, port: &str) -> Result<u64, Refusal> {
    let path = format!("{FOLDER}/sys/{node}/class/net/{port}/statistics/tx_bytes");
    let text = fs::read_to_string(&path).map_err(|error| error.to_string());
    let count = text.and_then(|text| text.trim().parse::<u64>().map_err(|error| error.to_string()));
    count.map_err(|reason| Refusal::Counter { path, reason })
}
