//! Properties of the language: no text causes a panic, and a printed scenario has the same meaning.

mod shelf;

use netloom_catalog::topology::{fat_tree, leaf_spine};
use netloom_catalog::workload::background::{mice, poisson};
use netloom_catalog::workload::collective;
use netloom_policy::{balance, congestion, edge};
use netloom_scenario::resolved::{faults, queue_pairs, sections};
use netloom_scenario::{Overrides, Style, compile, quantity, resolve, resolve_bytes, resolve_from};
use netloom_units::{Kind, Spec};
use proptest::prelude::*;
use shelf::Shelf;

/// Any value of a kind, as text.
fn value(kind: Kind) -> BoxedStrategy<String> {
    let print = |dimension| move |n| quantity::print(n, dimension);
    match kind {
        Kind::Counts { .. } => {
            proptest::collection::vec(any::<u64>(), 1..5).prop_map(|list| format!("{list:?}")).boxed()
        }
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

/// The parameters of a spec, some of them at their defaults.
fn parameters(spec: &'static Spec) -> BoxedStrategy<String> {
    written(spec).prop_map(|all| all.join(", ")).boxed()
}

/// The same, one by one.
fn written(spec: &'static Spec) -> BoxedStrategy<Vec<String>> {
    let one = |parameter: &'static netloom_units::Parameter| {
        let required = parameter.default.is_none();
        (value(parameter.kind), any::<bool>()).prop_map(move |(value, written)| {
            if required || written { format!("{}: {value}", parameter.name) } else { String::new() }
        })
    };
    let all: Vec<_> = spec.parameters.iter().map(one).collect();
    all.prop_map(|texts| texts.into_iter().filter(|text| !text.is_empty()).collect()).boxed()
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
        (prop_oneof![Just("2"), Just("[[0], [1]]")], parameters(&sections::POINT_TO_POINT))
            .prop_map(|(stages, own)| format!("{{point_to_point: {{stages: {stages}, {own}}}}}")),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        (1..4_u32, proptest::collection::vec(inner, 1..3))
            .prop_map(|(times, all)| format!("{{repeat: {{times: {times}, phases: [{}]}}}}", all.join(", ")))
    })
    .boxed()
}

/// A fabric as text, with names that it has.
#[derive(Debug, Clone)]
struct SampleFabric {
    text: String,
    host: &'static str,
    /// Another host, in most of these fabrics.
    other: &'static str,
    link: &'static str,
    /// The switch at the end of its link.
    switch: &'static str,
    /// A permutation of all hosts, if their number is known.
    order: Option<String>,
}

fn sample_fabric() -> BoxedStrategy<SampleFabric> {
    let two_tiers = parameters(&leaf_spine::SPEC).prop_map(|all| SampleFabric {
        text: format!("{{leaf_spine: {{{all}}}}}"),
        host: "leaf0.host0",
        other: "leaf0.host1",
        link: "leaf0.host0.nic0",
        switch: "leaf0",
        order: None,
    });
    // Many of them cannot be built: `k` is odd, or a number is not set.
    let three_tiers = parameters(&fat_tree::SPEC).prop_map(|all| SampleFabric {
        text: format!("{{fat_tree: {{{all}}}}}"),
        host: "pod0.leaf0.host0",
        other: "pod0.leaf0.host1",
        link: "pod0.leaf0.host0.nic0",
        switch: "pod0.leaf0",
        order: None,
    });
    prop_oneof![2 => two_tiers, 1 => three_tiers, 1 => listed()].boxed()
}

/// Hosts around one switch.
fn listed() -> BoxedStrategy<SampleFabric> {
    let link = (value(Kind::Rate), value(Kind::Duration), 1..3_u32);
    let of = |n: usize| Just((0..n).collect::<Vec<_>>()).prop_shuffle();
    proptest::collection::vec(link, 2..5)
        .prop_flat_map(move |links| (of(links.len()), Just(links)))
        .prop_map(|(order, links)| {
            let hosts: Vec<String> = (0..links.len()).map(|number| format!("h{number}")).collect();
            let link = |(number, (rate, delay, count)): (usize, &(String, String, u32))| {
                // The first bundle is a single link, so that its name is known.
                let count = if number == 0 { 1 } else { *count };
                format!("{{from: h{number}, to: s, rate: {rate}, delay: {delay}, count: {count}}}")
            };
            let all: Vec<String> = links.iter().enumerate().map(link).collect();
            let (hosts, links) = (hosts.join(", "), all.join(", "));
            SampleFabric {
                text: format!("{{custom: {{hosts: [{hosts}], switches: [s], links: [{links}]}}}}"),
                host: "h0",
                other: "h1",
                link: "h0-s",
                switch: "s",
                order: Some(format!("{order:?}")),
            }
        })
        .boxed()
}

