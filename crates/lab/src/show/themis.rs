//! The memory of Themis in a switch, by its paper's equation.
//!
//! Leaves out: runs; this is arithmetic on given numbers.
//!
//! Source: Themis, equation 4.

pub use netloom_policy::edge::memory::Setup;
use netloom_scenario::quantity::{self, Dimension, Refusal};
pub use netloom_units::{Bytes, Duration, Rate};
use serde::Serialize;

/// A part of the memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Its name.
    pub part: &'static str,
    /// Bytes of each.
    pub each: u64,
    /// Number of entries.
    pub number: u64,
    /// Bytes of all.
    pub bytes: u64,
}

/// The memory, with the numbers it follows from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ThemisMemory {
    /// Entries of the ring of each queue pair.
    pub entries: u64,
    /// The formula for the number of entries.
    pub entries_from: String,
    /// Bytes of each queue pair.
    pub queue_pair: u64,
    /// The terms of the sum.
    pub parts: Vec<Part>,
    /// The sum, in bytes.
    pub total: u64,
    /// The switch's buffer that it is compared with, in bytes.
    pub buffer: u64,
    /// The sum as a share of the buffer.
    pub share: f64,
    /// Whether the numbers are those of the paper's example.
    pub is_the_papers: bool,
}

/// The memory of a switch, beside a buffer of that size.
pub fn themis_memory(setup: &Setup, buffer: Bytes) -> ThemisMemory {
    let memory = setup.memory();
    let n_pairs = setup.queue_pairs();
    let part = |part, number: u64, bytes: Bytes| Part {
        part,
        each: bytes.0 / number.max(1),
        number,
        bytes: bytes.0,
    };
    let parts = vec![
        part("paths: bits of the source port to flip", setup.n_paths, memory.path_map),
        part("queue pairs: addresses, ports, protocol", n_pairs, memory.names),
        part("queue pairs: expected PSN and its flag", n_pairs, memory.compensation),
        part("rings: head, tail and length", n_pairs, memory.ring_metadata),
        part(
            "entries of rings: lowest byte of a PSN",
            n_pairs.saturating_mul(setup.entries()),
            memory.ring_entries,
        ),
    ];
    let (rate, span) = (print(setup.rate.0, Dimension::Rate), print(setup.round_trip.0, Dimension::Duration));
    let factor = setup.factor_thousandths as f64 / 1000.0;
    let packet = print(setup.packet.0, Dimension::Size);
    ThemisMemory {
        entries: setup.entries(),
        entries_from: format!("{rate} x {span} x {factor} / {packet}, rounded up"),
        queue_pair: setup.queue_pair().0,
        parts,
        total: memory.total().0,
        buffer: buffer.0,
        share: memory.share(buffer),
        is_the_papers: *setup == Setup::default(),
    }
}

fn print(value: u64, dimension: Dimension) -> String {
    quantity::print(value, dimension)
}

/// Parses a rate with its unit.
///
/// # Errors
/// The message for the user.
pub fn rate(text: &str) -> Result<Rate, String> {
    quantity::rate(text).map_err(said)
}

/// Parses a size above zero with its unit.
///
/// # Errors
/// The message for the user.
pub fn size(text: &str) -> Result<Bytes, String> {
    match quantity::size(text).map_err(said)? {
        Bytes(0) => Err("expected a size above zero".to_owned()),
        size => Ok(size),
    }
}

/// Parses a duration with its unit.
///
/// # Errors
/// The message for the user.
pub fn span(text: &str) -> Result<Duration, String> {
    quantity::duration(text).map_err(said)
}

/// Parses the ratio of a ring's entries to the packets in flight, a number from 1 to 100; returns it in thousandths.
///
/// # Errors
/// If it is not such a number.
pub fn factor(text: &str) -> Result<u64, String> {
    let factor = text.parse::<f64>().ok().filter(|factor| (1.0..=100.0).contains(factor));
    let factor = factor.ok_or_else(|| "expected a number from 1 to 100".to_owned())?;
    Ok((factor * 1000.0).round() as u64)
}

fn said(refusal: Refusal) -> String {
    match refusal.help {
        Some(help) => format!("{}; {help}", refusal.message),
        None => refusal.message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_the_papers_example_add_up() {
        let memory = themis_memory(&Setup::default(), Bytes(64_000_000));
        assert_eq!((memory.total, memory.entries, memory.queue_pair), (192_512, 100, 120));
        assert_eq!(memory.parts.iter().map(|part| part.each * part.number).sum::<u64>(), 192_512);
        assert!(memory.is_the_papers && (memory.share - 0.003_008).abs() < 1e-9);
        assert_eq!(memory.entries_from, "400Gbps x 2us x 1.5 / 1.5KB, rounded up");
    }

    #[test]
    fn very_large_numbers_do_not_overflow() {
        let most = Setup {
            n_paths: u64::MAX,
            rate: Rate(u64::MAX),
            round_trip: Duration(u64::MAX),
            n_nics: u64::MAX,
            n_queue_pairs: u64::MAX,
            packet: Bytes(1),
            factor_thousandths: 100_000,
        };
        assert_eq!(themis_memory(&most, Bytes(1)).total, u64::MAX);
    }

    #[test]
    fn invalid_quantities_are_refused() {
        assert_eq!(rate("400Gbps"), Ok(Rate(400_000_000_000)));
        assert!(rate("400").is_err_and(|said| said.contains("unit")));
        assert!(size("0B").is_err() && span("fast").is_err() && factor("0.5").is_err());
        assert_eq!(factor("1.5"), Ok(1500));
    }
}
