//! The memory that Themis needs in a switch, by component.
//!
//! Models: equation 4 of the Themis paper: a table of paths, and for each queue pair an entry of fixed size and a ring
//! of truncated sequence numbers that covers the last hop.
//! Leaves out: the overhead of hash tables, and the wider numbers that this simulator keeps instead of truncated ones.
//!
//! Source: Themis, section 4; its example is [`Setup::default`]. The paper's share of 0.6 % of 64 MB does not
//! follow from its numbers: 192,512 B are 0.30 %.
//!
//! Invariants: integers; entries are rounded up; sums saturate at 64 bits.

use netloom_units::{Bytes, Duration, Rate};

/// Bytes of an entry of the table of paths: a pattern for the 16 bits of a port.
const PATH: u64 = 2;
/// Bytes of the key of a queue pair: addresses, ports, protocol.
const NAME: u64 = 13;
/// Bytes of the sequence number of the suppressed NACK.
const BLOCKED: u64 = 3;
/// Bytes of the flag that it is valid.
const VALID: u64 = 1;
/// Bytes of the ring's head, tail and length.
const RING: u64 = 3;
/// Bytes of an entry of the ring: the lowest bits of a sequence number.
const ENTRY: u64 = 1;

/// The inputs of the calculation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setup {
    /// Equal-cost paths between two edge switches.
    pub n_paths: u64,
    /// Rate of the last hop.
    pub rate: Rate,
    /// Time from a packet's enqueueing for the last hop to the return of its NACK.
    pub round_trip: Duration,
    /// NICs at the switch.
    pub n_nics: u64,
    /// Queue pairs from other switches per NIC.
    pub n_queue_pairs: u64,
    /// Smallest packet size that is assumed, on the wire.
    pub packet: Bytes,
    /// Safety factor on rate times round trip, in thousandths (F).
    pub factor_thousandths: u64,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            n_paths: 256,
            rate: Rate(400_000_000_000),
            round_trip: Duration::from_micros(2),
            n_nics: 16,
            n_queue_pairs: 100,
            packet: Bytes(1500),
            factor_thousandths: 1500,
        }
    }
}

/// The memory, by component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// The table of paths.
    pub path_map: Bytes,
    /// Keys of all queue pairs.
    pub names: Bytes,
    /// State of compensation, of all queue pairs.
    pub compensation: Bytes,
    /// Heads, tails and lengths of all rings.
    pub ring_metadata: Bytes,
    /// Entries of all rings.
    pub ring_entries: Bytes,
}

impl Setup {
    /// Entries of one ring: ceil(rate x round trip x factor / packet).
    pub fn entries(&self) -> u64 {
        let bit_picoseconds = u128::from(self.rate.0) * u128::from(self.round_trip.0);
        let above = bit_picoseconds.saturating_mul(u128::from(self.factor_thousandths));
        let below = u128::from(self.packet.0.max(1)) * 8_000_000_000_000 * 1000;
        u64::try_from(above.div_ceil(below)).unwrap_or(u64::MAX)
    }

    /// Number of queue pairs that the switch tracks.
    pub fn queue_pairs(&self) -> u64 {
        self.n_nics.saturating_mul(self.n_queue_pairs)
    }

    /// Bytes of one queue pair.
    pub fn queue_pair(&self) -> Bytes {
        Bytes((NAME + BLOCKED + VALID + RING).saturating_add(ENTRY.saturating_mul(self.entries())))
    }

    /// The memory, by component.
    pub fn memory(&self) -> Memory {
        let n_all = self.queue_pairs();
        let all = |each: u64, number: u64| Bytes(each.saturating_mul(number));
        Memory {
            path_map: all(PATH, self.n_paths),
            names: all(NAME, n_all),
            compensation: all(BLOCKED + VALID, n_all),
            ring_metadata: all(RING, n_all),
            ring_entries: all(ENTRY, self.entries().saturating_mul(n_all)),
        }
    }
}

impl Memory {
    /// The sum of all components.
    pub fn total(&self) -> Bytes {
        let parts = [self.path_map, self.names, self.compensation, self.ring_metadata, self.ring_entries];
        Bytes(parts.iter().fold(0, |sum, part| sum.saturating_add(part.0)))
    }

    /// Its share of a memory of this size.
    pub fn share(&self, of: Bytes) -> f64 {
        self.total().0 as f64 / of.0 as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_that_of_the_example_in_the_paper() {
        let setup = Setup::default();
        assert_eq!((setup.entries(), setup.queue_pair()), (100, Bytes(120)));
        let memory = setup.memory();
        assert_eq!(memory.path_map, Bytes(512));
        assert_eq!(memory.ring_entries, Bytes(160_000));
        assert_eq!(memory.total(), Bytes(192_512));
    }

    #[test]
    fn the_share_of_64_megabytes_is_half_of_that_in_the_paper() {
        let share = Setup::default().memory().share(Bytes(64_000_000));
        assert!((0.003..0.003_01).contains(&share), "{share}");
    }

    #[test]
    fn parts_add_up_to_the_total_and_entries_round_up() {
        let setup = Setup { n_nics: 3, n_queue_pairs: 7, packet: Bytes(1501), ..Setup::default() };
        assert_eq!(setup.entries(), 100, "99.93 rounded up");
        assert_eq!(setup.memory().total().0, 512 + 21 * setup.queue_pair().0);
        let slower = Setup { rate: Rate(100_000_000_000), ..Setup::default() };
        assert_eq!(slower.entries(), 25);
    }
}
