//! A paper as it is stored: scenarios, published figures, claims, and checks of their consistency.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::claims::{Claim, Claims, Divisor, Experiment, Figure, Recorded, Scale};
use super::error::ReproduceError;
use super::files::{fabrics, files, papers};
use super::maps;
use super::published::Published;
use super::quantity::Quantity;
use super::variations;
use crate::source::{Shelf, Source};

/// The folder of the scenarios, in that of the paper.
const SCENARIOS: &str = "scenarios";

/// Prefix of names of scenarios that all papers share.
const SHARED: &str = "fabrics/";

/// A paper with everything needed to evaluate its claims.
#[derive(Debug, Clone, PartialEq)]
pub struct Paper {
    /// Its name.
    pub id: String,
    /// Its published figures.
    pub published: Published,
    pub(super) claims: Claims,
    /// Whether runs have the paper's full size.
    full: bool,
    /// All its files, by path, scenarios among them, and the fabrics that these may inherit from.
    shelf: Arc<Shelf>,
}

/// One run, or one part of a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Target {
    pub run: String,
    pub part: Option<String>,
}

impl Target {
    /// The run without its part if the quantity is one of whole runs.
    pub(super) fn of(&self, quantity: Quantity) -> Target {
        let part = self.part.clone().filter(|_| quantity.is_of_a_part());
        Target { run: self.run.clone(), part }
    }
}

/// A scenario with the changes of an experiment.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub run: String,
    pub source: Source,
    pub set: Vec<(String, String)>,
}

/// The folder of a paper.
fn folder(id: &str) -> PathBuf {
    Path::new("papers").join(id)
}

impl Target {
    /// Its name: `RUN` or `RUN/PART`.
    pub(super) fn name(&self) -> String {
        match &self.part {
            Some(part) => format!("{}/{part}", self.run),
            None => self.run.clone(),
        }
    }
}

impl Paper {
    /// Finds a paper among those in the library.
    ///
    /// # Errors
    /// If there is no paper of that name.
    pub fn open(id: &str) -> Result<Paper, ReproduceError> {
        if !papers().contains(&id) {
            return Err(ReproduceError::NoSuchPaper(id.to_owned()));
        }
        Paper::new(id, files(id))
    }

    /// A paper of these files: `published.csv`, `claims.yaml`, and `scenarios/<name>.yaml`.
    ///
    /// # Errors
    /// If they contradict each other.
    pub fn new<'a>(
        id: &str,
        files: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Paper, ReproduceError> {
        let wrong = |reason: String| ReproduceError::Paper { paper: id.to_owned(), reason };
        let files: BTreeMap<&str, &str> = files.into_iter().collect();
        let part =
            |name: &str| files.get(name).copied().ok_or_else(|| wrong(format!("there is no `{name}`")));
        let published = Published::read(part("published.csv")?).map_err(wrong)?;
        // The text is part of netloom, so no budget against hostile input is needed: claims repeat many lists by
        // anchors.
        let options = serde_saphyr::options! { budget: None };
        let mut claims: Claims = serde_saphyr::from_str_with_options(part("claims.yaml")?, options)
            .map_err(|error| wrong(error.to_string()))?;
        variations::expand(&mut claims).map_err(wrong)?;
        let own = files.iter().map(|(path, text)| (folder(id).join(path), Arc::from(*text)));
        let shelf = Arc::new(own.chain(fabrics().map(|(path, text)| (path, Arc::from(text)))).collect());
        let paper = Paper { id: id.to_owned(), published, claims, full: false, shelf };
        paper.check().map_err(wrong)?;
        Ok(paper)
    }

    /// Removes all claims except these.
    pub(super) fn keep(&mut self, ids: &[String]) -> Result<(), ReproduceError> {
        let claims = &mut self.claims.claims;
        if let Some(unknown) = ids.iter().find(|id| claims.iter().all(|claim| claim.id != **id)) {
            return Err(ReproduceError::NoSuchClaim(unknown.clone()));
        }
        claims.retain(|claim| ids.contains(&claim.id));
        Ok(())
    }

    /// Selects runs of one size, and removes the claims and verdicts about the other.
    pub(super) fn scale(&mut self, full: bool) {
        let other = if full { Scale::Quick } else { Scale::Full };
        self.full = full;
        self.claims.claims.retain(|claim| claim.scale != Some(other));
        if full {
            for claim in &mut self.claims.claims {
                claim.recorded = claim.recorded_full.unwrap_or(claim.recorded);
            }
        }
    }

