//! Budgets of instructions per packet-hop and of memory per host, port and queue pair, and their check.
//!
//! Budgets are in instructions and bytes, which are reproducible, and not in time, which is not reproducible on a
//! shared
//! machine; only the cost of a second thread can be measured in no other unit.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::measure::instructions_per_hop;
use crate::memory::{MEMORY_BUDGETS, MemoryBudget};
use crate::scene::{Recorded, SCENES, Scene};
use crate::two_threads;

/// A limit on the instructions per packet-hop of a case.
struct Budget {
    case: Case,
    what: &'static str,
    limit: Limit,
    /// The goal, if it is not reached yet.
    wanted: Option<f64>,
}

/// The workload of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Case {
    /// The engine with a synthetic workload, by name.
    Engine(&'static str),
    /// A scenario with the default records, by name.
    Scene(&'static str),
    /// The same without records over time.
    Bare(&'static str),
}

enum Limit {
    /// A number of instructions.
    Instructions(f64),
    /// A multiple of the instructions of another case.
    Times(f64, Case),
}

const fn engine(case: &'static str, what: &'static str, limit: Limit) -> Budget {
    Budget { case: Case::Engine(case), what, limit, wanted: None }
}

const fn scene(case: Case, what: &'static str, limit: f64, wanted: f64) -> Budget {
    Budget { case, what, limit: Limit::Instructions(limit), wanted: Some(wanted) }
}

/// The scene before it, recorded as little as possible.
const fn bare(name: &'static str, limit: f64, wanted: f64) -> Budget {
    scene(Case::Bare(name), "the same without series, timeline and causes", limit, wanted)
}

const BUDGETS: &[Budget] = &[
    engine(
        "reference",
        "256 hosts, 16x16, all-to-all in 16 groups, spray, window, an ACK per packet, one class",
        Limit::Instructions(191.0),
    ),
    engine("priority", "the same with ACKs in a strict-priority class", Limit::Instructions(268.0)),
    engine(
        "roce",
        "the same on queue pairs with DCQCN, marking, a shared buffer and Themis, an ACK per packet, once warm",
        Limit::Instructions(360.8),
    ),
    // In all-to-all with credits, a packet-hop takes an arrival, credits, the end of a transfer and the end of a
    // transmission; after each of these events several egresses may have work.
    Budget {
        case: Case::Engine("infiniband"),
        what: "the same on queue pairs over links with credits and switches with a crossbar of speedup 2, round robin",
        limit: Limit::Instructions(1_526.0),
        wanted: Some(500.0),
    },
    engine(
        "recorded",
        "the reference with ports sampled as by default",
        Limit::Times(1.15, Case::Engine("reference")),
    ),
    engine(
        "large",
        "8,192 hosts, 128x64, against 16x16 with messages of the same size",
        Limit::Times(1.14, Case::Engine("small_messages")),
    ),
    engine(
        "sparse",
        "one active group of 16 in 8,192 hosts, against the same group in a fabric of 16 hosts",
        Limit::Times(1.21, Case::Engine("alone")),
    ),
    engine(
        "short_links",
        "10 ns host links under 1 us fabric links, against 1 us everywhere",
        Limit::Times(1.53, Case::Engine("reference")),
    ),
    scene(
        Case::Scene("credits_fat_tree"),
        "credits, fat tree of 128 hosts, links of 100 ns, permutation, deterministic",
        1_625.0,
        600.0,
    ),
    bare("credits_fat_tree", 1_491.0, 600.0),
    scene(Case::Scene("credits_adaptive"), "the same, adaptive by credits", 1_826.0, 600.0),
    bare("credits_adaptive", 1_707.0, 600.0),
    scene(
        Case::Scene("credits_dragonfly"),
        "credits, dragonfly of 72 hosts, UGAL-L, global links of 150 ns, half of the hosts' rate",
        2_515.0,
        900.0,
    ),
    bare("credits_dragonfly", 2_442.0, 900.0),
    scene(Case::Scene("credits_dragonfly_500ns"), "the same with global links of 500 ns", 2_462.0, 900.0),
    bare("credits_dragonfly_500ns", 2_392.0, 900.0),
    scene(
        Case::Scene("adaptive_bundles"),
        "Zeltser 2026's data-parallel training, adaptive among bundles of 8, packets counted",
        1_098.0,
        450.0,
    ),
    bare("adaptive_bundles", 854.0, 450.0),
    scene(
        Case::Scene("rails"),
        "16 servers of 8 GPUs with an inner switch, a ring of 16 on each rail, IRN, DCQCN, pause frames",
        608.0,
        350.0,
    ),
    bare("rails", 541.0, 350.0),
    scene(
        Case::Scene("lossless_nic_sr"),
        "256 hosts, permutation, NIC-SR sprayed, DCQCN, marks, NACKs, pause frames",
        592.0,
        400.0,
    ),
    bare("lossless_nic_sr", 519.0, 400.0),
];

/// Additional budgets of `make budget-full`: whether a packet-hop costs much more on larger fabrics.
const LARGER_BUDGETS: &[Budget] = &[
    larger(
        "credits_fat_tree_1024",
        "credits, fat tree of 1,024 hosts, against 128",
        1.05,
        "credits_fat_tree",
    ),
    larger(
        "credits_dragonfly_1056",
        "credits, dragonfly of 1,056 hosts, against 72",
        1.1,
        "credits_dragonfly",
    ),
    // These cases differ in more than their size, so they have absolute limits.
    scene(
        Case::Scene("lossless_nic_sr_1024"),
        "1,024 hosts: 32 spines, not 16, and more reordering",
        696.0,
        400.0,
    ),
    Budget {
        case: Case::Scene("adaptive_bundles_128"),
        what: "bundles of 8 on 128 hosts: 64 candidates, not 32",
        limit: Limit::Instructions(1_913.0),
        wanted: None,
    },
    Budget {
        case: Case::Scene("rails_512"),
        what: "64 servers of 8 GPUs, rings of 64 ranks: messages of 4 packets, not 64",
        limit: Limit::Instructions(1_620.0),
        wanted: None,
    },
];

const fn larger(case: &'static str, what: &'static str, times: f64, smaller: &'static str) -> Budget {
    Budget { case: Case::Scene(case), what, limit: Limit::Times(times, Case::Scene(smaller)), wanted: None }
}

/// Measures all budgets whose names contain a text and prints a table of each kind; returns whether all hold. `full`
/// adds
/// larger scenes and runs with two threads.
///
/// # Errors
/// If instructions or bytes cannot be counted on this machine.
pub fn check(full: bool, only: &str) -> Result<bool, String> {
    let all = BUDGETS.iter().chain(LARGER_BUDGETS.iter().filter(|_| full));
    let instructions: Vec<&Budget> = all.filter(|budget| budget.case.name().contains(only)).collect();
    let memory: Vec<&MemoryBudget> =
        MEMORY_BUDGETS.iter().filter(|budget| budget.name().contains(only)).collect();
    let scenes = SCENES.iter().filter(|scene| full && scene.name.contains(only));
    let holds = [check_instructions(&instructions)?, check_memory(&memory)?, check_threads(scenes)?];
    Ok(holds.into_iter().all(|holds| holds))
}

fn check_instructions(budgets: &[&Budget]) -> Result<bool, String> {
    let costs = instructions(budgets)?;
    let mut table = Table::new("instructions", "workload");
    for budget in budgets {
        let limit = match budget.limit {
            Limit::Instructions(limit) => limit,
            Limit::Times(times, other) => times * costs[&other],
        };
        table.row(&budget.case.name(), costs[&budget.case], limit, budget.wanted, budget.what);
    }
    Ok(table.all_hold)
}

/// Instructions per packet-hop of every case, and of the cases that limits refer to.
fn instructions(budgets: &[&Budget]) -> Result<BTreeMap<Case, f64>, String> {
    let mut cases: Vec<Case> = budgets.iter().map(|budget| budget.case).collect();
    cases.extend(budgets.iter().filter_map(|budget| match budget.limit {
        Limit::Times(_, other) => Some(other),
        Limit::Instructions(_) => None,
    }));
    cases.sort_unstable();
    cases.dedup();
    let costs = measured(&cases, |case| case.measure())?;
    Ok(cases.into_iter().zip(costs).collect())
}

fn check_memory(budgets: &[&MemoryBudget]) -> Result<bool, String> {
    let bytes = measured(budgets, |budget| budget.measure())?;
    let mut table = Table::new("bytes", "memory");
    for (budget, bytes) in budgets.iter().zip(bytes) {
        table.row(&budget.name(), bytes, budget.limit(), None, budget.what());
    }
    Ok(table.all_hold)
}

/// Measures one case at a time, since these are wall times.
fn check_threads<'a>(scenes: impl Iterator<Item = &'a Scene>) -> Result<bool, String> {
    let mut table = Table::new("2 threads/1", "wall time, median of pairs of runs");
    for scene in scenes {
        table.row(scene.name, two_threads::ratio(scene)?, two_threads::MOST, None, "");
    }
    Ok(table.all_hold)
}

/// Prints measurements with their limits; the heading is printed with the first row.
struct Table {
    heading: Option<[&'static str; 2]>,
    all_hold: bool,
}

impl Table {
    fn new(unit: &'static str, what: &'static str) -> Table {
        Table { heading: Some([unit, what]), all_hold: true }
    }

    fn row(&mut self, name: &str, measured: f64, limit: f64, wanted: Option<f64>, what: &str) {
        if let Some([unit, what]) = self.heading.take() {
            println!("\n{:<28} {unit:>12} {:>10} {:>8}  {what}", "case", "budget", "wanted");
        }
        let digits = if limit < 10.0 { 2 } else { 1 };
        let wanted = wanted.map(|wanted| format!("{wanted:.0}")).unwrap_or_default();
        let verdict = if measured <= limit { "" } else { "  OVER BUDGET" };
        println!("{name:<28} {measured:>12.digits$} {limit:>10.digits$} {wanted:>8}  {what}{verdict}");
        self.all_hold &= measured <= limit;
    }
}

/// Measures all cases, several at a time, since counts do not depend on other processes.
fn measured<T: Sync>(
    all: &[T],
    measure: impl Fn(&T) -> Result<f64, String> + Sync,
) -> Result<Vec<f64>, String> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(BTreeMap::new());
    let worker = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = all.get(number) else { return };
            let cost = measure(one);
            found.lock().expect("no thread panicked").insert(number, cost);
        }
    };
    thread::scope(|scope| {
        let n_threads = thread::available_parallelism().map_or(1, usize::from);
        (0..n_threads).for_each(|_| _ = scope.spawn(worker));
    });
    found.into_inner().expect("no thread panicked").into_values().collect()
}

impl Case {
    fn name(self) -> String {
        match self {
            Case::Engine(name) | Case::Scene(name) => name.to_owned(),
            Case::Bare(name) => format!("{name}, bare"),
        }
    }

    fn measure(self) -> Result<f64, String> {
        let named = |name| Scene::named(name).ok_or_else(|| format!("no scene `{name}`"));
        match self {
            Case::Engine(name) => instructions_per_hop(name, false),
            Case::Scene(name) => named(name)?.instructions_per_hop(Recorded::ByDefault),
            Case::Bare(name) => named(name)?.instructions_per_hop(Recorded::Nothing),
        }
    }
}
