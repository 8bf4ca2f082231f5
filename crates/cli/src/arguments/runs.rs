//! Arguments of `netloom compare`, `report` and `explain`, which read stored runs.

use std::path::PathBuf;

use clap::Args;
use netloom_lab::Over;
use netloom_lab::explain::SelectedStep;
use netloom_lab::summary::over;

use super::threads;

/// Runs side by side.
#[derive(Debug, Args)]
pub struct ComparedRuns {
    /// Run folders, in the order in which to show them, or folders of sweeps or of measured runs
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// Part of the run covered by statistics of background messages, by mean throughput and by utilization: `jobs`, the
    /// time while a job runs; `all`, the whole run; or an interval, as in `1ms..5ms`
    #[arg(long, value_name = "jobs|all|FROM..TO", default_value = "jobs", value_parser = over)]
    pub over: Over,
    /// Run or variant to compare the others with [default: that of the sweep, else the first run]
    #[arg(long, value_name = "NAME")]
    pub baseline: Option<String>,
    /// Explain why a variant is better also where runs have not recorded causes: they are run again, twice, up to a
    /// typical step
    #[arg(long)]
    pub why: bool,
}

/// `netloom compare`.
#[derive(Debug, Args)]
pub struct Compare {
    /// The runs.
    #[command(flatten)]
    pub compared: ComparedRuns,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// `netloom report`.
#[derive(Debug, Args)]
pub struct Report {
    /// The runs.
    #[command(flatten)]
    pub compared: ComparedRuns,
    /// HTML file to write [default: out/report.html; with --text: none]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
    /// Print a summary with bars, sparklines and heat maps, as wide as the terminal or as `COLUMNS` says (80 columns if
    /// there is neither); colours are used only on a terminal, and not if `NO_COLOR` is set
    #[arg(long)]
    pub text: bool,
}

/// `netloom explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// Run folder; its scenario is run again, twice, up to the end of the step
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Step to explain; `typical` is the first one whose length is within 2 % of the median
    #[arg(long, value_name = "worst|median|typical|N", default_value = "worst")]
    pub step: SelectedStep,
    /// Explain all steps, from the causes that the run recorded (`record: {causes: steps}`, the default) and without running again
    #[arg(long, conflicts_with = "step")]
    pub all: bool,
    /// Job whose step is explained [default: the first one]; with `--all`, the only one
    #[arg(long, value_name = "NAME")]
    pub job: Option<String>,
    /// Number of threads to simulate with; results do not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = threads())]
    pub threads: u16,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}
