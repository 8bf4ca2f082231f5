//! `netloom list`: the names that a scenario may use.

use netloom_lab::list::{Entry, Listing};
use netloom_lab::{ExitCode, LabError};

use crate::arguments::List;
use crate::output::Output;
use crate::table::{Lean, Table};

/// Lists one kind with its parameters, or the names of all kinds; or prints the schema of scenarios.
pub fn list(arguments: &List, output: &mut Output) -> Result<ExitCode, LabError> {
    if arguments.schema {
        output.lines(netloom_lab::list::schema().lines());
        return Ok(ExitCode::Good);
    }
    let mut listings = netloom_lab::list::list();
    if let Some(kind) = &arguments.kind {
        listings.retain(|listing| listing.kind == kind);
    }
    if arguments.json {
        output.json(&listings)?;
        return Ok(ExitCode::Good);
    }
    for (number, listing) in listings.iter().enumerate() {
        if number > 0 {
            output.line("");
        }
        print(listing, arguments.kind.is_some(), output);
    }
    Ok(ExitCode::Good)
}

fn print(listing: &Listing, in_full: bool, output: &mut Output) {
    output.line(format!("{} (`{}` in a scenario)", listing.kind, listing.key));
    if in_full {
        for entry in &listing.entries {
            print_entry(entry, output);
        }
        return;
    }
    let mut table = Table::new([("", Lean::Left), ("", Lean::Left)]);
    for entry in &listing.entries {
        table.row([entry.name, entry.summary]);
    }
    output.lines(table.lines().iter().skip(1).map(|line| format!("  {line}")));
}

fn print_entry(entry: &Entry, output: &mut Output) {
    output.line("");
    output.line(format!("{}: {}", entry.name, entry.summary));
    output.line(format!("  source: {}", entry.source));
    let titles = ["parameter", "value", "default", "meaning"].map(|title| (title, Lean::Left));
    let mut table = Table::new(titles);
    for parameter in &entry.parameters {
        let default = parameter.default.as_deref().unwrap_or("required");
        table.row([parameter.name, &parameter.value, default, parameter.meaning]);
    }
    if !entry.parameters.is_empty() {
        output.lines(table.lines().iter().map(|line| format!("  {line}")));
    }
}
