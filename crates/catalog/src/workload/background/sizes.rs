//! Sizes drawn at random from a cumulative distribution given by points.
//!
//! Models: linear interpolation between the points, as in common traffic generators.
//! Leaves out: where the points come from.
//!
//! Invariants: a size has at least one byte; rounding goes to the nearest byte, so the mean of the drawn sizes is that
//! of the points. A draw needs `+ - * /` only and is the same on every processor.

use netloom_model::SizePoint;
use netloom_units::{Bytes, Random};

use super::wrong;
use crate::workload::error::WorkloadError;

/// A distribution ready for random draws.
#[derive(Debug, Clone)]
pub(super) struct Sizes {
    points: Vec<SizePoint>,
}

impl Sizes {
    /// Checks the points.
    ///
    /// # Errors
    /// When they do not rise from a share of zero to a share of one.
    pub(super) fn new(points: &[SizePoint]) -> Result<Sizes, WorkloadError> {
        let (Some(first), Some(last)) = (points.first(), points.last()) else {
            return Err(wrong("has no points under `given`"));
        };
        if first.share.abs() > 0.0 || (last.share - 1.0).abs() > 0.0 {
            return Err(wrong("has shares under `given` that do not go from 0% to 100%"));
        }
        if points.windows(2).any(|two| two[0].share >= two[1].share || two[0].size > two[1].size) {
            return Err(wrong("has sizes or shares under `given` that do not rise from point to point"));
        }
        if last.size.0 == 0 {
            return Err(wrong("has no size above 0B under `given`"));
        }
        Ok(Sizes { points: points.to_vec() })
    }

    /// The mean in bytes.
    pub(super) fn mean(&self) -> f64 {
        let part = |two: &[SizePoint]| {
            f64::midpoint(two[0].size.0 as f64, two[1].size.0 as f64) * (two[1].share - two[0].share)
        };
        self.points.windows(2).map(part).sum()
    }

    /// The largest size that can be drawn.
    pub(super) fn largest(&self) -> Bytes {
        self.points.last().map_or(Bytes(1), |point| point.size)
    }

    /// The next size of a stream.
    pub(super) fn draw(&self, random: &mut Random) -> Bytes {
        self.at(random.unit())
    }

    /// The size that this share of messages does not exceed, from 0 up to but not including 1.
    fn at(&self, share: f64) -> Bytes {
        let end = self.points.partition_point(|point| point.share <= share);
        let (low, high) = (self.points[end - 1], self.points[end]);
        let part = (share - low.share) / (high.share - low.share);
        let size = low.size.0 as f64 + (high.size.0 - low.size.0) as f64 * part;
        Bytes((size.round() as u64).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(points: &[(u64, f64)]) -> Result<Sizes, WorkloadError> {
        let points: Vec<_> =
            points.iter().map(|&(size, share)| SizePoint { size: Bytes(size), share }).collect();
        Sizes::new(&points)
    }

    #[test]
    fn sizes_are_interpolated_linearly_between_points() {
        let sizes = sizes(&[(0, 0.0), (1000, 0.5), (3000, 1.0)]).expect("it rises");
        let found = [0.0, 0.25, 0.5, 0.75, 0.999_999_9].map(|share| sizes.at(share).0);
        assert_eq!(found, [1, 500, 1000, 2000, 3000]);
        assert!((sizes.mean() - 1250.0).abs() < 1e-9);
    }

    #[test]
    fn all_messages_may_have_one_size() {
        let sizes = sizes(&[(64, 0.0), (64, 1.0)]).expect("all messages may have one size");
        assert_eq!([sizes.at(0.0), sizes.at(0.7), sizes.largest()], [Bytes(64); 3]);
        assert!((sizes.mean() - 64.0).abs() < 1e-12);
    }

    #[test]
    fn invalid_distributions_are_rejected() {
        let wrong: [&[(u64, f64)]; 6] = [
            &[],
            &[(5, 0.1), (9, 1.0)],
            &[(5, 0.0), (9, 0.9)],
            &[(9, 0.0), (5, 1.0)],
            &[(1, 0.0), (5, 0.5), (9, 0.5), (11, 1.0)],
            &[(0, 0.0), (0, 1.0)],
        ];
        for points in wrong {
            assert!(sizes(points).is_err(), "{points:?}");
        }
    }
}
