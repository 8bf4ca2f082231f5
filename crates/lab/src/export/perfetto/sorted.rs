//! Encoded events in order of time, independent of their number.
//!
//! Models: an external merge sort: each buffer that is full is sorted and written to a file, and finally these parts
//! are merged.
//! Leaves out: the meaning of the events.
//!
//! Invariants: events of one instant keep the order in which they were added; the memory used is that of one part, and
//! a small block of each part in the file.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use netloom_records::fresh;

/// Bytes of a part.
const PART: usize = 64 << 20;
/// Bytes of a part that are read at once.
const BLOCK: u64 = 1 << 16;
/// Bytes of the instant and the length before each event in the file.
const HEAD: usize = 12;

/// Events to sort.
#[derive(Debug)]
pub struct Sorted {
    /// The file of parts is created next to this path.
    path: PathBuf,
    part: usize,
    bytes: Vec<u8>,
    /// Instant, and the begin and end of the event in `bytes`.
    events: Vec<(u64, usize, usize)>,
    spilled: Option<Spilled>,
}

/// Sorted parts in a file, which is deleted when this is dropped.
#[derive(Debug)]
struct Spilled {
    path: PathBuf,
    file: File,
    /// The end of each part in the file.
    ends: Vec<u64>,
}

impl Sorted {
    /// An empty list; if there is more than one part, they are written to a file next to this path.
    pub fn new(path: PathBuf) -> Sorted {
        Sorted::in_parts_of(PART, path)
    }

    fn in_parts_of(part: usize, path: PathBuf) -> Sorted {
        Sorted { path, part, bytes: Vec::new(), events: Vec::new(), spilled: None }
    }

    /// Adds an event.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn push(&mut self, at: u64, event: &[u8]) -> io::Result<()> {
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(event);
        self.events.push((at, begin, self.bytes.len()));
        let taken = self.bytes.len() + self.events.len() * size_of::<(u64, usize, usize)>();
        if taken >= self.part { self.spill() } else { Ok(()) }
    }

    /// Passes all events to `take` in order of time.
    ///
    /// # Errors
    /// If the operating system reports an error, or `take` does.
    pub fn each<E: From<io::Error>>(mut self, mut take: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        if self.spilled.is_some() {
            self.spill()?;
        }
        let Some(mut spilled) = self.spilled.take() else {
            self.events.sort_by_key(|event| event.0);
            return self.events.iter().try_for_each(|&(_, begin, end)| take(&self.bytes[begin..end]));
        };
        spilled.merge(take)
    }

    fn spill(&mut self) -> io::Result<()> {
        self.events.sort_by_key(|event| event.0);
        if self.spilled.is_none() {
            self.spilled = Some(Spilled::new(&self.path)?);
        }
        let spilled = self.spilled.as_mut().expect("it was just made");
        let mut file = BufWriter::new(&spilled.file);
        for &(at, begin, end) in &self.events {
            let length = u32::try_from(end - begin).expect("an event is smaller than 4 GiB");
            file.write_all(&at.to_le_bytes())?;
            file.write_all(&length.to_le_bytes())?;
            file.write_all(&self.bytes[begin..end])?;
        }
        file.flush()?;
        drop(file);
        spilled.ends.push(spilled.file.stream_position()?);
        self.events.clear();
        self.bytes.clear();
        Ok(())
    }
}

impl Spilled {
    fn new(beside: &Path) -> io::Result<Spilled> {
        let open = |path: &Path| File::options().read(true).write(true).create_new(true).open(path);
        let (path, file) = fresh(beside, "sorting", open)?;
        Ok(Spilled { path, file, ends: Vec::new() })
    }

