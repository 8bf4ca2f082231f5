//! DCQCN at the sender, in its vendors' form.
//!
//! Models: alpha, the check for a decrease, the increase in three stages; three timers that tick one by one.
//! Leaves out: the byte counter, and when the timers tick (see `host`).
//! Invariants: alpha is a multiple of 2^-32, at most 1; the rate is between the minimum and the line rate.
//! Source: Y. Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", 2015, in the form of the public models
//! of vendors' NICs.

use super::scene::Dcqcn;

/// Alpha = 1.
const ONE: u64 = 1 << 32;

/// The state of one queue pair.
#[derive(Debug)]
pub(super) struct Reaction {
    settings: Dcqcn,
    line: u64,
    rate: u64,
    target: u64,
    alpha: u64,
    stage: u32,
    /// Whether a first CNP has started the timers.
    is_running: bool,
    /// Whether a CNP arrived since alpha was updated.
    alpha_notified: bool,
    /// Whether a CNP arrived since the last check for a decrease.
    decrease_notified: bool,
}

impl Reaction {
    pub(super) fn new(settings: &Dcqcn, line: u64) -> Reaction {
        Reaction {
            settings: settings.clone(),
            line,
            rate: line,
            target: line,
            alpha: ONE,
            stage: 0,
            is_running: false,
            alpha_notified: false,
            decrease_notified: false,
        }
    }

    pub(super) fn rate(&self) -> u64 {
        self.rate
    }

    /// A CNP, or what counts as one; returns whether the timers of alpha and of the decrease start now.
    pub(super) fn notify(&mut self) -> bool {
        self.decrease_notified = true;
        if self.is_running {
            self.alpha_notified = true;
            return false;
        }
        self.is_running = true;
        self.alpha = ONE;
        self.target = self.rate;
        true
    }

    /// A NACK after which the rate falls to the minimum: a cut that consumes no CNP.
    pub(super) fn fall(&mut self) {
        self.cut_to(self.settings.smallest);
    }

    fn cut_to(&mut self, rate: u64) {
        if self.settings.clamp_target || self.stage > 0 {
            self.target = self.rate;
        }
        self.rate = rate;
        self.stage = 0;
    }

    /// The timer of alpha.
    pub(super) fn update_alpha(&mut self) {
        let divisor = self.settings.gain_divisor;
        if std::mem::take(&mut self.alpha_notified) {
            self.alpha += (ONE - self.alpha) / divisor;
        } else {
            self.alpha -= self.alpha.div_ceil(divisor);
        }
    }

    /// The check for a decrease; returns whether there was one, after which the timer of the increase restarts.
    pub(super) fn check_decrease(&mut self) -> bool {
        if !std::mem::take(&mut self.decrease_notified) {
            return false;
        }
        // Rounded down: alpha / 2 is in units of 2^-33.
        let left = (u128::from(self.rate) * u128::from(2 * ONE - self.alpha)) >> 33;
        self.cut_to(self.settings.smallest.max(left as u64));
        true
    }

    /// The timer of the increase.
    pub(super) fn increase(&mut self) {
        let Dcqcn { fast_steps, additive, hyper, .. } = self.settings;
        let step = match self.stage.cmp(&fast_steps) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Equal => additive,
            std::cmp::Ordering::Greater => hyper,
        };
        self.target = self.line.min(self.target + step);
        self.rate = (self.target + self.rate).div_ceil(2);
        self.stage += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference_roce::scene::NackMeans;

    const LINE: u64 = 100_000_000_000;

    fn settings() -> Dcqcn {
        Dcqcn {
            alpha_period: 1_000_000,
            decrease_period: 4_000_000,
            increase_period: 900_000_000,
            gain_divisor: 256,
            fast_steps: 1,
            additive: 50_000_000,
            hyper: 100_000_000,
            smallest: 100_000_000,
            clamp_target: false,
            nack: NackMeans::Nothing,
        }
    }

    #[test]
    fn one_cnp_cuts_the_rate_and_starts_the_increases() {
        let mut reaction = Reaction::new(&settings(), LINE);
        assert!(reaction.notify());
        (0..4).for_each(|_| reaction.update_alpha());
        assert!(reaction.check_decrease());
        let mut shares = vec![reaction.rate()];
        for _ in 0..4 {
            reaction.increase();
            shares.push(reaction.rate());
        }
        // (255/256)^4 = 0.984466, cut by half of it: 50.78 %; every increase then halves the distance to the target.
        let tenths = shares.iter().map(|share| (share * 1000 + LINE / 2) / LINE).collect::<Vec<_>>();
        assert_eq!(tenths, [508, 754, 877, 938, 969]);
        assert!(!reaction.check_decrease());
    }

    #[test]
    fn alpha_is_rounded_down_in_both_directions() {
        let mut reaction = Reaction::new(&settings(), LINE);
        reaction.notify();
        reaction.update_alpha();
        assert_eq!(reaction.alpha, ONE - ONE / 256);
        reaction.update_alpha();
        assert_eq!(reaction.alpha, ONE - ONE / 256 - (ONE / 256 * 255).div_ceil(256));
        let before = reaction.alpha;
        reaction.notify();
        reaction.update_alpha();
        assert_eq!(reaction.alpha, before + (ONE - before) / 256);
    }

    #[test]
    fn cuts_without_an_increase_between_them_keep_the_target() {
        let mut reaction = Reaction::new(&settings(), LINE);
        reaction.notify();
        reaction.check_decrease();
        assert_eq!((reaction.rate, reaction.target), (LINE / 2, LINE));
        reaction.notify();
        reaction.check_decrease();
        assert_eq!((reaction.rate, reaction.target), (LINE / 4, LINE));
        reaction.increase();
        reaction.notify();
        reaction.check_decrease();
        assert_eq!(reaction.target, LINE.div_ceil(4) + LINE * 3 / 8);
    }

    #[test]
    fn increase_stages_follow_in_order() {
        let mut reaction = Reaction::new(&settings(), LINE);
        reaction.notify();
        reaction.check_decrease();
        reaction.target = 80_000_000_000;
        let mut targets = Vec::new();
        for _ in 0..4 {
            reaction.increase();
            targets.push(reaction.target / 1_000_000);
        }
        assert_eq!(targets, [80_000, 80_050, 80_150, 80_250]);
    }

    #[test]
    fn a_cut_restarts_the_increase_stages() {
        let mut reaction = Reaction::new(&settings(), LINE);
        reaction.notify();
        reaction.check_decrease();
        (0..3).for_each(|_| reaction.increase());
        reaction.notify();
        reaction.check_decrease();
        let target = reaction.target;
        assert!(target < LINE);
        reaction.increase();
        assert_eq!(reaction.target, target, "fast recovery again");
        reaction.increase();
        assert_eq!(reaction.target, target + 50_000_000);
    }

    #[test]
    fn the_rate_stays_within_its_bounds() {
        let mut reaction = Reaction::new(&settings(), LINE);
        for _ in 0..20 {
            reaction.notify();
            reaction.check_decrease();
        }
        assert_eq!(reaction.rate(), 100_000_000);
        (0..60).for_each(|_| reaction.increase());
        assert_eq!(reaction.rate(), LINE);
        reaction.fall();
        assert_eq!(reaction.rate(), 100_000_000);
    }
}
