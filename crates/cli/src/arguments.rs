//! Command-line arguments.
//!
//! Invariants: the help texts are the reference of the command; a snapshot test guards them.

mod field;
mod import;
mod runs;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration as WallTime;

use clap::{Args, Parser, Subcommand};
use netloom_lab::figures::{self, Format as FigureFormat};
use netloom_lab::show::themis;
use netloom_lab::summary::over;
use netloom_lab::sweep::{Bisection, Design, Keep, Precision, Variation, point_limit};
use netloom_lab::testbed::{self, Bytes, Duration, Rate, Scale};
use netloom_lab::{MemoryLimit, Over, Seeds};

pub use field::{FieldCollect, FieldPrepare, FieldRun};
pub use import::{Beside, Crab, Format, Import, IntoFolder, NcclTests, Osu, SeedSim};
pub use runs::{Compare, ComparedRuns, Explain, Report};

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
  0  success
  1  a check of a study failed
  2  invalid input: an error in a scenario, a file or an argument
  3  a run or a sweep ended before its work was done: interrupted, stalled, a peer unreachable, at its deadline, or a full
     disk; or an unfinished sweep was shown
  4  an internal error of netloom";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scenario and store the results in a run folder
    Run(Run),
    /// Run scenarios in all combinations of varied values, each with the same seeds
    Sweep(Sweep),
    /// Compare runs side by side: which variant is better, and by how much
    Compare(Compare),
    /// Write a report on runs as one self-contained HTML page, or print a summary in the terminal
    Report(Report),
    /// Explain why a step took as long as it did: the chain of messages that it waited for, and what these waited for
    Explain(Explain),
    /// Draw figures of runs for papers as PDF, SVG or PNG, one column wide, with the data of each in a file beside it
    Figures(Figures),
    /// Draw a fabric in the terminal, or show recorded packets, the slowest messages, interference, forwarding tables,
    /// arbitration, or the memory that Themis needs
    Show(Show),
    /// Write a run in the formats of other programs: a Perfetto timeline, CSV tables, tables in the layout of
    /// benchmarks
    Export(Export),
    /// Check scenarios for errors, and run folders for damage
    Check(Check),
    /// List the names that a scenario may use: policies, topologies, collectives and so on
    List(List),
    /// Convert configurations of another simulator to scenarios, and results of benchmarks to measured runs
    Import(Import),
    /// Measure on real networks and machines, to compare with simulated runs
    Field(Field),
    /// Run the scenarios of a paper and check its claims
    Reproduce(Reproduce),
    /// Run one job under four load-balancing policies and compare them
    Demo(Demo),
    /// Measure the speed of the simulator on this machine
    Bench(Bench),
}

/// Largest number of threads that may be requested.
const MOST_THREADS: i64 = 256;

