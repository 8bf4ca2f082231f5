//! Properties of the language: no text does harm, and what is printed means the same.

mod shelf;

use netloom_catalog::topology::leaf_spine;
use netloom_catalog::workload::background::mice;
use netloom_catalog::workload::collective;
use netloom_policy::balance;
use netloom_scenario::resolved::sections;
use netloom_scenario::{Overrides, Style, compile, quantity, resolve, resolve_bytes, resolve_from};
use netloom_units::{Kind, Spec};
use proptest::prelude::*;
use shelf::Shelf;

/// Any value of a kind, as text.
fn value(kind: Kind) -> BoxedStrategy<String> {
    let print = |dimension| move |n| quantity::print(n, dimension);
    match kind {
        Kind::Count { minimum, maximum } => {
            (minimum..=maximum.min(minimum + 7)).prop_map(|n| n.to_string()).boxed()
        }
        Kind::Fraction { minimum, maximum } => (minimum..=maximum).prop_map(|x| x.to_string()).boxed(),
        Kind::Duration => (0..20_000_000_u64).prop_map(print(quantity::Dimension::Duration)).boxed(),
        Kind::Size => (1..10_000_000_u64).prop_map(print(quantity::Dimension::Size)).boxed(),
        Kind::Rate => (1_000_000..800_000_000_000_u64).prop_map(print(quantity::Dimension::Rate)).boxed(),
        Kind::Flag => any::<bool>().prop_map(|flag| flag.to_string()).boxed(),
        Kind::Choice(words) => proptest::sample::select(words).prop_map(str::to_owned).boxed(),
        Kind::Optional(inner) => prop_oneof![Just("none".to_owned()), value(*inner)].boxed(),
    }
}

/// The parameters of a spec, some left to their defaults.
fn parameters(spec: &'static Spec) -> BoxedStrategy<String> {
    let one = |parameter: &'static netloom_units::Parameter| {
        let required = parameter.default.is_none();
        (value(parameter.kind), any::<bool>()).prop_map(move |(value, written)| {
            if required || written { format!("{}: {value}", parameter.name) } else { String::new() }
        })
    };
    let all: Vec<_> = spec.parameters.iter().map(one).collect();
    let join =
        |texts: Vec<String>| texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ");
    all.prop_map(join).boxed()
}

/// One plug-in of a registry.
fn plugin(specs: Vec<&'static Spec>) -> BoxedStrategy<String> {
    let one =
        |spec: &'static Spec| parameters(spec).prop_map(move |all| format!("{{{}: {{{all}}}}}", spec.name));
    proptest::sample::select(specs).prop_flat_map(one).boxed()
}

fn one_collective() -> BoxedStrategy<String> {
    let one = |spec: &'static Spec| {
        (parameters(spec), parameters(&sections::COLLECTIVE)).prop_map(move |(own, common)| {
            let comma = if own.is_empty() { "" } else { ", " };
            format!("{{{}: {{{own}{comma}{common}}}}}", spec.name)
        })
    };
    proptest::sample::select(collective::SPECS).prop_flat_map(one).boxed()
}

fn phase() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        Just("barrier".to_owned()),
        value(Kind::Duration).prop_map(|span| format!("{{compute: {span}}}")),
        one_collective(),
        (parameters(&sections::COLLECTIVES), proptest::collection::vec(one_collective(), 1..3)).prop_map(
            |(own, each)| {
                let comma = if own.is_empty() { "" } else { ", " };
                format!("{{collectives: {{{own}{comma}each: [{}]}}}}", each.join(", "))
            }
        ),
        parameters(&sections::POINT_TO_POINT)
            .prop_map(|own| format!("{{point_to_point: {{stages: 2, {own}}}}}")),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        (1..4_u32, proptest::collection::vec(inner, 1..3))
            .prop_map(|(times, all)| format!("{{repeat: {{times: {times}, phases: [{}]}}}}", all.join(", ")))
    })
    .boxed()
}

/// A well-formed scenario; whether it fits together is left to chance.
fn scenario() -> impl Strategy<Value = String> {
    let fabric = parameters(&leaf_spine::SPEC);
    let balances = (plugin(balance::SPECS.to_vec()), plugin(balance::SPECS.to_vec()));
    let mice = parameters(&mice::SPEC);
    let jobs =
        (any::<String>(), plugin(sections::PLACEMENTS.to_vec()), proptest::collection::vec(phase(), 1..4));
    let rest = (
        plugin(sections::TRANSPORTS.to_vec()),
        parameters(&sections::QUEUES),
        parameters(&sections::CLASSES),
        parameters(&sections::FAULTS),
        parameters(&sections::RANDOM_FAULTS),
    );
    (any::<u64>(), fabric, balances, mice, jobs, rest).prop_map(
        |(seed, fabric, (host, switch), mice, (name, placement, phases), rest)| {
            let (transport, queues, classes, faults, random) = rest;
            let name = format!("{:?}", name.replace('\0', "")).replace("\\u{", "u{").replace("\\'", "'");
            let comma = if faults.is_empty() { "" } else { ", " };
            format!(
                "netloom: 1\nseed: {seed}\nfabric: {{leaf_spine: {{{fabric}}}}}\n\
                 balance: {{host: {host}, switch: {switch}}}\ntransport: {transport}\nqueues: {{{queues}}}\n\
                 classes: {{{classes}}}\njobs:\n  - name: {name}x\n    placement: {placement}\n    phases: [{}]\n\
                 background: {{mice: {{{mice}}}}}\nfaults: {{{faults}{comma}random: {{{random}}}}}\n",
                phases.join(", ")
            )
            .replace("\"x\n", "x\"\n")
        },
    )
}

