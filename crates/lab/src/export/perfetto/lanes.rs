//! Tracks side by side, for things that overlap.
//!
//! Models: as many tracks of one name as are needed for what overlaps not to share one; viewers draw them as one.
//! Leaves out: what is nested.
//!
//! Invariants: things on one track do not overlap; those handed in are in order of their ends, or in order of their starts.

use netloom_units::Time;

use super::trace::{Slice, Trace, Track};
use crate::error::LabError;

/// Tracks of one name below one parent.
#[derive(Debug)]
pub struct Lanes {
    parent: Option<Track>,
    name: String,
    /// Each with the end of its last slice.
    tracks: Vec<(Track, Time)>,
}

impl Lanes {
    /// None yet.
    pub fn new(parent: Option<Track>, name: &str) -> Lanes {
        Lanes { parent, name: name.to_owned(), tracks: Vec::new() }
    }

    /// Puts a slice onto the track that has been free for the shortest time.
    ///
    /// # Errors
    /// If the system refuses.
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

    /// The first track, made if need be.
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
