//! Every text that is taken for a file of finite flows is refused with its line and column, or compiles.
#![no_main]

mod shared;

use std::io::{Cursor, Read};

use libfuzzer_sys::fuzz_target;
use netloom_scenario::{Origin, Overrides, Style, compile, resolve_from};

const SCENARIO: &str = "
netloom: 1
fabric: {leaf_spine: {leaves: 3, spines: 2, hosts_per_leaf: 2}}
transport: ideal
traffic: [{name: bulk, class: 0}]
flows: {file: rows.csv}
";

/// A scenario beside its file of flows.
#[derive(Clone)]
struct Beside<'a>(&'a [u8]);

impl Origin for Beside<'_> {
    fn name(&self) -> String {
        "flows.yaml".to_owned()
    }

    fn base(&self, _: &str) -> Result<Self, String> {
        Err("it inherits from nothing".to_owned())
    }

    fn read(&self) -> Result<Vec<u8>, String> {
        Ok(SCENARIO.into())
    }

    fn rows(&self, path: &str) -> Result<(String, Box<dyn Read>), String> {
        Ok((path.to_owned(), Box::new(Cursor::new(self.0.to_vec()))))
    }

    fn is_same(&self, _: &Self) -> bool {
        true
    }
}

fuzz_target!(|input: &[u8]| {
    let resolved = resolve_from(SCENARIO.as_bytes(), &Beside(input), &Overrides::default());
    if let Err(wrong) = resolved.and_then(|resolved| compile(&resolved)) {
        shared::refused(&wrong.render(Style::Plain));
    }
});
