//! Arguments of `netloom field prepare`, `run` and `collect`.

use std::path::PathBuf;

use clap::Args;
use netloom_lab::Seeds;
use netloom_lab::sweep::Variation;
use netloom_lab::testbed::{self, Bytes, Rate};

use super::{assignment, themis};

/// `netloom field prepare`.
#[derive(Debug, Args)]
pub struct FieldPrepare {
    /// Scenario of the study, with a section `interference`, a job of collectives, or staged flows
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
    /// Number of measured iterations per segment [default: the scenario's steps without its warm-up, or its precision]
    #[arg(long, value_name = "N")]
    pub iterations: Option<u32>,
    /// Number of warm-up iterations per segment, before the measured ones [default: the scenario's warm-up]
    #[arg(long, value_name = "N")]
    pub warm_up: Option<u32>,
    /// Deadline in seconds after which a plan ends; iterations measured by then are kept
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    pub deadline: u64,
    /// Folder for plans, sources, scripts and a Slurm job
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// Print the prepared study as JSON
    #[arg(long)]
    pub json: bool,
}

/// `netloom field run`.
#[derive(Debug, Args)]
pub struct FieldRun {
    /// Folder of a prepared study
    #[arg(value_name = "DIR")]
    pub study: PathBuf,
    /// MPI library whose launcher and compiler to use [default: the one that is installed, Open MPI first]
    #[arg(long, value_name = "LIBRARY", value_parser = clap::builder::PossibleValuesParser::new(["openmpi", "mpich"]))]
    pub mpi: Option<String>,
    /// Launcher with its options, as in `--launcher 'mpirun --hostfile nodes'`
    #[arg(long, value_name = "WORDS", conflicts_with = "testbed")]
    pub launcher: Option<String>,
    /// Program that measures [default: it is built in DIR]
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// Build the fabric of each point from network namespaces of this machine, and run one rank on each of its hosts
    #[arg(long)]
    pub testbed: bool,
    /// Rate of the network's fastest link; all other links are scaled by the same factor [default: 100Mbps]
    #[arg(long, value_name = "RATE", value_parser = testbed::rate, requires = "testbed")]
    pub rate: Option<Rate>,
    /// Size of the queue of every switch port of the network [default: the limit in the scenario, else 10 ms at the
    /// rate of the port]
    #[arg(long, value_name = "SIZE", value_parser = themis::size, requires = "testbed")]
    pub queue: Option<Bytes>,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// `netloom field collect`.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(Debug, Args)]
pub struct FieldCollect {
    /// Folder of a prepared study that was measured
    #[arg(value_name = "DIR")]
    pub study: PathBuf,
    /// Folder for the measured runs
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Omit points that are not measured, and use the iterations of jobs that failed up to the failure; a note lists
    /// what is missing
    #[arg(long)]
    pub partial: bool,
    /// Replace existing measured runs
    #[arg(long)]
    pub force: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}
