//! Published distributions of flow sizes, as used by common traffic generators.
//!
//! Facts only: the points of cumulative distributions, size in bytes and the share of flows in percent. All were looked
//! up in the named files in 2026.
//!
//! - `websearch`: Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, the web search cluster; points as in
//!   `traffic_gen/WebSearch_distribution.txt` of <https://github.com/alibaba-edu/High-Precision-Congestion-Control>
//!   (2019), the generator of HPCC (Li et al., SIGCOMM 2019).
//! - `alistorage`: Alibaba's distributed storage, 2019; points as in `traffic_gen/AliStorage2019.txt` of the same
//!   repository.
//! - `solar`: block storage, Miao et al., "From Luna to Solar", SIGCOMM 2022; points as in `traffic_gen/Solar2022.txt`
//!   of <https://github.com/conweave-project/conweave-ns3> (2023), the generator of ConWeave (Song et al., SIGCOMM
//!   2023).

use netloom_model::SizePoint;
use netloom_units::Bytes;

/// The names under which a scenario finds them.
pub const NAMES: [&str; 3] = ["websearch", "alistorage", "solar"];

/// Points of size in bytes and percent.
type Points = &'static [(u64, f64)];

const WEBSEARCH: Points = &[
    (0, 0.0),
    (10_000, 15.0),
    (20_000, 20.0),
    (30_000, 30.0),
    (50_000, 40.0),
    (80_000, 53.0),
    (200_000, 60.0),
    (1_000_000, 70.0),
    (2_000_000, 80.0),
    (5_000_000, 90.0),
    (10_000_000, 97.0),
    (30_000_000, 100.0),
];

const ALISTORAGE: Points = &[
    (0, 0.0),
    (4_000, 22.93),
    (8_000, 69.21),
    (16_000, 80.61),
    (32_000, 90.47),
    (64_000, 93.53),
    (128_000, 96.77),
    (256_000, 97.53),
    (2_000_000, 100.0),
];

const SOLAR: Points = &[
    (0, 0.0),
    (4_095, 0.001),
    (4_096, 30.0),
    (16_383, 35.0),
    (16_384, 50.0),
    (65_535, 60.0),
    (65_536, 95.0),
    (262_144, 100.0),
];

/// The points of a published distribution.
pub fn points(name: &str) -> Option<Vec<SizePoint>> {
    let number = NAMES.iter().position(|known| *known == name)?;
    let points = [WEBSEARCH, ALISTORAGE, SOLAR][number];
    Some(
        points
            .iter()
            .map(|&(size, percent)| SizePoint { size: Bytes(size), share: percent / 100.0 })
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::background::sizes::Sizes;

    #[test]
    fn published_distributions_have_the_means_of_their_generators() {
        // Mean over the linear pieces, as the generators compute it.
        let means = [1_711_250.0, 40_869.8, 39_423.504_52];
        for (name, mean) in NAMES.into_iter().zip(means) {
            let sizes = Sizes::new(&points(name).expect("it is listed")).expect("it rises");
            assert!((sizes.mean() / mean - 1.0).abs() < 1e-6, "{name}: {}", sizes.mean());
        }
        assert!(points("mining").is_none());
    }
}
