//! What may be written on the command line.
//!
//! Invariants: these texts are the reference of the command; a snapshot guards them.

mod field;
mod import;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use netloom_lab::figures::{self, Format as FigureFormat};
use netloom_lab::show::themis;
use netloom_lab::summary::over;
use netloom_lab::sweep::{Precision, Variation};
use netloom_lab::testbed::{self, Bytes, Duration, Rate, Scale};
use netloom_lab::{Over, Seeds};

pub use field::{FieldCollect, FieldPrepare, FieldRun};
pub use import::{Beside, Crab, Format, Import, IntoFolder, NcclTests, Osu, SeedSim};

/// Packet-level simulation of the networks that AI training runs on.
#[derive(Debug, Parser)]
#[command(name = "netloom", version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  all is well
  1  a study's check failed
  2  bad input: a mistake in a scenario, a file or an argument
  3  a run ended before its work was done: stopped, stalled, unreachable, or at its deadline
  4  a mistake of netloom's own";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scenario and store what happened in a run folder
    Run(Run),
    /// Run scenarios in all combinations of varied values, with the same seeds each
    Sweep(Sweep),
    /// Show runs side by side, each relative to the first
    Compare(Compare),
    /// Draw runs on one page, an HTML file that needs nothing but a browser, or in the terminal
    Report(Report),
    /// Draw runs for a paper: PDF, SVG or PNG, as wide as a column, each figure with its data beside it
    Figures(Figures),
    /// Draw a fabric in the terminal; show what a run recorded of packets and of its slowest messages, forwarding tables, or what Themis costs
    Show(Show),
    /// Write a run in the formats of other programs: a timeline, comma-separated values, tables of benchmarks
    Export(Export),
    /// Check scenarios for mistakes, and run folders for damage
    Check(Check),
    /// List what a scenario may name: policies, topologies, collectives and so on
    List(List),
    /// Make scenarios of what another simulator was given, and measured runs of what benchmarks printed
    Import(Import),
    /// Measure on real machines, beside what is simulated
    Field(Field),
    /// Run the scenarios of a paper and judge its claims
    Reproduce(Reproduce),
    /// Run one job under four load-balancing policies and compare them
    Demo(Demo),
    /// Measure how fast this machine simulates
    Bench(Bench),
}

/// Most threads that may be asked for.
const MOST_THREADS: i64 = 256;

/// `netloom run`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct Run {
    /// The scenario
    #[arg(value_name = "FILE")]
    pub scenario: PathBuf,
    /// Where the run folder goes [default: out/, then the name of the scenario]
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Change a value of the scenario, as in `--set balance=spray`; may be repeated
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Change the seed of the scenario
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Threads to simulate with; no result depends on it [default: by the size of the fabric]
    #[arg(long, value_name = "N", value_parser = threads())]
    pub threads: Option<u16>,
    /// The part of the run that figures of background messages, mean throughput and utilization are taken over: `jobs`, the
    /// time in which a job runs; `all`; or an interval, as in `1ms..5ms`
    #[arg(long, value_name = "jobs|all|FROM..TO", default_value = "jobs", value_parser = over)]
    pub over: Over,
    /// Write in place of a run that is already there
    #[arg(long)]
    pub force: bool,
    /// Show the run in a browser on this machine while it goes on; the address is printed before it begins
    #[arg(long)]
    pub live: bool,
    /// The port of that address [default: one that is free]
    #[arg(long, value_name = "N", requires = "live", value_parser = clap::value_parser!(u16).range(1..))]
    pub live_port: Option<u16>,
    /// Print nothing but errors, and the address of --live
    #[arg(short, long)]
    pub quiet: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// `netloom sweep`.