/// `netloom run`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct Run {
    /// Scenario file
    #[arg(value_name = "FILE")]
    pub scenario: PathBuf,
    /// Run folder to write [default: out/NAME, where NAME is the name of the scenario]
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Change a value of the scenario, as in `--set balance=spray`; may be repeated
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Seed to use instead of the scenario's
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Number of threads to simulate with; results do not depend on it [default: by the size of the fabric]
    #[arg(long, value_name = "N", value_parser = threads())]
    pub threads: Option<u16>,
    /// Most memory that the run may be expected to need, as in `16GiB` [default: that of this machine]
    #[arg(long, value_name = "SIZE", value_parser = MemoryLimit::parse)]
    pub memory_limit: Option<MemoryLimit>,
    /// Part of the run covered by statistics of background messages, by mean throughput and by utilization: `jobs`, the
    /// time while a job runs; `all`, the whole run; or an interval, as in `1ms..5ms`
    #[arg(long, value_name = "jobs|all|FROM..TO", default_value = "jobs", value_parser = over)]
    pub over: Over,
    /// Replace an existing run
    #[arg(long)]
    pub force: bool,
    /// Serve a live view of the run to browsers on this machine; the address is printed before the run starts
    #[arg(long)]
    pub live: bool,
    /// TCP port of the live view [default: any free port]
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
    /// Scenario files, or a study: a file of scenarios and of these options, which others given here replace
    #[arg(value_name = "SCENARIO|STUDY", required = true)]
    pub scenarios: Vec<PathBuf>,
    /// Vary a value, as in `--vary balance=ecmp,spray`; if repeated, all combinations are run. A range, as in
    /// `--vary jobs.0.start=0us..10us` or `...=1KiB..1GiB log`, needs --sample or --bisect
    #[arg(long, value_name = "PATH=V1,V2...|A..B")]
    pub vary: Vec<Variation>,
    /// Run this number of values within the ranges, with every combination of the listed values
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub sample: Option<u32>,
    /// How values within ranges are chosen: `latin-hypercube` or `random` [default: latin-hypercube]
    #[arg(long, value_name = "DESIGN")]
    pub design: Option<Design>,
    /// Seed of this choice [default: 1]
    #[arg(long, value_name = "N")]
    pub design_seed: Option<u64>,
    /// Find the value in a range from which on the steps of the first job take longer by this share than at its beginning,
    /// for every combination of the listed values [default of --seeds: 5]
    #[arg(long, value_name = "PERCENT")]
    pub bisect: Option<Bisection>,
    /// Change a value in all scenarios, as in `--set jobs.0.steps=5`; may be repeated
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Seeds 1 to N, or A to B, for every variant [default: 1; with --until-ci: up to 200 seeds]
    #[arg(long, value_name = "N|A..B")]
    pub seeds: Option<Seeds>,
    /// Add seeds until half the width of the 95 % confidence interval of each mean step time is at most this share of
    /// the mean
    #[arg(long, value_name = "PERCENT")]
    pub until_ci: Option<Precision>,
    /// Folder to write: a run folder for each point (scenario, values and seed) and a table of all points; points
    /// already complete there are not run again
    #[arg(short, long, value_name = "PATH")]
    pub output: PathBuf,
    /// Part of the run covered by statistics of background messages, by mean throughput and by utilization: `jobs`, the
    /// time while a job runs; `all`, the whole run; or an interval, as in `1ms..5ms` [default: jobs]
    #[arg(long, value_name = "jobs|all|FROM..TO", value_parser = over)]
    pub over: Option<Over>,
    /// Variant to compare the others with, by its name or one of its values [default: the one with the values of the file
    /// itself, else the first]
    #[arg(long, value_name = "VARIANT")]
    pub baseline: Option<String>,
    /// Number of runs at a time [default: number of cores]
    #[arg(long, value_name = "N", value_parser = threads())]
    pub threads: Option<u16>,
    /// What to keep of each point: `folders`, its run folder; `summary`, its row in the table of points and its digest
    /// [default: folders]
    #[arg(long, value_name = "folders|summary")]
    pub keep: Option<Keep>,
    /// Most wall time of a point, as in `10min`; one that takes longer is stopped, and has failed
    #[arg(long, value_name = "TIME", value_parser = point_limit)]
    pub point_limit: Option<WallTime>,
    /// Most memory that a point may be expected to need, as in `16GiB` [default: that of this machine]
    #[arg(long, value_name = "SIZE", value_parser = MemoryLimit::parse, conflicts_with = "cluster")]
    pub memory_limit: Option<MemoryLimit>,
    /// Compute the points on the Dask cluster whose scheduler has this address, as in `tcp://10.0.0.1:8786`; the output
    /// folder must be shared with its workers, or be a URL such as `s3://bucket/study` (`python -m netloom` only)
    #[arg(long, value_name = "ADDRESS", conflicts_with = "threads")]
    pub cluster: Option<String>,
    /// Use the folder of a different sweep; points that belong to both sweeps are kept
    #[arg(long)]
    pub force: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// `netloom figures`.
#[derive(Debug, Args)]
pub struct Figures {
    /// Run folders, in the order in which to show them, or folders of sweeps
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// Folder for the figures
    #[arg(short, long, value_name = "DIR", default_value = "out/figures")]
    pub output: PathBuf,
    /// File format of the figures
    #[arg(long, value_name = "FORMAT", default_value = "pdf", value_parser = clap::builder::PossibleValuesParser::new(FigureFormat::WORDS))]
    pub format: String,
    /// Width in millimetres; the default is the column width of most papers
    #[arg(long, value_name = "MM", default_value_t = figures::COLUMN_MM, value_parser = figures::width)]
    pub width: f64,
    /// Resolution of PNG in dots per inch [default: 300]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(50..=2400))]
    pub dpi: Option<u32>,
    /// Part of the run covered by statistics of background messages, by mean throughput and by utilization: `jobs`, the
    /// time while a job runs; `all`, the whole run; or an interval, as in `1ms..5ms`
    #[arg(long, value_name = "jobs|all|FROM..TO", default_value = "jobs", value_parser = over)]
    pub over: Over,
    /// Replace existing files
    #[arg(long)]
    pub force: bool,
}

