//! `netloom field prepare`: writes everything that a cluster needs to measure a study.

use std::path::Path;

use netloom_lab::field::{Iterations, Preparation, Segment, Study, StudyPoint, Work, prepare};
use netloom_lab::{LabError, Source, words};
use serde_json::json;

use super::quoted;
use crate::arguments::FieldPrepare;
use crate::commands::run::command_line;
use crate::interrupt;
use crate::output::Output;
use crate::table::{Lean, Table};

/// Prepares the study and prints its plans.
pub fn study(arguments: &FieldPrepare, output: &mut Output) -> Result<(), LabError> {
    let stop = interrupt::stop_flag(output);
    let study = prepare(&Preparation {
        scenario: Source::file(&arguments.scenario),
        set: arguments.set.clone(),
        vary: arguments.vary.clone(),
        seeds: arguments.seeds.clone(),
        iterations: arguments.iterations,
        warm_up: arguments.warm_up,
        deadline_s: arguments.deadline,
        folder: arguments.output.clone(),
        command: command_line(),
        stop: Some(stop),
    })?;
    if arguments.json {
        return output.json(&as_json(&study, &arguments.output));
    }
    if !arguments.quiet {
        print(&study, &arguments.output, output);
    }
    Ok(())
}

fn as_json(study: &Study, folder: &Path) -> serde_json::Value {
    let point = |point: &StudyPoint| {
        json!({ "name": point.name, "seed": point.seed, "ranks": point.plan.n_ranks(), "hosts": point.hosts,
            "plan": point.plan.to_string() })
    };
    let points: Vec<_> = study.points.iter().map(point).collect();
    json!({ "folder": folder, "study": study.digest, "points": points, "notes": study.notes })
}

fn print(study: &Study, folder: &Path, output: &mut Output) {
    output.lines(plans(study).lines());
    output.line("");
    for note in &study.notes {
        output.note(format!("note: {note}"));
    }
    let folder = folder.display().to_string();
    output.line(format!("study {}", study.digest));
    output.line(format!(
        "folder {folder}: README.txt says how to measure on a cluster; to measure on this machine:"
    ));
    output.line(format!("  netloom field run {}", quoted(&folder)));
}

fn plans(study: &Study) -> Table {
    let numbers = ["ranks", "iterations"].map(|title| (title, Lean::Right));
    let names = ["point", "victim", "aggressor"].map(|title| (title, Lean::Left));
    let mut table = Table::new(names.into_iter().chain(numbers));
    for point in &study.points {
        let aggressor = match &point.plan.work {
            Work::Interference { aggressor: Some(aggressor), .. } => aggressor.to_string(),
            _ => "none".to_owned(),
        };
        table.row([
            point.name.clone(),
            point.plan.work.to_string(),
            aggressor,
            words::count(point.plan.n_ranks() as u64),
            iterations(&point.plan.segments, point.plan.sizes().len() as u64),
        ]);
    }
    table
}

/// Iterations of all segments and sizes together, including warm-up.
fn iterations(segments: &[Segment], n_sizes: u64) -> String {
    let most = words::count(segments.iter().map(|segment| segment.most() * n_sizes).sum());
    let is_precise = segments.iter().any(|segment| matches!(segment.iterations, Iterations::Precise { .. }));
    if is_precise { format!("at most {most}") } else { most }
}