/// A scenario cut in two: the sections that stay in the heir, and those that it inherits.
fn cut(text: &str, stays: &[bool]) -> (String, String) {
    let (mut heir, mut base) = ("netloom: 1\nfrom: base.yaml\n".to_owned(), "netloom: 1\n".to_owned());
    let mut section = 0;
    for line in text.lines().skip(1) {
        section += usize::from(!line.starts_with(' '));
        let side = if stays[section % stays.len()] { &mut heir } else { &mut base };
        side.push_str(line);
        side.push('\n');
    }
    (heir, base)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn a_resolved_scenario_prints_to_itself(text in scenario()) {
        // Packets may come out too large, and so on: such texts are refused, which is fine here.
        if let Ok(resolved) = resolve(&text, "any.yaml") {
            let printed = resolved.to_yaml();
            let again = resolve(&printed, "any.yaml")
                .unwrap_or_else(|wrong| panic!("{}\n{printed}", wrong.render(Style::Plain)));
            prop_assert_eq!(&again, &resolved, "{}", printed);
            prop_assert_eq!(again.to_yaml(), printed);
            // Compiling must answer, whatever the answer is.
            let (one, two) = (compile(&resolved), compile(&again));
            prop_assert_eq!(one.is_ok(), two.is_ok());
            if let (Ok(one), Ok(two)) = (one, two) {
                prop_assert_eq!(one.model.workload, two.model.workload);
                prop_assert_eq!(one.model.faults, two.model.faults);
            }
        }
    }

    #[test]
    fn what_is_inherited_means_the_same_and_prints_to_itself(
        text in scenario(),
        stays in proptest::collection::vec(any::<bool>(), 12),
    ) {
        let (heir, base) = cut(&text, &stays);
        let shelf = Shelf::new(&[("any.yaml", &heir), ("base.yaml", &base)]);
        let inherited = resolve_from(heir.as_bytes(), &shelf, &Overrides::default());
        match (resolve(&text, "any.yaml"), inherited) {
            (Ok(flat), Ok(inherited)) => {
                prop_assert_eq!(&inherited, &flat);
                prop_assert_eq!(resolve(&inherited.to_yaml(), "any.yaml").unwrap(), flat);
            }
            (Err(flat), Err(inherited)) => {
                let mut messages = [flat, inherited].map(|wrong| {
                    wrong.problems().iter().map(|problem| problem.message().to_owned()).collect::<Vec<_>>()
                });
                for all in &mut messages {
                    all.sort();
                }
                prop_assert_eq!(&messages[0], &messages[1]);
            }
            (flat, inherited) => prop_assert!(false, "{:?} but {:?}", flat.is_ok(), inherited.is_ok()),
        }
    }

    #[test]
    fn no_base_makes_it_panic(
        heir in scenario(),
        base in scenario(),
        index in any::<prop::sample::Index>(),
        junk in "[-a-z0-9:{}\\[\\], \\n&*]{0,6}",
    ) {
        let heir = heir.replacen('\n', "\nfrom: base.yaml\n", 1);
        let mut base: Vec<char> = base.chars().collect();
        let at = index.index(base.len());
        base.splice(at..at, junk.chars());
        let base: String = base.into_iter().collect();
        let shelf = Shelf::new(&[("any.yaml", &heir), ("base.yaml", &base)]);
        match resolve_from(heir.as_bytes(), &shelf, &Overrides::default()) {
            Ok(resolved) => prop_assert_eq!(resolve(&resolved.to_yaml(), "any.yaml").unwrap(), resolved),
            Err(wrong) => prop_assert!(!wrong.render(Style::Plain).is_empty()),
        }
    }

    #[test]
    fn most_generated_scenarios_are_well_formed(texts in proptest::collection::vec(scenario(), 12)) {
        let good = texts.iter().filter(|text| resolve(text, "any.yaml").is_ok()).count();
        prop_assert!(good >= 2, "only {good} of 12: {}", resolve(&texts[0], "any.yaml").unwrap_err().render(Style::Plain));
    }

    #[test]
    fn a_damaged_scenario_is_answered(
        text in scenario(),
        cuts in proptest::collection::vec((any::<prop::sample::Index>(), "[-a-z0-9:{}\\[\\], \\n&*]{0,3}"), 1..4),
    ) {
        let mut text: Vec<char> = text.chars().collect();
        for (index, replacement) in cuts {
            let at = index.index(text.len());
            text.splice(at..(at + 2).min(text.len()), replacement.chars());
        }
        let text: String = text.into_iter().collect();
        match resolve(&text, "any.yaml") {
            Ok(resolved) => {
                let _ = compile(&resolved);
            }
            Err(wrong) => prop_assert!(!wrong.problems().is_empty() && !wrong.render(Style::Plain).is_empty()),
        }
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut framed = b"netloom: 1\n".to_vec();
        framed.extend(&bytes);
        for bytes in [bytes, framed] {
            if let Err(wrong) = resolve_bytes(&bytes, "any.yaml", &Overrides::default()) {
                prop_assert!(!wrong.render(Style::Plain).is_empty());
            }
        }
    }

    #[test]
    fn no_override_makes_it_panic(path in "[a-z.\\[\\]0-2]{0,12}", value in ".{0,20}") {
        let text = "netloom: 1\nfabric: { leaf_spine: { leaves: 2, spines: 1, hosts_per_leaf: 2 } }\n";
        let _ = netloom_scenario::resolve_with(text, "any.yaml", &Overrides { set: vec![(path, value)], seed: Some(3), ..Overrides::default() });
    }
}
