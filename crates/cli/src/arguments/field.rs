//! What may be written after `netloom field prepare`, `run` and `collect`.

use std::path::PathBuf;

use clap::Args;
use netloom_lab::Seeds;
use netloom_lab::sweep::Variation;

use super::assignment;

/// `netloom field prepare`.
#[derive(Debug, Args)]
pub struct FieldPrepare {
    /// The study: a scenario with a section `interference`, a job of collectives, or staged flows
    #[arg(value_name = "STUDY")]
    pub scenario: PathBuf,
    /// Vary a value, as in `--vary interference.hosts=8,16`; if repeated, all combinations are prepared
    #[arg(long, value_name = "PATH=V1,V2...")]
    pub vary: Vec<Variation>,
    /// Change a value of the scenario, as in `--set interference.steps=500`; may be repeated
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Seeds 1 to N, or A to B, for every combination [default: 1]
    #[arg(long, value_name = "N|A..B")]
    pub seeds: Option<Seeds>,
    /// Iterations of each segment that count [default: the scenario's steps without its warm-up, or its precision]
    #[arg(long, value_name = "N")]
    pub iterations: Option<u32>,
    /// Iterations of each segment before these [default: the scenario's warm-up]
    #[arg(long, value_name = "N")]
    pub warm_up: Option<u32>,
    /// Seconds after which a plan ends, with what it has measured by then
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    pub deadline: u64,
    /// Folder that takes plans, sources, scripts and a Slurm job
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// Print what was prepared as JSON
    #[arg(long)]
    pub json: bool,
}
