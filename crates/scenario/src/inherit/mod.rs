//! Inheritance: a scenario says `from: base.yaml` and writes only what differs.
//!
//! Models: the chain of texts, from the scenario over its base to the last one, and the one tree they make together.
//! Leaves out: where texts are kept; an [`Origin`] knows. What any value means; that is read from the whole tree, so
//! what an heir replaces is never looked at.
//!
//! Invariants: every value keeps the place of the text it is written in; the chain is finite, whatever the texts say.

mod merge;

use crate::diagnostic::Problems;
use crate::place::{Placed, Sources};
use crate::resolve::value::name;
use crate::resolve::{Version, version};
use crate::written::{self, Entry, Node, Tree};
use merge::merge;

/// The key that names the base.
pub(crate) const FROM: &str = "from";
/// Most bases in a row.
const MOST_BASES: usize = 32;

/// Where a text comes from, and where those are that it inherits from.
///
/// This crate reads no files; who calls it knows where texts are kept.
pub trait Origin: Clone {
    /// What messages call the text.
    fn name(&self) -> String;

    /// Where the text is that this one names as its base.
    ///
    /// # Errors
    /// Why there is no such place, in words for users.
    fn base(&self, from: &str) -> Result<Self, String>;

    /// The bytes of the text.
    ///
    /// # Errors
    /// Why there are none, in words for users.
    fn read(&self) -> Result<Vec<u8>, String>;

    /// Whether both are the same text, whatever it is called.
    fn is_same(&self, other: &Self) -> bool;
}

/// A text by itself, which can inherit from nothing.
#[derive(Debug, Clone)]
pub(crate) struct Alone<'a>(pub &'a str);

impl Origin for Alone<'_> {
    fn name(&self) -> String {
        self.0.to_owned()
    }

    fn base(&self, _: &str) -> Result<Self, String> {
        Err("a scenario that is no file cannot inherit: there is no folder to find its base in".to_owned())
    }

    fn read(&self) -> Result<Vec<u8>, String> {
        Err("this text can be read only once".to_owned())
    }

    fn is_same(&self, _: &Self) -> bool {
        false
    }
}

/// The scenario with all that it inherits, and without the key that says so.
pub(crate) fn whole<O: Origin>(
    heir: Node,
    origin: &O,
    sources: &mut Sources,
    problems: &mut Problems,
) -> Node {
    let mut origins = vec![origin.clone()];
    let mut trees = vec![heir];
    while let Some(from) = trees.last_mut().and_then(|tree| take(tree, FROM)) {
        let heir = trees.last().expect("there is the scenario at least");
        // Another version of the language may mean something else by this key.
        let is_known = version(heir, problems) == Version::Known;
        let base = is_known.then(|| follow(&from, &mut origins, sources, problems));
        let Some(mut base) = base.flatten() else {
            problems.lose_base();
            break;
        };
        // Two heirs of one base are two scenarios: a name is not handed down.
        take(&mut base, "name");
        trees.push(base);
    }
    trees.into_iter().rev().reduce(merge).expect("there is the scenario at least")
}

/// Takes a key out of a map.
fn take(tree: &mut Node, key: &str) -> Option<Entry> {
    let Tree::Map(entries) = &mut tree.tree else { return None };
    let at = entries.iter().position(|entry| entry.key == key)?;
    Some(entries.remove(at))
}

/// Reads the text that the last one names as its base.
fn follow<O: Origin>(
    from: &Entry,
    origins: &mut Vec<O>,
    sources: &mut Sources,
    problems: &mut Problems,
) -> Option<Node> {
    let path = name(&from.value, "the path of a scenario", problems)?;
    let heir = origins.last().expect("there is the scenario at least");
    let found = heir.base(&path.value).and_then(|base| {
        let bytes = if has(origins, &base) { Vec::new() } else { base.read()? };
        Ok((base, bytes))
    });
    let (base, bytes) = match found {
        Ok(found) => found,
        Err(reason) => {
            let help = format!("a path starts at the folder of the file it is written in: {}", heir.name());
            problems.report(path.place, reason).label("inherits from this").help(help);
            return None;
        }
    };
    refuse_endless(&path, &base, origins, problems)?;
    let mut tree = None;
    if let Some((text, number)) = sources.add_bytes(&bytes, &base.name(), problems) {
        tree = written::parse(text, number, 0, problems);
    }
    origins.push(base);
    let tree = tree?;
    let is_known = version(&tree, problems) == Version::Known;
    is_known.then_some(tree)
}

fn has<O: Origin>(origins: &[O], base: &O) -> bool {
    origins.iter().any(|origin| origin.is_same(base))
}

/// Refuses a chain that leads back into itself, or that is too long to be meant.
fn refuse_endless<O: Origin>(
    path: &Placed<String>,
    base: &O,
    origins: &[O],
    problems: &mut Problems,
) -> Option<()> {
    if let Some(first) = origins.iter().position(|origin| origin.is_same(base)) {
        let message = format!("{} inherits from itself", base.name());
        let mut names: Vec<String> = origins[first..].iter().map(Origin::name).collect();
        names.push(base.name());
        let help = format!("the circle: {}", names.join(" -> "));
        problems.report(path.place, message).label("closes the circle").help(help);
        return None;
    }
    if origins.len() > MOST_BASES {
        let message = format!("more than {MOST_BASES} scenarios inherit from one another");
        problems.report(path.place, message).label("one too many");
        return None;
    }
    Some(())
}
