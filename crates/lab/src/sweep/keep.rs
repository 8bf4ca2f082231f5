//! Options of a sweep about its points: what is kept of each, and how long it may take.

use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Shortest limit of a point: below it every point fails.
const SHORTEST: Duration = Duration::from_millis(1);
/// Longest limit of a point: a hundred years.
const LONGEST: Duration = Duration::from_hours(876_000);

/// What is kept of each point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Keep {
    /// A run folder, below that of the sweep.
    #[default]
    Folders,
    /// Figures and digest, in the journal.
    Summary,
    /// The same here, and a run folder where the executor puts it.
    Elsewhere,
}

impl Keep {
    /// Its word among the options of a sweep.
    pub fn name(self) -> &'static str {
        match self {
            Keep::Folders | Keep::Elsewhere => "folders",
            Keep::Summary => "summary",
        }
    }
}

impl FromStr for Keep {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Keep, &'static str> {
        match text {
            "folders" => Ok(Keep::Folders),
            "summary" => Ok(Keep::Summary),
            _ => Err("expected `folders` or `summary`"),
        }
    }
}

/// Parses the most wall time of a point, such as `90s` or `1h 30min`.
///
/// # Errors
/// If it is not a time, or too short for any point.
pub fn point_limit(text: &str) -> Result<Duration, String> {
    let expected = "expected a time from 1ms to a hundred years, as in `90s` or `1h 30min`";
    let limit = humantime::parse_duration(text.trim()).map_err(|error| format!("{error}; {expected}"))?;
    if (SHORTEST..=LONGEST).contains(&limit) { Ok(limit) } else { Err(expected.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_parsed_and_others_refused() {
        assert_eq!("summary".parse(), Ok(Keep::Summary));
        assert!("elsewhere".parse::<Keep>().is_err());
        assert_eq!(point_limit("1h 30min"), Ok(Duration::from_mins(90)));
        for text in ["", "90", "0s", "-1s", "1 parsec", "1000years"] {
            assert!(point_limit(text).expect_err(text).contains("expected a time"), "{text}");
        }
    }
}
