//! Faults, and the specifications of all their kinds.

use netloom_units::{Duration, Kind, Spec, Value};

use super::Parameters;
use super::sections::{OURS, choice, parameter};
use crate::place::Placed;

/// Faults, and the failure awareness of nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Faults {
    /// Failure awareness, among other settings of the section.
    pub settings: Parameters,
    /// Links drawn at random that are failed from the start.
    pub random: Option<Parameters>,
    /// Links failed from the start.
    pub failed: Vec<Placed<String>>,
    /// Faults at instants of the run.
    pub timed: Vec<TimedFault>,
    /// Random outages in time (failure processes).
    pub processes: Vec<Process>,
    /// NICs that send pause frames continuously.
    pub storms: Vec<NamedStorm>,
}

/// A fault event at an instant.
#[derive(Debug, Clone, PartialEq)]
pub struct TimedFault {
    /// The affected component.
    pub subject: Sufferer,
    /// The instant.
    pub settings: Parameters,
    /// The action.
    pub action: Parameters,
}

/// The affected component, by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Sufferer {
    /// Its type: one of [`Sufferer::KEYS`].
    pub what: &'static str,
    /// Its name.
    pub name: Placed<String>,
}

impl Sufferer {
    /// The possible types. A NIC has the name of its link.
    pub const KEYS: [&'static str; 4] = ["link", "switch", "nic", "host"];
}

/// Random outages in time (failure processes).
#[derive(Debug, Clone, PartialEq)]
pub struct Process {
    /// Component, rate and duration of the outages.
    pub settings: Parameters,
    /// The effect of an outage.
    pub kind: Parameters,
}

/// A NIC that sends pause frames continuously.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedStorm {
    /// The name of its link.
    pub link: Placed<String>,
    /// When and how often.
    pub settings: Parameters,
}

/// The settings of all faults.
pub static FAULTS: Spec = Spec {
    name: "faults",
    summary: "what fails, slows down or loses packets, and who notices",
    source: OURS,
    parameters: &[
        parameter(
            "knowledge",
            Kind::Choice(&["local", "global", "up_down"]),
            Some(choice("local")),
            "who avoids a failed link: the two nodes at its ends, or every node from the next snapshot on; `up_down` \
             as `global`, by paths that go up and then down only",
        ),
        parameter(
            "loss",
            Kind::Fraction { minimum: 0.0, maximum: 1.0 },
            Some(Value::Fraction(0.0)),
            "the chance that a link loses a data packet, each packet and link by itself",
        ),
        parameter(
            "detection",
            Kind::Duration,
            Some(Value::Duration(Duration::ZERO)),
            "from a link's going down until its ends notice, if it is still down; until then they send into it",
        ),
        parameter(
            "recovery",
            Kind::Optional(&Kind::Duration),
            Some(Value::Absent),
            "the same for its coming up; `none` is as long as `detection`",
        ),
        parameter(
            "reconvergence",
            Kind::Duration,
            Some(Value::Duration(Duration::ZERO)),
            "from there until every node may know, at the next snapshot; without meaning where `knowledge` is `local`",
        ),
    ],
};

/// Links failed at random.
pub static RANDOM_FAULTS: Spec = Spec {
    name: "random",
    summary: "links failed from the start, drawn by the scenario's seed",
    source: "Zeltser 2026 (coin)",
    parameters: &[
        parameter("fraction", Kind::Fraction { minimum: 0.0, maximum: 1.0 }, None, "share of the links"),
        parameter(
            "among",
            Kind::Choice(&["all", "fabric", "host"]),
            Some(choice("all")),
            "which links: all, those between switches, or those of hosts",
        ),
        parameter(
            "draw",
            Kind::Choice(&["coin", "exact"]),
            Some(choice("coin")),
            "`coin` decides link by link, so the number varies; `exact` fails the nearest whole number of links",
        ),
    ],
};

/// One fault event.
pub static TIMED_FAULT: Spec = Spec {
    name: "timed",
    summary: "something that happens to a link, a switch, a NIC or a host",
    source: OURS,
    parameters: &[parameter("at", Kind::Duration, None, "when")],
};

