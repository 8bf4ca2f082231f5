//! The policy in scenarios: it runs, its parameter matters, mistakes have hints.

use std::path::Path;
use std::process::Command;

use netloom_lab::{Overrides, Overwrite, RunReport, RunRequest, Source, run};

fn source() -> Source {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenario.yaml");
    Source::file(path).with_policies(my_balancer::policies())
}

fn made(set: &[(&str, &str)], threads: usize) -> RunReport {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let set = set.iter().map(|&(path, value)| (path.to_owned(), value.to_owned())).collect();
    run(RunRequest {
        overrides: Overrides { set, ..Overrides::default() },
        folder: Some(folder.path().join("run")),
        overwrite: Overwrite::Replace,
        threads: Some(threads),
        ..RunRequest::new(source())
    })
    .expect("it runs")
}

fn step(report: &RunReport) -> f64 {
    report.summary.jobs[0].step.as_ref().map_or(0.0, |steps| steps.mean_s)
}

#[test]
fn two_choices_are_better_than_one_with_any_number_of_threads() {
    let [one, two] = ["1", "2"].map(|choices| made(&[("balance.power_of_choices.choices", choices)], 1));
    assert!(step(&two) < step(&one), "{} and {}", step(&two), step(&one));
    assert_eq!(made(&[], 1).manifest.digest, two.manifest.digest);
    assert_eq!(made(&[], 3).manifest.digest, two.manifest.digest);
}

#[test]
fn mistakes_have_hints() {
    for (path, value, expected) in [
        ("balance", "power_of_choice", "did you mean `power_of_choices`?"),
        ("balance.power_of_choices.choices", "0", "from 1 to 64"),
    ] {
        let overrides = Overrides { set: vec![(path.to_owned(), value.to_owned())], ..Overrides::default() };
        let error = netloom_lab::prepare(&source(), &overrides).expect_err("it is wrong");
        let text = error.render(netloom_lab::Style::Plain);
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn the_command_checks_and_runs_the_scenario() {
    let command = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_my-balancer"));
        command.current_dir(env!("CARGO_MANIFEST_DIR"));
        command
    };
    let folder = tempfile::tempdir().expect("a folder can be made");
    let output = folder.path().join("run");
    assert!(command().args(["check", "scenario.yaml"]).status().expect("it starts").success());
    let run =
        command().args(["run", "scenario.yaml", "--quiet", "-o"]).arg(&output).status().expect("it starts");
    assert!(run.success() && output.join("manifest.json").is_file());
}
