//! The list of all tables; a new table is entered only here.
//!
//! Models: which tables exist and in which order the digest takes them; batches of rows; rows in memory.
//! Leaves out: columns (`rows`).
//!
//! Invariants: the order of the list is part of the digest; new tables are only added at its end.

use crate::column::TableSpec;
use crate::row::Row;
use crate::rows::{
    ArbitrationRow, CauseRow, CellRow, ClassRow, CollectiveRow, CongestedFlowRow, CongestionRow, DropRow,
    EventRow, FaultRow, FlowRow, JobRow, MeasureRow, PacketRow, PathRow, PortRow, RateRow, ReorderingRow,
    RepairRow, RingRow, SeriesRow, SignalRow, SpanRow, SpuriousTimeoutRow, StageRow, StepRow, TallyRow,
    TrafficRow,
};
use crate::sink::{Sink, SinkError};

macro_rules! tables {
    ($($(#[doc = $doc:literal])* $variant:ident $field:ident $row:ident;)*) => {
        /// A table of the run folder.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Table {
            $($(#[doc = $doc])* $variant,)*
        }

        /// All tables, in the order the digest takes them, with their columns.
        pub const TABLES: &[TableSpec] = &[$($row::SPEC),*];

        impl Table {
            /// All tables, in the order the digest takes them.
            pub const ALL: &[Table] = &[$(Table::$variant),*];

            /// Its name: the stem of its file.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Table::$variant => stringify!($field),)*
                }
            }

            /// Calls the visitor with the row type of this table.
            pub(crate) fn visit<V: TableVisitor>(self, visitor: &mut V) -> V::Output {
                match self {
                    $(Table::$variant => visitor.table::<$row>(),)*
                }
            }
        }

        /// Rows of one table, in its sort order, following all rows of that table pushed before.
        #[derive(Debug, Clone, Copy)]
        pub enum Batch<'a> {
            $($(#[doc = $doc])* $variant(&'a [$row]),)*
        }

        impl Batch<'_> {
            /// Calls the visitor with the rows and their type.
            pub(crate) fn visit<V: RowsVisitor>(self, visitor: &mut V) -> V::Output {
                match self {
                    $(Batch::$variant(rows) => visitor.rows(rows),)*
                }
            }
        }

        /// Keeps everything in memory.
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct MemorySink {
            $($(#[doc = $doc])* pub $field: Vec<$row>,)*
        }

        impl MemorySink {
            /// Pushes all rows into another sink, table by table.
            ///
            /// # Errors
            /// If that sink cannot store them.
            pub fn replay(&self, sink: &mut impl Sink) -> Result<(), SinkError> {
                $(sink.accept(Batch::$variant(&self.$field))?;)*
                Ok(())
            }
        }

        impl Sink for MemorySink {
            fn accept(&mut self, batch: Batch<'_>) -> Result<(), SinkError> {
                match batch {
                    $(Batch::$variant(rows) => self.$field.extend_from_slice(rows),)*
                }
                Ok(())
            }
        }
    };
}

tables! {
    /// Messages.
    Flows flows FlowRow;
    /// Collectives.
    Collectives collectives CollectiveRow;
    /// Steps.
    Steps steps StepRow;
    /// Jobs.
    Jobs jobs JobRow;
    /// Ports.
    Ports ports PortRow;
    /// Samples.
    Series series SeriesRow;
    /// Drops.
    Drops drops DropRow;
    /// Faults.
    Faults faults FaultRow;
    /// Recorded packets, hop by hop.
    Packets packets PacketRow;
    /// Paths of the slowest messages.
    Paths paths PathRow;
    /// Retransmissions, message by message.
    Repairs repairs RepairRow;
    /// Marks and pauses.
    Signals signals SignalRow;
    /// Chosen flows over time.
    Rates rates RateRow;
    /// Staged flows, stage by stage.
    Stages stages StageRow;
    /// Ports of the congestion tree.
    Congestion congestion CongestionRow;
    /// Flows through these ports.
    CongestedFlows congested_flows CongestedFlowRow;
    /// Classes of data at ports.
    Classes classes ClassRow;
    /// The kind of traffic of each job or flow.
    Traffic traffic TrafficRow;
    /// Faults, as named by the user.
    Events events EventRow;
    /// Order of arrival of packets.
    Reordering reordering ReorderingRow;
    /// Mean step times of measured jobs.
    Measures measures MeasureRow;
    /// Messages without rows of their own.
    Tallies tallies TallyRow;
    /// Activities of ranks in recorded steps.
    Spans spans SpanRow;
    /// Waiting at the heads of queues, at switches with credits.
    Arbitration arbitration ArbitrationRow;
    /// Timeouts in a network without losses.
    SpuriousTimeouts spurious_timeouts SpuriousTimeoutRow;
    /// Sequence numbers that switches overwrote too early.
    Rings rings RingRow;
    /// Studies of interference, aggregated elsewhere.
    Cells cells CellRow;
    /// What completion times consist of.
    Causes causes CauseRow;
}

/// A generic operation on the row type of a table.
pub(crate) trait TableVisitor {
    /// Its result.
    type Output;
    /// Called with the row type.
    fn table<R: Row>(&mut self) -> Self::Output;
}

/// A generic operation on rows of any table.
pub(crate) trait RowsVisitor {
    /// Its result.
    type Output;
    /// Called with the rows.
    fn rows<R: Row>(&mut self, rows: &[R]) -> Self::Output;
}

impl Table {
    /// The table of this name.
    pub fn from_name(name: &str) -> Option<Table> {
        Table::ALL.iter().copied().find(|table| table.name() == name)
    }

    /// Its columns and what they mean.
    pub fn spec(self) -> &'static TableSpec {
        &TABLES[self.index()]
    }

    /// Its index in the list.
    pub(crate) fn index(self) -> usize {
        self as usize
    }

    /// The name of its file in a run folder.
    pub fn file_name(self) -> String {
        format!("{}.parquet", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_has_its_own_index() {
        assert_eq!(Table::ALL.len(), TABLES.len());
        for (slot, table) in Table::ALL.iter().enumerate() {
            assert_eq!(table.index(), slot);
            assert_eq!(table.spec().table, *table);
            assert_eq!(Table::from_name(table.name()), Some(*table));
        }
    }

    #[test]
    fn table_and_column_names_are_unique_words() {
        let is_word = |name: &str| {
            name.starts_with(|c: char| c.is_ascii_lowercase())
                && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        };
        for (slot, spec) in TABLES.iter().enumerate() {
            assert!(TABLES[..slot].iter().all(|other| other.table.name() != spec.table.name()));
            assert!(is_word(spec.table.name()));
            for (column_slot, column) in spec.columns.iter().enumerate() {
                let earlier = &spec.columns[..column_slot];
                assert!(earlier.iter().all(|other| other.name != column.name), "{}", column.name);
                assert!(is_word(column.name), "{}", column.name);
            }
        }
    }

    #[test]
    fn every_column_says_unit_and_meaning() {
        let units = [
            "ps", "B", "bit/s", "B/s", "packets", "links", "ranks", "steps", "id", "number", "flag", "word",
            "name",
        ];
        for spec in TABLES {
            assert!(spec.meaning.ends_with('.') && !spec.sorted_by.is_empty());
            for column in spec.columns {
                assert!(units.contains(&column.unit), "{}: {}", column.name, column.unit);
                assert!(column.meaning.ends_with('.'), "{}: {}", column.name, column.meaning);
                assert_eq!(column.meaning.trim(), column.meaning);
            }
        }
    }
}
