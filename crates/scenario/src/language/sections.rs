//! Every definition of the language, from the whole scenario down.
//!
//! Invariants: text of a spec is not repeated here.

use netloom_catalog::topology;
use netloom_catalog::workload::{background, collective};
use netloom_policy::congestion::{self, infiniband};
use netloom_policy::{balance, edge};
use netloom_units::{Kind, Value};

use super::{Body, Definition, Key, Member, Preset, Shape, WHOLE, registry};
use crate::resolve::fabric::MOST_NUMBERED;
use crate::resolved::{Background, Balance, Class, Congestion, Steps, faults, sections};

const SHARE: Kind = Kind::Fraction { minimum: 0.0, maximum: 1.0 };
const ANY: Kind = Kind::Count { minimum: 0, maximum: u32::MAX as u64 };

/// All definitions, section by section.
pub(super) fn all() -> Vec<Definition> {
    let parts = [
        vec![whole()],
        fabric(),
        balance(),
        vec![route()],
        transport(),
        congestion(),
        queues(),
        classes(),
        vec![traffic(), Definition::section("hosts", &sections::HOSTS, Vec::new())],
        job(),
        placement(),
        phase(),
        vec![interference()],
        background(),
        flows(),
        failures(),
        record(),
    ];
    parts.into_iter().flatten().collect()
}

fn whole() -> Definition {
    let section =
        |name: &'static str, preset, meaning| Key::by_hand(name, Shape::defined(name), preset, meaning);
    let policies = Shape::Either(vec![Shape::defined("policy"), Shape::defined("balance")]);
    let delay = Shape::Either(vec![Shape::Word("auto"), Shape::Value(Kind::Duration)]);
    let background = Shape::Either(vec![Shape::Word("none"), Shape::defined("background")]);
    let flows = Shape::Either(vec![Shape::Word("none"), Shape::defined("flows")]);
    let jobs = Shape::list(Shape::defined("job"));
    let study = Shape::Either(vec![Shape::Word("none"), Shape::defined("interference")]);
    let seed = Shape::Value(Kind::Count { minimum: 0, maximum: u64::MAX });
    let deadline = Shape::Value(Kind::Optional(&Kind::Duration));
    let no = Preset::Words("all defaults");
    let keys = vec![
        Key::by_hand(
            "netloom",
            Shape::Version,
            Preset::Required,
            "the version of this language; the first key",
        ),
        Key::by_hand(
            "from",
            Shape::Text,
            Preset::Words("nothing"),
            "a scenario to inherit from; its path starts at the folder of this file",
        ),
        Key::by_hand(
            "name",
            Shape::Text,
            Preset::Words("the name of the file"),
            "what the scenario is called; not inherited",
        ),
        Key::by_hand("seed", seed, Preset::Value(Value::Count(1)), "the seed of every random stream"),
        section("fabric", Preset::Required, "hosts, switches and links"),
        Key::by_hand(
            "balance",
            policies,
            Preset::Written("ecmp"),
            "load balancing: one policy for all nodes, or one for each kind of node",
        ),
        Key::by_hand(
            "routes",
            Shape::list(Shape::defined("routes")),
            Preset::Words("none by hand"),
            "entries of forwarding tables; about what is not listed the policy decides",
        ),
        section("transport", Preset::Written("open_loop"), "how hosts send messages"),
        section("congestion", Preset::Written("none"), "how senders react to congestion; needs queue pairs"),
        section("queues", no.clone(), "how much waits at an egress port, what is dropped, paused or marked"),
        section(
            "classes",
            no.clone(),
            "traffic classes: of data, of control packets, and what each has of its own",
        ),
        Key::by_hand(
            "traffic",
            Shape::list(Shape::defined("traffic")),
            Preset::Words("none named"),
            "kinds of traffic, by whose names jobs, background traffic and flows say what they are",
        ),
        section("hosts", no.clone(), "what hosts take for the messages of jobs"),
        Key::by_hand("jobs", jobs, Preset::Words("no jobs"), "who trains, on which hosts, in which phases"),
        Key::by_hand("interference", study, Preset::Written("none"), "two jobs, one of which is measured"),
        Key::by_hand("background", background, Preset::Written("none"), "traffic beside the jobs"),
        Key::by_hand("flows", flows, Preset::Written("none"), "flows that start and stop at given times"),
        section("faults", Preset::Words("no faults"), "what fails, and who knows"),
        Key::by_hand(
            "coordination_delay",
            delay,
            Preset::Written("auto"),
            "delay of a modelled barrier, and the interval at which global knowledge spreads",
        ),
        Key::by_hand("deadline", deadline, Preset::Value(Value::Absent), "when the run stops at the latest"),
        section("record", no, "what is recorded beyond the defaults"),
    ];
    Definition::map(WHOLE, "a whole scenario", keys)
}

