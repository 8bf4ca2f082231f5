//! Statistics of many integers in little memory: exact while they are few, a histogram when they are many.
//!
//! Models: count, mean and extremes, always exact, standard deviation up to rounding; quantiles with linear
//! interpolation, the default of numpy.
//! Leaves out: units.
//!
//! Invariants: memory has a fixed bound; the quantiles of up to 65,536 numbers (or the number chosen) are exact, of
//! more to within 0.4 %. The order in which numbers are added affects only the last bits of the deviation.

use super::histogram::Histogram;

/// Up to this number of values are stored individually.
const EXACT: usize = 1 << 16;

/// A sample in progress.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Up to this number of values are stored individually.
    exact: usize,
    /// The values while they are few; sorted on finishing.
    few: Vec<u64>,
    /// All values, once they are many.
    many: Option<Histogram>,
    count: u64,
    minimum: u64,
    maximum: u64,
    sum: u128,
    /// The mean by Welford's algorithm.
    mean: f64,
    /// Sum of squared distances from the mean, by the same algorithm.
    squares: f64,
}

impl Default for Sample {
    fn default() -> Sample {
        Sample::exact_to(EXACT)
    }
}

impl Sample {
    /// An empty sample, exact up to `exact` values.
    pub fn exact_to(exact: usize) -> Sample {
        let (few, many) = (Vec::new(), None);
        Sample { exact, few, many, count: 0, minimum: 0, maximum: 0, sum: 0, mean: 0.0, squares: 0.0 }
    }

    /// The number of values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Adds a value.
    pub fn push(&mut self, number: u64) {
        self.minimum = if self.count == 0 { number } else { self.minimum.min(number) };
        self.maximum = self.maximum.max(number);
        self.count += 1;
        self.sum += u128::from(number);
        let distance = number as f64 - self.mean;
        self.mean += distance / self.count as f64;
        self.squares += distance * (number as f64 - self.mean);
        self.add_kept(number);
    }

    fn add_kept(&mut self, number: u64) {
        match &mut self.many {
            Some(histogram) => histogram.add(number),
            None if self.few.len() < self.exact => self.few.push(number),
            None => self.fold().add(number),
        }
    }

    /// Moves the individual values to the histogram and returns it.
    fn fold(&mut self) -> &mut Histogram {
        let histogram = self.many.get_or_insert_default();
        self.few.drain(..).for_each(|number| histogram.add(number));
        self.few.shrink_to_fit();
        histogram
    }

    /// Adds all values of another sample.
    pub fn append(&mut self, other: Sample) {
        if other.count == 0 {
            return;
        }
        let (here, there) = (self.count as f64, other.count as f64);
        self.minimum = if self.count == 0 { other.minimum } else { self.minimum.min(other.minimum) };
        self.maximum = self.maximum.max(other.maximum);
        self.count += other.count;
        self.sum += other.sum;
        let distance = other.mean - self.mean;
        self.mean += distance * there / (here + there);
        self.squares += other.squares + distance * distance * here * there / (here + there);
        match other.many {
            Some(histogram) => self.fold().append(&histogram),
            None => other.few.into_iter().for_each(|number| self.add_kept(number)),
        }
    }

    /// The finished sample; `None` if it is empty.
    pub fn finish(mut self) -> Option<Taken> {
        self.few.sort_unstable();
        (self.count > 0).then_some(Taken(self))
    }
}

/// A finished sample of at least one value.
#[derive(Debug, Clone)]
pub struct Taken(Sample);

impl Taken {
    /// The number of values.
    pub fn count(&self) -> u64 {
        self.0.count
    }

    /// Whether its quantiles are exact.
    pub fn is_exact(&self) -> bool {
        self.0.many.is_none()
    }

    /// Arithmetic mean.
    pub fn mean(&self) -> f64 {
        self.0.sum as f64 / self.0.count as f64
    }

    /// The largest value.
    pub fn maximum(&self) -> u64 {
        self.0.maximum
    }

    /// Standard deviation; zero for a single value.
    pub fn deviation(&self) -> f64 {
        let freedom = self.0.count.saturating_sub(1).max(1);
        (self.0.squares / freedom as f64).sqrt()
    }

