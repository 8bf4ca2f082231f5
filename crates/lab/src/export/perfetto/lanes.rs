//! Parallel tracks for slices that overlap.
//!
//! Models: as many tracks of one name as slices overlap; viewers draw them as one.
//! Leaves out: nested slices.
//!
//! Invariants: slices on one track do not overlap; the caller passes them in order of their ends, or in order of their
//! starts.

use netloom_units::Time;

use super::trace::{Slice, Trace, Track};
use crate::error::LabError;

/// Tracks of one name below one parent.
#[derive(Debug)]
pub struct Lanes {
    parent: Option<Track>,
    name: String,
    /// Each track with the end of its last slice.
    tracks: Vec<(Track, Time)>,
}

impl Lanes {
    /// Creates no track yet.
    pub fn new(parent: Option<Track>, name: &str) -> Lanes {
        Lanes { parent, name: name.to_owned(), tracks: Vec::new() }
    }

    /// Puts a slice onto the free track that became free last.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn slice(&mut self, trace: &mut Trace, slice: Slice) -> Result<(), LabError> {
        let free = self.tracks.iter_mut().filter(|(_, end)| *end <= slice.start);
        let end = slice.end.unwrap_or(trace.end());
        let track = match free.max_by_key(|(_, end)| *end) {
            Some(free) => {
                free.1 = end;
                free.0
            }
            None => self.another(trace, end),
        };
        trace.slice(track, slice)
    }

    /// The first track, created if necessary.
    pub fn first(&mut self, trace: &mut Trace) -> Track {
        match self.tracks.first() {
            Some((track, _)) => *track,
            None => self.another(trace, Time::ZERO),
        }
    }

    fn another(&mut self, trace: &mut Trace, end: Time) -> Track {
        let track = trace.below(self.parent, &self.name);
        self.tracks.push((track, end));
        track
    }
}
