//! Edge colouring of a bipartite multigraph: assigns paths to flows without collisions.
//!
//! Models: flows are edges from source leaves to destination leaves, colours are paths through a Clos. A colouring is
//! *proper* if no two edges of one colour share a leaf, *balanced* if of the `d` edges at a leaf no more than
//! `ceil(d / colours)` share one.
//! Leaves out: the size of flows; all count alike.
//!
//! Source: proper colourings with as many colours as the largest degree exist by König's theorem (1916); edges are
//! coloured one by one along alternating paths. A leaf with more edges than there are colours is split into parts of as
//! many edges as there are colours, which makes the colouring balanced.
//!
//! Invariants: every colouring is balanced, so it is proper wherever the demand is admissible; an edge that already has
//! a colour keeps it unless an alternating path or the balance requires a change; equal edges in equal order get equal
//! colours.

/// An edge to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The leaf it starts at.
    pub from: u32,
    /// The leaf it ends at.
    pub to: u32,
    /// Its colour so far, below the number of colours.
    pub kept: Option<u32>,
}

/// No edge.
const NONE: u32 = u32::MAX;

/// The colour of each edge.
///
/// `n_leaves` leaves on either side; colours are `0..n_colours`, at least one.
///
/// # Panics
/// If there is no colour, or an edge names a leaf or a colour that does not exist.
pub fn colour(edges: &[Edge], n_leaves: u32, n_colours: u32) -> Vec<u32> {
    assert!(n_colours > 0, "a colouring needs colours");
    let sides = [
        Side::new(edges.iter().map(|edge| edge.from), n_leaves, n_colours),
        Side::new(edges.iter().map(|edge| edge.to), n_leaves, n_colours),
    ];
    let mut colouring =
        Colouring { sides, parts: vec![[NONE; 2]; edges.len()], colours: vec![NONE; edges.len()] };
    for (number, edge) in edges.iter().enumerate() {
        if let Some(kept) = edge.kept {
            colouring.keep(number, edge, kept);
        }
    }
    for (number, edge) in edges.iter().enumerate() {
        if colouring.colours[number] == NONE {
            colouring.add(number, edge);
        }
    }
    colouring.colours
}

/// The leaves of one side, each split into parts of at most as many edges as there are colours.
struct Side {
    /// The first part of each leaf, with one closing entry.
    starts: Vec<u32>,
    /// Edges of each part.
    sizes: Vec<u32>,
    /// The edge of each part and colour, or `NONE`.
    taken: Vec<u32>,
    n_colours: u32,
}

impl Side {
    fn new(leaves: impl Iterator<Item = u32>, n_leaves: u32, n_colours: u32) -> Side {
        let mut degrees = vec![0_u32; n_leaves as usize];
        leaves.for_each(|leaf| degrees[leaf as usize] += 1);
        let mut starts = vec![0];
        for degree in degrees {
            starts.push(starts[starts.len() - 1] + degree.div_ceil(n_colours));
        }
        let n_parts = starts[n_leaves as usize] as usize;
        Side { starts, sizes: vec![0; n_parts], taken: vec![NONE; n_parts * n_colours as usize], n_colours }
    }

    fn parts(&self, leaf: u32) -> std::ops::Range<u32> {
        self.starts[leaf as usize]..self.starts[leaf as usize + 1]
    }

    fn at(&self, part: u32, colour: u32) -> u32 {
        self.taken[(part * self.n_colours + colour) as usize]
    }

    fn set(&mut self, part: u32, colour: u32, edge: u32) {
        self.taken[(part * self.n_colours + colour) as usize] = edge;
    }

    /// A part of a leaf without an edge of this colour.
    fn free_of(&self, leaf: u32, colour: u32) -> Option<u32> {
        self.parts(leaf).find(|&part| self.at(part, colour) == NONE)
    }

    /// A part of a leaf with room for an edge.
    fn with_room(&self, leaf: u32) -> u32 {
        let mut parts = self.parts(leaf);
        parts.find(|&part| self.sizes[part as usize] < self.n_colours).expect("parts have room for all edges")
    }

