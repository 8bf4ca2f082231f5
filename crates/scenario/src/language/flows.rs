//! Definitions of flows: the section `flows`, flows that start and stop, and finite flows.
//!
//! Invariants: text of a spec is not repeated here.

use netloom_units::Kind;

use super::sections::kind;
use super::{Definition, Key, Preset, Shape};
use crate::resolved::sections;

/// The section `flows` and those below it.
pub(super) fn all() -> Vec<Definition> {
    let host = |name, meaning| Key::explicit(name, Shape::Text, Preset::Required, meaning);
    let stages = vec![Shape::Word("auto"), Shape::list(Shape::Value(Kind::Duration))];
    let by_hand = vec![
        Key::explicit(
            "scale",
            Shape::Either(vec![Shape::Word("none"), Shape::Share]),
            Preset::Written("none"),
            "scale of the times of this section relative to the experiment that it reproduces; only reported, \
             without effect on the run",
        ),
        Key::explicit(
            "stages",
            Shape::Either(stages),
            Preset::Written("auto"),
            "boundaries of the stages; `auto` is every start and stop of a flow",
        ),
        Key::explicit(
            "file",
            Shape::Either(vec![Shape::Word("none"), Shape::Text]),
            Preset::Written("none"),
            "the path of a file of finite flows, from the folder of the scenario: rows of comma-separated values below \
             `src,dst,size,start`, and optionally `class` and `after`",
        ),
        Key::explicit(
            "digest",
            Shape::Either(vec![Shape::Word("none"), Shape::Text]),
            Preset::Written("none"),
            "the BLAKE3 digest that the file must have; a resolved scenario states it",
        ),
        Key::explicit(
            "list",
            Shape::list(Shape::Either(vec![Shape::defined("flow"), Shape::defined("finite_flow")])),
            Preset::Words("required, unless there is a `file`"),
            "the flows",
        ),
    ];
    let own = || {
        vec![
            Key::explicit("name", Shape::Text, Preset::Words("`from->to`"), "its name"),
            host("from", "the name of the sending host"),
            host("to", "the name of the receiving host"),
            kind(),
        ]
    };
    let after = Key::explicit(
        "after",
        Shape::Either(vec![Shape::Word("none"), Shape::Text]),
        Preset::Written("none"),
        "the name of a finite flow before it in the list: it starts after that flow has completed",
    );
    let finite = own().into_iter().chain([after]).collect();
    vec![
        Definition::section("flows", &sections::FLOWS, by_hand),
        Definition::section("flow", &sections::FLOW, own()),
        Definition::section("finite_flow", &sections::FINITE_FLOW, finite),
    ]
}
