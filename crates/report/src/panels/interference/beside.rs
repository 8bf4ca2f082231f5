//! Comparison of measured and simulated cells.
//!
//! Models: pairs of a measured and a simulated cell with the same hosts, collectives, sizes and bursts, of the same
//! system; how close their ratios and times are, and whether they rank cells in the same order; cells without a
//! counterpart.
//! Leaves out: the reasons of differences.
//!
//! Invariants: every cell without a counterpart is counted; each simulated series has its own scores.
//!
//! Source: modelling assumptions: two names denote one system if one begins with the other and the next character is
//! not part of a word; the scores, except Kendall's tau (1938), in the form b, which takes ties into account.

use serde::Serialize;

use super::CellData;
use crate::nearness::Nearness;
use crate::round::six_digits;

/// All cells that were both measured and simulated.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Beside {
    /// The pairs, in the order of the measured cells.
    pub pairs: Vec<PairData>,
    /// The scores of each simulated series.
    pub scores: Vec<ScoreData>,
    /// Measured cells that were not simulated, by reason.
    pub only_measured: Vec<Lonely>,
    /// Number of simulated cells that were not measured.
    pub only_simulated: usize,
}

/// A pair; cells are given as indices in the list of the study.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PairData {
    /// The measured cell.
    pub measured: usize,
    /// The simulated one.
    pub simulated: usize,
    /// Simulated ratio over measured ratio; absent if one of them is not known.
    pub ratio: Option<f64>,
    /// Simulated over measured time of the victim, with the aggressor if there is one.
    pub mean: f64,
    /// The same for the victim in isolation; absent if not known.
    pub baseline: Option<f64>,
}

/// How close a simulated series is to the measured one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreData {
    /// The series.
    pub scenario: String,
    /// The measured one.
    pub measured: String,
    /// Number of cells whose ratios are compared.
    pub cells: usize,
    /// How close these ratios are.
    pub ratio: Option<Nearness>,
    /// Score of a prediction of 1 for every cell.
    pub trivial: Option<Nearness>,
    /// Rank correlation: Kendall's tau, from -1 to 1.
    pub order: Option<f64>,
    /// Number of cells whose times are compared.
    pub times: usize,
    /// How close the times are.
    pub time: Option<Nearness>,
}

/// Measured cells without a simulated counterpart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lonely {
    /// The reason, as far as it can be determined.
    pub reason: String,
    /// Number of cells.
    pub cells: usize,
}

impl Beside {
    /// From the cells of a study and the names of their systems; none unless there are both kinds.
    pub(super) fn of(cells: &[CellData], systems: &[String]) -> Option<Beside> {
        let of_kind = |measured: bool| -> Vec<usize> {
            (0..cells.len()).filter(|&cell| cells[cell].at.measured == measured).collect()
        };
        let (measured, simulated) = (of_kind(true), of_kind(false));
        if measured.is_empty() || simulated.is_empty() {
            return None;
        }
        let is_one = |one: usize, other: usize| are_one_system(&systems[one], &systems[other]);
        let mut pairs = Vec::new();
        let mut only_measured: Vec<Lonely> = Vec::new();
        for &one in &measured {
            let before = pairs.len();
            let same = |&&other: &&usize| is_one(one, other) && is_same_cell(&cells[one], &cells[other]);
            pairs.extend(simulated.iter().filter(same).map(|&other| pair(cells, one, other)));
            if pairs.len() == before {
                let known = simulated.iter().any(|&other| is_one(one, other));
                count(&mut only_measured, reason(&systems[one], known));
            }
        }
        let has_pair = |cell: &&usize| pairs.iter().any(|pair| pair.simulated == **cell);
        let only_simulated = simulated.len() - simulated.iter().filter(has_pair).count();
        Some(Beside { scores: scores(cells, &pairs), pairs, only_measured, only_simulated })
    }
}

