//! Topologies: which nodes are joined.
//!
//! Each topology is one file with a `SPEC`; the registry below is the only list. A parametric one is built from its
//! settings; `custom` is built from lists of nodes and links.
//! Leaves out: the behaviour of links, which the engine models.
//!
//! Invariants: hosts come first among the nodes; names are unique; a fabric beyond the limits is rejected before
//! anything is allocated for it.

mod between_groups;
pub mod custom;
pub mod dragonfly;
pub mod dragonfly_plus;
pub mod fat_tree;
pub mod leaf_spine;
mod parameter;
pub mod rail;
pub mod single_switch;
mod uplink;

use netloom_model::{Fabric, Routing};
use netloom_units::{Settings, Spec};

/// Largest number of hosts of a fabric.
pub const MAXIMUM_HOSTS: u64 = 1_000_000;
/// Largest number of switches of a fabric.
pub const MAXIMUM_SWITCHES: u64 = 1_000_000;
/// Largest number of links of a fabric; each has two ports.
pub const MAXIMUM_LINKS: u64 = 8_000_000;

/// A generated fabric with its routing and names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// Nodes, ports and links.
    pub fabric: Fabric,
    /// How next hops are computed.
    pub routing: Routing,
    /// The name of each node.
    pub node_names: Vec<String>,
    /// The name of each link.
    pub link_names: Vec<String>,
}

/// A topology, with its parameters or lists.
#[derive(Debug, Clone, PartialEq)]
pub enum Topology {
    /// A topology of the registry that is built from parameters.
    Parametric {
        /// Index in [`SPECS`].
        number: usize,
        /// Its parameters.
        settings: Settings,
    },
    /// Lists of nodes and links.
    Custom(custom::Graph),
}

/// Why a topology cannot be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TopologyError {
    /// More of something than the limits allow.
    #[error("{} {what} are more than the {limit} a fabric may have", counted(*count))]
    TooLarge {
        /// What exceeds the limit.
        what: &'static str,
        /// How its number is computed.
        terms: &'static str,
        /// Number requested; the largest number if even that overflows.
        count: u64,
        /// Number allowed.
        limit: u64,
    },
    /// A number that must not be zero.
    #[error("`{0}` must not be zero")]
    Zero(&'static str),
    /// Several leaves without spines.
    #[error("{0} leaves need at least one spine and one fabric link to reach each other")]
    NoSpines(u64),
    /// A number that must be even.
    #[error("`{name}` must be even, not {value}")]
    Odd {
        /// Which number.
        name: &'static str,
        /// Its value.
        value: u64,
    },
    /// A number that must be a multiple of another one.
    #[error("`{name}` must be a multiple of `{divisor}`: {value} is not one of {by}")]
    Indivisible {
        /// Which number.
        name: &'static str,
        /// Its value.
        value: u64,
        /// The number it is divided by.
        divisor: &'static str,
        /// Its value.
        by: u64,
    },
    /// A number that must not be above another one.
    #[error("`{name}` must not be above `{most}`: {value} is more than {limit}")]
    Above {
        /// Which number.
        name: &'static str,
        /// Its value.
        value: u64,
        /// The number it must not be above.
        most: &'static str,
        /// Its value.
        limit: u64,
    },
    /// Global links of a group that cannot be distributed evenly over the other groups.
    #[error("{ports} global ports of a group cannot be distributed evenly over {others} other groups")]
    UnevenGroups {
        /// Global ports of all spines of a group.
        ports: u64,
        /// Number of other groups.
        others: u64,
    },
    /// Two numbers that contradict each other.
    #[error("`{name}: {value}` contradicts `{other}: {value_of_other}`, which requires {wanted}")]
    Disagree {
        /// The number that is checked.
        name: &'static str,
        /// Its value.
        value: u64,
        /// The number it is checked against.
        other: &'static str,
        /// Its value.
        value_of_other: u64,
        /// What the checked one would have to be.
        wanted: u64,
    },
    /// Numbers that are not determined.
    #[error("without `{instead}` these must be set: {}", listed(names))]
    Missing {
        /// The parameter that would determine all of them.
        instead: &'static str,
        /// Which numbers.
        names: Vec<&'static str>,
    },
    /// An oversubscription that leaves the links no rate.
    #[error("`{rate}` must not be zero")]
    NoRate {
        /// The resulting rate.
        rate: &'static str,
        /// The parameter that it follows from.
        oversubscription: &'static str,
    },
    /// The rates do not give the requested oversubscription.
    #[error("the rates give an oversubscription of {actual}, not {wanted}")]
    Oversubscription {
        /// The parameter that sets the rate of the uplinks.
        rate: &'static str,
        /// The parameter that requests the oversubscription.
        oversubscription: &'static str,
        /// The requested oversubscription.
        wanted: f64,
        /// The oversubscription that the rates give.
        actual: f64,
    },
    /// Two nodes of the same name.
    #[error("two nodes are named `{0}`")]
    RepeatedNode(String),
    /// Two links of the same name.
    #[error("two links are named `{0}`; rename a node whose name contains a dash")]
    RepeatedLink(String),
    /// A link to a node that does not exist.
    #[error("link {link} ends at `{name}`, which is not among the hosts and switches")]
    UnknownNode {
        /// The link's index in the list.
        link: usize,
        /// The name it gives.
        name: String,
    },
    /// A link from a node to itself.
    #[error("link {link} joins `{name}` to itself")]
    Loop {
        /// The link's index in the list.
        link: usize,
        /// The node.
        name: String,
    },
    /// A link that carries nothing.
    #[error("link {link} from `{name}` has no rate or a count of zero")]
    Useless {
        /// The link's index in the list.
        link: usize,
        /// The node it starts at.
        name: String,
    },
    /// A host that cannot be reached from another.
    #[error("no path leads from `{from}` to `{to}` (hosts do not forward)")]
    Unreachable {
        /// A host.
        from: String,
        /// Another host.
        to: String,
    },
}

