//! Ports of hosts on the timeline: the rate at which each sends, and its queue.
//!
//! Models: table `series` as two counters of each egress port of a host that has at least one row.
//! Leaves out: ports of switches, which are too many to view one below the other.
//!
//! Invariants: a rate is set at the start of its interval and holds until its end, a queue length is set at the end of
//! its interval; where a port has no row, both are zero. The last interval ends with the run, and none begins after it.

use std::collections::BTreeMap;

use netloom_records::{PortRow, SeriesRow};
use netloom_units::{Bytes, Duration, PortId, Time};

use super::trace::{Trace, Track};
use crate::error::LabError;
use crate::show::Recorded;

/// Picoseconds in a second, times bits in a byte.
const BITS_PER_SECOND: u128 = 8_000_000_000_000;

/// The counters of one port.
struct Port {
    rate: Track,
    waiting: Track,
    /// The end of its last interval with a row, and the length of intervals.
    last: (Time, Duration),
}

/// Adds the counters.
///
/// # Errors
/// If a table cannot be read, or the operating system reports an error.
pub fn add(run: &Recorded, trace: &mut Trace) -> Result<(), LabError> {
    let names = port_names(run)?;
    let mut ports: BTreeMap<PortId, Port> = BTreeMap::new();
    let (mut group, end) = (None, trace.end());
    for rows in run.folder.rows::<SeriesRow>()? {
        for row in rows?.into_iter().filter(|row| start(row) < end) {
            let Some(name) = names.get(&row.port) else { continue };
            let port = match ports.entry(row.port) {
                std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
                std::collections::btree_map::Entry::Vacant(new) => {
                    let group = *group.get_or_insert_with(|| trace.below(None, "NICs"));
                    new.insert(Port::begin(group, name, row.interval, trace)?)
                }
            };
            port.row(&row, trace)?;
        }
    }
    ports.into_values().try_for_each(|port| port.end(trace))
}

/// Names of the ports of hosts: their links, which name both ends.
fn port_names(run: &Recorded) -> Result<BTreeMap<PortId, String>, LabError> {
    let n_hosts = run.hosts()?.len();
    let mut names = BTreeMap::new();
    for rows in run.folder.rows::<PortRow>()? {
        for row in rows?.into_iter().filter(|row| row.node.index() < n_hosts) {
            let link = run.names.links.get(row.link.index()).cloned().unwrap_or_default();
            names.insert(row.port, format!("{}, link {link}", run.names.node(row.node)));
        }
    }
    Ok(names)
}

/// The start of the interval of a row.
fn start(row: &SeriesRow) -> Time {
    Time(row.time.0.saturating_sub(row.interval.0))
}

/// Bits per second over this interval, rounded to the nearest integer.
fn rate(size: Bytes, length: Duration) -> u64 {
    let length = u128::from(length.0.max(1));
    let rate = (u128::from(size.0) * BITS_PER_SECOND + length / 2) / length;
    u64::try_from(rate).unwrap_or(u64::MAX)
}

impl Port {
    fn begin(group: Track, name: &str, interval: Duration, trace: &mut Trace) -> Result<Port, LabError> {
        let port = Port {
            rate: trace.counter(group, format!("{name}: sending"), "bit/s"),
            waiting: trace.counter(group, format!("{name}: waiting"), "B"),
            last: (Time::ZERO, interval),
        };
        trace.value(port.waiting, Time::ZERO, 0)?;
        Ok(port)
    }

    fn row(&mut self, row: &SeriesRow, trace: &mut Trace) -> Result<(), LabError> {
        // The run may end within its last interval.
        let (start, end) = (start(row), row.time.min(trace.end()));
        if self.last.0 < start {
            self.nothing(start, trace)?;
        }
        trace.value(self.rate, start, rate(row.size, end.since(start)))?;
        trace.value(self.waiting, end, row.waiting.0)?;
        self.last = (end, row.interval);
        Ok(())
    }

    /// From the end of the last interval on the rate is zero, and the queue is empty at the end of the next interval.
    fn nothing(&self, until: Time, trace: &mut Trace) -> Result<(), LabError> {
        let (end, interval) = self.last;
        trace.value(self.rate, end, 0)?;
        let next = end + interval;
        if end > Time::ZERO && next <= until {
            trace.value(self.waiting, next, 0)?;
        }
        Ok(())
    }

    /// After its last row a port sends nothing; its queue length is known only at the ends of intervals.
    fn end(self, trace: &mut Trace) -> Result<(), LabError> {
        self.nothing(trace.end(), trace)
    }
}