    /// The value of this rank, counted from 0 in ascending order.
    pub fn at(&self, rank: u64) -> u64 {
        let rank = rank.min(self.0.count - 1);
        let found = match &self.0.many {
            None => self.0.few[rank as usize],
            Some(_) if rank == 0 => self.0.minimum,
            Some(_) if rank == self.0.count - 1 => self.0.maximum,
            Some(histogram) => histogram.at(rank),
        };
        found.clamp(self.0.minimum, self.0.maximum)
    }

    /// The value below which this share of the sample lies.
    pub fn quantile(&self, share: f64) -> f64 {
        let rank = share * (self.0.count - 1) as f64;
        let part = rank - rank.floor();
        let (low, high) = (self.at(rank as u64) as f64, self.at(rank as u64 + 1) as f64);
        low * (1.0 - part) + high * part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(numbers: impl IntoIterator<Item = u64>) -> Taken {
        let mut sample = Sample::default();
        numbers.into_iter().for_each(|number| sample.push(number));
        sample.finish().expect("there are some")
    }

    #[test]
    fn a_few_numbers_have_the_quantiles_of_numpy() {
        // numpy.percentile([1, 2, 4, 8], [50, 95, 99]) gives 3, 7.4, 7.88.
        let few = taken([4, 1, 8, 2]);
        assert!(few.is_exact() && few.count() == 4 && few.maximum() == 8 && few.at(0) == 1);
        let close = |left: f64, right: f64| assert!((left - right).abs() < 1e-12, "{left} {right}");
        close(few.mean(), 3.75);
        close(few.deviation(), (28.75_f64 / 3.0).sqrt());
        close(few.quantile(0.5), 3.0);
        close(few.quantile(0.95), 7.4);
        close(few.quantile(0.99), 7.88);
        close(few.quantile(1.0), 8.0);
        assert!(Sample::default().finish().is_none());
    }

    #[test]
    fn many_numbers_keep_their_quantiles_to_four_parts_in_a_thousand() {
        // Squares spread over ten powers of two; their exact quantiles are known.
        let n = 300_000_u64;
        let many = taken((0..n).rev().map(|number| (number + 1) * (number + 1)));
        assert!(!many.is_exact());
        assert_eq!((many.count(), many.at(0), many.maximum()), (n, 1, n * n));
        for share in [0.01, 0.5, 0.95, 0.99, 0.9999] {
            let exact = (share * (n - 1) as f64 + 1.0).powi(2);
            let error = (many.quantile(share) - exact).abs() / exact;
            assert!(error < 0.004, "{share}: {error}");
        }
    }

    #[test]
    fn parts_make_the_whole() {
        let numbers: Vec<u64> = (0..3_000).map(|number| number * number % 7_919).collect();
        let whole = taken(numbers.iter().copied());
        for exact in [10_000, 500] {
            let mut sum = Sample::exact_to(exact);
            for part in numbers.chunks(700) {
                let mut sample = Sample::exact_to(exact);
                for number in part {
                    sample.push(*number);
                }
                sum.append(sample);
            }
            sum.append(Sample::default());
            let sum = sum.finish().expect("there are some");
            assert_eq!(
                (sum.count(), sum.at(0), sum.maximum()),
                (whole.count(), whole.at(0), whole.maximum())
            );
            assert!((sum.mean() / whole.mean() - 1.0).abs() < 1e-12, "{} {}", sum.mean(), whole.mean());
            assert!((sum.deviation() / whole.deviation() - 1.0).abs() < 1e-12);
            assert!(
                (sum.quantile(0.9) / whole.quantile(0.9) - 1.0).abs()
                    < if sum.is_exact() { 1e-15 } else { 0.004 }
            );
            assert_eq!(sum.is_exact(), exact == 10_000);
        }
    }

    #[test]
    fn equal_numbers_have_no_spread() {
        let equal = taken(std::iter::repeat_n(777_777_777_777, 100_000));
        assert!((equal.quantile(0.3) - 777_777_777_777.0).abs() < 1.0 && equal.deviation() < 1.0);
    }
}
