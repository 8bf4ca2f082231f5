//! # Idea
//! All-to-all between experts with unequal load: each rank is one expert, and a few of them take more tokens than the
//! others. Dispatch sends much to them, combine sends much from them.
//!
//! # Source
//! `MPI_Alltoallv`, and the token exchange of mixture-of-experts models: Lepikhin et al., ICLR 2021. The
//! distribution of loads is a modelling assumption; the steps are those of `all_to_all_pairwise`.
//!
//! # Parameters
//! `tokens`: the tokens that each expert takes; experts are laid out over the ranks in equal numbers, in order. Without
//! it, loads are drawn: `imbalance` is the largest load over the mean, at most n, and `seed` seeds them. `direction`: with
//! `dispatch` the bytes of a message follow the load of its receiver, with `combine` that of its sender.
//!
//! # Invariants
//! A rank's load is the sum of the tokens of its experts. Loads are drawn once for all ranks: x^m, x uniform on (0, 1]
//! relative to the largest draw, with m (between whole powers: a mixture of both) such that the largest load over the
//! mean is `imbalance`. The S bytes of a vector are cut in the ratio of the loads, to whole bytes. With dispatch member
//! p sends S less the share of p, and receives n - 1 times that share; with combine the reverse. Together the members
//! send (n - 1) S bytes, so that the mean is exactly (n - 1)/n S. n - 1 steps, in each of which the members form a
//! permutation; with `dependent: false` all at once.
//!
//! # When it misleads
//! Where steps wait for each other, the busiest link is idle at times; `dependent: false` is the exchange of NCCL's
//! grouped sends. All ranks agree on the loads; tokens of real ranks differ, so that their messages differ, too. Loads
//! are the same in all steps of a job: change `seed` for others. Capacity limits that drop tokens are not modelled.

use netloom_units::{Kind, Parameter, Random, Settings, Spec, Value};

use super::exchange::{self, Exchange};
use super::{Algorithm, Demand, Factor, Frame, Posted, Step};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "all_to_all_v",
    summary: "all-to-all between experts with unequal load, in n - 1 steps, each a shift",
    source: "MPI_Alltoallv; Lepikhin et al., ICLR 2021; loads: modelling assumption",
    parameters: &[
        Parameter {
            name: "tokens",
            kind: Kind::Optional(&Kind::Counts { most: MOST_EXPERTS }),
            default: Some(Value::Absent),
            meaning: "tokens that each expert takes; the experts of a rank follow each other, and all ranks have as many; \
                      `none` draws loads",
        },
        Parameter {
            name: "imbalance",
            kind: Kind::Fraction { minimum: 1.0, maximum: 1e6 },
            default: Some(Value::Fraction(1.0)),
            meaning: "without `tokens`: the largest load of a rank over the mean; at most the number of ranks",
        },
        Parameter {
            name: "direction",
            kind: Kind::Choice(&["dispatch", "combine"]),
            default: Some(Value::Choice("dispatch")),
            meaning: "`dispatch`: the load is that of the receiver; `combine`: that of the sender",
        },
        Parameter {
            name: "seed",
            kind: Kind::Count { minimum: 0, maximum: u64::MAX },
            default: Some(Value::Count(1)),
            meaning: "without `tokens`: seed of the loads",
        },
    ],
};

/// Largest number of experts whose tokens may be given.
const MOST_EXPERTS: usize = 1 << 20;
/// Purpose of the random stream.
const PURPOSE: u64 = 0x6578_7065_7274;
/// Above this power all loads but the largest are negligible, or equal to it.
const MOST_POWER: u32 = 1 << 30;
/// The sum of all drawn loads, as a whole number; loads are rounded to units of this.
const WHOLE: f64 = (1_u64 << 48) as f64;

/// The plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllToAllV {
    frame: Frame,
    /// Bytes of a vector before the share of each member, and S at the end.
    bounds: Vec<u64>,
    is_dispatch: bool,
}

impl AllToAllV {
    fn share(&self, position: u32) -> u64 {
        self.bounds[position as usize + 1] - self.bounds[position as usize]
    }

    fn bytes(&self, from: u32, to: u32) -> u64 {
        self.share(if self.is_dispatch { to } else { from })
    }