    /// Whether a claim is among those to be evaluated.
    pub(super) fn has_claim(&self, id: &str) -> bool {
        self.claims.claims.iter().any(|claim| claim.id == id)
    }

    /// Whether runs have the paper's full size.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    /// Checks that every name in use is defined.
    fn check(&self) -> Result<(), String> {
        for experiment in &self.claims.experiments {
            self.scenario(&experiment.from).ok_or_else(|| {
                format!("experiment `{}`: there is no scenario `{}`", experiment.name, experiment.from)
            })?;
        }
        for (number, claim) in self.claims.claims.iter().enumerate() {
            let checked = self.check_claim(claim, &self.claims.claims[..number]);
            checked.map_err(|reason| format!("claim `{}`: {reason}", claim.id))?;
        }
        for figure in &self.claims.figures {
            self.check_figure(figure).map_err(|reason| format!("figure `{}`: {reason}", figure.name))?;
        }
        let more = self.claims.seeds.more.iter().map(|more| &more.group);
        more.chain(&self.claims.lossy).try_for_each(|name| self.expand(name).map(drop))
    }

    fn check_figure(&self, figure: &Figure) -> Result<(), String> {
        self.rows(figure)?;
        self.rows_below(figure)?;
        let Some(map) = &figure.map else { return Ok(()) };
        maps::laid(map, &maps::cells(self, figure)?).map(drop)
    }

    fn check_claim(&self, claim: &Claim, before: &[Claim]) -> Result<(), String> {
        if before.iter().any(|other| other.id == claim.id) {
            return Err("there are two claims of this name".into());
        }
        self.targets(&claim.at, claim.quantity)?;
        self.divisors(&claim.at, claim.quantity, claim.per.as_ref())?;
        for exception in &claim.except {
            self.targets(&exception.at, claim.quantity)?;
        }
        match (&claim.near, claim.relation) {
            (Some(near), None) => drop(near.within()?),
            (None, Some(_)) => {}
            _ => return Err("needs either `near` or `relation`".into()),
        }
        let is_known = |id: &String| self.claims.claims.iter().any(|claim| claim.id == *id);
        if let Some(other) = claim.shown_by.iter().find(|id| !is_known(id)) {
            return Err(format!("there is no claim `{other}`"));
        }
        if claim.recorded == Recorded::NotReproduced && claim.reason.is_none() {
            return Err("is recorded as not reproduced, without a reason".into());
        }
        Ok(())
    }

    /// The text of a scenario.
    pub fn scenario(&self, name: &str) -> Option<&str> {
        self.shelf.get(&self.location(name)).map(AsRef::as_ref)
    }

    /// The names of the scenarios, in order.
    pub fn scenarios(&self) -> impl Iterator<Item = &str> {
        let scenarios = folder(&self.id).join(SCENARIOS);
        self.shelf.keys().filter_map(move |path| {
            let is_one = path.parent() == Some(&scenarios) && path.extension() == Some("yaml".as_ref());
            if is_one { path.file_stem()?.to_str() } else { None }
        })
    }

    /// The source of a scenario; its bases are among the paper's files.
    pub fn source(&self, name: &str) -> Option<Source> {
        self.scenario(name)?;
        Some(Source::shelved(self.location(name), Arc::clone(&self.shelf)))
    }

    /// Whether this is a scenario, or an experiment on one.
    pub fn has_run(&self, name: &str) -> bool {
        self.plan(name).is_ok()
    }

    /// The path of a scenario of this name: among the paper's, or among the fabrics that all papers share.
    fn location(&self, name: &str) -> PathBuf {
        let file = format!("{name}.yaml");
        if name.starts_with(SHARED) {
            PathBuf::from(file)
        } else {
            folder(&self.id).join(SCENARIOS).join(file)
        }
    }

