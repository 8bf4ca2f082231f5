//! Faults, and the specifications of all their kinds.

use netloom_units::{Duration, Kind, Spec, Value};

use super::Parameters;
use super::sections::{ASSUMPTION, choice, parameter};
use crate::location::Located;

/// Faults, and the failure awareness of nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Faults {
    /// Failure awareness, among other settings of the section.
    pub settings: Parameters,
    /// Randomly chosen links that are failed from the start.
    pub random: Option<Parameters>,
    /// Links failed from the start.
    pub failed: Vec<Located<String>>,
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
    pub name: Located<String>,
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
    pub link: Located<String>,
    /// When and how often.
    pub settings: Parameters,
}

/// The settings of all faults.
pub static FAULTS: Spec = Spec {
    name: "faults",
    summary: "failed links and nodes, reduced rates and packet loss, and which nodes are aware of them",
    source: ASSUMPTION,
    parameters: &[
        parameter(
            "awareness",
            Kind::Choice(&["local", "global", "up_down"]),
            Some(choice("local")),
            "failure awareness, which nodes avoid a failed link: `local`, the two at its ends; `global`, all from the \
             next snapshot on; `up_down`, as `global`, with paths that go up and then down only",
        ),
        parameter(
            "loss",
            Kind::Fraction { minimum: 0.0, maximum: 1.0 },
            Some(Value::Fraction(0.0)),
            "the probability that a link loses a data packet, independent for each packet and link",
        ),
        parameter(
            "detection",
            Kind::Duration,
            Some(Value::Duration(Duration::ZERO)),
            "failure detection delay: time from a link's failure until its ends detect it, if it is still down; until \
             then they send packets into it",
        ),
        parameter(
            "recovery",
            Kind::Optional(&Kind::Duration),
            Some(Value::Absent),
            "the same for the recovery of a link; `none` takes the value of `detection`",
        ),
        parameter(
            "reconvergence",
            Kind::Duration,
            Some(Value::Duration(Duration::ZERO)),
            "routing convergence delay: time from detection until nodes elsewhere learn of it, at the next snapshot; \
             no effect if `awareness` is `local`",
        ),
    ],
};

/// Links failed at random.
pub static RANDOM_FAULTS: Spec = Spec {
    name: "random",
    summary: "links failed from the start, chosen at random by the scenario's seed",
    source: "Zeltser 2026 (coin)",
    parameters: &[
        parameter(
            "fraction",
            Kind::Fraction { minimum: 0.0, maximum: 1.0 },
            None,
            "fraction of the links that fail",
        ),
        parameter(
            "among",
            Kind::Choice(&["all", "fabric", "host"]),
            Some(choice("all")),
            "which links may fail: all, those between switches, or those of hosts",
        ),
        parameter(
            "draw",
            Kind::Choice(&["coin", "exact"]),
            Some(choice("coin")),
            "`coin` decides independently for each link, so the number varies; `exact` fails the nearest whole number \
             of links",
        ),
    ],
};

/// One fault event.
pub static TIMED_FAULT: Spec = Spec {
    name: "timed",
    summary: "a fault event of a link, a switch, a NIC or a host",
    source: ASSUMPTION,
    parameters: &[parameter("at", Kind::Duration, None, "when")],
};

/// The component goes down.
pub static DOWN: Spec = Spec {
    name: "down",
    summary: "it carries no packets; a switch that goes down loses the packets in it",
    source: ASSUMPTION,
    parameters: &[],
};

/// The component comes up.
pub static UP: Spec =
    Spec { name: "up", summary: "it carries packets again", source: ASSUMPTION, parameters: &[] };