/// Background traffic of either kind.
fn background() -> BoxedStrategy<String> {
    let mice = parameters(&mice::SPEC).prop_map(|all| format!("{{mice: {{{all}}}}}"));
    let senders = prop_oneof![Just(""), Just(", senders: all"), Just(", senders: {strided: {stride: 2}}")];
    let sizes = proptest::collection::vec(1..9_000_000_u64, 1..4);
    let poisson = (parameters(&poisson::SPEC), senders, sizes).prop_map(|(all, senders, sizes)| {
        let given = if all.contains("sizes: given") { points(sizes) } else { String::new() };
        format!("{{poisson: {{{all}{senders}{given}}}}}")
    });
    prop_oneof![mice, poisson, Just("none".to_owned())].boxed()
}

/// A size distribution that rises linearly.
fn points(mut sizes: Vec<u64>) -> String {
    sizes.sort_unstable();
    let n = sizes.len();
    let point = |(number, size): (usize, &u64)| {
        let share = (number + 1) as f64 / n as f64;
        format!("[{}, {share}]", quantity::print(*size, quantity::Dimension::Size))
    };
    let all: Vec<String> = sizes.iter().enumerate().map(point).collect();
    format!(", given: [[0B, 0%], {}]", all.join(", "))
}

/// Staged flows between two hosts, in both directions.
fn flows(host: &'static str, other: &'static str) -> BoxedStrategy<String> {
    let span = |n: u64| quantity::print(n, quantity::Dimension::Duration);
    let rest = written(&sections::FLOW).prop_map(|all| {
        let is_own = |text: &String| !text.starts_with("start") && !text.starts_with("stop");
        lead(&all.into_iter().filter(is_own).collect::<Vec<_>>().join(", "))
    });
    let one = (rest, 0..9_000_000_u64, 1..9_000_000_000_u64, any::<bool>());
    let scale = prop_oneof![Just("none".to_owned()), (1..5_000_u32).prop_map(|n| format!("1/{n}"))];
    let stages = proptest::collection::btree_set(0..9_000_000_000_u64, 2..5).prop_map(move |boundaries| {
        let boundaries: Vec<String> = boundaries.into_iter().map(span).collect();
        format!("[{}]", boundaries.join(", "))
    });
    let stages = prop_oneof![Just("auto".to_owned()), stages];
    let some = (parameters(&sections::FLOWS), scale, stages, proptest::collection::vec(one, 1..4));
    let some = some.prop_map(move |(own, scale, stages, flows)| {
        let flow = |(number, (rest, start, lasts, is_back)): (usize, &(String, u64, u64, bool))| {
            let (from, to) = if *is_back { (other, host) } else { (host, other) };
            let (start, stop) = (span(*start), span(start + lasts));
            format!("{{name: flow {number}, from: {from}, to: {to}, {rest}start: {start}, stop: {stop}}}")
        };
        let flows: Vec<String> = flows.iter().enumerate().map(flow).collect();
        format!("{{{}scale: {scale}, stages: {stages}, list: [{}]}}", lead(&own), flows.join(", "))
    });
    prop_oneof![some, Just("none".to_owned())].boxed()
}

/// Jobs, flows, faults and recording, with names of this fabric.
fn on(sample_fabric: &SampleFabric) -> BoxedStrategy<String> {
    let SampleFabric { host, other, link, switch, order, .. } = sample_fabric.clone();
    let placement = prop_oneof![
        2 => plugin(sections::PLACEMENTS.to_vec()),
        1 => Just(format!("{{list: [{host}]}}")),
        1 => Just("all".to_owned()),
    ];
    let orders = order.map_or(String::new(), |order| format!("    orders: [{order}, {order}]\n"));
    let jobs = (any::<String>(), placement, proptest::collection::vec(phase(), 1..4));
    let random = parameters(&faults::RANDOM_FAULTS);
    let happens = prop_oneof![
        Just("down"),
        Just("{degrade: {rate: 1Mbps}}"),
        Just("{errors: {ber: 1e-9}}"),
        Just("{flap: {period: 1us, until: 9us}}"),
    ];
    let faults = (parameters(&faults::FAULTS), random, any::<bool>(), happens);
    let record = parameters(&sections::RECORD);
    let route = prop_oneof![3 => Just(None), 1 => parameters(&sections::ROUTE).prop_map(Some)];
    (jobs, flows(host, other), faults, record, route)
        .prop_map(move |((name, placement, phases), flows, (faults, random, failed, happens), record, route)| {
            // What Rust writes as a number, YAML would not read.
            let is_plain = |c: &char| *c != '\0' && !c.escape_debug().to_string().starts_with("\\u");
            let name = format!("{:?}", name.chars().filter(is_plain).collect::<String>());
            let (failed, action) = if failed { (link, "up") } else { ("", "down") };
            let (faults, record) = (lead(&faults), lead(&record));
            let route = route.map_or(String::new(), |route| {
                format!("routes: [{{{}at: {switch}, to: {host}, link: {link}}}]\n", lead(&route))
            });
            format!(
                "jobs:\n  - name: {name}x\n    placement: {placement}\n{orders}    phases: [{}]\n\
                 flows: {flows}\nfaults: {{{faults}random: {{{random}}}, failed: [{failed}], \
                 timed: [{{at: 1us, link: {link}, action: {action}}}, {{at: 2us, switch: {switch}, action: {happens}}}], \
                 processes: [{{what: switch, mtbf: 1s, mttr: 1s, until: 1s}}]}}\n\
                 record: {{{record}packets_from: [{host}], packets_on: [{link}]}}\n{route}",
                phases.join(", ")
            )
            .replace("\"x\n", "x\"\n")
        })
        .boxed()
}

