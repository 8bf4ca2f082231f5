//! The length of the next burst of a job, and of the pause after it.
//!
//! Models: lengths and pauses as given, or drawn at random from exponential distributions with these means.
//! Leaves out: when a burst is over, which depends on the run.
//!
//! Invariants: a job draws from a random stream of its own, twice per burst, so nothing else shifts its bursts; the
//! slack is not random. The pinned `libm` has the same logarithm on every processor.

use netloom_model::Bursts;
use netloom_units::{Duration, Random};

/// Purpose of the random streams.
const PURPOSE: u64 = 0x6275_7273_7400;

/// The future bursts of a job.
#[derive(Debug)]
pub(super) struct BurstDraws {
    bursts: Option<Bursts>,
    random: Random,
}

impl BurstDraws {
    /// The bursts of the job with this number, if it has any.
    pub(super) fn new(bursts: Option<Bursts>, seed: u64, job: u64) -> BurstDraws {
        BurstDraws { bursts, random: Random::stream(seed, PURPOSE, job) }
    }

    /// Length of the next burst, and the pause after it.
    pub(super) fn next(&mut self) -> Option<(Duration, Duration)> {
        let Bursts { length, pause, slack, exponential } = self.bursts?;
        if !exponential {
            return Some((length, pause + slack));
        }
        let [length, pause] = [length, pause].map(|mean| self.drawn(mean));
        Some((length, pause + slack))
    }

    fn drawn(&mut self, mean: Duration) -> Duration {
        let share = -libm::log(1.0 - self.random.unit());
        Duration((mean.0 as f64 * share) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BURSTS: Bursts = Bursts {
        length: Duration(1_000_000),
        pause: Duration(4_000_000),
        slack: Duration(50),
        exponential: true,
    };

    #[test]
    fn random_bursts_have_the_given_means_and_repeat_with_the_seed() {
        let draw = |seed, job| {
            let mut draws = BurstDraws::new(Some(BURSTS), seed, job);
            (0..20_000).map_while(|_| draws.next()).collect::<Vec<_>>()
        };
        let all = draw(1, 0);
        let mean = |of: fn(&(Duration, Duration)) -> Duration| {
            all.iter().map(|burst| of(burst).0 as f64).sum::<f64>() / all.len() as f64
        };
        assert!((mean(|burst| burst.0) / 1e6 - 1.0).abs() < 0.03);
        assert!((mean(|burst| burst.1) / 4e6 - 1.0).abs() < 0.03);
        assert_eq!(all, draw(1, 0));
        assert!(all != draw(2, 0) && all != draw(1, 1));
    }

    #[test]
    fn regular_bursts_have_the_given_lengths_and_pauses() {
        let mut draws = BurstDraws::new(Some(Bursts { exponential: false, ..BURSTS }), 1, 0);
        assert_eq!(draws.next(), Some((Duration(1_000_000), Duration(4_000_050))));
        assert_eq!(BurstDraws::new(None, 1, 0).next(), None);
    }
}
