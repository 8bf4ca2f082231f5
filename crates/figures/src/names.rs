//! Names of runs in figures, shortened if there is no room for whole names.
//!
//! Models: whole names if all of them fit; else names without the parts that all of them share; else also without their
//! middle.
//!
//! Invariants: two runs never have the same name; tables have whole names.

use std::collections::BTreeSet;

use crate::chart::SMALL;
use crate::draw::font;

/// Characters that end the parts of a name.
const ENDS: [char; 2] = ['/', ','];

/// Names of runs, each no wider than the given number of points.
pub fn fitting(names: &[&str], most: f64) -> Vec<String> {
    let fit = |names: &[String]| names.iter().all(|name| font::width(name, SMALL) <= most);
    let whole: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    if fit(&whole) {
        return whole;
    }
    let shorter = without_shared(names).filter(|names| differ(names)).unwrap_or(whole);
    let cut: Vec<String> = shorter.iter().map(|name| font::shortened(name, SMALL, most)).collect();
    if differ(&cut) {
        return cut;
    }
    let numbered = shorter.iter().enumerate().map(|(number, name)| format!("{}: {name}", number + 1));
    numbered.map(|name| font::shortened(&name, SMALL, most)).collect()
}

fn differ(names: &[String]) -> bool {
    names.iter().collect::<BTreeSet<_>>().len() == names.len()
}

/// Names without the parts that all of them share; `None` if a name would be empty or is the only one.
fn without_shared(names: &[&str]) -> Option<Vec<String>> {
    let parts: Vec<Vec<&str>> = names.iter().map(|name| name.split(ENDS).collect()).collect();
    let is_shared = |part: &str| names.len() > 1 && parts.iter().all(|parts| parts.contains(&part));
    let rest = parts.iter().map(|parts| {
        let own: Vec<&str> = parts.iter().copied().filter(|part| !is_shared(part)).collect();
        (!own.is_empty()).then(|| own.join(", "))
    });
    rest.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_lose_what_they_share() {
        let names = ["balance=ecmp,transport=go_back_n/seed=1", "balance=spray,transport=go_back_n/seed=1"];
        assert_eq!(fitting(&names, 500.0), names);
        assert_eq!(fitting(&names, 100.0), ["balance=ecmp", "balance=spray"]);
        // Names that differ in their middle, which is the part to be shortened.
        let alike = ["begin-1-end", "begin-2-end"];
        let reported = fitting(&alike, 25.0);
        assert!(
            reported[0] != reported[1] && reported[0].starts_with('1') && reported[1].starts_with('2'),
            "{reported:?}"
        );
        assert!(fitting(&["a very long name of a single run"], 60.0)[0].contains('…'));
    }
}
