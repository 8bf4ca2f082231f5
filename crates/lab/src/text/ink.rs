//! Colours of characters, of a palette of 256.
//!
//! Leaves out: whether they are used at all; a sheet knows.

/// Colours of runs, told apart by most eyes.
const RUNS: [u8; 6] = [39, 208, 77, 177, 220, 203];
/// From cold to hot.
const HEAT: [u8; 5] = [24, 37, 77, 214, 196];

/// What a piece of text is drawn in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ink {
    /// As all text.
    #[default]
    Plain,
    /// What is read last.
    Faint,
    /// What is read first.
    Strong,
    /// What went wrong.
    Alarm,
    /// A run, by its number.
    Run(usize),
    /// A level of heat, from 0 to 4.
    Heat(usize),
}

impl Ink {
    /// What turns it on; nothing for plain text.
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

/// What turns every ink off.
pub const OFF: &str = "\u{1b}[0m";

fn colour(number: u8) -> String {
    format!("\u{1b}[38;5;{number}m")
}
