//! Points of a study within ranges: at random, or as a Latin hypercube.
//!
//! Models: a number of vectors, one value of each range in each; a Latin hypercube has exactly one value in each of as many
//! equally wide parts of every range.
//! Leaves out: lists of values, of which every combination is run with every vector.
//!
//! Invariants: the same ranges, number and seed give the same vectors; no vector appears twice.
//!
//! Source: M. D. `McKay`, R. J. Beckman, W. J. Conover, "A Comparison of Three Methods for Selecting Values of Input
//! Variables in the Analysis of Output from a Computer Code", Technometrics 21(2), 1979.

use std::collections::BTreeSet;
use std::str::FromStr;

use netloom_units::Random;
use serde::Serialize;

use super::range::ValueRange;

/// The random stream of designs.
const PURPOSE: u64 = 0x6465_7369;

/// Most vectors of a study.
pub const MOST_SAMPLES: u64 = 100_000;

/// How vectors are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Design {
    /// A Latin hypercube.
    #[default]
    LatinHypercube,
    /// Each value at random.
    Random,
}

impl FromStr for Design {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Design, &'static str> {
        match text {
            "latin-hypercube" => Ok(Design::LatinHypercube),
            "random" => Ok(Design::Random),
            _ => Err("expected `latin-hypercube` or `random`"),
        }
    }
}

/// Vectors of values within ranges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Sampling {
    /// Number of vectors; fewer if values repeat.
    pub points: u32,
    /// How they are chosen.
    pub design: Design,
    /// Seed of the choice.
    pub seed: u64,
}

impl Sampling {
    /// The vectors, a value of each range in each.
    pub fn vectors(&self, ranges: &[ValueRange]) -> Vec<Vec<String>> {
        let n = self.points as usize;
        let columns: Vec<Vec<String>> =
            ranges.iter().zip(0..).map(|(range, index)| self.column(range, index)).collect();
        let mut seen = BTreeSet::new();
        (0..n)
            .map(|row| columns.iter().map(|column| column[row].clone()).collect::<Vec<_>>())
            .filter(|vector| seen.insert(vector.clone()))
            .collect()
    }

    /// The values of a range.
    fn column(&self, range: &ValueRange, index: u64) -> Vec<String> {
        let mut random = Random::stream(self.seed, PURPOSE, index);
        let n = self.points as usize;
        match self.design {
            Design::Random => (0..n).map(|_| range.within(0, 1, random.unit())).collect(),
            Design::LatinHypercube => {
                let mut strata: Vec<usize> = (0..n).collect();
                random.shuffle(&mut strata);
                strata.into_iter().map(|stratum| range.within(stratum, n, random.unit())).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latin_hypercube_has_one_value_in_each_part_of_each_range() {
        let ranges =
            ["0.0..1.0", "100Gbps..400Gbps", "1us..1s log"].map(|text| ValueRange::parse(text).expect(text));
        for seed in 1..20 {
            let sampling = Sampling { points: 16, design: Design::LatinHypercube, seed };
            let vectors = sampling.vectors(&ranges);
            assert_eq!(vectors.len(), 16);
            for (column, range) in ranges.iter().enumerate() {
                let mut parts: Vec<usize> = vectors
                    .iter()
                    .map(|vector| {
                        (range.share(&vector[column]) * 16.0 + 1e-2).floor().clamp(0.0, 15.0) as usize
                    })
                    .collect();
                parts.sort_unstable();
                // Values are rounded to four digits, so one may appear in the next part.
                let shifted = parts.iter().enumerate().filter(|(index, part)| index != *part).count();
                assert!(shifted <= 1, "{parts:?}");
            }
        }
    }

    #[test]
    fn a_design_depends_on_its_seed_only_and_repeats_no_vector() {
        let ranges = [ValueRange::parse("1..3").expect("it is one")];
        let of = |seed| Sampling { points: 50, design: Design::Random, seed }.vectors(&ranges);
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        assert_eq!(of(1).len(), 3);
    }
}
