//! Colours of characters, from a palette of 256.
//!
//! Leaves out: whether colours are used (`sheet`).

/// Colours of runs, distinguishable for most people.
const RUNS: [u8; 6] = [39, 208, 77, 177, 220, 203];
/// Colours of heat levels, from cold to hot.
const HEAT: [u8; 5] = [24, 37, 77, 214, 196];

/// The style of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ink {
    /// Plain text.
    #[default]
    Plain,
    /// Text of minor importance.
    Faint,
    /// Emphasized text.
    Strong,
    /// Errors and failures.
    Alarm,
    /// The colour of a run, by its number.
    Run(usize),
    /// A level of heat, from 0 to 4.
    Heat(usize),
}

impl Ink {
    /// The escape sequence that enables it; `None` for plain text.
    pub fn code(self) -> Option<String> {
        match self {
            Ink::Plain => None,
            Ink::Faint => Some("\u{1b}[2m".to_owned()),
            Ink::Strong => Some("\u{1b}[1m".to_owned()),
            Ink::Alarm => Some(colour(196)),
            Ink::Run(number) => Some(colour(RUNS[number % RUNS.len()])),
            Ink::Heat(level) => Some(colour(HEAT[level.min(HEAT.len() - 1)])),
        }
    }
}

/// The escape sequence that disables every style.
pub const OFF: &str = "\u{1b}[0m";

fn colour(number: u8) -> String {
    format!("\u{1b}[38;5;{number}m")
}
