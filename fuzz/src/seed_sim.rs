//! Every text that is taken for a configuration of the reference simulator is refused, or becomes a valid scenario.
#![no_main]

mod shared;

use libfuzzer_sys::fuzz_target;
use netloom_lab::import::seed_sim;
use netloom_scenario::{Style, resolve};

fuzz_target!(|input: &[u8]| match seed_sim(input, "config.yaml", None) {
    Ok(imported) => {
        resolve(&imported.text, &imported.name).unwrap_or_else(|wrong| panic!("{}", wrong.render(Style::Plain)));
    }
    Err(error) => shared::refused(&error.render(Style::Plain)),
});
