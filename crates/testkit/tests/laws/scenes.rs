//! Random scenarios as text, for checks of what the pages guarantee.

use netloom_catalog::expand;
use netloom_engine::{Extensions, Options, Status};
use netloom_model::Model;
use netloom_scenario::{Style, compile, resolve};
use netloom_testkit::fixture::{Run, simulate_with};
use netloom_units::Random;

/// The model of a valid scenario.
#[track_caller]
pub fn compiled(text: &str) -> Model {
    let wrong = |wrong: String| -> Model { panic!("{text}\n{wrong}") };
    let resolved = match resolve(text, "scene.yaml") {
        Ok(resolved) => resolved,
        Err(problems) => return wrong(problems.render(Style::Plain)),
    };
    compile(&resolved).map_or_else(|problems| wrong(problems.render(Style::Plain)), |compiled| compiled.model)
}

/// A run that completes.
#[track_caller]
pub fn simulated(model: &Model) -> Run {
    let work = expand(&model.workload, model.fabric.n_hosts(), model.seed).expect("the jobs are valid");
    let run = simulate_with(model, work, Options::default(), Extensions::default());
    assert_eq!(run.outcome.status, Status::Complete);
    run
}

/// The number of scenarios that a test runs.
pub fn n_scenes(default: u64) -> u64 {
    std::env::var("NETLOOM_SCENES").map_or(default, |number| number.parse().expect("a number of scenarios"))
}

/// One of several.
pub fn pick<T: Copy>(random: &mut Random, of: &[T]) -> T {
    of[random.below(of.len() as u32) as usize]
}
