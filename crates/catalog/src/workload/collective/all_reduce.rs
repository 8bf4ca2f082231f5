//! # Idea
//! An all-reduce whose algorithm is chosen as libraries do: by the size of the vector and the number of ranks.
//!
//! # Source
//! NCCL: rings for large vectors, two trees for small ones; Thakur, Rabenseifner, Gropp, IJHPCA 2005: halving and doubling
//! for the smallest. The bounds of the table are a modelling assumption; libraries measure them.
//!
//! # Parameters
//! `algorithm`: `auto` chooses by the table; others are fixed. `chunk`: of rings and trees.
//!
//! | vector S over n ranks | `auto` |
//! |---|---|
//! | S/n of at least 128 KiB | `ring_all_reduce` |
//! | else S of at least 256 KiB | `tree_all_reduce` |
//! | less | `halving_doubling_all_reduce` |
//!
//! # Invariants
//! Those of the algorithm chosen.
//!
//! # When it misleads
//! The bounds are the same for all fabrics; name an algorithm to compare. Groups of different sizes may have different
//! algorithms. With `channels` the choice is that for the whole vector and
//! the largest group.

use netloom_model::Collective;
use netloom_units::{Bytes, Kind, Parameter, Settings, Spec, Value};

use super::channels::{CHANNEL_SERVER, CHANNELS};
use super::{
    Algorithm, Demand, Factor, Frame, Plan, Posted, SPECS, Step, halving_doubling_all_reduce,
    ring_all_reduce, tree_all_reduce,
};

/// The least part of a rank for which `auto` takes a ring, in bytes.
const LEAST_PART_OF_RING: u64 = 128 * 1024;
/// The least vector for which it takes trees, in bytes.
const LEAST_OF_TREES: u64 = 256 * 1024;

/// The specification.
pub static SPEC: Spec = Spec {
    name: "all_reduce",
    summary: "all-reduce by the algorithm that suits the size: a ring, two trees, or halving and doubling",
    source: "NCCL; Thakur, Rabenseifner, Gropp, IJHPCA 2005; bounds: modelling assumption",
    parameters: &[
        Parameter {
            name: "algorithm",
            kind: Kind::Choice(&["auto", "ring", "tree", "halving_doubling"]),
            default: Some(Value::Choice("auto")),
            meaning: "`auto`: a ring if each rank has at least 128 KiB of the vector, else two trees from 256 KiB \
                      on, else halving and doubling",
        },
        Parameter {
            name: "chunk",
            kind: Kind::Size,
            default: Some(Value::Size(Bytes(512 * 1024))),
            meaning: "size of the chunks of rings and trees",
        },
        CHANNELS,
        CHANNEL_SERVER,
    ],
};

/// The plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllReduce {
    chosen: Box<Plan>,
}

/// The algorithm for a vector of a number of ranks.
fn chosen(settings: &Settings, size: u64, n_ranks: u32) -> &'static str {
    match settings.choice("algorithm") {
        "auto" if size / u64::from(n_ranks) >= LEAST_PART_OF_RING => "ring",
        "auto" if size >= LEAST_OF_TREES => "tree",
        "auto" => "halving_doubling",
        named => named,
    }
}

/// The settings of a collective that is cut into channels: libraries choose the algorithm before that, by the whole
/// vector.
pub(super) fn with_algorithm_chosen(collective: &Collective, n_ranks: u32) -> Settings {
    let settings = collective.settings.clone();
    if SPECS[usize::from(collective.algorithm)].name != SPEC.name {
        return settings;
    }
    let chosen = chosen(&settings, collective.size.0, n_ranks);
    settings.with("algorithm", Value::Choice(chosen))
}

fn ring(frame: Frame, chunk: Value) -> Result<Plan, String> {
    let settings = ring_all_reduce::SPEC.defaults().with("chunk", chunk);
    ring_all_reduce::RingAllReduce::new(frame, &settings).map(Plan::RingAllReduce)
}

fn trees(frame: Frame, chunk: Value) -> Result<Plan, String> {
    let settings = tree_all_reduce::SPEC.defaults().with("chunk", chunk);
    tree_all_reduce::TreeAllReduce::new(frame, &settings).map(Plan::TreeAllReduce)
}

fn halving_doubling(frame: Frame) -> Result<Plan, String> {
    let settings = halving_doubling_all_reduce::SPEC.defaults();
    halving_doubling_all_reduce::HalvingDoublingAllReduce::new(frame, &settings)
        .map(Plan::HalvingDoublingAllReduce)
}

impl Algorithm for AllReduce {
    fn new(frame: Frame, settings: &Settings) -> Result<Self, String> {
        let chunk = settings.get("chunk");
        let plan = match chosen(settings, frame.size, frame.n_ranks) {
            "ring" => ring(frame, chunk),
            "tree" => trees(frame, chunk),
            "halving_doubling" => halving_doubling(frame),
            _ => unreachable!("one of three is chosen above"),
        };
        Ok(AllReduce { chosen: Box::new(plan?) })
    }

    fn operation(&self, position: u32, index: u64) -> Option<Step> {
        self.chosen.operation(position, index)
    }

    fn n_tags(&self) -> u64 {
        self.chosen.n_tags()
    }

    fn bus_factor(&self) -> Factor {
        self.chosen.bus_factor()
    }

    fn demand(&self) -> Demand {
        self.chosen.demand()
    }

    fn total_bytes(&self) -> u128 {
        self.chosen.total_bytes()
    }

    fn sends_first(&self) -> bool {
        self.chosen.sends_first()
    }

    fn lists_receives(&self) -> bool {
        self.chosen.lists_receives()
    }

    fn posted(&self, position: u32, index: u64, number: u32) -> Option<Posted> {
        self.chosen.posted(position, index, number)
    }

    fn adds(&self, index: u64) -> bool {
        self.chosen.adds(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_have_the_algorithm_of_the_whole_vector() {
        let algorithm = SPECS.iter().position(|spec| spec.name == SPEC.name).expect("in the registry") as u16;
        let settings = SPEC.defaults().with("channels", Value::Count(8));
        let whole = Collective {
            algorithm,
            settings,
            size: Bytes(4 << 20),
            dependent: true,
            order: netloom_model::Order::Rank,
            groups: None,
        };
        let channels = super::super::channels(&whole, &[8]).unwrap().expect("there are several");
        assert!(channels.iter().all(|channel| channel.settings.choice("algorithm") == "ring"));
    }

    #[test]
    fn the_choice_is_that_of_the_table() {
        let chosen = |n_ranks, size| {
            let plan = AllReduce::new(Frame { n_ranks, size, dependent: true }, &SPEC.defaults()).unwrap();
            match *plan.chosen {
                Plan::RingAllReduce(_) => "ring",
                Plan::TreeAllReduce(_) => "tree",
                Plan::HalvingDoublingAllReduce(_) => "halving_doubling",
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(chosen(8, 1 << 20), "ring");
        assert_eq!(chosen(8, (1 << 20) - 8), "tree");
        assert_eq!(chosen(64, 256 << 10), "tree");
        assert_eq!(chosen(64, (256 << 10) - 1), "halving_doubling");
        assert_eq!(chosen(1, 128 << 10), "ring");
    }
}