    fn n_steps(&self) -> u64 {
        u64::from(self.frame.n_ranks - 1)
    }

    fn exchange(&self, position: u32, step: u32) -> Exchange {
        let (to, from) = (self.frame.after(position, step + 1), self.frame.before(position, step + 1));
        Exchange { sent: (to, self.bytes(position, to)), received: (from, self.bytes(from, position)) }
    }
}

impl Algorithm for AllToAllV {
    fn new(frame: Frame, settings: &Settings) -> Result<Self, String> {
        let bounds = match settings.optional("tokens") {
            Some(Value::Counts(tokens)) => bounds(frame.size, &summed(&tokens, frame.n_ranks, settings)?),
            _ => bounds(frame.size, &drawn(frame.n_ranks, settings)?),
        };
        let is_dispatch = settings.choice("direction") == "dispatch";
        Ok(AllToAllV { frame, bounds, is_dispatch })
    }

    fn operation(&self, position: u32, index: u64) -> Option<Step> {
        exchange::operation(&self.frame, index, self.n_steps(), |step| self.exchange(position, step))
    }

    fn n_tags(&self) -> u64 {
        self.n_steps()
    }

    fn bus_factor(&self) -> Factor {
        Factor::of_others(self.frame.n_ranks)
    }

    fn demand(&self) -> Demand {
        Demand::Pairs
    }

    fn total_bytes(&self) -> u128 {
        u128::from(self.frame.n_ranks - 1) * u128::from(self.frame.size)
    }

    fn sends_first(&self) -> bool {
        !self.frame.dependent
    }

    fn lists_receives(&self) -> bool {
        self.frame.dependent
    }

    fn posted(&self, position: u32, index: u64, number: u32) -> Option<Posted> {
        exchange::posted(index, number, self.n_steps(), |step| self.exchange(position, step))
    }
}

/// Cuts a size in the ratio of loads; each bound is rounded, so that the shares sum to the size.
fn bounds(size: u64, loads: &[u64]) -> Vec<u64> {
    let total = u128::from(loads.iter().sum::<u64>());
    let mut before = 0;
    let mut bounds = vec![0];
    for &load in loads {
        before += u128::from(load);
        bounds.push((u128::from(size) * before / total) as u64);
    }
    bounds
}

/// The tokens of the experts of each rank.
fn summed(tokens: &[u64], n_ranks: u32, settings: &Settings) -> Result<Vec<u64>, String> {
    let (n_experts, n_ranks) = (tokens.len(), n_ranks as usize);
    if let Some(name) = ["imbalance", "seed"].into_iter().find(|name| settings.get(name) != default(name)) {
        return Err(format!("`tokens` gives the loads, so `{name}` has no effect"));
    }
    if !n_experts.is_multiple_of(n_ranks) {
        return Err(format!("`tokens` has {n_experts} experts, which {n_ranks} ranks cannot share equally"));
    }
    let total: u128 = tokens.iter().copied().map(u128::from).sum();
    if total == 0 || total > u128::from(u64::MAX) {
        return Err(format!("`tokens` sum up to {total}, but 1 to {} are allowed", u64::MAX));
    }
    Ok(tokens.chunks(n_experts / n_ranks).map(|own| own.iter().sum()).collect())
}

fn default(name: &str) -> Value {
    let parameter = SPEC.parameter(name).expect("it is in the specification");
    parameter.default.clone().expect("it has a default")
}

/// Loads drawn at random, as whole numbers.
fn drawn(n_ranks: u32, settings: &Settings) -> Result<Vec<u64>, String> {
    let imbalance = settings.fraction("imbalance");
    if imbalance > f64::from(n_ranks) {
        return Err(format!(
            "`imbalance` is {imbalance}, but the largest of {n_ranks} loads is at most {n_ranks} times the mean"
        ));
    }
    let loads = loads(n_ranks, settings.count("seed"), imbalance);
    let sum: f64 = loads.iter().sum();
    Ok(loads.iter().map(|load| (load / sum * WHOLE) as u64).collect())
}