fn fabric() -> Vec<Definition> {
    let specs: Vec<_> = topology::SPECS.iter().copied().filter(|spec| spec.name != custom().name).collect();
    let (mut members, mut definitions) = registry("fabric", &specs, None);
    let body = Shape::defined("fabric.custom");
    members.push(Member { name: custom().name, summary: custom().summary, body });
    definitions.insert(0, Definition::choice("fabric", "hosts, switches and links", members));
    let nodes = || {
        let number = Kind::Count { minimum: 0, maximum: MOST_NUMBERED.into() };
        Shape::Either(vec![Shape::Value(number), Shape::list(Shape::Text)])
    };
    let links = Shape::list(Shape::defined("link"));
    definitions.push(Definition::section(
        "fabric.custom",
        custom(),
        vec![
            Key::by_hand(
                "hosts",
                nodes(),
                Preset::Required,
                "names of the hosts, or how many (`host0` and so on)",
            ),
            Key::by_hand(
                "switches",
                nodes(),
                Preset::Words("none at all"),
                "names of the switches, or how many (`switch0` and so on)",
            ),
            Key::by_hand("links", links, Preset::Required, "bundles of parallel links"),
        ],
    ));
    definitions.push(link());
    definitions
}

fn custom() -> &'static netloom_units::Spec {
    &topology::custom::SPEC
}

fn link() -> Definition {
    let count = Shape::Value(Kind::Count { minimum: 1, maximum: u32::MAX.into() });
    Definition::map(
        "link",
        "a bundle of parallel links between two nodes",
        vec![
            Key::by_hand("from", Shape::Text, Preset::Required, "name of one end"),
            Key::by_hand("to", Shape::Text, Preset::Required, "name of the other end"),
            Key::by_hand("rate", Shape::Value(Kind::Rate), Preset::Required, "rate of each link"),
            Key::by_hand(
                "delay",
                Shape::Value(Kind::Duration),
                Preset::Required,
                "propagation delay of each link",
            ),
            Key::by_hand("count", count, Preset::Value(Value::Count(1)), "how many links"),
        ],
    )
}

fn balance() -> Vec<Definition> {
    let seat = |name, meaning| Key::by_hand(name, Shape::defined("policy"), Preset::Written("ecmp"), meaning);
    let seats = vec![
        seat("host", "at hosts, among the ports of the NIC"),
        seat("switch", "at switches, among equal next hops"),
        Key::by_hand(
            "control",
            Shape::Either(vec![Shape::Word(Balance::AS_DATA), Shape::defined("policy")]),
            Preset::Written(Balance::AS_DATA),
            "at switches, for ACKs, NACKs and CNPs",
        ),
        Key::by_hand(
            "edge",
            Shape::Either(vec![Shape::Word("none"), Shape::defined("edge")]),
            Preset::Written("none"),
            "what switches with hosts below them know of queue pairs; needs `transport: nic_sr`",
        ),
    ];
    let (members, definitions) = registry("policy", balance::SPECS, None);
    let (helpers, known) = registry("edge", edge::SPECS, None);
    let mut all = vec![
        Definition::map("balance", "one policy for each kind of node", seats),
        Definition::choice("policy", "which of the equal next hops a packet takes", members),
    ];
    all.extend(definitions);
    all.push(Definition::choice("edge", "helpers between NICs and a fabric that sprays", helpers));
    all.extend(known);
    all
}

fn route() -> Definition {
    let name = |name, preset, meaning| Key::by_hand(name, Shape::Text, preset, meaning);
    let by_hand = vec![
        name("at", Preset::Required, "the name of the switch"),
        name(
            "from",
            Preset::Words("any host"),
            "the name of the host that packets come from; with `key: pair`",
        ),
        name("to", Preset::Required, "the name of the host that they go to"),
        name("link", Preset::Required, "the name of the link that they leave by: a next hop of the switch"),
    ];
    Definition::section("routes", &sections::ROUTE, by_hand)
}

fn transport() -> Vec<Definition> {
    let (members, mut all) = registry("transport", sections::TRANSPORTS, None);
    all.insert(0, Definition::choice("transport", "how hosts send messages", members));
    all
}

