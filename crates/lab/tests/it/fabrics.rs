//! Fabrics as data: each can serve as a base, has the numbers of its machine, and states their sources.

use std::fs;
use std::path::{Path, PathBuf};

use netloom_lab::{Overrides, Prepared, Source, Style, prepare};
use netloom_units::{NodeId, Rate};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fabrics")
}

/// The names of the scenarios in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder can be read").flatten();
    let files = entries.map(|entry| entry.path()).filter(|path| path.is_file());
    let mut names: Vec<String> =
        files.filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned())).collect();
    names.sort();
    names
}

/// A small interference study on a fabric.
fn study(name: &str) -> Prepared {
    let study =
        "{hosts: 8, victim: {ring_all_gather: {size: 2MiB}}, aggressor: {incast: {size: 2MiB}}, steps: 10}";
    made(name, vec![("interference".to_owned(), study.to_owned())])
}

/// A file of the folder with changed settings.
fn made(name: &str, set: Vec<(String, String)>) -> Prepared {
    let overrides = Overrides { set, ..Overrides::default() };
    let prepared = prepare(&Source::file(folder().join(format!("{name}.yaml"))), &overrides);
    prepared.unwrap_or_else(|error| panic!("{}", error.render(Style::Plain)))
}

/// Name, hosts, switches, links, and rate of a host in Gb/s.
const FABRICS: [(&str, usize, usize, usize, u64); 6] = [
    ("leonardo", 4_140, 828, 4_140 + 23 * 18 * 18 + 253 * 18, 200),
    ("crescos8", 800, 14, 800 + 240, 200),
    ("lumi", 3_072, 768, 3_072 + 24 * 496 + 276 * 20, 200),
    ("haicgu-ib", 10, 1, 10, 100),
    ("haicgu-roce", 10, 1, 10, 100),
    ("nanjing", 8, 4, 8 + 8, 200),
];

#[test]
fn every_fabric_has_the_numbers_of_its_machine() {
    for (name, n_hosts, n_switches, n_links, gbps) in FABRICS {
        let fabric = &study(name).compiled.model.fabric;
        let found = (fabric.n_hosts(), fabric.n_nodes() - fabric.n_hosts(), fabric.links().len());
        assert_eq!(found, (n_hosts, n_switches, n_links), "{name}");
        let ports = fabric.ports_of(NodeId(0));
        assert_eq!((ports.len(), ports[0].rate), (1, Rate(gbps * 1_000_000_000)), "{name}");
    }
}

#[test]
fn every_fabric_names_its_sources_and_marks_its_guesses() {
    let names = names(&folder());
    let mut known: Vec<&str> = FABRICS.iter().map(|fabric| fabric.0).collect();
    known.sort_unstable();
    assert_eq!(names, known);
    for name in known {
        let text = fs::read_to_string(folder().join(format!("{name}.yaml"))).expect("it can be read");
        assert!(text.contains("# Sources: [1]") && text.contains("guess"), "{name}");
    }
}

#[test]
fn every_allocation_has_the_number_of_hosts_in_its_name() {
    let allocations = names(&folder().join("allocations"));
    assert_eq!(allocations.len(), 61);
    for name in &allocations {
        let (_, rest) = name.split_once('-').expect("machine and number");
        let n: usize = rest.trim_end_matches(char::is_alphabetic).parse().expect("a number of hosts");
        let set = [
            ("interference.victim", "{ring_all_gather: {size: 2MiB}}"),
            ("interference.aggressor", "{incast: {size: 2MiB}}"),
        ];
        let set = set.map(|(path, value)| (path.to_owned(), value.to_owned())).to_vec();
        let model = made(&format!("allocations/{name}"), set).compiled.model;
        let [victim, aggressor] = &model.workload.jobs[..] else { panic!("two jobs") };
        assert_eq!((victim.ranks.len(), aggressor.ranks.len()), (n / 2, n / 2), "{name}");
    }
}