/// Parameters before others.
fn lead(parameters: &str) -> String {
    if parameters.is_empty() { String::new() } else { format!("{parameters}, ") }
}

/// The section `queues`, whose keys seldom contradict each other.
fn queues() -> BoxedStrategy<String> {
    let size = || (1..1_000_000_u64).prop_map(|n| quantity::print(n, quantity::Dimension::Size));
    let headroom = prop_oneof![Just("auto".to_owned()), size()];
    let rest = written(&sections::MARKING).prop_map(|all| {
        let is_own = |text: &String| !text.starts_with("minimum") && !text.starts_with("maximum");
        lead(&all.into_iter().filter(is_own).collect::<Vec<_>>().join(", "))
    });
    let marking = (rest, 1..1_000_000_u64, 0..1_000_000_u64).prop_map(|(rest, minimum, more)| {
        let [minimum, maximum] =
            [minimum, minimum + more].map(|n| quantity::print(n, quantity::Dimension::Size));
        format!("{{{rest}minimum: {minimum}, maximum: {maximum}}}")
    });
    let marking = prop_oneof![Just("none".to_owned()), marking];
    (parameters(&sections::QUEUES), headroom, marking)
        .prop_map(|(own, headroom, marking)| {
            format!("{}headroom: {headroom}, marking: {marking}", lead(&own))
        })
        .boxed()
}

/// One policy for each kind of node.
fn balances() -> BoxedStrategy<String> {
    let policy = || plugin(balance::SPECS.to_vec());
    let control = prop_oneof![Just("as_data".to_owned()), policy()];
    let edge = prop_oneof![Just("none".to_owned()), plugin(edge::SPECS.to_vec())];
    (policy(), policy(), control, edge)
        .prop_map(|(host, switch, control, edge)| {
            format!("{{host: {host}, switch: {switch}, control: {control}, edge: {edge}}}")
        })
        .boxed()
}

/// Classes, and kinds of traffic in them.
fn classes() -> impl Strategy<Value = (String, String)> {
    let schedule = prop_oneof![
        Just("strict".to_owned()),
        (1..9_u32).prop_map(|weight| format!("{{dwrr: {{weight: {weight}}}}}"))
    ];
    let marking = prop_oneof![Just("as_queues"), Just("none"), Just("{minimum: 9KB, maximum: 20KB}")];
    let pause = prop_oneof![Just("as_queues"), Just("true"), Just("false")];
    let alpha = prop_oneof![Just("as_queues".to_owned()), (1..64_u32).prop_map(|n| n.to_string())];
    let kind = prop_oneof![
        Just("{name: one}"),
        Just("{name: one, dscp: 7, may_reorder: false}"),
        Just("{name: one, class: 0}"),
        Just("{name: one, class: 2}, {name: two}")
    ];
    (parameters(&sections::CLASSES), 0..8_u8, schedule, (marking, pause, alpha), kind).prop_map(
        |(own, class, schedule, (marking, pause, alpha), kind)| {
            let own = lead(&own);
            let listed = format!(
                "{{class: {class}, dscp: [7, 8], schedule: {schedule}, marking: {marking}, pause: {pause}, alpha: {alpha}}}"
            );
            (format!("{own}list: [{listed}]"), kind.to_owned())
        },
    )
}

