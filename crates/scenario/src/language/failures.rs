//! Definitions of failures: the section `faults` and those below it.
//!
//! Invariants: text of a spec is not repeated here.

use super::{Definition, Key, Member, Preset, Shape, registry};
use crate::resolved::faults;

/// The section `faults` and those below it.
pub(super) fn all() -> Vec<Definition> {
    let random = Shape::Either(vec![Shape::Word("none"), Shape::defined("random")]);
    let timed = Shape::list(Shape::defined("timed"));
    let by_hand = vec![
        Key::explicit(
            "random",
            random,
            Preset::Written("none"),
            "links failed from the start, chosen at random",
        ),
        Key::explicit(
            "failed",
            Shape::list(Shape::Text),
            Preset::Words("no links"),
            "names of links failed from the start",
        ),
        Key::explicit(
            "timed",
            timed,
            Preset::Words("no links"),
            "fault events of links, switches, NICs and hosts during the run",
        ),
        Key::explicit(
            "processes",
            Shape::list(Shape::defined("processes")),
            Preset::Words("none"),
            "failure processes: random outages, by mean times between failures and to repair",
        ),
        Key::explicit(
            "storms",
            Shape::list(Shape::defined("storms")),
            Preset::Words("no storms"),
            "NICs that send pause frames continuously (pause storms)",
        ),
    ];
    let host_link =
        Key::explicit("link", Shape::Text, Preset::Required, "the name of the link between host and switch");
    let one = |name, meaning| {
        Key::explicit(name, Shape::Text, Preset::Words("one of `link`, `switch`, `nic` and `host`"), meaning)
    };
    let happens = Key::explicit(
        "action",
        Shape::defined("action"),
        Preset::Required,
        "what happens: a failure, a change of rate, losses, or their end",
    );
    let subject = vec![
        one("link", "the name of a link"),
        one(
            "switch",
            "the name of a switch: the event is one of all its links, and a switch that goes down loses the packets in \
             it",
        ),
        one("nic", "the name of the link between host and switch"),
        one("host", "the name of a host: the event is one of the links of all its NICs"),
        happens,
    ];
    let kind =
        Key::explicit("kind", Shape::defined("outage"), Preset::Written("down"), "the effect of an outage");
    let (members, definitions) = registry("action", faults::ACTIONS, None);
    let is_outage = |member: &&Member| faults::OUTAGES.iter().any(|spec| spec.name == member.name);
    let outages = members.iter().filter(is_outage).cloned().collect();
    let mut all = vec![
        Definition::section("faults", &faults::FAULTS, by_hand),
        Definition::section("random", &faults::RANDOM_FAULTS, Vec::new()),
        Definition::section("timed", &faults::TIMED_FAULT, subject),
        Definition::section("processes", &faults::PROCESS, vec![kind]),
        Definition::choice("action", "the action of an event on a link, a switch, a NIC or a host", members),
        Definition::choice("outage", "the effect of an outage while it lasts", outages),
    ];
    all.extend(definitions);
    all.push(Definition::section("storms", &faults::STORM, vec![host_link]));
    all
}