/// `netloom show`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_help = SHOW_FILES)]
pub struct Show {
    /// What to draw, tier by tier: the fabric of a scenario, of a fabric file that scenarios inherit from, or of a run
    /// folder
    #[arg(value_name = "FILE", required = true)]
    pub fabric: Option<PathBuf>,
    /// Change a value of the scenario, as in `--set fabric.leaf_spine.spines=8`; may be repeated
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Print the fabric as JSON: tiers, links between them, groups and settings
    #[arg(long)]
    pub json: bool,
    /// What to show instead of a fabric.
    #[command(subcommand)]
    pub subject: Option<Subject>,
}

const SHOW_FILES: &str = "\
If a FILE has the same name as one of the commands, give its folder as well, as in `netloom show ./packets`.
A fabric file needs no workload; settings that it does not contain have their defaults.";

/// What can be shown.
#[derive(Debug, Subcommand)]
pub enum Subject {
    /// Flows with recorded packets, or one packet hop by hop
    Packets(ShowPackets),
    /// Paths of the slowest messages, link by link
    Paths(ShowPaths),
    /// Slowdown of victims by aggressors, from runs of a sweep or other runs, each paired with its baseline
    Interference(ShowInterference),
    /// Nodes of a fabric one by one: kind, tier, block, rail, server, and number within the server
    Nodes(ShowNodes),
    /// Forwarding tables of the switches of a scenario: the links that each switch uses towards each host
    Routes(ShowRoutes),
    /// Number of ingress ports that may send packets to each egress port of a scenario's switches, by the forwarding
    /// tables
    Arbitration(ShowArbitration),
    /// Memory that Themis needs in a switch, part by part, for given parameters
    Themis(ShowThemis),
}

/// `netloom show packets`.
#[derive(Debug, Args)]
pub struct ShowPackets {
    /// Run folder
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Flow whose packet to show, as in `--flow 'leaf0.host0->leaf1.host0#3'`; the number may be omitted if there is
    /// only one message between these hosts
    #[arg(long, value_name = "FLOW")]
    pub flow: Option<String>,
    /// Packet to show, by its number in the message, from 0 [default: the last to be delivered or dropped]
    #[arg(long, value_name = "N", requires = "flow")]
    pub packet: Option<u32>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// `netloom show paths`.
#[derive(Debug, Args)]
pub struct ShowPaths {
    /// Run folder
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
    /// Print comma-separated values, a line for each combination of parameters
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Print the result as JSON, including each single run
    #[arg(long)]
    pub json: bool,
}

/// `netloom show nodes`.
#[derive(Debug, Args)]
pub struct ShowNodes {
    /// Whose nodes: the fabric of a scenario, of a fabric file that scenarios inherit from, or of a run folder
    #[arg(value_name = "FILE")]
    pub fabric: PathBuf,
    /// Change a value of the scenario, as in `--set fabric.leaf_spine.spines=8`; may be repeated
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Print comma-separated values
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// `netloom show routes`.
#[derive(Debug, Args)]
pub struct ShowRoutes {
    /// Scenario file
    #[arg(value_name = "FILE")]
    pub scenario: PathBuf,
    /// Show only the table of this switch
    #[arg(long, value_name = "SWITCH")]
    pub at: Option<String>,
    /// Show only entries for packets to this host
    #[arg(long, value_name = "HOST")]
    pub to: Option<String>,
    /// Show only entries for packets from this host, where tables depend on the source
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
    /// Scenario file
    #[arg(value_name = "FILE")]
    pub scenario: PathBuf,
    /// List every egress port, in addition to the summary by tier and direction
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
    /// Show the memory (equation 4 of the Themis paper); required, since there is nothing else to show yet
    #[arg(long, required = true)]
    pub memory: bool,
    /// Number of equal-cost paths between two leaves
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = many())]
    pub paths: u64,
    /// Link rate of the last hop
    #[arg(long, value_name = "RATE", default_value = "400Gbps", value_parser = themis::rate)]
    pub rate: Rate,
    /// Time from when a packet is enqueued for the last hop until its NACK returns
    #[arg(long, value_name = "TIME", default_value = "2us", value_parser = themis::span)]
    pub round_trip: Duration,
    /// Number of NICs attached to the switch
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = many())]
    pub nics: u64,
    /// Number of queue pairs per NIC that come from other switches
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = many())]
    pub queue_pairs: u64,
    /// Size of a packet on the wire
    #[arg(long, value_name = "SIZE", default_value = "1500B", value_parser = themis::size)]
    pub mtu: Bytes,
    /// Size of a ring relative to rate times round trip, from 1 to 100
    #[arg(long, value_name = "NUMBER", default_value = "1.5", value_parser = themis::factor)]
    pub factor: u64,
    /// Buffer of the switch that the memory is compared with
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
    /// Target format.
    #[command(subcommand)]
    pub format: ExportFormat,
}

