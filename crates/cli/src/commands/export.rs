//! `netloom export`: writes a run in the formats of other programs.

use std::path::Path;

use netloom_lab::export::nccl::{BandwidthLine, BandwidthTable, Bandwidths, nccl};
use netloom_lab::export::osu::{Latencies, LatencyLine, LatencyTable, osu};
use netloom_lab::export::{self, NewFile};
use netloom_lab::{ExitCode, LabError, words};
use serde::Serialize;

use super::run::overwrite;
use crate::arguments::{Export, ExportCsv, ExportFormat, ExportNcclTests, ExportOsu, ExportPerfetto};
use crate::output::{Output, json_text};

/// Writes a run in the given format.
pub fn export(arguments: &Export, output: &mut Output) -> Result<ExitCode, LabError> {
    match &arguments.format {
        ExportFormat::Perfetto(arguments) => export_perfetto(arguments, output)?,
        ExportFormat::Csv(arguments) => export_csv(arguments, output)?,
        ExportFormat::NcclTests(arguments) => export_nccl_tests(arguments, output)?,
        ExportFormat::Osu(arguments) => export_osu(arguments, output)?,
    }
    Ok(ExitCode::Good)
}

fn export_perfetto(arguments: &ExportPerfetto, output: &mut Output) -> Result<(), LabError> {
    let ExportPerfetto { run, output: file, force, json } = arguments;
    let report = export::perfetto(run, file.as_deref(), overwrite(*force))?;
    if *json {
        return output.json(&report);
    }
    output.line(format!("timeline {}", report.file.display()));
    let parts = [
        words::some(report.processes, "job"),
        words::some(report.threads, "rank"),
        words::some(report.slices, "slice"),
        words::some(report.counters, "counter"),
    ];
    output.line(format!(
        "{}; open it in https://ui.perfetto.dev, which reads it in the browser",
        parts.join(", ")
    ));
    Ok(())
}

fn export_csv(arguments: &ExportCsv, output: &mut Output) -> Result<(), LabError> {
    let ExportCsv { run, output: folder, table, force, json } = arguments;
    let report = export::csv(run, table, folder, overwrite(*force))?;
    if *json {
        return output.json(&report);
    }
    let rows = report.tables.iter().map(|table| table.rows).sum();
    let tables = words::some(report.tables.len() as u64, "table");
    output.line(format!("tables {} ({tables}, {})", folder.display(), words::some(rows, "row")));
    Ok(())
}

fn export_osu(arguments: &ExportOsu, output: &mut Output) -> Result<(), LabError> {
    let ExportOsu { run, full, output: file, force, json } = arguments;
    let found = osu(run)?;
    let location = Location { file: file.as_deref(), force: *force };
    if *json { location.json(&found, output) } else { location.lines(&latencies(&found, *full), output) }
}

fn export_nccl_tests(arguments: &ExportNcclTests, output: &mut Output) -> Result<(), LabError> {
    let ExportNcclTests { run, output: file, force, json } = arguments;
    let found = nccl(run)?;
    let location = Location { file: file.as_deref(), force: *force };
    if *json { location.json(&found, output) } else { location.lines(&bandwidths(&found), output) }
}

/// Destination of text: a file, or standard output.
struct Location<'a> {
    file: Option<&'a Path>,
    force: bool,
}

impl Location<'_> {
    fn json(&self, value: &impl Serialize, output: &mut Output) -> Result<(), LabError> {
        match self.file {
            None => output.json(value),
            Some(file) => self.write(file, &(json_text(value)? + "\n"), output),
        }
    }

    fn lines(&self, lines: &[String], output: &mut Output) -> Result<(), LabError> {
        let Some(file) = self.file else {
            output.lines(lines);
            return Ok(());
        };
        let text: String = lines.iter().map(|line| words::harmless(line).into_owned() + "\n").collect();
        self.write(file, &text, output)
    }

    fn write(&self, path: &Path, text: &str, output: &mut Output) -> Result<(), LabError> {
        let mut file = NewFile::create(path, overwrite(self.force))?;
        file.write(text.as_bytes())?;
        file.finish()?;
        output.line(format!("table {}", path.display()));
        Ok(())
    }
}

fn latencies(found: &Latencies, full: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for table in &found.tables {
        lines.push(String::new());
        print_latencies(table, &origin(found.measured_by.as_deref()), full, &mut lines);
    }
    print_left_out(found.side_by_side, &mut lines);
    lines
}