fn reason(system: &str, is_known: bool) -> String {
    if is_known {
        format!("`{system}` was simulated, but not with these hosts, collectives, sizes and bursts")
    } else {
        format!("no simulated scenario has a name that begins with `{system}`")
    }
}

fn count(list: &mut Vec<Lonely>, reason: String) {
    match list.iter_mut().find(|one| one.reason == reason) {
        Some(found) => found.cells += 1,
        None => list.push(Lonely { reason, cells: 1 }),
    }
}

/// Whether one name begins with the other, as a whole word.
fn are_one_system(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let next = long.strip_prefix(short).map(|rest| rest.chars().next());
    !short.is_empty() && next.is_some_and(|next| next.is_none_or(|next| !next.is_alphanumeric()))
}

/// Whether they differ only in being measured or simulated.
fn is_same_cell(one: &CellData, other: &CellData) -> bool {
    let near = |one: f64, other: f64| (one - other).abs() <= 1e-9 * one.abs().max(other.abs());
    let bursts = match (one.at.bursts, other.at.bursts) {
        (None, None) => true,
        (Some(one), Some(other)) => near(one[0], other[0]) && near(one[1], other[1]),
        _ => false,
    };
    let (one, other) = (&one.at, &other.at);
    bursts
        && (one.nodes, one.bytes) == (other.nodes, other.bytes)
        && (&one.victim, &one.aggressor) == (&other.victim, &other.aggressor)
}

fn pair(cells: &[CellData], measured: usize, simulated: usize) -> PairData {
    let (one, other) = (&cells[measured], &cells[simulated]);
    let over = |simulated: Option<f64>, measured: Option<f64>| {
        simulated
            .zip(measured)
            .filter(|(_, measured)| *measured > 0.0)
            .map(|(own, real)| six_digits(own / real))
    };
    PairData {
        measured,
        simulated,
        ratio: over(other.ratio.map(|ratio| ratio.value), one.ratio.map(|ratio| ratio.value)),
        mean: six_digits(other.mean_s / one.mean_s),
        baseline: over(other.baseline_s, one.baseline_s),
    }
}

/// The scores of each series, in order of appearance.
fn scores(cells: &[CellData], pairs: &[PairData]) -> Vec<ScoreData> {
    let name = |cell: usize| cells[cell].at.scenario.clone();
    let mut series: Vec<(String, String)> = Vec::new();
    for pair in pairs {
        let found = (name(pair.simulated), name(pair.measured));
        if !series.contains(&found) {
            series.push(found);
        }
    }
    let of = |(scenario, measured): (String, String)| {
        let own: Vec<&PairData> = pairs
            .iter()
            .filter(|pair| name(pair.simulated) == scenario && name(pair.measured) == measured)
            .collect();
        let value = |cell: usize| cells[cell].ratio.map(|ratio| ratio.value);
        let ratios: Vec<(f64, f64)> =
            own.iter().filter_map(|pair| value(pair.simulated).zip(value(pair.measured))).collect();
        let times: Vec<(f64, f64)> =
            own.iter().map(|pair| (cells[pair.simulated].mean_s, cells[pair.measured].mean_s)).collect();
        let ones: Vec<(f64, f64)> = ratios.iter().map(|(_, measured)| (1.0, *measured)).collect();
        ScoreData {
            scenario,
            measured,
            cells: ratios.len(),
            ratio: Nearness::of(&ratios),
            trivial: Nearness::of(&ones),
            order: tau(&ratios),
            times: times.len(),
            time: Nearness::of(&times),
        }
    };
    series.into_iter().map(of).collect()
}

