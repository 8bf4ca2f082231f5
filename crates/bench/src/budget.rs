//! What a packet-hop may cost, and whether it does.
//!
//! Budgets are instructions, which repeat, not time, which does not on a shared machine.

use crate::measure::instructions_per_hop;

/// A limit on the instructions per packet-hop of a case.
struct Budget {
    case: &'static str,
    what: &'static str,
    limit: Limit,
}

enum Limit {
    /// So many instructions.
    Instructions(f64),
    /// So many times those of another case.
    Times(f64, &'static str),
}

const BUDGETS: &[Budget] = &[
    Budget {
        case: "reference",
        what: "256 hosts, 16x16, all-to-all in 16 groups, spray, window, an ACK per packet, one class",
        limit: Limit::Instructions(200.0),
    },
    Budget {
        case: "priority",
        what: "the same with ACKs in a strict-priority class",
        limit: Limit::Instructions(260.0),
    },
    Budget {
        case: "roce",
        what: "the same on queue pairs with DCQCN, marking, a shared buffer and Themis, an ACK per packet, once warm",
        limit: Limit::Instructions(350.0),
    },
    // Wanted: 500. Where everybody waits for everybody, a packet-hop takes an arrival, credits, the end of a transfer and that
    // of a transmission, each an event after which several egresses may have something to do.
    Budget {
        case: "infiniband",
        what: "the same on queue pairs over links with credits and switches with a crossbar of speedup 2, round robin",
        limit: Limit::Instructions(1_982.0),
    },
    Budget {
        case: "recorded",
        what: "the reference with ports sampled as by default",
        limit: Limit::Times(1.15, "reference"),
    },
    Budget {
        case: "large",
        what: "8,192 hosts, 128x64, against 16x16 with messages of the same size",
        limit: Limit::Times(1.4, "small_messages"),
    },
    Budget {
        case: "sparse",
        what: "one active group of 16 in 8,192 hosts, against the same alone",
        limit: Limit::Times(2.0, "alone"),
    },
    Budget {
        case: "short_links",
        what: "10 ns host links under 1 us fabric links, against 1 us everywhere",
        limit: Limit::Times(1.5, "reference"),
    },
];

/// Measures all budgets and prints a table; tells whether all hold.
///
/// # Errors
/// If instructions cannot be counted here.
pub fn check() -> Result<bool, String> {
    let mut measured: Vec<(&str, f64)> = Vec::new();
    let mut all_hold = true;
    println!("{:<12} {:>14} {:>14}  workload", "case", "instructions", "budget");
    for budget in BUDGETS {
        let cost = measure(budget.case, &mut measured)?;
        let limit = match budget.limit {
            Limit::Instructions(limit) => limit,
            Limit::Times(times, other) => times * measure(other, &mut measured)?,
        };
        let holds = cost <= limit;
        all_hold &= holds;
        let verdict = if holds { "" } else { "  OVER BUDGET" };
        println!("{:<12} {cost:>14.1} {limit:>14.1}  {}{verdict}", budget.case, budget.what);
    }
    Ok(all_hold)
}

/// Measures a case once.
fn measure(case: &'static str, measured: &mut Vec<(&'static str, f64)>) -> Result<f64, String> {
    if let Some((_, cost)) = measured.iter().find(|(known, _)| *known == case) {
        return Ok(*cost);
    }
    let cost = instructions_per_hop(case, false)?;
    measured.push((case, cost));
    Ok(cost)
}