#[derive(Debug, Args)]
pub struct Sweep {
    /// The scenarios
    #[arg(value_name = "SCENARIO", required = true)]
    pub scenarios: Vec<PathBuf>,
    /// Vary a value, as in `--vary balance=ecmp,spray`; if repeated, all combinations are run
    #[arg(long, value_name = "PATH=V1,V2...")]
    pub vary: Vec<Variation>,
    /// Change a value in all scenarios, as in `--set jobs.0.steps=5`; may be repeated
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Seeds 1 to N, or A to B, for every variant [default: 1; with --until-ci: 200 at most]
    #[arg(long, value_name = "N|A..B")]
    pub seeds: Option<Seeds>,
    /// Add seeds only until half the 95 % interval of each mean step time is at most this share of it
    #[arg(long, value_name = "PERCENT")]
    pub until_ci: Option<Precision>,
    /// Folder that takes a run folder per point and a table of all; what is done there is not run again
    #[arg(short, long, value_name = "PATH")]
    pub output: PathBuf,
    /// The part of the run that figures of background messages, mean throughput and utilization are taken over: `jobs`, the
    /// time in which a job runs; `all`; or an interval, as in `1ms..5ms`
    #[arg(long, value_name = "jobs|all|FROM..TO", default_value = "jobs", value_parser = over)]
    pub over: Over,
    /// Runs at a time [default: all cores]
    #[arg(long, value_name = "N", value_parser = threads())]
    pub threads: Option<u16>,
    /// Take over the folder of another sweep; points that belong to both are kept
    #[arg(long)]
    pub force: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// `netloom compare`.
#[derive(Debug, Args)]
pub struct Compare {
    /// Run folders, or folders of sweeps and of measured runs; the others are shown relative to the first
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// The part of the run that figures of background messages, mean throughput and utilization are taken over: `jobs`, the
    /// time in which a job runs; `all`; or an interval, as in `1ms..5ms`
    #[arg(long, value_name = "jobs|all|FROM..TO", default_value = "jobs", value_parser = over)]
    pub over: Over,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// `netloom report`.
#[derive(Debug, Args)]
pub struct Report {
    /// Run folders, in the order they shall be shown, or folders of sweeps
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// The file [default: out/report.html; with --text none]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The part of the run that figures of background messages, mean throughput and utilization are taken over: `jobs`, the
    /// time in which a job runs; `all`; or an interval, as in `1ms..5ms`
    #[arg(long, value_name = "jobs|all|FROM..TO", default_value = "jobs", value_parser = over)]
    pub over: Over,
    /// Write in place of a file that is already there
    #[arg(long)]
    pub force: bool,
    /// Print a summary for the terminal: bars, sparklines and heat maps in as many columns as it has (or `COLUMNS` says),
    /// 80 where there is none; colours only on a terminal, and none with `NO_COLOR`
    #[arg(long)]
    pub text: bool,
}

/// `netloom figures`.
#[derive(Debug, Args)]
pub struct Figures {
    /// Run folders, in the order they shall be shown, or folders of sweeps
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// The folder
    #[arg(short, long, value_name = "DIR", default_value = "out/figures")]
    pub output: PathBuf,
    /// How pictures are written
    #[arg(long, value_name = "FORMAT", default_value = "pdf", value_parser = clap::builder::PossibleValuesParser::new(FigureFormat::WORDS))]
    pub format: String,
    /// Width in millimetres; the default is a column of most papers
    #[arg(long, value_name = "MM", default_value_t = figures::COLUMN_MM, value_parser = figures::width)]
    pub width: f64,
    /// Dots per inch of PNG [default: 300]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(50..=2400))]
    pub dpi: Option<u32>,
    /// The part of the run that figures of background messages, mean throughput and utilization are taken over: `jobs`, the
    /// time in which a job runs; `all`; or an interval, as in `1ms..5ms`
    #[arg(long, value_name = "jobs|all|FROM..TO", default_value = "jobs", value_parser = over)]
    pub over: Over,
    /// Write in place of files that are already there
    #[arg(long)]
    pub force: bool,
}

/// `netloom show`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_help = SHOW_FILES)]
pub struct Show {
    /// A scenario, a fabric that scenarios inherit from, or a run folder: its fabric is drawn, tier by tier
    #[arg(value_name = "FILE", required = true)]
    pub fabric: Option<PathBuf>,
    /// Change a value of the scenario, as in `--set fabric.leaf_spine.spines=8`; may be repeated
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Print the fabric as JSON: tiers, links between them, groups and settings
    #[arg(long)]
    pub json: bool,
    /// Of what
    #[command(subcommand)]
    pub subject: Option<Subject>,
}

const SHOW_FILES: &str = "\
A FILE that is called like one of the commands is reached by its folder, as in `netloom show ./packets`.
What a fabric leaves out of a scenario is filled with the defaults; it need not have anything to do.";

/// What can be shown.
#[derive(Debug, Subcommand)]
pub enum Subject {
    /// Flows of which packets were recorded, or the life of one packet hop by hop
    Packets(ShowPackets),
    /// Paths of the slowest messages, link by link
    Paths(ShowPaths),
    /// How much longer victims take beside aggressors: runs of a sweep or any runs, paired with their baselines
    Interference(ShowInterference),
    /// Forwarding tables of the switches of a scenario: where each sends what goes to each host
    Routes(ShowRoutes),
    /// From how many ingress ports packets may come to each egress port of a scenario's switches, by their tables
    Arbitration(ShowArbitration),
    /// Memory that Themis takes in a switch, part by part, for any numbers
    Themis(ShowThemis),
}

/// `netloom show packets`.
#[derive(Debug, Args)]
pub struct ShowPackets {
    /// The run folder
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// The flow, as in `--flow 'leaf0.host0->leaf1.host0#3'`; the number may be left out where there is one message
    #[arg(long, value_name = "FLOW")]
    pub flow: Option<String>,
    /// The packet, by its number in the message, from 0 [default: the one that ended last]
    #[arg(long, value_name = "N", requires = "flow")]
    pub packet: Option<u32>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// `netloom show paths`.
#[derive(Debug, Args)]
pub struct ShowPaths {
    /// The run folder
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// `netloom show interference`.
#[derive(Debug, Args)]
pub struct ShowInterference {
    /// Folders of sweeps, or run folders
    #[arg(value_name = "FOLDER", required = true)]
    pub folders: Vec<PathBuf>,
    /// Print comma-separated values, a line for each cell
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Print the result as JSON, with every single run
    #[arg(long)]
    pub json: bool,
}

/// `netloom show routes`.
#[derive(Debug, Args)]
pub struct ShowRoutes {
    /// The scenario
    #[arg(value_name = "FILE")]
    pub scenario: PathBuf,
    /// Only the table of this switch
    #[arg(long, value_name = "SWITCH")]
    pub at: Option<String>,
    /// Only for packets to this host
    #[arg(long, value_name = "HOST")]
    pub to: Option<String>,
    /// Only for packets from this host, which matters to tables by pair
    #[arg(long, value_name = "HOST")]
    pub from: Option<String>,
    /// Change a value of the scenario, as in `--set balance=deterministic`; may be repeated
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// `netloom show arbitration`.
#[derive(Debug, Args)]
pub struct ShowArbitration {
    /// The scenario
    #[arg(value_name = "FILE")]
    pub scenario: PathBuf,
    /// List every egress port, not only tiers and directions
    #[arg(long)]
    pub ports: bool,
    /// Change a value of the scenario, as in `--set balance=deterministic`; may be repeated
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// `netloom show themis`.
#[derive(Debug, Args)]
pub struct ShowThemis {
    /// Show the memory (equation 4 of its paper): the only thing there is to show yet
    #[arg(long, required = true)]
    pub memory: bool,
    /// Equal-cost paths between two leaves
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = many())]
    pub paths: u64,
    /// Rate of the last hop
    #[arg(long, value_name = "RATE", default_value = "400Gbps", value_parser = themis::rate)]
    pub rate: Rate,
    /// From a packet's enqueueing for the last hop to the return of its NACK
    #[arg(long, value_name = "TIME", default_value = "2us", value_parser = themis::span)]
    pub round_trip: Duration,
    /// NICs at the switch
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = many())]
    pub nics: u64,
    /// Queue pairs from other switches for each NIC
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = many())]
    pub queue_pairs: u64,
    /// Packet on the wire
    #[arg(long, value_name = "SIZE", default_value = "1500B", value_parser = themis::size)]
    pub mtu: Bytes,
    /// Room beyond rate times round trip, from 1 to 100
    #[arg(long, value_name = "NUMBER", default_value = "1.5", value_parser = themis::factor)]
    pub factor: u64,
    /// Buffer of the switch, to compare with
    #[arg(long, value_name = "SIZE", default_value = "64MB", value_parser = themis::size)]
    pub buffer: Bytes,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

fn many() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(1..=1 << 40)
}

