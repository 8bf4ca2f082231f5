//! The data of the page and of the figures about a sweep.

use netloom_records::statistics::Over;
use netloom_report::{
    DifferenceData, FailedData, FoundThreshold, MeanData, StudyData, StudyJob, StudyVariant, ThresholdData,
    ValueAxis,
};

use super::compare::answer_of;
use super::curves::curves;
use crate::error::LabError;
use crate::summary::over_name;
use crate::sweep::{
    JobReport, Mean, Study, StudyFile, ThresholdReport, TriedValue, ValueRange, VariantReport,
};

/// Everything that the page shows.
///
/// # Errors
/// If there is no such baseline.
pub(crate) fn study_data(study: &Study, over: Over, baseline: Option<&str>) -> Result<StudyData, LabError> {
    let (answer, baseline) = answer_of(study, baseline)?;
    let reports = study.variants(baseline);
    let about = &study.about;
    let mut scenarios: Vec<String> = Vec::new();
    for variant in &about.variants {
        if !scenarios.contains(&variant.scenario) {
            scenarios.push(variant.scenario.clone());
        }
    }
    let failed = about.failed.iter().map(|point| FailedData {
        variant: point.name.clone(),
        seed: point.seed,
        reason: point.reason.clone(),
    });
    Ok(StudyData {
        name: study.folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        scenarios,
        netloom: about.netloom.clone(),
        varied: about.vary.iter().map(crate::sweep::Varied::words).collect(),
        seeds: [about.seeds.first, about.seeds.last],
        over: over_words(over),
        points: study.points().count(),
        total: study.total(),
        failed: failed.collect(),
        curves: curves(study, &reports),
        variants: reports.into_iter().map(variant).collect(),
        baseline,
        answer,
        thresholds: threshold_data(about),
    })
}

/// Which background messages figures are taken over.
fn over_words(over: Over) -> String {
    match over_name(over).as_str() {
        "jobs" => "messages that started while a job ran".to_owned(),
        "all" => "messages of the whole run".to_owned(),
        interval => format!("messages that started in {interval}"),
    }
}

fn variant(report: VariantReport) -> StudyVariant {
    let background = report.background.as_ref();
    StudyVariant {
        name: report.name.clone(),
        points: report.points,
        fct: background.map(|found| mean(found.fct)),
        fct_p99: background.map(|found| found.fct_p99_s),
        jobs: report.jobs.into_iter().map(job).collect(),
    }
}

fn job(report: JobReport) -> StudyJob {
    let difference = report.difference.map(|found| DifferenceData {
        seeds: found.seeds,
        mean: mean(found.mean),
        base: found.base_s,
    });
    StudyJob {
        name: report.name,
        seeds: report.seeds,
        step: report.step.map(mean),
        step_p99: report.step_p99_s,
        difference,
    }
}

fn mean(mean: Mean) -> MeanData {
    MeanData { mean: mean.mean_s, half: mean.half_s }
}

/// The axis of a range.
pub(super) fn axis_of(path: &str, range: &ValueRange) -> ValueAxis {
    ValueAxis { path: path.to_owned(), unit: range.unit(), log: range.is_log(), names: Vec::new() }
}

/// What a search found; `None` if there was none.
pub(crate) fn threshold_data(about: &StudyFile) -> Option<ThresholdData> {
    let first = about.thresholds.first()?;
    let range = about.vary.iter().find(|varied| varied.path == first.path)?.range()?;
    let found = about.thresholds.iter().map(|report| found(report, &range));
    Some(ThresholdData {
        axis: axis_of(&first.path, &range),
        threshold: first.threshold,
        found: found.collect(),
    })
}

fn found(report: &ThresholdReport, range: &ValueRange) -> FoundThreshold {
    let ends = report.interval.as_ref().or(report.bracket.as_ref());
    let interval = ends.map(|ends| {
        let [one, other] = [&ends[0], &ends[1]].map(|text| range.number(text));
        [one.min(other), one.max(other)]
    });
    let point = |tried: &TriedValue| netloom_report::CurvePoint {
        value: tried.value.clone(),
        number: tried.number,
        seeds: tried.seeds,
        mean: tried.relative,
        half: tried.half,
    };
    let mut points: Vec<_> = report.tried.iter().map(point).collect();
    points.sort_by(|one, other| one.number.total_cmp(&other.number));
    FoundThreshold {
        words: report.words(),
        estimate: report.estimate.as_ref().map(|text| range.number(text)),
        interval,
        tried: netloom_report::CurveLine { name: report.name.clone(), points },
    }
}
