//! Studies as files.

use std::fs;
use std::path::Path;
use std::time::Duration;

use netloom_lab::sweep::{Design, Keep, VariedValues, WrittenStudy};
use netloom_lab::{Over, Seeds, Style};

fn read(folder: &Path, text: &str) -> Result<Option<WrittenStudy>, String> {
    let path = folder.join("study.yaml");
    fs::write(&path, text).expect("it can be written");
    WrittenStudy::read(&path).map_err(|error| error.render(Style::Plain))
}

#[test]
fn a_study_has_the_options_of_a_sweep() {
    let home = tempfile::tempdir().expect("a folder");
    let text = "
study: 1
scenarios: [../a.yaml, b.yaml]
set: { jobs.0.steps: 4, balance: { flowlet: { gap: 20us } } }
vary:
  balance: [ecmp, { flowlet: { gap: 10us } }]
  fabric.leaf_spine.fabric_rate: 100Gbps..20Gbps
sample: 7
design: random
design_seed: 3
seeds: 2..4
until_ci: 3%
baseline: ecmp
over: all
keep: summary
point_limit: 10min
";
    let study = read(home.path(), text).expect("it is valid").expect("it is a study");
    assert_eq!(study.scenarios, [home.path().join("../a.yaml"), home.path().join("b.yaml")]);
    assert_eq!(study.set[1], ("balance".to_owned(), "{flowlet: {gap: 20us}}".to_owned()));
    let [balance, rate] = &study.vary[..] else { panic!("two paths: {:?}", study.vary) };
    let values = ["ecmp", "{flowlet: {gap: 10us}}"].map(str::to_owned);
    assert_eq!(balance.values, VariedValues::List(values.to_vec()));
    assert!(matches!(&rate.values, VariedValues::Range(range) if range.to_string() == "100Gbps..20Gbps"));
    let sampling = study.sampling.expect("it is given");
    assert_eq!((sampling.points, sampling.design, sampling.seed), (7, Design::Random, 3));
    assert_eq!(
        (study.seeds, study.over, study.keep),
        (Some(Seeds(2..=4)), Some(Over::All), Some(Keep::Summary))
    );
    assert!(study.until.is_some() && study.bisection.is_none());
    assert_eq!(study.point_limit, Some(Duration::from_mins(10)));
}

#[test]
fn a_scenario_is_no_study() {
    let home = tempfile::tempdir().expect("a folder");
    for text in ["netloom: 1\nname: study\n", "- study: 1\n", "study", "{", ""] {
        assert!(matches!(read(home.path(), text), Ok(None)), "{text}");
    }
    assert!(matches!(WrittenStudy::read(&home.path().join("absent.yaml")), Ok(None)));
}

#[test]
fn all_mistakes_are_reported_with_their_lines() {
    let home = tempfile::tempdir().expect("a folder");
    let text = "
study: 2
scenario: a.yaml
set: 3
vary: [balance]
sample: 0
seeds: none
keep: [summary]
";
    let errors = read(home.path(), text).expect_err("it is wrong");
    for expected in [
        "study.yaml:2:8",
        "version of the form of studies",
        "study.yaml:3:1",
        "did you mean `scenarios`",
        "study.yaml:4:6",
        "study.yaml:5:7",
        "expected a map from paths in the scenario, and this is a list",
        "study.yaml:6:9",
        "expected an integer from 1 to 100000",
        "study.yaml:7:8",
        "study.yaml:8:7",
        "expected a single value, and this is a list",
    ] {
        assert!(errors.contains(expected), "no `{expected}` in\n{errors}");
    }
    let without = read(home.path(), "study: 1\ndesign: random\n").expect_err("it is wrong");
    assert!(
        without.contains("a study has no scenarios") && without.contains("`design` needs `sample`"),
        "{without}"
    );
}
