//! One self-contained HTML file about some runs, made only from their run folders; or about a sweep of which no run folders
//! are kept; or about a paper's figures; or the page of a run in progress.
//!
//! Models: reading run folders once, block by block; figures of fixed size per panel; the page they are put into.
//! Leaves out: drawing, which the page does (`web/`); the engine, scenarios and all data that was not stored.
//!
//! Invariants: the size of the page does not grow with the number of messages; the page states what is left out; no
//! text from a run can become markup; an incomplete run is rejected.
//!
//! A new panel is one file in `panels`, one line in its `mod.rs`, and one file in `web/src/panels`.

mod answer;
pub mod breakdown;
mod cause_names;
mod collect;
mod differences;
mod drawing;
mod error;
mod estimate;
mod fabric;
mod live;
mod maps;
mod nearness;
mod page;
mod panels;
mod round;
mod study;
pub mod words;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use netloom_records::statistics::Over;
use netloom_records::{DraftFile, Overwrite, RunFolder};

pub use answer::{
    AnswerData, Basis, CauseDifference, Compared, MeansOfRun, Outcome, Reason, Sentence, Speedup, StepCauses,
    Variant, Verdict, answer_of_means,
};
pub use cause_names::{OTHER_QUEUES, cause_name};
pub use error::ReportError;
pub use live::{LivePage, LiveView, render_live};
pub use maps::{FigureMaps, MapAxis, MapCell, MapRatio, MapScores, Maps, PanelMap, render_maps};
pub use nearness::Nearness;
pub use page::{MOST_BYTES, page_data};
pub use panels::interference::beside::{Beside, Lonely, PairData, ScoreData};
pub use panels::interference::{CellData, Coordinates, PointData, RatioData, Study};
pub use panels::traffic_without_job;
pub use round::six_digits;
pub use study::{
    CurveData, CurveLine, CurvePoint, DifferenceData, FailedData, FoundThreshold, MeanData, StudyData,
    StudyJob, StudyVariant, ThresholdData, ValueAxis, render_study,
};

/// The data of panels, for callers that draw it elsewhere.
pub mod panel_data {
    pub use crate::estimate::Estimate;
    pub use crate::panels::Report;
    pub use crate::panels::chains::{
        ChainData, ExplainedRun, MOST_MESSAGES, MessageData, SharerData, WaitData,
    };
    pub use crate::panels::faults::{ChangeData, DropData, EventData, RunData as Faults};
    pub use crate::panels::fct::{FctData, GroupData, RunData as Fct, independent};
    pub use crate::panels::links::{ListData, ListedLink, RunData as Links, TierData, Usage};
    pub use crate::panels::over_time::RunData as OverTime;
    pub use crate::panels::provenance::{RunData as Provenance, SpanData};
    pub use crate::panels::repairs::RunData as Repairs;
    pub use crate::panels::settings::{BetweenRow, ChangedRow, SettingsData, TableData};
    pub use crate::panels::stages::{FlowData, LineData, RunData as Staged, StageData};
    pub use crate::panels::steps::{Cdf, CourseData, JobData, Times};
    pub use crate::panels::tier_ports::{RunData as TierPorts, StripData};
    pub use crate::panels::timeline::{OverRanks, RunData as Timeline, StepData};
    pub use crate::panels::why::{CausedStep, JobCauses, StepTimes};
    pub use netloom_records::statistics::{SizeBucket, Slowdowns};
}

/// A run for the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedRun {
    /// Its name in the report.
    pub name: String,
    /// Its run folder.
    pub folder: PathBuf,
}

/// The page about these runs, in this order, with figures over a part of each; the baseline is a variant or a run by its
/// name, that of the first run by default.
///
/// # Errors
/// If one of them is no complete run folder or cannot be read, an interval is not within it, there is no such baseline,
/// or the page would be too large.
pub fn render(runs: &[ReportedRun], over: Over, baseline: Option<&str>) -> Result<String, ReportError> {
    let mut report = read(runs, over)?;
    if let Some(name) = baseline {
        report.choose_baseline(name)?;
    }
    page::page(&report, (report.n_runs(), "runs"))
}

