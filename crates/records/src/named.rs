//! Tables for people who work with data frames: names instead of ids, and the unit in the name of each column.
//!
//! Models: ids of nodes, links, ports, jobs and so on as dictionaries of their names; times in microseconds, rates in
//! Gbps; the columns that everybody computes first (durations, completion times, slowdown).
//! Leaves out: the frames themselves; stored tables, which keep ids and picoseconds.
//!
//! Invariants: rows keep their number and their order; ids and sizes are not copied; a double holds every time below
//! 2^53 ps, 2.5 hours, to the picosecond.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Float64Type, Int64Type, UInt16Type, UInt32Type,
};
use arrow_array::{Array, ArrayRef, DictionaryArray, Int64Array, PrimitiveArray, RecordBatch, StringArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Schema};

use crate::column::{Column, Storage, TableSpec};
use crate::folder::{ReadError, RunFolder};
use crate::names::{Family, Names};
use crate::registry::Table;
use crate::rows::{FIRST_OF_OTHER_TRAFFIC, PortRow};

/// Picoseconds of a microsecond.
const PS_PER_US: f64 = 1e6;
/// Bits per second of one Gbps, and bytes per second of one GB/s.
const GIGA: f64 = 1e9;

/// What the numbers of traffic that belongs to no job mean, from [`FIRST_OF_OTHER_TRAFFIC`] on.
const OTHER_TRAFFIC: [&str; 3] = ["finite flows", "staged flows", "background"];

/// What an id denotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Denoted {
    /// A member of a family, which has names.
    Family(Family),
    /// An egress port, which is called by the nodes at both ends of its link.
    Port,
    /// A job, or traffic that belongs to none.
    Job,
}

/// What the ids in a column denote; `None` if it has no ids.
fn denoted(column: &Column) -> Option<Denoted> {
    if column.unit != "id" {
        return None;
    }
    Some(match column.name {
        "node" | "peer" | "source" | "destination" | "host" => Denoted::Family(Family::Nodes),
        "link" => Denoted::Family(Family::Links),
        "flow" => Denoted::Family(Family::Flows),
        "traffic" => Denoted::Family(Family::Traffic),
        "victim" | "aggressor" => Denoted::Family(Family::Collectives),
        "job" => Denoted::Job,
        name if name.starts_with("port") || name == "blocked_by" => Denoted::Port,
        name => unreachable!("the ids of a column denote nothing: {name}"),
    })
}

/// The names in a run folder, as values of dictionaries.
#[derive(Debug, Clone)]
pub struct NameValues {
    names: Names,
    nodes: Arc<StringArray>,
    links: Arc<StringArray>,
    ports: Arc<StringArray>,
}

impl NameValues {
    /// The names in a run folder.
    ///
    /// # Errors
    /// If a table that holds names cannot be read.
    pub fn of(folder: &RunFolder) -> Result<NameValues, ReadError> {
        let names = folder.names()?;
        let ports = port_names(&folder.ports()?, &names);
        let [nodes, links] =
            [&names.nodes, &names.links].map(|names| Arc::new(StringArray::from_iter_values(names)));
        Ok(NameValues { nodes, links, ports: Arc::new(StringArray::from_iter_values(ports)), names })
    }

    fn family(&self, family: Family) -> Arc<StringArray> {
        match family {
            Family::Nodes => Arc::clone(&self.nodes),
            Family::Links => Arc::clone(&self.links),
            Family::Jobs => Arc::new(StringArray::from_iter_values(&self.names.jobs)),
            Family::Flows => Arc::new(StringArray::from_iter_values(&self.names.flows)),
            Family::Traffic => Arc::new(StringArray::from_iter_values(&self.names.traffic)),
            Family::Collectives => Arc::new(StringArray::from_iter_values(&self.names.collectives)),
        }
    }

    /// Ids as a dictionary of what they denote.
    fn dictionary(&self, denoted: Denoted, ids: &ArrayRef) -> ArrayRef {
        let values = match denoted {
            Denoted::Port => Arc::clone(&self.ports),
            Denoted::Family(family) => self.family(family),
            Denoted::Job => return self.jobs(ids),
        };
        match ids.data_type() {
            DataType::UInt16 => by_key(ids.as_primitive::<UInt16Type>().clone(), values),
            _ => by_key(ids.as_primitive::<UInt32Type>().clone(), values),
        }
    }

    /// Jobs by name; those of other traffic follow the last job.
    fn jobs(&self, ids: &ArrayRef) -> ArrayRef {
        let n_jobs = self.names.jobs.len() as u16;
        let values = self.names.jobs.iter().map(String::as_str).chain(OTHER_TRAFFIC);
        let values = Arc::new(StringArray::from_iter_values(values));
        let key = |id: u16| match id.checked_sub(FIRST_OF_OTHER_TRAFFIC) {
            Some(other) => n_jobs + other,
            None => id,
        };
        by_key(ids.as_primitive::<UInt16Type>().unary::<_, UInt16Type>(key), values)
    }
}

