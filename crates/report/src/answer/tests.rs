//! Variants are distinguished, paired and compared as the sentences say.

use super::*;

fn run(name: &str, seed: u64, steps: &[f64]) -> Observed {
    let steps = (0..).zip(steps.iter().copied()).collect();
    Observed {
        name: name.to_owned(),
        seed: Some(seed),
        is_complete: true,
        policy: None,
        jobs: vec![("ring".to_owned(), steps)],
        fct_s: None,
        overlaps: Vec::new(),
    }
}

/// Settings in which runs differ: a path, and a value of each.
fn differing(path: &str, values: &[&str]) -> BetweenRow {
    let values: Vec<Option<String>> = values.iter().map(|value| Some((*value).to_owned())).collect();
    BetweenRow { path: path.to_owned(), words: values.clone(), values }
}

fn answer(runs: &[Observed], between: &[BetweenRow]) -> AnswerData {
    AnswerData::of(runs, between, None).expect("there is a baseline").expect("there are variants")
}

#[test]
fn a_variant_that_is_faster_in_every_step_wins_with_an_interval() {
    let runs = [run("a", 1, &[4.0, 5.0, 6.0]), run("b", 1, &[2.0, 2.5, 2.9])];
    let found = answer(&runs, &[differing("balance", &["ecmp", "spray"])]);
    let compared = &found.verdicts[0].compared[0];
    assert_eq!(compared.outcome, Outcome::Faster);
    let speedup = compared.speedup.expect("there are pairs");
    // By hand: logarithms of 2, 2 and 6/2.9 have the mean 0.704447 and the deviation 0.019573; t(0.975, 2) = 4.302653.
    let half = 4.302_653 * 0.019_573_3 / 3_f64.sqrt();
    assert!((speedup.ratio - 0.704_447_f64.exp()).abs() < 1e-5, "{speedup:?}");
    assert!((speedup.low.expect("it has one") - (0.704_447 - half).exp()).abs() < 1e-4, "{speedup:?}");
    assert_eq!((speedup.pairs, speedup.faster), (3, 3));
    assert_eq!(
        compared.sentence,
        "b is 2.02 times as fast as a: 2.467 s per step instead of 5 s (ratio 1.93 to 2.12 with 95 % confidence, over \
         3 paired steps of the only common seed, 1; faster in 3)"
    );
}

#[test]
fn seeds_are_pairs_where_there_are_several() {
    let runs = [
        run("a1", 1, &[1.0, 3.0]),
        run("a2", 2, &[2.0, 2.0]),
        run("a3", 3, &[2.0, 2.2]),
        run("b2", 2, &[3.0, 3.2]),
        run("b1", 1, &[3.1, 3.1]),
        run("b9", 9, &[0.1, 0.1]),
    ];
    let found =
        answer(&runs, &[differing("balance", &["ecmp", "ecmp", "ecmp", "flowlet", "flowlet", "flowlet"])]);
    let names: Vec<&str> = found.variants.iter().map(|variant| variant.name.as_str()).collect();
    assert_eq!(names, ["ecmp", "flowlet"]);
    let compared = &found.verdicts[0].compared[0];
    assert_eq!(compared.outcome, Outcome::Slower);
    // Seeds 3 and 9 have no partner.
    assert_eq!((compared.time, compared.baseline_time), (Some(3.1), Some(2.0)));
    assert_eq!(
        compared.sentence,
        "flowlet takes 1.55 times as long as ecmp: 3.1 s per step instead of 2 s (ratio 1.55 to 1.55 with 95 % \
         confidence, over 2 paired seeds; faster in 0)"
    );
}

#[test]
fn equal_variants_show_no_difference() {
    let runs = [run("a", 1, &[1.0, 2.0, 3.0, 4.0]), run("b", 1, &[1.1, 1.9, 3.05, 3.9])];
    let found = answer(&runs, &[differing("balance", &["ecmp", "spray"])]);
    let compared = &found.verdicts[0].compared[0];
    assert_eq!(compared.outcome, Outcome::NoDifference);
    assert!(compared.sentence.starts_with("no difference shown between b and a: "), "{}", compared.sentence);
    let twice = [run("a", 1, &[1.0, 2.0]), run("b", 1, &[1.0, 2.0])];
    let same = answer(&twice, &[differing("balance", &["ecmp", "spray"])]);
    assert_eq!(same.verdicts[0].compared[0].outcome, Outcome::NoDifference);
}