    /// Merges all parts; among events of one instant those of the earlier part come first.
    fn merge<E: From<io::Error>>(&mut self, mut take: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        let mut parts: Vec<Part> = begins.zip(&self.ends).map(|(next, &end)| Part::new(next, end)).collect();
        let mut heads = BinaryHeap::new();
        for (location, part) in parts.iter_mut().enumerate() {
            heads.extend(part.instant(&mut self.file)?.map(|at| Reverse((at, location))));
        }
        while let Some(Reverse((_, location))) = heads.pop() {
            let part = &mut parts[location];
            take(part.event(&mut self.file)?)?;
            heads.extend(part.instant(&mut self.file)?.map(|at| Reverse((at, location))));
        }
        Ok(())
    }
}

impl Drop for Spilled {
    fn drop(&mut self) {
        // A failure here does no harm: another sort takes another name.
        let _ = fs::remove_file(&self.path);
    }
}

/// A part that is being read.
struct Part {
    /// The next position to read in the file.
    next: u64,
    end: u64,
    block: Vec<u8>,
    /// Bytes of the block that have been consumed.
    used: usize,
}

impl Part {
    fn new(next: u64, end: u64) -> Part {
        Part { next, end, block: Vec::new(), used: 0 }
    }

    /// The instant of its next event, if there is one.
    fn instant(&mut self, file: &mut File) -> io::Result<Option<u64>> {
        if self.used == self.block.len() && self.next == self.end {
            return Ok(None);
        }
        let head = self.bytes(HEAD, file)?;
        Ok(Some(u64::from_le_bytes(head[..8].try_into().expect("eight bytes"))))
    }

    /// Its next event.
    fn event(&mut self, file: &mut File) -> io::Result<&[u8]> {
        let head = self.bytes(HEAD, file)?;
        let length = u32::from_le_bytes(head[8..].try_into().expect("four bytes")) as usize;
        self.bytes(HEAD + length, file)?;
        let begin = self.used + HEAD;
        self.used = begin + length;
        Ok(&self.block[begin..self.used])
    }

    /// The next bytes, without consuming them.
    fn bytes(&mut self, length: usize, file: &mut File) -> io::Result<&[u8]> {
        let lacking = (self.used + length).saturating_sub(self.block.len()) as u64;
        if lacking > 0 {
            self.block.drain(..self.used);
            self.used = 0;
            let wanted = lacking.max(BLOCK).min(self.end - self.next);
            file.seek(SeekFrom::Start(self.next))?;
            self.next += file.take(wanted).read_to_end(&mut self.block)? as u64;
        }
        let short = || io::Error::other("the file of events to sort was truncated");
        self.block.get(self.used..self.used + length).ok_or_else(short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Events at instants of a simple random walk, each with its instant and its number.
    fn sorted_in_parts_of(part: usize, n_events: u64) -> Vec<(u64, u64)> {
        let home = tempfile::tempdir().expect("a folder");
        let mut sorted = Sorted::in_parts_of(part, home.path().join("sorting"));
        for number in 0..n_events {
            let at = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60;
            let event = [at.to_le_bytes(), number.to_le_bytes()].concat();
            sorted.push(at, &event).expect("it can be kept");
        }
        let mut found = Vec::new();
        let read = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        let done: io::Result<()> = sorted.each(|event| {
            found.push((read(&event[..8]), read(&event[8..])));
            Ok(())
        });
        done.expect("it can be read");
        assert_eq!(fs::read_dir(home.path()).expect("it is there").count(), 0, "nothing is left");
        found
    }

    #[test]
    fn parts_in_a_file_do_not_change_the_order() {
        let whole = sorted_in_parts_of(usize::MAX, 20_000);
        assert_eq!(whole.len(), 20_000);
        assert!(whole.is_sorted(), "by instant, then by number");
        // Parts of one event, and parts longer than a block.
        assert_eq!(sorted_in_parts_of(400_000, 20_000), whole);
        assert_eq!(sorted_in_parts_of(1, 300), sorted_in_parts_of(usize::MAX, 300));
        assert_eq!(sorted_in_parts_of(1, 0), []);
    }
}
