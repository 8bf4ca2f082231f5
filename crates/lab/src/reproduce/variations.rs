//! Expands experiments with lists of variants: one for each combination.
//!
//! Models: an experiment with lists of variants becomes one experiment per combination, named after its variant of each
//! list; the names without the last words are groups.
//! Leaves out: experiments without variants, which are not changed.
//!
//! Invariants: runs are in the order of the lists, the last one varying fastest.

use super::claims::{Claims, Experiment, Variant};

/// Replaces every experiment with variants by its combinations.
pub(super) fn expand(claims: &mut Claims) -> Result<(), String> {
    let mut expanded = Vec::new();
    for experiment in std::mem::take(&mut claims.experiments) {
        if experiment.vary.is_empty() {
            expanded.push(experiment);
            continue;
        }
        let mut made = vec![Experiment { vary: Vec::new(), ..experiment.clone() }];
        for list in &experiment.vary {
            let mut next = Vec::new();
            for one in &made {
                let below: Vec<Experiment> = list.iter().map(|variant| varied(one, variant)).collect();
                let names = below.iter().map(|run| run.name.clone()).collect();
                if claims.groups.insert(one.name.clone(), names).is_some() {
                    return Err(format!("experiment `{}`: there is a group of this name", one.name));
                }
                next.extend(below);
            }
            made = next;
        }
        expanded.append(&mut made);
    }
    claims.experiments = expanded;
    Ok(())
}

fn varied(experiment: &Experiment, variant: &Variant) -> Experiment {
    let mut one = experiment.clone();
    one.name = format!("{}_{}", experiment.name, variant.name);
    one.set.extend(variant.set.clone());
    one.full.extend(variant.full.clone());
    one
}