/// A well-formed scenario, which need not be consistent.
fn scenario() -> impl Strategy<Value = String> {
    let on_fabric =
        sample_fabric().prop_flat_map(|sample_fabric| (on(&sample_fabric), Just(sample_fabric.text)));
    let ports = (
        plugin(sections::TRANSPORTS.to_vec()),
        plugin(congestion::SPECS.to_vec()),
        queues(),
        prop_oneof![parameters(&sections::CLASSES).prop_map(|own| (own, String::new())), classes()],
        prop_oneof![Just("auto"), Just("30us"), Just("1ms")],
        prop_oneof![Just("none".to_owned()), (1..9_u32).prop_map(|n| format!("{n}ms"))],
    );
    (any::<u64>(), on_fabric, balances(), background(), ports).prop_map(
        |(seed, (rest, fabric), balance, background, ports)| {
            let (transport, congestion, queues, (classes, traffic), delay, deadline) = ports;
            format!(
                "netloom: 1\nseed: {seed}\nfabric: {fabric}\nbalance: {balance}\n\
                 transport: {transport}\ncongestion: {congestion}\nqueues: {{{queues}}}\nclasses: {{{classes}}}\ntraffic: [{traffic}]\n\
                 background: {background}\ncoordination_delay: {delay}\ndeadline: {deadline}\n{rest}"
            )
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
        // Packets may be too large, and so on: such texts are refused, which is correct.
        if let Ok(resolved) = resolve(&text, "any.yaml") {
            let printed = resolved.to_yaml();
            let again = resolve(&printed, "any.yaml")
                .unwrap_or_else(|wrong| panic!("{}\n{printed}", wrong.render(Style::Plain)));
            prop_assert_eq!(&again, &resolved, "{}", printed);
            prop_assert_eq!(again.to_yaml(), printed);
            // Compiling may succeed or fail, but must not panic.
            let (one, two) = (compile(&resolved), compile(&again));
            prop_assert_eq!(one.is_ok(), two.is_ok());
            if let (Ok(one), Ok(two)) = (one, two) {
                prop_assert_eq!(one.model.workload, two.model.workload);
                prop_assert_eq!(one.model.faults, two.model.faults);
                prop_assert_eq!(one.model.loss, two.model.loss);
                prop_assert_eq!(one.model.transport, two.model.transport);
                prop_assert_eq!(one.model.queues, two.model.queues);
                prop_assert_eq!(one.model.classes, two.model.classes);
                prop_assert_eq!(one.model.kinds, two.model.kinds);
            }
        }
    }

    #[test]
    fn an_inherited_scenario_has_the_same_meaning_and_prints_to_itself(
        text in scenario(),
        stays in proptest::collection::vec(any::<bool>(), 15),
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
    fn parameters_of_a_plug_in_may_be_inherited_one_by_one(
        fabric in written(&leaf_spine::SPEC),
        transport in written(&queue_pairs::IRN),
        queues in written(&sections::QUEUES),
        stays in proptest::collection::vec(any::<bool>(), 7),
    ) {
        let text = |keep: &dyn Fn(usize) -> bool| {
            let of = |all: &[String]| {
                let kept = all.iter().enumerate().filter(|(number, _)| keep(*number));
                kept.map(|(_, one)| one.as_str()).collect::<Vec<_>>().join(", ")
            };
            format!(
                "fabric: {{leaf_spine: {{{}}}}}\ntransport: {{irn: {{{}}}}}\nqueues: {{{}}}\n",
                of(&fabric), of(&transport), of(&queues)
            )
        };
        let stays = |number: usize| stays[number % stays.len()];
        let rest = "jobs: [{phases: [barrier]}]\n";
        let heir = format!("netloom: 1\nfrom: base.yaml\n{}", text(&stays));
        let base = format!("netloom: 1\n{}{rest}", text(&|number| !stays(number)));
        let flat = format!("netloom: 1\n{}{rest}", text(&|_| true));
        let shelf = Shelf::new(&[("any.yaml", &heir), ("base.yaml", &base)]);
        let inherited = resolve_from(heir.as_bytes(), &shelf, &Overrides::default());
        match (resolve(&flat, "any.yaml"), inherited) {
            (Ok(flat), Ok(inherited)) => {
                prop_assert_eq!(&inherited, &flat);
                prop_assert_eq!(resolve(&inherited.to_yaml(), "any.yaml").unwrap(), flat);
            }
            (flat, inherited) => prop_assert_eq!(flat.is_ok(), inherited.is_ok()),
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
    fn most_generated_scenarios_are_well_formed(texts in proptest::collection::vec(scenario(), 48)) {
        let wrong: Vec<_> = texts.iter().filter_map(|text| resolve(text, "any.yaml").err()).collect();
        let good = texts.len() - wrong.len();
        // About three quarters are; of a dozen fewer than two would be, though very rarely.
        prop_assert!(good >= 12, "only {good} of 48: {}", wrong[0].render(Style::Plain));
    }

    #[test]
    fn a_damaged_scenario_is_accepted_or_refused(
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
