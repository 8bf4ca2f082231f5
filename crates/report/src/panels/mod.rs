//! The panels: the data that each collects from the rows of a run, and the data of all runs for the page.
//!
//! A new panel is a file here with a collector and its data, and a line in each of the two lists below.

mod bandwidth;
pub mod by_setting;
mod causes;
pub mod chains;
mod congestion;
pub mod fabric;
pub mod faults;
pub mod fct;
mod goodput;
pub mod interference;
pub mod links;
pub mod over_time;
mod port_kinds;
pub mod provenance;
mod queues;
mod rates;
mod reordering;
pub mod repairs;
pub mod settings;
mod signals;
pub mod slowdown;
pub mod stages;
pub mod steps;
mod summary;
pub mod tier_ports;
pub mod tier_times;
pub mod timeline;
mod traffic;
mod used_ports;
pub mod why;
mod worst;

use netloom_records::Batch;
use netloom_records::statistics::Slowdowns;
use serde::Serialize;

use crate::answer::{AnswerData, Observed, StepTimes};
use crate::collect::{About, Collected};
use crate::error::ReportError;
use crate::study::ThresholdData;

/// The job number of background messages.
const BACKGROUND: u16 = u16::MAX;
/// The job number of messages of staged flows.
const STAGED: u16 = u16::MAX - 1;
/// The job number of finite flows.
const FINITE: u16 = u16::MAX - 2;

/// Whether a message is one of background traffic or a finite flow: its completion time is of interest by itself.
const fn is_independent(job: u16) -> bool {
    job == BACKGROUND || job == FINITE
}

/// The name of the traffic that messages of a job number are of.
fn traffic_name(about: &About, job: u16) -> String {
    traffic_without_job(job).map_or_else(|| about.job(job), str::to_owned)
}

/// The name of the traffic that messages of a job number are of, if that is no job.
pub const fn traffic_without_job(job: u16) -> Option<&'static str> {
    match job {
        BACKGROUND => Some("background"),
        STAGED => Some("staged flow"),
        FINITE => Some("finite flow"),
        _ => None,
    }
}

/// Collects the data of a panel from the rows of one run.
pub trait Collector {
    /// Takes rows of any table.
    fn take(&mut self, about: &About, batch: Batch<'_>);
}

macro_rules! collectors {
    ($($panel:ident: $collector:ty,)*) => {
        /// One collector for each panel that reads rows.
        #[derive(Debug, Default)]
        pub struct Collectors {
            $(pub $panel: $collector,)*
        }

        impl Collectors {
            /// Passes rows to every collector.
            pub fn take(&mut self, about: &About, batch: Batch<'_>) {
                $(self.$panel.take(about, batch);)*
            }
        }
    };
}

collectors! {
    answer: StepTimes,
    steps: steps::Steps,
    bandwidth: bandwidth::Bandwidth,
    fct: fct::Fct,
    slowdown: slowdown::SlowdownBySize,
    queues: queues::Queues,
    links: links::Links,
    tier_ports: tier_ports::TierPorts,
    tier_times: tier_times::TierTimes,
    faults: faults::Faults,
    repairs: repairs::Repairs,
    rates: rates::Rates,
    stages: stages::Stages,
    goodput: goodput::Goodput,
    signals: signals::Signals,
    congestion: congestion::Congestion,
    traffic: traffic::Traffic,
    reordering: reordering::Reordering,
    interference: interference::Interference,
    fabric: fabric::Fabric,
    worst: worst::Worst,
    causes: causes::Causes,
    timeline: timeline::Timeline,
    over_time: over_time::OverTime,
}

/// All data of the page; lists have an entry for each run, unless noted.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Origin and outcome of the runs.
    pub runs: Vec<provenance::RunData>,
    /// Sweeps of which points are missing, a sentence each.
    pub remarks: Vec<String>,
    /// Which variant is better; absent for a single one.
    pub answer: Option<AnswerData>,
    #[serde(skip)]
    observed: Vec<Observed>,
    summary: Vec<summary::RowData>,
    /// Step times, for each job of each run.
    pub steps: Vec<steps::JobData>,
    /// What steps waited for, for each job of each run that recorded causes.
    pub why: Vec<why::JobCauses>,
    /// Runs that were explained by running them again, some or none.
    pub explained: Vec<chains::ExplainedRun>,
    /// Flow completion times.
    pub fct: Vec<fct::RunData>,
    /// FCT slowdown by size; absent if no message has an ideal FCT.
    pub slowdown: Vec<Option<Slowdowns>>,
    queues: Vec<queues::RunData>,
    /// Link utilization.
    pub links: Vec<links::RunData>,
    /// Ports by tier.
    pub tier_ports: Vec<tier_ports::RunData>,
    /// The same over time.
    pub tier_times: Vec<Option<tier_times::RunData>>,
    /// Faults and losses.
    pub faults: Vec<faults::RunData>,
    by_setting: Option<by_setting::BySettingData>,
    bandwidth: Vec<Option<Vec<bandwidth::LineData>>>,
    goodput: Vec<Option<goodput::RunData>>,
    /// Retransmissions, if there were queue pairs.
    pub repairs: Vec<Option<repairs::RunData>>,
    rates: Vec<Option<rates::RunData>>,
    /// Staged flows; absent if there are none.
    pub stages: Vec<Option<stages::RunData>>,
    signals: Vec<Option<signals::RunData>>,
    congestion: Vec<Option<congestion::RunData>>,
    traffic: Vec<Option<traffic::RunData>>,
    reordering: Vec<Option<reordering::RunData>>,
    interference: Option<interference::Study>,
    fabric: Vec<fabric::RunData>,
    worst: Vec<worst::RunData>,
    causes: Vec<Option<causes::RunData>>,
    /// Recorded steps, rank by rank; absent if none was recorded.
    pub timeline: Vec<Option<timeline::RunData>>,
    /// Settings of all runs.
    pub settings: settings::SettingsData,
    /// The fabric over time; absent if ports were not sampled.
    pub over_time: Vec<Option<over_time::RunData>>,
    /// Thresholds, if these are the runs of a sweep that searched some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<ThresholdData>,
}