/// Flapping: it goes down and comes up repeatedly.
pub static FLAP: Spec = Spec {
    name: "flap",
    summary: "it goes down and comes up again, once in each period",
    source: ASSUMPTION,
    parameters: &[
        parameter("period", Kind::Duration, None, "time from one failure to the next"),
        parameter(
            "down",
            Kind::Fraction { minimum: 0.0, maximum: 1.0 },
            Some(Value::Fraction(0.5)),
            "fraction of each period, from its start, for which it is down",
        ),
        parameter("until", Kind::Duration, None, "end of the flapping; only periods that end by then begin"),
    ],
};

/// Its rate is reduced.
pub static DEGRADE: Spec = Spec {
    name: "degrade",
    summary: "packets whose transmission starts from then on are sent at a reduced rate",
    source: ASSUMPTION,
    parameters: &[parameter(
        "rate",
        Kind::Rate,
        None,
        "the reduced rate of each direction, below the nominal rate",
    )],
};

/// Its own rate is restored.
pub static RESTORE: Spec =
    Spec { name: "restore", summary: "its nominal rate is restored", source: ASSUMPTION, parameters: &[] };

/// It loses packets.
pub static ERRORS: Spec = Spec {
    name: "errors",
    summary: "data packets whose transmission starts from then on are lost at random, independently",
    source: ASSUMPTION,
    parameters: &[
        parameter(
            "loss",
            Kind::Optional(&Kind::Fraction { minimum: 0.0, maximum: 1.0 }),
            Some(Value::Absent),
            "the probability that a packet is lost, whatever its size; either this or `ber`",
        ),
        parameter(
            "ber",
            Kind::Optional(&Kind::Fraction { minimum: 0.0, maximum: 1.0 }),
            Some(Value::Absent),
            "bit error rate: a packet is lost with probability 1 - (1 - ber)^bits; either this or `loss`",
        ),
    ],
};

/// It stops losing packets.
pub static CLEAR: Spec = Spec {
    name: "clear",
    summary: "it loses no more packets by `errors`",
    source: ASSUMPTION,
    parameters: &[],
};

/// The possible actions of fault events.
pub static ACTIONS: &[&Spec] = &[&DOWN, &UP, &FLAP, &DEGRADE, &RESTORE, &ERRORS, &CLEAR];

/// The possible effects of random outages.
pub static OUTAGES: &[&Spec] = &[&DOWN, &DEGRADE, &ERRORS];

/// Random outages in time (failure processes).
pub static PROCESS: Spec = Spec {
    name: "processes",
    summary: "random outages by the scenario's seed, independent for each component: times between outages and times \
              to repair are exponential",
    source: "the memoryless model of repairable systems; random streams and rounding are modelling assumptions",
    parameters: &[
        parameter("what", Kind::Choice(&["link", "switch", "nic"]), None, "which components may fail"),
        parameter(
            "among",
            Kind::Choice(&["all", "fabric", "host"]),
            Some(choice("all")),
            "for `what: link`, which links may fail: all, those between switches, or those of hosts",
        ),
        parameter("mtbf", Kind::Duration, None, "mean time from a repair to the next outage of a component"),
        parameter("mttr", Kind::Duration, None, "mean time from the start of an outage to its end"),
        parameter(
            "start",
            Kind::Duration,
            Some(Value::Duration(Duration::ZERO)),
            "no component fails before this time",
        ),
        parameter(
            "until",
            Kind::Duration,
            None,
            "no component fails from this time on; those that are down are still repaired",
        ),
    ],
};

/// A NIC that sends pause frames continuously.
pub static STORM: Spec = Spec {
    name: "storms",
    summary: "a NIC that sends pause frames continuously (pause storm); needs `queues: {pause: true}`",
    source: ASSUMPTION,
    parameters: &[
        parameter("at", Kind::Duration, None, "start of the storm"),
        parameter(
            "span",
            Kind::Duration,
            None,
            "duration of the storm; at its end the NIC lets its switch send again",
        ),
        parameter(
            "interval",
            Kind::Duration,
            Some(Value::Duration(Duration::from_micros(10))),
            "time from one pause frame to the next",
        ),
    ],
};