fn bandwidths(found: &Bandwidths) -> Vec<String> {
    let mut lines = Vec::new();
    for table in &found.tables {
        lines.push(String::new());
        print_bandwidths(table, &origin(found.measured_by.as_deref()), &mut lines);
    }
    print_left_out(found.side_by_side, &mut lines);
    lines
}

/// The origin of the numbers, for the header of a table.
fn origin(measured_by: Option<&str>) -> String {
    let version = env!("CARGO_PKG_VERSION");
    match measured_by {
        None => format!("simulated by netloom {version}"),
        Some(program) => format!("measured by {program}, written by netloom {version}"),
    }
}

fn print_left_out(side_by_side: u64, lines: &mut Vec<String>) {
    if side_by_side > 0 {
        let count = words::count(side_by_side);
        lines.push(String::new());
        lines.push(format!("# Left out: {count} collectives that ran side by side with others of their job"));
    }
}

/// A table in exactly the layout of the benchmarks, including spaces, so that programs that read their output can read
/// this one.
fn print_latencies(table: &LatencyTable, origin: &str, full: bool, lines: &mut Vec<String>) {
    let LatencyTable { job, collective, benchmark, ranks, .. } = table;
    lines.push(format!("# {benchmark} Latency Test, {origin} (layout of the OSU micro-benchmarks)"));
    lines.push(format!("# Job {job}: {collective}, {ranks} ranks"));
    let mut heading = format!("{:<10}{:>18}", "# Size", "Avg Latency(us)");
    if full {
        heading += &format!("{:>18}{:>18}{:>12}", "Min Latency(us)", "Max Latency(us)", "Iterations");
    }
    lines.push(heading);
    for line in &table.lines {
        let LatencyLine { size_bytes, average_us, minimum_us, maximum_us, iterations } = line;
        let mut text = format!("{size_bytes:<10}{average_us:>18.2}");
        if full {
            text += &format!("{minimum_us:>18.2}{maximum_us:>18.2}{iterations:>12}");
        }
        lines.push(text);
    }
}

/// A table in exactly the layout of the benchmarks, including spaces, so that programs that read their output can read
/// this one.
fn print_bandwidths(table: &BandwidthTable, origin: &str, lines: &mut Vec<String>) {
    let BandwidthTable { job, collective, benchmark, ranks, .. } = table;
    lines.push(format!("# {benchmark}, {origin} (layout of nccl-tests)"));
    lines.push(format!("# Job {job}: {collective}, {ranks} ranks"));
    lines.push("#".to_owned());
    let blanks = format!("{:>10}  {:>12}  {:>8}  {:>6}  {:>6}", "", "", "", "", "");
    lines.push(format!("# {blanks}           out-of-place                       in-place          "));
    let named = format!("  {:>7}  {:>6}  {:>6} {:>6}", "time", "algbw", "busbw", "#wrong");
    lines.push(format!(
        "# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}{named}{named}",
        "size", "count", "type", "redop", "root"
    ));
    let units = format!("  {:>7}  {:>6}  {:>6}  {:>5}", "(us)", "(GB/s)", "(GB/s)", "");
    lines.push(format!(
        "# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}{units}{units}",
        "(B)", "(elements)", "", "", ""
    ));
    for line in &table.lines {
        let BandwidthLine { size_bytes, count, element, reduction, root, algbw, busbw, .. } = line;
        // In-place and out-of-place operations are the same on the network, and no data is computed that could be
        // wrong.
        let result = format!("  {:>7}  {algbw:>6.2}  {busbw:>6.2}  {:>5}", time(line.time_us), "N/A");
        lines.push(format!(
            "{size_bytes:>12}  {count:>12}  {element:>8}  {reduction:>6}  {root:>6}{result}{result}"
        ));
    }
    lines.push(format!("# Avg bus bandwidth    : {:.4}", table.average_busbw));
}

/// Microseconds; larger values have fewer decimals.
fn time(micros: f64) -> String {
    match micros {
        10_000.0.. => format!("{micros:.0}"),
        100.0.. => format!("{micros:.1}"),
        _ => format!("{micros:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn long_times_have_no_decimals() {
        assert_eq!(
            [0.5, 99.99, 100.0, 9_999.9, 10_000.4].map(time),
            ["0.50", "99.99", "100.0", "9999.9", "10000"]
        );
    }
}
