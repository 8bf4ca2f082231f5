//! Forwarding tables as they are shown: packets take the links in them, and static routes are marked.

use std::collections::BTreeMap;

use netloom_lab::show::routes::{RouteRow, RouteTables, Selection, routes};
use netloom_lab::{Options, Overrides, Prepared, Source, prepare};
use netloom_records::PacketKind;

use crate::scenes::simulated;

const TREE: &str = "
netloom: 1
fabric: { fat_tree: { k: 4, leaf_links: 2 } }
balance: { deterministic: { key: destination } }
jobs: [ { name: all, phases: [ { all_to_all_linear: { size: 64KiB } } ] } ]
";

const BY_HAND: &str = "
netloom: 1
fabric:
  custom:
    hosts: [A, B, C, D]
    switches: [left, right]
    links:
      - { from: A, to: left, rate: 100Gbps, delay: 1us }
      - { from: B, to: left, rate: 100Gbps, delay: 1us }
      - { from: C, to: right, rate: 100Gbps, delay: 1us }
      - { from: D, to: right, rate: 100Gbps, delay: 1us }
      - { from: left, to: right, rate: 100Gbps, delay: 1us, count: 2 }
balance: { deterministic: { key: pair } }
routes:
  - { at: left, to: C, link: left-right.1 }
  - { at: left, to: D, link: left-right.1 }
  - { at: left, from: B, to: D, link: left-right.0 }
jobs: [ { name: all, phases: [ { all_to_all_linear: { size: 64KiB } } ] } ]
";

fn shown(text: &str, set: &[(&str, &str)], selection: &Selection) -> RouteTables {
    routes(&Source::text("scene.yaml", text), &overrides(set), selection).expect("it can be shown")
}

fn overrides(set: &[(&str, &str)]) -> Overrides {
    let set = set.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    Overrides { set, ..Overrides::default() }
}

/// The names of all hosts, in order.
fn hosts(prepared: &Prepared) -> Vec<String> {
    prepared.names().nodes[..prepared.n_hosts() as usize].to_vec()
}

/// The links of each switch towards each host.
fn by_host(tables: &RouteTables, hosts: &[String]) -> BTreeMap<(String, String), Vec<String>> {
    let mut found = BTreeMap::new();
    for table in &tables.switches {
        for row in &table.rows {
            let first = hosts.iter().position(|host| *host == row.to).expect("it is a host");
            let last = first + row.hosts as usize - 1;
            assert_eq!(hosts[last], row.to_last);
            for to in &hosts[first..=last] {
                let before = found.insert((table.at.clone(), to.clone()), row.links.clone());
                assert_eq!(before, None, "{row:?}");
            }
        }
    }
    found
}

/// Asserts that every data packet of a source, or of any, leaves every switch by a link of its table.
fn assert_followed(text: &str, set: &[(&str, &str)], from: Option<&str>) {
    let prepared = prepare(&Source::text("scene.yaml", text), &overrides(set)).expect("it is right");
    let hosts = hosts(&prepared);
    let record = format!("[{}]", hosts.join(", "));
    let recording = [set, &[("record.packets_from", record.as_str())]].concat();
    let recorded = prepare(&Source::text("scene.yaml", text), &overrides(&recording)).expect("it is right");
    let selection = Selection { from: from.map(str::to_owned), ..Selection::default() };
    let tables = by_host(&shown(text, set, &selection), &hosts);
    let (_, sink) = simulated(&recorded, Options::default());
    let names = prepared.names();
    let mut n_followed = 0;
    for row in sink.packets.iter().filter(|row| row.kind == PacketKind::Data && row.hop > 0) {
        if from.is_some_and(|from| hosts[row.source.index()] != from) {
            continue;
        }
        let port = recorded.compiled.model.fabric.port(row.port.expect("nothing is dropped"));
        let key = (names.nodes[row.node.index()].clone(), hosts[row.destination.index()].clone());
        let link = &names.links[port.link.index()];
        assert!(tables[&key].contains(link), "{key:?} by {link}, not by {:?}", tables[&key]);
        n_followed += 1;
    }
    assert!(n_followed > 10, "{n_followed} packets");
}

#[test]
fn packets_take_the_links_that_are_shown() {
    assert_followed(TREE, &[], None);
    for group in ["tree", "lag"] {
        assert_followed(
            TREE,
            &[("balance", "adaptive_infiniband"), ("balance.adaptive_infiniband.group", group)],
            None,
        );
    }
    assert_followed(TREE, &[("balance", "spray")], None);
    for from in ["pod0.leaf0.host0", "pod3.leaf1.host1"] {
        assert_followed(TREE, &[("balance.deterministic.key", "pair")], Some(from));
    }
    for from in ["A", "B", "C"] {
        assert_followed(BY_HAND, &[], Some(from));
    }
}

#[test]
fn one_destination_has_one_link_and_a_group_several() {
    let links = |tables: &RouteTables| {
        let all = tables.switches.iter().flat_map(|table| &table.rows);
        all.map(|row| row.links.len()).max().expect("there are rows")
    };
    let all = Selection::default();
    assert_eq!(links(&shown(TREE, &[], &all)), 1);
    let group = |group| {
        let set = [("balance", "adaptive_infiniband"), ("balance.adaptive_infiniband.group", group)];
        links(&shown(TREE, &set, &all))
    };
    assert_eq!((group("lag"), group("tree")), (2, 4));
}

fn row(to: &str, from: Option<&str>, links: &[&str], is_static: bool) -> RouteRow {
    let links = links.iter().map(|&link| link.to_owned()).collect();
    let (to, from) = (to.to_owned(), from.map(str::to_owned));
    RouteRow { to: to.clone(), to_last: to, hosts: 1, from, links, is_static }
}

#[test]
fn static_routes_are_marked_and_those_of_a_source_come_last() {
    let left = Selection { at: Some("left".to_owned()), ..Selection::default() };
    let tables = shown(BY_HAND, &[], &left);
    assert!(tables.depends_on_source && tables.policy == "deterministic");
    let both = RouteRow { to_last: "D".to_owned(), hosts: 2, ..row("C", None, &["left-right.1"], true) };
    assert_eq!(
        tables.switches[0].rows,
        [
            row("A", None, &["A-left"], false),
            row("B", None, &["B-left"], false),
            both,
            row("D", Some("B"), &["left-right.0"], true),
        ]
    );
    let of_b = Selection { from: Some("B".to_owned()), to: Some("D".to_owned()), ..left };
    let tables = shown(BY_HAND, &[], &of_b);
    assert!(!tables.depends_on_source);
    assert_eq!(tables.switches[0].rows, [row("D", None, &["left-right.0"], true)]);
}

#[test]
fn selections_that_cannot_be_shown_are_refused() {
    let refused = |text: &str, selection: &Selection| {
        routes(&Source::text("scene.yaml", text), &Overrides::default(), selection).unwrap_err().to_string()
    };
    let at = |at: &str| Selection { at: Some(at.to_owned()), ..Selection::default() };
    assert!(refused(BY_HAND, &at("lefft")).contains("no switch of this name (did you mean `left`?): lefft"));
    assert!(refused(BY_HAND, &at("A")).contains("no switch"));
    let to = Selection { to: Some("left".to_owned()), ..Selection::default() };
    assert!(refused(BY_HAND, &to).contains("no host of this name"));
    let large = TREE.replace("k: 4", "k: 24");
    assert!(refused(&large, &Selection::default()).contains("--at SWITCH"));
    assert!(!shown(&large, &[], &at("core0.0")).switches[0].rows.is_empty());
}
