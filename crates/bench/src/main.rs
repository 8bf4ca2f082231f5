//! `netloom-bench`: the cost of a packet-hop.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use netloom_bench::scene::{LARGER_SCENES, Recorded, SCENES, Scene};
use netloom_bench::{budget, measure, memory, workload};
use serde_json::json;

#[derive(Parser)]
#[command(about = "Measures the cost of a packet-hop")]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Run one case and print its packet-hops and its time as JSON.
    Run {
        /// Name of the case.
        case: String,
        /// Number of rounds of messages.
        #[arg(long)]
        rounds: Option<u32>,
        /// Number of threads of the engine.
        #[arg(long, default_value_t = 1)]
        threads: usize,
        /// Use the global heap instead of the engine.
        #[arg(long)]
        heap: bool,
    },
    /// Run one scene and print its packet-hops as JSON.
    Scene {
        /// Name of the scene.
        scene: String,
        /// Record no series over time, no timeline and no causes.
        #[arg(long)]
        bare: bool,
        /// End the run at its start.
        #[arg(long)]
        empty: bool,
        /// Number of threads of the engine.
        #[arg(long, default_value_t = 1)]
        threads: usize,
    },
    /// Run one case of the memory budgets without keeping records, and print its packet-hops as JSON.
    Memory {
        /// Name of the case.
        case: String,
    },
    /// Count instructions per packet-hop and bytes against the budgets (needs valgrind).
    Budget {
        /// Also measure larger scenes and two threads, which takes a quarter of an hour.
        #[arg(long)]
        full: bool,
        /// Measure only cases whose names contain this text.
        #[arg(long, default_value = "")]
        only: String,
    },
    /// Count instructions per packet-hop of the engine and of the global heap (needs valgrind).
    Designs,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().verb {
        Verb::Run { case, rounds, threads, heap } => run(&case, rounds, threads, heap).map(|()| true),
        Verb::Scene { scene, bare, empty, threads } => play(&scene, bare, empty, threads).map(|()| true),
        Verb::Memory { case } => hold(&case).map(|()| true),
        Verb::Budget { full, only } => budget::check(full, &only),
        Verb::Designs => designs().map(|()| true),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(problem) => {
            eprintln!("netloom-bench: {problem}");
            ExitCode::from(2)
        }
    }
}

fn run(name: &str, rounds: Option<u32>, threads: usize, heap: bool) -> Result<(), String> {
    let names: Vec<&str> = workload::CASES.iter().map(|(name, _)| *name).collect();
    let mut case =
        measure::named(name).ok_or_else(|| format!("no case `{name}`; there are {}", names.join(", ")))?;
    case.rounds = rounds.unwrap_or(case.rounds);
    let (hops, nanoseconds) = if heap { measure::time_heap(&case) } else { measure::time(&case, threads) };
    println!("{}", measure::report(name, hops, nanoseconds));
    Ok(())
}

fn play(name: &str, bare: bool, empty: bool, threads: usize) -> Result<(), String> {
    let names: Vec<&str> = SCENES.iter().chain(LARGER_SCENES).map(|scene| scene.name).collect();
    let scene =
        Scene::named(name).ok_or_else(|| format!("no scene `{name}`; there are {}", names.join(", ")))?;
    let recorded = if bare { Recorded::Nothing } else { Recorded::ByDefault };
    let hops = scene.run(recorded, empty, threads).map_err(|error| error.to_string())?;
    println!("{}", json!({ "scene": name, "hops": hops }));
    Ok(())
}

fn hold(name: &str) -> Result<(), String> {
    let case = memory::named(name).ok_or_else(|| format!("no case `{name}` of the memory budgets"))?;
    println!("{}", json!({ "case": name, "hops": measure::run_unrecorded(&case) }));
    Ok(())
}

fn designs() -> Result<(), String> {
    for (what, heap) in [("windows", false), ("global heap", true)] {
        let instructions = measure::instructions_per_hop("reference", heap)?;
        println!("{what:<12} {instructions:>8.1} instructions per packet-hop");
    }
    Ok(())
}
