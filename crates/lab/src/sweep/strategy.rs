//! A study whose points are chosen as it goes: a strategy gets results, and says which values are run next.
//!
//! Models: rounds of values, each with all seeds.
//! Leaves out: strategies; those of Optuna are in the Python package.
//!
//! Invariants: a strategy that decides by results alone asks for the same points when the study is resumed, and these are
//! not computed again; values that were asked for before are answered at once.

use std::collections::BTreeMap;

use super::error::SweepError;
use super::make::{Maker, PointKey};
use super::points::PointReport;
use super::variants::Draft;
use crate::error::LabError;

/// Chooses values.
pub trait Strategy: Sync {
    /// Its name in the plan: another one is another study.
    fn name(&self) -> String;

    /// The next values, one for each variation in each vector, given the results of the last ones; none ends the study.
    ///
    /// # Errors
    /// Why it cannot choose.
    fn next(&self, results: &[ChosenPoint<'_>]) -> Result<Vec<Vec<String>>, LabError>;
}

/// A point that a strategy has chosen.
#[derive(Debug, Clone, Copy)]
pub struct ChosenPoint<'a> {
    /// Index of its vector among those of the round.
    pub vector: usize,
    /// Its seed.
    pub seed: u64,
    /// Its figures; absent if it failed.
    pub report: Option<&'a PointReport>,
}

impl Maker<'_> {
    /// Runs what a strategy chooses until it chooses nothing more; returns whether all points were computed.
    pub(super) fn follow(&mut self, strategy: &dyn Strategy) -> Result<bool, LabError> {
        let seeds: Vec<u64> = self.plan.seeds.0.clone().collect();
        let mut known: BTreeMap<Vec<String>, usize> = BTreeMap::new();
        let mut vectors = strategy.next(&[])?;
        while !vectors.is_empty() {
            let mut variants = Vec::new();
            for vector in &vectors {
                variants.push(self.variant_of(vector, &mut known)?);
            }
            let mut new: Vec<usize> =
                variants.iter().copied().filter(|&variant| !self.has(variant)).collect();
            new.sort_unstable();
            new.dedup();
            let keys: Vec<PointKey> =
                new.iter().flat_map(|&variant| seeds.iter().map(move |&seed| (variant, seed))).collect();
            if !self.compute(&keys)? {
                return Ok(false);
            }
            let chosen = variants
                .iter()
                .enumerate()
                .flat_map(|(vector, &variant)| seeds.iter().map(move |&seed| (vector, variant, seed)));
            let results: Vec<ChosenPoint<'_>> = chosen
                .map(|(vector, variant, seed)| ChosenPoint {
                    vector,
                    seed,
                    report: self.report(variant, seed),
                })
                .collect();
            vectors = strategy.next(&results)?;
        }
        Ok(true)
    }

    /// The number of the variant with these values, which is added if it is new.
    fn variant_of(
        &mut self,
        vector: &[String],
        known: &mut BTreeMap<Vec<String>, usize>,
    ) -> Result<usize, LabError> {
        if vector.len() != self.plan.vary.len() {
            return Err(SweepError::Vector { found: vector.len(), expected: self.plan.vary.len() }.into());
        }
        if let Some(&variant) = known.get(vector) {
            return Ok(variant);
        }
        let draft = Draft { scenario: 0, values: vector.to_vec() };
        let variant = self.add(&draft, &self.source())?;
        known.insert(vector.to_vec(), variant);
        Ok(variant)
    }

    fn has(&self, variant: usize) -> bool {
        let is_done = self.done.iter().any(|done| done.variant == variant);
        is_done || self.failed.iter().any(|failed| failed.variant == variant)
    }

    fn report(&self, variant: usize, seed: u64) -> Option<&PointReport> {
        let found = self.done.iter().find(|done| done.variant == variant && done.report.seed == seed)?;
        Some(&found.report)
    }
}
