//! # Idea
//! Two binary trees over all ranks, each for half of the vector: partial sums go up to the root, the sum comes down,
//! chunk by chunk. A rank that forwards in one tree is a leaf of the other, so that no link stays half idle.
//!
//! # Source
//! Sanders, Speck, Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel Computing
//! 2009; the trees are those that NCCL builds across servers since version 2.4.
//!
//! # Parameters
//! `chunk`: size of a chunk; the last one of a half may be smaller.
//!
//! # Invariants
//! Both trees have depth ceil(log2 n), a root with one child, and at most two children elsewhere. Tree 1 is tree 0
//! mirrored if n is even, else moved by one position. Every member is a leaf of at least one tree; if n is odd, member 0 is an
//! exception, with one child in each. A member sends at most 2S bytes and receives as many; together the members send
//! 2(n - 1) S bytes. A member sends a chunk up only after it has received it from its children, and down only after it has
//! received it from its parent or, at the root, from its child; the sums come down after the last chunk has gone up.
//!
//! # When it misleads
//! Operations of a member are in one order, while NCCL runs the two trees and the two directions independently: here a
//! member may be `2 * ceil(log2 n)` chunks further as a leaf of one tree than it is in the other. NCCL uses trees between
//! servers and a chain inside: give one rank for each server, or take `hierarchical_all_reduce`. A chunk of a size near
//! the vector's leaves no pipeline: the time is then 2 ceil(log2 n) messages. With a queue pair for each message, chunks
//! to one neighbour share the link and arrive together, which stops the pipeline; NCCL has one for each neighbour, as
//! `queue_pairs: pair` has. With `dependent: false` a member sends what it does not have.

use netloom_units::{Bytes, Kind, Parameter, Settings, Spec, Value};

use super::channels::{CHANNEL_SERVER, CHANNELS};
use super::chunks::Chunks;
use super::{Algorithm, Demand, Factor, Frame, Posted, Step, in_form};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "tree_all_reduce",
    summary: "all-reduce up and down two binary trees, each with half of the vector, in chunks",
    source: "Sanders, Speck, Träff, Parallel Computing 2009; NCCL 2.4",
    parameters: &[
        Parameter {
            name: "chunk",
            kind: Kind::Size,
            default: Some(Value::Size(Bytes(512 * 1024))),
            meaning: "size of the chunks that are forwarded",
        },
        CHANNELS,
        CHANNEL_SERVER,
    ],
};

/// The plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeAllReduce {
    frame: Frame,
    chunks: Chunks,
    /// Number of chunks of the larger half.
    n_chunks: u64,
    /// How many chunks a member may be further as a leaf than it is in its other tree.
    lead: u64,
}

/// Operations of a round of each direction.
const UP_SLOTS: u64 = 6;
const DOWN_SLOTS: u64 = 8;
const TREES: [usize; 2] = [0, 1];

/// The neighbours of a member in a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Node {
    parent: Option<u32>,
    children: [Option<u32>; 2],
}

impl Node {
    fn n_children(&self) -> u32 {
        self.children.iter().flatten().count() as u32
    }

    fn is_leaf(&self) -> bool {
        self.n_children() == 0
    }
}

impl TreeAllReduce {
    /// Number of rounds of each direction.
    fn n_rounds(&self) -> u64 {
        if self.n_chunks == 0 { 0 } else { self.n_chunks + self.lead }
    }

    /// Size of a chunk of a tree; zero past its last one.
    fn bytes(&self, tree: usize, chunk: u64) -> u64 {
        let half = Frame { n_ranks: 2, ..self.frame }.part(tree as u32);
        self.chunks.size(half, chunk)
    }

    fn tag(&self, tree: usize, chunk: u64, is_down: bool) -> u64 {
        (u64::from(is_down) * self.n_chunks + chunk) * 2 + tree as u64
    }

    /// Tree 1 exchanges leaves and others.
    fn tree_index(&self, position: u32, tree: usize) -> u32 {
        let n = self.frame.n_ranks;
        match tree {
            0 => position,
            _ if n.is_multiple_of(2) => n - 1 - position,
            _ => self.frame.before(position, 1),
        }
    }

