//! The digest of a run: equal for two runs exactly if they are the same.
//!
//! Models: one BLAKE3 hash per table over its rows in canonical encoding, in the table's stated order, names included;
//! over these, in the order of the registry, one hash of (name, number of rows, hash) per table.
//! Leaves out: everything that may differ between equal runs: batch sizes, compression, library versions, wall time. A
//! table without rows is not hashed, so that a table added later does not change the digests of older runs.
//!
//! Source: BLAKE3, O'Connor, Aumasson, Neves, Wilcox-O'Hearn, 2020.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::cell::encode_text;
use crate::names::Names;
use crate::registry::{Batch, MemorySink, RowsVisitor, Table};
use crate::row::{Row, RowError};
use crate::sink::{Sink, SinkError};

/// A BLAKE3 hash, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Digest([u8; 32]);

impl Digest {
    /// The hash of any bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        blake3::hash(bytes).into()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// Text that is not a digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a digest has 64 hexadecimal digits, this has not: {0}")]
pub struct NotADigest(String);

impl FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Digest, NotADigest> {
        blake3::Hash::from_hex(text).map(Digest::from).map_err(|_| NotADigest(text.to_owned()))
    }
}

impl TryFrom<String> for Digest {
    type Error = NotADigest;

    fn try_from(text: String) -> Result<Digest, NotADigest> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        digest.to_string()
    }
}

impl From<blake3::Hash> for Digest {
    fn from(hash: blake3::Hash) -> Digest {
        Digest(*hash.as_bytes())
    }
}

/// The manifest entry of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSummary {
    /// Number of rows.
    pub rows: u64,
    /// Hash of the rows.
    pub digest: Digest,
}

/// Digest of a run and of each of its tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunDigest {
    /// Of the whole run.
    pub digest: Digest,
    /// By name of the table.
    pub tables: BTreeMap<String, TableSummary>,
}

impl RunDigest {
    /// Combines the tables' summaries; those of tables unknown to this version are ignored.
    pub fn join(tables: BTreeMap<String, TableSummary>) -> RunDigest {
        let mut hasher = blake3::Hasher::new();
        let mut encoded = Vec::new();
        for table in Table::ALL {
            let Some(summary) = tables.get(table.name()).filter(|summary| summary.rows > 0) else {
                continue;
            };
            encoded.clear();
            encode_text(table.name(), &mut encoded);
            encoded.extend_from_slice(&summary.rows.to_le_bytes());
            encoded.extend_from_slice(&summary.digest.0);
            hasher.update(&encoded);
        }
        RunDigest { digest: hasher.finalize().into(), tables }
    }
}

/// Hashes the rows of one table incrementally.
#[derive(Debug)]
struct TableHasher {
    rows: u64,
    hasher: blake3::Hasher,
}

/// Hashes the rows of all tables incrementally, and checks their sort order.
#[derive(Debug)]
pub(crate) struct Digester {
    tables: Vec<TableHasher>,
    last: MemorySink,
    encoded: Vec<u8>,
}

impl Digester {
    pub(crate) fn new() -> Digester {
        let table = |_| TableHasher { rows: 0, hasher: blake3::Hasher::new() };
        Digester {
            tables: Table::ALL.iter().map(table).collect(),
            last: MemorySink::default(),
            encoded: Vec::new(),
        }
    }

    /// Adds rows; `name` gives their names by row and column of names.
    pub(crate) fn update<'n, R: Row>(
        &mut self,
        rows: &[R],
        name: impl Fn(usize, usize) -> Result<&'n str, RowError>,
    ) -> Result<(), RowError> {
        self.check_order(rows)?;
        self.encoded.clear();
        for (slot, row) in rows.iter().enumerate() {
            row.encode(&mut self.encoded);
            for nth in 0..R::NAMES.len() {
                encode_text(name(slot, nth)?, &mut self.encoded);
            }
        }
        let table = &mut self.tables[R::TABLE.index()];
        table.rows += rows.len() as u64;
        table.hasher.update(&self.encoded);
        Ok(())
    }

    fn check_order<R: Row>(&mut self, rows: &[R]) -> Result<(), RowError> {
        let Some(newest) = rows.last() else { return Ok(()) };
        let before = self.tables[R::TABLE.index()].rows;
        let error = |slot: usize| RowError::OutOfOrder {
            table: R::TABLE.name(),
            sorted_by: R::SPEC.sorted_by,
            row: before + slot as u64,
        };
        let last = R::stored(&mut self.last);
        if last.first().is_some_and(|last| !last.may_precede(&rows[0])) {
            return Err(error(0));
        }
        if let Some(slot) = rows.windows(2).position(|pair| !pair[0].may_precede(&pair[1])) {
            return Err(error(slot + 1));
        }
        last.clear();
        last.push(*newest);
        Ok(())
    }

    pub(crate) fn summary(&self, table: Table) -> TableSummary {
        let TableHasher { rows, hasher } = &self.tables[table.index()];
        TableSummary { rows: *rows, digest: hasher.finalize().into() }
    }

    pub(crate) fn finish(&self) -> RunDigest {
        let entry = |table: &Table| (table.name().to_owned(), self.summary(*table));
        RunDigest::join(Table::ALL.iter().map(entry).collect())
    }
}

/// Stores only the digest.
#[derive(Debug)]
pub struct DigestSink {
    names: Names,
    digester: Digester,
}

impl DigestSink {
    /// A sink for rows with these names.
    pub fn new(names: Names) -> DigestSink {
        DigestSink { names, digester: Digester::new() }
    }

    /// The digest of all rows so far.
    pub fn finish(&self) -> RunDigest {
        self.digester.finish()
    }
}

impl RowsVisitor for DigestSink {
    type Output = Result<(), RowError>;

    fn rows<R: Row>(&mut self, rows: &[R]) -> Self::Output {
        let names = &self.names;
        self.digester.update(rows, |slot, nth| rows[slot].name(nth, names))
    }
}

impl Sink for DigestSink {
    fn accept(&mut self, batch: Batch<'_>) -> Result<(), SinkError> {
        batch.visit(self).map_err(|error| SinkError(error.to_string()))
    }
}

impl MemorySink {
    /// The digest of the rows in memory: equal to that of a run folder written from them with these names.
    ///
    /// # Errors
    /// If rows are out of order or a name is missing.
    pub fn digest(&self, names: &Names) -> Result<RunDigest, SinkError> {
        let mut sink = DigestSink::new(names.clone());
        self.replay(&mut sink)?;
        Ok(sink.finish())
    }
}
