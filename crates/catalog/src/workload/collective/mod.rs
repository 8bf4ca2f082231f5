//! Collectives: the messages between ranks, and their dependencies.
//!
//! Each algorithm is one file with a `SPEC` and an `impl Algorithm`; the registry below is the only list. An algorithm
//! numbers the ranks by *positions* in their order, never by hosts, and gives the n-th operation of a member without
//! keeping state: a rank that has not started costs no memory.
//! Leaves out: reduction arithmetic and its time (put a compute phase behind), copies inside a host.
//!
//! Invariants: what one member sends, exactly one other member receives under the same tag; empty messages are neither
//! sent nor waited for; with `dependent: false` all sends of a rank come before its first wait.

mod all_reduce;
mod all_to_all_linear;
mod all_to_all_pairwise;
mod all_to_all_v;
mod broadcast_chain;
mod broadcast_tree;
mod bruck_all_gather;
mod bruck_all_to_all;
mod channels;
mod chunks;
mod demand;
mod exchange;
mod halving_doubling_all_reduce;
mod hierarchical_all_reduce;
mod in_network_all_reduce;
mod incast;
mod permutation;
mod pxn_all_to_all;
mod ring;
mod ring_all_gather;
mod ring_all_reduce;
mod ring_reduce_scatter;
mod servers;
mod tree_all_reduce;

pub(super) use channels::channels;
pub use channels::number as number_of_channels;
pub use demand::Demand;
use netloom_model::{Bucket, Collective};
use netloom_units::{Bytes, Settings, Spec};

/// The input of all algorithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Number of ranks.
    pub n_ranks: u32,
    /// Bytes of the full vector per rank, S as nccl-tests count it.
    pub size: u64,
    /// Whether a send waits for the data it depends on.
    pub dependent: bool,
}

impl Frame {
    /// Size of a part when S is cut into one per rank: the first S mod n of them hold one byte more.
    pub fn part(&self, number: u32) -> u64 {
        let n = u64::from(self.n_ranks);
        self.size / n + u64::from(u64::from(number) < self.size % n)
    }

    /// Size of `count` parts, at most n, from `first` on; after the last part comes part 0.
    fn parts(&self, first: u32, count: u32) -> u64 {
        let n = u64::from(self.n_ranks);
        let (first, count, n_larger) = (u64::from(first), u64::from(count), self.size % n);
        let larger_before = |end: u64| end.min(n_larger) + end.saturating_sub(n).min(n_larger);
        count * (self.size / n) + larger_before(first + count) - larger_before(first)
    }

    /// The position `steps` further on.
    fn after(&self, position: u32, steps: u32) -> u32 {
        ((u64::from(position) + u64::from(steps)) % u64::from(self.n_ranks)) as u32
    }

    /// The position `steps` back.
    fn before(&self, position: u32, steps: u32) -> u32 {
        self.after(position, self.n_ranks - steps % self.n_ranks)
    }
}

/// One operation of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Start a message.
    Send {
        /// The member that receives.
        to: u32,
        /// Tag within this collective.
        tag: u64,
        /// Its size.
        bytes: u64,
    },
    /// Wait for messages.
    Receive {
        /// Tag within this collective.
        tag: u64,
        /// Number of messages.
        messages: u32,
    },
    /// Nothing to send or to wait for.
    Nothing,
}

impl Step {
    fn send(to: u32, tag: u64, bytes: u64) -> Step {
        if bytes == 0 { Step::Nothing } else { Step::Send { to, tag, bytes } }
    }

    fn receive(tag: u64, messages: u32) -> Step {
        if messages == 0 { Step::Nothing } else { Step::Receive { tag, messages } }
    }
}

/// A receive that a member posts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posted {
    /// The member that sends.
    pub from: u32,
    /// Tag within this collective.
    pub tag: u64,
    /// Its size; empty messages are not sent.
    pub bytes: u64,
}

/// A fraction that sizes are multiplied by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Factor {
    /// The numerator.
    pub numerator: u64,
    /// The denominator; not zero.
    pub denominator: u64,
}

impl Factor {
    const ONE: Factor = Factor { numerator: 1, denominator: 1 };

