//! How many bytes of data wait in the class queues of each port of a node that counts them.
//!
//! Models: ports below a limit, as a mask; the bytes of a port are valid until its next start.
//! Leaves out: data that is separated by class.
//!
//! Invariants: a port that has started packets since its last update is stale, and must be updated before it is
//! compared.

use netloom_model::PortSet;

use crate::port::Egress;

/// See the module.
pub struct DataCounts {
    /// Bytes of data waiting at each port.
    bytes: Box<[u64]>,
    /// The next start of each port, until which its bytes are valid; `u64::MAX` if there is none.
    next_start: Box<[u64]>,
    /// The class of data.
    class: u8,
}

impl DataCounts {
    /// Of idle ports, if all of them count data of one class.
    pub fn of(ports: &[Egress]) -> Option<DataCounts> {
        let class = ports.iter().find_map(Egress::class_counted)?;
        if ports.iter().any(|egress| egress.class_counted() != Some(class)) {
            return None;
        }
        let (bytes, next_start) = (vec![0; ports.len()].into(), vec![u64::MAX; ports.len()].into());
        Some(DataCounts { bytes, next_start, class })
    }

    /// The class of data.
    pub fn class(&self) -> u8 {
        self.class
    }

    /// Updates a port after a change there.
    #[inline(always)]
    pub fn note(&mut self, port: u32, egress: &Egress) {
        self.bytes[port as usize] = egress.data_bytes();
        self.next_start[port as usize] = egress.next_start().unwrap_or(u64::MAX);
    }

    /// The ports that have started packets before `now` and were not updated since, a bit each in the order of the set,
    /// of at most 64.
    pub fn stale(&self, set: PortSet<'_>, now: u64) -> u64 {
        mask(&self.next_start, set, |next_start| next_start < now)
    }

    /// The first of rising limits that some ports are below, by its index, and these ports, a bit each in the order of
    /// the set, of at most 64; past the last limit all. None of them may be stale.
    pub fn below_limits(&self, set: PortSet<'_>, limits: &[u64]) -> (usize, u64) {
        let fewest = match set {
            PortSet::Range { first, count } => self.bytes[first as usize..][..count as usize]
                .iter()
                .fold(u64::MAX, |least, &own| least.min(own)),
            PortSet::List(list) => {
                list.iter().fold(u64::MAX, |least, &port| least.min(self.bytes[port as usize]))
            }
        };
        let index = limits.iter().take_while(|&&limit| fewest >= limit).count();
        let below = limits.get(index).copied().unwrap_or(u64::MAX);
        (index, mask(&self.bytes, set, |bytes| bytes < below))
    }
}

/// The ports whose value meets a condition, a bit each in the order of the set.
#[inline(always)]
fn mask(values: &[u64], set: PortSet<'_>, holds: impl Fn(u64) -> bool) -> u64 {
    let add = |mask: u64, value: u64| mask << 1 | u64::from(holds(value));
    match set {
        PortSet::Range { first, count } => {
            values[first as usize..][..count as usize].iter().rev().fold(0, |mask, &value| add(mask, value))
        }
        PortSet::List(list) => list.iter().rev().fold(0, |mask, &port| add(mask, values[port as usize])),
    }
}
