//! A study of interference from its sweep to its table: pairs, ratios, bursts, and summaries that need no rows of messages.

use std::path::{Path, PathBuf};

use netloom_lab::show::interference::{Coordinates, Study, interference};
use netloom_lab::summary::summary;
use netloom_lab::sweep::{Grid, grid};
use netloom_lab::{LabError, Overrides, Overwrite, RunRequest, Seeds, Source, Style, run};

const STUDY: &str = "
netloom: 1
name: study
fabric: { leaf_spine: { leaves: 2, spines: 1, hosts_per_leaf: 4, host_rate: 100Gbps, fabric_rate: 400Gbps, \
host_delay: 100ns, fabric_delay: 100ns } }
transport: { ideal: { queue_pairs: pair, coalesce: 16 } }
queues: { credits: { order: fifo } }
hosts: { rendezvous: 32KiB }
interference: { hosts: 8, groups: random, victim: { ring_all_gather: { size: 128KiB } } }
record: { messages: summed }
";

const INCAST: &str = "{incast: {size: 128KiB}}";

fn swept(folder: &Path, vary: &[&str], seeds: Seeds) {
    let grid_of = Grid {
        scenarios: vec![Source::text("study.yaml", STUDY)],
        vary: vary.iter().map(|text| text.parse().expect("it is one")).collect(),
        seeds: Some(seeds),
        folder: folder.to_owned(),
        ..Grid::default()
    };
    grid(&grid_of).unwrap_or_else(|error| panic!("{}", error.headed(Style::Plain)));
}

fn shown(folders: &[PathBuf]) -> Result<Study, LabError> {
    interference(folders)
}

#[test]
fn every_congested_run_is_paired_with_the_baseline_of_its_seed() {
    let home = tempfile::tempdir().expect("a folder can be made");
    let folder = home.path().join("sweep");
    let aggressors = format!("interference.aggressor=none,{INCAST}");
    // What bursts an aggressor that is not there would have makes no other baseline.
    swept(&folder, &[&aggressors, "interference.bursts=none,{length: 10us, pause: 90us}"], Seeds(4..=6));
    let study = shown(&[folder]).expect("it is a study");
    assert_eq!(study.points.len(), 12);
    let at = |point: &Coordinates| (point.nodes, point.bytes, point.victim.clone());
    assert!(study.points.iter().all(|point| at(&point.at) == (8, 131_072, "ring_all_gather".to_owned())));
    for point in study.points.iter().filter(|point| point.at.aggressor.is_some()) {
        let alone =
            study.points.iter().find(|other| other.at.aggressor.is_none() && other.seed == point.seed);
        let alone = alone.expect("every seed has its baseline");
        let ratio = point.ratio.expect("it is paired").value;
        assert!((ratio - alone.mean_s / point.mean_s).abs() < 1e-12);
        assert_eq!(point.at.aggressor.as_deref(), Some("incast 128KiB"));
    }
    let [baseline, steady, bursty] = &study.cells[..] else { panic!("three cells: {:?}", study.cells) };
    assert!(baseline.ratio.is_none() && baseline.at.aggressor.is_none());
    assert_eq!((steady.at.bursts, bursty.at.bursts), (None, Some([1e-5, 9e-5])));
    let [steady, bursty] = [steady, bursty].map(|cell| cell.ratio.expect("it is paired"));
    assert_eq!((steady.seeds, bursty.seeds), (3, 3));
    assert!(steady.half.is_some_and(|half| half > 0.0), "random groups differ from seed to seed");
    assert!(steady.value < bursty.value && bursty.value < 1.0, "{steady:?} {bursty:?}");
}

fn run_into(folder: &Path, set: &[(&str, &str)]) -> netloom_lab::RunReport {
    let set = set.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let overrides = Overrides { set, ..Overrides::default() };
    let mut request = RunRequest::new(Source::text("study.yaml", STUDY));
    request.overrides = overrides;
    request.folder = Some(folder.to_owned());
    request.overwrite = Overwrite::Refuse;
    run(request).unwrap_or_else(|error| panic!("{}", error.render(Style::Plain)))
}

#[test]
fn a_summary_needs_no_row_for_each_message() {
    let home = tempfile::tempdir().expect("a folder can be made");
    let folders = ["summed", "each"].map(|name| home.path().join(name));
    let [summed, each] = ["summed", "each"].map(|how| {
        let folder = home.path().join(how);
        run_into(&folder, &[("interference.aggressor", INCAST), ("record.messages", how)]).summary
    });
    assert_eq!(summary(&folders[0]).expect("it is a run folder"), summed);
    assert_eq!((summed.messages, &summed.jobs), (each.messages, &each.jobs));
    let [left, right] = [summed, each].map(|summary| summary.queue_pairs.expect("it has queue pairs"));
    // Of messages under way at the end the one counts packets and the other does not.
    assert!(left.packets <= right.packets && (left.goodput / right.goodput - 1.0).abs() < 1e-9);
}

#[test]
fn runs_alone_have_no_ratio_and_others_are_no_study() {
    let home = tempfile::tempdir().expect("a folder can be made");
    let congested = home.path().join("congested");
    run_into(&congested, &[("interference.aggressor", INCAST)]);
    let study = shown(std::slice::from_ref(&congested)).expect("it has a victim");
    assert!(study.points[0].ratio.is_none() && study.cells[0].ratio.is_none());
    let plain = home.path().join("plain");
    run_into(&plain, &[("interference", "none"), ("jobs", "[{phases: [{ring_all_gather: {size: 1KiB}}]}]")]);
    let refused = shown(&[plain]).expect_err("nothing is measured");
    assert!(refused.to_string().contains("no run here has a job `victim`"), "{refused}");
}