#[test]
fn a_single_pair_claims_nothing() {
    let runs = [run("a", 1, &[4.0]), run("b", 1, &[2.0])];
    let found = answer(&runs, &[differing("balance", &["ecmp", "spray"])]);
    let compared = &found.verdicts[0].compared[0];
    assert_eq!(compared.outcome, Outcome::OnePair);
    assert_eq!(
        compared.sentence,
        "b took 2 s and a 4 s per step, in a single pair: how sure that is cannot be said"
    );
}

#[test]
fn without_a_common_seed_nothing_is_compared() {
    let runs = [run("a", 1, &[4.0, 4.0]), run("b", 2, &[2.0, 2.0])];
    let between = [differing("balance", &["ecmp", "spray"]), differing("seed", &["1", "2"])];
    assert_eq!(AnswerData::of(&runs, &between, None), Ok(None));
    // The seed makes no variant.
    let seeds = [run("a", 1, &[4.0]), run("b", 2, &[2.0])];
    assert_eq!(AnswerData::of(&seeds, &[differing("seed", &["1", "2"])], None), Ok(None));
}

#[test]
fn the_best_comes_first_and_a_baseline_may_be_named() {
    let runs = [
        run("a", 1, &[4.0, 4.1]),
        run("b", 1, &[2.0, 2.1]),
        run("c", 1, &[1.0, 1.1]),
        run("d", 1, &[9.0, 9.1]),
    ];
    let between = [differing("balance", &["ecmp", "flowlet", "spray", "adaptive"])];
    let order = |found: &AnswerData| -> Vec<usize> {
        found.verdicts[0].compared.iter().map(|compared| compared.variant).collect()
    };
    assert_eq!(order(&answer(&runs, &between)), [2, 1, 3]);
    let against_b =
        AnswerData::of(&runs, &between, Some("b")).expect("it is one").expect("there are variants");
    assert_eq!((against_b.baseline, order(&against_b)), (1, vec![2, 0, 3]));
    let known = AnswerData::of(&runs, &between, Some("other")).expect_err("there is none");
    assert_eq!(known, ["a", "b", "c", "d"]);
}

#[test]
fn jobs_are_named_where_there_are_several_and_completion_times_stand_in_for_none() {
    let mut runs = [run("a", 1, &[4.0, 4.1]), run("b", 1, &[2.0, 2.1])];
    for run in &mut runs {
        run.jobs.push(("other".to_owned(), vec![(0, 1.0), (1, 1.5)]));
    }
    let between = [differing("balance", &["ecmp", "spray"])];
    let found = answer(&runs, &between);
    assert!(found.verdicts[0].compared[0].sentence.starts_with("job ring: b is 1.98 times as fast as a"));
    assert!(found.verdicts[1].compared[0].sentence.starts_with("job other: no difference shown"));
    let without = |name: &str, seed: u64, time: f64| Observed {
        jobs: Vec::new(),
        fct_s: Some(time),
        ..run(name, seed, &[])
    };
    let runs = [without("a", 1, 1.0), without("a2", 2, 1.1), without("b", 1, 0.5), without("b2", 2, 0.5)];
    let found = answer(&runs, &[differing("fabric.spines", &["4", "4", "8", "8"])]);
    let sentence = &found.verdicts[0].compared[0].sentence;
    assert!(
        sentence.starts_with(
            "spines 8 is 2.10 times as fast as spines 4: 500 ms mean completion time instead of 1.05 s"
        ),
        "{sentence}"
    );
}

#[test]
fn runs_that_ended_early_are_named() {
    let mut runs = [run("a", 1, &[4.0, 4.1]), run("b", 1, &[2.0, 2.1])];
    runs[1].is_complete = false;
    let found = answer(&runs, &[differing("balance", &["ecmp", "spray"])]);
    assert_eq!(found.notes, ["b: 1 of 1 run ended early; what was completed until then counts"]);
}

#[test]
fn a_job_whose_steps_overlap_is_named_with_its_time_per_step() {
    let times = [(0, 4_000_000_000_000), (1, 5_000_000_000_000)];
    assert!(Overlap::of("ring".to_owned(), &times, (0, 9_000_000_000_000)).is_none());
    let mut runs = [run("a", 1, &[4.0, 5.0]), run("b", 1, &[2.0, 2.1])];
    runs[0].overlaps.extend(Overlap::of("ring".to_owned(), &times, (0, 6_000_000_000_000)));
    let found = answer(&runs, &[differing("balance", &["ecmp", "spray"])]);
    let said = "a: steps of ring overlap: the job takes 3 s per step, and a step 4.5 s from its first rank's begin to its \
                last rank's end";
    assert_eq!(found.notes, [said]);
}
