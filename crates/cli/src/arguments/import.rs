//! What may be written after `netloom import`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use netloom_lab::import::{NotASystem, Wanted};

/// `netloom import`.
#[derive(Debug, Args)]
pub struct Import {
    /// Whose format it is
    #[command(subcommand)]
    pub format: Format,
}

/// Formats that can be imported.
#[derive(Debug, Subcommand)]
pub enum Format {
    /// Configurations of the simulator behind the first paper (zeltser2026)
    SeedSim(SeedSim),
    /// Results of CRAB, the benchmark framework behind congestion-fabrics: a measured run for each system
    Crab(Crab),
    /// Latencies of collectives that the OSU micro-benchmarks printed: a measured run
    Osu(Osu),
    /// Times of collectives that nccl-tests printed, or wrote as JSON: a measured run
    #[command(name = "nccl-tests")]
    NcclTests(NcclTests),
}

/// Where measured runs go.
#[derive(Debug, Args)]
pub struct IntoFolder {
    /// Folder that takes the measured runs
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Also draw them beside these runs, in DIR.html: run folders, sweeps, or the folder of a reproduction; may be repeated
    #[arg(long, value_name = "RUN")]
    pub beside: Vec<PathBuf>,
    /// Write in place of measured runs, and of a page, that are already there
    #[arg(long)]
    pub force: bool,
}

/// `netloom import crab`.
#[derive(Debug, Args)]
pub struct Crab {
    /// Folders with tables of means (`measured_steady.csv` and its like), or as the framework leaves them (`data/SYSTEM/TIME`)
    #[arg(value_name = "FOLDER", required = true)]
    pub folders: Vec<PathBuf>,
    /// Only this system, as in `--system lumi`, or called otherwise, as in `--system cresco8=crescos8`; may be repeated
    /// [default: all]
    #[arg(long, value_name = "NAME[=NEW]")]
    pub system: Vec<Wanted>,
    /// Where they go
    #[command(flatten)]
    pub into: IntoFolder,
}

/// `netloom import seed-sim`.
#[derive(Debug, Args)]
pub struct SeedSim {
    /// Configurations
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Folder that takes a scenario for each
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Ring orders of a recorded run, as JSON; without them the scenario's seed draws others
    #[arg(long, value_name = "FILE")]
    pub rings: Option<PathBuf>,
    /// Write in place of scenarios that are already there
    #[arg(long)]
    pub force: bool,
}

/// `netloom import osu`.
#[derive(Debug, Args)]
pub struct Osu {
    /// Outputs of collectives: `osu_alltoall`, `osu_allgather` and their like
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Number of ranks, which the outputs do not tell
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1 << 19))]
    pub ranks: Option<u32>,
    /// What is known beside the outputs
    #[command(flatten)]
    pub beside: Beside,
    /// Where they go
    #[command(flatten)]
    pub into: IntoFolder,
}

/// `netloom import nccl-tests`.
#[derive(Debug, Args)]
pub struct NcclTests {
    /// Outputs, or files that `-J` wrote
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Number of ranks, where the outputs do not list them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1 << 19))]
    pub ranks: Option<u32>,
    /// What is known beside the outputs
    #[command(flatten)]
    pub beside: Beside,
    /// Where they go
    #[command(flatten)]
    pub into: IntoFolder,
}

/// What outputs of benchmarks do not tell.
#[derive(Debug, Args)]
pub struct Beside {
    /// The collective of scenarios that stands for theirs [default: by what the outputs say]
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(netloom_lab::list::collectives()))]
    pub collective: Option<String>,
    /// What the system is called, as the scenarios that it is compared with [default: the benchmark]
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub system: Option<String>,
    /// A file with the names of the hosts, one in each line, in the order of ranks
    #[arg(long, value_name = "FILE")]
    pub hosts_file: Option<PathBuf>,
}

/// A name for a run.
fn name(text: &str) -> Result<String, String> {
    let wanted: Wanted = text.parse().map_err(|error: NotASystem| error.to_string())?;
    if wanted.system == wanted.called { Ok(wanted.called) } else { Err("expected a name".to_owned()) }
}
