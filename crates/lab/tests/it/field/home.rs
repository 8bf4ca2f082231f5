//! Prepared studies in folders that are removed at the end.

use std::fs;
use std::path::PathBuf;

use netloom_lab::field::{Preparation, Study, prepare};
use netloom_lab::{Source, Style};
use tempfile::TempDir;

/// Eight hosts in turns: a ring beside an incast.
pub const STUDY: &str = "
netloom: 1
name: study
fabric: { leaf_spine: { leaves: 2, spines: 1, hosts_per_leaf: 4 } }
transport: { ideal: { queue_pairs: pair } }
hosts: { rendezvous: 1KiB }
interference:
  hosts: 8
  victim: { ring_all_gather: { size: 64KiB } }
  aggressor: { incast: { size: 64KiB } }
  steps: 12
  warm_up: 2
";
/// A collective in two sizes.
pub const LATENCY: &str = "
netloom: 1
name: latency
fabric: { leaf_spine: { leaves: 2, spines: 1, hosts_per_leaf: 2 } }
jobs:
  - name: timed
    steps: 12
    warm_up: 2
    phases: [ { ring_all_gather: { size: 4KiB } }, { ring_all_gather: { size: 64KiB } } ]
";
/// Streams between pairs, a hundred times faster than on the machine.
pub const STREAMS: &str = "
netloom: 1
name: streams
fabric: { leaf_spine: { leaves: 2, spines: 1, hosts_per_leaf: 2 } }
transport: ideal
flows:
  message: 4KiB
  settle: 1ms
  scale: 1/100
  list:
    - { name: near, from: leaf0.host1, to: leaf0.host0, stop: 10ms }
    - { name: far, from: leaf1.host1, to: leaf0.host0, start: 5ms, stop: 10ms }
";

/// A folder with a prepared study, removed at the end.
pub struct Home {
    folder: TempDir,
    pub study: Study,
}

/// What is prepared where nothing else is asked for.
pub fn preparation(text: &str, folder: PathBuf) -> Preparation<'static> {
    Preparation {
        scenario: Source::text("study.yaml", text),
        set: Vec::new(),
        vary: Vec::new(),
        seeds: None,
        iterations: None,
        warm_up: None,
        deadline_s: 60,
        folder,
        command: Vec::new(),
        stop: None,
    }
}

impl Home {
    pub fn of(text: &str, vary: &[&str]) -> Home {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let vary = vary.iter().map(|text| text.parse().expect("it is one")).collect();
        let asked = Preparation { vary, ..preparation(text, folder.path().join("study")) };
        let study = prepare(&asked).unwrap_or_else(|error| panic!("{}", error.headed(Style::Plain)));
        Home { folder, study }
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    pub fn study_folder(&self) -> PathBuf {
        self.path("study")
    }

    /// A file of the first point.
    pub fn file(&self, name: &str) -> PathBuf {
        self.study_folder().join("points").join(&self.study.points[0].name).join(name)
    }

    /// A file of the study.
    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.study_folder().join(name)).expect("it is there")
    }
}