/// Formats that a run can be written in.
#[derive(Debug, Subcommand)]
pub enum ExportFormat {
    /// Timeline for the Perfetto viewer: jobs, ranks, collectives, rates of NICs, faults
    Perfetto(ExportPerfetto),
    /// Tables as comma-separated values, with the meanings of their columns in a file of its own
    Csv(ExportCsv),
    /// Bandwidths of collectives by message size, in the layout of nccl-tests
    #[command(name = "nccl-tests")]
    NcclTests(ExportNcclTests),
    /// Latencies of collectives by message size, in the layout of the OSU micro-benchmarks
    Osu(ExportOsu),
}

/// `netloom export perfetto`.
#[derive(Debug, Args)]
pub struct ExportPerfetto {
    /// Run folder
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// File to write [default: RUN.perfetto-trace, beside the run folder]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
    /// Print the number of jobs, ranks, slices and counters in the timeline as JSON
    #[arg(long)]
    pub json: bool,
}

/// `netloom export csv`.
#[derive(Debug, Args)]
pub struct ExportCsv {
    /// Run folder
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Folder for a file per table, and columns.csv with the meanings of columns
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Export only this table, as in `--table flows`; may be repeated [default: all]
    #[arg(long, value_name = "NAME")]
    pub table: Vec<String>,
    /// Replace an existing export
    #[arg(long)]
    pub force: bool,
    /// Print a list of the written tables as JSON
    #[arg(long)]
    pub json: bool,
}

