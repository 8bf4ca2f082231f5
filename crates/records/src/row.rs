//! Rows: one declaration per table, from which struct, schema, digest and readers are made.
//!
//! Models: `table!`, which declares a row type with unit and meaning per column, its sort order, and columns of names
//! that are looked up by an id of the row; `Row`, the interface of every row type to generic code.
//! Leaves out: files.
//!
//! Invariants: columns are stored in declared order, columns of names after them; each fact about a column is stated
//! once.

use arrow_array::ArrayRef;
use netloom_units::{LinkId, NodeId};

use crate::column::TableSpec;
use crate::names::{Family, Names};
use crate::registry::{Batch, MemorySink, Table};

/// A row that cannot be stored: a bug in the code that produced it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RowError {
    /// A number beyond what the file can hold.
    #[error("a value in table `{table}` is 2^63 or more, in column: {column}")]
    TooLarge {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
    },
    /// An id without a name.
    #[error("table `{table}` needs a name for column `{column}`, and none was given for number: {id}")]
    Nameless {
        /// The table.
        table: &'static str,
        /// The column of names.
        column: &'static str,
        /// The id.
        id: usize,
    },
    /// Rows that violate the sort order.
    #[error("a row of table `{table}` comes before its turn (sorted by {sorted_by}), row: {row}")]
    OutOfOrder {
        /// The table.
        table: &'static str,
        /// The stated order.
        sorted_by: &'static str,
        /// The row, from 0.
        row: u64,
    },
}

/// A value in a file that is invalid for its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadCell {
    /// The column.
    pub column: &'static str,
    /// The row of the batch.
    pub row: usize,
}

/// A row of a table.
pub trait Row: Copy + std::fmt::Debug + PartialEq + Send + 'static {
    /// Its table.
    const TABLE: Table;
    /// Its table's columns.
    const SPEC: TableSpec;
    /// The family of names of each column of names.
    const NAMES: &'static [Family];

    /// Appends the canonical encoding of all columns except names.
    fn encode(&self, out: &mut Vec<u8>);

    /// Arrow arrays of all columns except names.
    ///
    /// # Errors
    /// If a value is too large to be stored.
    fn arrays(rows: &[Self]) -> Result<Vec<ArrayRef>, RowError>;

    /// Appends the rows stored in the arrays of a batch whose schema was checked.
    ///
    /// # Errors
    /// If a stored value is one that this program never writes.
    fn decode(arrays: &[ArrayRef], rows: &mut Vec<Self>) -> Result<(), BadCell>;

    /// The id by which a column of names is looked up.
    fn name_id(&self, nth: usize) -> usize;

    /// Whether this row may precede the other one.
    fn may_precede(&self, other: &Self) -> bool;

    /// The rows of this type in a memory sink.
    fn stored(sink: &mut MemorySink) -> &mut Vec<Self>;

    /// Rows as a batch.
    fn batch(rows: &[Self]) -> Batch<'_>;

    /// The name for a column of names.
    ///
    /// # Errors
    /// If it has none.
    fn name<'n>(&self, nth: usize, names: &'n Names) -> Result<&'n str, RowError> {
        let id = self.name_id(nth);
        let first = Self::SPEC.columns.len() - Self::NAMES.len();
        names.get(Self::NAMES[nth], id).ok_or_else(|| RowError::Nameless {
            table: Self::TABLE.name(),
            column: Self::SPEC.columns[first + nth].name,
            id,
        })
    }
}

/// An id that has a name.
pub(crate) trait Named {
    /// Its index in the list of names.
    fn slot(self) -> usize;
}

impl Named for NodeId {
    fn slot(self) -> usize {
        self.index()
    }
}

impl Named for LinkId {
    fn slot(self) -> usize {
        self.index()
    }
}

impl Named for u16 {
    fn slot(self) -> usize {
        usize::from(self)
    }
}

/// Declares a table: the struct of a row and all properties of its columns.
macro_rules! table {
    (
        #[doc = $about:literal]
        $(#[$attribute:meta])*
        pub struct $row:ident in $table:ident $field:ident {
            $(#[doc = $meaning:literal] pub $column:ident: $type:ty, $unit:literal;)*
        }
        names { $(#[doc = $name_meaning:literal] $name_column:ident: $family:ident[$id:ident];)* }
        sorted by $order:literal, $key:expr
    ) => {
        #[doc = $about]
        #[doc = concat!("\nTable `", stringify!($field), "`, sorted by ", $order, ".")]
        $(#[$attribute])*
        pub struct $row {
            $(#[doc = $meaning] pub $column: $type,)*
        }

        impl Row for $row {
            const TABLE: Table = Table::$table;
            const SPEC: TableSpec = TableSpec {
                table: Table::$table,
                meaning: $about.trim_ascii(),
                sorted_by: $order,
                columns: &[
                    $(Column {
                        name: stringify!($column),
                        storage: <$type as Cell>::STORAGE,
                        nullable: <$type as Cell>::NULLABLE,
                        unit: $unit,
                        meaning: $meaning.trim_ascii(),
                    },)*
                    $(Column {
                        name: stringify!($name_column),
                        storage: Storage::Text,
                        nullable: false,
                        unit: "name",
                        meaning: $name_meaning.trim_ascii(),
                    },)*
                ],
            };
            const NAMES: &'static [Family] = &[$(Family::$family),*];

            #[inline]
            fn encode(&self, out: &mut Vec<u8>) {
                $(self.$column.encode(out);)*
            }

            fn arrays(rows: &[Self]) -> Result<Vec<ArrayRef>, RowError> {
                let table = Self::TABLE.name();
                Ok(vec![$(
                    <$type as Cell>::array(rows.iter().map(|row| row.$column))
                        .ok_or(RowError::TooLarge { table, column: stringify!($column) })?,
                )*])
            }

            fn decode(arrays: &[ArrayRef], rows: &mut Vec<Self>) -> Result<(), BadCell> {
                let mut arrays = arrays.iter();
                let length = arrays.as_slice().first().map_or(0, |array| array.len());
                $(let $column = arrays.next().and_then(|array| array.as_any().downcast_ref());)*
                $(let $column: &<$type as Cell>::Array = $column.expect("the schema was checked");)*
                rows.reserve(length);
                for row in 0..length {
                    rows.push($row {
                        $($column: Cell::get($column, row)
                            .ok_or(BadCell { column: stringify!($column), row })?,)*
                    });
                }
                Ok(())
            }

            fn name_id(&self, nth: usize) -> usize {
                let ids: &[usize] = &[$(self.$id.slot()),*];
                ids[nth]
            }

            #[inline]
            fn may_precede(&self, other: &Self) -> bool {
                let key = $key;
                key(self) <= key(other)
            }

            fn stored(sink: &mut MemorySink) -> &mut Vec<Self> {
                &mut sink.$field
            }

            fn batch(rows: &[Self]) -> Batch<'_> {
                Batch::$table(rows)
            }
        }
    };
}

pub(crate) use table;