fn congestion() -> Vec<Definition> {
    let (members, mut all) = registry("congestion", congestion::SPECS, None);
    for (definition, spec) in all.iter_mut().zip(congestion::SPECS) {
        if let (Body::Map(keys), true) = (&mut definition.body, Congestion::has_table(spec)) {
            keys.push(table());
        }
    }
    all.insert(0, Definition::choice("congestion", "how senders react to congestion", members));
    all
}

fn table() -> Key {
    let entry = Shape::Value(Kind::Fraction { minimum: 0.0, maximum: infiniband::LARGEST_ENTRY });
    let shape = Shape::Either(vec![Shape::Word("none"), Shape::list(entry)]);
    let meaning =
        "the entries of the table, the first of them 0; the last one stands for all that are not listed";
    Key::by_hand(Congestion::TABLE, shape, Preset::Written("none"), meaning)
}

fn queues() -> Vec<Definition> {
    let headroom = Shape::Either(vec![Shape::Word("auto"), Shape::Value(Kind::Size)]);
    let marking = Shape::Either(vec![Shape::Word("none"), Shape::defined("marking")]);
    let credits = Shape::Either(vec![Shape::Word("none"), Shape::defined("credits")]);
    let by_hand = vec![
        Key::by_hand(
            "headroom",
            headroom,
            Preset::Written("auto"),
            "with `pause`: room per port, apart from the shared part, for what still comes after a pause frame",
        ),
        Key::by_hand(
            "marking",
            marking,
            Preset::Written("none"),
            "marking of data packets at switches, which congestion control heeds",
        ),
        Key::by_hand(
            "credits",
            credits,
            Preset::Written("none"),
            "credits on every link and input buffers at switches, as InfiniBand has them, instead of all this",
        ),
    ];
    vec![
        Definition::section("queues", &sections::QUEUES, by_hand),
        Definition::section("marking", &sections::MARKING, Vec::new()),
        Definition::section("credits", &sections::CREDITS, Vec::new()),
    ]
}

/// The default of one class depends on the transport.
fn classes() -> Vec<Definition> {
    let list = Key::by_hand(
        "list",
        Shape::list(Shape::defined("class")),
        Preset::Words("no classes"),
        "what classes of data have of their own; those not listed are strict, and as `queues` say",
    );
    let mut section = Definition::section("classes", &sections::CLASSES, vec![list]);
    let Body::Map(keys) = &mut section.body else { unreachable!("a section is a map") };
    for key in keys.iter_mut().filter(|key| key.name == "control") {
        key.preset = Preset::Words("`0`; with queue pairs `1`, as it must be above `data`");
    }
    let (members, schedules) = registry("schedule", sections::SCHEDULES, None);
    let mut all = vec![section, class()];
    all.push(Definition::choice("schedule", "how ports serve a class", members));
    all.extend(schedules);
    all
}

/// A code point.
fn dscp() -> Shape {
    Shape::Value(Kind::Count { minimum: 0, maximum: 63 })
}

fn class() -> Definition {
    let as_queues = || Shape::Word(Class::AS_QUEUES);
    let alpha = Shape::Value(Kind::Fraction { minimum: 1.0 / 1024.0, maximum: 64.0 });
    let own = |name, shapes, meaning| {
        Key::by_hand(name, Shape::Either(shapes), Preset::Written(Class::AS_QUEUES), meaning)
    };
    let by_hand = vec![
        Key::by_hand("dscp", Shape::list(dscp()), Preset::Words("none"), "code points that mean this class"),
        Key::by_hand("schedule", Shape::defined("schedule"), Preset::Written("strict"), "how ports serve it"),
        own(
            "marking",
            vec![as_queues(), Shape::Word("none"), Shape::defined("marking")],
            "marking of its packets at switches, by what waits in it",
        ),
        own(
            "pause",
            vec![as_queues(), Shape::Value(Kind::Flag)],
            "whether switches pause it rather than drop",
        ),
        own("alpha", vec![as_queues(), alpha], "what a queue or ingress of it may take of what is free"),
    ];
    Definition::section("class", &sections::CLASS, by_hand)
}

