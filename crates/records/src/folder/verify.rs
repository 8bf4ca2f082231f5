//! Checking a run folder: do tables and manifest match their digests?
//!
//! Models: the digest recomputed from the Parquet files, table by table, names as stored; the digest of the manifest.
//! Leaves out: whether the rows are plausible; the wall time, and the manifests of earlier versions, which have no digest
//! of their own. A digest is no signature: who changes a folder can compute the digests anew.
//!
//! Invariants: a change of any single stored value is detected; all problems are reported at once.

use std::path::Path;

use crate::convert::name_columns;
use crate::digest::{Digest, Digester, RunDigest};
use crate::folder::read::{decode, read_manifest_value};
use crate::folder::{BatchReader, Problem, RunFolder};
use crate::manifest::{Manifest, manifest_digest};
use crate::registry::{Table, TableVisitor};
use crate::row::Row;

/// A run folder whose tables match its manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct Verified {
    /// Its manifest, digests included.
    pub manifest: Manifest,
}

impl Verified {
    /// The digest of the run.
    pub fn digest(&self) -> Digest {
        self.manifest.digest
    }

    /// Whether a digest covers the manifest, too: that of a folder of an earlier version has none.
    pub fn covers_manifest(&self) -> bool {
        self.manifest.manifest_digest.is_some()
    }
}

/// Recomputes the digest of a run folder and compares.
///
/// # Errors
/// All problems found.
pub fn verify(path: &Path) -> Result<Verified, Vec<Problem>> {
    let run = RunFolder::open(path).map_err(|error| vec![Problem::Read(error)])?;
    let mut check = Check { run: &run, digester: Digester::new(), problems: Vec::new() };
    check.names_of_tables();
    for table in Table::ALL {
        table.visit(&mut check);
    }
    check.whole();
    check.manifest();
    if check.problems.is_empty() {
        Ok(Verified { manifest: run.manifest().clone() })
    } else {
        Err(check.problems)
    }
}

/// Tables that were added without a new version.
const ADDED_SINCE: [Table; 1] = [Table::Causes];

struct Check<'a> {
    run: &'a RunFolder,
    digester: Digester,
    problems: Vec<Problem>,
}

impl Check<'_> {
    fn names_of_tables(&mut self) {
        let stated = &self.run.manifest().tables;
        let unknown = stated.keys().filter(|name| Table::from_name(name).is_none());
        self.problems.extend(unknown.cloned().map(Problem::Unknown));
        let is_missing = |table: &&Table| !self.lacks(**table) && !stated.contains_key(table.name());
        let missing: Vec<Table> = Table::ALL.iter().filter(is_missing).copied().collect();
        self.problems.extend(missing.into_iter().map(|table| Problem::Unstated(table.name())));
    }

    /// Whether the run was recorded before a table existed. One with rows cannot be left out unnoticed: it is part of the
    /// digest of the run.
    fn lacks(&self, table: Table) -> bool {
        ADDED_SINCE.contains(&table) && !self.run.manifest().tables.contains_key(table.name())
    }

    /// Hashes a table; if it cannot be read to its end, only that is reported.
    fn read<R: Row>(&mut self) -> Result<(), Problem> {
        let batches: BatchReader = self.run.batches_as_they_are(R::TABLE)?;
        let path = batches.path().to_owned();
        for batch in batches {
            let batch = batch?;
            let rows: Vec<R> = decode(&batch, &path)?;
            let names = name_columns::<R>(&batch);
            let updated = self.digester.update(&rows, |index, nth| Ok(names[nth].value(index)));
            updated.map_err(Problem::Order)?;
        }
        Ok(())
    }

    fn compare(&mut self, table: Table) {
        let Some(stated) = self.run.manifest().tables.get(table.name()) else { return };
        let found = self.digester.summary(table);
        let table = table.name();
        if found.rows != stated.rows {
            let problem = Problem::Rows { table, found: found.rows, stated: stated.rows };
            self.problems.push(problem);
        } else if found.digest != stated.digest {
            let problem = Problem::Table { table, found: found.digest, stated: stated.digest };
            self.problems.push(problem);
        }
    }

    /// Checks the digest of the run, once all tables match.
    fn whole(&mut self) {
        let stated = self.run.manifest().digest;
        let RunDigest { digest: found, .. } = self.digester.finish();
        if self.problems.is_empty() && found != stated {
            self.problems.push(Problem::Run { found, stated });
        }
    }

    /// Compares the digest of the manifest, if it has one.
    fn manifest(&mut self) {
        let Some(stated) = self.run.manifest().manifest_digest else { return };
        match read_manifest_value(self.run.path()).map(manifest_digest) {
            Ok(found) if found == stated => {}
            Ok(found) => self.problems.push(Problem::Manifest { found, stated }),
            Err(error) => self.problems.push(error.into()),
        }
    }
}

impl TableVisitor for Check<'_> {
    type Output = ();

    fn table<R: Row>(&mut self) {
        if self.lacks(R::TABLE) {
            return;
        }
        match self.read::<R>() {
            Ok(()) => self.compare(R::TABLE),
            Err(problem) => self.problems.push(problem),
        }
    }
}
