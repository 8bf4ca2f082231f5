//! Inheritance: a scenario says `from: base.yaml` and writes only what differs.
//!
//! Models: the chain of texts, from the scenario over its base to the last one, and the tree merged from them.
//! Leaves out: storage of texts, behind [`Origin`]; the meaning of values: only the merged tree is interpreted, so
//! values that an heir replaces are never checked.
//!
//! Invariants: every value keeps the location of the text it is written in; the chain is finite, whatever the texts say.

mod merge;

use std::io::Read;

use netloom_policy::balance::OutsidePolicies;

use crate::diagnostic::Problems;
use crate::former;
use crate::location::{Located, Sources};
use crate::resolve::value::name;
use crate::resolve::{Version, version};
use crate::written::{self, Entry, Node, Tree};
use merge::merge;

/// The key that names the base.
pub(crate) const FROM: &str = "from";
/// Longest chain of bases.
const MOST_BASES: usize = 32;

/// A source of a text and of the texts that it inherits from.
///
/// This crate reads no files; the caller knows where texts are stored.
pub trait Origin: Clone {
    /// The name of the text in messages.
    fn name(&self) -> String;

    /// The source of the base that this text names.
    ///
    /// # Errors
    /// Why there is none, as a message for users.
    fn base(&self, from: &str) -> Result<Self, String>;

    /// The bytes of the text.
    ///
    /// # Errors
    /// Why it cannot be read, as a message for users.
    fn read(&self) -> Result<Vec<u8>, String>;

    /// Whether both are the same text, even under different names.
    fn is_same(&self, other: &Self) -> bool;

    /// Policies from outside this repository that its scenario may name.
    fn policies(&self) -> OutsidePolicies {
        OutsidePolicies::default()
    }

    /// The name in messages, and the content, of a file of rows that this text names.
    ///
    /// # Errors
    /// Why it cannot be read, as a message for users.
    fn rows(&self, _path: &str) -> Result<(String, Box<dyn Read>), String> {
        Err("a scenario that is not a file cannot name files: there is no folder to find them in".to_owned())
    }
}

/// A single text, which cannot inherit.
#[derive(Debug, Clone)]
pub(crate) struct Alone<'a>(pub &'a str);

impl Origin for Alone<'_> {
    fn name(&self) -> String {
        self.0.to_owned()
    }

    fn base(&self, _: &str) -> Result<Self, String> {
        Err("a scenario that is not a file cannot inherit: there is no folder for its base".to_owned())
    }

    fn read(&self) -> Result<Vec<u8>, String> {
        Err("this text can be read only once".to_owned())
    }

    fn is_same(&self, _: &Self) -> bool {
        false
    }
}

/// The scenario with all inherited values, without the key `from`, and the sources of its texts, by their numbers.
pub(crate) fn whole<O: Origin>(
    heir: Node,
    origin: &O,
    sources: &mut Sources,
    problems: &mut Problems,
) -> (Node, Vec<O>) {
    let mut origins = vec![origin.clone()];
    let mut trees = vec![heir];
    while let Some(from) = trees.last_mut().and_then(|tree| take(tree, FROM)) {
        let heir = trees.last().expect("there is the scenario at least");
        // Another version of the language may use this key differently.
        let is_known = version(heir, problems) == Version::Known;
        let base = is_known.then(|| follow(&from, &mut origins, sources, problems));
        let Some(mut base) = base.flatten() else {
            problems.lose_base();
            break;
        };
        // Two heirs of one base are two scenarios: the name is not inherited.
        take(&mut base, "name");
        trees.push(base);
    }
    (trees.into_iter().rev().reduce(merge).expect("there is the scenario at least"), origins)
}

/// Removes a key from a map.
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
            problems.report(path.location, reason).label("inherits from this").help(help);
            return None;
        }
    };
    refuse_endless(&path, &base, origins, problems)?;
    let mut tree = None;
    if let Some((text, number)) = sources.add_bytes(&bytes, &base.name(), problems) {
        tree = written::parse(text, number, 0, problems);
        if let Some(tree) = &mut tree {
            former::rename(tree, &mut problems.former_keys);
        }
    }
    origins.push(base);
    let tree = tree?;
    let is_known = version(&tree, problems) == Version::Known;
    is_known.then_some(tree)
}

fn has<O: Origin>(origins: &[O], base: &O) -> bool {
    origins.iter().any(|origin| origin.is_same(base))
}

/// Reports a cyclic or too long chain.
fn refuse_endless<O: Origin>(
    path: &Located<String>,
    base: &O,
    origins: &[O],
    problems: &mut Problems,
) -> Option<()> {
    if let Some(first) = origins.iter().position(|origin| origin.is_same(base)) {
        let message = format!("{} inherits from itself", base.name());
        let mut names: Vec<String> = origins[first..].iter().map(Origin::name).collect();
        names.push(base.name());
        let help = format!("the cycle: {}", names.join(" -> "));
        problems.report(path.location, message).label("closes the cycle").help(help);
        return None;
    }
    if origins.len() > MOST_BASES {
        let message = format!("more than {MOST_BASES} scenarios inherit from one another");
        problems.report(path.location, message).label("one too many");
        return None;
    }
    Some(())
}