    /// The plan of a run: a scenario, or an experiment on one.
    pub(super) fn plan(&self, run: &str) -> Result<Plan, String> {
        let experiment = self.claims.experiments.iter().find(|experiment| experiment.name == run);
        let from = experiment.map_or(run, |experiment| experiment.from.as_str());
        let source = self.source(from).ok_or_else(|| format!("there is no run `{run}`"))?;
        let full =
            |experiment: &Experiment| if self.full { experiment.full.clone() } else { BTreeMap::new() };
        let set = experiment.map(|experiment| {
            let set = experiment.set.clone().into_iter();
            set.chain(full(experiment)).collect()
        });
        Ok(Plan { run: run.to_owned(), source, set: set.unwrap_or_default() })
    }

    /// Whether packets may be lost in a run.
    pub(super) fn may_lose(&self, run: &str) -> bool {
        let holds = |name: &String| self.expand(name).is_ok_and(|runs| runs.contains(&run));
        self.claims.lossy.iter().any(holds)
    }

    /// The number of seeds of a run.
    pub(super) fn n_seeds(&self, run: &str, check: bool) -> u64 {
        let counts = &self.claims.seeds;
        let holds = |group: &str| self.expand(group).is_ok_and(|runs| runs.contains(&run));
        let more = counts.more.iter().find(|more| holds(&more.group));
        match (check, more) {
            (true, Some(more)) => more.check,
            (true, None) => counts.check,
            (false, more) => more.and_then(|more| more.look).unwrap_or(counts.look),
        }
    }

    /// The scenario of a run.
    pub(super) fn origin<'a>(&'a self, run: &'a str) -> &'a str {
        let experiment = self.claims.experiments.iter().find(|experiment| experiment.name == run);
        experiment.map_or(run, |experiment| experiment.from.as_str())
    }