    /// That of a collective in which every rank lacks all parts but its own, (n - 1)/n.
    fn of_others(n_ranks: u32) -> Factor {
        let n = u64::from(n_ranks);
        Factor { numerator: n - 1, denominator: n }
    }

    /// That of an all-reduce, 2(n - 1)/n.
    fn all_reduce(n_ranks: u32) -> Factor {
        let n = u64::from(n_ranks);
        Factor { numerator: 2 * (n - 1), denominator: n }
    }

    /// The product, rounded to the nearest byte, half up.
    pub fn of(self, size: Bytes) -> Bytes {
        let denominator = u128::from(self.denominator);
        let product = u128::from(size.0) * u128::from(self.numerator) + denominator / 2;
        Bytes((product / denominator) as u64)
    }
}

/// An algorithm with its parameters, for a number of ranks.
pub trait Algorithm: Sized {
    /// Reads the parameters; an error is a sentence about the one that does not fit.
    ///
    /// # Errors
    /// When a parameter does not fit the number of ranks or the size.
    fn new(frame: Frame, settings: &Settings) -> Result<Self, String>;

    /// The `index`-th operation of a member; `None` past the last one. The first index past the last one has the same
    /// result as all later ones.
    fn operation(&self, position: u32, index: u64) -> Option<Step>;

    /// Tags are below this.
    fn n_tags(&self) -> u64;

    /// `busbw` over `algbw`, as nccl-tests define them.
    fn bus_factor(&self) -> Factor;

    /// What a set of members lacks.
    fn demand(&self) -> Demand;

    /// Bytes sent by all members together.
    fn total_bytes(&self) -> u128;

    /// Whether every member does all its sends before its first wait.
    fn sends_first(&self) -> bool;

    /// Whether [`Algorithm::posted`] lists all receives; hosts that grant, add or copy need that.
    fn lists_receives(&self) -> bool {
        false
    }

    /// The `number`-th receive that a member posts together with its `index`-th operation, and before it; `None` past
    /// the last one.
    fn posted(&self, _position: u32, _index: u64, _number: u32) -> Option<Posted> {
        None
    }

    /// Whether the data that the `index`-th operation of a member waits for is added to local data.
    fn adds(&self, _index: u64) -> bool {
        false
    }
}

/// The index of an algorithm in [`SPECS`].
pub fn number_of(name: &str) -> Option<u16> {
    SPECS.iter().position(|spec| spec.name == name).map(|number| number as u16)
}

/// A bucket of these collectives, with the sizes that `algbw` and `busbw` are computed from; `n_ranks` is the number of
/// ranks of one of them.
///
/// # Errors
/// When a collective names no algorithm or a parameter does not fit.
pub fn bucket(collectives: Vec<Collective>, n_ranks: impl Fn(&Collective) -> u32) -> Result<Bucket, String> {
    let mut size = Bytes(0);
    let mut bus_bytes = Bytes(0);
    for collective in &collectives {
        let plan = Plan::new(collective, n_ranks(collective))?;
        size.0 = size.0.saturating_add(collective.size.0);
        bus_bytes.0 = bus_bytes.0.saturating_add(plan.bus_factor().of(collective.size).0);
    }
    Ok(Bucket { collectives, size, bus_bytes })
}

/// Sends all at once, then one wait for all incoming messages, under tag 0: the form without dependencies.
fn at_once(index: u64, n_sends: u64, n_messages: u32, send: impl FnOnce(u64) -> (u32, u64)) -> Option<Step> {
    if index < n_sends {
        let (to, bytes) = send(index);
        return Some(Step::send(to, 0, bytes));
    }
    (index == n_sends).then(|| Step::receive(0, n_messages))
}

/// An operation of a list of `n_operations`: as listed where sends wait for data, else first its sends, then its waits.
fn in_form(
    dependent: bool,
    index: u64,
    n_operations: u64,
    operation: impl FnOnce(u64) -> Step,
) -> Option<Step> {
    if dependent {
        return (index < n_operations).then(|| operation(index));
    }
    let is_waiting = index >= n_operations;
    let index = if is_waiting { index - n_operations } else { index };
    (index < n_operations).then(|| match operation(index) {
        Step::Receive { .. } if !is_waiting => Step::Nothing,
        Step::Send { .. } if is_waiting => Step::Nothing,
        step => step,
    })
}

