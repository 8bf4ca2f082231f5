//! The configurations of the simulator of `zeltser2026`, as scenarios.
//!
//! Models: fabric, routing, failures, the two workloads and the background messages, each exactly as its code
//! implements them.
//! Leaves out: its unseeded random choices (rings, ties, failed links), which are replaced by others from the
//! scenario's seed; rings can be given.
//!
//! Invariants: a key that changes a run is imported or refused by name and location, never ignored; the resulting scenario
//! compiles.
//!
//! Source: behaviour of the code at commit `6e1b933` of its public repository.

mod config;
mod heavy;
mod mice;
mod mixed;
mod read;
mod rings;
mod topology;
mod write;

use std::path::Path;

use netloom_scenario::foreign::Foreign;

use super::{ImportError, Imported};
use config::{Config, Scenario};
use rings::Rings;

/// Converts a configuration into a scenario; `path` names it in messages and gives the scenario its name.
///
/// `rings` is the text of a list of ring orders (JSON), and its name.
///
/// # Errors
/// All mistakes of the configuration, or the first one of the rings.
pub fn seed_sim(bytes: &[u8], path: &str, rings: Option<(&str, &str)>) -> Result<Imported, ImportError> {
    let (foreign, root) = Foreign::open(bytes, path)?;
    let mut reader = read::Reader::new(foreign);
    let config = config::config(&mut reader, &root);
    reader.finish()?;
    let config = config.ok_or_else(|| ImportError::Internal(path.to_owned()))?;
    let rings = match rings {
        None => Rings::default(),
        Some((text, name)) => rings::rings(text, name, &config)?,
    };
    let name = name(path);
    let text = match &config.scenario {
        Scenario::Heavy(heavy) => write::heavy(&name, &config, heavy, &rings),
        Scenario::Mixed(mixed) => write::mixed(&name, &config, mixed, &rings),
    };
    Ok(Imported { name, text, notes: notes(&config, &rings) })
}

/// Remarks for users of the scenario.
fn notes(config: &Config, rings: &Rings) -> Vec<String> {
    let mut notes = config.notes.clone();
    if rings.is_empty() {
        notes.push(
            "ring orders are random from the scenario's seed; the original uses different ones in every run"
                .into(),
        );
    }
    if config.topology.failure_percent > 0.0 {
        notes.push(
            "failed links are random from the scenario's seed; the original uses different ones in every run"
                .into(),
        );
    }
    notes
}

/// A short name derived from the name of the file: the common parts of all files are removed.
fn name(path: &str) -> String {
    let stem = Path::new(path).file_stem().and_then(|stem| stem.to_str()).unwrap_or("scenario");
    let short = stem.strip_prefix("ai_factory_su_").unwrap_or(stem).replace("_scenario", "");
    if short.is_empty() { "scenario".to_owned() } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short() {
        assert_eq!(name("a/b/ai_factory_su_mixed_scenario_ecmp_light.yaml"), "mixed_ecmp_light");
        assert_eq!(name("ai_factory_su_dp_heavy_scenario_ecmp_low.yaml"), "dp_heavy_ecmp_low");
        assert_eq!(name("mine.yaml"), "mine");
        assert_eq!(name(""), "scenario");
    }
}