/// `netloom export nccl-tests`.
#[derive(Debug, Args)]
pub struct ExportNcclTests {
    /// Run folder
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
    /// Write the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// `netloom export osu`.
#[derive(Debug, Args)]
pub struct ExportOsu {
    /// Run folder
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Also print the shortest and the longest latency, and the number of iterations
    #[arg(short, long)]
    pub full: bool,
    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
    /// Write the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// `netloom check`.
#[derive(Debug, Args)]
pub struct Check {
    /// Scenario files, run folders and folders of sweeps
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// `netloom list`.
#[derive(Debug, Args)]
pub struct List {
    /// List only this kind, with the parameters of each entry [default: all kinds, without parameters]
    #[arg(value_name = "KIND", value_parser = clap::builder::PossibleValuesParser::new(netloom_lab::list::KINDS))]
    pub kind: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// Print the JSON Schema of scenarios, for use in editors
    #[arg(long, conflicts_with_all = ["kind", "json"])]
    pub schema: bool,
}

/// `netloom field`.
#[derive(Debug, Args)]
pub struct Field {
    /// What to do.
    #[command(subcommand)]
    pub verb: FieldVerb,
}

/// What `netloom field` does.
#[derive(Debug, Subcommand)]
pub enum FieldVerb {
    /// Build a scenario's fabric from network namespaces of this machine and run a command in it
    Testbed(Testbed),
    /// Write everything that a cluster needs to measure a study: plans, the program's sources, scripts, a Slurm job
    Prepare(FieldPrepare),
    /// Measure the points of a prepared study on this machine; points that are already measured are skipped
    Run(FieldRun),
    /// Convert the results of a measured study to measured runs
    Collect(FieldCollect),
}

/// `netloom field testbed`.
#[derive(Debug, Args)]
#[command(after_help = TESTBED_ENDS)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct Testbed {
    /// Scenario, or fabric file that scenarios inherit from
    #[arg(value_name = "FABRIC")]
    pub fabric: PathBuf,
    /// Change a value of the scenario, as in `--set fabric.leaf_spine.spines=1`; may be repeated
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Factor by which the rate of every link is scaled [default: such that the fastest link has 100 Mbit/s]
    #[arg(long, value_name = "N/M", value_parser = Scale::parse, conflicts_with = "rate")]
    pub scale: Option<Scale>,
    /// Rate of the fastest link, as in 20Mbps; all other links are scaled by the same factor
    #[arg(long, value_name = "RATE", value_parser = testbed::rate)]
    pub rate: Option<Rate>,
    /// Size of the queue of every switch port [default: the limit in the scenario, else 10 ms at the rate of the port]
    #[arg(long, value_name = "SIZE", value_parser = themis::size)]
    pub queue: Option<Bytes>,
    /// How packets choose among several next hops: `ecmp`, by a hash of addresses and ports, or `pinned`, one next hop
    /// for
    /// each destination, as with `balance: deterministic` [default: ecmp; pinned if the scenario has that balance]
    #[arg(long, value_name = "MODE", value_parser = clap::builder::PossibleValuesParser::new(["ecmp", "pinned"]))]
    pub routes: Option<String>,
    /// Fail with exit code 3 if all hosts together sent fewer bytes over the network, by the counters of the kernel
    #[arg(long, value_name = "SIZE", value_parser = themis::size)]
    pub expect_bytes: Option<Bytes>,
    /// Sample the counters of all ports while the command runs, and write them to this folder as a measured run for
    /// `report`, `show` and `compare`
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Replace an existing complete run
    #[arg(short, long, requires = "output")]
    pub force: bool,
    /// Sampling interval; it doubles each time the number of samples reaches a thousand
    #[arg(long, value_name = "TIME", value_parser = testbed::interval, requires = "output")]
    pub every: Option<Duration>,
    /// Print the commands that would create the network, as a shell script, and create nothing
    #[arg(long)]
    pub explain: bool,
    /// Print nothing but errors and the output of the command
    #[arg(short, long)]
    pub quiet: bool,
    /// Already inside the namespaces: create the network, run the command
    #[arg(long, hide = true)]
    pub inside: bool,
    /// Command to run on the first host [default: a shell, if standard input is a terminal]
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

const TESTBED_ENDS: &str = "\
Inside, `on-host HOST COMMAND...` runs a command on another host; the names of all hosts are resolved. `mpiexec` of
Open MPI or MPICH starts one rank on each host and sends by TCP over the network.
The exit code is that of the command, or 128 plus the signal's number if a signal ended it. It is 2, and nothing is
created, if the fabric cannot be built or the machine lacks a requirement. The network is removed however the command
ends.";

/// `netloom reproduce`.
#[derive(Debug, Args)]
pub struct Reproduce {
    /// Paper to reproduce
    #[arg(value_name = "PAPER", value_parser = clap::builder::PossibleValuesParser::new(netloom_lab::reproduce::papers()))]
    pub paper: String,
    /// Seeds 1 to N, or A to B [default: the number in the claims of the paper]
    #[arg(long, value_name = "N|A..B")]
    pub seeds: Option<Seeds>,
    /// Check only this claim; may be repeated
    #[arg(long, value_name = "CLAIM")]
    pub only: Vec<String>,
    /// Fail unless every verdict equals the recorded one and every invariant holds; runs more seeds
    #[arg(long)]
    pub check: bool,
    /// Run at the full size of the paper where the claims use a smaller one; this may take hours
    #[arg(long, requires = "output")]
    pub full: bool,
    /// Check the claims by the runs in an earlier `--output` folder instead of running the scenarios
    #[arg(long, value_name = "PATH", conflicts_with_all = ["seeds", "threads", "full"])]
    pub runs: Option<PathBuf>,
    /// Folder for the results as CSV and JSON, and the paper's figures as tables and maps; after an interrupt the same
    /// command continues and keeps the completed runs
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Number of runs at a time [default: number of cores]
    #[arg(long, value_name = "N", value_parser = threads())]
    pub threads: Option<u16>,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// `netloom demo`.
#[derive(Debug, Args)]
pub struct Demo {
    /// Folder for a run folder per policy, and the report on them
    #[arg(short, long, value_name = "PATH", default_value = "out/demo")]
    pub output: PathBuf,
    /// Part of the run covered by statistics of background messages, by mean throughput and by utilization: `jobs`, the
    /// time while a job runs; `all`, the whole run; or an interval, as in `1ms..5ms`
    #[arg(long, value_name = "jobs|all|FROM..TO", default_value = "jobs", value_parser = over)]
    pub over: Over,
    /// Number of runs at a time [default: number of cores]
    #[arg(long, value_name = "N", value_parser = threads())]
    pub threads: Option<u16>,
    /// Replace existing runs
    #[arg(long)]
    pub force: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// `netloom bench`.
#[derive(Debug, Args)]
pub struct Bench {
    /// Number of measurements of each case; the cases take turns
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub pairs: u16,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// Measure one case once, in this process; the command starts itself with this option for each measurement
    #[arg(long, hide = true, value_name = "CASE")]
    pub one: Option<String>,
}

fn threads() -> clap::builder::RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(1..=MOST_THREADS)
}

/// Splits `path=value`; the scenario's reader checks both parts.
fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((path, value)) if !path.is_empty() => Ok((path.to_owned(), value.to_owned())),
        _ => Err("expected `path=value`, for example `balance=spray` or `jobs.0.steps=3`".to_owned()),
    }
}