/// Kendall's tau b: concordant minus discordant pairs, over the geometric mean of the numbers of pairs without ties.
fn tau(values: &[(f64, f64)]) -> Option<f64> {
    let (mut agreed, mut one_differs, mut other_differs) = (0_i64, 0_i64, 0_i64);
    for (number, left) in values.iter().enumerate() {
        for right in &values[number + 1..] {
            let [one, other] =
                [left.0.total_cmp(&right.0), left.1.total_cmp(&right.1)].map(|order| order as i64);
            agreed += one * other;
            one_differs += one.abs();
            other_differs += other.abs();
        }
    }
    let most = (one_differs as f64 * other_differs as f64).sqrt();
    (most > 0.0).then(|| six_digits(agreed as f64 / most))
}

#[cfg(test)]
mod tests {
    use super::super::{Coordinates, RatioData};
    use super::*;

    fn cell(scenario: &str, measured: bool, bytes: u64, times: (f64, f64)) -> CellData {
        let at = Coordinates {
            scenario: scenario.to_owned(),
            measured,
            nodes: 16,
            victim: "ring_all_gather".to_owned(),
            bytes,
            aggressor: Some("incast 2MiB".to_owned()),
            bursts: Some([0.1 + 0.2, 1e-3]),
        };
        let ratio = Some(RatioData { value: times.0 / times.1, half: None, seeds: 1 });
        CellData { at, mean_s: times.1, busbw_bps: None, baseline_s: Some(times.0), ratio }
    }

    #[test]
    fn names_of_one_system_begin_with_the_same_whole_words() {
        for (one, other) in [("leonardo", "leonardo-64b"), ("lumi, congestion none", "lumi"), ("a", "a")] {
            assert!(are_one_system(one, other), "{one} {other}");
        }
        for (one, other) in
            [("leo", "leonardo"), ("", "leonardo"), ("lumi-8", "lumi-16"), ("lumi-1", "lumi-16")]
        {
            assert!(!are_one_system(one, other), "{one} {other}");
        }
    }

    #[test]
    fn cells_find_their_counterparts_and_are_scored() {
        let mut cells = vec![
            cell("machine", true, 1024, (1.0, 2.0)),
            cell("machine", true, 2048, (1.0, 4.0)),
            cell("machine", true, 4096, (1.0, 1.0)),
            cell("other", true, 1024, (1.0, 1.0)),
            cell("machine-8", false, 1024, (1.5, 3.0)),
            cell("machine-8", false, 2048, (1.0, 2.0)),
            cell("machine-8", false, 9, (1.0, 2.0)),
        ];
        cells[4].at.bursts = Some([0.3, 1e-3]);
        let systems: Vec<String> = cells.iter().map(|cell| cell.at.scenario.clone()).collect();
        let found = Beside::of(&cells, &systems).expect("both kinds are there");
        let found_values: Vec<_> =
            found.pairs.iter().map(|pair| (pair.measured, pair.simulated, pair.ratio)).collect();
        assert_eq!(found_values, [(0, 4, Some(1.0)), (1, 5, Some(2.0))]);
        assert_eq!((found.pairs[0].mean, found.pairs[0].baseline), (1.5, Some(1.5)));
        assert_eq!(found.only_simulated, 1);
        let lonely: Vec<usize> = found.only_measured.iter().map(|one| one.cells).collect();
        assert_eq!(lonely, [1, 1], "{:?}", found.only_measured);
        let [score] = &found.scores[..] else { panic!("{:?}", found.scores) };
        assert_eq!((score.cells, score.ratio.expect("two").share_near), (2, 0.5));
        assert!(Beside::of(&cells[..4], &systems[..4]).is_none());
    }

    #[test]
    fn rank_correlation_is_kendalls_tau_with_ties() {
        assert_eq!(tau(&[(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]), Some(1.0));
        assert_eq!(tau(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]), Some(-1.0));
        // Of three pairs two agree, and one is a tie of the first: 2 over the root of 2 times 3.
        assert_eq!(tau(&[(1.0, 1.0), (1.0, 2.0), (2.0, 3.0)]), Some(0.816_497));
        assert_eq!(tau(&[(1.0, 1.0), (1.0, 2.0)]), None);
    }
}
