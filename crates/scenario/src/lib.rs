//! The scenario language: what a user wants, from text to a model, or every mistake at once.
//!
//! Models: YAML with places ([`written`]), the complete and checked meaning of it ([`resolved`]), and its compilation
//! against the fabric into a [`netloom_model::Model`].
//! Leaves out: files and the command line; this crate is handed text.
//!
//! Invariants: nothing that is read makes it panic or hang; all mistakes are reported together, each with its place;
//! printing a resolved scenario and resolving that again gives the same; what compiles, the engine can run.
//!
//! ```
//! let text = "
//! netloom: 1
//! fabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 2 } }
//! jobs: [ { phases: [ { ring_all_reduce: { size: 1MiB } } ] } ]
//! ";
//! let resolved = netloom_scenario::resolve(text, "example.yaml").expect("well-formed");
//! let compiled = netloom_scenario::compile(&resolved).expect("consistent");
//! assert_eq!(compiled.model.fabric.n_hosts(), 4);
//!
//! let wrong = text.replace("1MiB", "1").replace("spines", "spine");
//! let diagnostics = netloom_scenario::resolve(&wrong, "example.yaml").unwrap_err();
//! assert!(diagnostics.problems().len() >= 2);
//! ```

mod compile;
mod describe;
pub mod diagnostic;
pub mod foreign;
mod place;
pub mod quantity;
mod resolve;
pub mod resolved;
mod suggest;
pub mod written;

pub use compile::{Compiled, compile};
pub use diagnostic::{Diagnostics, Problem, Style};
pub use place::{Place, Placed};
pub use resolved::Resolved;
pub use written::Overrides;

use diagnostic::Problems;
use place::Sources;

/// Reads and checks a scenario.
///
/// `path` names the text in messages; a scenario without a name of its own is called after it.
///
/// # Errors
/// All mistakes of the text, and, as far as the rest could be read, those that only show against the fabric.
pub fn resolve(text: &str, path: &str) -> Result<Resolved, Diagnostics> {
    resolve_with(text, path, &Overrides::default())
}

/// Reads and checks a scenario with changes from the command line.
///
/// # Errors
/// As [`resolve`]; mistakes in an override point at the override.
pub fn resolve_with(text: &str, path: &str, overrides: &Overrides) -> Result<Resolved, Diagnostics> {
    let mut sources = Sources::default();
    sources.add(path, text);
    let mut problems = Problems::default();
    let Some(mut root) = written::parse(text, 0, 0, &mut problems) else {
        return Err(problems.finish(&sources));
    };
    overrides.apply(&mut root, &mut sources, &mut problems);
    let Some(draft) = resolve::scenario(&root, stem(path), &mut problems) else {
        return Err(problems.finish(&sources));
    };
    if !problems.is_empty() {
        compile::parts(&draft, &mut problems);
        return Err(problems.finish(&sources));
    }
    let unfinished = sources.clone();
    draft.complete(sources).ok_or_else(|| problems.finish(&unfinished))
}

/// Reads and checks a scenario from the bytes of a file.
///
/// # Errors
/// As [`resolve_with`], and when the bytes are no UTF-8 text.
pub fn resolve_bytes(bytes: &[u8], path: &str, overrides: &Overrides) -> Result<Resolved, Diagnostics> {
    match written::decode(bytes) {
        Ok(text) => resolve_with(text, path, overrides),
        Err((at, message)) => {
            let shown = String::from_utf8_lossy(bytes);
            let mut sources = Sources::default();
            // What is no text at all is not shown; in a text with a slip the slip shows as U+FFFD.
            let binary = bytes.contains(&0);
            sources.add(path, if binary { "" } else { &shown });
            let mut problems = Problems::default();
            let (start, end) = if binary { (0, 0) } else { (at as u32, at as u32 + 3) };
            problems.report(Place { source: 0, start, end }, message).label("not text from here on");
            Err(problems.finish(&sources))
        }
    }
}

/// The file name without folder and extension.
fn stem(path: &str) -> &str {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = file.strip_suffix(".yaml").or_else(|| file.strip_suffix(".yml")).unwrap_or(file);
    if stem.is_empty() { "scenario" } else { stem }
}
