//! Figures of runs for papers, made only from the run folders, each with a file of its data.
//!
//! Models: figures of a given width as PDF, SVG or PNG, readable in colour and in grey; a table for each.
//! Leaves out: titles and captions, which belong to the paper; the engine, scenarios, and everything that was not
//! stored.
//!
//! Invariants: the same records give the same bytes; no font of the system is used; a figure without data is left out
//! and
//! reported; either all files are written or none.
//!
//! To add a figure, add a file in `figure/` and a line in its `mod.rs`.

mod chart;
mod draw;
mod error;
mod figure;
mod names;
mod table;
mod write;

use netloom_records::statistics::Over;
use netloom_report::{ReportedRun, StudyData, ThresholdData, read};

use draw::{POINTS_PER_MM, pdf, png, svg};

pub use error::FigureError;
pub use figure::{Figure, LeftOut};
pub use write::{Made, MadeFigure, write};

/// File format of figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For LaTeX and printers.
    Pdf,
    /// For web pages and for editing.
    Svg,
    /// For slides; with a resolution in dots per inch.
    Png(u32),
}

impl Format {
    /// Names of formats.
    pub const WORDS: [&str; 3] = ["pdf", "svg", "png"];
    /// Dots per inch by default.
    pub const DOTS_PER_INCH: u32 = 300;

    /// The format of this name; PDF for an unknown name.
    ///
    /// # Errors
    /// If dots per inch are given for a format without dots.
    pub fn of(word: &str, dots_per_inch: Option<u32>) -> Result<Format, FigureError> {
        let found = match word {
            "png" => return Ok(Format::Png(dots_per_inch.unwrap_or(Format::DOTS_PER_INCH))),
            "svg" => Format::Svg,
            _ => Format::Pdf,
        };
        if dots_per_inch.is_some() { Err(FigureError::NoDots(found.ending())) } else { Ok(found) }
    }

    /// Extension of file names.
    pub const fn ending(self) -> &'static str {
        match self {
            Format::Pdf => "pdf",
            Format::Svg => "svg",
            Format::Png(_) => "png",
        }
    }
}

/// The figures of the given runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// Figures with data.
    pub figures: Vec<Figure>,
    /// Figures without data.
    pub left_out: Vec<LeftOut>,
    /// Names of runs with characters that the font lacks.
    pub boxed: Vec<String>,
}

/// Draws these runs in this order, with a width in millimetres; statistics cover a part of each run.
///
/// # Errors
/// If a folder is not a complete run folder or cannot be read, or there is nothing to draw.
pub fn figures(runs: &[ReportedRun], width_mm: f64, over: Over) -> Result<Figures, FigureError> {
    let width = width_mm * POINTS_PER_MM;
    let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    let called = names::fitting(&names, width - chart::legend::BEFORE);
    let runs = figure::Run::all(read(runs, over)?, called);
    let (figures, left_out) = figure::all(&runs, width);
    if figures.is_empty() {
        return Err(FigureError::Nothing(left_out));
    }
    let names = runs.iter().map(figure::Run::name).filter(|name| !draw::font::has_all(name));
    Ok(Figures { figures, left_out, boxed: names.map(str::to_owned).collect() })
}

/// Draws a sweep without run folders, with a width in millimetres.
///
/// # Errors
/// If there is nothing to draw.
pub fn study(data: &StudyData, width_mm: f64) -> Result<Figures, FigureError> {
    let (figures, left_out) = figure::of_study(data, width_mm * POINTS_PER_MM);
    if figures.is_empty() {
        return Err(FigureError::Nothing(left_out));
    }
    Ok(Figures { figures, left_out, boxed: Vec::new() })
}

impl Figures {
    /// Adds the figure of thresholds of the sweep whose runs are drawn.
    pub fn add_threshold(&mut self, found: &ThresholdData, width_mm: f64) {
        match figure::threshold(found, width_mm * POINTS_PER_MM) {
            Ok(figure) => self.figures.push(figure),
            Err(reason) => self.left_out.push(reason),
        }
    }
}

impl Figure {
    /// The file with its data.
    pub fn csv(&self) -> String {
        self.table.csv()
    }

    /// The file with the picture.
    ///
    /// # Errors
    /// If it would have too many dots.
    pub fn file(&self, format: Format) -> Result<Vec<u8>, FigureError> {
        match format {
            Format::Pdf => Ok(pdf(&self.picture, self.name)),
            Format::Svg => Ok(svg(&self.picture).into_bytes()),
            Format::Png(dots_per_inch) => {
                let too_large = FigureError::TooLarge { name: self.name, dots_per_inch };
                png(&self.picture, dots_per_inch).ok_or(too_large)
            }
        }
    }
}
