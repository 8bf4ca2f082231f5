//! Every definition of the language, from the whole scenario down.
//!
//! Invariants: text of a spec is not repeated here.

use netloom_catalog::topology;
use netloom_catalog::workload::{background, collective};
use netloom_policy::congestion::{self, infiniband};
use netloom_policy::{balance, edge};
use netloom_units::{Kind, Value};

use super::{Body, Definition, Key, Member, Preset, Shape, WHOLE, failures, flows, registry};
use crate::resolve::fabric::MOST_NUMBERED;
use crate::resolved::{
    Background, Balance, Class, Congestion, Group, GroupRanks, Job, Overlap, Steps, sections,
};

const SHARE: Kind = Kind::Fraction { minimum: 0.0, maximum: 1.0 };
const BARRIER: &str =
    "a modelled barrier: no messages; all ranks are released `coordination_delay` after the last one arrives";
const PROGRAM: &str = "operations that a program supplies during the run, rank by rank: `netloom.run(..., operations=...)` in Python";
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
        flows::all(),
        failures::all(),
        record(),
    ];
    parts.into_iter().flatten().collect()
}

fn whole() -> Definition {
    let section =
        |name: &'static str, preset, meaning| Key::explicit(name, Shape::defined(name), preset, meaning);
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
        Key::explicit(
            "netloom",
            Shape::Version,
            Preset::Required,
            "version of the scenario language; must be the first key",
        ),
        Key::explicit(
            "from",
            Shape::Text,
            Preset::Words("nothing"),
            "a scenario to inherit from: its path, relative to the folder of this file",
        ),
        Key::explicit(
            "name",
            Shape::Text,
            Preset::Words("the name of the file"),
            "name of the scenario; not inherited",
        ),
        Key::explicit("seed", seed, Preset::Value(Value::Count(1)), "seed of all random streams"),
        section("fabric", Preset::Required, "hosts, switches and links"),
        Key::explicit(
            "balance",
            policies,
            Preset::Written("ecmp"),
            "load balancing: one policy for all nodes, or one for each kind of node",
        ),
        Key::explicit(
            "routes",
            Shape::list(Shape::defined("routes")),
            Preset::Words("no static routes"),
            "static routes: explicit entries of forwarding tables; for other packets the policy decides",
        ),
        section("transport", Preset::Written("open_loop"), "how hosts send messages"),
        section(
            "congestion",
            Preset::Written("none"),
            "congestion control: how senders react to congestion; needs a transport with queue pairs \
             (`go_back_n`, `nic_sr`, `irn` or `ideal`)",
        ),
        section("queues", no.clone(), "queues at egress ports: when packets are dropped, paused or marked"),
        section(
            "classes",
            no.clone(),
            "traffic classes: those of data, that of control packets, and the settings of each",
        ),
        Key::explicit(
            "traffic",
            Shape::list(Shape::defined("traffic")),
            Preset::Words("no named kinds"),
            "named kinds of traffic, to which jobs, background traffic and flows refer",
        ),
        section("hosts", no.clone(), "host overheads for the messages of jobs"),
        Key::explicit("jobs", jobs, Preset::Words("no jobs"), "training jobs: their hosts, steps and phases"),
        Key::explicit(
            "interference",
            study,
            Preset::Written("none"),
            "a study of interference: two jobs, one of which is measured",
        ),
        Key::explicit("background", background, Preset::Written("none"), "traffic in addition to the jobs"),
        Key::explicit("flows", flows, Preset::Written("none"), "flows that start and stop at given times"),
        section("faults", Preset::Words("no faults"), "failures, and which nodes are aware of them"),
        Key::explicit(
            "coordination_delay",
            delay,
            Preset::Written("auto"),
            "delay of a modelled barrier, and interval of the snapshots from which nodes learn of distant faults and \
             queues",
        ),
        Key::explicit("deadline", deadline, Preset::Value(Value::Absent), "latest end of the run"),
        section("record", no, "recordings beyond the defaults"),
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
            Key::explicit(
                "hosts",
                nodes(),
                Preset::Required,
                "names of the hosts, or their number (`host0` and so on)",
            ),
            Key::explicit(
                "switches",
                nodes(),
                Preset::Words("no switches"),
                "names of the switches, or their number (`switch0` and so on)",
            ),
            Key::explicit("links", links, Preset::Required, "bundles of parallel links"),
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
            Key::explicit("from", Shape::Text, Preset::Required, "name of one end"),
            Key::explicit("to", Shape::Text, Preset::Required, "name of the other end"),
            Key::explicit("rate", Shape::Value(Kind::Rate), Preset::Required, "rate of each link"),
            Key::explicit(
                "delay",
                Shape::Value(Kind::Duration),
                Preset::Required,
                "propagation delay of each link",
            ),
            Key::explicit("count", count, Preset::Value(Value::Count(1)), "number of links"),
        ],
    )
}

