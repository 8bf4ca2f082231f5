//! What a scenario inherits, and the error messages where it cannot.

mod shelf;

use netloom_scenario::{Overrides, Resolved, Style, compile, resolve, resolve_from};

use shelf::Shelf;

const FABRIC: &str = "fabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 2 } }\n";
const JOBS: &str = "jobs: [ { phases: [ { ring_all_reduce: { size: 1MiB } } ] } ]\n";

/// A base that makes a scenario complete.
fn base(more: &str) -> String {
    format!("netloom: 1\nname: the base\n{FABRIC}{JOBS}{more}")
}

fn heir(more: &str) -> String {
    format!("netloom: 1\nfrom: base.yaml\n{more}")
}

/// Resolves the first of these texts, with an override or without.
fn resolved(texts: &[(&str, &str)], set: &[(&str, &str)]) -> Result<Resolved, String> {
    let set = set.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    resolve_from(texts[0].1.as_bytes(), &Shelf::new(texts), &Overrides { set, ..Overrides::default() })
        .and_then(|resolved| compile(&resolved).map(|_| resolved))
        .map_err(|wrong| wrong.render(Style::Plain))
}

/// The result of `heir.yaml` over `base.yaml`.
#[track_caller]
fn of(base: &str, heir: &str, set: &[(&str, &str)]) -> Resolved {
    resolved(&[("heir.yaml", heir), ("base.yaml", base)], set).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// The same text without inheritance.
#[track_caller]
fn flat(text: &str) -> Resolved {
    resolve(text, "heir.yaml").unwrap_or_else(|wrong| panic!("{}", wrong.render(Style::Plain)))
}

#[test]
fn an_heir_that_adds_nothing_is_its_base_under_its_own_name() {
    let found = of(&base("seed: 7\n"), &heir(""), &[]);
    assert_eq!(found.name, "heir");
    assert_eq!(found, flat(&base("seed: 7\n").replace("name: the base\n", "")));
}

#[test]
fn values_of_the_heir_win_and_overrides_come_last() {
    let base = base(
        "seed: 7\nqueues: { switch_limit: 1MiB }\ntransport: { window: { packets: 8, packet: 1KiB } }\n",
    );
    let heir = heir("queues: { host_limit: 2MiB }\ntransport: { window: { packets: 16 } }\ndeadline: 1s\n");
    let expected = format!(
        "netloom: 1\nseed: 9\n{FABRIC}{JOBS}queues: {{ switch_limit: 1MiB, host_limit: 2MiB }}\n\
         transport: {{ window: {{ packets: 32, packet: 1KiB }} }}\ndeadline: 1s\n"
    );
    assert_eq!(of(&base, &heir, &[("seed", "9"), ("transport.window.packets", "32")]), flat(&expected));
}

#[test]
fn lists_are_replaced_and_required_parameters_may_come_from_the_base() {
    let heir = heir("fabric: { leaf_spine: { spines: 4 } }\njobs: [ { steps: 3, phases: [ barrier ] } ]\n");
    let expected = "netloom: 1\nfabric: { leaf_spine: { leaves: 2, spines: 4, hosts_per_leaf: 2 } }\n\
                    jobs: [ { steps: 3, phases: [ barrier ] } ]\n";
    assert_eq!(of(&base(""), &heir, &[]), flat(expected));
}

#[test]
fn a_chain_is_followed_and_the_nearest_wins() {
    let texts = [
        ("heir.yaml", "netloom: 1\nfrom: middle.yaml\nseed: 3\n"),
        ("middle.yaml", "netloom: 1\nfrom: base.yaml\nseed: 2\nbalance: adaptive\n"),
        ("base.yaml", &base("seed: 1\nbalance: spray\ndeadline: 2s\n")),
    ];
    let expected = format!("netloom: 1\nseed: 3\n{FABRIC}{JOBS}balance: adaptive\ndeadline: 2s\n");
    assert_eq!(resolved(&texts, &[]).unwrap(), flat(&expected));
}

#[test]
fn the_resolved_form_inherits_nothing() {
    let found = of(&base("balance: { adaptive: { backlog: packets } }\n"), &heir("balance: adaptive\n"), &[]);
    let printed = found.to_yaml();
    assert!(!printed.contains("from: base") && printed.contains("backlog: packets"), "{printed}");
    assert_eq!(flat(&printed), found);
}

/// Bases `0` to `n`, each inheriting from the next; the last one is complete.
fn long_chain(n: usize) -> Result<Resolved, String> {
    let link = |number: usize| (number.to_string(), format!("netloom: 1\nfrom: '{}'\n", number + 1));
    let mut owned: Vec<(String, String)> = (0..n).map(link).collect();
    owned.push((n.to_string(), base("")));
    let texts: Vec<(&str, &str)> = owned.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    resolved(&texts, &[])
}

#[test]
fn the_length_of_a_chain_is_limited() {
    assert!(long_chain(32).is_ok());
    assert!(long_chain(33).unwrap_err().contains("more than 32 scenarios inherit from one another"));
}

/// A snapshot of the diagnostics of these texts, the first of which is the scenario.
macro_rules! golden {
    ($name:ident, $($file:literal: $text:expr),+ $(; $path:literal = $value:literal)?) => {
        #[test]
        fn $name() {
            let texts: Vec<(&str, String)> = vec![$(($file, $text.to_string())),+];
            let texts: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
            let set: &[(&str, &str)] = &[$(($path, $value))?];
            insta::assert_snapshot!(resolved(&texts, set).expect_err("the scenario is broken"));
        }
    };
}

golden!(missing_base, "heir.yaml": heir("seed: x\n"));
golden!(base_without_a_name, "heir.yaml": "netloom: 1\nfrom:\n");
golden!(base_that_is_a_map, "heir.yaml": "netloom: 1\nfrom: { base: yaml }\n");
golden!(inherits_from_itself, "heir.yaml": "netloom: 1\nfrom: ./heir.yaml\n");
golden!(
    circle,
    "heir.yaml": heir("balance: emcp\n"),
    "base.yaml": "netloom: 1\nfrom: third.yaml\nqueues: { host_limit: 5 }\n",
    "third.yaml": "netloom: 1\nfrom: ./heir.yaml\n"
);
golden!(
    mistakes_in_all_texts,
    "heir.yaml": heir("balence: ecmp\nfabric: { leaf_spine: { spines: none } }\n"),
    "base.yaml": base("seed: x\nqueues: { switch_limit: 100 }\n")
);
golden!(
    mistakes_against_the_inherited_fabric,
    "heir.yaml": heir("faults: { failed: [leaf0-spine9.0] }\n"),
    "base.yaml": base("record: { packets_from: [unknown] }\n")
);
golden!(base_of_no_version, "heir.yaml": heir("seed: x\n"), "base.yaml": "fabric: leaf_spine\n");
golden!(base_of_a_later_version, "heir.yaml": heir(""), "base.yaml": "netloom: 2\n");
golden!(base_that_is_no_yaml, "heir.yaml": heir("seed: x\n"), "base.yaml": "netloom: 1\nfabric: {\n");
golden!(empty_base, "heir.yaml": heir(""), "base.yaml": "");
golden!(still_incomplete, "heir.yaml": heir("fabric: { leaf_spine: { leaves: 2 } }\n"), "base.yaml": "netloom: 1\n");
golden!(base_from_the_command_line, "heir.yaml": base(""); "from" = "base.yaml");
golden!(misspelled_from, "heir.yaml": base("form: base.yaml\n"));

#[test]
fn bases_that_are_no_text() {
    let binary: &[u8] = b"\x7fELF\0";
    let latin: &[u8] = b"netloom: 1\nname: caf\xe9\n";
    for (name, bytes, message) in
        [("binary.yaml", binary, "a binary file"), ("latin.yaml", latin, "not UTF-8")]
    {
        let text = format!("netloom: 1\nfrom: {name}\n");
        let shelf = Shelf::new(&[("heir.yaml", text.as_bytes()), (name, bytes)]);
        let wrong = resolve_from(text.as_bytes(), &shelf, &Overrides::default()).unwrap_err();
        assert_eq!(wrong.problems().len(), 1);
        let problem = &wrong.problems()[0];
        assert!(problem.message().contains(message) && problem.source_name() == name, "{problem}");
    }
}

#[test]
fn a_text_by_itself_cannot_inherit() {
    let wrong = resolve(&heir(""), "heir.yaml").unwrap_err().render(Style::Plain);
    assert!(wrong.contains("no folder"), "{wrong}");
}