/// `netloom export`.
#[derive(Debug, Args)]
pub struct Export {
    /// As what
    #[command(subcommand)]
    pub format: ExportFormat,
}

/// Formats that a run can be written in.
#[derive(Debug, Subcommand)]
pub enum ExportFormat {
    /// A timeline that the Perfetto viewer opens: jobs, ranks, collectives, rates of NICs, faults
    Perfetto(ExportPerfetto),
    /// Tables as comma-separated values, and beside them what their columns mean
    Csv(ExportCsv),
    /// Bandwidths of collectives by size, in the layout of nccl-tests
    #[command(name = "nccl-tests")]
    NcclTests(ExportNcclTests),
    /// Latencies of collectives by size, in the layout of the OSU micro-benchmarks
    Osu(ExportOsu),
}

/// `netloom export perfetto`.
#[derive(Debug, Args)]
pub struct ExportPerfetto {
    /// The run folder
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// The file [default: RUN.perfetto-trace, beside the run folder]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write in place of a file that is already there
    #[arg(long)]
    pub force: bool,
    /// Print what is in it as JSON
    #[arg(long)]
    pub json: bool,
}

/// `netloom export csv`.
#[derive(Debug, Args)]
pub struct ExportCsv {
    /// The run folder
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Folder that takes a file for each table, and columns.csv
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Only this table, as in `--table flows`; may be repeated [default: all]
    #[arg(long, value_name = "NAME")]
    pub table: Vec<String>,
    /// Write in place of an export that is already there
    #[arg(long)]
    pub force: bool,
    /// Print which tables were written as JSON
    #[arg(long)]
    pub json: bool,
}