    /// The system of a run, by its name in the paper: the fabric whose name is a prefix of its scenario's.
    pub(super) fn system(&self, run: &str) -> String {
        let origin = self.origin(run);
        let name = origin.rsplit('/').next().unwrap_or(origin);
        let of_fabrics = |path: &PathBuf| {
            let is_one =
                path.parent() == Some(Path::new(SHARED)) && path.extension() == Some("yaml".as_ref());
            if is_one { path.file_stem().and_then(|stem| stem.to_str().map(str::to_owned)) } else { None }
        };
        let known = self.shelf.keys().filter_map(of_fabrics).chain(self.claims.systems.keys().cloned());
        let begins = |known: &String| {
            let rest = name.strip_prefix(known.as_str());
            rest.is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_ascii_alphanumeric()))
        };
        let system = known.filter(begins).max_by_key(String::len).unwrap_or_else(|| name.to_owned());
        self.claims.systems.get(&system).cloned().unwrap_or(system)
    }

    /// The runs of a name: those of a group, or the one of that name.
    pub(super) fn expand<'a>(&'a self, name: &'a str) -> Result<Vec<&'a str>, String> {
        let Some(group) = self.claims.groups.get(name) else {
            let run = name.split_once('/').map_or(name, |(run, _)| run);
            self.plan(run)?;
            return Ok(vec![name]);
        };
        let parts: Vec<Vec<&str>> = group.iter().map(|name| self.expand(name)).collect::<Result<_, _>>()?;
        Ok(parts.concat())
    }

    /// Runs and parts of a list of names, in order; for a quantity of parts, a run without a part stands for each of
    /// its published parts.
    pub(super) fn targets(&self, names: &[String], quantity: Quantity) -> Result<Vec<Target>, String> {
        let mut targets = Vec::new();
        for name in names {
            for name in self.expand(name)? {
                let (run, part) = match name.split_once('/') {
                    Some((run, part)) => (run, Some(part)),
                    None => (name, None),
                };
                let target =
                    |part: Option<&str>| Target { run: run.to_owned(), part: part.map(str::to_owned) };
                match part {
                    Some(part) if !quantity.suits(part) => {
                        return Err(format!("`{}` has no part `{part}`", quantity.column()));
                    }
                    Some(part) if quantity.is_of_a_part() => targets.push(target(Some(part))),
                    None if quantity.is_of_a_part() => {
                        let parts = self.published_parts(run, quantity);
                        targets.extend(parts.into_iter().map(|part| target(Some(part))));
                    }
                    _ => targets.push(target(None)),
                }
            }
        }
        if targets.is_empty() { Err("refers to no run".into()) } else { Ok(targets) }
    }

    /// The parts of a run, or of the scenario it changes, for which a quantity is published; all of them if for none.
    fn published_parts<'a>(&'a self, run: &'a str, quantity: Quantity) -> Vec<&'a str> {
        let has_own = self.published.parts(run).next().is_some();
        let run = if has_own { run } else { self.origin(run) };
        let has_figure = |part: &&str| self.published.get(run, Some(part), quantity).is_some();
        let reported: Vec<&str> = self.published.parts(run).filter(has_figure).collect();
        if reported.is_empty() { self.published.parts(run).collect() } else { reported }
    }

    /// The published figure for a run: its own, or that of the scenario it changes.
    pub(super) fn published_of(&self, target: &Target, quantity: Quantity) -> Option<f64> {
        let of = |run: &str| self.published.get(run, target.part.as_deref(), quantity);
        of(&target.run).or_else(|| of(self.origin(&target.run)))
    }

    /// Whether a claim or a figure uses a quantity.
    pub(super) fn asks_for(&self, quantity: Quantity) -> bool {
        let below = |per: &Option<Divisor>| per.as_ref().and_then(|per| per.quantity) == Some(quantity);
        self.claims.claims.iter().any(|claim| claim.quantity == quantity || below(&claim.per))
            || self
                .claims
                .figures
                .iter()
                .any(|figure| figure.quantities.contains(&quantity) || below(&figure.per))
    }

    /// The parts of a run that claims and figures name for these quantities.
    pub(super) fn parts_asked(&self, run: &str, quantities: &[Quantity]) -> BTreeSet<String> {
        // Most papers use none of them, and it takes long to look up the names of many cells.
        if !quantities.iter().any(|quantity| self.asks_for(*quantity)) {
            return BTreeSet::new();
        }
        let of_claims = self.claims.claims.iter().flat_map(|claim| {
            let own = self.targets(&claim.at, claim.quantity).ok().map(|targets| (claim.quantity, targets));
            let below = self.divisors(&claim.at, claim.quantity, claim.per.as_ref());
            own.into_iter().chain(below.ok().flatten())
        });
        let of_figures = self.claims.figures.iter().flat_map(|figure| {
            let below = self.rows_below(figure).ok().flatten().unwrap_or_default();
            let drawn = maps::cells(self, figure).unwrap_or_default();
            let drawn = drawn.into_iter().flat_map(|cell| [cell.above, cell.below]).collect();
            let targets = [self.rows(figure).unwrap_or_default(), below, drawn].concat();
            let quantities = figure.quantities.iter().chain(figure.per.iter().flat_map(|per| &per.quantity));
            quantities.map(move |quantity| (*quantity, targets.clone()))
        });
        let asked = of_claims.chain(of_figures).filter(|(quantity, _)| quantities.contains(quantity));
        let targets = asked.flat_map(|(_, targets)| targets).filter(|target| target.run == run);
        targets.filter_map(|target| target.part).collect()
    }

    /// The rows of a figure: parts if it shows a quantity of parts, else runs.
    pub(super) fn rows(&self, figure: &Figure) -> Result<Vec<Target>, String> {
        self.targets(&figure.at, row_quantity(figure)?)
    }

    /// The divisors of a figure's rows, one for each.
    pub(super) fn rows_below(&self, figure: &Figure) -> Result<Option<Vec<Target>>, String> {
        let divisors = self.divisors(&figure.at, row_quantity(figure)?, figure.per.as_ref())?;
        Ok(divisors.map(|(_, targets)| targets))
    }

    /// The divisors of a quantity, one for each target.
    pub(super) fn divisors(
        &self,
        at: &[String],
        of_claim: Quantity,
        per: Option<&Divisor>,
    ) -> Result<Option<(Quantity, Vec<Target>)>, String> {
        let Some(per) = per else { return Ok(None) };
        let quantity = per.quantity.unwrap_or(of_claim);
        let targets = self.targets(if per.at.is_empty() { at } else { &per.at }, quantity)?;
        if targets.len() != self.targets(at, of_claim)?.len() {
            return Err("the number of divisors differs from that of figures".into());
        }
        Ok(Some((quantity, targets)))
    }
}

/// The quantity that decides whether the rows of a figure are parts.
pub(super) fn row_quantity(figure: &Figure) -> Result<Quantity, String> {
    let of_parts = figure.quantities.iter().find(|quantity| quantity.is_of_a_part());
    of_parts.or(figure.quantities.first()).copied().ok_or_else(|| "shows nothing".into())
}