    fn position_at(&self, tree_index: u32, tree: usize) -> u32 {
        let n = self.frame.n_ranks;
        match tree {
            0 => tree_index,
            _ if n.is_multiple_of(2) => n - 1 - tree_index,
            _ => self.frame.after(tree_index, 1),
        }
    }

    fn node(&self, position: u32, tree: usize) -> Node {
        let n = self.frame.n_ranks;
        let tree_index = self.tree_index(position, tree);
        let at = |tree_index| self.position_at(tree_index, tree);
        Node {
            parent: parent(tree_index, n).map(at),
            children: children(tree_index, n).map(|child| child.map(at)),
        }
    }

    /// An operation of a round in which partial sums go up: first what a leaf sends, then both trees as an inner node.
    /// Place 0 may be one in both; it has a parent in tree 1, which therefore comes first.
    fn up(&self, position: u32, round: u64, slot: u64) -> Step {
        let tree = TREES[(if slot < 2 { slot } else { 2 - slot / 2 }) as usize];
        let node = self.node(position, tree);
        let is_of_leaf = slot < 2;
        let Some(chunk) = (if is_of_leaf { Some(round) } else { round.checked_sub(self.lead) }) else {
            return Step::Nothing;
        };
        let (bytes, tag) = (self.bytes(tree, chunk), self.tag(tree, chunk, false));
        if bytes == 0 || is_of_leaf != node.is_leaf() {
            return Step::Nothing;
        }
        match node.parent {
            _ if !is_of_leaf && slot.is_multiple_of(2) => Step::receive(tag, node.n_children()),
            Some(parent) => Step::send(parent, tag, bytes),
            None => Step::Nothing,
        }
    }

    /// An operation of a round in which sums come down: first both trees as an inner node, then what a leaf receives.
    fn down(&self, position: u32, round: u64, slot: u64) -> Step {
        let (tree, action) = if slot < 6 { (slot / 3, slot % 3) } else { (slot - 6, 0) };
        let tree = TREES[tree as usize];
        let node = self.node(position, tree);
        let is_of_leaf = slot >= 6;
        let Some(chunk) = (if is_of_leaf { round.checked_sub(self.lead) } else { Some(round) }) else {
            return Step::Nothing;
        };
        let (bytes, tag) = (self.bytes(tree, chunk), self.tag(tree, chunk, true));
        if bytes == 0 || is_of_leaf != node.is_leaf() {
            return Step::Nothing;
        }
        match action {
            0 => Step::receive(tag, u32::from(node.parent.is_some())),
            _ => node.children[action as usize - 1]
                .map_or(Step::Nothing, |child| Step::send(child, tag, bytes)),
        }
    }

    /// Direction (whether down), round and slot of an operation.
    fn at(&self, index: u64) -> (bool, u64, u64) {
        let n_up = UP_SLOTS * self.n_rounds();
        match index.checked_sub(n_up) {
            None => (false, index / UP_SLOTS, index % UP_SLOTS),
            Some(index) => (true, index / DOWN_SLOTS, index % DOWN_SLOTS),
        }
    }

    fn n_operations(&self) -> u64 {
        (UP_SLOTS + DOWN_SLOTS) * self.n_rounds()
    }
}

impl Algorithm for TreeAllReduce {
    fn new(frame: Frame, settings: &Settings) -> Result<Self, String> {
        let half = frame.size.div_ceil(2);
        let chunks = Chunks::new(settings, half)?;
        let lead = 2 * u64::from(frame.n_ranks.next_power_of_two().ilog2());
        Ok(TreeAllReduce { frame, chunks, n_chunks: chunks.count(half), lead })
    }

    fn operation(&self, position: u32, index: u64) -> Option<Step> {
        in_form(self.frame.dependent, index, self.n_operations(), |index| {
            let (is_down, round, slot) = self.at(index);
            if is_down { self.down(position, round, slot) } else { self.up(position, round, slot) }
        })
    }

    fn n_tags(&self) -> u64 {
        4 * self.n_chunks
    }

    fn bus_factor(&self) -> Factor {
        Factor::all_reduce(self.frame.n_ranks)
    }

    fn demand(&self) -> Demand {
        Demand::Blocks(2)
    }

    fn total_bytes(&self) -> u128 {
        2 * u128::from(self.frame.n_ranks - 1) * u128::from(self.frame.size)
    }