/// The data of the page about these runs.
///
/// # Errors
/// If one of them is no complete run folder or cannot be read, or an interval is not within it.
pub fn read(runs: &[ReportedRun], over: Over) -> Result<panel_data::Report, ReportError> {
    let collect =
        |run: &ReportedRun| collect::run(run.name.clone(), &RunFolder::open(&run.folder)?, runs.len(), over);
    let collected = runs.iter().map(collect).collect::<Result<Vec<_>, ReportError>>()?;
    Ok(panel_data::Report::of(collected))
}

/// The ports of a run, tier by tier.
///
/// # Errors
/// If it cannot be read.
pub fn tier_ports(folder: &RunFolder) -> Result<panel_data::TierPorts, ReportError> {
    collect::tier_ports(folder, Over::Jobs)
}

/// Which variant of these runs is better; `None` if there are not several, none can be compared, or there are more than
/// a thousand runs, whose manifests would take too much memory.
///
/// # Errors
/// If one of them is no complete run folder or cannot be read, an interval is not within it, or there is no such baseline.
pub fn answer(
    runs: &[ReportedRun],
    over: Over,
    baseline: Option<&str>,
) -> Result<Option<AnswerData>, ReportError> {
    const MOST_RUNS: usize = 1_000;
    if runs.len() > MOST_RUNS {
        return Ok(None);
    }
    let read = |run: &ReportedRun| {
        collect::observed(run.name.clone(), &RunFolder::open(&run.folder)?, runs.len(), over)
    };
    let read = runs.iter().map(read).collect::<Result<Vec<_>, ReportError>>()?;
    let (abouts, observed): (Vec<_>, Vec<_>) = read.into_iter().unzip();
    let between = panels::settings::SettingsData::of(&abouts.iter().collect::<Vec<_>>()).between.rows;
    let unknown = |known| ReportError::NoBaseline { name: baseline.unwrap_or_default().to_owned(), known };
    AnswerData::of(&observed, &between, baseline).map_err(unknown)
}

/// The interference study of these runs; none if none of them is part of a study.
///
/// # Errors
/// If one of them is no complete run folder or cannot be read.
pub fn study(runs: &[ReportedRun]) -> Result<Option<Study>, ReportError> {
    let read = |run: &ReportedRun| collect::study(run.name.clone(), &RunFolder::open(&run.folder)?);
    let read = runs.iter().map(read).collect::<Result<Vec<_>, ReportError>>()?;
    let (abouts, kept): (Vec<_>, Vec<_>) = read.into_iter().unzip();
    Ok(Study::of(&abouts.iter().zip(kept).collect::<Vec<_>>()))
}

/// Writes the page with this data atomically; creates its folder if necessary.
///
/// # Errors
/// If the page would be too large, the file exists and shall not be replaced, or writing fails.
pub fn write(report: &panel_data::Report, file: &Path, overwrite: Overwrite) -> Result<(), ReportError> {
    check_overwrite(file, overwrite)?;
    write_page(&page::page(report, (report.n_runs(), "runs"))?, file)
}

/// Writes the page about a sweep likewise.
///
/// # Errors
/// As [`write()`].
pub fn write_study(study: &StudyData, file: &Path, overwrite: Overwrite) -> Result<(), ReportError> {
    check_overwrite(file, overwrite)?;
    write_page(&render_study(study)?, file)
}

fn write_page(page: &str, file: &Path) -> Result<(), ReportError> {
    let refused = |source| ReportError::Unwritable { path: file.to_owned(), source };
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(refused)?;
    }
    // A path that is not a regular file, such as a pipe, cannot be replaced by another file.
    if fs::metadata(file).is_ok_and(|there| !there.is_file()) {
        return fs::write(file, page).map_err(refused);
    }
    let mut draft = DraftFile::create(file).map_err(refused)?;
    draft.write_all(page.as_bytes()).map_err(refused)?;
    draft.finish().map_err(refused)
}

/// Checks that a report may be written there, so that the error comes before the simulation.
///
/// # Errors
/// If a file exists and shall not be replaced, or the path is a folder.
pub fn check_overwrite(file: &Path, overwrite: Overwrite) -> Result<(), ReportError> {
    if file.is_dir() {
        return Err(ReportError::Folder(file.to_owned()));
    }
    if overwrite == Overwrite::Refuse && file.exists() {
        return Err(ReportError::Exists(file.to_owned()));
    }
    Ok(())
}