fn traffic() -> Definition {
    let class = Shape::Value(Kind::Count { minimum: 0, maximum: 7 });
    let by_hand = vec![
        Key::by_hand("name", Shape::Text, Preset::Required, "what it is called"),
        Key::by_hand(
            "dscp",
            dscp(),
            Preset::Words("none"),
            "the code point of its packets, which means a class",
        ),
        Key::by_hand("class", class, Preset::Words("that of data"), "their class, said outright"),
    ];
    Definition::section("traffic", &sections::TRAFFIC, by_hand)
}

/// The key that names the kind of traffic of messages.
fn kind() -> Key {
    Key::by_hand(
        "traffic",
        Shape::Text,
        Preset::Written("none"),
        "the kind of traffic it is, by its name in `traffic`",
    )
}

fn job() -> Vec<Definition> {
    let steps = Shape::Either(vec![
        Shape::Value(Kind::Count { minimum: 1, maximum: u32::MAX.into() }),
        Shape::Word(Steps::ENDLESS),
        Shape::defined("steps"),
    ]);
    let warm_up =
        Shape::Either(vec![Shape::Value(ANY), Shape::Value(Kind::Fraction { minimum: 0.0, maximum: 0.9 })]);
    let bursts = Shape::Either(vec![Shape::Word("none"), Shape::defined("bursts")]);
    let start = Preset::Value(Value::Duration(netloom_units::Duration::ZERO));
    let phases = Shape::list(Shape::defined("phase"));
    let job = Definition::map(
        "job",
        "ranks that repeat a list of phases",
        vec![
            Key::by_hand("name", Shape::Text, Preset::Words("`job0` and so on"), "what it is called"),
            Key::by_hand(
                "placement",
                Shape::defined("placement"),
                Preset::Written("all"),
                "which hosts it runs on",
            ),
            Key::by_hand(
                "steps",
                steps,
                Preset::Value(Value::Count(1)),
                "how many times the phases are repeated: so often, until the mean time is known, or without end",
            ),
            Key::by_hand(
                "warm_up",
                warm_up,
                Preset::Value(Value::Count(0)),
                "how many of the first steps do not count, or which share of them such as `10%`; with `0%` all count, and are measured",
            ),
            Key::by_hand("bursts", bursts, Preset::Written("none"), "whether steps come in bursts"),
            Key::by_hand("start", Shape::Value(Kind::Duration), start, "when it starts"),
            Key::by_hand(
                "orders",
                ranks(),
                Preset::Words("no orders"),
                "permutations of the ranks, one per collective with `order: given`; from the start again when used up",
            ),
            kind(),
            Key::by_hand("phases", phases, Preset::Required, "one step"),
        ],
    );
    let sections = [("steps", &sections::PRECISE), ("bursts", &sections::BURSTS)];
    let below = sections.map(|(name, spec)| Definition::section(name, spec, Vec::new()));
    [job].into_iter().chain(below).collect()
}

fn interference() -> Definition {
    let number = Shape::Value(Kind::Count { minimum: 4, maximum: 1_000_000 });
    let steps =
        vec![Shape::Value(Kind::Count { minimum: 1, maximum: u32::MAX.into() }), Shape::defined("steps")];
    let warm_up = vec![Shape::Value(ANY), Shape::Value(Kind::Fraction { minimum: 0.0, maximum: 0.9 })];
    let by_hand = vec![
        Key::by_hand(
            "hosts",
            Shape::Either(vec![number, Shape::list(Shape::Text)]),
            Preset::Required,
            "how many hosts both groups have together, or their names",
        ),
        Key::by_hand("victim", Shape::defined("collective"), Preset::Required, "what is measured"),
        Key::by_hand(
            "aggressor",
            Shape::Either(vec![Shape::Word("none"), Shape::defined("collective")]),
            Preset::Written("none"),
            "what gets in its way, round after round, until the victim is done; `none` is the baseline",
        ),
        Key::by_hand(
            "steps",
            Shape::Either(steps),
            Preset::Words("`{precision: 1.4%}`"),
            "how often the victim repeats its collective",
        ),
        Key::by_hand(
            "warm_up",
            Shape::Either(warm_up),
            Preset::Words("`10%`"),
            "how many of the first times do not count, or which share",
        ),
        Key::by_hand(
            "bursts",
            Shape::Either(vec![Shape::Word("none"), Shape::defined("bursts")]),
            Preset::Written("none"),
            "whether the aggressor's rounds come in bursts",
        ),
    ];
    Definition::section("interference", &sections::INTERFERENCE, by_hand)
}

/// Lists of ranks.
fn ranks() -> Shape {
    Shape::list(Shape::list(Shape::Value(ANY)))
}