fn balance() -> Vec<Definition> {
    let of_kind =
        |name, meaning| Key::explicit(name, Shape::defined("policy"), Preset::Written("ecmp"), meaning);
    let kinds = vec![
        of_kind("host", "policy of hosts: chooses among the ports of the NIC"),
        of_kind("switch", "policy of switches: chooses among equal next hops"),
        Key::explicit(
            "control",
            Shape::Either(vec![Shape::Word(Balance::AS_DATA), Shape::defined("policy")]),
            Preset::Written(Balance::AS_DATA),
            "policy of switches for ACKs, NACKs and CNPs",
        ),
        Key::explicit(
            "edge",
            Shape::Either(vec![Shape::Word("none"), Shape::defined("edge")]),
            Preset::Written("none"),
            "middlebox at the switches of hosts, which tracks queue pairs; needs `transport: nic_sr`",
        ),
    ];
    let (members, definitions) = registry("policy", balance::SPECS, None);
    let (helpers, known) = registry("edge", edge::SPECS, None);
    let mut all = vec![
        Definition::map("balance", "one policy for each kind of node", kinds),
        Definition::choice(
            "policy",
            "load balancing: which of the equal-cost next hops a packet takes",
            members,
        ),
    ];
    all.extend(definitions);
    all.push(Definition::choice(
        "edge",
        "middleboxes between NICs and a fabric that sprays packets",
        helpers,
    ));
    all.extend(known);
    all
}

