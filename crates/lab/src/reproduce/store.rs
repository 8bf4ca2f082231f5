//! Writes results: tables for spreadsheets, one JSON document for programs, run folders of cells.

use std::path::Path;
use std::{fs, io};

use netloom_records::read_bounded;
use serde::{Deserialize, Serialize};

use super::cells;
use super::claims::Kind;
use super::error::ReproduceError;
use super::judge::Judged;
use super::quantity::Quantity;
use super::report::{Report, Tally};
use super::runs::SimulatedRun;
use crate::sample::Sample;

/// The document for programs.
pub(crate) const REPORT_FILE: &str = "report.json";
/// The page with the maps.
const MAPS: &str = "maps.html";

/// One figure of one run over all seeds.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Point {
    run: String,
    part: Option<String>,
    quantity: Quantity,
    published: Option<f64>,
    sample: Sample,
}

#[derive(Serialize)]
struct Document<'a> {
    paper: &'a str,
    version: &'static str,
    full: bool,
    tally: Tally,
    as_recorded: bool,
    broken_laws: Vec<String>,
    claims: &'a [Judged],
    points: Vec<Point>,
    runs: &'a [SimulatedRun],
}

/// Writes all files of a report.
pub(super) fn write(report: &Report, folder: &Path) -> Result<(), ReproduceError> {
    let refused = |source| ReproduceError::Write { path: folder.to_owned(), source };
    fs::create_dir_all(folder).map_err(refused)?;
    let points = points(report);
    let document = Document {
        paper: &report.paper.id,
        version: env!("CARGO_PKG_VERSION"),
        full: report.paper.is_full(),
        tally: report.tally(),
        as_recorded: report.is_as_recorded(),
        broken_laws: report.broken_laws().collect(),
        claims: &report.judged,
        points,
        runs: &report.runs,
    };
    let json = serde_json::to_string_pretty(&document).map_err(|error| refused(error.into()))?;
    let maps = report.maps()?;
    let files = [
        ("claims.csv", claims_table(report)),
        ("points.csv", points_table(&document.points)),
        ("runs.csv", runs_table(report)),
        ("figures.md", report.figures()),
        (REPORT_FILE, json),
    ];
    for (name, text) in files {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|source| ReproduceError::Write { path, source })?;
    }
    let path = folder.join(MAPS);
    put_or_remove(&path, maps).map_err(|source| ReproduceError::Write { path, source })?;
    cells::write(report, folder)?;
    report.account.forget(folder)
}

/// Writes the page, or removes that of an earlier report, whose runs differ from those of the tables beside it.
fn put_or_remove(path: &Path, page: Option<String>) -> io::Result<()> {
    match page {
        Some(page) => fs::write(path, page),
        None => match fs::remove_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done,
        },
    }
}

/// The parts that are read from a stored report.
#[derive(Deserialize)]
pub(super) struct Stored {
    paper: String,
    version: String,
    /// Whether its runs have the paper's full size.
    #[serde(default)]
    pub full: bool,
    /// Its runs.
    pub runs: Vec<SimulatedRun>,
}

/// The runs of a stored report.
pub(super) fn runs(paper: &str, folder: &Path) -> Result<Stored, ReproduceError> {
    let path = folder.join(REPORT_FILE);
    let bytes = read_bounded(&path).map_err(|source| ReproduceError::Read { path: path.clone(), source })?;
    let wrong = |reason| ReproduceError::Stored { path: path.clone(), reason };
    let stored: Stored = serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
    let Stored { paper: of, version, .. } = &stored;
    let own_version = env!("CARGO_PKG_VERSION");
    if of != paper || version != own_version {
        let found = format!("it holds runs of `{of}` by netloom {version}");
        return Err(wrong(format!("{found}, not of `{paper}` by netloom {own_version}")));
    }
    Ok(stored)
}

fn points(report: &Report) -> Vec<Point> {
    let mut points = Vec::new();
    for seeds in report.runs.chunk_by(|left, right| left.run == right.run) {
        let parts = seeds[0].parts.keys().map(|part| Some(part.as_str()));
        for part in std::iter::once(None).chain(parts) {
            for quantity in
                Quantity::ALL.into_iter().filter(|quantity| quantity.is_of_a_part() == part.is_some())
            {
                let values: Vec<f64> = seeds.iter().filter_map(|run| run.get(part, quantity)).collect();
                let Some(sample) = Sample::of(&values) else { continue };
                let run = seeds[0].run.clone();
                let published = report.paper.published.get(&run, part, quantity);
                points.push(Point { run, part: part.map(str::to_owned), quantity, published, sample });
            }
        }
    }
    points
}

fn points_table(points: &[Point]) -> String {
    let mut text =
        String::from("run,part,quantity,published,seeds,mean,deviation,minimum,maximum,low,high\n");
    for Point { run, part, quantity, published, sample } in points {
        let Sample { count, mean, deviation, minimum, maximum } = sample;
        let [low, high] = match sample.prediction() {
            Some(interval) => [Some(interval.low), Some(interval.high)],
            None => [None, None],
        };
        let cells = [
            run.clone(),
            part.clone().unwrap_or_default(),
            quantity.column().to_owned(),
            optional(*published),
            count.to_string(),
            mean.to_string(),
            deviation.to_string(),
            minimum.to_string(),
            maximum.to_string(),
            optional(low),
            optional(high),
        ];
        line(&mut text, &cells);
    }
    text
}

fn claims_table(report: &Report) -> String {
    let mut text = String::from(
        "claim,at,quantity,published,simulated,half_95,low,high,seeds,verdict,as_recorded,calibrated\n",
    );
    let list = |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
    for judged in &report.judged {
        let cells = [
            judged.claim.clone(),
            judged.at.clone(),
            judged.quantity.column().to_owned(),
            list(&judged.published),
            list(&judged.simulated),
            judged.halves.iter().map(|half| optional(*half)).collect::<Vec<_>>().join(" "),
            optional(judged.interval.map(|interval| interval.low)),
            optional(judged.interval.map(|interval| interval.high)),
            judged.seeds.to_string(),
            judged.verdict.word().to_owned(),
            judged.is_as_recorded().to_string(),
            (judged.kind == Kind::Calibrated).to_string(),
        ];
        line(&mut text, &cells);
    }
    text
}

fn runs_table(report: &Report) -> String {
    let mut text = String::from("run,seed,part");
    for quantity in Quantity::ALL {
        text.push(',');
        text.push_str(quantity.column());
    }
    text.push_str(",hops,wall_time_s\n");
    for run in &report.runs {
        for part in run.parts.keys() {
            let mut cells = vec![run.run.clone(), run.seed.to_string(), part.clone()];
            cells.extend(Quantity::ALL.map(|quantity| optional(run.get(Some(part), quantity))));
            cells.extend([run.hops.to_string(), format!("{:.3}", run.wall_time_s)]);
            line(&mut text, &cells);
        }
    }
    text
}

/// Appends one line; a cell with a comma is quoted.
fn line(text: &mut String, cells: &[String]) {
    let quoted =
        cells.iter().map(|cell| if cell.contains(',') { format!("\"{cell}\"") } else { cell.clone() });
    text.push_str(&quoted.collect::<Vec<_>>().join(","));
    text.push('\n');
}

fn optional(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
