//! `netloom show interference`: a line for each cell of a study, and measured cells compared with simulated ones.

use netloom_lab::LabError;
use netloom_lab::show::interference::Nearness;
use netloom_lab::show::interference::{
    Beside, CellData, Coordinates, PairData, ScoreData, Study, interference,
};
use netloom_lab::words;

use crate::arguments::ShowInterference;
use crate::output::Output;
use crate::table::{Lean, Table};

/// Prints the study.
pub fn show(arguments: &ShowInterference, output: &mut Output) -> Result<(), LabError> {
    let study = interference(&arguments.folders)?;
    if arguments.json {
        return output.json(&study);
    }
    if arguments.csv {
        csv(&study, output);
    } else {
        print(&study, output);
    }
    Ok(())
}

fn print(study: &Study, output: &mut Output) {
    output.lines(cells(study).lines());
    if let Some(beside) = &study.beside {
        print_beside(study, beside, output);
    }
    let unpaired =
        study.points.iter().filter(|point| point.at.aggressor.is_some() && point.ratio.is_none()).count();
    if unpaired > 0 {
        output.line("");
        let runs = words::some(unpaired as u64, "run");
        output.line(format!(
            "{runs} without a baseline: the same with `interference.aggressor=none` and the same seed"
        ));
    }
}

/// Titles of the columns that identify a cell, left of its numbers.
const WORDS: [&str; 3] = ["victim", "aggressor", "bursts"];
/// The numeric ones among these columns.
const NUMBERS: [&str; 2] = ["hosts", "size"];

fn coordinates(at: &Coordinates) -> [String; 5] {
    let bursts = at.bursts.map(|[length, pause]| format!("{} + {}", words::span(length), words::span(pause)));
    [
        at.victim.clone(),
        at.aggressor.clone().unwrap_or_else(|| "none".to_owned()),
        bursts.unwrap_or_default(),
        at.nodes.to_string(),
        words::size(at.bytes as f64),
    ]
}

fn table<const FIRST: usize, const MORE: usize>(
    first: [&'static str; FIRST],
    more: [&'static str; MORE],
) -> Table {
    let left = first.into_iter().chain(WORDS).map(|title| (title, Lean::Left));
    let right = NUMBERS.into_iter().chain(more).map(|title| (title, Lean::Right));
    Table::new(left.chain(right))
}

/// A line for each cell; if any cell was measured, a column says which.
fn cells(study: &Study) -> Table {
    let is_any_measured = study.cells.iter().any(|cell| cell.at.measured);
    let numbers = ["mean", "ratio", "95 %", "seeds"];
    let mut found =
        if is_any_measured { table(["scenario", ""], numbers) } else { table(["scenario"], numbers) };
    for cell in &study.cells {
        let mut row = vec![cell.at.scenario.clone()];
        if is_any_measured {
            row.push(kind(&cell.at).to_owned());
        }
        row.extend(coordinates(&cell.at));
        row.push(words::span(cell.mean_s));
        row.extend(ratio(cell));
        found.row(row);
    }
    found
}

fn kind(at: &Coordinates) -> &'static str {
    if at.measured { "measured" } else { "simulated" }
}

/// The ratio, half the width of its confidence interval, and its number of seeds.
fn ratio(cell: &CellData) -> [String; 3] {
    cell.ratio.map_or_else(Default::default, |ratio| {
        let half = ratio.half.map(|half| format!("± {half:.3}"));
        [format!("{:.3}", ratio.value), half.unwrap_or_default(), ratio.seeds.to_string()]
    })
}

/// Cells that were both measured and simulated, how close both values are, and cells without a counterpart.
fn print_beside(study: &Study, beside: &Beside, output: &mut Output) {
    output.line("");
    if !beside.pairs.is_empty() {
        output.lines(pairs(study, &beside.pairs).lines());
        output.line("");
    }
    for score in &beside.scores {
        output.line(nearness(score));
    }
    for lonely in &beside.only_measured {
        let cells = words::some(lonely.cells as u64, "measured cell");
        output.line(format!("{cells} without counterpart: {}", lonely.reason));
    }
    if beside.only_simulated > 0 {
        output.line(format!("{} not measured", words::some(beside.only_simulated as u64, "simulated cell")));
    }
}

fn pairs(study: &Study, pairs: &[PairData]) -> Table {
    let numbers = ["measured ratio", "simulated", "against", "measured mean", "simulated", "against"];
    let mut found = table(["measured beside simulated"], numbers);
    for pair in pairs {
        let [real, model] = [&study.cells[pair.measured], &study.cells[pair.simulated]];
        let mut row = vec![series(&model.at.scenario, &real.at.scenario)];
        row.extend(coordinates(&real.at));
        let text =
            |cell: &CellData| cell.ratio.map(|ratio| format!("{:.3}", ratio.value)).unwrap_or_default();
        row.extend([text(real), text(model), pair.ratio.map(change).unwrap_or_default()]);
        row.extend([words::span(real.mean_s), words::span(model.mean_s), change(pair.mean)]);
        found.row(row);
    }
    found
}

fn series(simulated: &str, measured: &str) -> String {
    if simulated == measured { simulated.to_owned() } else { format!("{simulated} beside {measured}") }
}

fn change(factor: f64) -> String {
    format!("{:+.1} %", (factor - 1.0) * 100.0)
}

/// The scores of a series, as a line.
fn nearness(score: &ScoreData) -> String {
    let text =
        |near: Nearness| format!("{:.3} ({:.0} % within 0.1)", near.median_error, near.share_near * 100.0);
    let mut parts = Vec::new();
    if let (Some(ratio), Some(trivial)) = (score.ratio, score.trivial) {
        let cells = words::some(score.cells as u64, "ratio");
        parts.push(format!(
            "median |ln(simulated / measured)| of {cells} {}, a constant answer of 1 has {}",
            text(ratio),
            text(trivial)
        ));
    }
    parts.extend(score.order.map(|order| format!("Kendall's tau {order:.2}")));
    parts.extend(
        score.time.map(|time| format!("of {} {}", words::some(score.times as u64, "time"), text(time))),
    );
    format!("{}: {}", series(&score.scenario, &score.measured), parts.join("; "))
}

fn csv(study: &Study, output: &mut Output) {
    output.line(
        "scenario,victim,aggressor,length_s,pause_s,hosts,size_bytes,mean_s,busbw_bps,ratio,ratio_half,seeds,kind",
    );
    for cell in &study.cells {
        output.line(line(cell));
    }
}

fn line(cell: &CellData) -> String {
    let at = &cell.at;
    let number = |found: Option<f64>| found.map_or_else(String::new, |number| number.to_string());
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let ratio = cell.ratio;
    [
        quoted(&at.scenario),
        at.victim.clone(),
        quoted(at.aggressor.as_deref().unwrap_or("none")),
        number(at.bursts.map(|bursts| bursts[0])),
        number(at.bursts.map(|bursts| bursts[1])),
        at.nodes.to_string(),
        at.bytes.to_string(),
        number(Some(cell.mean_s)),
        number(cell.busbw_bps),
        number(ratio.map(|ratio| ratio.value)),
        number(ratio.and_then(|ratio| ratio.half)),
        ratio.map_or_else(String::new, |ratio| ratio.seeds.to_string()),
        kind(at).to_owned(),
    ]
    .join(",")
}
