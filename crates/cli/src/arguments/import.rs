//! Arguments of `netloom import`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use netloom_lab::import::{NotASystem, Wanted};

/// `netloom import`.
#[derive(Debug, Args)]
pub struct Import {
    /// Source format.
    #[command(subcommand)]
    pub format: Format,
}

/// Formats that can be imported.
#[derive(Debug, Subcommand)]
pub enum Format {
    /// Configurations of the simulator behind the first paper (zeltser2026)
    SeedSim(SeedSim),
    /// Results of CRAB, the benchmark framework behind congestion-fabrics, as a measured run for each system
    Crab(Crab),
    /// Latencies of collectives in the output of the OSU micro-benchmarks, as a measured run
    Osu(Osu),
    /// Times of collectives in the text or JSON output of nccl-tests, as a measured run
    #[command(name = "nccl-tests")]
    NcclTests(NcclTests),
}

/// Where measured runs are written.
#[derive(Debug, Args)]
pub struct IntoFolder {
    /// Folder for the measured runs
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Also write a report DIR.html on the measured runs beside these: run folders, sweeps, or the folder of a
    /// reproduction; may be repeated
    #[arg(long, value_name = "RUN")]
    pub beside: Vec<PathBuf>,
    /// Replace existing measured runs, and an existing report
    #[arg(long)]
    pub force: bool,
}

/// `netloom import crab`.
#[derive(Debug, Args)]
pub struct Crab {
    /// Folders with tables of means (such as `measured_steady.csv`), or folders that the framework wrote
    /// (`data/SYSTEM/TIME`)
    #[arg(value_name = "FOLDER", required = true)]
    pub folders: Vec<PathBuf>,
    /// Import only this system, as in `--system lumi`, or give it a new name, as in `--system cresco8=crescos8`; may be
    /// repeated [default: all]
    #[arg(long, value_name = "NAME[=NEW]")]
    pub system: Vec<Wanted>,
    /// Where measured runs are written.
    #[command(flatten)]
    pub into: IntoFolder,
}

/// `netloom import seed-sim`.
#[derive(Debug, Args)]
pub struct SeedSim {
    /// Configuration files
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Folder for one scenario per configuration
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Ring orders of a recorded run, as JSON [default: random orders from the scenario's seed]
    #[arg(long, value_name = "FILE")]
    pub rings: Option<PathBuf>,
    /// Replace existing scenarios
    #[arg(long)]
    pub force: bool,
}

/// `netloom import osu`.
#[derive(Debug, Args)]
pub struct Osu {
    /// Output files of benchmarks of collectives, such as `osu_alltoall` and `osu_allgather`
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Number of ranks, which the output files do not contain
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1 << 19))]
    pub ranks: Option<u32>,
    /// Facts that the output files do not contain.
    #[command(flatten)]
    pub beside: Beside,
    /// Where measured runs are written.
    #[command(flatten)]
    pub into: IntoFolder,
}

/// `netloom import nccl-tests`.
#[derive(Debug, Args)]
pub struct NcclTests {
    /// Output files, or JSON files written with `-J`
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Number of ranks, if the output files do not list them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1 << 19))]
    pub ranks: Option<u32>,
    /// Facts that the output files do not contain.
    #[command(flatten)]
    pub beside: Beside,
    /// Where measured runs are written.
    #[command(flatten)]
    pub into: IntoFolder,
}

/// Facts that output files of benchmarks do not contain.
#[derive(Debug, Args)]
pub struct Beside {
    /// Collective of scenarios that corresponds to the benchmark's [default: by the output files]
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(netloom_lab::list::collectives()))]
    pub collective: Option<String>,
    /// Name of the system, equal to that of the scenarios to compare with [default: name of the benchmark]
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub system: Option<String>,
    /// File with the names of the hosts, one per line, in the order of ranks
    #[arg(long, value_name = "FILE")]
    pub hosts_file: Option<PathBuf>,
}

/// A name for a run.
fn name(text: &str) -> Result<String, String> {
    let wanted: Wanted = text.parse().map_err(|error: NotASystem| error.to_string())?;
    if wanted.system == wanted.called { Ok(wanted.called) } else { Err("expected a name".to_owned()) }
}