/// Loads relative to the largest one, with a mean of 1 / `imbalance`.
fn loads(n: u32, seed: u64, imbalance: f64) -> Vec<f64> {
    let mut random = Random::stream(seed, PURPOSE, n.into());
    let draws: Vec<f64> = (0..n).map(|_| 1.0 - random.unit()).collect();
    let largest = draws.iter().copied().fold(0.0, f64::max);
    let draws: Vec<f64> = draws.into_iter().map(|draw| draw / largest).collect();
    let mean = |power: u32| draws.iter().map(|&draw| raised(draw, power)).sum::<f64>() / f64::from(n);
    // The mean falls with the power: the last power with a mean not below the one wanted.
    let wanted = 1.0 / imbalance;
    let (mut power, mut step) = (0, MOST_POWER);
    while step > 0 {
        if mean(power + step) >= wanted {
            power += step;
        }
        step /= 2;
    }
    let (above, below) = (mean(power), mean(power + 1));
    let part = if above > below { ((above - wanted) / (above - below)).min(1.0) } else { 0.0 };
    draws.iter().map(|&draw| raised(draw, power) * (1.0 - part + part * draw)).collect()
}

/// A power by repeated squaring, whose rounding is the same on every processor.
fn raised(base: f64, power: u32) -> f64 {
    let (mut result, mut square, mut rest) = (1.0, base, power);
    while rest > 0 {
        if rest % 2 == 1 {
            result *= square;
        }
        square *= square;
        rest /= 2;
    }
    result
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn with_tokens(n_ranks: u32, tokens: &[u64]) -> Result<AllToAllV, String> {
        let settings = SPEC.defaults().with("tokens", Value::Counts(Arc::from(tokens)));
        AllToAllV::new(Frame { n_ranks, size: 1000, dependent: true }, &settings)
    }

    #[test]
    fn a_rank_receives_in_the_ratio_of_the_tokens_of_its_experts() {
        let plan = with_tokens(3, &[1, 2, 0, 0, 4, 3]).unwrap();
        assert_eq!([0, 1, 2].map(|rank| plan.share(rank)), [300, 0, 700]);
        assert_eq!((plan.bytes(2, 0), plan.bytes(0, 2)), (300, 700));
    }

    #[test]
    fn tokens_that_make_no_loads_are_refused() {
        let refused = |tokens: &[u64]| with_tokens(2, tokens).unwrap_err();
        assert_eq!(refused(&[1, 2, 3]), "`tokens` has 3 experts, which 2 ranks cannot share equally");
        assert_eq!(refused(&[0, 0]), "`tokens` sum up to 0, but 1 to 18446744073709551615 are allowed");
        assert!(refused(&[u64::MAX, 1]).starts_with("`tokens` sum up to 18446744073709551616"));
        let settings = SPEC.defaults().with("tokens", Value::Counts(Arc::from([1, 2])));
        let both = settings.with("seed", Value::Count(4));
        let frame = Frame { n_ranks: 2, size: 1000, dependent: true };
        assert_eq!(
            AllToAllV::new(frame, &both).unwrap_err(),
            "`tokens` gives the loads, so `seed` has no effect"
        );
    }

    #[test]
    fn the_largest_load_is_as_stated() {
        for (n_ranks, imbalance) in [2, 3, 8, 17, 64, 500]
            .into_iter()
            .flat_map(|n| [1.0, 1.2, 1.9, 2.0].map(|load| (n, load)))
            .chain([(8, 7.9), (8, 8.0), (64, 10.0), (500, 300.0)])
        {
            for seed in 0..20 {
                let settings = SPEC.defaults().with("imbalance", Value::Fraction(imbalance));
                let settings = settings.with("seed", Value::Count(seed));
                let frame = Frame { n_ranks, size: 1 << 40, dependent: true };
                let plan = AllToAllV::new(frame, &settings).unwrap();
                let largest = (0..n_ranks).map(|position| plan.share(position)).max().unwrap() as f64;
                let found = largest * f64::from(n_ranks) / frame.size as f64;
                assert!(
                    (found / imbalance - 1.0).abs() < 1e-6,
                    "n {n_ranks} seed {seed}: {found} {imbalance}"
                );
                assert_eq!(plan.bounds.last(), Some(&frame.size));
            }
        }
    }
}
