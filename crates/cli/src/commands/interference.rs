//! `netloom show interference`: a line for each cell of a study.

use netloom_lab::LabError;
use netloom_lab::show::interference::{CellData, Study, interference};
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
    let left = ["scenario", "victim", "aggressor", "bursts"].map(|title| (title, Lean::Left));
    let right = ["hosts", "size", "mean", "ratio", "95 %", "seeds"].map(|title| (title, Lean::Right));
    let mut table = Table::new(left.into_iter().chain(right));
    for cell in &study.cells {
        let at = &cell.at;
        let bursts =
            at.bursts.map(|[length, pause]| format!("{} + {}", words::span(length), words::span(pause)));
        let ratio = cell.ratio.map_or_else(String::new, |ratio| format!("{:.3}", ratio.value));
        let half = cell.ratio.and_then(|ratio| ratio.half).map(|half| format!("± {half:.3}"));
        let seeds = cell.ratio.map_or_else(String::new, |ratio| ratio.seeds.to_string());
        table.row([
            at.scenario.clone(),
            at.victim.clone(),
            at.aggressor.clone().unwrap_or_else(|| "none".to_owned()),
            bursts.unwrap_or_default(),
            at.nodes.to_string(),
            words::size(at.bytes as f64),
            words::span(cell.mean_s),
            ratio,
            half.unwrap_or_default(),
            seeds,
        ]);
    }
    output.lines(table.lines());
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

fn csv(study: &Study, output: &mut Output) {
    output.line(
        "scenario,victim,aggressor,length_s,pause_s,hosts,size_bytes,mean_s,busbw_bps,ratio,ratio_half,seeds",
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
    ]
    .join(",")
}