fn placement() -> Vec<Definition> {
    let (mut members, mut all) = registry("placement", sections::PLACEMENTS, None);
    let body = Shape::list(Shape::Text);
    members.push(Member { name: "list", summary: "these hosts, rank by rank", body });
    all.insert(0, Definition::choice("placement", "which hosts a job runs on", members));
    all
}

fn phase() -> Vec<Definition> {
    let (collectives, mut definitions) =
        registry("collective", collective::SPECS, Some(&sections::COLLECTIVE));
    let member = |name, summary, body| Member { name, summary, body };
    let span = Shape::Value(Kind::Duration);
    let mut members = vec![
        member("compute", "every rank computes for that long", span),
        member("barrier", "all ranks meet at a modelled barrier", Shape::defined("barrier")),
        member("collectives", sections::COLLECTIVES.summary, Shape::defined("collectives")),
        member("point_to_point", sections::POINT_TO_POINT.summary, Shape::defined("point_to_point")),
        member("repeat", "phases several times over", Shape::defined("repeat")),
    ];
    members.extend(collectives.iter().cloned());
    let mut all = vec![
        Definition::choice(
            "phase",
            "a part of a step; a collective alone is one bucket that holds it",
            members,
        ),
        Definition::map("barrier", "a modelled barrier takes no parameters", Vec::new()),
        Definition::section("collectives", &sections::COLLECTIVES, vec![each()]),
        Definition::section("point_to_point", &sections::POINT_TO_POINT, vec![stages()]),
        repeat(),
        Definition::choice("collective", "who sends what to whom, and after what", collectives),
    ];
    all.append(&mut definitions);
    all
}

fn each() -> Key {
    let list = Shape::list(Shape::defined("collective"));
    Key::by_hand("each", list, Preset::Required, "the collectives that every bucket holds")
}

fn stages() -> Key {
    let number = Shape::Value(Kind::Count { minimum: 2, maximum: u32::MAX.into() });
    let shape = Shape::Either(vec![number, ranks()]);
    Key::by_hand("stages", shape, Preset::Required, "how many stages of equal length, or the ranks of each")
}

fn repeat() -> Definition {
    let times = Shape::Value(Kind::Count { minimum: 1, maximum: u16::MAX.into() });
    let phases = Shape::list(Shape::defined("phase"));
    let keys = vec![
        Key::by_hand("times", times, Preset::Required, "how often"),
        Key::by_hand("phases", phases, Preset::Required, "what is repeated"),
    ];
    Definition::map("repeat", "phases several times over", keys)
}

fn background() -> Vec<Definition> {
    let (members, mut all) = registry("background", background::SPECS, Some(&sections::BACKGROUND));
    for (definition, spec) in all.iter_mut().zip(background::SPECS) {
        if let (Body::Map(keys), true) = (&mut definition.body, Background::draws_sizes(spec)) {
            keys.extend([senders(), given()]);
        }
        if let Body::Map(keys) = &mut definition.body {
            keys.push(kind());
        }
    }
    all.insert(0, Definition::choice("background", "traffic beside the jobs", members));
    all
}

fn senders() -> Key {
    let meaning = "the hosts that send, and receive: as jobs are placed";
    Key::by_hand("senders", Shape::defined("placement"), Preset::Written("all"), meaning)
}

fn given() -> Key {
    let point = Shape::Pair(Box::new([Shape::Value(Kind::Size), Shape::Value(SHARE)]));
    let meaning = "with `sizes: given`: points of size and share of messages up to it, `[64KB, 50%]`";
    Key::by_hand("given", Shape::list(point), Preset::Words("no points"), meaning)
}

fn flows() -> Vec<Definition> {
    let host = |name, meaning| Key::by_hand(name, Shape::Text, Preset::Required, meaning);
    let stages = vec![Shape::Word("auto"), Shape::list(Shape::Value(Kind::Duration))];
    let by_hand = vec![
        Key::by_hand(
            "scale",
            Shape::Either(vec![Shape::Word("none"), Shape::Share]),
            Preset::Written("none"),
            "its times as a share of those of the source it follows: a fact that is told, and changes nothing",
        ),
        Key::by_hand(
            "stages",
            Shape::Either(stages),
            Preset::Written("auto"),
            "where one stage ends and the next one begins; `auto` is wherever a flow starts or stops",
        ),
        Key::by_hand("list", Shape::list(Shape::defined("flow")), Preset::Required, "the flows"),
    ];
    let own = vec![
        Key::by_hand("name", Shape::Text, Preset::Words("`from->to`"), "what it is called"),
        host("from", "the name of the host that sends"),
        host("to", "the name of the host that receives"),
        kind(),
    ];
    vec![
        Definition::section("flows", &sections::FLOWS, by_hand),
        Definition::section("flow", &sections::FLOW, own),
    ]
}