/// Combines the algorithms into one enum.
macro_rules! registry {
    ($($variant:ident => $module:ident),+ $(,)?) => {
        /// Every registered algorithm.
        pub static SPECS: &[&Spec] = &[$(&$module::SPEC),+];

        /// A collective ready to generate operations.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Plan {
            $(
                #[doc = concat!("`", stringify!($module), "`")]
                $variant($module::$variant),
            )+
        }

        impl Plan {
            /// Plans a collective over this many ranks.
            ///
            /// # Errors
            /// When its number names no algorithm or a parameter does not fit.
            pub fn new(collective: &Collective, n_ranks: u32) -> Result<Plan, String> {
                let number = usize::from(collective.algorithm);
                let spec = SPECS.get(number).ok_or_else(|| format!("there is no algorithm {number}"))?;
                let frame =
                    Frame { n_ranks, size: collective.size.0, dependent: collective.dependent };
                if n_ranks == 0 {
                    return Err(String::from("a collective needs at least one rank"));
                }
                $(
                    if spec.name == $module::SPEC.name {
                        let plan = $module::$variant::new(frame, &collective.settings)?;
                        return Ok(Plan::$variant(plan));
                    }
                )+
                unreachable!("`{}` is in SPECS", spec.name)
            }

            /// See [`Algorithm::operation`].
            pub fn operation(&self, position: u32, index: u64) -> Option<Step> {
                match self { $(Plan::$variant(plan) => plan.operation(position, index),)+ }
            }

            /// See [`Algorithm::n_tags`].
            pub fn n_tags(&self) -> u64 {
                match self { $(Plan::$variant(plan) => plan.n_tags(),)+ }
            }

            /// See [`Algorithm::bus_factor`].
            pub fn bus_factor(&self) -> Factor {
                match self { $(Plan::$variant(plan) => plan.bus_factor(),)+ }
            }

            /// See [`Algorithm::demand`].
            pub fn demand(&self) -> Demand {
                match self { $(Plan::$variant(plan) => plan.demand(),)+ }
            }

            /// See [`Algorithm::total_bytes`].
            pub fn total_bytes(&self) -> u128 {
                match self { $(Plan::$variant(plan) => plan.total_bytes(),)+ }
            }

            /// See [`Algorithm::sends_first`].
            pub fn sends_first(&self) -> bool {
                match self { $(Plan::$variant(plan) => plan.sends_first(),)+ }
            }

            /// See [`Algorithm::lists_receives`].
            pub fn lists_receives(&self) -> bool {
                match self { $(Plan::$variant(plan) => plan.lists_receives(),)+ }
            }

            /// See [`Algorithm::posted`].
            pub fn posted(&self, position: u32, index: u64, number: u32) -> Option<Posted> {
                match self { $(Plan::$variant(plan) => plan.posted(position, index, number),)+ }
            }

            /// See [`Algorithm::adds`].
            pub fn adds(&self, index: u64) -> bool {
                match self { $(Plan::$variant(plan) => plan.adds(index),)+ }
            }
        }
    };
}

registry! {
    RingAllGather => ring_all_gather,
    RingReduceScatter => ring_reduce_scatter,
    RingAllReduce => ring_all_reduce,
    AllToAllLinear => all_to_all_linear,
    AllToAllPairwise => all_to_all_pairwise,
    BroadcastChain => broadcast_chain,
    BroadcastTree => broadcast_tree,
    Incast => incast,
    Permutation => permutation,
    TreeAllReduce => tree_all_reduce,
    HalvingDoublingAllReduce => halving_doubling_all_reduce,
    InNetworkAllReduce => in_network_all_reduce,
    HierarchicalAllReduce => hierarchical_all_reduce,
    BruckAllToAll => bruck_all_to_all,
    BruckAllGather => bruck_all_gather,
    PxnAllToAll => pxn_all_to_all,
    AllToAllV => all_to_all_v,
    AllReduce => all_reduce,
}
