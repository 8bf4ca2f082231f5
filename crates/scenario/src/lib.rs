//! The scenario language: from text to a model, or to all errors at once.
//!
//! Models: YAML with locations ([`written`]), what it inherits from other texts ([`Origin`]), the complete and checked
//! meaning of it ([`resolved`]), and its compilation against the fabric into a [`netloom_model::Model`].
//! Leaves out: files and the command line; the caller passes text, and opens the files that it names.
//!
//! Invariants: no input makes it panic or hang; all errors are reported together, each with its location; printing a
//! resolved scenario and resolving that again gives the same; what compiles, the engine can run.
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

mod brought;
mod compile;
mod describe;
pub mod diagnostic;
mod excerpt;
mod flow_file;
mod flow_name;
pub mod foreign;
mod former;
mod inherit;
mod language;
mod location;
mod objection;
pub mod quantity;
mod reference;
mod resolve;
pub mod resolved;
mod schema;
mod suggest;
pub mod words;
pub mod written;

pub use compile::{Compiled, compile, compile_fabric};
pub use describe::changed::Changed;
pub use diagnostic::{Diagnostics, Problem, Style};
pub use flow_name::FlowName;
pub use inherit::Origin;
pub use location::{Located, Location};
pub use objection::Objection;
pub use reference::{parameter_table, reference};
pub use resolved::Resolved;
pub use schema::schema;
pub use suggest::hint;
pub use written::Overrides;

use diagnostic::Problems;
use inherit::Alone;
use location::Sources;
use resolve::value::FORMULA_SIGNS;

/// Reads and checks a scenario.
///
/// `path` names the text in messages; a scenario without a name is named after it.
///
/// # Errors
/// All errors of the text, and, as far as the rest could be read, those that need the fabric to be found.
pub fn resolve(text: &str, path: &str) -> Result<Resolved, Diagnostics> {
    resolve_with(text, path, &Overrides::default())
}

/// Reads and checks a scenario with changes from the command line.
///
/// # Errors
/// As [`resolve`]; errors in an override point at the override.
pub fn resolve_with(text: &str, path: &str, overrides: &Overrides) -> Result<Resolved, Diagnostics> {
    resolve_bytes(text.as_bytes(), path, overrides)
}

/// Reads and checks a scenario from the bytes of a file.
///
/// # Errors
/// As [`resolve_with`], and if the bytes are not UTF-8 text.
pub fn resolve_bytes(bytes: &[u8], path: &str, overrides: &Overrides) -> Result<Resolved, Diagnostics> {
    resolve_from(bytes, &Alone(path), overrides)
}

/// Reads and checks a scenario, with all that it inherits, from the bytes of its own text.
///
/// # Errors
/// As [`resolve_bytes`]; errors in a base point at the base.
pub fn resolve_from<O: Origin>(
    bytes: &[u8],
    origin: &O,
    overrides: &Overrides,
) -> Result<Resolved, Diagnostics> {
    let (mut sources, mut problems) = (Sources::default(), Problems::default());
    let name = origin.name();
    let text = sources.add_bytes(bytes, &name, &mut problems);
    let Some(mut heir) = text.and_then(|(text, number)| written::parse(text, number, 0, &mut problems))
    else {
        return Err(problems.finish(&sources));
    };
    former::rename(&mut heir, &mut problems.former_keys);
    let (mut root, origins) = inherit::whole(heir, origin, &mut sources, &mut problems);
    overrides.apply(&mut root, &mut sources, &mut problems);
    let Some(mut draft) = resolve::scenario(&root, stem(&name), origin.policies(), &mut problems) else {
        return Err(problems.finish(&sources));
    };
    draft.read_files(&origins, &mut sources, &mut problems);
    if !problems.is_empty() {
        // Without its base only half a scenario would be checked, and errors would be reported for the other half.
        if !problems.base_is_lost() {
            compile::parts(&draft, &mut problems);
        }
        return Err(problems.finish(&sources));
    }
    let unfinished = sources.clone();
    let former_keys = std::mem::take(&mut problems.former_keys);
    draft.complete(sources, former_keys).ok_or_else(|| problems.finish(&unfinished))
}

/// The file name without folder and extension, from its first character on that begins no formula of a spreadsheet.
fn stem(path: &str) -> &str {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = file.strip_suffix(".yaml").or_else(|| file.strip_suffix(".yml")).unwrap_or(file);
    let stem = stem.trim_start_matches(FORMULA_SIGNS);
    if stem.is_empty() { "scenario" } else { stem }
}