/// A dictionary array; a key beyond its values, which no run writes, has no name.
fn by_key<K: ArrowDictionaryKeyType>(keys: PrimitiveArray<K>, values: Arc<StringArray>) -> ArrayRef
where
    K::Native: Into<u64>,
{
    let n_values = values.len() as u64;
    let is_known = |key: K::Native| Into::<u64>::into(key) < n_values;
    // Values of absent keys are zero, or any other that the file has.
    let keys = if keys.values().iter().all(|&key| is_known(key)) {
        keys
    } else {
        keys.unary_opt(|key| is_known(key).then_some(key))
    };
    let named = DictionaryArray::try_new(keys, values).expect("every key has a value");
    Arc::new(named)
}

/// The names of all ports: the nodes at both ends, and the link where several join these nodes.
fn port_names(ports: &[PortRow], names: &Names) -> Vec<String> {
    let mut named = vec![String::new(); ports.len()];
    for of_node in ports.chunk_by(|one, next| one.node == next.node) {
        let mut peers: Vec<_> = of_node.iter().map(|port| port.peer).collect();
        peers.sort_unstable();
        for port in of_node {
            let ends = format!("{} -> {}", names.node(port.node), names.node(port.peer));
            let first = peers.partition_point(|&peer| peer < port.peer);
            let is_parallel = peers.get(first + 1) == Some(&port.peer);
            let link = names.get(Family::Links, port.link.index()).filter(|_| is_parallel);
            let name = ends + &link.map(|link| format!(" ({link})")).unwrap_or_default();
            if let Some(named) = named.get_mut(port.port.index()) {
                *named = name;
            }
        }
    }
    named
}

/// A table with names and units: the columns of `table`, of which `stored` holds the values.
///
/// # Panics
/// If the columns are not those of the table.
pub fn with_names(stored: &RecordBatch, table: &TableSpec, names: &NameValues) -> RecordBatch {
    let mut columns = NamedColumns::default();
    for (column, values) in table.columns.iter().zip(stored.columns()) {
        let is_name_of_id = column.unit == "name" && stored.column_by_name(id_of(column.name)).is_some();
        if !is_name_of_id {
            columns.push_stored(column, values, names);
        }
    }
    columns.push_durations(stored, table.table);
    let metadata = table.schema().metadata;
    let schema = Arc::new(Schema::new_with_metadata(columns.fields, metadata));
    RecordBatch::try_new(schema, columns.arrays).expect("fields and arrays were made together")
}

/// The name of the column of ids that a column of names belongs to.
fn id_of(name: &str) -> &str {
    name.strip_suffix("_name").unwrap_or(name)
}

/// Columns under construction.
#[derive(Default)]
struct NamedColumns {
    fields: Vec<Field>,
    arrays: Vec<ArrayRef>,
}

impl NamedColumns {
    fn push(&mut self, name: &str, unit: &str, meaning: &str, values: ArrayRef) {
        let metadata =
            [("unit", unit), ("meaning", meaning)].map(|(key, value)| (key.to_owned(), value.to_owned()));
        let nullable = values.is_nullable();
        let field = Field::new(name, values.data_type().clone(), nullable).with_metadata(metadata.into());
        self.fields.push(field);
        self.arrays.push(values);
    }

    fn push_stored(&mut self, column: &Column, values: &ArrayRef, names: &NameValues) {
        let Column { name, unit, meaning, .. } = *column;
        let scaled =
            |suffix: &str, by: f64| (format!("{name}_{suffix}"), divided(values, column.storage, by));
        let (name, unit, values) = match (denoted(column), unit) {
            (Some(denoted), _) => (name.to_owned(), "name", names.dictionary(denoted, values)),
            (None, "ps") => {
                let (name, values) = scaled("us", PS_PER_US);
                (name, "us", values)
            }
            (None, "bit/s") => {
                let (name, values) = scaled("gbps", GIGA);
                (name, "Gbps", values)
            }
            (None, "B/s") => {
                let (name, values) = scaled("gb_per_s", GIGA);
                (name, "GB/s", values)
            }
            (None, "B") => (format!("{name}_bytes"), "B", Arc::clone(values)),
            (None, unit) => (name.to_owned(), unit, Arc::clone(values)),
        };
        self.push(&name, unit, meaning, values);
    }

    /// Adds the durations of what has a start and an end; of messages the completion time and the slowdown.
    fn push_durations(&mut self, stored: &RecordBatch, table: Table) {
        let time = |name: &str| stored.column_by_name(name)?.as_primitive_opt::<Int64Type>();
        let (Some(start), Some(end)) = (time("start"), time("end")) else { return };
        let duration = combined::<Int64Type>(end, start, i64::wrapping_sub);
        let in_us =
            |ps: &Int64Array| Arc::new(ps.unary::<_, Float64Type>(|ps| ps as f64 / PS_PER_US)) as ArrayRef;
        if table != Table::Flows {
            return self.push("duration_us", "us", "From start to end.", in_us(&duration));
        }
        self.push("fct_us", "us", "Flow completion time: from start to end.", in_us(&duration));
        if let Some(ideal) = time("ideal") {
            let slowdown = combined::<Float64Type>(&duration, ideal, |fct, ideal| fct as f64 / ideal as f64);
            let meaning = "Completion time over that on an otherwise idle fabric.";
            self.push("slowdown", "ratio", meaning, Arc::new(slowdown));
        }
    }
}