/// `netloom export nccl-tests`.
#[derive(Debug, Args)]
pub struct ExportNcclTests {
    /// The run folder
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// The file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write in place of a file that is already there
    #[arg(long)]
    pub force: bool,
    /// Write the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// `netloom export osu`.
#[derive(Debug, Args)]
pub struct ExportOsu {
    /// The run folder
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Also the shortest, the longest, and how many there were
    #[arg(short, long)]
    pub full: bool,
    /// The file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write in place of a file that is already there
    #[arg(long)]
    pub force: bool,
    /// Write the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// `netloom check`.
#[derive(Debug, Args)]
pub struct Check {
    /// Scenarios and run folders
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// `netloom list`.
#[derive(Debug, Args)]
pub struct List {
    /// One kind, with the parameters of each [default: all kinds, names only]
    #[arg(value_name = "KIND", value_parser = clap::builder::PossibleValuesParser::new(netloom_lab::list::KINDS))]
    pub kind: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// Print the JSON Schema of scenarios, for editors
    #[arg(long, conflicts_with_all = ["kind", "json"])]
    pub schema: bool,
}

/// `netloom field`.
#[derive(Debug, Args)]
pub struct Field {
    /// What
    #[command(subcommand)]
    pub verb: FieldVerb,
}

/// What `netloom field` does.
#[derive(Debug, Subcommand)]
pub enum FieldVerb {
    /// Make a scenario's fabric from network namespaces of this machine and run a command in it
    Testbed(Testbed),
    /// Write all that a cluster needs for a study: plans, the program's sources, scripts, a Slurm job
    Prepare(FieldPrepare),
    /// Measure the points of a prepared study on this machine; points that are measured are passed over
    Run(FieldRun),
    /// Make measured runs of the results of a study
    Collect(FieldCollect),
}

/// `netloom field testbed`.
#[derive(Debug, Args)]
#[command(after_help = TESTBED_ENDS)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct Testbed {
    /// A scenario, or a fabric that scenarios inherit from
    #[arg(value_name = "FABRIC")]
    pub fabric: PathBuf,
    /// Change a value of the scenario, as in `--set fabric.leaf_spine.spines=1`; may be repeated
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// The rate of every link, as a share of what the scenario says [default: so that the fastest link has 100 Mbit/s]
    #[arg(long, value_name = "N/M", value_parser = Scale::parse, conflicts_with = "rate")]
    pub scale: Option<Scale>,
    /// The rate of the fastest link, as in 20Mbps; all others are scaled by the same factor
    #[arg(long, value_name = "RATE", value_parser = testbed::rate)]
    pub rate: Option<Rate>,
    /// What every switch port holds [default: the limit in the scenario, else 10 ms of its rate]
    #[arg(long, value_name = "SIZE", value_parser = themis::size)]
    pub queue: Option<Bytes>,
    /// Which of several next hops a packet takes: `ecmp`, by a hash of addresses and ports, or `pinned`, one for each
    /// destination, as with `balance: deterministic` [default: ecmp; pinned where the scenario has that balance]
    #[arg(long, value_name = "MODE", value_parser = clap::builder::PossibleValuesParser::new(["ecmp", "pinned"]))]
    pub routes: Option<String>,
    /// Fail with exit code 3 where all hosts together sent less over the network, by the counters of the kernel
    #[arg(long, value_name = "SIZE", value_parser = themis::size)]
    pub expect_bytes: Option<Bytes>,
    /// Sample the counters of all ports while the command runs, and write them here as a measured run, for `report`, `show`
    /// and `compare`
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Replace a complete run that is there
    #[arg(short, long, requires = "output")]
    pub force: bool,
    /// The time from one sample to the next; doubles after a thousand of them
    #[arg(long, value_name = "TIME", value_parser = testbed::interval, requires = "output")]
    pub every: Option<Duration>,
    /// Print the commands that would make the network, as a shell script, and make nothing
    #[arg(long)]
    pub explain: bool,
    /// Print nothing but errors and what the command prints
    #[arg(short, long)]
    pub quiet: bool,
    /// Already inside of the namespaces: make the network, run the command
    #[arg(long, hide = true)]
    pub inside: bool,
    /// The command, run on the first host [default: a shell, where standard input is a terminal]
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

const TESTBED_ENDS: &str = "\
Inside, `on-host HOST COMMAND...` runs a command on another host; hosts are known by their names. `mpiexec` of Open MPI or
MPICH starts one rank on each host and sends by TCP over the network.
The exit code is that of the command, 128 and the signal's number if a signal ended it. Refused with 2, before anything
is made: a fabric that cannot be built, a machine that lacks something. Nothing is left when it ends, however it ends.";

/// `netloom reproduce`.
#[derive(Debug, Args)]
pub struct Reproduce {
    /// The paper
    #[arg(value_name = "PAPER", value_parser = clap::builder::PossibleValuesParser::new(netloom_lab::reproduce::papers()))]
    pub paper: String,
    /// Seeds 1 to N, or A to B [default: as many as the paper's claims say]
    #[arg(long, value_name = "N|A..B")]
    pub seeds: Option<Seeds>,
    /// Judge only this claim; may be repeated
    #[arg(long, value_name = "CLAIM")]
    pub only: Vec<String>,
    /// Fail unless every verdict is the recorded one and every law holds; runs more seeds
    #[arg(long)]
    pub check: bool,
    /// Run at the full size of the paper where the claims have a smaller one, which may take hours
    #[arg(long, requires = "output")]
    pub full: bool,
    /// Judge the runs of an earlier `--output` folder instead of making new ones
    #[arg(long, value_name = "PATH", conflicts_with_all = ["seeds", "threads", "full"])]
    pub runs: Option<PathBuf>,
    /// Folder that takes the results as CSV and JSON, and the paper's figures as tables and maps; after an interrupt the same
    /// command goes on with the runs that are done
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Runs at a time [default: all cores]
    #[arg(long, value_name = "N", value_parser = threads())]
    pub threads: Option<u16>,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// `netloom demo`.
#[derive(Debug, Args)]
pub struct Demo {
    /// Folder that takes a run folder per policy, and the report about them
    #[arg(short, long, value_name = "PATH", default_value = "out/demo")]
    pub output: PathBuf,
    /// The part of the run that figures of background messages, mean throughput and utilization are taken over: `jobs`, the
    /// time in which a job runs; `all`; or an interval, as in `1ms..5ms`
    #[arg(long, value_name = "jobs|all|FROM..TO", default_value = "jobs", value_parser = over)]
    pub over: Over,
    /// Runs at a time [default: all cores]
    #[arg(long, value_name = "N", value_parser = threads())]
    pub threads: Option<u16>,
    /// Write in place of runs that are already there
    #[arg(long)]
    pub force: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// `netloom bench`.
#[derive(Debug, Args)]
pub struct Bench {
    /// How often each case is measured, the cases taking turns
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub pairs: u16,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// Measure one case once, in this process: what the command starts for each measurement
    #[arg(long, hide = true, value_name = "CASE")]
    pub one: Option<String>,
}

fn threads() -> clap::builder::RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(1..=MOST_THREADS)
}

/// `path=value`; what they mean is for the scenario to say.
fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((path, value)) if !path.is_empty() => Ok((path.to_owned(), value.to_owned())),
        _ => Err("expected `path=value`, for example `balance=spray` or `jobs.0.steps=3`".to_owned()),
    }
}