/// A number in words, which also hold if it overflowed.
fn counted(count: u64) -> String {
    if count == u64::MAX { "over 18 quintillion".to_owned() } else { count.to_string() }
}

/// Names in backquotes.
fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The index of a topology in [`SPECS`].
pub fn number_of(name: &str) -> Option<usize> {
    SPECS.iter().position(|spec| spec.name == name)
}

/// Every registered topology.
pub static SPECS: &[&Spec] = &[
    &leaf_spine::SPEC,
    &fat_tree::SPEC,
    &dragonfly::SPEC,
    &dragonfly_plus::SPEC,
    &rail::SPEC,
    &single_switch::SPEC,
    &custom::SPEC,
];

/// Builds a topology.
///
/// # Errors
/// When it is too large or inconsistent.
///
/// # Panics
/// If the number is not that of a parametric topology.
pub fn build(topology: &Topology) -> Result<Built, TopologyError> {
    match topology {
        Topology::Custom(graph) => custom::build(graph),
        Topology::Parametric { number, settings } => match SPECS[*number].name {
            "leaf_spine" => leaf_spine::build(settings),
            "fat_tree" => fat_tree::build(settings),
            "dragonfly" => dragonfly::build(settings),
            "dragonfly_plus" => dragonfly_plus::build(settings),
            "rail" => rail::build(settings),
            "single_switch" => single_switch::build(settings),
            name => unreachable!("`{name}` is not built from parameters"),
        },
    }
}

/// The product; `None` if it overflows.
fn product(factors: &[u64]) -> Option<u64> {
    factors.iter().try_fold(1_u64, |all, &next| all.checked_mul(next))
}

/// The sum; `None` if it overflows.
fn sum(terms: &[Option<u64>]) -> Option<u64> {
    terms.iter().try_fold(0_u64, |all, &next| all.checked_add(next?))
}

/// Rejects more of something than is allowed; `count` is `None` if it overflowed.
fn within(
    what: &'static str,
    terms: &'static str,
    count: Option<u64>,
    limit: u64,
) -> Result<(), TopologyError> {
    match count {
        Some(count) if count <= limit => Ok(()),
        _ => Err(TopologyError::TooLarge { what, terms, count: count.unwrap_or(u64::MAX), limit }),
    }
}