fn route() -> Definition {
    let name = |name, preset, meaning| Key::explicit(name, Shape::Text, preset, meaning);
    let by_hand = vec![
        name("at", Preset::Required, "the name of the switch"),
        name("from", Preset::Words("any host"), "the name of the source host; needs `key: pair`"),
        name("to", Preset::Required, "the name of the destination host"),
        name("link", Preset::Required, "the name of the egress link, to a next hop of the switch"),
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
    let meaning = "the entries of the congestion control table, the first of them 0; the last one applies to all \
                   indices above";
    Key::explicit(Congestion::TABLE, shape, Preset::Written("none"), meaning)
}

fn queues() -> Vec<Definition> {
    let headroom = Shape::Either(vec![Shape::Word("auto"), Shape::Value(Kind::Size)]);
    let marking = Shape::Either(vec![Shape::Word("none"), Shape::defined("marking")]);
    let credits = Shape::Either(vec![Shape::Word("none"), Shape::defined("credits")]);
    let by_hand = vec![
        Key::explicit(
            "headroom",
            headroom,
            Preset::Written("auto"),
            "with `pause`: buffer per port, apart from the shared part, for data that arrives after a pause frame was \
             sent",
        ),
        Key::explicit(
            "marking",
            marking,
            Preset::Written("none"),
            "ECN marking of data packets at switches, to which congestion control reacts",
        ),
        Key::explicit(
            "credits",
            credits,
            Preset::Written("none"),
            "credits on every link and input buffers at switches, as in InfiniBand, instead of queues at egress ports",
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
    let list = Key::explicit(
        "list",
        Shape::list(Shape::defined("class")),
        Preset::Words("no classes"),
        "settings of single classes of data; those not listed have strict priority and the settings of `queues`",
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
        Key::explicit(name, Shape::Either(shapes), Preset::Written(Class::AS_QUEUES), meaning)
    };
    let by_hand = vec![
        Key::explicit("dscp", Shape::list(dscp()), Preset::Words("none"), "code points (DSCP) of this class"),
        Key::explicit(
            "schedule",
            Shape::defined("schedule"),
            Preset::Written("strict"),
            "how ports serve it",
        ),
        own(
            "marking",
            vec![as_queues(), Shape::Word("none"), Shape::defined("marking")],
            "marking of its packets at switches, by the length of its queue",
        ),
        own(
            "pause",
            vec![as_queues(), Shape::Value(Kind::Flag)],
            "whether switches pause it instead of dropping its packets",
        ),
        own(
            "alpha",
            vec![as_queues(), alpha],
            "dynamic threshold: what a queue or ingress port of it may occupy, as a multiple of the free buffer",
        ),
    ];
    Definition::section("class", &sections::CLASS, by_hand)
}

fn traffic() -> Definition {
    let class = Shape::Value(Kind::Count { minimum: 0, maximum: 7 });
    let by_hand = vec![
        Key::explicit("name", Shape::Text, Preset::Required, "its name"),
        Key::explicit(
            "dscp",
            dscp(),
            Preset::Words("none"),
            "the code point (DSCP) of its packets, which determines their class",
        ),
        Key::explicit(
            "class",
            class,
            Preset::Words("the class of data"),
            "the class of its packets, given directly",
        ),
    ];
    Definition::section("traffic", &sections::TRAFFIC, by_hand)
}

/// The key that names the kind of traffic of messages.
pub(super) fn kind() -> Key {
    Key::explicit(
        "traffic",
        Shape::Text,
        Preset::Written("none"),
        "the kind of its traffic: a name defined under `traffic`",
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
            Key::explicit("name", Shape::Text, Preset::Words("`job0` and so on"), "its name"),
            Key::explicit(
                "placement",
                Shape::defined("placement"),
                Preset::Written("all"),
                "which hosts it runs on",
            ),
            Key::explicit(
                "ranks_per_host",
                Shape::Value(Kind::Count { minimum: 1, maximum: Job::MOST_RANKS_PER_HOST.into() }),
                Preset::Value(Value::Count(1)),
                "number of consecutive ranks on each of its hosts; more than one needs `hosts.local_rate`",
            ),
            Key::explicit(
                "share_hosts",
                Shape::Value(Kind::Flag),
                Preset::Value(Value::Flag(false)),
                "whether it may run on hosts of other jobs, and they on its hosts",
            ),
            Key::explicit(
                "steps",
                steps,
                Preset::Value(Value::Count(1)),
                "number of repetitions of the phases: fixed, as many as a precise mean step time needs, or `endless`",
            ),
            Key::explicit(
                "warm_up",
                warm_up,
                Preset::Value(Value::Count(0)),
                "warm-up: number of first steps that do not count, or a share of all steps such as `10%`; `0`: \
                 all count; `0%`: all count, and the mean step time is measured",
            ),
            Key::explicit("bursts", bursts, Preset::Written("none"), "whether steps run in bursts"),
            Key::explicit("start", Shape::Value(Kind::Duration), start, "when it starts"),
            Key::explicit(
                "groups",
                Shape::Names(Box::new(group())),
                Preset::Words("no groups"),
                "kinds of groups of ranks that collectives may name: sizes of parallel dimensions, laid out over the \
                 ranks in the order in which they are written, the first one fastest (their product is the number \
                 of ranks; `auto` is the size that the others leave); consecutive members of another group; or \
                 lists of ranks",
            ),
            Key::explicit(
                "orders",
                ranks(),
                Preset::Words("no orders"),
                "permutations of the ranks, one per collective with `order: given`; repeated from the start when used \
                 up",
            ),
            kind(),
            Key::explicit("phases", phases, Preset::Required, "the phases of one step"),
        ],
    );
    let within = Definition::map(
        "group",
        "groups of consecutive members of other groups",
        vec![
            Key::explicit("within", Shape::Text, Preset::Required, "the groups that are divided"),
            Key::explicit(
                "size",
                Shape::Value(Kind::Count { minimum: 1, maximum: u32::MAX.into() }),
                Preset::Required,
                "number of ranks in a group",
            ),
        ],
    );
    let sections = [("steps", &sections::PRECISE), ("bursts", &sections::BURSTS)];
    let below = sections.map(|(name, spec)| Definition::section(name, spec, Vec::new()));
    [job, within].into_iter().chain(below).collect()
}

fn interference() -> Definition {
    let number = Shape::Value(Kind::Count { minimum: 4, maximum: 1_000_000 });
    let steps =
        vec![Shape::Value(Kind::Count { minimum: 1, maximum: u32::MAX.into() }), Shape::defined("steps")];
    let warm_up = vec![Shape::Value(ANY), Shape::Value(Kind::Fraction { minimum: 0.0, maximum: 0.9 })];
    let by_hand = vec![
        Key::explicit(
            "hosts",
            Shape::Either(vec![number, Shape::list(Shape::Text)]),
            Preset::Required,
            "number of hosts of both groups together, or their names",
        ),
        Key::explicit(
            "victim",
            Shape::defined("collective"),
            Preset::Required,
            "the collective that is measured",
        ),
        Key::explicit(
            "aggressor",
            Shape::Either(vec![Shape::Word("none"), Shape::defined("collective")]),
            Preset::Written("none"),
            "the collective that interferes, repeated until the victim has finished; `none` is the baseline",
        ),
        Key::explicit(
            "steps",
            Shape::Either(steps),
            Preset::Words("`{precision: 1.4%}`"),
            "number of repetitions of the victim's collective",
        ),
        Key::explicit(
            "warm_up",
            Shape::Either(warm_up),
            Preset::Words("`10%`"),
            "warm-up: number of first repetitions that do not count, or their share",
        ),
        Key::explicit(
            "bursts",
            Shape::Either(vec![Shape::Word("none"), Shape::defined("bursts")]),
            Preset::Written("none"),
            "whether the aggressor repeats its collective in bursts",
        ),
    ];
    Definition::section("interference", &sections::INTERFERENCE, by_hand)
}

/// Which ranks form the groups of a kind.
fn group() -> Shape {
    let size = Shape::Value(Kind::Count { minimum: 1, maximum: u32::MAX.into() });
    Shape::Either(vec![size, Shape::Word(GroupRanks::AUTO), Shape::defined("group"), ranks()])
}

/// Lists of ranks.
fn ranks() -> Shape {
    Shape::list(Shape::list(Shape::Value(ANY)))
}

fn placement() -> Vec<Definition> {
    let (mut members, mut all) = registry("placement", sections::PLACEMENTS, None);
    let body = Shape::list(Shape::Text);
    members.push(Member { name: "list", summary: "the listed hosts, rank by rank", body });
    all.insert(0, Definition::choice("placement", "which hosts a job runs on", members));
    all
}

fn phase() -> Vec<Definition> {
    let (collectives, mut definitions) =
        registry("collective", collective::SPECS, Some(&sections::COLLECTIVE));
    for definition in &mut definitions {
        if let Body::Map(keys) = &mut definition.body {
            keys.push(in_groups());
        }
    }
    let member = |name, summary, body| Member { name, summary, body };
    let span = Shape::Value(Kind::Duration);
    let mut members = vec![
        member("compute", "every rank computes for this time", span),
        member("barrier", BARRIER, Shape::defined("barrier")),
        member("collectives", sections::COLLECTIVES.summary, Shape::defined("collectives")),
        member("point_to_point", sections::POINT_TO_POINT.summary, Shape::defined("point_to_point")),
        member("pipeline", sections::PIPELINE.summary, Shape::defined("pipeline")),
        member("program", PROGRAM, Shape::defined("program")),
        member("repeat", "repeated phases", Shape::defined("repeat")),
    ];
    members.extend(collectives.iter().cloned());
    let mut all = vec![
        Definition::choice(
            "phase",
            "a part of a step; a collective written by its name is one bucket that contains it",
            members,
        )
        .with_beside(overlap()),
        Definition::map("barrier", BARRIER, Vec::new()),
        Definition::map("program", PROGRAM, Vec::new()),
        Definition::section("collectives", &sections::COLLECTIVES, vec![each()]),
        Definition::section("point_to_point", &sections::POINT_TO_POINT, vec![stages()]),
        Definition::section("pipeline", &sections::PIPELINE, vec![stages()]),
        repeat(),
        Definition::choice(
            "collective",
            "the algorithm of a collective: messages between ranks and their dependences",
            collectives,
        ),
    ];
    all.append(&mut definitions);
    all
}

/// How a phase overlaps with others.
fn overlap() -> Vec<Key> {
    let names = Shape::Either(vec![Shape::Text, Shape::list(Shape::Text)]);
    let none = || Preset::Words("none");
    let stream = "the stream in which it follows the phase before it; streams run concurrently";
    vec![
        Key::explicit("name", Shape::Text, none(), "its name, for `after` of later phases"),
        Key::explicit("stream", Shape::Text, Preset::Written(Overlap::MAIN), stream),
        Key::explicit(
            "after",
            names,
            none(),
            "earlier phases, of other streams, that it waits for at its rank",
        ),
    ]
}

fn in_groups() -> Key {
    let shape = Shape::Either(vec![Shape::Word(Group::ALL), Shape::Text]);
    let meaning =
        "the groups of the job in which it runs, all of a kind side by side; `all`: all ranks together";
    Key::explicit("group", shape, Preset::Written(Group::ALL), meaning)
}

fn each() -> Key {
    let list = Shape::list(Shape::defined("collective"));
    Key::explicit("each", list, Preset::Required, "the collectives in every bucket")
}

fn stages() -> Key {
    let number = Shape::Value(Kind::Count { minimum: 2, maximum: u32::MAX.into() });
    let shape = Shape::Either(vec![number, ranks(), Shape::Text]);
    let meaning = "number of stages of equal length, the ranks of each, or the groups whose members are one in each stage";
    Key::explicit("stages", shape, Preset::Required, meaning)
}

fn repeat() -> Definition {
    let times = Shape::Value(Kind::Count { minimum: 1, maximum: u16::MAX.into() });
    let phases = Shape::list(Shape::defined("phase"));
    let keys = vec![
        Key::explicit("times", times, Preset::Required, "number of repetitions"),
        Key::explicit("phases", phases, Preset::Required, "the phases that are repeated"),
    ];
    Definition::map("repeat", "repeated phases", keys)
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
    all.insert(0, Definition::choice("background", "traffic in addition to the jobs", members));
    all
}

fn senders() -> Key {
    let meaning = "the hosts that send and receive, chosen as for the placement of a job";
    Key::explicit("senders", Shape::defined("placement"), Preset::Written("all"), meaning)
}

fn given() -> Key {
    let point = Shape::Pair(Box::new([Shape::Value(Kind::Size), Shape::Value(SHARE)]));
    let meaning = "with `sizes: given`: points of the size distribution, each a size and the share of messages up to \
                   it, such as `[64KB, 50%]`";
    Key::explicit("given", Shape::list(point), Preset::Words("no points"), meaning)
}

fn record() -> Vec<Definition> {
    let names = |name, meaning| Key::explicit(name, Shape::list(Shape::Text), Preset::Words("none"), meaning);
    let interval = Shape::Value(Kind::Optional(&Kind::Duration));
    let by_hand = vec![
        Key::explicit(
            "series",
            Shape::Either(vec![Shape::Word("auto"), interval]),
            Preset::Written("auto"),
            "initial sampling interval of the series of every port, doubled in long runs; `auto`: 1us, with at \
             most 200 samples of each port and 131,072 of all ports, and no series if there are more than 4,096 \
             ports; `none`: no series",
        ),
        names("packets_from", "names of hosts whose flows are recorded packet by packet"),
        names(
            "packets_of",
            "flows recorded packet by packet: `source->destination`, or with `#number` one message",
        ),
        names("packets_on", "names of links recorded packet by packet"),
        names("rates_from", "names of hosts whose flows are recorded over time, a line for each receiver"),
        names("rates_of", "flows recorded over time: `source->destination`, or with `#number` one message"),
        Key::explicit(
            "congestion",
            Shape::Either(vec![Shape::Word("none"), Shape::defined("congestion_tree")]),
            Preset::Words("none"),
            "roots, branches and victims of congestion; needs credits",
        ),
    ];
    vec![
        Definition::section("record", &sections::RECORD, by_hand),
        Definition::section("congestion_tree", &sections::CONGESTION_TREE, Vec::new()),
    ]
}