fn failures() -> Vec<Definition> {
    let random = Shape::Either(vec![Shape::Word("none"), Shape::defined("random")]);
    let timed = Shape::list(Shape::defined("timed"));
    let by_hand = vec![
        Key::by_hand(
            "random",
            random,
            Preset::Written("none"),
            "links failed from the start, drawn at random",
        ),
        Key::by_hand(
            "failed",
            Shape::list(Shape::Text),
            Preset::Words("no links"),
            "names of links failed from the start",
        ),
        Key::by_hand(
            "timed",
            timed,
            Preset::Words("no links"),
            "what happens to links, switches, NICs and hosts during the run",
        ),
        Key::by_hand(
            "processes",
            Shape::list(Shape::defined("processes")),
            Preset::Words("none"),
            "outages drawn at random, in time",
        ),
        Key::by_hand(
            "storms",
            Shape::list(Shape::defined("storms")),
            Preset::Words("no storms"),
            "NICs that keep pausing their switch",
        ),
    ];
    let host_link =
        Key::by_hand("link", Shape::Text, Preset::Required, "the name of the link between host and switch");
    let one = |name, meaning| {
        Key::by_hand(name, Shape::Text, Preset::Words("one of `link`, `switch`, `nic` and `host`"), meaning)
    };
    let happens = Key::by_hand("action", Shape::defined("action"), Preset::Required, "what happens");
    let subject = vec![
        one("link", "the name of a link"),
        one("switch", "the name of a switch: it happens to all its links, and what it holds is lost with it"),
        one("nic", "the name of the link between host and switch"),
        one("host", "the name of a host: it happens to the links of all its NICs"),
        happens,
    ];
    let kind =
        Key::by_hand("kind", Shape::defined("outage"), Preset::Written("down"), "what happens in an outage");
    let (members, definitions) = registry("action", faults::ACTIONS, None);
    let is_outage = |member: &&Member| faults::OUTAGES.iter().any(|spec| spec.name == member.name);
    let outages = members.iter().filter(is_outage).cloned().collect();
    let mut all = vec![
        Definition::section("faults", &faults::FAULTS, by_hand),
        Definition::section("random", &faults::RANDOM_FAULTS, Vec::new()),
        Definition::section("timed", &faults::TIMED_FAULT, subject),
        Definition::section("processes", &faults::PROCESS, vec![kind]),
        Definition::choice("action", "what happens to a link, a switch, a NIC or a host", members),
        Definition::choice("outage", "what happens while something is failed", outages),
    ];
    all.extend(definitions);
    all.push(Definition::section("storms", &faults::STORM, vec![host_link]));
    all
}

fn record() -> Vec<Definition> {
    let names = |name, meaning| Key::by_hand(name, Shape::list(Shape::Text), Preset::Words("none"), meaning);
    let interval = Shape::Value(Kind::Optional(&Kind::Duration));
    let by_hand = vec![
        Key::by_hand(
            "series",
            Shape::Either(vec![Shape::Word("auto"), interval]),
            Preset::Written("auto"),
            "first interval of the sampled series of every port; `auto` is 1us with at most 200 samples of each port and \
             131,072 of all, so none where ports are more than 4,096; `none` records no series",
        ),
        names("packets_from", "names of hosts whose flows are recorded packet by packet"),
        names(
            "packets_of",
            "flows recorded packet by packet: `source->destination`, or with `#number` one message",
        ),
        names("packets_on", "names of links recorded packet by packet"),
        names("rates_from", "names of hosts whose flows are recorded over time, a line for each receiver"),
        names("rates_of", "flows recorded over time: `source->destination`, or with `#number` one message"),
        Key::by_hand(
            "congestion",
            Shape::Either(vec![Shape::Word("none"), Shape::defined("congestion_tree")]),
            Preset::Words("none"),
            "roots, branches and victims of congestion, where there are credits",
        ),
    ];
    vec![
        Definition::section("record", &sections::RECORD, by_hand),
        Definition::section("congestion_tree", &sections::CONGESTION_TREE, Vec::new()),
    ]
}
