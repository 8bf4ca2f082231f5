//! Fabrics as data: each can be inherited from as it is, has the numbers of its machine, and says where they are from.

use std::fs;
use std::path::{Path, PathBuf};

use netloom_lab::{Overrides, Prepared, Source, Style, prepare};
use netloom_units::{NodeId, Rate};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fabrics")
}

/// A small study of interference on a fabric.
fn study(name: &str) -> Prepared {
    let study =
        "{hosts: 8, victim: {ring_all_gather: {size: 2MiB}}, aggressor: {incast: {size: 2MiB}}, steps: 10}";
    let set = vec![("interference".to_owned(), study.to_owned())];
    let overrides = Overrides { set, ..Overrides::default() };
    let prepared = prepare(&Source::file(folder().join(format!("{name}.yaml"))), &overrides);
    prepared.unwrap_or_else(|error| panic!("{}", error.render(Style::Plain)))
}

/// Name, hosts, switches, links, and what a host sends at most.
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
    let mut names: Vec<String> = fs::read_dir(folder())
        .expect("the folder can be read")
        .map(|entry| {
            entry.expect("an entry").path().file_stem().expect("a name").to_string_lossy().into_owned()
        })
        .collect();
    names.sort();
    let mut known: Vec<&str> = FABRICS.iter().map(|fabric| fabric.0).collect();
    known.sort_unstable();
    assert_eq!(names, known);
    for name in known {
        let text = fs::read_to_string(folder().join(format!("{name}.yaml"))).expect("it can be read");
        assert!(text.contains("# Sources: [1]") && text.contains("guess"), "{name}");
    }
}
