//! Whole numbers and texts as compact text: compressed, numbers in groups of seven bits.
//!
//! Models: LEB128, zlib, and base 64; browsers can decode the last two.

use std::io::{Read, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

/// The numbers as text.
pub fn pack(numbers: impl Iterator<Item = u64>) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let mut bytes = Vec::with_capacity(1 << 16);
    for number in numbers {
        put(number, &mut bytes);
        if bytes.len() >= (1 << 16) - 10 {
            encoder.write_all(&bytes).expect("memory takes all");
            bytes.clear();
        }
    }
    encoder.write_all(&bytes).expect("memory takes all");
    STANDARD.encode(encoder.finish().expect("memory takes all"))
}

/// A text as a compact one.
pub fn pack_text(text: &str, compression: Compression) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), compression);
    encoder.write_all(text.as_bytes()).expect("memory takes all");
    STANDARD.encode(encoder.finish().expect("memory takes all"))
}

/// The text again; `None` if this is none that was packed.
pub fn unpack_text(packed: &str) -> Option<String> {
    let compressed = STANDARD.decode(packed).ok()?;
    let mut text = String::new();
    ZlibDecoder::new(&compressed[..]).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Seven bits per byte, the lowest first; the eighth bit says that more follow.
fn put(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The inverse, as in the page.
    fn unpack(text: &str) -> Vec<u64> {
        let mut bytes = Vec::new();
        let compressed = STANDARD.decode(text).expect("base 64");
        ZlibDecoder::new(&compressed[..]).read_to_end(&mut bytes).expect("zlib");
        let (mut numbers, mut number, mut shift) = (Vec::new(), 0, 0);
        for byte in bytes {
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                numbers.push(number);
                (number, shift) = (0, 0);
            }
        }
        numbers
    }

    #[test]
    fn packed_numbers_are_unpacked_unchanged() {
        let numbers: Vec<u64> =
            (0..40_000).map(|n| n * n * n).chain([0, 127, 128, u64::from(u32::MAX), (1 << 53) - 1]).collect();
        assert_eq!(unpack(&pack(numbers.iter().copied())), numbers);
        assert_eq!(unpack(&pack(std::iter::empty())), Vec::<u64>::new());
    }

    #[test]
    fn packed_texts_are_unpacked_unchanged() {
        let text = "leaf0\tspine1\n漢".repeat(1_000);
        let packed = pack_text(&text, Compression::best());
        assert!(packed.len() < 500);
        let mut found = String::new();
        let compressed = STANDARD.decode(packed).expect("base 64");
        ZlibDecoder::new(&compressed[..]).read_to_string(&mut found).expect("zlib");
        assert_eq!(found, text);
    }

    #[test]
    fn zeros_take_little_room() {
        assert!(pack(std::iter::repeat_n(0, 1_000_000)).len() < 2_000);
    }
}