    /// The first colour that no edge of a part has.
    fn free_colour(&self, part: u32) -> u32 {
        (0..self.n_colours).find(|&colour| self.at(part, colour) == NONE).expect("a part with room")
    }
}

struct Colouring {
    sides: [Side; 2],
    /// The parts that each edge joins.
    parts: Vec<[u32; 2]>,
    colours: Vec<u32>,
}

impl Colouring {
    /// Keeps the colour of an edge if both leaves have a part where it is free.
    fn keep(&mut self, number: usize, edge: &Edge, colour: u32) {
        let free = |side: &Side, leaf| side.free_of(leaf, colour);
        let [from, to] = &self.sides;
        if let (Some(from), Some(to)) = (free(from, edge.from), free(to, edge.to)) {
            self.parts[number] = [from, to];
            self.put(number as u32, colour);
            self.count(number);
        }
    }

    fn add(&mut self, number: usize, edge: &Edge) {
        let [from, to] = &self.sides;
        let parts = [from.with_room(edge.from), to.with_room(edge.to)];
        self.parts[number] = parts;
        let both = (0..from.n_colours)
            .find(|&colour| from.at(parts[0], colour) == NONE && to.at(parts[1], colour) == NONE);
        let (first, second) = (from.free_colour(parts[0]), to.free_colour(parts[1]));
        if both.is_none() {
            self.exchange(parts[1], first, second);
        }
        self.put(number as u32, both.unwrap_or(first));
        self.count(number);
    }

    /// Exchanges two colours along the path from a part on the right that lacks the second one. The graph is bipartite,
    /// so the path never reaches a part on the left that lacks the first one.
    fn exchange(&mut self, start: u32, first: u32, second: u32) {
        let (mut part, mut side, mut wanted, mut other) = (start, 1, first, second);
        let mut path = Vec::new();
        loop {
            let edge = self.sides[side].at(part, wanted);
            if edge == NONE {
                break;
            }
            path.push(edge);
            side = 1 - side;
            part = self.parts[edge as usize][side];
            (wanted, other) = (other, wanted);
        }
        for &edge in &path {
            self.clear(edge);
        }
        for &edge in &path {
            let colour = if self.colours[edge as usize] == first { second } else { first };
            self.put(edge, colour);
        }
    }

    fn clear(&mut self, edge: u32) {
        let colour = self.colours[edge as usize];
        for (side, part) in self.sides.iter_mut().zip(self.parts[edge as usize]) {
            side.set(part, colour, NONE);
        }
    }

    fn put(&mut self, edge: u32, colour: u32) {
        self.colours[edge as usize] = colour;
        for (side, part) in self.sides.iter_mut().zip(self.parts[edge as usize]) {
            side.set(part, colour, edge);
        }
    }

