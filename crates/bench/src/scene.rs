//! Scenes: scenarios as users run them, from their text to their run folder, to count the cost of a packet-hop.
//!
//! Models: all of `netloom run`, with the default records, or without series, timeline and causes.
//! Leaves out: the cost of a run that ends at its start (reading, compiling and building the fabric), which is
//! subtracted.

use std::path::PathBuf;
use std::process::Command;

use netloom_lab::{LabError, Overrides, RunRequest, Source, run};

use crate::callgrind::count;

/// A scenario and changes to it.
#[derive(Debug, Clone, Copy)]
pub struct Scene {
    /// Its name in the budget.
    pub name: &'static str,
    /// The file in `scenes`.
    file: &'static str,
    /// Settings that differ from the file.
    set: &'static [(&'static str, &'static str)],
}

/// The records of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recorded {
    /// The default records.
    ByDefault,
    /// No series over time, no timeline and no causes.
    Nothing,
}

/// The scenes of `make budget`.
pub const SCENES: &[Scene] = &[
    Scene { name: "credits_fat_tree", file: "credits_fat_tree.yaml", set: &[] },
    Scene {
        name: "credits_adaptive",
        file: "credits_fat_tree.yaml",
        set: &[("balance.switch", "adaptive_infiniband")],
    },
    Scene { name: "credits_dragonfly", file: "credits_dragonfly.yaml", set: &[] },
    Scene {
        name: "credits_dragonfly_500ns",
        file: "credits_dragonfly.yaml",
        set: &[("fabric.dragonfly.global_delay", "500ns")],
    },
    Scene { name: "adaptive_bundles", file: "adaptive_bundles.yaml", set: &[] },
    Scene { name: "rails", file: "rails.yaml", set: &[] },
    Scene { name: "lossless_nic_sr", file: "lossless_nic_sr.yaml", set: &[] },
];

/// The same on larger fabrics, for `make budget-full`.
pub const LARGER_SCENES: &[Scene] = &[
    Scene { name: "credits_fat_tree_1024", file: "credits_fat_tree_1024.yaml", set: &[] },
    Scene { name: "credits_dragonfly_1056", file: "credits_dragonfly_1056.yaml", set: &[] },
    Scene { name: "adaptive_bundles_128", file: "adaptive_bundles_128.yaml", set: &[] },
    Scene { name: "rails_512", file: "rails_512.yaml", set: &[] },
    Scene { name: "lossless_nic_sr_1024", file: "lossless_nic_sr_1024.yaml", set: &[] },
];

impl Scene {
    /// The scene of this name.
    pub fn named(name: &str) -> Option<&'static Scene> {
        SCENES.iter().chain(LARGER_SCENES).find(|scene| scene.name == name)
    }

    /// Runs it in this process with a temporary run folder, and returns its packet-hops.
    ///
    /// # Errors
    /// If the scenario is invalid or its records cannot be written.
    pub fn run(&self, recorded: Recorded, is_empty: bool, threads: usize) -> Result<u64, LabError> {
        let own = |(path, value): &(&str, &str)| ((*path).to_owned(), (*value).to_owned());
        let mut set: Vec<(String, String)> = self.set.iter().map(own).collect();
        if recorded == Recorded::Nothing {
            set.extend(
                [("record.series", "none"), ("record.timeline", "0"), ("record.causes", "none")]
                    .iter()
                    .map(own),
            );
        }
        if is_empty {
            set.push(own(&("deadline", "1ps")));
        }
        let folder = std::env::temp_dir().join(format!("netloom-bench-{}-{}", self.name, std::process::id()));
        let report = run(RunRequest {
            overrides: Overrides { set, ..Overrides::default() },
            folder: Some(folder.clone()),
            threads: Some(threads),
            ..RunRequest::new(Source::file(self.path()))
        });
        // The run folder is not needed, even if the run failed.
        std::fs::remove_dir_all(folder).unwrap_or_default();
        Ok(report?.manifest.hops.unwrap_or_default())
    }

    fn path(&self) -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scenes").join(self.file)
    }

    /// Instructions per packet-hop of a whole run, minus those of a run that ends at its start.
    ///
    /// # Errors
    /// If instructions cannot be counted on this machine.
    pub fn instructions_per_hop(&self, recorded: Recorded) -> Result<f64, String> {
        let counted = |is_empty: bool| {
            count(|command: &mut Command| {
                command.args(["scene", self.name]);
                if recorded == Recorded::Nothing {
                    command.arg("--bare");
                }
                if is_empty {
                    command.arg("--empty");
                }
            })
        };
        let (whole, empty) = (counted(false)?, counted(true)?);
        Ok((whole.0 - empty.0) / (whole.1 - empty.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_runs_and_one_that_ends_as_it_starts_does_next_to_nothing() {
        for scene in SCENES {
            let hops = [false, true].map(|is_empty| {
                scene.run(Recorded::Nothing, is_empty, 1).unwrap_or_else(|error| panic!("{error}"))
            });
            assert!(hops[0] > 100_000 && hops[1] < 1_000, "{}: {hops:?}", scene.name);
        }
    }

    #[test]
    fn every_larger_scene_is_a_valid_scenario() {
        for scene in LARGER_SCENES {
            let hops = scene.run(Recorded::Nothing, true, 1).unwrap_or_else(|error| panic!("{error}"));
            assert!(hops < 5_000, "{}: {hops}", scene.name);
        }
    }
}