/// A value for each row of two columns; absent where one of them is.
fn combined<T: ArrowPrimitiveType>(
    first: &Int64Array,
    second: &Int64Array,
    combine: impl Fn(i64, i64) -> T::Native,
) -> PrimitiveArray<T> {
    let nulls = NullBuffer::union(first.nulls(), second.nulls());
    let both = first.values().iter().zip(second.values());
    PrimitiveArray::new(both.map(|(&first, &second)| combine(first, second)).collect(), nulls)
}

/// Values as doubles, in a larger unit.
fn divided(values: &ArrayRef, storage: Storage, by: f64) -> ArrayRef {
    match storage {
        Storage::Float64 => {
            Arc::new(values.as_primitive::<Float64Type>().unary::<_, Float64Type>(|value| value / by))
        }
        Storage::Integer64 => {
            Arc::new(values.as_primitive::<Int64Type>().unary::<_, Float64Type>(|value| value as f64 / by))
        }
        _ => unreachable!("quantities with these units have 64 bits"),
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::{Bytes, Duration, HostId, Time};

    use super::*;
    use crate::convert::record_batch;
    use crate::registry::TABLES;
    use crate::rows::FlowRow;

    fn values() -> NameValues {
        let names = Names {
            nodes: vec!["a".to_owned(), "b".to_owned()],
            jobs: vec!["training".to_owned()],
            ..Names::default()
        };
        let array = |names: &[String]| Arc::new(StringArray::from_iter_values(names));
        NameValues { nodes: array(&names.nodes), links: array(&[]), ports: array(&[]), names }
    }

    fn texts(batch: &RecordBatch, column: &str) -> Vec<Option<String>> {
        let column = batch.column_by_name(column).expect("it is there");
        let dictionary = column.as_any_dictionary();
        let (keys, values) = (dictionary.normalized_keys(), dictionary.values().as_string::<i32>());
        keys.iter()
            .enumerate()
            .map(|(row, &key)| column.is_valid(row).then(|| values.value(key).to_owned()))
            .collect()
    }

    #[test]
    fn messages_have_names_and_completion_times() {
        let row = FlowRow {
            start: Time(1_000_000),
            end: Some(Time(3_500_000)),
            source: HostId(0),
            destination: HostId(1),
            number: 0,
            job: 0,
            step: 0,
            phase: 0,
            bucket: 0,
            size: Bytes(4_096),
            packets: 1,
            hops: 2,
            ideal: Some(Duration(1_000_000)),
        };
        let background = FlowRow { end: None, job: u16::MAX, source: HostId(7), ideal: None, ..row };
        let stored = record_batch(&[row, background], &Names::default()).expect("no names are needed");
        let named = with_names(&stored, Table::Flows.spec(), &values());
        let some = |words: [&str; 2]| words.map(|word| Some(word.to_owned())).to_vec();
        assert_eq!(texts(&named, "source"), [Some("a".to_owned()), None], "host 7 has no name");
        assert_eq!(texts(&named, "job"), some(["training", "background"]));
        let number = |column: &str| {
            named.column_by_name(column).expect("it is there").as_primitive::<Float64Type>().clone()
        };
        assert_eq!(number("start_us").values(), &[1.0, 1.0]);
        assert_eq!(number("fct_us").iter().collect::<Vec<_>>(), [Some(2.5), None]);
        assert_eq!(number("slowdown").iter().collect::<Vec<_>>(), [Some(2.5), None]);
        let sizes = named.column_by_name("size_bytes").expect("it is there").to_data();
        let stored = stored.column_by_name("size").expect("it is there").to_data();
        assert_eq!(sizes.buffers()[0].as_ptr(), stored.buffers()[0].as_ptr(), "sizes are not copied");
    }

    #[test]
    fn every_table_can_have_names_and_no_column_lacks_its_unit() {
        for spec in TABLES {
            let empty = RecordBatch::new_empty(Arc::new(spec.schema()));
            let named = with_names(&empty, spec, &values());
            for field in named.schema().fields() {
                assert!(
                    !["ps", "bit/s", "B/s", "id"].contains(&field.metadata()["unit"].as_str()),
                    "{field}"
                );
            }
            let schema = named.schema();
            let mut columns: Vec<&String> = schema.fields().iter().map(|field| field.name()).collect();
            columns.sort();
            assert!(columns.windows(2).all(|two| two[0] != two[1]), "{}: {columns:?}", spec.table.name());
        }
    }
}
