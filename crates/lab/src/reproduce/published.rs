//! The published figures: one row per run and part; figures of a whole run are in each of its rows.
//!
//! Models: parts have the same names as those of a run: a job, a stage, a flow of a stage, a port.

use std::collections::BTreeMap;

use super::quantity::Quantity;

/// Published figures by run and part.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Published {
    rows: BTreeMap<(String, String), BTreeMap<Quantity, f64>>,
}

impl Published {
    /// Reads comma-separated text: a heading with `run`, `part` and names of quantities, then one line per run and
    /// part.
    pub(super) fn read(text: &str) -> Result<Published, String> {
        let mut lines = text.lines().filter(|line| !line.is_empty());
        let heading: Vec<&str> = lines.next().ok_or("there is no heading")?.split(',').collect();
        let ["run", "part", names @ ..] = heading.as_slice() else {
            return Err("the heading does not begin with `run,part`".into());
        };
        let of = |name: &&str| {
            let found = Quantity::ALL.into_iter().find(|quantity| quantity.column() == *name);
            found.ok_or_else(|| format!("there is no quantity `{name}`"))
        };
        let quantities: Vec<Quantity> = names.iter().map(of).collect::<Result<_, _>>()?;
        let mut rows = BTreeMap::new();
        for line in lines {
            let cells: Vec<&str> = line.split(',').collect();
            let [run, part, cells @ ..] = cells.as_slice() else { return Err(format!("too short: {line}")) };
            if cells.len() != quantities.len() {
                return Err(format!(
                    "{} figures where {} are expected: {line}",
                    cells.len(),
                    quantities.len()
                ));
            }
            let mut row = BTreeMap::new();
            for (quantity, cell) in quantities.iter().zip(cells).filter(|(_, cell)| !cell.is_empty()) {
                row.insert(*quantity, cell.parse().map_err(|_| format!("`{cell}` is not a number: {line}"))?);
            }
            rows.insert(((*run).to_owned(), (*part).to_owned()), row);
        }
        Ok(Published { rows })
    }

    /// The parts of a run, in order of their names; empty for a run that was not published.
    pub fn parts<'a>(&'a self, run: &'a str) -> impl Iterator<Item = &'a str> {
        let from = self.rows.range((run.to_owned(), String::new())..);
        from.map(|(key, _)| key).take_while(move |key| key.0 == run).map(|key| key.1.as_str())
    }

    /// The published runs, in order of their names.
    pub fn runs(&self) -> Vec<&str> {
        let mut runs: Vec<&str> = self.rows.keys().map(|key| key.0.as_str()).collect();
        runs.dedup();
        runs
    }

    /// A figure; those of a whole run need no part.
    pub fn get(&self, run: &str, part: Option<&str>, quantity: Quantity) -> Option<f64> {
        let part = match part {
            Some(part) => part,
            None => self.parts(run).next()?,
        };
        self.rows.get(&(run.to_owned(), part.to_owned()))?.get(&quantity).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_by_run_and_part() {
        let text = "run,part,step_mean_ms,packets\nslow,a,1.5,7\nslow,b,2.5,7\nfast,a,0.5,\n";
        let published = Published::read(text).expect("well-formed");
        assert_eq!(published.runs(), ["fast", "slow"]);
        assert_eq!(published.get("slow", Some("b"), Quantity::StepMean), Some(2.5));
        assert_eq!(published.get("slow", None, Quantity::Packets), Some(7.0));
        assert_eq!(published.get("fast", None, Quantity::Packets), None);
        assert!(Published::read("run,part,speed\n").unwrap_err().contains("speed"));
        assert!(Published::read("run,part,packets\na,b\n").unwrap_err().contains("0 figures"));
    }
}