/// The component goes down.
pub static DOWN: Spec = Spec {
    name: "down",
    summary: "nothing is carried any more; what a switch holds is lost with it",
    source: OURS,
    parameters: &[],
};

/// The component comes up.
pub static UP: Spec = Spec { name: "up", summary: "it carries packets again", source: OURS, parameters: &[] };

/// Flapping: it goes down and comes up repeatedly.
pub static FLAP: Spec = Spec {
    name: "flap",
    summary: "it goes down and comes up again, once in each period",
    source: OURS,
    parameters: &[
        parameter("period", Kind::Duration, None, "from one going down to the next"),
        parameter(
            "down",
            Kind::Fraction { minimum: 0.0, maximum: 1.0 },
            Some(Value::Fraction(0.5)),
            "share of each period, at its start, for which it is down",
        ),
        parameter("until", Kind::Duration, None, "when the last period has ended; only whole ones begin"),
    ],
};

/// Its rate is reduced.
pub static DEGRADE: Spec = Spec {
    name: "degrade",
    summary: "packets that start from then on are sent at a lower rate",
    source: OURS,
    parameters: &[parameter("rate", Kind::Rate, None, "the rate of each direction, below its own")],
};

/// Its own rate is restored.
pub static RESTORE: Spec =
    Spec { name: "restore", summary: "it has its own rate again", source: OURS, parameters: &[] };

/// It loses packets.
pub static ERRORS: Spec = Spec {
    name: "errors",
    summary: "data packets that start from then on are lost by chance, each by itself",
    source: OURS,
    parameters: &[
        parameter(
            "loss",
            Kind::Optional(&Kind::Fraction { minimum: 0.0, maximum: 1.0 }),
            Some(Value::Absent),
            "the chance that a packet is lost, whatever its size; this or `ber`",
        ),
        parameter(
            "ber",
            Kind::Optional(&Kind::Fraction { minimum: 0.0, maximum: 1.0 }),
            Some(Value::Absent),
            "the chance that a bit is wrong: a packet is lost with 1 - (1 - ber)^bits",
        ),
    ],
};

/// It stops losing packets.
pub static CLEAR: Spec =
    Spec { name: "clear", summary: "no more packets are lost by `errors`", source: OURS, parameters: &[] };

/// The possible actions of fault events.
pub static ACTIONS: &[&Spec] = &[&DOWN, &UP, &FLAP, &DEGRADE, &RESTORE, &ERRORS, &CLEAR];

/// The possible effects of random outages.
pub static OUTAGES: &[&Spec] = &[&DOWN, &DEGRADE, &ERRORS];

/// Random outages in time (failure processes).
pub static PROCESS: Spec = Spec {
    name: "processes",
    summary: "outages drawn by the scenario's seed, each component by itself: times between and times to repair are \
              exponential",
    source: "the memoryless model of repairable systems; streams and rounding are ours",
    parameters: &[
        parameter("what", Kind::Choice(&["link", "switch", "nic"]), None, "which components"),
        parameter(
            "among",
            Kind::Choice(&["all", "fabric", "host"]),
            Some(choice("all")),
            "of links: all, those between switches, or those of hosts",
        ),
        parameter("mtbf", Kind::Duration, None, "mean time from a repair to the next outage of a component"),
        parameter("mttr", Kind::Duration, None, "mean time from an outage to its end"),
        parameter(
            "start",
            Kind::Duration,
            Some(Value::Duration(Duration::ZERO)),
            "from when on components may fail",
        ),
        parameter("until", Kind::Duration, None, "until when they may; what has failed is still repaired"),
    ],
};

/// A NIC that sends pause frames continuously.
pub static STORM: Spec = Spec {
    name: "storms",
    summary: "a NIC that keeps sending pause frames for nothing; needs `queues: {pause: true}`",
    source: OURS,
    parameters: &[
        parameter("at", Kind::Duration, None, "when it begins"),
        parameter("span", Kind::Duration, None, "how long it lasts; then the NIC lets packets go on"),
        parameter(
            "interval",
            Kind::Duration,
            Some(Value::Duration(Duration::from_micros(10))),
            "from one pause frame to the next",
        ),
    ],
};
