//! The digest of what is read.
//!
//! Source: BLAKE3, O'Connor, Aumasson, Neves, Wilcox-O'Hearn, 2020.

use std::io::{self, Read};

/// A file whose bytes are hashed as they are read.
pub(super) struct Hashing {
    file: Box<dyn Read>,
    hasher: blake3::Hasher,
}

impl Hashing {
    pub fn new(file: Box<dyn Read>) -> Hashing {
        Hashing { file, hasher: blake3::Hasher::new() }
    }

    /// The digest of everything read so far, in hexadecimal digits.
    pub fn digest(&self) -> String {
        self.hasher.finalize().to_hex().to_string()
    }
}

impl Read for Hashing {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let n_read = self.file.read(bytes)?;
        self.hasher.update(&bytes[..n_read]);
        Ok(n_read)
    }
}