    fn sends_first(&self) -> bool {
        !self.frame.dependent
    }

    fn lists_receives(&self) -> bool {
        self.frame.dependent
    }

    /// The receives of chunk k are posted at the start of round k, before the first of their senders can send it: a
    /// sender that waits for a grant is never waited for by the member that has to give it.
    fn posted(&self, position: u32, index: u64, number: u32) -> Option<Posted> {
        let (is_down, round, slot) = self.at(index);
        if slot > 0 || index >= self.n_operations() {
            return None;
        }
        let (tree, child) = if is_down { (number, 0) } else { (number / 2, number as usize % 2) };
        let tree = *TREES.get(tree as usize)?;
        let node = self.node(position, tree);
        let from = if is_down { node.parent } else { node.children[child] };
        let bytes = from.map_or(0, |_| self.bytes(tree, round));
        Some(Posted { from: from.unwrap_or(position), tag: self.tag(tree, round, is_down), bytes })
    }

    fn adds(&self, index: u64) -> bool {
        index < UP_SLOTS * self.n_rounds()
    }
}

/// The parent of a position in a tree of n: leaves are the odd positions, and the height of any other one but the root
/// is that of its lowest set bit.
fn parent(tree_index: u32, n: u32) -> Option<u32> {
    let low = 1_u64.checked_shl(tree_index.trailing_zeros()).filter(|_| tree_index > 0)?;
    let without = u64::from(tree_index) - low;
    let above = without | (2 * low);
    Some(if above < u64::from(n) { above } else { without } as u32)
}

/// The children of a position in a tree of n.
fn children(tree_index: u32, n: u32) -> [Option<u32>; 2] {
    if tree_index == 0 {
        return [(n > 1).then(|| n.next_power_of_two() / 2), None];
    }
    let heights = (0..tree_index.trailing_zeros()).rev();
    let mut below = heights.map(|height| 1_u32 << height);
    let left = below.clone().next().map(|distance| tree_index - distance);
    [left, below.find(|distance| n - tree_index > *distance).map(|distance| tree_index + distance)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(n_ranks: u32) -> TreeAllReduce {
        TreeAllReduce::new(Frame { n_ranks, size: 10 << 20, dependent: true }, &SPEC.defaults()).unwrap()
    }

    #[test]
    fn parents_and_children_agree() {
        for n in 1..200 {
            let plan = plan(n);
            for (position, tree) in (0..n).flat_map(|position| TREES.map(|tree| (position, tree))) {
                let node = plan.node(position, tree);
                let is_child = |parent: u32| plan.node(parent, tree).children.contains(&Some(position));
                assert!(node.parent.is_none_or(is_child), "n {n} position {position} tree {tree}");
                for child in node.children.into_iter().flatten() {
                    assert_eq!(
                        plan.node(child, tree).parent,
                        Some(position),
                        "n {n} position {position} tree {tree}"
                    );
                }
            }
        }
    }

    #[test]
    fn every_position_reaches_the_root_within_the_depth() {
        for n in 1..200_u32 {
            let plan = plan(n);
            for (position, tree) in (0..n).flat_map(|position| TREES.map(|tree| (position, tree))) {
                let up = std::iter::successors(Some(position), |&position| plan.node(position, tree).parent);
                let path: Vec<u32> = up.take(40).collect();
                assert!(path.len() - 1 <= n.next_power_of_two().ilog2() as usize, "n {n}: {path:?}");
                assert_eq!(path.last(), Some(&plan.position_at(0, tree)), "n {n}");
            }
        }
    }

    #[test]
    fn positions_forward_in_one_tree_only() {
        for n in 2..200 {
            let plan = plan(n);
            for position in 0..n {
                let nodes = TREES.map(|tree| plan.node(position, tree));
                let n_inner = nodes.iter().filter(|node| !node.is_leaf()).count();
                let is_exception = n % 2 == 1 && position == 0;
                assert_eq!(n_inner, 1 + usize::from(is_exception), "n {n} position {position}");
                let n_neighbours = |node: &Node| node.n_children() + u32::from(node.parent.is_some());
                assert!(nodes.iter().map(n_neighbours).sum::<u32>() <= 4, "n {n} position {position}");
            }
        }
    }
}