impl Report {
    /// From runs that have been read.
    pub fn of(collected: Vec<Collected>) -> Report {
        let n_runs = collected.len();
        let abouts: Vec<&About> = collected.iter().map(|run| &run.about).collect();
        let settings = settings::SettingsData::of(&abouts);
        let mut report = Report {
            runs: abouts.into_iter().map(provenance::RunData::of).collect(),
            remarks: Vec::new(),
            answer: None,
            observed: Vec::new(),
            summary: Vec::new(),
            steps: Vec::new(),
            why: Vec::new(),
            explained: Vec::new(),
            fct: Vec::new(),
            slowdown: Vec::new(),
            queues: Vec::new(),
            links: Vec::new(),
            tier_ports: Vec::new(),
            tier_times: Vec::new(),
            faults: Vec::new(),
            by_setting: None,
            bandwidth: Vec::new(),
            goodput: Vec::new(),
            repairs: Vec::new(),
            rates: Vec::new(),
            stages: Vec::new(),
            signals: Vec::new(),
            congestion: Vec::new(),
            traffic: Vec::new(),
            reordering: Vec::new(),
            interference: None,
            fabric: Vec::new(),
            worst: Vec::new(),
            causes: Vec::new(),
            timeline: Vec::new(),
            settings,
            over_time: Vec::new(),
            thresholds: None,
        };
        let (mut read, mut studied) = (Vec::new(), Vec::new());
        for (number, Collected { about, panels }) in collected.into_iter().enumerate() {
            let observed = Observed::new(panels.answer, &about, panels.steps.jobs());
            report.steps.extend(panels.steps.finish(number, &about));
            report.bandwidth.push(panels.bandwidth.finish(&about));
            report.fct.push(panels.fct.finish());
            report.slowdown.push(panels.slowdown.finish());
            report.queues.push(panels.queues.finish(&about));
            report.links.push(panels.links.finish(&about, n_runs));
            report.tier_ports.push(panels.tier_ports.finish(&about, n_runs));
            report.tier_times.push(panels.tier_times.finish(&about));
            report.faults.push(panels.faults.finish());
            // Goodput compares with the line rate; hosts without queue pairs do not retransmit.
            let has_queue_pairs = panels.repairs.has_queue_pairs();
            report.goodput.push(panels.goodput.finish(&about).filter(|_| has_queue_pairs));
            report.repairs.push(panels.repairs.finish(&about));
            report.rates.push(panels.rates.finish(&about, n_runs));
            report.stages.push(panels.stages.finish(&about, n_runs));
            report.signals.push(panels.signals.finish(&about));
            report.congestion.push(panels.congestion.finish(&about));
            report.traffic.push(panels.traffic.finish(&about));
            report.reordering.push(panels.reordering.finish());
            report.fabric.push(panels.fabric.finish(&about));
            report.worst.push(panels.worst.finish(&about));
            report.causes.push(panels.causes.finish(&about));
            report.timeline.push(panels.timeline.finish(&about));
            report.over_time.push(panels.over_time.finish(&about));
            report.summary.extend(summary::rows(number, &report));
            report.observed.push(observed.with_messages(&report.fct[number]));
            studied.push(panels.interference);
            read.push(about);
        }
        let read: Vec<&About> = read.iter().collect();
        let studied: Vec<_> = read.iter().copied().zip(studied).collect();
        report.interference = interference::Study::of(&studied);
        report.by_setting = by_setting::BySettingData::of(&read, &report.steps);
        report.answer =
            AnswerData::of(&report.observed, &report.settings.between.rows, None).unwrap_or_default();
        report
    }

    /// Compares the variants with another baseline: a variant or a run by its name.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn choose_baseline(&mut self, name: &str) -> Result<(), ReportError> {
        let found = AnswerData::of(&self.observed, &self.settings.between.rows, Some(name));
        let unknown = |known| ReportError::NoBaseline { name: name.to_owned(), known };
        self.answer = found.map_err(unknown)?;
        Ok(())
    }

    /// Number of runs.
    pub fn n_runs(&self) -> usize {
        self.runs.len()
    }
}
