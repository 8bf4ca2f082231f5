//! Times of a sweep over its varied values.
//!
//! Models: an axis for each range; without ranges, that of the listed numbers of which there are most, else the names of
//! variants; a line for each combination of the other values.
//!
//! Invariants: points are joined only if nothing but the value of the axis changes between them.

use netloom_report::{CurveData, CurveLine, CurvePoint, ValueAxis};

use super::data::axis_of;
use crate::sweep::{Mean, Study, VariantReport};

/// Most variants whose names are an axis.
const MOST_NAMES: usize = 40;

/// Where variants are on an axis.
struct Coordinates {
    axis: ValueAxis,
    is_joined: bool,
    /// By variant.
    at: Vec<Option<f64>>,
    /// The columns of values that distinguish lines.
    others: Vec<usize>,
}

/// A time of a variant: its name, and how it is read.
struct Quantity {
    name: String,
    read: Reading,
}

/// How a mean of a variant is read, with the runs that it is over.
type Reading = Box<dyn Fn(&VariantReport) -> Option<(usize, Mean)>>;

/// All curves; none for a single variant.
pub(super) fn curves(study: &Study, reports: &[VariantReport]) -> Vec<CurveData> {
    if reports.len() < 2 {
        return Vec::new();
    }
    let quantities = quantities(reports);
    let mut found = Vec::new();
    for coordinates in coordinates(study) {
        for quantity in &quantities {
            let lines = lines(study, reports, &coordinates, quantity);
            if !lines.is_empty() {
                let Coordinates { axis, is_joined, .. } = &coordinates;
                let (quantity, axis) = (quantity.name.clone(), axis.clone());
                found.push(CurveData { quantity, axis, is_joined: *is_joined, lines });
            }
        }
    }
    found
}

/// The axes of a sweep.
fn coordinates(study: &Study) -> Vec<Coordinates> {
    let (vary, variants) = (&study.about.vary, &study.about.variants);
    let without = |wanted: &dyn Fn(usize) -> bool| (0..vary.len()).filter(|&column| wanted(column)).collect();
    let is_range = |column: usize| vary[column].range().is_some();
    let n_ranges = (0..vary.len()).filter(|&column| is_range(column)).count();
    if n_ranges > 0 {
        let of_range = |(column, varied): (usize, &crate::sweep::Varied)| {
            let range = varied.range()?;
            let at = |values: &[String]| {
                Some(range.number(values.get(column)?)).filter(|number| number.is_finite())
            };
            Some(Coordinates {
                axis: axis_of(&varied.path, &range),
                is_joined: n_ranges == 1,
                at: variants.iter().map(|variant| at(&variant.values)).collect(),
                others: without(&|other| !is_range(other)),
            })
        };
        return vary.iter().enumerate().filter_map(of_range).collect();
    }
    let numeric = vary.iter().enumerate().filter_map(|(column, varied)| Some((column, varied.numbers()?)));
    if let Some((column, numbers)) = numeric.max_by_key(|(_, numbers)| numbers.values.len()) {
        let at = |values: &[String]| {
            let (_, number) = numbers.values.iter().find(|(text, _)| Some(text) == values.get(column))?;
            Some(*number)
        };
        return vec![Coordinates {
            axis: ValueAxis {
                path: vary[column].path.clone(),
                unit: numbers.unit,
                log: numbers.log,
                names: Vec::new(),
            },
            is_joined: true,
            at: variants.iter().map(|variant| at(&variant.values)).collect(),
            others: without(&|other| other != column),
        }];
    }
    if variants.len() > MOST_NAMES {
        return Vec::new();
    }
    let names = variants.iter().map(|variant| variant.name.clone()).collect();
    vec![Coordinates {
        axis: ValueAxis { path: String::new(), unit: "number", log: false, names },
        is_joined: false,
        at: (0..variants.len()).map(|index| Some(index as f64)).collect(),
        others: Vec::new(),
    }]
}

/// The times of jobs and of background messages.
fn quantities(reports: &[VariantReport]) -> Vec<Quantity> {
    let jobs = reports.iter().find(|report| !report.jobs.is_empty());
    let names: Vec<String> =
        jobs.map(|report| report.jobs.iter().map(|job| job.name.clone()).collect()).unwrap_or_default();
    let mut found = Vec::new();
    for (number, name) in names.iter().enumerate() {
        let of = if names.len() > 1 { format!(" of {name}") } else { String::new() };
        found.push(Quantity {
            name: format!("mean step time{of}"),
            read: Box::new(move |report| {
                let job = report.jobs.get(number)?;
                Some((job.seeds, job.step?))
            }),
        });
        found.push(Quantity {
            name: format!("99th percentile of step times{of}"),
            read: Box::new(move |report| {
                let job = report.jobs.get(number)?;
                Some((job.seeds, Mean { mean_s: job.step_p99_s?, half_s: None }))
            }),
        });
    }
    found.push(Quantity {
        name: "mean completion time of messages".to_owned(),
        read: Box::new(|report| report.background.as_ref().map(|found| (found.seeds, found.fct))),
    });
    found.push(Quantity {
        name: "99th percentile of completion times of messages".to_owned(),
        read: Box::new(|report| {
            let found = report.background.as_ref()?;
            Some((found.seeds, Mean { mean_s: found.fct_p99_s, half_s: None }))
        }),
    });
    found
}

/// The lines of a quantity, in the order of their first variants.
fn lines(
    study: &Study,
    reports: &[VariantReport],
    coordinates: &Coordinates,
    quantity: &Quantity,
) -> Vec<CurveLine> {
    let (vary, variants) = (&study.about.vary, &study.about.variants);
    let has_several = variants.windows(2).any(|two| two[0].scenario != two[1].scenario);
    let mut lines: Vec<CurveLine> = Vec::new();
    for (number, (variant, report)) in variants.iter().zip(reports).enumerate() {
        let (Some(at), Some((seeds, mean))) = (coordinates.at[number], (quantity.read)(report)) else {
            continue;
        };
        let pair = |&column: &usize| {
            let value = variant.values.get(column).map_or("", String::as_str);
            format!("{}={value}", vary[column].path)
        };
        let is_named = has_several && coordinates.axis.names.is_empty();
        let scenario = is_named.then(|| variant.scenario.clone());
        let words: Vec<String> = scenario.into_iter().chain(coordinates.others.iter().map(pair)).collect();
        let name = words.join(", ");
        let value = match coordinates.axis.names.get(number) {
            Some(name) => name.clone(),
            None => vary
                .iter()
                .position(|varied| varied.path == coordinates.axis.path)
                .map_or_else(String::new, |column| variant.values.get(column).cloned().unwrap_or_default()),
        };
        let point = CurvePoint { value, number: at, seeds, mean: mean.mean_s, half: mean.half_s };
        match lines.iter_mut().find(|line| line.name == name) {
            Some(line) => line.points.push(point),
            None => lines.push(CurveLine { name, points: vec![point] }),
        }
    }
    for line in &mut lines {
        line.points.sort_by(|one, other| one.number.total_cmp(&other.number));
    }
    lines
}
