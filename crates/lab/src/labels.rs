//! The names of runs where several are shown.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The setting whose values are names by themselves.
const POLICY: &str = "balance";

/// The last part of each path where these differ; else the path without the parts with which all begin and those with
/// which all end; the whole path where that is not unique. Points of a sweep are named by their values, as variants are.
pub(crate) fn labels(paths: &[PathBuf]) -> Vec<String> {
    let labels = by_parts(paths);
    let points: Option<Vec<String>> = labels.iter().map(|label| point(label)).collect();
    points.filter(|points| differ(points)).unwrap_or(labels)
}

/// The name of a point of a sweep from `path=value,path=value/seed-n`, behind `points/NAME` and what distinguishes several
/// sweeps; `None` if it is something else.
fn point(label: &str) -> Option<String> {
    let parts: Vec<&str> = label.split('/').collect();
    let at = parts.iter().position(|part| part.contains('='))?;
    let before = match &parts[..at] {
        [before @ .., "points", _] | before => before,
    };
    let value = |item: &str| {
        let (path, value) = item.split_once('=')?;
        let key = path.rsplit('.').next().unwrap_or(path);
        Some(if path == POLICY { value.to_owned() } else { format!("{key} {value}") })
    };
    let mut words: Vec<String> = before.iter().map(|&part| part.to_owned()).collect();
    words.extend(parts[at].split(',').map(value).collect::<Option<Vec<_>>>()?);
    match &parts[at + 1..] {
        [] => {}
        [seed] => words.push(format!("seed {}", seed.strip_prefix("seed-")?)),
        _ => return None,
    }
    Some(words.join(", "))
}

fn by_parts(paths: &[PathBuf]) -> Vec<String> {
    let parts: Vec<Vec<String>> = paths.iter().map(|path| parts_of(path)).collect();
    let short: Vec<String> = parts.iter().map(|parts| parts.last().cloned().unwrap_or_default()).collect();
    let longer: Vec<String> = without_common(&parts).into_iter().map(|parts| parts.join("/")).collect();
    let whole = || paths.iter().map(|path| path.display().to_string()).collect();
    [short, longer].into_iter().find(|labels| differ(labels)).unwrap_or_else(whole)
}

fn parts_of(path: &Path) -> Vec<String> {
    path.iter().map(|part| part.to_string_lossy().into_owned()).collect()
}

fn differ(labels: &[String]) -> bool {
    let distinct: BTreeSet<&String> = labels.iter().collect();
    distinct.len() == labels.len() && labels.iter().all(|label| !label.is_empty())
}

/// Lists without their common prefix and suffix; of each at least one item.
fn without_common(lists: &[Vec<String>]) -> Vec<&[String]> {
    let most = lists.iter().map(Vec::len).min().unwrap_or(0).saturating_sub(1);
    let all_begin_alike = |nth: usize| lists.windows(2).all(|two| two[0][nth] == two[1][nth]);
    let from_end = |list: &[String], nth: usize| list.len() - 1 - nth;
    let all_end_alike = |nth: usize| {
        lists.windows(2).all(|two| two[0][from_end(&two[0], nth)] == two[1][from_end(&two[1], nth)])
    };
    let first = (0..most).take_while(|&nth| all_begin_alike(nth)).count();
    let last = (0..most - first).take_while(|&nth| all_end_alike(nth)).count();
    lists.iter().map(|list| &list[first..list.len() - last]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn called(paths: &[&str], expected: &[&str]) {
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        assert_eq!(labels(&paths), expected);
    }

    #[test]
    fn the_last_part_is_enough_where_it_differs() {
        called(&["out/ecmp", "out/spray/"], &["ecmp", "spray"]);
        called(&["out/ecmp"], &["ecmp"]);
    }

    #[test]
    fn points_of_a_sweep_are_named_by_their_differing_parts() {
        let point = |balance: &str, seed: u32| format!("out/big/points/small/balance={balance}/seed-{seed}");
        let points = [point("ecmp", 1), point("spray", 1)];
        called(&points.each_ref().map(String::as_str), &["ecmp", "spray"]);
        let points = [point("ecmp", 1), point("spray", 1), point("spray", 2)];
        let expected = ["ecmp, seed 1", "spray, seed 1", "spray, seed 2"];
        called(&points.each_ref().map(String::as_str), &expected);
    }

    #[test]
    fn of_a_path_the_last_key_is_enough_where_labels_differ() {
        let rates =
            ["s/balance=ecmp,fabric.leaf_spine.fabric_rate=50Gbps", "s/balance=ecmp,hosts.injection=1Gbps"];
        called(&rates, &["ecmp, fabric_rate 50Gbps", "ecmp, injection 1Gbps"]);
        let same = ["s/queues.limit=1", "s/host_queues.limit=1"];
        called(&same, &["queues.limit=1", "host_queues.limit=1"]);
        called(&["s/a=1", "s/run"], &["a=1", "run"]);
        let sweeps = ["four/points/in/a.b=1/seed-1", "eight/points/in/a.b=1/seed-1"];
        called(&sweeps, &["four", "eight"]);
        let sweeps = ["four/points/in/a.b=1/seed-1", "eight/points/in/a.b=2/seed-1"];
        called(&sweeps, &["four, b 1", "eight, b 2"]);
    }

    #[test]
    fn no_label_is_empty() {
        called(&["a/run", "a/b/run", "run"], &["a/run", "a/b/run", "run"]);
        called(&["a/x", "a/b/x"], &["x", "b/x"]);
        called(&["a", "a"], &["a", "a"]);
        called(&["..", "../.."], &["..", "../.."]);
    }
}