    fn count(&mut self, number: usize) {
        for (side, part) in self.sides.iter_mut().zip(self.parts[number]) {
            side.sizes[part as usize] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::Random;

    use super::*;

    fn most_alike(edges: &[Edge], colours: &[u32], leaf_of: impl Fn(&Edge) -> u32, leaf: u32) -> (u32, u32) {
        let own =
            edges.iter().zip(colours).filter(|(edge, _)| leaf_of(edge) == leaf).map(|(_, colour)| *colour);
        let own: Vec<u32> = own.collect();
        let most = own.iter().map(|colour| own.iter().filter(|other| *other == colour).count()).max();
        (own.len() as u32, most.unwrap_or(0) as u32)
    }

    fn is_balanced(edges: &[Edge], colours: &[u32], n_leaves: u32, n_colours: u32) {
        assert!(colours.iter().all(|&colour| colour < n_colours));
        for leaf in 0..n_leaves {
            for leaf_of in [|edge: &Edge| edge.from, |edge: &Edge| edge.to] {
                let (degree, most) = most_alike(edges, colours, leaf_of, leaf);
                assert!(
                    most <= degree.div_ceil(n_colours),
                    "{most} of {degree} at {leaf}, {n_colours} colours"
                );
            }
        }
    }

    fn draw(random: &mut Random, below: u32) -> u32 {
        random.below(below)
    }

    /// Edges with at most as many at each leaf as there are colours, many leaves at that bound.
    fn admissible(random: &mut Random, n_leaves: u32, n_colours: u32) -> Vec<Edge> {
        let mut left: Vec<[u32; 2]> = vec![[n_colours; 2]; n_leaves as usize];
        let mut edges = Vec::new();
        for _ in 0..2 * n_leaves * n_colours {
            let (from, to) = (draw(random, n_leaves), draw(random, n_leaves));
            if left[from as usize][0] > 0 && left[to as usize][1] > 0 {
                left[from as usize][0] -= 1;
                left[to as usize][1] -= 1;
                edges.push(Edge { from, to, kept: None });
            }
        }
        edges
    }

    #[test]
    fn admissible_demand_has_one_flow_per_path() {
        let mut n_full = 0;
        for case in 0..10_000 {
            let mut random = Random::stream(7, 0, case);
            let (n_leaves, n_colours) = (1 + draw(&mut random, 8), 1 + draw(&mut random, 8));
            let edges = admissible(&mut random, n_leaves, n_colours);
            let colours = colour(&edges, n_leaves, n_colours);
            for leaf in 0..n_leaves {
                for leaf_of in [|edge: &Edge| edge.from, |edge: &Edge| edge.to] {
                    let (degree, most) = most_alike(&edges, &colours, leaf_of, leaf);
                    assert!(most <= 1, "case {case}: {most} flows share a path at {leaf}");
                    n_full += u32::from(degree == n_colours);
                }
            }
        }
        // The bound is reached often, so a colouring that needs one colour more would fail.
        assert!(n_full > 10_000, "{n_full}");
    }

    #[test]
    fn inadmissible_demand_is_spread_evenly() {
        for case in 0..2_000 {
            let mut random = Random::stream(8, 0, case);
            let (n_leaves, n_colours) = (1 + draw(&mut random, 6), 1 + draw(&mut random, 5));
            let n_edges = draw(&mut random, 80);
            let mut edge =
                || Edge { from: draw(&mut random, n_leaves), to: draw(&mut random, n_leaves), kept: None };
            let edges: Vec<Edge> = (0..n_edges).map(|_| edge()).collect();
            is_balanced(&edges, &colour(&edges, n_leaves, n_colours), n_leaves, n_colours);
        }
    }

    #[test]
    fn remaining_edges_keep_their_colours() {
        let mut moved = 0;
        let mut stayed = 0;
        for case in 0..2_000 {
            let mut random = Random::stream(9, 0, case);
            let (n_leaves, n_colours) = (2 + draw(&mut random, 6), 2 + draw(&mut random, 6));
            let mut edges = admissible(&mut random, n_leaves, n_colours);
            let colours = colour(&edges, n_leaves, n_colours);
            for (edge, colour) in edges.iter_mut().zip(&colours) {
                edge.kept = Some(*colour);
            }
            assert_eq!(colour(&edges, n_leaves, n_colours), colours, "nothing has changed");
            // Some flows end, others begin.
            edges.retain(|_| draw(&mut random, 4) > 0);
            edges.push(Edge {
                from: draw(&mut random, n_leaves),
                to: draw(&mut random, n_leaves),
                kept: None,
            });
            let after = colour(&edges, n_leaves, n_colours);
            is_balanced(&edges, &after, n_leaves, n_colours);
            let known = edges.iter().zip(&after).filter_map(|(edge, colour)| Some((edge.kept?, *colour)));
            for (before, after) in known {
                if before == after { stayed += 1 } else { moved += 1 }
            }
        }
        assert!(stayed > 50 * moved, "{moved} moved, {stayed} stayed");
    }
}
